"""What a visitor can send by one tap: a photo of an exercise and a voice note, in each language.

`make.py` beside it made both.
"""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path
from typing import Final, Literal

from bot.demo.curriculum import Language

Kind = Literal["photo", "voice"]
VOICE_SECONDS: Final = 3
"""Seconds that each voice note lasts, rounded."""
_FOLDER: Final = Path(__file__).parent
_LANGUAGES: Final[tuple[Language, ...]] = ("fr", "en")
_ENDINGS: Final[dict[Kind, str]] = {"photo": "jpg", "voice": "ogg"}
SPOKEN: Final[dict[Language, str]] = {
    "fr": "Explique-moi la photosynthèse, s’il te plaît.",
    "en": "Please explain photosynthesis to me.",
}
"""What is said in the voice notes."""


@cache
def load(kind: Kind, language: Language) -> bytes:
    """The sample's bytes: a JPEG, or Opus in Ogg."""
    return (_FOLDER / f"{kind}-{language}.{_ENDINGS[kind]}").read_bytes()


def find_language(kind: Kind, content: bytes) -> Language | None:
    """The language of the sample that has these bytes; None for anything else."""
    return _list_digests(kind).get(hashlib.sha256(content).digest())


@cache
def _list_digests(kind: Kind) -> dict[bytes, Language]:
    return {hashlib.sha256(load(kind, one)).digest(): one for one in _LANGUAGES}
