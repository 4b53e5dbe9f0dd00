"""Store bytes by key in a folder or an S3-compatible store, by obstore."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from obstore.exceptions import BaseError
from obstore.store import LocalStore, S3Store

from bot.contracts.storage import Blobs
from bot.errors import NotFound, SettingsError
from bot.settings import Settings

if TYPE_CHECKING:
    from obstore.store import S3Config


def open_blobs(settings: Settings) -> Blobs:
    """Return the store that `BLOB_URL` names; make its folder if there is none.

    No request goes to S3 yet: a wrong key shows at the first use. Raises `SettingsError`: the
    folder cannot be made.
    """
    folder = find_local_folder(settings.blob_url)
    if folder is None:
        return StoredBlobs(_open_s3(settings), keeps_types=True)
    try:
        store = LocalStore(prefix=folder, mkdir=True)
    except (BaseError, OSError) as error:
        raise SettingsError(
            f"BLOB_URL: the folder {folder} cannot be made: {error}; "
            "correct the permissions of the folder it is in, or name another"
        ) from error
    return StoredBlobs(store, keeps_types=False)


def find_local_folder(blob_url: str) -> Path | None:
    """Return the folder that a `BLOB_URL` such as `file:files` names; None for another store."""
    if not blob_url.startswith("file:"):
        return None
    return Path(blob_url.removeprefix("file:").removeprefix("//")).absolute()


class StoredBlobs:
    """Implements `Blobs` on an obstore store, by its blocking calls in our own threads.

    Its `*_async` calls are answered from Rust threads that still hold Python objects after the
    answer; if the interpreter ends at that moment, the process dies of SIGABRT, SIGSEGV or SIGBUS
    (https://github.com/PyO3/pyo3-async-runtimes/issues/40).

    Args:
        keeps_types: whether the store can keep a content type; a folder cannot.
    """

    def __init__(self, store: LocalStore | S3Store, *, keeps_types: bool) -> None:
        self._store = store
        self._keeps_types = keeps_types

    async def put(self, key: str, content: bytes, mime_type: str) -> None:
        await self._put(key, content, mime_type)

    async def put_file(self, key: str, path: Path, mime_type: str) -> None:
        await self._put(key, path, mime_type)

    async def _put(self, key: str, content: bytes | Path, mime_type: str) -> None:
        attributes = {"Content-Type": mime_type} if self._keeps_types else None
        try:
            await asyncio.to_thread(self._store.put, key, content, attributes=attributes)
        except (BaseError, OSError) as error:
            raise _unreachable(error) from error

    async def get(self, key: str) -> bytes:
        try:
            return await asyncio.to_thread(self._read, key)
        except FileNotFoundError:
            raise NotFound("The file is not there any more.") from None
        except BaseError as error:
            raise _unreachable(error) from error

    def _read(self, key: str) -> bytes:
        return self._store.get(key).bytes().to_bytes()

    async def delete(self, key: str) -> None:
        try:
            await asyncio.to_thread(self._store.delete, key)
        except FileNotFoundError:
            return  # it is deleted already
        except BaseError as error:
            raise _unreachable(error) from error

    async def clear(self, folder: str) -> None:
        try:
            await asyncio.to_thread(self._clear, folder)
        except (BaseError, OSError) as error:
            raise _unreachable(error) from error

    def _clear(self, folder: str) -> None:
        # The prefix matches whole parts of a key: 12/ is not in the folder 1.
        for batch in self._store.list(prefix=folder):  # pyright: ignore[reportUnknownMemberType]
            for blob in batch:
                with suppress(FileNotFoundError):
                    self._store.delete(blob["path"])


def _unreachable(error: Exception) -> ConnectionError:
    return ConnectionError(f"The blob store cannot be reached: {error}")


def _open_s3(settings: Settings) -> S3Store:
    bucket, _, prefix = settings.blob_url.removeprefix("s3://").partition("/")
    config: S3Config = {}
    if settings.aws_endpoint_url:
        config["endpoint"] = settings.aws_endpoint_url
    if settings.aws_region:
        config["region"] = settings.aws_region
    if settings.aws_access_key_id:  # else the credentials of the machine itself
        config["access_key_id"] = settings.aws_access_key_id
        config["secret_access_key"] = settings.aws_secret_access_key
    return S3Store(
        bucket,
        prefix=prefix or None,
        config=config,
        client_options={"allow_http": bool(settings.aws_endpoint_url)},
        retry_config={"max_retries": 3, "retry_timeout": timedelta(seconds=30)},
    )
