from __future__ import annotations

import json
from typing import Any

import pytest

from bot.accounts.people import People
from bot.contracts.storage import Database
from bot.settings import Settings
from tests.cli.terminal import Run
from tests.support.databases import on_sqlite
from tests.support.queries import NOW, add_row

NUMBER = "+2250701020304"


@pytest.mark.usefixtures("on_database")
async def test_a_token_stands_alone_on_stdout_and_opens_the_account(
    griot: Run, database: Database, settings: Settings
) -> None:
    made = griot("people", "token", NUMBER)
    shown = griot("people", "show", NUMBER, "--json")

    [token] = made.stdout.splitlines()
    bearer = await People(database, settings).bearer(token)
    assert made.stderr == f"griot: new account for {NUMBER}\n"
    assert bearer is not None
    found = json.loads(shown.stdout)
    assert (found["id"], found["phone"], found["balance"]) == (bearer.account, NUMBER, 50)
    assert found["identities"] == [
        {"channel": "http", "address": "session"},
        {"channel": "sms", "address": NUMBER},
    ]
    assert "http:session" in griot("people", "show", NUMBER).stdout


def test_a_token_needs_the_secret_that_the_server_has(griot: Run) -> None:
    refused = griot("people", "token", NUMBER, SECRET_KEY="")

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr.startswith("griot: SECRET_KEY: ")


@pytest.mark.parametrize("number", ["99", "99999999999999999999"])
def test_an_id_that_nobody_has_gets_no_account(griot: Run, number: str) -> None:
    refused = griot("people", "token", number)

    assert (refused.returncode, refused.stdout) == (1, "")
    assert refused.stderr == f"griot: Nobody has the number, user id or account id {number}.\n"


@pytest.mark.usefixtures("on_database")
async def test_an_erased_person_is_found_by_no_number_and_the_ledger_stays(
    griot: Run, database: Database
) -> None:
    griot("people", "token", NUMBER)
    erased = griot("people", "erase", NUMBER, "--yes")
    assert (erased.returncode, erased.stdout) == (0, "account 1 is erased; its ledger is kept\n")
    assert griot("people", "show", NUMBER).returncode == 1
    assert "None" not in griot("people", "list").stdout
    shown = json.loads(griot("people", "show", "1", "--json").stdout)
    assert (shown["phone"], shown["balance"], shown["identities"]) == (None, 50, [])
    assert griot("credits", "check").returncode == 0


@on_sqlite
@pytest.mark.usefixtures("on_database")
@pytest.mark.parametrize(("typed", "left"), [("n\n", True), ("", True), ("y\n", False)])
async def test_erasing_asks_first(griot: Run, typed: str, left: bool) -> None:
    griot("people", "token", NUMBER)
    asked = griot("people", "erase", NUMBER, typed=typed)
    assert "50 credits" in asked.stderr
    assert (asked.returncode == 1) == left
    assert (griot("people", "show", NUMBER).returncode == 0) == left


def test_nobody_is_erased_who_is_not_there(griot: Run) -> None:
    refused = griot("people", "erase", NUMBER, "--yes")
    assert refused.returncode == 1
    assert refused.stderr.startswith("griot: Nobody has")


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_a_joined_account_is_not_listed_and_leads_to_the_other(
    griot: Run, database: Database
) -> None:
    async def join(tx: Any) -> None:
        into = (await add_row(tx, "account", phone=NUMBER, name="Awa", created_at=NOW))["id"]
        await add_row(tx, "account", part_of=into, created_at=NOW)

    await database.write(join)

    listed = json.loads(griot("people", "list", "--json").stdout)
    assert [each["phone"] for each in listed] == [NUMBER]
    shown = griot("people", "show", "2", "--json")
    assert (json.loads(shown.stdout)["id"], shown.returncode) == (1, 0)
    assert shown.stderr == "griot: account 2 was joined into account 1, which is shown\n"
    assert griot("people", "show", "1").stderr == ""


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_a_name_cannot_steer_the_terminal(griot: Run, database: Database) -> None:
    async def meet(tx: Any) -> None:
        await add_row(tx, "account", phone="+1", name="Awa\x1b]52;c;YQ==\x07\nKoné", created_at=NOW)

    await database.write(meet)

    listed = griot("people", "list").stdout

    assert "Awa]52;c;YQ== Koné" in listed
    assert len(listed.splitlines()) == 2
