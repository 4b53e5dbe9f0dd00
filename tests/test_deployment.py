"""What the files for deploying say of Griot is true of it."""

from __future__ import annotations

import re
import shlex
import subprocess
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
FLY_SCALED: dict[str, Any] = tomllib.loads((ROOT / "fly.scaled.toml").read_text())
BOTH_FLY = pytest.mark.parametrize("fly", [FLY, FLY_SCALED], ids=["fly.toml", "fly.scaled.toml"])
COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
DOCKERFILE = (ROOT / "Dockerfile").read_text()
PROCFILE = dict(line.split(": ") for line in (ROOT / "Procfile").read_text().splitlines())
OURS = {name: each for name, each in SERVICES.items() if each.get("image") == "griot"}
LEAST = Settings.model_fields["drain_seconds"].default + 10
"""Seconds between SIGTERM and SIGKILL, as docs/operating.md has it."""


def read_unit(name: str) -> dict[str, dict[str, list[str]]]:
    """Sections of a unit of systemd; a name may stand in several lines."""
    unit: dict[str, dict[str, list[str]]] = {}
    for line in (ROOT / "ops" / name).read_text().splitlines():
        if line.startswith("["):
            section = unit.setdefault(line.strip("[]"), {})
        elif line and not line.startswith("#"):
            key, _, value = line.partition("=")
            section.setdefault(key, []).append(value)
    return unit


UNIT = read_unit("griot.service")["Service"]
BACKUP = read_unit("griot-backup.service")["Service"]


def commands_in(text: str) -> list[list[str]]:
    """What follows `griot` wherever it is called."""
    return [shlex.split(found) for found in re.findall(r"\bgriot ([a-z][^\n&|]*)", text)]


def is_known(words: list[str]) -> bool:
    """Whether each word up to the first argument is a command of ours."""
    command: Any = get_command(app)
    while hasattr(command, "commands"):
        if not words or words[0] not in command.commands:
            return False
        command, words = command.commands[words[0]], words[1:]
    options = {option for each in command.params for option in each.opts}
    return all(word in options for word in words if word.startswith("--"))


@pytest.mark.parametrize(
    "commands",
    [
        [*PROCFILE.values()],
        [*FLY["processes"].values()],
        [*FLY_SCALED["processes"].values()],
        [
            " ".join(command) if isinstance(command, list) else command
            for command in (each["command"] for each in OURS.values())
        ],
        [" ".join(re.findall(r'"([^"]+)"', DOCKERFILE.splitlines()[-1]))],
        [" ".join([*UNIT["ExecStart"], *BACKUP["ExecStart"][:1]]).replace("/opt/griot/bin/", "\n")],
        re.findall(r"exec griot (griot [a-z]+)", (ROOT / "compose.yaml").read_text()),
        re.findall(r'-C "(griot .*)"', (ROOT / "fly.toml").read_text()),
    ],
    ids=[
        "Procfile",
        "fly.toml",
        "fly.scaled.toml",
        "compose.yaml",
        "Dockerfile",
        "systemd",
        "how-to of compose.yaml",
        "how-to of fly.toml",
    ],
)
def test_the_commands_that_are_run_are_there(commands: list[str]) -> None:
    called = [words for command in commands for words in commands_in(command)]
    assert called
    assert [words for words in called if not is_known(words)] == []


def test_what_is_set_is_a_setting() -> None:
    stage = DOCKERFILE.partition("AS run\n")[2]
    image = re.findall(r"^(?:ENV| {3}) ([A-Z_]+)=", stage, re.MULTILINE)
    environments = [FLY["env"], FLY_SCALED["env"], *(each["environment"] for each in OURS.values())]
    named = {*image, *(name for each in environments for name in each)}
    foreign = {"PATH", "PYTHONUNBUFFERED", "HOME"}
    assert {name.lower() for name in named - foreign} <= set(Settings.model_fields)
    for values in environments:
        Settings.model_validate({name.lower(): value for name, value in values.items()})


def test_a_process_has_time_to_drain() -> None:
    stopped = [each["stop_grace_period"] for each in OURS.values()]
    times = [FLY["kill_timeout"], FLY_SCALED["kill_timeout"], *stopped, *UNIT["TimeoutStopSec"]]
    assert all(int(time.removesuffix("s")) >= LEAST for time in times)


@BOTH_FLY
def test_fly_asks_it_where_it_listens(fly: dict[str, Any]) -> None:
    port = int(fly["env"]["PORT"])
    assert fly["http_service"]["internal_port"] == port
    asked = [*fly.get("checks", {}).values(), *fly["metrics"]]
    assert {each["port"] for each in asked} == {port}
    assert f"EXPOSE {port}" in DOCKERFILE


def test_caddy_asks_it_where_it_listens() -> None:
    caddyfile = (ROOT / "ops/Caddyfile").read_text()
    upstream = re.search(r"reverse_proxy (\w+):(\d+)", caddyfile)
    assert upstream
    reached = {
        name: each
        for name, each in OURS.items()
        if upstream[1] in each.get("networks", {}).get("default", {}).get("aliases", [])
    }
    assert set(reached) == {"griot", "web"}
    for each in reached.values():
        assert each["environment"]["PORT"] == upstream[2]
        assert [port.rpartition(":")[2] for port in each["ports"]] == [upstream[2]]
    given = SERVICES["caddy"]["environment"]
    assert set(re.findall(r"{\$(\w+)}", caddyfile)) == set(given) == {"PUBLIC_URL"}


