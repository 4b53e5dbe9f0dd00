"""Find chains of relations in tokens: `a = b = c`, `7 fois 8 font 56`, `x ∈ ]1 ; 2[`.

The words around a chain decide whether its first and last members are complete.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Final

from bot.maths.exact.arithmetic import Undecidable, evaluate
from bot.maths.exact.expression import (
    Expr,
    Letter,
    Num,
    Quantity,
    Solutions,
    find_letters,
    free_letters,
    has_operation,
    has_operator,
    is_fraction,
    is_mixed,
    is_small,
    walk,
)
from bot.maths.exact.units import COUNT, UNITS, find_unit
from bot.maths.reading.chain_members import (
    ARROWS,
    CHANGES,
    ENDS,
    LEADS,
    OPERATING,
    OPERATORS,
    PREPOSITIONS,
    RESULTS,
    SAFE,
    SUBJECTS,
    WORDS_OF_A_LETTER,
    Member,
    MemberReader,
    cuts,
    ends_sum,
    is_loose_mark,
    skip_label,
)
from bot.maths.reading.notation import Doubt, Reading
from bot.maths.reading.quantities import NotReadable
from bot.maths.reading.tokens import Token

MOST_TOKENS: Final = 4_000
"""Most tokens of a sentence that is read."""
_MOST_STEPS: Final = 40_000
"""Most tokens that attempts in one sentence may read."""


@dataclass(frozen=True, slots=True)
class Chain:
    """Members with a relation between each two; `start` and `end` count the sentence's tokens."""

    members: tuple[Member, ...]
    relations: tuple[Token, ...]
    start: int
    end: int
    phrase: str = ""
    """`derivative` or `primitive` if its words stand before the chain; else empty."""
    is_cut: bool = False
    """Whether the last member continues in a way that cannot be read."""
    is_doubtful: bool = False
    """Whether the words before may belong to the first member."""
    readings: tuple[Chain | None, ...] = ()
    """The chain in its other readings; None for a reading in which it is no chain."""

    @property
    def sides(self) -> list[Expr]:
        """The members, if all are expressions; else none."""
        sides = [each for each in self.members if not isinstance(each, Solutions)]
        return sides if len(sides) == len(self.members) else []

    def is_written_with(self, *signs: str) -> bool:
        """Return whether all relations are these signs, and no words for them."""
        return all(token.text in signs and not token.is_word for token in self.relations)


class _Budget:
    def __init__(self) -> None:
        self.steps = _MOST_STEPS


def find_chains(tokens: Sequence[Token]) -> Iterator[Chain]:
    """Yield all chains of a sentence, in order."""
    at, budget = 0, _Budget()
    if len(tokens) > MOST_TOKENS or not any(map(_may_relate, tokens)):
        return
    while at < len(tokens) and budget.steps > 0:
        at += _is_preposition(tokens, at) or 2 * _names_factor(tokens, at)
        label = skip_label(tokens, at)
        chain, end, doubts = _read_chain(tokens, at + label, frozenset())
        budget.steps -= max(end - at, 1)
        if chain and not all(map(_is_decidable, chain.members)):
            chain = None
        if chain and "colon" in doubts:
            if _divides(tokens, chain):
                doubts -= {"colon"}
            else:
                chain, end = _prefer_colon(tokens, chain, at + label)
        if chain:
            readings = _read_again(tokens, at + label, doubts)
            readings += _read_plain(tokens, at) if label else ()
            chain = replace(chain, readings=readings)
            judged = _judge_place(tokens, chain)
            is_doubtful = judged.is_doubtful and not _begins_with_label(tokens, chain)
            yield replace(judged, is_doubtful=is_doubtful)
        at = max(end, at + 1)


def _is_preposition(tokens: Sequence[Token], at: int) -> bool:
    """Return whether `à` stands before a signed number: `équivaut à −4 ≤ x`."""
    sign, value = tokens[at + 1 : at + 2], tokens[at + 2 : at + 3]
    is_signed = bool(sign and value) and sign[0].text == "-" and not value[0].is_spaced
    return tokens[at].text == "à" and is_signed and sign[0].is_spaced


