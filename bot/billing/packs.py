"""List packs of credits, in FCFA and in Telegram Stars, and the ways to pay, as buttons."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.billing.purchases import PurchaseIntent
from bot.contracts.payments import PaymentProvider
from bot.contracts.storage import Database
from bot.i18n import say, say_count
from bot.messages.channels import WEB, Channel
from bot.messages.incoming import Person
from bot.messages.outgoing import Say
from bot.settings import PackOffer, Settings
from bot.storage.buttons import offer_commands

BUY_PAGE: Final = "buy"
"""The target of the link that leads who cannot answer to a page with the packs."""
STARS_CURRENCY: Final = "XTR"
"""The currency code of Telegram Stars."""
PACKS: Final = (
    PackOffer(fcfa=500, credits=100, stars=50),
    PackOffer(fcfa=1_000, credits=220, stars=100),
    PackOffer(fcfa=2_500, credits=600, stars=250),
    PackOffer(fcfa=5_000, credits=1_300, stars=500),
)
"""The packs sold, unless the setting `PACKS` names others."""
_CEMAC: Final = frozenset({"CM", "CF", "CG", "GA", "GQ", "TD"})
"""Countries whose FCFA is the XAF, by https://www.beac.int; elsewhere (WAEMU) it is the XOF. Both
have the same value, and no smaller unit in use."""


def packs_of(settings: Settings) -> Sequence[PackOffer]:
    return settings.packs or PACKS


def find_pack(settings: Settings, name: str) -> PackOffer | None:
    """Return the pack of this price in FCFA, as people write it: `500`, `1 000 F`."""
    digits = "".join(character for character in name if character in "0123456789")
    return next((pack for pack in packs_of(settings) if str(pack.fcfa) == digits), None)


def currencies_of(country: str) -> tuple[str, str]:
    """Return the currency code of the FCFA in a country (two letters), then that of the other FCFA,
    in which prices are equal."""
    return ("XAF", "XOF") if country in _CEMAC else ("XOF", "XAF")


_STARS_TITLE = "Telegram Stars ⭐"


@dataclass(frozen=True, slots=True)
class PaymentMethod:
    """A way to pay."""

    name: str
    title: str
    currency: str

    def price(self, pack: PackOffer) -> int:
        return pack.stars if self.name == STARS else pack.fcfa


class Shop:
    """Shows packs and the ways to pay them.

    Args:
        stars: the channels in which people can pay without leaving them.
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
        """Return the pack of this name, which is its price in FCFA."""
        return find_pack(self._settings, name)

    def find_listed(self, person: Person, lane: str, name: str) -> PackOffer | None:
        """Return the pack of this name, or at this place, from 1, in the list that the person is
        shown."""
        if found := self.find(name):
            return found
        listed = [pack for pack in packs_of(self._settings) if self.ways(person, lane, pack)]
        place = int(name) if name.isdecimal() else 0
        return listed[place - 1] if 1 <= place <= len(listed) else None

    def ways(
        self, person: Person, lane: str, pack: PackOffer | None = None
    ) -> Sequence[PaymentMethod]:
        """Return the ways in which this person can pay (for `pack`): hosted pages, in their FCFA if
        any takes it; then Stars, in a private conversation only."""
        ways: list[PaymentMethod] = []
        for currency in currencies_of(person.country):
            ways = ways or [
                PaymentMethod(each.name, each.title, currency)
                for each in self._providers.values()
                if currency in each.currencies
            ]
        is_private = lane == f"{person.channel}:{person.address}"
        sold = pack.stars if pack else any(each.stars for each in packs_of(self._settings))
        if person.channel in self._stars and is_private and sold:
            ways.append(PaymentMethod(STARS, _STARS_TITLE, STARS_CURRENCY))
        return ways

    def sells(self, person: Person, lane: str) -> bool:
        """Return whether this person can buy credits in this conversation."""
        return bool(self.ways(person, lane))

    async def show_packs(self, person: Person, lane: str, refusal: str = "") -> Say:
        """Return a message with all packs and their prices; choosing one sends `/buy PACK`.

        Args:
            refusal: a sentence that comes first.
        """
        words, choices = self.list_packs(person, lane)
        return await self._offer(person, lane, f"{refusal} {words}".strip(), choices)

    def list_packs(self, person: Person, lane: str) -> tuple[str, list[tuple[str, str]]]:
        """Return the question for a pack, and for each pack its label and the argument of `/buy`
        that chooses it."""
        choices = [
            (_label(person.language, pack, self.ways(person, lane, pack)), str(pack.fcfa))
            for pack in packs_of(self._settings)
            if self.ways(person, lane, pack)
        ]
        worth = explain_credits(person.language, self._settings.min_turn_credits)
        question = say(person.language, "Which pack?")
        return f"{worth} {question}", choices

    async def show_ways(self, person: Person, lane: str, pack: PackOffer, refusal: str = "") -> Say:
        """Return a message with the ways to pay this pack; choosing one sends `/buy PACK WAY`.

        Args:
            refusal: a sentence that comes first.
        """
        words, choices = self.list_ways(person, lane, pack)
        return await self._offer(person, lane, f"{refusal} {words}".strip(), choices)

    def list_ways(
        self, person: Person, lane: str, pack: PackOffer
    ) -> tuple[str, list[tuple[str, str]]]:
        """Return the question how to pay this pack, and for each way its title and the argument of
        `/buy` that chooses it."""
        ways = self.ways(person, lane, pack)
        label = _label(person.language, pack, ways)
        question = say(person.language, "{pack}. How do you want to pay?", pack=label)
        return question, [(way.title, f"{pack.fcfa} {way.name}") for way in ways]

    async def offer_ways(
        self, person: Person, lane: str, words: str, pack: PackOffer, ways: Sequence[PaymentMethod]
    ) -> Say:
        """Return a message with these words, and under them these ways to pay this pack."""
        choices = [(way.title, f"{pack.fcfa} {way.name}") for way in ways]
        return await self._offer(person, lane, words, choices)

    async def _offer(
        self, person: Person, lane: str, words: str, choices: Sequence[tuple[str, str]]
    ) -> Say:
        """Return a message with a button for each choice; who cannot answer gets a link to a page
        with all packs.

        Args:
            choices: for each, its label and the argument of `/buy`.
        """
        if not choices:
            return Say(words)
        if person.channel == WEB:
            name = say(person.language, "/buy")
            lines = [f"- {label} ({name} {argument})" for label, argument in choices]
            return Say("\n".join([words, "", *lines]))
        commands = [(label, f"/buy {argument}") for label, argument in choices]
        buttons = await self._database.write(
            lambda tx: offer_commands(tx, lane, person.address, commands)
        )
        return Say(words, buttons, link="question", target=BUY_PAGE)


