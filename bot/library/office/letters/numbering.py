"""Lists with real numbers, which begin anew in every list."""

from __future__ import annotations

from typing import Final

from bot.library.office import look
from bot.library.office.letters.markup import fonts, tag
from bot.library.office.xml import Element

LEVELS: Final = 9
"""As many as the format has."""
_INDENT: Final = 425
"""Of a level, in twentieths of a point: 0.75 cm."""
_BULLETS: Final = ("•", "–", "▪")
_NUMBERS: Final = (("decimal", "%{}."), ("lowerLetter", "%{}."), ("lowerRoman", "%{}."))
_BULLETED, _NUMBERED = 90, 91
_FIRST = 100


class Numbering:
    """The numbers of a document's lists.

    Args:
        part: its `w:numbering` element, to which the lists are added.
    """

    def __init__(self, part: Element) -> None:
        self._part = part
        self._next = _FIRST
        for child in list(part):  # those of the template, which nothing uses
            part.remove(child)
        part.append(_describe(_BULLETED, ordered=False))
        part.append(_describe(_NUMBERED, ordered=True))

    def begin(self, *, ordered: bool, level: int, start: int = 1) -> str:
        """A new list; its id."""
        number = str(self._next)
        self._next += 1
        described = tag("abstractNumId", val=str(_NUMBERED if ordered else _BULLETED))
        made = tag("num", described, numId=number)
        if ordered:
            anew = tag("startOverride", val=str(start))
            made.append(tag("lvlOverride", anew, ilvl=str(level)))
        self._part.append(made)
        return number


def indent(level: int, *, hanging: bool = False) -> Element:
    """Of what stands in an item of that level."""
    left = str(_INDENT * (level + 1))
    return tag("ind", left=left, hanging=str(_INDENT)) if hanging else tag("ind", left=left)


def numbered(number: str, level: int) -> Element:
    return tag("numPr", tag("ilvl", val=str(level)), tag("numId", val=number))


def _describe(number: int, *, ordered: bool) -> Element:
    made = tag(
        "abstractNum", tag("multiLevelType", val="hybridMultilevel"), abstractNumId=str(number)
    )
    for level in range(LEVELS):
        made.append(_describe_level(level, ordered=ordered))
    return made


def _describe_level(level: int, *, ordered: bool) -> Element:
    kind, form = _NUMBERS[level % len(_NUMBERS)] if ordered else ("bullet", "")
    mark = form.format(level + 1) if ordered else _BULLETS[level % len(_BULLETS)]
    look_of_mark = [fonts(look.FONT), tag("color", val=look.DEEP)]
    return tag(
        "lvl",
        tag("start", val="1"),
        tag("numFmt", val=kind),
        tag("lvlText", val=mark),
        tag("lvlJc", val="left"),
        tag("pPr", indent(level, hanging=True)),
        tag("rPr", *look_of_mark),
        ilvl=str(level),
    )
