"""How WhatsApp shows options."""

from __future__ import annotations

import msgspec
import pytest

from adapters.base import write_options_as_text
from adapters.whatsapp.adapter import to_interactive
from bot.messages.outgoing import Button, TextBody
from tests.adapters.whatsapp_parts import TOKENS, asking


def lettered(*labels: str) -> TextBody:
    """As rendering lays out labels that are too long for a button."""
    choices = tuple(Button(*pair) for pair in zip(labels, TOKENS, strict=False))
    rows = tuple((Button(chr(65 + place), each.token),) for place, each in enumerate(choices))
    lines = "\n".join(f"{chr(65 + place)}) {label}" for place, label in enumerate(labels))
    return TextBody(f"Pourquoi ?\n\n{lines}", buttons=rows, choices=choices)


def test_three_options_are_buttons() -> None:
    assert to_interactive(asking("Paris", "Lyon", "Nice")) == {
        "type": "button",
        "body": {"text": "Capitale de la France ?"},
        "action": {
            "buttons": [
                {"type": "reply", "reply": {"id": token, "title": title}}
                for token, title in zip(TOKENS, ["Paris", "Lyon", "Nice"], strict=False)
            ]
        },
    }


def test_four_are_a_list_that_a_button_with_words_opens() -> None:
    asked = msgspec.structs.replace(asking("1", "2", "3", "4"), list_label="Choisir")
    shown = to_interactive(asked)
    assert shown is not None
    assert (shown["type"], shown["action"]["button"]) == ("list", "Choisir")
    assert shown["action"]["sections"] == [
        {"rows": [{"id": TOKENS[place], "title": str(place + 1)} for place in range(4)]}
    ]


def test_buttons_that_read_the_same_are_a_list_for_buttons_may_not() -> None:
    shown = to_interactive(asking("Oui", "Oui"))
    assert shown is not None
    assert shown["type"] == "list"


def test_the_rows_of_a_lettered_list_say_what_they_stand_for() -> None:
    labels = ["Une réponse assez longue", "x" * 73, "courte", "y" * 72]
    shown = to_interactive(lettered(*labels))
    assert shown is not None
    [section] = shown["action"]["sections"]
    assert [row["title"] for row in section["rows"]] == ["A", "B", "C", "D"]
    assert [row["description"] for row in section["rows"]] == [
        labels[0],
        "x" * 71 + "…",
        "courte",
        labels[3],
    ]


@pytest.mark.parametrize(
    "body",
    [
        TextBody("Bonjour"),
        asking("Oui", text=""),
        asking("Oui", text=" \n"),
        asking("Oui", text="x" * 1025),
        asking(*(str(number) for number in range(11))),
    ],
    ids=["no buttons", "no text", "blank", "long text", "eleven"],
)
def test_what_whatsapp_cannot_show_with_buttons_has_none(body: TextBody) -> None:
    assert to_interactive(body) is None


def test_as_text_the_options_are_numbered() -> None:
    assert (
        write_options_as_text(asking("Paris", "Lyon"))
        == "Capitale de la France ?\n\n1) Paris\n2) Lyon"
    )
    assert write_options_as_text(asking("Paris", "Lyon", text="")) == "1) Paris\n2) Lyon"


@pytest.mark.parametrize(
    ("options", "how"),
    [(("Paris", "Lyon"), "Réponds par le numéro."), (("4", "5"), "Réponds par la lettre.")],
)
def test_options_that_were_refused_say_how_to_answer(options: tuple[str, ...], how: str) -> None:
    body = msgspec.structs.replace(asking(*options), language="fr")
    assert write_options_as_text(body).endswith(f"{options[-1]}\n\n{how}")


def test_numbers_as_options_are_lettered() -> None:
    assert write_options_as_text(asking("4", "5", text="2 + 2 ?")) == "2 + 2 ?\n\nA) 4\nB) 5"


def test_options_that_the_text_lists_are_not_said_twice() -> None:
    body = lettered("Une réponse assez longue", "Une autre réponse longue")
    assert write_options_as_text(body) == body.text


def test_a_question_for_the_number_has_whatsapps_own_button() -> None:
    assert to_interactive(TextBody("Ton numéro ?", asks_number=True)) == {
        "type": "request_contact_info",
        "body": {"text": "Ton numéro ?"},
        "action": {"name": "request_contact_info"},
    }
    assert to_interactive(TextBody("x" * 1025, asks_number=True)) is None
