"""What the demo's tutor answers: a pure function of the conversation, with no model behind it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from bot.demo.curriculum import FIRST, Language, Lesson, find_topic, fold, lessons, phrases


class Named(msgspec.Struct, frozen=True):
    name: str


class Function(msgspec.Struct, frozen=True):
    """A tool on offer, or called: of either, only its name matters here."""

    function: Named


class Told(msgspec.Struct, frozen=True):
    """A message as it comes over the wire."""

    role: str
    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[Function] = msgspec.field(default_factory=list[Function])

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""


_MEMORY = re.compile(r"^# [^\n]*(?:retenir|remembered)[^\n]*\n(?:- [^\n]*\n)+", re.MULTILINE)
"""The section of the instructions that lists what was asked to be remembered."""


@dataclass(frozen=True, slots=True)
class Reply:
    """Words, or one tool call."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Conversation:
    """All that was said, and the names of the tools on offer."""

    messages: Sequence[Told]
    tools: frozenset[str] = frozenset()

    @property
    def asked(self) -> list[str]:
        """What the person wrote, newest first; notes about quizzes are not theirs."""
        texts = [told.text for told in reversed(self.messages) if told.role == "user"]
        return [text for text in texts if not text.startswith("[Quiz:")]

    @property
    def request(self) -> str:
        return next(iter(self.asked), "")

    @property
    def language(self) -> Language:
        """That of the request; when it does not show, that of the person's profile."""
        words = set(re.findall(r"[a-z]+", fold(self.request)))
        french, english = (len(words.intersection(phrases(one).words)) for one in _BOTH)
        if french != english:
            return "fr" if french > english else "en"
        return "en" if "Language of answers: English" in self.instructions else "fr"

    @property
    def instructions(self) -> str:
        return "\n".join(told.text for told in self.messages if told.role == "system")

    @property
    def topic(self) -> str:
        """What the conversation is about by now."""
        return next((name for text in self.asked if (name := find_topic(text))), FIRST)

    @property
    def lesson(self) -> Lesson:
        return lessons()[self.topic][self.language]

    @property
    def facts(self) -> list[str]:
        """What the person asked to remember, as the instructions list it."""
        listed = _MEMORY.search(self.instructions)
        return re.findall(r"^- (.+)$", listed[0], re.MULTILINE) if listed else []


def answer(conversation: Conversation) -> Reply:
    """The next thing that the tutor says or does. Its first words say that it is scripted."""
    reply = _choose(conversation)
    said = [told.text for told in conversation.messages if told.role == "assistant"]
    said.append(reply.text)
    if reply.tool or any(phrases(one).intro in text for text in said for one in _BOTH):
        return reply
    return Reply(f"{reply.text.strip()}\n\n{phrases(conversation.language).intro}")


def _choose(conversation: Conversation) -> Reply:
    if conversation.messages and conversation.messages[-1].role == "tool":
        return _comment(conversation, conversation.messages[-1].text)
    request = fold(conversation.request).strip()
    for pattern, act in _INTENTS:
        if pattern.search(request):
            return act(conversation)
    words = phrases(conversation.language)
    return Reply(conversation.lesson.lesson if find_topic(request) else words.guide)


# What people ask for ----------------------------------------------------------------------------


def _tell_facts(conversation: Conversation) -> Reply:
    words = phrases(conversation.language)
    if not conversation.facts:
        return Reply(words.nothing_known)
    return Reply("\n".join([words.known, "", *(f"- {fact}" for fact in conversation.facts)]))


def _remember(conversation: Conversation) -> Reply:
    fact = _COMMAND.sub("", conversation.request.strip(), count=1).strip()
    if not fact:
        return Reply(phrases(conversation.language).guide)
    return _call(conversation, "save_memory", {"fact": fact[0].upper() + fact[1:500]})


def _ask(conversation: Conversation) -> Reply:
    quizzes = conversation.lesson.quizzes
    asked = sum(
        call.function.name == "interactive_quiz"
        for told in conversation.messages
        for call in told.tool_calls
    )
    question = msgspec.to_builtins(quizzes[asked % len(quizzes)])
    return _call(conversation, "interactive_quiz", question)


def _write_sheet(conversation: Conversation) -> Reply:
    lesson = conversation.lesson
    return _call(
        conversation,
        "generate_md",
        {"filename": lesson.filename, "title": lesson.title, "content": lesson.sheet.strip()},
    )


def _introduce(conversation: Conversation) -> Reply:
    words = phrases(conversation.language)
    return Reply(f"{words.identity}\n\n{words.intro}")


def _greet(conversation: Conversation) -> Reply:
    return Reply(phrases(conversation.language).greeting)


def _call(conversation: Conversation, tool: str, arguments: Mapping[str, Any]) -> Reply:
    if tool not in conversation.tools:
        return Reply(phrases(conversation.language).no_tools)
    return Reply(tool=tool, arguments=arguments)


# What a tool has done ---------------------------------------------------------------------------


def _comment(conversation: Conversation, result: str) -> Reply:
    words = phrases(conversation.language)
    if result.startswith("The quiz is shown"):
        return Reply(words.quiz_asked.format(title=conversation.lesson.title))
    if result.startswith("Remembered"):
        return Reply(words.remembered)
    if filename := _filename(result):
        return Reply(words.sheet_made.format(filename=filename))
    return Reply(f"{words.failed}\n\n> {result}")


class _Made(msgspec.Struct, frozen=True):
    filename: str


def _filename(result: str) -> str:
    """The name of the file that a tool made; empty when it made none."""
    try:
        return msgspec.json.decode(result, type=_Made).filename
    except msgspec.DecodeError:
        return ""


_BOTH: Final[tuple[Language, ...]] = ("fr", "en")
_COMMAND: Final = re.compile(
    r"^(retiens|note|souviens-toi|rappelle-toi|please remember|remember)\b[\s:,]*"
    r"(bien\s+)?(que\s+|qu['’]|that\s+)?",
    re.IGNORECASE,
)
_INTENTS: Final[tuple[tuple[re.Pattern[str], Callable[[Conversation], Reply]], ...]] = (
    (re.compile(r"sais[- ]tu (de|sur) moi|know about me|do you remember"), _tell_facts),
    (_COMMAND, _remember),
    (re.compile(r"\bquiz|\binterroge|\btest me\b"), _ask),
    (re.compile(r"\bfiche|\bresume\b|\bsheet|\bsummary|\bfichier|\bfile\b"), _write_sheet),
    (
        re.compile(
            r"\bqui es[- ]tu|\btu es qui|\bes[- ]tu une? |t'appelles[- ]tu|\bwho are you|"
            r"\bare you (a|an|human|real)\b|\byour name|gpt"
        ),
        _introduce,
    ),
    (re.compile(r"^(bonjour|bonsoir|salut|hello|hi|hey)\b(?!.*\w{4,}.*\w{4,})"), _greet),
)
