"""A program for the isolated worker that does as it is told."""

from __future__ import annotations

import json
import os
import resource
import socket
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
    os.write(1, b"noise")
    return rest


def _sleep(_: bytes) -> bytes:
    time.sleep(60)
    return b""


def _spin(_: bytes) -> bytes:
    while True:
        pass


def _leave_a_child(_: bytes) -> bytes:
    child = os.fork()
    if not child:
        os.closerange(0, 64)  # the answer comes from its parent
        time.sleep(60)
    return b"%d" % child


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


def _read(rest: bytes) -> bytes:
    return Path(rest.decode()).read_bytes()


def _list(rest: bytes) -> bytes:
    return b" ".join(bytes(path) for path in Path(rest.decode()).iterdir())


def _write(rest: bytes) -> bytes:
    return b"%d" % Path(rest.decode()).write_text("mine")


def _run(rest: bytes) -> bytes:
    return subprocess.run(rest.split(), check=True, capture_output=True).stdout


def _connect(rest: bytes) -> bytes:
    kind = {b"unix": socket.AF_UNIX, b"tcp": socket.AF_INET, b"udp": socket.AF_INET}[rest]
    with socket.socket(kind, socket.SOCK_DGRAM if rest == b"udp" else socket.SOCK_STREAM):
        return b"open"


def _signal(rest: bytes) -> bytes:
    os.kill(int(rest), 0)
    return b"there"


def _limit(rest: bytes) -> bytes:
    return str(resource.prlimit(int(rest), resource.RLIMIT_CORE, (0, 0))).encode()


def _slow_down(rest: bytes) -> bytes:
    os.setpriority(os.PRIO_PROCESS, int(rest), 0)
    return b"slow"


def _change_the_mode(rest: bytes) -> bytes:
    Path(rest.decode()).chmod(0o600)
    return b"changed"


def _touch(rest: bytes) -> bytes:
    os.utime(rest)
    return b"touched"


def _cut_off(rest: bytes) -> bytes:
    os.truncate(rest, 0)
    return b"empty"


def _pair(_: bytes) -> bytes:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.close()
    other.close()
    return b"two"


def _leave_the_group(_: bytes) -> bytes:
    """What a child of it comes to that makes a session of its own: 0 if it may, 13 if not."""
    child = os.fork()
    if child:
        return b"%d" % os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    try:
        os.setsid()
    except PermissionError:
        os._exit(13)
    os._exit(0)


def _keep(_: bytes) -> bytes:
    """Its own folder is its own: made, filled, read, renamed, emptied."""
    Path("a/b").mkdir(parents=True)
    Path("a/b/c").write_text("kept")
    Path("a/b/c").rename("d")
    kept = Path("d").read_bytes()
    Path("d").unlink()
    return kept


def _tell(task: bytes) -> bytes:
    """What came of another task: its answer, or the class of its error."""
    try:
        return serve(task)
    except OSError as error:
        return type(error).__name__.encode()


__all__ = ["serve"]
