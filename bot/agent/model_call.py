"""Call the model in a turn: for its next reply, for a last answer, and for a check of the job.

Replies are recorded in the turn and its journal. A synthesis of the tools' results and the
completion check are asked outside the conversation.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import msgspec
import structlog

from bot.agent.context_window import ContextWindow
from bot.agent.model_facts import estimate_usage, find_model_facts
from bot.agent.output_guardrail import find_unfinished, review_reply
from bot.agent.prompts.system_prompt import read_prompt
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Turn
from bot.contracts.models import Model, ModelRequest
from bot.errors import ContextTooLong, ModelRefused, ModelUnavailable, StreamBroken
from bot.events import Content, Emit, EndReason, Event, ignore
from bot.i18n import say
from bot.messages.transcript import (
    AssistantMessage,
    Message,
    ModelReply,
    SystemMessage,
    Text,
    ToolResult,
    Usage,
    UserMessage,
)
from bot.observability import span
from bot.settings import Settings

log = structlog.get_logger()


SHORTER = 0.7
"""Share of a request that is asked with next, after an endpoint found all of it too long."""


class OutOfTime(Exception):
    """The model did not answer within the turn's time."""


class ModelCaller:
    """Asks the model, and adds its reply to the turn and its journal.

    With `TWO_PHASE` the replies that gather information are not shown; when the model calls no more
    tools, one more call, to `ANSWER_MODEL`, gives the answer.
    """

    def __init__(
        self,
        model: Model,
        toolbox: Toolbox,
        window: ContextWindow,
        settings: Settings,
        name: str = "",
    ) -> None:
        """
        Args:
            name: the model to ask; empty: `MODEL`.
        """
        self._model = model
        self._toolbox = toolbox
        self._window = window
        self._settings = settings
        self._two_phase = settings.two_phase
        self._name = name
        self._answer_model = settings.answer_model if settings.two_phase else name

    async def ask(self, turn: Turn) -> ModelReply:
        """Return the next reply: tool calls or an answer.

        Raises:
            OutOfTime: there was none within the turn's time.
            ModelUnavailable, ModelRefused: no endpoint gave one.
            StreamBroken: the reply broke off; the part that was shown is kept in the turn.
            LeaseLost: the turn belongs to another process by now.
        """
        if turn.iterations:
            turn.messages.extend(await turn.journal.overheard())
        if not self._two_phase:
            return await self._record_reply(turn, await self._call(turn, turn.gate))
        reply = await self._call(turn, _without_content(turn.emit))
        if reply.message.tool_calls:
            silent = msgspec.structs.replace(reply.message, text="")
            return await self._record_reply(turn, msgspec.structs.replace(reply, message=silent))
        turn.count_side_call(reply)
        try:
            return await self.ask_for_answer(turn)
        except (OutOfTime, ModelUnavailable, ModelRefused):
            if not reply.message.text.strip():
                raise
            # The text of the gathering phase is used as the answer.
            turn.gate.begin(turn.separator, find_unfinished(turn.prose))
            turn.gate(Content(reply.message.text))
            return await self._record_reply(turn, msgspec.structs.replace(reply, usage=Usage()))

    async def ask_for_answer(self, turn: Turn) -> ModelReply:
        """Return the answer, without further tool calls; it may be empty. Raises as `ask` does."""
        reply = await self._call(turn, turn.gate, closing=True)
        if reply.message.tool_calls:
            reply = msgspec.structs.replace(reply, message=AssistantMessage(reply.message.text))
        return await self._record_reply(turn, reply)

    def _request(
        self, turn: Turn, *, closing: bool = False, most: int | None = None
    ) -> ModelRequest:
        tools = self._toolbox.offer(turn)
        model = self._answer_model if closing else self._name
        return ModelRequest(
            self._window.trim(turn.messages, tools, model, most),
            tools,
            tool_choice="none" if closing else "auto",
            model=model,
            seconds=turn.seconds_left,
            callable_tools=self._toolbox.list_callable(turn),
            retries_empty=not (closing and turn.is_stalled),  # a synthesis follows
        )

    async def _call(self, turn: Turn, emit: Emit, *, closing: bool = False) -> ModelReply:
        """Ask; while the endpoint finds the request too long, shorten it and ask again."""
        request, most = self._request(turn, closing=closing), None
        while True:
            try:
                reply = await self._ask_once(turn, request, emit)
            except ContextTooLong:
                size = self._window.estimate(request.messages, request.tools)
                most = int(size * SHORTER)
                request = self._request(turn, closing=closing, most=most)
                if self._window.estimate(request.messages, request.tools) >= size:
                    raise
            else:
                if most is not None:
                    self._window.record_limit(request.model, most)
                return reply

    async def _ask_once(self, turn: Turn, request: ModelRequest, emit: Emit) -> ModelReply:
        turn.gate.begin(turn.separator, find_unfinished(turn.prose))
        await turn.guardrail.prepare(turn.outgoing)
        began = turn.monotonic()
        try:
            with span("model", model=request.model or "first"):
                reply = await self._model.ask(request, emit)
        except asyncio.CancelledError:
            if turn.gate.text:  # it was stopped, but has to be paid for
                turn.count_side_call(self._estimate(request, turn.gate.text))
                turn.broken_off = turn.gate.shown.strip()
            raise
        except StreamBroken as broken:
            if broken.text:
                message = AssistantMessage(broken.text)
                await self._record_reply(turn, ModelReply(message, broken.usage, broken.model))
            else:
                # Only thoughts came: there is nothing to keep.
                turn.count_side_call(ModelReply(AssistantMessage(""), broken.usage, broken.model))
            if turn.is_out_of_time:
                raise OutOfTime from broken  # the turn's limit, not the endpoint's failure
            raise
        except TimeoutError:
            raise OutOfTime from None
        finally:
            turn.seconds_asking += turn.monotonic() - began
        self._window.record_usage(request, reply)
        return reply

    def _estimate(self, request: ModelRequest, shown: str) -> ModelReply:
        model = request.model or self._settings.model
        message = AssistantMessage(shown)
        facts = find_model_facts(model, self._settings.model_capabilities)
        return ModelReply(message, estimate_usage(request, message, facts), model)

    async def _record_reply(self, turn: Turn, reply: ModelReply) -> ModelReply:
        turn.add_reply(reply)
        await turn.journal.replied(reply)
        return reply


