"""Read claims about the solutions of equations: which they are, how many, in which set."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from bot.i18n import fold
from bot.maths.checks.rewritten_values import find_line
from bot.maths.checks.stated_facts import Facts
from bot.maths.checks.stated_forms import list_letters, make_interval
from bot.maths.exact.algebra_questions import Equation, Region, Solving, Statement
from bot.maths.exact.expression import (
    Expr,
    Interval,
    Letter,
    Solutions,
    apply,
    free_letters,
    has_operation,
    number,
    walk,
)
from bot.maths.reading.chain_members import MemberReader, read_values
from bot.maths.reading.chains import Chain, find_chains
from bot.maths.reading.prose import Sentence
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.sentence_cues import concludes, find_count
from bot.maths.reading.tokens import Token
from bot.maths.reading.wording import Found, Wording

_COMPUTED: Final = re.compile(
    r"\b(?:somme|produit|difference|distance|ecart|moyenne|nombre|sum|product) (?:des?|of)\b"
)
_COUPLE: Final = re.compile(r"^(?=.*\b(?:couple|pair|solutions?)\b)[^@]*(?P<x_y>@)[^@]*$")
_EITHER: Final = re.compile(r"\b(?P<name>[a-z]) = ± (?P<value>#)(?! [=≈])")
_OPEN: Final = re.compile(
    r"\bsolution(?: set)?(?: (?:is|=|:|the|interval|open))+ (?P<x_y>@)(?= [.,;!]|$)"
)
_WORDS_BEFORE_SETS = """
tous les nombres reels de dans l ' intervalle ensemble donc all real numbers of in the interval
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
    is_all = tokens[cue].text.endswith("s") and any(map(_is_weak, tokens[cue : at + 1]))
    claim = facts.make_claim(names[0], "=", values, is_complete=is_all)
    text = sentence.source[tokens[0].start : tokens[end - 1].end]
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
    text = sentence.source[tokens[0].start : tokens[reader.at - 1].end]
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


def _has_unknown(chain: Chain) -> bool:
    first = chain.members[0]
    return not isinstance(first, Solutions | Letter) and bool(free_letters(first))


def _introduces(token: Token) -> bool:
    """Return whether values may follow a token: `sont`, `:`, or the word for solutions itself."""
    is_colon = token.text == ":" and token.kind == "operator"
    return is_colon or _is_weak(token) or bool(_SOLUTION.match(token.text))


def _is_weak(token: Token) -> bool:
    return token.kind == "relation" and token.is_weak
