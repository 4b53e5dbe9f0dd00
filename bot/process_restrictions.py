"""Restrict processes: refuse them system calls by a seccomp filter, drop privileges, and give up
files and the network by Landlock.

Facts on Landlock: https://docs.kernel.org/userspace-api/landlock.html and
`include/uapi/linux/landlock.h`. The numbers of its calls are the same on every machine.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Final, Literal


def load_libc() -> ctypes.CDLL:
    """Return the C library; its functions keep their `errno` for `check_result`."""
    return ctypes.CDLL(None, use_errno=True)


def check_result(what: str, result: int) -> int:
    """Return the result of a system call. Raises `OSError`, which names `what`, if it is
    negative."""
    if result < 0:
        raise OSError(ctypes.get_errno(), f"{what}: {os.strerror(ctypes.get_errno())}")
    return result


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
"""The refused calls of each machine: their names and numbers."""
_REFUSED_WHEN_ALONE_X86_64 = {
    "socket": 41,
    "socketpair": 53,
    "execve": 59,
    "kill": 62,
    "truncate": 76,
    "chmod": 90,
    "chown": 92,
    "lchown": 94,
    "setpgid": 109,
    "setsid": 112,
    "rt_sigqueueinfo": 129,
    "utime": 132,
    "setpriority": 141,
    "sched_setparam": 142,
    "sched_setscheduler": 144,
    "setxattr": 188,
    "lsetxattr": 189,
    "removexattr": 197,
    "lremovexattr": 198,
    "tkill": 200,
    "sched_setaffinity": 203,
    "tgkill": 234,
    "utimes": 235,
    "ioprio_set": 251,
    "fchownat": 260,
    "futimesat": 261,
    "fchmodat": 268,
    "utimensat": 280,
    "rt_tgsigqueueinfo": 297,
    "sched_setattr": 314,
    "execveat": 322,
}
_REFUSED_WHEN_ALONE_AARCH64 = {
    "setxattr": 5,
    "lsetxattr": 6,
    "removexattr": 14,
    "lremovexattr": 15,
    "ioprio_set": 30,
    "truncate": 45,
    "fchmodat": 53,
    "fchownat": 54,
    "utimensat": 88,
    "sched_setparam": 118,
    "sched_setscheduler": 119,
    "sched_setaffinity": 122,
    "kill": 129,
    "tkill": 130,
    "tgkill": 131,
    "rt_sigqueueinfo": 138,
    "setpriority": 140,
    "setpgid": 154,
    "setsid": 157,
    "socket": 198,
    "socketpair": 199,
    "execve": 221,
    "rt_tgsigqueueinfo": 240,
    "sched_setattr": 274,
    "execveat": 281,
}
_REFUSED_WHEN_ALONE_ANYWHERE = {
    "pidfd_send_signal": 424,
    "fchmodat2": 452,
    "setxattrat": 463,
    "removexattrat": 466,
}
REFUSED_WHEN_ALONE: Final = {
    "x86_64": _REFUSED_WHEN_ALONE_X86_64 | _REFUSED_WHEN_ALONE_ANYWHERE,
    "aarch64": _REFUSED_WHEN_ALONE_AARCH64 | _REFUSED_WHEN_ALONE_ANYWHERE,
}
"""The calls that are also refused to a process that works alone: calls that start programs, reach
other processes or slow them down, or change files by path in ways that Landlock does not cover."""
IOCTL: Final = {"x86_64": 16, "aarch64": 29}
CLONE: Final = {"x86_64": 56, "aarch64": 220}
PRLIMIT: Final = {"x86_64": 302, "aarch64": 261}
CLONE3: Final = 435
"""Calls that are refused for some arguments only; clone3 is always reported as unknown."""
_AUDIT_ARCH = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_TIOCSTI, _TIOCLINUX = 0x5412, 0x541C
"""The ioctls that type into a terminal."""
_NAMESPACES = 0x7E020080
"""The flags of clone(2) that make new namespaces."""
_INTERNET = (2, 10)
_NETLINK = 16
"""Families of sockets; by netlink a process reads the machine's own addresses."""
_UNIX = 1
_STREAM, _KIND = 1, 0xF
_X32 = 0x40000000
"""The first number of x86-64's second numbering of the same calls."""
_LOAD, _AND, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_ALLOWED, _EPERM, _ENOSYS = 0x7FFF0000, 0x00050001, 0x00050026
_INSTRUCTION = "=HBBI"
_NUMBER, _ARCH, _FIRST_ARGUMENT, _SECOND_ARGUMENT = 0, 4, 16, 24
"""Offsets in `struct seccomp_data`; of an argument, that of the lower half, which is all of it."""
_Target = Literal["next", "allow", "refuse", "unknown"] | int
"""The line to go on with; a number: so many lines further."""
_Line = tuple[int, int, _Target, _Target]
"""An instruction, its value, and the targets if its condition holds and if not."""


