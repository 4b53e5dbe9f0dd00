"""Restrict a process, and all that it starts, to the rights that it needs, by Landlock.

Facts: https://docs.kernel.org/userspace-api/landlock.html and `include/uapi/linux/landlock.h`. The
numbers of Landlock's calls are the same on every machine.
"""

from __future__ import annotations

import ctypes
import os
import platform
import struct
import sys
import sysconfig
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Final

from bot.kernel import seccomp
from bot.kernel.seccomp import assemble_filter, check_result, has_filter_for, load_libc

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
    files (`seccomp.REFUSED_WHEN_ALONE`), nor truncating a file by its path before Linux 6.2.

    The process must have given up new privileges (`seccomp.drop_privileges`).

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
_OF_THE_NETWORK: Final = (
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
    seccomp.drop_privileges()
    if get_landlock_version():
        restrict_files(
            read=map(Path, (*ours, *libraries, *_SYSTEM, *(_OF_THE_NETWORK if online else ()))),
            write=(Path.cwd(), Path("/dev/null")),
            online=online,
        )
    if _has_filter():
        seccomp.install_filter(assemble_filter(platform.machine(), alone=True, online=online))


def _has_filter() -> bool:
    """Return whether we know the numbers of the system calls that this process uses; a 32-bit
    program has other ones."""
    return has_filter_for(platform.machine()) and struct.calcsize("P") == 8
