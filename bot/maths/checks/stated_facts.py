"""Keep what a text has said so far (functions, equations, values), to check later statements."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from bot.maths.checks.stated_forms import (
    get_segment,
    get_unknown,
    has_call,
    has_derivation,
    has_endless,
    is_call,
    is_discriminant,
    list_letters,
    list_names,
    make_interval,
    may_derive,
    unite,
)
from bot.maths.checks.stated_relations import (
    Relations,
    Sequences,
    find_conjugated,
    find_root,
    get_call,
    holds_always,
)
from bot.maths.exact.algebra_questions import (
    Derivative,
    Equation,
    Equivalence,
    Identity,
    Known,
    Solving,
)
from bot.maths.exact.arithmetic import compare
from bot.maths.exact.expression import (
    Apply,
    Expr,
    Interval,
    Letter,
    Solutions,
    apply,
    conjugate,
    find_letters,
    free_letters,
    has_operation,
    number,
    substitute,
)
from bot.maths.reading.chains import Chain
from bot.maths.reading.cues import (
    begins_after_value,
    begins_anew,
    get_word_before,
    is_alternative,
    is_linked,
    is_piecewise,
    is_supposed,
    is_whole,
)
from bot.maths.reading.prose import Sentence
from bot.maths.reading.wording import Found, Wording

_MAPPING: Final = re.compile(r"\b(?P<f>[a-zA-Z]) : (?P<letter>[a-z]) (?:↦|→|->) (?P<body>#)")
_OTHER_SET: Final = re.compile(r"(?!S)[A-Z]\w*")
"""Names of sets that are no solutions: `I = [0 ; 5]`, `D = ]0 ; +∞[`."""
_RESTRICTED: Final = re.compile(r"\b(?:sur|dans|over|intervalle?)\b[\s$\\a-z']{0,16}[\[\]]")
"""Words by which only the solutions in an interval are asked."""
_CLAIMED_SET: Final = re.compile(
    r"\bsolutions?\b[^.;:]*\b(?:sont|est|forment|constituent|is|are)\b[^.;:\d\[\]]{0,40}[\[\]]"
)
"""What says that an interval is the solution itself."""
_LIMIT: Final = re.compile(r"\blim\w*\b|∞|\binfini")
_JOINS: Final = frozenset(("et", "and", ",", ";"))


class Facts:
    """What is known at one place of a text."""

    def __init__(self) -> None:
        self.bindings, self._tried = dict[str, Expr](), dict[str, Expr]()
        """Values of letters in the same sentence, and in the one before."""
        self.equations: list[Equation] = []
        """Equations of one letter that belong together, the first one first."""
        self._solved: list[Equation] = []
        """Equations of the section before these."""
        self._functions: dict[str, tuple[str, Expr]] = {}
        self._named: dict[str, Expr] = {}
        self._computed: dict[str, tuple[int, Expr]] = {}
        self._substituted: set[str] = set()
        """Letters that stand for an expression of the unknown: X in `X = e^x`."""
        self._restricted: list[Equation] = []
        """Equations of which only the solutions in an interval are asked."""
        self._systems: list[Equation] = []
        self._asked: list[Equation] = []
        """The system of the question."""
        self._stated: tuple[int, Equation] | None = None
        """The last equation of two letters in the answer, and its paragraph."""
        self._joined: tuple[Sentence, Equation] | None = None
        """The last equation, and its sentence."""
        self._added: Sentence | None = None
        """The sentence of the last of `equations`."""
        self._sequences = Sequences()
        self.relations = Relations()
        self._has_claim = False
        self._is_answer = False
        self._inequality: Equation | None = None
        """The inequality of the question, unless the answer solves another one too."""

    def begin_answer(self) -> None:
        """Note that the question is read; from here on, successive lines are one derivation."""
        self._is_answer = True
        is_one = len(self.equations) == 1 and len(list_letters(self.equations[0])) == 1
        if is_one and self.equations[0].relation != "=":
            self._inequality = self.equations[0]
        self._asked = self._systems[:2]
        self.relations.begin_answer()

    def begin_section(self) -> None:
        """Forget equations, and the values of capitals."""
        self.equations, self._restricted, self._systems, self._solved = [], [], [], []
        self._named, self._computed, self._substituted = {}, {}, set()
        self.relations = Relations()
        self._has_claim = False

    # Learning -----------------------------------------------------------------------------------

    def begin_sentence(self) -> None:
        """Forget the values of the letters, which the next sentence may still try out."""
        self.bindings, self._tried = {}, self.bindings

    def learn(self, chain: Chain, sentence: Sentence, *, supposed: bool, in_system: bool) -> None:
        """Keep the parts of a chain that later statements may need.

        Args:
            supposed: whether the chain only supposes a value.
            in_system: whether the chain may be an equation of a system.
        """
        members = chain.sides
        if not members or (chain.phrase and not is_call(members[0])):
            return
        first, second, last = members[0], members[1], members[-1]
        letters = free_letters(second)
        self.relations.learn_ranged(first, chain.relations[0].text, supposed=supposed)
        self.relations.learn_range(members)
        self.relations.learn_square(members, sentence.block)
        self.relations.learn_ratio(members, sentence.block)
        if is_call(first):
            self._learn_function(first, second, sentence)
        elif not isinstance(first, Letter):
            self._learn_equation(chain, (first, last), sentence, in_system=in_system)
        elif self._sequences.learn(first.name, second, letters, sentence.text):
            return
        elif not free_letters(last) and not chain.is_cut:
            self._learn_value(chain, first, members, sentence, supposed=supposed)
        elif letters:
            if supposed:
                self._named.pop(first.name, None)
            self._learn_letter(chain, first, (second, last), sentence, in_system=in_system)

    def _learn_value(
        self, chain: Chain, first: Letter, members: Sequence[Expr], sentence: Sentence, *,
        supposed: bool,
    ) -> None:  # fmt: skip
        """Keep the value of a letter: `x = 4`."""
        if all(token.text == "=" for token in chain.relations) and not has_endless(members[-1]):
            self.bindings[get_unknown(first) or first.name] = members[-1]
            self.relations.learn_solved(first.name)
            if get_segment(first):
                self.relations.learn_length(first.name, members[-1], sentence.block)
            if first.name.isupper() and has_operation(members[1]):
                self._computed.setdefault(first.name, (sentence.block, members[1]))
        self._has_claim |= bool(get_unknown(first)) and not supposed

    def _learn_letter(
        self, chain: Chain, first: Letter, others: tuple[Expr, Expr], sentence: Sentence, *,
        in_system: bool,
    ) -> None:  # fmt: skip
        """Keep the meaning of a letter: `A = 2x + 3x`, `z = 2 + i`, `y = 2x + 1`."""
        letters = free_letters(others[0])
        if first.name == "y" and letters == {"x"}:
            self._functions["y"] = ("x", others[0])
        elif letters == {"x"}:
            self._substituted.add(first.name)
        if letters == {"i"} and self._is_sought(first.name):
            self._has_claim = True
        elif first.name.isupper() or letters == {"i"}:
            self._named.setdefault(first.name, others[0])
        else:
            self._learn_equation(chain, (first, others[1]), sentence, in_system=in_system)

    def learn_words(self, wording: Wording, sentence: Sentence) -> None:
        """Keep the definitions in words of a sentence: a sequence, a right angle, `f : x ↦ 2x`."""
        self._sequences.learn_progression(wording)
        self.relations.learn_right_angle(sentence.source, sentence.block)
        for match in _MAPPING.finditer(wording.text):
            body = Found(wording, match).name_values()["body"]
            if free_letters(body) <= {match["letter"]}:
                self._functions[match["f"]] = (match["letter"], body)

    def _learn_function(self, call: Expr, body: Expr, sentence: Sentence) -> None:
        name, argument = get_call(call)
        letters = free_letters(body)
        if not letters and name not in self._functions:
            self.relations.learn_chance(call, body)
        if "'" in name or not argument or has_call(body):
            return
        if is_piecewise(sentence):
            self._functions.pop(name, None)  # `f(x) = 2x si x < 1 et f(x) = 3 − x si x ≥ 1`
        elif letters == {argument}:
            self._functions[name] = (argument, body)
        elif not letters and name in self._functions and not _LIMIT.search(sentence.text):
            self._add_equation(Equation(self._functions[name][1], "=", body), sentence)

    def _learn_equation(
        self, chain: Chain, sides: tuple[Expr, Expr], sentence: Sentence, *, in_system: bool
    ) -> None:
        relation = chain.relations[0].text
        is_long = len(chain.members) > 2 and bool(free_letters(sides[1]))
        if (
            is_long
            or self._joins_alternative(chain, sides, sentence)
            or self._is_second(chain, sentence)
        ):
            return
        if relation not in ("=", "<", ">", "≤", "≥") or chain.relations[0].is_weak:
            return
        if any(has_call(side) or has_derivation(side) or has_endless(side) for side in sides):
            return
        is_line = self._is_answer and not self._has_claim and is_whole(chain, sentence)
        is_step = is_line or is_linked(chain, sentence)
        equation = Equation(sides[0], relation, sides[1], is_linked=is_step)
        letters = list_letters(equation)
        self._forget_solved(chain, sentence)
        is_known = bool(letters) and set(letters) <= self.bindings.keys()
        left, right = (substitute(each, self.bindings) for each in sides)
        is_tried = is_known and compare(left, relation, right).verdict == "right"
        is_known &= is_tried or not is_supposed(chain, sentence)
        is_known |= holds_always(equation)
        if is_known or is_discriminant(equation) or (letters == ["z"] and "z" in self._named):
            return  # it is computed, not solved
        if len(letters) == 1:
            self._add_equation(equation, sentence)
        elif len(letters) == 2 and relation == "=":
            self.relations.learn_equation(equation, sentence.block)
        in_cases = any(token.text == "cases" for token in sentence.tokens)
        if 1 <= len(letters) <= 3 and relation == "=" and (in_system or in_cases):
            self._systems.append(equation)
        self._learn_pair(chain, equation, sentence)
        self._learn_similar_system(equation, sentence.block)

    def _forget_solved(self, chain: Chain, sentence: Sentence) -> None:
        """Forget values of letters if a new equation follows the solution of one before."""
        if begins_after_value(chain, sentence):
            self.bindings, self._has_claim = {}, True

    def _learn_pair(self, chain: Chain, equation: Equation, sentence: Sentence) -> None:
        """Keep `x + y = 10 et x - y = 2` as a system, though the text does not call it one."""
        before, self._joined = self._joined, (sentence, equation)
        is_joined = chain.start > 0 and sentence.tokens[chain.start - 1].text in _JOINS
        if before is None or before[0] is not sentence or not is_joined:
            return
        pair = (before[1], equation)
        is_of_two = all(
            each.relation == "="
            and len(list_letters(each)) == 2
            and not isinstance(each.left, Letter)
            for each in pair
        )
        if is_of_two and list_letters(pair[0]) == list_letters(pair[1]):
            self._systems = list(pair)

    def _learn_similar_system(self, equation: Equation, block: int) -> None:
        """Replace the question's system by two adjacent equations of the answer that are not in the
        question: they belong to a similar exercise."""
        is_of_two = equation.relation == "=" and len(list_letters(equation)) == 2
        if not is_of_two or len(self._asked) < 2:
            return
        before, self._stated = self._stated, (block, equation)
        if before is None or before[0] != block:
            return
        pair = [before[1], equation]
        asked = [(each.left, each.right) for each in self._asked]
        if not any((each.left, each.right) in asked for each in pair):
            self._systems = pair

    def _add_equation(self, equation: Equation, sentence: Sentence) -> None:
        is_part = equation.relation != "=" and not self.relations.ranged.isdisjoint(
            list_letters(equation)
        )
        if is_part:
            self.equations = []
            return
        is_other = self._has_claim or begins_anew(sentence)
        if is_other and not equation.is_linked:
            self._restricted = []
        if _RESTRICTED.search(_CLAIMED_SET.sub(" ", sentence.text)):
            self._restricted += [equation] if equation.relation == "=" else []
            self._has_claim &= equation.is_linked
            return
        asked, is_same = self._inequality, equation.relation == "="
        if asked and not (is_same or equation.is_linked):
            is_same = (equation.left, equation.right) == (asked.left, asked.right)
            self._inequality = asked if is_same else None
        if is_other and not equation.is_linked:
            self._solved += self.equations
            self.equations = []
            self._has_claim = False
        self.equations.append(equation)
        self._added = sentence

    def _joins_alternative(
        self, chain: Chain, sides: tuple[Expr, Expr], sentence: Sentence
    ) -> bool:
        """Return whether `ou` stands before an equation, or `et` before one with another solution,
        and forget the one before it: each of the two has only some of the solutions, their product
        has all."""
        if not (is_alternative(chain, sentence) or self._is_other_part(chain, sides, sentence)):
            return False
        if self._added is sentence and len(self.equations) > 1:
            self.equations.pop()
        elif self._added is sentence and self.equations and chain.relations[0].text == "=":
            self.equations = [unite(self.equations[0], Equation(sides[0], "=", sides[1]))]
        return True

    def _is_other_part(self, chain: Chain, sides: tuple[Expr, Expr], sentence: Sentence) -> bool:
        """Return whether `et` or `d'autre part` joins a linear equation to one before it in the
        sentence that has the same letter and another solution."""
        is_joined = get_word_before(chain, sentence) in ("et", "and", "part")
        if not is_joined or self._added is not sentence or chain.relations[0].text != "=":
            return False
        one, other = self.equations[-1], Equation(sides[0], "=", sides[1])
        roots = {find_root(one), find_root(other)}
        is_same_letter = list_letters(one) == list_letters(other)
        return is_same_letter and None not in roots and len(roots) > 1

    def _is_second(self, chain: Chain, sentence: Sentence) -> bool:
        """Return whether `et` joins an inequality to another, and forget that: neither has the
        solutions of both."""
        before = get_word_before(chain, sentence)
        if chain.relations[0].text == "=" or self._added is not sentence:
            return False
        if before in ("et", "and"):
            self.equations = []
        return before in ("et", "and")

    # Functions ----------------------------------------------------------------------------------

    def resolve(self, expr: Expr, *, is_bound: bool = False) -> Expr:
        """Return the expression with known functions applied: `f(3)`, `f'(1)`, `u_5`. `f(x)` with
        its own letter is applied only inside a limit, integral or sum."""
        if isinstance(expr, Letter):
            return self._sequences.resolve(expr)
        if not isinstance(expr, Apply):
            return expr
        is_bound = is_bound or expr.op in ("limit", "integrate", "sum")
        args = tuple(self.resolve(arg, is_bound=is_bound) for arg in expr.args)
        name = args[0].name if expr.op == "call" and isinstance(args[0], Letter) else ""
        base = name.rstrip("'")
        if base in self._functions and len(args) == 2:
            letter, body = self._functions[base]
            for _ in name[len(base) :]:
                body = apply("derive", body, Letter(letter))
            if name != base and not free_letters(args[1]):
                return apply("at", body, Letter(letter), args[1])
            if name == base and (is_bound or args[1] != Letter(letter)):
                return substitute(body, {letter: args[1]})
        return Apply(expr.op, args)

    def check_function(
        self, left: Expr, right: Expr, *, has_primitive: bool
    ) -> Derivative | Identity | None:
        """Return the check of `f'(x) = …`, `F(x) = …` or `f(x) = …` for a known function; None:
        there is none."""
        name, argument = get_call(left)
        base = name.rstrip("'")
        order = len(name) - len(base)
        known = self._functions.get(base) or self._functions.get(base.lower())
        if not known or argument != known[0] or has_call(right):
            return None
        letter, body = known
        if order == 1 and base.isupper() and base not in self._functions:
            return Identity(body, right, "claimed")  # a primitive's derivative
        if order:
            return Derivative(body, right, letter, order) if may_derive(right, body) else None
        if base not in self._functions or (base.isupper() and base.lower() in self._functions):
            is_primitive = has_primitive and base.isupper()
            return Derivative(right, body, letter) if is_primitive else None
        return Identity(body, right, "plain") if free_letters(right) == {letter} else None

    def find_conjugate(self, letter: str) -> Expr | None:
        """Return the conjugate, for `z̄`, of a known complex number; None: it is unknown."""
        known = self._named.get(find_conjugated(letter))
        return conjugate(known) if known and find_letters(known) == {"i"} else None

    def _is_sought(self, name: str) -> bool:
        """Return whether a letter is the unknown of an equation, and may have several values."""
        return any(name in list_letters(each) for each in self.equations)

    def find_named(self, name: str, right: Expr) -> Expr | None:
        """Return the expression that a letter stands for, if it has the letters of `right`; None
        for an unknown."""
        if self._is_sought(name):
            return None
        known = self._named.get(name)
        return known if known and free_letters(known) == free_letters(right) else None

    def place_complex(self, expr: Expr) -> Expr | None:
        """Return the expression with known complex numbers put in; None: it has none."""
        known = {name: value for name, value in self._named.items() if find_letters(value) == {"i"}}
        placed = substitute(expr, known)
        return placed if placed != expr and free_letters(placed) <= {"i"} else None

    def find_computed(self, name: str, sentence: Sentence) -> Expr | None:
        """Return a capital's computation in an earlier line of the paragraph; None: none."""
        block, value = self._computed.get(name, (-1, None))
        return value if block == sentence.block else None

    # What follows -------------------------------------------------------------------------------

    def check_step(self, left: Expr, right: Expr) -> Known | None:
        """Return a wrong verdict if a linear equation has another solution than the equations
        before it; else None."""
        step = Equation(left, "=", right)
        letters, root = list_letters(step), find_root(step)
        same = (each for each in self.equations if list_letters(each) == letters)
        known = [find_root(each) for each in same if each.relation == "="]
        is_known = root is None or not known or None in known or root in known
        if is_known or self._tried.get(letters[0]) == number(root or 0):
            return None
        return Known("wrong", f"{letters[0]} would be {root}, but it is {known[0]}")

    def find_equivalent(self, left: Expr, right: Expr, sentence: Sentence) -> Equivalence | None:
        """Return the check of an equation against the one before it in the sentence, which has the
        same letters; None: there is none."""
        step = Equation(left, "=", right)
        if self._joined is None or self._joined[0] is not sentence:
            return None
        before = self._joined[1]
        is_same_kind = before.relation == "=" and list_letters(before) == list_letters(step)
        return Equivalence(before, step) if is_same_kind and list_letters(step) else None

    def check_between(self, members: Sequence[Expr], relations: Sequence[str]) -> Solving | None:
        """Return the check of `-4 ≤ x ≤ 2` after an inequality for x; None: there is none."""
        if len(members) != 3 or not set(relations) <= {"<", "≤"}:
            return None
        low, middle, high = members
        name = get_unknown(middle)
        known = tuple(each for each in self.equations if list_letters(each) == [name])
        is_bounded = not free_letters(low) | free_letters(high)
        if not known or not is_bounded or any(each.relation == "=" for each in known):
            return None
        interval = Interval(low, high, relations[0] == "≤", relations[1] == "≤")
        return Solving(known, (name,), Solutions(intervals=(interval,)), is_complete=True)

    def check_pair(self, values: Sequence[Expr]) -> Solving | None:
        """Return the check whether a pair solves the system; None: there is no such system."""
        letters = self._list_unknowns()
        if len(self._systems) < 2 or len(letters) != len(values):
            return None
        return self._solve_system(letters, Solutions(elements=(tuple(values),)))

    # Solutions ----------------------------------------------------------------------------------

    def make_claim(
        self, name: str, relation: str, values: Sequence[Expr], *, is_complete: bool
    ) -> Solving | None:
        """Return the check that `name` has these values, or is on that side of one; None: there is
        no equation for it."""
        equations = [each for each in self.equations if list_letters(each) == [name]]
        if relation in ("=", "≈"):
            fitting = tuple(each for each in equations if each.relation == "=")
            if not fitting:
                fitting = tuple(each for each in self._restricted if list_letters(each) == [name])
                is_complete = False
            if not fitting:
                return self._check_system(name, values)
            claim = Solutions(elements=tuple((value,) for value in values))
            return Solving(fitting, (name,), claim, is_complete, is_rounded=relation == "≈")
        fitting = tuple(each for each in equations if each.relation != "=")
        if not fitting or len(values) != 1:
            return None
        return Solving(fitting, (name,), make_interval(relation, values[0]), is_complete)

    def _check_system(self, name: str, values: Sequence[Expr]) -> Solving | None:
        """Return the check of a system once all its letters have values; None: one is missing."""
        letters = self._list_unknowns()
        known = {**self.bindings, name: values[0]}
        if len(self._systems) < 2 or not set(letters) <= known.keys() or len(values) != 1:
            return None
        claim = Solutions(elements=(tuple(known[letter] for letter in letters),))
        return self._solve_system(letters, claim)

    def _solve_system(self, letters: Sequence[str], claim: Solutions) -> Solving:
        return Solving(tuple(self._systems[:2]), tuple(letters), claim, is_complete=False)

    def _list_unknowns(self) -> list[str]:
        return sorted({name for each in self._systems[:2] for name in list_letters(each)})

    def check_set(
        self, chain: Chain, claim: Solutions, *, is_complete: bool = True
    ) -> Iterator[Solving]:
        """Yield the check of `S = {1 ; 2}`, `x ∈ ]1 ; 2[` or a pair of a system."""
        first = chain.members[0]
        if len(chain.members) != 2:
            return
        if any(len(row) == 2 for row in claim.elements):
            names = list_names(first) or self._list_unknowns()
            if len(self._systems) >= 2 and sorted(names) == self._list_unknowns():
                yield self._solve_system(names, claim)
        elif isinstance(first, Letter) and not _OTHER_SET.fullmatch(first.name):
            yield from filter(None, [self.claim_set(claim, is_complete=is_complete)])

    def claim_set(self, claim: Solutions, *, is_complete: bool = True) -> Solving | None:
        """Return the check that a set is all solutions of the equations; None: there is none."""
        if claim.intervals and (asked := self._inequality):
            return Solving((asked,), tuple(list_letters(asked)), claim, is_complete=is_complete)
        is_equation = [each.relation == "=" for each in self.equations]
        names = {name for each in self.equations for name in list_letters(each)}
        is_fitting = not any(is_equation) or (all(is_equation) and not claim.intervals)
        if len(names) != 1 or not is_fitting or names <= self._substituted:
            return None
        others = [each for each in self._solved if {*list_letters(each)} == names]
        return Solving((*self.equations, *others), (names.pop(),), claim, is_complete=is_complete)
