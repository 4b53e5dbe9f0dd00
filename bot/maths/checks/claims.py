"""Read claims in words by the rules of `claims.txt`, in one sentence or with those before it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Final, TypeAlias

from bot.maths.checks.counted_outcomes import CHANCE_CHECKS
from bot.maths.checks.function_claims import FUNCTION_CHECKS
from bot.maths.checks.listed_numbers import SERIES_CHECKS
from bot.maths.checks.measure_checks import MEASURE_CHECKS
from bot.maths.checks.number_checks import NUMBER_CHECKS, PLACE, SCHOOL_CHECKS
from bot.maths.checks.ratio_checks import RATIO_CHECKS
from bot.maths.checks.stated_facts import Facts
from bot.maths.checks.stated_forms import has_call
from bot.maths.checks.word_problem_checks import PROBLEM_CHECKS, Shapes, check_shape
from bot.maths.exact.algebra_questions import Check, Pair, Statement
from bot.maths.exact.arithmetic import Undecidable
from bot.maths.exact.expression import (
    Expr,
    Num,
    Solutions,
    free_letters,
    has_operation,
    is_mixed,
    substitute,
)
from bot.maths.reading import vocabulary
from bot.maths.reading.notation import Doubt, Reading, read_expression
from bot.maths.reading.prefilter import PatternSet
from bot.maths.reading.prose import Sentence
from bot.maths.reading.vocabulary import ABOUT, IS, JOINED
from bot.maths.reading.wording import Found, Wording, claim, is_computed, join, plain, write

_Build: TypeAlias = Callable[[Found], Sequence[Check] | None]
_LONGEST: Final = 700
"""Most characters of a sentence on which rules are tried."""
_FILE: Final = Path(__file__).with_name("claims.txt")
_SHARED: Final = ("ABOUT", "END", "FALLS", "IS", "RISES", "THEN")
"""Names of `vocabulary.py` that the rules use."""
_RELATION: Final = re.compile(r" ([=≤≥]) ")
_ROUNDED: Final = re.compile(rf"(?:≈|\b(?:{ABOUT}))(?: de| d)? [#%][^#%@]*$")
_VALUE: Final = re.compile(r"(?<!\?P)<(\w+)(%|,,|,|\?)?>")
_PAIR: Final = re.compile(r"(?<!\?P)<(\w);(\w)>")
_MARKS: Final = {
    "%": "%",
    "": "#",
    "?": "[#%]",
    ",": f"#(?>(?:{JOINED}#)*)",
    ",,": f"#(?>(?:{JOINED}#)+)",
}


@dataclass(frozen=True, slots=True)
class _Rule:
    """A pattern over words, and the check of its claim."""

    pattern: re.Pattern[str]
    build: _Build
    forbidden: re.Pattern[str] | None
    """Words with which the rule does not apply."""


@dataclass(frozen=True, slots=True)
class _Claim:
    """A claim that a rule found: its places in the source, the rule's number, and its checks."""

    start: int
    end: int
    rule: int
    checks: Sequence[Check]


def _match_rules(wording: Wording, *, begin: int = 0) -> Iterator[_Claim]:
    """Yield all claims of a wording.

    Args:
        begin: index of a value; claims that end before it are left out.
    """
    if not wording.values or len(wording.text) > _LONGEST:
        return
    rules = _load_rules()
    for number in _index_rules().find_possible(wording.text):
        rule = rules[number]
        if rule.forbidden and rule.forbidden.search(wording.text):
            continue
        for match in rule.pattern.finditer(wording.text):
            first, last = wording.find_values(*match.span())
            is_asked = wording.text[: match.start()].rstrip().endswith((" si", " whether"))
            if last <= max(begin, first) or is_asked:
                continue
            try:
                checks = rule.build(Found(wording, match))
            except (Undecidable, ZeroDivisionError, ValueError):  # it has other numbers
                continue
            if checks and not _begins_chain(wording, match, last):
                start, end = wording.places[first][0], wording.places[last - 1][1]
                yield _Claim(start, end, number, _soften(checks, wording.text[: match.end()]))


