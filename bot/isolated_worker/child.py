"""The process in which an isolated worker runs: `python -m … PROGRAM [online]`, once.

Before it reads what strangers sent it gives up whatever it will not need: more memory and time than
its share, every file but Python's libraries and its own folder, other programs, and, unless it is
`online`, the network.
"""

from __future__ import annotations

import os
import resource
import sys
from importlib import import_module
from typing import Final

from bot.kernel.self_sandbox import sandbox_self

KEPT: Final = b"+"
REFUSED: Final = b"-"
"""The first byte of an answer: what was asked for, or why not."""
_MEMORY = 512 * 1024 * 1024
_CPU_SECONDS = 60
_FILE = 64 * 1024 * 1024
"""Bytes of any file that it writes."""


def main(program: str, *, online: bool) -> None:
    """Read a request to its end, answer it, and end."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # an event loop may leave some of its own open
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever a library prints is no answer
    _limit_resources()
    sandbox_self("bot", program.partition(".")[0], online=online)
    answers.write(_answer(program, sys.stdin.buffer.read()))
    answers.flush()
    os._exit(0)  # clearing up would only take time


def _answer(program: str, request: bytes) -> bytes:
    from bot.errors import ToolFailed

    try:
        return KEPT + import_module(program).serve(request)
    except ToolFailed as refusal:
        return REFUSED + str(refusal).encode()


def _limit_resources() -> None:
    for kind, most in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, _CPU_SECONDS),
        (resource.RLIMIT_FSIZE, _FILE),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    main(sys.argv[1], online="online" in sys.argv[2:])
