"""Read a request of a client of OpenAI's API, and find the session that it belongs to.

Fields as in https://platform.openai.com/docs/api-reference/chat/create. Fields that only tune a
model (`temperature`, `max_tokens`, `stop` …) are ignored; fields that ask for another answer than
Griot gives (`n` above 1, `tools`, `response_format`, sound) are refused. Pictures are taken as data
URLs, as in https://platform.openai.com/docs/guides/images-vision.

Such a client keeps the conversation itself and sends all of it, without an id. So after each answer
a note is stored under a keyed hash of all messages, which the client will send back next time. If a
note is found, the conversation goes on in its session. If not (a new conversation, an edited one,
or an old one), a new session begins with the earlier messages as context. The notes are ephemeral:
without them the model gets the earlier messages as context once more, and nothing is lost.
"""

from __future__ import annotations

import asyncio
import base64
import hashlib
import hmac
import re
import secrets
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final, Literal

import msgspec
import structlog

from bot.contracts.storage import EphemeralStore
from bot.files.media import MAX_SHOWN_BYTES, MAX_SHOWN_PIXELS, is_fit_for_vision, sniff
from bot.gateway.inbound.inbox import Inbox
from bot.messages.incoming import Person
from bot.messages.value import explain_decode_error
from bot.net import NOT_JSON
from bot.web.errors import BadField
from bot.web.files import MOST_FILES, Upload

MODEL: Final = "griot"
LONGEST_MESSAGE: Final = 32_000
_NAMED = re.compile(r"field `(\w+)`")
_TAKEN: Final = frozenset({"text", "image_url"})
_DATA_URL = re.compile(r"data:image/[a-z0-9.+-]{1,40};base64,", re.IGNORECASE)
_SHORT = 40
"""Bytes of a value that are read to see whether it is empty."""
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


class ClientMessage(msgspec.Struct, frozen=True):
    """One message of the conversation, as the client sends it."""

    role: Role
    content: str | list[Part] | None = None

    @property
    def text(self) -> str:
        """Its text, with other parts named by their type."""
        if isinstance(self.content, list):
            return "\n".join(part.text or f"[{part.type}]" for part in self.content)
        return self.content or ""

    @property
    def words(self) -> str:
        """The text of its text parts alone."""
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
    type: str | None = None


class CompletionRequest(msgspec.Struct, frozen=True):
    """The body of `POST /v1/chat/completions`."""

    model: str
    messages: list[ClientMessage]
    stream: bool | None = None
    stream_options: StreamOptions | None = None
    n: int | None = None
    # Not decoded: they are refused anyway, and as objects would be a hundred times larger.
    tools: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    functions: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    tool_choice: msgspec.Raw = msgspec.field(default_factory=msgspec.Raw)
    response_format: Format | None = None
    logprobs: bool | None = None
    modalities: list[str] | None = None


@dataclass(frozen=True, slots=True)
class ClientRequest:
    """The parts of a client's request."""

    text: str
    """The message to answer: the user's last messages, joined. Empty if there are only pictures."""
    pictures: Sequence[Upload]
    """The pictures in these messages."""
    latest: Sequence[ClientMessage]
    """The user's last messages, one by one."""
    history: Sequence[ClientMessage]
    """Messages before those, oldest first, without system messages."""
    instructions: str
    """The client's system messages; they weigh no more than its user's words."""
    stream: bool
    include_usage: bool


def read_client_request(body: bytes) -> ClientRequest:
    """Read the body. Raises `BadField` with the field that is not accepted."""
    request = _decode(body)
    _refuse_unsupported(request)
    said = [line for line in request.messages if line.role not in {"system", "developer"}]
    instructions = [line.text for line in request.messages if line.role in {"system", "developer"}]
    begins = len(said)
    while begins and said[begins - 1].role == "user":
        begins -= 1
    latest = said[begins:]
    options = request.stream_options or StreamOptions()
    return ClientRequest(
        text=_join_messages(latest),
        pictures=_read_pictures(latest),
        latest=latest,
        history=said[:begins],
        instructions="\n\n".join(instructions),
        stream=bool(request.stream),
        include_usage=bool(options.include_usage),
    )


def _decode(body: bytes) -> CompletionRequest:
    try:
        return msgspec.json.decode(body, type=CompletionRequest)
    except NOT_JSON as error:
        words = str(error)
        found = _NAMED.search(words) or _PLACE.search(words)
        param = found[1] if found else ""
        plain = explain_decode_error(error)
        raise BadField(param, f"The body is not as expected: {plain}.") from None


def _join_messages(latest: Sequence[ClientMessage]) -> str:
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


def _read_pictures(latest: Sequence[ClientMessage]) -> list[Upload]:
    """Read the pictures of the messages to answer. Raises `BadField`."""
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


def _refuse_unsupported(request: CompletionRequest) -> None:
    """Raise `BadField` for a field that asks for another answer than Griot gives."""
    if request.model != MODEL:
        words = f"There is no model {request.model!r} here; the one there is: {MODEL}."
        raise BadField("model", words, status=404, code="model_not_found")
    choice = bytes(request.tool_choice)[:_SHORT].strip()
    answer_format = request.response_format or Format()
    for name, unfit, words in (
        ("n", request.n not in {None, 1}, "there is one answer, and it is charged."),
        ("tools", _has_value(request.tools) and choice != b'"none"', _OWN_TOOLS),
        ("functions", _has_value(request.functions), _OWN_TOOLS),
        ("response_format", answer_format.type not in (None, "text"), "answers are text."),
        ("logprobs", bool(request.logprobs), "they are not known here."),
        ("modalities", set(request.modalities or ["text"]) != {"text"}, "answers are text."),
    ):
        if unfit:
            raise BadField(name, f"{name}: {words}", code="unsupported_value")


