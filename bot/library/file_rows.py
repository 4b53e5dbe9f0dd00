"""The table of files: whose they are, what they are called. Their bytes are in the blob store."""

from __future__ import annotations

from dataclasses import dataclass

from bot.contracts import Row, Transaction
from bot.messages import ShareFile
from bot.storage.living import lock_holder

GUESTS = 0
"""In place of an account, for pictures that guests show: nobody's library."""
PASSING = "passing"
"""`source` of what is made to be delivered and not to be kept: it is in no listing, uses up no
quota, and is deleted some time after `PASSING_SECONDS`."""
PASSING_SECONDS = 3 * 86_400
"""Long enough for a delivery that waits and is tried again."""
EXPORT = "export"
"""`source` of a person's whole data in one file: it counts for nothing, and there is one."""


@dataclass(frozen=True, slots=True)
class File:
    """A file of a library. Its id is unguessable, but no permission: compare `account`."""

    id: str
    account: int
    name: str
    mime_type: str
    """Without parameters (`text/plain`, no charset): channels and browsers are told by it."""
    size: int
    """Bytes."""
    sha256: str
    source: str
    """How it came: `generated`, the channel that brought it, `PASSING`, or `EXPORT`."""
    created_at: float
    """Unix seconds."""
    folder: int = 0
    """The account under which its bytes lie, where that was another's before."""

    @property
    def blob_key(self) -> str:
        return f"{self.folder or self.account}/{self.id}"

    @property
    def shared(self) -> ShareFile:
        return ShareFile(self.id, self.name, self.mime_type, self.size)


@dataclass(frozen=True, slots=True)
class Usage:
    """How full a library is; exports and what is passing are not counted."""

    number: int
    """Of files."""
    used: int
    """Bytes."""


async def find_file_by_key(tx: Transaction, key: str) -> File | None:
    row = await tx.fetch_one("SELECT * FROM file WHERE key = :key", key=key)
    return None if row is None else to_file(row)


async def measure_usage(tx: Transaction, account: int) -> Usage:
    [row] = await tx.fetch(_USED, account=account, export=EXPORT, passing=PASSING)
    return Usage(row["number"], row["used"])


async def list_exports(tx: Transaction, account: int, begin: str) -> list[File]:
    """The account's exports whose keys begin like that."""
    rows = await tx.fetch(_EXPORTS, account=account, begin=begin, source=EXPORT)
    return [to_file(row) for row in rows]


async def list_all(tx: Transaction, account: int) -> list[File]:
    """Every file of the account, of whatever source."""
    rows = await tx.fetch("SELECT * FROM file WHERE account = :account", account=account)
    return [to_file(row) for row in rows]


async def list_files_of_guests(tx: Transaction, begin: str) -> list[str]:
    """Ids of guests' files whose keys begin like that."""
    rows = await tx.fetch(_OF_GUESTS, guests=GUESTS, begin=begin)
    return [row["id"] for row in rows]


async def forget_files(tx: Transaction, account: int) -> None:
    """Delete the rows of all files of the account, and all that was read in them."""
    await tx.execute("DELETE FROM file WHERE account = :account", account=account)


async def forget_files_of_guests(tx: Transaction, begin: str) -> list[str]:
    """Delete the rows of guests' files whose keys begin like that; their ids."""
    rows = await tx.fetch(_FORGET_OF_GUESTS, guests=GUESTS, begin=begin)
    return [row["id"] for row in rows]


async def insert_file(tx: Transaction, file: File, key: str) -> File:
    """The file as it is kept: that of the same call's other run, if it was quicker."""
    holder = await lock_holder(tx, file.account)
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


async def list_passing(tx: Transaction, most: int) -> list[File]:
    """What was `PASSING`, and is old."""
    rows = await tx.fetch(_PASSING, passing=PASSING, seconds=PASSING_SECONDS, most=most)
    return [to_file(row) for row in rows]


async def list_moved(tx: Transaction, account: int) -> list[File]:
    """Files whose bytes lie under another account than their own, and this is one of the two."""
    return [to_file(row) for row in await tx.fetch(_MOVED, account=account)]


async def adopt(tx: Transaction, account: int, into: int) -> None:
    """The files of one account, and what is known of their text, are another's from now on; their
    bytes stay where they are."""
    await tx.execute(_ADOPT, account=account, into=into)
    for table in ("reading", "chunk", "embedding"):
        await tx.execute(_ADOPT_TEXT.format(table=table), account=account, into=into)


def without_parameters(mime_type: str) -> str:
    """`text/plain` of `Text/Plain; charset=utf-8`."""
    return mime_type.partition(";")[0].strip().lower()


def to_file(row: Row) -> File:
    return File(
        id=row["id"],
        account=row["account"],
        name=row["name"],
        mime_type=without_parameters(row["mime_type"]),
        size=row["size"],
        sha256=row["sha256"],
        source=row["source"],
        created_at=row["created_at"],
        folder=row["folder"] or 0,
    )


_USED = """
SELECT count(*) AS number, CAST(coalesce(sum(size), 0) AS BIGINT) AS used FROM file
WHERE account = :account AND source NOT IN (:export, :passing)
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

_PASSING = """
SELECT * FROM file
WHERE source = :passing AND created_at < {now} - :seconds LIMIT :most
"""

_MOVED = """
SELECT * FROM file
WHERE folder IS NOT NULL AND folder <> account AND (account = :account OR folder = :account)
"""

_ADOPT = """
UPDATE file SET account = :into, folder = coalesce(folder, account) WHERE account = :account
"""

_ADOPT_TEXT = """
UPDATE {table} SET account = :into WHERE account = :account
"""
