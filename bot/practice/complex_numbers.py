"""Complex numbers in algebraic form, in Terminale."""

from __future__ import annotations

from math import isqrt
from typing import Final

from bot.practice.algebra_text import polynomial_text, signed
from bot.practice.generator import Draw, Item, generates
from bot.practice.misconceptions import Mistake

_SQUARE_OF_I: Final = Mistake(
    "$i^2$ pris pour 1",
    "$i^2$ taken as 1",
    "Combien vaut $i^2$ ? Son signe change la partie réelle.",
    "What is $i^2$? Its sign changes the real part.",
)
_PART_BY_PART: Final = Mistake(
    "produit partie par partie",
    "part by part",
    "Développe : chaque terme du premier facteur multiplie chaque terme du second.",
    "Expand: each term of the first factor multiplies each term of the second.",
)
_CROSS_SIGN: Final = Mistake(
    "signe de la partie imaginaire",
    "sign of the imaginary part",
    "La partie réelle convient ; recompte les deux termes en $i$ avec leurs signes.",
    "The real part is fine; count the two terms in $i$ again with their signs.",
)
_PARTS_ADDED: Final = Mistake(
    "parties ajoutées",
    "parts added",
    "Le module est une longueur : pense au théorème de Pythagore.",
    "The modulus is a length: think of Pythagoras' theorem.",
)
_ROOT_FORGOTTEN: Final = Mistake(
    "racine carrée oubliée",
    "square root forgotten",
    "Tu as calculé $a^2 + b^2$ : il reste une étape.",
    "You worked out $a^2 + b^2$: one step is left.",
)
_SQUARES_SUBTRACTED: Final = Mistake(
    "carrés soustraits",
    "squares subtracted",
    "Dans $|a + b i|$, le $i$ n'intervient pas : on ajoute $a^2$ et $b^2$.",
    "In $|a + b i|$ the $i$ plays no part: one adds $a^2$ and $b^2$.",
)
_CONJUGATE_OF_RESULT: Final = Mistake(
    "conjugué du résultat",
    "conjugate of the result",
    "Le signe de la partie imaginaire est à revoir : multiplie ta réponse par le dénominateur.",
    "Check the sign of the imaginary part: multiply your answer by the denominator.",
)
_OPPOSITE_REAL: Final = Mistake(
    "signe de la partie réelle",
    "sign of the real part",
    "Le signe de la partie réelle est à revoir : $i^2 = -1$.",
    "Check the sign of the real part: $i^2 = -1$.",
)
_WITHOUT_DIVIDING: Final = Mistake(
    "division oubliée",
    "division forgotten",
    "Tu as multiplié par le conjugué ; que devient le dénominateur ?",
    "You multiplied by the conjugate; what becomes of the denominator?",
)


@generates("maths.complex-numbers", "Terminale")
def complex_numbers(draw: Draw) -> Item:
    """A product, then a modulus, then a quotient."""
    return draw.by_level(_product, _modulus, _quotient)(draw)


def _draw_part(draw: Draw, most: int) -> int:
    return draw.between(1, most) * draw.one_of((1, -1))


def _write_text(real: int, imaginary: int) -> str:
    """`3 - 2i`: what a polynomial in `i` looks like, the real part first."""
    if real == 0 or imaginary == 0:
        return polynomial_text((real, imaginary), "i")
    size = "" if abs(imaginary) == 1 else str(abs(imaginary))
    return f"{real} {'-' if imaginary < 0 else '+'} {size}i"


