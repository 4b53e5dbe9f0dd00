"""The same questions to a folder and to S3."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import boto3
import pytest
from moto.server import ThreadedMotoServer

from bot.contracts.storage import Blobs
from bot.errors import NotFound, SettingsError
from bot.settings import Settings
from bot.storage.blobs import open_blobs

KEYS = {"aws_access_key_id": "test", "aws_secret_access_key": "test"}


@pytest.fixture(scope="module")
def s3() -> Iterator[str]:
    """The address of an S3 server with a bucket `griot`."""
    server = ThreadedMotoServer("127.0.0.1", port=0)
    server.start()
    host, port = server.get_host_and_port()
    endpoint = f"http://{host}:{port}"
    client = boto3.client("s3", endpoint_url=endpoint, region_name="us-east-1", **KEYS)
    client.create_bucket(Bucket="griot")
    client.close()
    yield endpoint
    server.stop()


@pytest.fixture(params=["folder", "s3"])
async def blobs(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Blobs]:
    if request.param == "folder":
        yield open_blobs(Settings(blob_url=f"file:{tmp_path}/files"))
    else:
        endpoint: str = request.getfixturevalue("s3")
        yield open_blobs(Settings(blob_url="s3://griot/files", aws_endpoint_url=endpoint, **KEYS))


async def test_what_was_put_can_be_got(blobs: Blobs) -> None:
    await blobs.put("7/-a_B", b"\x00bytes", "application/pdf")
    assert await blobs.get("7/-a_B") == b"\x00bytes"
    await blobs.put("7/-a_B", b"", "text/plain")
    assert await blobs.get("7/-a_B") == b""


async def test_what_was_deleted_is_not_found(blobs: Blobs) -> None:
    await blobs.put("7/gone", b"x", "text/plain")
    await blobs.delete("7/gone")
    with pytest.raises(NotFound):
        await blobs.get("7/gone")


async def test_deleting_what_is_not_there_is_fine(blobs: Blobs) -> None:
    await blobs.delete("7/never")
    with pytest.raises(NotFound):
        await blobs.get("7/never")


async def test_a_file_is_stored_from_disk(blobs: Blobs, tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(b"0123456789" * 700_000)
    await blobs.put_file("7/large", path, "application/zip")
    assert len(await blobs.get("7/large")) == 7_000_000


async def test_a_cleared_folder_is_empty_and_no_other(blobs: Blobs) -> None:
    for key in ("1/a", "1/b", "12/c"):
        await blobs.put(key, b"x", "text/plain")
    await blobs.clear("1")
    await blobs.clear("1")
    assert await blobs.get("12/c") == b"x"
    for key in ("1/a", "1/b"):
        with pytest.raises(NotFound):
            await blobs.get(key)


async def test_no_key_leads_out_of_the_store(blobs: Blobs) -> None:
    with pytest.raises(ValueError, match=r"illegal character sequence"):
        await blobs.put("../outside", b"x", "text/plain")


async def test_s3_keeps_the_prefix_and_the_type(s3: str) -> None:
    blobs = open_blobs(Settings(blob_url="s3://griot/a/b", aws_endpoint_url=s3, **KEYS))
    await blobs.put("7/typed", b"x", "application/pdf")
    client = boto3.client("s3", endpoint_url=s3, region_name="us-east-1", **KEYS)
    assert client.head_object(Bucket="griot", Key="a/b/7/typed")["ContentType"] == "application/pdf"
    client.close()


@pytest.mark.parametrize("form", ["file:{path}/new/files", "file://{path}/new/files"])
async def test_the_folder_is_made_where_the_setting_says(form: str, tmp_path: Path) -> None:
    await open_blobs(Settings(blob_url=form.format(path=tmp_path))).put("7/a", b"x", "text/plain")
    assert (tmp_path / "new/files/7/a").read_bytes() == b"x"


async def test_a_relative_folder_is_under_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    await open_blobs(Settings()).put("7/a", b"x", "text/plain")
    assert (tmp_path / "files/7/a").read_bytes() == b"x"


def test_a_folder_that_cannot_be_made_is_named_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    folder = tmp_path / "file" / "files"
    with pytest.raises(SettingsError, match=f"^BLOB_URL: the folder {folder} cannot be made"):
        open_blobs(Settings(blob_url=f"file:{folder}"))


_ERRAND = """
import asyncio, sys
from bot.settings import Settings
from bot.storage.blobs import open_blobs

async def run(folder):
    blobs = open_blobs(Settings(blob_url=f"file:{folder}"))
    await blobs.put("key", b"griot", "text/plain")
    await blobs.get("key")
    await blobs.delete("key")

asyncio.run(run(sys.argv[1]))
"""


def test_a_process_that_ends_right_after_using_it_ends_well(tmp_path: Path) -> None:
    """With threads of the library's own still at work, it died about one time in four."""
    for _ in range(12):
        errand = [sys.executable, "-c", _ERRAND, str(tmp_path)]
        ended = subprocess.run(errand, check=False, capture_output=True, text=True)
        assert (ended.returncode, ended.stderr) == (0, "")
