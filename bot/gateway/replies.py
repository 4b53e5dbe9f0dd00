"""Updates that need no model: commands, taps, contacts, and those that want no answer at all.

Each is answered in the one transaction that also marks it as handled.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import structlog

from bot.accounts.people import People
from bot.contracts import Transaction
from bot.errors import LeaseLost
from bot.events import End, Start
from bot.gateway import contacts, taps
from bot.gateway.closing import close_at_once
from bot.gateway.commands import Commands, Response, read_command
from bot.gateway.failures import Failures
from bot.gateway.inbox import Pending
from bot.gateway.journal import append
from bot.gateway.lanes import Claim, hold
from bot.gateway.live import Live
from bot.gateway.parts import Parts
from bot.messages import (
    Decided,
    Edited,
    Migrated,
    Person,
    Reachable,
    Reacted,
    Said,
    Say,
    SharedContact,
    Tapped,
    Text,
    Update,
    UserMessage,
    encode,
)

log = structlog.get_logger()
Respond = Callable[[Transaction, Person, Update, int], Awaitable[Response]]


class Replies:
    def __init__(self, parts: Parts, people: People, failures: Failures) -> None:
        self._parts = parts
        self._failures = failures
        self._people = people
        self._commands = Commands(people)

    def find(self, update: Update) -> Respond | None:
        """How to answer this update at once; None if it is for the agent."""
        match update.content:
            case Said(text=text) if command := read_command(text):
                return lambda tx, person, update, seq: self._commands.respond(
                    tx, person, update, seq, command
                )
            case Tapped() as tap:
                return lambda tx, person, update, _: taps.respond(tx, person, update, tap)
            case SharedContact() as contact:
                return lambda tx, person, update, _: contacts.respond(
                    tx, person, update, contact, self._people
                )
            case Reachable() | Reacted() | Edited() | Migrated() | Decided():
                return _silence
            case _:
                return None

    async def answer(self, claim: Claim, pending: Pending, respond: Respond) -> Response:
        """Answer it, durably; one that cannot be answered is given up. Raises `LeaseLost`."""
        live = Live(self._parts.momentary, self._parts.adapters[claim.via], claim, pending.seq)
        try:
            response = await self._answer(claim, pending, respond)
        except LeaseLost:
            raise
        except Exception as error:
            log.exception("reply_failed", lane=claim.lane)
            await self._failures.give_up(claim, pending, live, f"{type(error).__name__}: {error}")
            return Response()
        live.emit(Start(claim.conversation, str(pending.seq)))
        for event in self._parts.posting.events(response.outgoing):
            live.emit(event)
        live.emit(End("answered"))
        return response

    async def _answer(self, claim: Claim, pending: Pending, respond: Respond) -> Response:
        adapter = self._parts.adapters[claim.via]

        async def work(tx: Transaction) -> Response:
            await hold(tx, claim)
            update = pending.update
            person = await self._people.recognise(tx, update.channel, update.sender)
            response = await respond(tx, person, update, pending.seq)
            if response.note:
                note = encode(UserMessage((Text(response.note),)))
                await append(tx, claim.lane, pending.seq, 0, [("user", note)])
            bodies = self._parts.posting.compose(response.outgoing, adapter)
            await close_at_once(tx, claim, pending.seq, person.account, bodies)
            return response

        return await self._parts.database.write(work)

    async def turn_away(self, claim: Claim, pending: Pending, words: str) -> None:
        """Say why the agent does not run, if anything; the update is handled.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        outgoing = [Say(words)] if words else []
        bodies = self._parts.posting.compose(outgoing, self._parts.adapters[claim.via])

        async def work(tx: Transaction) -> None:
            await hold(tx, claim)
            update = pending.update
            person = await self._people.recognise(tx, update.channel, update.sender)
            await close_at_once(tx, claim, pending.seq, person.account, bodies, refused=True)

        await self._parts.database.write(work)


async def _silence(*_: object) -> Response:
    """It is noted, and wants no answer."""
    return Response()
