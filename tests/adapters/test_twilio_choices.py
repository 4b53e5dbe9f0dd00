"""Buttons as Twilio's Content API wants them, and as text where it does not."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from adapters.base import MAX_BODY, MAX_DESCRIPTION, write_options_as_text
from adapters.twilio.adapter import to_content
from bot.messages.outgoing import Button, TextBody


def offering(labels: Sequence[str], text: str = "Capitale ?", full: Sequence[str] = ()) -> TextBody:
    """`full` are the labels that the text lists under letters."""
    buttons = [Button(label, f"token {place}") for place, label in enumerate(labels)]
    choices = [Button(label, f"token {place}") for place, label in enumerate(full or labels)]
    rows = tuple((button,) for button in buttons)
    return TextBody(text, buttons=rows, choices=tuple(choices))


def types(body: TextBody) -> Any:
    content = to_content(body)
    assert content is not None
    return content["types"]


def test_up_to_three_are_quick_replies() -> None:
    assert types(offering(["Paris", "Lyon", "Nice"])) == {
        "twilio/quick-reply": {
            "body": "Capitale ?",
            "actions": [
                {"type": "QUICK_REPLY", "title": "Paris", "id": "token 0"},
                {"type": "QUICK_REPLY", "title": "Lyon", "id": "token 1"},
                {"type": "QUICK_REPLY", "title": "Nice", "id": "token 2"},
            ],
        }
    }


def test_up_to_ten_are_a_list() -> None:
    picker = types(offering([str(number) for number in range(10)]))["twilio/list-picker"]
    assert picker["items"][9] == {"item": "9", "id": "token 9"}
    assert len(picker["items"]) == 10
    assert 1 <= len(picker["button"]) <= 20


def test_a_row_of_a_list_explains_its_letter() -> None:
    long = "x" * 100
    body = offering("ABCD", full=["Paris", "Lyon", "Nice", long])
    items = types(body)["twilio/list-picker"]["items"]
    assert items[0] == {"item": "A", "id": "token 0", "description": "Paris"}
    assert len(items[3]["description"]) == MAX_DESCRIPTION


@pytest.mark.parametrize(
    "body",
    [
        offering([str(number) for number in range(11)]),
        offering(["Paris"], text="x" * (MAX_BODY + 1)),
        offering(["Paris"], text=""),
        offering(["Paris"], text="Que fait {{1}} ?"),
        offering(["{{1}}"]),
        offering("ABCD", full=["{{1}}", "b", "c", "d"]),
    ],
)
def test_what_twilio_cannot_show_so_is_no_content(body: TextBody) -> None:
    assert to_content(body) is None


def test_as_text_the_options_are_numbered() -> None:
    assert write_options_as_text(offering(["Paris", "Lyon"])) == "Capitale ?\n\n1) Paris\n2) Lyon"
    assert write_options_as_text(offering(["Paris", "Lyon"], text="")) == "1) Paris\n2) Lyon"


def test_numbers_are_lettered_so_that_2_means_2() -> None:
    assert write_options_as_text(offering(["3", "2"])) == "Capitale ?\n\nA) 3\nB) 2"


def test_options_that_the_text_lists_are_not_listed_again() -> None:
    text = "Capitale ?\n\nA) Paris sur Seine\nB) Lyon"
    assert write_options_as_text(offering("AB", text, full=["Paris sur Seine", "Lyon"])) == text


def test_buttons_that_nobody_listed_as_choices_are_numbered_too() -> None:
    body = TextBody("Et ?", buttons=((Button("Oui", "t"), Button("Non", "u")),))
    assert write_options_as_text(body) == "Et ?\n\n1) Oui\n2) Non"
