"""Advisors: named specialists with prompts, tools and models of their own, asked as tools.

`delegate_to_NAME(task)` is a turn inside the turn, in the same loop: it has what is left of the
turn's time, money and calls, and of its depth. What it makes is delivered, what it costs is counted
in the turn; its words go to the model that asked, never to the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from bot.agent.catalogue import Catalogue
from bot.agent.loop import Loop
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Limits, Turn
from bot.agent.window import Window
from bot.contracts import (
    Finished,
    Model,
    Services,
    Spent,
    Tool,
    ToolContext,
    ToolSource,
    ToolSpec,
)
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken, ToolFailed
from bot.events import Emit, Event, ToolEnd, ToolProgress, ToolStart
from bot.messages import ModelReply, SystemMessage, Text, UserMessage
from bot.observe import Metrics
from bot.settings import Advisor, Settings

LABEL = "Asking an advisor…"
_SHOWN = (ToolStart, ToolProgress, ToolEnd)


class Delegation(BaseModel):
    """What a delegate is asked."""

    task: str = Field(
        description="Everything it has to know, in one text: it sees nothing of this conversation.",
        min_length=1,
        max_length=8_000,
    )


def delegation_spec(name: str, description: str) -> ToolSpec:
    """How a delegate of this name is offered."""
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {"task": {"type": "string", **_described(Delegation, "task")}},
        "required": ["task"],
    }
    return ToolSpec(f"delegate_to_{name}", description, parameters)


class Advisors:
    """Implements `ToolSource` for `ADVISORS`."""

    def __init__(
        self,
        model: Model,
        tools: Sequence[Tool[Any]],
        sources: Sequence[ToolSource],
        window: Window,
        services: Services,
        settings: Settings,
        metrics: Metrics,
    ) -> None:
        """
        Args:
            tools: all that an advisor's `tools` may name, besides what `sources` have and the
                advisors themselves.
        """
        self._model = model
        self._own = tools
        self._sources = (*sources, self)
        self._window = window
        self._services = services
        self._settings = settings.model_copy(update={"two_phase": False, "verify": False})
        self._metrics = metrics
        self._tools = tuple(self._tool(advisor) for advisor in settings.advisors)

    @property
    def tools(self) -> Sequence[Tool[Any]]:
        return self._tools

    def _tool(self, advisor: Advisor) -> Tool[Any]:
        async def delegate(args: Delegation, context: ToolContext) -> str:
            return await self._ask(advisor, args.task, context)

        return Tool(
            Delegation,
            delegate,
            modes={"child", "pro"},
            effect="once" if advisor.tools else "read",
            timeout=self._settings.turn_timeout,
            is_delegate=True,
            label=LABEL,
            detail=lambda _: advisor.name,
            given=delegation_spec(advisor.name, advisor.description),
        )

    async def _ask(self, advisor: Advisor, task: str, context: ToolContext) -> str:
        turn = self._turn(advisor, task, context)
        try:
            await self._loop(advisor).run(turn)
        except (ModelUnavailable, ModelRefused, StreamBroken) as error:
            raise ToolFailed(
                f"The advisor {advisor.name} gave no answer. Go on without."
            ) from error
        finally:
            for (kind, name), (calls, usage) in turn.spending.items():
                if kind == "model":
                    context.spend(Spent("model", name, calls, usage))
        if turn.is_free:
            raise ToolFailed(f"The advisor {advisor.name} found no answer. Go on without.")
        for outgoing in turn.outgoing:
            context.deliver(outgoing)
        return turn.answer

    def _loop(self, advisor: Advisor) -> Loop:
        catalogue = Catalogue(
            self._own, self._sources, self._settings, only=frozenset(advisor.tools)
        )
        toolbox = Toolbox(catalogue, self._settings, self._services, self._metrics)
        return Loop(self._model, toolbox, self._window, self._settings, advisor.model)

    def _turn(self, advisor: Advisor, task: str, context: ToolContext) -> Turn:
        left = context.left
        return Turn(
            id=context.turn,
            lane=context.lane,
            person=context.person,
            messages=[SystemMessage(advisor.prompt), UserMessage((Text(task),))],
            limits=Limits(self._settings.max_iterations, left.seconds, left.usd, left.tool_calls),
            journal=_Unwritten(),
            emit=_tools_only(context.emit),
            depth=left.depth - 1,
            prefix=context.key.removeprefix(f"{context.lane}/{context.turn}/") + "/",
        )


@dataclass(frozen=True, slots=True)
class _Unwritten:
    """The journal of a turn that is one call of another: that one's journal has its result."""

    async def replied(self, reply: ModelReply) -> None: ...

    async def intends(self, key: str, name: str) -> bool:  # noqa: ARG002 (the contract's names)
        return True

    async def overheard(self) -> list[UserMessage]:
        return []

    async def finished(self, results: Sequence[Finished]) -> None: ...


def _tools_only(emit: Emit) -> Emit:
    """What an advisor does may be seen; what it says is not said to the person."""

    def show(event: Event) -> None:
        if isinstance(event, _SHOWN):
            emit(event)

    return show


def _described(model: type[BaseModel], name: str) -> dict[str, Any]:
    schema = model.model_json_schema()["properties"][name]
    return {key: value for key, value in schema.items() if key not in {"title", "type"}}
