"""Write LaTeX formulas as linear Unicode text that cannot be misread.

`x^{n+1}` is `xⁿ⁺¹`, `x^{n/2}` is `x^(n/2)`, `\\frac{a+b}{2}` is `(a+b)/2`. What the parser does
not know stays LaTeX: nothing is dropped, nothing changes its meaning.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal

import msgspec

_GREEK = """
alpha beta gamma delta epsilon zeta eta theta iota kappa mu nu xi pi rho sigma tau upsilon phi chi
psi omega Gamma Delta Theta Xi Pi Sigma Upsilon Phi Psi Omega
"""
_TABLE = r"""
lambda λ  Lambda Λ  varepsilon ε  varphi φ  vartheta ϑ  varrho ϱ  varsigma ς  varpi ϖ
omicron ο  times ×  cdot ·  div ÷  pm ±  mp ∓  ast ∗  star ⋆  circ ∘  bullet •  oplus ⊕
otimes ⊗  wedge ∧  vee ∨  land ∧  lor ∨  neg ¬  lnot ¬  setminus ∖  cap ∩  cup ∪  leq ≤  le ≤
leqslant ⩽  geq ≥  ge ≥  geqslant ⩾  neq ≠  ne ≠  equiv ≡  approx ≈  simeq ≃  sim ∼  cong ≅
propto ∝  ll ≪  gg ≫  lt <  gt >  mid |  nmid ∤  parallel ∥  perp ⊥  angle ∠  triangle △
square □  in ∈  notin ∉  ni ∋  subset ⊂  subseteq ⊆  supset ⊃  supseteq ⊇  nsubseteq ⊈
emptyset ∅  varnothing ∅  forall ∀  exists ∃  nexists ∄  therefore ∴  because ∵  to →
rightarrow →  leftarrow ←  gets ←  mapsto ↦  longrightarrow ⟶  leftrightarrow ↔  uparrow ↑
downarrow ↓  Rightarrow ⇒  implies ⇒  Longrightarrow ⇒  Leftarrow ⇐  Leftrightarrow ⇔  iff ⇔
Longleftrightarrow ⇔  rightleftharpoons ⇌  sum ∑  prod ∏  int ∫  iint ∬  oint ∮  partial ∂
nabla ∇  infty ∞  hbar ℏ  ell ℓ  Re ℜ  Im ℑ  aleph ℵ  wp ℘  prime ′  degree °  ldots …  dots …
cdots ⋯  vdots ⋮  ddots ⋱  langle ⟨  rangle ⟩  lfloor ⌊  rfloor ⌋  lceil ⌈  rceil ⌉  lbrace {
rbrace }  lbrack [  rbrack ]  vert |  lvert |  rvert |  Vert ‖  lVert ‖  rVert ‖  backslash \
euro €  colon :  dagger †  checkmark ✓  { {  } }  % %  $ $  & &  # #  _ _  | ‖
"""


def name_set(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pairs_of(text: str) -> dict[str, str]:
    names = text.split()
    return dict(zip(names[::2], names[1::2], strict=True))


def _greek(name: str) -> str:
    case = "CAPITAL" if name[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {case} LETTER {name.upper()}")


SYMBOLS = _pairs_of(_TABLE) | {name: _greek(name) for name in _GREEK.split()}
"""Commands without arguments, by name without the backslash."""
SPACES: dict[str, str] = {
    **dict.fromkeys((",", ":", ";", " ", ">", "enspace", "space", "quad", "qquad"), " "),
    **dict.fromkeys(("!", "displaystyle", "textstyle", "limits", "nolimits", "hfill"), ""),
    "\\": "\n",
}
FUNCTIONS = name_set(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh ln log exp lim max min sup inf "
    "det dim ker deg gcd lcm pgcd ppcm mod bmod arg Pr"
)
"""Commands that are their own name, parted from what stands beside them."""
NEGATED = {"=": "≠", "∈": "∉", "⊂": "⊄", "⊆": "⊈", "≡": "≢", "∼": "≁", "≈": "≉", "∥": "∦", "∣": "∤"}
ACCENTS: dict[str, str] = {
    **dict.fromkeys(("vec", "overrightarrow"), "\u20d7"),
    **dict.fromkeys(("hat", "widehat"), "\u0302"),
    **dict.fromkeys(("bar", "overline"), "\u0305"),
    **dict.fromkeys(("tilde", "widetilde"), "\u0303"),
    "dot": "\u0307",
    "ddot": "\u0308",
    "underline": "\u0332",
}
"""Combining characters."""
_RAISED = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻᴬᴮᴰᴱᴳᴴᴵᴶᴷᴸᴹᴺᴼᴾᴿᵀᵁⱽᵂᵝᵞᵟᶿ"
_LOWERED = "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ"
SUPERSCRIPTS = dict(
    zip("0123456789+-=()abcdefghijklmnoprstuvwxyzABDEGHIJKLMNOPRTUVWβγδθ", _RAISED, strict=True)
)
SUBSCRIPTS = dict(zip("0123456789+-=()aehijklmnoprstuvxβγρφχ", _LOWERED, strict=True))
FONTS = {"mathbb": "DOUBLE-STRUCK", "mathcal": "SCRIPT", "mathscr": "SCRIPT"}


def font_letter(font: str, char: str) -> str:
    """`char` in one of `FONTS`; as it is where Unicode has none."""
    style = FONTS[font]
    for name in (f"MATHEMATICAL {style} CAPITAL {char}", f"{style} CAPITAL {char}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return char


def place_accent(name: str, text: str) -> str:
    """`text` under an accent: an arrow ends it, a hat stands on an angle's vertex."""
    mark = ACCENTS[name]
    if name in ("vec", "overrightarrow"):
        return text + mark if text.isalnum() else f"\\{name}{{{text}}}"
    if mark == "\u0302" and len(text) == 3:
        return text[:2] + mark + text[2:]
    return "".join(char + mark for char in text)


