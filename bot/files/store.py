"""Store the files of all accounts: rows in the database, bytes in the blob store."""

from __future__ import annotations

import asyncio
import hashlib
import re
import secrets
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from bot.contracts.storage import Blobs, Database, Row, Transaction
from bot.errors import NotFound, ToolFailed
from bot.files.names import clean_name
from bot.messages.outgoing import ShareFile
from bot.storage.accounts import lock_current_account

GUESTS = 0
"""The account of pictures that guests send; it has no library."""
TEMPORARY = "passing"
"""`source` of a file that is made for one delivery only: it is in no listing, does not count
towards the quota, and is deleted some time after `TEMPORARY_SECONDS`."""
TEMPORARY_SECONDS = 3 * 86_400
"""Long enough for a delivery that waits and is retried."""
EXPORT = "export"
"""`source` of a person's whole data in one file: it uses no quota, and only one is kept."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a library. Its id is unguessable, but does not grant access: compare `account`."""

    id: str
    account: int
    name: str
    mime_type: str
    """Without parameters (`text/plain`, no charset), because channels and browsers decide by it."""
    size: int
    """Bytes."""
    sha256: str
    source: str
    """Origin: `generated`, the channel that brought it, `TEMPORARY`, or `EXPORT`."""
    created_at: float
    """Unix seconds."""
    folder: int = 0
    """The account under which its bytes are stored, if that was its earlier owner; else 0."""

    @property
    def blob_key(self) -> str:
        return f"{self.folder or self.account}/{self.id}"

    @property
    def shared(self) -> ShareFile:
        return ShareFile(self.id, self.name, self.mime_type, self.size)


@dataclass(frozen=True, slots=True)
class Usage:
    """Usage of a library; exports and temporary files are not counted."""

    number: int
    """Number of files."""
    used: int
    """Bytes."""


async def find_file_by_key(tx: Transaction, key: str) -> File | None:
    row = await tx.fetch_one("SELECT * FROM file WHERE key = :key", key=key)
    return None if row is None else to_file(row)


async def measure_usage(tx: Transaction, account: int) -> Usage:
    [row] = await tx.fetch(_USED, account=account, export=EXPORT, temporary=TEMPORARY)
    return Usage(row["number"], row["used"])


async def list_exports(tx: Transaction, account: int, begin: str) -> list[File]:
    """Return the account's exports whose keys begin with `begin`."""
    rows = await tx.fetch(_EXPORTS, account=account, begin=begin, source=EXPORT)
    return [to_file(row) for row in rows]


async def list_all_files(tx: Transaction, account: int) -> list[File]:
    """Return every file of the account, from any source."""
    rows = await tx.fetch("SELECT * FROM file WHERE account = :account", account=account)
    return [to_file(row) for row in rows]


async def list_files_of_guests(tx: Transaction, begin: str) -> list[str]:
    """Return the ids of guests' files whose keys begin with `begin`."""
    rows = await tx.fetch(_OF_GUESTS, guests=GUESTS, begin=begin)
    return [row["id"] for row in rows]


async def forget_files_of_guests(tx: Transaction, begin: str) -> list[str]:
    """Delete the rows of guests' files whose keys begin with `begin`; return their ids."""
    rows = await tx.fetch(_FORGET_OF_GUESTS, guests=GUESTS, begin=begin)
    return [row["id"] for row in rows]


async def list_old_of_guests(tx: Transaction, begin: str, age: float) -> list[File]:
    """Return guests' files whose keys begin with `begin` and that are older than `age` seconds."""
    rows = await tx.fetch(_OLD_OF_GUESTS, guests=GUESTS, begin=begin, age=age)
    return [to_file(row) for row in rows]


async def insert_file(tx: Transaction, file: File, key: str) -> File:
    """Insert the file's row; return the stored file, an earlier one if `key` exists already."""
    holder = await lock_current_account(tx, file.account)
    rows = await tx.fetch(
        "INSERT INTO file (id, account, folder, name, mime_type, size, sha256, source, key,"
        " created_at) VALUES (:id, :account, :folder, :name, :mime_type, :size, :sha256, :source,"
        " :key, {now})"
        " ON CONFLICT (key) DO UPDATE SET key = excluded.key RETURNING *",
        id=file.id,
        account=holder,
        folder=file.account if holder != file.account else None,
        name=file.name,
        mime_type=file.mime_type,
        size=file.size,
        sha256=file.sha256,
        source=file.source,
        key=key,
    )
    return to_file(rows[0])


