"""The command line that shuts a command in.

From the outside in: `setpriv` (never root), `prlimit`, `bwrap` (bubblewrap: own namespaces, an
empty root with the machine's /usr to read), and a shell that is process 1 inside. All of that is
fixed; what a stranger says is only the last word.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from typing import Final

from bot.sandbox.limits import Limits

PROGRAMS: Final = ("bwrap", "setpriv", "prlimit")
"""What must be installed."""
_PATH = "/usr/bin:/bin:/usr/local/bin"
ENVIRONMENT: Final = {"PATH": "/usr/bin:/bin", "HOME": "/work", "LANG": "C.UTF-8"}
"""All that a command finds in its environment."""
_FIRST_PROCESS = 'echo; read -r || exit; exec < /dev/null; /bin/bash -c -- "$1"; exit $?'
"""What process 1 inside does. It says that it is there and waits for a word: from then on it dies
with bubblewrap, and without us it goes no further. It ends when the command does, and all that is
left inside ends with it. The command itself is an ordinary process, which process 1 is not."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The file descriptors that bubblewrap is handed."""

    status: int
    """It says there, once, which process is process 1 inside."""
    filter: int
    """It reads there which system calls are refused."""


def missing() -> list[str]:
    """The programs that are needed and not installed."""
    return [name for name in PROGRAMS if not _find(name)]


def compose(command: bytes, limits: Limits, uid: int | None, ends: Ends) -> list[str | bytes]:
    """The program and arguments that run `command` shut in.

    Args:
        uid: the user to become; None: stay who we are, which must not be root.
    """
    return [
        *_become(uid),
        *_limit(limits),
        *_isolate(limits, ends),
        *("/bin/bash", "-c", _FIRST_PROCESS, "bash", command),
    ]


def _find(program: str) -> str:
    return shutil.which(program, path=_PATH) or ""


def _become(uid: int | None) -> list[str]:
    user = [] if uid is None else [f"--reuid={uid}", f"--regid={uid}", "--clear-groups"]
    return [_find("setpriv"), *user, "--no-new-privs", "--"]


def _limit(limits: Limits) -> list[str]:
    return [
        _find("prlimit"),
        f"--as={limits.memory}",
        f"--nproc={limits.processes}",
        f"--fsize={limits.file}",
        f"--cpu={limits.cpu_seconds}",
        f"--nofile={limits.open_files}",
        "--core=0",
        "--",
    ]


def _isolate(limits: Limits, ends: Ends) -> list[str]:
    """Bubblewrap's own line: https://github.com/containers/bubblewrap/blob/main/bwrap.xml."""
    scratch = str(limits.scratch)
    environment = [word for each in ENVIRONMENT.items() for word in ("--setenv", *each)]
    return [
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
    ]
