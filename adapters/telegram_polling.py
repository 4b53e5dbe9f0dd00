"""Updates by long polling, for a bot without a public address."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import TypeVar

import msgspec
import structlog
from telegram.error import TelegramError

from adapters.telegram_transport import Refusal, Transport, Unanswered
from adapters.telegram_updates import KINDS
from bot.errors import BadRequest
from bot.messages import Receipt, Update

POLL_SECONDS = 50
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0

T = TypeVar("T")
Parse = Callable[[msgspec.Raw], Sequence[Update]]
Receive = Callable[[Sequence[Update | Receipt]], Awaitable[None]]
log = structlog.get_logger()


class _Batch(msgspec.Struct):
    result: list[msgspec.Raw]


class _Numbered(msgspec.Struct):
    update_id: int


_decode_batch = msgspec.json.Decoder(_Batch).decode
_decode_number = msgspec.json.Decoder(_Numbered).decode


async def poll(transport: Transport, parse: Parse, receive: Receive) -> None:
    """Give `receive` what comes, until cancelled, whatever happens to the connection.

    The offset moves on once `receive` has returned: what it raises ends the polling, and the same
    updates come again next time.
    """
    await _persist(partial(transport.call, "deleteWebhook", {}))
    offset = 0
    while True:
        batch = await _persist(partial(_ask_for_updates, transport, offset))
        if updates := [update for raw in batch for update in _read(parse, raw)]:
            await receive(updates)
        if batch:
            offset = _decode_number(batch[-1]).update_id + 1


async def _ask_for_updates(transport: Transport, offset: int) -> list[msgspec.Raw]:
    answer = await transport.call(
        "getUpdates",
        {"offset": offset, "timeout": POLL_SECONDS, "allowed_updates": KINDS},
        seconds=POLL_SECONDS + 10,
    )
    try:
        return _decode_batch(answer).result
    except msgspec.DecodeError:
        raise Unanswered("the answer is not what getUpdates answers") from None


def _read(parse: Parse, raw: msgspec.Raw) -> Sequence[Update]:
    try:
        return parse(raw)
    except BadRequest as error:  # one update that cannot be read must not block the others
        log.warning("telegram_update_unreadable", reason=str(error))
        return ()


async def _persist(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until Telegram answers, ever more slowly."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await ask()
        except TelegramError as error:
            log.warning("telegram_poll_failed", reason=str(error))
            wished = error.retry_after if isinstance(error, Refusal) else None
        await asyncio.sleep(wished or pause)
        pause = min(2 * pause, LONGEST_PAUSE)