def _begins_chain(wording: Wording, match: re.Match[str], last: int) -> bool:
    """Return whether the last number of a match, after a colon, is the first one of an equality:
    `Le chiffre des unités de 7²³ : 23 = 4 × 5 + 3`."""
    value = wording.values[last - 1]
    is_number = not isinstance(value, Solutions) and not has_operation(value)
    goes_on = wording.text.startswith((" =", " ≡"), match.end())
    return is_number and goes_on and match[0].endswith(": #")


def _soften(checks: Sequence[Check], text: str) -> Sequence[Check]:
    """Return the checks of a match that ends with its text, approximate ones if the words before
    the last value say so."""
    if not _ROUNDED.search(text):
        return checks
    return [
        Pair(each.left, "≈", each.right)
        if isinstance(each, Pair) and each.relation == "="
        else each
        for each in checks
    ]


# The file -----------------------------------------------------------------------------------------

_CHECKS: Final[dict[str, _Build]] = {
    **CHANCE_CHECKS, **FUNCTION_CHECKS, **MEASURE_CHECKS, **NUMBER_CHECKS, **PROBLEM_CHECKS,
    **RATIO_CHECKS, **SCHOOL_CHECKS, **SERIES_CHECKS,
}  # fmt: skip


@cache
def _load_rules() -> tuple[_Rule, ...]:
    words = {name: getattr(vocabulary, name) for name in _SHARED} | {"PLACE": PLACE}
    shapes, lines = Shapes(), list[str]()
    for line in _FILE.read_text(encoding="utf-8").splitlines():
        if found := re.fullmatch(r"([A-Z]+) = (.*)", line):
            words[found[1]] = found[2]
        elif found := re.fullmatch(r"shape (\w+) (\w+) (.*)", line):
            shapes[found[1], found[2]] = read_expression(found[3])
        elif line and not line.startswith("#"):
            lines.append(line)
    prop = words["PROPERTY"]
    claimed = re.compile(
        r"(?<!quart du )(?<!tiers du )(?<!moitie du )(?<!moitie de l )(?<!half the )"
        r"(?<!half of the )(?<!quarter of the )(?<!third of the )"
        rf"\b({prop})\b(?:(?: (?:de|of|d environ|environ|about|egale? a))? #"
        rf"|(?:(?! (?:{prop})\b).)*?{IS}(?<!π = )#)"
    )

    def check(found: Found) -> Sequence[Check] | None:
        return check_shape(found, shapes, claimed)

    checks: dict[str, _Build] = {**_CHECKS, "shape": check}
    return tuple(_read_rule(line, words, checks) for line in lines)


def _read_rule(line: str, words: dict[str, str], checks: dict[str, _Build]) -> _Rule:
    pattern, _, action = line.rpartition(" => ")
    action, _, forbidden = action.partition(" unless ")
    if action.startswith("! "):
        build = _read_formula(action[2:])
    elif action[0] in "!?":
        check = checks[action[1:]]
        build = check if action[0] == "!" else _want_given(check)
    else:
        build = _want_given(_read_formula(action))
    without = re.compile(rf"\b(?:{_expand(forbidden, words)})") if forbidden else None
    pattern = _expand(pattern, words)
    return _Rule(re.compile(pattern), build, without)


@cache
def _index_rules() -> PatternSet:
    return PatternSet([rule.pattern.pattern for rule in _load_rules()], "#%@")


def _expand(pattern: str, words: dict[str, str]) -> str:
    """Return the regular expression for a pattern of the file."""
    while found := re.search(r"\{([A-Z]+)\}", pattern):
        pattern = pattern.replace(found[0], words[found[1]])
    pattern = pattern.replace("...", "[^#%@]*?").replace("..", "[^#%@.]*?")
    pattern = _VALUE.sub(lambda found: f"(?P<{found[1]}>{_MARKS[found[2] or '']})", pattern)
    return _PAIR.sub(r"(?P<\1_\2>@)", pattern)


