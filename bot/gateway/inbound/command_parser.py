"""Parse commands and their arguments.

`/word` is a command everywhere; the bare word is one too where people type with their thumbs.
Arguments are compared folded (lower case, no accents), in both languages.
"""

from __future__ import annotations

import re
import string
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from bot.accounts.phone_numbers import is_written_number
from bot.i18n import fold
from bot.learning.reviews.review_reminders import has_minutes, is_schedule
from bot.learning.skills.skill_map import installed_skills
from bot.learning.skills.skill_matching import find_field, find_skills_about
from bot.messages.channels import CHANNELS, Channel
from bot.messages.incoming import Command, Said, Update
from bot.messages.value import Mode
from bot.practice.grades import find_grade

CONFIRM_WORDS: Final = frozenset({"confirm", "confirmer"})
"""Arguments of `/delete`."""
REMOVE_WORDS: Final = frozenset({"remove", "supprimer", "forget", "oublier"})
"""Arguments of `/email`."""
EVERYWHERE_WORDS: Final = frozenset({"all", "tout", "tous", "partout"})
"""Arguments of `/logout`."""
FORGET_PATTERN: Final = re.compile(r"(?:forget|oublier|oublie) (?P<number>[0-9]{1,9})")
"""The argument of `/memory`."""
BUY_PATTERN: Final = re.compile(
    r"(?P<price>[0-9]{1,3}(?: [0-9]{3})+|[0-9]{1,6})(?: ?(?:f|fr|francs?|f ?cfa|xof|xaf))?"
    r"(?: (?P<way>[a-z_]{2,20}))?"
)
"""The argument of `/buy`: what a pack costs, as people write it, and how it is to be paid."""
DONE_PATTERN: Final = re.compile(r"(?:done|fait|faite) (?P<number>[0-9]{1,9})")
LATER_PATTERN: Final = re.compile(r"(?:later|plus tard) (?P<number>[0-9]{1,9})(?: (?P<until>.+))?")
"""The arguments of `/tasks`."""
LANGUAGE_WORDS: Final[Mapping[str, str]] = {
    "fr": "fr",
    "francais": "fr",
    "french": "fr",
    "en": "en",
    "anglais": "en",
    "english": "en",
}
MODE_WORDS: Final[Mapping[str, Mode]] = {
    "child": "child",
    "eleve": "child",
    "pupil": "child",
    "student": "child",
    "etudiant": "child",
    "etudiante": "child",
    "pro": "pro",
    "professional": "pro",
    "professionnel": "pro",
}
_OPTIONS: Final[Mapping[str, Sequence[str]]] = {"language": ("fr", "en"), "mode": ("child", "pro")}
"""The arguments that buttons of a command choose, in their order."""
_I_AM: Final = re.compile(r"^(?:je suis|i am|i'm|en|in) (?:une? |an? )?")
COMMANDS = frozenset(
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
        "paysupport",
        "mode",
        "grade",
        "language",
        "files",
        "job",
        "progress",
        "tasks",
        "practice",
        "review",
        "level",
        "hint",
        "solution",
        "email",
        "memory",
        "export",
        "delete",
    }
)
_SYNONYMS: Mapping[str, str] = {
    "aide": "help",
    "info": "help",
    "solde": "balance",
    "credit": "balance",
    "credits": "balance",
    "classe": "grade",
    "fichiers": "files",
    "progres": "progress",
    "taches": "tasks",
    "exercice": "practice",
    "exercices": "practice",
    "exercise": "practice",
    "exercises": "practice",
    "exo": "practice",
    "exos": "practice",
    "entrainement": "practice",
    "pratique": "practice",
    "reviser": "review",
    "revision": "review",
    "revisions": "review",
    "indice": "hint",
    "niveau": "level",
    "memoire": "memory",
    "courriel": "email",
    "connexion": "login",
    "deconnexion": "logout",
    "acheter": "buy",
    "paiement": "paysupport",
    "paiements": "paysupport",
    "payment": "paysupport",
    "payments": "paysupport",
    "langue": "language",
    "nouveau": "new",
    "arret": "stop",
    "desabonnement": "stop",
    "desabonner": "stop",
    "desinscription": "stop",
    "desinscrire": "stop",
    "unsubscribe": "stop",
    "suite": "more",
    "unstop": "start",
    "exporter": "export",
    "supprimer": "delete",
}
"""Other words for commands, folded: without accents."""
_WORDS_OF_SKILL: Final = 4
"""Words after a bare `practice` at most; with more it is a sentence."""
_SNOOZE = r"(\d{1,3} ?(min|[mhdj])|tomorrow|demain)"


