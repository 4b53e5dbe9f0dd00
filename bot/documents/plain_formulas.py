"""Formulas as readable text, for where an equation cannot stand."""

from __future__ import annotations

import re
from typing import Final

from bot.documents import latex_syntax
from bot.documents.latex_syntax import Tokens

_MATHS = re.compile(r"\$\$?(?=\S)([^$\n]{1,500}?)(?<=\S)\$\$?(?!\d)")
_FORMULA = re.compile(r"[\\^_={}<>+]|^\w$")


def _pairs(plain: str, small: str) -> dict[str, str]:
    return dict(zip(plain, small, strict=True))


_RAISED: Final = _pairs(
    "0123456789+-−=()niabcdefghjklmoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿⁱᵃᵇᶜᵈᵉᶠᵍʰʲᵏˡᵐᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
)
_LOWERED: Final = _pairs("0123456789+-−=()aeijkmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑᵢⱼₖₘₙₒₚᵣₛₜᵤᵥₓ")
_DOUBLED: Final = {"R": "ℝ", "N": "ℕ", "Z": "ℤ", "Q": "ℚ", "C": "ℂ"}
_SIMPLE = re.compile(r"\w+|√\([^()]*\)")
_DEEPEST: Final = 20


def replace_formulas(text: str) -> str:
    """`text` with what stands between dollar signs as readable text; `$5 and $10` stays."""

    def say(found: re.Match[str]) -> str:
        return to_plain_text(found[1]) if _FORMULA.search(found[1]) else found[0]

    return _MATHS.sub(say, text)


def to_plain_text(latex: str) -> str:
    """A formula in one line: `x²`, `(a+b)/2`, `√(x+1)`; what is not known here stays a word."""
    return " ".join(_read_until(Tokens(latex), "", 0).split()) or latex


def _read_until(tokens: Tokens, end: str, depth: int) -> str:
    written: list[str] = []
    while (part := tokens.take()) not in (end, ""):
        if part in "^_":
            written.append(_script(part, _argument(tokens, depth)))
        elif part.startswith("\\"):
            written.append(_command(part[1:], tokens, depth))
        elif part == "{" and depth < _DEEPEST:
            written.append(_read_until(tokens, "}", depth + 1))
        elif part not in "{}":
            written.append({"-": "−", "*": "×", "&": " ", "~": " "}.get(part, part))
    return "".join(written)


def _argument(tokens: Tokens, depth: int) -> str:
    part = tokens.take_visible()
    if part == "{" and depth < _DEEPEST:
        return _read_until(tokens, "}", depth + 1)
    return _command(part[1:], tokens, depth) if part.startswith("\\") else part


def _command(name: str, tokens: Tokens, depth: int) -> str:
    if depth < _DEEPEST and name in ("frac", "dfrac", "tfrac"):
        above, below = _argument(tokens, depth + 1), _argument(tokens, depth + 1)
        return f"{_bracket(above)}/{_bracket(below)}"
    if depth < _DEEPEST and name == "sqrt":
        return f"√({_argument(tokens, depth + 1)})"
    if name in latex_syntax.SYMBOLS:
        return latex_syntax.SYMBOLS[name]
    if name == "mathbb":
        letter = _argument(tokens, depth + 1)
        return _DOUBLED.get(letter, letter)
    if name in _UNSEEN:
        return ""
    return f"{name} " if name.isalpha() and name not in latex_syntax.SPACES else " "


_UNSEEN: Final = {"left", "right", "displaystyle", *latex_syntax.TEXTS, *latex_syntax.WRAPPERS}


def _script(mark: str, text: str) -> str:
    table = _RAISED if mark == "^" else _LOWERED
    if text and all(char in table for char in text):
        return "".join(table[char] for char in text)
    return f"{mark}{_bracket(text)}"


def _bracket(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"
