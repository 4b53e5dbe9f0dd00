"""Expressions with letters: expanding (5e, 3e) and factorising by identities (3e)."""

from __future__ import annotations

from collections.abc import Sequence
from math import gcd

from bot.practice.generator import Draw, Item, Wrong, generates
from bot.practice.relative_numbers import bracket


def write_polynomial(*coefficients: int) -> str:
    """A polynomial in `x` in LaTeX, from its highest coefficient to its constant."""
    written = ""
    for power, number in zip(range(len(coefficients) - 1, -1, -1), coefficients, strict=True):
        if number == 0:
            continue
        letter = "" if power == 0 else "x" if power == 1 else f"x^{power}"
        size = "" if letter and abs(number) == 1 else str(abs(number))
        sign = "-" if number < 0 else "+"
        start = sign.strip("+") if not written else f" {sign} "
        written += f"{start}{size}{letter}"
    return written or "0"


def plain(written: str) -> str:
    """LaTeX of a polynomial as people type it: `3x^2-5x+1`."""
    return written.replace(" ", "")


def option(*coefficients: int) -> str:
    """A polynomial as an option of a choice."""
    return f"${write_polynomial(*coefficients)}$"


# Expanding ----------------------------------------------------------------------------------------


@generates("maths.expand-simple", "5e")
def expand_simple(draw: Draw) -> Item:
    """`k(x + b)`, then `k(ax - b)`, then two brackets to expand and reduce."""
    if draw.difficulty == 3:
        return _expand_and_reduce(draw)
    k, b = draw.between(2, 9), draw.between(2, 9)
    a = draw.by_level(1, draw.between(2, 6), 1)
    b = -b if draw.difficulty == 2 and draw.one_of((True, False)) else b
    k = -k if draw.difficulty == 2 and draw.one_of((True, False)) else k
    inside = write_polynomial(a, b)
    sign = "-" if b < 0 else "+"
    return draw.choice(
        draw.say(f"Développe ${k}({inside})$.", f"Expand ${k}({inside})$."),
        key=option(k * a, k * b),
        wrong=_wrong_for_one_bracket(draw, k, a, b),
        hints=[
            draw.say(
                f"${k}$ multiplie chaque terme de la parenthèse.",
                f"${k}$ multiplies each term in the bracket.",
            ),
            draw.say(
                f"Calcule ${k} \\times {write_polynomial(a, 0)}$ puis ${k} \\times {bracket(b)}$.",
                f"Work out ${k} \\times {write_polynomial(a, 0)}$ and ${k} \\times {bracket(b)}$.",
            ),
        ],
        steps=[
            f"${k} \\times {write_polynomial(a, 0)} = {write_polynomial(k * a, 0)}$",
            f"${k} \\times {bracket(b)} = {k * b}$",
            f"${k}({write_polynomial(a, 0)} {sign} {abs(b)}) = {write_polynomial(k * a, k * b)}$",
        ],
    )


def _wrong_for_one_bracket(draw: Draw, k: int, a: int, b: int) -> list[Wrong]:
    """Wrong expansions of `k(ax + b)`."""
    return [
        draw.wrong(
            option(k * a, b),
            ("un seul terme multiplié", "Le facteur multiplie aussi le deuxième terme."),
            ("only one term multiplied", "The factor multiplies the second term too."),
        ),
        draw.wrong(
            option(k * a, -k * b),
            ("erreur de signe", "Vérifie le signe du deuxième produit."),
            ("wrong sign", "Check the sign of the second product."),
        )
        if k < 0 or b < 0
        else draw.wrong(
            option(k + a, k + b),
            ("addition au lieu de produit", "Devant une parenthèse, le facteur multiplie."),
            ("added instead of multiplied", "In front of a bracket, the factor multiplies."),
        ),
        draw.wrong(
            option(k * a + k * b, 0),
            ("termes différents réunis", "Un terme en $x$ et un nombre ne se regroupent pas."),
            ("unlike terms combined", "A term in $x$ and a number cannot be combined."),
        ),
        draw.wrong(
            option(a, k * b),
            ("premier terme oublié", "Le facteur multiplie aussi le terme en $x$."),
            ("first term forgotten", "The factor multiplies the term in $x$ too."),
        ),
    ]


