"""Run the tool calls of a model: this module is the only way from a call to a tool.

A call runs if the person may use the tool (`tool_catalogue.py`), the turn's budget and its plan
allow it, and its arguments fit. Time limits and sizes of results are fields of each tool, checked
here. A tool that this person may not use is neither offered nor run, even if the model names it. In
every case each call gets exactly one result that the model can read, in the order of the calls.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, cast

import msgspec
import structlog
from pydantic import BaseModel, ValidationError

from bot.agent.output_guardrail import (
    find_leaks,
    review_arguments,
    review_asked,
    review_questions,
)
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.turn import MOST_OF_ONE_TOOL, Turn
from bot.contracts.services import (
    ApprovalService,
    Budget,
    GivenExercise,
    Services,
    ToolContext,
)
from bot.contracts.tools import AnyTool, ToolSpec
from bot.contracts.turn import Finished, Spent
from bot.errors import ToolFailed
from bot.events import Emit, Progress, ToolEnd, ToolProgress, ToolStart
from bot.i18n import say
from bot.messages.outgoing import Outgoing
from bot.messages.transcript import AssistantMessage, ToolCall, ToolResult
from bot.observability import Metrics, span
from bot.settings import Settings

log = structlog.get_logger()
_SIDE_BY_SIDE = 8
"""Most calls of reading tools that run at the same time."""
_MOST_OF_A_FAILURE = 4_000
_LONGEST_NAME = 64


@dataclass(slots=True)
class _Job:
    """One call while the toolbox handles it."""

    call: ToolCall
    position: int
    """Position among the calls of its reply."""
    ordinal: int
    """Number among all calls of the turn, from 0."""
    nth: int
    """Number among the turn's calls of the same tool, from 1."""
    tool: AnyTool | None
    has_read_strangers: bool
    """`Turn.has_read_strangers` when the model made the call."""
    is_shown: bool = False
    """Whether the start of the call was shown."""
    outgoing: list[Outgoing] = field(default_factory=list[Outgoing])
    spent: list[Spent] = field(default_factory=list[Spent])

    @property
    def group(self) -> str:
        """Key by which neighbouring calls run together. Each effect has a key of its own, and so
        has each delegate, since it may spend all that the calls before it have left."""
        only_reads = self.tool is None or (self.tool.effect == "read" and not self.is_delegate)
        return "read" if only_reads else str(self.position)

    @property
    def is_delegate(self) -> bool:
        return self.tool is not None and self.tool.is_delegate


