"""Render as one rich message what plain messages can only describe, together with its plain form.

Pure. `rich_messages.py` writes the HTML.

The plain form is sent if the rich message is refused: the text, cut where it is too long, and the
picture of its formulas.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from typing import Final, NamedTuple

from markdown_it.token import Token
from msgspec.structs import replace

from bot.contracts.channels import Capabilities, RichLimits
from bot.formulas.line_text import replace_formulas, to_line
from bot.formulas.native import to_native
from bot.markdown import CHECKBOXES
from bot.messages.outgoing import (
    AskExercise,
    AskQuiz,
    Body,
    FileBody,
    Outgoing,
    RichForm,
    Say,
    ShareFile,
    TextBody,
)
from bot.render.formula_pictures import formulas_in, needs_picture
from bot.render.markdown import LINKABLE, clean, parse_tokens
from bot.render.renderer import (
    escape_markdown,
    lay_out_buttons,
    option_letter,
    question_buttons,
    question_hint,
    question_words,
    render_outgoing,
    typeset_outgoing,
)

_MAY_BE_BETTER = re.compile(r"[#|$\\]|\*\*|^[=-]+\s*$", re.MULTILINE)
"""A text without any of these has no title, table or formula."""
_LINE_END = re.compile(r"\r\n?|\n")


def render_rich(
    outgoing: Sequence[Outgoing], capabilities: Capabilities, language: str
) -> Iterator[Body]:
    """Yield the bodies of all items, on a channel with rich messages."""
    index = 0
    while index < len(outgoing):
        item, after = outgoing[index], outgoing[index + 1 : index + 2]
        index += 1
        match item, after:
            case Say(), [ShareFile(shows_formulas=True) as picture] if formulas_in(item.markdown):
                yield from _render_text(item, picture, capabilities, language)
                index += 1
            case Say(), _:
                yield from _render_text(item, None, capabilities, language)
            case ShareFile(shows_formulas=True) as picture, [AskQuiz() | AskExercise() as asked]:
                yield from _render_question(asked, picture, capabilities, language)
                index += 1
            case ((AskQuiz() | AskExercise()), _):
                yield from _render_question(item, None, capabilities, language)
            case _:
                yield from render_outgoing(item, capabilities, language)


def _render_text(
    said: Say, picture: ShareFile | None, capabilities: Capabilities, language: str
) -> Iterator[Body]:
    pictures = [FileBody(picture)] if picture else []
    words = _typeset(said, language).markdown
    if not capabilities.rich or not _MAY_BE_BETTER.search(words):
        yield from [*render_outgoing(said, capabilities, language), *pictures]
        return
    blocks = read_blocks(words)
    listing = lay_out_buttons(said.buttons, capabilities).listing
    ended = [*blocks, *_read_lines(listing.split("\n"))]
    written = write_html(ended, capabilities.rich)
    if written and written.is_better:
        plain = render_outgoing(said, capabilities, language)
        if written.needs_picture:
            yield from [_put_together(written, plain), *pictures]
        else:
            yield _put_together(written, [*plain, *pictures])
    elif written is None and len(chunks := _split(words, blocks, capabilities.rich)) > 1:
        for chunk in chunks:
            buttons = said.buttons if chunk is chunks[-1] else ()
            part = replace(said, markdown=chunk, buttons=buttons)
            yield from _render_text(part, None, capabilities, language)
        yield from pictures
    else:
        yield from [*render_outgoing(said, capabilities, language), *pictures]


def _typeset(said: Say, language: str) -> Say:
    typeset = typeset_outgoing(said, language)
    return typeset if isinstance(typeset, Say) else said


def _split(words: str, blocks: Sequence[Block], limits: RichLimits) -> list[str]:
    """Split the text into parts of whole blocks, each within the limits as far as possible; titles
    are in the part of the block after them. A table too large for one part becomes several."""
    lines = _cut_tables(_LINE_END.split(words), blocks, limits)
    blocks = read_blocks("\n".join(lines))
    firsts = [0]
    for index in range(1, len(blocks)):
        if write_html(blocks[firsts[-1] : index + 1], limits) is None:
            first = _find_first_title(blocks, index)
            if first > firsts[-1]:
                firsts.append(first)
    starts = [0, *(blocks[index].lines[0] for index in firsts[1:])]
    ends = [*starts[1:], len(lines)]
    return ["\n".join(lines[start:end]) for start, end in zip(starts, ends, strict=True)]


def _find_first_title(blocks: Sequence[Block], index: int) -> int:
    """Return the index of the first title of those right before a block; its own if there is
    none."""
    while index and blocks[index - 1].level:
        index -= 1
    return index


def _cut_tables(lines: Sequence[str], blocks: Sequence[Block], limits: RichLimits) -> list[str]:
    """Cut each table that is too large for a message into several that repeat its header, each as
    large as fits below the table's titles."""
    cut = list(lines)
    for index in reversed(range(len(blocks))):
        titles, table = blocks[_find_first_title(blocks, index) : index], blocks[index]
        if table.tokens[0].type == "table_open" and write_html([*titles, table], limits) is None:
            first, last = table.lines
            cut[first:last] = _cut_table(lines[first:last], titles, table, limits)
    return cut


