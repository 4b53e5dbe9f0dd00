"""Build an answer from its stream and show it while it grows. Pure: no sockets.

events = EventStream()
answer = StreamedAnswer(emit, ToolCallParser(names, native=True))
for piece in pieces:
    answer.take(events.feed(piece))
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.agent.openai_protocol.chunks import (
    CallDelta,
    Chunk,
    ChunkReader,
    Delta,
    ReportedUsage,
    StreamedCalls,
    make_call_id,
    read_text,
    read_thinking,
)
from bot.agent.openai_protocol.sse import BadStream
from bot.agent.tool_calls.tool_call_parser import ToolCallParser
from bot.events import Content, Emit, Thinking, ToolProgress
from bot.messages.transcript import AssistantMessage

MAX_ANSWER = 2 * 1024 * 1024
"""Most characters of one answer, including its thinking and its tools' arguments: four times the
longest answers of any model."""
_BLANK = " \u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\ufe0e\ufe0f\uffa0"
"""Characters that count as printable and show nothing."""


class StreamedAnswer:
    """Takes payloads, emits `Content`, `Thinking` and `ToolProgress`, and becomes a message."""

    def __init__(
        self, emit: Emit, prose: ToolCallParser, watched_tools: frozenset[str] = frozenset()
    ) -> None:
        """
        Args:
            prose: takes out of the text the calls that are written as prose.
            watched_tools: names of the tools whose arguments are shown as they stream.
        """
        self._emit = emit
        self._prose = prose
        self._watched = watched_tools
        self._waiting: list[str] = []
        """Content of the chunks that arrived together; it is filtered and shown in one piece."""
        self._echo: list[str] = []
        self._calls = StreamedCalls()
        self._reader = ChunkReader()
        self._size = 0
        self._stopped = False
        self._has_content = False
        self._blank: str = ""
        """Content that is not shown yet, because nothing of it can be seen."""
        self.shown = False
        """Whether something was shown or a tool call has begun: the model cannot be asked again."""
        self.finish_reason = ""
        self.model = ""
        self.usage: ReportedUsage | None = None

    @property
    def text(self) -> str:
        """The content so far, without text that was shown and later turned out to be thinking;
        empty while nothing of it can be seen."""
        text = self._prose.text
        return text if _is_visible(text) else ""

    @property
    def is_final(self) -> bool:
        """Whether the endpoint said that the answer is finished; at most the usage follows."""
        return self._reader.ended or bool(self.finish_reason)

    @property
    def is_whole(self) -> bool:
        """Whether the answer is complete, even if the stream was cut off here."""
        return self.is_final or self._stopped or self._calls.are_whole

    @property
    def skipped(self) -> int:
        """Number of payloads that could not be read."""
        return self._reader.skipped

    def take(self, payloads: Sequence[bytes]) -> None:
        """Take the payloads of events that arrived together; one that cannot be read is skipped.

        Raises:
            BadStream: the endpoint reports an error, or the answer exceeds `MAX_ANSWER`.
        """
        try:
            for chunk in self._reader.read(payloads):
                self._take(chunk)
        finally:
            self._show_waiting()

    def _take(self, chunk: Chunk) -> None:
        for choice in chunk.choices or ():
            if choice.index:
                continue
            if delta := choice.delta or choice.message:
                self._take_delta(delta)
            if choice.finish_reason:
                self.finish_reason = choice.finish_reason
        self.usage = chunk.usage or self.usage
        self.model = self.model or chunk.model or ""

    def stop(self) -> None:
        """Note that the server closed the stream in order, perhaps without a finish reason, as some
        local servers do: the text so far is the answer, unless a tool call is incomplete."""
        self.close()
        has_answer = bool(self.text or self._prose.calls)
        self._stopped = has_answer and self._calls.are_unbroken

    def close(self) -> None:
        """End the stream: show the text that was held back because more might have followed."""
        if half := self._reader.close():
            self._waiting.append(half)
        self._show_waiting()
        self._show(self._prose.close())
        self.shown = self.shown or bool(self._prose.calls)

    def message(self, endpoint: str) -> AssistantMessage:
        """Return the whole answer, from `endpoint`. Its `reasoning` is only what came as
        `reasoning_content`: endpoints that use this field want it back, the others refuse it."""
        return AssistantMessage(
            text=self.text,
            tool_calls=self._calls.finish() or self._prose.calls,
            reasoning="".join(self._echo),
            endpoint=endpoint,
        )

    def _take_delta(self, delta: Delta) -> None:
        content = delta.content
        if (
            delta.reasoning_content
            or delta.reasoning
            or delta.reasoning_details
            or not isinstance(content, str)
        ):
            self._take_thinking(delta)
        if content:
            self._waiting.append(content if isinstance(content, str) else read_text(content))
        if delta.refusal:
            self._waiting.append(delta.refusal)
        if calls := delta.tool_calls:
            many = len(calls) > 1
            for position, call in enumerate(calls):
                self._take_call(call, position if many else None)

    def _take_thinking(self, delta: Delta) -> None:
        if thinking := read_thinking(delta):
            self._show_waiting()
            self._grow(thinking)
            self._show_thinking(thinking)
            if delta.reasoning_content:
                self._echo.append(thinking)

    def _show_waiting(self) -> None:
        if not self._waiting:
            return
        text = "".join(self._waiting)
        self._waiting.clear()
        if text:
            self._grow(text)
            self._show(self._prose.feed(text))

    def _take_call(self, delta: CallDelta, position: int | None) -> None:
        self._show_waiting()
        self.shown = True
        call, piece = self._calls.take(delta, position)
        self._grow(piece)
        if piece and call.name in self._watched:
            call.id = call.id or make_call_id()
            self._emit(ToolProgress(id=call.id, name=call.name, delta=piece))

    def _show(self, text: str) -> None:
        at, self._prose.taken_back = self._prose.taken_back, None
        self._show_content(text[: at or 0])
        if at is not None:
            self._blank = ""
        is_taken_back = at is not None and self._has_content
        self._show_thinking(self._prose.take_thinking(), replaces_content=is_taken_back)
        self._show_content(text[at or 0 :])

    def _show_content(self, text: str) -> None:
        if not self._has_content:
            text = self._blank + text
            self._has_content = _is_visible(text)
            self._blank = "" if self._has_content else text
        if text and self._has_content:
            self.shown = True
            self._emit(Content(text))

    def _show_thinking(self, text: str, *, replaces_content: bool = False) -> None:
        if text:
            self.shown = True
            self._emit(Thinking(text, replaces_content))

    def _grow(self, text: str) -> None:
        self._size += len(text)
        if self._size > MAX_ANSWER:
            raise BadStream(f"the answer is longer than {MAX_ANSWER} characters")


def _is_visible(text: str) -> bool:
    """Return whether a reader sees anything of the text, that is, not only white space, zero-width
    characters and other marks without a shape."""
    return any(char.isprintable() and char not in _BLANK for char in text)
