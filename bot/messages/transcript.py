"""The messages that a model reads, and its answers."""

from __future__ import annotations

from bot.messages.value import MediaKind, Value


class Text(Value, frozen=True, tag="text"):
    text: str


class Media(Value, frozen=True, tag="media"):
    """A picture in the person's library, shown to a model that can see, or a voice note."""

    kind: MediaKind
    file_id: str
    """Empty for a voice note, which is not kept."""
    filename: str = ""
    mime_type: str = ""
    transcript: str = ""
    """What is said in it."""

    @property
    def mention(self) -> str:
        """The text in place of the media itself."""
        if self.transcript:
            return f"[voice note, transcribed:]\n{self.transcript}"
        return f"[{self.kind}, not shown to you: {self.filename or self.file_id}]"


Part = Text | Media


class ToolCall(Value, frozen=True):
    id: str
    name: str
    arguments: str = "{}"
    """JSON text exactly as the model wrote it; it may be invalid."""


class SystemMessage(Value, frozen=True, tag="system"):
    text: str


class UserMessage(Value, frozen=True, tag="user"):
    parts: tuple[Part, ...]
    transcriber: str = ""
    """The model that transcribed its voice notes; empty: there were none."""
    transcribing_usd: float = 0.0
    """What that cost."""

    @property
    def text(self) -> str:
        """All parts as text, with a mention in place of each media."""
        return "\n".join(
            part.text if isinstance(part, Text) else part.mention for part in self.parts
        )


class AssistantMessage(Value, frozen=True, tag="assistant"):
    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    """Sent back, within the turn, to the endpoint that it came from."""
    endpoint: str = ""
    """The endpoint that it came from."""


class ToolResult(Value, frozen=True, tag="result"):
    call_id: str
    name: str
    text: str
    is_error: bool = False


Message = SystemMessage | UserMessage | AssistantMessage | ToolResult


_USD_PLACES = 12
"""Decimals of dollars: without them, sums end with the errors of binary fractions."""


class Usage(Value, frozen=True):
    """What one or more model calls consumed."""

    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    usd: float = 0.0

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cached_tokens + other.cached_tokens,
            round(self.usd + other.usd, _USD_PLACES),
        )


class ModelReply(Value, frozen=True):
    """One finished model call."""

    message: AssistantMessage
    usage: Usage = Usage()
    model: str = ""
    finish_reason: str = ""
    is_estimated: bool = False
    """The endpoint reported no usage, so `usage` is our own guess."""
