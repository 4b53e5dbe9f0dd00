"""No regular expression takes exponential time: it holds the whole process while it runs.

A repetition takes time that doubles with each round if its rounds can match one text in two ways,
as in `(a+)+` or `(a|ab|b)*`. Each repetition of each pattern is read as an automaton, whose states
are the characters of the pattern. It is ambiguous if two different runs lead from a state back to
the same state by the same text (Weideman and others, “Analyzing Matching Time Behavior of
Backtracking Regular Expression Matchers”, 2016).
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import inspect
import pkgutil
import re
import re._constants as codes  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import adapters
import bot
import tools

MANY = 15
"""Rounds from which a bounded repetition counts as unbounded."""
_COPIES = 3
"""Copies of a bounded repetition's body that are looked at."""
_ALPHABET = (
    string.printable
    + "éèàùçôœÉÀ٣²³₂₊⁻√×÷−–—≤≥≠≈π∞°€£₦…’‘«»“”·•∈ℝ→⇒▁|｜‖µαΔ"
    + "\u00a0\u202f\u2009\u200d\ufe0f👍🏽♀✅😀一ا"
)
_ALL = -1
"""The mask of all characters; a mask has a bit for each character of the pattern's alphabet."""

ALLOWED: dict[str, str] = {
    "bot.maths.reading.prepared_markdown._BARE[0]": "only its last character can fail, and is given"
    " back first",
}
"""Patterns that only look ambiguous, by their names, with the reason."""


# Patterns -----------------------------------------------------------------------------------------


def list_modules() -> Iterator[ModuleType]:
    for package in (bot, adapters, tools):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if ".migrations" not in module.name and "__main__" not in module.name:
                yield importlib.import_module(module.name)


