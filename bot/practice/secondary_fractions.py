"""Fractions in lower secondary school: added (6e), multiplied (5e) and divided (4e)."""

from __future__ import annotations

from fractions import Fraction
from math import gcd, lcm

from bot.practice.generator import Draw, Item, Wrong, generates


def write_fraction(above: int, below: int) -> str:
    """A fraction in LaTeX as it stands, not simplified."""
    return f"\\frac{{{above}}}{{{below}}}"


def _simplify(draw: Draw, above: int, below: int) -> list[str]:
    """The step that simplifies a fraction, if it can be."""
    divisor = gcd(above, below)
    if divisor == 1:
        return []
    simple = draw.maths(Fraction(above, below))
    return [
        draw.say(
            f"On simplifie par ${divisor}$ : ${write_fraction(above, below)} = {simple}$.",
            f"Simplify by ${divisor}$: ${write_fraction(above, below)} = {simple}$.",
        )
    ]


# Adding -------------------------------------------------------------------------------------------


@generates("maths.add-fractions", "6e")
def add_fractions(draw: Draw) -> Item:
    """The same denominator, then one a multiple of the other, then two different ones."""
    if draw.difficulty == 1:
        return _add_same_denominator(draw)
    if draw.difficulty == 3:
        return _add_different_denominators(draw)
    b, k = draw.between(2, 6), draw.between(2, 4)
    a = draw.one_of([n for n in range(1, 2 * b) if gcd(n, b) == 1])
    c = draw.one_of([n for n in range(1, b * k) if gcd(n, b * k) == 1])
    if draw.one_of((True, False)):
        written = f"{write_fraction(a, b)} + {write_fraction(c, b * k)}"
    else:
        written = f"{write_fraction(c, b * k)} + {write_fraction(a, b)}"
    wrong = [
        draw.wrong(
            Fraction(a + c, b + b * k),
            ("dénominateurs ajoutés", "On n'ajoute pas les dénominateurs."),
            ("denominators added", "Denominators are not added."),
        ),
        draw.wrong(
            Fraction(a + c, b * k),
            ("numérateur pas changé", "En changeant le dénominateur, change aussi le numérateur."),
            ("numerator left as it was", "When the denominator changes, so does the numerator."),
        ),
        draw.wrong(
            Fraction(a + c, b),
            ("mauvais dénominateur", "Les deux fractions ne sont pas coupées en parts égales."),
            ("wrong denominator", "The two fractions are not cut into equal parts."),
        ),
        draw.wrong(
            Fraction(a * c, b * b * k),
            ("multiplication à la place", "Tu as multiplié : il faut ajouter."),
            ("multiplied instead", "You multiplied: you are asked to add."),
        ),
    ]
    return draw.choice(
        draw.say(
            f"Calcule ${written}$. Donne le résultat simplifié.",
            f"Work out ${written}$. Give the result in its simplest form.",
        ),
        key=Fraction(k * a + c, b * k),
        wrong=wrong,
        hints=[
            draw.say(
                "Peux-tu écrire les deux fractions avec le même dénominateur ?",
                "Can you write both fractions with the same denominator?",
            ),
            draw.say(
                f"Écris ${write_fraction(a, b)}$ avec le dénominateur ${b * k}$.",
                f"Write ${write_fraction(a, b)}$ with the denominator ${b * k}$.",
            ),
        ],
        steps=[
            f"${write_fraction(a, b)} = {write_fraction(k * a, k * b)}$",
            f"${write_fraction(k * a, k * b)} + {write_fraction(c, k * b)} = "
            f"{write_fraction(k * a + c, k * b)}$",
            *_simplify(draw, k * a + c, k * b),
        ],
    )


