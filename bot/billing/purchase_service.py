"""Sell packs: take orders, open pages to pay on, look up payments, credit them, notify payers."""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

import structlog

from bot.billing import purchases
from bot.billing.packs import STARS, PaymentMethod, Shop, make_intent, packs_of
from bot.billing.purchases import Outcome, PaymentReceipt, Purchase, PurchaseIntent, TooMany
from bot.contracts.payments import Order, PaymentPage, PaymentProvider, PaymentState
from bot.contracts.services import ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import NumberUnknown, ToolFailed, WalletUnknown
from bot.i18n import say, say_count
from bot.messages.incoming import Person
from bot.messages.outgoing import Invoice, Say
from bot.observability import Metrics
from bot.settings import PackOffer, Settings


def confirm_payment(receipt: PaymentReceipt, language: str = "") -> Say | None:
    """Return the message on a payment: thanks for the credits, or what to do where nothing was
    credited; None if there is no person to notify, or nothing new.

    Args:
        language: used where the receipt has none.
    """
    language, purchase = receipt.language or language, receipt.purchase
    if purchase is None:
        return Say(_tell_of_unknown(language)) if receipt.outcome == "unknown" else None
    match receipt.outcome:
        case "paid" | "known":
            return thank_payer(language, purchase.credits, receipt.balance)
        case "wrong":
            return Say(_tell_of_wrong(language, purchase))
        case "again":
            return Say(_tell_of_second(language, purchase))
        case "failed":
            return Say(_tell_of_failure(language, purchase))
        case "unknown":
            return None


def thank_payer(language: str, number: int, balance: int) -> Say:
    """Return the message to a person whose payment was credited, with their balance."""
    confirmation = say_count(
        language,
        "Thank you! {number} credit has been added.",
        "Thank you! {number} credits have been added.",
        number,
    )
    left = say_count(language, "You have {number} credit.", "You have {number} credits.", balance)
    return Say(f"{confirmation} {left}")


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


AT_ONCE: Final = 20
"""How many due purchases are checked at once."""
_OPEN_SECONDS: Final = 8.0
"""The person waits for the page, and a checkout in the same conversation may wait for it too."""
_ASK_SECONDS: Final = 25.0
_FIRST_LOOK: Final = 60.0
_UNOPENED: Final = "it could not be opened"
_MONTH: Final = 30 * 86_400.0
"""Seconds after which a provider that never answered is not asked again."""
_URL: Final = re.compile(r"https?://[^\s<>\"]{4,2000}")
_TROUBLES: Final[Mapping[Outcome, str]] = {
    "wrong": "purchase_paid_wrongly",
    "again": "purchase_paid_again",
    "unknown": "purchase_paid_unknown",
}
"""The event to log where money came and nothing was credited for it."""
_CONFIRMED: Final = frozenset[Outcome]({"paid", "wrong", "again"})
log = structlog.get_logger()
Tell = Callable[[Transaction, PaymentReceipt], Awaitable[None]]


