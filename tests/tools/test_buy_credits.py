from __future__ import annotations

from bot.contracts import ToolContext
from tools.buy_credits import BuyCredits, buy_credits


async def test_it_says_that_nothing_can_be_bought_yet(context: ToolContext) -> None:
    assert "cannot be bought here yet" in await buy_credits(BuyCredits(pack="small"), context)
