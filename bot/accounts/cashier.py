"""The cashier: opens pages to pay on, and believes nobody but the provider's own answer.

A callback, a tap, a look at the clock: each only leads to `settle`, which asks how the payment
stands, and books what was ordered once.
"""

from __future__ import annotations

import asyncio
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping
from typing import Final

import structlog

from bot.accounts import outstanding, purchases
from bot.accounts.purchases import Outcome, Purchase, Receipt, Wish
from bot.contracts import (
    Database,
    Order,
    PaymentPage,
    PaymentProvider,
    PaymentState,
    Transaction,
)
from bot.errors import WalletUnknown
from bot.observe import Metrics
from bot.settings import Settings
from bot.texts import say_count

STARS: Final = "stars"
"""The way to pay that Telegram itself is."""
AT_ONCE: Final = 20
"""How many purchases one look at what is due takes."""
_OPEN_SECONDS: Final = 8.0
"""Somebody waits for the page, and a checkout in the same conversation may wait behind it."""
_ASK_SECONDS: Final = 25.0
_FIRST_LOOK: Final = 60.0
_UNOPENED: Final = "it could not be opened"
_MONTH: Final = 30 * 86_400.0
"""Seconds after which a provider that never answered is asked no more."""
_URL: Final = re.compile(r"https?://[^\s<>\"]{4,2000}")
_TROUBLES: Final[Mapping[Outcome, str]] = {
    "wrong": "purchase_paid_wrongly",
    "again": "purchase_paid_again",
    "unknown": "purchase_paid_unknown",
}
"""What is logged where money came, and nothing was credited for it."""
_TOLD: Final = frozenset[Outcome]({"paid", "wrong", "again"})
log = structlog.get_logger()
Tell = Callable[[Transaction, Receipt], Awaitable[None]]


class Cashier:
    """
    Args:
        providers: by name.
        tell: has the person told what became of their money, within the transaction that notes it.
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

    async def begin(self, wish: Wish, key: str) -> Purchase:
        """Keep the purchase before anybody is asked for money; the same key gives the same one.

        Raises `purchases.TooMany`."""
        order = secrets.token_hex(12)
        ask_in = outstanding.LIFE if wish.provider == STARS else _FIRST_LOOK
        purchase = await self._database.write(
            lambda tx: purchases.begin(tx, wish, order=order, key=key, ask_in=ask_in)
        )
        if purchase.id == order:
            self._count(purchase, "begun")
        return purchase

    async def open_page(self, purchase: Purchase) -> PaymentPage:
        """Where it is paid; one that is open already is given again.

        Raises:
            WalletUnknown: nobody can pay this way with the person's number.
            ConnectionError: the provider cannot be reached now.
        """
        if purchase.url or purchase.reference:
            return PaymentPage(purchase.url, purchase.reference)
        provider = self.providers[purchase.provider]
        phone = await self._database.read(lambda tx: purchases.read_phone(tx, purchase.account))
        try:
            page = await _open(provider, self._order(purchase, phone))
        except (WalletUnknown, ConnectionError) as error:
            is_reached = isinstance(error, WalletUnknown)
            self._count(purchase, "failed" if is_reached else "unreachable")
            log.warning("purchase_unopened", provider=purchase.provider, reason=str(error))
            if is_reached or not provider.reopens:
                await self._database.write(lambda tx: outstanding.fail(tx, purchase.id, _UNOPENED))
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
            callback_url=f"{base}/webhooks/payments/{purchase.provider}",
        )

    async def receive(self, order: str, paid: PaymentState) -> Receipt:
        """Credit what was paid inside a channel, which has told so itself; nobody else is told."""
        receipt = await self._database.write(lambda tx: purchases.credit(tx, order, paid))
        self._note(receipt, paid)
        return receipt

    async def hint(self, provider: str, order: str) -> bool:
        """Somebody says that something has changed: durably, it will be asked for soon.

        False: it is about nothing that could still change.
        """
        return await self._database.write(lambda tx: outstanding.hint(tx, order, provider))

    async def settle(self, order: str) -> None:
        """Ask the provider how this purchase stands, and do what follows from it, once."""
        purchase = await self._database.read(lambda tx: purchases.find(tx, order))
        if purchase.state not in {"paid", "refunded"}:
            await self._settle(purchase)

    async def ask_due(self) -> int:
        """Settle those that are due to be asked for; how many."""
        due = await self._database.write(lambda tx: outstanding.take_due(tx, AT_ONCE))
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
                await self._fail(purchase)
            case "waiting":
                await self._let_rest(purchase, after=outstanding.LIFE)

    async def look_up(self, purchase: Purchase) -> PaymentState:
        """How it stands by its provider's answer.

        Raises:
            ConnectionError: there is no answer, or nobody to ask.
        """
        if purchase.provider == STARS:
            return PaymentState("waiting")  # Telegram tells, and repeats it until it is heard
        provider = self.providers.get(purchase.provider)
        if provider is None:
            raise ConnectionError("its settings are not set any more")
        try:
            async with asyncio.timeout(_ASK_SECONDS):
                return await provider.look_up(purchase.id, purchase.reference)
        except TimeoutError:
            raise ConnectionError("no answer in time") from None

    async def _credit(self, tx: Transaction, purchase: Purchase, state: PaymentState) -> Receipt:
        receipt = await purchases.credit(tx, purchase.id, state)
        if receipt.outcome in _TOLD:
            await self._tell(tx, receipt)
        return receipt

    async def _fail(self, purchase: Purchase) -> None:
        if await self._database.write(lambda tx: self._note_failure(tx, purchase)):
            self._count(purchase, "failed")

    async def _note_failure(self, tx: Transaction, purchase: Purchase) -> bool:
        """Whether it is news. Where there is a page, that has told the person already."""
        is_news = await outstanding.fail(tx, purchase.id, "by the provider's word")
        if is_news and not purchase.url:
            await self._tell(tx, Receipt("failed", purchase, language=purchase.language))
        return is_news

    async def _let_rest(self, purchase: Purchase, *, after: float) -> None:
        if await self._database.write(lambda tx: outstanding.rest(tx, purchase.id, after=after)):
            self._count(purchase, "expired")

    def _note(self, receipt: Receipt, paid: PaymentState) -> None:
        """Count it, and log what an operator has to look at."""
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


async def _open(provider: PaymentProvider, order: Order) -> PaymentPage:
    """The page, in time and with an address; else `ConnectionError`, or `WalletUnknown`."""
    try:
        async with asyncio.timeout(_OPEN_SECONDS):
            page = await provider.open(order)
    except TimeoutError:
        raise ConnectionError("no page in time") from None
    if page.url and not _URL.fullmatch(page.url):
        raise ConnectionError("the page to pay on has no address")
    return page


def name_order(language: str, number: int) -> str:
    """So many credits, as people read it on a page or an invoice: at most 32 characters."""
    return say_count(language, "{number} Griot credit", "{number} Griot credits", number)
