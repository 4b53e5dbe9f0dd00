"""From what a turn wants said to deliveries, in the form and within the limits of a channel.

What one message can carry goes in one, with the same words and files in the same order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace as change

from bot.contracts.channels import Capabilities
from bot.events import Content, FileMade, QuizAsked
from bot.files.links import Links
from bot.gateway.deliveries import Composed
from bot.gateway.delivery.compose import Composer, join_bodies
from bot.gateway.short_links import ShortLinks
from bot.messages.outgoing import (
    Acknowledge,
    AskExercise,
    AskQuiz,
    Body,
    Button,
    FileBody,
    Outgoing,
    RetireButtons,
    Say,
    ShareFile,
    TextBody,
)
from bot.render.whatsapp_markers import ZERO_WIDTH
from bot.settings import Settings
from tests.support.fakes import Clock

BASE = "https://griot.example"
ENTITIES = Capabilities(
    max_text=4096, markup="entities", max_caption=1024, media=(("application/pdf", 1000),)
)
PLAIN = Capabilities(max_text=300, markup="plain")
MARKDOWN = Capabilities(max_text=100_000, markup="markdown")
LESSON = ShareFile("f1", "leçon_1.pdf", "application/pdf", 1000)
LONG = " ".join(f"Sentence number {n} of the lesson." for n in range(40))
MORE = "\nReply MORE for the rest."


SETTINGS = Settings.model_validate(
    {"public_url": BASE, "secret_key": "a secret for tests only", "link_seconds": 60}
)


def _links() -> Links:
    return Links(SETTINGS, Clock())


def _composer() -> Composer:
    return Composer(_links(), ShortLinks(SETTINGS))


def _compose(capabilities: Capabilities, *outgoing: Outgoing, language: str = "en") -> Composed:
    return _composer().compose(outgoing, capabilities, language)


def _texts(composed: Composed) -> list[str]:
    return [body.text for body in composed.bodies if isinstance(body, TextBody)]


def _linked_file(text: str) -> str:
    """The file that the link in this text leads to."""
    _, _, token = text.rpartition(f"{BASE}/files/")
    return _links().read(token.rstrip(")"))


def test_what_is_said_is_delivered_in_order_in_the_channels_form() -> None:
    composed = _compose(ENTITIES, Say("**one**"), LESSON, Say("two"), RetireButtons("m1"))
    text, file, second, retired = composed.bodies
    assert isinstance(text, TextBody)
    assert (text.text, [entity.kind for entity in text.entities]) == ("one", ["bold"])
    assert file == FileBody(LESSON)
    assert second == TextBody("two")
    assert retired == RetireButtons("m1")
    assert composed.rest is None


@pytest.mark.parametrize(
    "file",
    [
        ShareFile("f1", "leçon_1.pdf", "application/pdf", 1001),
        ShareFile("f1", "leçon_1.docx", "application/msword", 10),
    ],
)
def test_a_file_that_the_channel_cannot_carry_becomes_a_link_with_its_name(file: ShareFile) -> None:
    [body] = _compose(ENTITIES, file).bodies
    assert isinstance(body, TextBody)
    assert body.text == file.filename
    [link] = body.entities
    assert (link.kind, link.offset, link.length) == ("link", 0, len(file.filename))
    assert _linked_file(link.url) == "f1"


def test_without_links_in_text_the_name_stands_before_the_address() -> None:
    [text] = _texts(_compose(PLAIN, LESSON))
    assert text.startswith("leçon_1.pdf")
    assert _linked_file(text.rstrip(")")) == "f1"


def test_the_caption_of_a_linked_file_stands_above_it() -> None:
    captioned = ShareFile("f1", "a.pdf", "application/pdf", 9999, caption="Read *this*:")
    [body] = _compose(ENTITIES, captioned).bodies
    assert isinstance(body, TextBody)
    assert body.text == "Read this:\n\na.pdf"
    assert [entity.kind for entity in body.entities] == ["italic", "link"]


def test_a_file_name_is_no_markup() -> None:
    hostile = ShareFile("f1", "_a_ **b** `c` $d$ <e> ](f) #g.pdf", "text/html", 10)
    [body] = _compose(ENTITIES, hostile).bodies
    assert isinstance(body, TextBody)
    assert body.text == hostile.filename
    [link] = body.entities
    assert link.url.startswith(f"{BASE}/files/")


HOSTILE = (
    "a [draft] (1).pdf",
    "[a](https://evil.example).pdf",
    "](https://evil.example) [x.pdf",
    "*a* **b** _c_ __d__ ~e~ ~~f~~.pdf",
    "**.pdf",
    "a `b` ```c.pdf",
    "a\\b\\](c).pdf",
    "\\(x^2\\) $y_1$ $$z$$.pdf",
    "<b>a</b> &amp; <https://evil.example>.pdf",
    "![a](b) ||c|| | d.pdf",
    "# a.pdf",
    "> a.pdf",
    "1. a.pdf",
    "- a.pdf",
    "https://evil.example/a.pdf",
    "été 😀 עברית.pdf",
)
BROKEN = ("a\nb.pdf", "a\n\nb.pdf", "a\r\n# b.pdf", "a\n\n- b\n\n> c.pdf", "a\n```\nb.pdf")
MARKERS = Capabilities(max_text=4096, markup="markers")


def _shared(name: str, caption: str = "") -> ShareFile:
    return ShareFile("f1", name, "text/html", 10, caption=caption)


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("capabilities", [ENTITIES, MARKERS, PLAIN], ids=lambda each: each.markup)
def test_a_linked_file_keeps_its_name_and_its_link_whatever_it_is_called(
    capabilities: Capabilities, name: str
) -> None:
    [body] = _compose(capabilities, _shared(name)).bodies
    assert isinstance(body, TextBody)
    assert body.text.replace(ZERO_WIDTH, "").startswith(name)
    _leads_to_the_file(body)


@pytest.mark.parametrize("name", [*HOSTILE, *BROKEN])
@pytest.mark.parametrize("capabilities", [ENTITIES, MARKERS, PLAIN], ids=lambda each: each.markup)
def test_its_name_spoils_no_caption(capabilities: Capabilities, name: str) -> None:
    captioned = _shared(name, caption="Read *this*: a_b")
    text = _texts(_compose(capabilities, captioned))[0].replace(ZERO_WIDTH, "")
    expected = {"entities": "Read this: a_b", "markers": "Read _this_: a_b"}
    assert text.startswith(expected.get(capabilities.markup, "Read this: a_b") + "\n\n")


@pytest.mark.parametrize("name", BROKEN)
@pytest.mark.parametrize("capabilities", [ENTITIES, MARKERS, PLAIN], ids=lambda each: each.markup)
def test_a_name_of_several_lines_is_one_link(capabilities: Capabilities, name: str) -> None:
    [body] = _compose(capabilities, _shared(name)).bodies
    assert isinstance(body, TextBody)
    assert "\n" not in body.text
    _leads_to_the_file(body)


def _leads_to_the_file(body: TextBody) -> None:
    """By one link, which is all that can be followed in it."""
    if body.entities:
        [link] = body.entities
        assert (link.kind, link.offset) == ("link", 0)
        assert link.length == len(body.text.encode("utf-16-le")) // 2
        assert _linked_file(link.url) == "f1"
    else:
        assert body.text.count(f"{BASE}/files/") == 1
        assert _linked_file(body.text.rstrip(")")) == "f1"


@pytest.mark.parametrize("name", [*HOSTILE, *BROKEN])
@pytest.mark.parametrize("caption", ["", "Read *this*:"])
def test_a_carried_file_has_its_name_and_a_caption_of_its_own(name: str, caption: str) -> None:
    file = ShareFile("f1", name, "application/pdf", 10, caption=caption)
    [body] = _compose(ENTITIES, file).bodies
    assert isinstance(body, FileBody)
    assert body.file.filename == name
    assert body.file.caption == caption.replace("*", "")
    assert [entity.kind for entity in body.entities] == (["italic"] if caption else [])


def test_where_the_reader_sees_markdown_every_file_is_a_file() -> None:
    assert _compose(MARKDOWN, LESSON).bodies == [FileBody(LESSON)]


# Pages ------------------------------------------------------------------------------------------

PAGED = replace(PLAIN, max_text=500, page=300)


def test_of_a_long_answer_one_page_is_sent_and_says_how_to_get_the_rest() -> None:
    composed = _compose(PAGED, Say(LONG))
    [first] = _texts(composed)
    assert composed.rest
    assert first.endswith(MORE)
    pages = [first.removesuffix(MORE), *[page.text for page in composed.rest]]
    assert " ".join(pages) == LONG
    assert all(len(page + MORE) <= 300 for page in pages)


def test_the_line_is_in_the_persons_language() -> None:
    [first] = _texts(_compose(PAGED, Say(LONG), language="fr"))
    assert first.endswith("\nRéponds SUITE pour la suite.")
    assert len(first) <= 300


def test_what_fits_on_one_page_is_sent_as_it_is() -> None:
    composed = _compose(PAGED, Say("x" * 300), Say("short"))
    assert (_texts(composed), composed.rest) == (["x" * 300, "short"], [])


def test_the_pages_of_several_long_texts_follow_in_order() -> None:
    other = LONG.replace("lesson", "second")
    composed = _compose(PAGED, Say(LONG), Say(other))
    assert [text[:17] for text in _texts(composed)] == ["Sentence number 0"] * 2
    rest = " ".join(page.text for page in composed.rest or ())
    assert rest.index("39 of the lesson") < rest.index("39 of the second")


@pytest.mark.parametrize(
    "asking",
    [
        Say(LONG, buttons=(Button("Yes", "t0"), Button("No", "t1"))),
        AskQuiz("q1", "interactive_quiz", LONG, ("Yes", "No"), ("t0", "t1"), 0),
    ],
)
def test_a_question_is_never_held_back(asking: Outgoing) -> None:
    composed = _compose(PAGED, asking)
    texts = _texts(composed)
    assert composed.rest == []
    assert len(texts) > 1
    assert "No" in texts[-1]
    assert all(len(text) <= 300 for text in texts)


def test_where_pages_cost_nothing_all_of_it_is_sent() -> None:
    composed = _compose(replace(PAGED, page=0), Say(LONG))
    assert " ".join(_texts(composed)) == LONG
    assert composed.rest is None


# Live -------------------------------------------------------------------------------------------


def test_who_watches_reads_the_caption_before_the_file() -> None:
    file = ShareFile("f1", "a.zip", "application/zip", 9, caption="All I keep of you.")
    said, made = _composer().events([file], "en")
    assert said == Content("All I keep of you.")
    assert isinstance(made, FileMade)
    assert _composer().replay(FileBody(file)) == [said, made]


def test_who_watches_sees_what_was_not_streamed_already() -> None:
    quiz = AskQuiz("q1", "true_false_quiz", "2+2=4?", ("True", "False"), ("t0", "t1"), 9.0)
    outgoing: list[Any] = [
        Say("streamed", shown=True),
        Say("new"),
        quiz,
        LESSON,
        Acknowledge("c1"),
        RetireButtons("m1"),
    ]
    said, asked, made = _composer().events(outgoing, "en")
    assert said == Content("new")
    assert asked == QuizAsked("q1", "true_false_quiz", "2+2=4?", ("True", "False"), 9.0)
    assert isinstance(made, FileMade)
    assert (made.id, made.filename, made.size) == ("f1", "leçon_1.pdf", 1000)
    assert _linked_file(made.url) == "f1"


# Joining ----------------------------------------------------------------------------------------

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


@pytest.mark.parametrize(
    ("bodies", "number"),
    [
        ([TEXT, PICTURE], 1),
        ([TEXT, PICTURE, THREE], 2),
        ([TextBody("x" * 1025), PICTURE], 2),
        ([TEXT, PDF], 2),
        ([TEXT, PDF, THREE], 3),
    ],
)
def test_messages_needed_where_only_pictures_have_captions(bodies: list[Body], number: int) -> None:
    able = replace(PAID, captioned=("image/",), header_buttons=0)
    joined = join_bodies(bodies, able)
    assert len(joined) == number
    assert (words(joined), files(joined)) == (words(bodies), files(bodies))


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


def test_a_caption_that_its_file_cannot_have_is_a_text() -> None:
    able = replace(ENTITIES, captioned=("image/",))
    [file, text] = _compose(able, change(LESSON, caption="Read it.")).bodies
    assert file == FileBody(LESSON)
    assert text == TextBody("Read it.")


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
