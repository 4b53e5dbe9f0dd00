"""The state of one turn in this process, from its update until its end."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from bot.agent.turn import Limits
from bot.contracts.channels import Adapter
from bot.gateway.inbound.inbox import Pending
from bot.gateway.lanes import Claim
from bot.gateway.turns.guardrail import TurnGuardrail
from bot.gateway.turns.journal import TurnJournal, TurnRecord
from bot.gateway.turns.preview import LivePreview
from bot.learning.open_items import OpenItem
from bot.messages.incoming import Person, Update
from bot.messages.transcript import Message, SystemMessage
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class OpenedTurn:
    """A turn that has begun, or continues after a crash."""

    person: Person
    held: int
    """Credits held back for it."""
    is_shown_anew: bool
    """A follower has seen nothing yet, or the text of an interrupted try, which is void."""
    seconds_used: float
    """Seconds of its time limit that earlier tries used."""
    record: TurnRecord
    instructions: str
    history: list[Message]
    usd_left: float
    """Dollars that the turn may cost, by the person's limit for the day and their credits."""
    items: list[OpenItem]
    """The exercises and quizzes that wait for the person's answer."""
    credits: int
    """The person's credits, with those held for the turn; 0 for guests."""
    messages_usd: float = 0.0
    """Dollars that messages of earlier tries have cost."""
    stopping: bool = False
    """The person has cancelled it while no worker worked on it."""

    def messages(self) -> list[Message]:
        """Return the whole context. It begins with the same bytes as that of the turn before, so
        that providers find it in their prompt caches."""
        return [SystemMessage(self.instructions), *self.history, *self.record.messages]

    def limits(self, settings: Settings, *, is_job: bool = False) -> Limits:
        return Limits(
            iterations=settings.max_iterations,
            seconds=max(0.0, time_limit(settings, is_job=is_job) - self.seconds_used),
            usd=min(settings.max_turn_usd - self.messages_usd, self.usd_left),
            tool_calls=settings.max_tool_calls,
        )


def time_limit(settings: Settings, *, is_job: bool) -> float:
    """Return the seconds that a turn may take, including all its tries and the pauses between."""
    return settings.job_timeout if is_job else settings.turn_timeout


class Stop:
    """A request to cancel a turn, or to set it aside until later. It takes effect only while the
    agent works."""

    def __init__(self) -> None:
        self.requested = False
        self.sets_aside = False
        self._task: asyncio.Task[Any] | None = None

    def request(self) -> None:
        """Have the turn cancelled, now or as soon as the agent works."""
        self.requested = True
        if self._task is not None:
            self._task.cancel()

    def set_aside(self) -> None:
        """Interrupt the turn if the agent works, to be tried again later."""
        if self._task is not None and not self.requested:
            self.sets_aside = True
            self._task.cancel()

    @contextmanager
    def cancelling(self) -> Generator[None]:
        """Let requests cancel the block while it runs.

        Raises:
            CancelledError: a cancellation was requested before.
        """
        if self.requested:
            raise asyncio.CancelledError
        self._task = asyncio.current_task()
        try:
            yield
        finally:
            self._task = None


@dataclass(slots=True)
class TurnState:
    """One try of a turn, in this process."""

    claim: Claim
    pending: Pending
    """Its updates; replaced when the time used, and updates that joined it, become known."""
    adapter: Adapter
    preview: LivePreview
    stop: Stop = field(default_factory=Stop)
    started: float = field(default_factory=time.monotonic)
    """When this try began, by `time.monotonic`."""
    opened: OpenedTurn | None = None
    """The person, the credits held and the history; None until the turn is opened."""
    journal: TurnJournal | None = None
    guardrail: TurnGuardrail | None = None
    spoken: Update | None = None
    """The answer to an open exercise that the person's voice note is: it is handled next, and the
    turn says nothing."""

    @property
    def seconds(self) -> float:
        """How long this try has taken so far."""
        return time.monotonic() - self.started
