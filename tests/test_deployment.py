"""What the files for deploying say of Griot is true of it."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml
from typer.main import get_command

from bot.main import app
from bot.settings import Settings

ROOT = Path(__file__).parents[1]
FLY: dict[str, Any] = tomllib.loads((ROOT / "fly.toml").read_text())
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PROCFILE = dict(line.split(": ") for line in (ROOT / "Procfile").read_text().splitlines())
OURS = {name: each for name, each in COMPOSE["services"].items() if each.get("image") == "griot"}
LEAST = Settings.model_fields["drain_seconds"].default + 10
"""Seconds between SIGTERM and SIGKILL, as docs/operating.md has it."""


@pytest.mark.parametrize(
    "commands",
    [
        PROCFILE,
        FLY["processes"],
        {name: each["command"] for name, each in OURS.items()},
        {"image": " ".join(re.findall(r'"([^"]+)"', DOCKERFILE.splitlines()[-1]))},
    ],
    ids=["Procfile", "fly.toml", "compose.yaml", "Dockerfile"],
)
def test_the_commands_that_are_run_are_there(commands: dict[str, str]) -> None:
    known = getattr(get_command(app), "commands")  # noqa: B009
    for command in commands.values():
        program, name = command.split()
        assert (program, name in known) == ("griot", True)


def test_what_is_set_is_a_setting() -> None:
    stage = DOCKERFILE.rpartition("FROM ")[2]
    image = re.findall(r"^(?:ENV| {3}) ([A-Z_]+)=", stage, re.MULTILINE)
    named = {*FLY["env"], *image, *(name for each in OURS.values() for name in each["environment"])}
    foreign = {"PATH", "PYTHONUNBUFFERED"}
    assert {name.lower() for name in named - foreign} <= set(Settings.model_fields)
    for values in (FLY["env"], *(each["environment"] for each in OURS.values())):
        Settings.model_validate({name.lower(): value for name, value in values.items()})


def test_a_process_has_time_to_drain() -> None:
    times = [FLY["kill_timeout"], *(each["stop_grace_period"] for each in OURS.values())]
    assert all(int(time.removesuffix("s")) >= LEAST for time in times)


def test_it_is_asked_where_it_listens() -> None:
    assert FLY["http_service"]["internal_port"] == int(FLY["env"]["PORT"])
    assert {check["port"] for check in FLY["checks"].values()} == {int(FLY["env"]["PORT"])}
    assert f"EXPOSE {FLY['env']['PORT']}" in DOCKERFILE
    assert [each.rpartition(":")[2] for each in OURS["web"]["ports"]] == [
        OURS["web"]["environment"]["PORT"]
    ]


def test_the_image_is_built_from_what_is_let_in() -> None:
    let_in = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert names <= let_in
    assert all((ROOT / name).exists() for name in names)
    assert re.search(r"^USER (?!root)", DOCKERFILE, re.MULTILINE)


def test_the_image_keeps_what_adapters_use_of_twilio() -> None:
    kept = set(re.findall(r"! -name (\w+)", (ROOT / "ops/slim.sh").read_text()))
    sources = "\n".join(path.read_text() for path in (ROOT / "adapters").glob("*twilio*.py"))
    used = {
        name
        for pair in re.findall(r"client\.(\w+)\.v\d|twilio\.rest\.(\w+)", sources)
        for name in pair
    }
    assert {"content", "messaging", "verify"} <= used - {""} <= kept
