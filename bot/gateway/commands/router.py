"""Route each update that needs no model to its handler, and store the answer."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace

import msgspec
import structlog

from bot.accounts.people import People
from bot.contracts.storage import Transaction
from bot.errors import LeaseLost, PersonError
from bot.events import End, Start
from bot.gateway.commands import buttons, preferences
from bot.gateway.commands.account_data import list_memory
from bot.gateway.commands.conversation import (
    ConversationCommands,
    begin_anew,
    stop_turn,
)
from bot.gateway.commands.credits import PaymentSupport, check_checkout, tell_balance
from bot.gateway.commands.login import EmailCommand, LoginCommands
from bot.gateway.commands.practice import LevelCommands, PracticeCommands
from bot.gateway.commands.reply import (
    CommandHandler,
    CommandRequest,
    Reply,
    SlowCommandHandler,
    ask_to_log_in,
)
from bot.gateway.commands.tasks import answer_tasks
from bot.gateway.context import GatewayContext
from bot.gateway.deliveries import Composed
from bot.gateway.inbound.inbox import Inbox, Pending, decision_key
from bot.gateway.inbox_rows import is_in_hand
from bot.gateway.lanes import Claim, lock_lane
from bot.gateway.turns.admission import TurnAdmission
from bot.gateway.turns.close import close_without_turn, is_pending
from bot.gateway.turns.journal import append_rows
from bot.gateway.turns.preview import LivePreview
from bot.gateway.turns.retry import TurnFailures
from bot.gateway.turns.state import TurnState
from bot.i18n import best_language
from bot.messages.channels import CHANNELS
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
from bot.messages.outgoing import Say
from bot.messages.transcript import Text, UserMessage
from bot.messages.value import encode

log = structlog.get_logger()
_SLOW_SECONDS = 60.0
"""Seconds that a slow handler may take."""
_DOUBLE_TAP_SECONDS = 10.0
"""Seconds within which a button that is pressed again was pressed by mistake."""
_PRIVATE = frozenset(
    {"balance", "delete", "email", "export", "level", "memory", "paysupport", "progress", "tasks"}
)
"""Commands that are not answered in a group, as their answers are private."""


def map_commands(
    logins: LoginCommands,
    mailboxes: EmailCommand,
    conversation: ConversationCommands,
    practice: PracticeCommands,
    levels: LevelCommands,
    payments: PaymentSupport,
) -> Mapping[str, CommandHandler]:
    """Return, by name, the handlers of commands that answer within the transaction that marks them
    as done."""
    return {
        **_SIMPLE_COMMANDS,
        "stop": conversation.stop,
        "more": conversation.show_more,
        "job": conversation.begin_job,
        "login": logins.begin,
        "logout": logins.end,
        "email": mailboxes.begin,
        "practice": practice.practice,
        "review": practice.review,
        "hint": practice.hint,
        "solution": practice.solution,
        "skip": practice.skip,  # a word, not a command: see `read_exercise_command`
        "paysupport": payments.answer,
        "level": levels.level,
        "grade": levels.choose_grade,
    }


_ANSWERED_IN_WORDS = (Said, Tapped, Attempt, SharedContact, TypedCode, Unsupported)
"""Contents of updates that we answer in words, each time they come."""


@dataclass(frozen=True, slots=True)
class _SlowReply:
    """A command that a slow handler answers."""

    handler: SlowCommandHandler
    argument: str


class CommandRouter:
    """Answers updates that need no model.

    Args:
        commands: as `map_commands` returns them.
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
        practice: PracticeCommands,
        commands: Mapping[str, CommandHandler],
        slow_handlers: Mapping[str, SlowCommandHandler],
    ) -> None:
        self._parts = parts
        self._logins = logins
        self._slow_handlers = slow_handlers
        self._failures = failures
        self._admission = TurnAdmission(people, parts.settings, parts.sells)
        self._people = people
        self._inbox = inbox
        self._practice = practice
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
        practice = self._practice
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
        return lambda request: self._commands[command.name](
            replace(request, argument=command.argument)
        )

    async def answer(
        self, claim: Claim, pending: Pending, way: CommandHandler | _SlowReply
    ) -> Reply:
        """Answer an update, durably; give it up if that fails. Raises `LeaseLost`."""
        adapter = self._parts.find_answering_adapter(pending.update)
        preview = LivePreview(self._parts.momentary, adapter, claim, pending)
        try:
            if refusal := await self._find_refusal(pending.update):
                if isinstance(way, _SlowReply) or not _is_stop(pending.update):
                    await self._failures.turn_away(claim, pending, refusal)
                    return Reply()
                way = _obey_silently(way)
            if isinstance(way, _SlowReply):
                response = await self._run(claim, pending, way)
            else:
                response = await self._answer(claim, pending, way)
        except LeaseLost:
            raise
        except Exception as error:
            log.exception("reply_failed", lane=claim.lane)
            state = TurnState(claim, pending, adapter, preview)
            await self._failures.give_up(state, error)
            return Reply()
        preview.emit(Start(claim.conversation, str(pending.seq)))
        language = best_language(pending.update.sender.language)
        for event in self._parts.composer.events(response.outgoing, language):
            preview.emit(event)
        preview.emit(End("answered"))
        return response

    async def _find_refusal(self, update: Update) -> PersonError | None:
        """Return why an update is not answered, on a channel where the operator pays for messages:
        the person writes too fast, or has cost enough for a day."""
        is_answered = isinstance(update.content, _ANSWERED_IN_WORDS)
        if not CHANNELS[update.channel].paid_by or not is_answered:
            return None
        try:
            await self._parts.database.read(lambda tx: self._admission.check_reply(tx, update))
        except PersonError as refusal:
            return refusal
        return None

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
            recognise = self._people.find_sender if is_ours else self._people.recognise
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
                await self._put_following(tx, update, response.follow_up)
            composed = self._parts.composer.compose(response.outgoing, able, person.language)
            said = composed.followed_by(Composed(response.bodies))
            said = replace(said, rest=composed.rest or None)
            await close_without_turn(tx, claim, pending, person.account, said)
            given.append(response)
            return response

        return await self._parts.database.write(work)

    async def _put_following(
        self, tx: Transaction, update: Update, content: Decided | Said
    ) -> None:
        """Store what follows from an update. A button counts once, but one that asks for another
        exercise or question does so again when it is pressed later."""
        following = _following(update, content)
        if await self._inbox.put(tx, following) is not None or not _asks_for_another(content):
            return
        key = following.message_key
        if not await is_in_hand(tx, update.lane, key, lately=_DOUBLE_TAP_SECONDS):
            key = f"{key}:{update.message_key}"
            again = msgspec.structs.replace(following, delivery_key=key, message_key=key)
            await self._inbox.put(tx, again)


