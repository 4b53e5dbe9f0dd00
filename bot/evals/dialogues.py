"""Read the dialogues with which a model is evaluated: TOML files, with forty in this folder.

[[dialogue]]
name = "cm2-fraction-answer-only"
persona = "wants only the answer"
grade = "CM2"
language = "fr"
opening = "Calcule 1/2 + 1/4. Juste la réponse stp."
pupil = [
    { when = "dénominateur", says = "4 ?" },
    { when = ".", says = "Donne la réponse." },
]
solution = "3/4"
turns = 4
must = ["dénominateur"]
must_not = ["je suis un humain"]
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from bot.errors import GriotError

BUILT_IN: Final = Path(__file__).parent
MAX_BYTES: Final = 1_000_000
"""Most bytes of one file."""
_FORM: Final = "docs/evaluating-models.md shows the form"
_HEADER: Final = re.compile(r"^(?=[ \t]*\[\[\s*dialogue\s*\]\])", re.MULTILINE)
_SIGNS: Final = str.maketrans({"’": "'", "\u00a0": " ", "\u202f": " ", "\u2009": " "})
_Text = Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]


class Rule(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A message that the pupil sends next if an answer of the tutor matches."""

    when: _Text
    says: _Text


class Dialogue(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A pupil with an aim, and the rules for a good tutor's answers."""

    name: _Text
    persona: str
    grade: str
    language: Literal["fr", "en"]
    opening: _Text
    pupil: tuple[Rule, ...]
    """Of the rules that match, the least used one applies; of several, the first."""
    turns: Annotated[int, msgspec.Meta(ge=1, le=20)]
    """Most answers of the tutor; after them the dialogue ends."""
    solution: str = ""
    """The solution that the pupil has to find; empty: there is none."""
    must: tuple[_Text, ...] = ()
    """Regular expressions, each of which must match some answer of the tutor."""
    must_not: tuple[_Text, ...] = ()
    """Regular expressions, none of which may match any answer."""

    @property
    def patterns(self) -> list[str]:
        return [*(rule.when for rule in self.pupil), *self.must, *self.must_not]


class _File(msgspec.Struct, forbid_unknown_fields=True):
    dialogue: Annotated[list[dict[str, Any]], msgspec.Meta(min_length=1)]


class UnreadableDialogues(GriotError):
    """Raised for an unusable file of dialogues; the message names file, line and remedy."""


def find_text(pattern: str, text: str) -> re.Match[str] | None:
    """Search `text` for a dialogue's regular expression, without regard to case, emphasis, and the
    kinds of apostrophes and spaces."""
    expression = re.compile(pattern.translate(_SIGNS), re.IGNORECASE)
    plain = text.translate(_SIGNS)
    return expression.search(plain) or expression.search(re.sub(r"\*\*|[$`]", "", plain))


def read_dialogues(paths: Sequence[Path]) -> list[Dialogue]:
    """Read the files in order; without files, the dialogues that come with Griot.

    Raises:
        UnreadableDialogues: a file is missing or invalid, or two dialogues have one name.
    """
    dialogues: list[Dialogue] = []
    files: dict[str, Path] = {}
    for path in paths or sorted(BUILT_IN.glob("*.toml")):
        for dialogue in _read_file(path):
            if other := files.get(dialogue.name):
                raise UnreadableDialogues(
                    f'{path}: "{dialogue.name}" is also the name of a dialogue in {other}; '
                    "give one of them another"
                )
            files[dialogue.name] = path
            dialogues.append(dialogue)
    return dialogues


def _read_file(path: Path) -> list[Dialogue]:
    text = ""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            raise UnreadableDialogues(f"{path}: larger than {MAX_BYTES} bytes; divide it")
        text = content.decode()
        entries = msgspec.convert(tomllib.loads(text), _File).dialogue
    except OSError as error:
        raise UnreadableDialogues(f"{path}: {error.strerror}; name a file of dialogues") from None
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise UnreadableDialogues(f"{path}, line {line}: not UTF-8; save it so") from None
    except tomllib.TOMLDecodeError as error:
        reason, _, place = str(error).partition(" (at ")
        found = re.match(r"line (\d+)", place)
        line = int(found[1]) if found else text.count("\n") + 1
        raise UnreadableDialogues(f"{path}, line {line}: no TOML: {reason}; {_FORM}") from None
    except RecursionError:
        reason = "lists or tables nested too deeply"
        raise UnreadableDialogues(f"{path}, line 1: {reason}; {_FORM}") from None
    except msgspec.ValidationError:
        reason = "write dialogues, each under [[dialogue]], and nothing else"
        raise UnreadableDialogues(f"{path}, line 1: {reason}; {_FORM}") from None
    parts = _HEADER.split(text)[1:]
    if len(parts) != len(entries):  # they are written in another form of TOML
        parts = [text] * len(entries)
    return [_read_entry(path, text, *pair) for pair in zip(parts, entries, strict=True)]


def _read_entry(path: Path, text: str, part: str, entry: dict[str, Any]) -> Dialogue:
    """Read one dialogue, which is at `part` of the file's text. Raises `UnreadableDialogues`."""

    def describe(words: str, reason: str) -> UnreadableDialogues:
        """Make an error that names the first line with these words, else the part's first line."""
        end = text.index(part) + max(part.find(words), 0)
        line = text.count("\n", 0, end) + 1
        return UnreadableDialogues(f"{path}, line {line}: {reason}; {_FORM}")

    try:
        dialogue = msgspec.convert(entry, Dialogue)
    except msgspec.ValidationError as error:
        reason, _, place = str(error).partition(" - at ")
        key = re.search(r"\.(\w+)", place) or re.search(r"`(\w+)`", reason)
        name = key[1] if key else ""
        raise describe(name, reason if name in reason else f"{reason} ({name})") from None
    for pattern in dialogue.patterns:
        try:
            re.compile(pattern)
        except re.error as error:
            written = pattern if pattern in part else pattern.replace("\\", "\\\\")
            reason = f'"{pattern}" is no regular expression: {error.msg}'
            raise describe(written, reason) from None
    return dialogue
