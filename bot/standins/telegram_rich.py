"""Read rich messages as Telegram does: its HTML and limits, and the blocks that come of it.

Tags, entities and limits: https://core.telegram.org/bots/api#rich-html-style, and "Rich messages"
of the features. Where Telegram says nothing, the stricter reading holds: every tag is closed, no
block is where it cannot be, and all text is in a block.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from html import unescape
from html.parser import HTMLParser
from typing import Any, Final, cast

_MAX_RICH: Final = 32_768
_MAX_BLOCKS: Final = 500
_MAX_DEPTH: Final = 16
_MAX_COLUMNS: Final = 20
_STYLES: Final = {
    "b": "bold", "strong": "bold", "i": "italic", "em": "italic", "u": "underline",
    "s": "strikethrough", "code": "code", "mark": "marked", "sub": "subscript",
    "sup": "superscript", "tg-spoiler": "spoiler",
}  # fmt: skip
_ATTRIBUTES: Final = {
    "a": {"href"}, "code": {"class"}, "ol": {"start"}, "table": {"bordered", "striped"},
    "td": {"align", "valign"}, "th": {"align", "valign"}, "details": {"open"},
    "input": {"type", "checked"},
}  # fmt: skip
_NAMED: Final = {"lt", "gt", "amp", "quot", "apos", "nbsp", "hellip", "mdash", "ndash"}
_HEADING: Final = re.compile(r"h[1-6]")
_TEXT_BLOCKS: Final = {"p", "summary", "td", "th", "pre", *(f"h{level}" for level in range(1, 7))}
_HOLDERS: Final = {"", "blockquote", "details", "li"}
_CHILDREN: Final = {"ul": {"li"}, "ol": {"li"}, "table": {"tr"}, "tr": {"td", "th"}}
_VOID: Final = {"br", "hr", "input"}


class BadRichMessage(Exception):
    """Telegram refuses the message; `str` of this is the description."""


def read_rich_message(rich: dict[str, Any]) -> dict[str, Any]:
    """Return the RichMessage that an InputRichMessage becomes. Raises `BadRichMessage`."""
    given = [name for name in ("html", "markdown") if rich.get(name)]
    if len(given) != 1:
        raise BadRichMessage("rich message must be non-empty, in one form")
    if given == ["markdown"]:
        raise BadRichMessage("markdown is not modelled here: send html")
    reader = _Reader()
    reader.feed(rich["html"])
    reader.close()
    return {"blocks": reader.finish()}


def rich_text(block: Any) -> str:
    """Return rich text or blocks as plain text, a line a block; formulas between `$`."""
    if isinstance(block, str):
        return block
    if isinstance(block, list):
        return "".join(map(rich_text, cast("list[Any]", block)))
    if "expression" in block:
        end = "\n" if block.get("block") else ""
        return f"${block['expression']}${end}"
    if "cells" in block:
        rows = (
            " | ".join(rich_text(cell.get("text", "")) for cell in row) for row in block["cells"]
        )
        return "\n".join(rows) + "\n"
    parts = [rich_text(block[name]) for name in ("summary", "text") if name in block]
    inner = [rich_text(part) for name in ("blocks", "items") for part in block.get(name, [])]
    line = "\n" if block["type"] in _LINES else ""
    return "".join(parts) + ("\n" if "summary" in block else "") + "".join(inner) + line


_LINES: Final = {"paragraph", "heading", "pre"}


class _Reader(HTMLParser):
    """Builds blocks; each open tag has a list of its contents."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=False)
        self._open: list[tuple[str, dict[str, str | None], list[Any]]] = [("", {}, [])]
        self._blocks = 0
        self._size = 0

    def finish(self) -> list[dict[str, Any]]:
        if len(self._open) > 1:
            raise BadRichMessage(f"can't parse rich message: <{self._open[-1][0]}> is not closed")
        blocks = self._open[0][2]
        if not blocks:
            raise BadRichMessage("rich message must be non-empty")
        if self._size > _MAX_RICH or self._blocks > _MAX_BLOCKS:
            raise BadRichMessage("RICH_MESSAGE_TOO_LONG")
        return blocks

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self._check_place(tag)
        if not given.keys() <= _ATTRIBUTES.get(tag, set()):
            raise BadRichMessage(f"can't parse rich message: attributes of <{tag}>: {given}")
        if tag in _VOID:
            self._put(tag, given, [])
            return
        self._open.append((tag, given, []))
        if sum(not _is_inline(name) for name, _, _ in self._open[1:]) > _MAX_DEPTH:
            raise BadRichMessage("RICH_MESSAGE_TOO_DEEP")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "hr":
            raise BadRichMessage(f"can't parse rich message: <{tag}/>")
        self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        opened, given, inside = self._open.pop()
        if opened != tag:
            raise BadRichMessage(f"can't parse rich message: </{tag}> closes <{opened}>")
        self._put(tag, given, inside)

    def handle_data(self, data: str) -> None:
        tag = self._open[-1][0]
        if tag in _CHILDREN or (tag in _HOLDERS and tag != "li"):
            raise BadRichMessage(f"can't parse rich message: text in <{tag or 'nothing'}>")
        self._size += len(data)
        is_code = any(name == "pre" for name, _, _ in self._open)
        self._open[-1][2].append(data if is_code else re.sub(r"[ \n\t]+", " ", data))

    def handle_entityref(self, name: str) -> None:
        if name not in _NAMED:
            raise BadRichMessage(f"can't parse rich message: &{name};")
        self.handle_data(unescape(f"&{name};"))

    def handle_charref(self, name: str) -> None:
        self.handle_data(unescape(f"&#{name};"))

    def _check_place(self, tag: str) -> None:
        parent = self._open[-1][0]
        if parent in _CHILDREN:
            fits = tag in _CHILDREN[parent]
        elif _is_inline(tag):
            fits = parent not in _HOLDERS or parent == "li"
        else:
            is_first = not self._open[-1][2]
            fits = parent in _HOLDERS and tag not in {"li", "tr", "td", "th"}
            fits &= (tag == "summary") == (parent == "details" and is_first)
        if not fits or not (_is_inline(tag) or _is_block(tag)):
            raise BadRichMessage(f"can't parse rich message: <{tag}> in <{parent}>")

    def _put(self, tag: str, given: dict[str, str | None], inside: list[Any]) -> None:
        into = self._open[-1][2]
        if _is_inline(tag):
            into.append(_read_inline(tag, given, inside, self._open[-1][0]))
            return
        self._blocks += tag not in {"tr", "td", "th", "summary"}
        into.append(_read_block(tag, given, inside))


