"""Services for tools that remember what was asked of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from bot.contracts.services import (
    Email,
    FileHits,
    FileText,
    Priority,
    Quiz,
    RemindBy,
    StoredFile,
    ToolContext,
)
from bot.contracts.turn import Spent
from bot.errors import ToolFailed
from bot.messages.channels import Channel
from bot.messages.incoming import Person
from bot.messages.outgoing import AskApproval, AskQuiz, Outgoing, ShareFile
from bot.messages.transcript import Usage


class FakeMemory:
    def __init__(self, room: int = 200) -> None:
        self.saved: list[tuple[int, str]] = []
        self.room = room

    async def save(self, account: int, fact: str) -> None:
        if len(self.saved) >= self.room:
            raise ToolFailed("full")
        self.saved.append((account, fact))


class FakeFiles:
    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.accounts: dict[str, int] = {}
        self.types: dict[str, str] = {}
        self.listed: list[StoredFile] = []
        self.texts: dict[str, FileText] = {}
        self.found = FileHits((), 0)
        self.asked: list[tuple[object, ...]] = []

    async def save(
        self, account: int, filename: str, content: bytes, *, mime_type: str, source: str, key: str
    ) -> ShareFile:
        file_id = f"file-of-{key}"
        self.contents[file_id] = content
        self.accounts[file_id] = account
        self.types[file_id] = mime_type
        return ShareFile(file_id, filename, mime_type, len(content))

    async def read(self, file_id: str) -> bytes:
        return self.contents[file_id]

    async def listing(self, account: int, kind: str, limit: int) -> list[StoredFile]:
        self.asked.append((account, kind, limit))
        return self.listed[:limit]

    async def text(
        self, account: int, file_id: str, part: int, spend: Callable[[Spent], None]
    ) -> FileText:
        self.asked.append((account, file_id, part))
        if file_id not in self.texts:
            raise ToolFailed("There is no file with this file_id.")
        spend(Spent("model", "fake-vision", 1, Usage(10, 5)))
        return self.texts[file_id]

    async def search(
        self, account: int, query: str, limit: int, spend: Callable[[Spent], None]
    ) -> FileHits:
        self.asked.append((account, query, limit))
        spend(Spent("model", "fake-embedding", 1, Usage(10)))
        return self.found

    async def share(self, account: int, file_id: str) -> ShareFile:
        if self.accounts.get(file_id) != account:
            raise ToolFailed(f"There is no file {file_id!r}.")
        return ShareFile(file_id, file_id, self.types[file_id], len(self.contents[file_id]))


REMIND_WAYS: tuple[RemindBy, ...] = ("telegram", "whatsapp", "sms", "email")


class FakeCourier:
    """`refusal` is raised, if there is one."""

    def __init__(self) -> None:
        self.sent: list[tuple[Channel, list[Outgoing], str]] = []
        self.refusal: ToolFailed | None = None
        self.knows_number = True
        self.is_welcome = True
        self.waits = False
        self.refusals: dict[RemindBy, str] = dict.fromkeys(REMIND_WAYS, "")

    async def explain_refusals(self, account: int) -> Mapping[RemindBy, str]:
        return self.refusals

    async def is_number_known(self, account: int) -> bool:
        return self.knows_number

    async def accepts_notices(self, person: Person) -> bool:
        return self.is_welcome

    async def send(
        self, channel: Channel, outgoing: Sequence[Outgoing], context: ToolContext
    ) -> bool:
        if self.refusal:
            raise self.refusal
        self.sent.append((channel, list(outgoing), context.key))
        return self.waits


class FakeQuizzes:
    def __init__(self) -> None:
        self.asked: list[Quiz] = []

    async def ask(self, quiz: Quiz, context: ToolContext) -> AskQuiz:
        self.asked.append(quiz)
        tokens = tuple(f"token-{index}" for index in range(len(quiz.options)))
        return AskQuiz("quiz-1", quiz.kind, quiz.question, quiz.options, tokens, expires_at=1e9)


class FakeMail:
    """`refusal` is raised, if there is one."""

    def __init__(self) -> None:
        self.sent: list[tuple[Email, str]] = []
        self.drafted: list[tuple[Email, list[str], str]] = []
        self.refusal: ToolFailed | None = None

    async def send_to_person(self, letter: Email, context: ToolContext) -> None:
        if self.refusal:
            raise self.refusal
        self.sent.append((letter, context.key))

    async def draft(self, letter: Email, to: Sequence[str], context: ToolContext) -> AskApproval:
        if self.refusal:
            raise self.refusal
        self.drafted.append((letter, list(to), context.key))
        return AskApproval("approval-1", "email", letter.text, ())


class FakeReports:
    def __init__(self) -> None:
        self.filed: list[tuple[str, Priority, str]] = []

    async def file(self, description: str, severity: Priority, context: ToolContext) -> None:
        self.filed.append((description, severity, context.key))
