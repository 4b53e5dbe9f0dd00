"""Help the person to buy credits."""

from __future__ import annotations

from pydantic import BaseModel, Field

from bot.contracts import Tool, ToolContext


class BuyCredits(BaseModel):
    """Help the person to buy credits. Use it only when they ask to buy or to top up. Never to
    advise buying, and not to tell the balance, which /balance shows."""

    pack: str = Field(default="", description="The pack they named, if they did.", max_length=40)


async def buy_credits(args: BuyCredits, context: ToolContext) -> str:  # noqa: ARG001
    return (
        "Credits cannot be bought here yet. Say so, and that whoever runs this Griot can add some; "
        "/balance shows what is left."
    )


TOOL = Tool(
    BuyCredits,
    buy_credits,
    modes={"child", "pro"},
    effect="read",
    timeout=10,
    label="Looking at credits…",
)
