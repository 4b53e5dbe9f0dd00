"""Look up what a message costs: first in the settings, then in the table that comes with Griot.

Amounts are whole millionths of a US dollar: they add up exactly.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Final

import msgspec

from bot.settings import Settings

MILLION: Final = 1_000_000
_FILE: Final = Path(__file__).with_name("message_prices.toml")
_OTHERS: Final = "*"
CategoryPrices = Mapping[str, float]


class _Market(msgspec.Struct):
    countries: tuple[str, ...]
    prices: dict[str, float]


class _Table(msgspec.Struct):
    date: date
    whatsapp: tuple[_Market, ...]
    sms: dict[str, float]


@cache
def _read_table() -> _Table:
    return msgspec.convert(tomllib.loads(_FILE.read_text()), _Table)


def get_table_date() -> date:
    """Return the date of the prices in Griot's own table."""
    return _read_table().date


def to_millionths(usd: float) -> int:
    return round(usd * MILLION)


def to_usd(millionths: int) -> float:
    return millionths / MILLION


@dataclass(frozen=True, slots=True)
class MessagePrices:
    """Prices by country, from the first table that has one."""

    message_tables: Sequence[Mapping[str, CategoryPrices]]
    segment_tables: Sequence[Mapping[str, float]]

    @classmethod
    def from_settings(cls, settings: Settings) -> MessagePrices:
        table = _read_table()
        markets = {each: market.prices for market in table.whatsapp for each in market.countries}
        return cls((settings.whatsapp_prices, markets), (settings.sms_prices, table.sms))

    def find_message_price(self, country: str, category: str) -> int:
        """Return the price of a message in millionths of a US dollar; for a category that no table
        has, the highest price of the country."""
        rows = [
            table[each]
            for table in self.message_tables
            for each in (country, _OTHERS)
            if each in table
        ]
        known = [row[category] for row in rows if category in row]
        dearest = [max(row.values()) for row in rows if row]
        return to_millionths((known or dearest)[0])

    def find_segment_price(self, country: str) -> float:
        """Return the price of one segment, in US dollars."""
        found = [
            table[each]
            for table in self.segment_tables
            for each in (country, _OTHERS)
            if each in table
        ]
        return found[0]