def _want_given(build: _Build) -> _Build:
    """Return a check that says nothing if a number of the match is itself a computation."""

    def check(found: Found) -> Sequence[Check] | None:
        return None if any(map(is_computed, found.list_values())) else build(found)

    return check


def _read_formula(text: str) -> _Build:
    """Return the check of a formula such as `b - a = c`, with the values of a match for its
    letters."""
    formulas: list[tuple[Expr, str, Expr]] = []
    for part in text.split(" & "):
        left, relation, right = _RELATION.split(part)
        formulas.append((read_expression(left), relation, read_expression(right)))

    def check(found: Found) -> list[Check]:
        values = found.name_values()
        if "n" in values:  # how often: years count like times
            values["n"] = Num(plain(values["n"]))
        placed = [(substitute(one, values), r, substitute(two, values)) for one, r, two in formulas]
        return [
            claim(one, two) if relation == "=" else Pair(one, relation, two)
            for one, relation, two in placed
        ]

    return check


# In sentences -------------------------------------------------------------------------------------

_CONCLUDES: Final = re.compile(
    r" (?:[=≈:]|est|sont|is|are|soit|valent|vaut|fait|font|donne\w*|gives|donc|alors|so|then"
    r"|reste\w*|left|mesure\w*|dur\w+|lasts?|took|takes?|sera|cout\w*|costs?|pai\w+|pay\w+|represente\w*|chacun\w*"
    r"|obtien\w*|trouv\w*|correspond\w*|contien\w*|fau(?:t|dra)|fer\w+|mett\w+|now|maintenant|a|has|have|y|rend\w*|parcourt"
    r"|covers?|couvr\w*|augment\w*|baiss\w*|recoi\w*|prend\w*|etai\w*|devien\w*|consomm\w*"
    r"|rempli\w*|vid\w+|rayon|fete\w*|aura\w*|peu[xt]|can|vecu|parcour\w*) "
)
"""A word of a result; a sentence without one concludes nothing from the one before."""


_STEPS: Final = re.compile(
    r"\b(?:encore|puis|ensuite|enfin|apres|then|again|after|next|non|no|ne|pas|not|d abord"
    r"|first|etape|step)\b"
)
"""Words of a step, which concludes nothing from the problem alone."""
_MOST_OF_HEAD: Final = 2
_GOES_ON: Final = re.compile(
    r"\W*(?:soit|c'est[ -]a[ -]dire|ou encore|that is|i\.e\.)(?: environ| about)? ?[\d$]"
)
"""The beginning of a paragraph that says a value again: `soit environ 54,5 mA`."""


class WordedSentence:
    """A sentence whose wordings are kept for the sentences after it."""

    def __init__(self, sentence: Sentence) -> None:
        self.sentence = sentence
        self._written: dict[Reading, Wording] = {}

    def write(self, reading: Reading = frozenset()) -> Wording:
        if reading not in self._written:
            self._written[reading] = write(self.sentence, reading)
        return self._written[reading]


def _is_computation(value: Expr | Solutions) -> bool:
    """Return whether a value is computed from numbers alone, and is no measure of two units."""
    if isinstance(value, Solutions) or free_letters(value):
        return False
    return has_operation(value) and not is_mixed(value)


def _has_letters(value: Expr | Solutions) -> bool:
    return not isinstance(value, Solutions) and bool(free_letters(value))


def _has_colon(sentence: Sentence, *, is_label: bool = False) -> bool:
    """Return whether a colon with a space beside it may be punctuation.

    Args:
        is_label: whether it must be, because the space is only after it: `to 300: 50/250`.
    """
    return any(
        one.text == ":"
        and (
            other.is_spaced and not one.is_spaced if is_label else one.is_spaced or other.is_spaced
        )
        for one, other in pairwise(sentence.tokens)
    )