def explain_credits(language: str, least: int) -> str:
    """Return a sentence on what credits buy.

    Args:
        least: credits that the cheapest answer costs.
    """
    return say_count(
        language,
        "A question costs at least {number} credit; a document or a long task costs more.",
        "A question costs at least {number} credits; a document or a long task costs more.",
        least,
    )


def make_intent(person: Person, lane: str, pack: PackOffer, way: PaymentMethod) -> PurchaseIntent:
    """Return the purchase that a person with an account makes by choosing this pack and way."""
    return PurchaseIntent(
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


def _label(language: str, pack: PackOffer, ways: Sequence[PaymentMethod]) -> str:
    """Return a pack's credits and prices: `100 credits: 500 FCFA`."""
    prices = dict.fromkeys(write_price(language, way.price(pack), way.currency) for way in ways)
    return say_count(
        language,
        "{number} credit: {price}",
        "{number} credits: {price}",
        pack.credits,
        price=" / ".join(prices),
    )


def write_price(language: str, amount: int, currency: str) -> str:
    """Return what a pack costs: `1,000 FCFA`, `50 ⭐`."""
    if currency == STARS_CURRENCY:
        return f"{amount} ⭐"
    thousands, rest = divmod(amount, 1000)
    if not thousands:
        return say(language, "{amount} FCFA", amount=rest)
    return say(language, "{thousands},{rest} FCFA", thousands=thousands, rest=f"{rest:03}")


STARS: Final = "stars"
"""The name of the way to pay inside Telegram, with Stars."""
