from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.formulas.syntax import Untypesettable
from bot.formulas.word import to_omml
from tests.support.office_math import M, sketch


@pytest.mark.parametrize(
    ("latex", "tree"),
    [
        (r"\frac{1}{2}", "f(num(1)den(2))"),
        (r"\frac12", "f(num(1)den(2))"),
        (r"x \tag{2}\label{eq:x}", "x\u2003(2)"),
        (r"\textcolor{red}{x}\color{blue}y", "xy"),
        (r"a\mathbin{+}b", "a+b"),
        (r"\operatorname*{max}x", "max\u2009x"),
        ("x^{n+1}", "sSup(e(x)sup(n+1))"),
        ("x_i^2", "sSubSup(e(x)sub(i)sup(2))"),
        ("f'(x)", "sSup(e(f)sup(′))(x)"),
        (r"\sqrt{x}", "rad(deg()e(x))"),
        (r"\sqrt[3]{x}", "rad(deg(3)e(x))"),
        (r"\sum_{i=1}^{n} i = 3", "nary(sub(i=1)sup(n)e(i))=3"),
        (r"\int_0^1 x\,dx", "nary(sub(0)sup(1)e(x\u2009dx))"),
        (r"\alpha \leq \Omega", "α≤Ω"),
        ("12,5", "12,5"),
        (r"\left(\frac{a}{b}\right)", "d(e(f(num(a)den(b))))"),
        (r"\lim_{x \to 0} f", "func(fName(limLow(e(lim)lim(x→0)))e(f))"),
        (r"\sin x", "sin\u2009x"),
        (r"\vec{u}", "acc(e(u))"),
        (r"\overline{z}", "bar(e(z))"),
        (r"\mathbb{R}", "ℝ"),
        (r"x \text{ si } y", "x si y"),
        (r"\underbrace{a}_{n}", "limLow(e(groupChr(e(a)))lim(n))"),
        (r"\binom{n}{k}", "d(e(f(num(n)den(k))))"),
        (r"a \xrightarrow{k} b", "alimUpp(e(⟶)lim(k))b"),
        (r"\xrightarrow[h]{k}", "limUpp(e(limLow(e(⟶)lim(h)))lim(k))"),
        (r"x = 1 \qquad y = 2", "x=1\u2003\u2003y=2"),
        (r"\left(a \middle| b\right)", "d(e(a)e(b))"),
        (r"\sum_{\substack{i \\ j}} a", "nary(sub(eqArr(e(i)e(j)))sup()e(a))"),
        (r"a \not= b", "a≠b"),
        (r"7 \equiv 1 \pmod 3", "7≡1\u2003d(e(mod\u00a03))"),
        (r"\text{si $x^2$ > 1}", "si sSup(e(x)sup(2)) > 1"),
        (r"{}^{14}_{6}\text{C}", "sPre(sub(6)sup(14)e(C))"),
        (r"\cancel{x}", "borderBox(e(x))"),
        (r"\sin^2 x", "sSup(e(sin)sup(2))\u2009x"),
        ("(a+b)^2", "sSup(e(d(e(a+b)))sup(2))"),
        ("|x-1| < |y|", "d(e(x−1))<d(e(y))"),
        ("||x|-1|", "d(e(d(e(x))−1))"),
        ("P(A|B)", "P(A|B)"),
        (r"\sum_i (a+b) + c", "nary(sub(i)sup()e((a+b)))+c"),
        (r"2\cos(x)", "2\u2009cos(x)"),
        (r"\int\limits_a^b f", "nary(sub(a)sup(b)e(f))"),
        (r"a &= b \\ c &= d", "eqArr(e(a&=b)e(c&=d))"),
        (
            r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}",
            "d(e(m(mr(e(1)e(2))mr(e(3)e(4)))))",
        ),
        (r"\begin{cases} 1 & x \\ 2 \end{cases}", "d(e(m(mr(e(1)e(x))mr(e(2)e()))))"),
    ],
)
def test_a_formula_becomes_words_own(latex: str, tree: str) -> None:
    assert sketch(to_omml(latex)) == tree


def test_a_matrix_stands_in_its_brackets() -> None:
    made = to_omml(r"\begin{bmatrix}1\end{bmatrix}")
    assert made.find(f".//{M}begChr").get(f"{M}val") == "["
    assert made.find(f".//{M}endChr").get(f"{M}val") == "]"


@pytest.mark.parametrize(
    "latex",
    [
        *(
            "",
            " ",
            "{",
            "}",
            r"\frac{1}",
            r"\unknown",
            "x^2^3",
            "^",
            r"\left(x",
            "a & $",
            r"\begin{x}",
        ),
        *(
            r"\begin{matrix}1\end{cases}",
            "x" * 3_000,
            "{" * 100 + "}" * 100,
            r"\sqrt[3",
            r"\text{\x}",
            "x\x00",
        ),
    ],
)
def test_what_cannot_be_read_is_not_half_read(latex: str) -> None:
    with pytest.raises(Untypesettable):
        to_omml(latex)


