"""The command itself: what it says of itself, and of what it is asked wrongly."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.main import app
from tests.support import processes

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def test_it_tells_its_version_and_does_nothing_else() -> None:
    told = CliRunner().invoke(app, ["--version", "doctor"])
    assert (told.exit_code, told.stdout) == (0, f"griot {PROJECT['version']}\n")


def test_as_a_module_it_is_the_same_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bot.main", "servve"]
    told = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert told.returncode == 2
    assert told.stderr.startswith("griot: No such command 'servve'. Did you mean 'serve'?")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bogus"], "griot: No such option: --bogus. See: griot --help\n"),
        (["servve"], "griot: No such command 'servve'. Did you mean 'serve'? See: griot --help\n"),
        (["people", "--bogus"], "griot: No such option: --bogus. See: griot people --help\n"),
        (["credits", "grant", "1"], "griot: Missing argument 'amount'. See: griot credits grant "),
        (["turns", "show", "abc"], "griot: Invalid value for 'ID': must be a whole number. See: "),
        (
            ["turns", "list", "--limit", "0"],
            "griot: Invalid value for '--limit': must be at least 1",
        ),
        (
            ["turns", "list", "--state", "foo"],
            "griot: Invalid value for '--state': 'foo' is not one of 'queued', 'running', ",
        ),
    ],
)
def test_wrong_use_is_one_plain_line_and_exit_code_2(
    arguments: list[str], said: str, tmp_path: Path
) -> None:
    told = processes.run(arguments, {}, tmp_path)
    assert (told.returncode, told.stdout) == (2, "")
    assert told.stderr.startswith(said)
    assert told.stderr.count("\n") == 1


def test_a_misspelt_setting_is_named_beside_an_invalid_one(tmp_path: Path) -> None:
    told = processes.run(["models"], {"PORT": "many", "TELEGRAM_BOT_TOKN": "1"}, tmp_path)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr.splitlines() == [
        "griot: TELEGRAM_BOT_TOKN: unknown setting; did you mean TELEGRAM_BOT_TOKEN?",
        "griot: PORT: must be a whole number; such as 8080",
    ]


def test_the_demo_heeds_the_port_of_the_environment(tmp_path: Path) -> None:
    told = processes.run(["demo"], {"PORT": "99999"}, tmp_path)
    assert told.returncode == 2
    assert "PORT" in told.stderr
    assert told.stderr.count("\n") == 1


def test_a_group_of_commands_shows_what_there_is(tmp_path: Path) -> None:
    told = processes.run(["credits"], {}, tmp_path)
    assert told.returncode == 2
    assert "grant" in told.stderr
    assert told.stdout == ""