def find_patterns(value: object, depth: int = 0) -> Iterator[re.Pattern[str]]:
    """Yield the patterns in a value of a module, in a table of them, or in what a function without
    parameters keeps."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(pattern := getattr(value, "pattern", None), str):
        yield re.compile(pattern)  # of a rule that compiles it when it is needed
    if depth > 4 or isinstance(value, type):
        return
    if hasattr(value, "cache_info") and not inspect.signature(value).parameters:  # type: ignore[arg-type]
        yield from find_patterns(value(), depth + 1)  # type: ignore[operator]
    for each in _list_held(value):
        yield from find_patterns(each, depth + 1)


def _list_held(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return [*value.keys(), *value.values()]
    if isinstance(value, list | tuple | set | frozenset):
        return value
    names = getattr(value, "__dataclass_fields__", getattr(value, "__struct_fields__", ()))
    return [getattr(value, name, None) for name in names]


def find_written(module: ModuleType) -> Iterator[re.Pattern[str]]:
    """Yield the patterns that are written where they are used: `re.search(r"…", text)`."""
    source = Path(module.__file__ or "").read_text()
    for node in ast.walk(ast.parse(source)):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args):
            continue
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "re":
            with contextlib.suppress(NameError, TypeError, re.error):  # made of local values
                code = compile(ast.Expression(node.args[0]), module.__name__, "eval")
                yield re.compile(eval(code, dict(vars(module))))


def name_patterns() -> dict[str, re.Pattern[Any]]:
    found: dict[re.Pattern[Any], str] = {}
    for module in list_modules():
        held = [(name, value) for name, value in vars(module).items() if not name.startswith("__")]
        for name, value in [*held, ("re", list(find_written(module)))]:
            for number, pattern in enumerate(find_patterns(value)):
                found.setdefault(pattern, f"{module.__name__}.{name}[{number}]")
    return {name: pattern for pattern, name in found.items()}


# Automata -----------------------------------------------------------------------------------------


@dataclass
class Part:
    """A part of a pattern: where it begins and ends, and whether it may be empty. Each way has a
    mask of the characters that may come next."""

    first: dict[int, list[int]] = field(default_factory=dict)
    last: dict[int, list[int]] = field(default_factory=dict)
    empty: list[int] = field(default_factory=list)


class Automaton:
    """The runs within the body of one repetition."""

    def __init__(self, body: Sequence[Any], flags: int, groups: Mapping[int, Any]) -> None:
        """
        Args:
            groups: the only item of each group that has one.
        """
        self._flags = flags
        self._groups = groups
        self._readers: dict[Any, Callable[[Any], Part]] = {
            codes.MAX_REPEAT: lambda value: self._repeat(*value),
            codes.MIN_REPEAT: lambda value: self._repeat(*value),
            codes.POSSESSIVE_REPEAT: lambda value: self._repeat_possessively(*value),
            codes.BRANCH: lambda value: self._choose(map(self._read, value[1])),
            codes.GROUPREF_EXISTS: lambda value: self._choose(
                self._read(each or ()) for each in value[1:]
            ),
            codes.SUBPATTERN: lambda value: self._read(value[3]),
            codes.ATOMIC_GROUP: self._read,
            codes.ASSERT: lambda value: Part(empty=[self._mask_ahead(*value)]),
            codes.ASSERT_NOT: lambda value: Part(empty=[self._mask_ahead(*value, negated=True)]),
            codes.AT: lambda value: Part(empty=[self._mask_after(value)]),
        }
        self._alphabet = sorted({*_ALPHABET, *_list_literals(body)})
        self.accepts: list[int] = []
        """For each state, the mask of its characters."""
        self.ways: dict[int, dict[int, list[int]]] = defaultdict(lambda: defaultdict(list))
        """For each state, the states after it."""
        self._link(whole := self._read(body), whole)

    def is_ambiguous(self) -> bool:
        """Return whether two runs lead from a state to itself by the same text. Within a repetition
        each state can be reached from each."""
        edges: dict[tuple[int, int], set[tuple[int, int]]] = {}
        waiting = [(state, state) for state in range(len(self.accepts))]
        while waiting:
            pair = waiting.pop()
            if pair in edges:
                continue
            edges[pair] = set()
            for one, masks in self.ways[pair[0]].items():
                for other, others in self.ways[pair[1]].items():
                    both = self.accepts[one] & self.accepts[other]
                    shared = [a & b & both for a in masks for b in others]
                    if one == other and pair[0] == pair[1]:
                        shared = [m & n & both for i, m in enumerate(masks) for n in masks[:i]]
                        if any(shared):
                            return True
                    elif any(shared):
                        edges[pair].add((one, other))
                        waiting.append((one, other))
        return _returns(edges)

    def _read(self, items: Sequence[Any]) -> Part:
        whole = Part(empty=[_ALL])
        for code, value in items:
            whole = self._join(whole, self._read_item(code, value))
        return whole

    def _read_item(self, code: Any, value: Any) -> Part:
        if code is codes.GROUPREF:
            code, value = self._groups.get(value, (codes.ANY, None))
        if code in _CHARACTERS:
            return self._add_state(self._mask(code, value))
        return self._readers[code](value)

    def _add_state(self, mask: int) -> Part:
        self.accepts.append(mask)
        state = len(self.accepts) - 1
        return Part({state: [_ALL]}, {state: [_ALL]}, [])

    def _join(self, one: Part, other: Part) -> Part:
        self._link(one, other)
        first, last = dict(one.first), dict(other.last)
        for state, masks in other.first.items():
            if ways := [mask & passing for mask in masks for passing in one.empty]:
                first[state] = [*first.get(state, []), *ways][:_COPIES]
        for state, masks in one.last.items():
            if ways := [mask & passing for mask in masks for passing in other.empty]:
                last[state] = [*last.get(state, []), *ways][:_COPIES]
        return Part(first, last, [a & b for a in one.empty for b in other.empty][:_COPIES])

    def _link(self, one: Part, other: Part) -> None:
        for state, masks in one.last.items():
            for following, others in other.first.items():
                ways = self.ways[state][following]
                ways += [mask & another for mask in masks for another in others]
                del ways[_COPIES:]

    def _choose(self, parts: Iterable[Part]) -> Part:
        whole = Part()
        for part in parts:
            whole.first |= part.first
            whole.last |= part.last
            whole.empty += part.empty
        return whole

    def _repeat(self, least: int, most: int, body: Sequence[Any]) -> Part:
        whole = Part(empty=[_ALL])
        for _ in range(min(least, _COPIES)):
            whole = self._join(whole, self._read(body))
        if most >= MANY:
            more = self._read(body)
            self._link(more, more)
            return self._join(whole, Part(more.first, more.last, [_ALL]))
        rest = Part(empty=[_ALL])
        for _ in range(min(most - least, _COPIES)):
            rest = self._join(self._read(body), rest)
            rest = Part(rest.first, rest.last, [_ALL])
        return self._join(whole, rest)

    def _repeat_possessively(self, least: int, most: int, body: Sequence[Any]) -> Part:
        """Read a run that gives nothing back: of one kind of characters none follows it."""
        part = self._repeat(least, most, body)
        is_run = len(body) == 1 and body[0][0] in _CHARACTERS
        others = ~self._mask(*body[0]) if is_run else _ALL
        last = {
            state: [mask & others for mask in masks] if most >= MANY else masks
            for state, masks in part.last.items()
        }
        return Part(part.first, last, [mask & others for mask in part.empty])

    def _mask_after(self, place: Any) -> int:
        """Return the mask of what may come after a place such as the end of the text."""
        if place is codes.AT_END_STRING:
            return 0
        return self._mask(codes.LITERAL, ord("\n")) if place is codes.AT_END else _ALL

    def _mask_ahead(self, direction: int, body: Sequence[Any], *, negated: bool = False) -> int:
        """Return the mask of what may come after an assertion about the next character."""
        if direction < 0 or len(body) != 1 or body[0][0] not in _CHARACTERS:
            return _ALL
        mask = self._mask(*body[0])
        return ~mask if negated else mask

    def _mask(self, code: Any, value: Any) -> int:
        return sum(
            1 << bit for bit, char in enumerate(self._alphabet) if self._is_in(char, code, value)
        )

    def _is_in(self, char: str, code: Any, value: Any) -> bool:
        if self._flags & re.IGNORECASE:
            return any(_is_in(each, code, value) for each in {char, char.lower(), char.upper()})
        return _is_in(char, code, value)


_CHARACTERS = (codes.LITERAL, codes.NOT_LITERAL, codes.IN, codes.ANY)
_CATEGORIES = {
    codes.CATEGORY_DIGIT: r"\d",
    codes.CATEGORY_NOT_DIGIT: r"\D",
    codes.CATEGORY_SPACE: r"\s",
    codes.CATEGORY_NOT_SPACE: r"\S",
    codes.CATEGORY_WORD: r"\w",
    codes.CATEGORY_NOT_WORD: r"\W",
}


def _is_in(char: str, code: Any, value: Any) -> bool:
    if code is codes.LITERAL:
        return char == chr(value)
    if code is codes.NOT_LITERAL:
        return char != chr(value)
    if code is codes.RANGE:
        return len(char) == 1 and value[0] <= ord(char) <= value[1]
    if code is codes.CATEGORY:
        return re.fullmatch(_CATEGORIES[value], char) is not None
    if code is codes.IN:
        is_negated = value[0][0] is codes.NEGATE
        return is_negated != any(_is_in(char, *each) for each in value[is_negated:])
    return True


def _list_literals(items: Any) -> Iterator[str]:
    """Yield the characters that a pattern names."""
    if isinstance(items, tuple) and len(items) == 2 and items[0] in _CHARACTERS[:2]:
        yield chr(items[1])
    elif isinstance(items, tuple) and len(items) == 2 and items[0] is codes.RANGE:
        yield from map(chr, items[1])
    elif isinstance(items, tuple | list | parser.SubPattern):
        for each in items:
            yield from _list_literals(each)


def _returns(edges: dict[tuple[int, int], set[tuple[int, int]]]) -> bool:
    """Return whether a pair of different states leads to a pair of equal ones."""
    before: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for pair, following in edges.items():
        for each in following:
            before[each].append(pair)
    waiting = [pair for pair in edges if pair[0] == pair[1]]
    known = set(waiting)
    while waiting:
        for pair in before[waiting.pop()]:
            if pair[0] != pair[1]:
                return True
            if pair not in known:
                known.add(pair)
                waiting.append(pair)
    return False


def find_ambiguous(pattern: re.Pattern[Any]) -> Iterator[str]:
    """Yield the bodies of the pattern's repetitions that can match one text in two ways."""
    flags = pattern.flags & ~re.DEBUG
    text = pattern.pattern
    tree = parser.parse(text, flags)
    groups = dict(_list_groups(tree))
    for body in _list_repeated(tree):
        if Automaton(body, flags, groups).is_ambiguous():
            yield repr(body)


