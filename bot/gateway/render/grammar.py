"""The markdown that models write in chats: CommonMark, read as people mean it.

Where this differs from CommonMark, and why:
- `2*3*4` and `a**b**c` are arithmetic: emphasis opens at a word's edge and closes at one (only
  `**B**onjour` may close within a word). `__init__` is a name: a single word is never made bold by
  two underscores.
- Bare URLs are links to their end, balanced brackets included, and no emphasis begins in them.
- Maths stands between `$`, `$$`, `\\(`, `\\[` and their ends; `$5 and $10` is money.
- Links need an inline target, so nothing that looks like a definition vanishes; HTML is text.
- What nests too deeply, and markers beyond what a paragraph could mean, stay text: every input
  takes linear time and nothing is dropped.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.rules_inline.state_inline import Delimiter
from markdown_it.token import Token

_DEEPEST = 16
"""Levels of quotes and lists (a list counts twice) that are still read as such."""
_MOST_MARKERS = 400
"""Emphasis markers in one paragraph that are still read as such."""
_TERMINATORS = re.compile(r"[\n$&*<\[\]\\_`~]|!(?=\[)|\bhttps?://")
_URL = re.compile(r"https?://[^\s<>`\"]+")
_URL_TAIL = ".,;:!?'*_~»”’…"
_LINK = re.compile(
    r"\[(?P<label>(?:[^\[\]\\]|\\.|!?\[[^\[\]]*\](?:\([^()\s]*\))?)*)\]"
    r"\([ \n]*(?:<(?P<angled>[^<>\n]*)>|(?P<bare>(?:[^\s()<]|\((?:[^\s()]|\([^\s()]*\))*\))*))"
    r"(?:[ \n]+(?:\"[^\"]*\"|'[^']*'))?[ \n]*\)"
)
_NAME = re.compile(r"__[^\W_]\w*?__(?!\w)")
_MATHS = (
    re.compile(r"\$\$(?P<maths>[^$]{1,4000})\$\$"),
    re.compile(r"\$(?P<maths>(?!\s)(?:[^$\\\n]|\\.){1,1000}(?<![\s\\]))\$(?![\w$])"),
    re.compile(r"\\\((?P<maths>(?:[^\\]|\\[^()\[\]]){1,1000})\\\)"),
    re.compile(r"\\\[(?P<maths>(?:[^\\]|\\[^()\[\]]){1,4000})\\\]"),
)
_FORMULA = re.compile(r"[\\^_=<>{}]")
_PROSE = re.compile(r"[^\W\d_]{2,}\s|\s[^\W\d_]{2,}|\s\d|\d\s")


@cache
def parser() -> MarkdownIt:
    """The one parser of the process: it holds no state between calls."""
    md = MarkdownIt("commonmark", {"html": False, "maxNesting": 100})
    md.enable(["table", "strikethrough"])
    md.disable(["reference", "html_block", "html_inline", "image"])
    md.block.ruler.before("table", "depth", _keep_depth, {"alt": []})
    md.block.ruler.before("fence", "maths", _read_maths_block, {"alt": ["paragraph"]})
    md.inline.ruler.before("escape", "maths", _read_maths)
    md.inline.ruler.before("escape", "url", _read_url)
    md.inline.ruler.at("emphasis", _read_emphasis)
    md.inline.ruler.at("strikethrough", _read_strike)
    md.inline.ruler.at("link", _read_link)
    md.inline.terminator_re = _TERMINATORS
    return md


def _keep_depth(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Below a certain depth everything is one paragraph (the parser would drop it)."""
    if state.level < _DEEPEST or silent:
        return False
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content = state.getLines(line, end, state.blkIndent, False).strip()
    token.children = []
    state.push("paragraph_close", "p", -1)
    state.line = end
    return True


def _read_maths_block(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """`$$` or `\\[` at the start of a line up to its closing, which ends a line."""
    first = state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]]
    closing = {"$$": "$$", "\\[": "\\]"}.get(first[:2])
    if closing is None or state.is_code_block(line):
        return False
    last = line
    text = first[2:].rstrip()
    while not text.endswith(closing):
        last += 1
        if last >= end or state.sCount[last] < state.blkIndent or closing in text:
            return False
        text = state.src[state.bMarks[last] : state.eMarks[last]].rstrip()
    body = state.getLines(line, last + 1, state.blkIndent, False).strip()[2:-2].strip()
    if body and not silent:
        state.push("maths_block", "", 0).content = body
        state.line = last + 1
    return bool(body)


def _read_maths(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    for pattern in _MATHS:
        found = pattern.match(state.src, state.pos, state.posMax)
        if found and _is_maths(state, found):
            if not silent:
                token = state.push("maths", "", 0)
                token.content = found["maths"].strip()
            state.pos = found.end()
            return True
    return False


def _is_maths(state: StateInline, found: re.Match[str]) -> bool:
    """Not money, not a shell variable: `$…$` without an operator holds a number or one term."""
    body = found["maths"]
    if found[0].startswith(("$$", "\\")):
        return bool(body.strip())
    if state.pos > 0 and (state.src[state.pos - 1].isalnum() or state.src[state.pos - 1] == "$"):
        return False
    if _FORMULA.search(body):
        return "`" not in body
    return _PROSE.search(body) is None


def _read_url(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "h" or state.linkLevel:
        return False
    found = _URL.match(state.src, state.pos, state.posMax)
    if not found:
        return False
    url = _trim_url(found[0])
    if not silent:
        _push_link(state, url)
        state.push("text", "", 0).content = url
        state.push("link_close", "a", -1)
    state.pos += len(url)
    return True


def _trim_url(url: str) -> str:
    """Without the punctuation of the sentence, and brackets that close what is outside."""
    for bold in ("**", "~~", "|"):
        url = url.split(bold, 1)[0]
    while url:
        if url[-1] in _URL_TAIL or (url[-1] in ")]" and _is_unbalanced(url)):
            url = url[:-1]
        else:
            break
    return url


def _is_unbalanced(url: str) -> bool:
    opening = "(" if url[-1] == ")" else "["
    return url.count(opening) < url.count(url[-1])


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
    name = _NAME.match(state.src, state.pos, state.posMax) if marker == "_" else None
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