_SINGLE = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_][²³¹⁰-ₜ′]*|[√∛∜]?\([^()]*\)")
_TERM = re.compile(r"\w[\w²³¹⁰-ₜ′]*(?:\([^()]*\))?|[√∛∜]?\([^()]*\)")


class Unit(msgspec.Struct, frozen=True, gc=False):
    """What stands together; `kind` says what may touch it unchanged."""

    text: str
    kind: Literal["plain", "fraction", "function", "script"] = "plain"


def join_units(units: Sequence[Unit]) -> str:
    """The units in a row: fractions in brackets, and names apart, where they would touch others."""
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
    """The text of a unit that is not plain, between two characters."""
    text = unit.text
    follows = before.isalnum() or before == ")"
    if unit.kind == "fraction" and (follows or after.isalnum() or after in tuple("(√!")):
        text = f" ({text})" if before.isdigit() else f"({text})"
    if unit.kind == "function" and follows:
        text = " " + text
    if unit.kind in ("function", "script") and (after.isalnum() or after in tuple("√∛∜")):
        text += " "
    return text


def write_fraction(above: str, below: str) -> Unit:
    """`above/below`, each in brackets unless it is one term."""
    return Unit(f"{_bracket(above, _TERM)}/{_bracket(below, _SINGLE)}", "fraction")


def _bracket(text: str, simple: re.Pattern[str]) -> str:
    return text if simple.fullmatch(text) else f"({text})"


_MATRICES = {
    "matrix": "()",
    "pmatrix": "()",
    "smallmatrix": "()",
    "array": "()",
    "bmatrix": "[]",
    "Bmatrix": "{}",
    "vmatrix": "||",
    "Vmatrix": "‖‖",
}
_LINE_ENVIRONMENTS = name_set("aligned align align* gather gather* gathered split")


