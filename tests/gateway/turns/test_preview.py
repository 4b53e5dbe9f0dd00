"""What is shown of a turn while it runs; all of it may be lost, none of it may stop the turn."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, replace

import pytest
from structlog.testing import capture_logs

from bot.errors import RetryAt
from bot.events import Content, End, Event, Thinking, ToolEnd, ToolStart
from bot.gateway.inbound.inbox import Pending
from bot.gateway.lanes import Claim
from bot.gateway.turns.preview import LivePreview, Shown, decode_live, encode_live, topic_of
from bot.messages.outgoing import Draft, Preview, Typing
from bot.storage.ephemeral import MemoryEphemeralStore
from tests.support.app import update
from tests.support.fakes import FakeChannel

CLAIM = Claim("telegram:1", 1, "me", "fake")
ASKED = update("my question", key="question")


class Published(MemoryEphemeralStore):
    """Keeps what is published; `shared` as a store is that other processes see."""

    def __init__(self, *, shared: bool = False) -> None:
        super().__init__()
        self.shared = shared
        self.sent: list[tuple[str, bytes]] = []

    def publish(self, topic: str, payload: bytes) -> None:
        self.sent.append((topic, payload))

    @property
    def events(self) -> list[Event]:
        return [decode_live(payload).event for _, payload in self.sent]


@dataclass
class Screen(FakeChannel):
    """Shows previews; `refusals` are raised first."""

    previews: list[Preview] = field(default_factory=list[Preview])
    refusals: list[RetryAt] = field(default_factory=list[RetryAt])
    asked: int = 0

    async def show(self, preview: Preview) -> None:
        self.asked += 1
        if self.refusals:
            raise self.refusals.pop(0)
        self.previews.append(preview)


def _screen(**capabilities: object) -> Screen:
    screen = Screen()
    screen.capabilities = replace(screen.capabilities, **capabilities)  # type: ignore[arg-type]
    return screen


def _live(screen: Screen, momentary: Published | None = None) -> LivePreview:
    return LivePreview(momentary or Published(), screen, CLAIM, Pending(7, ASKED))


@pytest.fixture
def _fast(monkeypatch: pytest.MonkeyPatch) -> None:
    # It looks once a second; a test need not wait for it.
    monkeypatch.setattr("bot.gateway.turns.preview._FIRST", 0.001)
    monkeypatch.setattr("bot.gateway.turns.preview._EVERY", 0.001)


async def _until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.005)


# To whoever watches -----------------------------------------------------------------------------


async def test_events_go_to_who_watches_the_lane_with_what_they_follow() -> None:
    published = Published()
    shown = [Shown(7, 0, Content("hel")), Shown(7, 1, Content("lo")), Shown(7, 2, End("answered"))]
    async with _live(_screen(streams=True), published) as live:
        for each in shown:
            live.emit(each.event)
    assert published.sent == [(topic_of("telegram:1"), encode_live(each)) for each in shown]
    assert [decode_live(payload) for _, payload in published.sent] == shown


async def test_where_nobody_can_watch_nothing_is_published() -> None:
    published = Published()
    async with _live(_screen(), published) as live:
        live.emit(Content("hello"))
        live.emit(End("answered"))
    assert published.sent == []


async def test_through_a_shared_store_text_goes_in_larger_pieces() -> None:
    published = Published(shared=True)
    async with _live(_screen(streams=True), published) as live:
        for letter in "hello":
            live.emit(Content(letter))
        assert published.events == []
        await _until(lambda: published.events)
    assert published.events == [Content("hello")]


async def test_what_is_gathered_goes_before_what_follows_it() -> None:
    published = Published(shared=True)
    async with _live(_screen(streams=True), published) as live:
        for event in (Content("he"), Content("llo"), Thinking("hm"), Content("!"), End("answered")):
            live.emit(event)
    expected = [Content("hello"), Thinking("hm"), Content("!"), End("answered")]
    assert published.events == expected
    await asyncio.sleep(0.1)  # longer than pieces are gathered for: nothing comes twice
    assert published.events == expected


# In the chat ------------------------------------------------------------------------------------


async def test_a_quick_answer_has_no_preview() -> None:
    screen = _screen(typing=5.0, drafts=True)
    async with _live(screen) as live:
        live.emit(Content("hello"))
    assert screen.previews == []


@pytest.mark.usefixtures("_fast")
async def test_until_there_is_text_it_types_about_the_message_and_not_all_the_time() -> None:
    screen = _screen(typing=60.0, drafts=True)
    async with _live(screen):
        await _until(lambda: screen.previews)
        await asyncio.sleep(0.1)  # many looks later
    assert screen.previews == [Typing("1", "mquestion")]


@pytest.mark.usefixtures("_fast")
async def test_typing_goes_on_as_long_as_the_turn() -> None:
    screen = _screen(typing=1.01)
    async with _live(screen) as live:
        live.emit(Content("hello"))
        await _until(lambda: len(screen.previews) > 2)
    shown = len(screen.previews)
    assert set(screen.previews) == {Typing("1", "mquestion")}
    await asyncio.sleep(0.1)
    assert len(screen.previews) == shown


@pytest.mark.usefixtures("_fast")
async def test_the_growing_answer_is_one_draft() -> None:
    screen = _screen(typing=60.0, drafts=True, markup="entities")
    async with _live(screen) as live:
        live.emit(Content("**bo"))
        await _until(lambda: _drafts(screen))
        live.emit(Content("ld**"))
        await _until(lambda: len(_drafts(screen)) > 1)
    assert [draft.text for draft in _drafts(screen)] == ["bo", "bold"]
    assert {(draft.draft_id, draft.conversation) for draft in _drafts(screen)} == {(7, "1")}
    assert _drafts(screen)[0].entities[0].kind == "bold"


@pytest.mark.usefixtures("_fast")
async def test_what_a_tool_is_doing_is_the_last_line_of_the_draft() -> None:
    screen = _screen(typing=60.0, drafts=True, markup="entities")
    async with _live(screen) as live:
        for event, shown in (
            (ToolStart("c1", "web_search", "Recherche sur le web… *riz*"), 1),
            (ToolEnd("c1", "web_search", is_error=False), 1),
            (Content("Voici."), 2),
            (ToolStart("c2", "generate_pdf", "Création du PDF…"), 3),
            (ToolEnd("c2", "generate_pdf", is_error=False), 4),
        ):
            live.emit(event)
            await _until(lambda shown=shown: len(_drafts(screen)) >= shown)
    assert [draft.text for draft in _drafts(screen)] == [
        "Recherche sur le web… *riz*",
        "Voici.",
        "Voici.\n\nCréation du PDF…",
        "Voici.",
    ]


def _drafts(screen: Screen) -> list[Draft]:
    return [preview for preview in screen.previews if isinstance(preview, Draft)]


@pytest.mark.usefixtures("_fast")
async def test_a_channel_without_previews_is_left_alone() -> None:
    screen = _screen(drafts=True)
    async with _live(screen) as live:
        live.emit(Content("hello"))
        await asyncio.sleep(0.1)
    assert screen.asked == 0


@pytest.mark.usefixtures("_fast")
async def test_asked_to_slow_down_it_tries_again_later() -> None:
    screen = _screen(typing=1.0, drafts=True)
    screen.refusals = [RetryAt("429"), RetryAt("429", after=0.01)]
    async with _live(screen) as live:
        live.emit(Content("hello"))
        await _until(lambda: screen.previews)
    assert screen.asked >= 3


@pytest.mark.usefixtures("_fast")
async def test_asked_to_wait_it_waits() -> None:
    screen = _screen(typing=1.0)
    screen.refusals = [RetryAt("429", after=60)]
    async with _live(screen):
        await _until(lambda: screen.asked)
        await asyncio.sleep(0.1)  # many looks later
    assert screen.asked == 1


class Broken(Screen):
    """Breaks the promise that a preview raises nothing else."""

    async def show(self, preview: Preview) -> None:
        self.asked += 1
        raise KeyError("a bug")


class Deaf(Screen):
    """Does not hear the first cancellation, as a library may not."""

    async def show(self, preview: Preview) -> None:
        self.asked += 1
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(3600)


@pytest.mark.usefixtures("_fast")
async def test_a_preview_that_does_not_hear_of_the_end_holds_up_no_turn() -> None:
    deaf = Deaf()
    deaf.capabilities = replace(deaf.capabilities, typing=5.0)
    async with asyncio.timeout(10):
        async with _live(deaf):
            await _until(lambda: deaf.asked)


@pytest.mark.usefixtures("_fast")
async def test_a_preview_that_breaks_does_not_break_the_turn() -> None:
    broken = Broken()
    broken.capabilities = replace(broken.capabilities, typing=5.0)
    with capture_logs() as logs:
        async with _live(broken):
            await _until(lambda: broken.asked)
    assert [(line["event"], line["error"]) for line in logs] == [("task_ended_badly", "KeyError")]
