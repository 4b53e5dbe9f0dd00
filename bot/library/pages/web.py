"""The program that makes a web page of a manuscript: it runs in the workshop.

The page is one file that asks the network for nothing and runs nothing: beside being cleaned, it
forbids both itself by its Content-Security-Policy.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from html import escape
from pathlib import Path

from markdown_it.token import Token

from bot.library.office.document import Document
from bot.library.pages.blocks import Block, lift_headings, read_tokens, take_title, to_blocks
from bot.library.pages.characters import clean
from bot.library.pages.cleaning import clean_html
from bot.library.pages.elements import (
    Page,
    name_headings,
    write_blocks,
    write_line,
    write_notes,
)
from bot.library.pages.figures import note_diagrams, part_figures
from bot.library.pages.footnotes import list_notes, note_lacking, read_footnotes
from bot.library.pages.manuscript import Manuscript, decode
from bot.typography import polish

_LONG = 6_000
"""Characters from which a page with `_MANY_HEADINGS` has contents."""
_MANY_HEADINGS = 4


def serve(request: bytes) -> bytes:
    manuscript = decode(request)
    return Document(make_html(manuscript).encode(), tuple(_notes(manuscript))).encode()


def make_html(manuscript: Manuscript) -> str:
    """A page that reads well on a phone, with what the text holds in it, and nothing else."""
    blocks = to_blocks(read_tokens(manuscript.content, manuscript.language))
    title, blocks = take_title(blocks, " ".join(clean(manuscript.title).split()))
    blocks, _ = read_footnotes(lift_headings(blocks))
    blocks = part_figures(blocks)
    colon = "\u00a0: " if manuscript.language == "fr" else ": "
    page = Page(manuscript.words, manuscript.images, colon)
    contents = _write_contents(manuscript, blocks, page)
    notes = write_notes(list_notes(blocks), page)
    body = page.fill_in_pictures(clean_html(contents + write_blocks(blocks, page) + notes))
    policy = (
        f"default-src 'none'; style-src '{_digest()}'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    shown = escape(polish(title, manuscript.language))
    return (
        f'<!DOCTYPE html>\n<html lang="{escape(manuscript.language)}">\n<head>\n'
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        f"<title>{escape(title)}</title>\n<style>{_style()}</style>\n</head>\n<body>\n<main>\n"
        f"<header><h1>{shown}</h1><p>{escape(manuscript.date)}</p></header>\n"
        f"{body}\n</main>\n</body>\n</html>\n"
    )


def _write_contents(manuscript: Manuscript, blocks: Sequence[Block], page: Page) -> str:
    """Links to the headings, folded up, where a page is long."""
    named = [(anchor, block) for anchor, block in name_headings(blocks) if block.level < 3]
    if len(named) < _MANY_HEADINGS or len(manuscript.content) < _LONG:
        return ""
    entries = "".join(
        f'<li{" class=sub" if block.level > 1 else ""}><a href="#{anchor}">'
        f"{write_line(_without_links(block), page)}</a></li>"
        for anchor, block in named
    )
    label = escape(manuscript.words.get("Contents", ""))
    return f"<details><summary>{label}</summary><ul>{entries}</ul></details>"


def _without_links(heading: Block) -> list[Token]:
    return [
        token
        for token in heading.line
        if not token.type.startswith("link_") and token.type != "footnote"
    ]


def _notes(manuscript: Manuscript) -> Iterator[str]:
    """What the model should know before it speaks of the file."""
    blocks = to_blocks(read_tokens(manuscript.content, manuscript.language))
    yield from note_diagrams(blocks)
    yield from note_lacking(read_footnotes(blocks)[1])


@cache
def _style() -> str:
    return (Path(__file__).parent / "templates" / "page.css").read_text()


@cache
def _digest() -> str:
    """What allows the style above, and no other."""
    return "sha256-" + base64.b64encode(hashlib.sha256(_style().encode()).digest()).decode()
