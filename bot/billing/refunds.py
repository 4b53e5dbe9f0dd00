"""Refund purchases: the provider gives the money back, then the credits are taken, if still there.

Not all providers have idempotency keys for refunds, so only one process may ask for a refund at a
time.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Final

import structlog

from bot.accounts import ledger
from bot.billing import purchases
from bot.billing.packs import STARS
from bot.billing.purchase_service import PurchaseService
from bot.billing.purchases import Purchase
from bot.contracts.payments import PaymentState, StarRefunds
from bot.contracts.storage import Database, Transaction
from bot.errors import PersonError
from bot.observability import Metrics

CLAIM: Final = 180.0
"""Seconds for which one process claims a refund, longer than it waits for the provider: after them
that process is gone, and the refund may be asked for again."""
log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Claim:
    """A purchase that no other process refunds before `until` (Unix seconds, the database's)."""

    purchase: Purchase
    until: float


class RefundUnfinished(ConnectionError):
    """The provider was asked, and may have given the money back; the credits are not taken."""


class NotRefundable(PersonError):
    """Nothing was paid for the purchase, or it was refunded, or is being refunded."""

    code = "not_refundable"


class Refunds:
    """Refunds purchases, once each.

    Args:
        service: has the providers, and looks up payments.
        stars: gives Telegram Stars back; None: Telegram is not set up.
    """

    def __init__(
        self,
        database: Database,
        service: PurchaseService,
        metrics: Metrics,
        stars: StarRefunds | None,
    ) -> None:
        self._database = database
        self._purchases = service
        self._metrics = metrics
        self._stars = stars

    async def refund(self, order: str) -> int:
        """Give the money back, then take the credits, as far as the balance goes; return how many.

        After a crash in between, a call `CLAIM` seconds later goes on from there: the provider may
        still be working on the first request.

        Raises:
            NotFound, NotRefundable: there is nothing to give back.
            PersonError: the provider cannot do it; the message says where to do it.
            RefundUnfinished: the provider gave no answer, or the database gives none any more.
            ConnectionError: the provider cannot be reached; nothing was changed.
        """
        claimed = await self._database.write(lambda tx: claim_refund(tx, order))
        purchase = claimed.purchase
        async with self._released_on(BaseException, claimed):
            state = await self._find_payment(purchase)
        async with self._released_on(PersonError, claimed):
            with _unfinished_on_loss():
                if purchase.provider == STARS:
                    await self._give_stars_back(purchase, purchase.charge)
                else:
                    await self._purchases.providers[purchase.provider].refund(purchase.id, state)
        with _unfinished_on_loss():
            taken = await self._database.write(lambda tx: book_refund(tx, order))
        self._count(purchase)
        return taken

    async def refund_charge(self, order: str, charge: str) -> None:
        """Refund another payment in Telegram Stars for a purchase, whose credits stay.

        It may be called again.

        Raises:
            NotFound: there is no such purchase, or Telegram knows of no such payment by its payer.
            PersonError: it is not another payment in Stars.
            ConnectionError: Telegram cannot be reached.
        """
        purchase = await self._database.read(lambda tx: purchases.find_purchase(tx, order))
        if purchase.provider != STARS:
            raise PersonError(f"Give it back in the console of {purchase.provider}.")
        if charge == purchase.charge:
            raise PersonError("This is the payment that was credited: leave out --charge.")
        await self._give_stars_back(purchase, charge)
        self._count(purchase)

    async def _find_payment(self, purchase: Purchase) -> PaymentState:
        """Return the payment to refund. Raises `PersonError`, `ConnectionError`."""
        charge = purchase.charge or purchase.reference
        paid = PaymentState("paid", purchase.amount, purchase.currency, charge)
        if purchase.provider == STARS:
            return paid
        if purchase.provider not in self._purchases.providers:
            raise PersonError(f"The settings of {purchase.provider} are not set.")
        state = await self._purchases.look_up(purchase)
        return state if state.state == "paid" else paid  # some give refunded payments another state

    async def _give_stars_back(self, purchase: Purchase, charge: str) -> None:
        if self._stars is None:
            raise PersonError("TELEGRAM_BOT_TOKEN is not set: Telegram cannot be asked.")
        if not purchase.address:
            raise PersonError("Its payer was erased: nobody is left to give the Stars back to.")
        await self._stars.refund_stars(purchase.address, charge)

    @asynccontextmanager
    async def _released_on(self, kind: type[BaseException], claimed: Claim) -> AsyncGenerator[None]:
        """Release the claim if the block raises `kind`, as then nothing was refunded."""
        try:
            yield
        except kind:
            try:
                await self._database.write(lambda tx: release_refund(tx, claimed))
            except Exception:  # the error of the block is raised instead
                log.exception("refund_still_claimed", purchase=claimed.purchase.id)
            raise

    def _count(self, purchase: Purchase) -> None:
        self._metrics.purchases(purchase.provider, "refunded").inc()


@contextmanager
def _unfinished_on_loss() -> Generator[None]:
    """Raise `RefundUnfinished` in place of any `ConnectionError` of the block."""
    try:
        yield
    except ConnectionError as error:
        raise RefundUnfinished(
            f"{error}; it may have been given back all the same. "
            f"Ask again in {CLAIM / 60:.0f} minutes"
        ) from error


async def claim_refund(tx: Transaction, order: str) -> Claim:
    """Claim the refund of a purchase, so that no other process refunds it now.

    Raises:
        NotFound: there is no such purchase.
        NotRefundable: no money was taken for it, or it was refunded, or is being refunded.
    """
    claimed = await tx.fetch_one(_CLAIM, id=order, seconds=CLAIM)
    purchase = await purchases.find_purchase(tx, order)
    if purchase.state == "refunded":
        raise NotRefundable(f"The purchase {order} was refunded before.")
    if purchase.state != "paid" and not purchase.charge:
        raise NotRefundable(f"The purchase {order} is {purchase.state}: nothing was paid.")
    if claimed is None:
        raise NotRefundable(
            f"The purchase {order} is just being refunded. Look again in {CLAIM / 60:.0f} minutes."
        )
    return Claim(purchase, claimed["refund_until"])


async def release_refund(tx: Transaction, claimed: Claim) -> None:
    """Release a claim on a refund that was not made; the claim of another process stays."""
    await tx.execute(_RELEASE, id=claimed.purchase.id, until=claimed.until)


async def book_refund(tx: Transaction, order: str) -> int:
    """Take the credits back, as far as the balance goes, once; return how many were taken.

    Raises:
        NotFound: there is no such purchase.
    """
    await tx.fetch_one("SELECT id FROM purchase WHERE id = :id {for_update}", id=order)
    purchase, key = await purchases.find_purchase(tx, order), f"refund:{order}"
    booked = await ledger.booked_of(tx, key, "refund")
    if booked is not None:
        return -booked
    taken = 0
    owner = await purchases.find_owner(tx, purchase)
    if owner and purchase.state == "paid":
        taken = min(purchase.credits, await ledger.balance_of(tx, owner["id"]))
        await ledger.book(tx, account=owner["id"], amount=-taken, kind="refund", key=key)
    await tx.execute(_REFUNDED, id=order)
    return taken


_CLAIM = """
UPDATE purchase SET refund_until = {now} + :seconds
WHERE id = :id AND (refund_until IS NULL OR refund_until <= {now})
RETURNING refund_until
"""

_RELEASE = """
UPDATE purchase SET refund_until = NULL WHERE id = :id AND refund_until = :until
"""

_REFUNDED = """
UPDATE purchase SET state = 'refunded', ask_at = NULL, refund_until = NULL WHERE id = :id
"""
