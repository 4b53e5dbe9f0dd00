"""A task that is cancelled has ended when the caller goes on."""

from __future__ import annotations

import asyncio

import pytest
from structlog.testing import capture_logs

from bot.asyncio_tasks import cancel_tasks


class Deaf:
    """A task that does not hear so many cancellations."""

    def __init__(self, times: int) -> None:
        self.heard = 0
        self._times = times
        self.task = asyncio.create_task(self._stay(), name="deaf")

    async def _stay(self) -> None:
        while self.heard < self._times:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                self.heard += 1


async def test_a_cancellation_that_got_lost_is_said_again() -> None:
    deaf = Deaf(2)
    await asyncio.sleep(0)
    async with asyncio.timeout(20):
        await cancel_tasks([deaf.task], patience=0.05)
    assert deaf.heard == 2
    assert deaf.task.done()


async def test_whoever_is_cancelled_meanwhile_passes_it_on_and_waits_for_the_end() -> None:
    deaf = Deaf(3)
    await asyncio.sleep(0)
    waiting = asyncio.create_task(cancel_tasks([deaf.task], patience=3600))
    async with asyncio.timeout(20):
        for number in range(3):
            while deaf.heard == number:
                await asyncio.sleep(0)
            waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    assert deaf.task.done()


async def test_what_a_cancelled_task_fails_with_is_logged() -> None:
    async def fail_at_the_end() -> None:
        try:
            await asyncio.sleep(3600)
        finally:
            raise ConnectionError("the database is away")

    task = asyncio.create_task(fail_at_the_end(), name="a round")
    await asyncio.sleep(0)
    with capture_logs() as logs:
        await cancel_tasks([task])
    assert [(line["event"], line["task"], line["error"]) for line in logs] == [
        ("task_ended_badly", "a round", "ConnectionError")
    ]


async def test_what_a_task_failed_with_before_is_logged_too() -> None:
    async def fail() -> None:
        raise ConnectionError("the database is away")

    task = asyncio.create_task(fail(), name="a round")
    await asyncio.wait([task])
    with capture_logs() as logs:
        await cancel_tasks([task])
    assert [(line["event"], line["error"]) for line in logs] == [
        ("task_ended_badly", "ConnectionError")
    ]
