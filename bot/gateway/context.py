"""Hold what the parts of the gateway share; `bot/app.py` builds it once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bot.contracts.channels import Adapter
from bot.contracts.storage import Database, EphemeralStore
from bot.gateway.delivery.compose import Composer
from bot.gateway.render.formula_pictures import FormulaPictures
from bot.gateway.turns.preview import CodeFiles
from bot.observability import Metrics
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class GatewayContext:
    settings: Settings
    database: Database
    momentary: EphemeralStore
    adapters: Mapping[str, Adapter]
    """By name. A reply goes out by the one that received the update: `adapters[update.via]`."""
    metrics: Metrics
    posting: Composer
    pictures: FormulaPictures
    code_files: CodeFiles
