"""LaTeX commands that have a character or a word of their own."""

from __future__ import annotations

import unicodedata

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


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _pairs(text: str) -> dict[str, str]:
    names = text.split()
    return dict(zip(names[::2], names[1::2], strict=True))


def _greek(name: str) -> str:
    case = "CAPITAL" if name[0].isupper() else "SMALL"
    return unicodedata.lookup(f"GREEK {case} LETTER {name.upper()}")


SYMBOLS = _pairs(_TABLE) | {name: _greek(name) for name in _GREEK.split()}
"""Commands without arguments, by name without the backslash."""

SPACES: dict[str, str] = {
    **dict.fromkeys((",", ":", ";", " ", ">", "enspace", "space", "quad", "qquad"), " "),
    **dict.fromkeys(("!", "displaystyle", "textstyle", "limits", "nolimits", "hfill"), ""),
    "\\": "\n",
}

FUNCTIONS = words(
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


def letter(font: str, char: str) -> str:
    """`char` in one of `FONTS`; as it is where Unicode has none."""
    style = FONTS[font]
    for name in (f"MATHEMATICAL {style} CAPITAL {char}", f"{style} CAPITAL {char}"):
        try:
            return unicodedata.lookup(name)
        except KeyError:
            continue
    return char


def accent(name: str, text: str) -> str:
    """`text` under an accent: an arrow ends it, a hat stands on an angle's vertex."""
    mark = ACCENTS[name]
    if name in ("vec", "overrightarrow"):
        return text + mark if text.isalnum() else f"\\{name}{{{text}}}"
    if mark == "\u0302" and len(text) == 3:
        return text[:2] + mark + text[2:]
    return "".join(char + mark for char in text)
