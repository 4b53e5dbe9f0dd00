"""Book what messages cost the operator, once each when it is delivered. Writes `cost`, `quota`.

Prices come from the settings, else from the table that comes with Griot (`message_prices.toml`).
Amounts are whole millionths of a US dollar: they add up exactly.

Reports come late, twice and in any order: each is compared with what is booked, and a difference
corrects it. The first messages of a month are free in the order in which they were delivered, so a
report of an earlier delivery may give it the place of a later one, which then costs its price.
"""

from __future__ import annotations

import time
import tomllib
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

import msgspec
import structlog

from bot.accounts.aliases import read_contact_ids
from bot.accounts.phone_numbers import country_of
from bot.contracts.channels import Adapter
from bot.contracts.storage import Clock, Row, Transaction
from bot.messages.channels import CHANNELS, USER_ID, Channel
from bot.messages.incoming import Receipt
from bot.messages.outgoing import Body, TemplateBody, TextBody, decode_body
from bot.settings import MESSAGE_CATEGORIES, Settings

_MILLION: Final = 1_000_000
_PRICES: Final = Path(__file__).with_name("message_prices.toml")
_ALL_OTHERS: Final = "*"
"""Stands for countries that a table does not name."""
_SERVICE: Final = "service"
_TEMPLATE: Final = "utility"
_TEXT: Final = "text"
"""The category of messages that are paid for by the segment."""
_CATEGORIES: Final = frozenset({*MESSAGE_CATEGORIES, _TEXT})
_OLDEST: Final = 31 * 86400.0
"""Seconds before now; an earlier time of delivery from a provider is not believed."""
_FUTURE: Final = 300.0
_MOST_UNPRICED: Final = 20
"""Categories without a price that the log names at most; then there is a mistake elsewhere."""
log = structlog.get_logger()


class _Market(msgspec.Struct):
    countries: tuple[str, ...]
    prices: dict[str, float]


class _Table(msgspec.Struct):
    date: date
    whatsapp: tuple[_Market, ...]
    sms: dict[str, float]


@cache
def _read_table() -> _Table:
    return msgspec.convert(tomllib.loads(_PRICES.read_text()), _Table)


def get_table_date() -> date:
    """Return the date of the prices in Griot's own table."""
    return _read_table().date


def usd_to_millionths(usd: float) -> int:
    return round(usd * _MILLION)


def millionths_to_usd(millionths: int) -> float:
    return millionths / _MILLION


class MessagePrices:
    """Prices by country: those of the settings, else those of Griot's own table."""

    def __init__(self, settings: Settings) -> None:
        table = _read_table()
        markets = {each: market.prices for market in table.whatsapp for each in market.countries}
        self._message_tables = settings.whatsapp_prices, markets
        self._segment_tables = settings.sms_prices, table.sms
        self._unpriced: set[str] = set()
        """The categories without a price of which the log has a line."""

    def find_message_price(self, country: str, category: str) -> int:
        """Return the price of a message in millionths of a US dollar; for a category that no table
        has, the highest price of the country, so that the limits in dollars hold."""
        rows = [
            table[each]
            for table in self._message_tables
            for each in (country, _ALL_OTHERS)
            if each in table
        ]
        known = [row[category] for row in rows if category in row]
        dearest = [max(row.values()) for row in rows if row]
        if not known and category not in self._unpriced and len(self._unpriced) < _MOST_UNPRICED:
            self._unpriced.add(category)
            log.warning("message_price_unknown", category=category[:40], usd=dearest[0])
        return usd_to_millionths((known or dearest)[0])

    def find_segment_price(self, country: str) -> float:
        """Return the price of one segment, in US dollars."""
        found = [
            table[each]
            for table in self._segment_tables
            for each in (country, _ALL_OTHERS)
            if each in table
        ]
        return found[0]


@dataclass(frozen=True, slots=True)
class BookedMessage:
    """A message that was booked just now, for metrics."""

    channel: Channel
    category: str
    """One of a few; `other`: the provider has a newer one."""
    usd: float


@dataclass(frozen=True, slots=True)
class _Entry:
    """A row of `cost`."""

    lane: str
    turn: int
    provider_id: str
    channel: Channel
    sender: str
    category: str = ""
    billable: int | None = None
    delivered_at: float | None = None
    month: int = 0
    free: int = 0
    price: int = 0
    amount: int = 0

    @property
    def key(self) -> dict[str, Any]:
        return {"lane": self.lane, "turn": self.turn, "provider_id": self.provider_id}

    @property
    def quota(self) -> dict[str, Any]:
        return {"sender": self.sender, "month": self.month}


