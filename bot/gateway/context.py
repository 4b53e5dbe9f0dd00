"""Hold the objects that the parts of the gateway share; `bot/app.py` builds them once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from bot.contracts.channels import Adapter, Capabilities
from bot.contracts.storage import Database, EphemeralStore
from bot.gateway.delivery.compose import Composer
from bot.gateway.delivery.number_routes import OutboundRoutes
from bot.gateway.render.formula_pictures import FormulaPictures
from bot.gateway.turns.preview import CodeFiles
from bot.maths.checker import MathsChecker
from bot.messages.incoming import Update
from bot.observability import Metrics
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class GatewayContext:
    settings: Settings
    database: Database
    momentary: EphemeralStore
    adapters: Mapping[str, Adapter]
    """By name; `adapters[update.via]` received an update, and fetches its attachments."""
    metrics: Metrics
    posting: Composer
    pictures: FormulaPictures
    code_files: CodeFiles
    maths: MathsChecker = field(default_factory=MathsChecker)
    """By default one without a process for algebra."""
    routes: OutboundRoutes = field(default_factory=OutboundRoutes)

    def find_answering_adapter(self, update: Update) -> Adapter:
        """Return the adapter by which an update is answered: the one that received it, unless a
        route leads elsewhere."""
        via = self.routes.find(update.channel, update.conversation, update.via)
        return self.adapters[via or update.via]

    def find_capabilities(self, update: Update) -> Capabilities:
        """Return the capabilities, in an update's conversation, of the adapter that answers it."""
        adapter = self.find_answering_adapter(update)
        return self.routes.describe(adapter.capabilities, update.conversation)
