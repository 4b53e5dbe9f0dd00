"""The chunks of a streamed chat completion, as the endpoints of the field really send them.

The form is OpenAI's (`chat.completion.chunk`); what others add or leave out is optional here, and
fields that nobody reads are skipped by the decoder without being built.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

import msgspec

from bot.agent.wire.halves import Halves
from bot.agent.wire.sse import BadStream
from bot.endpoint_errors import summarize_error


class _Struct(msgspec.Struct, gc=False):
    """Holds no cycle, so that the collector need not look at the thousands that a stream brings."""


class ContentPart(_Struct):
    """Mistral sends content as parts: `text`, or `thinking` that holds parts itself; OpenAI's
    form knows `refusal` parts too."""

    type: str = "text"
    text: str | None = None
    refusal: str | None = None
    thinking: str | list[ContentPart] | None = None


class FunctionDelta(_Struct):
    name: str | None = None
    arguments: str | dict[str, Any] | None = None


class CallDelta(_Struct):
    index: int | None = None
    id: str | None = None
    function: FunctionDelta | None = None


class ReasoningDetail(_Struct):
    """OpenRouter's form; encrypted details have no text and say nothing to us."""

    text: str | None = None
    summary: str | None = None


class Delta(_Struct):
    content: str | list[ContentPart] | None = None
    refusal: str | None = None
    """What OpenAI's models say in place of content when they decline."""
    tool_calls: list[CallDelta] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[ReasoningDetail] | None = None


class Choice(_Struct):
    index: int | None = None
    delta: Delta | None = None
    message: Delta | None = None
    """What some servers send in place of `delta`."""
    finish_reason: str | None = None


class PromptDetails(_Struct):
    cached_tokens: float | None = None


class ReportedUsage(_Struct):
    """Numbers are floats here because some servers write `12.0`."""

    prompt_tokens: float | None = None
    completion_tokens: float | None = None
    prompt_tokens_details: PromptDetails | None = None
    prompt_cache_hit_tokens: float | None = None
    """DeepSeek's name for cached tokens."""
    cost: float | None = None
    """US dollars, from OpenRouter."""


class Chunk(_Struct):
    choices: list[Choice] | None = None
    usage: ReportedUsage | None = None
    model: str | None = None
    error: Any = None
    """An object with a `message`, or a text."""


DONE: Final = b"[DONE]"
_DECODER = msgspec.json.Decoder(Chunk)
_TOGETHER = msgspec.json.Decoder(list[Chunk])
_UNREADABLE = (msgspec.MsgspecError, UnicodeDecodeError, RecursionError)
_PATIENT = json.JSONDecoder(strict=False)
_USAGE_DECODER = msgspec.json.Decoder(ReportedUsage | None)


class ChunkReader:
    """Reads the chunks of one stream; what is none is skipped, for servers and proxies garble."""

    def __init__(self) -> None:
        self._halves = Halves()
        self.skipped = 0
        """Payloads that were no chunks."""
        self.ended = False
        """The endpoint said that this was all."""

    def read(self, payloads: Sequence[bytes]) -> Iterable[Chunk]:
        """The chunks that the payloads of events hold, up to the one that says it is all.

        To be gone through before it is called again. Raises then:
            BadStream: the endpoint reports an error.
        """
        if self.ended:
            return ()
        if not self._halves.held:
            last = len(payloads) - (payloads[-1:] == [DONE])
            try:
                chunks = _TOGETHER.decode(b"[%b]" % b",".join(payloads[:last]))
            except _UNREADABLE:
                chunks = []
            if len(chunks) == last and all(chunk.error is None for chunk in chunks):
                self.ended = last < len(payloads)
                return chunks
        return self._read_each(payloads)

    def _read_each(self, payloads: Sequence[bytes]) -> Iterator[Chunk]:
        """The same one by one, where something is wrong with one of them."""
        for payload in payloads:
            if payload == DONE:
                self.ended = True
                return
            chunk = self._read(payload)
            if chunk is None:
                self.skipped += 1
                continue
            if chunk.error is not None:
                raise BadStream(f"the endpoint reports: {summarize_error(chunk.error)}")
            yield chunk

    def _read(self, payload: bytes) -> Chunk | None:
        if not self._halves.held:
            try:
                return _DECODER.decode(payload)
            except _UNREADABLE:
                pass
        return self._read_patiently(payload)

    def close(self) -> str:
        """The end of what was said, if that is half a character whose other half never came."""
        return self._halves.close()

    def _read_patiently(self, payload: bytes) -> Chunk | None:
        """The same for payloads that the strict decoder refuses: with bytes that are no UTF-8,
        halves of characters, control characters, a usage that makes no sense; or an error in a
        chunk of another shape."""
        try:
            tree = self._halves.join(_PATIENT.decode(payload.decode("utf-8", "replace")))
            if not isinstance(tree, dict):
                return None
            fields = cast("dict[str, Any]", tree)
            fields["usage"] = _sensible(fields.get("usage"))
        except (ValueError, RecursionError):
            return None
        try:
            return msgspec.convert(fields, Chunk)
        except msgspec.ValidationError:
            error = fields.get("error")
            return None if error is None else Chunk(error=error)


def _sensible(usage: Any) -> Any:
    """The usage, None if it is none that we can read: no answer is thrown away for its bill.

    It is read as strictly as where nothing is wrong: Python's reader takes `NaN` and `1e999`."""
    try:
        return _USAGE_DECODER.decode(json.dumps(usage))
    except (msgspec.MsgspecError, ValueError):
        return None


def said_text(parts: list[ContentPart]) -> str:
    """The text among content parts."""
    return "".join(part.text or part.refusal or "" for part in parts if part.type != "thinking")


def thought_text(delta: Delta) -> str:
    """The reasoning that a chunk brings, once, though servers repeat it in several fields."""
    text = delta.reasoning_content or delta.reasoning
    if text is None and delta.reasoning_details:
        text = "".join(item.text or item.summary or "" for item in delta.reasoning_details)
    if not text and isinstance(delta.content, list):
        text = "".join(_thought(part) for part in delta.content if part.type == "thinking")
    return text or ""


def _thought(part: ContentPart) -> str:
    inside = part.thinking
    if isinstance(inside, list):
        return "".join(inner.text or "" for inner in inside)
    return inside or part.text or ""
