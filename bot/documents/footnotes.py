"""Read footnotes: `text[^1]`, and on a line of its own `[^1]: the text of the note`.

blocks, lacking = read_footnotes(blocks)
token.type == "footnote"  # token.children: the text of the note
token.meta[NUMBER], token.meta[IS_FIRST]
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from markdown_it.token import Token

from bot.documents.markdown_blocks import (
    LINE_BREAKS,
    Block,
    note_diagrams,
    read_tokens,
    to_blocks,
    walk,
)

NUMBER: Final = "number"
"""Key of a footnote token's `meta`: its number, from 1, in the order in which notes are called."""
IS_FIRST: Final = "is_first"
"""Key of a footnote token's `meta`: whether this is the first call of the note."""
_CALL = re.compile(r"[ \u00a0\u202f]?\[\^([^\]\s^]{1,60})\]")
_DEFINITION = re.compile(r"\[\^([^\]\s^]{1,60})\][ \u00a0\u202f]*:[ \u00a0\u202f]*")
_NAMED: Final = 5


def read_footnotes(blocks: Sequence[Block]) -> tuple[list[Block], list[str]]:
    """Return the blocks with their notes attached to the calls, and the labels that have no note.

    A note that is never called becomes a paragraph at the end.
    """
    reader = _FootnoteReader()
    kept = [each for block in blocks for each in reader.take_definitions(block)]
    texts = (token for block in walk(kept) for token in block.line if token.type == "text")
    calls = {label for token in texts for label in _CALL.findall(token.content)}
    if not calls and not reader.notes:
        return list(blocks), []
    unused = [label for label in reader.notes if label not in calls]
    kept += [reader.paragraphs[label].with_line(reader.notes[label]) for label in unused]
    return [reader.mark(block) for block in kept], sorted(calls - set(reader.notes))


def list_notes(blocks: Sequence[Block]) -> Mapping[int, Sequence[Token]]:
    """Return the texts of the notes, by their numbers."""
    return {
        token.meta[NUMBER]: token.children or []
        for block in walk(blocks)
        for token in block.line
        if token.type == "footnote"
    }


def note_unshown(markdown: str, language: str) -> Iterator[str]:
    """Yield notes for the model about what no document shows as intended: diagrams, and footnotes
    that are called but have no text."""
    blocks = to_blocks(read_tokens(markdown, language))
    yield from note_diagrams(blocks)
    if labels := read_footnotes(blocks)[1]:
        named = ", ".join(f"[^{label}]" for label in labels[:_NAMED])
        yield (
            f"These footnotes have no text and stand as they were typed: {named}. Write each on a "
            f"line of its own: [^{labels[0]}]: …"
        )


@dataclass
class _FootnoteReader:
    notes: dict[str, list[Token]] = field(default_factory=dict[str, list[Token]])
    """The texts of the notes, by label."""
    paragraphs: dict[str, Block] = field(default_factory=dict[str, Block])
    """The paragraphs that define the notes, by label."""
    numbers: dict[str, int] = field(default_factory=dict[str, int])

    def take_definitions(self, block: Block) -> Iterator[Block]:
        """Yield the block without the notes that it defines; nothing if it only defines notes."""
        if block.kind != "paragraph":
            yield block
            return
        kept: list[Token] = []
        current = kept
        for ended, line in _lines_of(block.line):
            first = line[0].content if line and line[0].type == "text" else ""
            found = _DEFINITION.match(first)
            if found and found[1] not in self.notes:
                current = [line[0].copy(content=first[found.end() :]), *line[1:]]
                self.notes[found[1]] = current
                self.paragraphs[found[1]] = block
            else:
                current += ([ended] if ended and current else []) + line
        if kept:
            yield block.with_line(kept)

    def mark(self, block: Block) -> Block:
        """Return the block with a token for each call of a note. A heading that consists of calls
        only stays as typed, since no heading would be left."""
        if block.level and not _CALL.sub("", block.words).strip():
            return block
        line = [part for token in block.line for part in self._split(token)]
        return replace(block, line=line, children=[self.mark(child) for child in block.children])

    def _split(self, token: Token) -> Iterator[Token]:
        end = 0
        calls = _CALL.finditer(token.content) if token.type == "text" else ()
        for found in calls:
            if found[1] in self.notes:
                yield token.copy(content=token.content[end : found.start()])
                label = found[1]
                is_first = label not in self.numbers
                number = self.numbers.setdefault(label, len(self.numbers) + 1)
                meta = {NUMBER: number, IS_FIRST: is_first}
                yield Token("footnote", "", 0, children=self.notes[label], meta=meta)
                end = found.end()
        yield token.copy(content=token.content[end:]) if end else token


def _lines_of(line: Iterable[Token]) -> Iterator[tuple[Token | None, list[Token]]]:
    """Yield a paragraph's lines as typed, each with the break before it; emphasis over two lines
    keeps them together."""
    ended: Token | None = None
    current: list[Token] = []
    depth = 0
    for token in line:
        depth += token.nesting
        if token.type in LINE_BREAKS and depth == 0:
            yield ended, current
            ended, current = token, []
        else:
            current.append(token)
    yield ended, current
