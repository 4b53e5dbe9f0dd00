"""Choices under a text: as buttons where they fit, else listed in the text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from bot.contracts import Capabilities
from bot.gateway.render.styled import Styled
from bot.messages import Button

SHORT_LABEL = 16
"""Characters that fit a button of half the width of a phone."""
Rows = tuple[tuple[Button, ...], ...]


class Choices(NamedTuple):
    listing: str
    """Lines for the text, empty when the buttons say it all."""
    rows: Rows


def lay_out(buttons: Sequence[Button], capabilities: Capabilities) -> Choices:
    """How a channel shows `buttons`: tappable, lettered, or numbered where it has none.

    Listed buttons beyond what fits have no row: their letter or text answers all the same.
    """
    labels = [button.label for button in buttons]
    if capabilities.max_buttons == 0:
        return Choices(number(labels), ())
    most, longest = capabilities.max_buttons, capabilities.max_button_label
    if len(buttons) <= most and all(len(label) <= longest for label in labels):
        return Choices("", _in_rows(buttons, capabilities))
    lettered = [Button(letter(index), button.token) for index, button in enumerate(buttons[:most])]
    return Choices(list_lettered(labels), _in_rows(lettered, capabilities))


def number(labels: Sequence[str]) -> str:
    """`1) label`, a line each."""
    return "\n".join(f"{place}) {label}" for place, label in enumerate(labels, 1))


def list_lettered(labels: Sequence[str], line_end: str = "\n") -> str:
    """`A) label`, a line each."""
    return line_end.join(f"{letter(index)}) {label}" for index, label in enumerate(labels))


def letter(index: int) -> str:
    """A, B … Z, AA, AB …"""
    last = chr(ord("A") + index % 26)
    return last if index < 26 else letter(index // 26 - 1) + last


def stay_distinct(buttons: Sequence[Button], spell: Callable[[str], str]) -> bool:
    """Whether labels that differ (`du`, `dû`) still do when they are spelled otherwise."""
    labels = {button.label for button in buttons}
    return len({spell(label) for label in labels}) == len(labels)


def add_listing(styled: Styled, listing: str) -> Styled:
    """`styled` with the lines of `listing` under it."""
    if not listing:
        return styled
    return Styled(f"{styled.text}\n\n{listing}" if styled.text else listing, styled.spans)


def _in_rows(buttons: Sequence[Button], capabilities: Capabilities) -> Rows:
    """Two a row where rows exist (beside entities) and the labels are short, else one a row."""
    short = all(len(button.label) <= SHORT_LABEL for button in buttons)
    width = 2 if short and capabilities.markup == "entities" else 1
    return tuple(tuple(buttons[i : i + width]) for i in range(0, len(buttons), width))
