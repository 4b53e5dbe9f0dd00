"""Read the chunks of a streamed chat completion, and the tool calls in them, in the forms that
endpoints really send.

The form is OpenAI's (`chat.completion.chunk`). Fields that some servers add or leave out are
optional here; the decoder skips other fields without building them.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, cast

import msgspec

from bot.agent.openai_protocol.sse import BadStream
from bot.messages.transcript import ToolCall
from bot.observability import summarize_error


class _Struct(msgspec.Struct, gc=False):
    """Holds no cycle, so that the garbage collector can skip it: a stream brings thousands."""


class ContentPart(_Struct):
    """A part of the content: Mistral sends `text` parts, and `thinking` parts that hold parts
    themselves; OpenAI's form has `refusal` parts too."""

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
    """OpenRouter's form of reasoning; encrypted details have no text and are ignored."""

    text: str | None = None
    summary: str | None = None


class Delta(_Struct):
    content: str | list[ContentPart] | None = None
    refusal: str | None = None
    """The text of OpenAI's models in place of content when they decline."""
    tool_calls: list[CallDelta] | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    reasoning_details: list[ReasoningDetail] | None = None


class Choice(_Struct):
    index: int | None = None
    delta: Delta | None = None
    message: Delta | None = None
    """Some servers send this in place of `delta`."""
    finish_reason: str | None = None


class PromptDetails(_Struct):
    cached_tokens: float | None = None


