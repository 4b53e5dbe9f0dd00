"""Conditional probabilities in 1re and the binomial law in Terminale."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import comb
from typing import Final, NamedTuple

from bot.practice.generator import Draw, Item, generates
from bot.practice.misconceptions import Mistake


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

_ADDED: Final = Mistake(
    "probabilités ajoutées",
    "probabilities added",
    "Le long d'un chemin de l'arbre, on ne les ajoute pas.",
    "Along a path of the tree, they are not added.",
)
_OTHER_BRANCH: Final = Mistake(
    "mauvaise branche",
    "wrong branch",
    "Suis le chemin sur l'arbre : passe-t-il par $A$ ou par $\\overline{A}$ ?",
    "Follow the path on the tree: does it go through $A$ or $\\overline{A}$?",
)
_CONDITIONAL_AS_JOINT: Final = Mistake(
    "probabilité sachant $A$",
    "probability given $A$",
    "C'est la probabilité de $B$ quand on sait déjà que $A$ a lieu.",
    "That is the probability of $B$ when $A$ is already known.",
)
_OUT_OF_PLACE: Final = Mistake(
    "événement contraire",
    "opposite event",
    "Tu as pris la probabilité du contraire de $B$ : relis la question.",
    "You took the probability of the opposite of $B$: read the question again.",
)
_ONE_PATH: Final = Mistake(
    "un seul chemin",
    "one path only",
    "Plusieurs chemins de l'arbre mènent à $B$ : les as-tu tous ?",
    "Several paths of the tree lead to $B$: do you have them all?",
)
_UNWEIGHTED: Final = Mistake(
    "moyenne simple",
    "plain mean",
    "Les deux parties n'ont pas le même poids : multiplie chacune par sa probabilité.",
    "The two parts do not weigh the same: multiply each by its probability.",
)
_ADDED_CONDITIONALS: Final = Mistake(
    "probabilités conditionnelles ajoutées",
    "conditional probabilities added",
    "Chaque probabilité conditionnelle se multiplie d'abord par celle de sa branche.",
    "Each conditional probability is first multiplied by that of its branch.",
)
_INVERTED: Final = Mistake(
    "condition inversée",
    "condition inverted",
    "Tu as pris $P_A(B)$ : ici, c'est $B$ que l'on sait.",
    "You took $P_A(B)$: here, $B$ is what is known.",
)
_JOINT_ONLY: Final = Mistake(
    "intersection seulement",
    "intersection only",
    "C'est $P(A \\cap B)$ : on sait que $B$ a lieu, il faut encore diviser.",
    "That is $P(A \\cap B)$: $B$ is known to happen, so one must still divide.",
)
_PRIOR: Final = Mistake(
    "information ignorée",
    "information ignored",
    "C'est $P(A)$ : l'information « $B$ a lieu » change-t-elle quelque chose ?",
    "That is $P(A)$: does the information that $B$ happens change anything?",
)
_OTHER_GIVEN: Final = Mistake(
    "autre partie",
    "other part",
    "Tu as répondu pour $\\overline{A}$ : relis la question.",
    "You answered for $\\overline{A}$: read the question again.",
)


def _tenths(number: int) -> Decimal:
    return Decimal(number).scaleb(-1)


def _plain(value: Decimal) -> Decimal:
    """The number without trailing zeros."""
    return value.quantize(Decimal(1)) if value == int(value) else value.normalize()


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
    return draw.choice(
        f"{situation} {_given(draw, a, given_a, given_other)}. "
        + draw.say("Combien vaut $P(A \\cap B)$ ?", "What is $P(A \\cap B)$?"),
        key=key,
        wrong=[
            _OTHER_BRANCH.gives(draw, _plain((1 - a) * given_other)),
            _CONDITIONAL_AS_JOINT.gives(draw, given_a),
            _OUT_OF_PLACE.gives(draw, _plain(a * (1 - given_a))),
            _OTHER_BRANCH.gives(draw, _plain(a * given_other)),
        ],
        hints=[
            _tree_hint(draw),
            draw.say(
                "Multiplie les probabilités le long du chemin qui passe par $A$ puis par $B$.",
                "Multiply the probabilities along the path through $A$ and then $B$.",
            ),
        ],
        steps=[
            "$P(A \\cap B) = P(A) \\times P_A(B)$",
            f"$P(A \\cap B) = {draw.maths(a)} \\times {draw.maths(given_a)} = {draw.maths(key)}$",
        ],
    )


def _total(draw: Draw, situation: str, a: Decimal, given_a: Decimal, given_other: Decimal) -> Item:
    first, second = _plain(a * given_a), _plain((1 - a) * given_other)
    key = _plain(first + second)
    too_much = given_a + given_other
    return draw.choice(
        f"{situation} {_given(draw, a, given_a, given_other)}. "
        + draw.say("Combien vaut $P(B)$ ?", "What is $P(B)$?"),
        key=key,
        wrong=[
            _ONE_PATH.gives(draw, first),
            _UNWEIGHTED.gives(draw, _plain(too_much / 2)),
            *([_ADDED_CONDITIONALS.gives(draw, _plain(too_much))] if too_much < 1 else []),
            _ONE_PATH.gives(draw, second),
        ],
        hints=[
            _tree_hint(draw),
            draw.say(
                "Deux chemins mènent à $B$ : ajoute leurs probabilités.",
                "Two paths lead to $B$: add their probabilities.",
            ),
        ],
        steps=[
            f"$P(A \\cap B) = {draw.maths(a)} \\times {draw.maths(given_a)} = {draw.maths(first)}$",
            f"$P(\\overline{{A}} \\cap B) = {draw.maths(1 - a)} \\times {draw.maths(given_other)} "
            f"= {draw.maths(second)}$",
            f"$P(B) = {draw.maths(first)} + {draw.maths(second)} = {draw.maths(key)}$",
        ],
    )


def _turned_round(
    draw: Draw, situation: str, a: Decimal, given_a: Decimal, given_other: Decimal
) -> Item:
    joint, other = a * given_a, (1 - a) * given_other
    total = joint + other
    key = Fraction(joint) / Fraction(total)
    return draw.choice(
        f"{situation} {_given(draw, a, given_a, given_other)}. "
        + draw.say(
            "Combien vaut $P_B(A)$, en fraction irréductible ?",
            "What is $P_B(A)$, as a fraction in lowest terms?",
        ),
        key=key,
        wrong=[
            _INVERTED.gives(draw, Fraction(given_a)),
            _JOINT_ONLY.gives(draw, Fraction(joint)),
            _OTHER_GIVEN.gives(draw, 1 - key),
            _PRIOR.gives(draw, Fraction(a)),
        ],
        hints=[
            draw.say(
                "Calcule $P(A \\cap B)$, puis $P(B)$ avec les deux chemins.",
                "Work out $P(A \\cap B)$, then $P(B)$ with both paths.",
            ),
            "$P_B(A) = \\frac{P(A \\cap B)}{P(B)}$",
        ],
        steps=[
            f"$P(A \\cap B) = {draw.maths(a)} \\times {draw.maths(given_a)} "
            f"= {draw.maths(_plain(joint))}$",
            f"$P(B) = {draw.maths(_plain(joint))} + {draw.maths(_plain(other))} "
            f"= {draw.maths(_plain(total))}$",
            f"$P_B(A) = \\frac{{{draw.maths(_plain(joint))}}}{{{draw.maths(_plain(total))}}} "
            f"= {draw.maths(key)}$",
        ],
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

_VARIANCE: Final = Mistake(
    "variance à la place",
    "variance instead",
    "$np(1 - p)$ mesure la dispersion ; l'espérance est la moyenne.",
    "$np(1 - p)$ measures the spread; the expectation is the mean.",
)
_FAILURES: Final = Mistake(
    "échecs comptés",
    "failures counted",
    "Tu as compté les échecs : que compte $X$ ?",
    "You counted the failures: what does $X$ count?",
)
_HALF: Final = Mistake(
    "une chance sur deux",
    "one chance in two",
    "Tu as pris la moitié des essais : la probabilité d'un succès est donnée.",
    "You took half of the trials: the probability of a success is given.",
)
_NO_COEFFICIENT: Final = Mistake(
    "coefficient binomial oublié",
    "binomial coefficient forgotten",
    "C'est la probabilité d'un seul chemin : combien de chemins y a-t-il ?",
    "That is the probability of a single path: how many paths are there?",
)
_NO_FAILURES: Final = Mistake(
    "échecs oubliés",
    "failures forgotten",
    "Les autres essais sont des échecs : leur probabilité compte aussi.",
    "The other trials are failures: their probability counts too.",
)
_EXPONENTS_SWAPPED: Final = Mistake(
    "exposants échangés",
    "exponents swapped",
    "Lequel des exposants va avec les succès, lequel avec les échecs ?",
    "Which of the exponents goes with the successes, which with the failures?",
)
_NONE: Final = Mistake(
    "contraire",
    "opposite event",
    "C'est la probabilité de n'en avoir aucun : que demande « au moins un » ?",
    "That is the probability of having none: what does “at least one” ask for?",
)
_ALL: Final = Mistake(
    "tous au lieu d'au moins un",
    "all instead of at least one",
    "Tu as pris la probabilité d'avoir tous les succès.",
    "You took the probability that every trial succeeds.",
)
_NOT_ALL: Final = Mistake(
    "contraire de « tous »",
    "opposite of “all”",
    "Le contraire de « au moins un », ce n'est pas « tous ».",
    "The opposite of “at least one” is not “all”.",
)
_EXACTLY_ONE: Final = Mistake(
    "exactement un",
    "exactly one",
    "Tu as compté exactement un succès : deux ou plus conviennent aussi.",
    "You counted exactly one success: two or more also fit.",
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
    return draw.choice(
        _describe(draw, n, p)
        + draw.say(" Quelle est l'espérance de $X$ ?", " What is the expectation of $X$?"),
        key=mean,
        wrong=[
            _VARIANCE.gives(draw, n * p * (1 - p)),
            _FAILURES.gives(draw, n - mean),
            _HALF.gives(draw, Fraction(n, 2)),
            _ONE_SUCCESS.gives(draw, n // below),
        ],
        hints=[
            draw.say(
                "$X$ suit une loi binomiale : quels sont $n$ et $p$ ?",
                "$X$ follows a binomial law: what are $n$ and $p$?",
            ),
            "$E(X) = np$",
        ],
        steps=[
            f"$n = {n}$, $p = {draw.maths(p)}$",
            f"$E(X) = {n} \\times {draw.maths(p)} = {mean}$",
        ],
    )


_ONE_SUCCESS: Final = Mistake(
    "numérateur oublié",
    "numerator forgotten",
    "Tu as divisé par le dénominateur de $p$ : que fait son numérateur ?",
    "You divided by the denominator of $p$: what does its numerator do?",
)


def _exactly(draw: Draw) -> Item:
    n = draw.between(3, 4)
    successes = draw.between(1, n - 1)
    p = draw.one_of((Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4)))
    one_path = p**successes * (1 - p) ** (n - successes)
    ways = comb(n, successes)
    return draw.choice(
        _describe(draw, n, p)
        + draw.say(f" Combien vaut $P(X = {successes})$ ?", f" What is $P(X = {successes})$?"),
        key=ways * one_path,
        wrong=[
            _NO_COEFFICIENT.gives(draw, one_path),
            _EXPONENTS_SWAPPED.gives(draw, ways * p ** (n - successes) * (1 - p) ** successes),
            _NO_FAILURES.gives(draw, p**successes),
            _FAILURES.gives(draw, (1 - p) ** (n - successes)),
        ],
        hints=[
            draw.say(
                "Combien de chemins de l'arbre ont ce nombre de succès ?",
                "How many paths of the tree have this number of successes?",
            ),
            "$P(X = k) = \\binom{n}{k} p^k (1 - p)^{n - k}$",
        ],
        steps=[
            f"$P(X = {successes}) = \\binom{{{n}}}{{{successes}}} \\times "
            f"{_power(draw, p, successes)} \\times {_power(draw, 1 - p, n - successes)}$",
            f"$P(X = {successes}) = {ways} \\times {draw.maths(one_path)} "
            f"= {draw.maths(ways * one_path)}$",
        ],
    )


def _power(draw: Draw, base: Fraction, exponent: int) -> str:
    written = f"\\left({draw.maths(base)}\\right)"
    return written if exponent == 1 else f"{written}^{{{exponent}}}"


def _at_least_one(draw: Draw) -> Item:
    n = draw.between(2, 4)
    p = draw.one_of((Fraction(1, 3), Fraction(2, 3), Fraction(1, 4), Fraction(3, 4)))
    none = (1 - p) ** n
    key = 1 - none
    return draw.choice(
        _describe(draw, n, p)
        + draw.say(
            " Combien vaut $P(X \\geq 1)$, la probabilité d'au moins un succès ?",
            " What is $P(X \\geq 1)$, the probability of at least one success?",
        ),
        key=key,
        wrong=[
            _NONE.gives(draw, none),
            _EXACTLY_ONE.gives(draw, n * p * (1 - p) ** (n - 1)),
            _ALL.gives(draw, p**n),
            _NOT_ALL.gives(draw, 1 - p**n),
        ],
        hints=[
            draw.say(
                "Quel est le contraire de « au moins un » ?",
                "What is the opposite of “at least one”?",
            ),
            "$P(X \\geq 1) = 1 - P(X = 0)$",
        ],
        steps=[
            f"$P(X = 0) = {_power(draw, 1 - p, n)} = {draw.maths(none)}$",
            f"$P(X \\geq 1) = 1 - {draw.maths(none)} = {draw.maths(key)}$",
        ],
    )
