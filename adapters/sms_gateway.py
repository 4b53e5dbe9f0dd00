"""Share code among the SMS adapters: texts, carriers' keywords, webhooks, and calls over HTTP."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from urllib.parse import urlencode

import msgspec
import structlog
from aiohttp import ClientTimeout
from yarl import URL

from adapters.base import (
    CONNECT_SECONDS,
    OPERATOR_SECONDS,
    PHONE_NUMBER,
    HttpClient,
    convert_http_errors,
    read_answer,
    read_retry_after,
    require_phone_number,
    write_options_as_text,
)
from bot.contracts.channels import Adapter, Capabilities, Pace, Webhook
from bot.errors import DeliveryError, OutcomeUnknown, Refused, RetryAt, Undeliverable
from bot.messages.channels import SMS_START_KEYWORDS, SMS_STOP_KEYWORDS, Channel, read_keyword
from bot.messages.incoming import OptedOut, Said, Sender, Update, UpdateContent
from bot.messages.outgoing import Delivery, FileBody, Sent, TemplateBody, TextBody
from bot.net import decode_json, get_fields, is_same_secret
from bot.settings import Settings

SEGMENT = 153
"""Septets of one part of a joined message."""
MAX_SEGMENTS = 10
"""Twilio takes 1600 characters: ten parts and a bit. The others publish no smaller limit."""
ANSWER_SECONDS = 15.0
_TAKES_ANSWERS = re.compile(r"\+?[0-9]+|MG[0-9a-fA-F]{32}")
"""A number, a short code, or Twilio's service that chooses one of the account's numbers."""
log = structlog.get_logger()


# Texts ------------------------------------------------------------------------------------------


def make_sms_capabilities(settings: Settings, pace: Pace, sender: str) -> Capabilities:
    """Return the capabilities of SMS, the same for all providers, so that an answer written for one
    may go by another.

    Args:
        settings: its `sms_page_segments`, the segments of a long answer that are sent at once.
        sender: the sender that phones show; a name cannot be answered.
    """
    return Capabilities(
        max_text=MAX_SEGMENTS * SEGMENT,
        text_unit="gsm7",
        page=min(settings.sms_page_segments, MAX_SEGMENTS) * SEGMENT,
        joins=True,
        answers="by_country" if takes_answers(sender) else "never",
        receipts=True,
        sender_pace=pace,
    )


def takes_answers(sender: str) -> bool:
    """Return whether people can answer this sender; they cannot if it is a name."""
    return _TAKES_ANSWERS.fullmatch(sender) is not None


def write_sms(delivery: Delivery) -> tuple[str, str] | None:
    """Return the number and the text to send; None for a body that SMS cannot express, such as the
    answer to a tap.

    Raises:
        Undeliverable: a file or a template, or the conversation is no number.
    """
    match delivery.body:
        case TextBody() as body:
            text = write_options_as_text(body) if body.buttons else body.text
            return require_phone_number(delivery.conversation), text
        case FileBody() | TemplateBody():
            raise Undeliverable("SMS carries neither files nor templates")
        case _:
            return None


def read_sms_text(text: str, opt_out: str = "", *, forwarded: bool = False) -> Said | OptedOut:
    """Read a person's message. Some words alone (STOP, START) opt out or in; the carrier acts on
    most of them too.

    Args:
        opt_out: `STOP` or `START` where the provider says that it has acted on the message.
    """
    word = read_keyword(text)
    if opt_out == "STOP" or word in SMS_STOP_KEYWORDS:
        return OptedOut()
    consents = opt_out == "START" or word in SMS_START_KEYWORDS
    return Said(text, forwarded=forwarded, consents=consents)


def read_number(address: str) -> str:
    """Read a number in E.164 from `tel:+225…`, `225…` or a form's ` 225…`, whose plus sign was not
    encoded; return an empty text for anything else."""
    digits = address.strip().removeprefix("tel:").strip().removeprefix("+")
    return f"+{digits}" if PHONE_NUMBER.fullmatch(f"+{digits}") else ""


class SmsAdapter(Adapter, Protocol):
    """Base of the SMS adapters, which send nothing but texts."""

    channel: Channel = "sms"

    async def deliver(self, delivery: Delivery) -> Sent:
        message = write_sms(delivery)
        if message is None:  # nothing to retire or to acknowledge
            return Sent("")
        return await self._send(*message)

    async def _send(self, number: str, text: str) -> Sent:
        """Send a text. Raises as `deliver` does."""
        ...


# Webhooks without signatures --------------------------------------------------------------------


class KeyedWebhooks:
    """Base of webhook readers for a provider that signs nothing, so that the address holds a key.

    Args:
        settings: its `SECRET_KEY` gives the key.
    """

    provider: str
    """Its name in the address."""

    def __init__(self, settings: Settings) -> None:
        self._keys = settings.list_webhook_keys(self.provider)

    def verify(self, webhook: Webhook) -> None:
        """Raise `Refused` unless the address ends in one of the keys."""
        given = webhook.path.partition("?")[0].rpartition("/")[2]
        if not any(is_same_secret(given, key) for key in self._keys):
            raise Refused("wrong key in the address")


def make_sms_update(via: str, number: str, key: str, content: UpdateContent) -> Update:
    """Return what a person sent by SMS.

    Args:
        via: the name of the adapter.
        key: the provider's id of the message.
    """
    return Update(
        channel="sms",
        via=via,
        conversation=number,
        sender=Sender(number),
        delivery_key=key,
        message_key=key,
        content=content,
    )


# Calls ------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class GatewayAnswer:
    status: int
    content: Any
    """The JSON of the answer; None where it has none."""
    retry_after: float | None
    """Seconds to wait, as the provider asked."""

    @property
    def fields(self) -> Mapping[str, Any]:
        """The fields of its JSON object; empty where it is none."""
        return get_fields(self.content)

    @property
    def is_good(self) -> bool:
        return 200 <= self.status < 300


class GatewayClient(HttpClient):
    """Calls a provider's API.

    Args:
        provider: its name, for errors.
        seconds: time-out of a whole exchange; the connection must be made in the first five.
    """

    def __init__(self, provider: str, seconds: float = ANSWER_SECONDS) -> None:
        self._provider = provider
        self._timeout = ClientTimeout(total=seconds, connect=CONNECT_SECONDS)

    async def post(
        self,
        url: str,
        headers: Mapping[str, str],
        *,
        form: Mapping[str, str] | None = None,
        json: object = None,
    ) -> GatewayAnswer:
        """Post a form, or JSON. Redirects are not followed, as they would carry keys elsewhere.

        Raises:
            RetryAt: no connection, so nothing was sent.
            OutcomeUnknown: the request was sent, and no usable answer came.
        """
        if form is not None:
            kind, body = "application/x-www-form-urlencoded", urlencode(form).encode()
        else:
            kind, body = "application/json", msgspec.json.encode(json)
        return await self._exchange("POST", url, {**headers, "Content-Type": kind}, body)

    async def get(self, url: str, headers: Mapping[str, str]) -> GatewayAnswer:
        """Get a resource. Raises as `post` does."""
        return await self._exchange("GET", url, headers, None)

    async def _exchange(
        self, verb: str, url: str, headers: Mapping[str, str], body: bytes | None
    ) -> GatewayAnswer:
        with convert_http_errors(self._provider):
            async with self.session.request(
                verb,
                URL(url, encoded=True),
                data=body,
                headers={"Accept": "application/json", **headers},
                timeout=self._timeout,
                allow_redirects=False,
            ) as response:
                payload = await read_answer(response, self._provider)
                retry_after = read_retry_after(response.headers)
                return GatewayAnswer(response.status, decode_json(payload), retry_after)

    def explain(self, answer: GatewayAnswer, reason: str) -> DeliveryError:
        """Return the error that a refusal means, by its HTTP status.

        A 429 was never processed; a 5xx may have been. Faults that only the operator can mend
        (keys, a closed or empty account) are logged, and the delivery waits.
        """
        status = answer.status
        if status == 429:
            return RetryAt(reason, answer.retry_after)
        if status in {401, 402, 403} or 300 <= status < 400:
            return self.wait_for_operator(reason)
        return OutcomeUnknown(reason) if status >= 500 else Undeliverable(reason)

    def wait_for_operator(self, reason: str) -> RetryAt:
        """Log a fault that only the operator can mend, and return the error with which the delivery
        waits."""
        log.error("sms_account_refused", provider=self._provider, reason=reason)
        return RetryAt(reason, OPERATOR_SECONDS)
