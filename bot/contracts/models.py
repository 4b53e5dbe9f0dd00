"""The interface of a model, which streams its answer to a request."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from bot.contracts.tools import ToolSpec
from bot.events import Emit
from bot.messages.transcript import Message, ModelReply


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One model call. The stable part comes first so that providers' prompt caches hit."""

    messages: Sequence[Message]
    tools: Sequence[ToolSpec] = ()
    tool_choice: Literal["auto", "none"] = "auto"
    model: str = ""
    """Empty: the configured `MODEL`."""
    seconds: float = 120.0
    """Time for the whole call, retries and fallbacks included."""
    callable_tools: Sequence[ToolSpec] = ()
    """All tools that a call may name, if `tools`, which are described to the model, are a selection
    of them; empty: `tools`."""
    images: Mapping[str, bytes] = field(default_factory=dict[str, bytes])
    """Pictures that no library keeps, by the `file_id` of their `Media`."""
    retries_empty: bool = True
    """An endpoint that gives an empty answer is asked once more."""

    @property
    def known_tools(self) -> Sequence[ToolSpec]:
        """Return the tools whose calls are read where the model writes them as prose."""
        return self.callable_tools or self.tools


class Model(Protocol):
    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        """Return the model's answer; emit `Content`, `Thinking` and `ToolProgress` (arguments)
        while it streams.

        Raises:
            ModelUnavailable: nothing was shown and no endpoint answered.
            ModelRefused: the request itself is wrong.
            StreamBroken: the stream broke after something was shown.
            TimeoutError: `request.seconds` passed before anything was shown.
        """
        ...

    async def close(self) -> None: ...
