"""Read the texts of the exercises from the `.toml` files here, and fill them with values.

Each module of generators has its texts in the file of the same name, one table for each exercise:

    [taxi_fare]
    ask = ["Un taxi demande ${start}$ FCFA…", "A taxi charges ${start}$ FCFA…"]
    hints = [["Appelle $x$ …", "Call $x$ …"]]
    steps = ["${per_km}x + {start} = {paid}$", "${per_km}x = {paid - start}$"]

A text is a French and an English string, or one string for both. A field in braces is a value, or a
sum, difference or product of values; between `$` it is written in LaTeX, elsewhere as people write
it. `{n:+}` writes `+ 3` or `- 3`, to continue a sum; `{n:()}` puts a negative number in brackets. A
line that becomes empty is left out, and a line that is only the field of a list is replaced by the
list's lines. A line can depend on a value: `{ if = "is_long", say = "…" }`. Lines that several
tables share are in `[shared]`; `{ lines = "name" }` inserts them.

`[mistakes]` names mistakes, each with the feedback to a pupil who made it; mistakes that several
modules share are in `mistakes.toml`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from string import Formatter
from types import CodeType
from typing import Any, Final, Required, TypedDict, cast

from bot.practice.notation import (
    Number,
    Pair,
    capitalise,
    continue_sum,
    join_plus,
    list_numbers,
    point,
    polynomial_maths,
    raise_fraction,
    raise_maths,
    set_maths,
    simplified,
    write_fraction,
    write_maths,
    write_number,
    write_polynomial,
    write_ratio,
    write_root,
    write_scientific,
    write_time,
)

Values = Mapping[str, object]

_Conditional = TypedDict(
    "_Conditional", {"say": Required[str | list[str]], "if": str, "unless": str}, total=False
)
_FOLDER: Final = Path(__file__).parent
_LONE_FIELD: Final = re.compile(r"\{(\w+)\}")
_MAY_STAND: Final = (
    *(
        ast.Expression,
        ast.Name,
        ast.Load,
        ast.Constant,
        ast.Attribute,
        ast.Subscript,
        ast.Starred,
        ast.Tuple,
    ),
    *(ast.UnaryOp, ast.BinOp, ast.BoolOp, ast.Compare, ast.IfExp, ast.Call),
    *(ast.operator, ast.unaryop, ast.boolop, ast.cmpop),
)


@cache
def load_texts(module: str) -> Mapping[str, Any]:
    """Return the tables of a module's file by name; the shared mistakes are added to its own."""
    tables = tomllib.loads((_FOLDER / f"{module}.toml").read_text(encoding="utf-8"))
    shared = tables.pop("shared", {})
    for table in tables.values():
        for part, lines in table.items():
            if part in ("ask", "hints", "steps") and isinstance(lines, list):
                table[part] = list(_share_lines(cast("list[Any]", lines), shared))
    if module != "mistakes":
        tables["mistakes"] = {**load_texts("mistakes")["mistakes"], **tables.get("mistakes", {})}
    return tables


@cache
def _parse(text: str) -> list[tuple[str, str | None, str | None, str | None]]:
    return list(Formatter().parse(text))


def _share_lines(lines: list[Any], shared: Mapping[str, list[Any]]) -> Iterator[Any]:
    for line in lines:
        if isinstance(line, dict) and "lines" in line:
            yield from shared[line["lines"]]
        else:
            yield line


def fill(text: str, values: Values, language: str) -> str:
    """Return the text with its fields replaced by values."""
    written, in_maths = "", False
    for literal, field, spec, _ in _parse(text):
        written += literal
        in_maths ^= literal.count("$") % 2 == 1
        if field is not None:
            value = _evaluate(field, values)
            written += _write_field(value, spec or "", language, in_maths=in_maths)
    return written


def _write_field(value: object, spec: str, language: str, *, in_maths: bool) -> str:
    if isinstance(value, tuple):
        french, english = cast("Pair", value)
        return french if language == "fr" else english
    if isinstance(value, str):
        return value
    if not isinstance(value, Number):
        raise TypeError(f"{value!r} is no text and no number")
    if spec == "+":
        sign = "-" if value < 0 else "+"
        return f"{sign} {_write_field(abs(value), '', language, in_maths=in_maths)}"
    if spec == "()" and value < 0:
        return f"({_write_field(value, '', language, in_maths=in_maths)})"
    if spec not in ("", "()"):
        return format(value, spec)
    return write_maths(value, language) if in_maths else write_number(value, language)


FUNCTIONS: Final[Mapping[str, Callable[..., object]]] = {
    "abs": abs,
    "bracketed": raise_fraction,
    "capital": capitalise,
    "len": len,
    "listed": list_numbers,
    "max": max,
    "min": min,
    "sum": sum,
    "fraction": write_fraction,
    "plus": join_plus,
    "point": point,
    "poly": write_polynomial,
    "polynomial": polynomial_maths,
    "power": raise_maths,
    "ratio": write_ratio,
    "root": write_root,
    "scientific": write_scientific,
    "sets": set_maths,
    "simplified": simplified,
    "term": continue_sum,
    "time": write_time,
}
"""Functions that a field may call."""
_GLOBALS: Final[dict[str, object]] = {"__builtins__": {}, **FUNCTIONS}


@cache
def _compile(expression: str) -> CodeType:
    tree = ast.parse(expression, mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, _MAY_STAND):
            raise TypeError(f"{ast.unparse(node)} cannot stand in a text")
    return compile(tree, "<text>", "eval")


def _evaluate(expression: str, values: Values) -> object:
    """Return the value of a field or a condition, made of names, numbers and the syntax in
    `_MAY_STAND`."""
    return eval(_compile(expression), _GLOBALS, values)  # noqa: S307 (the texts are ours)


def fill_lines(lines: Sequence[Any], values: Values, language: str) -> Iterator[str]:
    """Yield the filled lines, without empty ones and those whose condition is false."""
    for line in lines:
        text: str | list[str] | _Conditional = line
        if isinstance(text, dict):
            if not _evaluate(text.get("if", "True"), values) or (
                "unless" in text and _evaluate(text["unless"], values)
            ):
                continue
            text = text["say"]
        spoken = text if isinstance(text, str) else text[0 if language == "fr" else 1]
        alone = _LONE_FIELD.fullmatch(spoken)
        value = values[alone[1]] if alone else None
        if isinstance(value, list):
            yield from cast("list[str]", value)
        elif written := fill(spoken, values, language):
            yield written
