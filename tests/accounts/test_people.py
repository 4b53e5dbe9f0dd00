from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from bot.accounts import ledger
from bot.accounts.people import People
from bot.contracts.storage import Database
from bot.errors import NotFound
from bot.messages.incoming import Person, Sender
from bot.settings import Settings
from bot.storage.accounts import merge_account
from tests.support.fakes import Clock
from tests.support.queries import change_rows, read_row, until_one_waits

PHONE = "+2250701020304"
MakeSettings = Callable[..., Settings]


@pytest.fixture
def people(database: Database, settings: Settings) -> People:
    return People(database, settings)


async def _meet(people: People, database: Database, sender: Sender) -> Person:
    async def work(tx: Any) -> Person:
        return await people.recognise(tx, "telegram", sender)

    return await database.write(work)


async def _log_in(people: People, database: Database, address: str, phone: str = PHONE) -> Person:
    async def work(tx: Any) -> Person:
        return await people.log_in(tx, "telegram", Sender(address, "Awa", "fr"), phone)

    return await database.write(work)


async def test_a_stranger_is_a_guest_who_speaks_their_language(
    people: People, database: Database
) -> None:
    person = await _meet(people, database, Sender("1", "Kofi", "en-GB"))
    assert (person.is_guest, person.language, person.name) == (True, "en", "Kofi")
    again = await _meet(people, database, Sender("1", "Other", "fr"))
    assert (again.name, again.language) == ("Kofi", "en")


async def test_a_name_cannot_carry_control_characters(people: People, database: Database) -> None:
    person = await _meet(people, database, Sender("1", "A\x00w\na\u202e " + "x" * 200, "fr"))
    assert person.name.startswith("A w a x")
    assert len(person.name) <= 80


async def _log_in_meanwhile(
    people: People, database: Database, change: Callable[[Any], Awaitable[None]]
) -> Person:
    """Who logs in by the number whose account is being changed by a transaction."""
    changed, go_on = asyncio.Event(), asyncio.Event()

    async def slowly(tx: Any) -> None:
        await change(tx)
        changed.set()
        await go_on.wait()

    changing = asyncio.create_task(database.write(slowly))
    await changed.wait()
    logging_in = asyncio.create_task(_log_in(people, database, "2"))
    await until_one_waits(database)
    go_on.set()
    _, person = await asyncio.gather(changing, logging_in)
    return person


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_who_logs_in_while_the_account_is_erased_has_a_new_one(
    people: People, database: Database
) -> None:
    old = (await _log_in(people, database, "1")).account

    async def erase(tx: Any) -> None:
        await change_rows(tx, "account", {"erased": 1, "phone": None}, id=old)

    person = await _log_in_meanwhile(people, database, erase)
    row = await read_row(database, "account", id=person.account)
    assert (person.account != old, row["phone"]) == (True, PHONE)


@pytest.mark.parametrize("database_url", ["postgres"], indirect=True)
async def test_who_logs_in_while_the_account_becomes_part_of_another_comes_there(
    people: People, database: Database
) -> None:
    part = (await _log_in(people, database, "1")).account or 0
    whole = (await _log_in(people, database, "3", "+2250701020305")).account or 0
    person = await _log_in_meanwhile(people, database, lambda tx: merge_account(tx, part, whole))
    assert person.account == whole


async def test_two_identities_of_one_number_are_one_account(
    people: People, database: Database
) -> None:
    first = await _log_in(people, database, "1")
    second = await _log_in(people, database, "2")
    assert first.account == second.account is not None
    known = await people.list_addresses(first.account or 0)
    assert [(each.channel, each.address) for each in known] == [
        ("telegram", "1"),
        ("telegram", "2"),
        ("sms", PHONE),
    ]


async def test_the_welcome_is_given_once_a_number(people: People, database: Database) -> None:
    for address in ("1", "2", "1"):
        person = await _log_in(people, database, address)
    balance, entries = await ledger.entries(database, person.account or 0)
    assert balance == 50
    assert [entry.kind for entry in entries] == ["welcome"]
    assert PHONE not in str(entries)


async def test_the_welcome_is_given_once_also_if_the_secret_is_changed(
    people: People, database: Database, make_settings: Callable[..., Settings]
) -> None:
    person = await _log_in(people, database, "1")

    async def forget(tx: Any) -> None:
        await change_rows(tx, "account", {"erased": 1, "phone": None}, id=person.account)

    await database.write(forget)
    older = make_settings().secret_key
    changed = make_settings(secret_key="another", secret_key_previous=older)
    again = await _log_in(People(database, changed), database, "2")
    assert again.account != person.account
    assert await ledger.entries(database, again.account or 0) == (0, [])


async def test_logging_out_makes_a_guest_again(people: People, database: Database) -> None:
    await _log_in(people, database, "1")

    async def work(tx: Any) -> None:
        await people.log_out(tx, "telegram", "1")

    await database.write(work)
    assert (await _meet(people, database, Sender("1"))).is_guest


async def test_a_token_leads_to_its_person_and_is_kept_as_a_hash(
    people: People, database: Database
) -> None:
    token = await people.issue_token(PHONE)
    person = await people.bearer(token)
    assert person is not None
    assert person.account is not None
    assert await people.bearer(token + "x") is None
    assert token not in str(await people.list_addresses(person.account))


async def test_a_person_is_found_by_number_and_by_id(people: People, database: Database) -> None:
    person = await _log_in(people, database, "1")
    by_number = await people.find("+225 0701020304")
    assert await people.find(str(person.account)) == by_number
    with pytest.raises(NotFound):
        await people.find("99999")
    with pytest.raises(NotFound):
        await people.find("+2250701020305")


@pytest.mark.parametrize("number", [str(2**63 - 1), str(2**63), "9" * 20, "9" * 5_000])
async def test_an_id_beyond_all_that_there_are_is_nobodys(people: People, number: str) -> None:
    with pytest.raises(NotFound):
        await people.find(number)


async def test_a_guests_messages_are_counted_by_the_day(
    database: Database, make_settings: MakeSettings
) -> None:
    clock = Clock(86_400 * 20_000)
    people = People(database, make_settings(guest_daily_messages=2), clock)
    guest = Person("telegram", "1")

    async def use(tx: Any) -> bool:
        return await people.allow_guest(tx, guest)

    assert [await database.write(use) for _ in range(3)] == [True, True, False]
    assert await people.guest_messages_left("telegram", "1") == 0
    clock.advance(86_400)
    assert await database.write(use)


async def test_an_allowance_of_zero_allows_nothing(
    database: Database, make_settings: MakeSettings
) -> None:
    people = People(database, make_settings(guest_daily_messages=0))

    async def use(tx: Any) -> bool:
        return await people.allow_guest(tx, Person("telegram", "1"))

    assert not await database.write(use)
