"""A person's library: rows in the database, bytes in the blob store."""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Mapping
from dataclasses import dataclass

from bot.contracts import Blobs, Database, Row, Transaction
from bot.errors import NotFound, ToolFailed
from bot.library.names import clean_name
from bot.messages import ShareFile

GUESTS = 0
"""In place of an account, for pictures that guests show: nobody's library."""
QUOTA = 200_000_000
"""Bytes that one account may keep."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(frozen=True, slots=True)
class File:
    """A file of a library. Its id is unguessable, but no permission: compare `account`."""

    id: str
    account: int
    name: str
    mime_type: str
    size: int
    """Bytes."""
    sha256: str
    source: str
    """How it came: `generated`, or the channel that brought it."""
    created_at: float
    """Unix seconds."""

    @property
    def shared(self) -> ShareFile:
        return ShareFile(self.id, self.name, self.mime_type, self.size)


class Files:
    """The libraries of all accounts."""

    def __init__(self, database: Database, blobs: Blobs, quota: int = QUOTA) -> None:
        self._database = database
        self._blobs = blobs
        self._quota = quota

    async def save(
        self, account: int, filename: str, content: bytes, *, mime_type: str, source: str, key: str
    ) -> ShareFile:
        """Keep a file under a safe form of its name; the same `key` keeps it once.

        The bytes are stored before the row: a row never points at nothing.

        Raises:
            ToolFailed: the account's quota is used up.
        """
        if known := await self.find_by_key(key):
            return known
        if account != GUESTS:
            await self._check_quota(account, len(content))
        file_id = secrets.token_urlsafe(12)
        await self._blobs.put(_blob_key(account, file_id), content, mime_type)
        values = {
            "id": file_id,
            "account": account,
            "name": clean_name(filename),
            "mime_type": mime_type,
            "size": len(content),
            "sha256": hashlib.sha256(content).hexdigest(),
            "source": source,
            "key": key,
        }
        kept = await self._database.write(lambda tx: _insert(tx, values))
        if kept.id != file_id:
            await self._blobs.delete(_blob_key(account, file_id))
        return kept.shared

    async def find_by_key(self, key: str) -> ShareFile | None:
        """The file that was kept under this key, if any."""
        file = await self._database.read(lambda tx: _find_by_key(tx, key))
        return file.shared if file else None

    async def read(self, file_id: str) -> bytes:
        """The bytes of a file. Whether the reader may have them is the caller's question.

        Raises:
            NotFound: no such file.
        """
        file = await self.find(file_id)
        return await self._blobs.get(_blob_key(file.account, file.id))

    async def find(self, file_id: str) -> File:
        """
        Raises:
            NotFound: no such file.
        """

        async def work(tx: Transaction) -> Row | None:
            return await tx.fetch_one("SELECT * FROM file WHERE id = :id", id=file_id)

        # Models make ids up, of characters too that no database takes.
        row = await self._database.read(work) if _ID.fullmatch(file_id) else None
        if row is None:
            raise NotFound("There is no such file.")
        return _file(row)

    async def find_own(self, account: int, file_id: str) -> File:
        """The file, if it is in this account's library.

        Raises:
            NotFound: no such file, or another's: the answer is the same.
        """
        file = await self.find(file_id)
        if file.account != account or account == GUESTS:
            raise NotFound("There is no such file.")
        return file

    async def share(self, account: int, file_id: str) -> ShareFile:
        """A file of this account, to be delivered.

        Raises:
            ToolFailed: it has none of this id, whoever else may have.
        """
        try:
            return (await self.find_own(account, file_id)).shared
        except NotFound:
            raise ToolFailed(
                f"There is no file {file_id!r}. list_user_files shows them all."
            ) from None

    async def listing(self, account: int, limit: int = 50) -> list[File]:
        """The newest `limit` files of an account, newest first."""

        async def work(tx: Transaction) -> list[Row]:
            return await tx.fetch(
                "SELECT * FROM file WHERE account = :account"
                " ORDER BY created_at DESC, id LIMIT :most",
                account=account,
                most=limit,
            )

        return [_file(row) for row in await self._database.read(work)]

    async def _check_quota(self, account: int, size: int) -> None:
        async def work(tx: Transaction) -> int:
            rows = await tx.fetch(
                "SELECT CAST(COALESCE(SUM(size), 0) AS BIGINT) AS used FROM file"
                " WHERE account = :account",
                account=account,
            )
            return rows[0]["used"]

        if await self._database.read(work) + size > self._quota:
            raise ToolFailed(
                "The file was not kept: the person's library is full "
                f"({self._quota // 1_000_000} MB). Give the content as text instead, and say why."
            )


async def _find_by_key(tx: Transaction, key: str) -> File | None:
    row = await tx.fetch_one("SELECT * FROM file WHERE key = :key", key=key)
    return None if row is None else _file(row)


async def _insert(tx: Transaction, values: Mapping[str, object]) -> File:
    """The file as it is kept: that of the same call's other run, if it was quicker."""
    rows = await tx.fetch(
        "INSERT INTO file (id, account, name, mime_type, size, sha256, source, key, created_at)"
        " VALUES (:id, :account, :name, :mime_type, :size, :sha256, :source, :key, {now})"
        " ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING *",
        **values,
    )
    return _file(rows[0])


def _blob_key(account: int, file_id: str) -> str:
    return f"{account}/{file_id}"


def _file(row: Row) -> File:
    return File(
        id=row["id"],
        account=row["account"],
        name=row["name"],
        mime_type=row["mime_type"],
        size=row["size"],
        sha256=row["sha256"],
        source=row["source"],
        created_at=row["created_at"],
    )
