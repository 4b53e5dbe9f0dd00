"""A formula of a file while its elements come in: spelled from within, and bounded."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from itertools import chain

from bot.library.reading.linear import Kind, Piece, Run, join, read_words

_MOST = 10_000
"""Characters and elements of one formula."""
_DEEPEST = 100
"""Elements of a formula within one another."""


@dataclass(slots=True)
class Part:
    """An element of a formula, and what its children have become."""

    name: str
    settings: dict[str, str]
    children: list[tuple[str, Run]] = field(default_factory=list[tuple[str, Run]])
    """By their names; text has none."""

    @property
    def raw(self) -> str:
        """The text right in it."""
        return "".join(piece.text for name, run in self.children if not name for piece in run)

    @property
    def elements(self) -> list[Run]:
        return [run for name, run in self.children if name]

    @property
    def whole(self) -> Run:
        """All its pieces side by side."""
        return list(chain.from_iterable(_read(name, run) for name, run in self.children))

    def named(self, name: str) -> list[Run]:
        return [run for child, run in self.children if child == name]

    def first(self, name: str) -> Run:
        """Of what is called so; empty if there is none."""
        named = self.named(name)
        return named[0] if named else []

    def at(self, place: int) -> Run:
        """The element at a place, from 0; empty if there are not so many."""
        elements = self.elements
        return elements[place] if place < len(elements) else []


Rules = Mapping[str, Callable[[Part], Run]]
"""What becomes of an element; of those that are not named, their children side by side."""


def _read(name: str, run: Run) -> Run:
    return run if name else list(chain.from_iterable(read_words(piece.text) for piece in run))


class Formula:
    """Is told of elements and text in their order, from its own first element on."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._open = [Part("", {})]
        self._size = 0

    @property
    def depth(self) -> int:
        """How many elements are open, without its own."""
        return len(self._open) - 1

    @property
    def is_beyond_bounds(self) -> bool:
        """Larger or deeper than what anyone writes: to be given up."""
        return self._size > _MOST or self.depth > _DEEPEST

    def start(self, name: str, settings: Mapping[str, str]) -> None:
        self._size += 1
        self._open.append(Part(name, dict(settings)))

    def end(self) -> None:
        part = self._open.pop()
        spell = self._rules.get(part.name)
        self._open[-1].children.append((part.name, spell(part) if spell else part.whole))

    def set(self, name: str, value: str) -> None:
        """A setting of the element around the one that is open, which only holds settings."""
        if self.depth > 1:
            self._open[-2].settings[name] = value

    def is_within(self, end: str) -> bool:
        """Whether the name of the open element ends so."""
        return self._open[-1].name.endswith(end)

    def text(self, text: str) -> None:
        self._size += len(text)
        self._open[-1].children.append(("", [Piece(text, Kind.WORD)]))

    def spell(self) -> str:
        """The formula in one line; of one that is given up, its parts so far."""
        return " ".join(filter(None, (join(part.whole).text for part in self._open)))
