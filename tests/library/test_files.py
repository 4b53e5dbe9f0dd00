from __future__ import annotations

import asyncio
import hashlib

import pytest

from bot.contracts import Database
from bot.errors import NotFound, ToolFailed
from bot.library.files import GUESTS, Files
from bot.messages import ShareFile


class DictBlobs:
    """A blob store in memory that can be made to fail."""

    def __init__(self) -> None:
        self.contents: dict[str, bytes] = {}
        self.broken = False

    async def put(self, key: str, content: bytes, mime_type: str) -> None:
        await asyncio.sleep(0)
        if self.broken:
            raise OSError("disk full")
        self.contents[key] = content

    async def get(self, key: str) -> bytes:
        return self.contents[key]

    async def delete(self, key: str) -> None:
        self.contents.pop(key, None)


@pytest.fixture
def blobs() -> DictBlobs:
    return DictBlobs()


@pytest.fixture
def files(database: Database, blobs: DictBlobs) -> Files:
    return Files(database, blobs, quota=1_000)


async def keep(
    files: Files, key: str, content: bytes = b"abc", account: int = 1, name: str = "notes.md"
) -> ShareFile:
    return await files.save(
        account, name, content, mime_type="text/markdown", source="generated", key=key
    )


async def test_a_kept_file_can_be_found_and_read(files: Files) -> None:
    shared = await keep(files, "k1", "été".encode())
    assert (shared.filename, shared.mime_type, shared.size) == ("notes.md", "text/markdown", 5)
    assert await files.read(shared.file_id) == "été".encode()
    found = await files.find(shared.file_id)
    assert (found.account, found.source) == (1, "generated")
    assert found.sha256 == hashlib.sha256("été".encode()).hexdigest()
    assert found.created_at > 1_000_000_000
    assert found.shared == shared


async def test_the_same_key_keeps_one_file_even_at_the_same_moment(
    files: Files, blobs: DictBlobs
) -> None:
    kept = await asyncio.gather(*(keep(files, "k1") for _ in range(5)))
    assert len({shared.file_id for shared in kept}) == 1
    assert await keep(files, "k1", b"something else") == kept[0]
    assert list(blobs.contents.values()) == [b"abc"]


async def test_ids_are_unguessable_and_names_safe(files: Files) -> None:
    one = await keep(files, "k1", name="../../etc/passwd")
    two = await keep(files, "k2")
    assert one.filename == "passwd"
    assert one.file_id != two.file_id
    assert len(one.file_id) == 16


async def test_a_full_library_takes_no_more_and_stores_no_bytes(
    files: Files, blobs: DictBlobs
) -> None:
    await keep(files, "k1", bytes(600))
    with pytest.raises(ToolFailed, match="library is full"):
        await keep(files, "k2", bytes(401))
    assert len(blobs.contents) == 1
    await keep(files, "k3", bytes(400))
    await keep(files, "k4", bytes(1_000), account=2)


async def test_when_the_bytes_cannot_be_stored_no_row_points_at_nothing(
    files: Files, blobs: DictBlobs
) -> None:
    blobs.broken = True
    with pytest.raises(OSError, match="disk full"):
        await keep(files, "k1")
    assert await files.listing(1) == []


async def test_the_newest_files_of_the_account_are_listed_first(files: Files) -> None:
    kept = [await keep(files, f"k{number}") for number in range(3)]
    await keep(files, "other", account=2)
    listed = await files.listing(1, limit=2)
    assert [file.shared for file in listed] == [kept[2], kept[1]]


async def test_only_the_owner_has_a_file_and_guests_have_none(files: Files) -> None:
    kept = await keep(files, "k1")
    shown = await keep(files, "k2", account=GUESTS)
    assert (await files.find_own(1, kept.file_id)).shared == kept
    for account, file_id in ((2, kept.file_id), (GUESTS, shown.file_id), (1, "no-such-file")):
        with pytest.raises(NotFound, match=r"^There is no such file\.$"):
            await files.find_own(account, file_id)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
@pytest.mark.parametrize("file_id", ["", "\x00", "\ud800", "a" * 65, "é", "a b", "x\n"], ids=ascii)
async def test_an_id_that_none_can_be_is_not_even_looked_for(files: Files, file_id: str) -> None:
    with pytest.raises(NotFound):
        await files.find(file_id)


async def test_a_file_that_is_not_there_is_not_found(files: Files) -> None:
    with pytest.raises(NotFound):
        await files.find("nothing")
    with pytest.raises(NotFound):
        await files.read("nothing")
