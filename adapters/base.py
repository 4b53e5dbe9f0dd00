"""Share code among adapters: calls over HTTP, repairing JSON, files and addresses, phone numbers,
options as text, what a stream can show."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Final

from aiohttp import (
    ClientConnectorError,
    ClientError,
    ClientResponse,
    ClientSession,
    ConnectionTimeoutError,
    DummyCookieJar,
    InvalidURL,
)
from yarl import URL

from bot.contracts.channels import UNLIMITED, Capabilities
from bot.contracts.storage import ReadFile
from bot.errors import (
    DeliveryError,
    NotFound,
    OutcomeUnknown,
    RetryAt,
    SenderRestricted,
    TooLarge,
    Undeliverable,
    WindowClosed,
)
from bot.i18n import say
from bot.messages.channels import USER_ID
from bot.messages.incoming import FailureCause
from bot.messages.outgoing import Button, TextBody
from bot.net import read_within
from bot.typography import shorten

CONNECT_SECONDS = 5.0
MAX_ANSWER = 2**20
"""The most bytes of an answer that is not a file."""
MAX_WAIT = 3600.0
OPERATOR_SECONDS = 60.0
"""Seconds to wait where the operator has to act: no message was taken, and none is lost."""
STREAMED: Final = Capabilities(
    max_text=UNLIMITED,
    markup="markdown",
    max_caption=UNLIMITED,
    max_buttons=100,
    max_button_label=1000,
    media=(("*/*", UNLIMITED),),
    streams=True,
    resend="safe",
)
"""Capabilities where the turn's events are shown as they happen, by a client of our own."""
INVALID_URL = (ValueError, IndexError)
"""The errors that `yarl.URL` raises for an invalid address; IndexError for `http://[]@/`."""
NO_CONNECTION = (ClientConnectorError, ConnectionTimeoutError, InvalidURL)
"""Errors raised before any part of a request was sent."""


class HttpClient:
    """Base of the clients of providers' APIs: holds one session, opened with the first request."""

    _session: ClientSession | None = None

    @property
    def session(self) -> ClientSession:
        if self._session is None:
            self._session = ClientSession(cookie_jar=DummyCookieJar())
        return self._session

    async def close(self) -> None:
        if self._session is not None:
            await self._session.close()


@contextmanager
def convert_http_errors(provider: str) -> Generator[None]:
    """Raise `RetryAt` for a request that was not sent, `OutcomeUnknown` for one without an answer.

    aiohttp's errors may hold the URL, and with it the account or access to a file, so these do not
    refer to them.
    """
    try:
        yield
    except NO_CONNECTION as error:
        raise RetryAt(f"no connection to {provider} ({type(error).__name__})") from None
    except (ClientError, TimeoutError, OSError) as error:
        raise OutcomeUnknown(f"no answer from {provider} ({type(error).__name__})") from None


