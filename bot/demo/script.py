"""What the demo's tutor answers: a pure function of the conversation, with no model behind it."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import msgspec

from bot.demo import samples
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

    @property
    def wrote(self) -> str:
        """What the person wrote or said in it, without Griot's notes about photos and jobs."""
        return _NOTES.sub("", _JOB.sub(r"\1", self.text)).strip()

    @property
    def pictures(self) -> list[bytes]:
        """The pictures that the message shows."""
        parts = self.content if isinstance(self.content, list) else []
        urls = [str(part["image_url"]["url"]) for part in parts if "image_url" in part]
        return [_decode(url.partition(",")[2]) for url in urls]

    @property
    def has_voice(self) -> bool:
        return "[voice note" in self.text


_NOTES = re.compile(r"\[(?:image|photo|voice note|audio|document)\b[^\]]*\]")
"""Lines that stand for attachments in the text of a message."""
_JOB = re.compile(r"^\[I want this done in the background[^:]*: (.*)\]$", re.DOTALL)
"""What stands around the words of somebody who wrote `/job`."""
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
        return [told.wrote for told in self._from_person]

    @property
    def _from_person(self) -> list[Told]:
        users = (told for told in reversed(self.messages) if told.role == "user")
        return [told for told in users if not told.text.startswith("[Quiz:")]

    @property
    def message(self) -> Told:
        """The newest one of the person's."""
        return next(iter(self._from_person), Told("user"))

    @property
    def request(self) -> str:
        return self.message.wrote

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
    if conversation.message.pictures:
        return _solve(conversation)
    request = fold(conversation.request).strip()
    for pattern, act in _INTENTS:
        if pattern.search(request):
            return act(conversation)
    if find_topic(request):
        return Reply(conversation.lesson.lesson)
    words = phrases(conversation.language)
    unheard = conversation.message.has_voice and not request
    return Reply(_suggest(conversation, words.unheard if unheard else words.unknown))


def _solve(conversation: Conversation) -> Reply:
    """The exercise of the demo's own photo; another photo is not seen, and what to do instead."""
    for picture in conversation.message.pictures:
        if language := samples.find_language("photo", picture):
            return Reply(phrases(language).solution)
    return Reply(_suggest(conversation, phrases(conversation.language).unseen))


def _suggest(conversation: Conversation, words: str) -> str:
    """The words, and three things to ask that work."""
    return "\n".join([words, "", *(f"- {text}" for text in phrases(conversation.language).tries)])


# What people ask for ----------------------------------------------------------------------------


def _tell_facts(conversation: Conversation) -> Reply:
    words = phrases(conversation.language)
    if not conversation.facts:
        return Reply(words.nothing_known)
    return Reply("\n".join([words.known, "", *(f"- {fact}" for fact in conversation.facts)]))


def _remember(conversation: Conversation) -> Reply:
    fact = _COMMAND.sub("", conversation.request.strip(), count=1).strip()
    if not fact:
        return Reply(_suggest(conversation, phrases(conversation.language).unknown))
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
        "generate_pdf",
        {
            "filename": lesson.filename,
            "title": lesson.title,
            "content": lesson.sheet.strip(),
            "template": "lesson",
        },
    )


def _remind(conversation: Conversation) -> Reply:
    """A reminder of what was named, always in a minute: nobody watches a demo for longer."""
    words = phrases(conversation.language)
    named = _REMIND.sub("", conversation.request.strip(), count=1).strip(" .!?\u202f\u00a0")
    title = named[:1].upper() + named[1:200] or words.reminder
    return _call(conversation, "create_task", {"title": title, "due": "PT1M"})


def _introduce(conversation: Conversation) -> Reply:
    words = phrases(conversation.language)
    return Reply(f"{words.identity}\n\n{words.intro}")


def _greet(conversation: Conversation) -> Reply:
    return Reply(_suggest(conversation, phrases(conversation.language).greeting))


def _thank(conversation: Conversation) -> Reply:
    return Reply(_suggest(conversation, phrases(conversation.language).thanks))


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
    if result.startswith("Task "):
        return Reply(words.reminder_set)
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


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""


_BOTH: Final[tuple[Language, ...]] = ("fr", "en")
_COMMAND: Final = re.compile(
    r"^(retiens|note|souviens-toi|rappelle-toi|please remember|remember)\b[\s:,]*"
    r"(bien\s+)?(que\s+|qu['’]|that\s+)?",
    re.IGNORECASE,
)
_REMIND: Final = re.compile(
    r"^.*?\b(rappelle[- ]moi|remind me)\b[\s:,]*"
    r"((dans|in|d['’]ici|within)\s+(une|un|a|an|one|\d+)\s+(minutes?|min|heures?|hours?)\b)?[\s:,]*"
    r"(de\s+|d['’]|que\s+|to\s+|that\s+)?",
    re.IGNORECASE,
)
_INTENTS: Final[tuple[tuple[re.Pattern[str], Callable[[Conversation], Reply]], ...]] = (
    (re.compile(r"sais[- ]tu (de|sur) moi|know about me|do you remember"), _tell_facts),
    (_REMIND, _remind),
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
    (re.compile(r"^((d'accord|ok|okay|super|genial|great)\W+)?(merci|thanks|thank you)\b"), _thank),
    (re.compile(r"^(bonjour|bonsoir|salut|hello|hi|hey)\b(?!.*\w{4,}.*\w{4,})"), _greet),
)
