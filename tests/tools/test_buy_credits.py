from __future__ import annotations

import pytest

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from bot.messages.outgoing import Button, Outgoing, Say
from tests.support.fakes import make_services, tool_context
from tools.buy_credits import BuyCredits, buy_credits

PACKS = Say("Which pack?", (Button("100 credits: 500 FCFA", "t1"),))


class FakeShop:
    def __init__(self, *, sells: bool = True) -> None:
        self.asked: list[str] = []
        self._sells = sells

    async def offer(self, pack: str, context: ToolContext) -> Outgoing:
        self.asked.append(f"{pack} {context.lane}")
        if not self._sells:
            raise ToolFailed("Credits cannot be bought here yet.")
        return PACKS


async def test_what_the_shop_offers_is_shown_and_the_model_invents_nothing() -> None:
    shop, shown = FakeShop(), list[Outgoing]()
    context = tool_context(services=make_services(shop=shop), deliver=shown.append)
    told = await buy_credits(BuyCredits(pack="500"), context)
    assert shop.asked == ["500 telegram:42"]
    assert shown == [PACKS]
    assert "500" not in told
    assert "no link" in told


async def test_where_nothing_is_sold_the_model_reads_why() -> None:
    shown: list[Outgoing] = []
    services = make_services(shop=FakeShop(sells=False))
    context = tool_context(services=services, deliver=shown.append)
    with pytest.raises(ToolFailed, match="cannot be bought"):
        await buy_credits(BuyCredits(), context)
    assert shown == []
