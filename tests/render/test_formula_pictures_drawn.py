"""Which formulas go as a picture, where it stands, and how often it is drawn."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Database
from bot.documents.typesetter import Typesetter
from bot.files.store import GUESTS, FileStore
from bot.messages.outgoing import Acknowledge, AskQuiz, Outgoing, Say, ShareFile
from bot.render.formula_pictures import FormulaPictures
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from tests.support.app import TestApp
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.queries import read_row
from tests.support.waiting import until

SHOWS = Capabilities(max_text=4096, markup="entities", media=(("image/*", 5_000_000),))
SMS = Capabilities(max_text=1600, text_unit="gsm7", markup="plain")
DOCUMENTS = Capabilities(max_text=4096, markup="markers", media=(("application/pdf", 5_000_000),))
MARKDOWN = Capabilities(max_text=100_000, markup="markdown", media=(("*/*", 5_000_000),))
HARD = r"\sum_{i=1}^{n} i"
HARDER = r"\begin{pmatrix} 1 & 2 \\ 3 & 4 \end{pmatrix}"
PNG = b"\x89PNG a picture"


class FakeTypesetter(Typesetter):
    """Draws what it is told to; keeps what it was asked for."""

    def __init__(self, picture: bytes | None = PNG) -> None:
        super().__init__()
        self.asked: list[tuple[str, ...]] = []
        self.drawn = picture

    async def picture(self, formulas: Sequence[str]) -> bytes | None:
        self.asked.append(tuple(formulas))
        return self.drawn


@dataclass
class Desk:
    files: FileStore
    typesetter: FakeTypesetter

    async def illustrate(
        self, *outgoing: Outgoing, capabilities: Capabilities = SHOWS
    ) -> list[Outgoing]:
        return await FormulaPictures(self.files, self.typesetter).illustrate(outgoing, capabilities)


@pytest.fixture
def desk(database: Database, settings: Settings) -> Desk:
    return Desk(FileStore(database, open_blobs(settings)), FakeTypesetter())


async def test_a_text_with_hard_formulas_is_followed_by_one_picture(desk: Desk) -> None:
    text = Say(f"Look: ${HARD}$ and ${HARDER}$ and again ${HARD}$.")
    said, picture, last = await desk.illustrate(text, Say("That is all."))
    assert (said, last) == (text, Say("That is all."))
    assert isinstance(picture, ShareFile)
    assert (picture.filename, picture.mime_type, picture.size) == (
        "formula.png",
        "image/png",
        len(PNG),
    )
    assert desk.typesetter.asked == [(HARD, HARDER)]
    assert await desk.files.read(picture.file_id) == PNG


async def test_a_quiz_comes_after_its_picture(desk: Desk) -> None:
    quiz = AskQuiz("q1", "interactive_quiz", "Which?", (f"${HARD}$", "2"), ("t0", "t1"), 0)
    picture, asked = await desk.illustrate(quiz)
    assert isinstance(picture, ShareFile)
    assert asked == quiz
    assert desk.typesetter.asked == [(HARD,)]


async def test_the_question_of_a_quiz_is_looked_at_too(desk: Desk) -> None:
    quiz = AskQuiz("q1", "interactive_quiz", f"${HARDER}$?", (f"${HARD}$", "2"), ("t0", "t1"), 0)
    await desk.illustrate(quiz)
    assert desk.typesetter.asked == [(HARDER, HARD)]


@pytest.mark.parametrize(
    "item",
    [
        Say("No maths at all."),
        Say("Easy: $x^2$ and $\\frac{1}{2}$."),
        Say(f"Code: `${HARD}$`"),
        Say("It costs $5 to $10."),
        AskQuiz("q1", "true_false_quiz", "2+2=4?", ("True", "False"), ("t0", "t1"), 0),
        Acknowledge("c1", f"${HARD}$"),
        ShareFile("f1", "a.pdf", "application/pdf", 10, caption=f"${HARD}$"),
    ],
)
async def test_what_can_be_read_on_a_line_has_no_picture(desk: Desk, item: Outgoing) -> None:
    assert await desk.illustrate(item) == [item]
    assert desk.typesetter.asked == []


@pytest.mark.parametrize("capabilities", [SMS, DOCUMENTS, MARKDOWN])
async def test_where_pictures_are_not_carried_or_not_needed_none_is_drawn(
    desk: Desk, capabilities: Capabilities
) -> None:
    text = Say(f"${HARD}$")
    assert await desk.illustrate(text, capabilities=capabilities) == [text]
    assert desk.typesetter.asked == []


async def test_the_same_formulas_are_drawn_once_for_everybody(desk: Desk) -> None:
    _, one = await desk.illustrate(Say(f"Look at ${HARD}$."))
    _, two = await desk.illustrate(Say(f"Once more: ${HARD}$"))
    assert one == two
    assert desk.typesetter.asked == [(HARD,)]
    assert await desk.files.listing(GUESTS) != []


async def test_other_formulas_are_another_picture(desk: Desk) -> None:
    pictures = [
        (await desk.illustrate(Say(text)))[1]
        for text in (f"${HARD}$", f"${HARDER}$", f"${HARD}$ ${HARDER}$", f"${HARDER}$ ${HARD}$")
    ]
    assert len(set(pictures)) == 4


async def test_without_a_picture_the_text_goes_alone_and_it_is_tried_again(desk: Desk) -> None:
    text = Say(f"${HARD}$")
    desk.typesetter.drawn = None
    assert await desk.illustrate(text) == [text]
    desk.typesetter.drawn = PNG
    assert len(await desk.illustrate(text)) == 2
    assert len(desk.typesetter.asked) == 2


class Store:
    """The folder in which pictures are kept; while it is away, something else has its name."""

    def __init__(self, settings: Settings) -> None:
        self._folder = Path(settings.blob_url.removeprefix("file:"))
        self._away = self._folder.with_name("away")

    def go_away(self) -> None:
        self._folder.rename(self._away)
        self._folder.write_bytes(b"no folder")

    def come_back(self) -> None:
        self._folder.unlink()
        self._away.rename(self._folder)


async def test_while_the_blob_store_is_away_the_text_goes_alone(
    desk: Desk, settings: Settings
) -> None:
    store = Store(settings)
    store.go_away()
    text = Say(f"${HARD}$")
    quiz = AskQuiz("q1", "true_false_quiz", f"${HARDER}$", ("a",), ("t",), 0)
    with capture_logs() as logs:
        assert await desk.illustrate(text, quiz) == [text, quiz]
    assert [entry["event"] for entry in logs] == ["picture_missed"] * 2
    assert await desk.files.listing(GUESTS) == []
    store.come_back()
    assert len(await desk.illustrate(text)) == 2


async def test_a_blob_store_that_does_not_answer_is_not_waited_for(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.render.formula_pictures._PATIENCE", 0.05)  # or the test would wait 5
    desk = Desk(FileStore(database, Hanging()), FakeTypesetter())
    text = Say(f"${HARD}$")
    async with asyncio.timeout(5):
        assert await desk.illustrate(text) == [text]


class Hanging:
    """A blob store that takes what it is given and never says so."""

    async def put(self, key: str, content: bytes, mime_type: str) -> None:
        await asyncio.Event().wait()

    async def get(self, key: str) -> bytes:
        raise AssertionError("never")

    async def delete(self, key: str) -> None: ...


async def test_the_turn_does_not_fail_of_it(
    app: Callable[..., Awaitable[TestApp]],
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: list[tuple[str, ...]] = []

    async def draw(_: Typesetter, formulas: Sequence[str]) -> bytes:
        asked.append(tuple(formulas))
        return PNG

    # The app makes its own, and a real one needs seconds to start.
    monkeypatch.setattr(Typesetter, "picture", draw)
    opened = await app(FakeChannel(capabilities=SHOWS))
    Store(settings).go_away()
    await opened.start(FakeModel(reply(f"The sum is ${HARD}$, you see.")))
    await opened.send("a sum")
    await until(opened.settled)
    assert opened.said() == ["The sum is ∑ᵢ₌₁ⁿ i, you see."]
    assert len(opened.channel.delivered) == 1
    assert asked == [(HARD,)]
    turn = await read_row(opened.database, "turn")
    assert (turn["state"], turn["reason"], turn["attempts"]) == ("done", "answered", 1)