def _asks_for_another(content: Decided | Said) -> bool:
    """Return whether this is a question in words or for exercises, which does no harm twice."""
    return isinstance(content, Said) and (
        not content.text.startswith("/") or content.text.split()[0] == "/practice"
    )


def _following(update: Update, content: Decided | Said) -> Update:
    """Return the follow-up of an update as an update of its own."""
    if isinstance(content, Decided):
        key = decision_key(content.approval_id)
    elif isinstance(update.content, Tapped):  # a button counts once
        key = f"press:{update.content.token}"
    else:
        key = f"said:{update.message_key}"
    return msgspec.structs.replace(update, content=content, delivery_key=key, message_key=key)


def _is_stop(update: Update) -> bool:
    content = update.content
    return (
        isinstance(content, Said) and content.command is not None and content.command.name == "stop"
    )


def _obey_silently(handler: CommandHandler) -> CommandHandler:
    """Return a handler that does the same and says nothing."""

    async def respond(request: CommandRequest) -> Reply:
        return replace(await handler(request), outgoing=(), bodies=())

    return respond


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
    await stop_turn(request.tx, request.update.lane, before=request.seq)
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


# Commands without a module of their own --------------------------------------------------------


async def _help(request: CommandRequest) -> Reply:
    if request.is_one_way:
        words = request.phrase(
            "Griot, your tutor and assistant. I write to you by SMS; you answer by the links in it."
        )
        return Reply((Say(words, link="stop"),))
    if CHANNELS[request.person.channel].message_costs:
        return request.reply(
            "Griot, your tutor and assistant: write me your question. "
            "NEW: new conversation. BALANCE: credits. "
            "MORE: the rest of an answer. STOP: no more messages."
        )
    words = request.phrase(
        "Write to me as to a friend. Commands:\n\n"
        "- /new: begin a new conversation\n"
        "- /stop: stop what I am doing\n"
        "- /job: something that takes long, in the background\n"
        "- /balance, /buy: your credits, and more of them\n"
        "- /practice: exercises one after another, with hints\n"
        "- /review: what you may forget soon; /review 18h mon wed fri reminds you\n"
        "- /level: find out where you are at school\n"
        "- /progress, /tasks, /memory: what you have learnt, have to do, what I remember\n"
        "- /files: your files\n"
        "- /login, /logout: your number, and your account with it\n"
        "- /email: an address for your e-mails\n"
        "- /mode child or /mode pro, /grade CM2, /language fr or /language en: "
        "how I speak with you\n"
        "- /export, /delete: all I have of you, to keep or to erase\n"
        "- /help: this list"
    )
    if CHANNELS[request.update.channel].shared_thread:
        return Reply((Say(words),))
    return Reply((Say(re.sub(r"^- /job.*\n", "", words, flags=re.MULTILINE)),))


_Tell = Callable[[CommandRequest, int], Awaitable[str]]


def _listing(tell: _Tell) -> CommandHandler:
    """Return a handler that answers with a text about the person's account; guests have none."""

    async def respond(request: CommandRequest) -> Reply:
        account = request.person.account
        if account is None:
            return ask_to_log_in(request.person.language)
        return Reply((Say(await tell(request, account)),))

    return respond


_SIMPLE_COMMANDS: Mapping[str, CommandHandler] = {
    "start": preferences.start,
    "mode": preferences.choose_mode,
    "language": preferences.choose_language,
    "help": _help,
    "new": begin_anew,
    "balance": tell_balance,
    "tasks": _listing(answer_tasks),
    "memory": _listing(list_memory),
}
