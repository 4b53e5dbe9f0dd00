"""A person's library: rows in the database, bytes in the blob store."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from bot.contracts import Blobs, Database, Row, Transaction
from bot.errors import NotFound, ToolFailed
from bot.library.file_rows import (
    EXPORT,
    GUESTS,
    PASSING,
    PASSING_SECONDS,
    File,
    Usage,
    find_file_by_key,
    insert_file,
    list_all,
    list_exports,
    list_files_of_guests,
    list_moved,
    list_passing,
    measure_usage,
    to_file,
    without_parameters,
)
from bot.library.names import clean_name
from bot.messages import ShareFile

QUOTA = 200_000_000
"""Bytes that one account may keep."""
ZIP = "application/zip"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


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

        Parameters of `mime_type`, such as a charset, are left out: all text here is UTF-8.

        The bytes are stored before the row: a row never points at nothing.

        Raises:
            ToolFailed: the account's quota is used up, or its person was erased.
        """
        if known := await self.find_by_key(key):
            return known
        if account != GUESTS and source != PASSING:
            await self._check_quota(account, len(content))
        file = File(
            id=secrets.token_urlsafe(12),
            account=account,
            name=clean_name(filename),
            mime_type=without_parameters(mime_type),
            size=len(content),
            sha256=hashlib.sha256(content).hexdigest(),
            source=source,
            created_at=0.0,
        )
        await self._blobs.put(file.blob_key, content, file.mime_type)
        return (await self._enter(file, key)).shared

    async def save_export(
        self, account: int, filename: str, path: Path, *, key: str, begin: str = ""
    ) -> ShareFile:
        """Keep the zip at `path` in place of the account's earlier exports; the same `key` keeps it
        once. No quota holds for it.

        Args:
            begin: only of exports whose keys begin like that: guests share an account.

        Raises:
            ToolFailed: the person was erased.
        """
        if known := await self.find_by_key(key):
            return known
        size, sha256 = await asyncio.to_thread(_measure, path)
        name, file_id = clean_name(filename), secrets.token_urlsafe(12)
        file = File(file_id, account, name, ZIP, size, sha256, EXPORT, created_at=0.0)
        await self._blobs.put_file(file.blob_key, path, ZIP)
        kept = await self._enter(file, key)
        await self._drop_exports(kept.account, begin, but=kept.id)
        return kept.shared

    async def _enter(self, file: File, key: str) -> File:
        """Make the row of bytes that are stored; the file as it is kept. What is not needed, or may
        not be kept, is deleted again."""
        blob = file.blob_key
        try:
            kept = await self._database.write(lambda tx: insert_file(tx, file, key))
        except ToolFailed:
            await self._blobs.delete(blob)
            raise
        if kept.id != file.id:
            await self._blobs.delete(blob)
        return kept

    async def _drop_exports(self, account: int, begin: str, *, but: str) -> None:
        exports = await self._database.read(lambda tx: list_exports(tx, account, begin))
        for file in exports:
            if file.id != but:
                await self._drop(file)

    async def drop_passing(self, file_id: str) -> None:
        """Delete a file that was `PASSING` before its time; any other stays."""
        with suppress(NotFound):
            file = await self.find(file_id)
            if file.source == PASSING:
                await self._drop(file)

    async def clear_passing(self, most: int = 200) -> int:
        """Delete what was `PASSING` and is old, at most `most` of it; how much that was."""
        old = await self._database.read(lambda tx: list_passing(tx, most))
        for file in old:
            await self._drop(file)
        return len(old)

    async def _drop(self, file: File) -> None:
        """Bytes first: a row that is left points at nothing, bytes that are left nobody finds."""
        await self._blobs.delete(file.blob_key)
        await self._database.run("DELETE FROM file WHERE id = :id", id=file.id)

    async def clear_blobs(self, accounts: Sequence[int], begins: Sequence[str]) -> None:
        """Delete the bytes of all files of these accounts, and of guests' files whose keys begin
        like that. Their rows are left to `forget_files`."""
        for account in accounts:
            await self._clear(account)
        for begin in begins:
            await self.clear_guest_blobs(
                await self._database.read(lambda tx, begin=begin: list_files_of_guests(tx, begin))
            )

    async def _clear(self, account: int) -> None:
        """Delete the bytes of an account's files, and none that are another's by now."""
        moved = await self._database.read(lambda tx: list_moved(tx, account))
        for file in moved:
            if file.account == account:
                await self._blobs.delete(file.blob_key)
        if all(file.account == account for file in moved):
            await self._blobs.clear(str(account))
            return
        for file in await self._database.read(lambda tx: list_all(tx, account)):
            await self._blobs.delete(file.blob_key)

    async def clear_guest_blobs(self, file_ids: Sequence[str]) -> None:
        """Delete the bytes of these files of guests."""
        for file_id in file_ids:
            await self._blobs.delete(f"{GUESTS}/{file_id}")

    async def find_by_key(self, key: str) -> ShareFile | None:
        """The file that was kept under this key, if any."""
        file = await self._database.read(lambda tx: find_file_by_key(tx, key))
        return file.shared if file else None

    async def read(self, file_id: str) -> bytes:
        """The bytes of a file. Whether the reader may have them is the caller's question.

        Raises:
            NotFound: no such file.
        """
        file = await self.find(file_id)
        return await self._blobs.get(file.blob_key)

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
        return to_file(row)

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
                "SELECT * FROM file WHERE account = :account AND source <> :passing"
                " ORDER BY created_at DESC, id LIMIT :most",
                account=account,
                passing=PASSING,
                most=limit,
            )

        return [to_file(row) for row in await self._database.read(work)]

    async def usage(self, account: int) -> Usage:
        """How full the library is."""
        return await self._database.read(lambda tx: measure_usage(tx, account))

    async def _check_quota(self, account: int, size: int) -> None:
        if (await self.usage(account)).used + size > self._quota:
            raise ToolFailed(
                "The file was not kept: the person's library is full "
                f"({self._quota // 1_000_000} MB). Give the content as text instead, and say why."
            )


def _measure(path: Path) -> tuple[int, str]:
    """Size and SHA-256 of a file, which need not fit into memory."""
    with path.open("rb") as content:
        return path.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest()


__all__ = ["GUESTS", "PASSING", "PASSING_SECONDS", "QUOTA", "File", "Files"]
