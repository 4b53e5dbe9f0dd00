"""List the commands of LaTeX that Griot knows, with their meanings."""

from __future__ import annotations

from typing import Final

_GREEK = """
alpha α beta β gamma γ delta δ epsilon ϵ varepsilon ε zeta ζ eta η theta θ vartheta ϑ iota ι
kappa κ lambda λ mu μ nu ν xi ξ omicron ο pi π varpi ϖ rho ρ varrho ϱ sigma σ varsigma ς tau τ
upsilon υ phi ϕ varphi φ chi χ psi ψ omega ω Gamma Γ Delta Δ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ
Upsilon Υ Phi Φ Psi Ψ Omega Ω
"""
_OPERATORS = """
times × cdot ⋅ cdotp · div ÷ pm ± mp ∓ ast ∗ star ⋆ circ ∘ bullet ∙ oplus ⊕ ominus ⊖ otimes ⊗ odot ⊙
wedge ∧ land ∧ vee ∨ lor ∨ neg ¬ lnot ¬ setminus ∖ cap ∩ cup ∪ sqcup ⊔ uplus ⊎ dagger † ddagger ‡
sum ∑ prod ∏ coprod ∐ int ∫ iint ∬ iiint ∭ oint ∮ bigcup ⋃ bigcap ⋂ bigoplus ⨁ bigotimes ⨂
bigvee ⋁ bigwedge ⋀ partial ∂ nabla ∇
"""
_RELATIONS = """
leq ≤ le ≤ leqslant ⩽ geq ≥ ge ≥ geqslant ⩾ neq ≠ ne ≠ equiv ≡ approx ≈ thickapprox ≈ simeq ≃ sim ∼
cong ≅ propto ∝ ll ≪ gg ≫ lt < gt > mid ∣ nmid ∤ parallel ∥ perp ⟂ in ∈ notin ∉ ni ∋ subset ⊂
subseteq ⊆ subsetneq ⊊ supset ⊃ supseteq ⊇ nsubseteq ⊈ prec ≺ succ ≻ preceq ⪯ succeq ⪰ models ⊨
vdash ⊢ asymp ≍ doteq ≐ triangleq ≜ therefore ∴ because ∵ colon : coloneqq ≔
"""
_ARROWS = """
to → rightarrow → leftarrow ← gets ← mapsto ↦ longmapsto ⟼ longrightarrow ⟶ longleftarrow ⟵
leftrightarrow ↔ longleftrightarrow ⟷ uparrow ↑ downarrow ↓ updownarrow ↕ nearrow ↗ searrow ↘
nwarrow ↖ swarrow ↙ Rightarrow ⇒ implies ⟹ Longrightarrow ⟹ Leftarrow ⇐ impliedby ⟸ Longleftarrow ⟸
Leftrightarrow ⇔ iff ⟺ Longleftrightarrow ⟺ hookrightarrow ↪ rightleftharpoons ⇌
leftrightharpoons ⇋ rightharpoonup ⇀
"""
_OTHERS = r"""
infty ∞ emptyset ∅ varnothing ∅ forall ∀ exists ∃ nexists ∄ AA Å hbar ℏ ell ℓ Re ℜ Im ℑ aleph ℵ wp ℘
prime ′ degree ° ldots … dots … dotsc … dotsb ⋯ cdots ⋯ vdots ⋮ ddots ⋱ angle ∠ measuredangle ∡
triangle △ square □ blacksquare ■ diamond ⋄ top ⊤ bot ⊥ checkmark ✓ frown ⌢ smile ⌣ complement ∁
langle ⟨ rangle ⟩ lfloor ⌊ rfloor ⌋ lceil ⌈ rceil ⌉ lbrace { rbrace } lbrack [ rbrack ] lbracket [
rbracket ] lparen ( rparen ) vert | lvert | rvert | Vert ‖ lVert ‖ rVert ‖ | ‖ backslash \ euro €
pounds £ imath ı jmath ȷ flat ♭ sharp ♯ { { } } % % $ $ & & # # _ _
"""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def pair_words(text: str) -> dict[str, str]:
    """Return the words of a text in pairs: names with their meanings."""
    words = text.split()
    return dict(zip(words[::2], words[1::2], strict=True))


SYMBOLS: Final = pair_words(_GREEK + _OPERATORS + _RELATIONS + _ARROWS + _OTHERS)
"""Commands that are one character."""

INFIX: Final = frozenset(pair_words(_RELATIONS + _ARROWS)) | _words(
    "times cdot cdotp div pm mp cap cup"
)
"""Commands that stand between two terms."""

NUMBERS: Final = _words("R N Z Q C")
"""Letters that as commands are sets of numbers. Not LaTeX's own, but often defined."""