def _one_of(words: Iterable[str]) -> re.Pattern[str]:
    return re.compile("|".join(words))


_ARGUMENTS: Mapping[str, re.Pattern[str]] = {
    "email": re.compile(rf"\S+@\S+|{_one_of(REMOVE_WORDS).pattern}"),
    "mode": _one_of(MODE_WORDS),
    "logout": _one_of(EVERYWHERE_WORDS),
    "language": _one_of(LANGUAGE_WORDS),
    "grade": re.compile(r"\d{1,2} ?(e|eme|st|nd|rd|th)?|(licence|master)( \w{1,2})?"),
    "buy": BUY_PATTERN,
    "memory": FORGET_PATTERN,
    "tasks": re.compile(rf"(done|faite?) \d{{1,9}}|(later|plus tard) \d{{1,9}}( {_SNOOZE})?"),
    "delete": _one_of(CONFIRM_WORDS),
}
"""Arguments that may follow a bare word, folded; with any other text it is a sentence (`help me
with this`)."""


def note_command(update: Update) -> Update:
    """Return the update with its command noted, if it is one, so that it is parsed only once."""
    said = update.content
    if not isinstance(said, Said) or said.command:
        return update
    command = parse_command(update.channel, said)
    return set_command(update, said, command) if command else update


def set_command(update: Update, said: Said, command: Command | None) -> Update:
    """Return the update of a message with this command, or none, noted in it."""
    return replace(update, content=replace(said, command=command))


def parse_command(channel: Channel, said: Said) -> Command | None:
    """Return the command that this message is; None if it is for the agent."""
    if said.attachments or said.forwarded:
        return None
    text = said.text.strip()
    if text.startswith("/"):
        return None if text[1:2].isspace() else _parse_words(text[1:])
    facts = CHANNELS[channel]
    if not facts.bare_commands:
        return None
    command = _parse_words(text.rstrip(" .!?…"))  # phones add the point after a sentence
    if command is None or command.name in facts.slash_commands:
        return None
    if not command.argument:
        return command
    return command if _takes_argument(command) else None


def read_choice(name: str, text: str) -> str:
    """Return the argument that a text in a person's own words gives to `/grade`, `/mode` or
    `/language`: `je suis en CM2`, `élève`, `en anglais`; empty if it gives none."""
    said = fold(text).strip(" .!")
    words = _I_AM.sub("", said)
    match name:
        case "grade":
            return text.strip() if find_grade(text) else ""
        case "mode":
            return MODE_WORDS.get(words, "")
        case "language":  # `anglais` alone may be the subject that somebody wants to learn
            is_clear = words != said or words in LANGUAGE_WORDS.values()
            return LANGUAGE_WORDS.get(words, "") if is_clear else ""
        case _:
            return ""


def read_early_choice(name: str, text: str) -> str:
    """Return the argument of this command that a text is, sent before the options were shown: the
    place of one, `2)` or `B`, or what names one; empty if it is none."""
    plain = fold(" ".join(text.split())).strip("()[].:")
    if len(plain) == 1 and plain in string.ascii_lowercase:
        plain = str(string.ascii_lowercase.index(plain) + 1)
    if name == "buy":
        return plain if BUY_PATTERN.fullmatch(plain) else ""
    options = _OPTIONS.get(name, ())
    if plain.isdecimal() and options:
        return options[int(plain) - 1] if 1 <= int(plain) <= len(options) else ""
    return read_choice(name, text)


def find_command(word: str) -> str:
    """Return the English name of the command that a word is, without its slash; else empty."""
    command = _parse_words(word)
    return command.name if command else ""


def _takes_argument(command: Command) -> bool:
    """Return whether the command takes this argument; if not, the message is a sentence."""
    if command.name == "login":
        return is_written_number(command.argument)
    if command.name == "grade" and find_grade(command.argument):
        return True
    if command.name == "review":
        return is_schedule(command.argument) or has_minutes(command.argument)
    if command.name == "practice":
        skills, words = installed_skills(), command.argument
        is_known = find_field(skills, words) or find_skills_about(skills, words)
        return len(words.split()) <= _WORDS_OF_SKILL and bool(is_known)
    pattern = _ARGUMENTS.get(command.name)
    return pattern is not None and pattern.fullmatch(fold(command.argument)) is not None


def _parse_words(text: str) -> Command | None:
    word, *arguments = text.split() or [""]
    name = fold(word)
    name = _SYNONYMS.get(name, name)
    return Command(name, " ".join(arguments)) if name in COMMANDS else None