def _without_content(emit: Emit) -> Emit:
    """Return an `Emit` that drops text: it is not known yet whether the text is the answer."""

    def show(event: Event) -> None:
        if not isinstance(event, Content):
            emit(event)

    return show


_MOST_OF_A_RESULT = 1_500
_MOST_RESULTS = 12


class FinalAnswer:
    """Ends a turn without an answer: by asking for one without tools, by a synthesis of the tools'
    results, or by an apology."""

    def __init__(self, model: Model, caller: ModelCaller) -> None:
        self._model = model
        self._caller = caller

    async def close_turn(self, turn: Turn) -> EndReason:
        """Ask for an answer without tools, because a limit is reached or the turn goes in circles.
        The person always gets an answer or an apology. An answer of a turn that went in circles
        and had reached no limit counts as any other."""
        is_limited = turn.is_limited
        if turn.can_call_model:
            said = await self._force(turn)
            if turn.is_stalled and said == "":
                await self._synthesise(turn)
            if not is_limited and turn.prose:
                return "answered"
        return self.end_turn(turn, "limit")

    def end_turn(self, turn: Turn, reason: EndReason) -> EndReason:
        """Return the reason for which the turn ends; if it says nothing, have it say why: it is
        free then."""
        if not turn.prose and not turn.outgoing:
            turn.is_free = True
            turn.say(_explain_silence(turn, reason))
        return reason

    async def _force(self, turn: Turn) -> str | None:
        """Ask the model for an answer without tool calls; return the text that it added, None if no
        endpoint answers now."""
        said, is_away = len(turn.prose), False
        try:
            await self._caller.ask_for_answer(turn)
        except (OutOfTime, ModelUnavailable, ModelRefused) as error:
            log.warning("closing_failed", lane=turn.lane, error=type(error).__name__)
            is_away = isinstance(error, ModelUnavailable)
        await review_reply(turn, is_last=True)
        return None if is_away else "\n\n".join(turn.prose[said:])

    async def _synthesise(self, turn: Turn) -> None:
        """Ask for an answer from the tools' results only, without the conversation in which the
        model got stuck; the text is shown once it is complete and inspected."""
        findings = _collect_findings(turn)
        request = ModelRequest(findings, seconds=turn.seconds_left, retries_empty=False)
        if text := await _ask_silently(self._model, request, turn, "synthesis_failed"):
            await turn.guardrail.prepare(turn.outgoing)
            is_right = not await turn.guardrail.inspect(text)
            turn.say(text if is_right else await turn.guardrail.repair(text))


def _explain_silence(turn: Turn, reason: EndReason) -> str:
    language = turn.person.language
    if reason != "limit" or turn.is_stalled:
        return say(language, "I could not find an answer. Please ask in other words.")
    if turn.seconds_to_work <= 0:
        return say(language, "I had no time to answer.")
    return say(language, "This was too much for one answer.")


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
_CHECK_SECONDS = 30.0


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
            seconds=max(1.0, min(_CHECK_SECONDS, turn.seconds_left)),
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
