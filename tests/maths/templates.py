"""Answers by templates: right ones, and the same with an error planted; the same for a seed.

Each template draws numbers and gives a statement, its result, and wrong results that pupils and
models come to. Results are computed here with Python's own fractions, not with what is tested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random
from typing import Final

Template = Callable[[Random], tuple[str, str, list[str]]]
"""The text with `@` where the result stands, the result, wrong results."""


@dataclass(frozen=True, slots=True)
class Pair:
    """An answer that is right, and one with an error."""

    question: str
    right: str
    wrong: str


_CHOICE: Final = re.compile(r"⟦(.*?)\|(.*?)⟧")


def split_choices(text: str) -> tuple[str, str]:
    """The text with the first of each `⟦right|wrong⟧`, and with the second."""
    return _CHOICE.sub(lambda m: m[1], text), _CHOICE.sub(lambda m: m[2], text)


def french(value: int | Fraction, *, latex: bool = False) -> str:
    """A number as French pupils write it; a fraction that is no decimal stays one."""
    number = Fraction(value)
    sign = "-" if number < 0 else ""
    number = abs(number)
    if number.denominator == 1:
        grouped = f"{number.numerator:,}".replace(",", "\\," if latex else " ")
        return sign + (grouped if number >= 10_000 else str(number.numerator))
    places = next((p for p in range(1, 7) if (number * 10**p).denominator == 1), None)
    if places is None:
        below = f"\\frac{{{number.numerator}}}{{{number.denominator}}}"
        return sign + (below if latex else f"{number.numerator}/{number.denominator}")
    digits = f"{float(number):.{places}f}".replace(".", "{,}" if latex else ",")
    return sign + digits


def near(rng: Random, value: int) -> list[str]:
    """Whole results that are off by a slip."""
    slips = [1, -1, 10, -10, 2, rng.randint(3, 9)]
    return [french(value + slip) for slip in slips if value + slip >= 0]


PHRASES = (
    "{left} = @",
    "{left} = @.",
    "On calcule : {left} = @.",
    "Donc {left} = @ 👍",
    "**{left} = @**",
    "- {left} = @",
    "On trouve {left} = @, bravo !",
    "Regarde : {left} = @. Et toi, tu continues ?",
    "${latex} = @$",
    "On a ${latex} = @$.",
    "$$ {latex} = @ $$",
    "Le résultat est ${latex} = @$ : c'est fini.",
    "So {left} = @.",
    "Étape 2 : {left} = @",
)


def phrase(rng: Random, left: str, latex: str) -> str:
    return rng.choice(PHRASES).format(left=left, latex=latex)


def add(rng: Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(2, 999), rng.randint(2, 999)
    words = rng.choice(["{a} + {b}", "{a} plus {b}"]).format(a=a, b=b)
    return phrase(rng, words, f"{a} + {b}"), french(a + b), near(rng, a + b)


def subtract(rng: Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(50, 999), rng.randint(2, 49)
    sign = rng.choice(["-", "−", "moins"])
    return phrase(rng, f"{a} {sign} {b}", f"{a} - {b}"), french(a - b), near(rng, a - b)


def multiply(rng: Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(2, 30), rng.randint(2, 12)
    sign = rng.choice(["×", "x", "fois", "*"])
    wrong = [*near(rng, a * b), french(a + b) if a + b != a * b else french(a * b + 3)]
    return phrase(rng, f"{a} {sign} {b}", f"{a} \\times {b}"), french(a * b), wrong


def divide(rng: Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(2, 40), rng.randint(2, 12)
    sign = rng.choice(["÷", ":", "/", "divisé par"])
    left = f"{a * b} {sign} {b}"
    return phrase(rng, left, f"{a * b} \\div {b}"), french(a), near(rng, a)


def decimals(rng: Random) -> tuple[str, str, list[str]]:
    a, b = Fraction(rng.randint(11, 999), 10), Fraction(rng.randint(11, 999), 100)
    op = rng.choice("+-×")
    result = {"+": a + b, "-": a - b, "×": a * b}[op]
    sign = {"+": "+", "-": "-", "×": "\\times"}[op]
    latex = f"{french(a, latex=True)} {sign} {french(b, latex=True)}"
    wrong = [french(result + Fraction(1, 10)), french(result * 10), french(result - 1)]
    return phrase(rng, f"{french(a)} {op} {french(b)}", latex), french(result), wrong


def fractions(rng: Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(1, 9), rng.randint(2, 9)
    c, d = rng.randint(1, 9), rng.randint(2, 9)
    op = rng.choice(["+", "-", "\\times", "\\div"])
    one, other = Fraction(a, b), Fraction(c, d)
    result = {
        "+": one + other, "-": one - other, "\\times": one * other, "\\div": one / other,
    }[op]  # fmt: skip
    shown = f"\\frac{{{result.numerator}}}{{{result.denominator}}}"
    wrong = [Fraction(a + c, b + d), result + 1, Fraction(a, b) * 2, Fraction(a * c, b + d)]
    text = rng.choice(["$@L = @$", "On calcule $@L = @$.", "$$@L = @$$", "Donc $@L = @$ !"])
    left = f"\\frac{{{a}}}{{{b}}} {op} \\dfrac{{{c}}}{{{d}}}"
    wrongs = [f"\\frac{{{w.numerator}}}{{{w.denominator}}}" for w in wrong if w != result]
    return text.replace("@L", left), shown, wrongs


def percent(rng: Random) -> tuple[str, str, list[str]]:
    rate, base = rng.choice([5, 10, 15, 20, 25, 30, 40, 50, 75]), rng.randint(2, 90) * 100
    result = base * rate // 100
    unit = rng.choice(["", " F", " FCFA", " kg", " élèves"])
    text = rng.choice(
        [
            f"{rate} % de {base}{unit} = @{unit}",
            f"{rate} % de {base} font @.",
            f"{rate}% of {base} is @.",
            f"${rate}\\,\\% \\times {base} = @$",
            f"$\\frac{{{rate}}}{{100}} \\times {base} = @$",
            f"Une remise de {rate} % : {base} × {rate}/100 = @{unit}.",
        ]
    )
    return text, str(result), [str(result + 5), str(result * 2), str(base - result)]


def convert(rng: Random) -> tuple[str, str, list[str]]:
    big, small, factor = rng.choice(
        [
            ("km", "m", 1000), ("m", "cm", 100), ("kg", "g", 1000), ("L", "cL", 100),
            ("h", "min", 60), ("min", "s", 60), ("t", "kg", 1000), ("m²", "dm²", 100),
            ("m", "mm", 1000), ("hL", "L", 100), ("ha", "m²", 10_000), ("dm³", "L", 1),
            ("jours", "h", 24), ("heures", "minutes", 60),
        ]
    )  # fmt: skip
    count = rng.randint(2, 40)
    right = count * factor
    wrong = [french(right * 10), french(right + factor), french(right + 1)]
    lead = rng.choice(["", "On convertit : ", "Donc ", "- "])
    return f"{lead}{count} {big} = @ {small}", french(right), wrong


def powers(rng: Random) -> tuple[str, str, list[str]]:
    a, n = rng.randint(2, 12), rng.randint(2, 4)
    left = f"{a}{'⁰¹²³⁴'[n]}"
    wrong = [french(a * n) if a**n != a * n else "5", french(a**n + 1), french(a ** (n - 1))]
    return phrase(rng, left, f"{a}^{n}"), french(a**n), wrong


def relative(rng: Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(-20, -2), rng.randint(-20, 20) or 3
    op = rng.choice("+-×")
    result = {"+": a + b, "-": a - b, "×": a * b}[op]
    sign = {"+": "+", "-": "-", "×": "\\times"}[op]
    wrong = [french(-result) if result else "1", french(result + 2), french(abs(a) + abs(b) + 7)]
    wrong = [each for each in wrong if each != french(result)]
    return phrase(rng, f"({a}) {op} ({b})", f"({a}) {sign} ({b})"), french(result), wrong


def priorities(rng: Random) -> tuple[str, str, list[str]]:
    a, b, c = (rng.randint(2, 12) for _ in range(3))
    result = a + b * c
    wrong = [french((a + b) * c), french(result + 1), french(result - 2)]
    return phrase(rng, f"{a} + {b} × {c}", f"{a} + {b} \\times {c}"), french(result), wrong


def chain(rng: Random) -> tuple[str, str, list[str]]:
    a, b, c = (rng.randint(2, 12) for _ in range(3))
    result = a * (b + c)
    text = rng.choice(
        [
            f"P = {a} × ({b} + {c}) = {a} × {b + c} = @ cm",
            f"$A = {a} \\times ({b} + {c}) = {a} \\times {b + c} = @$",
            f"{a} × ({b} + {c}) = {a} × {b} + {a} × {c} = {a * b} + {a * c} = @",
        ]
    )
    return text, french(result), near(rng, result)


def roots(rng: Random) -> tuple[str, str, list[str]]:
    a = rng.randint(2, 15)
    wrong = [french(a + 1), french(a * a // 2 if a > 2 else 3), french(a * a)]
    return phrase(rng, f"√{a * a}", f"\\sqrt{{{a * a}}}"), french(a), wrong


def expand(rng: Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(2, 9), rng.randint(2, 9)
    text = rng.choice(
        [f"{a}(x + {b}) = {a}x + @", f"On développe : ${a}(x + {b}) = {a}x + @$.",
         f"${a}(x+{b}) = {a}x + @$"]
    )  # fmt: skip
    return text, str(a * b), [str(a + b) if a + b != a * b else "9", str(b), str(a * b + 1)]


def square(rng: Random) -> tuple[str, str, list[str]]:
    a = rng.randint(2, 9)
    text = rng.choice(
        [f"(x + {a})² = x² + @x + {a * a}", f"$(x+{a})^2 = x^2 + @x + {a * a}$",
         f"Développons : $(x + {a})^2 = x^2 + @x + {a * a}$."]
    )  # fmt: skip
    return text, str(2 * a), [str(a), str(2 * a + 1), str(4 * a)]


def derive(rng: Random) -> tuple[str, str, list[str]]:
    n, a, b = rng.randint(2, 6), rng.randint(2, 9), rng.randint(2, 9)
    text = rng.choice(
        [
            f"La dérivée de {a}x^{n} est @.",
            f"f(x) = {a}x^{n} + {b}, donc f'(x) = @.",
            f"Soit $f(x) = {a}x^{{{n}}} + {b}$. Alors $f'(x) = @$.",
        ]
    )
    right = f"{a * n}x^{{{n - 1}}}" if "$" in text else f"{a * n}x^{n - 1}"
    return text, right, [right.replace(str(a * n), str(a * n + 1), 1), f"{a}x^{n - 1}"]


def solve(rng: Random) -> tuple[str, str, list[str]]:
    a, x, b = rng.randint(2, 9), rng.randint(-9, 9), rng.randint(1, 20)
    c = a * x + b
    text = rng.choice(
        [
            f"Résous {a}x + {b} = {c}. ||| On retire {b} : {a}x = {c - b}. Donc x = @.",
            f"L'équation {a}x + {b} = {c} a pour solution x = @.",
            f"Résous ${a}x + {b} = {c}$ ||| ${a}x = {c - b}$ d'où $x = @$.",
            f"{a}x + {b} = {c}\n{a}x = {c} - {b}\nx = @",
        ]
    )
    return text, str(x), [str(x + 1), str(x - 2), str(-x) if x else "4"]


def quadratic(rng: Random) -> tuple[str, str, list[str]]:
    p, q = rng.sample(range(-6, 7), 2)
    s, t = -(p + q), p * q
    equation = f"x² {'+' if s >= 0 else '-'} {abs(s)}x {'+' if t >= 0 else '-'} {abs(t)} = 0"
    text = rng.choice(
        [
            f"Résous {equation} ||| Donc x = {p} ou x = @.",
            f"Les solutions de {equation} sont {p} et @.",
            f"Résous {equation} ||| $S = \\{{{p} ; @\\}}$",
        ]
    )
    wrong = [n for n in (-q, q + 1, q - 1) if n not in (p, q)]
    return text, str(q), [str(n) for n in wrong]


def rounding(rng: Random) -> tuple[str, str, list[str]]:
    a, b = rng.randint(10, 99), rng.choice([3, 7, 9, 11])
    value = round(a / b, 2)
    shown = f"{value:.2f}".replace(".", ",")
    wrong = [f"{value + slip:.2f}".replace(".", ",") for slip in (0.1, -0.05, 1)]
    return f"{a} ÷ {b} ≈ @", shown, wrong


TEMPLATES: tuple[Template, ...] = (
    add, subtract, multiply, divide, decimals, fractions, percent, convert, powers, relative,
    priorities, chain, roots, expand, square, derive, solve, quadratic, rounding,
)  # fmt: skip


def draw_pairs(seed: int, count: int) -> Iterator[Pair]:
    """Yield `count` pairs of answers, template after template."""
    rng = Random(seed)
    for number in range(count):
        text, right, wrongs = TEMPLATES[number % len(TEMPLATES)](rng)
        question, _, answer = text.rpartition(" ||| ")
        wrong = rng.choice([each for each in wrongs if each != right])
        yield Pair(question, answer.replace("@", right), answer.replace("@", wrong))