class WordedClaims:
    """Remembers the last two sentences of a block.

    Args:
        facts: the functions that are known.
    """

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._before: list[WordedSentence] = []
        self._announced: list[WordedSentence] = []
        self._head: list[WordedSentence] = []
        """The first sentences of a section, which state its problem."""
        self._is_head_whole = True
        """Whether no later sentence gives a number that is no result."""

    def begin_block(self, sentence: Sentence | None = None) -> None:
        """Forget the sentences before, unless a sentence only goes on with them; what announces a
        list stays known to its items."""
        if sentence is None:
            self._head = []
        elif _GOES_ON.match(sentence.text):
            return
        last = self._before[-1].sentence if self._before else None
        if last and last.text.rstrip().endswith(":"):
            self._announced = self._before[-1:]
        is_known = (
            sentence and self._announced and self._announced[0].sentence.section == sentence.section
        )
        self._before = self._announced if is_known else []

    def remember(self, worded: WordedSentence) -> None:
        """Note a sentence that is read."""
        self._before = [*self._before, worded][-2:]
        if self._head and self._head[0].sentence.section != worded.sentence.section:
            self._head = []
        is_open = len(self._head) < _MOST_OF_HEAD and (
            not self._head or self._head[0].sentence.block == worded.sentence.block
        )
        wording = worded.write()
        if is_open and wording.values:
            self._head, self._is_head_whole = [*self._head, worded], True
        elif wording.values and not _CONCLUDES.search(wording.text):
            self._is_head_whole &= any(map(_is_computation, wording.values))

    def read(self, worded: WordedSentence) -> Iterator[Statement]:
        """Yield claims in words about numbers, in this sentence or together with those before."""
        sentence = worded.sentence
        statements: dict[tuple[int, int], Statement] = {}
        readings: list[Reading] = [frozenset()]
        if any(token.other is not None for token in sentence.tokens):
            readings.append(frozenset(("thousands",)))
        sentences = [sentence, *(each.sentence for each in self._before)]
        if any(_has_colon(each) for each in sentences):
            as_mark = [frozenset[Doubt]((*each, "colon")) for each in readings]
            readings = as_mark if _has_colon(sentence, is_label=True) else [*readings, *as_mark]
        for reading in readings:
            for found in self._find_claims(worded, reading):
                resolved = [self._resolve_check(check) for check in found.checks]
                if None not in resolved:
                    is_inside = sentence.tokens[0].start <= found.start < found.end
                    text = sentence.source[found.start : found.end] if is_inside else sentence.text
                    key = (found.start, found.rule)
                    statement = statements.setdefault(key, Statement(text))
                    statement.readings.append([each for each in resolved if each])
        yield from statements.values()

    def _find_claims(self, worded: WordedSentence, reading: Reading) -> list[_Claim]:
        """Return the claims of the sentence, or else those of it with up to two before."""
        window = [worded.write(reading)]
        for previous in (None, *reversed(self._before)):
            if not window[-1].values or (previous and previous.sentence.is_disowned):
                return []
            if previous and not _CONCLUDES.search(window[-1].text):
                return []
            if previous:
                window.insert(0, previous.write(reading))
            wording = join(window)
            begin = len(wording.values) - len(window[-1].values)
            if found := list(_match_rules(wording, begin=begin)):
                return found
        return self._conclude(worded, reading)

    def _conclude(self, worded: WordedSentence, reading: Reading) -> list[_Claim]:
        """Return the claims of a sentence together with the problem that the section begins with,
        whatever stands between."""
        if not self._is_head_whole or not self._head or self._head[-1] in (*self._before, worded):
            return []
        head = [each.write(reading) for each in self._head]
        values = [value for each in head for value in each.values]
        given = [*values, *worded.write(reading).values]
        last = worded.write(reading)
        is_given = not any(map(_is_computation, given)) and not any(map(_has_letters, values))
        is_quoted = any(each.sentence.is_disowned for each in self._head)
        if is_quoted or not is_given or _STEPS.search(last.text):
            return []
        return list(_match_rules(join([*head, last]), begin=len(values)))

    def _resolve_check(self, check: Check) -> Check | None:
        """Return the check with functions applied; None: one of them is not known."""
        if not isinstance(check, Pair):
            return check
        left, right = self._facts.resolve(check.left), self._facts.resolve(check.right)
        if has_call(left) or has_call(right) or free_letters(left) | free_letters(right):
            return None
        return Pair(left, check.relation, right)