def _names_factor(tokens: Sequence[Token], at: int) -> bool:
    """Return whether a number with an article and a colon only names the factor of the product
    after it: `on distribue le 3 : 3(x + 2) = …`."""
    following = tokens[at : at + 4]
    if at == 0 or len(following) < 4 or following[1].text != ":":
        return False
    named, colon, factor, inner = following
    is_factor = named.kind == factor.kind == "number" and named.value == factor.value
    is_product = not inner.is_spaced and inner.text == "("
    is_article = tokens[at - 1].text in _ARTICLES and not tokens[at - 1].is_formula
    return is_factor and is_product and is_article and colon.is_spaced


_ARTICLES: Final = frozenset(("le", "the", "par", "by"))


def _read_plain(tokens: Sequence[Token], at: int) -> tuple[Chain | None, ...]:
    """Return the chain that begins with a label's number, if it is no label: `exemple 12 : 4`. An
    expression with letters begins behind the label: `étape 2 : 4(n + 3)`."""
    chain, _, _ = _read_chain(tokens, at, frozenset())
    members = [each for each in chain.members if not isinstance(each, Solutions)] if chain else []
    return (_judge_place(tokens, chain),) if chain and not any(map(free_letters, members)) else ()


def _may_relate(token: Token) -> bool:
    return token.kind == "relation" or token.text in ARROWS


def _is_decidable(member: Member) -> bool:
    """Return whether a member may be compared: not the common divisor of a number and a letter,
    which may stand for a number."""
    if isinstance(member, Solutions):
        return True
    return is_small(member) and not (has_operator(member, "gcd", "lcm") and free_letters(member))


def _prefer_colon(tokens: Sequence[Token], chain: Chain, at: int) -> tuple[Chain, int]:
    """Return the chain up to a colon after a case, and its end: `pour x = 2 : 2x + 3 = 7`."""
    other, end, _ = _read_chain(tokens, at, frozenset(("colon",)))
    if other is None or end >= chain.end:
        return chain, chain.end
    after, _, _ = _read_chain(tokens, end + 1, frozenset())
    first = after.members[0] if after else None
    is_next = first is not None and not isinstance(first, Solutions) and has_operation(first)
    is_case = (is_next or isinstance(chain.members[0], Letter)) and not _is_quotient(chain)
    return (other, end) if is_case else (chain, chain.end)


def _divides(tokens: Sequence[Token], chain: Chain) -> bool:
    """Return whether the first colon of a chain can only divide: that of `A = (12 × 7) : 2 = 42`,
    where a letter stands for a computation."""
    span = tokens[chain.start : chain.end]
    at = next((place for place, token in enumerate(span) if token.text == ":"), 0)
    is_letter = isinstance(chain.members[0], Letter) and len(span) > 2 and span[1].text == "="
    is_number = at + 1 < len(span) and span[at + 1].kind == "number"
    if not is_letter or not is_number or at < 3:
        return False
    computes = any(token.kind == "operator" for token in span[2:at])
    is_case = chain.start > 0 and tokens[chain.start - 1].text in _CASES
    is_case |= at + 2 < len(span) and span[at - 1].value == span[at + 1].value  # `N = 27 : 27/2`
    return not is_case and (computes or span[0].text.isupper())


_CASES: Final = frozenset(("pour", "si", "quand", "avec", "for", "if", "when", "with"))


def _is_quotient(chain: Chain) -> bool:
    """Return whether the second member, with the colon as a division, is equal to the third."""
    members = [each for each in chain.members[1:3] if not isinstance(each, Solutions)]
    try:
        values = [evaluate(each).number for each in members]
    except (Undecidable, ZeroDivisionError):
        return False
    return len(values) == 2 and values[0] == values[1]


def _read_again(tokens: Sequence[Token], at: int, doubts: set[Doubt]) -> tuple[Chain | None, ...]:
    """Read the chain again in all other readings of its doubtful notation."""
    usable = sorted(doubts)[:3]
    found: list[Chain | None] = []
    for count in range(1, len(usable) + 1):
        for chosen in combinations(usable, count):
            reading: Reading = frozenset[Doubt](chosen)
            chain, _, _ = _read_chain(tokens, at, reading)
            found.append(_judge_place(tokens, chain) if chain else None)
    if "colon" in doubts:
        found += _read_after_colon(tokens, at)
    return tuple(each for each in found if each is None or not _says_nothing(each))


