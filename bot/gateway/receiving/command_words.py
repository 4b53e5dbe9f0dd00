"""The words that are commands: `/word` everywhere, the bare word too where people type by thumb."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass

from bot.messages import Channel, Said

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
        "progress",
        "tasks",
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
    "suite": "more",
    "unstop": "start",
}
_IN_ORDER = frozenset({"new"})
_BARE: frozenset[Channel] = frozenset({"sms", "whatsapp"})
_ARGUMENTS: Mapping[str, re.Pattern[str]] = {
    "login": re.compile(r"\+?[\d .()-]{6,20}"),
    "mode": re.compile(r"child|pro|eleve|élève", re.IGNORECASE),
    "language": re.compile(r"fr|en", re.IGNORECASE),
    "grade": re.compile(
        r"\d{1,2} ?(e|è|eme|ème|st|nd|rd|th)?|c[pem]\d?|ce[12]|cm[12]"
        r"|(seconde|premi[eè]re|terminale|licence|master)( \w{1,2})?",
        re.IGNORECASE,
    ),
    "buy": re.compile(r"\d{1,6}"),
    "memory": re.compile(r"forget \d{1,4}", re.IGNORECASE),
    "delete": re.compile(r"confirm", re.IGNORECASE),
}
"""What may follow a bare word; anything else makes it a sentence (`help me with this`)."""


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
    text = unicodedata.normalize("NFC", said.text).strip()
    if text.startswith("/"):
        return None if text[1:2].isspace() else _read(text[1:])
    if channel not in _BARE:
        return None
    command = _read(text.rstrip(" .!?…"))  # phones end a sentence by themselves
    if command is None or not command.argument:
        return command
    pattern = _ARGUMENTS.get(command.name)
    return command if pattern and pattern.fullmatch(command.argument) else None


def _read(text: str) -> Command | None:
    word, *arguments = text.split() or [""]
    name = word.lower()
    name = _OTHER_WORDS.get(name, name)
    return Command(name, " ".join(arguments)) if name in NAMES else None