def _is_inline(tag: str) -> bool:
    return tag in _STYLES or tag in {"a", "br", "input", "tg-math"}


def _is_block(tag: str) -> bool:
    known = {"hr", "ul", "ol", "li", "blockquote", "table", "tr", "details", "tg-math-block"}
    return tag in known or tag in _TEXT_BLOCKS


def _read_inline(tag: str, given: dict[str, str | None], inside: list[Any], parent: str) -> Any:
    match tag:
        case "br":
            return "\n"
        case "input":
            return {"type": "checkbox", "is_checked": "checked" in given}
        case "tg-math":
            return {"type": "mathematical_expression", "expression": _read_formula(inside)}
        case "a":
            if not re.match(r"(?:https?|tg)://.", given.get("href") or ""):
                raise BadRichMessage("RICH_MESSAGE_URL_INVALID")
            return {"type": "url", "text": inside, "url": given["href"]}
        case "code" if given and parent != "pre":
            raise BadRichMessage("can't parse rich message: the language of a lone <code>")
        case _:
            return {"type": _STYLES[tag], "text": inside} | (
                {"class": given["class"]} if given else {}
            )


def _read_formula(inside: list[Any]) -> str:
    source = "".join(inside)
    if not source.strip():
        raise BadRichMessage("RICH_MESSAGE_MATH_INVALID")
    return source


def _read_block(tag: str, given: dict[str, str | None], inside: list[Any]) -> dict[str, Any]:
    if _HEADING.fullmatch(tag):
        return {"type": "heading", "text": inside, "size": int(tag[1])}
    return _READERS[tag](tag, given, inside)


