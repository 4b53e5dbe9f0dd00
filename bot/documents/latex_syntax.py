"""LaTeX mathematics: its commands, its tokens, and the reader that writers of formulas share."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator
from typing import Final, Generic, NamedTuple, TypeVar

PREAMBLE: Final = r"""
#let negthin = h(-0.17em)
#let tight(body) = { set text(top-edge: "bounds", bottom-edge: "bounds"); body }
#let boxed(body) = box(stroke: 0.6pt, inset: 0.4em, tight($display(body)$))
#let ruled(width, level, upright, ..cells) = box(tight(grid(
  columns: width, inset: (x: 0.6em, y: 0.5em), align: center + horizon,
  ..level.map(y => grid.hline(y: y, stroke: 0.6pt)),
  ..upright.map(x => grid.vline(x: x, stroke: 0.6pt)),
  ..cells.pos().map(cell => $display(cell)$),
)))
#let unseen(body) = hide($body$)
#let over(body, note) = math.attach(math.limits(body), t: note)
#let under(body, note) = math.attach(math.limits(body), b: note)
#let tie = sym.space.nobreak
#set math.mat(row-gap: 0.35em, column-gap: 0.9em)
#set math.cases(gap: 0.45em)
#set math.equation(numbering: none)
"""
"""Typst source that stands once before the formulas; it only sets how mathematics looks."""
_GREEK = """
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ
upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
Upsilon Υ Phi Φ Psi Ψ Omega Ω
"""
_OPERATORS = """
times × cdot ⋅ div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙ wedge ∧
land ∧ vee ∨ lor ∨ neg ¬ lnot ¬ setminus ∖ cap ∩ cup ∪ sqcup ⊔ uplus ⊎ dagger † ddagger ‡
sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂
bigvee ⋁ bigwedge ⋀ partial ∂ nabla ∇
"""
_RELATIONS = """
leq ≤ le ≤ leqslant ⩽ geq ≥ ge ≥ geqslant ⩾ neq ≠ ne ≠ equiv ≡ approx ≈ simeq ≃ sim ∼ cong ≅
propto ∝ ll ≪ gg ≫ lt < gt > mid ∣ nmid ∤ parallel ∥ perp ⟂ in ∈ notin ∉ ni ∋ subset ⊂ subseteq ⊆
subsetneq ⊊ supset ⊃ supseteq ⊇ nsubseteq ⊈ prec ≺ succ ≻ preceq ⪯ succeq ⪰ models ⊨ vdash ⊢ asymp ≍
doteq ≐ triangleq ≜ therefore ∴ because ∵ colon : coloneqq ≔
"""
_ARROWS = """
to → rightarrow → leftarrow ← gets ← mapsto ↦ longmapsto ⟼ longrightarrow ⟶ longleftarrow ⟵
leftrightarrow ↔ longleftrightarrow ⟷ uparrow ↑ downarrow ↓ updownarrow ↕ nearrow ↗ searrow ↘
nwarrow ↖ swarrow ↙ Rightarrow ⇒ implies ⟹ Longrightarrow ⟹ Leftarrow ⇐ impliedby ⟸ Longleftarrow ⟸
Leftrightarrow ⇔ iff ⟺ Longleftrightarrow ⟺ hookrightarrow ↪ rightleftharpoons ⇌
leftrightharpoons ⇋ rightharpoonup ⇀
"""
_OTHERS = r"""
infty ∞ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘
prime ′ degree ° ldots … dots … dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ angle ∠ measuredangle ∡
triangle △ square □ blacksquare ■ diamond ⋄ top ⊤ bot ⊥ checkmark ✓ langle ⟨ rangle ⟩ lfloor ⌊
rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } lbrack [ rbrack ] lparen ( rparen ) vert | lvert |
rvert | Vert ‖ lVert ‖ rVert ‖ backslash \ euro € pounds £ imath ı jmath ȷ flat ♭ sharp ♯
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pairs(text: str) -> dict[str, str]:
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


_TOKEN = re.compile(r"\\(?:operatorname\*|[A-Za-z]+|.)?|\s+|.", re.DOTALL)
_GAP = re.compile(r"\s*\[\s*-?[\d.]+\s*(?:pt|em|ex|mm|cm)\s*\]")
_FARTHEST = 20
"""Tokens that a gap between rows may have."""


