"""The system calls that a command is refused (EPERM), as a program for seccomp.

They are what commands do without and what has let others out of their sandboxes: looking into
other processes, the kernel's keyrings and loadable programs, mounting, and memory that no limit
counts. The numbers are the kernel's: `arch/x86/entry/syscalls/syscall_64.tbl` and
`include/uapi/asm-generic/unistd.h`; the program's form is `include/uapi/linux/filter.h`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, Literal

_REFUSED_ANYWHERE = {
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "pidfd_getfd": 438,
    "mount_setattr": 442,
    "memfd_secret": 447,
}
_REFUSED_X86_64 = {
    "shmget": 29,
    "ptrace": 101,
    "syslog": 103,
    "mount": 165,
    "umount2": 166,
    "add_key": 248,
    "request_key": 249,
    "keyctl": 250,
    "unshare": 272,
    "perf_event_open": 298,
    "setns": 308,
    "process_vm_readv": 310,
    "process_vm_writev": 311,
    "kcmp": 312,
    "memfd_create": 319,
    "bpf": 321,
    "userfaultfd": 323,
}
_REFUSED_AARCH64 = {
    "umount2": 39,
    "mount": 40,
    "unshare": 97,
    "syslog": 116,
    "ptrace": 117,
    "shmget": 194,
    "add_key": 217,
    "request_key": 218,
    "keyctl": 219,
    "perf_event_open": 241,
    "setns": 268,
    "process_vm_readv": 270,
    "process_vm_writev": 271,
    "kcmp": 272,
    "memfd_create": 279,
    "bpf": 280,
    "userfaultfd": 282,
}
REFUSED: Final = {
    "x86_64": _REFUSED_X86_64 | _REFUSED_ANYWHERE,
    "aarch64": _REFUSED_AARCH64 | _REFUSED_ANYWHERE,
}
"""Machine → name and number of what is refused on it."""
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_IOCTL = {"x86_64": 16, "aarch64": 29}
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
"""The ioctls that type into someone's terminal."""
_X32 = 0x40000000
"""x86-64's second numbering of the same calls begins here."""

_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOWED, _EPERM = 0x7FFF0000, 0x00050001
_INSTRUCTION = "=HBBI"
_NUMBER, _ARCH, _SECOND_ARGUMENT = 0, 4, 24
"""Where they lie in `struct seccomp_data`; of the argument the lower half, which is all of it."""

_Target = Literal["next", "allow", "refuse"]
_Line = tuple[int, int, _Target, _Target]
"""What to do, with what, and where to go on: if it holds, and if not."""


def is_known(machine: str) -> bool:
    """Whether there is a filter for such a machine, as `platform.machine()` names it."""
    return machine in REFUSED


def assemble(machine: str) -> bytes:
    """The filter for a machine that is known, as `bwrap --seccomp` reads it."""
    refused: list[_Line] = [
        (_EQUAL, number, "refuse", "next") for number in sorted(REFUSED[machine].values())
    ]
    lines: list[_Line] = [
        (_LOAD, _ARCH, "next", "next"),
        (_EQUAL, _AUDIT_ARCH[machine], "next", "refuse"),
        (_LOAD, _NUMBER, "next", "next"),
        (_AT_LEAST, _X32, "refuse", "next"),
        *refused,
        (_EQUAL, _IOCTL[machine], "next", "allow"),
        (_LOAD, _SECOND_ARGUMENT, "next", "next"),
        (_EQUAL, _TIOCSTI, "refuse", "next"),
        (_EQUAL, _TIOCLINUX, "refuse", "allow"),
    ]
    return b"".join(_encode(lines))


def _encode(lines: list[_Line]) -> Iterator[bytes]:
    """The lines, then the two that end the program: `allow`, and behind it `refuse`."""
    for line, (code, value, yes, no) in enumerate(lines):
        left = len(lines) - line - 1
        skipped = {"next": 0, "allow": left, "refuse": left + 1}
        yield struct.pack(_INSTRUCTION, code, skipped[yes], skipped[no], value)
    yield struct.pack(_INSTRUCTION, _RETURN, 0, 0, _ALLOWED)
    yield struct.pack(_INSTRUCTION, _RETURN, 0, 0, _EPERM)
