"""Powers of ten and scientific notation (4e)."""

from __future__ import annotations

from decimal import Decimal

from bot.practice.generator import Draw, Item, Number, generates
from bot.practice.relative_numbers import bracket

# Powers of ten ------------------------------------------------------------------------------------


@generates("maths.powers-of-ten", "4e")
def compute_powers_of_ten(draw: Draw) -> Item:
    """A power written out, then a product of powers, then a quotient of products."""
    if draw.difficulty == 1:
        return _write_power_out(draw)
    a, b, c = draw.between(3, 9), -draw.between(2, 8), draw.between(2, 6)
    if draw.difficulty == 2:
        b = draw.one_of((-b, b))
        b = b - 2 if a + b in (0, 1) else b
        return _multiply_powers(draw, a, b)
    c = draw.one_of((c, -c))
    written = f"\\frac{{10^{{{a}}} \\times 10^{{{b}}}}}{{10^{{{c}}}}}"
    return draw.open(
        draw.say(
            f"On écrit ${written}$ sous la forme $10^n$. Combien vaut $n$ ?",
            f"Write ${written}$ in the form $10^n$. What is $n$?",
        ),
        key=a + b - c,
        wrong=[
            draw.wrong(
                a + b + c,
                ("exposants tous ajoutés", "Pour un quotient, on n'ajoute pas l'exposant du bas."),
                ("all exponents added", "In a quotient, the exponent below is not added."),
            ),
            draw.wrong(
                a * b - c,
                ("exposants multipliés", "Pour un produit, on ne multiplie pas les exposants."),
                ("exponents multiplied", "In a product, the exponents are not multiplied."),
            ),
        ],
        hints=[
            draw.say(
                "Que deviennent les exposants dans un produit ? et dans un quotient ?",
                "What happens to the exponents in a product? And in a quotient?",
            ),
            draw.say(
                f"En haut, on obtient $10^{{{a + b}}}$. Soustrais maintenant l'exposant du bas.",
                f"The top is $10^{{{a + b}}}$. Now subtract the exponent below.",
            ),
        ],
        steps=[
            f"$10^{{{a}}} \\times 10^{{{b}}} = 10^{{{a + b}}}$",
            draw.say(
                f"On soustrait l'exposant du bas : $n = {a + b} - {bracket(c)} = {a + b - c}$.",
                f"Subtract the exponent below: $n = {a + b} - {bracket(c)} = {a + b - c}$.",
            ),
        ],
    )


def _write_power_out(draw: Draw) -> Item:
    size = draw.between(3, 6)
    negative = draw.one_of((True, False))
    exponent = -size if negative else size
    key: Number = Decimal(1).scaleb(-size) if negative else 10**size
    fewer: Number = Decimal(1).scaleb(1 - size) if negative else 10 ** (size - 1)
    more: Number = Decimal(1).scaleb(-1 - size) if negative else 10 ** (size + 1)
    wrong = [
        draw.wrong(
            10 * exponent,
            ("exposant multiplié par 10", "Un exposant ne se multiplie pas par $10$."),
            ("exponent times 10", "An exponent is not multiplied by $10$."),
        ),
        draw.wrong(
            more,
            ("un zéro de trop", "Recompte les zéros."),
            ("one zero too many", "Count the zeros again."),
        ),
        draw.wrong(
            -(10**size) if negative else fewer,
            ("signe de l'exposant mal lu", "Un exposant négatif ne rend pas le nombre négatif.")
            if negative
            else ("un zéro oublié", "Recompte les zéros : l'exposant dit combien il y en a."),
            ("sign of the exponent misread", "A negative exponent does not make a number negative.")
            if negative
            else ("one zero missing", "Count the zeros again: the exponent says how many."),
        ),
    ]
    ten = draw.maths(10**size)
    return draw.choice(
        draw.say(
            f"Quelle est l'écriture décimale de $10^{{{exponent}}}$ ?",
            f"How is $10^{{{exponent}}}$ written as a decimal number?",
        ),
        key=key,
        wrong=wrong,
        hints=[
            draw.say(
                "L'exposant est négatif : le nombre est-il plus grand ou plus petit que $1$ ?",
                "The exponent is negative: is the number greater or smaller than $1$?",
            )
            if negative
            else draw.say(
                "L'exposant dit combien de fois on multiplie par $10$.",
                "The exponent says how many times you multiply by $10$.",
            ),
            draw.say(
                f"On divise $1$ par $10$, ${size}$ fois de suite.",
                f"Divide $1$ by $10$, ${size}$ times in a row.",
            )
            if negative
            else draw.say(
                f"C'est un $1$ suivi de ${size}$ zéros.", f"It is a $1$ followed by ${size}$ zeros."
            ),
        ],
        steps=[
            f"$10^{{{exponent}}} = 1 \\div {ten} = {draw.maths(key)}$"
            if negative
            else f"$10^{{{exponent}}} = {ten}$",
        ],
    )


