"""Arithmetic and geometric sequences, in 1re."""

from __future__ import annotations

from typing import Final

from bot.practice.algebra_text import in_brackets, polynomial_maths
from bot.practice.generator import Draw, Item, generates
from bot.practice.misconceptions import Mistake

_ONE_STEP_MORE: Final = Mistake(
    "un pas de trop",
    "one step too many",
    "Compte les pas entre le premier terme donné et le terme demandé.",
    "Count the steps between the given first term and the one asked for.",
)
_ONE_STEP_LESS: Final = Mistake(
    "un pas de moins",
    "one step too few",
    "Compte les pas entre le premier terme donné et le terme demandé : il en manque un.",
    "Count the steps between the given first term and the one asked for: one is missing.",
)
_FIRST_TERM_FORGOTTEN: Final = Mistake(
    "premier terme oublié",
    "first term forgotten",
    "De quel nombre part la suite ? Il manque dans ton calcul.",
    "Which number does the sequence start from? It is missing in your working.",
)
_FIRST_TIMES_N: Final = Mistake(
    "rôles échangés",
    "roles swapped",
    "C'est la raison qui s'ajoute à chaque pas, pas le premier terme.",
    "The common difference is added at each step, not the first term.",
)
_STEPS_NOT_DIVIDED: Final = Mistake(
    "écart non divisé",
    "gap not divided",
    "C'est l'écart entre deux termes qui ne se suivent pas : partage-le entre les pas.",
    "That is the gap between two terms that are not neighbours: share it among the steps.",
)
_GAP_DIVIDED_BY_RANK: Final = Mistake(
    "écart divisé par un rang",
    "gap divided by a rank",
    "Par combien de pas passe-t-on d'un terme à l'autre ? Ce n'est pas un rang.",
    "How many steps lead from one term to the other? It is not one of the ranks.",
)
_SIGN_OF_DIFFERENCE: Final = Mistake(
    "signe de la raison",
    "sign of the common difference",
    "La suite monte-t-elle ou descend-elle ? Compare avec ta raison.",
    "Does the sequence go up or down? Compare with your common difference.",
)
_ONE_TERM_FORGOTTEN: Final = Mistake(
    "un terme oublié",
    "one term forgotten",
    "De $u_0$ à $u_n$, combien y a-t-il de termes ? Compte aussi le premier.",
    "How many terms are there from $u_0$ to $u_n$? Count the first one too.",
)
_NOT_HALVED: Final = Mistake(
    "division par 2 oubliée",
    "division by 2 forgotten",
    "La moyenne du premier et du dernier terme : leur somme, divisée par combien ?",
    "The mean of the first and last term: their sum, divided by what?",
)


@generates("maths.arithmetic-sequence", "1re")
def arithmetic_sequence(draw: Draw) -> Item:
    """A term by its rank, then the common difference from two terms, then a sum."""
    difference = draw.between(2, 9) * draw.by_level(1, draw.one_of((1, -1)), 1)
    return draw.by_level(_arithmetic_term, _common_difference, _arithmetic_sum)(draw, difference)


def _arithmetic_term(draw: Draw, difference: int) -> Item:
    start = draw.between(0, 1)
    first, rank = draw.between(2, 20), draw.between(5, 20)
    steps = rank - start
    key = first + steps * difference
    named = f"u_{{{start}}}"
    return draw.choice(
        draw.say(
            f"La suite $(u_n)$ est arithmétique, de premier terme ${named} = {first}$ et de raison "
            f"$r = {difference}$. Combien vaut $u_{{{rank}}}$ ?",
            f"The sequence $(u_n)$ is arithmetic, with first term ${named} = {first}$ and common "
            f"difference $r = {difference}$. What is $u_{{{rank}}}$?",
        ),
        key=key,
        wrong=[
            (_ONE_STEP_MORE if start else _ONE_STEP_LESS).gives(
                draw, key + (difference if start else -difference)
            ),
            _FIRST_TERM_FORGOTTEN.gives(draw, steps * difference),
            _FIRST_TIMES_N.gives(draw, difference + steps * first),
            (_ONE_STEP_LESS if start else _ONE_STEP_MORE).gives(
                draw, key - (difference if start else -difference)
            ),
        ],
        hints=[
            draw.say(
                "D'un terme au suivant, on ajoute toujours la raison.",
                "From one term to the next, the common difference is added.",
            ),
            draw.say(
                f"De ${named}$ à $u_{{{rank}}}$, il y a ${steps}$ pas.",
                f"From ${named}$ to $u_{{{rank}}}$ there are ${steps}$ steps.",
            ),
        ],
        steps=[
            draw.say(
                f"De ${named}$ à $u_{{{rank}}}$ : ${rank} - {start} = {steps}$ pas.",
                f"From ${named}$ to $u_{{{rank}}}$: ${rank} - {start} = {steps}$ steps.",
            ),
            f"$u_{{{rank}}} = {first} + {steps} \\times {difference} "
            f"= {first} + {steps * difference}$",
            f"$u_{{{rank}}} = {key}$",
        ],
    )