def write_environment(name: str, rows: list[list[str]]) -> str | None:
    """The cells of an environment on one line, or lines where it has lines; None if unknown."""
    if name in _LINE_ENVIRONMENTS:
        return "\n".join("".join(row).strip() for row in rows)
    rows = [[cell.strip() for cell in row] for row in rows]
    if name == "cases":
        return "{ " + "; ".join(", ".join(cell.rstrip(",") for cell in row) for row in rows)
    if name not in _MATRICES:
        return None
    left, right = _MATRICES[name]
    gap = ", " if any(" " in cell for row in rows for cell in row) else " "
    return left + "; ".join(gap.join(row) for row in rows) + right


_TOKEN = re.compile(r"\\(?:operatorname\*|[A-Za-z]+|.)?|\s+|.", re.DOTALL)
_DOLLARS = re.compile(r"\$([^\s$](?:[^$\n]*[^\s$])?)\$(?!\d)")
_DEEPEST = 40
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_SIZES = name_set("left right middle big Big bigg Bigg bigl bigr Bigl Bigr")
_TRANSPARENT = name_set(
    "text textbf textit textrm mbox mathrm mathbf mathit mathsf mathtt boldsymbol bm boxed "
    "operatorname operatorname*"
)


class _Malformed(Exception):
    """The formula stays as it is."""


@lru_cache(maxsize=1024)
def to_text(source: str) -> str:
    """The formula `source` (without its dollar signs) as text; as it is if it is malformed.

    Remembered, because drafts show the same formulas again and again while an answer grows.
    """
    try:
        return join_units(_Formula(source).read()).strip()
    except _Malformed:
        return source


def spell_formulas(text: str) -> str:
    """Plain text in which formulas between dollar signs are spelled out; prices stay."""
    return _DOLLARS.sub(lambda found: to_text(found[1]), text)


