"""What the gateway's parts share, put together once in `bot/assembly.py`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.contracts import Adapter, Database, Momentary
from bot.gateway.sending.pictures import Pictures
from bot.gateway.sending.posting import Posting
from bot.gateway.turns.code_files import CodeFiles
from bot.messages import Update
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
    pictures: Pictures
    code_files: CodeFiles

    def adapter_of(self, update: Update) -> Adapter:
        """The one that received it: a reply goes out by the same."""
        return self.adapters[update.via]
