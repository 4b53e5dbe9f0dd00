from __future__ import annotations

import asyncio
import hashlib
from pathlib import Path

import pytest

from bot.contracts.storage import Database
from bot.errors import NotFound, ToolFailed
from bot.files.store import GUESTS, TEMPORARY, TEMPORARY_SECONDS, FileStore
from bot.messages.outgoing import ShareFile
from tests.support.queries import Plus, add_row, change_rows


class DictBlobs:
    """A blob store in memory that can be made to fail."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.broken = False
        self.deletes = True

    async def put(self, key: str, content: bytes, mime_type: str) -> None:
        await asyncio.sleep(0)
        if self.broken:
            raise OSError("disk full")
        self.contents[key] = content

    async def get(self, key: str) -> bytes:
        return self.contents[key]

    async def delete(self, key: str) -> None:
        if not self.deletes:
            raise ConnectionError("no way there")
        self.contents.pop(key, None)

    async def put_file(self, key: str, path: Path, mime_type: str) -> None:
        await self.put(key, await asyncio.to_thread(path.read_bytes), mime_type)

    async def clear(self, folder: str) -> None:
        for key in [key for key in self.contents if key.startswith(f"{folder}/")]:
            del self.contents[key]


@pytest.fixture
def blobs() -> DictBlobs:
    return DictBlobs()


@pytest.fixture
def files(database: Database, blobs: DictBlobs) -> FileStore:
    return FileStore(database, blobs, quota=1_000)


async def keep(
    files: FileStore, key: str, content: bytes = b"abc", account: int = 1, name: str = "notes.md"
) -> ShareFile:
    return await files.save(
        account, name, content, mime_type="text/markdown", source="generated", key=key
    )


async def test_a_kept_file_can_be_found_and_read(files: FileStore) -> None:
    shared = await keep(files, "k1", "été".encode())
    assert (shared.filename, shared.mime_type, shared.size) == ("notes.md", "text/markdown", 5)
    assert await files.read(shared.file_id) == "été".encode()
    found = await files.find(shared.file_id)
    assert (found.account, found.source) == (1, "generated")
    assert found.sha256 == hashlib.sha256("été".encode()).hexdigest()
    assert found.created_at > 1_000_000_000
    assert found.shared == shared


async def test_a_type_is_kept_without_its_parameters(files: FileStore, database: Database) -> None:
    form = "Text/Plain; charset=utf-8"
    shared = await files.save(1, "code.txt", b"x", mime_type=form, source="answer", key="k1")
    assert shared.mime_type == "text/plain"
    await change_rows(database, "file", {"mime_type": form})  # as older rows have it
    assert (await files.find(shared.file_id)).shared.mime_type == "text/plain"


async def test_the_same_key_keeps_one_file_even_at_the_same_moment(
    files: FileStore, blobs: DictBlobs
) -> None:
    kept = await asyncio.gather(*(keep(files, "k1") for _ in range(5)))
    assert len({shared.file_id for shared in kept}) == 1
    assert await keep(files, "k1", b"something else") == kept[0]
    assert list(blobs.contents.values()) == [b"abc"]


async def test_ids_are_unguessable_and_names_safe(files: FileStore) -> None:
    one = await keep(files, "k1", name="../../etc/passwd")
    two = await keep(files, "k2")
    assert one.filename == "passwd"
    assert one.file_id != two.file_id
    assert len(one.file_id) == 16


async def test_a_full_library_takes_no_more_and_stores_no_bytes(
    files: FileStore, blobs: DictBlobs
) -> None:
    await keep(files, "k1", bytes(600))
    with pytest.raises(ToolFailed, match="library is full"):
        await keep(files, "k2", bytes(401))
    assert len(blobs.contents) == 1
    await keep(files, "k3", bytes(400))
    await keep(files, "k4", bytes(1_000), account=2)


async def test_when_the_bytes_cannot_be_stored_no_row_points_at_nothing(
    files: FileStore, blobs: DictBlobs
) -> None:
    blobs.broken = True
    with pytest.raises(OSError, match="disk full"):
        await keep(files, "k1")
    assert await files.listing(1) == []


async def test_the_newest_files_of_the_account_are_listed_first(files: FileStore) -> None:
    kept = [await keep(files, f"k{number}") for number in range(3)]
    await keep(files, "other", account=2)
    listed = await files.listing(1, limit=2)
    assert [file.shared for file in listed] == [kept[2], kept[1]]


async def test_only_the_owner_has_a_file_and_guests_have_none(files: FileStore) -> None:
    kept = await keep(files, "k1")
    shown = await keep(files, "k2", account=GUESTS)
    assert (await files.find_own(1, kept.file_id)).shared == kept
    for account, file_id in ((2, kept.file_id), (GUESTS, shown.file_id), (1, "no-such-file")):
        with pytest.raises(NotFound, match=r"^There is no such file\.$"):
            await files.find_own(account, file_id)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("file_id", ["", "\x00", "\ud800", "a" * 65, "é", "a b", "x\n"], ids=ascii)
async def test_an_id_that_none_can_be_is_not_even_looked_for(
    files: FileStore, file_id: str
) -> None:
    with pytest.raises(NotFound):
        await files.find(file_id)


async def test_a_file_that_is_not_there_is_not_found(files: FileStore) -> None:
    with pytest.raises(NotFound):
        await files.find("nothing")
    with pytest.raises(NotFound):
        await files.read("nothing")


async def pass_on(files: FileStore, key: str, content: bytes = b"abc") -> ShareFile:
    return await files.save(
        1, "progress.png", content, mime_type="image/png", source=TEMPORARY, key=key
    )


async def test_what_is_passing_is_in_no_listing_and_uses_up_no_quota(files: FileStore) -> None:
    kept = await keep(files, "k1", b"x" * 999)
    passing = await pass_on(files, "p1", b"y" * 500)
    await keep(files, "k2", b"x")
    assert kept.file_id in {file.id for file in await files.listing(1)}
    assert passing.file_id not in {file.id for file in await files.listing(1)}
    assert await files.read(passing.file_id) == b"y" * 500


async def test_what_is_passing_is_deleted_once_it_is_old(
    files: FileStore, blobs: DictBlobs, database: Database
) -> None:
    old, new = await pass_on(files, "p1"), await pass_on(files, "p2")
    kept = await keep(files, "k1")
    for file, more in ((old, 60), (new, -60), (kept, 60)):
        await change_rows(
            database,
            "file",
            {"created_at": Plus(-(float(TEMPORARY_SECONDS + more)))},
            id=file.file_id,
        )
    assert await files.clear_temporary() == 1
    with pytest.raises(NotFound):
        await files.find(old.file_id)
    assert sorted(blobs.contents) == sorted(f"1/{file.file_id}" for file in (new, kept))
    assert await files.clear_temporary() == 0


async def test_what_could_not_be_deleted_is_deleted_the_next_time(
    files: FileStore, blobs: DictBlobs, database: Database
) -> None:
    await pass_on(files, "p1")
    await change_rows(database, "file", {"created_at": 0})
    blobs.deletes = False
    with pytest.raises(ConnectionError):
        await files.clear_temporary()
    assert blobs.contents
    blobs.deletes = True
    assert await files.clear_temporary() == 1
    assert not blobs.contents


async def test_an_export_counts_for_nothing_and_there_is_one(
    files: FileStore, blobs: DictBlobs, tmp_path: Path
) -> None:
    path = tmp_path / "all.zip"
    path.write_bytes(b"z" * 5_000)  # more than the whole quota
    await keep(files, "k1", b"x" * 900)
    first = await files.save_export(1, "all.zip", path, key="e1")
    second = await files.save_export(1, "all.zip", path, key="e2")
    assert await files.save_export(1, "all.zip", path, key="e2") == second
    assert (second.size, second.mime_type) == (5_000, "application/zip")
    assert (
        hashlib.sha256(path.read_bytes()).hexdigest() == (await files.find(second.file_id)).sha256
    )
    with pytest.raises(NotFound):
        await files.find(first.file_id)
    assert sorted(len(content) for content in blobs.contents.values()) == [900, 5_000]
    await keep(files, "k2", b"x" * 100)
    usage = await files.usage(1)
    assert (usage.number, usage.used) == (2, 1_000)


async def test_what_may_not_be_kept_leaves_no_bytes(
    files: FileStore, blobs: DictBlobs, database: Database
) -> None:
    await add_row(database, "account", id=1, phone=None, erased=1, created_at=1)
    with pytest.raises(ToolFailed, match="erased"):
        await keep(files, "k1")
    assert blobs.contents == {}


async def test_bytes_of_accounts_and_of_guests_are_cleared(
    files: FileStore, blobs: DictBlobs
) -> None:
    await keep(files, "k1", account=1)
    await keep(files, "k2", account=12)
    await keep(files, "telegram:1/3/in/0", account=GUESTS)
    await keep(files, "telegram:12/3/in/0", account=GUESTS)
    await files.clear_blobs([1], ["telegram:1/"])
    assert sorted(key.partition("/")[0] for key in blobs.contents) == ["0", "12"]
