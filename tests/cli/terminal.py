"""A terminal with `griot` in it, and a person who types."""

from __future__ import annotations

import asyncio
import contextlib
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

GRIOT = Path(sys.executable).with_name("griot")


signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started us may ignore it


class Typist:
    """A terminal with `griot` and these arguments in it."""

    def __init__(
        self, arguments: Sequence[str], environment: Mapping[str, str], folder: Path
    ) -> None:
        self._here, there = pty.openpty()
        terminal = {"TERM": "xterm-256color", "COLUMNS": "200", "LINES": "24"}
        self.process = subprocess.Popen(
            [GRIOT, *arguments],
            env={**environment, **terminal},
            cwd=folder,
            stdin=there,
            stdout=there,
            stderr=there,
            start_new_session=True,
        )
        os.close(there)
        os.set_blocking(self._here, False)
        self._seen = ""

    def type(self, text: str) -> None:
        os.write(self._here, text.encode())

    async def see(self, text: str, seconds: float = 60) -> str:
        """Wait until `text` stands in what has come since it was last waited for; what came
        before it."""
        async with asyncio.timeout(seconds):
            while text not in self._seen:
                await asyncio.sleep(0.02)
                with contextlib.suppress(BlockingIOError):
                    self._seen += os.read(self._here, 4096).decode(errors="replace")
        before, _, self._seen = self._seen.partition(text)
        return before

    def rest(self) -> str:
        """What has come and was not waited for."""
        with contextlib.suppress(BlockingIOError, OSError):
            self._seen += os.read(self._here, 65536).decode(errors="replace")
        return self._seen

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        os.close(self._here)


Run = Callable[..., "subprocess.CompletedProcess[str]"]
