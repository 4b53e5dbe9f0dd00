from __future__ import annotations

from tests.library.reading.conftest import blobs, files, workshop

__all__ = ["blobs", "files", "workshop"]
