"""Telegram, by the Bot API (10.1): the adapter, polling, checks of the token and the webhook."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, TypeVar
from urllib.parse import urlsplit

import msgspec
import structlog

from adapters.base import OPERATOR_SECONDS
from adapters.telegram.client import BotApi, Refusal, TelegramError, explain
from adapters.telegram.parse import KINDS, parse_update
from adapters.telegram.schema import User
from adapters.telegram.send import MAX_CAPTION, MAX_TEXT, TelegramSender
from bot.contracts.channels import (
    Adapter,
    Capabilities,
    Finding,
    Pace,
    Receive,
    RichLimits,
    Webhook,
)
from bot.contracts.storage import ReadFile
from bot.errors import (
    BadRequest,
    NotFound,
    Refused,
    RetryAt,
    SettingsError,
    TooLarge,
    Undeliverable,
)
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment, Received
from bot.messages.outgoing import Delivery, Preview, Sent
from bot.net import is_same_secret
from bot.settings import Settings

MAX_FILE_IN = 20 * 2**20
"""The most bytes of a file that `getFile` gives out."""
_PRIVATE = Pace(1, 6)
_GROUP = Pace(14 / 60, 6)
"""Telegram's FAQ for bots ("My bot is hitting limits"): 30 messages a second in all; one a second
in a chat, and "short bursts" over it; 20 a minute in a group. Six at once are an answer in two
parts with its quiz, and the three that answer a tap; 14 in the minute after make 20."""
_RECENT: Final = 3600.0
"""Seconds for which a failed call of our webhook is reported."""
_NAME: Final = re.compile(r"\w{1,64}", re.ASCII)
_MANY: Final = 100
"""The most updates waiting at Telegram that a burst of messages can explain."""
_BAD_TOKEN: Final = (401, 404)
"""HTTP statuses for a wrong token. 404: it has not even the form of a token."""
POLL_SECONDS = 50
FIRST_PAUSE = 0.5
LONGEST_PAUSE = 30.0
T = TypeVar("T")
log = structlog.get_logger()


class _File(msgspec.Struct):
    file_path: str | None = None


class _Numbered(msgspec.Struct):
    update_id: int


class _Me(msgspec.Struct):
    username: str = ""


class _WebhookInfo(msgspec.Struct):
    """https://core.telegram.org/bots/api#webhookinfo"""

    url: str = ""
    last_error_date: int | float = 0
    last_error_message: str = ""
    pending_update_count: int = 0


_decode_number = msgspec.json.Decoder(_Numbered).decode


def _chat_pace(conversation: str) -> Pace:
    """Return the pace of a conversation; groups have negative ids."""
    return _GROUP if conversation.startswith("-") else _PRIVATE


