"""The Markdown of chats: `bot.grammar`, and the rest read as people mean it.

- `2*3*4` and `a**b**c` are arithmetic: emphasis opens at a word's edge and closes at one (only
  `**B**onjour` may close within a word). `__init__` is a name: a single word is never made bold by
  two underscores.
- No emphasis begins in a bare URL. Links need an inline target; pictures are what they say.
- Markers beyond what a paragraph could mean stay text: every input takes linear time and nothing
  is dropped.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

from bot.grammar import NAME, make_parser

_MOST_MARKERS = 400
"""Emphasis markers in one paragraph that are still read as such."""
_TERMINATORS = re.compile(r"[\n$&*<\[\]\\_`~]|!(?=\[)|\bhttps?://")
_LINK = re.compile(
    r"\[(?P<label>(?:[^\[\]\\]|\\.|!?\[[^\[\]]*\](?:\([^()\s]*\))?)*)\]"
    r"\([ \n]*(?:<(?P<angled>[^<>\n]*)>|(?P<bare>(?:[^\s()<]|\((?:[^\s()]|\([^\s()]*\))*\))*))"
    r"(?:[ \n]+(?:\"[^\"]*\"|'[^']*'))?[ \n]*\)"
)


@cache
def parser() -> MarkdownIt:
    """The one parser of the process: it holds no state between calls."""
    md = make_parser()
    md.disable("image")
    md.inline.ruler.at("emphasis", _read_emphasis)
    md.inline.ruler.at("strikethrough", _read_strike)
    md.inline.ruler.at("link", _read_link)
    md.inline.terminator_re = _TERMINATORS
    return md


def _read_link(state: StateInline, silent: bool) -> bool:
    """`[label](target)` and, as what it says, `![label](target)`."""
    start = state.pos + (state.src[state.pos] == "!")
    if state.linkLevel or state.src[start : start + 1] != "[":
        return False
    found = _LINK.match(state.src, start, state.posMax)
    if not found:
        return False
    target = found["angled"] or found["bare"] or ""
    if not (target or found["label"]):
        return False
    if not silent:
        _push_link(state, target)
        _push_label(state, found)
        state.push("link_close", "a", -1)
    state.pos = found.end()
    return True


def _push_link(state: StateInline, url: str) -> Token:
    token = state.push("link_open", "a", 1)
    token.attrs = {"href": url}
    return token


def _push_label(state: StateInline, found: re.Match[str]) -> None:
    outer = state.posMax
    state.pos, state.posMax = found.span("label")
    state.linkLevel += 1
    state.md.inline.tokenize(state)
    state.linkLevel -= 1
    state.posMax = outer


def _read_emphasis(state: StateInline, silent: bool) -> bool:
    """Push a run of `*` or `_` as delimiters, for the parser to pair them."""
    marker = state.src[state.pos]
    if silent or marker not in "*_":
        return False
    name = NAME.match(state.src, state.pos, state.posMax) if marker == "_" else None
    if name and not _is_word(state.src, state.pos - 1):
        state.push("text", "", 0).content = name[0]
        state.pos = name.end()
        return True
    scanned = state.scanDelims(state.pos, False)
    count, end = scanned.length, state.pos + scanned.length
    closes = scanned.can_close or (marker == "*" and count == 2 and _in_word(state, end))
    if count > 3 or len(state.delimiters) > _MOST_MARKERS or not (scanned.can_open or closes):
        state.push("text", "", 0).content = marker * count
    else:
        _push_delimiters(state, marker, count, opens=scanned.can_open, closes=closes)
    state.pos = end
    return True


def _read_strike(state: StateInline, silent: bool) -> bool:
    """Push `~~` as a delimiter; any other run of tildes is text."""
    if silent or state.src[state.pos] != "~":
        return False
    opens, closes, count = state.scanDelims(state.pos, False)
    state.push("text", "", 0).content = "~" * count
    if count == 2 and len(state.delimiters) <= _MOST_MARKERS and (opens or closes):
        state.delimiters.append(
            Delimiter(ord("~"), 0, len(state.tokens) - 1, -1, open=opens, close=closes)
        )
    state.pos += count
    return True


def _in_word(state: StateInline, end: int) -> bool:
    """Whether the two markers before `end` stand between letters."""
    before, after = state.src[end - 3 : end - 2], state.src[end : end + 1]
    return before.isalpha() and after.isalpha()


def _is_word(text: str, index: int) -> bool:
    return index >= 0 and (text[index].isalnum() or text[index] == "_")


def _push_delimiters(
    state: StateInline, marker: str, count: int, *, opens: bool, closes: bool
) -> None:
    for _ in range(count):
        state.push("text", "", 0).content = marker
        state.delimiters.append(
            Delimiter(ord(marker), count, len(state.tokens) - 1, -1, opens, closes)
        )