class Tokens:
    """The tokens of a formula: a command, white space, or one character."""

    def __init__(self, latex: str) -> None:
        self._tokens: list[str] = _TOKEN.findall(latex)
        self._at = 0

    def peek(self, ahead: int = 0) -> str:
        """The token that comes next, or `ahead` places later; "" at the end."""
        at = self._at + ahead
        return self._tokens[at] if at < len(self._tokens) else ""

    def peek_visible(self) -> str:
        """The next token that is not white space."""
        ahead = 0
        while self.peek(ahead).isspace():
            ahead += 1
        return self.peek(ahead)

    def take(self) -> str:
        part = self.peek()
        self._at += 1
        return part

    def take_visible(self) -> str:
        while self.peek().isspace():
            self._at += 1
        return self.take()

    def expect(self, wanted: str) -> None:
        """Take `wanted`, after white space. Raises `Untypesettable` if something else comes."""
        if self.take_visible() != wanted:
            raise Untypesettable(f"{wanted!r} is missing.")

    def raw_argument(self) -> str:
        """The source between the next braces."""
        self.expect("{")
        start, depth = self._at, 1
        while depth:
            part = self.take()
            if not part:
                raise Untypesettable("Something is not closed.")
            depth += (part == "{") - (part == "}")
        return "".join(self._tokens[start : self._at - 1])

    def skip_gap(self) -> None:
        """Read past the `[2pt]` that may follow the end of a row."""
        ahead = "".join(self._tokens[self._at : self._at + _FARTHEST])
        if gap := _GAP.match(ahead):
            self._at += len(_TOKEN.findall(gap[0]))


class Untypesettable(Exception):
    """The formula is malformed, or holds a command that is not known here."""


SYMBOLS: Final = {
    **_pairs(_GREEK),
    **_pairs(_OPERATORS),
    **_pairs(_RELATIONS),
    **_pairs(_ARROWS),
    **_pairs(_OTHERS),
    **{char: char for char in "{}%$&#_"},
    "|": "‖",
    "lbracket": "[",
    "rbracket": "]",
}
"""Commands that are one character."""

NUMBERS: Final = {"R": "bb(R)", "N": "bb(N)", "Z": "bb(Z)", "Q": "bb(Q)", "C": "bb(C)"}
"""Not LaTeX's own, but what everybody defines."""

SPACES: Final = {
    ",": "thin",
    ":": "med",
    ">": "med",
    ";": "thick",
    " ": "tie",
    "space": "tie",
    "enspace": "tie",
    "!": "negthin",
    "quad": "quad",
    "qquad": "wide",
    "hfill": "quad",
}

IGNORED: Final = _words("nonumber notag hline limits nolimits allowbreak relax")
"""Commands without a meaning or a sign in a formula that stands alone."""

FUNCTIONS: Final = {
    **{
        name: name
        for name in _words(
            "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh coth ln log lg exp ker deg"
            " dim hom arg pgcd ppcm sgn card mod Vect"
        )
    },
    "bmod": "mod",
}
"""Operators with their scripts at their side."""

LIMITS: Final = {
    **{name: name for name in _words("lim max min sup inf det gcd lcm Pr argmax argmin")},
    "limsup": "lim sup",
    "liminf": "lim inf",
}
"""Operators with their scripts above and below."""

WRAPPERS: Final = _pairs("""
mathbb bb mathds bb mathcal cal mathscr scr mathfrak frak mathrm upright mathup upright
mathnormal italic mathit italic mathsf sans mathtt mono boldsymbol bold bm bold pmb bold vec
arrow overrightarrow arrow overleftarrow arrow.l hat hat widehat hat check caron tilde tilde
widetilde tilde bar macron breve breve acute acute grave grave dot dot ddot dot.double dddot
dot.triple mathring circle overline overline underline underline overarc overparen wideparen
overparen overparen overparen cancel cancel boxed boxed fbox boxed phantom unseen hphantom
unseen vphantom unseen mathstrut unseen
""")
"""Commands of one argument that are a function of one argument."""

TRANSPARENT: Final = _words("mathord mathbin mathrel mathopen mathclose mathinner mathpunct")
"""Commands that only say how much space their argument has around it."""

TEXTS: Final = {
    "text": "",
    "textrm": "",
    "textnormal": "",
    "mbox": "",
    "hbox": "",
    "textbf": "bold",
    "textit": "italic",
    "emph": "italic",
    "textsf": "sans",
    "texttt": "mono",
}
"""Commands whose argument is words."""

SWITCHES: Final = _pairs("""
displaystyle display textstyle inline scriptstyle script scriptscriptstyle sscript rm upright bf
bold it italic sf sans tt mono cal cal
""")
"""Commands that hold up to the end of their group."""

