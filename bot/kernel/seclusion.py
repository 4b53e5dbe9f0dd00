"""A process that works alone on what strangers sent: with Python's libraries, its own folder, and
nothing else of the machine."""

from __future__ import annotations

import platform
import struct
import sys
import sysconfig
from importlib import import_module
from pathlib import Path
from typing import Final

from bot.kernel import landlock, seccomp
from bot.kernel.filter import assemble, is_known

_LIBRARIES: Final = ("stdlib", "platstdlib", "purelib", "platlib")
_SYSTEM: Final = (
    *("/usr/lib", "/usr/share", "/usr/local/lib", "/usr/local/share", "/lib", "/lib64"),
    *("/etc/fonts", "/etc/mime.types", "/etc/localtime", "/etc/ld.so.cache", "/dev/urandom"),
)
"""What libraries read: libraries, fonts, time zones. Nobody's data lies there."""
_OF_THE_NETWORK: Final = (
    *("/etc/hosts", "/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/host.conf", "/etc/gai.conf"),
    *("/etc/services", "/etc/ssl", "/etc/pki", "/run/systemd/resolve"),
)


def is_possible() -> bool:
    """Whether all of it can be had: a kernel with Landlock, and a filter of system calls."""
    return landlock.version() > 0 and _has_filter()


def seclude(*packages: str, online: bool = False) -> None:
    """Give up, for good, every file but the libraries, these packages of ours (to be read) and the
    current folder, and with them other programs, other processes, and the network. What the machine
    does not know how to refuse is left.

    It holds for this thread and what it starts: call it before there are others.

    Args:
        online: keep the network, and what is read to reach it.

    Raises:
        OSError: the kernel refuses; nothing of strangers may be worked on then.
    """
    if sys.platform != "linux":
        return
    ours = [folder for package in packages for folder in import_module(package).__path__]
    libraries = map(sysconfig.get_path, _LIBRARIES)
    seccomp.renounce()
    if landlock.version():
        landlock.restrict(
            read=map(Path, (*ours, *libraries, *_SYSTEM, *(_OF_THE_NETWORK if online else ()))),
            write=(Path.cwd(), Path("/dev/null")),
            online=online,
        )
    if _has_filter():
        seccomp.install(assemble(platform.machine(), apart=True, online=online))


def _has_filter() -> bool:
    """Of a machine whose numbers of calls we know, and use: a program of 32 bits has others."""
    return is_known(platform.machine()) and struct.calcsize("P") == 8
