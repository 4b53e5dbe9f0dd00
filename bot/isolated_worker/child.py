"""The process of an isolated worker: `python -m … PROGRAM [online]` answers one request; with `warm
SECONDS` it answers one after another, each within so many seconds of CPU time.

Before it reads an untrusted request it gives up all that it does not need: memory and time beyond
its share, all files except Python's libraries and its own folder, other programs, and, unless it is
`online`, the network.
"""

from __future__ import annotations

import os
import resource
import signal
import struct
import sys
from importlib import import_module
from typing import BinaryIO, Final

from bot.process_restrictions import sandbox_self

KEPT: Final = b"+"
REFUSED: Final = b"-"
"""The first byte of an answer: the result follows, or the reason of a refusal."""
LENGTH: Final = struct.Struct("<I")
"""Header of each request and each answer of a warm process: its length in bytes."""
_MEMORY = 512 * 1024 * 1024
_CPU_SECONDS = 60
_FILE = 64 * 1024 * 1024
"""Most bytes of any file that it writes."""


def main(program: str, *, online: bool) -> None:
    """Read a request to its end, answer it, and exit."""
    answers = _take_output()
    _limit_resources()
    sandbox_self("bot", program.partition(".")[0], online=online)
    answers.write(_answer(program, sys.stdin.buffer.read()))
    answers.flush()
    os._exit(0)  # cleaning up would only take time


def serve_warm(program: str, seconds: float) -> None:
    """Load the program, report that with an empty answer, and answer requests until the input ends.

    A request that takes longer than `seconds` of CPU time ends the process, and so does the end of
    its parent, which closes the pipe.
    """
    answers = _take_output()
    _limit_resources(cpu_seconds=resource.RLIM_INFINITY)
    sandbox_self("bot", program.partition(".")[0], online=False)
    import_module(program)
    _write_answer(answers, b"")
    requests = sys.stdin.buffer
    while len(head := requests.read(LENGTH.size)) == LENGTH.size:
        request = requests.read(LENGTH.unpack(head)[0])
        signal.setitimer(signal.ITIMER_PROF, seconds)  # its signal ends the process
        answer = _answer(program, request)
        signal.setitimer(signal.ITIMER_PROF, 0)
        _write_answer(answers, answer)
    os._exit(0)


def _take_output() -> BinaryIO:
    """Return the standard output for answers, and close or redirect all else that is open."""
    os.closerange(3, os.sysconf("SC_OPEN_MAX"))  # an event loop may leave files of its own open
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints must not get into the answer
    return answers


def _write_answer(answers: BinaryIO, answer: bytes) -> None:
    answers.write(LENGTH.pack(len(answer)) + answer)
    answers.flush()


def _answer(program: str, request: bytes) -> bytes:
    from bot.errors import ToolFailed

    try:
        return KEPT + import_module(program).serve(request)
    except ToolFailed as refusal:
        return REFUSED + str(refusal).encode()


def _limit_resources(cpu_seconds: int = _CPU_SECONDS) -> None:
    for kind, most in (
        (resource.RLIMIT_AS, _MEMORY),
        (resource.RLIMIT_CPU, cpu_seconds),
        (resource.RLIMIT_FSIZE, _FILE),
        (resource.RLIMIT_NOFILE, 64),
        (resource.RLIMIT_CORE, 0),
    ):
        resource.setrlimit(kind, (most, most))


if __name__ == "__main__":
    if sys.argv[2:3] == ["warm"]:
        serve_warm(sys.argv[1], float(sys.argv[3]))
    main(sys.argv[1], online="online" in sys.argv[2:])
