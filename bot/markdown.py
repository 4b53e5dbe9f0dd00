"""Parse the Markdown that models write, as far as chats and documents read it alike.

CommonMark with tables and strikethrough, and:
- Maths is between `$`, `$$`, `\\(`, `\\[` and their ends, or is a `\\ce{…}` or an environment, such
  as `\\begin{align}`; `$5 and $10` is money.
- A bar in a formula or in code ends no cell of a table, and no cell of a row is left out.
- `<br>` in a cell is a line break.
- Bare URLs are links to their end, balanced brackets included.
- Nothing that looks like a definition of a link vanishes; HTML is text.
- Blocks that are nested too deeply stay text.

Chats (`bot/render/markdown.py`) and documents (`bot/documents/markdown_blocks.py`) add
rules for what they read differently.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, table
from markdown_it.rules_inline import StateInline

NAME = re.compile(r"__[^\W_]\w*?__(?!\w)")
"""A name between underscores, as in programs; it is not bold."""
CHECKBOXES = {"[ ] ": False, "[x] ": True, "[X] ": True}
"""Marks at the beginning of an item of a list that is a task, and whether it is done."""
_OFF = dict.fromkeys(("html", "strikethrough_single_tilde", "tasklists", "alerts"), False)
"""Options that are off. They are set because the parser looks them up often, and a missing one
costs most."""
_DEEPEST = 16
"""The most levels of quotes and lists (a list counts twice) that are read as such."""
_URL = re.compile(r"https?://[^\s<>`\"]+")
_URL_TAIL = ".,;:!?'*_~»”’…"
BARE_CHEMISTRY = r"\\ce\{(?:[^{}$\n]|\{[^{}\n]*\}){1,500}\}"
"""Pattern of chemistry, which models also write without dollar signs."""
_MATHS = {
    "\\c": re.compile(rf"(?P<maths>{BARE_CHEMISTRY})"),
    "$$": re.compile(r"\$\$(?P<maths>[^$]{1,4000})\$\$"),
    "$": re.compile(r"\$(?P<maths>(?!\s)(?:[^$\\\n]|\\.){1,1000}(?<![\s\\]))\$(?![\w$])"),
    "\\(": re.compile(r"\\\((?P<maths>(?:[^\\]|\\[^()\[\]]){1,1000})\\\)"),
    "\\[": re.compile(r"\\\[(?P<maths>(?:[^\\]|\\[^()\[\]]){1,4000})\\\]"),
}
"""Patterns of formulas by their opening marks."""
_CLOSINGS = {"$$": "$$", "\\[": "\\]"}
"""Closing marks of blocks of maths by the opening ones."""
_ENVIRONMENT = re.compile(
    r"\\begin\{((?:align|aligned|alignat|equation|gather|multline|eqnarray|cases|array|[pbBvV]?matrix)\*?)\}"
)
"""The opening of an environment of mathematics, which models also write without dollar signs."""
_BAR = re.compile(r"(?<!\\)\|")
_HIDDEN_BAR = "\0"
"""Stands for a bar that ends no cell. The parser has removed it from the text before."""
_BARRED = re.compile(
    r"(?<!`)(`+)(?!`)[^`]+\1|\$\$[^$]+\$\$|\$(?!\s)(?:[^$\\]|\\.)+(?<!\s)\$|\\\(.+?\\\)"
)
"""Code and formulas, which may hold bars."""
_CELL_BREAK = re.compile(r"(?P<code>(?<!`)(`+)(?!`)[^`]+\2)|(?<! ) *<br ?/?> *", re.IGNORECASE)
"""A break of HTML, which models write into cells, or code, where it is none."""
_FORMULA = re.compile(r"[\\^_=<>{}]")
_PROSE = re.compile(r"[^\W\d_]{2,}\s|\s[^\W\d_]{2,}|\s\d|\d\s")
_JOINED = re.compile(r"(?<![^\W\d_]{2})\s*[-+×÷·*/:;,|]\s*(?![^\W\d_]{2})")
"""A sign of calculation with the spaces around it, where no word is next to it."""


def make_parser(address: Callable[[str], str] = str) -> MarkdownIt:
    """Return a parser to which the caller may add rules; it holds no state between calls.

    Besides markdown-it's tokens it returns `maths` (inline; `markup` is `$$` when it is displayed)
    and `maths_block`, whose content is the LaTeX.

    Args:
        address: returns the address of the link for a bare URL.
    """

    def read_url(state: StateInline, silent: bool) -> bool:
        if state.src[state.pos] != "h" or state.linkLevel:
            return False
        found = _URL.match(state.src, state.pos, state.posMax)
        if not found:
            return False
        # The sentence's punctuation, and brackets opened before the URL, are not part of it.
        url = found[0]
        for mark in ("**", "~~", "|"):
            url = url.split(mark, 1)[0]
        while url[-1] in _URL_TAIL or (url[-1] in ")]" and _is_unbalanced(url)):
            url = url[:-1]
        if not silent:
            state.push("link_open", "a", 1).attrs = {"href": address(url)}
            state.push("text", "", 0).content = url
            state.push("link_close", "a", -1)
        state.pos += len(url)
        return True

    md = MarkdownIt("commonmark", {**_OFF, "maxNesting": 100})
    md.enable(["table", "strikethrough"])
    md.disable(["reference", "html_block", "html_inline"])
    md.block.ruler.at("table", _read_table, {"alt": ["paragraph", "reference"]})
    md.block.ruler.before("table", "depth", _keep_depth, {"alt": []})
    md.block.ruler.before("fence", "maths", _read_maths_block, {"alt": ["paragraph"]})
    md.inline.ruler.before("escape", "maths", _read_maths)
    md.inline.ruler.before("escape", "url", read_url)
    return md


def _keep_depth(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Read everything below a certain depth as one paragraph, which the parser would drop."""
    if state.level < _DEEPEST or silent:
        return False
    # The first line after `line` that is indented less than the innermost list
    after = line + 1
    while after < end and (state.isEmpty(after) or state.sCount[after] >= state.blkIndent):
        after += 1
    state.push("paragraph_open", "p", 1)
    token = state.push("inline", "", 0)
    token.content = state.getLines(line, after, state.blkIndent, False).strip()
    token.children = []
    state.push("paragraph_close", "p", -1)
    state.line = after
    return True


