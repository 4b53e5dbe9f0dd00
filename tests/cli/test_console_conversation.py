from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest

from bot.cli.console_conversation import ConversationView, Plain
from bot.errors import NotFound
from bot.events import Content, End
from bot.messages.outgoing import AskExercise, AskQuiz, Button, FileBody, ShareFile, TextBody


class FakeScreen:
    """Keeps what it is asked to show."""

    prompt = ""

    def __init__(self) -> None:
        self.shown: list[str] = []

    def think(self, text: str) -> None:
        self.shown.append(f"({text})")

    def write(self, text: str) -> None:
        self.shown.append(text)

    def rest(self) -> None: ...

    def say(self, markdown: str) -> None:
        self.shown.append(f"said {markdown}")

    def offer(self, labels: Sequence[str]) -> None:
        self.shown.append(" / ".join(labels))

    def tell_path(self, name: str, path: Path) -> None:
        self.shown.append(f"{name}: {path}")

    def note(self, text: str) -> None: ...


@pytest.fixture
def screen() -> FakeScreen:
    return FakeScreen()


async def test_a_delivery_that_was_seen_as_it_grew_is_not_shown_again(screen: FakeScreen) -> None:
    surface = ConversationView(screen)
    for piece in ("Two ", "parts.", "And the end."):
        surface.show_event(Content(piece))
    surface.show_event(End("answered"))

    await surface.show_body(TextBody("Two parts.\n\nAnd the end.", shown=True))

    assert screen.shown == ["Two ", "parts.", "And the end."]


async def test_an_answer_streamed_by_a_process_that_died_is_shown_when_delivered(
    screen: FakeScreen,
) -> None:
    await ConversationView(screen).show_body(TextBody("Here I am again.", shown=True))

    assert screen.shown == ["said Here I am again."]


async def test_what_one_answer_said_may_be_said_again_in_the_next(screen: FakeScreen) -> None:
    surface = ConversationView(screen)
    surface.show_event(Content("Yes."))
    surface.turn_page()

    await surface.show_body(TextBody("Yes."))

    assert screen.shown == ["Yes.", "said Yes."]


async def test_a_quiz_is_offered_with_its_options_and_their_tokens_kept(screen: FakeScreen) -> None:
    surface = ConversationView(screen)
    quiz = AskQuiz("q", "interactive_quiz", "1 + 1?", ("1", "2"), ("t1", "t2"), 0)
    buttons = (Button("1", "t1"), Button("2", "t2"))

    await surface.show_body(
        TextBody("1 + 1?\n\nA) 1\nB) 2", buttons=tuple((b,) for b in buttons), quiz=quiz)
    )

    assert screen.shown == ["said 1 + 1?", "1 / 2"]
    assert surface.choices == buttons


async def test_an_exercise_is_shown_once_and_its_options_too(screen: FakeScreen) -> None:
    surface = ConversationView(screen)
    surface.show_event(Content("✅ Right.\n\n"))
    exercise = AskExercise(
        "e", "1 + 1?", "choice", 0.0, lead="✅ Right.", options=("1", "2"), tokens=("t1", "t2")
    )
    buttons = (Button("1", "t1"), Button("2", "t2"))
    words = "✅ Right.\n\n1 + 1?\n\nA) 1\nB) 2"

    await surface.show_body(
        TextBody(words, buttons=tuple((b,) for b in buttons), exercise=exercise)
    )

    assert screen.shown == ["✅ Right.\n\n", "said 1 + 1?", "1 / 2"]


def test_what_is_piped_has_neither_markup_nor_latex(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Plain()
    screen.write("**Calcule** $\\frac{2}{8}$")
    screen.write(" et $x^2$.\n\n- un")
    screen.rest()
    screen.offer(["2/8", "1/4"])
    assert capsys.readouterr().out == "Calcule 2/8 et x².\n\n- un\n1) 2/8\n2) 1/4\n"


async def test_a_file_is_kept_under_its_name_and_nowhere_else(screen: FakeScreen) -> None:
    surface = ConversationView(screen)

    async def read(file_id: str) -> bytes:
        return file_id.encode()

    surface.read_file = read
    await surface.show_body(FileBody(ShareFile("f1", "../../fiche.md", "text/markdown", 2)))

    path = Path(screen.shown[0].rpartition(": ")[2])
    assert await asyncio.to_thread(path.read_bytes) == b"f1"
    assert path.name == "fiche.md"
    assert path.parent.name.startswith("griot-")
    shutil.rmtree(path.parent)


async def test_a_file_that_is_gone_is_not_shown(screen: FakeScreen) -> None:
    surface = ConversationView(screen)

    async def read(file_id: str) -> bytes:
        raise NotFound(file_id)

    surface.read_file = read
    with pytest.raises(NotFound):
        await surface.show_body(FileBody(ShareFile("f1", "fiche.md", "text/markdown", 2)))
