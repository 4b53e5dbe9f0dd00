from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack

import pytest

from bot.contracts.channels import Adapter
from bot.contracts.models import Model
from bot.contracts.payments import PaymentProvider
from bot.settings import Settings
from tests.support.site import Site, open_site

MakeSite = Callable[..., Awaitable[Site]]


@pytest.fixture
async def site(make_settings: Callable[..., Settings]) -> AsyncIterator[MakeSite]:
    """`await site(model, **settings)` is a Griot that listens until the test ends."""
    async with AsyncExitStack() as stack:

        async def make(
            model: Model | None = None,
            *,
            providers: Mapping[str, PaymentProvider] | None = None,
            more: Sequence[Adapter] = (),
            **values: object,
        ) -> Site:
            settings = make_settings(**{"rate_limit_per_minute": 0} | values)
            return await stack.enter_async_context(open_site(settings, model, providers, more))

        yield make
