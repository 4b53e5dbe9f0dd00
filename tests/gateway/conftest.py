"""A gateway over a real database, with a channel and a model that are passed in."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import AsyncExitStack

import pytest

from bot.app import open_app
from bot.contracts.payments import PaymentProvider
from bot.settings import Settings
from tests.support.app import TestApp
from tests.support.fakes import FakeChannel


@pytest.fixture
async def app(
    make_settings: Callable[..., Settings],
) -> AsyncIterator[Callable[..., Awaitable[TestApp]]]:
    async with AsyncExitStack() as stack:

        async def make(
            channel: FakeChannel | None = None,
            *others: FakeChannel,
            providers: Mapping[str, PaymentProvider] | None = None,
            **values: object,
        ) -> TestApp:
            shown = channel or FakeChannel()
            opened = await stack.enter_async_context(
                open_app(
                    make_settings(**{"rate_limit_per_minute": 0, "burst_seconds": 0} | values),
                    more=[shown, *others],
                    providers=providers,
                )
            )
            return TestApp(opened, shown, stack)

        yield make
