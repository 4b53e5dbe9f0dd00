"""Each table that turns depend on is written by one module; erasing and merging by a registry."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path

from tests.architecture.modules import Module, read_modules

WRITES = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+([a-z_]+)\b")
WRITERS = {
    "lane": "bot.gateway.lanes",
    "inbox": "bot.gateway.inbox_rows",
    "turn": "bot.gateway.turn_rows",
    "outbox": "bot.gateway.outbox_rows",
    "quota": "bot.gateway.delivery.message_costs",
    "ledger": "bot.accounts.ledger",
    "account": "bot.storage.accounts",
}


WRITES_ANY = re.compile(r"\b(?:INSERT INTO|UPDATE|DELETE FROM)\s+\{")
"""Of a table whose name is put into the statement."""
WRITERS_BY_REGISTRY = {"bot.gateway.people.erasure", "bot.gateway.people.linking"}
"""They erase and merge people in every table, as `bot.gateway.people.personal_data` says."""


def find_writers(modules: Mapping[str, Module]) -> dict[str, set[str]]:
    """The modules whose SQL writes each table."""
    writers: dict[str, set[str]] = defaultdict(set)
    for module in modules.values():
        for table in WRITES.findall(module.source):
            writers[table].add(module.name)
    return writers


def test_each_table_has_its_writer() -> None:
    writers = find_writers(read_modules())
    assert {table: writers[table] for table in WRITERS} == {
        table: {writer} for table, writer in WRITERS.items()
    }


def test_only_the_registry_of_personal_data_leads_to_writes_of_any_table() -> None:
    found = {module.name for module in read_modules().values() if WRITES_ANY.search(module.source)}
    assert found == WRITERS_BY_REGISTRY


def test_a_second_writer_is_found(tmp_path: Path) -> None:
    path = tmp_path / "bot" / "second.py"
    path.parent.mkdir()
    path.write_text('SQL = """\nUPDATE lane SET fence = 1\n"""\n')
    assert find_writers(read_modules(tmp_path)) == {"lane": {"bot.second"}}
