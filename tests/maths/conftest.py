"""A checker whose algebra is answered in this process: the shut-in one has tests of its own."""

from __future__ import annotations

import pytest

from bot.maths.checker import MathsChecker
from bot.maths.exact import algebra


async def _ask(request: bytes) -> bytes:
    return algebra.serve(request)


@pytest.fixture(scope="session")
def checker() -> MathsChecker:
    return MathsChecker(_ask)
