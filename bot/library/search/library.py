"""A person's files as tools see them: listed, read, searched. What nobody asks for costs nothing.

Text is taken out of a file when it is first read or searched, and kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.contracts import (
    Database,
    FileHit,
    FileHits,
    FileText,
    Model,
    Row,
    Spent,
    StoredFile,
    Transaction,
    Workshop,
)
from bot.library.files import GUESTS, Files
from bot.library.reading.chunks import place_at
from bot.library.reading.kept import CHUNKS_OF_PART, KeptTexts
from bot.library.reading.kinds import is_of_kind, kind_of
from bot.library.reading.pictures import Pictures
from bot.library.reading.reader import Reader
from bot.library.reading.texts import Texts
from bot.library.search.embeddings import Embedder
from bot.library.search.fulltext import Fulltext
from bot.library.search.meanings import Meanings
from bot.library.search.snippets import snippet
from bot.library.search.words import Term, terms
from bot.messages import ShareFile
from bot.settings import Settings

Spend = Callable[[Spent], None]
_MOST_LISTED = 1_000
"""Of the newest files, among which those of a kind are looked for."""
_CANDIDATES = 50
"""Chunks of each way of searching that are ranked together."""
_EVEN = 60
"""How little the first places weigh more than the next, in reciprocal rank fusion:
https://doi.org/10.1145/1571941.1572114."""


class FileLibrary:
    """Implements `contracts.Library`."""

    def __init__(
        self,
        files: Files,
        database: Database,
        settings: Settings,
        *,
        workshop: Workshop,
        model: Model | None = None,
    ) -> None:
        """
        Args:
            workshop: where files are read.
            model: puts pictures into words; None: nobody does.
        """
        self._files = files
        self._database = database
        self._embedder = Embedder(settings)
        self._texts = Texts(files, KeptTexts(database), Reader(workshop), Pictures(model))
        self._fulltext = Fulltext(database, is_sqlite=settings.is_sqlite)
        self._meanings = Meanings(database, self._embedder)

    async def save(
        self, account: int, filename: str, content: bytes, *, mime_type: str, source: str, key: str
    ) -> ShareFile:
        return await self._files.save(
            account, filename, content, mime_type=mime_type, source=source, key=key
        )

    async def read(self, file_id: str) -> bytes:
        return await self._files.read(file_id)

    async def share(self, account: int, file_id: str) -> ShareFile:
        return await self._files.share(account, file_id)

    async def listing(self, account: int, kind: str, limit: int) -> list[StoredFile]:
        if account == GUESTS:
            return []
        files = await self._files.listing(account, _MOST_LISTED if kind else limit)
        fitting = [f for f in files if not kind or is_of_kind(f.name, f.mime_type, kind)]
        return [
            StoredFile(f.id, f.name, kind_of(f.name, f.mime_type), f.size, f.created_at)
            for f in fitting[:limit]
        ]

    async def text(self, account: int, file_id: str, part: int, spend: Spend) -> FileText:
        return await self._texts.part(account, file_id, part, spend)

    async def search(self, account: int, query: str, limit: int, spend: Spend) -> FileHits:
        if account == GUESTS:
            return FileHits((), 0)
        unsearched = await self._texts.catch_up(account)
        asked = terms(query)
        by_words = await self._fulltext.find(account, asked, _CANDIDATES)
        by_meaning = await self._meanings.find(account, query, _CANDIDATES, spend)
        chunks = await self._look_up(account, fuse(by_words, by_meaning)[: limit * 3])
        return FileHits(tuple(_hit(row, asked) for row in _apart(chunks)[:limit]), unsearched)

    async def close(self) -> None:
        """To be called when nothing is asked any more."""
        await self._embedder.close()

    async def _look_up(self, account: int, ids: Sequence[int]) -> list[Row]:
        async def work(tx: Transaction) -> list[Row]:
            found = [await tx.fetch_one(_CHUNK, id=each, account=account) for each in ids]
            return [row for row in found if row is not None]

        return await self._database.read(work)


def fuse(*rankings: Sequence[int]) -> list[int]:
    """One ranking out of several, by reciprocal rank fusion: it needs no common scale."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (_EVEN + place)
    return sorted(scores, key=lambda key: -scores[key])


def _apart(chunks: Sequence[Row]) -> list[Row]:
    """Without the neighbours of better ones, which they overlap: reading on shows them."""
    chosen: dict[tuple[str, int], Row] = {}
    for row in chunks:
        if not any((row["file"], row["nth"] + step) in chosen for step in (-1, 1)):
            chosen[row["file"], row["nth"]] = row
    return list(chosen.values())


def _hit(row: Row, asked: Sequence[Term]) -> FileHit:
    body: str = row["body"]
    shown, position = snippet(body, asked)
    return FileHit(
        row["file"],
        row["name"],
        place_at(body, position) or row["place"],
        row["nth"] // CHUNKS_OF_PART + 1,
        shown,
    )


_CHUNK = """
SELECT chunk.file, chunk.nth, chunk.place, chunk.body, file.name
FROM chunk JOIN file ON file.id = chunk.file
WHERE chunk.id = :id AND chunk.account = :account AND file.account = :account
"""