def _expand_and_reduce(draw: Draw) -> Item:
    """`k(ax + b) - m(cx + d)`, with a positive number of `x` at the end."""
    k, a, b = draw.between(3, 6), draw.between(3, 5), draw.between(1, 7)
    m, c, d = draw.between(2, 4), draw.between(1, 2), draw.one_of((1, -1)) * draw.between(1, 6)
    b = draw.one_of((b, -b))
    first, second = write_polynomial(k * a, k * b), write_polynomial(-m * c, -m * d)
    written = f"{k}({write_polynomial(a, b)}) - {m}({write_polynomial(c, d)})"
    result = write_polynomial(k * a - m * c, k * b - m * d)
    both = f"{first} {second[0]} {second[1:]}"
    return draw.open(
        draw.say(f"Développe et réduis : ${written}$.", f"Expand and simplify: ${written}$."),
        kind="expression",
        key=plain(result),
        wrong=[
            draw.wrong(
                plain(write_polynomial(k * a - m * c, k * b + m * d)),
                (
                    "signe moins sur le premier terme seulement",
                    "Le signe $-$ devant la deuxième parenthèse agit sur ses deux termes.",
                ),
                (
                    "minus sign on the first term only",
                    "The sign $-$ before the second bracket acts on both of its terms.",
                ),
            ),
            draw.wrong(
                plain(write_polynomial(k * a - m * c, b - d)),
                ("un seul terme multiplié", "Chaque facteur multiplie les deux termes."),
                ("only one term multiplied", "Each factor multiplies both terms."),
            ),
        ],
        hints=[
            draw.say(
                f"Développe chaque parenthèse ; la deuxième est multipliée par ${-m}$.",
                f"Expand each bracket; the second one is multiplied by ${-m}$.",
            ),
            draw.say(
                f"On obtient ${both}$. Regroupe les termes en $x$, puis les nombres.",
                f"You get ${both}$. Group the terms in $x$, then the numbers.",
            ),
        ],
        steps=[
            f"${k}({write_polynomial(a, b)}) = {first}$",
            f"$-{m}({write_polynomial(c, d)}) = {second}$",
            f"${both} = {result}$",
        ],
    )


@generates("maths.expand-double", "3e")
def expand_double(draw: Draw) -> Item:
    """`(x + a)(x + b)`, then a remarkable identity, then `(ax + b)(cx + d)`."""
    if draw.difficulty == 2:
        return _expand_identity(draw)
    a, c = draw.by_level(1, 1, draw.between(2, 5)), draw.by_level(1, 1, draw.between(2, 4))
    b, d = draw.between(2, 9), draw.between(1, 8)
    b = draw.one_of((b, -b)) if draw.difficulty == 3 else b
    d = -d if draw.difficulty == 3 else draw.one_of((d, -d))
    d = d - 1 if abs(a * d) == abs(b * c) else d
    key = (a * c, a * d + b * c, b * d)
    written = f"({write_polynomial(a, b)})({write_polynomial(c, d)})"
    wrong: list[tuple[Sequence[int], tuple[str, str], tuple[str, str]]] = [
        (
            (a * c, 0, b * d),
            ("termes du milieu oubliés", "Il y a quatre produits à faire, pas deux."),
            ("middle terms forgotten", "There are four products to do, not two."),
        ),
        (
            (a * c, a * d + b * c, b + d),
            ("nombres ajoutés", "Le dernier terme vient d'un produit."),
            ("numbers added", "The last term comes from a product."),
        ),
        (
            (a * c, a * d - b * c, b * d),
            ("signe d'un produit du milieu", "Vérifie les signes des deux produits du milieu."),
            ("sign of a middle product", "Check the signs of the two middle products."),
        )
        if b < 0 or d < 0
        else (
            (a * c, b * d, b + d),
            ("somme et produit échangés", "Quel terme vient d'un produit de deux nombres ?"),
            ("sum and product swapped", "Which term comes from a product of two numbers?"),
        ),
        (
            (a * c, a * d + b * c, -b * d),
            ("signe du dernier produit", "Vérifie le signe du dernier produit."),
            ("sign of the last product", "Check the sign of the last product."),
        ),
    ]
    say = draw.say(f"Développe et réduis ${written}$.", f"Expand and simplify ${written}$.")
    hints = [
        draw.say(
            "Chaque terme de la première parenthèse multiplie chaque terme de la deuxième.",
            "Each term of the first bracket multiplies each term of the second one.",
        ),
        draw.say(
            f"Les termes en $x$ sont ${write_polynomial(a * d, 0)}$ et "
            f"${write_polynomial(b * c, 0)}$.",
            f"The terms in $x$ are ${write_polynomial(a * d, 0)}$ and "
            f"${write_polynomial(b * c, 0)}$.",
        ),
    ]
    x_terms = write_polynomial(a * d, 0), write_polynomial(b * c, 0)
    steps = [
        f"${write_polynomial(a, 0)} \\times ({write_polynomial(c, d)}) = "
        f"{write_polynomial(a * c, a * d, 0)}$",
        f"${b} \\times ({write_polynomial(c, d)}) = {write_polynomial(b * c, b * d)}$",
        draw.say(
            f"On réduit les termes en $x$, ${x_terms[0]}$ et ${x_terms[1]}$ : "
            f"${written} = {write_polynomial(*key)}$.",
            f"Combine the terms in $x$, ${x_terms[0]}$ and ${x_terms[1]}$: "
            f"${written} = {write_polynomial(*key)}$.",
        ),
    ]
    if draw.difficulty == 3:
        return draw.open(
            say,
            kind="expression",
            key=plain(write_polynomial(*key)),
            wrong=[draw.wrong(plain(write_polynomial(*w[0])), w[1], w[2]) for w in wrong],
            hints=hints,
            steps=steps,
        )
    return draw.choice(
        say,
        key=option(*key),
        wrong=[draw.wrong(option(*w[0]), w[1], w[2]) for w in wrong],
        hints=hints,
        steps=steps,
    )


