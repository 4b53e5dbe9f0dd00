"""Long answers where each message is paid: page by page, on request."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bot.messages.outgoing import Button, Say, TextBody
from tests.support.app import MakeApp, TestApp
from tests.support.fakes import FakeChannel, FakeModel, reply
from tests.support.waiting import until

LONG = " ".join(f"Sentence number {n} of the lesson." for n in range(40))


def _paged() -> FakeChannel:
    channel = FakeChannel()
    channel.capabilities = replace(
        channel.capabilities, max_text=500, page=300, markup="plain", text_unit="gsm7"
    )
    return channel


async def _ask(app: TestApp, text: str) -> None:
    before = len(app.said())
    await app.send(text)
    await until(lambda: _answered(app, before))


def _twice(write: Any) -> Any:
    """Commits replies unseen, and runs the same work again."""

    async def again(self: Any, work: Any) -> Any:
        if "Replies" in work.__qualname__:
            await write(self, work)
        return await write(self, work)

    return again


async def _answered(app: TestApp, before: int) -> bool:
    return len(app.said()) > before and await app.settled()


async def test_the_rest_follows_when_it_is_asked_for(app: MakeApp) -> None:
    opened = await app(_paged())
    await opened.start(FakeModel(reply(LONG)))
    await _ask(opened, "teach me")
    assert len(opened.said()) == 1
    assert opened.said()[0].endswith("\nReply MORE for the rest.")
    while opened.said()[-1].endswith("MORE for the rest."):
        await _ask(opened, "/more")
    pages = [text.removesuffix("\nReply MORE for the rest.") for text in opened.said()]
    assert " ".join(pages) == LONG
    assert all(len(text) <= 300 for text in opened.said())
    await _ask(opened, "/suite")
    assert opened.said()[-1] == "That was all."


async def test_a_command_in_between_does_not_lose_the_rest(app: MakeApp) -> None:
    opened = await app(_paged())
    await opened.start(FakeModel(reply(LONG)))
    await _ask(opened, "teach me")
    await _ask(opened, "/balance")
    await _ask(opened, "/more")
    assert "Sentence" in opened.said()[-1]


async def test_a_new_answer_takes_the_place_of_the_old_rest(app: MakeApp) -> None:
    opened = await app(_paged())
    await opened.start(FakeModel(reply(LONG), reply("Short.")))
    await _ask(opened, "teach me")
    await _ask(opened, "and now short")
    await _ask(opened, "/more")
    assert opened.said()[-2:] == ["Short.", "That was all."]


async def test_options_are_never_held_back(app: MakeApp) -> None:
    channel = _paged()
    opened = await app(channel)
    say = Say(LONG, buttons=(Button("Yes", "t0"), Button("No", "t1")))
    composed = opened.app.context.composer.compose([say], channel.capabilities, "en")
    assert not composed.rest
    last = composed.bodies[-1]
    assert isinstance(last, TextBody)
    assert len(composed.bodies) > 1


async def test_run_again_after_an_unseen_commit_more_gives_the_same_page(
    app: MakeApp, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = await app(_paged())
    await opened.start(FakeModel(reply(LONG)))
    await _ask(opened, "teach me")
    # Every part holds the database: another could be passed in only by building a app around it.
    kind = type(opened.database)
    monkeypatch.setattr(kind, "write", _twice(kind.write))
    while opened.said()[-1].endswith("MORE for the rest."):
        await _ask(opened, "/more")
    pages = [text.removesuffix("\nReply MORE for the rest.") for text in opened.said()]
    assert " ".join(pages) == LONG
