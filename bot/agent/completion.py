"""The completion check (`VERIFY`): after effects, a fresh look at whether the job is done."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import structlog

from bot.agent.prompts import read
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts import Model, ModelRequest
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken
from bot.events import ignore
from bot.messages import (
    AssistantMessage,
    Message,
    SystemMessage,
    Text,
    ToolResult,
    UserMessage,
)
from bot.settings import Settings

_MOST_OF_AN_ACTION = 600
_SECONDS = 30.0
log = structlog.get_logger()


class _Verdict(msgspec.Struct):
    done: bool
    missing: str = ""


class Completion:
    """Asks `UTILITY_MODEL`, which has not seen the conversation, once a turn."""

    def __init__(self, model: Model, toolbox: Toolbox, settings: Settings) -> None:
        self._model = model
        self._toolbox = toolbox
        self._settings = settings

    async def is_reached(self, turn: Turn) -> bool:
        """Whether the turn may end with its answer; False: it has been told what is missing."""
        due = self._settings.verify and not turn.is_checked and self._toolbox.has_effects(turn)
        if not due or turn.must_close:
            return True
        turn.is_checked = True
        missing = await self._judge(turn)
        if missing:
            turn.messages.append(
                SystemMessage(f"A check of your work found something missing: {missing} Do it now.")
            )
        return not missing

    async def _judge(self, turn: Turn) -> str:
        """What is missing; empty: nothing, or nobody can say."""
        request = ModelRequest(
            [SystemMessage(read("completion")), UserMessage((Text(_account(turn)),))],
            model=self._settings.utility_model,
            seconds=max(1.0, min(_SECONDS, turn.seconds_left)),
        )
        try:
            reply = await self._model.ask(request, ignore)
        except (ModelUnavailable, ModelRefused, StreamBroken, TimeoutError) as error:
            log.warning("completion_unknown", lane=turn.lane, error=type(error).__name__)
            return ""
        turn.count_aside(reply)
        verdict = _read(reply.message.text)
        return "" if verdict is None or verdict.done else verdict.missing[:500].strip()


def _account(turn: Turn) -> str:
    """What was asked and what was done in this turn, as text."""
    return "\n".join(line[:_MOST_OF_AN_ACTION] for line in _lines(turn.own_messages))


def _lines(messages: list[Message]) -> Iterator[str]:
    for message in messages:
        match message:
            case UserMessage():
                yield f"REQUEST: {message.text}"
            case AssistantMessage():
                for call in message.tool_calls:
                    yield f"ACTION: {call.name} {call.arguments}"
                if message.text.strip():
                    yield f"ANSWER: {message.text}"
            case ToolResult():
                yield f"RESULT{' (failed)' if message.is_error else ''}: {message.text}"
            case SystemMessage():
                pass


def _read(text: str) -> _Verdict | None:
    """The verdict in an answer that may have words or a fence around its JSON."""
    start, end = text.find("{"), text.rfind("}")
    try:
        return msgspec.json.decode(text[start : end + 1], type=_Verdict)
    except (msgspec.DecodeError, UnicodeError):
        log.info("completion_unreadable")
        return None
