"""Tell quickly that a regular expression does not match, by text that each match contains.

RE2 calls this a prefilter, and the pieces of text its atoms. Of hundreds of rules few match in a
sentence: to look for their atoms costs a tenth of the searches.
"""

from __future__ import annotations

import importlib
import operator
from collections.abc import Sequence
from itertools import chain
from typing import Any, Final

_opcodes: Any = importlib.import_module("re._constants")  # neither module has types
_parser: Any = importlib.import_module("re._parser")
_Tree = Sequence[tuple[Any, Any]]
"""A parsed expression: opcodes with their arguments, as the standard library compiles them."""
_REPEATS: Final = (_opcodes.MAX_REPEAT, _opcodes.MIN_REPEAT, _opcodes.POSSESSIVE_REPEAT)
_LONG: Final = 4
"""Characters from which an atom is as good as a longer one."""


class PatternSet:
    """Many regular expressions without flags, of which those are found that may match a text.

    Args:
        signs: characters that are counted: an expression with two of them matches no text with one.
    """

    def __init__(self, patterns: Sequence[str], signs: str) -> None:
        self._signs = signs
        self._groups: dict[tuple[int, ...], dict[str, list[int]]] = {}
        """By how many of each sign they want: the expressions that want an atom; those under the
        empty one want none."""
        for number, pattern in enumerate(patterns):
            tree = _parser.parse(pattern)
            least = tuple(_count(tree, sign) for sign in signs)
            by_atom = self._groups.setdefault(least, {})
            for atom in _find_atoms(tree) or ("",):
                by_atom.setdefault(atom, []).append(number)

    def find_possible(self, text: str) -> list[int]:
        """Return the indices of the expressions that may match."""
        counts = [text.count(sign) for sign in self._signs]
        found = (
            numbers
            for least, by_atom in self._groups.items()
            if all(map(operator.ge, counts, least))
            for atom, numbers in by_atom.items()
            if atom in text
        )
        return sorted(set(chain.from_iterable(found)))


def _find_atoms(tree: _Tree) -> frozenset[str]:
    """Return the atoms of a sequence: those of the part whose shortest atom is longest; none if
    nothing is known."""
    found = [frozenset([run]) for run in _find_runs(tree)]
    for opcode, argument in tree:
        if (group := _get_group(opcode, argument)) is not None:
            found.append(_find_atoms(group))
        elif opcode is _opcodes.ASSERT:
            found.append(_find_atoms(argument[1]))
        elif opcode is _opcodes.BRANCH:
            branches = [_find_atoms(each) for each in argument[1]]
            found.append(frozenset[str]().union(*branches) if all(branches) else frozenset())
    return max(filter(None, found), key=_rank, default=frozenset[str]())


def _rank(atoms: frozenset[str]) -> tuple[int, int]:
    return min(_LONG, *map(len, atoms)), -len(atoms)


def _find_runs(tree: _Tree) -> list[str]:
    """Return the literal pieces of text that stand in a sequence itself."""
    runs = [""]
    for opcode, argument in tree:
        if opcode is _opcodes.LITERAL:
            runs[-1] += chr(argument)
        else:
            runs.append("")
    return [run for run in runs if run]


def _get_group(opcode: Any, argument: Any) -> _Tree | None:
    """Return the sequence of a group that is matched once at least."""
    if opcode is _opcodes.SUBPATTERN:
        return argument[3]
    if opcode is _opcodes.ATOMIC_GROUP:
        return argument
    return argument[2] if opcode in _REPEATS and argument[0] else None


def _count(tree: _Tree, sign: str) -> int:
    """Return how often at least a character stands in what a sequence matches."""
    total = 0
    for opcode, argument in tree:
        times = argument[0] if opcode in _REPEATS else 1
        if opcode is _opcodes.LITERAL:
            total += chr(argument) == sign
        elif opcode is _opcodes.BRANCH:
            total += min(_count(each, sign) for each in argument[1])
        elif (group := _get_group(opcode, argument)) is not None:
            total += times * _count(group, sign)
    return total
