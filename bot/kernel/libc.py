"""The C library, by which Python reaches calls of the kernel that it has no words for."""

from __future__ import annotations

import ctypes
import os


def libc() -> ctypes.CDLL:
    """Its functions; each keeps its `errno` for `check`."""
    return ctypes.CDLL(None, use_errno=True)


def check(what: str, result: int) -> int:
    """The result, unless it says that the call failed. Raises `OSError`, which names `what`."""
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result
