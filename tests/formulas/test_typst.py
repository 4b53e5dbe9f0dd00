from __future__ import annotations

import re

import pypdfium2
import pytest
import typst
from hypothesis import given
from hypothesis import strategies as st

from bot.formulas import symbols
from bot.formulas.syntax import COMMANDS, MAX_LENGTH, Untypesettable
from bot.formulas.typst import PREAMBLE, to_typst

COMPILER = typst.Compiler(font_paths=typst.Fonts(include_system_fonts=False))


def compile_pdf(source: str) -> bytes:
    page = COMPILER.compile(f"{PREAMBLE}$ {source} $".encode(), format="pdf")
    assert isinstance(page, bytes)
    return page


def words_of(page: bytes) -> str:
    document = pypdfium2.PdfDocument(page)
    text = document[0].get_textpage().get_text_range()
    document.close()
    return text


@pytest.mark.parametrize(
    ("latex", "source"),
    [
        (r"x^{n+1}", r"attach(x, t: n\+1)"),
        (r"u_n^2", "attach(u, b: n, t: 2)"),
        (r"x^10", "attach(x, t: 1)0"),
        (r"f''(x)", r"attach(f, t: primes(#2))\(x\)"),
        (r"\frac12", "frac(1, 2)"),
        (r"\frac{a}{}", 'frac(a, "")'),
        (r"\dfrac{a,b}{c;d}", r"display(frac(a\,b, c\;d))"),
        (r"\sqrt[3]{8}\sqrt2", "root(3, 8)sqrt(2)"),
        (r"2{,}5 + 2,5 = 5.0", r'2 class("normal", \,)5\+2class("normal", \,)5\=5.0'),
        (r"(1, 2)", r"\(1\,2\)"),
        (r"\pi r^2", "π attach(r, t: 2)"),
        (r"a - b \times c", r"a\−b\×c"),
        (r"\sin x + \lim_{x \to 0}", r'op("sin")x\+attach(op("lim", limits: #true), b: x\→0)'),
        (r"\sum\nolimits_i", r"attach(scripts(\∑), b: i)"),
        (r"\left( a \middle| b \right.", r"lr(\(a mid(\|)b)"),
        (r"\Bigl\{", r"lr(\{, size: #1.8em)"),
        (r"{}^{14}_{6}\mathrm{C}", "attach(upright(C), tl: 14, bl: 6)"),
        (r"\text{si $x^2$ > 1}", '"si "attach(x, t: 2)" > 1"'),
        (r"\overrightarrow{AB}", "arrow(A B)"),
        (r"\underbrace{a+b}_{n}", r"underbrace(a\+b, n)"),
        (r"\overset{?}{=}", r"over(\=, \?)"),
        (r"\xrightarrow[b]{a}", r"under(over(stretch(\→, size: #(100% + 1em)), a), b)"),
        (r"\binom nk \pmod 3", r'binom(n, k)quad lr(\("mod "3\))'),
        (r"\mathbb{R}^+", r"attach(bb(R), t: \+)"),
        (r"a \not= b \notin C", r"a\≠b\∉C"),
        (r"{\displaystyle a} b", "display(a)b"),
        (r"\begin{pmatrix} a & b \\ c & d \\ \end{pmatrix}", 'mat(delim: "(", a, b; c, d)'),
        (r"\begin{bmatrix} a & \\[2pt] & d \end{bmatrix}", 'mat(delim: "[", a, ""; "", d)'),
        (r"\begin{array}{l} a \\ b \end{array}", "mat(delim: #none, align: #left, a; b)"),
        (r"\begin{array}{c|c} \hline x & 1 \\ \hline y \\ \hline \end{array}",
         '''ruled(#2, #(0,1,2,), #(1,), x, 1, y, "")'''),
        (r"\begin{cases} 1 & \text{si } x \\ 0 \end{cases}", 'cases(1 & quad "si "x, 0)'),
        (r"\begin{aligned} a &= b \\ &= c \end{aligned}",
         r'mat(delim: #none, row-gap: #0.75em, display(a & \=b); display("" & \=c))'),
        (r"a \\ b", "mat(delim: #none, row-gap: #0.75em, display(a); display(b))"),
        (r"\sum_{\substack{i \\ j}}", r"attach(\∑, b: mat(delim: #none, row-gap: #0.15em, i; j))"),
        (r"\textcolor{red}{x}\label{eq}", "x"),
        (r"20\% \#", r"20\%\#"),
        (r"\fbox{$x$}\overset{\frown}{AB}", "boxed(x)overparen(A B)"),
        (r"\text{CO_2 \textbf{a}}", 'attach("CO", b: 2)" "bold("a")'),
        (r"\sum_i\limits", r"attach(limits(\∑), b: i)"),
    ],
)  # fmt: skip
def test_a_formula_means_the_same_in_typst(latex: str, source: str) -> None:
    assert to_typst(latex) == source
    compile_pdf(source)


