"""Services on the web that the operator set: theirs is the word, so they may be anywhere."""

from __future__ import annotations

import asyncio
from typing import Any

import aiohttp
from yarl import URL

from bot.bodies import read_within
from bot.errors import TooLarge
from tools._urls import WebFailed
from tools._web import open_session


async def call_service(
    method: str, url: str | URL, *, token: str, seconds: float, max_bytes: int, **request: Any
) -> bytes:
    """The body of the answer of a service that the operator set.

    Args:
        token: sent as bearer, unless empty.
        request: what `aiohttp.ClientSession.request` takes (`json`, `params`).

    Raises:
        WebFailed: no answer in time, a status other than 200, or more than `max_bytes`.
    """
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        async with (
            asyncio.timeout(seconds),
            open_session(aiohttp.TCPConnector()) as session,
            session.request(
                method, url, headers=headers, allow_redirects=False, **request
            ) as response,
        ):
            if response.status != 200:
                raise WebFailed(f"The service answered with status {response.status}.")
            return await read_within(response, max_bytes)
    except TooLarge:
        raise WebFailed("The service answered with too much.") from None
    except TimeoutError:
        raise WebFailed("The service did not answer in time.") from None
    except aiohttp.ClientError as error:
        raise WebFailed(f"The service could not be reached ({type(error).__name__}).") from None