def _cut_table(
    lines: Sequence[str], titles: Sequence[Block], table: Block, limits: RichLimits
) -> Sequence[str]:
    """Return a table's lines as those of several tables; unchanged if a row fits in no message."""
    header, rows = lines[:2], lines[2:]
    tables: list[str] = []
    start = 0
    while start < len(rows):
        most = min(len(rows), start + limits.blocks)  # each row is a block
        is_too_large = partial(_is_too_large, titles, table, limits, start)
        end = start + bisect_left(range(start + 1, most + 1), x=True, key=is_too_large)
        if end == start:
            return lines
        tables += [*header, *rows[start:end], ""]
        start = end
    return tables[:-1] or lines


def _is_too_large(
    titles: Sequence[Block], table: Block, limits: RichLimits, start: int, end: int
) -> bool:
    """Return whether these rows of a table, below its titles, exceed the limits of a message."""
    return write_html([*titles, take_rows(table, start, end)], limits) is None


def _render_question(
    asked: AskQuiz | AskExercise,
    picture: ShareFile | None,
    capabilities: Capabilities,
    language: str,
) -> Iterator[Body]:
    """Yield a question with its options under it; the picture of its formulas comes before it."""
    plain = render_outgoing(asked, capabilities, language)
    pictures = [FileBody(picture)] if picture else []
    written = _write_question(asked, capabilities, language)
    if written is None or not written.is_better:
        yield from [*pictures, *plain]
    elif written.needs_picture:
        yield from [*pictures, _put_together(written, plain)]
    else:
        yield _put_together(written, [*pictures, *plain])


def _write_question(
    asked: AskQuiz | AskExercise, capabilities: Capabilities, language: str
) -> RichHtml | None:
    typeset = typeset_outgoing(asked, language)
    if not capabilities.rich or not isinstance(typeset, AskQuiz | AskExercise):
        return None
    listing = lay_out_buttons(question_buttons(typeset), capabilities).listing
    lines: list[str] = []
    if listing or any(map(_needs_setting, typeset.options)):
        lines = [
            f"{option_letter(index)}) {_keep_formulas(option)}"
            for index, option in enumerate(typeset.options)
        ]
    hint = question_hint(asked, capabilities, language)
    blocks = [
        *read_blocks(question_words(typeset)),
        *read_blocks("  \n".join(lines)),
        *_read_lines([hint]),
    ]
    return write_html(blocks, capabilities.rich)


def _needs_setting(option: str) -> bool:
    """Return whether a formula of the option needs more than the line of text on its button."""
    return any(to_native(formula) for formula in formulas_in(option))


def _keep_formulas(option: str) -> str:
    """Return an option as markdown: formulas stay, the rest is escaped."""
    parts = replace_formulas(option, lambda formula: f"\0{formula}\0").split("\0")
    return "".join(
        f"${part}$" if index % 2 else escape_markdown(part) for index, part in enumerate(parts)
    )


def _read_lines(lines: Sequence[str]) -> list[Block]:
    """Return lines without markup as one paragraph."""
    return read_blocks("  \n".join(escape_markdown(line) for line in lines if line))


