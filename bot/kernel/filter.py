"""What a process is refused (EPERM) of system calls, as a program for seccomp.

A command does without what is refused, and it is what has let others out of their sandboxes:
looking into other processes, the kernel's keyrings and loadable programs, mounting, and memory that
no limit counts. The program's form is `include/uapi/linux/filter.h`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Final, Literal

from bot.kernel.calls import APART, CLONE, CLONE3, IOCTL, PRLIMIT, REFUSED

_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
"""The ioctls that type into someone's terminal."""
_NAMESPACES = 0x7E020080
"""The flags of clone(2) that begin new ones."""
_INTERNET = (2, 10)
_NETLINK = 16
"""Families of sockets; the last tells of the machine's own addresses."""
_STREAM, _KIND = 1, 0xF
_X32 = 0x40000000
"""x86-64's second numbering of the same calls begins here."""

_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOWED, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
_INSTRUCTION = "=HBBI"
_NUMBER, _ARCH, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
"""Where they lie in `struct seccomp_data`; of an argument the lower half, which is all of it."""

_Target = Literal["next", "allow", "refuse", "unknown"] | int
"""Where to go on; a number: so many lines further."""
_Line = tuple[int, int, _Target, _Target]
"""What to do, with what, and where to go on: if it holds, and if not."""


def is_known(machine: str) -> bool:
    """Whether there is a filter for such a machine, as `platform.machine()` names it."""
    return machine in REFUSED


def assemble(machine: str, *, apart: bool = False, online: bool = False) -> bytes:
    """The filter for a machine that is known, as `bwrap --seccomp` and the kernel read it.

    Args:
        apart: it is for a process that works alone: one that starts no program, reaches no other
            process, changes nothing by its name but what Landlock leaves it, and has no network.
        online: it has the network nevertheless.
    """
    refused = set(REFUSED[machine].values())
    decided = _decide(IOCTL[machine], _TERMINALS)
    if apart:
        refused.update(APART[machine].values())
        decided += _decide(PRLIMIT[machine], _ONLY_ITSELF) + _decide(CLONE[machine], _NO_NAMESPACE)
        decided.append((_EQUAL, CLONE3, "unknown", "next"))  # glibc takes clone instead
    if apart and online:
        socket, pair = (APART[machine][name] for name in ("socket", "socketpair"))
        refused -= {socket, pair}
        decided += _decide(socket, _OF_THE_NETWORK) + _decide(pair, _ONLY_STREAMS)
    lines: list[_Line] = [
        (_LOAD, _ARCH, "next", "next"),
        (_EQUAL, _AUDIT_ARCH[machine], "next", "refuse"),
        (_LOAD, _NUMBER, "next", "next"),
        (_AT_LEAST, _X32, "refuse", "next"),
        *((_EQUAL, number, "refuse", "next") for number in sorted(refused)),
        *decided,
    ]
    return b"".join(_encode(lines))


_TERMINALS: Final[list[_Line]] = [
    (_LOAD, _SECOND_ARGUMENT, "next", "next"),
    (_EQUAL, _TIOCSTI, "refuse", "next"),
    (_EQUAL, _TIOCLINUX, "refuse", "allow"),
]
_ONLY_ITSELF: Final[list[_Line]] = [
    (_LOAD, _FIRST_ARGUMENT, "next", "next"),
    (_EQUAL, 0, "allow", "refuse"),
]
_NO_NAMESPACE: Final[list[_Line]] = [
    (_LOAD, _FIRST_ARGUMENT, "next", "next"),
    (_ANY_BIT, _NAMESPACES, "refuse", "allow"),
]
_OF_THE_NETWORK: Final[list[_Line]] = [
    (_LOAD, _FIRST_ARGUMENT, "next", "next"),
    *((_EQUAL, family, "allow", "next") for family in _INTERNET),
    (_EQUAL, _NETLINK, "allow", "refuse"),
]
_ONLY_STREAMS: Final[list[_Line]] = [
    (_LOAD, _SECOND_ARGUMENT, "next", "next"),
    (_AND, _KIND, "next", "next"),
    (_EQUAL, _STREAM, "allow", "refuse"),
]


def _decide(number: int, lines: list[_Line]) -> list[_Line]:
    """The lines, for this call only; they end in a decision."""
    return [(_EQUAL, number, "next", len(lines)), *lines]


def _encode(lines: list[_Line]) -> Iterator[bytes]:
    """The lines, then the three that end the program: `allow`, `refuse`, `unknown`."""
    for line, (code, value, yes, no) in enumerate(lines):
        left = len(lines) - line - 1
        ends = {"next": 0, "allow": left, "refuse": left + 1, "unknown": left + 2}
        then, other = (ends[to] if isinstance(to, str) else to for to in (yes, no))
        yield struct.pack(_INSTRUCTION, code, then, other, value)
    for answer in (_ALLOWED, _EPERM, _ENOSYS):
        yield struct.pack(_INSTRUCTION, _RETURN, 0, 0, answer)
