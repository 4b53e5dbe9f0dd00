"""What leads to a person, and what limits them still when it leads nowhere."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from bot.accounts.people import People
from bot.accounts.personal_ids import (
    PersonalIds,
    find_personal_ids,
    find_personal_ids_of_account,
    pseudonymise,
)
from bot.contracts.storage import Database, Transaction
from bot.gateway.people.erasure import erase_names
from bot.messages.incoming import Person, Sender
from bot.settings import Settings
from tests.support.queries import add_row, change_rows, read_row, read_rows

AWA = "+2250701020304"
GUEST = PersonalIds(addresses=(("telegram", "42"),))


async def log_in(people: People, database: Database, address: str) -> int:
    sender = Sender(address, "Awa", "fr")
    person = await database.write(lambda tx: people.log_in(tx, "telegram", sender, AWA))
    return person.account or 0


async def test_an_account_leads_to_its_numbers_identities_and_sessions(
    database: Database, settings: Settings
) -> None:
    account = await log_in(People(database, settings), database, "42")
    await change_rows(database, "account", {"email": "awa@example.org"})
    await add_row(database, "session", id="mine", account=account, address="token:1")
    await add_row(database, "session", id="another's", account=account + 1, address="token:2")

    found = await database.write(lambda tx: find_personal_ids_of_account(tx, account))

    assert found.accounts == (account,)
    assert found.proven == (AWA, "awa@example.org")
    assert found.addresses == (("sms", AWA), ("telegram", "42"), ("whatsapp", AWA))
    assert found.sessions == ("mine",)
    assert found.lanes == (
        f"account:{account}",
        f"sms:{AWA}",
        "telegram:42",
        f"whatsapp:{AWA}",
        "http:mine",
        "session:http:mine",
        f"email:{account}",
        f"email:sms:{AWA}",
        "email:telegram:42",
        f"email:whatsapp:{AWA}",
        "email:http:mine",
    )


async def test_a_guest_of_the_web_leads_to_their_sessions_only(database: Database) -> None:
    await add_row(database, "session", id="mine", account=None, address="guest:1")
    await add_row(database, "session", id="not mine", account=None, address="guest:2")
    person = Person("http", "guest:1")
    found = await database.write(lambda tx: find_personal_ids(tx, person))
    assert found.lanes == ("http:mine", "session:http:mine", "email:http:mine")
    assert found.accounts == ()


@pytest.mark.parametrize("times", [1, 2])
async def test_what_a_guest_used_today_is_used_when_they_come_back(
    database: Database, settings: Settings, times: int
) -> None:
    people = People(database, settings)
    guest = Person("telegram", "42")
    await database.write(lambda tx: people.allow_guest(tx, guest))
    await add_row(
        database,
        "code",
        id="c",
        target="+33612345678",
        prefix="225",
        channel="telegram",
        address="42",
    )

    async def forget(tx: Transaction) -> None:
        await erase_names(tx, GUEST, settings)

    for _ in range(times):
        await database.write(forget)
    hidden = pseudonymise(settings, "telegram:42")
    assert await _addresses(database) == [hidden, hidden]
    await database.write(lambda tx: people.recognise(tx, "telegram", Sender("42")))

    assert await _addresses(database) == ["42", "42"]
    used = await people.guest_messages_left("telegram", "42")
    assert used == settings.guest_daily_messages - 1


async def _addresses(database: Database) -> list[Any]:
    rows = [
        *await read_rows(database, "allowance"),
        *await read_rows(database, "code"),
    ]
    return [row["address"] for row in rows]


async def test_codes_for_their_own_number_open_nothing_more(
    database: Database, settings: Settings
) -> None:
    account = await log_in(People(database, settings), database, "7")
    await add_row(
        database, "code", id="c", target=AWA, prefix="225", channel="telegram", address="42"
    )

    async def forget(tx: Transaction) -> None:
        await erase_names(tx, await find_personal_ids_of_account(tx, account), settings)

    await database.write(forget)
    code = await read_row(database, "code")
    assert (code["target"], code["state"]) == (pseudonymise(settings, AWA), "replaced")


def test_the_mark_needs_the_secret(make_settings: Callable[..., Settings]) -> None:
    one, other = make_settings(), make_settings(secret_key="another")
    assert pseudonymise(one, AWA) != pseudonymise(other, AWA)
    assert AWA not in pseudonymise(one, AWA)