def _put_together(written: RichHtml, plain: Sequence[Body]) -> Body:
    """Return the rich message with its plain form, which is sent if it is refused."""
    texts = [body for body in plain if isinstance(body, TextBody)]
    whole = texts[-1]
    if len(texts) > 1:
        whole = replace(whole, text="\n\n".join(body.text for body in texts), entities=())
    parts = tuple(body for body in plain if isinstance(body, TextBody | FileBody))
    return replace(whole, rich=RichForm(written.html, parts if len(parts) > 1 else ()))


_STYLES: Final = {"strong": "b", "em": "i", "s": "s"}
_BLOCK_TAG = re.compile(
    r"<(/?)(p|h[1-6]|pre|hr|ul|ol|li|blockquote|table|tr|details|tg-math-block)\b"
)
_LONE: Final = frozenset(("hr",))
_LANGUAGE = re.compile(r"[\w+#.-]+")
_ALIGN = re.compile(r"text-align:(left|center|right)")
_DOUBLE_SPACE = re.compile(r"(?<= ) ")
_WORKED = re.compile(
    r"\b(?:solutions?|corrig[ée]s?|corrections?|d[ée]monstrations?|preuves?|r[ée]solution"
    r"|d[ée]tails?|étapes?|worked|proofs?|steps?|walkthrough|full working)\b",
    re.IGNORECASE,
)
"""Titles of worked parts, which people open once they have tried for themselves."""
_LONG: Final = 400
"""Characters from which such a part is folded."""
_BELOW_HEADINGS: Final = 7


class RichHtml(NamedTuple):
    html: str
    is_better: bool
    """Whether it shows something that plain text can only describe."""
    needs_picture: bool
    """Whether a formula in it still asks for a picture."""


class Block(NamedTuple):
    """A block of the outermost level."""

    tokens: Sequence[Token]
    lines: tuple[int, int]
    """The lines of the source that it is written in."""

    @property
    def level(self) -> int:
        """Its level as a title; a paragraph that is all bold is one below all headings; else 0."""
        first = self.tokens[0]
        if first.type == "heading_open":
            return int(first.tag[1])
        words = self.tokens[1].children or () if first.type == "paragraph_open" else ()
        inner = [token for token in words if token.type != "text" or token.content]
        if not inner or inner[0].type != "strong_open":
            return 0
        after = inner[_find_close(inner, 0) + 1 :]
        is_title = all(token.content.strip(" \u00a0:") == "" for token in after)
        return _BELOW_HEADINGS if is_title else 0


class _Unwritable(Exception):
    """A text has no rich form with the same content."""


def read_blocks(markdown: str) -> list[Block]:
    """Return the blocks of the outermost level of a text."""
    tokens = parse_tokens(clean(markdown))
    blocks: list[Block] = []
    start = 0
    for index, token in enumerate(tokens):
        if token.level == 0 and token.nesting <= 0:
            first, last = tokens[start].map or token.map or (0, 0)
            blocks.append(Block(tokens[start : index + 1], (first, last)))
            start = index + 1
    return blocks


def take_rows(table: Block, start: int, end: int) -> Block:
    """Return a table with its header and, of its other rows, those from `start` to before `end`."""
    places = [place for place, token in enumerate(table.tokens) if token.type == "tr_open"][1:]
    places.append(len(table.tokens) - 2)  # after the last row the body and the table are closed
    rows = table.tokens[places[start] : places[end]]
    first = table.lines[0] + 2
    tokens = [*table.tokens[: places[0]], *rows, *table.tokens[-2:]]
    return Block(tokens, (first + start, first + end))


def write_html(blocks: Sequence[Block], limits: RichLimits) -> RichHtml | None:
    """Return all blocks as one message; None: it would exceed the limits, or change the content."""
    writer = _HtmlWriter()
    try:
        html = "".join(_write_parts(writer, blocks))
    except _Unwritable:
        return None
    if not html or not _is_within(html, limits) or writer.columns > limits.columns:
        return None
    return RichHtml(html, writer.is_better, writer.needs_picture)


