"""SMS, by Orange's API for Africa and the Middle East (developer.orange.com/apis/sms).

An application has a client id and a secret, by which it fetches a token that lasts an hour. The
sender is the country's (`+2250000`); phones show the registered name, if there is one. Orange takes
five messages a second.
"""

from __future__ import annotations

import asyncio
import math
import re
import time
from collections.abc import Callable, Sequence
from urllib.parse import quote, unquote

from aiohttp import encode_basic_auth

from adapters.sms_gateway import (
    ANSWER_SECONDS,
    GatewayAnswer,
    GatewayClient,
    get_fields,
    make_sms_capabilities,
    write_sms,
)
from bot.cancellation import cancel_tasks
from bot.contracts.channels import Pace
from bot.contracts.findings import Finding
from bot.errors import DeliveryError, NotFound, OutcomeUnknown, RetryAt, Undeliverable
from bot.messages.channels import Channel
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Delivery, Preview, Sent
from bot.settings import Settings

PER_SECOND = 5.0
_NO_SUCH_ADDRESS = "SVC0004"
"""No valid address, by the error codes of OneAPI, which Orange uses."""
_BAD_KEYS = (400, 401, 403)
"""The HTTP statuses by which Orange refuses the keys for a token."""
_TOKEN = re.compile(r"[\x21-\x7e]+")
_SPARE_SECONDS = 60.0
"""Seconds before its end at which a token is fetched anew."""


class OrangeSms:
    """Implements `bot.contracts.channels.Adapter`.

    Args:
        settings: its `orange_…` fields.
        page_segments: segments of a long answer that are sent at once.
        seconds: time-out of a request to Orange's API.
        clock: monotonic seconds.
    """

    name = "orange_sms"
    title = "Orange"
    channel: Channel = "sms"

    def __init__(
        self,
        settings: Settings,
        page_segments: int = 4,
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
        self.capabilities = make_sms_capabilities(page_segments, Pace(PER_SECOND), shown)

    async def fetch(self, attachment: Attachment) -> bytes:
        """Raise `NotFound`: Orange delivers only texts."""
        raise NotFound(f"No attachment {attachment.reference!r}.")

    async def deliver(self, delivery: Delivery) -> Sent:
        message = write_sms(delivery)
        if message is None:  # nothing to retire or to acknowledge
            return Sent("")
        token = await self._tokens.get()
        answer = await self._post(token, *message)
        if answer.status == 401:  # surely not taken: the token was withdrawn before its end
            answer = await self._post(await self._tokens.get(refused=token), *message)
        if not answer.is_good:
            raise self._explain(answer)
        url = get_fields(answer.fields.get("outboundSMSMessageRequest")).get("resourceURL")
        name = unquote(url.rstrip("/").rpartition("/")[2]) if isinstance(url, str) else ""
        if not name:
            raise OutcomeUnknown("Orange's answer names no message")
        return Sent(name)

    async def show(self, preview: Preview) -> None:
        """Do nothing: SMS has no previews."""

    async def check(self) -> Sequence[Finding]:
        """Fetch a token, which is free (`bot.contracts.findings.CheckedProvider`)."""
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
