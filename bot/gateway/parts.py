"""What the gateway's parts share, put together once in `bot/assembly.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.contracts import Adapter, Database, Momentary
from bot.gateway.posting import Posting
from bot.observe import Metrics
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class Parts:
    settings: Settings
    database: Database
    momentary: Momentary
    adapters: Mapping[str, Adapter]
    """By name."""
    metrics: Metrics
    posting: Posting
