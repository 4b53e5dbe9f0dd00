"""Write formulas as one line of Unicode text that cannot be misread.

`x^{n+1}` is `xⁿ⁺¹`, `x^{n/2}` is `x^(n/2)`, `\\frac{a+b}{2}` is `(a+b)/2`. An unknown command stays
LaTeX: nothing is dropped, nothing changes its meaning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Final, Literal

import msgspec

from bot.formulas import symbols, tree
from bot.formulas.syntax import Untypesettable, read_formula
from bot.formulas.tree import Node, Row
from bot.markdown import BARE_CHEMISTRY, is_formula

_ORDINARY: Final = {
    "⋅": "·", "∙": "•", "ϕ": "φ", "ϵ": "ε", "∣": "|", "⟂": "⊥", "⟹": "⇒", "⟸": "⇐", "⟺": "⇔",
    "~": " ",
}  # fmt: skip
"""Replacements for mathematical characters, which more fonts have or more people can read."""
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿ"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"
SUPERSCRIPTS: Final = dict(
    zip("0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθ", _RAISED, strict=True)
)
SUBSCRIPTS: Final = dict(zip("0123456789+-=()aehijklmnoprstuvxβγρφχ", _LOWERED, strict=True))
FROM_SUPERSCRIPTS: Final = str.maketrans(_RAISED[:12], "0123456789+-")
FROM_SUBSCRIPTS: Final = str.maketrans(_LOWERED[:10], "0123456789")
"""Tables that write small digits, and raised signs, as usual."""
_PRIMES: Final = frozenset("′″‴")
_LETTERS: Final = {"bb": "DOUBLE-STRUCK", "cal": "SCRIPT", "scr": "SCRIPT", "frak": "FRAKTUR"}
"""Fonts whose letters are separate characters, with the fonts' names in Unicode."""
_WIDE: Final = "\u2003"
"""A character for the space between two formulas, until all of them are written."""
_COMBINING: Final = re.compile("[\u0300-\u036f\u20d0-\u20ff]")
_SPACES = re.compile(rf"[ {_WIDE}\n]+")
_GAPS: Final = {"negthin": "", "quad": _WIDE, "wide": _WIDE}
_SIGNS: Final = {
    "overparen": "⌢{}",
    "cancel": "\\cancel{{{}}}",
    **dict.fromkeys(("unseen", "hphantom", "vphantom"), ""),
}
_NUMBER = r"\d+(?: \d{3})*(?:[.,]\d+)?"
_SINGLE = re.compile(
    rf"{_NUMBER}|\d+[²³¹⁰-⁹]+|[^\W\d_][²³¹⁰-ₜ′]*|[A-Z]{{2}}|[A-Z]?\([^()]*\)|[√∛∜](?:\d+|\([^()]*\))"
)
_TERM = re.compile(rf"{_NUMBER}|\w[\w²³¹⁰-ₜ′]*(?:\([^()]*\))?|[√∛∜]?\([^()]*\)")
_ROOTS: Final = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_ARROWS: Final = {"→": "—{}→", "←": "←{}—"}
"""Arrows that hold their words inside; other arrows have the words behind them."""
_FORMULAS = re.compile(
    r"(?<![\w$])\$\$?(?=\S)(?P<maths>[^$\n]{1,500}?)(?<=\S)\$\$?(?![\d$])"
    rf"|(?P<bare>{BARE_CHEMISTRY})"
)
_LONGEST: Final = 10_000
"""Most characters of a formula: more than Markdown reads as one."""
_PRINTED = str.maketrans("-*", "−×")
_MINUS: Final = re.compile(
    r"(?<![\w.,)²³⁰-⁹-])-(?=\d|[a-z]?[(√∞]|[a-zπ](?![^\W_]))"
    r"|(?<=[\d²³⁰-⁹)a-z√] )-(?= [\d(a-z√](?![^\W\d_]{2}))"
)
"""A hyphen for a minus: before a number or a letter that begins, or between two terms."""


class Unit(msgspec.Struct, frozen=True, gc=False):
    """A piece of text that stays together; `kind` decides which neighbours may touch it."""

    text: str
    kind: Literal["plain", "fraction", "root", "function", "script"] = "plain"


@lru_cache(maxsize=1024)
def to_line(latex: str) -> str:
    """Return the formula `latex` (without its dollar signs) as text, or unchanged if it is
    malformed or too long.

    Cached, because drafts show the same formulas repeatedly while an answer grows.
    """
    try:
        line = _write_row(read_formula(latex, longest=_LONGEST))
    except Untypesettable:
        return latex
    return _SPACES.sub(_write_spaces, line).strip()


def _write_spaces(found: re.Match[str]) -> str:
    """Return the widest of several spaces."""
    if "\n" in found[0]:
        return "\n"
    return "  " if _WIDE in found[0] else " "


def to_printed_line(latex: str) -> str:
    """Return the formula as text with the signs of print: `−` and `×`."""
    return to_line(latex).translate(_PRINTED)


