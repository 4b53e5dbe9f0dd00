"""The shop window: which packs there are, and by which ways they can be paid, as buttons."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from bot.accounts.cashier import STARS
from bot.accounts.packs import STARS_CURRENCY, currencies_of, find_pack, packs_of
from bot.accounts.purchases import Wish
from bot.contracts import Database, PaymentProvider, Transaction
from bot.messages import Button, Channel, Person, Say
from bot.settings import PackOffer, Settings
from bot.storage.buttons import offer_commands
from bot.texts import say, say_count

_WITHOUT_BUTTONS: frozenset[Channel] = frozenset({"http"})
"""Where the commands stand in the text."""
_STARS_TITLE = "Telegram Stars ⭐"


@dataclass(frozen=True, slots=True)
class Way:
    """A way to pay."""

    name: str
    title: str
    currency: str

    def price(self, pack: PackOffer) -> int:
        return pack.stars if self.name == STARS else pack.fcfa


class Shop:
    """
    Args:
        stars: the channels in which something can be paid without leaving them.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        providers: Mapping[str, PaymentProvider],
        stars: Collection[Channel],
    ) -> None:
        self._database = database
        self._settings = settings
        self._providers = providers
        self._stars = stars

    def find(self, name: str) -> PackOffer | None:
        """The pack that is called so: by its price in FCFA."""
        return find_pack(self._settings, name)

    def ways(self, person: Person, lane: str, pack: PackOffer | None = None) -> Sequence[Way]:
        """How this person can pay (for `pack`): hosted pages, in their FCFA if any takes it; then
        Stars, in a private conversation only."""
        ways: list[Way] = []
        for currency in currencies_of(person.country):
            ways = ways or [
                Way(each.name, each.title, currency)
                for each in self._providers.values()
                if currency in each.currencies
            ]
        is_private = lane == f"{person.channel}:{person.address}"
        sold = pack.stars if pack else any(each.stars for each in packs_of(self._settings))
        if person.channel in self._stars and is_private and sold:
            ways.append(Way(STARS, _STARS_TITLE, STARS_CURRENCY))
        return ways

    async def show_packs(self, person: Person, lane: str) -> Say:
        """All packs with their prices; choosing one is `/buy PACK`."""
        choices = [
            (_label(person.language, pack, self.ways(person, lane, pack)), f"/buy {pack.fcfa}")
            for pack in packs_of(self._settings)
            if self.ways(person, lane, pack)
        ]
        worth = explain_credits(person.language, self._settings.min_turn_credits)
        question = say(person.language, "Which pack?")
        return await self._offer(person, lane, f"{worth} {question}", choices)

    async def show_ways(self, person: Person, lane: str, pack: PackOffer) -> Say:
        """How this pack can be paid; choosing one is `/buy PACK WAY`."""
        ways = self.ways(person, lane, pack)
        label = _label(person.language, pack, ways)
        words = say(person.language, "{pack}. How do you want to pay?", pack=label)
        return await self.offer_ways(person, lane, words, pack, ways)

    async def offer_ways(
        self, person: Person, lane: str, words: str, pack: PackOffer, ways: Sequence[Way]
    ) -> Say:
        """These words, and these ways to pay this pack under them."""
        choices = [(way.title, f"/buy {pack.fcfa} {way.name}") for way in ways]
        return await self._offer(person, lane, words, choices)

    async def _offer(
        self, person: Person, lane: str, words: str, choices: Sequence[tuple[str, str]]
    ) -> Say:
        if not choices:
            return Say(words)
        if person.channel in _WITHOUT_BUTTONS:
            lines = [f"- {label} ({command})" for label, command in choices]
            return Say("\n".join([words, "", *lines]))

        async def work(tx: Transaction) -> tuple[Button, ...]:
            return await offer_commands(tx, lane, person.address, choices)

        return Say(words, await self._database.write(work))


def explain_credits(language: str, least: int) -> str:
    """What a credit buys.

    Args:
        least: credits that the cheapest answer costs.
    """
    return say_count(
        language,
        "A question costs about {number} credit; a document or a long task costs more.",
        "A question costs about {number} credits; a document or a long task costs more.",
        least,
    )


def make_wish(person: Person, lane: str, pack: PackOffer, way: Way) -> Wish:
    """What this person, who has an account, buys by choosing so."""
    return Wish(
        account=person.account or 0,
        lane=lane,
        address=person.address,
        pack=str(pack.fcfa),
        credits=pack.credits,
        provider=way.name,
        currency=way.currency,
        amount=way.price(pack),
        language=person.language,
    )


def _label(language: str, pack: PackOffer, ways: Sequence[Way]) -> str:
    """What a pack holds and costs: `100 credits: 500 FCFA`."""
    prices = dict.fromkeys(_price(language, pack, way) for way in ways)
    return say_count(
        language,
        "{number} credit: {price}",
        "{number} credits: {price}",
        pack.credits,
        price=" / ".join(prices),
    )


def _price(language: str, pack: PackOffer, way: Way) -> str:
    if way.name == STARS:
        return f"{pack.stars} ⭐"
    thousands, rest = divmod(pack.fcfa, 1000)
    if not thousands:
        return say(language, "{amount} FCFA", amount=rest)
    return say(language, "{thousands},{rest} FCFA", thousands=thousands, rest=f"{rest:03}")
