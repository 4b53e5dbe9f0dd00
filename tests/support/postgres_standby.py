"""A primary and a synchronous standby: what the one says is committed is on the other's disk."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.support.postgres_server import PostgresServer, start_postgres

_SECONDS = 60.0
_NAME = "standby"
_SYNCHRONOUS = "SELECT 1 / count(*) FROM pg_stat_replication WHERE sync_state = 'sync'"
_PROMOTED = "SELECT 1 / (NOT pg_is_in_recovery())::int"


class Standby(PostgresServer):
    """Follows `primary` until it is promoted."""

    def __init__(self, folder: Path, primary: PostgresServer) -> None:
        self._primary = primary
        super().__init__(folder, durable=True)

    def promote(self) -> None:
        """Be the primary from now on."""
        self._psql("SELECT pg_promote(wait => false)")
        _await(self, _PROMOTED)

    def _create_cluster(self) -> None:
        host, port = self._primary.address.split(":")
        source = f"host={host} port={port} user=postgres application_name={_NAME}"
        data = self._own_data_folder()
        self._run("pg_basebackup", "-D", data, "-d", source, "-R", "-c", "fast", "--no-sync")


@dataclass
class Pair:
    primary: PostgresServer
    standby: Standby
    switch_to: Callable[[str], None] = lambda _: None
    """Called with the address of the new primary, by whoever promotes it."""

    def url_of_both(self, database_url: str) -> str:
        """Whichever of the two is the primary, for a database of the first."""
        before, _, database = database_url.rpartition("@")[2].partition("/")
        assert before == self.primary.address
        hosts = f"{self.primary.address},{self.standby.address}"
        return f"postgresql://postgres@{hosts}/{database}?target_session_attrs=primary"


@contextlib.contextmanager
def start_pair() -> Iterator[Pair]:
    with start_postgres(durable=True) as primary:
        folder = Path(tempfile.mkdtemp(prefix="griot-standby-", dir="/tmp"))
        try:
            standby = Standby(folder, primary)
            try:
                primary.configure("synchronous_standby_names", _NAME)
                _await(primary, _SYNCHRONOUS)
                yield Pair(primary, standby)
            finally:
                standby.stop()
        finally:
            shutil.rmtree(folder)


def _await(server: PostgresServer, sql: str) -> None:
    """Until the query no longer fails."""
    deadline = time.monotonic() + _SECONDS
    while not server.try_in(server.url, sql):
        assert time.monotonic() < deadline, f"{sql} failed for {_SECONDS} s"
        time.sleep(0.05)
