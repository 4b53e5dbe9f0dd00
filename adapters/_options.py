"""What both ways to WhatsApp share about buttons and lists, and options as lines of text. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from bot.messages import Button, TextBody

MAX_REPLIES = 3
MAX_ROWS = 10
MAX_BODY = 1024
"""Characters above them."""
MAX_DESCRIPTION = 72
_OPEN_LIST = "☰"
"""On the button that opens a list, where nothing is said in words."""


def buttons_of(body: TextBody) -> list[Button]:
    return [button for row in body.buttons for button in row]


def list_label_of(body: TextBody) -> str:
    """What the button says that opens a list: never empty, which both ways refuse."""
    return body.list_label or _OPEN_LIST


def description_of(button: Button, body: TextBody) -> str:
    """What explains a row of a list whose label is but a letter; empty where nothing does."""
    full = {choice.token: choice.label for choice in body.choices}.get(button.token, "")
    if full in {"", button.label}:
        return ""
    return full if len(full) <= MAX_DESCRIPTION else full[: MAX_DESCRIPTION - 1].rstrip() + "…"


def to_text(body: TextBody) -> str:
    """The same as text: the options are lines, unless the text lists them already."""
    options = body.choices or tuple(buttons_of(body))
    shown = {button.label for button in buttons_of(body)}
    if any(option.label not in shown for option in options):
        return body.text
    lines = [f"{mark}) {option.label}" for mark, option in _marked(options)]
    return "\n".join([f"{body.text}\n", *lines] if body.text else lines)


def _marked(options: Sequence[Button]) -> list[tuple[str, Button]]:
    """Numbered, or lettered where a number could be taken for another option's text."""
    letters = any(option.label.strip().isdigit() for option in options)
    marks = [chr(ord("A") + place) if letters else str(place + 1) for place in range(len(options))]
    return list(zip(marks, options, strict=True))
