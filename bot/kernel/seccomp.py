"""Seccomp for the process itself: from now on it cannot make certain system calls.

Facts: prctl(2), capset(2), and `include/uapi/linux/filter.h` for `struct sock_fprog`.
"""

from __future__ import annotations

import ctypes
import struct

from bot.kernel.libc import check, libc

_SET_NO_NEW_PRIVS, _SET_SECCOMP = 38, 22
_MODE_FILTER = 2
_INSTRUCTION_BYTES = 8
_CAPABILITY_VERSION = 0x20080522


def renounce() -> None:
    """Give up what root may, and ever to gain privileges, as set-user-ID programs give them.

    Raises:
        OSError: the kernel refuses.
    """
    _prctl(_SET_NO_NEW_PRIVS, 1, None)
    nothing = bytes(24)  # two sets of 32 capabilities: effective, permitted, inheritable
    check("capset", libc().capset(struct.pack("=Ii", _CAPABILITY_VERSION, 0), nothing))


def install(program: bytes) -> None:
    """Have the kernel ask the filter (`filter.assemble`) about each call, after `renounce`.

    Raises:
        OSError: the kernel refuses it.
    """
    lines = ctypes.create_string_buffer(program, len(program))
    count = len(program) // _INSTRUCTION_BYTES
    _prctl(_SET_SECCOMP, _MODE_FILTER, struct.pack("@HP", count, ctypes.addressof(lines)))


def _prctl(option: int, value: int, facts: bytes | None) -> None:
    unused = ctypes.c_ulong(0)
    check("prctl", libc().prctl(option, ctypes.c_ulong(value), facts, unused, unused))