class MessageCosts:
    """Books the costs of messages."""

    def __init__(self, settings: Settings, clock: Clock = time.time) -> None:
        self._prices = MessagePrices(settings)
        self._free_messages = settings.whatsapp_free_messages
        self._clock = clock

    def concern(self, receipt: Receipt, adapter: Adapter) -> bool:
        """Return whether the report matters for the cost of the message."""
        is_priced = receipt.state == "sent" and receipt.pricing is not None
        has_arrived = receipt.state in {"delivered", "read"}
        return bool(CHANNELS[adapter.channel].paid_by) and (is_priced or has_arrived)

    async def note(
        self, tx: Transaction, delivery: Row, receipt: Receipt, adapter: Adapter
    ) -> BookedMessage | None:
        """Book or correct the cost of a delivery; return it if it is booked for the first time.

        Args:
            delivery: its `lane`, `turn` and `body`.
            receipt: with the id that the delivery is stored with.
        """
        if not self.concern(receipt, adapter):
            return None
        blank = _Entry(
            delivery["lane"],
            delivery["turn"],
            receipt.provider_id,
            adapter.channel,
            f"{adapter.name}:{receipt.sender}",
        )
        row = await tx.fetch_one(_FIND, **blank.key)
        known = blank if row is None else _read(row)
        learned = self._learn(known, receipt)
        if row is not None and learned == known:
            return None
        if learned.delivered_at is None:
            await _write(tx, learned)
            return None
        booked = await self._price(tx, learned, decode_body(delivery["body"]), adapter)
        if known.month:
            await self._withdraw(tx, known)
        if booked.month and await self._is_free(tx, booked):
            booked = replace(booked, free=1, amount=booked.amount - booked.price)
        await _write(tx, booked)
        if known.delivered_at is not None:
            return None
        category = booked.category if booked.category in _CATEGORIES else "other"
        return BookedMessage(booked.channel, category, millionths_to_usd(booked.amount))

    def _learn(self, known: _Entry, receipt: Receipt) -> _Entry:
        """Add what a report says to an entry, which keeps the first price reported and the earliest
        time of delivery.

        The first report of the delivery may correct a price told with `sent`, and any report of it
        may say that the message is free, so that their order does not matter.
        """
        entry, pricing = known, receipt.pricing
        may_correct = receipt.state != "sent" and (
            known.delivered_at is None or (pricing is not None and not pricing.billable)
        )
        if pricing is not None and (known.billable is None or may_correct):
            entry = replace(entry, billable=int(pricing.billable), category=pricing.category)
        if receipt.state == "sent":
            return entry
        now = self._clock()
        at = receipt.at if now - _OLDEST < receipt.at < now + _FUTURE else now
        if known.delivered_at is not None and (not receipt.at or known.delivered_at <= at):
            return entry
        return replace(entry, delivered_at=at)

    async def _price(self, tx: Transaction, entry: _Entry, body: Body, adapter: Adapter) -> _Entry:
        """Compute an entry's price, and the month in which it counts among the free messages."""
        country = await _find_country(tx, entry)
        fee = usd_to_millionths(adapter.capabilities.message_fee)
        if CHANNELS[entry.channel].paid_by == "segment":
            segments = max(body.segments, 1) if isinstance(body, TextBody) else 1
            price = usd_to_millionths(segments * self._prices.find_segment_price(country))
            return replace(entry, category=_TEXT, price=price, amount=price + fee)
        usual = _TEMPLATE if isinstance(body, TemplateBody) else _SERVICE
        category = entry.category if entry.billable is not None else usual
        price, month = 0, 0
        if entry.billable != 0:
            price = self._prices.find_message_price(country, category)
            month = _month_of(entry.delivered_at or 0.0) if category == _SERVICE else 0
        return replace(
            entry, category=category, month=month, free=0, price=price, amount=price + fee
        )

    async def _is_free(self, tx: Transaction, entry: _Entry) -> bool:
        """Take a free place of the month, one that is left or that of a later delivery; return
        whether there was one."""
        used = await _lock_quota(tx, entry)
        if used < self._free_messages:
            await tx.execute(_USE, **entry.quota, number=1)
            return True
        values = {"at": entry.delivered_at, "provider_id": entry.provider_id}
        later = await tx.fetch_one(_LAST_FREE, **entry.quota, **values)
        if later is None:
            return False
        await tx.execute(_MAKE_PAID, **_read(later).key)
        return True

    async def _withdraw(self, tx: Transaction, entry: _Entry) -> None:
        """Take an entry out of the count of its month; its free place goes to the first delivery
        that is paid."""
        await _lock_quota(tx, entry)
        now = await tx.fetch_one(_FIND, **entry.key)  # others may have given or taken its place
        await tx.execute(_UNCOUNT, **entry.key)
        if now is None or not now["free"]:
            return
        following = await tx.fetch_one(_FIRST_PAID, **entry.quota)
        if following is not None:
            await tx.execute(_MAKE_FREE, **_read(following).key)
        else:
            await tx.execute(_USE, **entry.quota, number=-1)


