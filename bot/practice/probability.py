"""Conditional probabilities in 1re and the binomial law in Terminale."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, generates


class Situation(NamedTuple):
    """A group, a part `A` of it, and a property `B` of some of its members, in two languages."""

    french: str
    english: str


_SITUATIONS: Final = (
    Situation(
        "Au lycée, on choisit un élève au hasard. $A$ : « c'est une fille » ; $B$ : « l'élève "
        "vient à pied ».",
        "At a school, a pupil is chosen at random. $A$: “it is a girl”; $B$: “the pupil walks to "
        "school”.",
    ),
    Situation(
        "Au marché, on prend une mangue au hasard. $A$ : « elle vient de Sikasso » ; $B$ : « elle "
        "est mûre ».",
        "At the market, a mango is picked at random. $A$: “it comes from Sikasso”; $B$: “it is "
        "ripe”.",
    ),
    Situation(
        "Un atelier a deux machines. On prend une pièce au hasard. $A$ : « elle vient de la "
        "première machine » ; $B$ : « elle est peinte ».",
        "A workshop has two machines. A part is picked at random. $A$: “it comes from the first "
        "machine”; $B$: “it is painted”.",
    ),
    Situation(
        "Une coopérative de cacao a deux villages. On prend un sac au hasard. $A$ : « il vient du "
        "premier village » ; $B$ : « il est de qualité supérieure ».",
        "A cocoa cooperative has two villages. A bag is picked at random. $A$: “it comes from the "
        "first village”; $B$: “it is of the best quality”.",
    ),
    Situation(
        "On choisit au hasard un abonné d'un opérateur. $A$ : « il a un forfait » ; $B$ : « il a "
        "appelé aujourd'hui ».",
        "A customer of a phone company is chosen at random. $A$: “they have a plan”; $B$: “they "
        "made a call today”.",
    ),
)


def _tenths(number: int) -> Decimal:
    return Decimal(number).scaleb(-1)


def _plain(value: Decimal) -> Decimal:
    """The number without trailing zeros."""
    return value.quantize(Decimal(1)) if value == int(value) else value


@generates("maths.conditional-probability", "1re")
def conditional_probability(draw: Draw) -> Item:
    """A path of the tree, then the total probability, then the condition turned round."""
    a = _tenths(draw.one_of((2, 3, 4, 6, 7, 8)))
    given_a = _tenths(draw.between(1, 9))
    given_other = _tenths(draw.one_of([n for n in range(1, 10) if _tenths(n) != given_a]))
    situation = draw.one_of(_SITUATIONS)
    asked = draw.by_level(_path, _total, _turned_round)
    return asked(draw, draw.say(situation.french, situation.english), a, given_a, given_other)


def _given(draw: Draw, a: Decimal, given_a: Decimal, given_other: Decimal) -> str:
    facts = (
        f"$P(A) = {draw.maths(a)}$, $P_A(B) = {draw.maths(given_a)}$",
        f"$P_{{\\overline{{A}}}}(B) = {draw.maths(given_other)}$",
    )
    return draw.say(" et ", " and ").join(facts)


def _tree_hint(draw: Draw) -> str:
    return draw.say(
        "Dessine l'arbre : d'abord $A$ et $\\overline{A}$, puis $B$ et $\\overline{B}$.",
        "Draw the tree: first $A$ and $\\overline{A}$, then $B$ and $\\overline{B}$.",
    )


def _path(draw: Draw, situation: str, a: Decimal, given_a: Decimal, given_other: Decimal) -> Item:
    key = _plain(a * given_a)
    exercise = draw.exercise(
        "path",
        situation=situation,
        given_a_given_a_given_other=_given(draw, a, given_a, given_other),
        tree_hint=_tree_hint(draw),
        a=a,
        given_a=given_a,
    )
    return exercise.choice(
        key,
        (_plain((1 - a) * given_other), "other-branch"),
        (given_a, "conditional-as-joint"),
        (_plain(a * (1 - given_a)), "out-of-place"),
        (_plain(a * given_other), "other-branch"),
    )


def _total(draw: Draw, situation: str, a: Decimal, given_a: Decimal, given_other: Decimal) -> Item:
    first, second = _plain(a * given_a), _plain((1 - a) * given_other)
    key = _plain(first + second)
    too_much = given_a + given_other
    exercise = draw.exercise(
        "total",
        situation=situation,
        given_a_given_a_given_other=_given(draw, a, given_a, given_other),
        tree_hint=_tree_hint(draw),
        a=a,
        given_a=given_a,
        first=first,
        given_other=given_other,
        second=second,
    )
    return exercise.choice(
        key,
        (first, "one-path"),
        (_plain(too_much / 2), "unweighted"),
        (_plain(too_much) if too_much < 1 else None, "added-conditionals"),
        (second, "one-path"),
    )


def _turned_round(
    draw: Draw, situation: str, a: Decimal, given_a: Decimal, given_other: Decimal
) -> Item:
    joint, other = a * given_a, (1 - a) * given_other
    total = joint + other
    key = Fraction(joint) / Fraction(total)
    exercise = draw.exercise(
        "turned_round",
        situation=situation,
        given_a_given_a_given_other=_given(draw, a, given_a, given_other),
        a=a,
        given_a=given_a,
        plain_joint=_plain(joint),
        plain_other=_plain(other),
        plain_total=_plain(total),
    )
    return exercise.choice(
        key,
        (Fraction(given_a), "inverted"),
        (Fraction(joint), "joint-only"),
        (1 - key, "other-given"),
        (Fraction(a), "prior"),
    )


_EXPERIMENTS: Final = (
    Situation(
        "Un élève répond à {n} questions ; à chacune, il répond juste avec la probabilité ${p}$, "
        "indépendamment des autres. $X$ est le nombre de réponses justes.",
        "A pupil answers {n} questions, each rightly with probability ${p}$, independently of the "
        "others. $X$ is the number of right answers.",
    ),
    Situation(
        "On sème {n} graines ; chacune germe avec la probabilité ${p}$, indépendamment des autres. "
        "$X$ est le nombre de graines qui germent.",
        "{n} seeds are sown; each germinates with probability ${p}$, independently of the others. "
        "$X$ is the number of seeds that germinate.",
    ),
    Situation(
        "Une joueuse tire {n} fois au panier ; à chaque tir, elle marque avec la probabilité "
        "${p}$, indépendamment des autres. $X$ est le nombre de paniers marqués.",
        "A player shoots {n} times at the basket; she scores each time with probability ${p}$, "
        "independently of the other shots. $X$ is the number of baskets scored.",
    ),
    Situation(
        "Un taxi passe {n} feux ; chacun est vert avec la probabilité ${p}$, indépendamment des "
        "autres. $X$ est le nombre de feux verts.",
        "A taxi passes {n} traffic lights; each is green with probability ${p}$, independently of "
        "the others. $X$ is the number of green lights.",
    ),
)


@generates("maths.binomial-law", "Terminale")
def binomial_law(draw: Draw) -> Item:
    """The expectation, then exactly `k` successes, then at least one."""
    return draw.by_level(_expectation, _exactly, _at_least_one)(draw)


def _describe(draw: Draw, n: int, p: Fraction) -> str:
    situation = draw.one_of(_EXPERIMENTS)
    return draw.say(situation.french, situation.english).format(n=n, p=draw.maths(p))


def _expectation(draw: Draw) -> Item:
    above, below = draw.one_of(((1, 3), (2, 3), (1, 4), (3, 4), (1, 5), (2, 5), (3, 5), (4, 5)))
    p, n = Fraction(above, below), below * below * draw.between(1, 4)
    mean = int(n * p)
    exercise = draw.exercise("expectation", describe_n_p=_describe(draw, n, p), n=n, p=p, mean=mean)
    return exercise.choice(
        mean,
        (n * p * (1 - p), "variance"),
        (n - mean, "failures"),
        (Fraction(n, 2), "half"),
        (n // below, "one-success"),
    )


def _exactly(draw: Draw) -> Item:
    n = draw.between(3, 4)
    successes = draw.between(1, n - 1)
    p = draw.one_of((Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4)))
    one_path = p**successes * (1 - p) ** (n - successes)
    ways = comb(n, successes)
    exercise = draw.exercise(
        "exactly",
        describe_n_p=_describe(draw, n, p),
        successes=successes,
        n=n,
        power_p_successes=_power(draw, p, successes),
        power_1_minus_p_n_minus_successes=_power(draw, 1 - p, n - successes),
        ways=ways,
        one_path=one_path,
    )
    return exercise.choice(
        ways * one_path,
        (one_path, "no-coefficient"),
        (ways * p ** (n - successes) * (1 - p) ** successes, "exponents-swapped"),
        (p**successes, "no-failures"),
        ((1 - p) ** (n - successes), "failures"),
    )


def _power(draw: Draw, base: Fraction, exponent: int) -> str:
    written = f"\\left({draw.maths(base)}\\right)"
    return written if exponent == 1 else f"{written}^{{{exponent}}}"


def _at_least_one(draw: Draw) -> Item:
    n = draw.between(2, 4)
    p = draw.one_of((Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4)))
    none = (1 - p) ** n
    key = 1 - none
    exercise = draw.exercise(
        "at_least_one",
        describe_n_p=_describe(draw, n, p),
        power_1_minus_p_n=_power(draw, 1 - p, n),
        none=none,
    )
    return exercise.choice(
        key,
        (none, "none"),
        (n * p * (1 - p) ** (n - 1), "exactly-one"),
        (p**n, "all"),
        (1 - p**n, "not-all"),
    )
