"""The chunks of a streamed chat completion, as endpoints really send them.

The form is OpenAI's (`chat.completion.chunk`); what others add or leave out is optional here, and
fields that we do not read are skipped by the decoder without being built.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

import msgspec

from bot.agent.openai_protocol.sse import BadStream
from bot.observability import summarize_error


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
    """Reads the chunks of one stream; anything else is skipped, as servers and proxies garble."""

    def __init__(self) -> None:
        self._surrogates = SurrogateJoiner()
        self.skipped = 0
        """Payloads that were no chunks."""
        self.ended = False
        """The endpoint said that this was all."""

    def read(self, payloads: Sequence[bytes]) -> Iterable[Chunk]:
        """Return the chunks that the payloads of events hold, up to the one that says it is all.

        To be gone through before it is called again. Raises then:
            BadStream: the endpoint reports an error.
        """
        if self.ended:
            return ()
        if not self._surrogates.held:
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
        """Read them one by one, where something is wrong with one of them."""
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
        if not self._surrogates.held:
            try:
                return _DECODER.decode(payload)
            except _UNREADABLE:
                pass
        return self._read_patiently(payload)

    def close(self) -> str:
        """Return the end of the text if a surrogate is left without its other half."""
        return self._surrogates.close()

    def _read_patiently(self, payload: bytes) -> Chunk | None:
        """Read a payload that the strict decoder refuses: bytes that are no UTF-8, lone surrogates,
        control characters, a usage that makes no sense, or an error in a chunk of another shape."""
        try:
            tree = self._surrogates.join(_PATIENT.decode(payload.decode("utf-8", "replace")))
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
    """Return the usage, None if it cannot be read: no answer is thrown away for its bill.

    It is read as strictly as where nothing is wrong: Python's reader takes `NaN` and `1e999`."""
    try:
        return _USAGE_DECODER.decode(json.dumps(usage))
    except (msgspec.MsgspecError, ValueError):
        return None


def read_text(parts: list[ContentPart]) -> str:
    """Join the text among content parts."""
    return "".join(part.text or part.refusal or "" for part in parts if part.type != "thinking")


def read_thinking(delta: Delta) -> str:
    """Return the reasoning of a chunk once, though servers repeat it in several fields."""
    text = delta.reasoning_content or delta.reasoning
    if text is None and delta.reasoning_details:
        text = "".join(item.text or item.summary or "" for item in delta.reasoning_details)
    if not text and isinstance(delta.content, list):
        text = "".join(
            _read_thinking_part(part) for part in delta.content if part.type == "thinking"
        )
    return text or ""


def _read_thinking_part(part: ContentPart) -> str:
    inside = part.thinking
    if isinstance(inside, list):
        return "".join(inner.text or "" for inner in inside)
    return inside or part.text or ""


REPLACEMENT = "\ufffd"
"""Stands for a half whose other half never came."""
MOST_HELD = 64
"""Texts of one chunk that may end in a half: an honest chunk has one."""
TextPath = tuple[str | int, ...]
"""Path to a text within a chunk."""
_SAID = frozenset({"content", "refusal"})
_GROWING = frozenset(
    {"content", "refusal", "reasoning_content", "reasoning", "text", "thinking", "arguments"}
)
"""The fields whose texts go on in the next chunk."""
_HIGH_SURROGATE = re.compile("[\ud800-\udbff]\\Z")
_ESCAPES = re.compile(
    r"""(\\\\                                            # a backslash, whatever follows it
        |\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})  # a pair
        |\\u[dD][89a-fA-F][0-9a-fA-F]{2}                 # a lone surrogate""",
    re.VERBOSE,
)


class SurrogateJoiner:
    """Joins surrogate pairs within a chunk and across chunks, and replaces lone ones."""

    def __init__(self) -> None:
        self.held: dict[TextPath, str] = {}
        """Surrogates at the end of texts: the next chunk must be joined to them."""

    def close(self) -> str:
        """Return the replacement for a surrogate at the end of the text, if there is one."""
        said = any(_SAID.intersection(path) and "thinking" not in path for path in self.held)
        self.held.clear()
        return REPLACEMENT if said else ""

    def join(self, node: Any, path: TextPath = ()) -> Any:
        """Return the decoded JSON `node` with whole characters only.

        Raises:
            RecursionError: it is nested absurdly deep.
        """
        if isinstance(node, str):
            return self._join_text(node, path)
        if isinstance(node, list):
            items = cast("list[Any]", node)
            return [self.join(item, (*path, at)) for at, item in enumerate(items)]
        if isinstance(node, dict):
            fields = cast("dict[str, Any]", node)
            return {_whole(key): self.join(value, (*path, key)) for key, value in fields.items()}
        return node

    def _join_text(self, text: str, path: TextPath) -> str:
        if self.held:
            text = self.held.pop(path, "") + text
        if text.isascii():
            return text
        if _HIGH_SURROGATE.search(text) and self._may_hold(path):
            self.held[path] = text[-1]
            text = text[:-1]
        return _whole(text)

    def _may_hold(self, path: TextPath) -> bool:
        grows = bool(path) and path[-1] in _GROWING and "arguments" not in path[:-1]
        return grows and len(self.held) < MOST_HELD


def replace_lone_surrogates(json: str) -> str:
    """Replace escapes of lone surrogates in JSON text: no strict decoder takes them."""
    if "\\ud" not in json and "\\uD" not in json:
        return json
    return _ESCAPES.sub(lambda match: match[1] or "\\ufffd", json)


def _whole(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
