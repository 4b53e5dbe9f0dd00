"""What the kernel says of processes (Linux, `man 5 proc`)."""

from __future__ import annotations

import contextlib
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

_PROC = Path("/proc")


def descendants(pid: int) -> list[int]:
    """The processes that a process has started, and those that they have, nearest first."""
    children: dict[int, list[int]] = defaultdict(list)
    for each in _pids():
        children[_parent(each)].append(each)
    found = children[pid]
    for each in found:  # it grows as it goes
        found.extend(children[each])
    return found


def tasks_of(uid: int) -> int:
    """How many processes and threads a user has."""
    return sum(_threads(pid) for pid in _pids() if _belongs(pid, uid))


def owner(pid: int) -> int | None:
    """The user that a process runs as; None: there is no such process."""
    fields = _status(pid)
    return int(fields["Uid"].split()[0]) if "Uid" in fields else None


def step_back(pid: int) -> None:
    """Let a process come last for the processor, and first when memory has to be freed."""
    os.setpriority(os.PRIO_PROCESS, pid, 10)
    with contextlib.suppress(PermissionError):  # where we are not root it may be too early for it
        (_PROC / str(pid) / "oom_score_adj").write_text("1000")


def spare_memory() -> tuple[int, int]:
    """The bytes of memory that may still be had, and of memory there is."""
    fields = _fields((_PROC / "meminfo").read_text())
    available, total = (int(fields[name].split()[0]) for name in ("MemAvailable", "MemTotal"))
    return available * 1024, total * 1024


def _pids() -> Iterator[int]:
    return (int(path.name) for path in _PROC.iterdir() if path.name.isdigit())


def _belongs(pid: int, uid: int) -> bool:
    try:
        return (_PROC / str(pid)).stat().st_uid == uid
    except (FileNotFoundError, ProcessLookupError):
        return False


def _threads(pid: int) -> int:
    try:
        return len(os.listdir(_PROC / str(pid) / "task"))  # noqa: PTH208 (names only, at once)
    except (FileNotFoundError, ProcessLookupError):
        return 0


def _parent(pid: int) -> int:
    return int(_status(pid).get("PPid", "0"))


def _status(pid: int) -> dict[str, str]:
    """Nothing of a process that is gone."""
    try:
        return _fields((_PROC / str(pid) / "status").read_text(errors="replace"))
    except (FileNotFoundError, ProcessLookupError):
        return {}


def _fields(text: str) -> dict[str, str]:
    pairs = (line.partition(":") for line in text.splitlines())
    return {name: value.strip() for name, _, value in pairs}
