"""Hold the objects that the parts of the gateway share; `bot/app.py` builds them once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from bot.contracts.channels import Adapter, Capabilities
from bot.contracts.storage import Database, EphemeralStore
from bot.gateway.delivery.compose import Composer
from bot.gateway.delivery.routing import OutboundRoutes
from bot.gateway.turns.model_message import CodeFiles
from bot.maths.checker import MathsChecker
from bot.messages.incoming import Person, Update
from bot.observability import Metrics
from bot.render.formula_pictures import FormulaPictures
from bot.settings import Settings

Sells = Callable[[Person, str], bool]


def _sells_nothing(person: Person, lane: str) -> bool:  # noqa: ARG001 (a Sells)
    return False


@dataclass(frozen=True, slots=True)
class GatewayContext:
    settings: Settings
    database: Database
    momentary: EphemeralStore
    adapters: Mapping[str, Adapter]
    """By name; `adapters[update.via]` received an update, and fetches its attachments."""
    metrics: Metrics
    composer: Composer
    pictures: FormulaPictures
    code_files: CodeFiles
    maths: MathsChecker = field(default_factory=MathsChecker)
    """By default one without a process for algebra."""
    routes: OutboundRoutes = field(default_factory=OutboundRoutes)
    sells: Sells = _sells_nothing
    """Tells whether a person can buy credits in a conversation."""

    def find_answering_adapter(self, update: Update) -> Adapter:
        """Return the adapter by which an update is answered: the one that received it, unless a
        route leads elsewhere."""
        via = self.routes.find(update.channel, update.conversation, update.via)
        return self.adapters[via or update.via]

    def find_capabilities(self, update: Update) -> Capabilities:
        """Return the capabilities, in an update's conversation, of the adapter that answers it."""
        adapter = self.find_answering_adapter(update)
        return self.routes.describe(adapter.capabilities, update.conversation)