class _Formula:
    """Reads one formula, token by token."""

    def __init__(self, source: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(source)
        self._at = 0
        self._depth = 0

    def read(self) -> list[Unit]:
        return self._sequence(())

    def _next(self) -> str:
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def _take(self) -> str:
        part = self._next()
        self._at += 1
        return part

    def _sequence(self, stops: Sequence[str]) -> list[Unit]:
        """What comes before one of `stops` (which is not taken), or before the end."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Malformed
        units: list[Unit] = []
        while (part := self._next()) and part not in stops:
            self._at += 1
            self._read_token(part, units)
        if stops and not part:
            raise _Malformed
        self._depth -= 1
        return units

    def _read_token(self, part: str, units: list[Unit]) -> None:
        if part == "}":
            raise _Malformed
        if part == "{":
            units.extend(self._group())
        elif part in "^_":
            self._script(part, units)
        elif part[0] == "\\":
            self._command(part, units)
        elif part.isspace() or part == "~":
            if units and not units[-1].text.endswith((" ", "\n")):
                units.append(Unit(" "))
        else:
            units.append(Unit("′" if part == "'" else part))

    def _group(self) -> list[Unit]:
        """What stands before the closing brace; one unit in brackets if a script follows."""
        units = self._sequence("}")
        self._take()
        if self._next() in ("^", "_") and len(units) > 1:
            return [Unit(f"({join_units(units)})")]
        return units

    def _text(self) -> str:
        """The next argument: a group or a single token."""
        self._skip_spaces()
        part = self._take()
        if not part or part in "}&":
            raise _Malformed
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _Malformed
        units: list[Unit] = []
        if part == "{":
            units = self._sequence("}")
            self._take()
        else:
            self._read_token(part, units)
        self._depth -= 1
        return join_units(units).strip()

    def _script(self, part: str, units: list[Unit]) -> None:
        letters = SUPERSCRIPTS if part == "^" else SUBSCRIPTS
        base = units.pop() if units else Unit("")
        if base.kind == "fraction" or (part == "^" and base.text[-1:] in letters.values()):
            base = Unit(f"({base.text})")
        text = self._text()
        bare = text.replace(" ", "")
        kind = base.kind
        if part == "^" and bare in ("∘", "°", "′", "″"):
            script = bare.replace("∘", "°")
        elif bare and all(char in letters for char in bare):
            script = "".join(letters[char] for char in bare)
        else:
            script = part + (text if len(text) == 1 else f"({text})")
            kind = "script" if len(text) == 1 and kind == "plain" else kind
        units.append(Unit(base.text + script, kind))

    def _command(self, part: str, units: list[Unit]) -> None:
        name = part[1:]
        if name in SYMBOLS:
            units.append(Unit(SYMBOLS[name]))
            self._close_up(units)
        elif name in SPACES:
            units.append(Unit(SPACES[name]))
        elif name in FUNCTIONS:
            units.append(Unit(name, "function"))
        elif name in _SIZES:
            self._skip_spaces()
            self._at += self._next() == "."  # no bracket on this side
        elif structure := self._STRUCTURES.get(name):
            units.append(structure(self))
        else:
            self._styled_or_unknown(part, units)

    def _styled_or_unknown(self, part: str, units: list[Unit]) -> None:
        name = part[1:]
        if name in _TRANSPARENT and self._next() == "{":
            self._take()
            units.extend(self._group())
        elif name in FONTS:
            units.append(Unit("".join(font_letter(name, char) for char in self._text())))
        elif name in ACCENTS:
            units.append(Unit(place_accent(name, self._text())))
        else:
            units.append(Unit(part + self._raw_groups()))

    def _close_up(self, units: list[Unit]) -> None:
        """Drop the space that only ended a command's name: `2\\pi r` is `2πr`."""
        spaced = len(units) > 1 and units[-2].text.endswith((" ", "\n"))
        if spaced or not self._next().isspace():
            return
        following = self._tokens[self._at + 1 : self._at + 2]
        if following and (following[0].isalnum() or following[0][0] in "\\{"):
            self._at += 1

    def _skip_spaces(self) -> None:
        while self._next().isspace():
            self._at += 1

    def _raw_groups(self) -> str:
        """The arguments of an unknown command, as they are."""
        start, depth = self._at, 0
        while (part := self._next()) and (depth or part == "{"):
            depth += (part == "{") - (part == "}")
            self._at += 1
        if depth:
            raise _Malformed
        return "".join(self._tokens[start : self._at])

    def _fraction(self) -> Unit:
        above, below = self._text(), self._text()
        return write_fraction(above, below)

    def _root(self) -> Unit:
        degree = ""
        if self._next() == "[":
            self._take()
            degree = join_units(self._sequence("]")).strip()
            self._take()
        body = self._text()
        if degree in _ROOTS:
            return Unit(f"{_ROOTS[degree]}({body})")
        return Unit(f"root({degree}; {body})", "function")

    def _binomial(self) -> Unit:
        return Unit(f"C({self._text()}, {self._text()})")

    def _negation(self) -> Unit:
        self._skip_spaces()
        part = self._take()
        if part in ("", "{", "}"):
            raise _Malformed
        text = SYMBOLS.get(part[1:], part)
        return Unit(NEGATED.get(text, text + "\u0338"))

    def _modulus(self) -> Unit:
        return Unit(f"(mod {self._text()})", "function")

    def _tag(self) -> Unit:
        return Unit(f"({self._text()})", "function")

    def _environment(self) -> Unit:
        name, _, columns = self._raw_groups()[1:].partition("}")
        if columns and name != "array":
            raise _Malformed
        rows: list[list[str]] = [[]]
        while True:
            rows[-1].append(join_units(self._sequence(("&", "\\\\", "\\end"))))
            stop = self._take()
            if stop == "\\\\":
                rows.append([])
            elif stop == "\\end":
                break
        if self._raw_groups()[1:-1] != name:
            raise _Malformed
        text = write_environment(name, [row for row in rows if any(map(str.strip, row))])
        if text is None:
            raise _Malformed
        return Unit(text)

    _STRUCTURES: ClassVar[Mapping[str, Callable[[Any], Unit]]] = {
        "frac": _fraction,
        "dfrac": _fraction,
        "tfrac": _fraction,
        "cfrac": _fraction,
        "sqrt": _root,
        "binom": _binomial,
        "begin": _environment,
        "not": _negation,
        "pmod": _modulus,
        "tag": _tag,
    }
