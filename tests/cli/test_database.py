from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.storage.database import head
from tests.cli.conftest import Run


@pytest.mark.usefixtures("on_database")
@pytest.mark.blank_database
def test_the_status_changes_nothing_and_the_upgrade_does(griot: Run, tmp_path: Path) -> None:
    before = json.loads(griot("db", "status", "--json").stdout)
    assert not [*tmp_path.glob("griot.db*")]
    upgraded = griot("db", "upgrade")
    after = json.loads(griot("db", "status", "--json").stdout)

    assert (before["revision"], before["up_to_date"]) == ("", False)
    assert upgraded.stdout == f"at revision {head()}\n"
    assert (after["revision"], after["up_to_date"]) == (head(), True)


@pytest.mark.parametrize(
    ("command", "url"),
    [
        (("db", "status"), "postgresql://127.0.0.1:1/x"),
        (("people", "list"), "postgresql://127.0.0.1:1/x"),
        (("chat",), "sqlite:////nowhere/griot.db"),
    ],
)
def test_a_database_out_of_reach_is_one_line(griot: Run, url: str, command: tuple[str]) -> None:
    refused = griot(*command, DATABASE_URL=url, DEBUG_MOCK_RESPONSES="[]")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("griot: DATABASE_URL: ")
    assert len(refused.stderr.splitlines()) == 1


def test_a_file_that_is_no_database_is_one_line(griot: Run, tmp_path: Path) -> None:
    (tmp_path / "console.db").write_text("a letter, not a database; " * 100)

    refused = griot("people", "list")

    assert refused.returncode == 1
    assert refused.stderr == "griot: DATABASE_URL: the database says: file is not a database\n"
