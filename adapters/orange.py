"""SMS by Orange's API for Africa and the Middle East: send messages, and read its webhooks.

An application has a client id and a secret, by which it fetches a token that lasts an hour. The
sender is the country's (`+2250000`); phones show the registered name, if there is one. Orange takes
five messages a second (developer.orange.com/apis/sms).

Orange signs no webhook, so the address holds a key. The addresses for receipts and for messages
are given to Orange by its contact form, "Real time SMS DR" and "SMS response"
(developer.orange.com/apis/sms/getting-started). The shapes are OneAPI's; whether `callbackData` is
the id of the message is documented for some countries only, so a receipt carries the number too.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, Literal, cast
from urllib.parse import quote, unquote

import msgspec
import structlog
from aiohttp import encode_basic_auth

from adapters.base import replace_lone_surrogates
from adapters.sms_gateway import (
    ANSWER_SECONDS,
    GatewayAnswer,
    GatewayClient,
    KeyedWebhooks,
    SmsAdapter,
    make_sms_capabilities,
    make_sms_update,
    read_number,
    read_sms_text,
)
from bot.asyncio_tasks import cancel_tasks
from bot.contracts.channels import Finding, Pace, Webhook
from bot.errors import BadRequest, DeliveryError, OutcomeUnknown, RetryAt, Undeliverable
from bot.messages.incoming import Receipt, Received, Unreadable, Update
from bot.messages.outgoing import Sent
from bot.net import NOT_JSON, get_fields
from bot.settings import Settings

VIA: Final = "orange_sms"
PER_SECOND = 5.0
_NO_SUCH_ADDRESS = "SVC0004"
"""No valid address, by the error codes of OneAPI, which Orange uses."""
_BAD_KEYS = (400, 401, 403)
"""The HTTP statuses by which Orange refuses the keys for a token."""
_TOKEN = re.compile(r"[\x21-\x7e]+")
_SPARE_SECONDS = 60.0
"""Seconds before its end at which a token is fetched anew."""
_STATES: Mapping[str, Literal["sent", "delivered", "failed"]] = {
    "DeliveredToTerminal": "delivered",
    "DeliveryImpossible": "failed",
    "DeliveredToNetwork": "sent",
    "DeliveryUncertain": "sent",
    "MessageWaiting": "sent",
    "DeliveryNotificationNotSupported": "sent",
}
"""The state by Orange's status; receipts with other statuses are ignored."""
log = structlog.get_logger()


