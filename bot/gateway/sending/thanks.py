"""Having someone told, where they have bought, what became of their payment."""

from __future__ import annotations

from hashlib import sha256
from typing import cast

import structlog

from bot.accounts.purchases import Purchase, Receipt
from bot.accounts.receipts import confirm
from bot.contracts import Transaction
from bot.gateway.receiving.inbox import Inbox
from bot.messages import Channel, Notice, Sender, Update

log = structlog.get_logger()


class Thanks:
    """Puts it into the inbox of that conversation, within the transaction that notes it."""

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def tell(self, tx: Transaction, receipt: Receipt) -> None:
        """Once a purchase and outcome, of what was not credited once a payment; by the adapter that
        the person wrote to last."""
        purchase, words = receipt.purchase, confirm(receipt)
        if purchase is None or words is None:
            return
        row = await tx.fetch_one("SELECT via FROM lane WHERE id = :lane", lane=purchase.lane)
        if row is None or not row["via"]:
            log.warning("purchase_untold", purchase=purchase.id)
            return
        channel, _, conversation = purchase.lane.partition(":")
        key = _name(purchase, receipt)
        update = Update(
            channel=cast("Channel", channel),
            via=row["via"],
            conversation=conversation,
            sender=Sender(purchase.address),
            delivery_key=key,
            message_key=key,
            content=Notice((words,)),
        )
        await self._inbox.put(tx, update)


def _name(purchase: Purchase, receipt: Receipt) -> str:
    """The key under which it is told once."""
    if receipt.outcome == "paid":
        return f"purchase:{purchase.id}"
    charge = sha256(receipt.charge.encode()).hexdigest()[:16]
    return f"purchase:{purchase.id}:{receipt.outcome}:{charge}"
