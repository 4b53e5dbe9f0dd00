"""What commands list of a person's own."""

from __future__ import annotations

import pytest

from bot.learning.remembered_facts import Memory, list_facts
from tests.support.app import MakeApp
from tests.support.commands import CommandDesk


@pytest.mark.parametrize("command", ["/memory", "/tasks", "/memory forget 1"])
async def test_a_guest_is_told_to_log_in(app: MakeApp, command: str) -> None:
    assert "/login" in await CommandDesk(await app()).ask(command)


async def test_what_is_remembered_is_listed_and_forgotten_by_number(app: MakeApp) -> None:
    one = await app()
    account = await one.log_in()
    desk = CommandDesk(one)
    assert "nothing about you yet" in await desk.ask("/memory")
    for fact in ("Likes goats.", "Has a test on Friday."):
        await Memory(one.database).save(account, fact)
    await Memory(one.database).save(account + 1, "A secret of somebody else.")
    assert (await desk.ask("/memory")).endswith("\n\n1. Likes goats.\n2. Has a test on Friday.")
    assert await desk.ask("/memory forget 1") == "Forgotten: Likes goats."
    assert (await desk.ask("/memory")).endswith("\n\n1. Has a test on Friday.")
    others = await one.database.read(lambda tx: list_facts(tx, account + 1))
    assert [fact for _, fact in others] == ["A secret of somebody else."]


@pytest.mark.parametrize("argument", ["forget", "forget 2", "forget x", "forget 0", "2", "²"])
async def test_a_number_that_is_none_forgets_nothing(app: MakeApp, argument: str) -> None:
    one = await app()
    account = await one.log_in()
    await Memory(one.database).save(account, "Likes goats.")
    assert "/memory forget 2" in await CommandDesk(one).ask(f"/memory {argument}")
    assert await one.database.read(lambda tx: list_facts(tx, account)) == [(1, "Likes goats.")]
