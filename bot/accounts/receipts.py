"""What a payer is told of what became of their money."""

from __future__ import annotations

from bot.accounts.purchases import Purchase, Receipt
from bot.messages import Say
from bot.texts import say, say_count


def confirm(receipt: Receipt, language: str = "") -> Say | None:
    """Thanks for what was credited, or what to do where money came, or failed to come, and nothing
    was; None if there is nobody to tell, or nothing new.

    Args:
        language: where the receipt has none.
    """
    language, purchase = receipt.language or language, receipt.purchase
    if purchase is None:
        return Say(_tell_of_unknown(language)) if receipt.outcome == "unknown" else None
    match receipt.outcome:
        case "paid" | "known":
            return thank(language, purchase.credits, receipt.balance)
        case "wrong":
            return Say(_tell_of_wrong(language, purchase))
        case "again":
            return Say(_tell_of_second(language, purchase))
        case "failed":
            return Say(_tell_of_failure(language, purchase))
        case "unknown":
            return None


def thank(language: str, number: int, balance: int) -> Say:
    """What someone is told whose payment has come."""
    thanks = say_count(
        language,
        "Thank you! {number} credit has been added.",
        "Thank you! {number} credits have been added.",
        number,
    )
    left = say_count(language, "You have {number} credit.", "You have {number} credits.", balance)
    return Say(f"{thanks} {left}")


def _tell_of_wrong(language: str, purchase: Purchase) -> str:
    return say(
        language,
        "Your payment is not the amount that was asked: nothing was credited. Ask whoever runs "
        "this Griot to give it back. Purchase: {number}",
        number=purchase.id,
    )


def _tell_of_second(language: str, purchase: Purchase) -> str:
    return say(
        language,
        "This purchase has been paid twice, and credited once. Ask whoever runs this Griot to give "
        "the second payment back. Purchase: {number}",
        number=purchase.id,
    )


def _tell_of_unknown(language: str) -> str:
    return say(
        language,
        "A payment came that belongs to no purchase, so nothing was credited. Ask whoever runs "
        "this Griot to give it back.",
    )


def _tell_of_failure(language: str, purchase: Purchase) -> str:
    return say_count(
        language,
        "The payment of {number} credit did not go through: nothing was credited. Send /buy to "
        "try again.",
        "The payment of {number} credits did not go through: nothing was credited. Send /buy to "
        "try again.",
        purchase.credits,
    )