class PurchaseService:
    """Begins purchases, looks them up at their providers, and credits them.

    Args:
        providers: payment providers by name.
        tell: notifies the person of their payment's outcome, in the transaction that stores it.
    """

    def __init__(
        self,
        database: Database,
        settings: Settings,
        metrics: Metrics,
        providers: Mapping[str, PaymentProvider],
        tell: Tell,
    ) -> None:
        self.providers = providers
        self.settings = settings
        self._database = database
        self._metrics = metrics
        self._tell = tell

    async def begin(self, intent: PurchaseIntent, key: str) -> Purchase:
        """Store a purchase before the person is asked for money; the same key gives the same one.

        Raises `purchases.TooMany`."""
        order = secrets.token_hex(12)
        ask_in = purchases.CHECK_LIFE if intent.provider == STARS else _FIRST_LOOK
        purchase = await self._database.write(
            lambda tx: purchases.begin_purchase(tx, intent, order=order, key=key, ask_in=ask_in)
        )
        if purchase.id == order:
            self._count(purchase, "begun")
        return purchase

    async def open_page(self, purchase: Purchase) -> PaymentPage:
        """Open the page on which a purchase is paid, or return the one that is open already.

        Raises:
            WalletUnknown: the person's number cannot pay this way.
            ConnectionError: the provider cannot be reached now.
        """
        if purchase.url or purchase.reference:
            return PaymentPage(purchase.url, purchase.reference)
        provider = self.providers[purchase.provider]
        phone = await self._database.read(lambda tx: purchases.read_phone(tx, purchase.account))
        try:
            page = await _open_page(provider, self._order(purchase, phone))
        except (WalletUnknown, ConnectionError) as error:
            is_reached = isinstance(error, WalletUnknown)
            self._count(purchase, "failed" if is_reached else "unreachable")
            log.warning("purchase_unopened", provider=purchase.provider, reason=str(error))
            known = await self._database.write(
                lambda tx: _give_up_unopened(
                    tx, purchase.id, ends=is_reached or not provider.reopens
                )
            )
            if known.url or known.reference:
                return PaymentPage(known.url, known.reference)
            raise
        await self._database.write(
            lambda tx: purchases.note_page(tx, purchase.id, url=page.url, reference=page.reference)
        )
        return page

    def _order(self, purchase: Purchase, phone: str) -> Order:
        base, language = self.settings.base_url, purchase.language
        return Order(
            id=purchase.id,
            amount=purchase.amount,
            currency=purchase.currency,
            title=name_order(language, purchase.credits),
            phone=phone,
            language="en" if language == "en" else "fr",
            return_url=f"{base}/payments/done",
            cancel_url=f"{base}/payments/cancelled",
            callback_url=f"{base}/webhooks/payments/{purchase.provider}",
        )

    async def receive(self, order: str, paid: PaymentState) -> PaymentReceipt:
        """Credit a payment inside a channel, which reported it; no message is sent."""
        receipt = await self._database.write(lambda tx: purchases.credit_purchase(tx, order, paid))
        self._note(receipt, paid)
        return receipt

    async def hint(self, provider: str, order: str) -> bool:
        """Have a purchase checked soon, durably, as a callback says that it has changed.

        Return False if its state can no longer change.
        """
        return await self._database.write(lambda tx: purchases.note_callback(tx, order, provider))

    async def settle(self, order: str) -> None:
        """Look this purchase up at its provider, and credit it or mark it as failed, once."""
        purchase = await self._database.read(lambda tx: purchases.find_purchase(tx, order))
        if purchase.state not in {"paid", "refunded"}:
            await self._settle(purchase)

    async def ask_due(self) -> int:
        """Settle the purchases that are due for a check; return how many."""
        due = await self._database.write(lambda tx: purchases.take_due_checks(tx, AT_ONCE))
        outcomes = await asyncio.gather(
            *(self._settle(purchase) for purchase in due), return_exceptions=True
        )
        for purchase, outcome in zip(due, outcomes, strict=True):
            if isinstance(outcome, Exception):  # it must not hold up the others
                log.error("purchase_unsettled", purchase=purchase.id, exc_info=outcome)
        return len(due)

    async def _settle(self, purchase: Purchase) -> None:
        try:
            state = await self.look_up(purchase)
        except ConnectionError as error:
            self._count(purchase, "unreachable")
            log.warning("purchase_unconfirmed", provider=purchase.provider, reason=str(error))
            await self._let_rest(purchase, after=_MONTH)
            return
        match state.state:
            case "paid":
                receipt = await self._database.write(lambda tx: self._credit(tx, purchase, state))
                self._note(receipt, state)
            case "failed":
                if await self._database.write(lambda tx: self._note_failure(tx, purchase)):
                    self._count(purchase, "failed")
            case "waiting":
                await self._let_rest(purchase, after=purchases.CHECK_LIFE)

    async def look_up(self, purchase: Purchase) -> PaymentState:
        """Return the state of a purchase's payment by its provider's answer.

        Raises:
            ConnectionError: the provider gave no answer, or its settings are not set.
        """
        if purchase.provider == STARS:
            return PaymentState("waiting")  # Telegram reports payments, until we acknowledge
        provider = self.providers.get(purchase.provider)
        if provider is None:
            raise ConnectionError("its settings are not set any more")
        try:
            async with asyncio.timeout(_ASK_SECONDS):
                return await provider.look_up(purchase.id, purchase.reference)
        except TimeoutError:
            raise ConnectionError("no answer in time") from None

    async def _credit(
        self, tx: Transaction, purchase: Purchase, state: PaymentState
    ) -> PaymentReceipt:
        receipt = await purchases.credit_purchase(tx, purchase.id, state)
        if receipt.outcome in _CONFIRMED:
            await self._tell(tx, receipt)
        return receipt

    async def _note_failure(self, tx: Transaction, purchase: Purchase) -> bool:
        """Mark a purchase as failed; return whether that is new. The person is notified only where
        they had no page, as a page shows the failure already."""
        is_news = await purchases.fail_open_purchases(tx, purchase.id, "by the provider's word")
        if is_news and not purchase.url:
            await self._tell(tx, PaymentReceipt("failed", purchase, language=purchase.language))
        return is_news

    async def _let_rest(self, purchase: Purchase, *, after: float) -> None:
        if await self._database.write(
            lambda tx: purchases.postpone_check(tx, purchase.id, after=after)
        ):
            self._count(purchase, "expired")

    def _note(self, receipt: PaymentReceipt, paid: PaymentState) -> None:
        """Count the receipt, and log it if an operator has to look at it."""
        bought = receipt.purchase
        provider = bought.provider if bought else STARS  # all others are only asked about our own
        if receipt.outcome != "known":
            self._metrics.purchases(provider, receipt.outcome).inc()
        event = _TROUBLES.get(receipt.outcome)
        if event:
            log.error(
                event,
                purchase=bought.id if bought else "",
                provider=provider,
                ordered=f"{bought.amount} {bought.currency}" if bought else "",
                paid=f"{paid.amount} {paid.currency}",
                charge=paid.charge,
            )

    def _count(self, purchase: Purchase, outcome: str) -> None:
        self._metrics.purchases(purchase.provider, outcome).inc()


