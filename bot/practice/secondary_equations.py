"""Equations, systems and functions of the first degree (4e, 3e)."""

from __future__ import annotations

from fractions import Fraction

from bot.practice.generator import Draw, Item, Number, Wrong, generates
from bot.practice.secondary_algebra import write_polynomial

# Equations ----------------------------------------------------------------------------------------


def write_opposite(number: int) -> str:
    """What moving a term to the other side adds there: `- 5` for 5, `+ 5` for -5."""
    return f"- {number}" if number > 0 else f"+ {-number}"


@generates("maths.equation-first-degree", "4e")
def solve_first_degree(draw: Draw) -> Item:
    """`ax + b = c`, then `x` on both sides, then brackets or a problem."""
    if draw.difficulty == 3:
        return draw.one_of((_solve_with_brackets, _solve_taxi_fare))(draw)
    a, b = draw.between(3, 9), draw.one_of((1, -1)) * draw.between(2, 12)
    c = draw.by_level(0, draw.between(2, a - 1), 0)
    solution = draw.between(2, 9)
    solution = -solution if draw.difficulty == 2 and draw.one_of((True, False)) else solution
    d = a * solution + b - c * solution
    equation = f"{write_polynomial(a, b)} = {write_polynomial(c, d)}"
    right = f"{d} {write_opposite(b)}"
    moved = f"{write_polynomial(a, 0)} - {write_polynomial(c, 0)} = {right}"
    divided, found = f"$x = {d - b} \\div {a - c}$,", f"$x = {solution}$."
    first_step = draw.say(
        "On met les termes en $x$ d'un côté, les nombres de l'autre : ",
        "Bring the terms in $x$ to one side, the numbers to the other: ",
    )
    if draw.difficulty == 1:
        moved = f"{write_polynomial(a, 0)} = {right}"
        first_step = draw.say("On isole le terme en $x$ : ", "Get the term in $x$ alone: ")
    return draw.choice(
        draw.say(f"Résous l'équation ${equation}$.", f"Solve the equation ${equation}$."),
        key=f"$x = {solution}$",
        wrong=_wrong_for_an_equation(draw, a - c, b, d, a + c),
        hints=[
            draw.say(
                "Fais la même opération des deux côtés pour isoler $x$.",
                "Do the same operation on both sides to get $x$ alone.",
            ),
            draw.say(
                f"Écris d'abord ${moved}$.",
                f"Write ${moved}$ first.",
            ),
        ],
        steps=[
            f"{first_step}${moved}$.",
            draw.say(
                f"On réduit : ${write_polynomial(a - c, 0)} = {d - b}$.",
                f"Simplify: ${write_polynomial(a - c, 0)} = {d - b}$.",
            ),
            *([draw.say(f"{divided} donc {found}", f"{divided} so {found}")] if a - c > 1 else []),
        ],
    )


def _equal(draw: Draw, value: Number) -> str:
    return f"$x = {draw.maths(value)}$"


def _wrong_for_an_equation(draw: Draw, a: int, b: int, d: int, added: int) -> list[Wrong]:
    """Wrong solutions of `ax + b = d`, once the terms in `x` are on one side."""
    forgotten = draw.wrong(
        _equal(draw, d - b),
        ("division oubliée", "Tu as trouvé plusieurs $x$ : il reste à trouver un seul $x$."),
        ("division forgotten", "You found several $x$: you still need to find a single one."),
    )
    return [
        draw.wrong(
            _equal(draw, Fraction(d + b, a)),
            ("terme déplacé sans changer de signe", "Vérifie le signe du nombre que tu déplaces."),
            ("sign not changed when moving", "Check the sign of the number that you move."),
        ),
        *([forgotten] if a != 1 else []),
        draw.wrong(
            _equal(draw, Fraction(d - b, added)),
            ("termes en $x$ ajoutés", "Que faut-il enlever des deux côtés ?"),
            ("terms in $x$ added", "What must be taken away on both sides?"),
        ),
        draw.wrong(
            _equal(draw, d - b - a),
            ("soustraction au lieu de division", "Un nombre collé à $x$ le multiplie."),
            ("subtracted instead of divided", "A number right before $x$ multiplies it."),
        ),
        draw.wrong(
            _equal(draw, Fraction(b - d, a)),
            ("erreur de signe", "Remplace $x$ par ta réponse pour vérifier."),
            ("wrong sign", "Put your answer in place of $x$ to check."),
        ),
    ]


