"""What a client of OpenAI's API asks, and what of it can be taken.

Fields as in https://platform.openai.com/docs/api-reference/chat/create. What only tunes a model
(`temperature`, `max_tokens`, `stop` …) is ignored; what would promise something else than what
comes back (`n` above 1, `tools`, `response_format`, sound) is refused. Pictures are taken as data
URLs, as in https://platform.openai.com/docs/guides/images-vision.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import msgspec

from bot.library.media import MAX_SHOWN_BYTES, MAX_SHOWN_PIXELS, is_fit_for_vision, sniff
from bot.web.errors import BadField
from bot.web.uploads import MOST_FILES, Upload

MODEL: Final = "griot"
LONGEST_MESSAGE: Final = 32_000
_NAMED = re.compile(r"field `(\w+)`")
_TAKEN: Final = frozenset({"text", "image_url"})
_DATA_URL = re.compile(r"data:image/[a-z0-9.+-]{1,40};base64,", re.IGNORECASE)
_SHORT = 40
"""Bytes of a value that are looked at, to tell whether it is empty."""
_PLACE = re.compile(r"`\$\.?(.*)`$")

Role = Literal["system", "developer", "user", "assistant", "tool", "function"]


class ImageUrl(msgspec.Struct, frozen=True):
    """A picture as a data URL: `data:image/png;base64,…`."""

    url: str


class Part(msgspec.Struct, frozen=True):
    """A part of a message: `text` or `image_url`."""

    type: str
    text: str | None = None
    image_url: ImageUrl | None = None


class Line(msgspec.Struct, frozen=True):
    """One message of the conversation, as the client tells it."""

    role: Role
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Its words; of what is no text, that there was some."""
        if isinstance(self.content, list):
            return "\n".join(part.text or f"[{part.type}]" for part in self.content)
        return self.content or ""

    @property
    def words(self) -> str:
        """Its text parts alone."""
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.text)
        return self.content or ""

    @property
    def pictures(self) -> list[str]:
        """The URLs of its pictures."""
        parts = self.content if isinstance(self.content, list) else []
        return [part.image_url.url for part in parts if part.image_url is not None]


class StreamOptions(msgspec.Struct, frozen=True):
    include_usage: bool | None = None


class Format(msgspec.Struct, frozen=True):
    type: str = "text"


class CompletionRequest(msgspec.Struct, frozen=True):
    """The body of `POST /v1/chat/completions`."""

    model: str
    messages: list[Line]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    # Not taken apart: made of objects, what is refused anyway would be a hundred times larger.
    tools: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    functions: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    tool_choice: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    response_format: Format | None = None
    logprobs: bool | None = None
    modalities: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked, taken apart."""

    text: str
    """The message that is to be answered: the user's last ones, joined. It may be empty where there
    are pictures."""
    pictures: Sequence[Upload]
    """What is shown with it."""
    latest: Sequence[Line]
    """The same, one by one."""
    before: Sequence[Line]
    """What was said before, oldest first, without the program's own wishes."""
    wishes: str
    """What the client's system messages say: a program's wishes, with the weight of its user's."""
    stream: bool
    include_usage: bool


def read_asked(body: bytes) -> Asked:
    """Raises `BadField` that says what cannot be taken."""
    request = _decode(body)
    _check(request)
    said = [line for line in request.messages if line.role not in {"system", "developer"}]
    wishes = [line.text for line in request.messages if line.role in {"system", "developer"}]
    begins = len(said)
    while begins and said[begins - 1].role == "user":
        begins -= 1
    latest = said[begins:]
    options = request.stream_options or StreamOptions()
    return Asked(
        text=_join(latest),
        pictures=_read_pictures(latest),
        latest=latest,
        before=said[:begins],
        wishes="\n\n".join(wishes),
        stream=bool(request.stream),
        include_usage=bool(options.include_usage),
    )


def _decode(body: bytes) -> CompletionRequest:
    try:
        return msgspec.json.decode(body, type=CompletionRequest)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        words = str(error)
        found = _NAMED.search(words) or _PLACE.search(words)
        param = found[1] if found else ""
        raise BadField(param, f"The body is not as expected: {words}.") from None


def _join(latest: Sequence[Line]) -> str:
    if not latest:
        raise BadField("messages", "The last message must be the user's.")
    for line in latest:
        parts = line.content if isinstance(line.content, list) else []
        odd = next((part.type for part in parts if part.type not in _TAKEN), "")
        if odd:
            raise BadField(
                "messages",
                f"{odd}: only text and image_url are taken here. Send other files to "
                "/api/v1/chat, or on WhatsApp or Telegram.",
            )
    text = "\n\n".join(line.words for line in latest).strip()
    if not text and not any(line.pictures for line in latest):
        raise BadField("messages", "The last message is empty.")
    if len(text) > LONGEST_MESSAGE:
        raise BadField("messages", f"The last message has over {LONGEST_MESSAGE} characters.")
    return text


def _read_pictures(latest: Sequence[Line]) -> list[Upload]:
    """The pictures of the message that is to be answered. Raises `BadField`."""
    urls = [url for line in latest for url in line.pictures]
    if len(urls) > MOST_FILES:
        raise BadField("messages", f"At most {MOST_FILES} pictures in a message.")
    return [_read_picture(url) for url in urls]


def _read_picture(url: str) -> Upload:
    head = _DATA_URL.match(url)
    if head is None:
        raise BadField(
            "messages",
            "image_url: send the picture itself, as data:image/png;base64,…; addresses of "
            "pictures elsewhere are not taken yet.",
        )
    try:
        content = base64.b64decode(url[head.end() :], validate=True)
    except ValueError:  # also of characters beyond ASCII
        raise BadField("messages", "image_url: this is no base64.") from None
    if sniff(content, "", "").kind != "image" or not is_fit_for_vision(content):
        raise BadField(
            "messages",
            "image_url: send a PNG, JPEG, GIF or WebP that does not move, of at most "
            f"{MAX_SHOWN_BYTES // 1_000_000} MB and {MAX_SHOWN_PIXELS // 1_000_000} megapixels.",
        )
    return Upload(content)


def _check(request: CompletionRequest) -> None:
    """Refuse what would mislead. Raises `BadField`."""
    if request.model != MODEL:
        words = f"There is no model {request.model!r} here; the one there is: {MODEL}."
        raise BadField("model", words, status=404, code="model_not_found")
    for name, unfit, words in (
        ("n", request.n not in {None, 1}, "there is one answer, and it is charged."),
        ("tools", _is_given(request.tools) and not _is_none(request.tool_choice), _OWN_TOOLS),
        ("functions", _is_given(request.functions), _OWN_TOOLS),
        ("response_format", _is_special(request.response_format), "answers are text."),
        ("logprobs", bool(request.logprobs), "they are not known here."),
        ("modalities", set(request.modalities or ["text"]) != {"text"}, "answers are text."),
    ):
        if unfit:
            raise BadField(name, f"{name}: {words}", code="unsupported_value")


def _is_given(value: msgspec.Raw) -> bool:
    """Whether it is more than `null` or an empty list."""
    return b"".join(bytes(value)[:_SHORT].split()) not in {b"", b"null", b"[]"}


def _is_none(choice: msgspec.Raw) -> bool:
    return bytes(choice)[:_SHORT].strip() == b'"none"'


def _is_special(wanted: Format | None) -> bool:
    return wanted is not None and wanted.type != "text"


_OWN_TOOLS: Final = "the agent uses tools of its own, and calls none of the client's."
