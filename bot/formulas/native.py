"""Write formulas in the small part of LaTeX that chat apps typeset themselves.

Apps use different mathematics libraries, and some show the source (tdlib/telegram-bot-api#861). So
only notation is used that all libraries know and people can read as source: letters, numbers,
common signs, scripts, fractions, roots, brackets, sums, integrals and limits. The source is
rewritten and short: `\\dfrac{3}{4}` is `\\frac{3}{4}`, `x^{2}` is `x^2`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

import msgspec

from bot.formulas import tree
from bot.formulas.syntax import Untypesettable, read_formula
from bot.formulas.tree import Node, Row

_LONGEST: Final = 160
"""Most characters of source for a person to read."""
_DEEPEST: Final = 3
"""Most levels of nested fractions, roots and scripts."""
_PLAIN = re.compile(r"[A-Za-z0-9+\-=()\[\]|/!,;:.*]")
_WORDS = re.compile(r"[A-Za-z0-9 ,.;:()/+\-=]+")
_SIGNS: Final = {
    "−": "-", "×": "\\times", "⋅": "\\cdot", "·": "\\cdot", "∗": "*", "÷": "\\div", "±": "\\pm",
    "∓": "\\mp", "≤": "\\le", "⩽": "\\le", "≥": "\\ge", "⩾": "\\ge",
    "≠": "\\ne", "≈": "\\approx", "≡": "\\equiv", "→": "\\to", "⇒": "\\Rightarrow",
    "⟹": "\\Rightarrow", "⇔": "\\Leftrightarrow", "⟺": "\\Leftrightarrow", "∞": "\\infty",
    "∈": "\\in", "∉": "\\notin", "∪": "\\cup", "∩": "\\cap", "∘": "\\circ", "…": "\\dots",
    "⋯": "\\cdots", "%": "\\%", "{": "\\{", "}": "\\}", "~": "\\ ",
}  # fmt: skip
"""The source of each character. `<` and `>` are left out: they are markup on the way."""
_GREEK: Final = {
    "α": "\\alpha", "β": "\\beta", "γ": "\\gamma", "δ": "\\delta", "ε": "\\varepsilon",
    "θ": "\\theta", "λ": "\\lambda", "μ": "\\mu", "π": "\\pi", "ρ": "\\rho", "σ": "\\sigma",
    "τ": "\\tau", "φ": "\\varphi", "ω": "\\omega", "Δ": "\\Delta", "Σ": "\\Sigma", "Ω": "\\Omega",
}  # fmt: skip
_LARGE: Final = {"∑": "\\sum", "∏": "\\prod", "∫": "\\int"}
_NAMES: Final = frozenset(("sin", "cos", "tan", "ln", "log", "exp", "lim", "max", "min"))
_FONTS: Final = {"upright": "mathrm", "bb": "mathbb"}
_GAPS: Final = {"negthin": "", "thin": "\\,", "quad": "\\quad", "wide": "\\quad"}
_PAIRS: Final = frozenset(("()", "[]", "||", "{}"))
"""Brackets that apps can stretch; others are used only around a body without tall parts."""
_SPACES = re.compile(r" {2,}")
_OPEN_END = re.compile(r"\\[A-Za-z]+$|[\^_][A-Za-z0-9]$")
"""The end of a part that would merge with a letter or digit after it."""
_NOT_PORTABLE = re.compile(r"\\(?:ce|pu|color|textcolor)\b")
"""Commands whose meaning the tree does not fully hold."""


class Native(msgspec.Struct, frozen=True):
    """A formula in the part of LaTeX that apps know."""

    latex: str
    is_tall: bool
    """Whether it has parts over one another, which a line of text can only describe."""


@lru_cache(maxsize=1024)
def to_native(latex: str) -> Native | None:
    """Return the formula `latex` (without its dollar signs) in the LaTeX of apps; None: they cannot
    show it."""
    if _NOT_PORTABLE.search(latex):
        return None
    writer = _Writer()
    try:
        written = writer.write_row(read_formula(latex))
    except Untypesettable:
        return None
    written = _SPACES.sub(" ", written).strip()
    return Native(written, writer.is_tall) if 0 < len(written) <= _LONGEST else None


class _Writer:
    """A writer of one formula; raises `Untypesettable` for other notation."""

    def __init__(self) -> None:
        self.is_tall = False
        self._depth = 0

    def write_row(self, row: Row) -> str:
        parts: list[str] = []
        for node in row:
            part = self.write(node)
            if parts and part[:1].isalnum() and _OPEN_END.search(parts[-1]):
                parts.append(" ")
            parts.append(part)
        return "".join(parts)

    def write(self, node: Node) -> str:
        writer = _WRITERS.get(type(node))
        if writer is None:
            raise Untypesettable("It is not in the part that apps set themselves.")
        return writer(self, node)

    def write_text(self, node: tree.Text) -> str:
        words = node.text.replace("\u00a0", " ")
        if not _WORDS.fullmatch(words):
            raise Untypesettable("Not every library has letters for these words.")
        return f"\\text{{{words}}}"

    def write_group(self, node: tree.Group) -> str:
        written = self.write_row(node.body)
        is_text = len(node.body) == 1 and isinstance(node.body[0], tree.Text)
        return written if is_text else f"{{{written}}}"

    def write_fraction(self, node: tree.Fraction) -> str:
        self.is_tall = True
        return f"\\frac{{{self._write_inner(node.above)}}}{{{self._write_inner(node.below)}}}"

    def write_root(self, node: tree.Root) -> str:
        self.is_tall = True
        degree = f"[{self._write_inner(node.degree)}]" if node.degree else ""
        return f"\\sqrt{degree}{{{self._write_inner(node.body)}}}"

    def write_wrapped(self, node: tree.Wrapped) -> str:
        command, written = _FONTS.get(node.function), self.write_row(node.body)
        if not (command and written.isascii() and written.isalpha()):
            raise Untypesettable("Only letters are set in another font.")
        return f"\\{command}{{{written}}}"

    def write_styled(self, node: tree.Styled) -> str:
        if node.function != "display":
            raise Untypesettable("It changes its font half-way.")
        return self.write_row(node.body)

    def write_scripts(self, node: tree.Scripts) -> str:
        base = node.base
        if base is None or node.are_before or isinstance(base, tree.Scripts):
            raise Untypesettable("Its scripts stand before something.")
        written = self.write(base)
        self.is_tall |= written in _LARGE.values() or written == "\\lim"
        for mark, row in node.places.items():
            if mark == "'":
                written += "'" * len(row)
                continue
            script = self._write_inner(row)
            written += mark + (script if len(script) == 1 else f"{{{script}}}")
        return written

    def write_fence(self, node: tree.Fence) -> str:
        before, self.is_tall = self.is_tall, False
        written = self.write_row(node.body).strip()
        grows, self.is_tall = self.is_tall, before or self.is_tall
        ends = (_write_character(node.opening), _write_character(node.closing))
        if not grows:
            return written.join(ends)
        if node.opening + node.closing not in _PAIRS:
            raise Untypesettable("Not every library makes these brackets grow.")
        return f"\\left{ends[0]}{written}\\right{ends[1]}"

    def _write_inner(self, row: Row) -> str:
        """Write a row over, under or inside a construct. Raises `Untypesettable`: it is nested too
        deeply."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Untypesettable("It is too deep to be read as source.")
        written = self.write_row(row).strip()
        self._depth -= 1
        return written


