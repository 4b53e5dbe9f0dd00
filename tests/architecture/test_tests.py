"""What tests hold to: SQL in two places, shared code in tests/support, nothing private."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.architecture.modules import ROOT

Trees = Mapping[str, ast.Module]
"""Modules of tests by their path from the root of the repository."""

SQL = re.compile(
    r"(?:^|\()\s*(?:SELECT|INSERT INTO|UPDATE\s+\w+\s+SET|DELETE FROM)\s", re.MULTILINE
)
QUERIES = "tests/support/queries.py"
SERVERS = {
    "tests/chaos/gate.py": "stops transactions inside PostgreSQL",
    "tests/support/databases.py": "empties databases of PostgreSQL, whatever their tables are",
    "tests/support/postgres_server.py": "reloads the server's settings",
    "tests/support/postgres_standby.py": "watches and promotes a standby",
}
"""Run servers of PostgreSQL, which are told so in SQL; they name no table of the product."""

OTHER_LIBRARIES = {
    "_charts": "openpyxl: charts of a sheet that was read",
    "_element": "python-docx, python-pptx: the XML of a part",
    "_exit": "os: end a process at once",
    "_from": "openpyxl: where a chart begins",
    "_handler_coroutine": "aiosmtpd: the task of a connection",
    "_p": "python-docx, python-pptx: the XML of a paragraph",
    "_r": "python-docx: the XML of a run",
    "_replace": "named tuples: public in spite of its name",
    "_spTree": "python-pptx: the XML of a slide's shapes",
    "_tbl": "python-docx: the XML of a table",
    "_tc": "python-docx: the XML of a cell",
    "_tr": "python-docx: the XML of a row",
}
PRIVATE_ON_PURPOSE = {
    "tests/adapters/test_twilio_client.py: _target": "the other way leads to Twilio's own hosts",
    "tests/adapters/test_twilio_media.py: _next": "an answer of Twilio's own host is made up",
    "tests/adapters/test_twilio_media.py: _own": "the other way leads to Twilio's own hosts",
    "tests/adapters/test_whatsapp_media.py: _own": "the other way leads to Meta's own hosts",
    "tests/agent/test_mcp_transports_connection.py: _tasks": "a task that cannot be cancelled",
    "tests/documents/test_typesetter.py: _child": "the process is named nowhere else",
    "tests/gateway/commands/test_progress_charts.py: _child": "the process is named nowhere else",
    "tests/learning/test_subjects.py: _WORDS": "the table itself is checked",
    "tests/learning/test_subjects.py: _names": "the table itself is checked",
    "tests/sandbox/test_sandboxed_process.py: _FIRST_PROCESS": "its script is made to listen early",
    "tests/sandbox/test_sandboxed_process.py: _spawn": "how a start fails halfway",
    "tests/storage/test_database.py: _WORKER_LOCK": "another process takes the lock",
    "tests/storage/test_database.py: _take_lock": "the lock of a connection that died",
    "tests/storage/test_database.py: _take_lock_again": "the lock of a connection that died",
    "tests/storage/test_postgres.py: _connection": "the connection breaks within a transaction",
    "tests/storage/test_sqlite.py: _connection": "the connection breaks within a transaction",
    "tests/test_observability.py: _collector_to_names": "labels of what was never counted",
    "tests/test_observability.py: _registry": "labels of what was never counted",
    "tests/web/test_api_document.py: _make_routes": "routes of the app, without a server",
    "tests/web/test_health.py: _connection": "the connection breaks within a transaction",
}


def read_trees(root: Path = ROOT) -> dict[str, ast.Module]:
    """All modules of tests below `root`."""
    return {
        path.relative_to(root).as_posix(): ast.parse(path.read_text(encoding="utf-8"))
        for path in sorted((root / "tests").rglob("*.py"))
    }


def find_sql(trees: Trees) -> list[str]:
    """Modules outside tests/storage, and these checks, with a statement in one of their texts."""
    return [
        name
        for name, tree in trees.items()
        if not name.startswith(("tests/storage/", "tests/architecture/"))
        and any(
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and SQL.search(node.value)
            for node in ast.walk(tree)
        )
    ]


def find_imports_of_tests(trees: Trees) -> list[str]:
    """Imports from a conftest or from another test."""
    return [
        f"{name}: {imported}"
        for name, tree in trees.items()
        for node in ast.walk(tree)
        for imported in _list_imported(node)
        if imported.startswith("tests.")
        and any(part == "conftest" or part.startswith("test_") for part in imported.split("."))
    ]


def _list_imported(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom):
        yield from (f"{node.module}.{alias.name}" for alias in node.names)


def find_private(trees: Trees) -> set[str]:
    """Private attributes of other objects, and private names that are imported."""
    return {
        f"{name}: {private}"
        for name, tree in trees.items()
        for node in ast.walk(tree)
        for private in _list_private(node)
        if private not in OTHER_LIBRARIES
    }


def _list_private(node: ast.AST) -> Iterator[str]:
    names: list[str] = []
    if isinstance(node, ast.Attribute) and ast.unparse(node.value) not in {
        "self",
        "cls",
        "super()",
    }:
        names = [node.attr]
    elif isinstance(node, ast.ImportFrom):
        names = [alias.name for alias in node.names]
    yield from (name for name in names if name.startswith("_") and not name.startswith("__"))


@pytest.fixture(scope="module")
def trees() -> dict[str, ast.Module]:
    return read_trees()


def test_sql_is_written_in_two_places(trees: Trees) -> None:
    assert set(find_sql(trees)) == {QUERIES, *SERVERS}


def test_no_test_imports_a_test(trees: Trees) -> None:
    assert find_imports_of_tests(trees) == []


def test_nothing_private_is_reached(trees: Trees) -> None:
    assert find_private(trees) == set(PRIVATE_ON_PURPOSE)


def test_planted_violations_are_found(tmp_path: Path) -> None:
    for name, source in {
        "test_rows.py": "SQL = '''\nSELECT * FROM lane'''\n",
        "test_subquery.py": "run(f'UPDATE lane SET fence = {x}')\n",
        "test_words.py": "SAID = 'A SELECT statement'\nself._own = 1\n",
        "test_reach.py": "from bot.app import _make\nfrom tests.test_words import SAID\nit.a._b\n",
        "room/test_fixture.py": "from tests.room.conftest import app\nimport tests.test_words\n",
        "storage/test_sql.py": "SQL = 'SELECT 1'\n",
    }.items():
        path = tmp_path / "tests" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(source)
    planted = read_trees(tmp_path)
    assert find_sql(planted) == ["tests/test_rows.py", "tests/test_subquery.py"]
    assert find_imports_of_tests(planted) == [
        "tests/room/test_fixture.py: tests.room.conftest.app",
        "tests/room/test_fixture.py: tests.test_words",
        "tests/test_reach.py: tests.test_words.SAID",
    ]
    assert find_private(planted) == {"tests/test_reach.py: _make", "tests/test_reach.py: _b"}
