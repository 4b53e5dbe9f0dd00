from __future__ import annotations

import json
from pathlib import Path

import pytest

from bot.storage.database import head
from tests.cli.terminal import Run


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


def test_a_backup_is_a_database_of_its_own_and_the_oldest_go(griot: Run, tmp_path: Path) -> None:
    griot("credits", "grant", "+2250701020304", "7")
    folder = tmp_path / "backups"
    folder.mkdir()
    for year in (2001, 2002, 2003):
        (folder / f"griot-{year}-01-01T00-00-00Z.db").touch()

    copied = griot("db", "backup", str(folder), "--keep", "3")

    assert (copied.returncode, copied.stderr) == (0, "")
    copy = Path(copied.stdout.strip())
    kept = sorted(each.name[:10] for each in folder.iterdir())
    assert kept == ["griot-2002", "griot-2003", copy.name[:10]]
    assert copy.stat().st_mode & 0o777 == 0o600
    people = griot("people", "list", "--json", DATABASE_URL=f"sqlite:///{copy}")
    assert len(json.loads(people.stdout)) == 1


def test_a_backup_of_what_is_damaged_is_refused_and_the_older_ones_stay(
    griot: Run, tmp_path: Path
) -> None:
    (tmp_path / "console.db").write_text("a letter, not a database; " * 100)

    refused = griot("db", "backup", str(tmp_path / "backups"))

    assert refused.returncode == 1
    assert refused.stderr.startswith("griot: DATABASE_URL: ")
    assert list((tmp_path / "backups").iterdir()) == []


def test_a_backup_of_postgres_is_for_its_own_program(griot: Run, tmp_path: Path) -> None:
    refused = griot("db", "backup", str(tmp_path), DATABASE_URL="postgresql://127.0.0.1:1/x")

    assert (refused.returncode, "pg_dump" in refused.stderr) == (1, True)


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
