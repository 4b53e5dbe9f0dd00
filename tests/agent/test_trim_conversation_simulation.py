"""A conversation of a thousand turns with a window of 16,000 tokens, trimmed and compacted."""

from __future__ import annotations

import math
import random
from dataclasses import dataclass, field

import pytest

from bot.agent.context_window import ContextWindow
from bot.agent.trim_conversation import is_summary
from bot.contracts.models import ModelRequest
from bot.contracts.tools import ToolSpec
from bot.errors import ModelUnavailable
from bot.gateway.turns.compaction import (
    build_summary_request,
    count_messages_to_summarize,
    make_summary_message,
    parse_summary,
)
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    Message,
    ModelReply,
    Text,
    Usage,
    UserMessage,
)
from tests.agent.conversations import (
    FRENCH,
    MODEL,
    SYSTEM,
    check_pairs,
    current_of,
    make_window,
    said,
    stems_from,
    tool_round,
)

WINDOW = 16_000
TRUTH = 1.3
"""Tokens that the provider finds in one estimated token."""
TOOLS = [ToolSpec(f"tool_{n}", "What it does. " * 10, {"type": "object"}) for n in range(10)]


@dataclass
class Simulation:
    failures: float
    """Share of the summaries that come to nothing."""
    chance: random.Random
    rounds: tuple[int, ...] = (0, 0, 0, 0, 1, 2)
    """Tool rounds of a turn, one of these,"""
    results: tuple[int, ...] = (50, 700, 4_000)
    """with results of so many characters."""
    window: ContextWindow = field(default_factory=lambda: make_window(WINDOW))
    history: list[Message] = field(default_factory=list[Message])
    requests: int = 0
    extending: int = 0
    """Requests that begin with the whole of the one before: all of it is in the prompt cache."""
    summaries: int = 0
    failed: int = 0
    _before: list[Message] = field(default_factory=list[Message])

    def run(self, turns: int) -> None:
        for number in range(turns):
            self._compact()
            self._turn(number)

    def _turn(self, number: int) -> None:
        user = self._user(number)
        turn: list[Message] = [user]
        self._ask(turn)
        for place in range(self.chance.choice(self.rounds)):
            sizes = [self.chance.choice(self.results)] * self.chance.randint(1, 3)
            turn += tool_round(number * 100 + place, sizes, self.chance.choice([20] * 9 + [3_000]))
            self._ask(turn)
        turn.append(AssistantMessage(f"Answer {number}. " + FRENCH * self.chance.randint(0, 20)))
        self.history += turn

    def _user(self, number: int) -> UserMessage:
        if self.chance.random() < 0.003:
            return said(f"Message {number} " + FRENCH * 1_000)
        if self.chance.random() < 0.1:
            return UserMessage((Text(f"Message {number}"), Media("image", f"file_{number}")))
        return said(f"Message {number} " + FRENCH * self.chance.randint(0, 5))

    def _ask(self, turn: list[Message]) -> None:
        whole = [SYSTEM, *self.history, *turn]
        sent = self.window.trim(whole, TOOLS, MODEL)
        estimated = self.window.estimate(sent, TOOLS)
        reported = math.ceil(estimated * TRUTH)
        assert reported <= WINDOW
        check_pairs(sent)
        assert sent[0] == SYSTEM
        assert stems_from(current_of(sent), current_of(turn))
        self.window.record_usage(
            ModelRequest(sent, TOOLS), ModelReply(AssistantMessage(""), Usage(reported))
        )
        self.requests += 1
        self.extending += sent[: len(self._before)] == self._before
        self._before = sent

    def _compact(self) -> None:
        if not self.window.is_full([SYSTEM, *self.history]):
            return
        end = count_messages_to_summarize(self.history, self.window.count)
        request = build_summary_request(self.history[:end], "fr")
        request = self.window.trim(request, (), MODEL)
        assert self.window.estimate(request) * TRUTH <= WINDOW
        try:
            summary = parse_summary(self._summarise())
        except (ModelUnavailable, ValueError):
            self.failed += 1
            return
        self.summaries += 1
        self.history = [make_summary_message(summary), *self.history[end:]]

    def _summarise(self) -> str:
        if self.chance.random() >= self.failures:
            return f"Goal: lesson {self.summaries}. " + FRENCH * 20
        failure = self.chance.choice(["", "   ", "x" * 90_000, None])
        if failure is None:
            raise ModelUnavailable("no endpoint answered")
        return failure


@pytest.mark.parametrize("failures", [0.0, 0.4])
def test_a_thousand_turns_stay_within_the_window(failures: float) -> None:
    simulation = Simulation(failures, random.Random(7))
    simulation.run(1_000)
    assert simulation.requests > 1_400
    assert simulation.summaries > 50
    assert (simulation.failed > 20) == (failures > 0)
    assert is_summary(simulation.history[0])
    assert len(simulation.history) < 500
    assert simulation.extending > 0.7 * simulation.requests


def test_turns_that_alone_are_larger_than_the_window_stay_within_it() -> None:
    simulation = Simulation(0.2, random.Random(5), rounds=(1, 3, 14), results=(700, 8_000, 16_000))
    simulation.run(150)
    assert simulation.requests > 900


def test_a_conversation_that_is_never_summarised_stays_within_the_window() -> None:
    simulation = Simulation(1.0, random.Random(3))
    simulation.run(250)
    assert simulation.summaries == 0
    newest = simulation.history[-1]
    assert isinstance(newest, AssistantMessage)
    assert newest.text.startswith("Answer 249.")
    assert sum(isinstance(m, UserMessage) for m in simulation.history) == 250
    assert simulation.extending > 0.7 * simulation.requests
