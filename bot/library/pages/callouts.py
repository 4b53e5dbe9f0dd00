"""Quotes and sections that are more than that: definitions, remarks, examples, aims."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from bot.library.pages.blocks import Block, to_text

_WORDS: Final = {
    "definition": "définitions? definitions? théorèmes? theorems? propriétés? propert(?:y|ies) "
    "règles? rules? lemmes? lemmas? formules? formulas? lois? laws? propositions? vocabulaire "
    "vocabulary",
    "example": "exemples? examples? illustrations? applications? cas",
    "key": "retenir essentiel bilan résumé key remember takeaways? summary objectifs? objectives? "
    "aims? goals? compétences? pré-?requis prerequisites?",
    "remark": "remarques? remarks? notes? attention astuces? conseils? tips? rappels? reminders? "
    "important warning méthodes? methods? info",
}
_BEFORE = (
    r"\W*(?:[\dIVX]+[.)]\s*)?"
    r"(?:(?:ce qu[’']il faut|points?|les?|la|l[’']|nos|en|à|the|to|our)\b\W*)*"
)
_KINDS: Final = {
    kind: re.compile(rf"{_BEFORE}(?:{'|'.join(words.split())})\b", re.IGNORECASE)
    for kind, words in _WORDS.items()
}


_MARKS: Final = " :.—–-\u00a0\u202f"
"""What stands between a label and what it labels."""
_GAPS: Final = ("text", "softbreak", "hardbreak")


@dataclass(frozen=True, slots=True)
class Callout:
    """A box with a label."""

    kind: str
    """definition, example, key or remark."""
    label: Block
    """A paragraph."""
    content: list[Block]


def find_callout(quote: Block) -> Callout | None:
    """The box that a quote is which begins with a label in bold, `**Définition** : …`."""
    first = quote.children[0] if quote.children else None
    if first is None or first.kind != "paragraph":
        return None
    label, rest = _split_label(first)
    kind = name_kind(to_text(label.line))
    if not kind:
        return None
    return Callout(kind, label, ([rest] if rest.line else []) + quote.children[1:])


def name_kind(label: str) -> str:
    """The kind of box that a label names; "" if none."""
    return next((kind for kind, pattern in _KINDS.items() if pattern.match(label)), "")


def _split_label(paragraph: Block) -> tuple[Block, Block]:
    """The bold beginning of a paragraph, and the rest; both without what parts them."""
    line = [token for token in paragraph.line if token.content.strip() or token.type != "text"]
    types = [token.type for token in line]
    if types[:1] != ["strong_open"] or "strong_close" not in types:
        return paragraph.with_line(()), paragraph
    end = types.index("strong_close")
    label, rest = line[1:end], line[end + 1 :]
    if label and label[-1].type == "text":
        label[-1] = label[-1].copy(content=label[-1].content.rstrip(_MARKS))
    while rest and rest[0].type in _GAPS and not rest[0].content.strip(_MARKS):
        del rest[0]
    if rest and rest[0].type == "text":
        text = rest[0].content.lstrip(_MARKS)
        rest[0] = rest[0].copy(content=text[:1].upper() + text[1:])
    return paragraph.with_line(label), paragraph.with_line(rest)