def has_filter_for(machine: str) -> bool:
    """Return whether there is a filter for this machine, as `platform.machine()` names it."""
    return machine in REFUSED


def assemble_filter(machine: str, *, alone: bool = False, online: bool = False) -> bytes:
    """Return the filter for a known machine, in the form of `bwrap --seccomp` and the kernel.

    Args:
        alone: the filter is for a process that works alone: one that starts no program, reaches no
            other process, changes files by path only as Landlock allows, and has no network.
        online: the process has the network nevertheless.
    """
    refused = set(REFUSED[machine].values())
    decided = _decide(IOCTL[machine], _TERMINALS)
    if alone:
        refused.update(REFUSED_WHEN_ALONE[machine].values())
        decided += _decide(PRLIMIT[machine], _ONLY_ITSELF) + _decide(CLONE[machine], _NO_NAMESPACE)
        decided.append((_EQUAL, CLONE3, "unknown", "next"))  # glibc takes clone instead
    socket, pair = (REFUSED_WHEN_ALONE[machine][name] for name in ("socket", "socketpair"))
    if not alone:
        decided += _decide(socket, _OF_A_NAMESPACE)
    elif online:
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
_OF_A_NAMESPACE: Final[list[_Line]] = [
    (_LOAD, _FIRST_ARGUMENT, "next", "next"),
    (_EQUAL, _UNIX, "allow", "next"),
    *_OF_THE_NETWORK[1:],
]
"""Sockets that a network namespace holds. Others reach the host of a virtual machine (AF_VSOCK), or
parts of the kernel that few use (AF_ALG)."""
_ONLY_STREAMS: Final[list[_Line]] = [
    (_LOAD, _SECOND_ARGUMENT, "next", "next"),
    (_AND, _KIND, "next", "next"),
    (_EQUAL, _STREAM, "allow", "refuse"),
]


def _decide(number: int, lines: list[_Line]) -> list[_Line]:
    """Return the lines, applied to this call only; they end in a decision."""
    return [(_EQUAL, number, "next", len(lines)), *lines]


def _encode(lines: list[_Line]) -> Iterator[bytes]:
    """Yield the lines, then the three that end the program: `allow`, `refuse`, `unknown`."""
    for line, (code, value, yes, no) in enumerate(lines):
        left = len(lines) - line - 1
        ends = {"next": 0, "allow": left, "refuse": left + 1, "unknown": left + 2}
        then, other = (ends[to] if isinstance(to, str) else to for to in (yes, no))
        yield struct.pack(_INSTRUCTION, code, then, other, value)
    for answer in (_ALLOWED, _EPERM, _ENOSYS):
        yield struct.pack(_INSTRUCTION, _RETURN, 0, 0, answer)


_SET_NO_NEW_PRIVS, _SET_SECCOMP = 38, 22
_MODE_FILTER = 2
_INSTRUCTION_BYTES = 8
_CAPABILITY_VERSION = 0x20080522


def drop_privileges() -> None:
    """Give up root's capabilities, and the ability to gain privileges by set-user-ID programs.

    Raises:
        OSError: the kernel refuses.
    """
    _prctl(_SET_NO_NEW_PRIVS, 1, None)
    nothing = bytes(24)  # two sets of 32 capabilities: effective, permitted, inheritable
    check_result("capset", load_libc().capset(struct.pack("=Ii", _CAPABILITY_VERSION, 0), nothing))


def install_filter(program: bytes) -> None:
    """Make the kernel apply a filter (`assemble_filter`) to each call, after `drop_privileges`.

    Raises:
        OSError: the kernel refuses the filter.
    """
    lines = ctypes.create_string_buffer(program, len(program))
    count = len(program) // _INSTRUCTION_BYTES
    _prctl(_SET_SECCOMP, _MODE_FILTER, struct.pack("@HP", count, ctypes.addressof(lines)))


def _prctl(option: int, value: int, facts: bytes | None) -> None:
    unused = ctypes.c_ulong(0)
    check_result("prctl", load_libc().prctl(option, ctypes.c_ulong(value), facts, unused, unused))


# Landlock ----------------------------------------------------------------------------------------

