"""Advisors: named specialists with prompts, tools and models of their own, offered as tools.

`delegate_to_NAME(task)` runs a turn inside the turn, in the same loop, with what is left of the
outer turn's time, money, calls and depth. Files that it makes are delivered, and its costs are
counted in the outer turn; its text goes to the model that asked, never to the person.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, Field

from bot.agent.context_window import ContextWindow
from bot.agent.loop import Loop
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Limits, Turn
from bot.contracts.models import Model
from bot.contracts.services import Services, ToolContext
from bot.contracts.tools import Tool, ToolSource, ToolSpec
from bot.contracts.turn import Correction, Finished, Spent
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken, ToolFailed
from bot.events import Emit, Event, ToolEnd, ToolProgress, ToolStart
from bot.messages.transcript import ModelReply, SystemMessage, Text, UserMessage
from bot.observability import Metrics
from bot.settings import Advisor, Settings

LABEL = "Asking an advisor…"
_SHOWN = (ToolStart, ToolProgress, ToolEnd)


class Delegation(BaseModel):
    """Arguments of a delegate's tool."""

    task: str = Field(
        description="Everything it has to know, in one text: it sees nothing of this conversation.",
        min_length=1,
        max_length=8_000,
    )


def delegation_spec(name: str, description: str) -> ToolSpec:
    """Describe the tool that delegates to the agent or advisor of this name."""
    task = Delegation.model_json_schema()["properties"]["task"]
    described = {key: task[key] for key in task.keys() - {"title", "type"}}
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {"task": {"type": "string", **described}},
        "required": ["task"],
    }
    return ToolSpec(f"delegate_to_{name}", description, parameters)


class Advisors:
    """A `ToolSource` with the advisors of `ADVISORS`."""

    def __init__(
        self,
        model: Model,
        tools: Sequence[Tool[Any]],
        sources: Sequence[ToolSource],
        window: ContextWindow,
        services: Services,
        settings: Settings,
        metrics: Metrics,
    ) -> None:
        """
        Args:
            tools: the tools that an advisor's `tools` may name, besides those of `sources` and the
                advisors themselves.
        """
        self._model = model
        self._own = tools
        self._sources = (*sources, self)
        self._window = window
        self._services = services
        self._settings = settings.model_copy(update={"two_phase": False, "verify": False})
        self._metrics = metrics
        self.tools = tuple(self._tool(advisor) for advisor in settings.advisors)

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
        left = context.left
        turn = Turn(
            id=context.turn,
            lane=context.lane,
            person=context.person,
            messages=[SystemMessage(advisor.prompt), UserMessage((Text(task),))],
            limits=Limits(self._settings.max_iterations, left.seconds, left.usd, left.tool_calls),
            journal=_NullJournal(),
            emit=_show_tools_only(context.emit),
            depth=left.depth - 1,
            prefix=context.key.removeprefix(f"{context.lane}/{context.turn}/") + "/",
        )
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
        catalogue = ToolCatalogue(
            self._own, self._sources, self._settings, only=frozenset(advisor.tools)
        )
        toolbox = Toolbox(catalogue, self._settings, self._services, self._metrics)
        return Loop(self._model, toolbox, self._window, self._settings, advisor.model)


@dataclass(frozen=True, slots=True)
class _NullJournal:
    """A journal that writes nothing: the journal of the outer turn holds the result."""

    async def replied(self, reply: ModelReply) -> None: ...

    async def corrected(self, correction: Correction) -> None: ...

    async def intends(self, key: str, name: str) -> bool:  # noqa: ARG002 (the contract's names)
        return True

    async def overheard(self) -> list[UserMessage]:
        return []

    async def finished(self, results: Sequence[Finished]) -> None: ...


def _show_tools_only(emit: Emit) -> Emit:
    """Pass on an advisor's tool events; its text is not shown to the person."""

    def show(event: Event) -> None:
        if isinstance(event, _SHOWN):
            emit(event)

    return show
