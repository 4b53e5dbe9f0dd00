"""Read the mathematical statements of a text, each with the questions that decide it.

The text before a statement gives it its meaning (`stated_facts.py`): an equation that `x = 4`
solves, a function whose derivative is `f'(x) = 2x`. An equality with letters may be an equation to
solve or one that holds always: the words around it (`cues.py`) or its form decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from bot.maths.checks.blanks import BareAnswers, Blanks, Conclusions
from bot.maths.checks.chain_checks import (
    DerivativeLists,
    Division,
    add_readings,
    check_coordinates,
    check_division,
    check_forms,
    check_kinship,
    check_phrase,
    drop_grade_base,
    find_division,
    find_kinship,
    make_derivative,
    read_double_signs,
)
from bot.maths.checks.claims import WordedClaims, WordedSentence
from bot.maths.checks.conclusions import read_comparison_conclusions, read_verdict_conclusions
from bot.maths.checks.corrections import Corrections, read_conclusions, read_contradictions
from bot.maths.checks.counted_outcomes import read_counted_outcomes
from bot.maths.checks.dates_and_times import (
    read_clock_problems,
    read_clock_sums,
    read_date_problems,
)
from bot.maths.checks.equation_claims import (
    EquationClaims,
    Parameters,
    join_alternatives,
    read_ranges,
    read_solutions,
)
from bot.maths.checks.events import read_events
from bot.maths.checks.figure_claims import read_figures
from bot.maths.checks.final_values import FinalValues
from bot.maths.checks.formula_numbers import Motions, NamedQuantities, read_formula_numbers
from bot.maths.checks.function_claims import FunctionClaims
from bot.maths.checks.labelled_results import read_labelled_results
from bot.maths.checks.letter_equalities import (
    LetterEqualities,
)
from bot.maths.checks.listed_counts import read_listed_counts
from bot.maths.checks.listed_numbers import read_counting, read_listed_numbers
from bot.maths.checks.number_sets import NumberSets
from bot.maths.checks.passages import read_passage
from bot.maths.checks.percent_conclusions import read_percent_conclusions
from bot.maths.checks.question_results import read_question_results
from bot.maths.checks.roundings import read_roundings
from bot.maths.checks.shares import read_shares
from bot.maths.checks.stated_facts import Facts
from bot.maths.checks.stated_forms import get_segment, get_unknown, has_call, is_call
from bot.maths.checks.stated_points import Coordinates
from bot.maths.checks.stated_values import (
    RepeatedValues,
    RewrittenValues,
    TestedValues,
    drop_unit,
    find_lengths,
)
from bot.maths.checks.story_results import read_compound_interest, read_story_results
from bot.maths.checks.table_checks import read_layouts, read_tables
from bot.maths.checks.value_tables import Functions
from bot.maths.checks.word_contradictions import read_word_contradictions
from bot.maths.checks.worked_steps import read_worked_steps
from bot.maths.chemistry.elements import read_element_claims
from bot.maths.chemistry.reaction_balances import read_atom_counts, read_reactions
from bot.maths.chemistry.substance_claims import read_substance_claims
from bot.maths.exact.algebra_questions import Check, Derivative, Known, Pair, Statement
from bot.maths.exact.arithmetic import shows_rounded
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Letter,
    Solutions,
    free_letters,
    has_operation,
    has_units,
    is_power_of_ten,
    list_units,
    substitute,
)
from bot.maths.reading.chains import Chain, drop_doubtful, find_chains
from bot.maths.reading.cues import (
    Cues,
    asks_task,
    ends_about,
    find_named_letters,
    get_word_before,
    is_impossible,
    is_linked,
    is_of_negatives,
    is_piecewise,
    is_rounded,
    is_step,
    is_supposed,
    solves_directly,
)
from bot.maths.reading.exchanges import (
    counts_other_things,
    ends_span,
    is_exchange,
    is_mark,
    is_next_day,
    join_parts,
)
from bot.maths.reading.prepared_markdown import strip_request
from bot.maths.reading.prose import Sentence, read_sentences
from bot.maths.reading.unknowns import mark_unknowns
from bot.maths.reading.wording import Wording, claim
from bot.maths.school_facts.fact_statements import find_facts

_CASE_WORDS: Final = frozenset((
    "dans", "si", "quand", "lorsque", "pour", "ou", "if", "when", "for", "or",
))  # fmt: skip
"""Words before an equation that is no equality of known values."""
_PASSAGE_READERS: Final = (
    read_clock_problems, read_clock_sums, read_comparison_conclusions, read_date_problems,
    read_listed_numbers, read_percent_conclusions, read_roundings, read_story_results,
    read_verdict_conclusions, read_labelled_results, read_figures, read_counted_outcomes,
    read_question_results, read_compound_interest, read_shares, read_listed_counts,
    read_word_contradictions, read_worked_steps, read_events, read_formula_numbers,
)  # fmt: skip
"""Checks of what several sentences say together."""


def read_statements(text: str, question: str = "") -> list[Statement]:
    """Return all statements of an answer that its writer does not disown.

    Args:
        question: the question; its equations and functions are known to the answer.
    """
    asked = read_sentences(strip_request(question)) if question else []
    answered = read_sentences(text)
    mark_unknowns([*asked, *answered])
    reader = _StatementReader(Cues(asked, answered), find_lengths([*asked, *answered]))
    for sentence in asked:
        list(reader.read(sentence))
    reader.begin_answer()
    found = [statement for sentence in answered for statement in reader.read(sentence)]
    facts = (fact for _, fact in find_facts(answered))
    chemistry = (
        *read_reactions(answered),
        *read_atom_counts(asked, answered),
        *read_substance_claims(answered, asked),
        *read_element_claims(answered),
    )
    passage = read_passage(asked, answered)
    concluded = (each for read in _PASSAGE_READERS for each in read(passage))
    tables = read_tables(text, passage.asked, reader.list_functions())
    return [*found, *facts, *read_layouts(text), *tables, *concluded, *chemistry]


_PART_OF_DAY: Final = re.compile(
    r"(?:de l '|du) (?:apres|soir|matin)|in the (?:after|even|morn)|[ap]m\b"
)
"""Words after an hour of twelve: `15 h = 3 h de l'après-midi`."""


class _StatementReader:
    """A reader of sentences one after another."""

    def __init__(self, cues: Cues, lengths: set[str]) -> None:
        self._cues = cues
        self._lengths = lengths
        self._repeated = RepeatedValues()
        self._facts = Facts()
        self._worded_claims = WordedClaims(self._facts)
        self._equalities = LetterEqualities(self._facts, cues)
        self._derivative_lists = DerivativeLists()
        self._motions = Motions()
        self._values = RewrittenValues()
        self._functions = FunctionClaims()
        self._coordinates = Coordinates()
        self._parameters = Parameters()
        self._quantities = NamedQuantities()
        self._sets = NumberSets(self._functions)
        self._equations = EquationClaims()
        self._bare_answers = BareAnswers()
        self._blanks = Blanks()
        self._conclusions = Conclusions()
        self._corrections = Corrections()
        self._final_values = FinalValues()
        self._tested = TestedValues()
        self._section: int | None = None
        self._previous: Sentence | None = None

    def begin_answer(self) -> None:
        """Note that the question is read and the answer begins."""
        self._section = 0
        self._previous = None
        self._worded_claims.begin_block()
        self._facts.begin_answer()
        self._equalities.begin_answer()
        self._values.clear()

    def list_functions(self) -> Functions:
        """Return the functions that the sentences define."""
        return self._functions.list_functions()

    def read(self, sentence: Sentence) -> Iterator[Statement]:
        """Yield the statements of the next sentence."""
        section = self._cues.get_section(sentence)
        self._repeated.begin_sentence()
        for statement in self._read_sentence(sentence):
            yield add_readings(statement, section)

    def _read_sentence(self, sentence: Sentence) -> Iterator[Statement]:
        if self._section not in (None, sentence.section):
            self._section = sentence.section
            self._facts.begin_section()
        self._facts.begin_sentence()
        if self._previous and self._previous.block != sentence.block:
            self._worded_claims.begin_block(sentence)
        worded = WordedSentence(sentence)
        wording = worded.write()
        self._facts.learn_words(wording, sentence)
        self._equalities.learn_words(wording)
        is_question = self._section is None
        if answer := self._bare_answers.read(wording, sentence, is_question=is_question):
            yield answer
        chains = self._list_chains(sentence)
        for chain in chains:
            statement = self._read_chain(chain, sentence)
            if not sentence.is_disowned:
                yield statement
        if not sentence.is_disowned:
            yield from read_ranges(chains, wording, sentence)
            yield from self._read_words(worded)
        if is_question:
            self._blanks.read_question(sentence)
            self._final_values.learn(wording)
            self._functions.learn_question(wording)
            self._coordinates.learn_question(wording)
            self._equations.learn_question(wording)
        else:
            yield from self._read_answers(wording, sentence)
        self._previous = sentence
        self._worded_claims.remember(worded)

    def _list_chains(self, sentence: Sentence) -> list[Chain]:
        """Return the chains of a sentence; a function that one after another chain gives is known
        to that: `f'(x) = 3x² pour f(x) = x³`."""
        chains = list(join_alternatives(find_chains(sentence.tokens), sentence.tokens))
        for chain in chains[1:]:
            if is_call(chain.members[0]) and is_supposed(chain, sentence):
                self._facts.learn(chain, sentence, supposed=True, in_system=False)
        return chains

    def _read_words(self, worded: WordedSentence) -> Iterator[Statement]:
        """Yield what a sentence states in words about equations, angles and numbers."""
        sentence, wording = worded.sentence, worded.write()
        section = self._cues.get_section(sentence)
        yield from read_solutions(sentence, wording, self._facts, section)
        yield from read_conclusions(sentence)
        yield from read_double_signs(sentence)
        yield from self._worded_claims.read(worded)
        yield from self._derivative_lists.read(sentence)
        yield from read_counting(worded.write(frozenset(("colon",))), sentence)
        if self._section is not None:
            yield from self._functions.read(wording, sentence)
            yield from self._coordinates.read(wording, sentence)
            yield from self._sets.read(sentence)
            yield from self._equations.read(wording, sentence)

    def _read_answers(self, wording: Wording, sentence: Sentence) -> Iterator[Statement]:
        """Yield the answers that a sentence gives to what itself or another one says."""
        yield from self._corrections.read(wording, sentence)
        yield from self._final_values.read(wording, sentence)
        yield from self._tested.read(wording, sentence)
        yield from read_contradictions(sentence)
        answers = (
            self._blanks.read(sentence),
            self._conclusions.read(wording, sentence),
            self._values.read_labelled(sentence, self._previous),
        )
        yield from filter(None, answers)

    def _read_division(self, chain: Chain, division: Division, sentence: Sentence) -> Statement:
        statement = Statement(sentence.quote(chain.start, chain.end))
        others = [(each, find_division(each, sentence.tokens)) for each in chain.readings if each]
        statement.readings = [
            check_division(found) if found else list(self._check(each, sentence))
            for each, found in others
        ]
        statement.readings.append(check_division(division))
        statement.is_doubtful = chain.is_doubtful
        return statement

    def _read_chain(self, chain: Chain, sentence: Sentence) -> Statement:
        tokens = sentence.tokens
        text = sentence.quote(chain.start, chain.end)
        statement = Statement(text)
        if division := find_division(chain, tokens):
            return self._read_division(chain, division, sentence)
        is_clock = _PART_OF_DAY.match(" ".join(each.text for each in tokens[chain.end :][:4]))
        if is_clock or (chain.is_cut and len(chain.members) == 2):
            return statement
        for reading in (chain, *chain.readings):
            each = drop_doubtful(reading) if reading else None
            statement.readings.append(list(self._check(each, sentence)) if each else [])
            statement.is_doubtful |= bool(each and each.is_doubtful)
        if motion := self._motions.check(chain, sentence, self._cues.get_section(sentence)):
            statement.readings = [[*checks, motion] for checks in statement.readings]
        others = (
            self._repeated.check(chain, sentence),
            self._values.check(chain, sentence, self._previous),
            self._functions.check_part(chain, sentence),
            self._parameters.check(chain, sentence),
            self._quantities.check(chain, sentence),
            self._tested.check(chain),
            *check_forms(chain, sentence),
        )
        if found := [each for each in others if each]:
            statement.readings = [[*checks, *found] for checks in statement.readings]
        if chain.is_cut:
            statement.readings = [[*checks, Known("undecided")] for checks in statement.readings]
        supposed = is_supposed(chain, sentence)
        self._tested.learn(chain, sentence, supposed=supposed)
        is_rest = chain.is_doubtful and chain.start and tokens[chain.start - 1].kind == "name"
        # the last: `v² = 9,8` in `½ m v² = 9,8`
        is_given = not sentence.is_disowned or self._section is None or asks_task(sentence)
        if not is_rest and is_given:
            self._functions.learn(chain, sentence)
            self._coordinates.learn(chain)
            self._sets.learn(chain, sentence, is_question=self._section is None)
            self._equations.learn(chain, sentence, is_question=self._section is None)
            self._facts.learn(
                chain,
                sentence,
                supposed=supposed,
                in_system=self._cues.has_system(sentence),
            )
        return statement

    def _check(self, chain: Chain, sentence: Sentence) -> Iterator[Check]:
        """Yield the checks of a chain; none for a chain that only defines or supposes."""
        last = chain.members[-1]
        members = [each for each in chain.members if not isinstance(each, Solutions)]
        coordinates = list(check_coordinates(chain))
        if coordinates:
            yield from coordinates
        elif isinstance(last, Solutions):
            yield from self._check_set(chain, last, sentence)
        elif chain.phrase:
            checks = list(check_phrase(chain, members))
            if (
                not checks and len(members) > 2 and not chain.is_cut
            ):  # `la dérivée de f est f'(x) =`
                checks += filter(None, [self._check_call(members[-2], members[-1], sentence)])
            yield from checks
        elif (at := find_kinship(chain)) is not None:
            yield from check_kinship(chain, members, at)
        elif len(members) == len(chain.members):
            known = (
                self._check_value(chain, members, sentence),
                self._check_line(chain, members, sentence),
                self._check_range(chain, members, sentence),
            )
            yield from filter(None, known)
            is_case = len(members) > 2 and chain.relations[-1].is_word
            is_case = is_case and is_supposed(chain, sentence)  # `a/b avec b = 3 vaut 4`
            for at in range(len(members) - 1 - (chain.is_cut or is_case)):
                yield from self._check_pair(chain, members, at, sentence)

    def _check_range(
        self, chain: Chain, members: Sequence[Expr], sentence: Sentence
    ) -> Check | None:
        relations = [relation.text for relation in chain.relations]
        if not is_linked(chain, sentence) or chain.is_cut:
            return None
        return self._facts.check_between(members, relations) or self._facts.relations.check_range(
            members, relations
        )

    def _check_pair(
        self, chain: Chain, members: Sequence[Expr], at: int, sentence: Sentence
    ) -> Iterator[Check]:
        relation = chain.relations[at].text
        left, right = members[at], members[at + 1]
        if relation in ("derive", "primitive"):
            yield from make_derivative(left, right, is_primitive=relation == "primitive")
        elif isinstance(left, Apply) and left.op == "integrate" and len(left.args) == 2:
            letter = left.args[1]
            yield Derivative(right, left.args[0], getattr(letter, "name", "x"))
        elif relation == "=" and (decided := self._check_call(left, right, sentence)):
            yield decided
        else:
            if at == 0 and is_call(left) and {each.text for each in chain.relations} == {"="}:
                further = (self._check_call(left, each, sentence) for each in members[2:])
                yield from islice(filter(None, further), 1)
            sides = (self._facts.resolve(left), self._facts.resolve(right))
            yield from self._check_values(chain, sides, at, sentence)

    def _check_set(self, chain: Chain, claim: Solutions, sentence: Sentence) -> Iterator[Check]:
        """Yield the check of `S = ]2 ; 4]` or `x ∈ ]2 ; 4]`."""
        if self._sets.has_system:
            is_answer = self._section is not None and chain.members[0] == Letter("S")
            yield from filter(None, [self._sets.check_system(claim) if is_answer else None])
        elif chain.relations[-1].text != "∈" or not is_supposed(chain, sentence):
            after = sentence.tokens[chain.end : chain.end + 1]
            if after and after[0].text in _CASE_WORDS:  # `S = {2} pour x + 1 = 3`
                return
            is_complete = not self._cues.has_condition(sentence)
            yield from self._facts.check_set(chain, claim, is_complete=is_complete)

    def _check_call(self, left: Expr, right: Expr, sentence: Sentence) -> Check | None:
        """Return the check of `f(x) = …`, `f'(x) = …` or `P(A) = …`; None: there is none."""
        if not is_call(left):
            return None
        if rest := self._facts.relations.find_complement(left):
            return Pair(rest, "=", right)
        if is_piecewise(sentence) and free_letters(right):
            return None
        known = self._facts.check_function(
            left, right, has_primitive=self._cues.has_primitive(sentence)
        )
        return known or self._functions.check_call(left, right, sentence)

    def _check_values(
        self, chain: Chain, sides: tuple[Expr, Expr], at: int, sentence: Sentence
    ) -> Iterator[Check]:
        left, right = sides[0], drop_grade_base(*sides, sentence)
        relation = chain.relations[at].text.replace("rest", "=")
        if relation == "=" and (
            ends_about(chain, sentence)
            or (is_rounded(sentence, self._previous) and shows_rounded(left, right))
        ):
            relation = "≈"
        if relation == "≈" and is_power_of_ten(right):
            return  # an order of magnitude: `1 024 ≈ 10³`
        letters = free_letters(left) | free_letters(right)
        units = list_units(sides)
        is_no_unit = units and units & (letters | find_named_letters(sentence))
        is_limit = left == Letter("∞") and chain.relations[at].is_word  # `en +∞ vaut 3`
        if has_call(left) or has_call(right) or relation == "∈" or is_no_unit or is_limit:
            return  # the last: `(4h + h²)/h`, in which h is no hour
        if not letters:
            is_word = chain.relations[at].is_word
            left = left if at else join_parts(left, relation, right, sentence.tokens[: chain.start])
            is_shift = is_mark(left, right, sentence) or is_next_day(left, right)
            is_span = at == 0 and ends_span(left, sentence.tokens[: chain.start])
            is_other = is_shift or is_span or is_impossible(chain, sentence)
            is_meant = not is_other and (
                (at > 0 and not counts_other_things(left, right))
                or not is_exchange(left, right, sentence, is_word=is_word)
            )
            shown = drop_unit(right, left, self._lengths)
            yield Pair(left, relation, shown) if is_meant else Known("undecided")
        elif letters <= self._facts.bindings.keys():
            yield from self._check_bound(chain, sides, relation, sentence)
        elif isinstance(left, Letter) and isinstance(right, Letter):
            return  # `u = v = x`
        else:
            yield from self._check_letters(chain, sides, at, relation, sentence)

    def _check_letters(
        self, chain: Chain, sides: tuple[Expr, Expr], at: int, relation: str, sentence: Sentence
    ) -> Iterator[Check]:
        """Yield the check of an equality or inequality of which some letters have no value."""
        if relation != "=":
            step = self._equalities.check_bound(chain, sides, sentence, self._previous)
            yield from filter(None, [step])
        elif not is_of_negatives(sentence):
            yield from self._equalities.check(chain, sides, at, sentence, self._previous)

    def _check_bound(
        self, chain: Chain, sides: tuple[Expr, Expr], relation: str, sentence: Sentence
    ) -> Iterator[Check]:
        """Yield the check of an equality whose letters have values in the same sentence, unless it
        is the equation of `x = 3 dans 2x + 5 = 13` or of a case."""
        left, right = sides
        before = get_word_before(chain, sentence)
        is_number = (not has_operation(left) and not has_operation(right)) or before in _CASE_WORDS
        if (
            not is_number
            and not isinstance(left, Letter)
            and not (self._facts.equations and is_step(sentence))
        ):
            values = self._facts.bindings
            yield Pair(substitute(left, values), relation, substitute(right, values))

    def _check_value(
        self, chain: Chain, members: Sequence[Expr], sentence: Sentence
    ) -> Check | None:
        """Return the check of `x = 4` or `x < 3` after an equation for x; None: there is none."""
        if isinstance(members[0], Apply) and members[0].op in ("sin", "cos", "tan"):
            return self._check_root(chain, members, sentence)
        name, value = get_unknown(members[0]) or get_segment(members[0]), members[-1]
        relation = chain.relations[-1].text
        is_plain = all(token.text in ("=", relation) for token in chain.relations)
        letters = free_letters(value)
        if name == "z" and (members[0] != Letter("z") or solves_directly(chain, sentence)):
            letters -= {"i"}
        if not name or chain.is_cut or letters or relation == "∈" or not is_plain:
            return None
        if is_supposed(chain, sentence):
            return None
        relations, block = self._facts.relations, sentence.block
        if relation == "=" and is_rounded(sentence, self._previous):
            relation = "≈"
        claim = relations.check_argument(name, value, block) or self._facts.make_claim(
            name, relation, [value], is_complete=False
        )
        is_ratio = not claim and chain.relations[-1].text == "=" and is_linked(chain, sentence)
        bindings = self._facts.bindings
        return relations.check_last(name, value, bindings, block) if is_ratio else claim

    def _check_root(
        self, chain: Chain, members: Sequence[Expr], sentence: Sentence
    ) -> Check | None:
        """Return the check of `cos x = 12/13` against its square before it; None: there is none."""
        is_plain = all(token.text in ("=", "≈") for token in chain.relations)
        if not is_plain or chain.is_cut or is_supposed(chain, sentence):
            return None
        relations, first, claim = self._facts.relations, members[0], (members[-1], sentence.block)
        tangent = isinstance(first, Apply) and relations.check_tangent(first, *claim)
        return tangent or relations.check_root(first, *claim)

    def _check_line(
        self, chain: Chain, members: Sequence[Expr], sentence: Sentence
    ) -> Check | None:
        """Return the check of `A = 8` under the line `A = 2 + 6`; None: there is none."""
        first, second = members[0], members[1]
        if not isinstance(first, Letter) or free_letters(second) or chain.relations[0].text != "=":
            return None
        known = self._facts.find_computed(first.name, sentence)
        if known and not has_units(known) and self._repeated.knows(first.name):
            return None
        is_whole = chain.start == 0 and len(members) == 2 and not chain.is_cut
        return claim(known, second) if known and is_whole else None
