from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from pydantic import ValidationError

from bot.accounts.ledger import Bonuses
from bot.accounts.people import People
from bot.contracts.services import ToolContext
from bot.contracts.storage import Database
from bot.errors import ToolFailed
from bot.messages.incoming import Sender
from bot.settings import Settings
from tests.support.fakes import make_services, tool_context
from tools.award_bonus_credits import TOOL, AwardBonusCredits, award_bonus_credits


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    """One engine is enough here: the service is asked on both in its own tests."""
    return sqlite_url


@pytest.fixture
async def context(database: Database, settings: Settings) -> ToolContext:
    people = People(database, settings.model_copy(update={"welcome_credits": 0}))

    async def work(tx: Any) -> int:
        person = await people.log_in(tx, "telegram", Sender("42"), "+2250701020304")
        return person.account or 0

    bonuses = Bonuses(database, lambda now: now - 43_200)
    return tool_context(account=await database.write(work), services=make_services(bonuses=bonuses))


async def award(context: ToolContext, amount: int, number: int = 1) -> str:
    args = AwardBonusCredits(credits=amount, reason="Très bien")
    return await award_bonus_credits(args, replace(context, key=f"telegram:42/1/{number}"))


@pytest.mark.parametrize(("asked", "given"), [(1, 1), (5, 5), (0, 1), (-7, 1), (6, 5), (10**30, 5)])
async def test_one_to_five_credits_are_given_whatever_is_asked(
    asked: int, given: int, context: ToolContext
) -> None:
    told = await award(context, asked)
    assert told.startswith(f"{given} bonus credits were given.")
    assert told.endswith(f"Up to {20 - given} more today.")


async def test_the_model_hears_when_the_day_is_full(context: ToolContext) -> None:
    for number, amount in enumerate((5, 5, 5, 3)):
        await award(context, amount, number)
    assert (await award(context, 4, 7)).startswith("Only 2 bonus credits were given: today's limit")
    with pytest.raises(ToolFailed, match="Praise in words"):
        await award(context, 1, 8)


def test_only_pupils_are_rewarded_and_see_what_for() -> None:
    assert TOOL.modes == {"child"}
    assert TOOL.detail(AwardBonusCredits(credits=1, reason="Persévérance")) == "Persévérance"


def test_the_model_is_told_the_bounds() -> None:
    told = TOOL.spec.parameters["properties"]["credits"]
    assert (told["type"], told["minimum"], told["maximum"]) == ("integer", 1, 5)


@pytest.mark.parametrize(
    "arguments",
    [
        {"credits": "3", "reason": "x"},
        {"credits": True, "reason": "x"},
        {"credits": 2.5, "reason": "x"},
        {"credits": 3, "reason": " "},
        {"credits": 3, "reason": "x" * 301},
        {"credits": 3},
    ],
    ids=["string", "boolean", "fraction", "blank", "endless", "missing"],
)
def test_what_is_no_reward_is_refused(arguments: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        AwardBonusCredits.model_validate(arguments)