def _add_same_denominator(draw: Draw) -> Item:
    b = draw.between(5, 12)
    a = draw.between(1, b - 3)
    c = draw.between(1, b - 1 - a)
    fruit = draw.one_of((("pastèque", "watermelon"), ("galette", "flat cake")))
    shared = draw.one_of((True, False))
    one, two = write_fraction(a, b), write_fraction(c, b)
    statement = draw.say(
        f"Calcule ${one} + {two}$. Donne le résultat simplifié.",
        f"Work out ${one} + {two}$. Give the result in its simplest form.",
    )
    if shared:
        statement = draw.say(
            f"Fatou mange ${one}$ d'une {fruit[0]}, son frère en mange ${two}$. Quelle fraction de "
            f"la {fruit[0]} ont-ils mangée en tout ? Simplifie.",
            f"Fatou eats ${one}$ of a {fruit[1]}, her brother eats ${two}$ of it. What fraction of "
            f"the {fruit[1]} have they eaten in all? Simplify.",
        )
    wrong = [
        draw.wrong(
            Fraction(a + c, 2 * b),
            ("dénominateurs ajoutés", "Les parts gardent la même taille : et le dénominateur ?"),
            ("denominators added", "The parts keep their size: so what about the denominator?"),
        ),
        draw.wrong(
            Fraction(a + c, b * b),
            (
                "dénominateurs multipliés",
                "Multiplier les dénominateurs change la taille des parts.",
            ),
            ("denominators multiplied", "Multiplying denominators changes the size of the parts."),
        ),
        draw.wrong(
            Fraction(a * c, b),
            ("numérateurs multipliés", "Combien de parts en tout ? On les ajoute."),
            ("numerators multiplied", "How many parts in all? They are added."),
        ),
    ]
    return draw.choice(
        statement,
        key=Fraction(a + c, b),
        wrong=wrong,
        hints=[
            draw.say(
                "Les parts ont la même taille dans les deux fractions.",
                "The parts have the same size in both fractions.",
            ),
            draw.say(
                "Garde le dénominateur, ajoute les numérateurs, puis simplifie si c'est possible.",
                "Keep the denominator, add the numerators, then simplify if you can.",
            ),
        ],
        steps=[f"${one} + {two} = {write_fraction(a + c, b)}$", *_simplify(draw, a + c, b)],
    )


