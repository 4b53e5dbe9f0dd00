"""What runs apart from the process: our own programs, and people's commands, shut in."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol


class Workshop(Protocol):
    async def run(
        self, program: str, request: bytes, *, seconds: float = 30.0, online: bool = False
    ) -> bytes:
        """What `serve(request)` of our module `program` returns, in a process that may be killed.
        It has the network only if it is `online`, where the kernel can refuse it.

        Raises `ToolFailed`: the program refuses the request, or goes beyond its limits."""
        ...


Stopped = Literal["time", "output", "memory", "shutdown", "lost"]
"""Why a command was stopped: it took too long, said too much, left too little memory to others, or
Griot itself stops; or it is lost with the process that ran it."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a command in the sandbox ended."""

    output: str
    """What it said on stdout and stderr: at most 3,800 characters, its beginning and its end."""
    status: int | None
    """Its exit status as a shell tells it; None: it was stopped."""
    stopped: Stopped | None
    seconds: float
    """How long it ran."""


class Sandbox(Protocol):
    """Runs shell commands shut in: no network, no files of ours, nothing left afterwards."""

    async def why_closed(self) -> str:
        """Why no command can run here, for operators; empty: they can."""
        ...

    async def run(self, command: str, *, seconds: float, show: Callable[[str], None]) -> Outcome:
        """Run a command for at most `seconds`, and show what it says meanwhile.

        Raises `ToolFailed`: nothing ran (closed, busy, not a command)."""
        ...

    async def start(self, command: str, *, lane: str, key: str) -> str:
        """Run a command in the background, one a lane, and return its id; its end is reported to
        whoever made the sandbox. The same `key` starts it once while it runs.

        Raises `ToolFailed`: nothing was started."""
        ...