class Toolbox:
    def __init__(
        self, catalogue: ToolCatalogue, settings: Settings, services: Services, metrics: Metrics
    ) -> None:
        self._catalogue = catalogue
        self._settings = settings
        self._services = services
        self._metrics = metrics

    def offer(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return the tools that the model is offered; always the same tuple within the turn."""
        if self._settings.max_tool_calls == 0:
            return ()
        return self._catalogue.offer(turn)

    def list_callable(self, turn: Turn) -> tuple[ToolSpec, ...]:
        """Return the tools that run if the model calls them: those it is offered, and those it may
        know from elsewhere, as from earlier turns."""
        if self._settings.max_tool_calls == 0:
            return ()
        return self._catalogue.specs_for(turn)

    def has_effects(self, turn: Turn) -> bool:
        """Return whether a tool that does more than read was called in this turn."""
        called = [name for kind, name in turn.spending if kind == "tool"]
        return any(tool.effect != "read" for tool in map(self._catalogue.find, called) if tool)

    async def execute_all(self, calls: Sequence[ToolCall], turn: Turn) -> None:
        """Run the calls and add their results to the turn and its journal, in order.

        Neighbouring calls that only read run side by side; effects run one after another; delegates
        come last. A call that a crash interrupted is run again, unless its effect is `once` and it
        may have run already.

        Raises:
            LeaseLost: the turn belongs to another process by now.
        """
        jobs = self._jobs(calls, turn)
        done: dict[int, Finished] = {}
        written = 0
        delegates_last = sorted(jobs, key=lambda job: job.is_delegate)
        for _, neighbours in groupby(delegates_last, key=lambda job: (job.is_delegate, job.group)):
            together = list(neighbours)
            results = await self._run_side_by_side(together, turn)
            done.update(zip((job.position for job in together), results, strict=True))
            ready: list[Finished] = []
            while written in done:  # in order: a result waits for those of the calls before it
                ready.append(done[written])
                turn.add_result(done[written])
                written += 1
            await turn.journal.finished(ready)

    def list_asked(self, calls: Sequence[ToolCall], turn: Turn) -> list[GivenExercise]:
        """List what the calls ask the person; a call that cannot be read asks nothing."""
        asked: list[GivenExercise] = []
        for call in calls:
            tool = self._catalogue.tools_for(turn).get(call.name)
            if tool is None or tool.asks is None:
                continue
            with suppress(ToolFailed):
                arguments = read_arguments(tool, call.arguments)
                asked.append(tool.asks(arguments, turn.person.language))
        return asked

    async def refuse_all(self, calls: Sequence[ToolCall], turn: Turn, reason: str) -> None:
        """Run none of the calls; add `reason` as the result of each."""
        results = [ToolResult(call.id, call.name, reason, is_error=True) for call in calls]
        for job, result in zip(self._jobs(calls, turn), results, strict=True):
            _show_refused(job, turn)
            turn.add_result(Finished(result))
        await turn.journal.finished([Finished(result) for result in results])

    def _jobs(self, calls: Sequence[ToolCall], turn: Turn) -> list[_Job]:
        counts: Counter[str] = Counter()
        jobs: list[_Job] = []
        has_read = turn.has_read_strangers
        for position, call in enumerate(calls):
            counts[call.name] += 1
            before, _ = turn.spending.get(("tool", call.name), (0, None))
            nth = before + counts[call.name]
            tool = self._catalogue.find(call.name)
            ordinal = turn.tool_calls + position
            jobs.append(_Job(call, position, ordinal, nth, tool, has_read))
        return jobs

    async def _run_side_by_side(self, jobs: Sequence[_Job], turn: Turn) -> list[Finished]:
        if len(jobs) == 1:
            return [await self._execute(jobs[0], turn)]
        places = asyncio.Semaphore(_SIDE_BY_SIDE)

        async def execute(job: _Job) -> Finished:
            async with places:
                return await self._execute(job, turn)

        return list(await asyncio.gather(*map(execute, jobs)))

    async def _execute(self, job: _Job, turn: Turn) -> Finished:
        """Return the call's result in any case; a failure becomes a message for the model."""
        call = job.call
        name = call.name if job.tool else "unknown"
        try:
            _check_budget(job, turn)
            with span("tool", tool=name), self._metrics.stage_seconds("tool").time():
                text = await self._run(job, turn)
            failed = False
        except ToolFailed as error:
            text, failed = _truncate(str(error), _MOST_OF_A_FAILURE), True
            job.outgoing.clear()
            if not job.is_shown:
                _show_refused(job, turn)
        self._metrics.tool_calls(name, "failed" if failed else "done").inc()
        result = ToolResult(call.id, call.name, text, is_error=failed)
        return Finished(result, tuple(job.outgoing), tuple(job.spent))

    async def _run(self, job: _Job, turn: Turn) -> str:
        call = job.call
        tool = self._catalogue.tools_for(turn).get(call.name)
        if tool is None:
            names = ", ".join(spec.name for spec in self.offer(turn)) or "none"
            raise ToolFailed(f"There is no tool {call.name!r} here. Available: {names}.")
        _check_consent(tool, job)
        arguments = read_arguments(tool, call.arguments)
        if tool.speaks:
            arguments = await review_arguments(tool, arguments, turn)
        elif tool.read_at_once:
            await review_questions(tool, arguments, turn)
        if tool.asks:
            asked = tool.asks(arguments, turn.person.language)
            review_asked(tool, asked, turn, self._list_made(turn, call))
        if tool.effect != "read" and self._settings.planner_mode:
            await _check_plan(tool, turn, self._services.approvals)
        may_have_run = tool.effect == "once" and not await turn.journal.intends(
            turn.call_key(call), call.name
        )
        if may_have_run:
            raise ToolFailed(
                "Outcome unknown: the process stopped while this ran. It may or may not have "
                "happened; it was not run again. Tell the person, or check before repeating it."
            )
        detail = await _describe(tool, arguments, turn)
        turn.emit(ToolStart(call.id, tool.name, detail))
        job.is_shown = True
        turn.emit(Progress(turn.iterations, turn.limits.iterations, tool.name, detail))
        failed = True
        try:
            text = await self._run_in_time(tool, arguments, job, turn)
            failed = False
        finally:
            turn.emit(ToolEnd(call.id, tool.name, failed))
        return _truncate(text, tool.max_result)

    def _list_made(self, turn: Turn, until: ToolCall) -> list[object]:
        """List the arguments of this turn's calls before one that make something to read."""
        made: list[object] = []
        for message in turn.own_messages:
            for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
                if call is until:
                    return made
                tool = self._catalogue.find(call.name)
                if tool and tool.speaks:
                    with suppress(ToolFailed):
                        made.append(read_arguments(tool, call.arguments).model_dump())
        return made

    async def _run_in_time(self, tool: AnyTool, arguments: BaseModel, job: _Job, turn: Turn) -> str:
        left = turn.seconds_to_work
        most = left if tool.is_delegate else self._settings.tool_timeout
        seconds = min(tool.timeout, most, left)
        ticker = ProgressTicker(turn.emit, job.call.id, tool.name)
        context = self._context(job, turn, ticker)
        try:
            with ticker.running():
                async with asyncio.timeout(seconds):
                    return await tool.function(arguments, context)
        except TimeoutError:
            raise ToolFailed(
                f"{tool.name} took longer than {seconds:g} s and was stopped."
            ) from None
        except ToolFailed:
            raise
        except Exception:
            log.exception("tool_broken", tool=tool.name, lane=turn.lane)
            raise ToolFailed(f"{tool.name} failed inside. Try another way.") from None

    def _context(self, job: _Job, turn: Turn, ticker: ProgressTicker) -> ToolContext:
        limits = turn.limits
        return ToolContext(
            person=turn.person,
            account=turn.person.account or 0,
            lane=turn.lane,
            turn=turn.id,
            call_id=job.call.id,
            key=f"{turn.lane}/{turn.id}/{turn.call_key(job.call)}",
            settings=self._settings,
            services=self._services,
            emit=turn.emit,
            deliver=job.outgoing.append,
            show=ticker.show,
            left=Budget(
                seconds=turn.seconds_to_work,
                usd=max(0.0, limits.usd - turn.usage.usd),
                tool_calls=max(0, limits.tool_calls - job.ordinal - 1),
                depth=turn.depth,
            ),
            spend=job.spent.append,
            may_open=turn.may_open,
            has_read_strangers=job.has_read_strangers,
        )


def _check_budget(job: _Job, turn: Turn) -> None:
    """Refuse a call beyond the turn's limits of calls and time. Raises `ToolFailed`."""
    if job.ordinal >= turn.limits.tool_calls:
        raise ToolFailed("No more tool calls are allowed in this turn. Answer with what you have.")
    if turn.seconds_to_work <= 0:
        raise ToolFailed("The time of this turn is over. Answer with what you have.")
    if job.nth >= MOST_OF_ONE_TOOL:
        raise ToolFailed(
            f"{job.call.name} was called {job.nth - 1} times. Answer with what you have."
        )


def _check_consent(tool: AnyTool, job: _Job) -> None:
    """Refuse a tool that acts outside while the model may do what strangers' text asked for, until
    the person has written again. Raises `ToolFailed`."""
    if tool.acts_outside and job.has_read_strangers:
        raise ToolFailed(
            f"{tool.name} acts outside of Griot, and since the person last wrote you have read "
            "what strangers wrote. It was not run. Tell the person exactly what you would do, and "
            "ask whether they want it; call it again once they have said so."
        )


async def _check_plan(tool: AnyTool, turn: Turn, approvals: ApprovalService) -> None:
    """Refuse a tool that does more than read, while the turn makes a plan. Raises `ToolFailed`."""
    if await approvals.is_planning(turn.lane):
        raise ToolFailed(
            f"You are planning: {tool.name} may run once the person has approved the plan. "
            "Read what you need, then call exit_plan_mode with the plan."
        )


def _show_refused(job: _Job, turn: Turn) -> None:
    """Show start and end of a refused call: its arguments may have been shown as they came."""
    name = job.call.name[:_LONGEST_NAME]
    detail = _label(job.tool, turn.person.language) if job.tool else name
    turn.emit(ToolStart(job.call.id, name, detail))
    turn.emit(ToolEnd(job.call.id, name, is_error=True))


async def _describe(tool: AnyTool, arguments: BaseModel, turn: Turn) -> str:
    """Describe for people, in one short line, what the tool does and on what."""
    label = _label(tool, turn.person.language)
    detail = " ".join(tool.detail(arguments).split())[:80]
    return label if await find_leaks(turn, detail) else f"{label} {detail}".strip()


def _label(tool: AnyTool, language: str) -> str:
    return say(language, tool.label) if tool.label else tool.name


def _truncate(text: str, limit: int) -> str:
    """Return at most `limit` characters, with a note about the part that was cut."""
    if len(text) <= limit:
        return text
    note = f"\n[truncated: {limit} of {len(text)} characters shown; ask for a narrower part]"
    return text[: limit - len(note)] + note


TICK_SECONDS = 2.0
"""Seconds between two progress events."""


class ProgressTicker:
    """Shows every few seconds how long one tool call has taken."""

    def __init__(self, emit: Emit, call_id: str, name: str, *, every: float = TICK_SECONDS) -> None:
        self._emit = emit
        self._call_id = call_id
        self._name = name
        self._every = every
        self._tail = ""
        self._timer: asyncio.TimerHandle | None = None

    def show(self, tail: str) -> None:
        """Keep the tool's latest output; it is shown with the next progress event."""
        self._tail = tail

    @contextmanager
    def running(self) -> Generator[None]:
        """Emit progress events while the block runs."""
        loop = asyncio.get_running_loop()
        started = loop.time()

        def tick() -> None:
            elapsed = round(loop.time() - started, 1)
            tail = self._tail or None
            self._emit(ToolProgress(self._call_id, self._name, elapsed_s=elapsed, tail=tail))
            self._timer = loop.call_later(self._every, tick)

        self._timer = loop.call_later(self._every, tick)
        try:
            yield
        finally:
            self._timer.cancel()


_MOST_WRONG = 8
_WORDS: Mapping[str, str] = {"model_type": "Input should be an object"}
"""Messages in place of pydantic's own, which name a class of ours."""
_EXAMPLES: Mapping[str, object] = {"string": "…", "number": 1.0, "boolean": True}
_MOST_ITEMS = 3
"""Most items of a list in an example; a longer list would not be clearer."""
_DEEPEST = 6


def read_arguments(tool: AnyTool, arguments: str) -> BaseModel:
    """Return the arguments as an instance of the tool's own class.

    Raises:
        ToolFailed: they do not fit; the message says why, and shows a right call.
    """
    try:
        values: object = msgspec.json.decode(arguments or "{}")
        values = _strip_nul(values) if "\\u0000" in arguments else values
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise ToolFailed(
            f"The arguments are not valid JSON: {error}. {_show_correct_call(tool)}"
        ) from None
    if not isinstance(values, dict):
        raise ToolFailed(f"The arguments must be a JSON object. {_show_correct_call(tool)}")
    return _validate(tool, cast("dict[str, Any]", values))


def _validate(tool: AnyTool, values: dict[str, Any]) -> BaseModel:
    """Validate the values. A null that the class does not allow counts as an argument left out, a
    number in place of a text as that text."""
    try:
        return tool.arguments.model_validate(values)
    except ValidationError as error:
        if _omit_nulls(values, error) or _write_numbers_out(values, error):
            return _validate(tool, values)
        wrong = "; ".join(
            f"{'.'.join(str(step) for step in item['loc']) or 'arguments'}: "
            f"{_WORDS.get(item['type'], item['msg'])}"
            for item in error.errors(include_input=False, include_url=False)[:_MOST_WRONG]
        )
        raise ToolFailed(f"Wrong arguments. {wrong}. {_show_correct_call(tool)}") from None


def _omit_nulls(values: dict[str, Any], error: ValidationError) -> bool:
    """Delete from the objects in `values` each null that was refused; return whether there was
    one."""
    found = False
    for item in error.errors(include_url=False):
        within: Any = values
        for step in item["loc"]:
            if isinstance(within, dict):
                fields = cast("dict[str, Any]", within)
                if step in fields and fields[str(step)] is None:
                    del fields[str(step)]
                    found = True
                    break
                within = fields.get(str(step), within)
            elif isinstance(within, list) and isinstance(step, int):
                items = cast("list[Any]", within)
                within = items[step] if step < len(items) else None
    return found


def _write_numbers_out(values: dict[str, Any], error: ValidationError) -> bool:
    """Replace each number in `values` that was refused for a text by its digits; return whether
    there was one."""
    found = False
    for item in error.errors(include_url=False):
        if item["type"] != "string_type":
            continue
        within: Any = values
        for step in item["loc"]:
            try:
                held = within[step]
            except (KeyError, IndexError, TypeError):  # the step names one type of a union
                continue
            if isinstance(held, int | float) and not isinstance(held, bool):
                within[step], found = str(held), True
            within = held
    return found


def _strip_nul(value: Any) -> Any:
    """Remove NUL characters, which text in a database cannot hold."""
    match value:
        case str():
            return value.replace("\0", "")
        case list():
            return [_strip_nul(item) for item in cast("list[Any]", value)]
        case dict():
            fields = cast("dict[str, Any]", value)
            return {key: _strip_nul(item) for key, item in fields.items()}
        case _:
            return value


def _show_correct_call(tool: AnyTool) -> str:
    """Write a right call: its required arguments, or the first if none is required."""
    schema = cast("Mapping[str, Any]", msgspec.to_builtins(tool.spec.parameters))
    example = msgspec.json.encode(_example_of_object(schema, 0)).decode()
    return f"Call it again like this: {tool.name} {example}"


def _example_of(schema: object, depth: int) -> object:
    """Return the shortest value that fits a JSON schema, perhaps one of another server."""
    if not isinstance(schema, Mapping) or depth > _DEEPEST:
        return "…"
    schema = cast("Mapping[str, Any]", schema)
    for key in ("enum", "anyOf", "oneOf"):
        choices: object = schema.get(key)
        if isinstance(choices, list) and choices:
            first = cast("list[object]", choices)[0]
            return first if key == "enum" else _example_of(first, depth + 1)
    match schema.get("type"):
        case "array":
            size = min(_whole(schema.get("minItems")), _MOST_ITEMS)
            item = _example_of(schema.get("items"), depth + 1)
            differ = size > 1 and isinstance(item, str)
            return [f"{item} {n}" if differ else item for n in range(1, size + 1)]
        case "object":
            return _example_of_object(schema, depth)
        case "integer":
            return _whole(schema.get("minimum"))
        case kind:
            return _EXAMPLES.get(str(kind), "…")


def _example_of_object(schema: Mapping[str, Any], depth: int) -> dict[str, object]:
    properties: Mapping[str, Any] = schema.get("properties") or {}
    shown = schema.get("required") or list(properties)[:1]
    return {name: _example_of(properties.get(name), depth + 1) for name in shown}


def _whole(least: object) -> int:
    return max(1, least) if isinstance(least, int) else 1