def _common_difference(draw: Draw, difference: int) -> Item:
    low, gap = draw.between(2, 6), draw.between(3, 8)
    high = low + gap
    first = draw.between(-10, 30)
    u_low, u_high = first, first + gap * difference
    return draw.choice(
        draw.say(
            f"La suite $(u_n)$ est arithmétique, $u_{{{low}}} = {u_low}$ et "
            f"$u_{{{high}}} = {u_high}$. Quelle est sa raison ?",
            f"The sequence $(u_n)$ is arithmetic, $u_{{{low}}} = {u_low}$ and "
            f"$u_{{{high}}} = {u_high}$. What is its common difference?",
        ),
        key=difference,
        wrong=[
            _SIGN_OF_DIFFERENCE.gives(draw, -difference),
            _STEPS_NOT_DIVIDED.gives(draw, gap * difference),
            *(
                [_GAP_DIVIDED_BY_RANK.gives(draw, gap * difference // low)]
                if gap * difference % low == 0
                else []
            ),
            _ONE_STEP_MORE.gives(draw, difference + (1 if difference > 0 else -1)),
        ],
        hints=[
            draw.say(
                f"Combien de pas y a-t-il de $u_{{{low}}}$ à $u_{{{high}}}$ ?",
                f"How many steps are there from $u_{{{low}}}$ to $u_{{{high}}}$?",
            ),
            draw.say(
                f"$u_{{{high}}} = u_{{{low}}} + {gap}r$ : résous cette équation.",
                f"$u_{{{high}}} = u_{{{low}}} + {gap}r$: solve this equation.",
            ),
        ],
        steps=[
            f"$u_{{{high}}} = u_{{{low}}} + ({high} - {low})r$",
            f"${u_high} = {polynomial_maths((u_low, gap), 'r')}$",
            f"$r = \\frac{{{u_high} - {in_brackets(u_low)}}}{{{gap}}} = {difference}$",
        ],
    )


def _arithmetic_sum(draw: Draw, difference: int) -> Item:
    first, rank = draw.between(1, 10), draw.between(5, 19)
    last, count = first + rank * difference, rank + 1
    doubled = count * (first + last)
    total = doubled // 2
    return draw.open(
        draw.say(
            f"La suite $(u_n)$ est arithmétique, de premier terme $u_0 = {first}$ et de raison "
            f"$r = {difference}$. Calcule $S = u_0 + u_1 + \\dots + u_{{{rank}}}$.",
            f"The sequence $(u_n)$ is arithmetic, with first term $u_0 = {first}$ and common "
            f"difference $r = {difference}$. Work out $S = u_0 + u_1 + \\dots + u_{{{rank}}}$.",
        ),
        key=total,
        wrong=[
            _NOT_HALVED.gives(draw, doubled),
            *(
                [_ONE_TERM_FORGOTTEN.gives(draw, rank * (first + last) // 2)]
                if rank * (first + last) % 2 == 0
                else []
            ),
        ],
        hints=[
            draw.say(
                f"Calcule d'abord le dernier terme $u_{{{rank}}}$.",
                f"First work out the last term $u_{{{rank}}}$.",
            ),
            draw.say(
                f"Il y a ${count}$ termes ; leur moyenne est $\\frac{{u_0 + u_{{{rank}}}}}{{2}}$.",
                f"There are ${count}$ terms; their mean is $\\frac{{u_0 + u_{{{rank}}}}}{{2}}$.",
            ),
        ],
        steps=[
            f"$u_{{{rank}}} = {first} + {rank} \\times {difference} = {last}$",
            f"$S = {count} \\times \\frac{{{first} + {last}}}{{2}}$",
            f"$S = {total}$",
        ],
    )


_ADDED_INSTEAD: Final = Mistake(
    "raison ajoutée",
    "ratio added",
    "La suite est géométrique : à chaque pas, on multiplie.",
    "The sequence is geometric: at each step, one multiplies.",
)
_POWER_AS_PRODUCT: Final = Mistake(
    "puissance prise pour un produit",
    "power taken as a product",
    "Multiplier plusieurs fois par $q$, ce n'est pas multiplier par $n \\times q$.",
    "Multiplying by $q$ several times is not multiplying by $n \\times q$.",
)
_POWERED_FIRST: Final = Mistake(
    "premier terme oublié",
    "first term forgotten",
    "Tu as calculé la puissance : quel est le nombre de départ ?",
    "You worked out the power: which number does one start from?",
)
_SIGN_OF_POWER: Final = Mistake(
    "signe de la puissance",
    "sign of the power",
    "La raison est négative : le signe change à chaque pas.",
    "The common ratio is negative: the sign changes at each step.",
)
_LAST_TERM_ONLY: Final = Mistake(
    "dernier terme seulement",
    "last term only",
    "C'est le dernier terme : la somme les prend tous.",
    "That is the last term: the sum takes them all.",
)
_NOT_DIVIDED: Final = Mistake(
    "division par $q - 1$ oubliée",
    "division by $q - 1$ forgotten",
    "Revois la formule de la somme : elle a un dénominateur.",
    "Check the formula of the sum: it has a denominator.",
)


@generates("maths.geometric-sequence", "1re")
def geometric_sequence(draw: Draw) -> Item:
    """A term by its rank, then with a negative ratio or from rank 1, then a sum."""
    if draw.difficulty > 2:
        return _geometric_sum(draw)
    if draw.difficulty == 1:
        return _geometric_term(draw, 0, draw.one_of((2, 3, 5, 10)), draw.between(3, 4))
    ratio = draw.one_of((-2, -3, 2, 3))
    return _geometric_term(draw, draw.between(0, 1), ratio, draw.between(4, 6))


def _geometric_term(draw: Draw, start: int, ratio: int, rank: int) -> Item:
    first, steps = draw.between(2, 7), rank - start
    key = first * ratio**steps
    named, asked = f"u_{{{start}}}", f"u_{{{rank}}}"
    power = f"{in_brackets(ratio)}^{{{steps}}}"
    one_off = (_ONE_STEP_MORE, key * ratio) if start else (_ONE_STEP_LESS, key // ratio)
    return draw.choice(
        draw.say(
            f"La suite $(u_n)$ est géométrique, de premier terme ${named} = {first}$ et de raison "
            f"$q = {ratio}$. Combien vaut ${asked}$ ?",
            f"The sequence $(u_n)$ is geometric, with first term ${named} = {first}$ and common "
            f"ratio $q = {ratio}$. What is ${asked}$?",
        ),
        key=key,
        wrong=[
            one_off[0].gives(draw, one_off[1]),
            _ADDED_INSTEAD.gives(draw, first + steps * ratio),
            (_SIGN_OF_POWER if ratio < 0 else _POWER_AS_PRODUCT).gives(
                draw, -key if ratio < 0 else first * ratio * steps
            ),
            _POWERED_FIRST.gives(draw, ratio**steps),
        ],
        hints=[
            draw.say(
                "D'un terme au suivant, on multiplie toujours par la raison.",
                "From one term to the next, one multiplies by the common ratio.",
            ),
            draw.say(
                f"De ${named}$ à ${asked}$, on multiplie ${steps}$ fois par ${ratio}$.",
                f"From ${named}$ to ${asked}$, one multiplies ${steps}$ times by ${ratio}$.",
            ),
        ],
        steps=[
            f"${asked} = {first} \\times {power}$",
            f"${power} = {draw.maths(ratio**steps)}$",
            f"${asked} = {draw.maths(key)}$",
        ],
    )


def _geometric_sum(draw: Draw) -> Item:
    first, ratio = draw.between(1, 6), draw.one_of((2, 3))
    rank = draw.between(4, 8) if ratio == 2 else draw.between(3, 5)
    count = rank + 1
    total = first * (ratio**count - 1) // (ratio - 1)
    return draw.open(
        draw.say(
            f"La suite $(u_n)$ est géométrique, de premier terme $u_0 = {first}$ et de raison "
            f"$q = {ratio}$. Calcule $S = u_0 + u_1 + \\dots + u_{{{rank}}}$.",
            f"The sequence $(u_n)$ is geometric, with first term $u_0 = {first}$ and common ratio "
            f"$q = {ratio}$. Work out $S = u_0 + u_1 + \\dots + u_{{{rank}}}$.",
        ),
        key=total,
        wrong=[
            _ONE_TERM_FORGOTTEN.gives(draw, first * (ratio**rank - 1) // (ratio - 1)),
            _LAST_TERM_ONLY.gives(draw, first * ratio**rank),
            _NOT_DIVIDED.gives(draw, first * (ratio**count - 1)),
        ],
        hints=[
            draw.say(
                f"De $u_0$ à $u_{{{rank}}}$, il y a ${count}$ termes.",
                f"From $u_0$ to $u_{{{rank}}}$ there are ${count}$ terms.",
            ),
            f"$S = u_0 \\times \\frac{{q^{{{count}}} - 1}}{{q - 1}}$",
        ],
        steps=[
            f"$S = {first} \\times \\frac{{{ratio}^{{{count}}} - 1}}{{{ratio} - 1}}$",
            f"${ratio}^{{{count}}} = {draw.maths(ratio**count)}$",
            f"$S = {draw.maths(total)}$",
        ],
    )