def _is_within(html: str, limits: RichLimits) -> bool:
    count = depth = deepest = 0
    for found in _BLOCK_TAG.finditer(html):
        closes, tag = found.groups()
        count += not closes
        if tag not in _LONE:
            depth += -1 if closes else 1
        deepest = max(deepest, depth)
    size = len(html.encode())
    return size <= limits.size and count <= limits.blocks and deepest <= limits.depth


def _write_parts(writer: _HtmlWriter, blocks: Sequence[Block]) -> Iterator[str]:
    """Write each block; long worked parts are folded under their title."""
    index = 0
    while index < len(blocks):
        end = _find_end(blocks, index)
        folded = writer.fold(blocks[index], blocks[index + 1 : end]) if index else ""
        yield folded or writer.write_blocks(blocks[index].tokens)
        index = end if folded else index + 1


def _find_end(blocks: Sequence[Block], index: int) -> int:
    """Return the index after the part that begins with the title at `index`."""
    level = blocks[index].level
    for place in range(index + 1, len(blocks)):
        if 0 < blocks[place].level <= level:
            return place
    return len(blocks)


@dataclass(slots=True)
class _HtmlWriter:
    """Writes blocks, and notes whether they have formulas, tables and other rich content."""

    sets_formulas: bool = True
    is_better: bool = False
    needs_picture: bool = False
    columns: int = 0

    def fold(self, title: Block, part: Sequence[Block]) -> str:
        """Return a part folded under its title, which opens it; empty if it is not to be folded.

        Formulas in it are lines of text: some apps crash on set formulas there
        (NousResearch/hermes-agent#46102). A part with formulas that need a picture stays open.
        """
        text = title.tokens[1].content if title.level else ""
        if not _WORKED.search(text):
            return ""
        writer = _HtmlWriter(sets_formulas=False)
        summary = writer.write_inline(title.tokens[1].children or ())
        body = "".join(writer.write_blocks(block.tokens) for block in part)
        if writer.needs_picture or len(re.sub(r"<[^>]*>", "", body)) < _LONG:
            return ""
        self.is_better = True
        self.columns = max(self.columns, writer.columns)
        return f"<details><summary>{summary}</summary>{body}</details>"

    def write_blocks(self, tokens: Sequence[Token]) -> str:
        parts: list[str] = []
        index = 0
        while index < len(tokens):
            token, end = tokens[index], _find_close(tokens, index)
            write = _BLOCKS.get(token.type)
            if write is None:
                raise _Unwritable(token.type)
            parts.append(write(self, token, tokens[index + 1 : end]))
            index = end + 1
        return "".join(parts)

    def write_paragraph(self, token: Token, inside: Sequence[Token]) -> str:
        words = self.write_inline(inside[0].children or ())
        return words if token.hidden or not words.strip() else f"<p>{words}</p>"

    def write_heading(self, token: Token, inside: Sequence[Token]) -> str:
        words = self.write_inline(inside[0].children or ())
        if not words.strip():
            return ""
        self.is_better = True
        return f"<{token.tag}>{words}</{token.tag}>"

    def write_list(self, token: Token, inside: Sequence[Token]) -> str:
        if token.markup == "+":
            raise _Unwritable("its bullets may be the signs of a sum")
        start = int(token.attrs.get("start", 1))
        number = f' start="{start}"' if token.tag == "ol" and start != 1 else ""
        return f"<{token.tag}{number}>{self.write_blocks(inside)}</{token.tag}>"

    def write_item(self, _: Token, inside: Sequence[Token]) -> str:
        words = self.write_blocks(inside)
        first = inside[1].content[:4] if inside and inside[0].type == "paragraph_open" else ""
        done = CHECKBOXES.get(first)
        if done is not None:
            box = f'<input type="checkbox"{" checked" if done else ""}>'
            words = words.replace(first, box, 1)
        return f"<li>{words}</li>"

    def write_quote(self, _: Token, inside: Sequence[Token]) -> str:
        return f"<blockquote>{self.write_blocks(inside)}</blockquote>"

    def write_code(self, token: Token, _: Sequence[Token]) -> str:
        code = _escape(token.content.rstrip("\n"))
        language = _LANGUAGE.match(token.info)
        if language:
            return f'<pre><code class="language-{language[0]}">{code}</code></pre>'
        return f"<pre>{code}</pre>"

    def write_maths(self, token: Token, _: Sequence[Token]) -> str:
        latex = self._set_formula(token.content)
        if latex:
            return f"<tg-math-block>{latex}</tg-math-block>"
        return f"<p>{_break_lines(to_line(token.content))}</p>"

    def write_rule(self, _: Token, __: Sequence[Token]) -> str:
        return "<hr/>"

    def write_table(self, _: Token, inside: Sequence[Token]) -> str:
        rows: list[str] = []
        for index, token in enumerate(inside):
            if token.type == "tr_open":
                rows.append("")
            elif token.type in ("th_open", "td_open"):
                found = _ALIGN.search(str(token.attrs.get("style", "")))
                align = f' align="{found[1]}"' if found else ""
                words = self.write_inline(inside[index + 1].children or ())
                rows[-1] += f"<{token.tag}{align}>{words}</{token.tag}>"
        self.is_better = True
        self.columns = max(self.columns, rows[0].count("</th>"))
        return "<table bordered striped>" + "".join(f"<tr>{row}</tr>" for row in rows) + "</table>"

    def write_inline(self, tokens: Sequence[Token]) -> str:
        parts: list[str] = []
        index = 0
        while index < len(tokens):
            token = tokens[index]
            if token.type == "link_open":
                end = _find_close(tokens, index)
                label = self.write_inline(tokens[index + 1 : end])
                parts.append(_write_link(str(token.attrs.get("href", "")), label))
                index = end
            else:
                parts.append(self._write_inline_token(token))
            index += 1
        return "".join(parts)

    def _write_inline_token(self, token: Token) -> str:
        match token.type:
            case "text":
                return _escape(token.content)
            case "softbreak" | "hardbreak":
                return "<br>"
            case "code_inline":
                return f"<code>{_DOUBLE_SPACE.sub(chr(0xA0), _escape(token.content))}</code>"
            case "maths":
                latex = self._set_formula(token.content)
                line = "" if latex else _break_lines(to_line(token.content))
                return f"<tg-math>{latex}</tg-math>" if latex else line
            case _:
                tag = _STYLES[token.type.rpartition("_")[0]]
                return f"<{tag}>" if token.nesting > 0 else f"</{tag}>"

    def _set_formula(self, formula: str) -> str:
        """Return the LaTeX of a formula that apps set; empty if it goes as a line of text."""
        native = to_native(formula) if self.sets_formulas else None
        if native is None:
            self.needs_picture |= needs_picture(formula)
            return ""
        line = to_line(formula)
        self.is_better |= native.is_tall or "^" in line or "_" in line
        return _escape(native.latex)


