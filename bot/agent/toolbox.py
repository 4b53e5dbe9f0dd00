"""The toolbox: the one door between a model's tool call and a tool.

Who may, how long and how much are fields of each tool, checked here and nowhere else. A tool that
is not for this person is neither offered nor run when the model names it anyway. Whatever happens,
each call gets exactly one result that the model can read, in the order of the calls.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Sequence
from functools import cache

import msgspec
import structlog
from pydantic import BaseModel, ValidationError

from bot.agent.turn import Turn
from bot.contracts import Effect, Finished, Services, Tool, ToolContext, ToolSpec
from bot.errors import ToolFailed
from bot.events import Progress, ToolEnd, ToolStart
from bot.messages import Outgoing, Person, ToolCall, ToolResult
from bot.observe import Metrics
from bot.settings import Settings
from bot.texts import say

log = structlog.get_logger()
_SIDE_BY_SIDE = 8
"""Calls that only read and run at the same time."""
AnyTool = Tool[BaseModel]


class Toolbox:
    def __init__(
        self,
        tools: Sequence[Tool[BaseModel]],
        settings: Settings,
        services: Services,
        metrics: Metrics,
    ) -> None:
        self._tools = {
            tool.name: tool for tool in tools if tool.name not in settings.disabled_tools
        }
        self._settings = settings
        self._services = services
        self._metrics = metrics
        self._offer = cache(self._specs)

    def offer(self, person: Person) -> tuple[ToolSpec, ...]:
        """The tools this person's model is told of; always the same tuple for the same mode."""
        return self._offer("" if person.is_guest else person.mode)

    def _specs(self, mode: str) -> tuple[ToolSpec, ...]:
        if self._settings.max_tool_calls == 0:
            return ()
        return tuple(tool.spec for tool in self._tools.values() if mode in tool.modes)

    async def execute_all(self, calls: Sequence[ToolCall], turn: Turn) -> None:
        """Run the calls and add their results to the turn and its journal, in order.

        Neighbouring calls that only read run side by side; effects run one after another. A call
        that a crash interrupted is run again, unless it is of effect `once` and may have run.

        Raises:
            LeaseLost: the turn belongs to another process by now.
        """
        for effect, group in itertools.groupby(calls, self._effect):
            if effect == "read":
                await self._finish(turn, await self._run_side_by_side(list(group), turn))
            else:
                for call in group:
                    await self._finish(turn, [await self._execute(call, turn, turn.tool_calls)])

    async def _run_side_by_side(self, calls: list[ToolCall], turn: Turn) -> list[Finished]:
        places = asyncio.Semaphore(_SIDE_BY_SIDE)

        async def execute(call: ToolCall, ordinal: int) -> Finished:
            async with places:
                return await self._execute(call, turn, ordinal)

        return list(
            await asyncio.gather(
                *(execute(call, turn.tool_calls + n) for n, call in enumerate(calls))
            )
        )

    async def _finish(self, turn: Turn, results: list[Finished]) -> None:
        for finished in results:
            turn.take_result(finished)
        await turn.journal.finished(results)

    def _effect(self, call: ToolCall) -> Effect:
        tool = self._tools.get(call.name)
        return tool.effect if tool else "read"

    async def _execute(self, call: ToolCall, turn: Turn, ordinal: int) -> Finished:
        """The result of the turn's call number `ordinal` (from 0), whatever happens; failures
        become words for the model."""
        outgoing: list[Outgoing] = []
        try:
            self._check_budget(turn, ordinal)
            text = await self._run(call, turn, outgoing)
            failed = False
        except ToolFailed as error:
            text, failed = str(error), True
            outgoing.clear()
        name = call.name if call.name in self._tools else "unknown"
        self._metrics.tool_calls(name, "failed" if failed else "done").inc()
        return Finished(ToolResult(call.id, call.name, text, is_error=failed), tuple(outgoing))

    async def _run(self, call: ToolCall, turn: Turn, outgoing: list[Outgoing]) -> str:
        tool = self._allowed(call, turn)
        arguments = _validate(tool, call.arguments)
        if tool.effect == "once":
            await self._intend(call, turn)
        detail = _detail(tool, arguments, turn.person.language)
        turn.emit(ToolStart(call.id, tool.name, detail))
        turn.emit(Progress(turn.iterations, turn.limits.iterations, tool.name, detail))
        failed = True
        try:
            context = self._context(call, turn, outgoing)
            text = await self._in_time(tool, arguments, context, turn.seconds_left)
            failed = False
        finally:
            turn.emit(ToolEnd(call.id, tool.name, failed))
        return _cut(text, tool.max_result)

    def _allowed(self, call: ToolCall, turn: Turn) -> AnyTool:
        tool = self._tools.get(call.name)
        person = turn.person
        if tool is None or person.is_guest or person.mode not in tool.modes:
            names = ", ".join(spec.name for spec in self.offer(person)) or "none"
            raise ToolFailed(f"There is no tool {call.name!r} here. Available: {names}.")
        return tool

    def _check_budget(self, turn: Turn, ordinal: int) -> None:
        if ordinal >= turn.limits.tool_calls:
            raise ToolFailed(
                "No more tool calls are allowed in this turn. Answer with what you have."
            )
        if turn.seconds_left <= 0:
            raise ToolFailed("The time of this turn is over. Answer with what you have.")

    async def _intend(self, call: ToolCall, turn: Turn) -> None:
        """Note that a tool of effect `once` starts; refuse it if it may have run before a crash."""
        if not await turn.journal.intends(turn.key_of(call), call.name):
            raise ToolFailed(
                "Outcome unknown: the process stopped while this ran. It may or may not have "
                "happened; it was not run again. Tell the person, or check before repeating it."
            )

    async def _in_time(
        self, tool: AnyTool, arguments: BaseModel, context: ToolContext, seconds_left: float
    ) -> str:
        seconds = min(tool.timeout, self._settings.tool_timeout, seconds_left)
        try:
            async with asyncio.timeout(seconds):
                return await tool.function(arguments, context)
        except TimeoutError:
            raise ToolFailed(
                f"{tool.name} took longer than {seconds:g} s and was stopped."
            ) from None
        except ToolFailed:
            raise
        except Exception:
            log.exception("tool_broken", tool=tool.name, lane=context.lane)
            raise ToolFailed(f"{tool.name} failed inside. Try another way.") from None

    def _context(self, call: ToolCall, turn: Turn, outgoing: list[Outgoing]) -> ToolContext:
        return ToolContext(
            person=turn.person,
            account=turn.person.account or 0,
            lane=turn.lane,
            turn=turn.id,
            call_id=call.id,
            key=f"{turn.lane}/{turn.id}/{turn.key_of(call)}",
            settings=self._settings,
            services=self._services,
            emit=turn.emit,
            deliver=outgoing.append,
        )


