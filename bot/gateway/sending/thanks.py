"""Having someone told what became of their payment: where they have bought, if that still is
theirs, or else where they can be reached."""

from __future__ import annotations

from hashlib import sha256
from typing import cast

import structlog

from bot.accounts.people import People
from bot.accounts.purchases import Purchase, Receipt
from bot.accounts.receipts import confirm
from bot.contracts import Transaction
from bot.errors import ToolFailed
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.sending.courier import PUSHED, Courier
from bot.messages import Channel, Notice, Say, Sender, Update
from bot.storage.living import find_holder

log = structlog.get_logger()


class Thanks:
    """Puts it into the inbox of a conversation, within the transaction that notes it."""

    def __init__(self, inbox: Inbox, people: People, courier: Courier) -> None:
        self._inbox = inbox
        self._people = people
        self._courier = courier

    async def tell(self, tx: Transaction, receipt: Receipt) -> None:
        """Once a purchase and outcome, of what was not credited once a payment; by the adapter that
        the person wrote to last."""
        purchase, words = receipt.purchase, confirm(receipt)
        if purchase is None or words is None:
            return
        key = _name(purchase, receipt)
        if not await self._tell_there(tx, purchase, words, key):
            await self._tell_elsewhere(tx, purchase, words, key)

    async def _tell_there(self, tx: Transaction, purchase: Purchase, words: Say, key: str) -> bool:
        """Whether it was bought in a conversation that is there, by somebody who still has the
        account there: what another may read tells no balance."""
        channel, _, conversation = purchase.lane.partition(":")
        sender = Sender(purchase.address)
        row = await tx.fetch_one("SELECT via FROM lane WHERE id = :lane", lane=purchase.lane)
        if row is None or not row["via"]:
            return False
        buyer = await self._people.look_up(tx, cast("Channel", channel), sender)
        if buyer.account != await find_holder(tx, purchase.account):
            return False
        update = Update(
            channel=cast("Channel", channel),
            via=row["via"],
            conversation=conversation,
            sender=sender,
            delivery_key=key,
            message_key=key,
            content=Notice((words,)),
        )
        await self._inbox.put(tx, update)
        return True

    async def _tell_elsewhere(
        self, tx: Transaction, purchase: Purchase, words: Say, key: str
    ) -> None:
        for channel in PUSHED:
            try:
                place = await self._courier.find(
                    tx, channel, account=purchase.account, may_wait=False
                )
            except ToolFailed:
                continue
            await self._courier.hand_over(tx, place, [words], key=key)
            return
        log.warning("purchase_untold", purchase=purchase.id)


def _name(purchase: Purchase, receipt: Receipt) -> str:
    """The key under which it is told once."""
    if receipt.outcome == "paid":
        return f"purchase:{purchase.id}"
    charge = sha256(receipt.charge.encode()).hexdigest()[:16]
    return f"purchase:{purchase.id}:{receipt.outcome}:{charge}"
