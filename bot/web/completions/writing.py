"""A turn's events as the text of one answer: all that a client of OpenAI's API can show.

Tools at work are not shown; files are links, quizzes and questions for consent are text with their
options, which are answered by typing one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from bot.accounts.approvals import CHOICES, labels_of
from bot.events import (
    AwaitingApproval,
    Content,
    End,
    EndReason,
    Event,
    Failure,
    FileMade,
    Notice,
    QuizAsked,
    Thinking,
    ToolProgress,
    UsageReport,
)
from bot.gateway.render import escape
from bot.gateway.render.buttons import list_lettered
from bot.texts import say
from bot.web.errors import Refusal, refuse_person

_IN_ONE_TEXT: Final = (Content, Thinking, ToolProgress)
"""What may come in the middle of a text without ending its paragraph."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What comes next of the answer."""

    content: str = ""
    reasoning: str = ""


class Writing:
    """The answer so far."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._apart = False
        self.content = ""
        self.reasoning = ""
        self.usage = UsageReport(0, 0, 0.0, 0)
        self.reason: EndReason | None = None
        """Why it has ended; None while it goes on."""
        self.refusal: Refusal | None = None

    def feed(self, event: Event) -> Piece:
        """What the event adds."""
        match event:
            case Thinking(text=text):
                self.reasoning += text
                return Piece(reasoning=text)
            case Failure(code=code, message=message):
                self.refusal = refuse_person(code, message)
            case UsageReport():
                self.usage = event
            case End(reason=reason):
                self.reason = reason
            case _:
                return self._write(event)
        return Piece()

    def _write(self, event: Event) -> Piece:
        words = self._words(event)
        is_block = not isinstance(event, _IN_ONE_TEXT)
        needs_gap = words and self.content and (self._apart or is_block)
        gap = "\n\n" if needs_gap and not words.startswith("\n\n") else ""
        self._apart = is_block or (self._apart and not words)
        self.content += gap + words
        return Piece(gap + words)

    def _words(self, event: Event) -> str:
        match event:
            case Content(text=text) | Notice(text=text):
                return text
            case QuizAsked(question=question, options=options):
                return self._ask(question, [escape(option) for option in options])
            case AwaitingApproval(kind=kind, text=text):
                labels = labels_of(kind, self.language, "http")
                return self._ask(text, [labels[choice] for choice in CHOICES])
            case FileMade(filename=filename, url=url):
                return f"📎 [{escape(filename)}]({url})"
            case _:
                return ""

    def _ask(self, question: str, options: Sequence[str]) -> str:
        listed = list_lettered(options, "  \n")
        how = say(self.language, "Answer with the letter.")
        return f"{question}\n\n{listed}\n\n{how}"
