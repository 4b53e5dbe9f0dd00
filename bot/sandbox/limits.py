"""What one command may use."""

from __future__ import annotations

from dataclasses import dataclass

_MIB = 1024 * 1024


@dataclass(frozen=True, slots=True)
class Limits:
    """Sizes are bytes. What no limit of a single process holds back, `spare_memory` does."""

    memory: int = 512 * _MIB
    """Address space of each process."""
    processes: int = 48
    file: int = 32 * _MIB
    """Of each file that it writes."""
    cpu_seconds: int = 20
    """Of each process."""
    open_files: int = 128
    scratch: int = 64 * _MIB
    """Of /work, and of /tmp."""
    shared_memory: int = 16 * _MIB
    """Of /dev/shm."""
    output: int = _MIB
    """What it may say before it is stopped; far less of it is kept."""
    grace: float = 2.0
    """Seconds between TERM and KILL."""
    spare_memory: int | None = None
    """It is stopped when the machine has less left; None: a tenth of it, at most 1 GiB."""