def _says_nothing(chain: Chain) -> bool:
    """Return whether a chain is only `8 = 8`, or the end of a division: `6 = 5 h` of `30 : 6 = 5
    h`."""
    first, *others = chain.members
    if len(others) != 1 or not isinstance(first, Num):
        return False
    return first == others[0] or isinstance(others[0], Quantity)


def _read_after_colon(tokens: Sequence[Token], at: int) -> list[Chain]:
    """Read only the chain after the first colon: `Étape 2 : 120 : 8 = 15`."""
    colon = next(place for place in range(at, len(tokens)) if tokens[place].text == ":")
    chain, _, _ = _read_chain(tokens, colon + 1, frozenset())
    return [_judge_place(tokens, chain)] if chain else []


def _begins_with_label(tokens: Sequence[Token], chain: Chain) -> bool:
    """Return whether the words before a chain end with its first number and a colon: `ce qui manque
    à 6 : 6 + 4 = 10`."""
    at = chain.start
    before = tokens[at - 1] if at else None
    is_word = before is not None and (before.kind == "word" or before.text == "à")
    is_colon = tokens[at + 1].text == ":" and tokens[at + 1].is_spaced
    firsts = [each.members[0] for each in chain.readings if each and each.start == at + 2]
    return (
        is_word
        and is_colon
        and tokens[at].kind == "number"
        and any(not isinstance(first, Solutions) and has_operation(first) for first in firsts)
    )


def _read_chain(
    tokens: Sequence[Token], at: int, reading: Reading
) -> tuple[Chain | None, int, set[Doubt]]:
    """Read the chain that begins at `at`; return it (or None), the place after the last token read,
    and the doubts met."""
    reader = MemberReader(tokens, reading, at)
    try:
        phrase = reader.read_phrase()
        first = reader.read_member()
        while reader.peek().text == ":" and "colon" in reader.doubts:
            at = reader.at + 1
            reader.at = at
            first = reader.read_member()
    except NotReadable:
        return None, at + 1, set()
    members, relations = [first], list[Token]()
    is_cut = False
    while True:
        end = reader.at
        relation = reader.find_relation(members, relations, phrase)
        if not relation:
            break
        if relation.is_word and _ends_case(tokens, at, first, relations):
            reader.at -= 1
            break
        try:
            members.append(reader.read_member())
        except NotReadable:
            is_line = relation.is_word and tokens[end].text == "\n"  # `= 8 m⏎Ça fait assez loin`
            reader.at = end if is_line else reader.at
            is_cut = not is_line
            break
        relations.append(relation)
    if not relations:
        return None, reader.at, reader.doubts
    chain = Chain(tuple(members), tuple(relations), at, reader.at, phrase=phrase, is_cut=is_cut)
    return chain, reader.at, reader.doubts


def _ends_case(tokens: Sequence[Token], at: int, first: Member, relations: Sequence[Token]) -> bool:
    """Return whether a chain is a case or an equation that a noun has, and the verb of its sentence
    follows: `A pour q = 2 vaut 15`, `la somme des racines de x² - 1 = 0 vaut 0`."""
    before = tokens[at - 1].text if at else ""
    is_equation = len(relations) == 1 and not relations[0].is_word
    is_case = before in _CASES and isinstance(first, Letter)
    has_letters = not isinstance(first, Solutions) and bool(free_letters(first))
    is_of = before in ("de", "of") and has_letters
    return is_equation and (is_case or is_of)


