from __future__ import annotations

from collections.abc import AsyncGenerator

import pytest

from tests.support.sandbox import Opened, open_sandbox


@pytest.fixture
async def sandbox() -> AsyncGenerator[Opened]:
    async with open_sandbox() as opened:
        yield opened