def _find_close(tokens: Sequence[Token], index: int) -> int:
    """Return the index of the token that closes the one at `index`; the same index if that token
    has no closing one."""
    depth = 0
    for place in range(index, len(tokens)):
        depth += tokens[place].nesting
        if depth == 0:
            return place
    raise _Unwritable("something is not closed")


def _escape(text: str) -> str:
    return escape(text, quote=False)


def _break_lines(text: str) -> str:
    return _escape(text).replace("\n", "<br>")


def _write_link(url: str, label: str) -> str:
    """Return the label as a link; if it cannot be one, with the target after it in brackets."""
    target = _escape(url)
    label = label if label.strip() else target
    if url.startswith(LINKABLE):
        return f'<a href="{escape(url)}">{label}</a>'
    says_it = label.strip() in (target, target.partition(":")[2])
    return label if says_it else f"{label} ({target})"


_BLOCKS: Mapping[str, Callable[[_HtmlWriter, Token, Sequence[Token]], str]] = {
    "paragraph_open": _HtmlWriter.write_paragraph,
    "heading_open": _HtmlWriter.write_heading,
    "bullet_list_open": _HtmlWriter.write_list,
    "ordered_list_open": _HtmlWriter.write_list,
    "list_item_open": _HtmlWriter.write_item,
    "blockquote_open": _HtmlWriter.write_quote,
    "fence": _HtmlWriter.write_code,
    "code_block": _HtmlWriter.write_code,
    "maths_block": _HtmlWriter.write_maths,
    "hr": _HtmlWriter.write_rule,
    "table_open": _HtmlWriter.write_table,
}
