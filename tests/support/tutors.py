"""Tutors that follow a script: one who does well in the forty dialogues, and bad ones."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from bot.contracts.models import ModelRequest
from bot.evals.dialogues import Dialogue
from bot.events import Content, Emit
from bot.messages.transcript import (
    AssistantMessage,
    ModelReply,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)


@dataclass(frozen=True)
class Reply:
    """A text, after a call of a tool in the same turn if there is one."""

    text: str
    tool: str = ""
    arguments: Mapping[str, object] | None = None
    before: str = ""
    """Said with the call."""
    calls: int = 1
    """How often the tool is called, one time after another."""


Answer = Callable[[Dialogue, int], Reply | str]
"""What a tutor says in the n-th turn of a dialogue, from 1."""


class ScriptedTutor:
    """Implements `Model`: knows by the opening which dialogue is played."""

    def __init__(self, dialogues: Sequence[Dialogue], answer: Answer) -> None:
        self._by_opening = {dialogue.opening: dialogue for dialogue in dialogues}
        self._answer = answer

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        said = [message.text for message in request.messages if isinstance(message, UserMessage)]
        [dialogue] = [each for text, each in self._by_opening.items() if text in said[0]]
        reply = self._answer(dialogue, len(said))
        reply = Reply(reply) if isinstance(reply, str) else reply
        done = 0
        for message in reversed(request.messages):
            if isinstance(message, UserMessage):
                break
            done += isinstance(message, ToolResult)
        text, calls = reply.text, ()
        if reply.tool and done < reply.calls:
            arguments = json.dumps(reply.arguments)
            text, calls = reply.before, (ToolCall(f"c{len(said)}-{done}", reply.tool, arguments),)
        if text:
            emit(Content(text))
        return ModelReply(AssistantMessage(text, calls), Usage(100, 20, 0, 0.001), "scripted")

    async def close(self) -> None: ...


def make_quiz(question: str, options: Sequence[str], right: int) -> Reply:
    """A quiz, with a word after it that gives nothing away."""
    arguments = {
        "question": question,
        "options": options,
        "correct_index": right,
        "explanation": "On le vérifie en calculant.",
    }
    return Reply("Prends ton temps.", "interactive_quiz", arguments)


Script = Mapping[str, Sequence[str | dict[str, Any]]]
_FOLDER = Path(__file__).parents[1] / "evals"
BRIEF: Script = tomllib.loads((_FOLDER / "brief_tutor.toml").read_text("utf-8"))
WARM: Script = tomllib.loads((_FOLDER / "warm_tutor.toml").read_text("utf-8"))
NEXT = "Tu avances bien. Que ferais-tu maintenant, à ton avis ?"


def follow(script: Script) -> Answer:
    """A tutor who says what the script has for the dialogue, turn by turn."""

    def answer(dialogue: Dialogue, turn: int) -> Reply | str:
        replies = script[dialogue.name]
        reply = replies[turn - 1] if turn <= len(replies) else NEXT
        return reply if isinstance(reply, str) else make_quiz(**reply)

    return answer


def with_words(words: str) -> Answer:
    """A good tutor who adds these words to each answer."""
    answer_well = follow(BRIEF)

    def answer(dialogue: Dialogue, turn: int) -> Reply | str:
        reply = answer_well(dialogue, turn)
        if isinstance(reply, str):
            return f"{reply}\n\n{words}"
        return replace(reply, text=f"{reply.text}\n\n{words}")

    return answer
