"""Read what a person wrote last, and let the first message that shows a language decide theirs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from bot.accounts import people
from bot.contracts.storage import Transaction
from bot.i18n import detect_greeting, detect_language
from bot.messages.incoming import Person, Said, Update, UpdateContent
from bot.messages.value import decode

_MOST_READ: Final = 10


async def read_last_words(tx: Transaction, lane: str) -> list[str]:
    """Return the last texts that were written in a conversation, newest first, with commands."""
    contents = await _read_last_contents(tx, lane)
    return [each.text for each in contents if isinstance(each, Said) and not each.forwarded]


async def adopt_first_language(tx: Transaction, person: Person, lane: str) -> Person:
    """Return a person whose account is new with the language of the first message here that shows
    one, and store it; others as they are.

    Only while all that was written here is read: later a sentence in another language is homework.
    """
    if not person.is_new or len(contents := await _read_last_contents(tx, lane)) >= _MOST_READ:
        return person
    said = [each for each in contents if isinstance(each, Said)]
    texts = [each.text for each in said if not each.forwarded and not each.command]
    language = find_language(texts[::-1])
    if not language or language == person.language:
        return person
    await people.set_language(tx, person, language)
    return msgspec.structs.replace(person, language=language)


def find_language(texts: Sequence[str]) -> str:
    """Return the language of the first of these texts that shows one, or, if none does, of the
    first that begins with a greeting, which says less than a sentence; empty: it is not clear."""
    shown = [*map(detect_language, texts), *map(detect_greeting, texts)]
    return next(filter(None, shown), "")


async def _read_last_contents(tx: Transaction, lane: str) -> list[UpdateContent]:
    rows = await tx.fetch(_LAST_UPDATES, lane=lane, most=_MOST_READ)
    return [decode(row["body"], Update).content for row in rows]


_LAST_UPDATES = """
SELECT body FROM inbox WHERE lane = :lane ORDER BY seq DESC LIMIT :most
"""
