"""The words that are commands: `/word` everywhere, the bare word too where people type by thumb."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bot.accounts.numbers import is_written_number
from bot.gateway.receiving.arguments import (
    BUY,
    CONFIRM,
    EVERYWHERE,
    FORGET,
    LANGUAGES,
    MODES,
    REMOVE,
)
from bot.messages import Channel, Said
from bot.texts import fold

NAMES = frozenset(
    {
        "start",
        "help",
        "stop",
        "new",
        "more",
        "balance",
        "login",
        "logout",
        "buy",
        "mode",
        "grade",
        "language",
        "files",
        "job",
        "progress",
        "tasks",
        "email",
        "memory",
        "export",
        "delete",
    }
)
_OTHER_WORDS: Mapping[str, str] = {
    "aide": "help",
    "info": "help",
    "solde": "balance",
    "classe": "grade",
    "fichiers": "files",
    "progres": "progress",
    "taches": "tasks",
    "memoire": "memory",
    "courriel": "email",
    "connexion": "login",
    "deconnexion": "logout",
    "acheter": "buy",
    "langue": "language",
    "nouveau": "new",
    "arret": "stop",
    "suite": "more",
    "unstop": "start",
    "exporter": "export",
    "supprimer": "delete",
}
"""Without the accents that a good keyboard has."""
_IN_ORDER = frozenset({"new"})
_WITH_SLASH: Mapping[Channel, frozenset[str]] = {
    "sms": frozenset({"job"}),
    "whatsapp": frozenset({"job", "more"}),
}
"""Where the bare word is a command too, those of which it is not: `more` asks the tutor to go on,
but by SMS, where the rest of a long answer waits."""
_SNOOZE = r"(\d{1,3} ?(min|[mhdj])|tomorrow|demain)"


def _one_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(words))


_ARGUMENTS: Mapping[str, re.Pattern[str]] = {
    "email": re.compile(rf"\S+@\S+|{_one_of(REMOVE).pattern}"),
    "mode": _one_of(MODES),
    "logout": _one_of(EVERYWHERE),
    "language": _one_of(LANGUAGES),
    "grade": re.compile(
        r"\d{1,2} ?(e|eme|st|nd|rd|th)?|c[pem]\d?|ce[12]|cm[12]"
        r"|(seconde|premiere|terminale|licence|master)( \w{1,2})?",
    ),
    "buy": BUY,
    "memory": FORGET,
    "tasks": re.compile(rf"(done|faite?) \d{{1,9}}|(later|plus tard) \d{{1,9}}( {_SNOOZE})?"),
    "delete": _one_of(CONFIRM),
}
"""What may follow a bare word, folded; anything else makes it a sentence (`help me with this`)."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command as the person wrote it."""

    name: str
    argument: str = ""

    @property
    def express(self) -> bool:
        """Whether it is answered at once, beside a running turn."""
        return self.name not in _IN_ORDER


def find_command(channel: Channel, said: Said) -> Command | None:
    """The command that this message is; None if it is something to talk about."""
    if said.attachments or said.forwarded:
        return None
    text = said.text.strip()
    if text.startswith("/"):
        return None if text[1:2].isspace() else _read(text[1:])
    if channel not in _WITH_SLASH:
        return None
    command = _read(text.rstrip(" .!?…"))  # phones end a sentence by themselves
    if command is None or command.name in _WITH_SLASH[channel]:
        return None
    if not command.argument:
        return command
    return command if _fits(command) else None


def _fits(command: Command) -> bool:
    """Whether the argument is one that this command takes, so that the message is no sentence."""
    if command.name == "login":
        return is_written_number(command.argument)
    pattern = _ARGUMENTS.get(command.name)
    return pattern is not None and pattern.fullmatch(fold(command.argument)) is not None


def _read(text: str) -> Command | None:
    word, *arguments = text.split() or [""]
    name = fold(word)
    name = _OTHER_WORDS.get(name, name)
    return Command(name, " ".join(arguments)) if name in NAMES else None
