"""The parts of a formula that scripts are set at, and how they stand in a row."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from bot.library.office import omml
from bot.library.office.xml import Element

_EMPTY: Final = "\u200b"
"""What stands where Word would show an empty box."""
THIN: Final = "\u2009"
_SEPARATING: Final = frozenset("=<>≤≥≠≈≡+−±,;→⇒⇔↦∈")
"""What ends the body of a sum."""
_OPENING: Final = frozenset("([{⟨⌊⌈")
_CLOSING: Final = frozenset(")]}⟩⌋⌉")
_BARS: Final = frozenset("|‖")


@dataclass
class Atom:
    """What scripts can be set at."""

    elements: list[Element]
    char: str = ""
    """If it is a single character."""
    is_large: bool = False
    is_function: bool = False
    has_limits: bool | None = None
    """Whether scripts stand under and over it; None: as is usual for it."""
    below: list[Element] = field(default_factory=list[Element])
    above: list[Element] = field(default_factory=list[Element])

    @property
    def is_bare(self) -> bool:
        """Whether it is scripts alone, which belong to what follows."""
        return not (self.elements or self.char) and bool(self.below or self.above)

    @property
    def is_word(self) -> bool:
        """Whether a function's name needs a space before it."""
        if self.char:
            return self.char.isalnum()
        return bool(self.elements) and self.elements[0].tag != f"{{{omml.M}}}d"

    def finish(self, body: Sequence[Element] = ()) -> list[Element]:
        if self.is_large:
            return [omml.large(self.char, self.below, self.above, body, limits=self.has_limits)]
        if not (self.below or self.above):
            return self.elements
        base = self.elements or [omml.run(_EMPTY)]
        shape = omml.limits if self.has_limits else omml.scripts
        made = shape(base, self.below, self.above)
        return [omml.function([made], body)] if self.has_body else [made]

    @property
    def has_body(self) -> bool:
        """Whether what follows, up to the next relation, belongs to it."""
        is_limit = self.is_function and bool(self.has_limits) and bool(self.below)
        return self.is_large or is_limit


def join_atoms(atoms: Sequence[Atom]) -> list[Element]:
    """All in a row; sums and limits have what follows them as their body."""
    elements: list[Element] = []
    following: Atom | None = None
    for atom in reversed(_bracket_atoms(atoms)):
        if atom.has_body:
            end = _find_end(elements)
            body, elements = elements[:end], elements[end:]
            elements.insert(0, atom.finish(body)[0])
        elif atom.is_bare and elements:
            elements[:1] = [omml.prescripts(elements[:1], atom.below, atom.above)]
        else:
            if following and _need_gap(atom, following):
                elements.insert(0, omml.run(THIN))
            elements[:0] = atom.finish()
        following = atom
    return _merge_words(elements)


def _merge_words(elements: Sequence[Element]) -> list[Element]:
    """The elements, letters of a word that stand side by side as one run."""
    merged: list[Element] = []
    for element in elements:
        if merged and _is_word(merged[-1]) and _is_word(element):
            text = "".join(merged[-1].itertext()) + "".join(element.itertext())
            merged[-1] = omml.run(text, "text")
        else:
            merged.append(element)
    return merged


def _is_word(element: Element) -> bool:
    is_text = element.find(f"{{{omml.M}}}rPr/{{{omml.M}}}nor") is not None
    return is_text and "".join(element.itertext()).isalpha()


def _need_gap(left: Atom, right: Atom) -> bool:
    """Whether a narrow space parts a function's name from its neighbour."""
    return (left.is_function or right.is_function) and left.is_word and right.is_word


def _find_end(elements: Sequence[Element]) -> int:
    """Where a body ends: at a relation, or at a bracket that was opened before it."""
    depth = 0
    for index, element in enumerate(elements):
        text = "".join(element.itertext()) if element.tag == f"{{{omml.M}}}r" else ""
        depth += (text in _OPENING) - (text in _CLOSING)
        if depth < 0 or (not depth and text in _SEPARATING):
            return index
    return len(elements)


def _bracket_atoms(atoms: Sequence[Atom]) -> list[Atom]:
    """The atoms, those between bars, and between brackets that have a script, as one.

    Other programs than Word do not take a lone bracket for what a script is set at, nor a bar
    for a bracket.
    """
    made: list[Atom] = []
    opened: list[int] = []
    for atom in atoms:
        char = atom.char
        if char in _BARS and _closes_bar(made, opened, char):
            made = _enclose(made, opened.pop(), atom)
        elif char in _OPENING or char in _BARS:
            opened.append(len(made))
            made.append(atom)
        elif char in _CLOSING:
            while opened and made[opened[-1]].char in _BARS:
                opened.pop()
            start = opened.pop() if opened else -1
            if start >= 0 and (atom.below or atom.above):
                made = _enclose(made, start, atom)
            else:
                made.append(atom)
        else:
            made.append(atom)
    return made


def _closes_bar(made: Sequence[Atom], opened: Sequence[int], char: str) -> bool:
    """Whether the bar `char` ends what the last bar has begun."""
    if not opened or made[opened[-1]].char != char or opened[-1] == len(made) - 1:
        return False
    return not (made[-1].char and made[-1].char in _SEPARATING)


def _enclose(made: list[Atom], start: int, closing: Atom) -> list[Atom]:
    inner = join_atoms(made[start + 1 :])
    whole = omml.bracketed(made[start].char, closing.char, inner)
    atom = Atom([whole], below=closing.below, above=closing.above)
    return [*made[:start], atom]