STRETCHED: Final = _pairs("""
xrightarrow → xleftarrow ← xleftrightarrow ↔ xRightarrow ⇒ xLeftarrow ⇐ xLeftrightarrow ⇔
xmapsto ↦ xrightleftharpoons ⇌
""")
"""Arrows that are as long as what is written over and under them."""

SIZES: Final = {
    **dict.fromkeys(("big", "bigl", "bigr", "bigm"), "1.2em"),
    **dict.fromkeys(("Big", "Bigl", "Bigr", "Bigm"), "1.8em"),
    **dict.fromkeys(("bigg", "biggl", "biggr", "biggm"), "2.4em"),
    **dict.fromkeys(("Bigg", "Biggl", "Biggr", "Biggm"), "3em"),
}
"""Heights of brackets that are sized by hand."""

NEGATED: Final = _pairs("""
= ≠ ∈ ∉ ⊂ ⊄ ⊆ ⊈ ≡ ≢ ∼ ≁ ≈ ≉ ∥ ∦ ∣ ∤ < ≮ > ≯ ≤ ≰ ≥ ≱ ∃ ∄ ⇒ ⇏ ⇔ ⇎ → ↛
""")

MATRICES: Final = {
    "matrix": "#none",
    "smallmatrix": "#none",
    "array": "#none",
    "pmatrix": '"("',
    "bmatrix": '"["',
    "Bmatrix": '"{"',
    "vmatrix": '"|"',
    "Vmatrix": '"‖"',
}
"""Environments of cells, and what stands around them."""

LINES: Final = _words("aligned align alignedat split eqnarray multline flalign")
CENTRED: Final = _words("gather gathered equation displaymath math")
CASES: Final = _words("cases dcases rcases")


MAX_LENGTH: Final = 2_000
"""Characters of one formula."""
_DEEPEST: Final = 40
_MOST_CELLS: Final = 1_000
"""Cells of one environment."""
_RULES: Final = ("\\hline", "\\toprule", "\\midrule", "\\bottomrule")
_BRACKETS: Final = "()[]{}|‖/\\⟨⟩⌊⌋⌈⌉↑↓↕"
_DOLLAR = re.compile(r"(?<!\\)\$")
_ESCAPE = re.compile(r"\\(.|$)|[{}~]")
Part = TypeVar("Part")
Joined = TypeVar("Joined")


class Environment(NamedTuple, Generic[Part]):
    """An environment: the text between `\\begin` and `\\end`."""

    name: str
    """The name without its star."""
    columns: str
    """Of an array, `c|cc`; else empty."""
    rows: list[list[list[Part]]]
    """The parts of each cell of each row."""
    rules: list[int]
    """The rows before which a line is drawn."""