def _read_table(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Read a table whose rows may have bars in formulas and in code, and more cells than columns.

    markdown-it cuts a row at every bar, and drops the cells after the last column. The bars that
    part no cells are hidden from it.
    """
    if line + 1 >= end:
        return False
    marks = state.src[state.bMarks[line + 1] : state.eMarks[line + 1]].strip("| \t")
    if not marks or marks.strip("-:| \t"):
        return False
    source, columns = state.src, marks.count("|") + 1
    if "|" not in source[state.bMarks[line] : state.eMarks[line]]:
        return False
    first = len(state.tokens)
    state.src = _fit_rows(state, columns, line, line + 1)
    found = table(state, line, line + 2, True)  # without the rows, which may be many
    state.src = source
    if found and not silent:
        state.src = _fit_rows(state, columns, line, end)
        table(state, line, end, False)
        state.src = source
    for token in state.tokens[first:]:
        content = token.content.replace(_HIDDEN_BAR, "|")
        token.content = _CELL_BREAK.sub(lambda found: found["code"] or "\\\n", content)
    return found


def _fit_rows(state: StateBlock, columns: int, header: int, end: int) -> str:
    """Return the source with hidden bars in the rows from the header to `end`, or an empty line."""
    shown = list[str]()
    done = 0
    for row in range(header, end):
        if state.isEmpty(row):
            break
        start, stop = state.bMarks[row] + state.tShift[row], state.eMarks[row]
        fitted = _hide_bars(state.src[start:stop], columns, is_header=row == header)
        shown += state.src[done:start], fitted
        done = stop
    return "".join((*shown, state.src[done:]))


def _hide_bars(row: str, columns: int, *, is_header: bool) -> str:
    """Hide the bars in formulas and code, then those after the last column, where a row has more
    cells than columns. The length stays."""
    text = row.strip()
    first = row.index(text) + text.startswith("|")
    last = first + len(text) - text.startswith("|") - (_BAR.match(text[-2:], 1) is not None)
    cells = row[first:last]
    if len(_BAR.findall(cells)) >= columns:
        cells = _BARRED.sub(lambda found: _BAR.sub(_HIDDEN_BAR, found[0]), cells)
        if not is_header:
            bars = itertools.count(1)
            cells = _BAR.sub(lambda _: "|" if next(bars) < columns else _HIDDEN_BAR, cells)
    return row[:first] + cells + row[last:]


def _read_maths_block(state: StateBlock, line: int, end: int, silent: bool) -> bool:
    """Read `$$`, `\\[` or an environment at the start of a line up to its closing, which ends a
    line."""
    start = state.bMarks[line] + state.tShift[line]
    environment = _ENVIRONMENT.match(state.src, start, state.eMarks[line])
    closing = _CLOSINGS.get(state.src[start : start + 2])
    if environment:
        closing = rf"\end{{{environment[1]}}}"
    if closing is None or state.is_code_block(line):
        return False
    marks = 0 if environment else len(closing)
    first = state.src[start : state.eMarks[line]]
    last = line
    text = first[marks:].rstrip()
    while not text.endswith(closing):
        last += 1
        if last >= end or state.sCount[last] < state.blkIndent or closing in text:
            return False
        text = state.src[state.bMarks[last] : state.eMarks[last]].rstrip()
    body = state.getLines(line, last + 1, state.blkIndent, False).strip()
    body = body[marks : len(body) - marks].strip()
    if body and not silent:
        token = state.push("maths_block", "", 0)
        token.content = body
        token.map = [line, last + 1]
        state.line = last + 1
    return bool(body)


def _read_maths(state: StateInline, silent: bool) -> bool:
    first = state.src[state.pos]
    if first not in "$\\":
        return False
    pattern = _MATHS.get(state.src[state.pos : state.pos + 2]) or _MATHS.get(first)
    found = pattern and pattern.match(state.src, state.pos, state.posMax)
    if not found or not _is_maths(state, found):
        return False
    if not silent:
        token = state.push("maths", "", 0)
        token.content = found["maths"].strip()
        token.markup = "$$" if found[0].startswith(("$$", "\\[")) else "$"
    state.pos = found.end()
    return True


def _is_maths(state: StateInline, found: re.Match[str]) -> bool:
    """Return whether a match is maths, not money or a shell variable: `$…$` without an operator
    holds a number or one term."""
    body = found["maths"]
    if found[0].startswith(("$$", "\\")):
        return bool(body.strip())
    if state.pos > 0 and (state.src[state.pos - 1].isalnum() or state.src[state.pos - 1] == "$"):
        return False
    return is_formula(body)


def is_formula(body: str) -> bool:
    """Return whether the text between two dollar signs is mathematics: it has an operator, or no
    words.

    `44 + 11` and `(3 ; 8)` are mathematics, `5 and 10` is money.
    """
    if _FORMULA.search(body):
        return "`" not in body
    return _PROSE.search(_JOINED.sub("+", body)) is None


def _is_unbalanced(url: str) -> bool:
    opening = "(" if url[-1] == ")" else "["
    return url.count(opening) < url.count(url[-1])