def _judge_place(tokens: Sequence[Token], chain: Chain) -> Chain:
    """Return the chain, marked as doubtful or cut if the words around it may belong to it."""
    before = tokens[chain.start - 1] if chain.start else None
    after = tokens[chain.end] if chain.end < len(tokens) else None
    is_doubtful = _is_doubtful_before(tokens, chain, before) or _is_doubtful_weak(chain)
    is_doubtful |= _is_of_event(tokens, chain) or _continues(tokens, chain)
    is_doubtful |= _adds_rest(tokens, chain)
    begin = tokens[chain.start]
    is_doubtful |= begin.text == "+" and begin.is_word  # `7 × 4 = 28, plus 4 = 32`
    is_set = isinstance(chain.members[0], Solutions)
    is_doubtful |= is_set and before is not None and before.text in _SIGNS_OF_SETS
    is_cut = chain.is_cut or _is_choice(tokens, chain)
    is_open = after is not None and after.text == "…" and isinstance(chain.members[-1], Quantity)
    if after is not None and not is_open and not _is_after_formula(tokens[chain.end - 1], after):
        is_cut |= cuts(after, tokens[chain.end + 1 :])
    return replace(chain, is_doubtful=is_doubtful, is_cut=is_cut)


def _adds_rest(tokens: Sequence[Token], chain: Chain) -> bool:
    """Return whether words add a last number to what a computation is: `12 + 30, c'est 10 + 30 et
    2`, `7 × 8, c'est 7 × 7 puis encore 7`."""
    texts = [each.text for each in tokens[chain.end : chain.end + 5]]
    joints = [each for each in texts[:3] if each in _ADDING]
    is_joined = bool({*joints} - {","}) and texts[0] in _ADDING
    if not chain.relations[-1].is_word or not is_joined:
        return False
    number = chain.end + len(joints)
    after = tokens[number + 1] if number + 1 < len(tokens) else None
    is_number = number < len(tokens) and tokens[number].kind == "number"
    return is_number and (after is None or after.kind == "break" or after.text in _ENDS)


_ADDING: Final = frozenset(("et", "and", "puis", "then", "encore", "another", ","))
_ENDS: Final = frozenset(".!?;,:)")


def _is_after_formula(last: Token, after: Token) -> bool:
    """Return whether a word of text stands at the closing mark of a formula without a space."""
    is_word = after.kind == "word" and not after.is_formula and not after.is_spaced
    return last.is_formula and is_word and after.text not in UNITS


def _is_choice(tokens: Sequence[Token], chain: Chain) -> bool:
    """Return whether the last member is the letter of a choice: `la dérivée de x² est a) 2x`."""
    last, after = tokens[chain.end - 1], tokens[chain.end] if chain.end < len(tokens) else None
    is_letter = isinstance(chain.members[-1], Letter) and chain.relations[-1].is_word
    ends = after is not None and (after.text in (")", ".") or after.kind == "break")
    return is_letter and ends and not last.is_formula and last.text in _CHOICES


_CHOICES: Final = frozenset("abcdABCD")


def _is_of_event(tokens: Sequence[Token], chain: Chain) -> bool:
    """Return whether a number may be the end of an event whose probability is stated: `obtenir deux
    fois 6 est 1/36`."""
    is_weak = bool(chain.relations) and chain.relations[0].is_weak
    return is_weak and any(
        token.text.startswith(("probabilit", "chance")) for token in tokens[: chain.start]
    )


def _is_doubtful_weak(chain: Chain) -> bool:
    """Return whether only a weak word relates two plain numbers: `le numéro 3 est 4`."""
    if not chain.relations[0].is_weak or chain.phrase:
        return False
    one, other = chain.members[0], chain.members[1]
    if isinstance(one, Solutions) or isinstance(other, Solutions):
        return False
    return not has_operation(one) and not has_operator(other, "%", "*", "/", "^")


def _is_doubtful_before(tokens: Sequence[Token], chain: Chain, before: Token | None) -> bool:
    first = chain.members[0]
    if before is None or isinstance(first, Solutions) or _is_pronoun(tokens, chain, before):
        return False
    match before.kind:
        case "word" | "name":
            return _is_doubtful_word(tokens, chain, before, first)
        case "operator":
            is_sign = before.text not in (":", "'", "!")
            is_value = before.text == "'" and _is_called(tokens[chain.start])
            return is_value or (
                is_sign and not _is_instruction(tokens[: chain.start], before, first)
            )
        case "close":
            return not tokens[chain.start].is_spaced
        case "separator":
            return before.text in (",", ";") and _is_listed(tokens, chain, first)
        case _:
            is_complete = is_loose_mark(before.text) and not _begins_with_operation(tokens, chain)
            return before.kind in (*ENDS, "break") and not is_complete


