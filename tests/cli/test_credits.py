from __future__ import annotations

import asyncio
import json
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bot.contracts.payments import PaymentState
from bot.contracts.storage import Database
from bot.main import main
from tests.cli.terminal import Run
from tests.standins.telegram import TelegramStandIn
from tests.support import processes
from tests.support.databases import on_sqlite
from tests.support.purchases import (
    begin_purchase,
    credit_purchase,
    make_intent,
    open_account,
    read_ledger,
)
from tests.support.queries import NOW, add_row

NUMBER = "+2250701020304"


@pytest.mark.usefixtures("on_database")
def test_a_grant_makes_the_account_and_is_booked_once_a_key(griot: Run) -> None:
    first = griot("credits", "grant", NUMBER, "7", "--key", "k")
    again = griot("credits", "grant", NUMBER, "7", "--key", "k")
    shown = griot("credits", "show", NUMBER, "--json")

    assert (first.returncode, first.stdout) == (0, "+7, balance 57\n")
    assert first.stderr == f"griot: new account for {NUMBER}\n"
    assert (again.returncode, again.stdout) == (0, "booked before, balance 57\n")
    other = griot("credits", "grant", NUMBER, "8", "--key", "k")
    assert (other.returncode, other.stdout) == (1, "")
    assert "something else" in other.stderr
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
        await add_row(tx, "account", phone="+1", balance=3, created_at=NOW)

    await database.write(lose_a_credit)

    checked = griot("credits", "check", "--json")

    assert checked.returncode == 1
    assert json.loads(checked.stdout) == [{"account": 1, "balance": 3, "total": 0}]


def test_amounts_that_are_no_gift_are_wrong_use(griot: Run) -> None:
    for amount in ("0", "-5", "2000000000"):
        refused = griot("credits", "grant", NUMBER, amount)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert "must be positive" in refused.stderr


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_what_was_not_paid_is_not_refunded(griot: Run, database: Database) -> None:
    unknown = griot("credits", "refund", "0" * 24)
    assert (unknown.returncode, unknown.stdout) == (1, "")
    assert unknown.stderr == f"griot: There is no purchase {'0' * 24}.\n"
    order = (await begin_purchase(database, make_intent(1))).id
    unpaid = griot("credits", "refund", order)
    assert unpaid.returncode == 1
    assert unpaid.stderr == f"griot: The purchase {order} is open: nothing was paid.\n"


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_stars_are_refunded_by_telegram(griot: Run, database: Database) -> None:
    account = await open_account(database)
    wish = make_intent(account, provider="stars", currency="XTR", amount=50, address="1001")
    order = (await begin_purchase(database, wish)).id
    await credit_purchase(database, order, PaymentState("paid", 50, "XTR", "stx1"))
    async with TelegramStandIn() as telegram:
        telegram.payment_update(1001, order, 50, charge="stx1")
        given: dict[str, str] = {
            "TELEGRAM_BOT_TOKEN": telegram.token,
            "TELEGRAM_API_URL": telegram.url,
        }
        telegram.payment_update(1001, order, 50, charge="stx2")
        second = ("credits", "refund", order, "--charge", "stx2")
        other = await asyncio.to_thread(griot, *second, **given)
        assert (other.returncode, other.stdout) == (0, "refunded, 0 credits taken back\n")
        done = await asyncio.to_thread(griot, "credits", "refund", order, **given)
        again = await asyncio.to_thread(griot, "credits", "refund", order, **given)
        assert telegram.refunded == ["stx2", "stx1"]
        assert telegram.violations == []
    assert (done.returncode, done.stdout) == (0, "refunded, 100 credits taken back\n")
    assert again.returncode == 1
    assert await read_ledger(database, account) == [("purchase", 100), ("refund", -100)]


@on_sqlite
@pytest.mark.usefixtures("on_database")
async def test_an_interrupted_refund_says_that_it_may_have_been_made(
    environment: dict[str, str], tmp_path: Path, database: Database
) -> None:
    wish = make_intent(await open_account(database), provider="stars", currency="XTR", amount=50)
    order = (await begin_purchase(database, replace(wish, address="1001"))).id
    await credit_purchase(database, order, PaymentState("paid", 50, "XTR", "stx1"))
    async with TelegramStandIn() as telegram:
        telegram.payment_update(1001, order, 50, charge="stx1")
        telegram.hang_next("refundStarPayment", accept=True)
        given = {"TELEGRAM_BOT_TOKEN": telegram.token, "TELEGRAM_API_URL": telegram.url}
        said = tmp_path / "said"
        surroundings = processes.ProcessEnvironment(environment | given, tmp_path, said)
        child = processes.ForkedProcess(main, ("credits", "refund", order), surroundings)
        async with asyncio.timeout(20):
            while not telegram.calls_of("refundStarPayment"):
                await asyncio.sleep(0.02)
        child.send(signal.SIGINT)
        code = await asyncio.to_thread(child.wait, 20)
    assert code == 130
    assert said.read_text() == (
        "griot: interrupted: it may have been given back. Ask again in 3 minutes\n"
    )