async def _give_up_unopened(tx: Transaction, order: str, *, ends: bool) -> Purchase:
    """Return a purchase whose page was refused; mark it as failed if that ends it, unless the same
    request has opened the page at the same moment, as a provider opens it once."""
    purchase = await purchases.find_purchase(tx, order)
    if ends and not (purchase.url or purchase.reference):
        await purchases.fail_open_purchases(tx, order, _UNOPENED)
    return purchase


async def _open_page(provider: PaymentProvider, order: Order) -> PaymentPage:
    """Return the page at the provider. Raises `WalletUnknown`, or `ConnectionError`: no page in
    time, or one without a valid address."""
    try:
        async with asyncio.timeout(_OPEN_SECONDS):
            page = await provider.open(order)
    except TimeoutError:
        raise ConnectionError("no page in time") from None
    if page.url and not _URL.fullmatch(page.url):
        raise ConnectionError("the page to pay on has no address")
    return page


def name_order(language: str, number: int) -> str:
    """Return the title of a page or an invoice for `number` credits: at most 32 characters."""
    return say_count(language, "{number} Griot credit", "{number} Griot credits", number)


class OrderService:
    """Implements `bot.contracts.services.CreditShop`."""

    def __init__(self, service: PurchaseService, shop: Shop) -> None:
        self._purchases = service
        self._shop = shop

    async def order(
        self, person: Person, lane: str, key: str, pack: PackOffer, *, wanted: str = ""
    ) -> Say | Invoice:
        """Return a message by which this pack is paid, if there is only one way or one is wanted;
        else a message with the ways.

        Args:
            key: names the request; the same key gives the same purchase.
            wanted: the name of a way to pay; empty: any.
        """
        ways = self._shop.ways(person, lane, pack)
        way = _choose(ways, wanted)
        if way is None:
            refusal = say(person.language, "I do not know this way to pay.") if wanted else ""
            return await self._shop.show_ways(person, lane, pack, refusal)
        others = [] if wanted else [each for each in ways if each is not way]
        try:
            purchase = await self._purchases.begin(make_intent(person, lane, pack, way), key)
        except TooMany:
            return Say(
                say(person.language, "That is many purchases at once. Try again in an hour.")
            )
        if way.name == STARS:
            description = say_count(
                person.language,
                "{number} credit for your questions to Griot.",
                "{number} credits for your questions to Griot.",
                purchase.credits,
            )
            return Invoice(
                payload=purchase.id,
                title=name_order(person.language, purchase.credits),
                description=description,
                amount=purchase.amount,
                currency=purchase.currency,
            )
        try:
            words = await self._open_page(person.language, purchase, way)
        except NumberUnknown:
            return _ask_number(person.language, way)
        return await self._shop.offer_ways(person, lane, words, pack, others)

    async def _open_page(self, language: str, purchase: Purchase, way: PaymentMethod) -> str:
        try:
            page = await self._purchases.open_page(purchase)
        except NumberUnknown:
            raise
        except WalletUnknown:
            return _no_wallet(language, way)
        except ConnectionError:
            may_ask = self._purchases.providers[way.name].reopens
            return (_doubt if may_ask else _sorry)(language, way)
        if not page.url:
            return say(
                language,
                "Confirm the payment on your phone ({way}). I will write when it arrives.",
                way=way.title,
            )
        return say(
            language,
            "Pay here by {way}. I will write when it arrives:\n\n{url}",
            way=way.title,
            url=page.url,
        )

    async def offer(self, pack: str, context: ToolContext) -> Say | Invoice:
        """Return a message with all packs, if none is named; else one by which the pack is paid, or
        one with the ways to pay for it.

        Only pages are opened: where the provider itself asks the person on their phone, they press
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
        if way is not None and way.name != STARS and self._purchases.providers[way.name].reopens:
            return await self._shop.show_ways(person, lane, found)
        return await self.order(person, lane, f"{lane}/{context.key}", found)

    def _refuse(self, person: Person, lane: str) -> str:
        packs = packs_of(self._purchases.settings)
        sold = [str(each.fcfa) for each in packs if self._shop.ways(person, lane, each)]
        return f"There is no such pack. Call again with one of {', '.join(sold)}"


def _choose(ways: Sequence[PaymentMethod], wanted: str) -> PaymentMethod | None:
    """Return the way that is named, else the only one, not counting Stars next to one other way;
    None: there are several, or no way has the name."""
    if wanted:
        return next((way for way in ways if way.name == wanted.casefold()), None)
    hosted = [way for way in ways if way.name != STARS]
    return (hosted or ways)[0] if len(hosted) < 2 else None


def _sorry(language: str, way: PaymentMethod) -> str:
    return say(
        language,
        "{way} does not answer just now. Nothing was charged. Try again in a few minutes.",
        way=way.title,
    )


def _doubt(language: str, way: PaymentMethod) -> str:
    """Return the text for a provider that may ask the person to pay, but gave us no answer."""
    return say(
        language,
        "{way} does not answer now. If it asks you on your phone all the same, you may confirm: "
        "I will write when it arrives. Else try again in a few minutes.",
        way=way.title,
    )


def _ask_number(language: str, way: PaymentMethod) -> Say:
    words = say(
        language,
        "{way} asks you on your phone, and I do not know your number. Share it here, or send "
        "/login; then /buy again. Nothing was charged.",
        way=way.title,
    )
    return Say(words, asks_number=True)


def _no_wallet(language: str, way: PaymentMethod) -> str:
    return say(
        language,
        "{way} knows no account of your number. Nothing was charged. Send /buy to pay another way.",
        way=way.title,
    )
