"""A program for the workshop that does as it is told."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

from bot.errors import ToolFailed


def serve(request: bytes) -> bytes:
    task, _, rest = request.partition(b" ")
    return globals()[f"_{task.decode()}"](rest)


def _echo(rest: bytes) -> bytes:
    return rest


def _refuse(rest: bytes) -> bytes:
    raise ToolFailed(rest.decode())


def _fail(_: bytes) -> bytes:
    raise ValueError("a bug")


def _print(rest: bytes) -> bytes:
    subprocess.run(["/bin/echo", "noise"], check=True)
    return rest


def _sleep(rest: bytes) -> bytes:
    Path(rest.decode()).write_text(str(os.getpid()))
    time.sleep(60)
    return b""


def _leave_a_child(rest: bytes) -> bytes:
    child = subprocess.Popen(["/bin/sleep", "60"])
    Path(rest.decode()).write_text(str(child.pid))
    return b"left"


def _allocate(_: bytes) -> bytes:
    return bytes(1024 * 1024 * 1024)


def _flood(_: bytes) -> bytes:
    return b"x" * (40 * 1024 * 1024)


def _fill_the_disk(_: bytes) -> bytes:
    with Path("big").open("wb") as file:
        for _ in range(100):
            file.write(bytes(1024 * 1024))
    return b""


def _look(_: bytes) -> bytes:
    here = Path.cwd()
    seen = {
        "environment": dict(os.environ),
        "folder": str(here),
        "files": [path.name for path in here.iterdir()],
    }
    return json.dumps(seen).encode()


def _inherit(_: bytes) -> bytes:
    """The open files beside input, errors, and where the answer goes: the first that it opens."""
    held = []
    for number in range(4, 64):
        try:
            held.append(str(Path(f"/proc/self/fd/{number}").readlink()))
        except OSError:
            continue
    return json.dumps([name for name in held if not name.startswith("/proc")]).encode()


__all__ = ["serve"]
