"""Choose the answers of the demo's tutor: a pure function of the conversation, without a model.

Its lessons are in this folder, each in French and in English; so are samples that a visitor can
send by one tap, a photo of an exercise and a voice note (made by `ops/make_samples.py`).
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import re
import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from bot.i18n import fold

Language = Literal["fr", "en"]
SampleKind = Literal["photo", "voice"]
VOICE_SECONDS: Final = 3
"""Length of each voice note in seconds, rounded."""
_SAMPLES_FOLDER: Final = Path(__file__).parent / "samples"
_LANGUAGES: Final[tuple[Language, ...]] = ("fr", "en")
_SAMPLE_ENDINGS: Final[dict[SampleKind, str]] = {"photo": "jpg", "voice": "ogg"}
SPOKEN: Final[dict[Language, str]] = {
    "fr": "Explique-moi la photosynthèse, s’il te plaît.",
    "en": "Please explain photosynthesis to me.",
}
"""The words of the voice notes."""


@cache
def load_sample(kind: SampleKind, language: Language) -> bytes:
    """Return the sample's bytes: a JPEG, or Opus in Ogg."""
    return (_SAMPLES_FOLDER / f"{kind}-{language}.{_SAMPLE_ENDINGS[kind]}").read_bytes()


def find_sample_language(kind: SampleKind, content: bytes) -> Language | None:
    """Return the language of the sample that has these bytes; None for anything else."""
    return _list_digests(kind).get(hashlib.sha256(content).digest())


@cache
def _list_digests(kind: SampleKind) -> dict[bytes, Language]:
    return {hashlib.sha256(load_sample(kind, one)).digest(): one for one in _LANGUAGES}


class ToolName(msgspec.Struct, frozen=True):
    name: str


class ToolEntry(msgspec.Struct, frozen=True):
    """A tool on offer, or called: only its name matters here."""

    function: ToolName


class TutorMessage(msgspec.Struct, frozen=True):
    """A message of the request."""

    role: str
    content: str | list[dict[str, Any]] | None = None
    tool_calls: list[ToolEntry] = msgspec.field(default_factory=list[ToolEntry])

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(str(part.get("text", "")) for part in self.content)
        return self.content or ""

    @property
    def person_text(self) -> str:
        """The person's own text, without Griot's notes."""
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


_NOTES = re.compile(
    r"\[(?:image|photo|voice note|audio|document)\b[^\]]*\]|\[Open exercise, .*?solution\.\]",
    re.DOTALL,
)
"""Griot's own lines in the text of a message: about attachments, and about open exercises."""
_CHECK = "Your message was not sent"
"""The beginning of a request to correct a message that a check has stopped."""
_JOB = re.compile(r"^\[I want this done in the background[^:]*: (.*)\]$", re.DOTALL)
"""The text around the words of a `/job`."""
_MEMORY = re.compile(r"^# [^\n]*(?:retenir|remembered)[^\n]*\n(?:- [^\n]*\n)+", re.MULTILINE)
"""The section of the instructions that lists the remembered facts."""


@dataclass(frozen=True, slots=True)
class TutorReply:
    """A text, or one tool call."""

    text: str = ""
    tool: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Conversation:
    """All messages, and the names of the tools on offer."""

    messages: Sequence[TutorMessage]
    tools: frozenset[str] = frozenset()

    @property
    def asked(self) -> list[str]:
        """The person's texts, newest first; notes about quizzes are not theirs."""
        return [each.person_text for each in self._from_person]

    @property
    def _from_person(self) -> list[TutorMessage]:
        users = (each for each in reversed(self.messages) if each.role == "user")
        return [each for each in users if not each.text.startswith(("[Quiz:", _CHECK))]

    @property
    def message(self) -> TutorMessage:
        """The person's newest message."""
        return next(iter(self._from_person), TutorMessage("user"))

    @property
    def request(self) -> str:
        return self.message.person_text

    @property
    def language(self) -> Language:
        """Language of the request; if that is not clear, of the person's profile."""
        words = set(re.findall(r"[a-z]+", fold(self.request)))
        french, english = (len(words.intersection(load_phrases(one).words)) for one in _LANGUAGES)
        if french != english:
            return "fr" if french > english else "en"
        return "en" if "Language of answers: English" in self.instructions else "fr"

    @property
    def instructions(self) -> str:
        return "\n".join(each.text for each in self.messages if each.role == "system")

    @property
    def topic(self) -> str:
        """The current topic of the conversation."""
        return next((name for text in self.asked if (name := find_topic(text))), FIRST_LESSON)

    @property
    def lesson(self) -> Lesson:
        return load_lessons()[self.topic][self.language]

    @property
    def facts(self) -> list[str]:
        """The facts that the person asked us to remember, as the instructions list them."""
        listed = _MEMORY.search(self.instructions)
        return re.findall(r"^- (.+)$", listed[0], re.MULTILINE) if listed else []


