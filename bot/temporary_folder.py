"""Make temporary folders, and remove those of processes that were killed.

What lies in them is people's: documents in the making, exports.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import stat
import tempfile
import time
from pathlib import Path
from typing import Final

_PREFIX: Final = "griot-work-"
_NEW_SECONDS: Final = 60.0
"""Seconds for which a folder may be without its lock, as it is just being made."""


class TemporaryFolder:
    """A new temporary folder, locked until it is removed or this process has died."""

    def __init__(self) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=_PREFIX))
        self._lock: int | None = os.open(self.path, os.O_RDONLY)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def remove(self) -> None:
        """Remove the folder, unless it was before."""
        if self._lock is not None:
            shutil.rmtree(self.path, ignore_errors=True)
            os.close(self._lock)
            self._lock = None


def remove_left_folders() -> None:
    """Remove the folders that killed processes of this user have left: those without their lock."""
    for path in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):  # it is locked, another process removes it, or not ours
            found = path.lstat()
            is_new = time.time() - found.st_mtime < _NEW_SECONDS
            if is_new or found.st_uid != os.getuid() or not stat.S_ISDIR(found.st_mode):
                continue
            lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(path, ignore_errors=True)
            finally:
                os.close(lock)