def _solve_with_brackets(draw: Draw) -> Item:
    """`k(x + b) = mx + n`, with a whole or a simple fractional solution."""
    k, b = draw.between(3, 7), draw.one_of((1, -1)) * draw.between(1, 6)
    m = k - draw.one_of((1, 2, 4))
    m = m if m else -1
    n = draw.one_of((1, -1)) * draw.between(1, 15)
    solution = Fraction(n - k * b, k - m)
    left, right = write_polynomial(1, b), write_polynomial(m, n)
    moved = f"{'-' if m > 0 else '+'} {write_polynomial(abs(m), 0)}"
    return draw.open(
        draw.say(
            f"Résous l'équation ${k}({left}) = {right}$. Quelle est la valeur de $x$ ?",
            f"Solve the equation ${k}({left}) = {right}$. What is the value of $x$?",
        ),
        key=solution,
        wrong=[
            draw.wrong(
                Fraction(n - b, k - m),
                ("un seul terme développé", "Le facteur multiplie les deux termes."),
                ("only one term expanded", "The factor multiplies both terms."),
            ),
            draw.wrong(
                Fraction(n + k * b, k - m),
                ("signe non changé", "Vérifie le signe du nombre que tu déplaces."),
                ("sign not changed", "Check the sign of the number that you move."),
            ),
        ],
        hints=[
            draw.say("Développe d'abord la parenthèse.", "Expand the bracket first."),
            draw.say(
                f"Tu obtiens ${write_polynomial(k, k * b)} = {right}$. Regroupe les termes en $x$.",
                f"You get ${write_polynomial(k, k * b)} = {right}$. Group the terms in $x$.",
            ),
        ],
        steps=[
            f"${write_polynomial(k, k * b)} = {right}$",
            f"${write_polynomial(k, 0)} {moved} = {n} {write_opposite(k * b)}$",
            *([f"${write_polynomial(k - m, 0)} = {n - k * b}$"] if k - m > 1 else []),
            f"$x = {draw.maths(solution)}$",
        ],
    )


def _solve_taxi_fare(draw: Draw) -> Item:
    start, per_km = draw.one_of((300, 400, 500, 600)), draw.one_of((150, 200, 250, 350))
    km = draw.between(4, 15)
    paid = start + per_km * km
    first, each, total = (draw.maths(number) for number in (start, per_km, paid))
    return draw.open(
        draw.say(
            f"Un taxi demande ${first}$ FCFA au départ, puis ${each}$ FCFA par kilomètre. Une "
            f"course a coûté ${total}$ FCFA. De combien de kilomètres était-elle ?",
            f"A taxi charges ${first}$ FCFA at the start, then ${each}$ FCFA a kilometre. A ride "
            f"cost ${total}$ FCFA. How many kilometres long was it?",
        ),
        key=km,
        unit="km",
        wrong=[
            draw.wrong(
                Fraction(paid + start, per_km),
                ("départ ajouté", "La somme de départ est déjà comprise dans le prix."),
                ("start added", "The starting charge is already in the price."),
            ),
            draw.wrong(
                Fraction(paid, per_km),
                ("départ oublié", "Tu n'as pas tenu compte de la somme de départ."),
                ("start forgotten", "You left out the starting charge."),
            ),
        ],
        hints=[
            draw.say(
                "Appelle $x$ le nombre de kilomètres et écris le prix avec $x$.",
                "Call the number of kilometres $x$ and write the price with $x$.",
            ),
            draw.say(
                f"Résous ${each}x + {first} = {total}$.", f"Solve ${each}x + {first} = {total}$."
            ),
        ],
        steps=[
            f"${each}x + {first} = {total}$",
            f"${each}x = {draw.maths(paid - start)}$",
            draw.say(
                f"$x = {draw.maths(paid - start)} \\div {each} = {km}$ : la course était de "
                f"${km}$ km.",
                f"$x = {draw.maths(paid - start)} \\div {each} = {km}$: a ride of ${km}$ km.",
            ),
        ],
    )


def write_set(draw: Draw, *solutions: Number) -> str:
    """A set of solutions in rising order: `{-2 ; 3}`."""
    return "{" + " ; ".join(draw.write(each) for each in sorted(set(solutions))) + "}"


def _ask_for_set(draw: Draw) -> str:
    return draw.say(
        "Écris l'ensemble des solutions sous la forme {… ; …}.",
        "Write the set of solutions in the form {… ; …}.",
    )


