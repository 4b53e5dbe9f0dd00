"""What it costs, before each model call, to count a conversation and to cut it to the window."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence

import msgspec

from bench.results import Result
from bot.agent.context_window import ContextWindow
from bot.agent.trim_conversation import trim_conversation
from bot.messages.transcript import (
    AssistantMessage,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)
from bot.messages.value import encode
from bot.settings import Settings

WORDS = "À l’école d’Abobo, l’élève résout l’équation « x² − 5x + 6 = 0 » : où est l’erreur ? "
MESSAGES = 200
WINDOW = 16_000


def measure(*, quick: bool) -> list[Result]:
    rounds = 5 if quick else 200
    known = _conversation()
    window = ContextWindow(Settings())
    total = ContextWindow(Settings()).estimate(known)
    return [
        Result("context.trim_ms_200_messages", _median(known, window, WINDOW, rounds), "ms"),
        Result("context.fits_ms_200_messages", _median(known, window, total, rounds), "ms"),
        Result("context.first_trim_ms_200_messages", _first(known, rounds), "ms"),
    ]


def _conversation() -> list[Message]:
    """A tool round in every other turn, answers of 800 characters, results of 6,000."""
    messages: list[Message] = [SystemMessage(WORDS * 40)]
    while len(messages) < MESSAGES:
        number = len(messages)
        call = ToolCall(f"call_{number}", "web_search", '{"query": "équation"}')
        messages += [
            UserMessage((Text(f"{number} {WORDS}"),)),
            AssistantMessage("", (call,)),
            ToolResult(call.id, call.name, (f"{number} {WORDS}" * 70)[:6_000]),
            AssistantMessage((f"{number} {WORDS}" * 10)[:800]),
            UserMessage((Text(f"Merci ! {number}"),)),
            AssistantMessage((f"{number} {WORDS}" * 10)[:800]),
        ]
    return messages[:MESSAGES]


def _median(messages: Sequence[Message], window: ContextWindow, limit: int, rounds: int) -> float:
    """CPU time of estimate and trim when all but nothing is new, as within a turn."""
    return statistics.median(_once(messages, window, limit) for _ in range(rounds))


def _first(messages: Sequence[Message], rounds: int) -> float:
    """The same at a turn's beginning: the messages come from the database, none was counted."""
    stored = [encode(message) for message in messages]
    settings = Settings()
    return statistics.median(
        _once(
            [msgspec.json.decode(row, type=Message) for row in stored],
            ContextWindow(settings),
            WINDOW,
        )
        for _ in range(rounds)
    )


def _once(messages: Sequence[Message], window: ContextWindow, limit: int) -> float:
    started = time.process_time()
    window.estimate(messages)
    trim_conversation(messages, limit, window.count)
    return (time.process_time() - started) * 1000