def _has_value(value: msgspec.Raw) -> bool:
    """Return whether a value is more than `null` or an empty list."""
    return b"".join(bytes(value)[:_SHORT].split()) not in {b"", b"null", b"[]"}


REMEMBERED: Final = 24 * 3600.0
"""Seconds for which an idle conversation is found again."""
REPEATABLE: Final = 600.0
"""Seconds for which a repeated request finds the turn that it began: as long as clients of OpenAI
wait by default."""
_AT_ONCE: Final = 30.0
"""Seconds that beginning a turn may take: as long as a process waits for the database."""
_LOOK_AGAIN: Final = 0.05
_LONGEST_HISTORY: Final = 48_000
"""The most characters of the history given to a new session; the newest messages are kept."""
_LONGEST_INSTRUCTIONS: Final = 8_000
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class StartedTurn:
    """A turn that a request began."""

    session: str
    turn: int

    @property
    def lane(self) -> str:
        return f"http:{self.session}"


class RequestHistory:
    """Finds the session that a request continues, and the turn that a repeated request began.

    Args:
        key: a secret for the hashes, so that no message can be guessed from them.
    """

    def __init__(self, momentary: EphemeralStore, inbox: Inbox, key: str) -> None:
        self._momentary = momentary
        self._inbox = inbox
        self._key = key.encode()

    async def find_session(self, person: Person, asked: ClientRequest) -> tuple[str | None, str]:
        """Return the session that the request continues, None for a new one, and the context to
        give the model with it."""
        known = await self._momentary.get(self._name("said", person, asked.history))
        session, turn, instructions = known.decode().split(" ") if known else ("", "0", "")
        if not session or await self._inbox.last_handled(f"http:{session}") != int(turn):
            return None, _describe_history(asked.instructions, asked.history)
        is_new = asked.instructions and instructions != self._hash(asked.instructions)
        return session, _describe_history(asked.instructions, ()) if is_new else ""

    async def note_answer(
        self, person: Person, asked: ClientRequest, answer: str, begun: StartedTurn
    ) -> None:
        """Note the session under all messages and the answer, which the client will send back."""
        said = [*asked.history, *asked.latest, ClientMessage("assistant", answer)]
        value = f"{begun.session} {begun.turn} {self._hash(asked.instructions)}"
        await self._note(self._name("said", person, said), value, REMEMBERED)

    @asynccontextmanager
    async def lock_request(self, request_key: str) -> AsyncGenerator[None]:
        """Hold a lock while a request with an idempotency key is looked up and begun.

        After a process died meanwhile, others wait for up to `_AT_ONCE` seconds.
        """
        name, owner = f"{request_key}:lock", secrets.token_hex(8)
        while not await self._momentary.lock(name, owner, _AT_ONCE):  # noqa: ASYNC110 (elsewhere)
            await asyncio.sleep(_LOOK_AGAIN)
        try:
            yield
        finally:
            await self._momentary.unlock(name, owner)

    async def find_started_turn(self, request_key: str) -> StartedTurn | None:
        """Return the turn that the same request began when it was sent before, whatever process has
        died meanwhile."""
        found = await self._inbox.find_request(request_key, REPEATABLE)
        return StartedTurn(found[0].removeprefix("http:"), found[1]) if found else None

    def name_request(self, person: Person, asked: ClientRequest, mark: str) -> str:
        """Return the key that only the same request of the same person has.

        Args:
            mark: the request's idempotency key; empty: it has none.
        """
        said = [
            ClientMessage("system", f"{mark}\n{asked.instructions}"),
            *asked.history,
            *asked.latest,
        ]
        return self._name("asked", person, said)

    async def _note(self, name: str, value: str, seconds: float) -> None:
        """Store a note; if that fails, only log it, so that the person gets the answer."""
        try:
            await self._momentary.put(name, value.encode(), seconds)
        except ConnectionError as error:
            log.warning("completion_not_noted", reason=str(error))

    def _name(self, kind: str, person: Person, said: Sequence[ClientMessage]) -> str:
        owner = person.address if person.account is None else f"account:{person.account}"
        words = [self._identify(line) for line in said]
        said_hash = self._hash("\0".join([owner, *words]))
        return f"completion:{kind}:{said_hash}"

    def _identify(self, line: ClientMessage) -> str:
        """Return a message as text for hashing, with white space normalised and each picture as a
        hash of its URL."""
        shown = [self._hash(url) for url in line.pictures]
        return " ".join([f"{line.role}:{' '.join(line.text.split())}", *shown])

    def _hash(self, text: str) -> str:
        words = text.encode(errors="replace")
        return hmac.new(self._key, words, hashlib.sha256).hexdigest()[:32]


def _describe_history(instructions: str, before: Sequence[ClientMessage]) -> str:
    """Return the client's instructions and the history as text; of a long history, the newest."""
    lines = [f"{_SPEAKERS.get(line.role, line.role)}: {line.text}" for line in before]
    kept: list[str] = []
    left = _LONGEST_HISTORY
    for line in reversed(lines):
        left -= len(line)
        if left < 0:
            break
        kept.append(line)
    missing = len(lines) - len(kept)
    if missing:
        kept.append(f"[{missing} earlier messages, left out here for their length]")
    if len(instructions) > _LONGEST_INSTRUCTIONS:
        instructions = f"{instructions[:_LONGEST_INSTRUCTIONS]}\n[truncated]"
    said = ["What was said before, oldest first:", *reversed(kept)] if kept else []
    return "\n".join([*([f"Its wishes: {instructions}"] if instructions else []), *said])


_OWN_TOOLS: Final = "the agent uses tools of its own, and calls none of the client's."
_SPEAKERS: Final = {"user": "I", "assistant": "You", "tool": "A tool", "function": "A tool"}