SCHOOL = r"""
\frac{3}{4} + \frac{5}{6} = \frac{19}{12}
\dfrac{-b \pm \sqrt{b^2 - 4ac}}{2a}
\Delta = b^2 - 4ac \geqslant 0
(a+b)^2 = a^2 + 2ab + b^2
\sqrt[3]{27} = 3
|x - 3| \leq 2 \iff x \in [1\,;5]
S = \left\{ -\frac{1}{2}\,;3 \right\}
f : \mathbb{R} \to \mathbb{R},\quad x \mapsto ax + b
f'(x) = \lim_{h \to 0} \frac{f(x+h) - f(x)}{h}
\int_0^{\pi} \sin x \, dx = \left[ -\cos x \right]_0^{\pi} = 2
\sum_{k=1}^{n} k = \frac{n(n+1)}{2}
u_{n+1} = q \times u_n \qquad u_0 = 5
\prod_{i=1}^{n} x_i
\binom{n}{k} = \frac{n!}{k!(n-k)!}
P(A \cap B) = P(A) \times P_A(B)
P(\overline{A}) = 1 - P(A)
\vec{AB} \cdot \overrightarrow{AC} = AB \times AC \times \cos(\widehat{BAC})
\|\vec{u}\| = \sqrt{x^2 + y^2}
\begin{cases} 2x + y = 5 \\ x - y = 1 \end{cases}
\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}\begin{pmatrix} x \\ y \end{pmatrix}
\begin{vmatrix} a & b \\ c & d \end{vmatrix} = ad - bc
\begin{aligned} 2x + 3 &= 7 \\ 2x &= 4 \\ x &= 2 \end{aligned}
\begin{array}{c|cc} x & 0 & 1 \\ \hline f(x) & 2 & 5 \end{array}
AB^2 + AC^2 = BC^2
\widehat{ABC} = 90^\circ
(d_1) \parallel (d_2) \quad\text{et}\quad (d_1) \perp (d_3)
\mathcal{A} = \pi r^2 \approx 78{,}5~\text{cm}^2
V = \frac{4}{3}\pi r^3
\tan\theta = \frac{\sin\theta}{\cos\theta}
\cos^2 x + \sin^2 x = 1
\ln(ab) = \ln a + \ln b
e^{i\pi} + 1 = 0
z = \overline{z} \Leftrightarrow z \in \mathbb{R}
\lvert z \rvert = \sqrt{a^2 + b^2}
\forall \varepsilon > 0,\ \exists \eta > 0
A \subset B \setminus C \cup \varnothing
17 \equiv 2 \pmod{5}
\overset{\frown}{AB}
\boxed{x = 2}
\frac{\cancel{6} \times 5}{\cancel{6} \times 7}
1{,}5 \times 10^{-3}\ \mathrm{mol \cdot L^{-1}}
6\,\mathrm{CO_2} + 6\,\mathrm{H_2O} \xrightarrow{\text{lumière}} \mathrm{C_6H_{12}O_6} + 6 O_2
\mathrm{N_2} + 3\,\mathrm{H_2} \rightleftharpoons 2\,\mathrm{NH_3}
\mathrm{CaCO_3} \xrightarrow[\Delta]{900~^\circ\mathrm{C}} \mathrm{CaO} + \mathrm{CO_2}\uparrow
{}^{14}_{6}\mathrm{C} \to {}^{14}_{7}\mathrm{N} + {}^{0}_{-1}\mathrm{e}
\mathrm{pH} = -\log\left[\mathrm{H_3O^+}\right]
\eta = \frac{E_{\text{stockée}}}{E_{\text{reçue}}} \times 100\,\%
F = G\,\frac{m_A \, m_B}{d^2}
v = \frac{\Delta d}{\Delta t} = 12\ \text{m/s}
U = R \times I \qquad P = U \times I
E_c = \tfrac{1}{2} m v^2
\bar{x} = \frac{\displaystyle\sum_{i=1}^{p} n_i x_i}{N}
\underbrace{1 + 1 + \dots + 1}_{n\ \text{fois}} = n
\lim_{x \to +\infty} \frac{1}{x} = 0^+
\left. \frac{df}{dx} \right|_{x=0}
x_1 = \bigl( 2 - \sqrt{3} \bigr)
\pgcd(12, 18) = 6
\vec{\imath} \wedge \vec{\jmath} = \vec{k}
\operatorname{Card}(E) = \binom{n}{2}
\mathring{U} \hspace{1em} \phantom{x} \text{prix : 5~€}
"""


@pytest.mark.parametrize("latex", SCHOOL.strip().splitlines())
def test_what_schools_write_is_set(latex: str) -> None:
    shown = "".join(to_omml(latex).itertext())
    assert "\\" not in shown
    for words in ("lumière", "stockée", "m/s", "fois", "prix : 5"):
        assert (words in latex.replace("~", "\u00a0")) == (words in shown)


def test_columns_stand_where_an_array_says() -> None:
    made = to_omml(r"\begin{array}{l|r} a & b \end{array}")
    assert [side.get(f"{M}val") for side in made.iter(f"{M}mcJc")] == ["left", "right"]


PIECES = (
    r"\frac { } ^ _ x 1 \sqrt [ ] & \\ \left( \right) \sum ' \text \vec \begin{matrix} \end{matrix}"
)


@given(st.lists(st.sampled_from(PIECES.split(" ")), max_size=25))
def test_any_formula_is_either_set_or_refused(pieces: list[str]) -> None:
    try:
        made = to_omml(" ".join(pieces))
    except Untypesettable:
        return
    assert made.tag == f"{M}oMath"
