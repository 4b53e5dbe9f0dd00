"""Commands that people send: what each word means, and what it answers. None costs credits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from bot.accounts import ledger
from bot.accounts.approvals import drop_all
from bot.accounts.people import People
from bot.contracts import Transaction
from bot.gateway.receiving.command_words import Command
from bot.gateway.replies.listings import tell_memory, tell_progress, tell_tasks
from bot.gateway.sending.rest import next_page
from bot.messages import Body, Channel, Decided, Outgoing, Person, Say, Update
from bot.texts import languages, say, say_count


@dataclass(frozen=True, slots=True)
class Response:
    """What an update is answered with, and what else follows from it."""

    outgoing: tuple[Outgoing, ...] = ()
    note: str = ""
    """What the model is to know of it, as a message of the user."""
    stop: bool = False
    """Cancel the turn that runs in this lane."""
    bodies: tuple[Body, ...] = ()
    """Deliveries that are rendered already; they follow what is outgoing."""
    follow_up: Decided | None = None
    """What the agent is to go on with, as if the person had sent it after this."""


_WHERE_WORDS_COST: frozenset[Channel] = frozenset({"sms"})
_MODES = {"child": "child", "pro": "pro", "eleve": "child", "élève": "child"}


class Commands:
    """Answers commands within the transaction that also marks them as done."""

    def __init__(self, people: People) -> None:
        self._people = people

    async def respond(
        self, tx: Transaction, person: Person, update: Update, seq: int, command: Command
    ) -> Response:
        request = _Request(tx, person, update, seq, command.argument, self._people)
        return await _COMMANDS[command.name](request)


@dataclass(frozen=True, slots=True)
class _Request:
    tx: Transaction
    person: Person
    update: Update
    seq: int
    argument: str
    people: People = field(repr=False)

    def reply(self, sentence: str, **values: object) -> Response:
        return Response((Say(say(self.person.language, sentence, **values)),))


async def _start(request: _Request) -> Response:
    return request.reply(
        "Hello, I am Griot. Ask me anything: a lesson, an exercise, a question. "
        "/help shows what else I can do."
    )


async def _help(request: _Request) -> Response:
    if request.person.channel in _WHERE_WORDS_COST:
        return request.reply(
            "Griot, your tutor and assistant: write me your question. "
            "NEW: new conversation. BALANCE: credits. "
            "MORE: the rest of an answer. STOP: no more messages."
        )
    return request.reply(
        "Write to me as to a friend. Commands:\n\n"
        "- /new: begin a new conversation\n"
        "- /stop: stop what I am doing\n"
        "- /balance: your credits\n"
        "- /progress, /tasks, /memory: what you have learnt, have to do, what I remember\n"
        "- /login: log in\n"
        "- /mode child or /mode pro: how I work with you\n"
        "- /language fr or /language en\n"
        "- /help: this list"
    )


async def stop_turn(tx: Transaction, lane: str) -> None:
    """Have a turn that nobody works on just now (between two attempts) cancelled when it is taken
    up, and that at once. Where none has begun, what still waits for the rest of its burst is
    dropped."""
    await tx.execute(_DROP_BURST, lane=lane)
    await tx.execute(_STOP_TURN, lane=lane)
    await tx.execute(_HURRY, lane=lane)


async def _stop(request: _Request) -> Response:
    await stop_turn(request.tx, request.update.lane)
    await drop_all(request.tx, request.update.lane)
    response = request.reply("Stopped.")
    return Response(response.outgoing, stop=True)


async def _new(request: _Request) -> Response:
    await drop_all(request.tx, request.update.lane)
    await request.tx.execute(
        "UPDATE lane SET history_from = :seq WHERE id = :lane",
        seq=request.seq,
        lane=request.update.lane,
    )
    return request.reply("A new conversation begins. What is it about?")


async def _more(request: _Request) -> Response:
    bodies = await next_page(request.tx, request.update.lane, request.person.language)
    return Response(bodies=bodies) if bodies else request.reply("That was all.")


async def _balance(request: _Request) -> Response:
    account = request.person.account
    if account is None:
        return request.reply("You are a guest. Log in with /login to have credits.")
    balance = await ledger.balance_of_snapshot(request.tx, account)
    language = request.person.language
    return Response(
        (
            Say(
                say_count(
                    language, "You have {number} credit.", "You have {number} credits.", balance
                )
            ),
        )
    )


async def _login(request: _Request) -> Response:
    if not request.person.is_guest:
        return request.reply("You are logged in already.")
    if request.person.channel == "telegram":
        return request.reply("Share your own contact with me (📎, then Contact): that logs you in.")
    return request.reply("Whoever runs this Griot can give you a way to log in here.")


async def _buy(request: _Request) -> Response:
    return request.reply("Credits cannot be bought here yet. Ask whoever runs this Griot.")


async def _later(request: _Request) -> Response:
    return request.reply("This is not there yet.")


_Tell = Callable[[Transaction, int, Person, str], Awaitable[str]]


def _listing(tell: _Tell) -> Callable[[_Request], Awaitable[Response]]:
    """A command about what belongs to the person's account."""

    async def respond(request: _Request) -> Response:
        account = request.person.account
        if account is None:
            return request.reply("Log in with /login first: I keep nothing of guests.")
        words = await tell(request.tx, account, request.person, request.argument)
        return Response((Say(words),))

    return respond


async def _mode(request: _Request) -> Response:
    if request.person.is_guest:
        return request.reply("Log in with /login first: guests have no mode.")
    match _MODES.get(request.argument.lower()):
        case "child":
            await request.people.set_mode(request.tx, request.person, "child")
            return request.reply("I am your tutor now.")
        case "pro":
            await request.people.set_mode(request.tx, request.person, "pro")
            return request.reply("I am your assistant at work now.")
        case _:
            return request.reply("Send /mode child or /mode pro.")


async def _language(request: _Request) -> Response:
    language = request.argument.lower()
    if language not in languages():
        return request.reply("Send /language fr or /language en.")
    await request.people.set_language(request.tx, request.person, language)
    return Response((Say(say(language, "I speak English now.")),))


_COMMANDS: Mapping[str, Callable[[_Request], Awaitable[Response]]] = {
    "start": _start,
    "help": _help,
    "stop": _stop,
    "new": _new,
    "more": _more,
    "balance": _balance,
    "login": _login,
    "buy": _buy,
    "logout": _later,
    "grade": _later,
    "files": _later,
    "progress": _listing(tell_progress),
    "tasks": _listing(tell_tasks),
    "memory": _listing(tell_memory),
    "export": _later,
    "delete": _later,
    "mode": _mode,
    "language": _language,
}

_DROP_BURST = """
UPDATE inbox SET state = 'done' WHERE lane = :lane AND state = 'pending' AND joins = 1
    AND ready_at > {now}
    AND NOT EXISTS (SELECT 1 FROM turn WHERE lane = :lane AND state = 'running')
"""

_STOP_TURN = """
UPDATE turn SET reason = 'stopping' WHERE lane = :lane AND state = 'running'
"""

_HURRY = """
UPDATE inbox SET ready_at = {now} WHERE lane = :lane AND state = 'pending'
    AND seq IN (SELECT id FROM turn WHERE lane = :lane AND state = 'running')
"""
