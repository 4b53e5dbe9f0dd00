"""Services for tools that remember what was asked of them."""

from __future__ import annotations

from bot.contracts import Quiz, ToolContext
from bot.errors import ToolFailed
from bot.messages import AskQuiz, ShareFile


class FakeMemory:
    def __init__(self, room: int = 200) -> None:
        self.saved: list[tuple[int, str]] = []
        self.room = room

    async def save(self, account: int, fact: str) -> None:
        if len(self.saved) >= self.room:
            raise ToolFailed("full")
        self.saved.append((account, fact))

    async def facts(self, account: int) -> list[str]:
        return [fact for owner, fact in self.saved if owner == account]


class FakeFiles:
    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.accounts: dict[str, int] = {}
        self.types: dict[str, str] = {}

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


class FakeQuizzes:
    def __init__(self) -> None:
        self.asked: list[Quiz] = []

    async def ask(self, quiz: Quiz, context: ToolContext) -> AskQuiz:
        self.asked.append(quiz)
        tokens = tuple(f"token-{index}" for index in range(len(quiz.options)))
        return AskQuiz("quiz-1", quiz.kind, quiz.question, quiz.options, tokens, expires_at=1e9)