@generates("maths.product-equation", "3e")
def solve_product_equation(draw: Draw) -> Item:
    """`(x - a)(x + b) = 0`, then coefficients before `x`, then a factor to find first."""
    if draw.difficulty == 3:
        return draw.one_of((_solve_after_factoring, _solve_square))(draw)
    b, d = draw.one_of((1, -1)) * draw.between(1, 9), draw.one_of((1, -1)) * draw.between(2, 9)
    a, c = draw.by_level((1, 1), (draw.between(2, 5), draw.one_of((1, 2, 3))), (1, 1))
    one, two = Fraction(-b, a), Fraction(-d, c)
    if abs(one) == abs(two):
        b += 1 if b > 0 else -1
        one = Fraction(-b, a)
    left, right = write_polynomial(a, b), write_polynomial(c, d)
    statement = draw.say(
        f"Résous l'équation $({left})({right}) = 0$.",
        f"Solve the equation $({left})({right}) = 0$.",
    )
    hints = [
        draw.say("Quand un produit est-il égal à zéro ?", "When is a product equal to zero?"),
        draw.say(
            f"Résous séparément ${left} = 0$ et ${right} = 0$.",
            f"Solve ${left} = 0$ and ${right} = 0$ one after the other.",
        ),
    ]
    key = write_set(draw, one, two)
    or_ = draw.say("ou", "or")
    steps = [
        f"${left} = 0$ {or_} ${right} = 0$",
        f"$x = {draw.maths(one)}$ {or_} $x = {draw.maths(two)}$",
        draw.say(f"Les solutions : {key}.", f"The solutions: {key}."),
    ]
    wrong = [
        draw.wrong(
            write_set(draw, -one, -two),
            ("signes inversés", "Remplace $x$ par tes solutions : le produit est-il nul ?"),
            ("signs reversed", "Put your solutions in place of $x$: is the product zero?"),
        ),
        draw.wrong(
            write_set(draw, one),
            ("une solution oubliée", "Chaque facteur peut être nul."),
            ("one solution forgotten", "Each factor can be zero."),
        ),
        draw.wrong(
            write_set(draw, one, -two),
            ("un signe inversé", "Vérifie le signe de chaque solution."),
            ("one sign reversed", "Check the sign of each solution."),
        ),
    ]
    if draw.difficulty == 2:
        return draw.open(
            f"{statement} {_ask_for_set(draw)}",
            kind="set",
            key=key,
            wrong=wrong,
            hints=hints,
            steps=steps,
        )
    return draw.choice(statement, key=key, wrong=wrong, hints=hints, steps=steps)


def _solve_after_factoring(draw: Draw) -> Item:
    """`(x + a)(bx + c) + (x + a)(dx + e) = 0`."""
    a, b, d = draw.one_of((1, -1)) * draw.between(1, 7), draw.between(1, 3), draw.between(1, 2)
    other = draw.one_of([n for n in range(-6, 7) if n not in (0, -a, a)])
    c = draw.one_of([n for n in range(-9, 10) if n and n != -(b + d) * other])
    e = -(b + d) * other - c
    factor, sum_ = write_polynomial(1, a), write_polynomial(b + d, c + e)
    left = f"({factor})({write_polynomial(b, c)}) + ({factor})({write_polynomial(d, e)})"
    key = write_set(draw, -a, other)
    return draw.open(
        draw.say(
            f"Factorise, puis résous l'équation ${left} = 0$. {_ask_for_set(draw)}",
            f"Factorise, then solve the equation ${left} = 0$. {_ask_for_set(draw)}",
        ),
        kind="set",
        key=key,
        wrong=[
            draw.wrong(
                write_set(draw, a, other),
                ("signe d'une solution", "Remplace $x$ par tes solutions pour vérifier."),
                ("sign of one solution", "Put your solutions in place of $x$ to check."),
            ),
            draw.wrong(
                write_set(draw, other),
                ("facteur commun oublié", "Le facteur commun peut aussi être nul."),
                ("common factor forgotten", "The common factor can be zero too."),
            ),
        ],
        hints=[
            draw.say(
                "Quel est le facteur commun aux deux produits ?",
                "Which factor do both products share?",
            ),
            draw.say(
                f"En factorisant : $({factor})({sum_}) = 0$.",
                f"Factorised: $({factor})({sum_}) = 0$.",
            ),
        ],
        steps=[
            f"$({factor})({sum_}) = 0$",
            f"${factor} = 0$ {draw.say('ou', 'or')} ${sum_} = 0$",
            draw.say(f"Les solutions : {key}.", f"The solutions: {key}."),
        ],
    )


def _solve_square(draw: Draw) -> Item:
    """`x² = b²` or `x² = bx`, which both have two solutions."""
    b = draw.between(3, 12)
    if draw.one_of((True, False)):
        equation, factored, one = f"x^2 = {b * b}", f"(x + {b})(x - {b}) = 0", -b
        moved = f"x^2 - {b * b} = 0"
    else:
        equation, factored, one = f"x^2 = {b}x", f"x(x - {b}) = 0", 0
        moved = f"x^2 - {b}x = 0"
    key = write_set(draw, one, b)
    return draw.open(
        draw.say(
            f"Résous l'équation ${equation}$. {_ask_for_set(draw)}",
            f"Solve the equation ${equation}$. {_ask_for_set(draw)}",
        ),
        kind="set",
        key=key,
        wrong=[
            draw.wrong(
                write_set(draw, b),
                ("une solution oubliée", "C'est une solution, mais il y en a une autre."),
                ("one solution forgotten", "That is one solution, but there is another."),
            )
        ],
        hints=[
            draw.say(
                "Mets tout du même côté, puis factorise.",
                "Bring everything to one side, then factorise.",
            ),
            draw.say(f"On arrive à ${factored}$.", f"You come to ${factored}$."),
        ],
        steps=[
            f"${moved}$",
            f"${factored}$",
            draw.say(f"Les solutions : {key}.", f"The solutions: {key}."),
        ],
    )
