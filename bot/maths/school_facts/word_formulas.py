"""Check formulas whose letters are words: `l'aire d'un rectangle = longueur × largeur`.

A formula is compared with the known one at several values of its variables. One with words that the
known formula does not have is not decided.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from bot.maths.reading.plain_words import read_values
from bot.maths.reading.vocabulary import DIGITS
from bot.maths.school_facts.fact_patterns import find_key, list_words

Values: TypeAlias = tuple[Fraction, ...]
"""The value of an expression for each choice of its variables."""
_PI: Final = Fraction(314159, 100000)
_SCALES: Final = {
    "double": Fraction(2), "twice": Fraction(2), "triple": Fraction(3), "moitie": Fraction(1, 2),
    "half": Fraction(1, 2), "tiers": Fraction(1, 3), "quart": Fraction(1, 4),
    "quarter": Fraction(1, 4),
}  # fmt: skip
_OPERATORS: Final = {
    "×": "*", "x": "*", "*": "*", "fois": "*", "times": "*", "multiplie par": "*",
    "multipliee par": "*", "multiplied by": "*", "·": "*", "÷": "/", "/": "/", ":": "/",
    "divise par": "/", "divisee par": "/", "divided by": "/", "sur": "/", "+": "+", "plus": "+",
    "-": "-", "–": "-", "moins": "-", "minus": "-",
}  # fmt: skip
_POWERS: Final = {"²": 2, "au carre": 2, "squared": 2, "³": 3, "au cube": 3, "cubed": 3}
_SKIPPED: Final = list_words("le la les l du de des d the of a an son sa ses its their leur par")
_TOKEN: Final = re.compile(
    rf"\s*(?:(?P<number>{DIGITS})|(?P<fraction>½)|(?P<power>²|³|au carre\b|au cube\b|squared\b"
    rf"|cubed\b)"
    r"|(?P<operator>[×*·÷/:+–-]|(?:multipliee? par|multiplied by|divisee? par|divided by|fois"
    r"|times|plus|moins"
    r"|minus|sur|x)\b)|(?P<open>\()|(?P<close>\))|(?P<word>[a-zπ]+(?:'(?=[a-z]))?))"
)  # fmt: skip
_NUMBER_WORDS: Final = {
    "deux": 2,
    "two": 2,
    "trois": 3,
    "three": 3,
    "quatre": 4,
    "four": 4,
    "cent": 100,
}
_MOST_VALUES: Final = 3
_VERBAL: Final = (
    (
        r"\b(?:multipli\w+|on fait le produit de) (.+?) (?:par|by) (.+)",
        r"(\1) × (\2)",
    ),
    (r"\b(?:divis\w+|divide) (.+?) (?:par|by) (.+)", r"(\1) ÷ (\2)"),
    (r"\b(?:additionn\w+|add) (.+?) (?:et|a|and|avec) (.+)", r"(\1) + (\2)"),
    (r"\b(?:ajout\w+) (.+?) (?:a|au|et) (.+)", r"(\1) + (\2)"),
)


class Unreadable(Exception):
    """The text is no formula in words that are known."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A known formula: its values at each choice of its variables, and the values of its parts."""

    written: str
    variables: tuple[str, ...]
    values: Values
    parts: frozenset[Values]


class FormulaReader:
    """Reads formulas in words.

    Args:
        names: the variable of each synonym.
        derived: for a variable, how many times another one it is: `diameter` is 2 × `radius`.
    """

    def __init__(self, names: Mapping[str, str], derived: Mapping[str, tuple[int, str]]) -> None:
        self._names = {find_key(name): variable for name, variable in names.items()}
        variables = sorted(set(names.values()))
        self._assignments = [
            {name: Fraction(_find_prime(at, row)) for at, name in enumerate(variables)}
            for row in range(_MOST_VALUES)
        ]
        for values in self._assignments:
            for name, (factor, other) in derived.items():
                values[name] = factor * values[other]
            values["pi"] = _PI
        self._derived = derived

    def learn(self, text: str) -> Formula:
        """Return a known formula.

        Raises:
            Unreadable: it has other words.
        """
        parser = _Parser(text, self._names, self._assignments)
        values = parser.parse()
        known = self._expand(set(parser.used)) | {"pi"}
        return Formula(text, tuple(sorted(known)), values, frozenset(parser.parts))

    def _expand(self, used: set[str]) -> set[str]:
        """Return variables with those that are derived from them, or they from."""
        for name, (_, other) in self._derived.items():
            used = used | {name, other} if {name, other} & used else used
        return used

    def check(self, text: str, formula: Formula, *, is_verbal: bool) -> Iterable[str]:
        """Yield a reason if the text is another formula of the same variables, an empty one if it
        is the same.

        Args:
            is_verbal: whether it tells steps, of which further ones may follow.
        """
        try:
            parser = _Parser(text, self._names, self._assignments)
            values = parser.parse()
        except (Unreadable, ZeroDivisionError):
            return
        used = set(parser.used) - {"pi"}
        has_values = parser.has_numbers and not self._expand(used) >= set(formula.variables) - {
            "pi"
        }
        if not used or has_values or not used <= set(formula.variables):
            return
        pairs = zip(values, formula.values, strict=True)
        if all(abs(one - other) * 100 <= abs(other) for one, other in pairs):
            yield ""
        elif not (is_verbal and values in formula.parts):
            yield f"the formula is {formula.written}"