LARGE: Final = frozenset("∑∏∐∫∬∭∮⋃⋂⨁⨂⋁⋀")
"""Characters that have a body, and bounds."""

NEGATED: Final = pair_words("""
= ≠ ∈ ∉ ⊂ ⊄ ⊆ ⊈ ≡ ≢ ∼ ≁ ≈ ≉ ∥ ∦ ∣ ∤ < ≮ > ≯ ≤ ≰ ≥ ≱ ∃ ∄ ⇒ ⇏ ⇔ ⇎ → ↛
""")

BRACKETS: Final = "()[]{}|‖/\\⟨⟩⌊⌋⌈⌉↑↓↕"
"""Characters that grow with the content between them."""

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
"""Commands for spaces, with the spaces' names in Typst."""

IGNORED: Final = _words("nonumber notag hline allowbreak relax mathstrut")
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
"""Operators with scripts at their side."""

LIMITS: Final = {
    **{name: name for name in _words("lim max min sup inf det gcd lcm Pr argmax argmin")},
    "limsup": "lim sup",
    "liminf": "lim inf",
}
"""Operators with scripts above and below."""

ACCENTS: Final = pair_words("""
vec arrow overrightarrow arrow overleftarrow arrow.l hat hat widehat hat check caron tilde tilde
widetilde tilde bar macron breve breve acute acute grave grave dot dot ddot dot.double dddot
dot.triple mathring circle overline overline underline underline overarc overparen wideparen
overparen overparen overparen
""")
"""Commands that set an accent over or under their argument, with Typst's names."""

COMBINING: Final = {
    "arrow": "\u20d7",
    "arrow.l": "\u20d6",
    "hat": "\u0302",
    "caron": "\u030c",
    "tilde": "\u0303",
    "macron": "\u0305",
    "overline": "\u0305",
    "underline": "\u0332",
    "breve": "\u0306",
    "acute": "\u0301",
    "grave": "\u0300",
    "dot": "\u0307",
    "dot.double": "\u0308",
    "dot.triple": "\u20db",
    "circle": "\u030a",
}
"""Accents as combining characters."""

WRAPPERS: Final = {
    **ACCENTS,
    **pair_words("""
mathbb bb mathds bb mathcal cal mathscr scr mathfrak frak mathrm upright mathup upright
mathnormal italic mathit italic mathsf sans mathtt mono mathbf boldface boldsymbol bold bm bold
pmb bold cancel cancel boxed boxed phantom unseen hphantom hphantom vphantom vphantom
"""),
}
"""Commands of one argument, with the function of one argument in Typst or in our preamble."""

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
    "fbox": "boxed",
}
"""Commands whose argument is words, with the functions that typeset them."""

TRANSPARENT: Final = _words("mathord mathbin mathrel mathopen mathclose mathinner mathpunct")
"""Commands that only set the space around their argument."""

SWITCHES: Final = pair_words("""
displaystyle display textstyle inline scriptstyle script scriptscriptstyle sscript rm upright bf
boldface it italic sf sans tt mono cal cal
""")
"""Commands that apply up to the end of their group, with their functions."""

FRACTIONS: Final = {"frac": "", "dfrac": "display", "cfrac": "display", "tfrac": "inline"}
"""Fractions, with the functions that set their size."""

STRETCHED: Final = pair_words("""
xrightarrow → xleftarrow ← xleftrightarrow ↔ xRightarrow ⇒ xLeftarrow ⇐ xLeftrightarrow ⇔
xmapsto ↦ xrightleftharpoons ⇌
""")
"""Arrows that are as long as the text over and under them."""

SIZES: Final = {
    **dict.fromkeys(("big", "bigl", "bigr", "bigm"), "1.2em"),
    **dict.fromkeys(("Big", "Bigl", "Bigr", "Bigm"), "1.8em"),
    **dict.fromkeys(("bigg", "biggl", "biggr", "biggm"), "2.4em"),
    **dict.fromkeys(("Bigg", "Biggl", "Biggr", "Biggm"), "3em"),
}
"""Commands that set the size of a bracket, with its height."""

MATRICES: Final = {
    "matrix": "",
    "smallmatrix": "",
    "array": "",
    "pmatrix": "()",
    "bmatrix": "[]",
    "Bmatrix": "{}",
    "vmatrix": "||",
    "Vmatrix": "‖‖",
}
"""Environments of cells, with the brackets around them."""

LINES: Final = _words("aligned align alignedat split eqnarray multline flalign")
CENTRED: Final = _words("gather gathered equation displaymath math")
CASES: Final = _words("cases dcases rcases")
