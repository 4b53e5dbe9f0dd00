from __future__ import annotations

import pytest

from bot.contracts import Database
from bot.library.files import Files
from tests.library.reading.rooms import DictBlobs, OpenWorkshop


@pytest.fixture
def blobs() -> DictBlobs:
    return DictBlobs()


@pytest.fixture
def workshop() -> OpenWorkshop:
    return OpenWorkshop()


@pytest.fixture
def files(database: Database, blobs: DictBlobs) -> Files:
    return Files(database, blobs)
