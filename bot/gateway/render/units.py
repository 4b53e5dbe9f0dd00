"""The pieces of a formula, and how they stand side by side so that none is misread."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

_SINGLE = re.compile(r"\d+(?:[.,]\d+)?|[^\W\d_][²³¹⁰-ₜ′]*|[√∛∜]?\([^()]*\)")
_TERM = re.compile(r"\w[\w²³¹⁰-ₜ′]*(?:\([^()]*\))?|[√∛∜]?\([^()]*\)")


class Unit(msgspec.Struct, frozen=True, gc=False):
    """What stands together; `kind` says what may touch it unchanged."""

    text: str
    kind: Literal["plain", "fraction", "function", "script"] = "plain"


def join(units: Sequence[Unit]) -> str:
    """The units in a row: fractions in brackets, and names apart, where they would touch others."""
    parts: list[str] = []
    before = ""
    for index, unit in enumerate(units):
        text = unit.text
        if unit.kind != "plain":
            after = units[index + 1].text[:1] if index + 1 < len(units) else ""
            text = _part(unit, before, after)
        parts.append(text)
        before = text[-1:] or before
    return "".join(parts)


def _part(unit: Unit, before: str, after: str) -> str:
    """The text of a unit that is not plain, between two characters."""
    text = unit.text
    follows = before.isalnum() or before == ")"
    if unit.kind == "fraction" and (follows or after.isalnum() or after in tuple("(√!")):
        text = f" ({text})" if before.isdigit() else f"({text})"
    if unit.kind == "function" and follows:
        text = " " + text
    if unit.kind in ("function", "script") and (after.isalnum() or after in tuple("√∛∜")):
        text += " "
    return text


def fraction(above: str, below: str) -> Unit:
    """`above/below`, each in brackets unless it is one term."""
    return Unit(f"{_bracket(above, _TERM)}/{_bracket(below, _SINGLE)}", "fraction")


def _bracket(text: str, simple: re.Pattern[str]) -> str:
    return text if simple.fullmatch(text) else f"({text})"
