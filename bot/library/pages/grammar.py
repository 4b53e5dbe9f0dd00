"""The Markdown of documents: CommonMark with tables, strikethrough, bare links and mathematics.

Where this differs from CommonMark, and why:
- Maths stands between `$`, `$$`, `\\(`, `\\[` and their ends; `$5 and $10` is money.
- `2*3*4` is arithmetic and `__init__` a name: neither is emphasis.
- `<br>` is a line break (models write it into cells of tables), all other HTML is text.
- `[Nom] : Awa` is text: definitions of links would vanish from the page.
- What nests too deeply stays text, as pages are only so wide.
"""

from __future__ import annotations

import re
from functools import cache

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

_DEEPEST = 16
"""Levels of quotes and lists (a list counts twice) that are still read as such."""
_TERMINATORS = re.compile(r"[\n!$&*<\[\]\\_`~]|\bhttps?://")
_URL = re.compile(r"https?://[^\s<>`\"|]+")
_URL_TAIL = ".,;:!?'*_~»”’…"
_NAME = re.compile(r"__[^\W_]\w*?__(?!\w)")
_BREAK = re.compile(r"<br ?/?>", re.IGNORECASE)
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
    """The one parser of the process: it holds no state between calls.

    Beside markdown-it's tokens it gives `maths` (inline; `markup` is `$$` when it is displayed) and
    `maths_block`, whose content is the LaTeX.
    """
    md = MarkdownIt("commonmark", {"html": False, "maxNesting": 100})
    md.enable(["table", "strikethrough"])
    md.disable(["reference", "html_block", "html_inline"])
    md.block.ruler.before("table", "depth", _keep_depth, {"alt": []})
    md.block.ruler.before("fence", "maths", _read_maths_block, {"alt": ["paragraph"]})
    md.inline.ruler.before("escape", "maths", _read_maths)
    md.inline.ruler.before("escape", "url", _read_url)
    md.inline.ruler.before("escape", "break", _read_break)
    md.inline.ruler.before("emphasis", "sign", _read_sign)
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
                token.markup = "$$" if found[0].startswith(("$$", "\\[")) else "$"
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
        state.push("link_open", "a", 1).attrs = {"href": state.md.normalizeLink(url)}
        state.push("text", "", 0).content = url
        state.push("link_close", "a", -1)
    state.pos += len(url)
    return True


def _trim_url(url: str) -> str:
    """Without the punctuation of the sentence, and brackets that close what is outside."""
    url = url.split("**", 1)[0]
    while url[-1] in _URL_TAIL or (url[-1] in ")]" and _is_unbalanced(url)):
        url = url[:-1]
    return url


def _is_unbalanced(url: str) -> bool:
    opening = "(" if url[-1] == ")" else "["
    return url.count(opening) < url.count(url[-1])


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
        name = _NAME.match(state.src, start, state.posMax)
        text = name[0] if name else ""
    if text and not silent:
        state.pending += text
    state.pos += len(text)
    return bool(text)