async def read_turn_costs(tx: Transaction, lane: str, turn: int) -> dict[Channel, int]:
    """Return the cost of a turn's messages by channel, in millionths of a US dollar."""
    rows = await tx.fetch(_OF_TURN, lane=lane, turn=turn)
    return {row["channel"]: int(row["amount"]) for row in rows}


def _month_of(at: float) -> int:
    then = datetime.fromtimestamp(at, UTC)
    return then.year * 100 + then.month


async def _find_country(tx: Transaction, entry: _Entry) -> str:
    """Return the country of the person's number, else that of their user id."""
    address = entry.lane.partition(":")[2]
    ids = await read_contact_ids(tx, entry.channel, address)
    if ids.number:
        return country_of(ids.number)
    user_id = ids.user_id or address
    return user_id[:2] if USER_ID.fullmatch(user_id) else ""


async def _lock_quota(tx: Transaction, entry: _Entry) -> int:
    """Lock the quota of an entry's sender and month; return how many messages are free so far."""
    row = await tx.fetch_one(_LOCK, **entry.quota)
    return row["used"] if row else 0


def _read(row: Row) -> _Entry:
    return _Entry(**{name: row[name] for name in _Entry.__slots__})


async def _write(tx: Transaction, entry: _Entry) -> None:
    await tx.execute(_WRITE, **{name: getattr(entry, name) for name in _Entry.__slots__})


_COLUMNS = ", ".join(_Entry.__slots__)

_FIND = f"""
SELECT {_COLUMNS} FROM cost WHERE lane = :lane AND turn = :turn AND provider_id = :provider_id
"""  # noqa: S608 (made of constants)

_WRITE = f"""
INSERT INTO cost ({_COLUMNS}, booked_at)
VALUES (:lane, :turn, :provider_id, :channel, :sender, :category, :billable, :delivered_at, :month,
    :free, :price, :amount, CASE WHEN CAST(:delivered_at AS DOUBLE PRECISION) IS NULL THEN NULL
    ELSE {{now}} END)
ON CONFLICT (lane, turn, provider_id) DO UPDATE SET category = excluded.category,
    billable = excluded.billable, delivered_at = excluded.delivered_at, month = excluded.month,
    free = excluded.free, price = excluded.price, amount = excluded.amount,
    booked_at = coalesce(cost.booked_at, excluded.booked_at)
"""  # noqa: S608 (made of constants)

_LOCK = """
INSERT INTO quota (sender, month) VALUES (:sender, :month)
ON CONFLICT (sender, month) DO UPDATE SET used = quota.used
RETURNING used
"""

_USE = """
UPDATE quota SET used = used + :number WHERE sender = :sender AND month = :month
"""

_LAST_FREE = f"""
SELECT {_COLUMNS} FROM cost
WHERE sender = :sender AND month = :month AND free = 1
    AND (delivered_at > :at OR (delivered_at = :at AND provider_id > :provider_id))
ORDER BY delivered_at DESC, provider_id DESC LIMIT 1
"""  # noqa: S608 (made of constants)

_FIRST_PAID = f"""
SELECT {_COLUMNS} FROM cost WHERE sender = :sender AND month = :month AND free = 0
ORDER BY delivered_at, provider_id LIMIT 1
"""  # noqa: S608 (made of constants)

_MAKE_PAID = """
UPDATE cost SET free = 0, amount = amount + price
WHERE lane = :lane AND turn = :turn AND provider_id = :provider_id
"""

_MAKE_FREE = """
UPDATE cost SET free = 1, amount = amount - price
WHERE lane = :lane AND turn = :turn AND provider_id = :provider_id
"""

_UNCOUNT = """
UPDATE cost SET month = 0, free = 0
WHERE lane = :lane AND turn = :turn AND provider_id = :provider_id
"""

_OF_TURN = """
SELECT channel, sum(amount) AS amount FROM cost WHERE lane = :lane AND turn = :turn
GROUP BY channel
"""