class OrangeSms(SmsAdapter):
    """Sends SMS by Orange.

    Args:
        settings: its `orange_…` fields and `sms_page_segments`.
        seconds: time-out of a request to Orange's API.
        clock: monotonic seconds.
    """

    name = VIA
    title = "Orange"

    def __init__(
        self,
        settings: Settings,
        seconds: float = ANSWER_SECONDS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._http = GatewayClient("Orange", seconds)
        self._tokens = Tokens(settings, self._http, clock)
        self._sender = f"tel:{settings.orange_sender}"
        self._sender_name = settings.orange_sender_name
        sender = quote(self._sender, safe="")
        self._url = f"{settings.orange_api_url}/smsmessaging/v1/outbound/{sender}/requests"
        shown = settings.orange_sender_name or settings.orange_sender
        self.capabilities = make_sms_capabilities(settings, Pace(PER_SECOND), shown)

    async def _send(self, number: str, text: str) -> Sent:
        token = await self._tokens.get()
        answer = await self._post(token, number, text)
        if answer.status == 401:  # surely not taken: the token was withdrawn before its end
            answer = await self._post(await self._tokens.get(refused=token), number, text)
        if not answer.is_good:
            raise self._explain(answer)
        url = get_fields(answer.fields.get("outboundSMSMessageRequest")).get("resourceURL")
        name = unquote(url.rstrip("/").rpartition("/")[2]) if isinstance(url, str) else ""
        if not name:
            raise OutcomeUnknown("Orange's answer names no message")
        return Sent(name)

    async def check(self) -> Sequence[Finding]:
        """Fetch a token, which is free (`bot.contracts.channels.CheckedAdapter`)."""
        answer = await self._tokens.ask()
        if answer.status in _BAD_KEYS:
            advice = "copy ORANGE_CLIENT_ID and ORANGE_CLIENT_SECRET again, of the same application"
            problem = f"Orange refuses it: {answer.status}"
            return [Finding("error", "ORANGE_CLIENT_SECRET", problem, advice)]
        if not answer.is_good or not answer.fields.get("access_token"):
            raise ConnectionError(f"it answered {answer.status}")
        return [Finding("ok", self.title, "gives us a token")]

    async def close(self) -> None:
        await self._tokens.close()
        await self._http.close()

    async def _post(self, token: str, number: str, text: str) -> GatewayAnswer:
        message: dict[str, object] = {
            "address": f"tel:{number}",
            "senderAddress": self._sender,
            "outboundSMSTextMessage": {"message": text},
        }
        if self._sender_name:
            message["senderName"] = self._sender_name
        headers = {"Authorization": f"Bearer {token}"}
        return await self._http.post(
            self._url, headers, json={"outboundSMSMessageRequest": message}
        )

    def _explain(self, answer: GatewayAnswer) -> DeliveryError:
        """Return the error that a refusal means. Only Orange's code is kept in it, as its words may
        hold the number."""
        error = get_fields(answer.fields.get("requestError"))
        exception = error.get("serviceException") or error.get("policyException")
        code = str(get_fields(exception).get("messageId") or answer.fields.get("code") or "")[:20]
        reason = f"Orange error {code} (HTTP {answer.status})" if code else f"HTTP {answer.status}"
        if answer.status == 400 and code == _NO_SUCH_ADDRESS:
            return Undeliverable(reason, dead_target=True)
        return self._http.explain(answer, reason)


class Tokens:
    """The access token of the API, kept until shortly before its end."""

    def __init__(self, settings: Settings, http: GatewayClient, clock: Callable[[], float]) -> None:
        self._http = http
        self._clock = clock
        self._url = f"{settings.orange_api_url}/oauth/v3/token"
        self._authorization = encode_basic_auth(
            settings.orange_client_id, settings.orange_client_secret
        )
        self._token = ""
        self._good_until = 0.0
        self._fetch: asyncio.Task[str] | None = None

    async def get(self, refused: str = "") -> str:
        """Return a valid token, fetched if there is none. Callers that ask while one is being
        fetched get that one, or the same error.

        Args:
            refused: a token that Orange no longer takes.

        Raises:
            RetryAt: there is no token now; nothing was sent.
        """
        if self._token not in {"", refused} and self._clock() < self._good_until:
            return self._token
        if self._fetch is None or self._fetch.done():
            self._fetch = asyncio.create_task(self._fetch_token(), name="orange token")
            self._fetch.add_done_callback(_take_error)
        return await asyncio.shield(self._fetch)

    async def ask(self) -> GatewayAnswer:
        """Request a new token. Raises `RetryAt` or `OutcomeUnknown`."""
        headers = {"Authorization": self._authorization}
        return await self._http.post(self._url, headers, form={"grant_type": "client_credentials"})

    async def close(self) -> None:
        if self._fetch is not None:
            await cancel_tasks([self._fetch])

    async def _fetch_token(self) -> str:
        try:
            answer = await self.ask()
        except OutcomeUnknown as error:
            raise RetryAt(f"no token: {error}") from None
        if answer.status in _BAD_KEYS:
            raise self._http.wait_for_operator(f"no token: HTTP {answer.status}")
        token = answer.fields.get("access_token")
        if not (answer.is_good and isinstance(token, str) and _TOKEN.fullmatch(token)):
            raise RetryAt(f"no token: HTTP {answer.status}", answer.retry_after)
        lifetime = _read_seconds(answer.fields.get("expires_in"))
        self._token = token
        self._good_until = self._clock() + max(lifetime - _SPARE_SECONDS, lifetime / 2)
        return token


def _take_error(task: asyncio.Task[str]) -> None:
    """Retrieve a failure from the task, in case all callers that waited for it were cancelled."""
    if not task.cancelled():
        task.exception()


def _read_seconds(value: object) -> float:
    """Read a token's lifetime in seconds, given as a number or as digits; 0 where it is neither."""
    try:
        seconds = float(value) if isinstance(value, str | int | float) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return max(0.0, seconds) if math.isfinite(seconds) else 0.0


# Webhooks -----------------------------------------------------------------------------------------


class OrangeWebhooks(KeyedWebhooks):
    """Implements `bot.contracts.channels.WebhookReader`."""

    name = VIA
    provider = "orange"

    def parse(self, webhook: Webhook) -> Sequence[Received]:
        """Read receipts or a message; return nothing for an unknown kind.

        Raises:
            BadRequest: not a JSON object, or fields of a receipt are missing or of the wrong type.
        """
        try:
            payload = msgspec.json.decode(replace_lone_surrogates(webhook.body))
        except NOT_JSON:
            raise BadRequest("not JSON") from None
        if not isinstance(payload, dict):
            raise BadRequest("not a JSON object")
        fields = cast("Mapping[str, Any]", payload)
        if "deliveryInfoNotification" in fields:
            return _read_receipts(fields["deliveryInfoNotification"])
        if "inboundSMSMessageNotification" in fields:
            return [_read_message(fields["inboundSMSMessageNotification"])]
        return []


def _read_receipts(notification: object) -> list[Receipt]:
    fields = get_fields(notification)
    reported = fields.get("deliveryInfo")
    infos = cast("list[object]", reported) if isinstance(reported, list) else [reported]
    provider_id = fields.get("callbackData") or ""
    if not isinstance(provider_id, str):
        raise BadRequest("callbackData is no text")
    found = [_read_receipt(get_fields(info), provider_id.strip()) for info in infos]
    return [receipt for receipt in found if receipt is not None]


def _read_receipt(info: Mapping[str, Any], provider_id: str) -> Receipt | None:
    status, address = info.get("deliveryStatus"), info.get("address", "")
    if not isinstance(status, str) or not isinstance(address, str):
        raise BadRequest("not a receipt: no deliveryStatus, or the address is no text")
    number = read_number(address)
    if not provider_id and not number:
        raise BadRequest("not a receipt: neither callbackData nor a number")
    state = _STATES.get(status)
    if state is None:
        log.info("orange_status_unknown")
        return None
    error = status if state == "failed" else ""
    return Receipt(VIA, provider_id, state, error=error, address=number)


def _read_message(notification: object) -> Update | Unreadable:
    fields = get_fields(get_fields(notification).get("inboundSMSMessage"))
    if not fields:
        raise BadRequest("not a message: no inboundSMSMessage")
    sender, text = fields.get("senderAddress"), fields.get("message")
    number = read_number(sender) if isinstance(sender, str) else ""
    if not number or not isinstance(text, str) or not text.strip():
        reason = "shape" if number else "sender"
        log.warning("orange_message_unreadable", reason=reason)
        return Unreadable("sms", VIA, reason, msgspec.json.encode(fields).decode())
    return make_sms_update(VIA, number, _name_message(fields), read_sms_text(text))


def _name_message(fields: Mapping[str, Any]) -> str:
    """Return Orange's id of the message; where it gives none, a digest of sender, time and
    text."""
    if (given := fields.get("messageId")) and isinstance(given, str):
        return given
    parts = [fields.get(name) for name in ("senderAddress", "dateTime", "message")]
    return f"orange:{hashlib.sha256(msgspec.json.encode(parts)).hexdigest()[:32]}"
