"""Define the limits of a command, and compose the bubblewrap command line that runs it."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Final

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes in bytes. `spare_memory` limits a command whose processes each stay within limits."""

    memory: int = 512 * _MIB
    """Address space of each process."""
    processes: int = 48
    file: int = 32 * _MIB
    """Size of each file that it writes."""
    cpu_seconds: int = 20
    """CPU time of each process; a process that ignores the signal at its end has a second more."""
    open_files: int = 128
    scratch: int = 64 * _MIB
    """Size of /work, and of /tmp."""
    shared_memory: int = 16 * _MIB
    """Size of /dev/shm."""
    output: int = _MIB
    """Size of output above which it is stopped; far less of it is kept."""
    grace: float = 2.0
    """Seconds between TERM and KILL."""
    spare_memory: int | None = None
    """Memory left at which the command is stopped; None: a tenth of it, at most 1 GiB."""


PROGRAMS: Final = ("bwrap", "setpriv", "prlimit")
"""Programs that must be installed."""
_PATH = "/usr/bin:/bin:/usr/local/bin"
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "HOME": "/work", "LANG": "C.UTF-8"}
"""The whole environment of a command."""
_FIRST_PROCESS = 'echo; read -r || exit; exec < /dev/null; /bin/bash -c -- "$1"; exit $?'
"""The script of process 1 inside. It prints a line and waits for one: from then on it dies with
bubblewrap, and without our line the command does not start. It ends when the command does, and
everything left inside ends with it. The command itself is an ordinary process, unlike process 1."""


@dataclass(frozen=True, slots=True)
class InheritedFiles:
    """The descriptors of open files that bubblewrap inherits."""

    status: int
    """Bubblewrap writes here, once, which process is process 1 inside."""
    filter: int
    """Bubblewrap reads the filter of system calls from here."""


def list_missing_programs() -> list[str]:
    """Return the required programs that are not installed."""
    return [name for name in PROGRAMS if not _find(name)]


def compose_command(
    command: bytes, limits: Limits, uid: int | None, ends: InheritedFiles
) -> list[str | bytes]:
    """Return the program and arguments that run `command` in the sandbox.

    Bubblewrap's options: https://github.com/containers/bubblewrap/blob/main/bwrap.xml.

    Args:
        uid: the user to run as; None: the current user, who must not be root.
    """
    user = [] if uid is None else [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    scratch = str(limits.scratch)
    environment = [word for each in ENVIRONMENT.items() for word in ("--setenv", *each)]
    return [
        *(_find("setpriv"), *user, "--no-new-privs", "--"),
        *_limit(limits),
        _find("bwrap"),
        *("--json-status-fd", str(ends.status), "--seccomp", str(ends.filter)),
        *("--unshare-all", "--unshare-user", "--disable-userns"),
        *("--uid", "65534", "--gid", "65534"),
        *("--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"),
        *("--clearenv", *environment),
        *("--ro-bind", "/usr", "/usr", "--symlink", "usr/bin", "/bin"),
        *("--symlink", "usr/lib", "/lib", "--symlink", "usr/lib64", "/lib64"),
        *("--proc", "/proc", "--ro-bind", "/proc/sys", "/proc/sys"),
        *("--dev", "/dev", "--size", str(limits.shared_memory), "--tmpfs", "/dev/shm"),  # noqa: S108 (inside)
        *("--remount-ro", "/dev"),
        *("--size", scratch, "--tmpfs", "/tmp"),  # noqa: S108 (inside)
        *("--size", scratch, "--tmpfs", "/work", "--chdir", "/work"),
        *("--remount-ro", "/", "--"),
        *("/bin/bash", "-c", _FIRST_PROCESS, "bash", command),
    ]


def _find(program: str) -> str:
    return shutil.which(program, path=_PATH) or ""


def _limit(limits: Limits) -> list[str]:
    return [
        _find("prlimit"),
        f"--as={limits.memory}",
        f"--nproc={limits.processes}",
        f"--fsize={limits.file}",
        f"--cpu={limits.cpu_seconds}:{limits.cpu_seconds + 1}",
        f"--nofile={limits.open_files}",
        "--core=0",
        "--",
    ]