def test_one_machine_keeps_all_on_its_volume() -> None:
    folder = FLY["mounts"]["destination"]
    kept = [FLY["env"], OURS["griot"]["environment"], OURS["backup"]["environment"]]
    for values in kept:
        assert values["DATABASE_URL"].startswith(f"sqlite:///{folder}/")
        assert values["BLOB_URL"].startswith(f"file:{folder}/")
        assert "REDIS_URL" not in values
    assert "data:/data" in OURS["griot"]["volumes"]
    assert "data:/data" in OURS["backup"]["volumes"]
    assert [*FLY["processes"].values()] == [OURS["griot"]["command"]] == ["griot serve"]


def test_each_profile_of_compose_is_whole() -> None:
    profiles: dict[str, set[str]] = {}
    for name, each in SERVICES.items():
        for profile in each["profiles"]:
            profiles.setdefault(profile, set()).add(name)
    assert profiles == {
        "one": {"caddy", "griot", "backup"},
        "scaled": {"caddy", "web", "worker", "postgres", "redis", "postgres-backup"},
    }
    for names in profiles.values():
        for name in names:
            assert set(SERVICES[name].get("depends_on", {})) <= names
    mounted = [volume for each in SERVICES.values() for volume in each.get("volumes", [])]
    named = {volume.partition(":")[0] for volume in mounted if not volume.startswith(".")}
    assert named == set(COMPOSE["volumes"])


def test_the_scripts_in_compose_are_shell() -> None:
    for name in ("backup", "postgres-backup"):
        script = SERVICES[name]["command"][2].replace("$$", "$")
        checked = subprocess.run(["sh", "-n", "-c", script], check=False, capture_output=True)
        assert (checked.returncode, checked.stderr) == (0, b""), name


@pytest.mark.parametrize(
    ("name", "command"), [("backup", "griot"), ("postgres-backup", "pg_dump"), ("backup", "cp")]
)
def test_a_backup_that_fails_is_tried_again_soon(tmp_path: Path, name: str, command: str) -> None:
    """All commands do nothing; `command` fails once. `sleep` notes its seconds, and the script is
    killed when it would sleep for a day."""
    programs = dict.fromkeys(("griot", "pg_dump", "cp", "mv", "find"), "exit 0")
    programs["sleep"] = f"echo $1 >>{tmp_path}/slept; test $1 -lt 80000 || kill $PPID"
    programs[command] = f"test -e {tmp_path}/failed || {{ touch {tmp_path}/failed; exit 1; }}"
    for each, script in programs.items():
        (tmp_path / each).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / each).chmod(0o755)
    script = SERVICES[name]["command"][2].replace("$$", "$").replace("/data", str(tmp_path))
    (tmp_path / "files").mkdir()
    path = {"PATH": f"{tmp_path}:/usr/bin:/bin"}
    ran = subprocess.run(
        ["sh", "-c", script], check=False, capture_output=True, env=path, timeout=10, text=True
    )
    first, last = (tmp_path / "slept").read_text().split()
    assert 60 <= int(first) <= 1800
    assert last == "86400"
    assert "try" in ran.stderr


def test_the_service_of_systemd_is_shut_in_but_lets_the_sandbox_work() -> None:
    on = {name for name, values in UNIT.items() if values[-1] == "yes"}
    assert on >= {"NoNewPrivileges", "PrivateTmp", "PrivateDevices", "ProtectHome"}
    assert UNIT["ProtectSystem"] == ["strict"]
    assert UNIT["User"] == ["griot"]
    assert UNIT["WorkingDirectory"] == [f"/var/lib/{UNIT['StateDirectory'][0]}"]
    # bubblewrap makes namespaces, and mounts a /proc where none of the old one is covered.
    covering = {"ProtectKernelTunables", "ProtectKernelLogs", "ProtectProc", "ProcSubset"}
    assert not set(UNIT) & {"RestrictNamespaces", "PrivateUsers", *covering}
    assert "AF_NETLINK" in UNIT["RestrictAddressFamilies"][0]
    assert "@mount" not in UNIT["SystemCallFilter"][0]


def test_the_backup_of_systemd_runs_where_griot_does() -> None:
    assert BACKUP["WorkingDirectory"] == UNIT["WorkingDirectory"]
    assert BACKUP["User"] == UNIT["User"]
    assert BACKUP["Restart"] == ["on-failure"]
    assert read_unit("griot-backup.timer")["Install"]["WantedBy"] == ["timers.target"]


def test_the_image_is_built_from_what_is_let_in() -> None:
    let_in = {
        line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[0] == "!"
    }
    copied = re.findall(r"^COPY (?!--from)(.+) \S+$", DOCKERFILE, re.MULTILINE)
    names = {name for line in copied for name in line.split()}
    assert names <= let_in
    assert all((ROOT / name).exists() for name in names)


def test_nothing_in_the_image_runs_as_root() -> None:
    stage = re.compile(r"^FROM \S+(?: AS (\w+))?\n(.*?)(?=^FROM|\Z)", re.MULTILINE | re.DOTALL)
    stages = dict(stage.findall(DOCKERFILE))
    assert re.search(r"^USER griot$", stages[""], re.MULTILINE)
    assert FLY["build"]["build-target"] == "fly"
    assert "exec setpriv --reuid=griot --regid=griot --init-groups" in stages["fly"]
    for name in ("", "fly"):
        assert 'CMD ["griot", "serve"]' in stages[name]


def test_the_image_keeps_what_adapters_use_of_twilio() -> None:
    removed = re.findall(r'"\$packages"/(twilio/\w+)', (ROOT / "ops/slim.sh").read_text())
    sources = "\n".join(path.read_text() for path in (ROOT / "adapters/twilio").glob("*.py"))
    used = set(re.findall(r"(?:from|import) (twilio[\w.]*)", sources))
    assert removed == ["twilio/rest"]
    assert used == {"twilio.request_validator"}