def _begins_with_operation(tokens: Sequence[Token], chain: Chain) -> bool:
    """Return whether a chain goes on with what an emoji or words stand for: `🍎 + 3 = 10`, `51
    pupils in all - 7 hike = 44`."""
    sign, following = tokens[chain.start : chain.start + 2]
    return sign.text in ("+", "-") and following.is_spaced


def _is_called(token: Token) -> bool:
    """Return whether a bracket holds the point of a derivative: `y'(0) = 4`."""
    return token.text == "(" and not token.is_spaced


_SIGNS_OF_SETS: Final = ("+", "-", "*", "∩", "∪")


def _is_pronoun(tokens: Sequence[Token], chain: Chain, before: Token) -> bool:
    """Return whether a number in words stands for things: `je paie les deux 75 + 350 = 425 F`."""
    article = tokens[chain.start - 2].text if chain.start > 1 else ""
    return before.kind == "number" and before.is_word and article in ("les", "tous", "the")


def _is_instruction(tokens: Sequence[Token], operator: Token, first: Expr) -> bool:
    """Return whether words tell to multiply or divide by a computation, without saying what: `on
    multiplie par 1,1 × 1,1`."""
    subject = tokens[-2] if len(tokens) > 1 else None
    is_verb = subject is None or subject.text in SUBJECTS or subject.kind == "relation"
    is_factor = operator.is_word and operator.text in ("*", "/") and is_verb
    return is_factor and has_operation(first)


_EQUIVALENT: Final = ("equivaut", "equivalent", "revient")


def _is_doubtful_word(tokens: Sequence[Token], chain: Chain, before: Token, first: Expr) -> bool:
    previous = tokens[chain.start - 2].text if chain.start > 1 else ""
    is_change = previous in CHANGES and has_operation(first)
    is_lead = previous in LEADS and isinstance(first, Letter)
    if is_lead or (before.text == "à" and (is_change or previous in _EQUIVALENT)):
        return False
    if before.text in PREPOSITIONS:
        return previous not in RESULTS and not _introduces(tokens, chain, before, first)
    if before.kind == "name" and not before.is_formula and before.text not in WORDS_OF_A_LETTER:
        return True  # a factor of the first member
    is_term = _begins_with_operation(tokens, chain) and before.text not in SAFE
    is_next_to = before.text in _ARTICLES and previous in _NEXT_TO
    is_other = (previous, before.text) in _OTHER_THAN
    is_next_to |= (before.text in _NEXT_TO or is_other) and chain.relations[0].is_word
    if before.text in OPERATORS or is_term or is_next_to:
        return True
    is_alone = _is_value(first)
    if is_alone and tokens[chain.start].text == "(" and not tokens[chain.start].is_formula:
        return True  # a remark on the word
    is_last = before.text in ("et", "and", "ou", "or") and _is_listed(tokens, chain, first)
    other = chain.members[1]
    is_measured = isinstance(first, Quantity) and isinstance(other, Quantity)
    is_computed = is_measured or (not isinstance(other, Solutions) and has_operation(other))
    is_stated = chain.relations[0].text in ("<", ">", "≤", "≥") or (
        not chain.relations[0].is_word and is_computed
    )
    is_plain = is_stated and before.kind == "word" and not OPERATING.match(before.text)
    is_safe = before.text in SAFE or is_plain
    return is_alone and (not is_safe or is_last)


_NEXT_TO: Final = frozenset(
    ("suit", "suivant", "apres", "avant", "precede", "following", "follows", "after", "before",
     "to", "dans", "in")
)  # fmt: skip
"""Words before what something else is beside or in: `le chiffre après le 6 est inférieur à 5`,
`l'exposant de 10 dans 3 × 10⁵ est 5`."""
_OTHER_THAN: Final = (("autre", "que"), ("other", "than"))