def _multiply_powers(draw: Draw, a: int, b: int) -> Item:
    key = a + b
    exponents = [a * b, a - b]
    wrong = [
        draw.wrong(
            f"$10^{{{a * b}}}$",
            ("exposants multipliés", "Dans un produit, les exposants ne se multiplient pas."),
            ("exponents multiplied", "In a product, the exponents are not multiplied."),
        ),
        draw.wrong(
            f"$10^{{{a - b}}}$",
            ("exposants soustraits", "Soustraire les exposants, c'est pour un quotient."),
            ("exponents subtracted", "Subtracting exponents is for a quotient."),
        ),
        draw.wrong(
            f"$100^{{{key}}}$",
            ("base multipliée", "La base reste la même : seul l'exposant change."),
            ("base multiplied", "The base stays the same: only the exponent changes."),
        ),
    ]
    if 2 * key in exponents:
        wrong.pop()
    written = f"10^{{{a}}} \\times 10^{{{b}}}"
    return draw.choice(
        draw.say(
            f"Écris ${written}$ sous la forme d'une seule puissance.",
            f"Write ${written}$ as a single power.",
        ),
        key=f"$10^{{{key}}}$",
        wrong=wrong,
        hints=[
            draw.say(
                "Combien de facteurs $10$ y a-t-il en tout ?",
                "How many factors $10$ are there in all?",
            ),
            draw.say(
                "Dans un produit de puissances de $10$, on ajoute les exposants.",
                "In a product of powers of $10$, the exponents are added.",
            ),
        ],
        steps=[
            draw.say(
                f"On ajoute les exposants : ${a} + {bracket(b)} = {key}$.",
                f"Add the exponents: ${a} + {bracket(b)} = {key}$.",
            ),
            f"${written} = 10^{{{key}}}$",
        ],
    )


# Scientific notation ------------------------------------------------------------------------------


def _scientific(draw: Draw, mantissa: Number, exponent: int) -> str:
    return f"{draw.maths(mantissa)} \\times 10^{{{exponent}}}"


def _plain(mantissa: Decimal, exponent: int) -> Number:
    """The decimal number without zeros at its end."""
    number = mantissa.scaleb(exponent)
    return int(number) if exponent > 1 else number.normalize()


@generates("maths.scientific-notation", "4e")
def use_scientific_notation(draw: Draw) -> Item:
    """A large number, then the exponent of a small one, then a product."""
    mantissa = Decimal(10 * draw.between(1, 9) + draw.between(1, 9)) / 10
    if draw.difficulty == 1:
        return _write_large(draw, mantissa)
    if draw.difficulty == 3:
        return _multiply_scientific(draw)
    size = draw.between(3, 6)
    number = draw.maths(_plain(mantissa, -size))
    equal = f"{draw.maths(mantissa)} \\times 10^n"
    return draw.open(
        draw.say(
            f"En écriture scientifique, ${number} = {equal}$. Combien vaut $n$ ?",
            f"In scientific notation, ${number} = {equal}$. What is $n$?",
        ),
        key=-size,
        wrong=[
            draw.wrong(
                size,
                ("signe de l'exposant", "Le nombre est plus petit que $1$ : pense au signe."),
                ("sign of the exponent", "The number is smaller than $1$: think of the sign."),
            ),
            draw.wrong(
                1 - size,
                ("zéros après la virgule comptés", "Compte de combien de rangs la virgule bouge."),
                ("zeros after the point counted", "Count how many places the point moves."),
            ),
            draw.wrong(
                -size - 1,
                ("tous les chiffres comptés", "Compte les rangs, pas tous les chiffres."),
                ("all digits counted", "Count the places moved, not all the digits."),
            ),
        ],
        hints=[
            draw.say(
                "Le nombre est-il plus grand ou plus petit que $1$ ? Cela donne le signe de $n$.",
                "Is the number greater or smaller than $1$? That gives the sign of $n$.",
            ),
            draw.say(
                "Compte de combien de rangs il faut déplacer la virgule pour arriver à "
                f"${draw.maths(mantissa)}$.",
                f"Count how many places the point moves to reach ${draw.maths(mantissa)}$.",
            ),
        ],
        steps=[
            draw.say(
                f"La virgule avance de ${size}$ rangs vers la droite.",
                f"The decimal point moves ${size}$ places to the right.",
            ),
            draw.say(
                f"${number} = {_scientific(draw, mantissa, -size)}$, donc $n = {-size}$.",
                f"${number} = {_scientific(draw, mantissa, -size)}$, so $n = {-size}$.",
            ),
        ],
    )