def _list_groups(items: Any) -> Iterator[tuple[int, Any]]:
    """Yield the number and the item of each group of one item."""
    for code, value in items:
        if code is codes.SUBPATTERN and value[0] and len(value[3]) == 1:
            yield value[0], value[3][0]
        for part in _list_parts(code, value):
            yield from _list_groups(part)


def _list_parts(code: Any, value: Any) -> list[Any]:
    """Return the patterns within an item."""
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        return [value[2]]
    if code is codes.BRANCH:
        return value[1]
    if code is codes.SUBPATTERN:
        return [value[3]]
    if code is codes.ATOMIC_GROUP:
        return [value]
    return [value[1]] if code in (codes.ASSERT, codes.ASSERT_NOT) else []


def _list_repeated(items: Any) -> Iterator[Any]:
    """Yield the bodies of repetitions that may give back what they matched."""
    for code, value in items:
        is_repeated = code in (codes.MAX_REPEAT, codes.MIN_REPEAT) and value[1] >= MANY
        if is_repeated and not (len(value[2]) == 1 and value[2][0][0] in _CHARACTERS):
            yield value[2]
        for part in _list_parts(code, value):
            yield from _list_repeated(part)


# Tests --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pattern", "is_ambiguous"),
    [
        (r"(a+)+b", True),
        (r"(?:a|ab|b)*c", True),
        (r"(?:\w\w?)*x", True),
        (r"(?:\s*a?\s*)*b", True),
        (r"(?:!{2,}|!)+$", True),
        (r"(?:\d{1,3})+x", True),
        (r"(?:👍[🏽♀]*|♀)+x", True),
        (r"(?:👍[🏽♀]*+|♀)+x", False),
        (r"(?:a+b)+c", False),
        (r"(?:a|b|cd)*e", False),
        (r"(?: \w+)*x", False),
        (r"(?:\s++a?)*b", False),
        (r"(?:a+)*+b", False),
        (r"(?:[^\n]*(?:\n|\Z))*x", False),
        (r"([,;])(?:\1[^,;]*)*\n", False),
        (r"(?:=+(?![-=>])|[-=]+>)+x", False),
        (r"(?:=|[-=]+>)+x", True),
        (r"(?:[^<>]|<(?!/))*</", False),
        (r"\d+\s*\d+x", False),
    ],
)
def test_ambiguity_is_recognised(pattern: str, *, is_ambiguous: bool) -> None:
    assert bool(list(find_ambiguous(re.compile(pattern)))) == is_ambiguous


def test_no_repetition_matches_one_text_in_two_ways() -> None:
    found = {
        name
        for name, pattern in name_patterns().items()
        if isinstance(pattern.pattern, str) and any(find_ambiguous(pattern))
    }
    assert found == set(ALLOWED)