async def list_old_temporary(tx: Transaction, most: int) -> list[File]:
    """Return temporary files older than `TEMPORARY_SECONDS`."""
    rows = await tx.fetch(_OLD_TEMPORARY, temporary=TEMPORARY, seconds=TEMPORARY_SECONDS, most=most)
    return [to_file(row) for row in rows]


async def list_moved(tx: Transaction, account: int) -> list[File]:
    """Return files whose bytes are under another account, if `account` is either of the two."""
    return [to_file(row) for row in await tx.fetch(_MOVED, account=account)]


def strip_parameters(mime_type: str) -> str:
    """Return `text/plain` for `Text/Plain; charset=utf-8`."""
    return mime_type.partition(";")[0].strip().lower()


def to_file(row: Row) -> File:
    return File(
        id=row["id"],
        account=row["account"],
        name=row["name"],
        mime_type=strip_parameters(row["mime_type"]),
        size=row["size"],
        sha256=row["sha256"],
        source=row["source"],
        created_at=row["created_at"],
        folder=row["folder"] or 0,
    )


QUOTA = 200_000_000
"""Bytes that one account may store."""
_MOST_CLEARED = 200
ZIP = "application/zip"
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class FileStore:
    """The libraries of all accounts."""

    def __init__(self, database: Database, blobs: Blobs, quota: int = QUOTA) -> None:
        self._database = database
        self._blobs = blobs
        self._quota = quota

    async def save(
        self, account: int, filename: str, content: bytes, *, mime_type: str, source: str, key: str
    ) -> ShareFile:
        """Store a file under a safe form of its name; the same `key` stores it once.

        Parameters of `mime_type`, such as a charset, are left out: all text here is UTF-8. The
        bytes are stored before the row, so that a row never lacks its bytes.

        Raises:
            ToolFailed: the account's quota is used up, or the account was erased.
        """
        if known := await self.find_by_key(key):
            return known
        if account != GUESTS and source != TEMPORARY:
            await self._check_quota(account, len(content))
        file = File(
            id=secrets.token_urlsafe(12),
            account=account,
            name=clean_name(filename),
            mime_type=strip_parameters(mime_type),
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
        """Store the zip at `path` and delete the account's earlier exports; the same `key` stores
        it once. No quota applies.

        Args:
            begin: replace only exports whose keys begin with this, since guests share an account.

        Raises:
            ToolFailed: the account was erased.
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
        """Insert the row of stored bytes; return the stored file. The bytes are deleted if the file
        exists already or may not be stored."""
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
        for file in await self._database.read(lambda tx: list_exports(tx, account, begin)):
            if file.id != but:
                await self._drop(file)

    async def drop_temporary(self, file_id: str) -> None:
        """Delete a `TEMPORARY` file before its time; any other file stays."""
        with suppress(NotFound):
            file = await self.find(file_id)
            if file.source == TEMPORARY:
                await self._drop(file)

    async def clear_temporary(self) -> int:
        """Delete at most `_MOST_CLEARED` old `TEMPORARY` files; return how many were deleted."""
        old = await self._database.read(lambda tx: list_old_temporary(tx, _MOST_CLEARED))
        for file in old:
            await self._drop(file)
        return len(old)

    async def clear_old_of_guests(self, begin: str, age: float) -> None:
        """Delete guests' files with keys that begin with `begin`, older than `age` seconds."""
        for file in await self._database.read(lambda tx: list_old_of_guests(tx, begin, age)):
            await self._drop(file)

    async def _drop(self, file: File) -> None:
        """Delete a file, bytes first: bytes without a row would never be found again."""
        await self._blobs.delete(file.blob_key)
        await self._database.run("DELETE FROM file WHERE id = :id", id=file.id)

    async def clear_blobs(self, accounts: Sequence[int], begins: Sequence[str]) -> None:
        """Delete the bytes of all files of these accounts, and of guests' files whose keys begin
        with one of `begins`. The caller deletes the rows."""
        for account in accounts:
            await self._clear(account)
        for begin in begins:
            await self.clear_guest_blobs(
                await self._database.read(lambda tx, begin=begin: list_files_of_guests(tx, begin))
            )

    async def _clear(self, account: int) -> None:
        """Delete the bytes of an account's files, except those of other accounts by now."""
        moved = await self._database.read(lambda tx: list_moved(tx, account))
        for file in moved:
            if file.account == account:
                await self._blobs.delete(file.blob_key)
        if all(file.account == account for file in moved):
            await self._blobs.clear(str(account))
            return
        for file in await self._database.read(lambda tx: list_all_files(tx, account)):
            await self._blobs.delete(file.blob_key)

    async def clear_guest_blobs(self, file_ids: Sequence[str]) -> None:
        """Delete the bytes of these files of guests."""
        for file_id in file_ids:
            await self._blobs.delete(f"{GUESTS}/{file_id}")

    async def find_by_key(self, key: str) -> ShareFile | None:
        """Return the file that was stored under this key, if any."""
        file = await self._database.read(lambda tx: find_file_by_key(tx, key))
        return file.shared if file else None

    async def read(self, file_id: str) -> bytes:
        """Return the bytes of a file. The caller checks whether the reader may have them.

        Raises:
            NotFound: no such file.
        """
        file = await self.find(file_id)
        return await self._blobs.get(file.blob_key)

    async def find(self, file_id: str) -> File:
        """Return the file with this id, of any account.

        Raises:
            NotFound: no such file.
        """
        if _ID.fullmatch(
            file_id
        ):  # models invent ids, even with characters that no database accepts
            row = await self._database.read(
                lambda tx: tx.fetch_one("SELECT * FROM file WHERE id = :id", id=file_id)
            )
            if row:
                return to_file(row)
        raise NotFound("There is no such file.")

    async def find_own(self, account: int, file_id: str) -> File:
        """Return the file, if it is in this account's library.

        Raises:
            NotFound: there is no such file, or it belongs to another account; both look the same.
        """
        file = await self.find(file_id)
        if file.account != account or account == GUESTS:
            raise NotFound("There is no such file.")
        return file

    async def share(self, account: int, file_id: str) -> ShareFile:
        """Return a file of this account, to be delivered.

        Raises:
            ToolFailed: the account has no file with this id.
        """
        try:
            return (await self.find_own(account, file_id)).shared
        except NotFound:
            raise ToolFailed(
                f"There is no file {file_id!r}. list_user_files shows them all."
            ) from None

    async def listing(self, account: int, limit: int = 50) -> list[File]:
        """Return the newest `limit` files of an account, newest first."""
        rows = await self._database.read(
            lambda tx: tx.fetch(_NEWEST, account=account, temporary=TEMPORARY, most=limit)
        )
        return [to_file(row) for row in rows]

    async def usage(self, account: int) -> Usage:
        """Return the usage of the account's library."""
        return await self._database.read(lambda tx: measure_usage(tx, account))

    async def _check_quota(self, account: int, size: int) -> None:
        if (await self.usage(account)).used + size > self._quota:
            raise ToolFailed(
                "The file was not kept: the person's library is full "
                f"({self._quota // 1_000_000} MB). Give the content as text instead, and say why."
            )


def _measure(path: Path) -> tuple[int, str]:
    """Return the size and SHA-256 of a file, which need not fit into memory."""
    with path.open("rb") as content:
        return path.stat().st_size, hashlib.file_digest(content, "sha256").hexdigest()


_NEWEST = """
SELECT * FROM file WHERE account = :account AND source <> :temporary
ORDER BY created_at DESC, id LIMIT :most
"""

_USED = """
SELECT count(*) AS number, CAST(coalesce(sum(size), 0) AS BIGINT) AS used FROM file
WHERE account = :account AND source NOT IN (:export, :temporary)
"""

_BEGINS = "substr(key, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)"

_EXPORTS = f"""
SELECT * FROM file
WHERE account = :account AND source = :source AND {_BEGINS}
"""  # noqa: S608 (made of constants)

_OF_GUESTS = f"""
SELECT id FROM file WHERE account = :guests AND {_BEGINS}
"""  # noqa: S608 (made of constants)

_FORGET_OF_GUESTS = f"""
DELETE FROM file WHERE account = :guests AND {_BEGINS} RETURNING id
"""  # noqa: S608 (made of constants)

_OLD_OF_GUESTS = f"""
SELECT * FROM file WHERE account = :guests AND created_at < {{now}} - :age AND {_BEGINS}
"""  # noqa: S608 (made of constants)

_OLD_TEMPORARY = """
SELECT * FROM file
WHERE source = :temporary AND created_at < {now} - :seconds LIMIT :most
"""

_MOVED = """
SELECT * FROM file
WHERE folder IS NOT NULL AND folder <> account AND (account = :account OR folder = :account)
"""
