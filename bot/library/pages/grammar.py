"""The Markdown of documents: `bot.grammar`, and how documents read the rest.

- `2*3*4` is arithmetic and `__init__` a name: neither is emphasis.
- `<br>` is a line break (models write it into cells of tables).
- A picture may be a file of the person's library, `![Carte](file:ID)`, and a name with spaces.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.common.normalize_url import normalizeLink, validateLink
from markdown_it.rules_inline import StateInline

from bot.grammar import NAME, make_parser

_TERMINATORS = re.compile(r"[\n!$&*<\[\]\\_`~]|\bhttps?://")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
_SPACED_IMAGE = re.compile(
    r"!\[(?P<alt>[^\[\]\n]{0,500})\]\("
    r"(?P<name>[^()<>\n\"]{0,200}\s[^()<>\n\"]{0,200}\.(?:png|jpe?g|webp|gif))\)",
    re.IGNORECASE,
)
_OWN_FILE = re.compile(r"file:[^/\\]")


@cache
def parser() -> MarkdownIt:
    """The one parser of the process: it holds no state between calls."""
    md = make_parser(normalizeLink)
    md.validateLink = _is_valid  # type: ignore[method-assign]
    md.inline.ruler.before("escape", "break", _read_break)
    md.inline.ruler.before("image", "spaced_image", _read_spaced_image)
    md.inline.ruler.before("emphasis", "sign", _read_sign)
    md.inline.terminator_re = _TERMINATORS
    return md


def _is_valid(address: str) -> bool:
    return validateLink(address) or bool(_OWN_FILE.match(address))


def _read_spaced_image(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "!":
        return False
    found = _SPACED_IMAGE.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        token = state.push("image", "img", 0)
        token.content = found["alt"]
        token.children = []
        token.attrs = {"src": normalizeLink(found["name"].strip()), "alt": ""}
    state.pos = found.end()
    return True


def _read_break(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "<":
        return False
    found = _BREAK.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    if not silent:
        state.push("hardbreak", "br", 0)
    state.pos = found.end()
    return True


def _read_sign(state: StateInline, silent: bool) -> bool:
    """A star between two factors, and a name between underscores, as text."""
    marker, start = state.src[state.pos], state.pos
    before = state.src[start - 1 : start]
    text = ""
    if marker == "*" and before.isdigit() and state.src[start + 1 : start + 2].isdigit():
        text = "*"
    elif marker == "_" and not (before.isalnum() or before == "_"):
        name = NAME.match(state.src, start, state.posMax)
        text = name[0] if name else ""
    if text and not silent:
        state.pending += text
    state.pos += len(text)
    return bool(text)