class FormulaReader(ABC, Generic[Part, Joined]):
    """Reads a formula. A subclass writes it for one target: `Part` is a piece of a row, `Joined`
    are the pieces of a row together.

    Args:
        depth: how deep in other formulas this one stands.
    """

    def __init__(self, latex: str, depth: int = 0) -> None:
        self.tokens = Tokens(latex)
        self.depth = depth

    @abstractmethod
    def join(self, parts: list[Part]) -> Joined:
        """Join parts to a row."""

    @abstractmethod
    def write_group(self, parts: list[Part]) -> Part:
        """Write the parts between braces."""

    @abstractmethod
    def write_number(self, digits: str) -> Part:
        """Write a number with its point or comma."""

    @abstractmethod
    def write_character(self, char: str) -> Part:
        """Write a visible character, or `~`."""

    @abstractmethod
    def add_script(self, mark: str, parts: list[Part]) -> None:
        """Read what follows the mark `^`, `_` or `'`, and add it to the last of `parts`."""

    @abstractmethod
    def add_command(self, name: str, parts: list[Part]) -> None:
        """Read the arguments of a command, and add what it stands for to `parts`."""

    def read_sequence(self, *stops: str) -> list[Part]:
        """Read up to one of `stops`, which is not taken; "" stands for the end."""
        self._descend()
        parts: list[Part] = []
        while (part := self.tokens.peek()) and part not in stops:
            self._add_part(self.tokens.take(), parts)
        if part not in stops:
            raise Untypesettable("Something is not closed.")
        self.depth -= 1
        return parts

    def read_closed(self, end: str) -> list[Part]:
        """Read up to and with `end`."""
        parts = self.read_sequence(end)
        self.tokens.take()
        return parts

    def read_argument(self) -> Joined:
        """Read the next braces, or a single token."""
        part = self.tokens.take_visible()
        if part == "{":
            return self.join(self.read_closed("}"))
        if not part or part in "^_'}&":
            raise Untypesettable("An argument is missing.")
        if _is_digit(part):  # of `x^23` the 2 alone
            return self.join([self.write_number(part)])
        self._descend()
        parts: list[Part] = []
        self._add_part(part, parts)
        self.depth -= 1
        return self.join(parts)

    def read_optional(self) -> Joined:
        """Read the next square brackets, if there are some."""
        if self.tokens.peek_visible() != "[":
            return self.join([])
        self.tokens.expect("[")
        return self.join(self.read_closed("]"))

    def read_rows(self, end: str) -> tuple[list[list[list[Part]]], list[int]]:
        """Read the parts of each cell of each row up to and with `end`, and the rows before which a
        line is drawn."""
        rows: list[list[list[Part]]] = []
        rules: list[int] = []
        stop, cells = "\\\\", 0
        while stop != end:
            if stop == "\\\\":
                if rows:
                    self.tokens.skip_gap()
                while self.tokens.peek_visible() in _RULES:
                    self.tokens.take_visible()
                    rules.append(len(rows))
                rows.append([])
            rows[-1].append(self.read_sequence("&", "\\\\", end))
            cells += 1
            if cells > _MOST_CELLS:
                raise Untypesettable("It has too many cells.")
            stop = self.tokens.take()
        return rows, rules

    def read_environment(self) -> Environment[Part]:
        """Read the rest of an environment, from its name on."""
        name = self.tokens.raw_argument()
        plain = name.removesuffix("*")
        columns = ""
        if plain in ("array", "alignedat"):
            self.read_optional()
            columns = self.tokens.raw_argument()
        rows, rules = self.read_rows("\\end")
        if self.tokens.raw_argument() != name:
            raise Untypesettable("Environments cross.")
        return Environment(plain, columns, rows, rules)

    def read_words(self) -> Iterator[tuple[str, bool]]:
        """Read the words of a text command's argument, and the formulas between dollar signs in it,
        for which the second is True."""
        texts = _DOLLAR.split(self.tokens.raw_argument())
        if len(texts) % 2 == 0:
            raise Untypesettable("A dollar sign is missing.")
        for index, text in enumerate(texts):
            yield (text, True) if index % 2 else (_ESCAPE.sub(_unescape, text), False)

    def read_bracket(self) -> str:
        """Read a bracket as one character; "" for the dot that stands for none."""
        part = self.tokens.take_visible()
        if part == ".":
            return ""
        char = {"<": "⟨", ">": "⟩"}.get(part, part)
        if part.startswith("\\"):
            char = SYMBOLS.get(part[1:], "")
        if not char or char not in _BRACKETS:
            raise Untypesettable("A bracket is missing.")
        return char

    def read_negated(self) -> str:
        """Read a character and return it negated: ≠ for `=`."""
        part = self.tokens.take_visible()
        char = SYMBOLS.get(part[1:], "") if part.startswith("\\") else part
        if char not in NEGATED:
            raise Untypesettable("This is not negated so.")
        return NEGATED[char]

    def _descend(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise Untypesettable("It is nested too deeply.")

    def _add_part(self, part: str, parts: list[Part]) -> None:
        if part in ("}", "&", "\\", "\\\\", "$"):
            raise Untypesettable(f"{part!r} stands where it means nothing.")
        if part == "{":
            parts.append(self.write_group(self.read_closed("}")))
        elif part in "^_'":
            self.add_script(part, parts)
        elif part[0] == "\\":
            self.add_command(part[1:], parts)
        elif _is_digit(part):
            while _is_digit(self.tokens.peek()) or (
                self.tokens.peek() in (".", ",") and _is_digit(self.tokens.peek(1))
            ):
                part += self.tokens.take()
            parts.append(self.write_number(part))
        elif not part.isspace():
            parts.append(self.write_character(part))


def _is_digit(part: str) -> bool:
    return part.isascii() and part.isdigit()


def _unescape(found: re.Match[str]) -> str:
    """The character that an escape in text stands for. Raises `Untypesettable`: a command."""
    char = found[1]
    if char is None:
        return "\u00a0" if found[0] == "~" else ""
    if char.isalnum():
        raise Untypesettable("It holds a command within words.")
    return " " if char in ",;: \\" else char
