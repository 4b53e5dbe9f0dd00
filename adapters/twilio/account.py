"""A Twilio account: sending, media and checks, used by both adapters."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

import structlog
from aiohttp import (
    ClientError,
    ClientResponse,
    ClientSession,
    ClientTimeout,
    DummyCookieJar,
    InvalidURL,
    encode_basic_auth,
)
from yarl import URL

from adapters.base import (
    CONNECT_SECONDS,
    INVALID_URL,
    OPERATOR_SECONDS,
    find_own_url,
    read_retry_after,
)
from adapters.twilio.client import ANSWER_SECONDS, DEFAULT_API_URL, Refusal, TwilioClient, explain
from bot.contracts.channels import Finding
from bot.errors import NotFound, OutcomeUnknown, RetryAt
from bot.messages.incoming import Attachment
from bot.messages.outgoing import Sent
from bot.net import get_fields, is_public, make_guarded_connector, read_within, was_refused
from bot.settings import Settings

MAX_HOPS = 5
TRANSFER_SECONDS = 120.0
"""Time-out of a whole file: 16 MB at 140 KB/s."""
_REDIRECTS = {301, 302, 303, 307, 308}


class Media:
    """Fetches media URLs, which are Twilio's own or not fetched at all.

    Args:
        api_url: with https://api.twilio.com, the only origins that get the credentials.
        credentials: account sid and token.
        seconds: time-out for an answer to begin, and between its parts.
        allows: whether a redirect may lead to an IP address, unless it stays at `api_url`'s host.
    """

    def __init__(
        self,
        api_url: str,
        credentials: tuple[str, str],
        seconds: float = ANSWER_SECONDS,
        allows: Callable[[str], bool] = is_public,
    ) -> None:
        self._allows = allows
        self._host = URL(api_url).host
        self._origins = {URL(DEFAULT_API_URL).origin(), URL(api_url).origin()}
        self._authorization = encode_basic_auth(*credentials)
        self._timeout = ClientTimeout(
            total=TRANSFER_SECONDS, connect=CONNECT_SECONDS, sock_read=seconds
        )

    async def fetch(self, session: ClientSession, reference: str, limit: int) -> bytes:
        """Return the file, at most `limit` bytes.

        Twilio redirects to the file's storage, from which it is fetched without credentials, from
        public addresses only, and over plain HTTP only where Twilio's own address has plain HTTP.

        Raises:
            NotFound: the file is gone, or `reference` is no media URL of Twilio.
            TooLarge: the file is larger, noticed at the latest while it streams.
            RetryAt: the file cannot be reached now.
        """
        url = self._own(reference)
        try:
            content = await self._get(session, url, limit, {"Authorization": self._authorization})
            if isinstance(content, bytes):
                return content
            return await self._follow(session, content, limit)
        except InvalidURL:
            raise _nowhere() from None
        except (ClientError, TimeoutError, OSError) as error:
            if was_refused(error):
                raise NotFound("Twilio redirects to a private address") from None
            # `from None`: the URL names the file, and may be signed.
            raise RetryAt(f"no file from Twilio ({type(error).__name__})") from None

    async def _follow(self, session: ClientSession, url: URL, limit: int) -> bytes:
        """Return the file that the first redirect leads to; `session` serves Twilio's own host
        only."""
        async with self._open_guarded() as guarded:
            for _ in range(MAX_HOPS):
                chosen = session if url.host == self._host else guarded
                content = await self._get(chosen, url, limit, {})
                if isinstance(content, bytes):
                    return content
                url = content
        raise NotFound("Twilio's redirects do not end")

    async def _get(
        self, session: ClientSession, url: URL, limit: int, headers: Mapping[str, str]
    ) -> bytes | URL:
        """Return the file, or the address that a redirect leads to."""
        async with session.get(
            url,
            headers={"Accept-Encoding": "identity", **headers},
            timeout=self._timeout,
            allow_redirects=False,
        ) as response:
            if response.status in _REDIRECTS:
                return _next(url, response)
            _check(response)
            return await read_within(response, limit)

    def _open_guarded(self) -> ClientSession:
        """Return a session that connects to allowed addresses only, on any port."""
        connector = make_guarded_connector(lambda address, _: self._allows(address))
        return ClientSession(connector=connector, cookie_jar=DummyCookieJar())

    def _own(self, reference: str) -> URL:
        url = find_own_url(reference, lambda url: url.origin() in self._origins)
        if url is None:
            raise NotFound("not a media URL of Twilio")
        return url


def _next(url: URL, response: ClientResponse) -> URL:
    """Return the target of a redirect. Raises `NotFound` for one that is invalid, or leads from an
    encrypted connection to a plain one."""
    try:
        target = url.join(URL(response.headers.get("Location", "")))
    except INVALID_URL:
        raise _nowhere() from None
    if target == url or target.scheme not in {"https", url.scheme}:
        raise _nowhere()
    return target


def _nowhere() -> NotFound:
    return NotFound("Twilio redirects to nowhere")


def _check(response: ClientResponse) -> None:
    """Check that the answer is the file. Raises `RetryAt` or `NotFound`."""
    status = response.status
    if status == 200:
        return
    if status in {401, 403}:
        raise RetryAt(f"Twilio does not give the file (HTTP {status})", OPERATOR_SECONDS)
    if status == 429 or status >= 500:
        raise RetryAt(f"no file from Twilio (HTTP {status})", read_retry_after(response.headers))
    raise NotFound(f"Twilio no longer has the file (HTTP {status})")


_BAD_KEYS: Final = (401, 403, 404)
log = structlog.get_logger()


class Account:
    """Sends messages by a Twilio account, fetches media, and checks the account.

    Args:
        settings: its `twilio_…` fields and `public_url`.
        seconds: time-out of a request to the API.
    """

    title = "Twilio"

    def __init__(self, settings: Settings, seconds: float = ANSWER_SECONDS) -> None:
        self._settings = settings
        credentials = (settings.twilio_account_sid, settings.twilio_auth_token)
        self.client = TwilioClient(settings, seconds)
        self._media = Media(settings.twilio_api_url, credentials, seconds)
        self._callback = (
            f"{settings.public_url}/webhooks/twilio/status" if settings.public_url else ""
        )

    async def send(
        self,
        sender: str,
        to: str,
        *,
        body: str = "",
        media_url: str = "",
        content_sid: str = "",
        content_variables: str = "",
    ) -> Sent:
        """Send one message; empty fields are left out. Raises `DeliveryError`."""
        optional = {
            "StatusCallback": self._callback,
            "Body": body,
            "MediaUrl": media_url,
            "ContentSid": content_sid,
            "ContentVariables": content_variables,
        }
        given = {name: value for name, value in optional.items() if value}
        form = {"To": to, "From": sender, **given}
        try:
            message = await self.client.post(f"{self.client.account_url}/Messages.json", form)
        except Refusal as refusal:
            log_operator_error(refusal)
            raise explain(refusal) from None
        if not message.sid:
            raise OutcomeUnknown("Twilio's answer names no message")
        return Sent(message.sid)

    async def fetch(self, attachment: Attachment, limit: int) -> bytes:
        """Download an attachment. Raises `NotFound`, `TooLarge` or `RetryAt`."""
        return await self._media.fetch(self.client.session, attachment.reference, limit)

    async def check(self) -> Sequence[Finding]:
        """Check the account (`bot.contracts.channels.CheckedAdapter`)."""
        url = self.client.account_url
        try:
            account = await self.client.get(f"{url}.json")
        except Refusal as refusal:
            if refusal.status not in _BAD_KEYS:
                raise ConnectionError(f"it answered {refusal.status}") from None
            problem = f"Twilio refuses it: {refusal.status}, error {refusal.code or ''}"
            advice = (
                "copy TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN again: "
                "the live ones, not the test ones"
            )
            return [Finding("error", "TWILIO_AUTH_TOKEN", problem, advice)]
        if account.status != "active":
            advice = "see the console of Twilio: billing, or a review of the account"
            return [Finding("error", "Twilio", f"the account is {account.status}", advice)]
        if not self._settings.twilio_sms_from.startswith("+"):
            return [Finding("ok", "Twilio", "knows the account")]
        query = {"PhoneNumber": self._settings.twilio_sms_from, "PageSize": "1"}
        try:
            listed = await self.client.get(f"{url}/IncomingPhoneNumbers.json", query)
        except Refusal as refusal:
            raise ConnectionError(f"it answered {refusal.status}") from None
        problems = list(
            _check_numbers(listed.incoming_phone_numbers or [], self._settings.public_url)
        )
        return problems or [Finding("ok", "Twilio", "knows the account and its number")]

    async def close(self) -> None:
        await self.client.close()


def log_operator_error(refusal: Refusal) -> None:
    """Log a refusal that only the operator can mend."""
    if refusal.is_for_operator:
        log.error("twilio_account_refused", status=refusal.status, code=refusal.code)


def _check_numbers(numbers: Sequence[Any], public_url: str | None) -> Iterator[Finding]:
    if not numbers:
        yield Finding(
            "warning",
            "TWILIO_SMS_FROM",
            "is no number of this account",
            "copy it from the console of Twilio, unless it is hosted elsewhere",
        )
        return
    number = get_fields(numbers[0])
    if get_fields(number.get("capabilities")).get("sms") is False:
        advice = "buy one with SMS in the console of Twilio"
        yield Finding("error", "TWILIO_SMS_FROM", "cannot send SMS", advice)
    # If the number has an application, the application's address counts instead.
    ours, has_application = f"{public_url}/webhooks/twilio", bool(number.get("sms_application_sid"))
    if public_url and not has_application and number.get("sms_url") != ours:
        yield Finding(
            "warning",
            "TWILIO_SMS_FROM",
            "messages to it do not come here",
            f'set "A message comes in" to {ours} (POST) in the console of Twilio, '
            "unless a messaging service does",
        )
