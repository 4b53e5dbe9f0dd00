"""The blocks of a Markdown text as a tree, as deep as the grammar lets lists and quotes nest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from markdown_it.token import Token

from bot.library.pages.characters import clean
from bot.library.pages.grammar import parser
from bot.texts import fold
from bot.typography import polish_tokens

_SHOWN = frozenset(("text", "code_inline", "maths", "image"))


@dataclass(frozen=True, slots=True)
class Block:
    """A heading, paragraph, list, item, quote, table, row, cell, rule, piece of code or formula."""

    kind: str
    """markdown-it's type, without `_open`."""
    token: Token
    line: Sequence[Token] = ()
    """Of a heading, a paragraph or a cell: its inline tokens."""
    children: list[Block] = field(default_factory=list["Block"])

    @property
    def words(self) -> str:
        """Its text, without its children's."""
        return " ".join(to_text(self.line).split())

    @property
    def level(self) -> int:
        """Of a heading: 1 to 6. Of anything else 0."""
        return int(self.token.tag[1]) if self.kind == "heading" else 0

    def with_line(self, line: Sequence[Token]) -> Block:
        return replace(self, line=line)


def read_tokens(markdown: str, language: str) -> list[Token]:
    """What a text says, as markdown-it's tokens, cleaned and typeset for `language`."""
    tokens = parser().parse(clean(markdown))
    polish_tokens(tokens, language)
    return tokens


def to_blocks(tokens: Iterable[Token]) -> list[Block]:
    """The blocks on the top level, the others within them."""
    root = Block("root", Token("root", "", 0))
    open_blocks = [root]
    for token in tokens:
        if token.nesting > 0:
            block = Block(token.type.removesuffix("_open"), token)
            open_blocks[-1].children.append(block)
            open_blocks.append(block)
        elif token.nesting < 0:
            open_blocks.pop()
        elif token.type == "inline":
            inner = open_blocks.pop().with_line(token.children or ())
            open_blocks[-1].children[-1] = inner
            open_blocks.append(inner)
        else:
            open_blocks[-1].children.append(Block(token.type, token))
    return root.children


def walk(blocks: Iterable[Block]) -> Iterator[Block]:
    """All blocks, each before those within it."""
    for block in blocks:
        yield block
        yield from walk(block.children)


def to_text(line: Iterable[Token]) -> str:
    """What inline tokens say."""
    return "".join(token.content if token.type in _SHOWN else " " * _parts(token) for token in line)


def _parts(token: Token) -> bool:
    return token.type in ("softbreak", "hardbreak")


def drop_title(blocks: Sequence[Block], title: str) -> list[Block]:
    """The blocks without a first heading that says the title again: the same words, whatever their
    case, accents and punctuation. One that says a part of it is a section of its own."""
    first = blocks[0] if blocks else None
    if first and first.level and (words := _key(first.words)) and words == _key(title):
        return list(blocks[1:])
    return list(blocks)


def take_title(blocks: Sequence[Block], title: str) -> tuple[str, list[Block]]:
    """The title, which the first heading gives where there is none, and the blocks without it."""
    if not title and blocks and blocks[0].level:
        title = blocks[0].words
    return title, drop_title(blocks, title)


def lift_headings(blocks: Sequence[Block]) -> list[Block]:
    """The blocks with headings that begin at level 1, as deep as they were among themselves."""
    levels = sorted({block.level for block in blocks if block.level})
    for block in blocks:
        if block.level:
            block.token.tag = f"h{levels.index(block.level) + 1}"
    return list(blocks)


def _key(words: str) -> list[str]:
    return re.findall(r"[^\W_]+", fold(words))