def _add_different_denominators(draw: Draw) -> Item:
    b, d = draw.one_of(((2, 3), (3, 4), (2, 5), (3, 5), (4, 5), (4, 6), (6, 8), (6, 9), (4, 10)))
    a = draw.one_of([n for n in range(1, 2 * b) if gcd(n, b) == 1])
    c = draw.one_of([n for n in range(1, d) if gcd(n, d) == 1])
    common = lcm(b, d)
    above = a * common // b + c * common // d
    one, two = write_fraction(a, b), write_fraction(c, d)
    one_done = write_fraction(a * common // b, common)
    two_done = write_fraction(c * common // d, common)
    return draw.open(
        draw.say(
            f"Calcule ${one} + {two}$. Donne le résultat simplifié.",
            f"Work out ${one} + {two}$. Give the result in its simplest form.",
        ),
        key=Fraction(above, common),
        wrong=[
            draw.wrong(
                Fraction(a + c, b + d),
                ("numérateurs et dénominateurs ajoutés", "On n'ajoute pas les dénominateurs."),
                ("numerators and denominators added", "Denominators are not added."),
            ),
            draw.wrong(
                Fraction(a + c, common),
                ("numérateurs pas changés", "Change aussi les numérateurs."),
                ("numerators left as they were", "Change the numerators too."),
            ),
        ],
        hints=[
            draw.say(
                f"Cherche un multiple commun de ${b}$ et de ${d}$.",
                f"Look for a common multiple of ${b}$ and ${d}$.",
            ),
            draw.say(
                f"Avec le dénominateur ${common}$ : ${one} = {one_done}$. Et l'autre fraction ?",
                f"With the denominator ${common}$: ${one} = {one_done}$. And the other fraction?",
            ),
        ],
        steps=[
            f"${one} = {one_done}$",
            f"${two} = {two_done}$",
            f"${one_done} + {two_done} = {write_fraction(above, common)}$",
            *_simplify(draw, above, common),
        ],
    )


# Multiplying --------------------------------------------------------------------------------------


@generates("maths.multiply-fractions", "5e")
def multiply_fractions(draw: Draw) -> Item:
    """Two simple fractions, then a whole number times one, then a part of a part."""
    if draw.difficulty == 2:
        return _multiply_by_whole(draw)
    if draw.difficulty == 3:
        return _take_part_of_part(draw)
    proper = [(a, b) for b in (3, 4, 5, 7, 9, 11) for a in range(1, b + 3) if gcd(a, b) == 1]
    a, b = draw.one_of(proper)
    other = [(c, d) for c, d in proper if gcd(a * c, b * d) == 1 and b != d]
    c, d = draw.one_of([each for each in other if each[0] not in (1, a)])
    one, two = write_fraction(a, b), write_fraction(c, d)
    wrong = [
        draw.wrong(
            Fraction(a + c, b + d),
            ("additions à la place", "Tu as ajouté : regarde le signe de l'opération."),
            ("added instead", "You added: look at the operation."),
        ),
        draw.wrong(
            Fraction(a * d, b * c),
            ("produit en croix", "Le produit en croix ne sert pas à multiplier deux fractions."),
            ("cross product", "Cross products are not for multiplying two fractions."),
        ),
        draw.wrong(
            Fraction(a * c, b + d),
            ("dénominateurs ajoutés", "Et les dénominateurs, que leur fait-on ?"),
            ("denominators added", "And the denominators, what is done to them?"),
        ),
        draw.wrong(
            Fraction(a + c, b * d),
            ("numérateurs ajoutés", "Et les numérateurs, que leur fait-on ?"),
            ("numerators added", "And the numerators, what is done to them?"),
        ),
    ]
    return draw.choice(
        draw.say(f"Calcule ${one} \\times {two}$.", f"Work out ${one} \\times {two}$."),
        key=Fraction(a * c, b * d),
        wrong=wrong,
        hints=[
            draw.say(
                "Pour multiplier, pas besoin du même dénominateur.",
                "To multiply, you do not need the same denominator.",
            ),
            draw.say(
                "Multiplie les numérateurs entre eux, puis les dénominateurs entre eux.",
                "Multiply the numerators together, then the denominators.",
            ),
        ],
        steps=[
            f"${one} \\times {two} = \\frac{{{a} \\times {c}}}{{{b} \\times {d}}} = "
            f"{write_fraction(a * c, b * d)}$"
        ],
    )


def _multiply_by_whole(draw: Draw) -> Item:
    b, n = draw.between(3, 9), draw.between(2, 8)
    a = draw.one_of([each for each in range(2, b + 4) if gcd(each, b) == 1])
    fraction = write_fraction(a, b)
    written = draw.one_of((f"{n} \\times {fraction}", f"{fraction} \\times {n}"))
    wrong = [
        draw.wrong(
            Fraction(a, b),
            ("numérateur et dénominateur multipliés", "Ainsi la fraction ne change pas."),
            ("numerator and denominator multiplied", "That way the fraction does not change."),
        ),
        draw.wrong(
            Fraction(a, n * b),
            ("dénominateur multiplié", "Tu as multiplié le dénominateur : les parts rétrécissent."),
            ("denominator multiplied", "You multiplied the denominator: the parts become smaller."),
        ),
        draw.wrong(
            Fraction(n * b + a, b),
            ("addition à la place", "Tu as ajouté : regarde le signe de l'opération."),
            ("added instead", "You added: look at the operation."),
        ),
    ]
    return draw.choice(
        draw.say(
            f"Calcule ${written}$. Donne le résultat simplifié.",
            f"Work out ${written}$. Give the result in its simplest form.",
        ),
        key=Fraction(n * a, b),
        wrong=wrong,
        hints=[
            draw.say(
                f"Le nombre entier peut s'écrire ${write_fraction(n, 1)}$.",
                f"The whole number can be written ${write_fraction(n, 1)}$.",
            ),
            draw.say(
                "Seul le numérateur est multiplié ; simplifie ensuite si tu peux.",
                "Only the numerator is multiplied; then simplify if you can.",
            ),
        ],
        steps=[
            f"${written} = \\frac{{{n} \\times {a}}}{{{b}}} = {write_fraction(n * a, b)}$",
            *_simplify(draw, n * a, b),
        ],
    )


def _take_part_of_part(draw: Draw) -> Item:
    b, d = draw.between(3, 9), draw.between(3, 8)
    a = draw.one_of([each for each in range(2, b) if gcd(each, b) == 1])
    c = draw.one_of([each for each in range(1, d) if gcd(each, d) == 1])
    one, two = write_fraction(a, b), write_fraction(c, d)
    statement = draw.one_of(
        (
            draw.say(
                f"Un planteur a mis ${one}$ de son terrain en cacao. Il a récolté ${two}$ de cette "
                "partie. Quelle fraction du terrain a-t-il récoltée ? Simplifie.",
                f"A farmer has planted cocoa on ${one}$ of his land. He has harvested ${two}$ of "
                "that part. What fraction of the land has he harvested? Simplify.",
            ),
            draw.say(
                f"Dans un club de football, ${one}$ des membres sont des jeunes, et ${two}$ de ces "
                "jeunes sont des filles. Quelle fraction du club ces filles forment-elles ? "
                "Simplifie.",
                f"In a football club, ${one}$ of the members are young people, and ${two}$ of "
                "these young people are girls. What fraction of the club are they? Simplify.",
            ),
        )
    )
    return draw.open(
        statement,
        key=Fraction(a * c, b * d),
        wrong=[
            draw.wrong(
                Fraction(a, b) + Fraction(c, d),
                ("addition à la place", "Prendre une part d'une part, est-ce ajouter ?"),
                ("added instead", "Is taking a part of a part the same as adding?"),
            ),
            draw.wrong(
                Fraction(a * d, b * c),
                ("division à la place", "Le résultat doit être plus petit que la première part."),
                ("divided instead", "The result must be smaller than the first part."),
            ),
        ],
        hints=[
            draw.say(
                "« Une fraction de… » se traduit par une multiplication.",
                "“A fraction of…” means a multiplication.",
            ),
            draw.say(
                f"Calcule ${one} \\times {two}$ et simplifie.",
                f"Work out ${one} \\times {two}$ and simplify.",
            ),
        ],
        steps=[
            f"${one} \\times {two} = {write_fraction(a * c, b * d)}$",
            *_simplify(draw, a * c, b * d),
        ],
    )


# Dividing -----------------------------------------------------------------------------------------


@generates("maths.divide-fractions", "4e")
def divide_fractions(draw: Draw) -> Item:
    """Two fractions, then one and a whole number, then a division in a sum or a problem."""
    if draw.difficulty == 3:
        return draw.one_of((_fill_bottles, _divide_then_add))(draw)
    b, n = draw.between(2, 9), draw.between(2, 6)
    a = draw.one_of([each for each in range(1, b + 4) if gcd(each, b) == 1 and each != b])
    simple = [(c, d) for d in range(2, 8) for c in range(1, 8) if gcd(c, d) == 1 and c != d]
    simple = [each for each in simple if Fraction(*each) ** 2 != Fraction(a, b)]
    c, d = draw.one_of(
        [each for each in simple if Fraction(*each) not in (Fraction(a, b), Fraction(b, a))]
    )
    if draw.difficulty == 2:
        n = n + 1 if Fraction(a, b) in (n, Fraction(1, n)) else n
        (a, b), (c, d) = draw.one_of((((a, b), (n, 1)), ((n, 1), (a, b))))
    one, two = (
        str(above) if below == 1 else write_fraction(above, below)
        for above, below in ((a, b), (c, d))
    )
    turned = str(d) if c == 1 else write_fraction(d, c)
    return draw.choice(
        draw.say(
            f"Calcule ${one} \\div {two}$. Donne le résultat simplifié.",
            f"Work out ${one} \\div {two}$. Give the result in its simplest form.",
        ),
        key=Fraction(a * d, b * c),
        wrong=_wrong_for_a_quotient(draw, Fraction(a, b), Fraction(c, d)),
        hints=[
            draw.say(
                "Diviser par un nombre, c'est multiplier par son inverse.",
                "Dividing by a number is multiplying by its reciprocal.",
            ),
            draw.say(
                f"L'inverse de ${two}$ est ${turned}$ : quelle multiplication dois-tu faire ?",
                f"The reciprocal of ${two}$ is ${turned}$: which multiplication must you do?",
            ),
        ],
        steps=[
            f"${one} \\div {two} = {one} \\times {turned} = {write_fraction(a * d, b * c)}$",
            *_simplify(draw, a * d, b * c),
        ],
    )


def _wrong_for_a_quotient(draw: Draw, one: Fraction, two: Fraction) -> list[Wrong]:
    return [
        draw.wrong(
            one * two,
            ("fraction non inversée", "Tu as multiplié sans prendre l'inverse du diviseur."),
            ("reciprocal forgotten", "You multiplied without taking the divisor's reciprocal."),
        ),
        draw.wrong(
            two / one,
            ("mauvaise fraction inversée", "C'est l'inverse du deuxième nombre qu'il faut."),
            ("wrong fraction turned over", "It is the reciprocal of the second number you need."),
        ),
        draw.wrong(
            1 / (one * two),
            ("deux fractions inversées", "Un seul des deux nombres est inversé."),
            ("both fractions turned over", "Only one of the two numbers is turned over."),
        ),
    ]


def _fill_bottles(draw: Draw) -> Item:
    a, b = draw.one_of(((3, 4), (2, 5), (3, 5), (3, 10), (2, 3), (3, 2)))
    share = draw.between(2, 8)
    total, bottles = a * share, b * share
    size = write_fraction(a, b)
    return draw.open(
        draw.say(
            f"Une vendeuse met ${total}$ litres de bissap en bouteilles de ${size}$ de litre. "
            "Combien de bouteilles remplit-elle ?",
            f"A seller pours ${total}$ litres of hibiscus juice into bottles of ${size}$ of a "
            "litre. How many bottles does she fill?",
        ),
        key=bottles,
        wrong=[
            draw.wrong(
                total * Fraction(a, b),
                ("multiplication à la place", "Combien de fois une bouteille tient dans le tout ?"),
                ("multiplied instead", "How many times does one bottle go into the whole?"),
            )
        ],
        hints=[
            draw.say(
                "Cherche combien de fois la petite quantité tient dans la grande.",
                "Find how many times the small quantity goes into the large one.",
            ),
            draw.say(
                f"Calcule ${total} \\div {size}$ : multiplie par l'inverse.",
                f"Work out ${total} \\div {size}$: multiply by the reciprocal.",
            ),
        ],
        steps=[
            f"${total} \\div {size} = {total} \\times {write_fraction(b, a)} = {bottles}$",
            draw.say(f"Elle remplit ${bottles}$ bouteilles.", f"She fills ${bottles}$ bottles."),
        ],
    )


def _divide_then_add(draw: Draw) -> Item:
    """A sum in which the division comes first."""
    simple = [(c, d) for d in range(2, 7) for c in range(1, d + 2) if gcd(c, d) == 1]
    (a, b), (c, d), (e, f) = draw.random.sample(simple, 3)
    quotient = Fraction(c, d) / Fraction(e, f)
    found = draw.maths(quotient)
    turned = str(f) if e == 1 else write_fraction(f, e)
    one, two, three = write_fraction(a, b), write_fraction(c, d), write_fraction(e, f)
    written = f"{one} + {two} \\div {three}"
    return draw.open(
        draw.say(
            f"Calcule ${written}$. Donne le résultat simplifié.",
            f"Work out ${written}$. Give the result in its simplest form.",
        ),
        key=Fraction(a, b) + quotient,
        wrong=[
            draw.wrong(
                (Fraction(a, b) + Fraction(c, d)) / Fraction(e, f),
                ("addition faite d'abord", "Laquelle des deux opérations est prioritaire ?"),
                ("added first", "Which of the two operations comes first?"),
            ),
            draw.wrong(
                Fraction(a, b) + Fraction(c, d) * Fraction(e, f),
                ("fraction non inversée", "As-tu pris l'inverse du diviseur ?"),
                ("reciprocal forgotten", "Did you take the reciprocal of the divisor?"),
            ),
        ],
        hints=[
            draw.say("La division d'abord.", "The division comes first."),
            draw.say(
                f"Commence par ${two} \\times {turned}$, puis ajoute.",
                f"Start with ${two} \\times {turned}$, then add.",
            ),
        ],
        steps=[
            f"${two} \\div {three} = {two} \\times {turned} = {found}$",
            f"${one} + {found} = {draw.maths(Fraction(a, b) + quotient)}$",
        ],
    )