def replace_formulas(text: str, write: Callable[[str], str] = to_line) -> str:
    """Return plain text with the formulas between dollar signs, and each bare `\\ce{…}`, replaced
    by `write`; prices stay."""

    def replace(found: re.Match[str]) -> str:
        latex = found["bare"] or found["maths"]
        return write(latex) if found["bare"] or is_formula(latex) else found[0]

    return _FORMULAS.sub(replace, text)


def print_minus(text: str) -> str:
    """Return a number or an expression in plain text with the minus of print: `−3`, `3x² − 2x`."""
    return _MINUS.sub("−", text)


def _write_row(row: Row) -> str:
    """Write the units of a row, with brackets around fractions and spaces around names that would
    touch others."""
    units = _write_units(row)
    parts: list[str] = []
    before = ""
    for index, unit in enumerate(units):
        text = unit.text
        if unit.kind != "plain":
            after = units[index + 1].text[:1] if index + 1 < len(units) else ""
            text = _separate_unit(unit, before, after)
        parts.append(text)
        before = text[-1:] or before
    return "".join(parts)


def _separate_unit(unit: Unit, before: str, after: str) -> str:
    """Return the text of a unit that is not plain, separated from its neighbours."""
    text = unit.text
    follows = before.isalnum() or before == ")"
    if unit.kind == "fraction" and (follows or after.isalnum() or after in tuple("(√!")):
        text = f" ({text})" if before.isdigit() else f"({text})"
    if unit.kind == "root" and (after.isalnum() or after in tuple("(√∛∜!")):
        text = f"{text[0]}({text[1:]})"
    if unit.kind == "function" and follows:
        text = " " + text
    if unit.kind in ("function", "script") and (after.isalnum() or after in tuple("√∛∜")):
        text += " "
    return text


def _write_units(row: Row) -> list[Unit]:
    units: list[Unit] = []
    before: Node | None = None
    for node in row:
        if isinstance(node, tree.Binomial) and isinstance(before, tree.Wrapped):
            units.append(
                Unit(f"({_write_text(node.above)}; {_write_text(node.below)})")
            )  # a vector
        else:
            units += _WRITERS[type(node)](node)
        before = node
    return units


def _write_text(row: Row) -> str:
    return _write_row(row).strip()


def _write_character(char: str) -> list[Unit]:
    return [Unit(_ORDINARY.get(char, char))]


def _write_gap(node: tree.Gap) -> list[Unit]:
    return [Unit(_GAPS.get(node.width, " "))]


def _write_negated(node: tree.Negated) -> list[Unit]:
    return [Unit(symbols.NEGATED.get(node.char, f"{node.char}\u0338"))]


def _bracket(text: str, simple: re.Pattern[str]) -> str:
    return text if simple.fullmatch(text) else f"({text})"


def _write_wrapped(node: tree.Wrapped) -> list[Unit]:
    function, text = node.function, _write_text(node.body)
    if function in _LETTERS:
        text = "".join(_find_letter(_LETTERS[function], char) for char in text)
    elif function in symbols.COMBINING:
        text = _place_accent(function, text)
    elif function in _SIGNS:
        text = _SIGNS[function].format(text)
    elif function != "upright" or not text.isalpha():  # else one word, which scripts belong to
        return _write_units(node.body)
    return [Unit(text)]


