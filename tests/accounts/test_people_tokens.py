from __future__ import annotations

from typing import Any

import pytest

from bot.accounts.people import People
from bot.accounts.progress_links import Learner, find_learner
from bot.contracts.storage import Database
from bot.errors import NotFound
from bot.messages.incoming import Sender
from bot.settings import Settings
from tests.support.purchases import read_public_token
from tests.support.queries import Plus, change_rows, delete_rows


async def open_account(
    database: Database, settings: Settings, phone: str = "+2250701020304"
) -> int:
    people = People(database, settings)

    async def work(tx: Any) -> int:
        person = await people.log_in(tx, "telegram", Sender(phone, "Awa Koné", "fr"), phone)
        return person.account or 0

    return await database.write(work)


async def find(database: Database, mark: str) -> Learner:
    return await database.read(lambda tx: find_learner(tx, mark))


async def test_a_learner_is_found_by_their_mark(database: Database, settings: Settings) -> None:
    account = await open_account(database, settings)
    await change_rows(database, "account", {"grade": "3e"})
    found = await find(database, await read_public_token(database, account))
    assert found == Learner(account, "Awa Koné", "3e", "fr", "Africa/Abidjan")


async def test_whoever_is_erased_is_not_found(database: Database, settings: Settings) -> None:
    account = await open_account(database, settings)
    known = await read_public_token(database, account)
    await change_rows(database, "account", {"erased": 1, "phone": None})
    with pytest.raises(NotFound):
        await find(database, known)
    await delete_rows(database, "account")
    with pytest.raises(NotFound):
        await find(database, known)
    with pytest.raises(NotFound):
        await read_public_token(database, account)


async def test_who_gets_the_number_of_an_erased_account_is_not_shown_in_its_place(
    database: Database, settings: Settings
) -> None:
    account = await open_account(database, settings)
    known = await read_public_token(database, account)
    await change_rows(database, "account", {"created_at": Plus(60)})
    with pytest.raises(NotFound):
        await find(database, known)


async def test_who_was_made_part_of_another_account_is_shown_as_that(
    database: Database, settings: Settings
) -> None:
    account = await open_account(database, settings)
    whole = await open_account(database, settings, "+2250701020305")
    known = await read_public_token(database, account)
    await change_rows(database, "account", {"part_of": whole}, id=account)
    assert (await find(database, known)).account == whole
