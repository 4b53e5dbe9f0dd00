"""List, read and search a person's files for tools, by words and by meaning.

Text is extracted from a file when it is first read or searched, and stored.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from bot.contracts.models import Model
from bot.contracts.services import FileHit, FileHits, FileText, IsolatedWorker, StoredFile
from bot.contracts.storage import Database, Row, Transaction
from bot.contracts.turn import Spent
from bot.files.embeddings import Embedder, SemanticSearch
from bot.files.extracted_text import (
    CHUNKS_OF_PART,
    ExtractedTexts,
    PictureReader,
    TextReader,
    TextStore,
)
from bot.files.names import get_kind, is_of_kind
from bot.files.search_terms import Term, cut_snippet, parse_terms
from bot.files.store import GUESTS, FileStore
from bot.files.text_worker import find_place
from bot.messages.outgoing import ShareFile
from bot.settings import Settings

Spend = Callable[[Spent], None]
_MOST_LISTED = 1_000
"""Number of the newest files that are searched for those of a kind."""
_CANDIDATES = 50
"""Chunks from each way of searching that are ranked together."""
_EVEN = 60
"""Constant of reciprocal rank fusion; the larger it is, the less the first places weigh:
https://doi.org/10.1145/1571941.1572114."""


class FileLibrary:
    """A `bot.contracts.services.Library`."""

    def __init__(
        self,
        files: FileStore,
        database: Database,
        settings: Settings,
        *,
        isolated_worker: IsolatedWorker,
        model: Model | None = None,
    ) -> None:
        """
        Args:
            isolated_worker: runs the programs that read files.
            model: describes pictures in words; None: pictures have no text.
        """
        self._files = files
        self._database = database
        self._embedder = Embedder(settings)
        self._texts = ExtractedTexts(
            files,
            TextStore(database),
            TextReader(isolated_worker),
            PictureReader(model, isolated_worker),
        )
        self._fulltext = FulltextSearch(database, is_sqlite=settings.is_sqlite)
        self._meanings = SemanticSearch(database, self._embedder)

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
            StoredFile(f.id, f.name, get_kind(f.name, f.mime_type), f.size, f.created_at)
            for f in fitting[:limit]
        ]

    async def text(self, account: int, file_id: str, part: int, spend: Spend) -> FileText:
        return await self._texts.part(account, file_id, part, spend)

    async def search(self, account: int, query: str, limit: int, spend: Spend) -> FileHits:
        if account == GUESTS:
            return FileHits((), 0)
        unsearched = await self._texts.catch_up(account)
        asked = parse_terms(query)
        by_words = await self._fulltext.find(account, asked, _CANDIDATES)
        by_meaning = await self._meanings.find(account, query, _CANDIDATES, spend)
        chunks = await self._look_up(account, fuse_rankings(by_words, by_meaning)[: limit * 3])
        return FileHits(
            tuple(_make_hit(row, asked) for row in _drop_neighbours(chunks)[:limit]), unsearched
        )

    async def close(self) -> None:
        """Close the connections. The object must not be used afterwards."""
        await self._embedder.close()

    async def _look_up(self, account: int, ids: Sequence[int]) -> list[Row]:
        async def work(tx: Transaction) -> list[Row]:
            found = [await tx.fetch_one(_CHUNK, id=each, account=account) for each in ids]
            return [row for row in found if row is not None]

        return await self._database.read(work)


def fuse_rankings(*rankings: Sequence[int]) -> list[int]:
    """Merge several rankings into one by reciprocal rank fusion, which needs no common scale."""
    scores: dict[int, float] = {}
    for ranking in rankings:
        for place, key in enumerate(ranking, start=1):
            scores[key] = scores.get(key, 0.0) + 1 / (_EVEN + place)
    return sorted(scores, key=lambda key: -scores[key])


def _drop_neighbours(chunks: Sequence[Row]) -> list[Row]:
    """Drop chunks next to better ones: they overlap, and the reader finds them by reading on."""
    chosen: dict[tuple[str, int], Row] = {}
    for row in chunks:
        if not any((row["file"], row["nth"] + step) in chosen for step in (-1, 1)):
            chosen[row["file"], row["nth"]] = row
    return list(chosen.values())


def _make_hit(row: Row, asked: Sequence[Term]) -> FileHit:
    body: str = row["body"]
    shown, position = cut_snippet(body, asked)
    return FileHit(
        row["file"],
        row["name"],
        find_place(body, position) or row["place"],
        row["nth"] // CHUNKS_OF_PART + 1,
        shown,
    )


class FulltextSearch:
    """Search by words.

    Args:
        is_sqlite: whether the database is SQLite or Postgres: their SQL for this has nothing in
            common.
    """

    def __init__(self, database: Database, *, is_sqlite: bool) -> None:
        self._database = database
        self._is_sqlite = is_sqlite

    async def find(self, account: int, terms: Sequence[Term], limit: int) -> list[int]:
        """Return the ids of the account's chunks that contain one of the terms, the best first."""
        if not terms:
            return []
        if self._is_sqlite:
            query = _FIND_SQLITE
            either = " OR ".join(f'"{term.stem}"{"*" if term.is_prefix else ""}' for term in terms)
            asked = {"question": f'account : "{account}" AND words : ({either})'}
        else:
            query = _FIND_POSTGRES
            words = [f"'{term.stem}'{':*' if term.is_prefix else ''}" for term in terms]
            asked = {"some": " | ".join(words), "all": " & ".join(words)}
        rows = await self._database.read(
            lambda tx: tx.fetch(query, account=account, most=limit, **asked)
        )
        return [row["id"] for row in rows]


_CHUNK = """
SELECT chunk.file, chunk.nth, chunk.place, chunk.body, file.name
FROM chunk JOIN file ON file.id = chunk.file
WHERE chunk.id = :id AND chunk.account = :account AND file.account = :account
"""

_FIND_SQLITE = """
SELECT chunk.id FROM fulltext JOIN chunk ON chunk.id = fulltext.rowid
WHERE fulltext MATCH :question AND chunk.account = :account
ORDER BY bm25(fulltext, 0.0, 1.0), chunk.id LIMIT :most
"""
"""https://www.sqlite.org/fts5.html#the_bm25_function"""

_FIND_POSTGRES = """
WITH asked AS (
    SELECT to_tsquery('simple', :some) AS some, to_tsquery('simple', :all) AS every
), likely AS (
    SELECT chunk.id, chunk.fulltext, ts_rank(chunk.fulltext, asked.some) AS rank
    FROM chunk, asked
    WHERE chunk.account = :account AND chunk.fulltext @@ asked.some
    ORDER BY rank DESC, chunk.id LIMIT 2 * :most
)
SELECT likely.id FROM likely, asked
ORDER BY likely.rank + ts_rank_cd(likely.fulltext, asked.every) DESC, likely.id
LIMIT :most
"""
"""`ts_rank` grows with the number of words that occur; `ts_rank_cd`, which is slow, with how near
to each other all of them are:
https://www.postgresql.org/docs/current/textsearch-controls.html#TEXTSEARCH-RANKING"""