def answer_conversation(conversation: Conversation) -> TutorReply:
    """Return the tutor's next text or call. The first text says that it is scripted."""
    reply = _choose(conversation)
    said = [each.text for each in conversation.messages if each.role == "assistant"]
    said.append(reply.text)
    if reply.tool or any(load_phrases(one).intro in text for text in said for one in _LANGUAGES):
        return reply
    return TutorReply(f"{reply.text.strip()}\n\n{load_phrases(conversation.language).intro}")


def _choose(conversation: Conversation) -> TutorReply:
    if conversation.messages and conversation.messages[-1].role == "tool":
        return _comment(conversation, conversation.messages[-1].text)
    if conversation.messages and conversation.messages[-1].text.startswith(_CHECK):
        return TutorReply(load_phrases(conversation.language).open_quiz)
    if conversation.message.pictures:
        return _solve(conversation)
    request = fold(conversation.request).strip()
    for pattern, act in _INTENTS:
        if pattern.search(request):
            return act(conversation)
    if find_topic(request):
        return TutorReply(conversation.lesson.lesson)
    words = load_phrases(conversation.language)
    unheard = conversation.message.has_voice and not request
    return TutorReply(_suggest(conversation, words.unheard if unheard else words.unknown))


def _solve(conversation: Conversation) -> TutorReply:
    """Solve the exercise of the demo's own photo; for another photo, say what to do instead."""
    for picture in conversation.message.pictures:
        if language := find_sample_language("photo", picture):
            return TutorReply(load_phrases(language).solution)
    return TutorReply(_suggest(conversation, load_phrases(conversation.language).unseen))


def _suggest(conversation: Conversation, words: str) -> str:
    """Return the text, followed by three suggestions that work."""
    return "\n".join(
        [words, "", *(f"- {text}" for text in load_phrases(conversation.language).tries)]
    )


def _tell_facts(conversation: Conversation) -> TutorReply:
    words = load_phrases(conversation.language)
    if not conversation.facts:
        return TutorReply(words.nothing_known)
    return TutorReply("\n".join([words.known, "", *(f"- {fact}" for fact in conversation.facts)]))


def _remember(conversation: Conversation) -> TutorReply:
    fact = _COMMAND.sub("", conversation.request.strip(), count=1).strip()
    if not fact:
        return TutorReply(_suggest(conversation, load_phrases(conversation.language).unknown))
    return _call_tool(conversation, "save_memory", {"fact": fact[0].upper() + fact[1:500]})


def _ask_quiz(conversation: Conversation) -> TutorReply:
    quizzes = conversation.lesson.quizzes
    asked = sum(
        call.function.name == "interactive_quiz"
        for each in conversation.messages
        for call in each.tool_calls
    )
    question = msgspec.to_builtins(quizzes[asked % len(quizzes)])
    return _call_tool(conversation, "interactive_quiz", question)


def _write_sheet(conversation: Conversation) -> TutorReply:
    lesson = conversation.lesson
    return _call_tool(
        conversation,
        "generate_pdf",
        {
            "filename": lesson.filename,
            "title": lesson.title,
            "content": lesson.sheet.strip(),
            "template": "lesson",
        },
    )


def _remind(conversation: Conversation) -> TutorReply:
    """Set a reminder of the named thing, always in a minute, as a demo is soon over."""
    words = load_phrases(conversation.language)
    named = _REMIND.sub("", conversation.request.strip(), count=1).strip(" .!?\u202f\u00a0")
    title = named[:1].upper() + named[1:200] or words.reminder
    return _call_tool(conversation, "create_task", {"title": title, "due": "PT1M"})


def _introduce(conversation: Conversation) -> TutorReply:
    words = load_phrases(conversation.language)
    return TutorReply(f"{words.identity}\n\n{words.intro}")


