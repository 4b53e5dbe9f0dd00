"""Offer remote agents over A2A (a2a-protocol.org) as tools: `delegate_to_NAME(task)`.

A remote agent is not trusted: what it sends is bounded in size and time, and marked as untrusted
for the model. The protocol's library takes half a second to load; the first call loads it.
"""

from __future__ import annotations

import asyncio
import re
import time
import uuid
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

from bot.agent.delegation import LABEL, Delegation, delegation_spec
from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool, mark_untrusted
from bot.errors import ToolFailed
from bot.settings import RemoteAgent

if TYPE_CHECKING:
    from a2a.types import AgentCard

    from bot.agent.a2a_client import AgentReply

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
