from __future__ import annotations

import json
from typing import Any

import pytest

from bot.contracts import Database
from tests.cli.conftest import Run, on_sqlite

NUMBER = "+2250701020304"


@pytest.mark.usefixtures("on_database")
def test_a_grant_makes_the_account_and_is_booked_once_a_key(griot: Run) -> None:
    first = griot("credits", "grant", NUMBER, "7", "--key", "k")
    again = griot("credits", "grant", NUMBER, "7", "--key", "k")
    shown = griot("credits", "show", NUMBER, "--json")

    assert (first.returncode, first.stdout) == (0, "+7, balance 57\n")
    assert first.stderr == f"griot: new account for {NUMBER}\n"
    assert (again.returncode, again.stdout) == (0, "booked before, balance 57\n")
    found = json.loads(shown.stdout)
    assert found["balance"] == 57
    assert [(entry["kind"], entry["amount"]) for entry in found["entries"]] == [
        ("welcome", 50),
        ("grant", 7),
    ]
    assert found["entries"][1]["key"] == "k"


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_a_balance_that_is_not_its_sum_fails_the_check(
    griot: Run, database: Database
) -> None:
    async def lose_a_credit(tx: Any) -> None:
        await tx.execute("INSERT INTO account (phone, balance, created_at) VALUES ('+1', 3, {now})")

    await database.write(lose_a_credit)

    checked = griot("credits", "check", "--json")

    assert checked.returncode == 1
    assert json.loads(checked.stdout) == [{"account": 1, "balance": 3, "total": 0}]


def test_amounts_that_are_no_gift_are_wrong_use(griot: Run) -> None:
    assert griot("credits", "grant", NUMBER, "0").returncode == 2
