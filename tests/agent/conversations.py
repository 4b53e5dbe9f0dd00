"""Conversations to trim: made up at random or by rule, and what must hold of any that is sent."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

from bot.agent.context_window import ContextWindow
from bot.contracts.models import ModelRequest
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    Message,
    ModelReply,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from bot.settings import Settings

FRENCH = "À l’école d’Abobo, l’élève résout l’équation « x² − 5x + 6 = 0 » : où est l’erreur ? "
SYSTEM = SystemMessage("You are Griot. " * 100)


def said(text: str) -> UserMessage:
    return UserMessage((Text(text),))


def tool_round(number: int, sizes: Sequence[int], arguments: int = 20) -> list[Message]:
    """An assistant's message with a call for each result, of `sizes` characters."""
    calls = [f"call_{number}_{place}" for place in range(len(sizes))]
    asked = tuple(ToolCall(call, "look", '{"q":"' + "x" * arguments + '"}') for call in calls)
    results = [
        ToolResult(call, "look", (FRENCH * (size // len(FRENCH) + 1))[:size])
        for call, size in zip(calls, sizes, strict=True)
    ]
    return [AssistantMessage("", asked), *results]


def lesson(turns: int, *, result: int = 0, answer: int = 400) -> list[Message]:
    """A conversation by rule: every third turn has a tool round if `result` is set."""
    messages: list[Message] = [SYSTEM]
    for turn in range(turns):
        messages.append(said(f"Question {turn}: {FRENCH}"))
        if result and turn % 3 == 0:
            messages.extend(tool_round(turn, [result]))
        messages.append(AssistantMessage((f"Answer {turn}: " + FRENCH * 20)[:answer]))
    return messages


def check_pairs(messages: Sequence[Message]) -> None:
    """Each call has one result and each result its call, in the order of the calls."""
    waiting: list[str] = []
    for message in messages:
        if isinstance(message, ToolResult):
            assert waiting, "an orphan result"
            assert waiting.pop(0) == message.call_id
        else:
            assert not waiting, "a dangling call"
            if isinstance(message, AssistantMessage):
                waiting = [call.id for call in message.tool_calls]
    assert not waiting, "a dangling call"


def stems_from(sent: Message, message: Message) -> bool:
    """Whether `sent` is the message, or what a cut may leave of it."""
    match sent, message:
        case ToolResult(call, name, text), ToolResult(other, its_name, whole):
            shortened = text.startswith(whole[:300]) and text.endswith("if you need the rest]")
            return (call, name) == (other, its_name) and (text == whole or shortened)
        case AssistantMessage(text, calls), AssistantMessage(whole, others):
            same = [(c.id, c.name) for c in calls] == [(c.id, c.name) for c in others]
            return same and (text == whole or "characters cut here]" in text)
        case UserMessage(), UserMessage():
            return sent == message or _is_cut(sent.text, message.text)
        case SystemMessage(text), SystemMessage(whole):
            return text == whole or _is_cut(text, whole)
    return False


def _is_cut(text: str, whole: str) -> bool:
    return text == whole or "characters cut here]" in text or sorted(text) == sorted(whole)


def current_of(messages: Sequence[Message]) -> UserMessage:
    return next(m for m in reversed(messages) if isinstance(m, UserMessage))


_lengths = st.one_of(st.integers(0, 60), st.integers(0, 3_000), st.integers(3_000, 20_000))
_alphabets = st.sampled_from(["x", FRENCH, "漢字かな交じり文", "😀👩🏾‍🏫", "a\n\t\x00"])
_texts = st.builds(
    lambda words, size: (words * (size // len(words) + 1))[:size], _alphabets, _lengths
)
_media = st.builds(
    Media,
    st.sampled_from(["image", "audio", "document"]),
    st.just("file_1"),
    transcript=st.sampled_from(["", FRENCH]),
)
_users = st.builds(
    lambda parts: UserMessage(tuple(parts)),
    st.lists(st.one_of(st.builds(Text, _texts), _media), max_size=4),
)
_notes = st.builds(SystemMessage, _texts)


@st.composite
def _rounds(draw: st.DrawFn) -> list[Message]:
    results = draw(st.lists(_texts, min_size=1, max_size=4))
    arguments = draw(_texts)
    ids = [f"call_{place}" for place in range(len(results))]  # used again in every round
    calls = tuple(ToolCall(call, "look", arguments) for call in ids)
    return [
        AssistantMessage(draw(_texts), calls, draw(_texts)),
        *(ToolResult(call, "look", text) for call, text in zip(ids, results, strict=True)),
    ]


@st.composite
def _turns(draw: st.DrawFn) -> list[Message]:
    messages: list[Message] = [*draw(st.lists(_notes, max_size=1))]
    messages.extend(draw(st.lists(_users, min_size=1, max_size=2)))
    for rounds in draw(st.lists(_rounds(), max_size=3)):
        messages.extend(rounds)
    if draw(st.booleans()):
        messages.append(AssistantMessage(draw(_texts)))
    return messages


@st.composite
def conversations(draw: st.DrawFn) -> list[Message]:
    """A system message, perhaps a summary, and up to eight turns."""
    head = [SystemMessage(draw(_texts))]
    if draw(st.booleans()):
        head.append(SystemMessage(f"Summary of the conversation so far: {draw(_texts)}"))
    turns = draw(st.lists(_turns(), min_size=1, max_size=8))
    return [*head, *(message for turn in turns for message in turn)]


MODEL = "gpt-4o"
"""A model in the table, so that no other table has to be asked."""


def make_window(size: int = 16_000) -> ContextWindow:
    """The window of `MODEL`, as if it had so many tokens."""
    capabilities = json.dumps({MODEL: {"context_window": size}})
    return ContextWindow(
        Settings.model_validate({"model": MODEL, "model_capabilities": capabilities})
    )


def report_usage(window: ContextWindow, model: str, estimated: int, reported: int) -> None:
    """Report so many tokens for a request that is estimated at `estimated`, at least 4 or 0."""
    messages = [SystemMessage("x" * 4 * (estimated - 4))] if estimated else []
    window.record_usage(
        ModelRequest(messages, model=model), ModelReply(AssistantMessage(""), Usage(reported))
    )


def expect_tokens(
    window: ContextWindow, model: str, messages: list[Message], tools: Sequence[Any] = ()
) -> int:
    """How many tokens the model is expected to find in a request."""
    return math.ceil(window.estimate(messages, tools) * window.factor(model))
