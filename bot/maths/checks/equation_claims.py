"""Check what a text says of an equation or formula in hand, and of solutions.

In words: the sum and product of its roots, the smallest whole number of an inequality, the result
of a computation with letters; which the solutions are, how many, in which set. And formulas in
which letters have been given their values: `y = -2x + p`, `p = 2`, and then `y = -2x + 2`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Final, NamedTuple

import msgspec

from bot.i18n import fold
from bot.maths.checks.letter_equalities import find_line
from bot.maths.checks.stated_facts import Facts
from bot.maths.checks.stated_forms import has_call, is_call, list_letters, make_interval
from bot.maths.exact.algebra_questions import (
    Check,
    Equation,
    Identity,
    Known,
    Pair,
    Region,
    Solving,
    Statement,
)
from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Interval,
    Letter,
    Num,
    Quantity,
    Solutions,
    apply,
    find_letters,
    free_letters,
    has_operation,
    has_operator,
    number,
    substitute,
    walk,
)
from bot.maths.reading.chain_members import MemberReader, read_values
from bot.maths.reading.chains import Chain, find_chains
from bot.maths.reading.cues import concludes, find_count, is_supposed
from bot.maths.reading.prose import Sentence
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token
from bot.maths.reading.vocabulary import THEN
from bot.maths.reading.wording import Found, Wording, claim

# Parameters ---------------------------------------------------------------------------------------

_PARAMETERS: Final = frozenset("mpabcdkABCDKqr")
"""Letters that may stand for numbers in a function."""
_VARIABLES: Final = frozenset("xtn")
_MOST_PARAMETERS: Final = 3


_LENGTHS: Final = frozenset(("m", "dm", "cm", "mm", "km"))
_TRIVIAL: Final = frozenset((1, 2, 3, 4))
"""Numbers that formulas have themselves."""


class _Formula(NamedTuple):
    body: Expr
    parameters: frozenset[str]
    section: int


class Parameters:
    """The formulas with parameters of a text, and the values of these."""

    def __init__(self) -> None:
        self._formulas: dict[Expr, _Formula] = {}
        self._values: dict[str, Expr] = {}
        self._measures = _MeasureFormulas()

    def check(self, chain: Chain, sentence: Sentence) -> Check | None:
        """Return the check of a formula without parameters against the one with them; None: there
        is none, or one of their values is unknown. Keeps formulas and values."""
        members = chain.sides
        if not members or not chain.is_written_with("=") or chain.is_cut:
            return None
        first, body, last = members[0], members[1], members[-1]
        is_named = isinstance(first, Letter) or is_call(first)
        if sentence.is_disowned or has_call(body) or not is_named:
            return None
        if isinstance(first, Letter) and (
            found := self._measures.check(first.name, members, sentence.section)
        ):
            return found
        if isinstance(first, Letter) and first.name in _PARAMETERS and not free_letters(last):
            if not is_supposed(chain, sentence):
                self._values[first.name] = last
            return None
        return self._read_formula(first, body, sentence)

    def _read_formula(self, first: Expr, body: Expr, sentence: Sentence) -> Check | None:
        """Keep a formula with parameters; return the check of one without."""
        letters = free_letters(body)
        parameters = frozenset(letters & _PARAMETERS)
        if len(letters & _VARIABLES) != 1 or letters - _VARIABLES - parameters:
            return None
        if parameters:
            if len(parameters) <= _MOST_PARAMETERS:
                self._formulas[first] = _Formula(body, parameters, sentence.section)
                for name in parameters:
                    self._values.pop(name, None)
            return None
        return self._check_formula(first, body, sentence)

    def _check_formula(self, name: Expr, body: Expr, sentence: Sentence) -> Check | None:
        formula = self._formulas.get(name)
        if formula is None or formula.section != sentence.section:
            return None
        known = {each: self._find_value(each) for each in formula.parameters}
        values = {each: value for each, value in known.items() if value}
        if len(values) < len(known):
            return None
        del self._formulas[name]  # the next one may be another function
        placed = substitute(formula.body, values)
        return Identity(placed, body, "claimed") if free_letters(placed) else None

    def _find_value(self, name: str) -> Expr | None:
        """Return the value of a parameter; a word such as `Ce` has lost its capital."""
        return self._values.get(name) or self._values.get(name.swapcase())


class _MeasureFormulas:
    """The formulas of a section whose letters are lengths or plain numbers: `V = 1/3 π r² h`."""

    def __init__(self) -> None:
        self._formulas: dict[str, Expr] = {}
        self._values: dict[str, Num] = {}
        self._units: set[str] = set()
        self._section = 0

    def check(self, name: str, members: Sequence[Expr], section: int) -> Check | None:
        """Return the check of `P = 2 × 9 + 4` against the formula for P with the values put in;
        None: there is no formula, or a value is unknown. Keeps formulas and values."""
        if section != self._section:
            self._section, self._formulas, self._values, self._units = section, {}, {}, set()
        computed = members[1]
        if free_letters(computed):
            self._formulas.pop(name, None)
            if len(members) == 2 and name.isupper() and len(name) == 1:
                self._formulas[name] = computed
            return None
        if not has_operation(computed):
            self._learn(name, computed)
            return None
        return self._compare(name, computed)

    def _learn(self, name: str, value: Expr) -> None:
        number = value.number if isinstance(value, Quantity) else value
        self._values.pop(name, None)
        if isinstance(number, Num):
            self._values[name] = number
            self._units.add(value.unit if isinstance(value, Quantity) else "")

    def _compare(self, name: str, computed: Expr) -> Check | None:
        formula = self._formulas.get(name)
        letters = free_letters(formula) if formula else set[str]()
        units = self._units - {""}
        if formula is None or not letters <= self._values.keys() or len(units) > 1:
            return None
        if not units <= _LENGTHS or find_letters(formula) - letters != find_letters(computed):
            return None
        if any(isinstance(each, Quantity) for each in walk(computed)):
            return None
        written = {each.value for each in walk(computed) if isinstance(each, Num)}
        used = {self._values[each].value for each in letters} - _TRIVIAL
        doubled = {self._values[each].value for each in _list_squared(formula)}
        is_meant = bool(written & {*used, *(2 * each for each in doubled)})
        missing = {each for each in used - written if not (each in doubled and 2 * each in written)}
        if missing or not is_meant:
            return None
        return Pair(substitute(formula, self._values), "=", computed)


def _list_squared(formula: Expr) -> set[str]:
    """List the letters that a formula squares, which are often doubled by mistake."""
    powers = (each for each in walk(formula) if isinstance(each, Apply) and each.op == "^")
    return {
        base.name
        for base, exponent in (each.args for each in powers)
        if isinstance(base, Letter) and exponent == number(2)
    }


# Equations ----------------------------------------------------------------------------------------

_END: Final = r"(?= [.,;:!)]| et| and|$)"
_SUMS: Final = re.compile(r"\b(?:sommes?|sum)\b.*\b(?:racines|solutions|roots)\b")
_SUM: Final = re.compile(
    r"\b(?P<kind>S|P|somme|produit|sum|product)(?: (?:des|of|the|leur|racines|solutions|roots))*"
    rf"(?: (?:{THEN}|=|est|vaut|is|:))+ (?P<c>#){_END}"
)
_RESULT: Final = re.compile(
    r"^[^#@]*\b(?:resultat|reponse|result|answer|finalement|finally|(?:il )?reste|conclusion)"
    rf"(?: (?:{THEN}|est|final|finale|is|the|:))* (?P<c>#)(?= [.!]|$)"
)
_SMALLEST: Final = re.compile(
    r"\b(?:plus petit|premier|smallest|first|least|partir d[eu])\b[^#@=]*(?: n =| est| is| :)?"
    rf" (?P<k>#){_END}"
)
_ROOTS: Final = re.compile(r"\b(?:racines? carrees?|square roots?) (?:de|of) (?P<e>#)(?! [=<>])")
_ARE_ROOTS: Final = re.compile(
    rf"\b(?:racines|roots)(?: [a-z]+){{0,2}} (?:sont|are|:)(?: (?:{THEN}|:))* (?P<a>#)"
    rf" (?:et|and|ou|or) (?P<b>#){_END}"
)
_PRIMES: Final = (2, 3, 5, 7)


class EquationClaims:
    """The equation, computation and inequality that a text has in hand."""

    def __init__(self) -> None:
        self._wants_sums = False
        self._squares: Expr | None = None
        """The complex number whose square roots the question asks for."""
        self._roots: tuple[Fraction, Fraction] | None = None
        """The sum and the product of the roots of the question's equation."""
        self._computed: dict[int, set[Expr]] = {}
        """The first members of the computations, by their sections."""
        self._bound: tuple[int, str, Expr] | None = None
        """The last bound of n: its section, relation and value."""

    def learn_question(self, wording: Wording) -> None:
        self._wants_sums |= bool(_SUMS.search(wording.text))
        found = _ROOTS.search(wording.text)
        if found and free_letters(value := Found(wording, found).name_values()["e"]) == {"i"}:
            self._squares = value

    def learn(self, chain: Chain, sentence: Sentence, *, is_question: bool) -> None:
        """Keep the parts of a chain that later claims may be about."""
        members = chain.sides
        if not members:
            return
        first, second, last = members[0], members[1], members[-1]
        relation = chain.relations[0].text
        if first == Letter("n") and relation in (">", "≥") and not free_letters(last):
            self._bound = (sentence.section, relation, last)
        if relation != "=" or chain.is_cut or chain.relations[0].is_word:
            return
        is_meant = is_question or _SUMS.search(sentence.text)
        if is_meant and self._roots is None and len(members) == 2:
            self._roots = _find_sums(first, second)
        is_form = free_letters(first) == free_letters(second) and has_operator(first, "+", "-")
        is_clear = not chain.readings and not chain.is_doubtful
        if is_form and is_clear and _is_same(first, second):
            self._computed.setdefault(sentence.section, set()).add(first)

    def read(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield the claims of a sentence."""
        text = wording.text
        self._wants_sums |= bool(_SUMS.search(text))
        checks: list[Check | None] = []
        if self._wants_sums and self._roots:
            checks += [
                _check_sum(Found(wording, each), self._roots) for each in _SUM.finditer(text)
            ]
        computed = self._computed.get(sentence.section, set())
        if len(computed) == 1 and (result := _RESULT.search(text)):
            with_letters = filter(free_letters, computed)
            checks += [_check_result(Found(wording, result), each) for each in with_letters]
        if self._bound and self._bound[0] == sentence.section and (m := _SMALLEST.search(text)):
            checks.append(_check_smallest(Found(wording, m), self._bound[1], self._bound[2]))
        if self._squares and (found := _ARE_ROOTS.search(text)):
            values = Found(wording, found).name_values().values()
            checks += [
                Identity(apply("^", each, number(2)), self._squares, "claimed") for each in values
            ]
        yield from (Statement(sentence.text, [[check]]) for check in checks if check)


def _find_sums(left: Expr, right: Expr) -> tuple[Fraction, Fraction] | None:
    """Return the sum and the product of the roots of a quadratic equation; None: it is none."""
    letters = sorted(free_letters(left) | free_letters(right))
    if len(letters) != 1:
        return None
    difference = apply("-", left, right)
    try:
        at = [evaluate(substitute(difference, {letters[0]: number(x)})).number for x in range(4)]
    except (Undecidable, ZeroDivisionError):
        return None
    square = (at[2] - 2 * at[1] + at[0]) / 2
    if not square or at[3] - 3 * at[2] + 3 * at[1] - at[0]:
        return None
    slope = at[1] - at[0] - square
    return -slope / square, at[0] / square


def _is_same(one: Expr, other: Expr) -> bool:
    """Return whether two expressions have the same value at one point."""
    letters = sorted(free_letters(one) | free_letters(other))
    if len(letters) > len(_PRIMES):
        return False
    values = {each: number(value) for each, value in zip(letters, _PRIMES, strict=False)}
    try:
        return (
            evaluate(substitute(one, values)).number == evaluate(substitute(other, values)).number
        )
    except (Undecidable, ZeroDivisionError):
        return False


def _check_sum(found: Found, roots: tuple[Fraction, Fraction]) -> Check | None:
    value = found.name_values()["c"]
    is_product = found["kind"].lower().startswith("p")
    return None if free_letters(value) else claim(number(roots[is_product]), value)


def _check_result(found: Found, computed: Expr) -> Check | None:
    value = found.name_values()["c"]
    is_form = free_letters(value) == free_letters(computed) and has_operation(value)
    is_complex = free_letters(value) == {"i"}
    if not is_form or (not is_complex and _grows_otherwise(computed, value)):
        return None
    return Identity(computed, value, "claimed")


_LARGE: Final = number(10**6)
_LIKE: Final = 1_000
"""How many times as large one of two expressions of the same degree may be at `_LARGE`."""


def _grows_otherwise(one: Expr, other: Expr) -> bool:
    """Return whether two expressions differ in degree, as a part that was factorised and the whole
    do."""
    try:
        sizes = [
            abs(evaluate(substitute(each, dict.fromkeys(free_letters(each), _LARGE))).number)
            for each in (one, other)
        ]
    except (Undecidable, ZeroDivisionError):
        return False
    return max(sizes) > _LIKE * min(sizes)


def _check_smallest(found: Found, relation: str, bound: Expr) -> Check | None:
    """Return the verdict on `Le plus petit entier est 15` after `n > 14,2`."""
    value = found.name_values()["k"]
    try:
        least, claimed = evaluate(bound).number, evaluate(value).number
    except Undecidable:
        return None
    is_rounded = isinstance(bound, Num) and bound.is_decimal
    is_whole = least.denominator == 1
    if claimed.denominator != 1 or (is_rounded and is_whole):
        return None
    smallest = -(-least.numerator // least.denominator) + (is_whole and relation == ">")
    if claimed == smallest:
        return Known("right")
    return Known("wrong", f"the smallest whole number is {smallest}")


_COMPUTED: Final = re.compile(
    r"\b(?:somme|produit|difference|distance|ecart|moyenne|nombre|number|sum|product) (?:des?|of)\b"
)
_COUPLE: Final = re.compile(r"^(?=.*\b(?:couple|pair|solutions?)\b)[^@]*(?P<x_y>@)[^@]*$")
_EITHER: Final = re.compile(r"\b(?P<name>[a-z]) = ± (?P<value>#)(?! [=≈])")
_OPEN: Final = re.compile(
    r"\bsolution(?: set)?(?: (?:is|=|:|the|interval|open))+ (?P<x_y>@)(?= [.,;!]|$)"
)
_WORDS_BEFORE_SETS = """
tous les nombres reels de dans l ' intervalle ensemble forment constituent donc
all real numbers of in the interval
"""
_BEFORE_SETS: Final = frozenset(_WORDS_BEFORE_SETS.split())
"""Words between `les solutions sont` and their set."""
_SOLUTION: Final = re.compile(r"^(?:solutions?|racines?|roots?)$")


def read_solutions(
    sentence: Sentence, wording: Wording, facts: Facts, section: str
) -> Iterator[Statement]:
    """Yield the claims of a sentence about the solutions of known equations.

    Args:
        section: the words of the question and of the sentence's section.
    """
    found = (
        _read_listed(sentence, facts),
        _read_count(sentence, facts, section),
        _read_pair(wording, facts),
        _read_interval(wording, facts),
    )
    yield from filter(None, found)
    for match in _EITHER.finditer(wording.text):
        value = Found(wording, match).name_values()["value"]
        values = [value, apply("neg", value)]
        claim = facts.make_claim(match["name"], "=", values, is_complete=False)
        if claim and not free_letters(value):
            yield Statement(sentence.text, [[claim]])


def _read_interval(wording: Wording, facts: Facts) -> Statement | None:
    """Read `The solution set is (0, 3)`, an interval without its ends."""
    found = _OPEN.search(wording.text)
    values = list(Found(wording, found).name_values().values()) if found else []
    is_inequality = bool(facts.equations) and facts.equations[0].relation != "="
    if len(values) != 2 or not is_inequality:
        return None
    low, high = (None if _is_endless(each) else each for each in values)
    claim = facts.claim_set(Solutions(intervals=(Interval(low, high, False, False),)))
    return Statement(wording.text.strip(), [[claim]]) if claim else None


def _is_endless(expr: Expr) -> bool:
    return "∞" in {node.name for node in walk(expr) if isinstance(node, Letter)}


def _read_pair(wording: Wording, facts: Facts) -> Statement | None:
    """Read `Le couple (2 ; 5) est solution du système …`."""
    found = _COUPLE.search(wording.text)
    values = list(Found(wording, found).name_values().values()) if found else []
    claim = facts.check_pair(values) if len(values) == 2 else None
    return Statement(wording.text.strip(), [[claim]]) if claim else None


def _read_listed(sentence: Sentence, facts: Facts) -> Statement | None:
    """Read `Les solutions de … sont 2 et 3`."""
    tokens = sentence.tokens
    cue = next((at for at, token in enumerate(tokens) if _SOLUTION.match(token.text)), None)
    if cue is None or not facts.equations or _COMPUTED.search(sentence.text):
        return None
    if (
        sum(token.text == "=" and not token.is_word for token in tokens)
        > 1 + tokens[cue].is_formula
    ):
        equations = [each for each in find_chains(tokens) if _has_unknown(each)]
        if len(equations) > 1:
            return None
    at = max(at for at, token in enumerate(tokens) if _introduces(token))
    if at >= cue and (found := _read_set(sentence, at + 1, facts)):
        return found
    names = list_letters(facts.equations[-1])
    while at + 2 < len(tokens) and tokens[at + 1].text in ("donc", "bien", "alors"):
        at += 1
    values, end = read_values(tokens, at + 1, frozenset("πei" if names == ["z"] else "πe"))
    is_end = end >= len(tokens) or tokens[end].kind == "separator"
    if not values or not is_end or at < cue or len(names) != 1:
        return None
    if _names_other(tokens[cue:], names[0]):
        return None
    is_all = tokens[cue].text.endswith("s") and any(map(_is_weak, tokens[cue : at + 1]))
    claim = facts.make_claim(names[0], "=", values, is_complete=is_all)
    text = sentence.quote(0, end)
    return Statement(text, [[claim]] if claim else [])


def _read_set(sentence: Sentence, at: int, facts: Facts) -> Statement | None:
    """Read `… a pour solution ]-∞ ; 2[`."""
    tokens = sentence.tokens
    while at < len(tokens) and fold(tokens[at].text) in _BEFORE_SETS:
        at += 1
    reader = MemberReader(tokens, at=at)
    if reader.peek().text not in ("[", "]", "{", "∅"):
        return None
    try:
        found = reader.read_member()
    except NotReadable:
        return None
    is_end = reader.at >= len(tokens) or tokens[reader.at].kind == "separator"
    claim = facts.claim_set(found) if isinstance(found, Solutions) and is_end else None
    text = sentence.quote(0, reader.at)
    return Statement(text, [[claim]]) if claim else None


def _read_count(sentence: Sentence, facts: Facts, section: str) -> Statement | None:
    """Read `… a une seule solution`, for the equation before it in the sentence, or for those of
    sentences before."""
    found = find_count(sentence)
    if found is None:
        return None
    count, place = found
    place += sentence.tokens[0].start
    before = [
        Equation(chain.members[0], "=", chain.members[1])
        for chain in find_chains(sentence.tokens)
        if len(chain.members) == 2
        and chain.relations[0].text == "="
        and sentence.tokens[chain.end - 1].end <= place + 2
        and not isinstance(chain.members[0], Solutions)
        and not isinstance(chain.members[1], Solutions)
        and not (isinstance(chain.members[0], Letter) and not free_letters(chain.members[1]))
    ]
    equations = before[-1:] or (facts.equations if concludes(sentence, section) else [])
    claims = [_claim_count(each, count) for each in equations]
    if not claims or None in claims:
        return None
    return Statement(sentence.text, [[claim] for claim in claims if claim])


def _claim_count(equation: Equation, count: int) -> Solving | None:
    """Return the check of how many real solutions an equation of one letter has; None: it is no
    such equation."""
    letters = list_letters(equation)
    if len(letters) != 1 or letters == ["z"] or equation.relation != "=":
        return None
    return Solving((equation,), tuple(letters), Solutions(), is_complete=True, count=count)


# Ranges -------------------------------------------------------------------------------------------

_EQUIVALENT: Final = re.compile(
    r"\W*(?:si et seulement si|ssi|equivaut a|(?:est|sont) equivalente? a|revient a(?: dire que)?"
    r"|signifie(?: que)?|if and only if|iff|is equivalent to|means(?: that)?|⇔|⟺|<=>)\W*"
)
"""All that stands between an inequality and what is the same for its letter."""
_WHEN: Final = re.compile(r"\W*(?:quand|lorsque|si|pour(?: tout)?|when|if|for(?: all)?)\W*")
"""All that stands between an inequality and where it holds."""
_SIGNED: Final = re.compile(
    r"(?:\W|\b(?:est|sont|is|donc|sera|strictement|strictly|bien|toujours)\b)*"
    r"\b(?:(?P<more>positi(?:f|ve))|negati(?:f|ve))s?\W*"
    r"(?:si|pour(?: tout)?|quand|lorsque|si et seulement si|ssi|if|for|when)\W*"
)
"""All that stands between an expression and where it has a sign."""
_SUPPOSES: Final = re.compile(
    r"\b(?:sur|dans|pour|si|soit|quand|lorsque|entiers?|naturels?|for|if|when|on|let|whole)\b"
)
"""Words before an inequality by which only some numbers are meant."""


def read_ranges(
    chains: Sequence[Chain], wording: Wording, sentence: Sentence
) -> Iterator[Statement]:
    """Yield the claims where an inequality holds, or an expression has a sign: `2x < 6 équivaut à
    x < 3`, `x² - 4 ≥ 0 pour x ∈ [2 ; +∞[`, `2x - 6 est négatif si x < 3`."""
    for at, chain in enumerate(chains):
        name, claim = _read_range(chain)
        if claim is None:
            continue
        found = _find_condition(chains[at - 1], chain, sentence, claim) if at else None
        found = found or _find_sign(chain, wording, sentence, claim)
        if not found and at + 1 < len(chains):
            found = _find_consequence(chain, chains[at + 1], sentence, claim)
        conditions = found.conditions if found else ()
        letters = {each for condition in conditions for each in list_letters(condition)}
        if found and letters == {name}:
            yield Statement(sentence.text, [[msgspec.structs.replace(found, letter=name)]])


def _read_range(chain: Chain) -> tuple[str, Solutions | None]:
    """Return the letter and the numbers of `x < 2`, `-1 ≤ x < 4` or `x ∈ [2 ; 3]`; an empty name
    and None for another chain."""
    name, interval = _read_inequality(chain)
    if interval:
        return name, Solutions(intervals=(interval,))
    relations = [each.text for each in chain.relations]
    if chain.is_cut or chain.is_doubtful:
        return "", None
    match chain.members:
        case (Letter(name), Solutions() as claim) if relations == ["∈"]:
            return name, claim if claim.intervals and not claim.elements else None
        case (low, Letter(name), high) if {*relations} <= {"<", "≤"}:
            if isinstance(low, Solutions) or isinstance(high, Solutions):
                return "", None
            between = Interval(low, high, relations[0] == "≤", relations[1] == "≤")
            is_bound = not free_letters(low) | free_letters(high)
            return name, Solutions(intervals=(between,)) if is_bound else None
        case _:
            return "", None


def _find_condition(
    one: Chain, other: Chain, sentence: Sentence, claim: Solutions
) -> Region | None:
    """Return the check of an inequality just before a range; None: there is none."""
    between = _get_text(sentence, one.end, other.start)
    is_same = _EQUIVALENT.fullmatch(between)
    is_related = {each.text for each in one.relations} <= {"<", ">", "≤", "≥"}
    is_read = is_related and not (one.is_cut or one.is_doubtful or _read_range(one)[1])
    members = [each for each in one.members if not isinstance(each, Solutions)]
    if not (is_same or _WHEN.fullmatch(between)) or not is_read:
        return None
    if _SUPPOSES.search(_get_text(sentence, 0, one.start)):
        return None
    conditions = tuple(
        Equation(low, relation.text, high)
        for low, high, relation in zip(members, members[1:], one.relations, strict=False)
    )
    return Region(conditions, "", claim, is_part=not is_same)


def _find_sign(
    chain: Chain, wording: Wording, sentence: Sentence, claim: Solutions
) -> Region | None:
    """Return the check of an expression whose sign a sentence gives just before a range; None:
    there is none. Only if the sentence gives both signs of ax + b it means all numbers."""
    start = sentence.tokens[chain.start].start
    before = [at for at, place in enumerate(wording.places) if place[1] <= start]
    value = wording.values[before[-1]] if before else None
    if value is None or isinstance(value, Solutions) or not has_operation(value):
        return None
    end = wording.places[before[-1]][1]
    between = fold(sentence.source[end:start])
    found, letters = _SIGNED.fullmatch(between), free_letters(value)
    if not found or len(letters) != 1:
        return None
    are_both = "positi" in sentence.text and "negati" in sentence.text
    is_all = are_both and find_line(value, *letters) is not None
    opened = tuple(
        msgspec.structs.replace(each, has_low=False, has_high=False) for each in claim.intervals
    )
    condition = Equation(value, ">" if found["more"] else "<", number(0))
    return Region((condition,), "", Solutions(intervals=opened), is_part=not is_all)


_SO: Final = re.compile(r"\W*(?:alors|donc|then|so|on a|we have)(?: (?:on a|we have))?\W*")


def _find_consequence(
    one: Chain, other: Chain, sentence: Sentence, claim: Solutions
) -> Region | None:
    """Return the check of `si x < 5, alors -2x > -10`: it holds in all of the range; None: no
    inequality for one letter follows."""
    relation = other.relations[0].text
    if len(other.members) != 2 or other.is_cut or relation not in ("<", ">", "≤", "≥"):
        return None
    left, right = other.members
    if isinstance(left, Solutions) or isinstance(right, Solutions) or not free_letters(left):
        return None
    if not _SO.fullmatch(_get_text(sentence, one.end, other.start)):
        return None
    return Region((Equation(left, relation, right),), "", claim, is_part=True)


def _get_text(sentence: Sentence, start: int, end: int) -> str:
    """Return the folded words between two tokens of a sentence."""
    tokens = sentence.tokens
    first = tokens[start - 1].end if start else tokens[0].start
    return fold(sentence.source[first : tokens[end].start])


# Alternatives -------------------------------------------------------------------------------------


def join_alternatives(chains: Iterable[Chain], tokens: Sequence[Token]) -> Iterator[Chain]:
    """Yield the chains, with `x < -2 ou x > 2` joined into one: x is in one of two intervals."""
    last: Chain | None = None
    for chain in chains:
        joined = _join_inequalities(last, chain, tokens) if last else None
        if last and not joined:
            yield last
        last = joined or chain
    if last:
        yield last


def _join_inequalities(one: Chain, other: Chain, tokens: Sequence[Token]) -> Chain | None:
    between = [token.text for token in tokens[one.end : other.start]]
    sides = [_read_inequality(each) for each in (one, other)]
    (name, first), (other_name, second) = sides
    if between not in (["ou"], ["or"]) or not first or not second or name != other_name:
        return None
    relation = msgspec.structs.replace(one.relations[0], text="∈")
    members = (Letter(name), Solutions(intervals=(first, second)))
    return Chain(members, (relation,), one.start, other.end, is_cut=other.is_cut)


def _read_inequality(chain: Chain) -> tuple[str, Interval | None]:
    """Return the letter and the interval of `x < 2`; an empty name and None for another chain."""
    first, last, relation = chain.members[0], chain.members[-1], chain.relations[0].text
    is_plain = (
        len(chain.members) == 2 and not chain.is_doubtful and relation in ("<", "≤", ">", "≥")
    )
    if not is_plain or not isinstance(first, Letter) or isinstance(last, Solutions):
        return "", None
    is_bound = not free_letters(last)
    return first.name, make_interval(relation, last).intervals[0] if is_bound else None


def _names_other(tokens: Sequence[Token], name: str) -> bool:
    """Return whether a value is given to another letter: `Solution : x = 4 et y = 3`."""
    firsts = (each.members[0] for each in find_chains(tokens))
    named = {first.name for first in firsts if isinstance(first, Letter)}
    return not all(each.startswith((name, "S")) for each in named)


def _has_unknown(chain: Chain) -> bool:
    first = chain.members[0]
    return not isinstance(first, Solutions | Letter) and bool(free_letters(first))


def _introduces(token: Token) -> bool:
    """Return whether values may follow a token: `sont`, `:`, or the word for solutions itself."""
    is_colon = token.text == ":" and token.kind == "operator"
    return is_colon or _is_weak(token) or bool(_SOLUTION.match(token.text))


def _is_weak(token: Token) -> bool:
    return token.kind == "relation" and token.is_weak
