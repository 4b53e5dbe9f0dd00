"""What a client of OpenAI's API asks, and what of it can be taken.

Fields as in https://platform.openai.com/docs/api-reference/chat/create. What only tunes a model
(`temperature`, `max_tokens`, `stop` …) is ignored; what would promise something else than what
comes back (`n` above 1, `tools`, `response_format`, sound) is refused.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import msgspec

from bot.web.errors import BadField

MODEL: Final = "griot"
LONGEST_MESSAGE: Final = 32_000
_NAMED = re.compile(r"field `(\w+)`")
_PLACE = re.compile(r"`\$\.?(.*)`$")

Role = Literal["system", "developer", "user", "assistant", "tool", "function"]


class Part(msgspec.Struct, frozen=True):
    """A part of a message."""

    type: str
    text: str | None = None


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
    tools: list[Any] | None = None
    functions: list[Any] | None = None
    tool_choice: Any = None
    response_format: Format | None = None
    logprobs: bool | None = None
    modalities: list[str] | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    """What is asked, taken apart."""

    text: str
    """The message that is to be answered: the user's last ones, joined."""
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
        odd = next((part.type for part in parts if part.type != "text"), "")
        if odd:
            raise BadField(
                "messages",
                f"{odd}: only text is taken here. Send pictures and files on WhatsApp or Telegram.",
            )
    text = "\n\n".join(line.text for line in latest).strip()
    if not text:
        raise BadField("messages", "The last message is empty.")
    if len(text) > LONGEST_MESSAGE:
        raise BadField("messages", f"The last message has over {LONGEST_MESSAGE} characters.")
    return text


def _check(request: CompletionRequest) -> None:
    """Refuse what would mislead. Raises `BadField`."""
    if request.model != MODEL:
        words = f"There is no model {request.model!r} here; the one there is: {MODEL}."
        raise BadField("model", words, status=404, code="model_not_found")
    for name, unfit, words in (
        ("n", request.n not in {None, 1}, "there is one answer, and it is charged."),
        ("tools", bool(request.tools) and request.tool_choice != "none", _OWN_TOOLS),
        ("functions", bool(request.functions), _OWN_TOOLS),
        ("response_format", _is_special(request.response_format), "answers are text."),
        ("logprobs", bool(request.logprobs), "they are not known here."),
        ("modalities", set(request.modalities or ["text"]) != {"text"}, "answers are text."),
    ):
        if unfit:
            raise BadField(name, f"{name}: {words}", code="unsupported_value")


def _is_special(wanted: Format | None) -> bool:
    return wanted is not None and wanted.type != "text"


_OWN_TOOLS: Final = "the agent uses tools of its own, and calls none of the client's."