_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_ASK_VERSION = 1
_PATH_BENEATH = 1
_READ: Final = 1 << 2 | 1 << 3
"""The rights to read files, and to list folders."""
_OF_FILES: Final = 1 << 0 | 1 << 1 | 1 << 2 | 1 << 14 | 1 << 15
"""Rights that a rule for a single file may have."""
_ALL_RIGHTS: Final = {1: 1 << 13, 2: 1 << 14, 3: 1 << 15, 5: 1 << 16}
"""Maps versions of the interface to the bit below which all rights are known since then."""
_NEVER: Final = 1 << 0 | 1 << 6 | 1 << 11
"""The rights to run a file, and to make a device."""
_TCP, _SCOPES = 0b11, 0b11
"""Bind and connect; abstract sockets of other processes, and signals to them."""


def get_landlock_version() -> int:
    """Return the version of the kernel's interface; 0 where it has none, or it is switched off."""
    if sys.platform != "linux":
        return 0
    found = load_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), _ASK_VERSION)
    return max(int(found), 0)


def restrict_files(*, read: Iterable[Path], write: Iterable[Path], online: bool = False) -> None:
    """Give up access to every file but those below `read` (reading only) and `write` (everything
    but running), and, where the kernel can, TCP (unless `online`) and signals to other processes.
    Paths that cannot be reached are left out. Landlock does not cover modes, owners and times of
    files (`REFUSED_WHEN_ALONE`), nor truncating a file by its path before Linux 6.2.

    The process must have given up new privileges (`drop_privileges`).

    Raises:
        OSError: the kernel refuses.
    """
    known = get_landlock_version()
    handled = max(bits for since, bits in _ALL_RIGHTS.items() if since <= known) - 1
    nets = _TCP if known >= 4 and not online else 0
    scopes = _SCOPES if known >= 6 else 0
    facts = struct.pack("=QQQ", handled, nets, scopes)
    ruleset = _call(_CREATE_RULESET, facts, ctypes.c_size_t(len(facts)), 0)
    try:
        for path in read:
            _allow(ruleset, path, _READ)
        for path in write:
            _allow(ruleset, path, handled & ~_NEVER)
        _call(_RESTRICT_SELF, ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: Path, rights: int) -> None:
    try:
        place = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return  # a path that cannot be opened need not be granted
    try:
        granted = rights if path.is_dir() else rights & _OF_FILES
        _call(_ADD_RULE, ruleset, _PATH_BENEATH, struct.pack("=Qi", granted, place), 0)
    finally:
        os.close(place)


def _call(number: int, *arguments: object) -> int:
    return check_result("Landlock", load_libc().syscall(number, *arguments))


_LIBRARIES: Final = ("stdlib", "platstdlib", "purelib", "platlib")
_SYSTEM: Final = (
    *("/usr/lib", "/usr/share", "/usr/local/lib", "/usr/local/share", "/lib", "/lib64"),
    *("/etc/fonts", "/etc/mime.types", "/etc/localtime", "/etc/ld.so.cache", "/dev/urandom"),
)
"""Paths that libraries read: libraries, fonts, time zones; no personal data."""
_NETWORK_FILES: Final = (
    *("/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/ssl", "/etc/pki", "/run/systemd/resolve"),
)


def is_sandbox_possible() -> bool:
    """Return whether the kernel has Landlock and there is a filter of system calls for the
    machine."""
    return get_landlock_version() > 0 and _has_filter()


def sandbox_self(*packages: str, online: bool = False) -> None:
    """Give up, for good, every file but the libraries, these packages of ours (to be read) and the
    current folder, and with them other programs, other processes, and the network. Rights that the
    kernel cannot refuse remain.

    It holds for this thread and what it starts: call it before there are others.

    Args:
        online: keep the network, and the files that are read to reach it.

    Raises:
        OSError: the kernel refuses; the process must not work on strangers' data then.
    """
    if sys.platform != "linux":
        return
    ours = [folder for package in packages for folder in import_module(package).__path__]
    libraries = map(sysconfig.get_path, _LIBRARIES)
    drop_privileges()
    if get_landlock_version():
        restrict_files(
            read=map(Path, (*ours, *libraries, *_SYSTEM, *(_NETWORK_FILES if online else ()))),
            write=(Path.cwd(), Path("/dev/null")),
            online=online,
        )
    if _has_filter():
        install_filter(assemble_filter(platform.machine(), alone=True, online=online))


def _has_filter() -> bool:
    """Return whether we know the numbers of the system calls that this process uses; a 32-bit
    program has other ones."""
    return has_filter_for(platform.machine()) and struct.calcsize("P") == 8
