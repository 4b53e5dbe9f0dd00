"""What is sold: packs of credits, in FCFA and in Telegram Stars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from bot.settings import PackOffer, Settings

STARS_CURRENCY: Final = "XTR"
"""How Telegram calls its Stars where a currency is asked for."""
PACKS: Final = (
    PackOffer(fcfa=500, credits=100, stars=50),
    PackOffer(fcfa=1_000, credits=220, stars=100),
    PackOffer(fcfa=2_500, credits=600, stars=250),
    PackOffer(fcfa=5_000, credits=1_300, stars=500),
)
"""Sold unless `PACKS` says otherwise."""
_CEMAC: Final = frozenset({"CM", "CF", "CG", "GA", "GQ", "TD"})
"""Where the FCFA is the XAF, by https://www.beac.int; elsewhere (WAEMU) it is the XOF. Both have
the same value, and no smaller unit in use."""


def packs_of(settings: Settings) -> Sequence[PackOffer]:
    return settings.packs or PACKS


def find_pack(settings: Settings, name: str) -> PackOffer | None:
    """The pack of this price in FCFA, as people write it: `500`, `1 000 F`."""
    digits = "".join(character for character in name if character in "0123456789")
    return next((pack for pack in packs_of(settings) if str(pack.fcfa) == digits), None)


def currencies_of(country: str) -> tuple[str, str]:
    """The FCFA of someone's country (two letters), and the other one, in which prices are equal."""
    return ("XAF", "XOF") if country in _CEMAC else ("XOF", "XAF")
