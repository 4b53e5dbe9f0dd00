"""End a turn: check that the job is done, or get a last answer, a synthesis or an apology."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
import structlog

from bot.agent.answer_review import review_reply
from bot.agent.model_call import ModelCaller, OutOfTime
from bot.agent.prompts import read_prompt
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts.models import Model, ModelRequest
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken
from bot.events import EndReason, ignore
from bot.i18n import say
from bot.messages.transcript import (
    AssistantMessage,
    Message,
    SystemMessage,
    Text,
    ToolResult,
    UserMessage,
)
from bot.settings import Settings

_MOST_OF_A_RESULT = 1_500
_MOST_RESULTS = 12
log = structlog.get_logger()


class FinalAnswer:
    def __init__(self, model: Model, caller: ModelCaller) -> None:
        self._model = model
        self._caller = caller

    async def close_turn(self, turn: Turn) -> EndReason:
        """Ask for an answer without tools, because a limit is reached or the turn goes in circles.
        The person always gets an answer or an apology."""
        if turn.can_call_model:
            said = await self._force(turn)
            if turn.is_stalled and not said:
                await self._synthesise(turn)
            if turn.is_stalled and turn.prose:
                return "answered"
        self.apologise_if_silent(turn)
        return "limit"

    def apologise_if_silent(self, turn: Turn) -> None:
        if not turn.prose and not turn.outgoing:
            turn.is_free = True
            turn.say(
                say(turn.person.language, "I could not find an answer. Please ask in other words.")
            )

    async def _force(self, turn: Turn) -> str:
        """Ask the model for an answer without tool calls; return the text that it added."""
        said = len(turn.prose)
        try:
            await self._caller.ask_for_answer(turn)
        except (OutOfTime, ModelUnavailable, ModelRefused) as error:
            log.warning("closing_failed", lane=turn.lane, error=type(error).__name__)
        await review_reply(turn, is_last=True)
        return "\n\n".join(turn.prose[said:])

    async def _synthesise(self, turn: Turn) -> None:
        """Ask for an answer from the tools' results only, without the conversation in which the
        model got stuck; the text is shown once it is complete and inspected."""
        request = ModelRequest(_collect_findings(turn), seconds=turn.seconds_left)
        if text := await _ask_silently(self._model, request, turn, "synthesis_failed"):
            await turn.guardrail.prepare(turn.outgoing)
            is_right = not await turn.guardrail.inspect(text)
            turn.say(text if is_right else await turn.guardrail.repair(text))


async def _ask_silently(model: Model, request: ModelRequest, turn: Turn, failed: str) -> str:
    """Ask outside the conversation; return the text, empty after a failure, logged as `failed`."""
    try:
        reply = await model.ask(request, ignore)
    except (ModelUnavailable, ModelRefused, StreamBroken, TimeoutError) as error:
        log.warning(failed, lane=turn.lane, error=type(error).__name__)
        return ""
    turn.count_side_call(reply)
    return reply.message.text.strip()


def _collect_findings(turn: Turn) -> list[SystemMessage | UserMessage]:
    """Build the request from the person's request and the tools' results."""
    results = [m for m in turn.messages if isinstance(m, ToolResult)][-_MOST_RESULTS:]
    found = "\n\n".join(f"[{result.name}]\n{result.text[:_MOST_OF_A_RESULT]}" for result in results)
    return [
        SystemMessage(read_prompt("synthesis")),
        UserMessage((Text(f"{turn.request}\n\n---\n{found}"),)),
    ]


_MOST_OF_AN_ACTION = 600
_SECONDS = 30.0


class _Verdict(msgspec.Struct):
    done: bool
    missing: str = ""


class CompletionCheck:
    """A check, once a turn, whether the job is done, by `UTILITY_MODEL`, which has not seen the
    conversation."""

    def __init__(self, model: Model, toolbox: Toolbox, settings: Settings) -> None:
        self._model = model
        self._toolbox = toolbox
        self._settings = settings

    async def is_complete(self, turn: Turn) -> bool:
        """Return whether the turn may end with its answer; if not, add a message that says what is
        missing."""
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
        """Return what is missing; empty if nothing is, or if the check failed."""
        actions = "\n".join(line[:_MOST_OF_AN_ACTION] for line in _list_actions(turn.own_messages))
        request = ModelRequest(
            [
                SystemMessage(read_prompt("completion")),
                UserMessage((Text(actions),)),
            ],
            model=self._settings.utility_model,
            seconds=max(1.0, min(_SECONDS, turn.seconds_left)),
        )
        text = await _ask_silently(self._model, request, turn, "completion_unknown")
        verdict = _read_verdict(text) if text else None
        return "" if verdict is None or verdict.done else verdict.missing[:500].strip()


def _list_actions(messages: list[Message]) -> Iterator[str]:
    """Yield a line for each request, action, answer and result of this turn."""
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


def _read_verdict(text: str) -> _Verdict | None:
    """Read the verdict from an answer that may have words or a fence around its JSON."""
    start, end = text.find("{"), text.rfind("}")
    try:
        return msgspec.json.decode(text[start : end + 1], type=_Verdict)
    except (msgspec.DecodeError, UnicodeError):
        log.info("completion_unreadable")
        return None
