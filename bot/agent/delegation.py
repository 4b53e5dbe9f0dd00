"""Offer other agents as tools, `delegate_to_NAME(task)`: advisors, and remote agents over A2A.

Advisors are named specialists with prompts, tools and models of their own. Asking one runs a turn
inside the turn, in the same loop, with what is left of the outer turn's time, money, calls and
depth. Files that it makes are delivered, and its costs are counted in the outer turn; its text goes
to the model that asked, never to the person.

A remote agent (a2a-protocol.org) is not trusted: what it sends is bounded in size and time, and
marked as untrusted for the model. The protocol's library takes half a second to load; the first
call loads it.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, Field

from bot.agent.context_window import ContextWindow
from bot.agent.loop import Loop
from bot.agent.tool_catalogue import ToolCatalogue
from bot.agent.toolbox import Toolbox
from bot.agent.turn import Limits, Turn
from bot.contracts.models import Model
from bot.contracts.services import Services, ToolContext
from bot.contracts.tools import Tool, ToolSource, ToolSpec, mark_untrusted
from bot.contracts.turn import Correction, Finished, Spent
from bot.errors import ModelRefused, ModelUnavailable, StreamBroken, ToolFailed
from bot.events import Emit, Event, ToolEnd, ToolProgress, ToolStart
from bot.messages.transcript import ModelReply, SystemMessage, Text, UserMessage
from bot.observability import Metrics
from bot.settings import Advisor, RemoteAgent, Settings

if TYPE_CHECKING:
    from a2a.types import AgentCard

    from bot.agent.a2a_client import AgentReply

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
            asker_may_open=context.may_open,
            asker_read_strangers=context.has_read_strangers,
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
        if turn.has_read_strangers:  # whose wishes may stand in the answer
            return mark_untrusted(turn.answer, f"in part, and read by the advisor {advisor.name}")
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


# Remote agents -----------------------------------------------------------------------------------

MAX_RESULT = 16_000
"""Characters of an answer that reach the model."""
_MAX_WORDS = 2_000
"""Characters of an agent's own message about its failure that reach the model."""
_MAX_DESCRIPTION = 1_000
_CARD_SECONDS = 600.0
"""Seconds for which an agent card is used without being read again."""
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


class A2aAgents:
    """A `ToolSource` with the remote agents of `A2A_AGENTS`.

    Args:
        agents: the agents that the operator configured. One with an empty description takes that of
            its card, once the card was read.
        seconds: time limit for one task, everything included.
        monotonic: a clock of seconds.
    """

    def __init__(
        self,
        agents: Sequence[RemoteAgent],
        *,
        seconds: float = 120,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._agents = tuple(agents)
        self._seconds = seconds
        self._monotonic = monotonic
        self._descriptions = {agent.name: agent.description for agent in agents}
        self._cards: dict[str, tuple[float, AgentCard]] = {}
        self._closed = False
        self.tools = self._make_tools()
        """One tool per agent; the same tuple as long as no description has changed."""

    async def close(self) -> None:
        """Make all calls from now on fail."""
        self._closed = True

    def _make_tools(self) -> tuple[Tool[Any], ...]:
        return tuple(
            Tool(
                Delegation,
                partial(self._delegate, agent),
                modes=frozenset({"child", "pro"}),
                effect="once",
                timeout=self._seconds,
                max_result=MAX_RESULT,
                is_delegate=True,
                label=LABEL,
                detail=partial(_name, agent),
                given=delegation_spec(
                    agent.name,
                    self._descriptions[agent.name] or f"Ask the agent {agent.name}.",
                ),
            )
            for agent in self._agents
        )

    async def _delegate(self, agent: RemoteAgent, task: Delegation, context: ToolContext) -> str:
        """Return the agent's answer. Raises `ToolFailed`. If this is cancelled, the agent's task is
        cancelled too."""
        if self._closed:
            raise ToolFailed("Griot is about to stop; no agent can be asked now.")
        await asyncio.to_thread(import_module, "bot.agent.a2a_client")
        from bot.agent.a2a_client import give_task, read_card

        # The id is new for each call, and the same when a call is repeated after a crash.
        message_id = str(uuid.uuid5(uuid.NAMESPACE_OID, context.key))
        try:
            read_at, card = self._cards.get(agent.name, (0.0, None))
            if card is None or self._monotonic() - read_at > _CARD_SECONDS:
                card = await read_card(agent)
                self._cards[agent.name] = self._monotonic(), card
                self._describe(agent, card.description)
            reply = await give_task(agent, card, task.task, message_id)
        except ToolFailed:
            self._cards.pop(agent.name, None)
            raise
        return _conclude(agent, reply)

    def _describe(self, agent: RemoteAgent, description: str) -> None:
        if agent.description:
            return
        words = " ".join(_clean(description, agent).split())[:_MAX_DESCRIPTION]
        if words != self._descriptions[agent.name]:
            self._descriptions[agent.name] = words
            self.tools = self._make_tools()


def _name(agent: RemoteAgent, _: Delegation) -> str:
    return agent.name


def _conclude(agent: RemoteAgent, reply: AgentReply) -> str:
    """Return the agent's answer for the model. Raises `ToolFailed`: it did not do the task."""
    name = agent.name
    match reply.outcome:
        case "completed":
            words = _clean(reply.text, agent) or "(It says that it is done, and nothing else.)"
            return _mark(name, words)
        case "input-required":
            note = (
                f"The agent {name} asks this and has stopped. Answer it, or ask the person; then "
                "give it the whole task again, with the answer in it."
            )
            return _mark(name, _clean(reply.text, agent) or "(It does not say what.)", note)
        case "auth-required":
            raise ToolFailed(
                f"The agent {name} wants a login that Griot does not have. Do without it, and "
                "say so."
            )
        case outcome:
            what = "refuses the task" if outcome == "rejected" else "did not finish the task"
            note = f"The agent {name} {what}. Try another way."
            words = _clean(reply.last_words, agent)[:_MAX_WORDS]
            raise ToolFailed(_mark(name, words, note) if words else note)


def _clean(text: str, agent: RemoteAgent) -> str:
    """Remove control characters, and the token if the agent echoes it."""
    if agent.token:
        text = text.replace(agent.token, "[token]")
    return _CONTROL.sub("", text).strip()


def _mark(name: str, text: str, note: str = "") -> str:
    return mark_untrusted(f"{note}\n\n{text}" if note else text, f"by the agent {name}")