@pytest.mark.parametrize(
    "latex",
    [
        "", "{}", r"\ ", "x^", "x^2^3", "{x", "x}", r"\frac{1}", r"\left( x", r"\left x \right)",
        r"\foo", r"\begin{tikzpicture} x \end{tikzpicture}", r"\begin{matrix} a \end{pmatrix}",
        r"\begin{matrix} a", r"\text{a", r"\text{\input x}", r"\text{$x}", "a & b $ c", r"\not x",
        "x\u202ey", "x\x00", r"\text{" + "\u202e}", "{" * 60 + "x" + "}" * 60,
        "x" * (MAX_LENGTH + 1),
    ],
)  # fmt: skip
def test_what_is_malformed_or_unknown_is_refused(latex: str) -> None:
    with pytest.raises(Untypesettable):
        to_typst(latex)


@pytest.mark.parametrize(
    "latex",
    [
        r'\text{#read("/etc/hostname")}',
        r'#read("/etc/hostname")',
        r'\#read("/etc/hostname")',
        r'\operatorname{\\" #read("/etc/hostname")}',
        r'\text{" + #read("/etc/hostname") + "}',
        r'\mathrm{#read("/etc/hostname")}',
        r'\tag{" #read("/etc/hostname")}',
        r'\tag{\" #read("/etc/hostname")}',
        r'$ #read("/etc/hostname") $',
        r'\\" #read("/etc/hostname")',
        r'\left#read("/etc/hostname")\right)',
        r'\begin{array}{" #read("/etc/hostname")} x \end{array}',
        r'\begin{#read("/etc/hostname")} x \end{#read("/etc/hostname")}',
        r"x // comment */ /* raw `#read`",
    ],
)
def test_code_in_a_formula_is_shown_or_refused_but_never_run(latex: str) -> None:
    try:
        source = to_typst(latex)
    except Untypesettable:
        return
    shown = words_of(compile_pdf(source)).replace(" ", "")
    assert "#" not in latex or "#" in shown or "\\begin{array}" in latex


_COMMANDS = [f"\\{name}" for name in (*symbols.SYMBOLS, *COMMANDS)]
_ENVIRONMENTS = [
    *symbols.MATRICES,
    *symbols.LINES,
    *symbols.CENTRED,
    *symbols.CASES,
]


def one_of(choices: list[str]) -> st.SearchStrategy[str]:
    """As `sampled_from`, which would write out all choices wherever Hypothesis names it."""
    return st.integers(0, len(choices) - 1).map(choices.__getitem__)


_LEAVES = (
    one_of(_COMMANDS)
    | st.sampled_from(["x", "é", "12", "1,5", "+", "'", "\\\\", "&", "#", '"', "(", "$"])
    | st.characters()
)
_FORMULAS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(" ".join),
        st.builds("{{{}}}".format, inner),
        st.builds("{}{{{}}}{{{}}}".format, one_of(_COMMANDS), inner, inner),
        st.builds("{}^{{{}}}_{{{}}}".format, inner, inner, inner),
        st.builds("\\left({}\\right|".format, inner),
        st.builds(
            lambda name, body: f"\\begin{{{name}}}{body}\\end{{{name}}}",
            one_of(_ENVIRONMENTS),
            inner,
        ),
        st.builds("\\begin{{array}}{{c|l}}{}\\end{{array}}".format, inner),
    ),
    max_leaves=12,
)
_SHOWN = re.compile(r'"(?:[^"\\]|\\.)*"|\\\S')
"""Strings, and characters after a backslash."""
_CODE = re.compile(r"#(?:none|true|left|right|[\d.]+(?:em)?|\((?:[\d,]*|100% \+ 1em)\))(?=[,);])")
_NAME = re.compile(r"[^\W\d_]{2,}(?:[.-][a-z]+)*")
_NAMES = {
    *symbols.WRAPPERS.values(), *symbols.SWITCHES.values(), *symbols.SPACES.values(),
    *re.findall(r"#let ([a-z-]+)", PREAMBLE),
    "attach", "frac", "sqrt", "root", "binom", "lr", "mid", "class", "op", "limits", "scripts",
    "primes", "mat", "cases", "display", "inline", "size", "delim", "align", "quad", "reverse",
    "bb", "tl", "bl", "row-gap", "stretch", "underbrace", "overbrace",
}  # fmt: skip


@given(_FORMULAS)
def test_all_that_comes_out_is_escaped_or_ours_and_compiles(latex: str) -> None:
    try:
        source = to_typst(latex)
    except Untypesettable:
        return
    bare = _CODE.sub("", _SHOWN.sub(" ", source))
    assert "#" not in bare
    assert set(_NAME.findall(bare)) <= _NAMES
    compile_pdf(source)
