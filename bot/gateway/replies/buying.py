"""`/buy`: the packs, the ways to pay, the page; and what is paid inside a channel."""

from __future__ import annotations

from bot.accounts import purchases
from bot.accounts.cashier import STARS, Cashier
from bot.accounts.ordering import Ordering
from bot.accounts.receipts import confirm
from bot.accounts.shop import Shop
from bot.contracts import PaymentState, Transaction
from bot.errors import NotFound
from bot.gateway.receiving.arguments import BUY
from bot.gateway.replies.response import Response
from bot.messages import AnswerCheckout, Checkout, Paid, Person, Say, Update
from bot.storage.living import find_holder
from bot.texts import fold, say


class Buying:
    """The errands of buying: see `bot.gateway.replies.response.Errand`."""

    def __init__(self, cashier: Cashier, shop: Shop, ordering: Ordering) -> None:
        self._cashier = cashier
        self._shop = shop
        self._ordering = ordering

    async def buy(self, person: Person, update: Update, argument: str) -> Response:
        """`/buy` lists the packs, `/buy PACK` gives the link or asks how to pay, `/buy PACK WAY`
        gives the link, or the invoice."""
        lane = update.lane
        if person.is_guest:
            return _say(
                say(person.language, "Log in with /login first: credits belong to an account.")
            )
        if not self._shop.ways(person, lane):
            return _say(
                say(
                    person.language,
                    "Credits cannot be bought here yet. Ask whoever runs this Griot.",
                )
            )
        asked = BUY.fullmatch(fold(argument))
        pack = self._shop.find(asked["price"]) if asked else None
        if asked is None or pack is None or not self._shop.ways(person, lane, pack):
            return Response((await self._shop.show_packs(person, lane),))
        key = f"{lane}/{update.message_key}"
        return Response(
            (await self._ordering.order(person, lane, key, pack, wanted=asked["way"] or ""),)
        )

    async def receive(self, person: Person, update: Update, _: str) -> Response:
        """Something was paid inside the channel: credited once and thanked for; or what to do."""
        paid = update.content
        if not isinstance(paid, Paid):
            return Response()
        state = PaymentState("paid", paid.amount, paid.currency, paid.charge)
        receipt = await self._cashier.receive(paid.payload, state)
        said = confirm(receipt, person.language)
        return Response((said,)) if said else Response()


async def check_checkout(tx: Transaction, person: Person, checkout: Checkout) -> Response:
    """Whether a payment inside the channel may go on: what was ordered, by whom, and not yet paid.

    Telegram waits ten seconds (https://core.telegram.org/bots/api#answerprecheckoutquery).
    """
    error = "" if await _is_right(tx, person, checkout) else _decline(person.language)
    return Response((AnswerCheckout(checkout.id, error),))


async def _is_right(tx: Transaction, person: Person, checkout: Checkout) -> bool:
    try:
        purchase = await purchases.find(tx, checkout.payload)
    except NotFound:
        return False
    return (
        purchase.provider == STARS
        and purchase.state == "open"
        and purchase.address == person.address
        and await find_holder(tx, purchase.account) == person.account
        and (purchase.amount, purchase.currency) == (checkout.amount, checkout.currency)
    )


def _decline(language: str) -> str:
    return say(language, "This invoice is no longer valid. Send /buy for a new one.")


def _say(words: str) -> Response:
    return Response((Say(words),))
