"""Reads one formula of LaTeX, token by token, and writes it as Typst."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from bot.library.typesetting import notation
from bot.library.typesetting.environments import Grid, lay_out_lines
from bot.library.typesetting.source import EMPTY, Untypesettable, call, join, literal, string
from bot.library.typesetting.tokens import Tokens

_DEEPEST: Final = 40
_RULES: Final = ("\\hline", "\\toprule", "\\midrule", "\\bottomrule")
_SCRIPTS: Final = {"^": "t", "_": "b"}


class Reader:
    """What it reads comes out as Typst.

    Args:
        structures: what reads the arguments of each command that builds something of them.
    """

    def __init__(self, latex: str, structures: Structures, depth: int = 0) -> None:
        self.tokens = Tokens(latex)
        self._structures = structures
        self._depth = depth
        self._stops: list[tuple[str, ...]] = []

    def read(self) -> list[str]:
        """All of it, in parts; several lines are one part."""
        rows, _ = self._cells("")
        if len(rows) == 1 and len(rows[0]) == 1:
            return rows[0][0]
        return [lay_out_lines(Grid([[join(cell) for cell in row] for row in rows]))]

    def sequence(self, *stops: str) -> list[str]:
        """What comes before one of `stops`, which is not taken; "" stands for the end."""
        self._descend()
        self._stops.append(stops)
        parts: list[str] = []
        while (part := self.tokens.peek()) and part not in stops:
            self._read(self.tokens.take(), parts)
        if part not in stops:
            raise Untypesettable("Something is not closed.")
        self._stops.pop()
        self._depth -= 1
        return parts

    def argument(self) -> str:
        """What the next braces hold, or a single token."""
        part = self.tokens.take_visible()
        if part == "{":
            return join(self._closed("}"))
        if not part or part in "^_'":
            raise Untypesettable("An argument is missing.")
        if part.isdigit():
            return literal(part)
        self._descend()
        parts: list[str] = []
        self._read(part, parts)
        self._depth -= 1
        return join(parts)

    def optional(self) -> str:
        """What the next square brackets hold; "" if there are none."""
        if self.tokens.peek_visible() != "[":
            return ""
        self.tokens.expect("[")
        return join(self._closed("]"))

    def words(self) -> str:
        """Upright text, in which mathematics may stand between dollar signs."""
        parts: list[str] = []
        texts = re.split(r"(?<!\\)\$", self.tokens.raw_argument())
        if len(texts) % 2 == 0:
            raise Untypesettable("A dollar sign is missing.")
        for index, text in enumerate(texts):
            if index % 2:
                parts += Reader(text, self._structures, self._depth + 1).read()
            elif text:
                parts.append(string(re.sub(r"\\(.)|[{}~]", _unescape, text)))
        return join(parts) or EMPTY

    def grid(self, end: str) -> Grid:
        """Rows of cells up to and with `end`."""
        rows, rules = self._cells(end)
        return Grid([[join(cell) for cell in row] for row in rows], rules)

    def _descend(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise Untypesettable("It is nested too deeply.")

    def _closed(self, end: str) -> list[str]:
        parts = self.sequence(end)
        self.tokens.take()
        return parts

    def _cells(self, end: str) -> tuple[list[list[list[str]]], list[int]]:
        """The parts of each cell of each row, and the rows before which a line is drawn."""
        rows: list[list[list[str]]] = []
        rules: list[int] = []
        stop = "\\\\"
        while stop != end:
            if stop == "\\\\":
                self._begin_row(len(rows), rules)
                rows.append([])
            rows[-1].append(self.sequence("&", "\\\\", end))
            stop = self.tokens.take()
        return rows, rules

    def _begin_row(self, index: int, rules: list[int]) -> None:
        if index:
            self.tokens.skip_gap()
        while self.tokens.peek_visible() in _RULES:
            self.tokens.take_visible()
            rules.append(index)

    def _read(self, part: str, parts: list[str]) -> None:
        if part in ("}", "&", "\\", "\\\\", "$"):
            raise Untypesettable(f"{part!r} stands where it means nothing.")
        if part == "{":
            parts.append(self._group())
        elif part in "^_'":
            self._scripts(part, parts)
        elif part[0] == "\\":
            self._command(part[1:], parts)
        elif _is_digit(part):
            parts.append(self._number(part))
        elif not part.isspace():
            parts.append("tie" if part == "~" else literal(part))

    def _group(self) -> str:
        """What stands before the closing brace; a sign alone loses the space around it."""
        parts = self._closed("}")
        if len(parts) == 1 and parts[0][0] == "\\":
            return call("class", '"normal"', parts[0])
        return join(parts) or EMPTY

    def _number(self, digits: str) -> str:
        """A number whole, with its point or comma: `2,5` stays closed up as it was written."""
        while True:
            mark = self.tokens.peek()
            if _is_digit(mark):
                digits += self.tokens.take()
            elif mark in (".", ",") and _is_digit(self.tokens.peek(1)):
                self.tokens.take()
                digits += "." if mark == "." else call("class", '"normal"', literal(","))
            else:
                return digits

    def _scripts(self, mark: str, parts: list[str]) -> None:
        """All that is raised and lowered at the last part; or, if there is none, at the next."""
        base = parts.pop() if parts else EMPTY
        primes, places = 0, dict[str, str]()
        while mark:
            if mark == "'":
                primes += 1
            elif _SCRIPTS[mark] in places:
                raise Untypesettable("Two scripts stand at one place.")
            else:
                places[_SCRIPTS[mark]] = self.argument()
            mark = self._script_mark()
        if primes:
            places["t"] = join([f"primes(#{primes})", places.get("t", "")])
        if base == EMPTY and self._begins_atom():
            base = self.argument()
            places = {f"{place}l": text for place, text in places.items()}
        parts.append(call("attach", base, **places))

    def _script_mark(self) -> str:
        ahead = self.tokens.peek_visible()
        return self.tokens.take_visible() if ahead and ahead in "^_'" else ""

    def _begins_atom(self) -> bool:
        ahead = self.tokens.peek_visible()
        named = ahead[1:] in notation.TEXTS or ahead[1:] in notation.WRAPPERS
        return ahead.isalpha() or named

    def _command(self, name: str, parts: list[str]) -> None:
        if name in ("limits", "nolimits") and parts:
            parts.append(call("limits" if name == "limits" else "scripts", parts.pop()))
        elif style := notation.SWITCHES.get(name):
            parts.append(call(style, join(self.sequence(*self._stops[-1]))))
        elif name not in notation.IGNORED:
            parts.append(self._word(name) or self._with_arguments(name))

    def _word(self, name: str) -> str:
        """A command without arguments; "" if it is none."""
        if name in notation.SYMBOLS:
            return literal(notation.SYMBOLS[name])
        if name in notation.FUNCTIONS:
            return call("op", string(notation.FUNCTIONS[name]))
        if name in notation.LIMITS:
            return call("op", string(notation.LIMITS[name]), limits="#true")
        return notation.SPACES.get(name, "") or notation.NUMBERS.get(name, "")

    def _with_arguments(self, name: str) -> str:
        if name in notation.WRAPPERS:
            return call(notation.WRAPPERS[name], self.argument())
        if name in notation.TEXTS:
            style = notation.TEXTS[name]
            return call(style, self.words()) if style else self.words()
        if name in self._structures:
            return self._structures[name](self)
        raise Untypesettable("It holds a command that is not known here.")


Structures = Mapping[str, Callable[[Reader], str]]


def _is_digit(part: str) -> bool:
    return part.isascii() and part.isdigit()


def _unescape(found: re.Match[str]) -> str:
    """What an escape in text stands for."""
    char = found[1]
    if char is None:
        return " " if found[0] == "~" else ""
    if char.isalnum():
        raise Untypesettable("It holds a command within words.")
    return " " if char in ",;: \\" else char
