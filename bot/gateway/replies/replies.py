"""Updates that need no model: commands, taps, contacts, and those that want no answer at all.

Each is answered in the one transaction that also marks it as handled.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping

import msgspec
import structlog

from bot.accounts.people import People
from bot.contracts import Transaction
from bot.errors import LeaseLost
from bot.events import End, Start
from bot.gateway.lanes import Claim, hold
from bot.gateway.parts import Parts
from bot.gateway.receiving.command_words import find_command
from bot.gateway.receiving.inbox import Inbox, Pending, decision_key
from bot.gateway.replies import contacts, taps
from bot.gateway.replies.commands import Commands, Response, stop_turn
from bot.gateway.sending.deliveries import Composed
from bot.gateway.turns.closing import close_at_once, is_pending
from bot.gateway.turns.failures import Failures
from bot.gateway.turns.journal import append
from bot.gateway.turns.live import Live
from bot.messages import (
    AnswerCheckout,
    Checkout,
    Decided,
    Edited,
    Migrated,
    Notice,
    OptedOut,
    Paid,
    Person,
    Reachable,
    Reacted,
    Said,
    Say,
    SharedContact,
    Tapped,
    Text,
    Update,
    UpdateContent,
    UserMessage,
    encode,
)
from bot.texts import best_language, say

log = structlog.get_logger()
Respond = Callable[[Transaction, Person, Update, int], Awaitable[Response]]


class Replies:
    def __init__(self, parts: Parts, people: People, failures: Failures, inbox: Inbox) -> None:
        self._parts = parts
        self._failures = failures
        self._people = people
        self._inbox = inbox
        self._commands = Commands(people)

    def find(self, update: Update) -> Respond | None:
        """How to answer this update at once; None if it is for the agent."""
        match update.content:
            case Said() as said if command := find_command(update.channel, said):
                return lambda tx, person, update, seq: self._commands.respond(
                    tx, person, update, seq, command
                )
            case Tapped() as tap:
                return lambda tx, person, update, _: taps.respond(tx, person, update, tap)
            case SharedContact() as contact:
                return lambda tx, person, update, _: contacts.respond(
                    tx, person, update, contact, self._people
                )
            case Checkout() as checkout:
                return lambda _tx, person, _update, _seq: _refuse_checkout(person, checkout)
            case Notice() as notice:
                return lambda _tx, _person, _update, _seq: _pass_on(notice)
            case _:
                return _UNANSWERED.get(type(update.content))

    async def answer(self, claim: Claim, pending: Pending, respond: Respond) -> Response:
        """Answer it, durably; one that cannot be answered is given up. Raises `LeaseLost`."""
        live = Live(self._parts.momentary, self._parts.adapter_of(pending.update), claim, pending)
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
        adapter = self._parts.adapter_of(pending.update)
        given: list[Response] = []

        async def work(tx: Transaction) -> Response:
            await hold(tx, claim)
            if given and not await is_pending(tx, pending.seq):
                return given[-1]  # by an earlier run of this work, whose commit was not seen
            update = pending.update
            person = await self._people.recognise(tx, update.channel, update.sender)
            response = await respond(tx, person, update, pending.seq)
            if response.note:
                note = encode(UserMessage((Text(response.note),)))
                await append(tx, claim.lane, pending.seq, 0, [("user", note)])
            if response.follow_up:
                await self._inbox.put(tx, _following(update, response.follow_up))
            composed = self._parts.posting.compose(response.outgoing, adapter, person.language)
            said = Composed([*composed.bodies, *response.bodies], composed.rest or None)
            await close_at_once(tx, claim, pending, person.account, said)
            given.append(response)
            return response

        return await self._parts.database.write(work)

    async def turn_away(self, claim: Claim, pending: Pending, words: str) -> None:
        """Say why the agent does not run, if anything; the update is handled.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        language = best_language(pending.update.sender.language)
        composed = self._parts.posting.compose(
            [Say(words)] if words else [], self._parts.adapter_of(pending.update), language
        )

        async def work(tx: Transaction) -> None:
            await hold(tx, claim)
            update = pending.update
            person = await self._people.recognise(tx, update.channel, update.sender)
            await close_at_once(tx, claim, pending, person.account, composed, refused=True)

        await self._parts.database.write(work)


def _following(update: Update, decided: Decided) -> Update:
    """The decision that a press stands for, as an update of its own."""
    key = decision_key(decided.approval_id)
    return msgspec.structs.replace(update, content=decided, delivery_key=key, message_key=key)


async def _pass_on(notice: Notice) -> Response:
    return Response(notice.outgoing)


async def _refuse_checkout(person: Person, checkout: Checkout) -> Response:
    words = say(person.language, "Credits cannot be bought here yet. Ask whoever runs this Griot.")
    return Response((AnswerCheckout(checkout.id, words),))


async def _stop_silently(tx: Transaction, _: Person, update: Update, __: int) -> Response:
    """Nothing more may be sent; what runs for this person ends."""
    await stop_turn(tx, update.lane)
    return Response(stop=True)


async def _silence(*_: object) -> Response:
    """It is noted, and wants no answer."""
    return Response()


_UNANSWERED: Mapping[type[UpdateContent], Respond] = {
    OptedOut: _stop_silently,
    Reachable: _silence,
    Reacted: _silence,
    Edited: _silence,
    Migrated: _silence,
    Paid: _silence,
}