def _write_large(draw: Draw, mantissa: Decimal) -> Item:
    size = draw.between(4, 8)
    number = draw.maths(_plain(mantissa, size))
    whole = int(mantissa * 10)
    statement = draw.one_of(
        (
            draw.say(
                f"Écris ${number}$ en écriture scientifique.",
                f"Write ${number}$ in scientific notation.",
            ),
            draw.say(
                f"Une région a récolté ${number}$ kg de cacao. Écris ce nombre en écriture "
                "scientifique.",
                f"A region has harvested ${number}$ kg of cocoa. Write this number in scientific "
                "notation.",
            ),
        )
    )
    return draw.choice(
        statement,
        key=f"${_scientific(draw, mantissa, size)}$",
        wrong=[
            draw.wrong(
                f"${_scientific(draw, mantissa, size - 1)}$",
                ("zéros comptés", "Compte les rangs de la virgule, pas seulement les zéros."),
                ("zeros counted", "Count the places the point moves, not just the zeros."),
            ),
            draw.wrong(
                f"${_scientific(draw, whole, size)}$",
                ("nombre de devant trop grand", "Le nombre de devant doit être entre $1$ et $10$."),
                ("number in front too large", "The number in front must be between $1$ and $10$."),
            ),
            draw.wrong(
                f"${_scientific(draw, mantissa, -size)}$",
                ("signe de l'exposant", "Un exposant négatif donne un nombre plus petit que $1$."),
                ("sign of the exponent", "A negative exponent gives a number smaller than $1$."),
            ),
        ],
        hints=[
            draw.say(
                "Le nombre de devant n'a qu'un chiffre avant la virgule, et pas zéro.",
                "The number in front has one digit before the point, and not zero.",
            ),
            draw.say(
                f"Place la virgule pour lire ${draw.maths(mantissa)}$, puis compte de combien de "
                "rangs elle a bougé.",
                f"Place the point so as to read ${draw.maths(mantissa)}$, then count how many "
                "places it moved.",
            ),
        ],
        steps=[
            draw.say(
                f"La virgule se déplace de ${size}$ rangs vers la gauche : on lit "
                f"${draw.maths(mantissa)}$.",
                f"The point moves ${size}$ places to the left: we read ${draw.maths(mantissa)}$.",
            ),
            f"${number} = {_scientific(draw, mantissa, size)}$",
        ],
    )


def _multiply_scientific(draw: Draw) -> Item:
    """A product whose first factor passes ten, so that the exponent grows by one."""
    pairs = [(a, b) for a in range(2, 10) for b in range(2, 10) if a * b > 10 and a * b % 10]
    a, b = draw.one_of(pairs)
    m, n = draw.between(2, 7), draw.one_of((1, -1)) * draw.between(2, 9)
    mantissa, exponent = Decimal(a * b) / 10, m + n + 1
    written = f"{a} \\times 10^{{{m}}} \\times {b} \\times 10^{{{n}}}"
    return draw.choice(
        draw.say(
            f"Donne l'écriture scientifique de ${written}$.",
            f"Write ${written}$ in scientific notation.",
        ),
        key=f"${_scientific(draw, mantissa, exponent)}$",
        wrong=[
            draw.wrong(
                f"${_scientific(draw, mantissa, exponent - 1)}$",
                ("exposant pas ajusté", "En déplaçant la virgule, tu as changé la valeur."),
                ("exponent not adjusted", "By moving the point, you changed the value."),
            ),
            draw.wrong(
                f"${_scientific(draw, mantissa, exponent - 2)}$",
                ("exposant ajusté à l'envers", "L'exposant doit-il monter ou descendre ?"),
                ("exponent adjusted the wrong way", "Must the exponent go up or down?"),
            ),
            draw.wrong(
                f"${_scientific(draw, mantissa, m * n + 1)}$",
                ("exposants multipliés", "Dans un produit, les exposants ne se multiplient pas."),
                ("exponents multiplied", "In a product, the exponents are not multiplied."),
            ),
        ],
        hints=[
            draw.say(
                "Regroupe les nombres d'un côté, les puissances de $10$ de l'autre.",
                "Group the numbers on one side, the powers of $10$ on the other.",
            ),
            draw.say(
                f"On trouve ${a * b} \\times 10^{{{m + n}}}$. Le nombre de devant est trop grand : "
                "place la virgule et ajuste l'exposant.",
                f"You get ${a * b} \\times 10^{{{m + n}}}$. The number in front is too large: "
                "place the point and adjust the exponent.",
            ),
        ],
        steps=[
            f"${a} \\times {b} = {a * b}$",
            f"$10^{{{m}}} \\times 10^{{{n}}} = 10^{{{m + n}}}$",
            f"${a * b} \\times 10^{{{m + n}}} = {_scientific(draw, mantissa, exponent)}$",
        ],
    )
