from __future__ import annotations

import pytest

from bot.contracts.storage import Database
from bot.files.store import FileStore
from tests.support.file_fakes import DictBlobs, UnisolatedWorker


@pytest.fixture
def blobs() -> DictBlobs:
    return DictBlobs()


@pytest.fixture
def isolated_worker() -> UnisolatedWorker:
    return UnisolatedWorker()


@pytest.fixture
def files(database: Database, blobs: DictBlobs) -> FileStore:
    return FileStore(database, blobs)
