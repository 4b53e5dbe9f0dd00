"""Quotes and sections that are more than that: definitions, remarks, examples, aims, alerts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from markdown_it.token import Token

from bot.library.pages.blocks import Block, to_text
from bot.library.pages.manuscript import ALERTS

_WORDS: Final = {
    "definition": "définitions? definitions? théorèmes? theorems? propriétés? propert(?:y|ies) "
    "règles? rules? réciproques? converses? lemmes? lemmas? formules? formulas? lois? laws? "
    "propositions? vocabulaire vocabulary",
    "example": "exemples? examples? illustrations? applications? cas",
    "key": "retenir essentiel bilan résumé key remember takeaways? summary objectifs? objectives? "
    "aims? goals? compétences? pré-?requis prerequisites?",
    "warning": "attention danger warning caution prudence pièges? erreurs?",
    "remark": "remarques? remarks? notes? astuces? conseils? tips? rappels? reminders? "
    "important méthodes? methods? info",
}
_BEFORE = (
    r"\W*(?:[\dIVX]+[.)]\s*)?"
    r"(?:(?:ce qu[’']il faut|points?|les?|la|l[’']|nos|en|à|the|to|our)\b\W*)*"
)
_KINDS: Final = {
    kind: re.compile(rf"{_BEFORE}(?:{'|'.join(words.split())})\b", re.IGNORECASE)
    for kind, words in _WORDS.items()
}


_ALERT = re.compile(rf"\[!({'|'.join(ALERTS)})\][ \u00a0\u202f]*", re.IGNORECASE)
"""As in https://docs.github.com/en/get-started/writing-on-github: first line of a quote."""
_ALERT_KINDS: Final = {
    "NOTE": "note",
    "TIP": "tip",
    "IMPORTANT": "key",
    "WARNING": "warning",
    "CAUTION": "warning",
}
_MARKS: Final = " :.—–-\u00a0\u202f"
"""What stands between a label and what it labels."""
_BREAKS: Final = ("softbreak", "hardbreak")
_GAPS: Final = ("text", *_BREAKS)


@dataclass(frozen=True, slots=True)
class Callout:
    """A box with a label."""

    kind: str
    """definition, example, key, remark, note, tip or warning."""
    label: Block
    """A paragraph."""
    content: list[Block]


def find_callout(quote: Block, words: Mapping[str, str] | None = None) -> Callout | None:
    """The box that a quote is which begins with a label in bold, `**Définition** : …`, or with
    `[!NOTE]`, `[!TIP]`, `[!IMPORTANT]`, `[!WARNING]`, `[!CAUTION]`.

    Args:
        words: translations of `ALERTS`.
    """
    first = quote.children[0] if quote.children else None
    if first is None or first.kind != "paragraph":
        return None
    if alert := _read_alert(first, quote.children[1:], words or {}):
        return alert
    label, rest = _split_label(first)
    kind = name_kind(to_text(label.line))
    if not kind:
        return None
    return Callout(kind, label, ([rest] if rest.line else []) + quote.children[1:])


def _read_alert(paragraph: Block, others: list[Block], words: Mapping[str, str]) -> Callout | None:
    """The box of a quote whose first line is `[!NOTE]`, perhaps with a title. Where nothing stands
    under that line, it is no title but the text."""
    line = list(paragraph.line)
    found = _ALERT.match(line[0].content) if line and line[0].type == "text" else None
    if found is None:
        return None
    named = found[1].upper()
    line[0] = line[0].copy(content=line[0].content[found.end() :])
    end = next((index for index, token in enumerate(line) if token.type in _BREAKS), len(line))
    title, rest = line[:end], line[end + 1 :]
    if not rest and not others:
        title, rest = [], title
    if not to_text(title).strip():
        said = words.get(ALERTS[named], ALERTS[named])
        title = [Token("text", "", 0, content=said)]
    content = [paragraph.with_line(rest)] if rest else []
    return Callout(_ALERT_KINDS[named], paragraph.with_line(title), content + others)


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