class Telegram(Adapter):
    """Sends and receives as a bot of Telegram; also implements `WebhookReader`.

    Args:
        settings: its `telegram_…` fields and `public_url`.
        read_file: returns the bytes of a library file by its id; raises `NotFound`.
    """

    name = "telegram"
    title = "Telegram"
    channel: Channel = "telegram"
    capabilities = Capabilities(
        max_text=MAX_TEXT,
        text_unit="utf16",
        markup="entities",
        rich=RichLimits(size=32_768, blocks=500, depth=16, columns=20),
        max_caption=MAX_CAPTION,
        max_buttons=100,
        max_button_label=64,
        media=(("*/*", 50 * 2**20),),
        drafts=True,
        typing=5.0,
        invoices=True,
        resend="never",
        chat_pace=_chat_pace,
    )

    def __init__(self, settings: Settings, read_file: ReadFile) -> None:
        self._settings = settings
        self.capabilities = replace(
            self.capabilities, sender_pace=Pace(settings.telegram_per_second, 5)
        )
        self._api = BotApi(settings.telegram_api_url, settings.telegram_bot_token)
        self._outbound = TelegramSender(self._api, read_file)
        self._me: User | None = None

    async def prepare(self) -> None:
        """Learn the bot's own id and name, which groups need. Raises `DeliveryError`."""
        try:
            self._me = await self._api.ask("getMe", User)
        except TelegramError as error:
            raise explain(error) from None

    def verify(self, webhook: Webhook) -> None:
        given = webhook.headers.get("X-Telegram-Bot-Api-Secret-Token", "")
        if not is_same_secret(given, self._settings.telegram_webhook_secret):
            raise Refused("wrong or missing secret token")

    def parse(self, webhook: Webhook) -> Sequence[Received]:
        return parse_update(webhook.body, self._me)

    async def deliver(self, delivery: Delivery) -> Sent:
        try:
            return await self._outbound.send(delivery.conversation, delivery.body)
        except TelegramError as error:
            if isinstance(error, Refusal) and error.status == 401:
                log.warning("telegram_token_refused")
                raise RetryAt("Telegram refuses the bot's token", OPERATOR_SECONDS) from None
            raise explain(error) from None
        finally:
            if not self._outbound.knows_rich:  # later messages are composed as plain ones
                self.capabilities = replace(self.capabilities, rich=None)

    async def show(self, preview: Preview) -> None:
        try:
            await self._outbound.show(preview)
        except (TelegramError, Undeliverable) as error:
            if isinstance(error, Refusal) and error.status == 429:
                raise explain(error) from None
            log.debug("telegram_preview_dropped", reason=str(error))

    async def fetch(self, attachment: Attachment) -> bytes:
        """Download a file of at most 20 MB."""
        if (attachment.size or 0) > MAX_FILE_IN:
            raise TooLarge("Telegram gives bots files of at most 20 MB")
        try:
            path = (
                await self._api.ask("getFile", _File, {"file_id": attachment.reference})
            ).file_path
            if not path:
                raise Refusal(404, "the file has no path")
            return await self._api.download(path, MAX_FILE_IN)
        except TelegramError as error:
            raise _explain_missing(error) from None

    async def refund_stars(self, user: str, charge: str) -> None:
        """Refund Stars (`bot.contracts.payments.StarRefunds`)."""
        try:
            await self._outbound.refund_stars(user, charge)
        except TelegramError as error:
            if isinstance(error, Refusal) and error.status == 400:
                raise NotFound(f"Telegram does not give this back: {error}") from None
            raise ConnectionError(f"Telegram gave no answer: {error}") from None

    async def check(self) -> Sequence[Finding]:
        """Check the token and the webhook (`bot.contracts.channels.CheckedAdapter`)."""
        try:
            me = await self._ask("getMe", _Me)
        except Refusal as refusal:
            if refusal.status not in _BAD_TOKEN:
                raise _unanswered(refusal) from None
            problem = f"Telegram refuses it: {str(refusal).title()}"
            advice = "copy the token from @BotFather again"
            return [Finding("error", "TELEGRAM_BOT_TOKEN", problem, advice)]
        webhook = await self._find_webhook()
        problems = list(_check_webhook(webhook, self._settings.public_url))
        return problems or [Finding("ok", "Telegram", f"knows the token: @{me.username}")]

    async def find_address(self) -> str:
        """Return the link by which people open the bot. Raises `ConnectionError`, also where the
        token is refused."""
        try:
            name = (await self._ask("getMe", _Me)).username
        except Refusal as refusal:
            raise _unanswered(refusal) from None
        if not _NAME.fullmatch(name):
            raise ConnectionError("it tells no name of the bot")
        return f"https://t.me/{name}"

    async def find_webhook(self) -> str:
        """Return the address to which Telegram sends updates; empty: it waits for polling. Raises
        `ConnectionError`."""
        return (await self._find_webhook()).url

    async def set_webhook(self) -> None:
        """Have updates sent to `PUBLIC_URL/webhooks/telegram`.

        Raises:
            SettingsError: `PUBLIC_URL` or `TELEGRAM_WEBHOOK_SECRET` is not set.
            DeliveryError: Telegram did not accept the webhook.
        """
        if not self._settings.public_url or not self._settings.telegram_webhook_secret:
            raise SettingsError("PUBLIC_URL and TELEGRAM_WEBHOOK_SECRET: a webhook needs both")
        try:
            await self._api.call(
                "setWebhook",
                {
                    "url": f"{self._settings.public_url}/webhooks/telegram",
                    "allowed_updates": KINDS,
                    "secret_token": self._settings.telegram_webhook_secret,
                },
            )
        except TelegramError as error:
            raise explain(error) from None

    async def receive(self, store: Receive) -> None:
        """Set the webhook where `PUBLIC_URL` is set, else poll for updates until cancelled.

        Raises:
            SettingsError: `TELEGRAM_WEBHOOK_SECRET` is not set, and a webhook needs it.
            DeliveryError: Telegram cannot be reached, or did not accept the webhook.
        """
        await self.prepare()
        if self._settings.public_url:
            await self.set_webhook()
        else:
            await self.poll(store)

    async def poll(self, receive: Receive) -> None:
        """Poll for updates, without a webhook, until cancelled, whatever happens to the connection.

        Telegram forgets updates only after `receive` has returned for them; an error of `receive`
        ends the polling, and the next polling gets the same updates again.
        """
        await _persist(partial(self._api.call, "deleteWebhook", {}))
        offset = 0
        while True:
            batch = await _persist(partial(self._ask_for_updates, offset))
            if updates := [update for raw in batch for update in self._read(raw)]:
                await receive(updates)
            if batch:
                offset = _decode_number(batch[-1]).update_id + 1

    async def close(self) -> None:
        await self._api.close()

    async def _ask_for_updates(self, offset: int) -> list[msgspec.Raw]:
        return await self._api.ask(
            "getUpdates",
            list[msgspec.Raw],
            {"offset": offset, "timeout": POLL_SECONDS, "allowed_updates": KINDS},
            seconds=POLL_SECONDS + 10,
        )

    def _read(self, update: msgspec.Raw) -> Sequence[Received]:
        try:
            return parse_update(update, self._me)
        except BadRequest as error:  # one update that cannot be read must not block the others
            log.warning("telegram_update_unreadable", reason=str(error))
            return ()

    async def _find_webhook(self) -> _WebhookInfo:
        """Return Telegram's state of the webhook. Raises `ConnectionError`."""
        try:
            return await self._ask("getWebhookInfo", _WebhookInfo)
        except Refusal as refusal:
            raise _unanswered(refusal) from None

    async def _ask(self, method: str, form: type[T]) -> T:
        """Call a method and return its result. Raises `Refusal`, or `ConnectionError`."""
        try:
            return await self._api.ask(method, form)
        except Refusal:
            raise
        except TelegramError as error:
            raise ConnectionError(str(error)) from None


