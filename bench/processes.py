"""Other processes: started, pinned to a core, measured from the outside, ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Generator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path

from bench.peers import ROOT

_TICK = os.sysconf("SC_CLK_TCK")
_CORES = sorted(os.sched_getaffinity(0))
MEASURED = {_CORES[0]}
"""The core of what is measured; everything else has the others, if there are any."""
OTHERS = set(_CORES[1:]) or MEASURED


@contextmanager
def running(
    *command: str,
    cores: set[int] = OTHERS,
    env: Mapping[str, str] | None = None,
    cwd: Path = ROOT,
    log: Path | None = None,
) -> Generator[subprocess.Popen[str]]:
    """The process while the context is open; SIGTERM ends it, SIGKILL if that does not.

    Args:
        cores: where it may run.
        log: takes its standard error, which is shown otherwise.
    """
    with log.open("a") if log else nullcontext() as stderr:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=stderr, text=True, env=env, cwd=cwd
        )
    os.sched_setaffinity(process.pid, cores)
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        try:
            process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.communicate()


@contextmanager
def serving(module: str, *arguments: str) -> Generator[int]:
    """A module of ours that serves, and prints its port first; the port."""
    with running(sys.executable, "-m", module, *arguments) as process:
        assert process.stdout is not None
        yield int(process.stdout.readline())


def output_of(python: Path | str, module: str, *arguments: str, cores: set[int] = OTHERS) -> str:
    """What a module of ours prints when it is run to its end. Raises `CalledProcessError`."""
    command = (str(python), "-m", module, *arguments)
    with running(*command, cores=cores) as process:
        printed, _ = process.communicate()
        if process.returncode != 0:
            raise subprocess.CalledProcessError(process.returncode, command)
        return printed


def cpu_seconds(pid: int) -> float:
    """User and system time that a process has used, all its threads together (proc(5))."""
    fields = _stat(pid)
    return (int(fields[11]) + int(fields[12])) / _TICK


def family_cpu_seconds(pid: int) -> float:
    """The same with its children, the living and the dead."""
    fields = _stat(pid)
    total = cpu_seconds(pid) + (int(fields[13]) + int(fields[14])) / _TICK
    return total + sum(family_cpu_seconds(child) for child in list_children(pid))


def rss_kb(pid: int) -> int:
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") // 1024


def list_children(pid: int) -> list[int]:
    """Process ids of those that this process has started and that still run."""
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def _stat(pid: int) -> list[str]:
    """The fields after the command's name, which may hold anything."""
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