def _product(draw: Draw) -> Item:
    a, b, c, d = draw.between(1, 6), _draw_part(draw, 6), draw.between(1, 6), _draw_part(draw, 6)
    real, imaginary = a * c - b * d, a * d + b * c
    first, second = _write_text(a, b), _write_text(c, d)
    return draw.choice(
        draw.say(
            f"Donne la forme algébrique de $({first})({second})$.",
            f"Write $({first})({second})$ in algebraic form.",
        ),
        key=_write_text(real, imaginary),
        wrong=[
            _SQUARE_OF_I.gives(draw, _write_text(a * c + b * d, imaginary)),
            _PART_BY_PART.gives(draw, _write_text(a * c, b * d)),
            _CROSS_SIGN.gives(draw, _write_text(real, a * d - b * c)),
        ],
        hints=[
            draw.say("Développe comme un produit ordinaire.", "Expand it as an ordinary product."),
            draw.say("Puis remplace $i^2$ par $-1$.", "Then put $-1$ in place of $i^2$."),
        ],
        steps=[
            f"$({first})({second}) = {a * c} {signed(a * d)}i {signed(b * c)}i {signed(b * d)}i^2$",
            draw.say(
                f"$i^2 = -1$, donc ${signed(b * d)}i^2$ devient ${signed(-b * d)}$.",
                f"$i^2 = -1$, so ${signed(b * d)}i^2$ becomes ${signed(-b * d)}$.",
            ),
            f"$({first})({second}) = {_write_text(real, imaginary)}$",
        ],
    )


_TRIPLES: Final = ((3, 4, 5), (5, 12, 13), (6, 8, 10), (8, 15, 17), (9, 12, 15), (7, 24, 25))


def _modulus(draw: Draw) -> Item:
    small, large, key = draw.one_of(_TRIPLES)
    a, b = (small, large) if draw.one_of((True, False)) else (large, small)
    a, b = a * draw.one_of((1, -1)), b * draw.one_of((1, -1))
    number = _write_text(a, b)
    return draw.choice(
        draw.say(
            f"Quel est le module de $z = {number}$ ?", f"What is the modulus of $z = {number}$?"
        ),
        key=key,
        wrong=[
            _PARTS_ADDED.gives(draw, small + large),
            _ROOT_FORGOTTEN.gives(draw, key * key),
            _SQUARES_SUBTRACTED.gives(draw, _root_text(large * large - small * small)),
        ],
        hints=[
            draw.say(
                "Place le point d'affixe $z$ : le module est sa distance à l'origine.",
                "Mark the point of $z$: the modulus is its distance from the origin.",
            ),
            "$|a + b i| = \\sqrt{a^2 + b^2}$",
        ],
        steps=[
            f"$|z| = \\sqrt{{{abs(a)}^2 + {abs(b)}^2}}$",
            f"$|z| = \\sqrt{{{a * a} + {b * b}}} = \\sqrt{{{key * key}}} = {key}$",
        ],
    )


def _root_text(number: int) -> str:
    """The square root in plain text: a number where it is whole."""
    root = isqrt(number)
    return str(root) if root * root == number else f"√{number}"


def _quotient(draw: Draw) -> Item:
    """`(p + qi)(c + di)` over `c + di`."""
    p, q = _draw_part(draw, 4), _draw_part(draw, 4)
    c, d = draw.between(1, 4), _draw_part(draw, 3)
    a, b = p * c - q * d, p * d + q * c
    above, below, size = _write_text(a, b), _write_text(c, d), c * c + d * d
    return draw.choice(
        draw.say(
            f"Donne la forme algébrique de $\\frac{{{above}}}{{{below}}}$.",
            f"Write $\\frac{{{above}}}{{{below}}}$ in algebraic form.",
        ),
        key=_write_text(p, q),
        wrong=[
            _CONJUGATE_OF_RESULT.gives(draw, _write_text(p, -q)),
            _WITHOUT_DIVIDING.gives(draw, _write_text(p * size, q * size)),
            _OPPOSITE_REAL.gives(draw, _write_text(-p, q)),
        ],
        hints=[
            draw.say(
                "Multiplie le numérateur et le dénominateur par le conjugué du dénominateur.",
                "Multiply above and below by the conjugate of the denominator.",
            ),
            "$(c + d i)(c - d i) = c^2 + d^2$",
        ],
        steps=[
            f"$\\frac{{{above}}}{{{below}}} = "
            f"\\frac{{({above})({_write_text(c, -d)})}}{{{c}^2 + {abs(d)}^2}}$",
            f"$\\frac{{{_write_text(p * size, q * size)}}}{{{size}}} = {_write_text(p, q)}$",
        ],
    )
