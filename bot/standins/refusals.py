"""Refuse requests as providers do."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Guard = Callable[[Handler], Handler]
"""Wraps a handler, and answers the `Refused` that it raises."""


class Refused(Exception):
    """A request that the provider refuses.

    Args:
        answer: the body of the provider's answer.
        is_breach: whether the client could have known that the request is wrong.
    """

    def __init__(self, status: int, answer: Any, *, is_breach: bool = True) -> None:
        super().__init__(f"{status} {answer}")
        self.status, self.answer, self.is_breach = status, answer, is_breach

    def respond(self) -> web.Response:
        return web.json_response(self.answer, status=self.status)


def answer_refusals(handle: Handler) -> Handler:
    """Answer what the handler refuses, and nothing else."""

    async def serve(request: web.Request) -> web.StreamResponse:
        try:
            return await handle(request)
        except Refused as refused:
            return refused.respond()

    return serve