def _greet(conversation: Conversation) -> TutorReply:
    return TutorReply(_suggest(conversation, load_phrases(conversation.language).greeting))


def _thank(conversation: Conversation) -> TutorReply:
    return TutorReply(_suggest(conversation, load_phrases(conversation.language).praise))


def _call_tool(conversation: Conversation, tool: str, arguments: Mapping[str, Any]) -> TutorReply:
    if tool not in conversation.tools:
        return TutorReply(load_phrases(conversation.language).no_tools)
    return TutorReply(tool=tool, arguments=arguments)


def _comment(conversation: Conversation, result: str) -> TutorReply:
    words = load_phrases(conversation.language)
    if result.startswith("The quiz is shown"):
        return TutorReply(words.quiz_asked.format(title=conversation.lesson.title))
    if result.startswith("Remembered"):
        return TutorReply(words.remembered)
    if result.startswith("Task "):
        return TutorReply(words.reminder_set)
    if filename := _read_filename(result):
        return TutorReply(words.sheet_made.format(filename=filename))
    return TutorReply(f"{words.failed}\n\n> {result}")


class _Made(msgspec.Struct, frozen=True):
    filename: str


def _read_filename(result: str) -> str:
    """Return the name of the file that a tool made; empty if it made none."""
    try:
        return msgspec.json.decode(result, type=_Made).filename
    except msgspec.DecodeError:
        return ""


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return b""


FOLDER: Final = Path(__file__).parent
FIRST_LESSON: Final = "fractions"
"""The lesson if no topic was named."""


class Question(msgspec.Struct, frozen=True):
    """A quiz's question, its fields those of the tool's arguments."""

    question: str
    options: tuple[str, ...]
    correct_index: int
    explanation: str


class Lesson(msgspec.Struct, frozen=True):
    """A topic in one language: a lesson to read, questions to ask, a sheet to keep (Markdown)."""

    title: str
    keywords: tuple[str, ...]
    """Beginnings of words that name the topic, in the form of `bot.i18n.fold`."""
    filename: str
    lesson: str
    sheet: str
    quizzes: tuple[Question, ...]


class Phrases(msgspec.Struct, frozen=True):
    """The tutor's texts besides its lessons (Markdown)."""

    intro: str
    identity: str
    unknown: str
    """Answer to a question outside the lessons; `tries` follow it, and each of the next four."""
    unseen: str
    """Answer to a photo that is not the demo's own."""
    unheard: str
    """Answer to a voice note without words."""
    greeting: str
    praise: str
    tries: tuple[str, ...]
    """Three things that can be asked, word for word; the page makes buttons of them."""
    solution: str
    """The answer to the demo's own photo of an exercise."""
    reminder: str
    """Title of a reminder if the person named nothing."""
    reminder_set: str
    quiz_asked: str
    sheet_made: str
    remembered: str
    known: str
    nothing_known: str
    failed: str
    open_quiz: str
    no_tools: str
    words: tuple[str, ...]
    """Words by which the language is recognised, in the form of `bot.i18n.fold`."""


@cache
def load_lessons() -> dict[str, dict[Language, Lesson]]:
    """Load all topics by name, each in every language."""
    return {
        path.stem: _read_toml(path, Lesson) for path in sorted((FOLDER / "lessons").glob("*.toml"))
    }


@cache
def load_phrases(language: Language) -> Phrases:
    return _read_toml(FOLDER / "phrases.toml", Phrases)[language]


def find_topic(text: str) -> str | None:
    """Return the name of the topic that `text` is about, in any language; None if there is none."""
    words = re.findall(r"\w+", fold(text))
    for name, versions in load_lessons().items():
        keywords = tuple(word for lesson in versions.values() for word in lesson.keywords)
        if any(word.startswith(keywords) for word in words):
            return name
    return None


def _read_toml(path: Path, kind: type[Any]) -> Any:
    return msgspec.convert(tomllib.loads(path.read_text(encoding="utf-8")), dict[Language, kind])


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

_INTENTS: Final[tuple[tuple[re.Pattern[str], Callable[[Conversation], TutorReply]], ...]] = (
    (re.compile(r"sais[- ]tu (de|sur) moi|know about me|do you remember"), _tell_facts),
    (_REMIND, _remind),
    (_COMMAND, _remember),
    (re.compile(r"\bquiz|\binterroge|\btest me\b"), _ask_quiz),
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
