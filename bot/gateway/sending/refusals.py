"""What follows when something is refused for good: another way for a one-time code."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from bot.contracts import Transaction
from bot.messages import Body, TemplateBody, TextBody

WhenRefused = Callable[[Transaction, str, Body], Awaitable[None]]
"""Hears, in the transaction that notes it, of a lane and a body that is refused there for good, or
of which nobody knows whether it has arrived."""


async def leave_it(tx: Transaction, lane: str, body: Body) -> None:
    """Nothing follows."""


def is_code(body: Body) -> bool:
    """Whether it carries a one-time code, which never waits."""
    return isinstance(body, TextBody | TemplateBody) and bool(body.code_id)
