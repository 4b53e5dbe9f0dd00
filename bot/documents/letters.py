"""Tell the parts of a letter apart: addresses, place and date, subject, body, signature."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.documents.markdown_blocks import LINE_BREAKS, Block

_SALUTATION = re.compile(
    r"(?:madame|monsieur|mesdames|messieurs|mademoiselle|chère?s?|dear|to whom|bonjour|hello)\b",
    re.IGNORECASE,
)
_SUBJECT = re.compile(r"(?:objet|subject|re)\s*:\s*", re.IGNORECASE)
_PLACE_AND_DATE = re.compile(
    r"(?:[^\W\d][\w’' -]{1,40},?\s*)?(?:le\s+)?\d{1,2}(?:er)?\s+[^\W\d]{3,9}\s+\d{4}\.?"
    r"|[^\W\d][\w’' -]{1,40},\s*[^\W\d]{3,9}\s+\d{1,2},\s+\d{4}"
    r"|(?:[^\W\d][\w’' -]{1,40},?\s*)?(?:le\s+)?\d{1,2}/\d{1,2}/\d{4}",
    re.IGNORECASE,
)
_AFTER = re.compile(
    r"(?:p\W{0,3}[js]|n\W?b|c\W?c|encl\w*|copies?)\W{0,3}:|copies? (?:à|pour)\b"
    r"|pièces? jointes?\b|annexes?\b|ampliations?\b|post-?scriptum\b",
    re.IGNORECASE,
)
"""The beginning of what follows the signature: enclosures, copies, a postscript."""
_LONGEST_ADDRESS: Final = 300
_LONGEST_NAME: Final = 160
_MOST_AFTER: Final = 4
"""Most blocks after the signature."""
_LONGEST_GREETING: Final = 100


@dataclass(slots=True)
class LetterParts:
    """The parts of a letter; missing ones are empty."""

    sender: list[Block] = field(default_factory=list[Block])
    recipient: list[Block] = field(default_factory=list[Block])
    place_and_date: str = ""
    subject: str = ""
    body: list[Block] = field(default_factory=list[Block])
    signature: list[Block] = field(default_factory=list[Block])
    after: list[Block] = field(default_factory=list[Block])
    """What follows the signature: enclosures, copies, a postscript."""

    def find_aside(self, blocks: Sequence[Block]) -> list[Block]:
        """Return the blocks on the right half of the page; none if this is no whole letter."""
        days = [each for each in blocks if each.words.rstrip(".") == self.place_and_date]
        if not (days and self.recipient and self.signature):
            return []
        return [*self.recipient, *days, *self.signature]


def split_letter(blocks: Sequence[Block]) -> LetterParts:
    """Return the parts of a letter.

    Before the salutation come the sender's address (a paragraph, or all up to a rule), the
    recipient's, place and date, and subject; a short paragraph at the end is the signature, which
    enclosures may follow. Without a salutation these first parts belong to the body.
    """
    letter = LetterParts(body=list(blocks))
    # The salutation is one line, usually with a comma; an address may begin with the same word.
    found = [
        index
        for index, block in enumerate(blocks)
        if _SALUTATION.match(block.words)
        and len(block.words) <= _LONGEST_GREETING
        and all(token.type not in LINE_BREAKS for token in block.line)
    ]
    marked = [index for index in found if blocks[index].words.endswith((",", "!", ":"))]
    greeting = next(iter(marked or found), None)
    if greeting is not None and all(map(_is_short, blocks[:greeting])):
        _read_head(blocks[:greeting], letter)
        letter.body = list(blocks[greeting:])
    letter.body = [block for block in letter.body if block.kind != "hr"]
    last_ones = range(max(len(letter.body) - _MOST_AFTER, 1), len(letter.body))
    end = next((at for at in last_ones if _AFTER.match(letter.body[at].words)), len(letter.body))
    letter.body, letter.after = letter.body[:end], letter.body[end:]
    last = letter.body[-1] if len(letter.body) > 1 else None
    if last and _is_short(last, _LONGEST_NAME) and not last.words.endswith((",", ";", ":")):
        letter.signature = [letter.body.pop()]
    return letter


def _read_head(head: Sequence[Block], letter: LetterParts) -> None:
    addresses = letter.sender
    for block in head:
        if block.kind == "hr":
            addresses = letter.recipient
        elif found := _SUBJECT.match(block.words):
            letter.subject = block.words[found.end() :]
        elif _PLACE_AND_DATE.fullmatch(block.words):
            letter.place_and_date = block.words.rstrip(".")
        else:
            addresses.append(block)
    if not letter.recipient:
        letter.sender, letter.recipient = letter.sender[:1], letter.sender[1:]


def strip_subject(title: str) -> str:
    """Return a title without the word for the subject, which the page adds itself."""
    return _SUBJECT.sub("", title, count=1)


def _is_short(block: Block, most: int = _LONGEST_ADDRESS) -> bool:
    return block.kind in ("paragraph", "heading", "hr") and len(block.words) <= most
