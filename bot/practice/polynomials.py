"""Quadratic equations and derivatives in 1re, primitives in Terminale."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final

from bot.practice.algebra_text import (
    continue_sum,
    in_brackets,
    polynomial_maths,
    polynomial_text,
    raise_maths,
    set_maths,
    signed,
    solution_set,
)
from bot.practice.generator import Draw, Item, generates
from bot.practice.misconceptions import Mistake

_PLUS_FOUR_AC: Final = Mistake(
    "signe devant $4ac$",
    "sign before $4ac$",
    "Revois la formule et le signe de $c$ : que donne $-4ac$ ici ?",
    "Check the formula and the sign of $c$: what does $-4ac$ give here?",
)
_B_NOT_SQUARED: Final = Mistake(
    "$2b$ au lieu de $b^2$",
    "$2b$ instead of $b^2$",
    "$b^2$, c'est $b \\times b$ et non $2 \\times b$.",
    "$b^2$ is $b \\times b$, not $2 \\times b$.",
)
_NEGATIVE_SQUARE: Final = Mistake(
    "carré négatif",
    "negative square",
    "Le carré d'un nombre est-il parfois négatif ? Revois $b^2$.",
    "Can the square of a number be negative? Check $b^2$.",
)
_FACTOR_FOUR: Final = Mistake(
    "facteur 4 oublié",
    "factor 4 forgotten",
    "Revois la formule du discriminant : il manque un nombre devant $ac$.",
    "Check the formula of the discriminant: a number is missing before $ac$.",
)
_ROOT_SIGNS: Final = Mistake(
    "signes des solutions",
    "signs of the solutions",
    "La formule commence par $-b$. Vérifie en remplaçant $x$ par une de tes solutions.",
    "The formula starts with $-b$. Check by putting one of your solutions in place of $x$.",
)
_NOT_HALVED: Final = Mistake(
    "division par $2a$ oubliée",
    "division by $2a$ forgotten",
    "Tu as calculé $-b \\pm \\sqrt{\\Delta}$ : il reste une opération.",
    "You worked out $-b \\pm \\sqrt{\\Delta}$: one operation is left.",
)
_ONE_ROOT_SIGN: Final = Mistake(
    "signe d'une solution",
    "sign of one solution",
    "Une de tes solutions ne convient pas : remplace $x$ par chacune.",
    "One of your solutions does not fit: put each in place of $x$.",
)
_HALVED_ONLY: Final = Mistake(
    "division par 2 au lieu de $2a$",
    "division by 2 instead of $2a$",
    "Regarde le dénominateur de la formule : $a$ y est aussi.",
    "Look at the denominator of the formula: $a$ is there too.",
)


@generates("maths.quadratic-equation", "1re")
def quadratic_equation(draw: Draw) -> Item:
    """The discriminant, then whole solutions, then a leading coefficient that is not 1."""
    return draw.by_level(_discriminant, _whole_roots, _rational_roots)(draw)


def _discriminant(draw: Draw) -> Item:
    a, b, c = (
        draw.between(1, 3),
        draw.between(3, 9) * draw.one_of((1, -1)),
        draw.between(1, 6) * draw.one_of((1, -1)),
    )
    key = b * b - 4 * a * c
    square = _NEGATIVE_SQUARE.gives(draw, -b * b - 4 * a * c)
    return draw.choice(
        draw.say(
            f"Quel est le discriminant de ${polynomial_maths((c, b, a))} = 0$ ?",
            f"What is the discriminant of ${polynomial_maths((c, b, a))} = 0$?",
        ),
        key=key,
        wrong=[
            _PLUS_FOUR_AC.gives(draw, b * b + 4 * a * c),
            *([square] if b < 0 else []),
            _B_NOT_SQUARED.gives(draw, 2 * b - 4 * a * c),
            _FACTOR_FOUR.gives(draw, b * b - a * c),
        ],
        hints=[
            draw.say(
                "Repère $a$, $b$ et $c$ avec leurs signes.",
                "Find $a$, $b$ and $c$ with their signs.",
            ),
            "$\\Delta = b^2 - 4ac$",
        ],
        steps=[
            f"$a = {a}$, $b = {b}$, $c = {c}$",
            f"$\\Delta = {in_brackets(b)}^2 - 4 \\times {a} \\times {in_brackets(c)}$",
            f"$\\Delta = {b * b} {signed(-4 * a * c)} = {key}$",
        ],
    )


def _ask_roots(draw: Draw, coefficients: Sequence[int]) -> str:
    return draw.say(
        f"Résous dans $\\mathbb{{R}}$ l'équation ${polynomial_maths(coefficients)} = 0$.",
        f"Solve in $\\mathbb{{R}}$ the equation ${polynomial_maths(coefficients)} = 0$.",
    )


def _root_steps(draw: Draw, a: int, b: int, c: int, roots: Sequence[Fraction]) -> list[str]:
    delta = b * b - 4 * a * c
    root_of_delta = int(abs(roots[0] - roots[1]) * a)
    solved = solution_set(draw, roots)
    over = str(2 * a)
    return [
        f"$\\Delta = {in_brackets(b)}^2 - 4 \\times {a} \\times {in_brackets(c)} = {delta}$",
        f"$\\sqrt{{\\Delta}} = {root_of_delta}$",
        f"$x_1 = \\frac{{{-b} - {root_of_delta}}}{{{over}}} = {draw.maths(min(roots))}$",
        f"$x_2 = \\frac{{{-b} + {root_of_delta}}}{{{over}}} = {draw.maths(max(roots))}$",
        f"$S = {set_maths(solved)}$",
    ]


def _whole_roots(draw: Draw) -> Item:
    first = draw.between(1, 7) * draw.one_of((1, -1))
    second = draw.one_of([n for n in range(-7, 8) if n not in (0, first, -first)])
    b, c = -(first + second), first * second
    roots = [Fraction(first), Fraction(second)]
    return draw.choice(
        _ask_roots(draw, (c, b, 1)),
        key=solution_set(draw, roots),
        wrong=[
            _ROOT_SIGNS.gives(draw, solution_set(draw, [-first, -second])),
            _NOT_HALVED.gives(draw, solution_set(draw, [2 * first, 2 * second])),
            _ONE_ROOT_SIGN.gives(draw, solution_set(draw, [first, -second])),
        ],
        hints=[
            draw.say(
                f"Calcule $\\Delta = b^2 - 4ac$ avec $b = {b}$ et $c = {c}$.",
                f"Work out $\\Delta = b^2 - 4ac$ with $b = {b}$ and $c = {c}$.",
            ),
            draw.say(
                "Les solutions sont $\\frac{-b \\pm \\sqrt{\\Delta}}{2a}$.",
                "The solutions are $\\frac{-b \\pm \\sqrt{\\Delta}}{2a}$.",
            ),
        ],
        steps=_root_steps(draw, 1, b, c, roots),
    )


def _rational_roots(draw: Draw) -> Item:
    """An equation `(px - q)(x - r) = 0`, expanded; its solutions are typed."""
    p = draw.one_of((2, 3, 5))
    q = draw.one_of([n for n in range(-7, 8) if n % p])
    r = draw.between(1, 4) * draw.one_of((1, -1))
    b, c = -(p * r + q), q * r
    roots = [Fraction(q, p), Fraction(r)]
    return draw.open(
        _ask_roots(draw, (c, b, p)),
        kind="set",
        key=solution_set(draw, roots),
        wrong=[
            _ROOT_SIGNS.gives(draw, solution_set(draw, [-root for root in roots])),
            _HALVED_ONLY.gives(draw, solution_set(draw, [p * root for root in roots])),
            _NOT_HALVED.gives(draw, solution_set(draw, [2 * p * root for root in roots])),
        ],
        hints=[
            draw.say(
                f"Ici $a = {p}$, $b = {b}$, $c = {c}$. Calcule $\\Delta$.",
                f"Here $a = {p}$, $b = {b}$, $c = {c}$. Work out $\\Delta$.",
            ),
            draw.say(
                "$\\Delta$ est le carré d'un nombre entier : les solutions sont "
                "$\\frac{-b \\pm \\sqrt{\\Delta}}{2a}$.",
                "$\\Delta$ is the square of a whole number: the solutions are "
                "$\\frac{-b \\pm \\sqrt{\\Delta}}{2a}$.",
            ),
        ],
        steps=_root_steps(draw, p, b, c, roots),
    )


def derive(coefficients: Sequence[int]) -> tuple[int, ...]:
    """The coefficients of the derivative."""
    return tuple(n * factor for n, factor in enumerate(coefficients))[1:]


_CONSTANT_KEPT: Final = Mistake(
    "constante gardée",
    "constant kept",
    "Un terme constant ne varie pas : que vaut sa dérivée ?",
    "A constant term does not change: what is its derivative?",
)
_NOT_LOWERED: Final = Mistake(
    "exposant non diminué",
    "exponent not lowered",
    "Tu as multiplié par l'exposant ; que devient ensuite l'exposant ?",
    "You multiplied by the exponent; what becomes of the exponent then?",
)
_NOT_MULTIPLIED: Final = Mistake(
    "exposant oublié comme facteur",
    "exponent not used as a factor",
    "L'exposant diminue de 1, mais il sert aussi de facteur.",
    "The exponent goes down by 1, but it also becomes a factor.",
)
_LINEAR_TERM: Final = Mistake(
    "dérivée du terme en $x$",
    "derivative of the term in $x$",
    "Quelle est la dérivée de $x$ ? Revois le terme du premier degré.",
    "What is the derivative of $x$? Check the term of degree one.",
)
_PRODUCT_OF_DERIVATIVES: Final = Mistake(
    "produit des dérivées",
    "product of the derivatives",
    "La dérivée d'un produit n'est pas le produit des dérivées : pense à $u' v + u v'$.",
    "The derivative of a product is not the product of the derivatives: think of $u' v + u v'$.",
)
_HALF_OF_PRODUCT: Final = Mistake(
    "un seul terme de $u' v + u v'$",
    "only one term of $u' v + u v'$",
    "Il y a deux termes à ajouter : chaque facteur est dérivé à son tour.",
    "There are two terms to add: each factor is differentiated in turn.",
)


@generates("maths.derivative-polynomial", "1re")
def derivative_polynomial(draw: Draw) -> Item:
    """Degree two, then three, then a product."""
    if draw.difficulty > 2:
        return _derivative_of_product(draw)
    leading = draw.between(2, 6) * draw.one_of((1, -1))
    constant = draw.between(1, 9) * draw.one_of((1, -1))
    linear = draw.between(2, 9) * draw.one_of((1, -1))
    if draw.difficulty == 1:
        return _derivative_of(draw, (constant, linear, leading))
    return _derivative_of(draw, (constant, linear, draw.between(2, 5), leading))


def _derivative_of(draw: Draw, f: tuple[int, ...]) -> Item:
    result = derive(f)
    same_powers = (f[1], 0, *(n * f[n] for n in range(2, len(f))))
    terms = [(n, f[n]) for n in range(len(f) - 1, 1, -1)]
    return draw.choice(
        draw.say(
            f"$f(x) = {polynomial_maths(f)}$. Quelle est sa dérivée $f'(x)$ ?",
            f"$f(x) = {polynomial_maths(f)}$. What is its derivative $f'(x)$?",
        ),
        key=polynomial_text(result),
        wrong=[
            _CONSTANT_KEPT.gives(draw, polynomial_text((result[0] + f[0], *result[1:]))),
            _NOT_MULTIPLIED.gives(draw, polynomial_text(f[1:])),
            _NOT_LOWERED.gives(draw, polynomial_text(same_powers)),
            _LINEAR_TERM.gives(draw, polynomial_text((0, *result[1:]))),
        ],
        hints=[
            draw.say("Dérive terme par terme.", "Differentiate term by term."),
            draw.say(
                "La dérivée de $x^n$ est $nx^{n-1}$ ; celle d'une constante est nulle.",
                "The derivative of $x^n$ is $nx^{n-1}$; that of a constant is zero.",
            ),
        ],
        steps=[
            *(
                f"$({polynomial_maths((0,) * n + (factor,))})' = {n} \\times {in_brackets(factor)}"
                f"{raise_maths('x', n - 1)} = {polynomial_maths((0,) * (n - 1) + (n * factor,))}$"
                for n, factor in terms
            ),
            f"$({polynomial_maths((0, f[1]))})' = {f[1]}$, $({f[0]})' = 0$",
            f"$f'(x) = {polynomial_maths(result)}$",
        ],
    )


def _derivative_of_product(draw: Draw) -> Item:
    """The derivative of `(ax² + b)(cx + d)`, typed in any form."""
    a, c = draw.between(1, 4), draw.between(1, 4) * draw.one_of((1, -1))
    b, d = (draw.between(1, 6) * draw.one_of((1, -1)) for _ in "bd")
    u, v = polynomial_maths((b, 0, a)), polynomial_maths((d, c))
    result = (b * c, 2 * a * d, 3 * a * c)
    return draw.open(
        draw.say(
            f"$f(x) = ({u})({v})$. Quelle est sa dérivée $f'(x)$ ? Donne la forme développée.",
            f"$f(x) = ({u})({v})$. What is its derivative $f'(x)$? Give it expanded.",
        ),
        kind="expression",
        key=polynomial_text(result),
        wrong=[
            _PRODUCT_OF_DERIVATIVES.gives(draw, polynomial_text((0, 2 * a * c))),
            _HALF_OF_PRODUCT.gives(draw, polynomial_text((0, 2 * a * d, 2 * a * c))),
            _HALF_OF_PRODUCT.gives(draw, polynomial_text((b * c, 0, a * c))),
        ],
        hints=[
            draw.say(
                "C'est un produit : $(u v)' = u' v + u v'$.",
                "It is a product: $(u v)' = u' v + u v'$.",
            ),
            draw.say(
                f"$u = {u}$, donc $u' = {polynomial_maths((0, 2 * a))}$ ; "
                f"$v = {v}$, donc $v' = {c}$.",
                f"$u = {u}$, so $u' = {polynomial_maths((0, 2 * a))}$; $v = {v}$, so $v' = {c}$.",
            ),
        ],
        steps=[
            f"$u' = {polynomial_maths((0, 2 * a))}$, $v' = {c}$",
            f"$f'(x) = {polynomial_maths((0, 2 * a))}({v}) + ({u}) \\times {in_brackets(c)}$",
            f"$f'(x) = {polynomial_maths((0, 2 * a * d, 2 * a * c))} "
            f"{continue_sum(polynomial_maths((b * c, 0, a * c)))}$",
            f"$f'(x) = {polynomial_maths(result)}$",
        ],
    )


_DERIVED: Final = Mistake(
    "dérivée à la place",
    "differentiated instead",
    "Tu as dérivé : une primitive, c'est le chemin inverse.",
    "You differentiated: an antiderivative is the way back.",
)
_NOT_DIVIDED: Final = Mistake(
    "division par $n + 1$ oubliée",
    "division by $n + 1$ forgotten",
    "Dérive ta réponse : retrouves-tu bien les coefficients de $f$ ?",
    "Differentiate your answer: do you get the coefficients of $f$ back?",
)
_CONSTANT_TERM: Final = Mistake(
    "terme constant non intégré",
    "constant term not integrated",
    "Quelle fonction a pour dérivée le terme constant de $f$ ?",
    "Which function has the constant term of $f$ as its derivative?",
)
_POWERS_KEPT: Final = Mistake(
    "exposants non augmentés",
    "exponents not raised",
    "En dérivant, l'exposant diminue de 1 : que fait-il sur le chemin inverse ?",
    "When differentiating, the exponent goes down by 1: what does it do on the way back?",
)
_CONDITION_IGNORED: Final = Mistake(
    "condition non utilisée",
    "condition not used",
    "Ta fonction est une primitive de $f$, mais vérifie sa valeur au point donné.",
    "Your function is an antiderivative of $f$, but check its value at the given point.",
)
_VALUE_AS_CONSTANT: Final = Mistake(
    "valeur prise pour constante",
    "value taken as the constant",
    "La constante n'est pas la valeur donnée : remplace $x$ et résous.",
    "The constant is not the given value: put in $x$ and solve.",
)


@generates("maths.primitive-polynomial", "Terminale")
def primitive_polynomial(draw: Draw) -> Item:
    """Degree one, then two, then the primitive that takes a value at a point."""
    constant = draw.between(2, 9) * draw.one_of((1, -1))
    linear = draw.between(1, 5) * draw.one_of((1, -1))
    if draw.difficulty == 1:
        return _any_primitive(draw, (0, constant, linear))
    primitive = (0, constant, linear, draw.between(1, 4) * draw.one_of((1, -1)))
    if draw.difficulty == 2:
        return _any_primitive(draw, primitive)
    return _primitive_with_value(draw, primitive)


def _primitive_hint(draw: Draw) -> str:
    return draw.say(
        "Une primitive de $x^n$ est $\\frac{x^{n+1}}{n+1}$.",
        "An antiderivative of $x^n$ is $\\frac{x^{n+1}}{n+1}$.",
    )


def _primitive_steps(f: Sequence[int]) -> list[str]:
    """Each term with a primitive of it."""
    return [
        f"${polynomial_maths((0,) * n + (f[n],))} \\to "
        f"{polynomial_maths((0,) * (n + 1) + (f[n] // (n + 1),))}$"
        for n in range(len(f) - 1, -1, -1)
    ]


def _any_primitive(draw: Draw, primitive: tuple[int, ...]) -> Item:
    f = derive(primitive)
    return draw.choice(
        draw.say(
            f"Laquelle est une primitive de $f(x) = {polynomial_maths(f)}$ ?",
            f"Which one is an antiderivative of $f(x) = {polynomial_maths(f)}$?",
        ),
        key=polynomial_text(primitive),
        wrong=[
            _NOT_DIVIDED.gives(draw, polynomial_text((0, *f))),
            _CONSTANT_TERM.gives(draw, polynomial_text((f[0], 0, *primitive[2:]))),
            _DERIVED.gives(draw, polynomial_text(derive(f))),
            _POWERS_KEPT.gives(draw, polynomial_text(primitive[1:])),
        ],
        hints=[
            draw.say(
                "Cherche une fonction dont la dérivée est $f$.",
                "Look for a function whose derivative is $f$.",
            ),
            _primitive_hint(draw),
        ],
        steps=[*_primitive_steps(f), f"$F(x) = {polynomial_maths(primitive)}$"],
    )


def _primitive_with_value(draw: Draw, primitive: tuple[int, ...]) -> Item:
    at, added = draw.one_of((-1, 1, 2)), draw.between(1, 9) * draw.one_of((1, -1))
    f = derive(primitive)
    before = sum(factor * at**n for n, factor in enumerate(primitive))
    value = before + added
    key = (added, *primitive[1:])
    return draw.open(
        draw.say(
            f"$F$ est la primitive de $f(x) = {polynomial_maths(f)}$ telle que "
            f"$F({at}) = {value}$. Quelle est l'expression de $F(x)$ ?",
            f"$F$ is the antiderivative of $f(x) = {polynomial_maths(f)}$ such that "
            f"$F({at}) = {value}$. What is the expression of $F(x)$?",
        ),
        kind="expression",
        key=polynomial_text(key),
        wrong=[
            _CONDITION_IGNORED.gives(draw, polynomial_text(primitive)),
            _VALUE_AS_CONSTANT.gives(draw, polynomial_text((value, *primitive[1:]))),
            _DERIVED.gives(draw, polynomial_text(derive(f))),
        ],
        hints=[
            _primitive_hint(draw),
            draw.say(
                f"Ajoute une constante $k$, puis remplace $x$ par ${at}$.",
                f"Add a constant $k$, then put ${at}$ in place of $x$.",
            ),
        ],
        steps=[
            *_primitive_steps(f),
            f"$F({at}) = {before} + k = {value}$",
            f"$k = {added}$",
            f"$F(x) = {polynomial_maths(key)}$",
        ],
    )