def _read_cell(tag: str, given: dict[str, str | None], inside: list[Any]) -> dict[str, Any]:
    align = given.get("align") or "left"
    if align not in {"left", "center", "right"}:
        raise BadRichMessage(f"can't parse rich message: align={align}")
    return {"text": inside, "is_header": tag == "th", "align": align, "valign": "top"}


def _read_details(_: str, __: dict[str, str | None], inside: list[Any]) -> dict[str, Any]:
    if not inside or inside[0].get("type") != "summary" or not inside[1:]:
        raise BadRichMessage("can't parse rich message: <details> without <summary> or body")
    summary = inside[0]["text"]
    return {"type": "details", "summary": summary, "blocks": inside[1:], "is_open": False}


def _read_formula_block(_: str, __: dict[str, str | None], inside: list[Any]) -> dict[str, Any]:
    source = _read_formula(inside)
    return {"type": "mathematical_expression", "expression": source, "block": True}


def _read_code(_: str, __: dict[str, str | None], inside: list[Any]) -> dict[str, Any]:
    if len(inside) == 1 and isinstance(inside[0], dict):
        code = cast("dict[str, Any]", inside[0])
        language = code.get("class", "language-").removeprefix("language-")
        return {"type": "pre", "text": code["text"], "language": language}
    return {"type": "pre", "text": inside}


def _read_item(_: str, __: dict[str, str | None], inside: list[Any]) -> dict[str, Any]:
    """Read an item; text of it that is in no paragraph makes one."""
    item: dict[str, Any] = {"label": "•", "blocks": []}
    words: list[Any] = []
    for part in inside:
        if isinstance(part, dict) and part["type"] == "checkbox":
            item |= {"has_checkbox": True, "is_checked": part["is_checked"]}
        elif isinstance(part, dict) and (part["type"] in _BLOCK_TYPES or "block" in part):
            _add_words(item, words)
            item["blocks"].append(part)
        else:
            words.append(part)
    _add_words(item, words)
    return item | {"type": "item"}


def _read_ordered(_: str, given: dict[str, str | None], items: list[Any]) -> dict[str, Any]:
    first = int(given.get("start") or 1)
    labels = [f"{number}." for number in range(first, first + len(items))]
    numbered = [{**item, "label": label} for item, label in zip(items, labels, strict=True)]
    return {"type": "list", "items": numbered}


_BLOCK_TYPES: Final = {
    "paragraph",
    "list",
    "pre",
    "blockquote",
    "table",
    "divider",
    "heading",
    "details",
}


def _add_words(item: dict[str, Any], words: list[Any]) -> None:
    if words:
        item["blocks"].append({"type": "paragraph", "text": [*words]})
        words.clear()


def _read_table(_: str, given: dict[str, str | None], rows: list[Any]) -> dict[str, Any]:
    cells = [row["cells"] for row in rows]
    if not cells or max(map(len, cells)) > _MAX_COLUMNS:
        raise BadRichMessage("RICH_MESSAGE_TABLE_INVALID")
    table: dict[str, Any] = {"type": "table", "cells": cells}
    return table | {f"is_{name}": True for name in given}


_READERS: dict[str, Callable[[str, dict[str, str | None], list[Any]], dict[str, Any]]] = {
    "p": lambda _, __, inside: {"type": "paragraph", "text": inside},
    "summary": lambda _, __, inside: {"type": "summary", "text": inside},
    "hr": lambda _, __, ___: {"type": "divider"},
    "ul": lambda _, __, inside: {"type": "list", "items": inside},
    "ol": _read_ordered,
    "li": _read_item,
    "blockquote": lambda _, __, inside: {"type": "blockquote", "blocks": inside},
    "pre": _read_code,
    "table": _read_table,
    "tr": lambda _, __, inside: {"type": "row", "cells": inside},
    "td": _read_cell,
    "th": _read_cell,
    "details": _read_details,
    "tg-math-block": _read_formula_block,
}