class ReportedUsage(_Struct):
    """Token counts and cost. Numbers are floats because some servers write `12.0`."""

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
    """Reads the chunks of one stream, and skips payloads that servers or proxies have garbled."""

    def __init__(self) -> None:
        self._surrogates = SurrogateJoiner()
        self.skipped = 0
        """Number of payloads that were no chunks."""
        self.ended = False
        """Whether the endpoint has sent the end marker."""

    def read(self, payloads: Sequence[bytes]) -> Iterable[Chunk]:
        """Return the chunks in the payloads of events, up to the end marker.

        Iterate over the result before the next call. The iteration raises:
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
        """Read the payloads one by one, when one of them cannot be read or reports an error."""
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
        """Return the replacement for a final surrogate whose other half never came."""
        return self._surrogates.close()

    def _read_patiently(self, payload: bytes) -> Chunk | None:
        """Read a payload that the strict decoder refuses: bytes that are no UTF-8, lone surrogates,
        control characters, a malformed usage, or an error in a chunk of another shape."""
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
    """Return the usage, or None if it cannot be read: a bad usage must not cost the answer.

    It is decoded strictly, since Python's reader accepts `NaN` and `1e999`.
    """
    try:
        return _USAGE_DECODER.decode(json.dumps(usage))
    except (msgspec.MsgspecError, ValueError):
        return None


def read_text(parts: list[ContentPart]) -> str:
    """Join the text of content parts, without their thinking."""
    return "".join(part.text or part.refusal or "" for part in parts if part.type != "thinking")


def read_thinking(delta: Delta) -> str:
    """Return the reasoning of a chunk once, even if the server repeats it in several fields."""
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


MOST_CALLS = 128
"""Most calls in one reply; OpenAI accepts no request with more tools."""
LONGEST_NAME = 256
"""Characters of a name that are kept; no tool has a name longer than 64."""
_NO_ARGUMENTS = frozenset({"", "null"})


def keep_printable(text: str, most: int) -> str:
    """Return at most `most` printable characters: names get into tables, logs and metrics."""
    return "".join(filter(str.isprintable, text[:most]))


class StreamedCall:
    """One call while its fragments arrive."""

    def __init__(self, call_id: str) -> None:
        self.id = call_id
        self.name = ""
        self.pieces: list[str] = []

    @property
    def arguments(self) -> str:
        return replace_lone_surrogates("".join(self.pieces))

    @property
    def is_whole(self) -> bool:
        """Whether the arguments are a complete JSON object, so that nothing can follow."""
        ends = bool(self.pieces) and self.pieces[-1].rstrip().endswith("}")
        return ends and is_json_object(self.arguments)

    def take_name(self, piece: str) -> None:
        if piece.startswith(self.name):  # sent again, or cumulatively
            self.name = piece
        elif len(self.name) < LONGEST_NAME:
            self.name += piece


class StreamedCalls:
    """Puts the calls of one reply together from fragments, in the order in which they began.

    OpenAI numbers the calls (`index`) and sends id and name once. Other servers leave out the index
    or the id, use one index for several calls, repeat the name, or send it in pieces; each form is
    read in the only way that makes sense.
    """

    def __init__(self) -> None:
        self._calls: list[StreamedCall] = []
        self._by_index: dict[int, StreamedCall] = {}

    def __bool__(self) -> bool:
        return bool(self._calls)

    @property
    def are_whole(self) -> bool:
        """Whether there are calls, and the arguments of each are complete."""
        return bool(self._calls) and all(call.is_whole for call in self._calls)

    @property
    def are_unbroken(self) -> bool:
        """Whether no call stops within its arguments; a call without arguments may be intended."""
        return all(call.is_whole or call.arguments.strip() in _NO_ARGUMENTS for call in self._calls)

    def take(self, delta: CallDelta, position: int | None) -> tuple[StreamedCall, str]:
        """Add a fragment; return its call and the fragment's piece of the arguments.

        `position` is the fragment's place among several of one chunk; it replaces a missing index.

        Raises:
            BadStream: more than `MOST_CALLS` calls.
        """
        function = delta.function
        name = (function and function.name) or ""
        piece = (function and function.arguments) or ""
        if isinstance(piece, dict):
            piece = msgspec.json.encode(piece).decode()
        index = delta.index if delta.index is not None else position
        call = self._find(delta.id, index)
        if call is None or _begins_another(call, delta.id, name, piece):
            if len(self._calls) == MOST_CALLS:
                raise BadStream(f"the answer has more than {MOST_CALLS} tool calls")
            call = StreamedCall(delta.id or "")
            self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        call.id = call.id or delta.id or ""
        if name:
            call.take_name(name)
        if piece:
            call.pieces.append(piece)
        return call, piece

    def finish(self) -> tuple[ToolCall, ...]:
        """Return the calls; missing or repeated ids are replaced, empty arguments are `{}`."""
        used: set[str] = set()
        calls: list[ToolCall] = []
        for call in self._calls:
            call_id = call.id if call.id and call.id not in used else make_call_id()
            used.add(call_id)
            arguments = call.arguments.strip()
            if arguments in _NO_ARGUMENTS:
                arguments = "{}"
            calls.append(ToolCall(call_id, keep_printable(call.name, LONGEST_NAME), arguments))
        return tuple(calls)

    def _find(self, call_id: str | None, index: int | None) -> StreamedCall | None:
        if index is not None:
            return self._by_index.get(index)
        if call_id:
            return next((call for call in self._calls if call.id == call_id), None)
        return self._calls[-1] if self._calls else None


def make_call_id() -> str:
    """Make a unique id for a call that came without one."""
    return f"call_{uuid.uuid4().hex[:24]}"


def is_json_object(text: str) -> bool:
    """Return whether `text` is a JSON object."""
    try:
        return isinstance(msgspec.json.decode(text), dict)
    except (msgspec.MsgspecError, UnicodeError, RecursionError):
        return False


def _begins_another(call: StreamedCall, call_id: str | None, name: str, piece: str) -> bool:
    """Return whether a fragment that seems to belong to `call` begins another call."""
    if call_id and call.id and call_id != call.id:
        # Without a name it is the same call under an id made anew for each fragment.
        return bool(name) or not piece
    return bool(name) and call.is_whole and (name != call.name or bool(piece))


REPLACEMENT = "\ufffd"
"""Stands for a surrogate whose other half never came."""
MOST_HELD = 64
"""Most texts of one chunk that may end in half a surrogate pair: a regular chunk has one."""
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
        """High surrogates at the end of texts, by path: the next chunk has to be joined to them."""

    def close(self) -> str:
        """Return the replacement for a surrogate at the end of the text, if there is one."""
        said = any(_SAID.intersection(path) and "thinking" not in path for path in self.held)
        self.held.clear()
        return REPLACEMENT if said else ""

    def join(self, node: Any, path: TextPath = ()) -> Any:
        """Return the decoded JSON `node` with surrogate pairs joined and lone surrogates replaced.

        Raises:
            RecursionError: it is nested too deep.
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
    """Replace escapes of lone surrogates in JSON text, because no strict decoder accepts them."""
    if "\\ud" not in json and "\\uD" not in json:
        return json
    return _ESCAPES.sub(lambda match: match[1] or "\\ufffd", json)


def _whole(text: str) -> str:
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