def _write_character(char: str) -> str:
    if _PLAIN.fullmatch(char):
        return char
    for known in (_SIGNS, _GREEK, _LARGE):
        if char in known:
            return known[char]
    raise Untypesettable("It holds a sign that not every app knows.")


def _write_name(body: Row) -> str:
    letters = (node.text for node in body if isinstance(node, tree.Text))
    name = "".join(letters)
    if name not in _NAMES:
        raise Untypesettable("It holds a function that not every app knows.")
    return f"\\{name}"


_WRITERS: Final[Mapping[type, Callable[[_Writer, Any], str]]] = {
    tree.Char: lambda _, node: _write_character(node.char),
    tree.Delimiter: lambda _, node: _write_character(node.char),
    tree.Number: lambda _, node: node.digits.replace(",", "{,}"),
    tree.Text: _Writer.write_text,
    tree.Blank: lambda _, __: " ",
    tree.Gap: lambda _, node: _GAPS.get(node.width, "\\ "),
    tree.Name: lambda _, node: _write_name(node.body),
    tree.Group: _Writer.write_group,
    tree.Limits: lambda writer, node: writer.write(node.base),
    tree.Styled: _Writer.write_styled,
    tree.Wrapped: _Writer.write_wrapped,
    tree.Scripts: _Writer.write_scripts,
    tree.Fraction: _Writer.write_fraction,
    tree.Root: _Writer.write_root,
    tree.Fence: _Writer.write_fence,
}
"""Writers by node; a node without one raises `Untypesettable`."""