_PRIMES: Final = [n for n in range(11, 700) if all(n % d for d in range(2, int(n**0.5) + 1))]


def _find_prime(at: int, row: int) -> int:
    """Return a value for a variable; values of different variables are different primes."""
    return _PRIMES[(at * (2 * row + 1) + 5 * row) % len(_PRIMES)]


def write_steps(text: str) -> tuple[str, bool]:
    """Return a formula for a step in words (`on multiplie la base par la hauteur`), and whether it
    is one."""
    for pattern, replacement in _VERBAL:
        if found := re.search(pattern, text):
            return found.expand(replacement), True
    return text, False


class _Parser:
    """A parser by recursive descent, which computes all assignments at once."""

    def __init__(
        self, text: str, names: Mapping[str, str], assignments: Sequence[Mapping[str, Fraction]]
    ) -> None:
        self._names, self._assignments = names, assignments
        self._tokens = list(_tokenize(text, names))
        self._at = 0
        self.used: list[str] = []
        self.has_numbers = False
        self.parts: list[Values] = []

    def parse(self) -> Values:
        values = self._parse_sum()
        if self._at < len(self._tokens):
            raise Unreadable
        return values

    def _peek(self) -> tuple[str, str]:
        return self._tokens[self._at] if self._at < len(self._tokens) else ("", "")

    def _parse_sum(self) -> Values:
        return self._parse_operations("+-", self._parse_product)

    def _parse_product(self) -> Values:
        return self._parse_operations("*/", self._parse_power)

    def _parse_operations(self, signs: str, parse: Callable[[], Values]) -> Values:
        values = parse()
        while self._peek()[0] == "operator" and self._peek()[1] in signs:
            sign = self._peek()[1]
            self._at += 1
            others = parse()
            values = tuple(
                _apply(sign, one, other) for one, other in zip(values, others, strict=True)
            )
            self.parts.append(values)
        return values

    def _parse_power(self) -> Values:
        values = self._parse_atom()
        if self._peek()[0] == "power":
            exponent = _POWERS[self._peek()[1]]
            self._at += 1
            values = tuple(value**exponent for value in values)
            self.parts.append(values)
        return values

    def _parse_atom(self) -> Values:
        kind, text = self._peek()
        self._at += 1
        if kind == "number":
            self.has_numbers = True
            return tuple(min(read_values(text)) for _ in self._assignments)
        if kind == "scale":
            if self._peek()[0] == "operator" and self._peek()[1] in "*":
                self._at += 1
            inner = self._parse_power()
            return tuple(_SCALES[text] * value for value in inner)
        if kind == "variable":
            self.used.append(text)
            values = tuple(values[text] for values in self._assignments)
            self.parts.append(values)
            return values
        if kind == "open":
            values = self._parse_sum()
            if self._peek()[0] != "close":
                raise Unreadable
            self._at += 1
            return values
        raise Unreadable


def _apply(sign: str, one: Fraction, other: Fraction) -> Fraction:
    match sign:
        case "+":
            return one + other
        case "-":
            return one - other
        case "*":
            return one * other
        case _:
            return one / other


def _tokenize(text: str, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the kind and text of each token; the longest name of a variable is one token."""
    words: list[str] = []
    at = 0
    text = text.strip()
    while at < len(text):
        found = _TOKEN.match(text, at)
        if not found:
            raise Unreadable
        at = found.end()
        if found["word"]:
            words.append(found["word"].rstrip("'"))
            continue
        yield from _name_words(words, names)
        words = []
        if found["operator"]:
            yield "operator", _OPERATORS[found["operator"]]
        elif found["fraction"]:
            yield "scale", "half"
        else:
            kind = str(found.lastgroup)
            yield kind, found[kind]
    yield from _name_words(words, names)


def _name_words(words: Sequence[str], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Yield the variables, numbers and scales that words name."""
    rest = [word for word in words if word not in _SKIPPED]
    while rest:
        for length in range(min(4, len(rest)), 0, -1):
            name = names.get(find_key(" ".join(rest[:length])))
            if name:
                yield "variable", name
                rest = rest[length:]
                break
        else:
            word = rest.pop(0)
            if word in _SCALES:
                yield "scale", word
            elif word in _NUMBER_WORDS:
                yield "number", str(_NUMBER_WORDS[word])
            elif word in ("π", "pi"):
                yield "variable", "pi"
            else:
                raise Unreadable