def _expand_identity(draw: Draw) -> Item:
    """`(ax + b)²`, `(ax - b)²` or `(ax + b)(ax - b)`."""
    a = draw.between(1, 5)
    b = draw.one_of([each for each in range(2, 10) if gcd(a, each) == 1])
    form = draw.one_of(("plus", "minus", "both"))
    left, right = write_polynomial(a, b), write_polynomial(a, -b)
    written, key, identity = {
        "plus": (f"({left})^2", (a * a, 2 * a * b, b * b), "(a + b)^2 = a^2 + 2ab + b^2"),
        "minus": (f"({right})^2", (a * a, -2 * a * b, b * b), "(a - b)^2 = a^2 - 2ab + b^2"),
        "both": (f"({left})({right})", (a * a, 0, -b * b), "(a + b)(a - b) = a^2 - b^2"),
    }[form]
    sign = 2 if form == "minus" else -2
    wrong = [
        draw.wrong(
            option(a * a, -sign * a * b, -b * b),
            ("signe du carré", "Un nombre au carré, est-ce positif ou négatif ?"),
            ("sign of the square", "Is a number squared positive or negative?"),
        ),
        draw.wrong(
            option(a * a, 0, b * b),
            ("double produit oublié", f"${written}$ a trois termes : lequel manque ?"),
            ("double product forgotten", f"${written}$ has three terms: which one is missing?"),
        ),
        draw.wrong(
            option(a * a, sign * a * b, b * b),
            ("signe du double produit", "Vérifie le signe du terme en $x$."),
            ("sign of the double product", "Check the sign of the term in $x$."),
        ),
    ]
    if form == "both":
        wrong = _wrong_for_sum_times_difference(draw, a, b)
    return draw.choice(
        draw.say(
            f"Développe ${written}$ avec une identité remarquable.",
            f"Expand ${written}$ using a standard identity.",
        ),
        key=option(*key),
        wrong=wrong,
        hints=[
            draw.say(
                "Quelle identité remarquable reconnais-tu ?",
                "Which standard identity do you recognise?",
            ),
            draw.say(
                f"Utilise ${identity}$, avec $a = {write_polynomial(a, 0)}$ et $b = {b}$.",
                f"Use ${identity}$, with $a = {write_polynomial(a, 0)}$ and $b = {b}$.",
            ),
        ],
        steps=[
            draw.say(f"On utilise ${identity}$.", f"Use ${identity}$."),
            f"${written} = {write_polynomial(*key)}$",
        ],
    )


