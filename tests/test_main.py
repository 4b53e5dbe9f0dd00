"""The command itself: what it says of itself, and of what it is asked wrongly."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from typer.testing import CliRunner

from bot.main import app

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]


def test_it_tells_its_version_and_does_nothing_else() -> None:
    told = CliRunner().invoke(app, ["--version", "doctor"])
    assert (told.exit_code, told.stdout) == (0, f"griot {PROJECT['version']}\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--bogus"], "Error: No such option: --bogus"),
        (["servve"], "Error: No such command 'servve'"),
        (["people", "--bogus"], "Error: No such option: --bogus"),
        (["credits", "grant"], "Error: Missing argument"),
    ],
)
def test_wrong_use_is_one_plain_line_and_exit_code_2(arguments: list[str], said: str) -> None:
    told = CliRunner().invoke(app, arguments)
    assert told.exit_code == 2
    assert told.stderr.splitlines()[-1].startswith(said)