async def _persist(ask: Callable[[], Awaitable[T]]) -> T:
    """Call `ask` until Telegram answers, with growing pauses."""
    pause = FIRST_PAUSE
    while True:
        try:
            return await ask()
        except TelegramError as error:
            log.warning("telegram_poll_failed", reason=str(error))
            asked_pause = error.retry_after if isinstance(error, Refusal) else None
        await asyncio.sleep(asked_pause or pause)
        pause = min(2 * pause, LONGEST_PAUSE)


def _unanswered(refusal: Refusal) -> ConnectionError:
    return ConnectionError(f"it answered {refusal.status}")


def _explain_missing(error: TelegramError) -> TooLarge | NotFound | RetryAt:
    if not isinstance(error, Refusal):
        return RetryAt(str(error))
    if error.says("file is too big"):
        return TooLarge("Telegram gives bots files of at most 20 MB")
    if error.status in {400, 404}:
        return NotFound("Telegram no longer has the file")
    return RetryAt(str(error), error.retry_after)


def _check_webhook(webhook: _WebhookInfo, public_url: str | None) -> Iterator[Finding]:
    """Yield the problems of the webhook. An empty address is none: each start with PUBLIC_URL sets
    it."""
    # Without the path, which may hold another bot's secret.
    host = urlsplit(webhook.url).hostname or "elsewhere"
    if webhook.url and public_url is None:
        yield Finding(
            "warning",
            "Telegram",
            f"sends updates to {host}, so that we cannot poll; another bot uses this token?",
            "stop that one, or set PUBLIC_URL, or call deleteWebhook",
        )
    elif webhook.url and webhook.url != f"{public_url}/webhooks/telegram":
        yield Finding(
            "warning",
            "Telegram",
            f"sends updates to {host}, not to PUBLIC_URL/webhooks/telegram",
            "start Griot, which sets it; if it changes back, another bot uses this token",
        )
    if time.time() - webhook.last_error_date < _RECENT:
        yield Finding(
            "warning",
            "Telegram",
            f"could not call us within the last hour: {webhook.last_error_message[:200]}",
            "403 is a wrong TELEGRAM_WEBHOOK_SECRET; else check PUBLIC_URL and its certificate",
        )
    if (waiting := webhook.pending_update_count) > _MANY:
        advice = "check that griot serve (or griot web) runs and can be reached"
        yield Finding("warning", "Telegram", f"{waiting} updates wait for us there", advice)
