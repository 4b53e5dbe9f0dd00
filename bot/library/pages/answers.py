"""Answers apart from questions: whoever works on a sheet must not see them beside each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from markdown_it.token import Token

from bot.library.pages.blocks import Block, to_text

_ANSWER = re.compile(
    r"\W*(?:[\dIVX]+[.)]\s*)?(?:(?:éléments|propositions?|les|the|model)\b\W*(?:de\b\W*)?)*"
    r"(?:corrigée?s?|corrections?|réponses?|solutions?|answers?(?: key)?)\b",
    re.IGNORECASE,
)
_LABELLED = re.compile(rf"{_ANSWER.pattern}[^:]{{0,30}}:", re.IGNORECASE)
_BREAKS: Final = ("softbreak", "hardbreak")


def part_answers(blocks: Sequence[Block]) -> tuple[list[Block], list[Block]]:
    """Questions, and answers in their order.

    Answers are what stands under a heading (or a line in bold) such as Corrigé, Réponses or
    Answers, and paragraphs and lines that begin so. Those of one exercise are put under that
    exercise's heading again.
    """
    sheet = _Sheet()
    for block in blocks:
        sheet.take(block)
    return sheet.questions, sheet.answers


class _Sheet:
    def __init__(self) -> None:
        self.questions: list[Block] = []
        self.answers: list[Block] = []
        self._section = 0
        """The level of the heading over the answers that are read; 0 outside answers, 7 under a
        line in bold."""
        self._above: list[Block] = []
        """The headings under which we are."""
        self._said: Block | None = None
        """The heading that was put over answers last."""

    def take(self, block: Block) -> None:
        level = block.level or (7 if _is_bold(block) else 0)
        if (level and level <= self._section) or (block.kind == "hr" and self._section == 7):
            self._section = 0
        if level and not self._section and _ANSWER.match(block.words):
            self._begin(block, level)
        elif self._section:
            self.answers.append(block)
        else:
            self._above = [head for head in self._above if head.level < (block.level or 9)]
            self._above += [block] if block.level else []
            self._part(block)

    def _begin(self, heading: Block, level: int) -> None:
        self._section = level
        self._above = [head for head in self._above if head.level < level]
        self._say_heading()
        if level < 7 and (_says_more(heading) or (self.answers and not self._above)):
            self.answers.append(heading)

    def _say_heading(self) -> None:
        """Over the next answers, the heading of their exercise."""
        above = self._above[-1] if self._above else None
        if above and above is not self._said:
            self.answers.append(above)
            self._said = above

    def _part(self, block: Block) -> None:
        """A block outside answers, in which single lines may be answers."""
        kept, cut = _cut(block)
        if cut:
            self._say_heading()
            self.answers += cut
        self.questions += [kept] if kept else []


def _says_more(heading: Block) -> bool:
    """Than that here are answers, which the page says already."""
    found = _ANSWER.match(heading.words)
    return found is not None and any(map(str.isalnum, heading.words[found.end() :]))


def _is_bold(block: Block) -> bool:
    """Whether a paragraph is one line in bold, which models write in place of a heading."""
    line = [token for token in block.line if token.type != "text" or token.content.strip(" :.")]
    types = [token.type for token in line]
    return (
        block.kind == "paragraph"
        and types[:1] == ["strong_open"]
        and types.index("strong_close") == len(types) - 1
    )


def _cut(block: Block) -> tuple[Block | None, list[Block]]:
    """A block without the answers in it, or None if nothing is left, and these."""
    if block.kind == "paragraph":
        return _cut_paragraph(block)
    if block.kind not in ("ordered_list", "bullet_list", "blockquote"):
        return block, []
    items = [_cut_item(item) for item in block.children]
    kept = replace(block, children=[item for item, _ in items if item])
    found = [
        _number(answer, position) if block.kind == "ordered_list" else answer
        for position, (_, answers) in enumerate(items, start=_start(block))
        for answer in answers
    ]
    return kept if kept.children else None, found


def _cut_item(item: Block) -> tuple[Block | None, list[Block]]:
    if item.kind != "list_item":
        return _cut(item)
    parts = [_cut(child) for child in item.children]
    kept = [block for block, _ in parts if block]
    answers = [answer for _, found in parts for answer in found]
    return (replace(item, children=kept) if kept or not answers else None), answers


def _cut_paragraph(block: Block) -> tuple[Block | None, list[Block]]:
    line = list(block.line)
    for start in _starts(line):
        if _LABELLED.match(to_text(line[start:])):
            before = line[: start - 1] if start else []
            kept = block.with_line(before) if before else None
            return kept, [block.with_line(line[start:])]
    return block, []


def _starts(line: Sequence[Token]) -> Iterator[int]:
    yield 0
    for index, token in enumerate(line, start=1):
        if token.type in _BREAKS:
            yield index


def _start(block: Block) -> int:
    return int(block.token.attrs.get("start", 1))


def _number(block: Block, position: int) -> Block:
    if block.kind != "paragraph":
        return block
    return block.with_line([Token("text", "", 0, content=f"{position}. "), *block.line])