async def read_answer(response: ClientResponse, provider: str) -> bytes:
    """Return an answer that is not a file. Raises `OutcomeUnknown` beyond `MAX_ANSWER` bytes."""
    try:
        return await read_within(response, MAX_ANSWER)
    except TooLarge:
        raise OutcomeUnknown(f"no answer from {provider} (TooLarge)") from None


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Read the seconds to wait from `Retry-After`; None where it is missing or no number."""
    try:
        seconds = float(headers.get("Retry-After", ""))
    except ValueError:
        return None
    return min(max(seconds, 0.0), MAX_WAIT) if math.isfinite(seconds) else None


_ESCAPES = re.compile(
    rb"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^u]|\\u(?![dD][89a-fA-F]))"
    rb"|\\u[dD][89a-fA-F][0-9a-fA-F]{2}"
)
"""Matches each escape; the first group may stay, else it is an unpaired surrogate."""


def replace_lone_surrogates(body: bytes) -> bytes:
    """Replace each unpaired surrogate escape (an emoji cut in the middle) in JSON by U+FFFD.

    The grammar allows them (RFC 8259, 8.2), our decoders do not.
    """
    return _ESCAPES.sub(lambda found: found[1] or rb"\ufffd", body)


async def read_library_file(read_file: ReadFile, file_id: str) -> bytes:
    """Return a file to send. Raises `Undeliverable` where it was deleted, `RetryAt` where the
    library cannot be reached."""
    try:
        return await read_file(file_id)
    except NotFound:
        raise Undeliverable("the file is no longer in the library") from None
    except OSError as error:
        reason = f"the library cannot be reached ({type(error).__name__})"
        raise RetryAt(reason, only_file=True) from error


def find_own_url(link: str, is_own: Callable[[URL], bool]) -> URL | None:
    """Return the address if our credentials may be sent to it; None for one that is invalid, names
    a user, or is not the provider's.

    Args:
        is_own: whether the address is the provider's; may raise `ValueError`.
    """
    try:
        url = URL(link)
        known = url.user is None and url.password is None and is_own(url)
    except INVALID_URL:
        return None
    return url if known else None


BUTTON_TOKEN = re.compile(r"[0-9a-f]{32}")
"""The form of what our buttons carry."""
PHONE_NUMBER = re.compile(r"\+[1-9][0-9]{6,14}")
"""E.164."""


def require_phone_number(conversation: str) -> str:
    """Return the conversation if it is a phone number. Raises `Undeliverable` otherwise."""
    if not PHONE_NUMBER.fullmatch(conversation):
        raise Undeliverable("not a phone number")
    return conversation


def require_contact_id(conversation: str) -> str:
    """Return the conversation if it is a phone number or a user id. Raises `Undeliverable`
    otherwise."""
    if not PHONE_NUMBER.fullmatch(conversation) and not USER_ID.fullmatch(conversation):
        raise Undeliverable("neither a phone number nor a user id")
    return conversation


def make_whatsapp_link(number: str) -> str:
    """Make the link that opens a chat with a number (https://faq.whatsapp.com/5913398998672934)."""
    return f"https://wa.me/{re.sub(r'[^0-9]', '', number)}"


MAX_REPLIES = 3
MAX_ROWS = 10
MAX_BODY = 1024
"""The most characters above the replies or rows."""
MAX_DESCRIPTION = 72
_OPEN_LIST = "☰"
"""The label of the button that opens a list, where none is given."""


def explain_cause(cause: FailureCause, reason: str) -> DeliveryError:
    """Return the error of a delivery for a refusal that is about the conversation or the sender.

    Args:
        cause: not empty.
    """
    match cause:
        case "window":
            return WindowClosed(reason)
        case "restricted":
            return SenderRestricted(reason)
        case _:
            return Undeliverable(reason, dead_target=True, opted_out=cause == "opted_out")


def list_buttons(body: TextBody) -> list[Button]:
    return [button for row in body.buttons for button in row]


def get_list_label(body: TextBody) -> str:
    """Return the label of the button that opens a list; both providers refuse an empty one."""
    return body.list_label or _OPEN_LIST


def describe_row(button: Button, body: TextBody) -> str:
    """Return the full label of a list row that shows a letter or a shortened label; else empty."""
    full = {choice.token: choice.label for choice in body.choices}.get(button.token, "")
    return "" if full == button.label else shorten(full, MAX_DESCRIPTION)


def write_options_as_text(body: TextBody) -> str:
    """Write the body as text, with a line for each option unless the text lists them already, and
    a line that says how to answer, if the body's language is known."""
    options = [
        button for button in body.choices or tuple(list_buttons(body)) if not button.tap_only
    ]
    shown = {button.label for button in list_buttons(body)}
    if any(option.label not in shown for option in options):
        return "\n\n".join(filter(None, (body.text, _say_how_to_answer(body, "A"))))
    marked = _mark_options(options)
    lines = "\n".join(f"{mark}) {option.label}" for mark, option in marked)
    how = _say_how_to_answer(body, marked[0][0]) if marked else ""
    return "\n\n".join(filter(None, (body.text, lines, how)))


def _say_how_to_answer(body: TextBody, mark: str) -> str:
    """Return the line that says how to answer to options with marks such as this."""
    if not body.language:
        return ""
    if mark.isdigit():
        return say(body.language, "Reply with the number.")
    return say(body.language, "Answer with the letter.")


def _mark_options(options: Sequence[Button]) -> list[tuple[str, Button]]:
    """Mark the options with numbers, or with letters where a number could be mistaken for one."""
    lettered = any(option.label.strip().isdigit() for option in options)
    marks = [chr(ord("A") + place) if lettered else str(place + 1) for place in range(len(options))]
    return list(zip(marks, options, strict=True))
