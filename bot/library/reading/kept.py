"""The texts of files, kept in chunks: read once, however often they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.contracts import Database, Row, Transaction
from bot.library.files import File
from bot.library.reading.program import Piece
from bot.library.reading.reader import Reading

MOST_CHUNKS = 10_000
"""Of one account: some nine million characters. A small zip may hold as many."""
CHUNKS_OF_PART = 8
"""Of what is read at a time: at most 7,200 characters."""
_AT_ONCE = 100
"""Chunks written in one transaction: other writers wait for it."""


@dataclass(frozen=True, slots=True)
class Known:
    """How an earlier reading of a file went."""

    state: str
    """As in `Reading`."""
    reason: str
    chunks: int
    is_cut: bool


class KeptTexts:
    def __init__(self, database: Database, most: int = MOST_CHUNKS) -> None:
        self._database = database
        self._most = most

    async def known(self, file_id: str) -> Known | None:
        """How the file's reading went; None: it was not read yet."""

        async def work(tx: Transaction) -> Row | None:
            return await tx.fetch_one("SELECT * FROM reading WHERE file = :file", file=file_id)

        row = await self._database.read(work)
        return row and Known(row["state"], row["reason"], row["chunks"], bool(row["cut"]))

    async def part(self, file_id: str, part: int) -> str:
        """The text of part `part`, from 1, of a kept file."""

        async def work(tx: Transaction) -> list[Row]:
            first = (part - 1) * CHUNKS_OF_PART
            return await tx.fetch(_PART, file=file_id, first=first, end=first + CHUNKS_OF_PART)

        rows = await self._database.read(work)
        return "".join(row["body"][row["overlap"] :] for row in rows)

    async def unread(self, account: int, limit: int) -> list[str]:
        """The newest files that may have text and were not read yet, by their ids."""

        async def work(tx: Transaction) -> list[str]:
            rows = await tx.fetch(_UNREAD, account=account, most=limit)
            return [row["id"] for row in rows]

        return await self._database.read(work)

    async def unsearched(self, account: int) -> int:
        """How many files may have text of which nothing is kept."""

        async def work(tx: Transaction) -> int:
            row = await tx.fetch_one(_UNSEARCHED, account=account)
            return row["files"] if row else 0

        return await self._database.read(work)

    async def keep(self, file: File, reading: Reading) -> Reading:
        """Keep what was read; `full` if there is no room for it. A file that was deleted
        meanwhile leaves nothing behind."""
        if reading.state == "kept" and not await self._has_room(file, len(reading.pieces)):
            reading = Reading("full", pieces=reading.pieces, is_cut=reading.is_cut)
        kept = reading.pieces if reading.state == "kept" else ()
        for batch in _batches(kept):
            if not await self._write_chunks(file, batch):
                return reading
        await self._write_state(file, reading, len(kept))
        return reading

    async def _has_room(self, file: File, more: int) -> bool:
        async def work(tx: Transaction) -> int:
            row = await tx.fetch_one(_KEPT_OF_OTHERS, account=file.account, file=file.id)
            return row["chunks"] if row else 0

        return await self._database.read(work) + more <= self._most

    async def _write_chunks(self, file: File, batch: Sequence[tuple[int, Piece]]) -> bool:
        rows = [
            {
                "file": file.id,
                "nth": nth,
                "account": file.account,
                "place": piece.place,
                "overlap": piece.overlap,
                "body": piece.body,
                "words": piece.words,
            }
            for nth, piece in batch
        ]

        async def work(tx: Transaction) -> bool:
            if await tx.fetch_one(_LOCK, file=file.id) is None:
                return False
            await tx.execute_many(_ADD_CHUNK, rows)
            return True

        return await self._database.write(work)

    async def _write_state(self, file: File, reading: Reading, chunks: int) -> None:
        async def work(tx: Transaction) -> None:
            if await tx.fetch_one(_LOCK, file=file.id) is None:
                return
            known = await tx.fetch_one("SELECT state FROM reading WHERE file = :file", file=file.id)
            if known and known["state"] == "kept" and reading.state != "kept":
                return  # another reading of it went better
            # What an earlier version of the readers made, or a process that died, may be longer.
            await tx.execute(_DROP_REST, file=file.id, chunks=chunks)
            await tx.execute(
                _NOTE,
                file=file.id,
                account=file.account,
                state=reading.state,
                reason=reading.reason,
                chunks=chunks,
                cut=int(reading.is_cut),
            )

        await self._database.write(work)


_PART = """
SELECT body, overlap FROM chunk WHERE file = :file AND nth >= :first AND nth < :end ORDER BY nth
"""

_READABLE = """
FROM file LEFT JOIN reading ON reading.file = file.id
WHERE file.account = :account
    AND file.source <> 'export'
    AND file.mime_type NOT LIKE 'image/%' AND file.mime_type NOT LIKE 'audio/%'
    AND file.mime_type NOT LIKE 'video/%'
"""

_UNREAD = f"""
SELECT file.id {_READABLE} AND reading.file IS NULL
ORDER BY file.created_at DESC, file.id LIMIT :most
"""

_UNSEARCHED = f"""
SELECT COUNT(*) AS files {_READABLE}
    AND (reading.file IS NULL OR reading.state IN ('failed', 'full'))
"""

_KEPT_OF_OTHERS = """
SELECT CAST(COALESCE(SUM(chunks), 0) AS BIGINT) AS chunks FROM reading
WHERE account = :account AND file <> :file
"""

_LOCK = """
SELECT id FROM file WHERE id = :file {for_update}
"""

_ADD_CHUNK = """
INSERT INTO chunk (file, nth, account, place, overlap, body, words)
VALUES (:file, :nth, :account, :place, :overlap, :body, :words)
ON CONFLICT (file, nth) DO UPDATE SET account = excluded.account, place = excluded.place,
    overlap = excluded.overlap, body = excluded.body, words = excluded.words
"""

_DROP_REST = """
DELETE FROM chunk WHERE file = :file AND nth >= :chunks
"""

_NOTE = """
INSERT INTO reading (file, account, state, reason, chunks, cut, at)
VALUES (:file, :account, :state, :reason, :chunks, :cut, {now})
ON CONFLICT (file) DO UPDATE SET account = excluded.account, state = excluded.state,
    reason = excluded.reason, chunks = excluded.chunks, cut = excluded.cut, at = excluded.at
"""


def _batches(pieces: Sequence[Piece]) -> list[list[tuple[int, Piece]]]:
    numbered = list(enumerate(pieces))
    return [numbered[at : at + _AT_ONCE] for at in range(0, len(numbered), _AT_ONCE)]
