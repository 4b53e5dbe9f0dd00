"""Put tool calls together from the fragments of a stream.

OpenAI numbers the calls (`index`) and sends id and name once. Other servers leave out the index or
the id, use one index for several calls, repeat the name, or send it in pieces; each form is read in
the only way that makes sense.
"""

from __future__ import annotations

import uuid

import msgspec

from bot.agent.openai_protocol.chunks import CallDelta, replace_lone_surrogates
from bot.agent.openai_protocol.sse import BadStream
from bot.messages.transcript import ToolCall

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
    """All calls of one reply, in the order in which they began."""

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
