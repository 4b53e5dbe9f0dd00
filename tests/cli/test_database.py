from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
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


def test_others_on_the_machine_cannot_read_what_it_writes(griot: Run, tmp_path: Path) -> None:
    folder = tmp_path / "new"
    folder.mkdir()
    database = folder / "griot.db"
    made = griot(
        "chat",
        typed="/help\n",
        DATABASE_URL=f"sqlite:///{database}",
        BLOB_URL=f"file:{folder}/files",
        DEBUG_MOCK_RESPONSES="[]",
    )
    assert made.returncode == 0, made.stderr
    written = [*folder.rglob("*")]
    assert {database, folder / "files"} <= set(written)
    assert [each for each in written if each.stat().st_mode & 0o007] == []


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


_NO_SPACE = """
import resource
resource.setrlimit(resource.RLIMIT_FSIZE, (65_536, resource.RLIM_INFINITY))
from bot.main import main
main()
"""


def test_a_backup_that_finds_no_space_names_its_folder_and_leaves_nothing(
    environment: dict[str, str], tmp_path: Path
) -> None:
    program = [sys.executable, "-c", _NO_SPACE, "db", "backup", str(tmp_path / "backups")]
    seen = os.environ | environment
    refused = subprocess.run(
        program, env=seen, cwd=tmp_path, check=False, capture_output=True, text=True
    )

    assert refused.returncode == 1
    assert refused.stderr.startswith(f"griot: The copy cannot be written in {tmp_path}/backups: ")
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


_READING = (
    ("credits", "check"),
    ("credits", "show", "+2250701020304"),
    ("people", "list"),
    ("people", "show", "+2250701020304"),
    ("people", "erase", "+2250701020304"),
    ("turns", "list"),
    ("turns", "show", "1"),
    ("turns", "replay", "1"),
    ("events", "http:x"),
    ("inbox", "list"),
)


@pytest.mark.parametrize("command", _READING)
def test_a_command_that_makes_no_database_names_the_missing_one(
    griot: Run, tmp_path: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "empty").mkdir()
    done = griot(*command, DATABASE_URL=f"sqlite:///{tmp_path}/empty/griot.db")
    assert (done.returncode, done.stdout) == (1, "")
    assert "DATABASE_URL" in done.stderr
    assert f"{tmp_path}/empty/griot.db" in done.stderr
    assert [*(tmp_path / "empty").iterdir()] == []


def test_reading_brings_no_tables_up_to_date(griot: Run, tmp_path: Path) -> None:
    (tmp_path / "griot.db").touch()
    done = griot("people", "list", DATABASE_URL="sqlite:///griot.db")
    assert (done.returncode, done.stdout) == (1, "")
    assert "griot db upgrade" in done.stderr
    assert (tmp_path / "griot.db").stat().st_size == 0


@pytest.fixture
def read_only(sqlite_template: Path, tmp_path: Path) -> Iterator[Path]:
    """A folder with a database, both of which may only be read."""
    folder = tmp_path / "read-only"
    folder.mkdir()
    shutil.copy(sqlite_template, folder / "griot.db")
    (folder / "griot.db").chmod(0o444)
    folder.chmod(0o555)
    yield folder
    folder.chmod(0o755)


def _run_without_rights(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `griot` bound by the modes of files, also where the tests run as root."""
    program = (
        "from bot.process_restrictions import drop_privileges; drop_privileges(); "
        "from bot.main import main; main()"
    )
    environment = {
        **os.environ,
        "DATABASE_URL": f"sqlite:///{folder}/griot.db",
        "SECRET_KEY": "a secret for tests only",
    }
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        check=False,
        capture_output=True,
        text=True,
        cwd=folder,
        env=environment,
    )


def test_a_database_in_a_read_only_folder_can_be_read(read_only: Path) -> None:
    checked = _run_without_rights(read_only, "credits", "check")
    assert (checked.returncode, checked.stderr) == (0, "")
    assert f"{read_only}/griot.db" in checked.stdout
    assert [each.name for each in read_only.iterdir()] == ["griot.db"]


def test_a_write_in_a_read_only_folder_names_the_setting(read_only: Path) -> None:
    refused = _run_without_rights(read_only, "credits", "grant", "+2250701020304", "7")
    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("griot: DATABASE_URL: ")
    assert str(read_only) in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_the_doctor_reports_a_database_that_cannot_be_written(read_only: Path) -> None:
    examined = _run_without_rights(read_only, "doctor", "--offline")
    assert "ERROR DATABASE_URL: cannot be written: attempt to write a readonly" in examined.stdout
    assert [each.name for each in read_only.iterdir()] == ["griot.db"]
