"""Commands that people send: what each word means, and what it answers. None costs credits."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field

from bot.accounts import ledger
from bot.accounts.people import People
from bot.contracts import Transaction
from bot.messages import Outgoing, Person, Say, Update
from bot.texts import languages, say, say_count


@dataclass(frozen=True, slots=True)
class Command:
    """A command as the person wrote it."""

    name: str
    argument: str = ""

    @property
    def express(self) -> bool:
        """Whether it is answered at once, beside a running turn."""
        return self.name not in _IN_ORDER


@dataclass(frozen=True, slots=True)
class Response:
    """What an update is answered with, and what else follows from it."""

    outgoing: tuple[Outgoing, ...] = ()
    note: str = ""
    """What the model is to know of it, as a message of the user."""
    stop: bool = False
    """Cancel the turn that runs in this lane."""


_IN_ORDER = frozenset({"new"})
_FRENCH = {
    "aide": "help",
    "solde": "balance",
    "classe": "grade",
    "fichiers": "files",
    "progres": "progress",
    "progrès": "progress",
    "taches": "tasks",
    "tâches": "tasks",
    "memoire": "memory",
    "mémoire": "memory",
    "connexion": "login",
    "acheter": "buy",
    "langue": "language",
    "nouveau": "new",
    "arret": "stop",
    "arrêt": "stop",
}
_MODES = {"child": "child", "pro": "pro", "eleve": "child", "élève": "child"}


def read_command(text: str) -> Command | None:
    """The command in a message that begins with a slash; None if it is none of ours."""
    if not text.startswith("/"):
        return None
    word, _, argument = text[1:].strip().partition(" ")
    name = word.lower()
    name = _FRENCH.get(name, name)
    return Command(name, argument.strip()) if name in _COMMANDS else None


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
    return request.reply(
        "Write to me as to a friend. Commands:\n\n"
        "- /new: begin a new conversation\n"
        "- /stop: stop what I am doing\n"
        "- /balance: your credits\n"
        "- /mode child or /mode pro: how I work with you\n"
        "- /language fr or /language en\n"
        "- /help: this list"
    )


async def _stop(request: _Request) -> Response:
    # A turn that nobody works on just now (between two attempts) is cancelled when it is taken up.
    await request.tx.execute(_STOP_TURN, lane=request.update.lane)
    await request.tx.execute(_HURRY, lane=request.update.lane)
    response = request.reply("Stopped.")
    return Response(response.outgoing, stop=True)


async def _new(request: _Request) -> Response:
    await request.tx.execute(
        "UPDATE lane SET history_from = :seq WHERE id = :lane",
        seq=request.seq,
        lane=request.update.lane,
    )
    return request.reply("A new conversation begins. What is it about?")


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
    "balance": _balance,
    "login": _login,
    "buy": _buy,
    "logout": _later,
    "grade": _later,
    "files": _later,
    "progress": _later,
    "tasks": _later,
    "memory": _later,
    "export": _later,
    "delete": _later,
    "mode": _mode,
    "language": _language,
}

_STOP_TURN = """
UPDATE turn SET reason = 'stopping' WHERE lane = :lane AND state = 'running'
"""

_HURRY = """
UPDATE inbox SET ready_at = {now} WHERE lane = :lane AND state = 'pending'
"""
