"""School notation, French and English, in text and in LaTeX, is read into one tree."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.maths.exact.expression import Apply, Expr, Letter, Num, Quantity
from bot.maths.reading.formula_tokens import tokenize_formula
from bot.maths.reading.notation import Reader, read_expression
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import join_words, tokenize


def show(expr: Expr) -> str:
    """The tree with all its brackets."""
    match expr:
        case Num(value):
            return str(value)
        case Letter(name):
            return name
        case Quantity(number, unit):
            return f"<{show(number)} {unit}>"
        case Apply(op, args):
            return f"({op} {' '.join(map(show, args))})"


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("3,5 + 2", "(+ 7/2 2)"),
        ("1 000 × 3", "(* 1000 3)"),
        ("10+x×25", "(+ 10 (* x 25))"),
        ("3{,}5", "7/2"),
        ("2x + 3", "(+ (* 2 x) 3)"),
        ("2(x+1)²", "(* 2 (^ (+ x 1) 2))"),
        ("a² + 2ab + b²", "(+ (+ (^ a 2) (* 2 (* a b))) (^ b 2))"),
        ("AB² + AC²", "(+ (^ AB 2) (^ AC 2))"),
        ("x1 + x_2", "(+ x_1 x_2)"),
        ("√16 + 3√2", "(+ (sqrt 16) (* 3 (sqrt 2)))"),
        ("12 : 4", "(/ 12 4)"),
        ("12 ÷ 4", "(/ 12 4)"),
        ("3 x 4", "(* 3 4)"),
        ("3 x + 2", "(+ (* 3 x) 2)"),
        ("2 3/4", "(+ 2 (/ 3 4))"),
        ("½ + ¼", "(+ 1/2 1/4)"),
        ("-3²", "(neg (^ 3 2))"),
        ("10⁻³", "(^ 10 -3)"),
        ("2^{3}", "(^ 2 3)"),
        ("5! + 2", "(+ (! 5) 2)"),
        ("f(3) + f'(x)", "(+ (call f 3) (call f' x))"),
        ("cos 60°", "(cos <60 °>)"),
    ],
)
def test_signs_are_read(text: str, tree: str) -> None:
    assert show(read_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("sept fois huit", "(* 7 8)"),
        ("vingt-et-un plus deux", "(+ 21 2)"),
        ("trois quarts de 20", "(* 3/4 20)"),
        ("20 % de 150", "(* (% 20) 150)"),
        ("le double de 7", "(* 2 7)"),
        ("la somme de 3 et 4", "(+ 3 4)"),
        ("le PGCD de 12 et 18", "(gcd 12 18)"),
        ("half of 18", "(* 1/2 18)"),
        ("12 divided by 4", "(/ 12 4)"),
        ("3 au carré", "(^ 3 2)"),
        ("la racine carrée de 16", "(sqrt 16)"),
        ("2 millions + 1", "(+ 2000000 1)"),
        ("3 dizaines et 4 unités", "(+ <3 dizaines> <4 unites>)"),
    ],
)
def test_words_are_read(text: str, tree: str) -> None:
    assert show(read_expression(text)) == tree


@pytest.mark.parametrize(
    ("text", "tree"),
    [
        ("3 km + 200 m", "(+ <3 km> <200 m>)"),
        ("2 h 30 min", "(+ <2 h> <30 min>)"),
        ("3 m 25 cm", "(+ <3 m> <25 cm>)"),
        ("deux heures et demie", "(+ <2 heures> <1/2 heures>)"),
        ("trois quarts d'heure", "<3/4 heure>"),
        ("une demi-heure", "<1/2 heure>"),
        ("72 km/h", "<72 km/h>"),
        ("5 m²", "<5 m²>"),
        ("25 cm2", "<25 cm2>"),
        ("1 000 F CFA", "<1000 F CFA>"),
    ],
)
def test_units_are_read(text: str, tree: str) -> None:
    assert show(read_expression(text)) == tree


@pytest.mark.parametrize(
    ("latex", "tree"),
    [
        (r"\frac{1}{2} + \dfrac{x}{3}", "(+ (/ 1 2) (/ x 3))"),
        (r"3{,}5 \times 12\,500", "(* 7/2 12500)"),
        (r"2\frac{3}{4}", "(+ 2 (/ 3 4))"),
        (r"\frac{3}{4}x", "(* (/ 3 4) x)"),
        (r"\sqrt[3]{8}", "(root 8 3)"),
        (r"\sin^2 x", "(^ (sin x) 2)"),
        (r"\cos(60^\circ)", "(cos <60 °>)"),
        (r"5\text{ cm} \times 3\text{ cm}", "(* <5 cm> <3 cm>)"),
        (r"15~\mathrm{cm}^2", "<15 cm²>"),
        (r"AB^2", "(^ AB 2)"),
        (r"ab", "(* a b)"),
        (r"u_{n+1}", "u_n+1"),
        (r"\left(x+1\right)^2", "(^ (+ x 1) 2)"),
        (r"\left|-3\right|", "(abs (neg 3))"),
        (r"20\,\% \times 150", "(* (% 20) 150)"),
    ],
)
def test_latex_is_read(latex: str, tree: str) -> None:
    reader = Reader(join_words(tokenize_formula(latex, 0, 1)))
    assert show(reader.read_sum()) == tree
    assert reader.at == len(reader.tokens)


@pytest.mark.parametrize(
    ("text", "doubt", "tree"),
    [
        ("1,500 + 1", "thousands", "(+ 1500 1)"),
        ("- 3 + 4", "dash", "(+ 3 4)"),
        ("la moitié de 6 + 2", "loose", "(* 1/2 (+ 6 2))"),
    ],
)
def test_what_has_two_meanings_is_noted(text: str, doubt: str, tree: str) -> None:
    tokens = join_words(tokenize(text))
    reader = Reader(tokens)
    reader.read_sum()
    assert doubt in reader.doubts
    other = Reader(tokens, frozenset({doubt}))  # pyright: ignore[reportArgumentType]
    assert show(other.read_sum()) == tree


@pytest.mark.parametrize(
    "text",
    [
        "12/05/2024",
        "07 08 09 10 11",
        "v1.2.3",
        "10:30",
        "https://a.b/c?d=3",
        "(3 + ",
        "",
        "+",
        "3 +",
    ],
)
def test_what_only_looks_like_mathematics_is_not_read(text: str) -> None:
    with pytest.raises(NotReadable):
        read_expression(text)


@given(st.text(alphabet="0123456789,. +-×:/()xa²√%!{}[]=<>'h°F", max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        read_expression(text)
    except NotReadable:
        return


@given(st.text(alphabet=r"\{}^_0123456789+-=&$,. abxfrctsqint", max_size=60))
def test_any_latex_gives_tokens(latex: str) -> None:
    assert all(token.is_formula or token.text for token in tokenize_formula(latex, 0, 1))