def _find_letter(font: str, char: str) -> str:
    """Return `char` in a font, or unchanged if Unicode has no such letter."""
    letter = unicodedata.name(char, "").removeprefix("LATIN ").replace("LETTER ", "")
    for name in (f"MATHEMATICAL {font} {letter}", f"{font} {letter}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return char


def _place_accent(function: str, text: str) -> str:
    """Return `text` with an accent: an arrow ends it, a hat stands on an angle's vertex."""
    mark = symbols.COMBINING[function]
    if function == "arrow":
        return text + mark if text.replace("′", "").isalnum() else f"vec({text})"
    if mark == "\u0302" and len(text) == 3:
        return text[:2] + mark + text[2:]
    return "".join(char + mark for char in text)


def _write_scripts(node: tree.Scripts) -> list[Unit]:
    base = node.base
    if isinstance(base, tree.Scripts):  # these stand before the same base
        before = _set_scripts(Unit(""), base.places)
        return [before, _set_scripts(_write_base(base.base), node.places)]
    if node.are_before:
        return [_set_scripts(Unit(""), node.places), *_write_units([base] if base else [])]
    return [_set_scripts(_write_base(base), node.places)]


def _write_base(node: Node | None) -> Unit:
    """Write the base of scripts as one unit, in brackets if it is a group of several."""
    units = _write_units([node] if node else [])
    if len(units) == 1:
        return units[0]
    text = _write_row([node] if node else [])
    return Unit(text if isinstance(node, tree.Fence) or not text else f"({text})")


def _set_scripts(base: Unit, places: Mapping[str, Row]) -> Unit:
    for mark, row in places.items():
        base = _set_script(base, mark, _write_text(row))
    return base


def _set_script(base: Unit, mark: str, text: str) -> Unit:
    letters = SUBSCRIPTS if mark == "_" else SUPERSCRIPTS
    if base.kind in ("fraction", "root") or (mark == "^" and base.text[-1:] in letters.values()):
        base = Unit(f"({base.text})")
    bare = text.replace(" ", "").replace("∘", "°")
    kind = base.kind
    if mark != "_" and (bare == "°" or (bare and _PRIMES.issuperset(bare))):
        script = bare
    elif bare and all(char in letters for char in bare):
        script = "".join(letters[char] for char in bare)
    else:
        is_single = len(text) - len(_COMBINING.findall(text)) == 1
        script = mark + (text if is_single else f"({text})")
        kind = "script" if is_single and kind == "plain" else kind
    return Unit(base.text + script, kind)


def _write_fraction(node: tree.Fraction) -> list[Unit]:
    """Write `above/below`, each in brackets unless it is one term."""
    above, below = _write_text(node.above), _write_text(node.below)
    return [Unit(f"{_bracket(above, _TERM)}/{_bracket(below, _SINGLE)}", "fraction")]


def _write_root(node: tree.Root) -> list[Unit]:
    degree, body = _write_text(node.degree), _write_text(node.body)
    if degree in _ROOTS and body.isdecimal():
        return [Unit(_ROOTS[degree] + body, "root")]
    if degree in _ROOTS:
        return [Unit(f"{_ROOTS[degree]}({body})")]
    return [Unit(f"root({degree}; {body})", "function")]


def _write_fence(node: tree.Fence) -> list[Unit]:
    return [Unit(node.opening), *_write_units(node.body), Unit(node.closing)]


def _write_stack(node: tree.Stack) -> list[Unit]:
    """Write the rows over and under a row as its scripts."""
    rows = {"_": node.below, "^": node.above}
    places: dict[str, Row] = {mark: row for mark, row in rows.items() if row}
    return [_set_scripts(_write_base(tree.Group(node.base)), places)]


def _write_arrow(node: tree.Arrow) -> list[Unit]:
    notes = ", ".join(filter(None, (_write_text(node.above), _write_text(node.below))))
    if not notes:
        return [Unit(node.char)]
    note = notes if notes.isalnum() else f"({notes})"
    return [Unit(_ARROWS.get(node.char, f"{node.char}{{}}").format(note))]


def _write_brace(node: tree.Brace) -> list[Unit]:
    mark = "_" if node.name == "underbrace" else "^"
    places = {mark: node.note} if node.note else {}
    return [_set_scripts(_write_base(tree.Group(node.body)), places)]


def _write_table(node: tree.Table) -> list[Unit]:
    """Write the cells on one line; an environment of lines on several."""
    rows = [[_write_row(cell) for cell in row] for row in node.rows]
    if node.name in symbols.LINES or node.name in symbols.CENTRED:
        return [Unit("\n".join("".join(row).strip() for row in rows))]
    rows = [[cell.strip() for cell in row] for row in rows]
    if node.name in symbols.CASES:
        cases = "; ".join(", ".join(cell.rstrip(",") for cell in row) for row in rows)
        return [Unit(f"{cases} }}" if node.name == "rcases" else f"{{ {cases}")]
    if node.name == "substack":
        return [Unit(", ".join("".join(row) for row in rows))]
    left, right = symbols.MATRICES[node.name] or "()"
    is_parted = any(not cell or " " in cell for row in rows for cell in row)
    gap = ", " if is_parted else " "
    return [Unit(left + "; ".join(gap.join(row) for row in rows) + right)]


_WRITERS: Final[Mapping[type, Callable[[Any], Sequence[Unit]]]] = {
    tree.Char: lambda node: _write_character(node.char),
    tree.Number: lambda node: [Unit(node.digits)],
    tree.Text: lambda node: [Unit(node.text.replace("\u00a0", " "))],
    tree.Blank: lambda _: [Unit(" ")],
    tree.Gap: _write_gap,
    tree.Remark: lambda node: [Unit(_write_text(node.body), "function")],
    tree.Name: lambda node: [Unit(_write_text(node.body), "function")],
    tree.Negated: _write_negated,
    tree.Group: lambda node: _write_units(node.body),
    tree.Wrapped: _write_wrapped,
    tree.Styled: lambda node: _write_units(node.body),
    tree.Scripts: _write_scripts,
    tree.Limits: lambda node: _write_units([node.base]),
    tree.Fraction: _write_fraction,
    tree.Binomial: lambda node: [Unit(f"C({_write_text(node.above)}, {_write_text(node.below)})")],
    tree.Root: _write_root,
    tree.Delimiter: lambda node: _write_character(node.char),
    tree.Fence: _write_fence,
    tree.Stack: _write_stack,
    tree.Arrow: _write_arrow,
    tree.Brace: _write_brace,
    tree.Table: _write_table,
    tree.Unknown: lambda node: [Unit("\n" if node.source == "\\\\" else node.source)],
}
