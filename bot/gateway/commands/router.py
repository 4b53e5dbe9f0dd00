"""Route each update that needs no model to its handler, and store the answer."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace

import msgspec
import structlog

from bot.accounts.people import People
from bot.contracts.storage import Transaction
from bot.errors import LeaseLost
from bot.events import End, Start
from bot.gateway.commands import buttons
from bot.gateway.commands.general import GeneralCommands, stop_turn
from bot.gateway.commands.login import LoginCommands
from bot.gateway.commands.purchases import check_checkout
from bot.gateway.commands.reply import CommandHandler, CommandRequest, Reply, SlowCommandHandler
from bot.gateway.context import GatewayContext
from bot.gateway.deliveries import Composed
from bot.gateway.inbound.inbox import Inbox, Pending, decision_key
from bot.gateway.jobs import BackgroundJobs, home_lane_of
from bot.gateway.lanes import Claim, lock_lane
from bot.gateway.turns.close import close_without_turn, is_pending
from bot.gateway.turns.journal import append_rows
from bot.gateway.turns.preview import LivePreview
from bot.gateway.turns.retry import TurnFailures
from bot.gateway.turns.state import TurnState
from bot.i18n import best_language, say
from bot.messages.incoming import (
    Attempt,
    Checkout,
    Command,
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
    SharedContact,
    Tapped,
    TypedCode,
    Unsupported,
    Update,
    UpdateContent,
)
from bot.messages.outgoing import Button, Say
from bot.messages.transcript import Text, UserMessage
from bot.messages.value import encode
from bot.storage.buttons import offer_commands

log = structlog.get_logger()
_SLOW_SECONDS = 60.0
"""Seconds that a slow handler may take."""
_PRIVATE = frozenset({"balance", "email", "level", "memory", "progress", "tasks"})
"""Commands that are not answered in a group, as their answers are private."""


@dataclass(frozen=True, slots=True)
class _SlowReply:
    """A command that a slow handler answers."""

    handler: SlowCommandHandler
    argument: str


class CommandRouter:
    """Answers updates that need no model.

    Args:
        slow_handlers: by name, the handlers of commands that take too long for a transaction;
            `paid` answers `Paid`, `code` answers `TypedCode`.
    """

    def __init__(
        self,
        parts: GatewayContext,
        people: People,
        failures: TurnFailures,
        inbox: Inbox,
        logins: LoginCommands,
        commands: GeneralCommands,
        background: BackgroundJobs,
        slow_handlers: Mapping[str, SlowCommandHandler],
    ) -> None:
        self._parts = parts
        self._background = background
        self._logins = logins
        self._slow_handlers = slow_handlers
        self._failures = failures
        self._people = people
        self._inbox = inbox
        self._commands = commands

    def find(self, update: Update) -> CommandHandler | _SlowReply | None:
        """Return the handler that answers an update; None if it is for the agent."""
        content = update.content
        match content:
            case Said(command=Command() as command):
                return self._find_command(command, group=update.group)
            case Tapped() | Attempt():
                return self._find_answer(content)
            case SharedContact() | TypedCode():
                return self._find_proof(content)
            case Checkout():
                return lambda request: check_checkout(request.tx, request.person, content)
            case Notice():
                return lambda _: _send_reply(Reply(content.outgoing))
            case _:
                return self._find_fixed(update)

    def _find_answer(self, answer: Tapped | Attempt) -> CommandHandler:
        practice = self._commands.practice
        if isinstance(answer, Attempt):
            return lambda request: practice.answer_attempt(request, answer)
        return lambda request: buttons.answer_tap(request, answer, practice)

    def _find_proof(self, proof: SharedContact | TypedCode) -> CommandHandler | _SlowReply:
        if isinstance(proof, TypedCode) and proof.astray:
            return _send_code_home
        if isinstance(proof, TypedCode) and proof.mistyped:
            return _ask_for_six_digits
        handler = self._slow_handlers.get("code")
        if handler and isinstance(proof, TypedCode):
            return _SlowReply(handler, proof.sealed)
        return lambda request: self._logins.prove(request, proof)

    def _find_fixed(self, update: Update) -> CommandHandler | _SlowReply | None:
        """Return the handler of an update whose kind decides its answer, mostly none; None: it is
        the agent's."""
        handler = self._slow_handlers.get("paid") if isinstance(update.content, Paid) else None
        return _SlowReply(handler, "") if handler else _FIXED_REPLIES.get(type(update.content))

    def _find_command(self, command: Command, *, group: bool) -> CommandHandler | _SlowReply:
        if group and command.name in _PRIVATE:
            return _keep_private
        if handler := self._slow_handlers.get(command.name):
            return _SlowReply(handler, command.argument)
        return lambda request: self._commands.respond(
            replace(request, argument=command.argument), command.name
        )

    async def answer(
        self, claim: Claim, pending: Pending, way: CommandHandler | _SlowReply
    ) -> Reply:
        """Answer an update, durably; give it up if that fails. Raises `LeaseLost`."""
        adapter = self._parts.find_answering_adapter(pending.update)
        preview = LivePreview(self._parts.momentary, adapter, claim, pending)
        try:
            if isinstance(way, _SlowReply):
                response = await self._run(claim, pending, way)
            else:
                response = await self._answer(claim, pending, way)
        except LeaseLost:
            raise
        except Exception as error:
            log.exception("reply_failed", lane=claim.lane)
            state = TurnState(claim, pending, adapter, preview)
            await self._failures.give_up(state, f"{type(error).__name__}: {error}")
            return Reply()
        preview.emit(Start(claim.conversation, str(pending.seq)))
        language = best_language(pending.update.sender.language)
        for event in self._parts.posting.events(response.outgoing, language):
            preview.emit(event)
        preview.emit(End("answered"))
        return response

    async def _run(self, claim: Claim, pending: Pending, way: _SlowReply) -> Reply:
        update = pending.update

        async def recognise(tx: Transaction) -> Person:
            await lock_lane(tx, claim)
            return await self._people.recognise(tx, update.channel, update.sender)

        person = await self._parts.database.write(recognise)
        async with asyncio.timeout(_SLOW_SECONDS):
            found = await way.handler(person, update, way.argument)
        if not isinstance(found, Reply):
            return await self._answer(claim, pending, found)
        return await self._answer(claim, pending, lambda _: _send_reply(found), person)

    async def _answer(
        self, claim: Claim, pending: Pending, respond: CommandHandler, known: Person | None = None
    ) -> Reply:
        """Run a handler, and store its answer, in one transaction.

        Args:
            known: the sender, if they were recognised before: a person whom the handler erased must
                not be stored again.
        """
        able = self._parts.find_capabilities(pending.update)
        given: list[Reply] = []

        async def work(tx: Transaction) -> Reply:
            await lock_lane(tx, claim)
            if given and not await is_pending(tx, claim, pending.seq):
                return given[-1]  # stored by an earlier run of this work, whose commit was not seen
            update = pending.update
            is_ours = isinstance(update.content, Notice)  # the person has not written
            recognise = self._people.look_up if is_ours else self._people.recognise
            person = known or await recognise(tx, update.channel, update.sender)
            request = CommandRequest(
                tx,
                person,
                update,
                pending.seq,
                capabilities=able,
                least_credits=self._parts.settings.min_turn_credits,
            )
            response = await respond(request)
            if response.note:
                note = encode(UserMessage((Text(response.note),)))
                await append_rows(tx, claim.lane, pending.seq, 0, [("user", note)])
            if response.follow_up:
                await self._inbox.put(tx, _following(update, response.follow_up))
            composed = self._parts.posting.compose(response.outgoing, able, person.language)
            said = composed.followed_by(Composed(response.bodies))
            said = replace(said, rest=composed.rest or None)
            await close_without_turn(tx, claim, pending, person.account, said)
            given.append(response)
            return response

        return await self._parts.database.write(work)

    async def turn_away(
        self, claim: Claim, pending: Pending, words: str, *, to_buy: bool = False
    ) -> None:
        """Tell the person why the agent does not run, and mark the update as handled.

        An update that was erased meanwhile gets no answer.

        Args:
            words: empty: nothing is said.
            to_buy: add a button that sends `/buy`.

        Raises:
            LeaseLost: the lane is another process's by now.
        """
        able = self._parts.find_capabilities(pending.update)

        async def work(tx: Transaction) -> None:
            await lock_lane(tx, claim)
            if not await is_pending(tx, claim, pending.seq):
                return
            update = pending.update
            person = await self._people.recognise(tx, update.channel, update.sender)
            buttons: tuple[Button, ...] = ()
            if to_buy:
                label = say(person.language, "Buy credits")
                choices = [(label, "/buy")]
                buttons = await offer_commands(tx, home_lane_of(update), person.address, choices)
            said = [Say(words, buttons)] if words else []
            composed = self._parts.posting.compose(said, able, person.language)
            await close_without_turn(tx, claim, pending, person.account, composed, refused=True)
            await self._background.bring_home(tx, update, person.account, said)

        await self._parts.database.write(work)


