"""Answer `/balance`, `/buy` (packs, ways to pay, pages), payments inside a channel, and
`/paysupport`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Final

from bot.accounts import ledger
from bot.billing import purchases
from bot.billing.packs import STARS, Shop, explain_credits, write_price
from bot.billing.purchase_service import OrderService, PurchaseService, confirm_payment
from bot.contracts.payments import PaymentState
from bot.contracts.storage import Transaction
from bot.errors import NotFound, ToolFailed
from bot.gateway.commands.reply import CommandRequest, Reply, ask_to_log_in
from bot.gateway.delivery.fault_reports import FaultReports
from bot.gateway.inbound.command_parser import BUY_PATTERN
from bot.i18n import find_zone, fold, say, say_count, write_day
from bot.messages.incoming import Checkout, Paid, Person, Update
from bot.messages.outgoing import AnswerCheckout, Say
from bot.storage.accounts import find_current_account

_MOST_SHOWN: Final = 3
"""Purchases that `/paysupport` lists."""
_LONGEST_COMPLAINT: Final = 3_000
"""Characters, so that the report has room for the numbers of the purchases."""


class BuyCommand:
    """Answers `/buy` and payments; each is a `SlowCommandHandler`."""

    def __init__(self, service: PurchaseService, shop: Shop, orders: OrderService) -> None:
        self._purchases = service
        self._shop = shop
        self._orders = orders

    async def buy(self, person: Person, update: Update, argument: str) -> Reply:
        """Answer `/buy` with the packs, `/buy PACK` with the link or the question how to pay, and
        `/buy PACK WAY` with the link or the invoice. PACK is its price or its place in the list."""
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
        asked = BUY_PATTERN.fullmatch(fold(argument))
        pack = self._shop.find_listed(person, lane, asked["price"]) if asked else None
        if asked is None or pack is None or not self._shop.ways(person, lane, pack):
            refusal = say(person.language, "There is no such pack.") if argument else ""
            return Reply((await self._shop.show_packs(person, lane, refusal),))
        key = f"{lane}/{update.message_key}"
        return Reply(
            (await self._orders.order(person, lane, key, pack, wanted=asked["way"] or ""),)
        )

    async def receive(self, person: Person, update: Update, _: str) -> Reply:
        """Credit a payment inside the channel, once, and thank for it, or say what to do."""
        paid = update.content
        if not isinstance(paid, Paid):
            return Reply()
        state = PaymentState("paid", paid.amount, paid.currency, paid.charge)
        receipt = await self._purchases.receive(paid.payload, state)
        said = confirm_payment(receipt, person.language)
        return Reply((said,)) if said else Reply()


@dataclass(frozen=True, slots=True)
class _Complaint:
    """A report of a payment that went wrong (a `Reporter`)."""

    person: Person
    account: int
    lane: str
    turn: int
    key: str


class PaymentSupport:
    """Answers `/paysupport`, which Telegram asks of bots that take Stars
    (https://core.telegram.org/bots/payments-stars)."""

    def __init__(self, reports: FaultReports) -> None:
        self._reports = reports

    async def answer(self, request: CommandRequest) -> Reply:
        """List the latest purchases, or pass on to the operators what went wrong with one."""
        person = request.person
        if person.account is None:
            return ask_to_log_in(person.language)
        if not request.argument:
            return Reply((Say(await _list_purchases(request, person.account)),))
        update, seq = request.update, request.seq
        complaint = _Complaint(
            person, person.account, update.lane, seq, f"paysupport:{update.lane}:{seq}"
        )
        bought = await purchases.list_latest(request.tx, person.account, _MOST_SHOWN)
        named = "".join(f"\n{each['id']} {each['state']}" for each in bought)
        written = request.argument[:_LONGEST_COMPLAINT]
        try:
            await self._reports.store(
                request.tx, f"/paysupport {written}{named}", "high", complaint
            )
        except ToolFailed:
            return request.reply("What you reported today has been passed on. Wait for the answer.")
        return request.reply("Thank you, I have passed that on. Somebody will look into it.")


async def _list_purchases(request: CommandRequest, account: int) -> str:
    language, zone = request.person.language, find_zone(request.person.timezone)
    bought = await purchases.list_latest(request.tx, account, _MOST_SHOWN)
    states = {
        "open": say(language, "not paid yet"),
        "paid": say(language, "paid"),
        "failed": say(language, "failed"),
        "expired": say(language, "expired"),
        "refunded": say(language, "refunded"),
    }
    lines = [
        say_count(
            language,
            "- {day}: {number} credit, {price}, {state}",
            "- {day}: {number} credits, {price}, {state}",
            each["credits"],
            day=write_day(language, datetime.fromtimestamp(each["created_at"], zone).date()),
            price=write_price(language, each["amount"], each["currency"]),
            state=states[each["state"]],
        )
        for each in bought
    ]
    head = say(language, "Your latest purchases:") if bought else ""
    ask = say(
        language,
        "If a payment went wrong, write what happened after the command: "
        "/paysupport paid yesterday, no credits.",
    )
    return "\n\n".join(filter(None, [head, "\n".join(lines), ask]))


async def check_checkout(tx: Transaction, person: Person, checkout: Checkout) -> Reply:
    """Decide whether a payment inside the channel may go on: it has to be for an open order of this
    person, of the same amount.

    Telegram waits ten seconds (https://core.telegram.org/bots/api#answerprecheckoutquery).
    """
    error = ""
    if not await _is_right(tx, person, checkout):
        error = say(person.language, "This invoice is no longer valid. Send /buy for a new one.")
    return Reply((AnswerCheckout(checkout.id, error),))


async def _is_right(tx: Transaction, person: Person, checkout: Checkout) -> bool:
    try:
        purchase = await purchases.find_purchase(tx, checkout.payload)
    except NotFound:
        return False
    return (
        purchase.provider == STARS
        and purchase.state == "open"
        and purchase.address == person.address
        and await find_current_account(tx, purchase.account) == person.account
        and (purchase.amount, purchase.currency) == (checkout.amount, checkout.currency)
    )


def _say(words: str) -> Reply:
    return Reply((Say(words),))


async def tell_balance(request: CommandRequest) -> Reply:
    """Answer `/balance`: the person's credits, and those that are reserved."""
    account = request.person.account
    if account is None:
        return request.reply("You are a guest. Log in with /login to have credits.")
    balance = await ledger.balance_of_snapshot(request.tx, account)
    language = request.person.language
    words = say_count(language, "You have {number} credit.", "You have {number} credits.", balance)
    if held := await ledger.held_of(request.tx, account):
        words += " " + say(language, "Kept for an answer on its way: {number}.", number=held)
    words += " " + explain_credits(language, request.least_credits)
    return Reply((Say(words),))
