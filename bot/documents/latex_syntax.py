"""LaTeX mathematics: its names, and what they stand for in Typst; its tokens."""

from __future__ import annotations

import re
from typing import Final

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
"""To stand once before the formulas; sets nothing but how mathematics looks."""
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
        """What the next braces hold, as it is written."""
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
"""What has no meaning where it stands, and nothing to show."""

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
"""How tall a bracket is made by hand."""

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