def _following(update: Update, content: Decided | Said) -> Update:
    """Return the follow-up of an update as an update of its own."""
    if isinstance(content, Decided):
        key = decision_key(content.approval_id)
    elif isinstance(update.content, Tapped):  # a button counts once
        key = f"press:{update.content.token}"
    else:
        key = f"said:{update.message_key}"
    return msgspec.structs.replace(update, content=content, delivery_key=key, message_key=key)


async def _send_reply(response: Reply) -> Reply:
    return response


async def _keep_private(request: CommandRequest) -> Reply:
    return request.reply("This is between us: write to me in private.")


async def _ask_for_six_digits(request: CommandRequest) -> Reply:
    return request.reply(
        "A code has six digits. Look again and type it, or ask for another: /login"
    )


async def _send_code_home(request: CommandRequest) -> Reply:
    return request.reply(
        "This is a login code. Type it only where you asked for it, and give it to nobody."
    )


async def _stop_silently(request: CommandRequest) -> Reply:
    """Stop the person's turn without an answer, as nothing more may be sent to them."""
    await stop_turn(request.tx, request.update.lane)
    return Reply(stop=True)


async def _silence(_: CommandRequest) -> Reply:
    """Answer nothing: the update is only stored."""
    return Reply()


async def _ask_for_another_kind(request: CommandRequest) -> Reply:
    """Answer a message that cannot be read, but not one that came so late that the channel takes no
    answer to it any more: later nobody knows which message is meant."""
    window = request.capabilities.window if request.capabilities else 0.0
    if window and request.update.at and time.time() - request.update.at >= window:
        return Reply()
    return request.reply(
        "I could not read this message. Write to me, or send a photo, a voice note or a document."
    )


_FIXED_REPLIES: Mapping[type[UpdateContent], CommandHandler] = {
    OptedOut: _stop_silently,
    Reachable: _silence,
    Reacted: _silence,
    Edited: _silence,
    Migrated: _silence,
    Paid: _silence,
    Unsupported: _ask_for_another_kind,
}
