"""Rules of the logarithm and equations with exponentials, in Terminale."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from bot.practice.algebra_text import (
    polynomial_maths,
    raise_maths,
    raise_text,
    set_maths,
    signed,
    solution_set,
)
from bot.practice.generator import Draw, Item, generates
from bot.practice.misconceptions import Mistake


def _factor(number: int) -> str:
    """A number in front of something: 1 is not written."""
    return "" if number == 1 else str(number)


_LN_OF_SUM: Final = Mistake(
    "logarithme d'une somme",
    "logarithm of a sum",
    "$\\ln(a) + \\ln(b)$ n'est pas $\\ln(a + b)$ : quelle opération devient une somme ?",
    "$\\ln(a) + \\ln(b)$ is not $\\ln(a + b)$: which operation becomes a sum?",
)
_LN_OF_DIFFERENCE: Final = Mistake(
    "logarithme d'une différence",
    "logarithm of a difference",
    "$\\ln(a) - \\ln(b)$ n'est pas $\\ln(a - b)$ : quelle opération devient une différence ?",
    "$\\ln(a) - \\ln(b)$ is not $\\ln(a - b)$: which operation becomes a difference?",
)
_OTHER_OPERATION: Final = Mistake(
    "opération inversée",
    "opposite operation",
    "Une somme de logarithmes vient d'un produit, une différence d'un quotient.",
    "A sum of logarithms comes from a product, a difference from a quotient.",
)
_LN_DROPPED: Final = Mistake(
    "logarithme oublié",
    "logarithm dropped",
    "Ton résultat n'a plus de logarithme : peut-on l'enlever ainsi ?",
    "Your result has no logarithm left: can one drop it like that?",
)
_QUOTIENT_BY_BASE: Final = Mistake(
    "division au lieu de puissance",
    "divided instead of using powers",
    "Écris le nombre comme une puissance : l'exposant passe devant le logarithme.",
    "Write the number as a power: the exponent goes in front of the logarithm.",
)
_POWER_OF_LN: Final = Mistake(
    "puissance du logarithme",
    "power of the logarithm",
    "Dans $\\ln(a^n)$, c'est $a$ qui est élevé à la puissance, pas $\\ln(a)$.",
    "In $\\ln(a^n)$ it is $a$ that is raised, not $\\ln(a)$.",
)
_COEFFICIENT_AS_FACTOR: Final = Mistake(
    "coefficient pris comme facteur",
    "coefficient taken as a factor",
    "Devant un logarithme, le coefficient devient un exposant.",
    "In front of a logarithm, the coefficient becomes an exponent.",
)


@generates("maths.logarithm-rules", "Terminale")
def logarithm_rules(draw: Draw) -> Item:
    """A sum or a difference, then a power, then all three rules."""
    return draw.by_level(_ln_of_two, _ln_of_power, _ln_of_three)(draw)


def _ln_of_two(draw: Draw) -> Item:
    adds = draw.one_of((True, False))
    b = draw.between(2, 9)
    a = draw.one_of([n for n in range(3, 10) if n != b]) * (1 if adds else b)
    sign = "+" if adds else "-"
    key = a * b if adds else a // b
    return draw.choice(
        draw.say(
            f"Écris $\\ln({a}) {sign} \\ln({b})$ avec un seul logarithme.",
            f"Write $\\ln({a}) {sign} \\ln({b})$ with a single logarithm.",
        ),
        key=f"ln({key})",
        wrong=[
            _LN_OF_SUM.gives(draw, f"ln({a + b})")
            if adds
            else _LN_OF_DIFFERENCE.gives(draw, f"ln({a - b})"),
            _LN_DROPPED.gives(draw, key),
            _OTHER_OPERATION.gives(draw, f"ln({Fraction(a, b) if adds else a * b})"),
        ],
        hints=[
            draw.say(
                "Quelle opération les logarithmes changent-ils en somme ? Et en différence ?",
                "Which operation do logarithms turn into a sum? And into a difference?",
            ),
            _PRODUCT_RULE if adds else _QUOTIENT_RULE,
        ],
        steps=[
            f"$\\ln({a}) + \\ln({b}) = \\ln({a} \\times {b})$"
            if adds
            else f"$\\ln({a}) - \\ln({b}) = \\ln\\left(\\frac{{{a}}}{{{b}}}\\right)$",
            draw.say(f"Le résultat est $\\ln({key})$.", f"The result is $\\ln({key})$."),
        ],
    )


_PRODUCT_RULE: Final = "$\\ln(ab) = \\ln(a) + \\ln(b)$"
_QUOTIENT_RULE: Final = "$\\ln\\left(\\frac{a}{b}\\right) = \\ln(a) - \\ln(b)$"
_POWER_RULE: Final = "$\\ln(a^n) = n \\ln(a)$"
_EXPONENTS: Final = {2: (1, 2, 3, 4, 5, 6), 3: (1, 2, 3, 4), 5: (1, 2, 3), 10: (1, 2, 3, 4)}


def _ln_of_power(draw: Draw) -> Item:
    """Two powers of one base: their logarithms as a multiple of that of the base."""
    base = draw.one_of(tuple(_EXPONENTS))
    adds = draw.one_of((True, False))
    m, n = draw.one_of(
        [(m, n) for m in _EXPONENTS[base] for n in _EXPONENTS[base] if m - n > (0 if adds else 1)]
    )
    sign = "+" if adds else "-"
    first, second = base**m, base**n
    key, other = (m + n, m - n) if adds else (m - n, m + n)
    divided = first // base + second // base if adds else first // base - second // base
    asked = f"\\ln({first}) {sign} \\ln({second})"
    return draw.choice(
        draw.say(
            f"Exprime ${asked}$ en fonction de $\\ln({base})$.",
            f"Express ${asked}$ in terms of $\\ln({base})$.",
        ),
        key=f"{key} ln({base})",
        wrong=[
            _POWER_OF_LN.gives(draw, raise_text(f"(ln({base}))", key)),
            _OTHER_OPERATION.gives(draw, f"{_factor(other)} ln({base})".strip()),
            _QUOTIENT_BY_BASE.gives(draw, f"{divided} ln({base})"),
        ],
        hints=[
            draw.say(
                f"Écris les deux nombres comme des puissances de ${base}$.",
                f"Write both numbers as powers of ${base}$.",
            ),
            _POWER_RULE,
        ],
        steps=[
            ", ".join(
                f"$\\ln({base**power}) = {power}\\ln({base})$" for power in (m, n) if power > 1
            ),
            f"${asked} = ({m} {sign} {n})\\ln({base})$",
            f"${asked} = {key}\\ln({base})$",
        ],
    )


def _ln_of_three(draw: Draw) -> Item:
    a, n = draw.one_of(((2, 3), (3, 2), (5, 2), (2, 4), (3, 3)))
    b = draw.one_of([value for value in range(2, 11) if value != a])
    power, product = a**n, a**n * b
    c = draw.one_of(
        [d for d in range(2, power + b) if product % d == 0 and d not in (b, power + b - 1)]
    )
    key = product // c
    asked = f"{n}\\ln({a}) + \\ln({b}) - \\ln({c})"
    return draw.choice(
        draw.say(
            f"Écris ${asked}$ avec un seul logarithme.",
            f"Write ${asked}$ with a single logarithm.",
        ),
        key=f"ln({key})",
        wrong=[
            _COEFFICIENT_AS_FACTOR.gives(draw, f"ln({Fraction(n * a * b, c)})"),
            _LN_OF_SUM.gives(draw, f"ln({power + b - c})"),
            _OTHER_OPERATION.gives(draw, f"ln({product * c})"),
        ],
        hints=[
            draw.say(
                f"Commence par ${n}\\ln({a})$ : le coefficient devient un exposant.",
                f"Start with ${n}\\ln({a})$: the coefficient becomes an exponent.",
            ),
            draw.say(
                "Une somme de logarithmes donne un produit, une différence un quotient.",
                "A sum of logarithms gives a product, a difference a quotient.",
            ),
        ],
        steps=[
            f"${n}\\ln({a}) = \\ln({a}^{{{n}}}) = \\ln({power})$",
            f"$\\ln({power}) + \\ln({b}) = \\ln({product})$",
            f"$\\ln({product}) - \\ln({c}) = \\ln({key})$",
        ],
    )


_FROM_EXPONENT: Final = Mistake(
    "signe du terme déplacé",
    "sign of the moved term",
    "Un terme qui change de membre change de signe : vérifie en remplaçant $x$.",
    "A term that changes sides changes its sign: check by putting your value in place of $x$.",
)
_STILL_MULTIPLIED: Final = Mistake(
    "division oubliée",
    "division forgotten",
    "Tu as trouvé la valeur du terme en $x$ : il reste le coefficient.",
    "You found the value of the term in $x$: the coefficient is left.",
)
_SUBTRACTED: Final = Mistake(
    "soustraction au lieu de division",
    "subtracted instead of dividing",
    "Le coefficient multiplie $x$ : quelle opération l'enlève ?",
    "The coefficient multiplies $x$: which operation undoes that?",
)
_OPPOSITE: Final = Mistake(
    "signe de la solution",
    "sign of the solution",
    "Remplace $x$ par ta valeur : les deux exposants sont-ils égaux ?",
    "Put your value in place of $x$: are both exponents equal?",
)
_LN_FORGOTTEN: Final = Mistake(
    "logarithme oublié",
    "logarithm forgotten",
    "Pour faire descendre l'exposant, il faut une fonction : laquelle défait $e^x$ ?",
    "To bring the exponent down you need a function: which one undoes $e^x$?",
)
_INSIDE_LN: Final = Mistake(
    "opération dans le logarithme",
    "operation inside the logarithm",
    "Prends d'abord le logarithme ; l'opération suivante se fait à l'extérieur.",
    "Take the logarithm first; the next operation stays outside it.",
)


@generates("maths.exponential-equation", "Terminale")
def exponential_equation(draw: Draw) -> Item:
    """Equal exponents, then a logarithm, then an equation of degree two in the exponential."""
    return draw.by_level(_equal_exponents, _one_logarithm, _quadratic_in_exponential)(draw)


def _ask_solution(draw: Draw, equation: str) -> str:
    return draw.say(
        f"Résous dans $\\mathbb{{R}}$ l'équation ${equation}$.",
        f"Solve in $\\mathbb{{R}}$ the equation ${equation}$.",
    )


def _equal_exponents(draw: Draw) -> Item:
    a, root = draw.between(2, 5), draw.between(1, 6) * draw.one_of((1, -1))
    b = draw.between(1, 9) * draw.one_of((1, -1))
    c = a * root + b
    left = polynomial_maths((b, a))
    return draw.choice(
        _ask_solution(draw, f"e^{{{left}}} = {'1' if c == 0 else raise_maths('e', c)}"),
        key=f"x = {root}",
        wrong=[
            _STILL_MULTIPLIED.gives(draw, f"x = {a * root}"),
            _SUBTRACTED.gives(draw, f"x = {a * root - a}"),
            _OPPOSITE.gives(draw, f"x = {-root}"),
            _FROM_EXPONENT.gives(draw, f"x = {Fraction(c + b, a)}"),
        ],
        hints=[
            draw.say(
                "Deux exponentielles sont égales quand leurs exposants sont égaux.",
                "Two exponentials are equal when their exponents are equal.",
            ),
            draw.say("Et $1 = e^0$.", "And $1 = e^0$.")
            if c == 0
            else draw.say(f"Résous ${left} = {c}$.", f"Solve ${left} = {c}$."),
        ],
        steps=[f"${left} = {c}$", f"${polynomial_maths((0, a))} = {a * root}$", f"$x = {root}$"],
    )


def _one_logarithm(draw: Draw) -> Item:
    """`e^(x + b) = k` or `e^(ax) = k`."""
    k = draw.one_of((5, 6, 7, 10, 11, 12, 13))
    if draw.one_of((True, False)):
        b = draw.between(2, 4) * draw.one_of((1, -1))
        equation, key = f"e^{{{polynomial_maths((b, 1))}}} = {k}", f"ln({k}) {signed(-b)}"
        last = f"x = \\ln({k}) {signed(-b)}"
        inside, other = f"ln({k - b})", _FROM_EXPONENT.gives(draw, f"x = ln({k}) {signed(b)}")
        forgotten = str(k - b)
        middle = f"{polynomial_maths((b, 1))} = \\ln({k})"
    else:
        a = draw.between(2, 4)
        equation, key = f"e^{{{a}x}} = {k}", f"ln({k})/{a}"
        last = f"x = \\frac{{\\ln({k})}}{{{a}}}"
        inside, other = f"ln({Fraction(k, a)})", _SUBTRACTED.gives(draw, f"x = ln({k}) - {a}")
        forgotten = str(Fraction(k, a))
        middle = f"{a}x = \\ln({k})"
    return draw.choice(
        _ask_solution(draw, equation),
        key=f"x = {key}",
        wrong=[
            _INSIDE_LN.gives(draw, f"x = {inside}"),
            other,
            _LN_FORGOTTEN.gives(draw, f"x = {forgotten}"),
        ],
        hints=[
            draw.say(
                "Quelle fonction défait l'exponentielle ? Applique-la aux deux membres.",
                "Which function undoes the exponential? Apply it to both sides.",
            ),
            draw.say("$\\ln(e^u) = u$ ; isole ensuite $x$.", "$\\ln(e^u) = u$; then isolate $x$."),
        ],
        steps=[f"${middle}$", f"${last}$"],
    )


_BACK_TO_X: Final = Mistake(
    "retour à $x$ oublié",
    "way back to $x$ forgotten",
    "Ce sont les valeurs de $X = e^x$ : que vaut alors $x$ ?",
    "Those are the values of $X = e^x$: what is $x$ then?",
)
_NEGATIVE_KEPT: Final = Mistake(
    "valeur négative gardée",
    "negative value kept",
    "Une exponentielle peut-elle être négative ?",
    "Can an exponential be negative?",
)
_ROOT_SIGNS: Final = Mistake(
    "signes des racines",
    "signs of the roots",
    "Revois les signes des solutions de l'équation en $X$.",
    "Check the signs of the solutions of the equation in $X$.",
)
_ONE_LOST: Final = Mistake(
    "une solution perdue",
    "one solution lost",
    "L'équation en $X$ a-t-elle une autre solution positive ?",
    "Does the equation in $X$ have another positive solution?",
)


def _quadratic_in_exponential(draw: Draw) -> Item:
    """`(X - m)(X - n) = 0` with `X = e^x`; the smaller root may be negative."""
    n = draw.between(2, 6)
    m = n + draw.between(1, 4)
    both = draw.one_of((True, False))
    small = n if both else -n
    linear, constant = -(m + small), m * small
    middle = f"{'-' if linear < 0 else '+'} {_factor(abs(linear))}e^x"
    equation = f"e^{{2x}} {middle} {signed(constant)} = 0"
    in_x = f"{polynomial_maths((constant, linear, 1), 'X')} = 0"
    key = solution_set(draw, [f"ln({n})", f"ln({m})"] if both else [f"ln({m})"])
    values = _BACK_TO_X.gives(draw, solution_set(draw, [small, m]))
    if both:
        wrong = [
            values,
            _ONE_LOST.gives(draw, solution_set(draw, [f"ln({m})"])),
            _ROOT_SIGNS.gives(draw, "∅"),
        ]
    else:
        wrong = [
            values,
            _NEGATIVE_KEPT.gives(draw, solution_set(draw, [f"-ln({n})", f"ln({m})"])),
            _ROOT_SIGNS.gives(draw, solution_set(draw, [f"ln({n})"])),
        ]
    return draw.choice(
        _ask_solution(draw, equation),
        key=key,
        wrong=wrong,
        hints=[
            draw.say(
                "Pose $X = e^x$ : l'équation devient du second degré.",
                "Put $X = e^x$: the equation becomes quadratic.",
            ),
            draw.say(
                f"Résous ${in_x}$ et garde les $X$ qui sont positifs.",
                f"Solve ${in_x}$ and keep the $X$ that are positive.",
            ),
        ],
        steps=[
            draw.say(f"Avec $X = e^x$ : ${in_x}$.", f"With $X = e^x$: ${in_x}$."),
            draw.say(f"$X = {small}$ ou $X = {m}$.", f"$X = {small}$ or $X = {m}$."),
            *(
                []
                if both
                else [
                    draw.say(
                        f"$e^x = {small}$ est impossible : une exponentielle est positive.",
                        f"$e^x = {small}$ is impossible: an exponential is positive.",
                    )
                ]
            ),
            "$S = " + set_maths(key).replace("ln", "\\ln") + "$",
        ],
    )