def _wrong_for_sum_times_difference(draw: Draw, a: int, b: int) -> list[Wrong]:
    """Wrong expansions of `(ax + b)(ax - b)`."""
    return [
        draw.wrong(
            option(a * a, 0, b * b),
            ("signe du dernier terme", "Vérifie le signe du produit des deux nombres."),
            ("sign of the last term", "Check the sign of the product of the two numbers."),
        ),
        draw.wrong(
            option(a * a, 2 * a * b, -b * b),
            ("double produit en trop", "Fais les deux produits en $x$ : que donne leur somme ?"),
            ("double product too many", "Do both products in $x$: what is their sum?"),
        ),
        draw.wrong(
            option(a * a, -2 * a * b, b * b),
            ("confusion avec $(a - b)^2$", "Les deux parenthèses ne sont pas les mêmes."),
            ("mixed up with $(a - b)^2$", "The two brackets are not the same."),
        ),
    ]


# Factorising --------------------------------------------------------------------------------------


@generates("maths.factor-identities", "3e")
def factor_identities(draw: Draw) -> Item:
    """`x² - b²`, then `x² ± 2bx + b²`, then either with a coefficient before `x²`."""
    a = draw.by_level(1, 1, draw.between(2, 5))
    b = draw.one_of([each for each in range(2, 11) if gcd(a, each) == 1])
    form = draw.by_level("both", draw.one_of(("plus", "minus")), "")
    form = form or draw.one_of(("plus", "minus", "both"))
    left, right = f"({write_polynomial(a, b)})", f"({write_polynomial(a, -b)})"
    middle = {"plus": 2 * a * b, "minus": -2 * a * b, "both": 0}[form]
    written = write_polynomial(a * a, middle, -b * b if form == "both" else b * b)
    answers = {"plus": f"{left}^2", "minus": f"{right}^2", "both": f"{left}{right}"}
    key = answers[form]
    identity = {
        "plus": "a^2 + 2ab + b^2 = (a + b)^2",
        "minus": "a^2 - 2ab + b^2 = (a - b)^2",
        "both": "a^2 - b^2 = (a + b)(a - b)",
    }[form]
    square_root = write_polynomial(a, 0)
    last = b * b if a == 1 else b
    stray = (
        f"({write_polynomial(a, last)})({write_polynomial(a, -last)})"
        if form == "both"
        else f"({write_polynomial(a, last)})^2"
    )
    if a > 1:
        stray = stray.replace(write_polynomial(a, 0), write_polynomial(a * a, 0))
    return draw.choice(
        draw.say(f"Factorise ${written}$.", f"Factorise ${written}$."),
        key=f"${key}$",
        wrong=[
            *_wrong_identities(draw, answers, form),
            draw.wrong(
                f"${stray}$",
                ("racine carrée oubliée", "Écris d'abord chaque bout comme un carré."),
                ("square root forgotten", "Write each end as a square first."),
            ),
        ],
        hints=[
            draw.say(
                "Écris le premier et le dernier terme comme des carrés.",
                "Write the first and the last term as squares.",
            ),
            draw.say(
                f"Utilise ${identity}$, avec $a = {square_root}$ et $b = {b}$.",
                f"Use ${identity}$, with $a = {square_root}$ and $b = {b}$.",
            ),
        ],
        steps=[
            *([f"${write_polynomial(a * a, 0, 0)} = ({square_root})^2$"] if a > 1 else []),
            f"${b * b} = {b}^2$",
            f"${written} = {key}$",
        ],
    )


def _wrong_identities(draw: Draw, answers: dict[str, str], form: str) -> list[Wrong]:
    """The other two identities, each with the reason why it is not the one."""
    reasons = {
        "plus": (
            ("confusion avec $(a + b)^2$", "Développe ta réponse : quel est le terme en $x$ ?"),
            ("mixed up with $(a + b)^2$", "Expand your answer: what is its term in $x$?"),
        ),
        "minus": (
            ("confusion avec $(a - b)^2$", "Développe ta réponse et compare les signes."),
            ("mixed up with $(a - b)^2$", "Expand your answer and compare the signs."),
        ),
        "both": (
            ("confusion avec $(a + b)(a - b)$", "Ce produit n'a pas de terme en $x$."),
            ("mixed up with $(a + b)(a - b)$", "That product has no term in $x$."),
        ),
    }
    return [
        draw.wrong(f"${answers[other]}$", *reasons[other]) for other in answers if other != form
    ]
