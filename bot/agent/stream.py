"""One answer of a model, put together from its stream and shown while it grows. Pure: no sockets.

events = EventStream()
answer = Answer(emit)
for piece in pieces:
    for payload in events.feed(piece):
        answer.take(payload)
"""

from __future__ import annotations

from bot.agent.calls import GrowingCalls, make_id
from bot.agent.chunks import (
    CallDelta,
    Delta,
    ReportedUsage,
    read_chunk,
    read_reported,
    said_text,
    thought_text,
)
from bot.agent.thoughts import LeadingThought
from bot.events import Content, Emit, Thinking, ToolProgress
from bot.messages import AssistantMessage


class Answer:
    """Takes payloads, emits `Content`, `Thinking` and `ToolProgress`, and becomes a message."""

    def __init__(self, emit: Emit, watched_tools: frozenset[str] = frozenset()) -> None:
        """`watched_tools`: names of the tools whose arguments are shown as they stream."""
        self._emit = emit
        self._watched = watched_tools
        self._said: list[str] = []
        self._echo: list[str] = []
        self._leading = LeadingThought()
        self._calls = GrowingCalls()
        self._ended = False
        self.shown = False
        """A token was shown, or a tool call has begun: it cannot be asked again."""
        self.finish_reason = ""
        self.model = ""
        self.usage: ReportedUsage | None = None

    @property
    def text(self) -> str:
        """The content shown so far."""
        return "".join(self._said)

    @property
    def is_final(self) -> bool:
        """The endpoint said that this was all; at most the usage follows."""
        return self._ended or bool(self.finish_reason)

    @property
    def is_whole(self) -> bool:
        """Nothing is missing, even if the stream was cut off here."""
        return self.is_final or self._calls.are_whole

    def take(self, payload: bytes) -> None:
        """Take the payload of one event. Raises `BadStream`: unreadable, or an error inside."""
        self._ended = self._ended or payload == b"[DONE]"
        if self._ended:
            return
        chunk = read_chunk(payload)
        for choice in chunk.choices or ():
            if choice.index:
                continue
            if delta := choice.delta or choice.message:
                self._take_delta(delta)
            if choice.finish_reason:
                self.finish_reason = choice.finish_reason
        if (used := read_reported(chunk.usage)) is not None:
            self.usage = used
        self.model = self.model or chunk.model or ""

    def close(self) -> None:
        """The stream is over: show what was held back because more might have followed."""
        thought, said = self._leading.close()
        self._think(thought)
        self._say(said)

    def message(self, endpoint: str) -> AssistantMessage:
        """The whole answer, from `endpoint`. `reasoning` is what came as `reasoning_content`:
        only endpoints that use this field want it back, the others refuse it."""
        return AssistantMessage(
            text=self.text,
            tool_calls=self._calls.finish(),
            reasoning="".join(self._echo),
            endpoint=endpoint,
        )

    def _take_delta(self, delta: Delta) -> None:
        if thought := thought_text(delta):
            self._think(thought)
            if delta.reasoning_content:
                self._echo.append(thought)
        if content := delta.content:
            self._take_content(content if isinstance(content, str) else said_text(content))
        if calls := delta.tool_calls:
            many = len(calls) > 1
            for position, call in enumerate(calls):
                self._take_call(call, position if many else None)

    def _take_content(self, text: str) -> None:
        if self._leading.is_over:
            self._say(text)
        else:
            thought, said = self._leading.feed(text)
            self._think(thought)
            self._say(said)

    def _take_call(self, delta: CallDelta, position: int | None) -> None:
        self.shown = True
        call, piece = self._calls.take(delta, position)
        if piece and call.name in self._watched:
            call.id = call.id or make_id()
            self._emit(ToolProgress(id=call.id, name=call.name, delta=piece))

    def _say(self, text: str) -> None:
        if text:
            self.shown = True
            self._said.append(text)
            self._emit(Content(text))

    def _think(self, text: str) -> None:
        if text:
            self.shown = True
            self._emit(Thinking(text))