def _validate(tool: AnyTool, arguments: str) -> BaseModel:
    """The arguments as the tool's own class. Raises `ToolFailed` that says what was expected."""
    try:
        values: object = msgspec.json.decode(arguments or "{}")
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ToolFailed(f"The arguments are not valid JSON: {error}.") from None
    if not isinstance(values, dict):
        raise ToolFailed("The arguments must be a JSON object.")
    try:
        return tool.arguments.model_validate(values)
    except ValidationError as error:
        wrong = "; ".join(
            f"{'.'.join(str(step) for step in item['loc']) or 'arguments'}: {item['msg']}"
            for item in error.errors(include_input=False, include_url=False)[:8]
        )
        raise ToolFailed(f"Wrong arguments. {wrong}.") from None


def _detail(tool: AnyTool, arguments: BaseModel, language: str) -> str:
    """One short line for people: what the tool is doing, and on what."""
    label = say(language, tool.label) if tool.label else tool.name
    detail = " ".join(tool.detail(arguments).split())[:80]
    return f"{label} {detail}".strip()


def _cut(text: str, limit: int) -> str:
    """At most `limit` characters; what was cut is said."""
    if len(text) <= limit:
        return text
    note = f"\n[truncated: {limit} of {len(text)} characters shown; ask for a narrower part]"
    return text[: limit - len(note)] + note
