from __future__ import annotations

import json
import os
import sys
import threading
import time
from pathlib import Path

import pytest

from bot.checks.services import probe_services
from bot.process_restrictions import is_sandbox_possible
from bot.settings import Settings
from tests.standins import mcp_server
from tests.standins.mail import serve_mail
from tests.support.postgres_server import PostgresServer
from tests.support.redis_server import start_redis


async def find(settings: Settings, name: str) -> tuple[str, str]:
    [found] = [item for item in await probe_services(settings) if item.name == name]
    return found.level, found.message


MAIL_FROM = {"mail_from": "griot@example.org"}


async def test_a_mail_server_that_lets_us_in_is_fine(make_settings, tmp_path: Path) -> None:
    async with serve_mail(tmp_path, users={"griot": "secret"}) as server:
        right = f"smtp://griot:secret@127.0.0.1:{server.port}"
        assert await find(make_settings(smtp_url=right, **MAIL_FROM), "mail") == (
            "ok",
            "127.0.0.1 lets us in",
        )
        wrong = right.replace("secret", "hidden")
        level, message = await find(make_settings(smtp_url=wrong, **MAIL_FROM), "mail")
    assert (level, "hidden" in message) == ("error", False)
    assert "535" in message


async def test_a_mail_server_out_of_reach_is_an_error(make_settings) -> None:
    settings = make_settings(smtp_url="smtp://127.0.0.1:1", **MAIL_FROM)
    assert (await find(settings, "mail"))[0] == "error"


@pytest.mark.parametrize(
    ("host", "level"), [("127.0.0.1", "ok"), ("localhost", "ok"), ("192.0.2.1", "error")]
)
async def test_an_address_of_another_machine_cannot_be_listened_on(
    make_settings, host: str, level: str
) -> None:
    assert (await find(make_settings(host=host), "HOST"))[0] == level


@pytest.mark.blank_database
async def test_an_empty_database_is_made_at_the_first_start(make_settings) -> None:
    level, message = await find(make_settings(), "DATABASE_URL")

    assert (level, message) == ("warning", "reachable, without tables yet")


@pytest.mark.parametrize(
    ("url", "message", "advice"),
    [
        (
            "sqlite:////proc/griot.db",
            "nothing can be written in /proc",
            "permissions of its folder",
        ),
        ("sqlite:////nowhere/griot.db", "the folder /nowhere does not exist", "create it"),
        ("postgresql://a@127.0.0.1:1/x", "cannot connect", "host and port, and that it runs"),
        ("postgresql://a:b@c@127.0.0.1/x", "cannot connect", "password as %XX"),
    ],
)
async def test_what_to_do_about_a_database_fits_what_is_wrong(
    make_settings, url: str, message: str, advice: str
) -> None:
    found = await probe_services(make_settings(database_url=url), offline=True)
    [finding] = [each for each in found if each.name == "DATABASE_URL"]
    assert finding.level == "error"
    assert message in finding.message
    assert advice in finding.advice


async def test_a_database_that_is_not_there_is_to_be_created(
    make_settings, postgres: PostgresServer
) -> None:
    url = postgres.create_database() + "_not_there"
    found = await probe_services(make_settings(database_url=url), offline=True)
    [finding] = [each for each in found if each.name == "DATABASE_URL"]
    assert "does not exist" in finding.message
    assert "create the database" in finding.advice


async def test_the_sandbox_is_tried_out_unless_it_is_not_wanted(make_settings) -> None:
    assert await find(make_settings(), "bash_execute") == ("ok", "its sandbox holds")
    off = make_settings(disabled_tools="bash_execute")
    assert "bash_execute" not in [item.name for item in await probe_services(off)]


async def test_documents_are_worked_on_in_processes_that_are_shut_in(make_settings) -> None:
    shut_in = ("ok", "worked on in processes that are shut in")
    limited = ("warning", "worked on in processes that are limited, but could read what Griot can")
    expected = shut_in if is_sandbox_possible() else limited
    assert await find(make_settings(), "documents") == expected


async def test_redis_has_its_time_while_others_take_theirs(make_settings, tmp_path: Path) -> None:
    """A pipe in place of a skill file keeps the whole process busy, as loading modules does."""
    pipe = tmp_path / "slow.toml"
    os.mkfifo(pipe)

    def fill() -> None:
        with pipe.open("w") as file:  # waits until it is being read
            time.sleep(2.5)
            file.write("[[skill]]")

    thread = threading.Thread(target=fill)
    thread.start()
    with start_redis() as server:
        settings = make_settings(redis_url=server.url, curriculum=str(tmp_path))
        found = await find(settings, "REDIS_URL")
    thread.join()
    assert found == ("ok", "reachable")


async def test_what_is_not_ours_is_left_alone_offline(make_settings) -> None:
    settings = make_settings(
        smtp_url="smtp://127.0.0.1:1", searxng_url="http://127.0.0.1:1", **MAIL_FROM
    )

    found = {item.name for item in await probe_services(settings, offline=True)}

    assert found == {"DATABASE_URL", "HOST", "BLOB_URL", "documents", "bash_execute"}


async def test_servers_of_tools_are_started_and_asked(make_settings) -> None:
    program = str(Path(mcp_server.__file__))
    servers = {
        "right": {"command": sys.executable, "args": [program, "stdio"]},
        "none": {"command": "no-such-command"},
        "broken": {"command": sys.executable, "args": ["-c", "raise SystemExit(3)"]},
        "far": {"url": "http://127.0.0.1:1/mcp"},
    }
    agents = [{"name": "far", "url": "http://127.0.0.1:1"}]
    settings = make_settings(mcp_servers=json.dumps(servers), a2a_agents=json.dumps(agents))
    found = {
        item.name: (item.level, item.message)
        for item in await probe_services(settings)
        if item.name.startswith(("MCP_SERVERS", "A2A_AGENTS"))
    }
    assert found["MCP_SERVERS right"][0] == "ok"
    assert found["MCP_SERVERS none"] == ("error", "there is no command 'no-such-command'")
    assert found["MCP_SERVERS broken"][0] == "error"
    assert found["MCP_SERVERS far"][0] == "warning"
    assert found["A2A_AGENTS far"][0] == "warning"
    offline = {item.name for item in await probe_services(settings, offline=True)}
    assert {"MCP_SERVERS right", "MCP_SERVERS none"} <= offline
    assert not {"MCP_SERVERS far", "A2A_AGENTS far"} & offline
