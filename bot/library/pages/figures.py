"""Pictures of a document as blocks of their own: `figure`, with a caption.

    blocks = part_figures(to_blocks(tokens))
    block.kind == "figure"       # block.token: the picture's token; block.line: its caption

Diagrams are code in a language of `DIAGRAMS`: nobody draws them here.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from markdown_it.token import Token

from bot.library.image_worker import DocumentImage
from bot.library.pages.blocks import Block, walk

DIAGRAMS: Final = frozenset({"mermaid", "plantuml", "puml", "graphviz", "dot", "d2"})
_BREAKS = ("softbreak", "hardbreak")
_POINTS_PER_PIXEL = 72 / 150
_SMALLEST = 90
"""Points that a picture is wide at least: icons are enlarged."""
_WIDEST = 460
_TALLEST = 250


def part_figures(blocks: Iterable[Block]) -> list[Block]:
    """The blocks, in which every picture of a paragraph is a `figure` between what stands before
    and after it. Its caption is the line in italics under it, or its title, or its description."""
    parted = [part for block in blocks for part in _part(block)]
    return _take_captions(parted)


def language_of(code: Block) -> str:
    """The language of a piece of code as its first line names it; "" if it does not."""
    return (code.token.info.split() or [""])[0].strip("{}.").lower()


def note_diagrams(blocks: Iterable[Block]) -> Iterator[str]:
    """What the model should know of diagrams that stand as text; nothing if there are none."""
    found = sorted({language_of(block) for block in walk(blocks)} & DIAGRAMS)
    if found:
        name = found[0].capitalize()
        yield (
            f"{name} is not drawn: the diagram stands as plain text. Give it as a list or a table "
            "instead, or as a picture."
        )


def source_of(token: Token) -> str:
    """Which picture an `image` token shows."""
    return str(token.attrs.get("src", ""))


def measure_figure(image: DocumentImage) -> tuple[float, float]:
    """Width and height on paper, in points, in the picture's proportions."""
    width = min(max(image.width * _POINTS_PER_PIXEL, _SMALLEST), _WIDEST)
    width = min(width, _TALLEST * image.width / image.height)
    return round(width, 1), round(width * image.height / image.width, 1)


def _part(block: Block) -> list[Block]:
    if block.kind == "table" or not (block.children or block.kind == "paragraph"):
        return [block]
    if block.children:
        return [replace(block, children=part_figures(block.children))]
    return list(_part_paragraph(block))


def _part_paragraph(paragraph: Block) -> Iterable[Block]:
    if all(token.type != "image" for token in paragraph.line):
        return [paragraph]
    parts: list[Block] = []
    rest: list[Token] = []
    depth = 0
    for token in paragraph.line:
        depth += token.nesting
        if token.type == "image" and depth == 0:
            parts += _paragraph_of(paragraph, rest)
            parts.append(Block("figure", token, _caption_of(token)))
            rest = []
        else:
            rest.append(token)
    return [*parts, *_paragraph_of(paragraph, rest)]


def _paragraph_of(paragraph: Block, line: Sequence[Token]) -> list[Block]:
    """What is left of a paragraph, without the breaks around a picture; none if that is nothing."""
    kept = list(line)
    while kept and _is_gap(kept[0]):
        del kept[0]
    while kept and _is_gap(kept[-1]):
        del kept[-1]
    if kept and kept[0].type == "text":
        kept[0] = kept[0].copy(content=kept[0].content.lstrip())
    if kept and kept[-1].type == "text":
        kept[-1] = kept[-1].copy(content=kept[-1].content.rstrip())
    return [paragraph.with_line(kept)] if kept else []


def _is_gap(token: Token) -> bool:
    return token.type in _BREAKS or (token.type == "text" and not token.content.strip())


def _caption_of(token: Token) -> list[Token]:
    said = str(token.attrs.get("title", "")) or token.content
    return [Token("text", "", 0, content=said)] if said.strip() else []


def _take_captions(blocks: Sequence[Block]) -> list[Block]:
    kept: list[Block] = []
    for block in blocks:
        if kept and kept[-1].kind == "figure" and _is_in_italics(block):
            kept[-1] = kept[-1].with_line(block.line[1:-1])
        else:
            kept.append(block)
    return kept


def _is_in_italics(block: Block) -> bool:
    types = [token.type for token in block.line]
    return (
        block.kind == "paragraph"
        and types[:1] == ["em_open"]
        and types[-1:] == ["em_close"]
        and types.count("em_open") == 1
    )
