from __future__ import annotations

import asyncio

import pytest

from bot.agent.late import LateModel
from bot.contracts import Model, ModelRequest
from bot.errors import SettingsError
from bot.events import Event
from tests.fakes import FakeModel, reply


class _Closable(FakeModel):
    closed = False

    async def close(self) -> None:
        self.closed = True


class _Opening:
    """A model that comes when it is told to."""

    def __init__(self) -> None:
        self.told = asyncio.Event()
        self.model = _Closable(reply("one"), reply("two"))

    async def __call__(self) -> Model:
        await self.told.wait()
        return self.model


def _ignore(_: Event) -> None:
    pass


async def test_who_asks_before_it_is_there_is_answered_when_it_is() -> None:
    opening = _Opening()
    late = LateModel(opening())
    early = asyncio.create_task(late.ask(ModelRequest([]), _ignore))
    await asyncio.sleep(0)
    assert not early.done()
    opening.told.set()
    assert (await early).message.text == "one"
    assert (await late.ask(ModelRequest([]), _ignore)).message.text == "two"
    await late.close()
    assert opening.model.closed


async def test_who_gives_up_does_not_keep_others_from_it() -> None:
    opening = _Opening()
    late = LateModel(opening())
    impatient = asyncio.create_task(late.ask(ModelRequest([]), _ignore))
    await asyncio.sleep(0)
    impatient.cancel()
    opening.told.set()
    assert await late.opened() is opening.model
    await late.close()


async def test_what_keeps_it_from_opening_is_told() -> None:
    async def fail() -> Model:
        raise SettingsError("OPENAI_BASE_URL: not an address")

    late = LateModel(fail())
    with pytest.raises(SettingsError):
        await late.opened()
    await late.close()


async def test_closed_before_it_is_there_it_does_not_come() -> None:
    late = LateModel(_Opening()())
    await asyncio.sleep(0)
    await late.close()
    with pytest.raises(asyncio.CancelledError):
        await late.opened()