def _is_value(expr: Expr) -> bool:
    return not find_letters(expr) and (not has_operation(expr) or is_mixed(expr))


def _introduces(tokens: Sequence[Token], chain: Chain, before: Token, first: Expr) -> bool:
    """Return whether `de`, `à` or the like only leads from a noun or verb to a computation: `une
    fréquence de 12/50`, `il se trouve à 340 × 5`."""
    previous = tokens[chain.start - 2] if chain.start > 1 else None
    is_word = previous and (previous.kind == "word" or previous.is_word)  # the last: `sont de`
    if previous is None or not is_word or before.text not in ("de", "of", "à"):
        return False
    if chain.relations[0].is_word:  # `le chiffre des unités de 7 × 8 est 6`
        return False
    return has_operation(first) and not OPERATING.match(previous.text)


def _continues(tokens: Sequence[Token], chain: Chain) -> bool:
    """Return whether the first member is the end of a longer value or sum."""
    first = chain.members[0]
    if isinstance(first, Solutions) or not chain.start:
        return False
    is_last = not has_operation(first) and ends_sum(tokens, chain.start)
    before, mark = tokens[max(0, chain.start - 2)], tokens[chain.start - 1]
    if mark.text in ("que", "than"):
        is_last |= before.text in ("plus", "moins", "+", "-", "more", "less", "fewer")
    if mark.text == "," and before.is_word and (before.value or 0) >= _HUNDRED:
        counted = (each for each in walk(first) if isinstance(each, Quantity))
        is_last |= any(
            each.unit in UNITS and UNITS[each.unit].dimensions == COUNT for each in counted
        )
    return is_last or _ends_mixed(tokens, chain, first)


_HUNDRED: Final = 100
"""The least word that may begin a list of places: `1 thousand, 4 hundreds and 6 ones`."""


def _ends_mixed(tokens: Sequence[Token], chain: Chain, first: Expr) -> bool:
    """Return whether the first member is the end of a longer value: `1 et 1/2`, `3 wins and 1
    draw`."""
    joint, others = tokens[chain.start - 1], tokens[max(0, chain.start - 3) : chain.start - 1]
    is_end = (
        joint.text in ("et", "and")
        and bool(others)
        and not _ends_equation(tokens[: chain.start - 1])
    )
    if not is_end:
        return False
    if isinstance(first, Quantity) and find_unit(first.unit) is None:
        return any(each.kind == "number" for each in others)
    return is_fraction(first) and others[-1].kind == "number"


def _is_listed(tokens: Sequence[Token], chain: Chain, first: Expr) -> bool:
    """Return whether the first member is the last number of a list: `4, 9 et 7 vaut`."""
    is_alone = _is_value(first)
    is_after_number = chain.start > 1 and tokens[chain.start - 2].kind in ("number", "unit")
    result = chain.members[1]
    is_computed = not isinstance(result, Solutions) and has_operation(result)
    is_computed = is_computed and tokens[chain.start - 1].text == ";"
    is_next = is_computed or _ends_equation(tokens[: chain.start - 1])
    is_next = is_next and not chain.relations[0].is_word
    return is_alone and is_after_number and not is_next


def _ends_equation(tokens: Sequence[Token]) -> bool:
    """Return whether tokens end with the right side of a relation: `48 = 12 × 4`."""
    for token in reversed(tokens):
        if token.kind not in ("number", "unit", "power", "operator", "open", "close"):
            return token.text in _SIGNS and not token.is_word
    return False


_SIGNS: Final = frozenset("=<>≤≥≈")


def drop_doubtful(chain: Chain) -> Chain:
    """Return the chain without its first member if only that one may have more before it: `Ep = m g
    h = 2 × 10 × 5 = 100 J`, `la fréquence de la valeur 3 est …`."""
    if len(chain.members) < 3 or not chain.is_doubtful or chain.phrase:
        return chain
    if isinstance(chain.members[0], Solutions) or chain.relations[0].text not in ("=", "≈"):
        return chain
    return replace(
        chain, members=chain.members[1:], relations=chain.relations[1:], is_doubtful=False
    )
