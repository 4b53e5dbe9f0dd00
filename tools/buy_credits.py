"""Show the person what credits cost, and how to pay."""

from __future__ import annotations

from pydantic import BaseModel, Field

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool


class BuyCredits(BaseModel):
    """Show the person the packs of credits that can be bought, with prices and ways to pay. Use it
    only when they ask to buy or to top up. Never to advise buying, and not to tell the balance,
    which /balance shows."""

    pack: str = Field(
        default="",
        description="The pack they named, by its price in FCFA, if they did: 500.",
        max_length=40,
    )


async def buy_credits(args: BuyCredits, context: ToolContext) -> str:
    context.deliver(await context.services.shop.offer(args.pack, context))
    return (
        "What there is to choose from, or where they pay, is shown under your answer. Say that in "
        "one short sentence. Name no price, and write no link: you know none."
    )


TOOL = Tool(
    BuyCredits,
    buy_credits,
    modes={"child", "pro"},
    effect="repeatable",
    timeout=15,
    label="Looking at credits…",
)
