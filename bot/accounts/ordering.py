"""Taking an order for a pack: the page to pay on, the invoice, or the question how to pay."""

from __future__ import annotations

from collections.abc import Sequence

from bot.accounts.cashier import STARS, Cashier, name_order
from bot.accounts.packs import packs_of
from bot.accounts.purchases import Purchase, TooMany
from bot.accounts.shop import Shop, Way, make_wish
from bot.contracts import ToolContext
from bot.errors import ToolFailed, WalletUnknown
from bot.messages import Invoice, Person, Say
from bot.settings import PackOffer
from bot.texts import say, say_count


class Ordering:
    """Implements `contracts.Shop`."""

    def __init__(self, cashier: Cashier, shop: Shop) -> None:
        self._cashier = cashier
        self._shop = shop

    async def order(
        self, person: Person, lane: str, key: str, pack: PackOffer, *, wanted: str = ""
    ) -> Say | Invoice:
        """Where this pack is paid, if there is only one way or one is wanted; else the ways.

        Args:
            key: of what asks for it; the same key gives the same purchase.
            wanted: the name of a way.
        """
        ways = self._shop.ways(person, lane, pack)
        way = _choose(ways, wanted)
        if way is None:
            return await self._shop.show_ways(person, lane, pack)
        others = [] if wanted else [each for each in ways if each is not way]
        return await self._begin(person, lane, key, pack, way, others)

    async def _begin(
        self, person: Person, lane: str, key: str, pack: PackOffer, way: Way, others: list[Way]
    ) -> Say | Invoice:
        try:
            purchase = await self._cashier.begin(make_wish(person, lane, pack, way), key)
        except TooMany:
            return Say(
                say(person.language, "That is many purchases at once. Try again in an hour.")
            )
        if way.name == STARS:
            return _invoice(person.language, purchase)
        words = await self._open_page(person.language, purchase, way)
        return await self._shop.offer_ways(person, lane, words, pack, others)

    async def _open_page(self, language: str, purchase: Purchase, way: Way) -> str:
        try:
            page = await self._cashier.open_page(purchase)
        except WalletUnknown:
            return _no_wallet(language, way)
        except ConnectionError:
            may_ask = self._cashier.providers[way.name].reopens
            return (_doubt if may_ask else _sorry)(language, way)
        return _invite(language, way, page.url)

    async def offer(self, pack: str, context: ToolContext) -> Say | Invoice:
        """All packs, if none is named; else where that one is paid, or the ways to pay for it.

        A page is opened, no phone is rung: where the provider asks the person by itself, they press
        a button first.

        Raises:
            ToolFailed: nothing can be bought here, or there is no such pack.
        """
        person, lane = context.person, context.lane
        if not self._shop.ways(person, lane):
            raise ToolFailed(
                "Credits cannot be bought here yet. Say so, and that whoever runs this Griot can "
                "add some; /balance shows what is left."
            )
        if not pack.strip():
            return await self._shop.show_packs(person, lane)
        found = self._shop.find(pack)
        if found is None or not (ways := self._shop.ways(person, lane, found)):
            raise ToolFailed(f"{self._refuse(person, lane)}, or leave pack empty to show them all.")
        way = _choose(ways, "")
        if way is not None and way.name != STARS and self._cashier.providers[way.name].reopens:
            return await self._shop.show_ways(person, lane, found)
        return await self.order(person, lane, f"{lane}/{context.key}", found)

    def _refuse(self, person: Person, lane: str) -> str:
        packs = packs_of(self._cashier.settings)
        sold = [str(each.fcfa) for each in packs if self._shop.ways(person, lane, each)]
        return f"There is no such pack. Call again with one of {', '.join(sold)}"


def _choose(ways: Sequence[Way], wanted: str) -> Way | None:
    """The way that is named, else the only one; Stars beside a single other one do not count."""
    if wanted:
        return next((way for way in ways if way.name == wanted.casefold()), None)
    hosted = [way for way in ways if way.name != STARS]
    return (hosted or ways)[0] if len(hosted) < 2 else None


def _invoice(language: str, purchase: Purchase) -> Invoice:
    description = say_count(
        language,
        "{number} credit for your questions to Griot.",
        "{number} credits for your questions to Griot.",
        purchase.credits,
    )
    return Invoice(
        payload=purchase.id,
        title=name_order(language, purchase.credits),
        description=description,
        amount=purchase.amount,
        currency=purchase.currency,
    )


def _invite(language: str, way: Way, url: str) -> str:
    if not url:
        return say(
            language,
            "Confirm the payment on your phone ({way}). I will write when it arrives.",
            way=way.title,
        )
    return say(
        language,
        "Pay here ({way}), I will write when it arrives:\n\n{url}",
        way=way.title,
        url=url,
    )


def _sorry(language: str, way: Way) -> str:
    return say(
        language,
        "{way} does not answer just now. Nothing was charged. Try again in a few minutes.",
        way=way.title,
    )


def _doubt(language: str, way: Way) -> str:
    """Where the person may be asked to pay although we have no answer."""
    return say(
        language,
        "{way} does not answer now. If it asks you on your phone all the same, you may confirm: "
        "I will write when it arrives. Else try again in a few minutes.",
        way=way.title,
    )


def _no_wallet(language: str, way: Way) -> str:
    return say(
        language,
        "{way} knows no account of your number. Nothing was charged. Send /buy to pay another way.",
        way=way.title,
    )
