"""What one message can carry goes in one, with the same words and files in the same order."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.contracts.channels import Capabilities
from bot.gateway.render.joining import join_bodies
from bot.messages.outgoing import AskExercise, Body, Button, FileBody, ShareFile, TextBody

PAID = Capabilities(
    max_text=4096, markup="markers", max_caption=1024, max_buttons=10, header_buttons=3, joins=True
)
PICTURE = FileBody(ShareFile("p", "formula.png", "image/png", 1000))
PDF = FileBody(ShareFile("d", "lesson.pdf", "application/pdf", 1000))
VOICE = FileBody(ShareFile("v", "voice.ogg", "audio/ogg", 1000))
TEXT = TextBody("A lesson.")


SMS = Capabilities(max_text=1530, text_unit="gsm7", page=612, joins=True)


def ask(*labels: str, text: str = "How much?") -> TextBody:
    buttons = tuple(Button(label, f"token-{label}") for label in labels)
    return TextBody(text, buttons=tuple((each,) for each in buttons), choices=buttons)


THREE = ask("1", "2", "3")
FOUR = ask("1", "2", "3", "4")


@pytest.mark.parametrize(
    ("bodies", "number"),
    [
        ([TEXT], 1),
        ([TEXT, THREE], 1),
        ([TEXT, FOUR], 1),
        ([TEXT, PICTURE], 1),
        ([TEXT, PDF], 1),
        ([TEXT, VOICE], 2),
        ([PICTURE, THREE], 1),
        ([PICTURE, FOUR], 2),
        ([VOICE, THREE], 2),
        ([TEXT, PICTURE, THREE], 1),
        ([TEXT, PICTURE, PICTURE, THREE], 2),
        ([TextBody("x" * 1020), THREE], 2),
        ([TextBody("x" * 1020), TEXT], 1),
        ([TextBody("x" * 4090), TEXT], 2),
        ([TextBody("x" * 1025), PICTURE], 2),
        ([TextBody("x" * 1020), PICTURE, THREE], 2),
        ([THREE, TEXT], 2),
        ([THREE, THREE], 2),
        ([TEXT, TextBody("123456", code_id="c")], 2),
        ([TextBody("123456", code_id="c"), TEXT], 2),
        ([PICTURE, TEXT], 2),
        ([PICTURE, ask("a", "a")], 2),
    ],
)
def test_messages_needed(bodies: list[Body], number: int) -> None:
    assert len(join_bodies(bodies, PAID)) == number


def test_text_picture_and_quiz_are_one_message() -> None:
    [one] = join_bodies([TEXT, PICTURE, THREE], PAID)
    assert one == TextBody(
        "A lesson.\n\nHow much?",
        buttons=THREE.buttons,
        choices=THREE.choices,
        header=PICTURE.file,
    )


def test_an_exercise_keeps_what_it_asks() -> None:
    asked = AskExercise("e", "2 + 2", "number", 1.0)
    [one] = join_bodies([TEXT, TextBody("2 + 2", exercise=asked)], PAID)
    assert one == TextBody("A lesson.\n\n2 + 2", exercise=asked)


def test_where_messages_cost_nothing_all_stay_apart() -> None:
    bodies = [TEXT, PICTURE, THREE]
    assert join_bodies(bodies, Capabilities(max_text=4096, max_caption=1024)) == bodies


SOME = st.sampled_from([TEXT, TextBody("é" * 700), PICTURE, PDF, VOICE, THREE, FOUR])


def words(bodies: Sequence[Body]) -> str:
    texts = [
        body.file.caption if isinstance(body, FileBody) else body.text
        for body in bodies
        if isinstance(body, FileBody | TextBody)
    ]
    return " ".join(" ".join(texts).split())


def files(bodies: Sequence[Body]) -> list[str]:
    found = [
        body.file if isinstance(body, FileBody) else body.header
        for body in bodies
        if isinstance(body, FileBody | TextBody)
    ]
    return [file.file_id for file in found if file]


@given(st.lists(SOME, max_size=8))
def test_nothing_is_lost_or_moved(bodies: list[Body]) -> None:
    joined = join_bodies(bodies, PAID)
    assert words(joined) == words(bodies)
    assert files(joined) == files(bodies)
    assert join_bodies(joined, PAID) == joined


@pytest.mark.parametrize(
    ("first", "second", "number"),
    [
        ("Bravo !", "Combien font 7 x 8 ?\n1. 54\n2. 56", 1),
        ("x" * 150, "Combien ?", 1),  # 2 segments either way
        ("x" * 600, "Combien font 7 x 8 ?", 2),  # longer than a page
        ("x" * 140, "y" * 160, 1),
        ("x" * 150, "y" * 160, 2),  # 3 segments in one, 2 apart
        ("Le nombre π", "x" * 150, 2),  # π has all in UCS-2
    ],
)
def test_texts_by_sms_are_joined_where_it_costs_no_segment(
    first: str, second: str, number: int
) -> None:
    bodies = join_bodies([TextBody(first), TextBody(second)], SMS)
    assert len(bodies) == number


def test_a_joined_sms_counts_the_segments_of_all_its_text() -> None:
    first, second = TextBody("x" * 150, segments=1), TextBody("Combien ?", segments=1)
    [joined] = join_bodies([first, second], SMS)
    assert isinstance(joined, TextBody)
    assert joined.segments == 2
