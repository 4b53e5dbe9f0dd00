"""The parts of a formula that scripts are set at, and how they stand in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.library.office.letters import omml
from bot.library.office.xml import Element

_SEPARATING: Final = frozenset("=<>≤≥≠≈≡+−±,;→⇒⇔↦∈")
"""What ends the body of a sum."""


@dataclass
class Atom:
    """What scripts can be set at."""

    elements: list[Element]
    char: str = ""
    """If it is a single character."""
    is_large: bool = False
    has_limits: bool = False
    below: list[Element] = field(default_factory=list[Element])
    above: list[Element] = field(default_factory=list[Element])

    def finish(self, body: Sequence[Element] = ()) -> list[Element]:
        if self.is_large:
            return [omml.large(self.char, self.below, self.above, body)]
        if not (self.below or self.above):
            return self.elements
        base = self.elements or [omml.run("\u200b")]
        shape = omml.limits if self.has_limits else omml.scripts
        return [shape(base, self.below, self.above)]


def join(atoms: Sequence[Atom]) -> list[Element]:
    """All in a row; sums have what follows them, up to the next relation, as their body."""
    elements: list[Element] = []
    for atom in reversed(atoms):
        if not atom.is_large:
            elements[:0] = atom.finish()
            continue
        end = next((i for i, each in enumerate(elements) if _separates(each)), len(elements))
        body, elements = elements[:end], elements[end:]
        elements.insert(0, atom.finish(body)[0])
    return elements


def _separates(element: Element) -> bool:
    return element.tag == f"{{{omml.M}}}r" and "".join(element.itertext()) in _SEPARATING
