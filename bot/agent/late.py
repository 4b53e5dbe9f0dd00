"""A model that is not there yet: `openai` takes a third of a start, and only answers need it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any

from bot.contracts import Model, ModelRequest
from bot.events import Emit
from bot.messages import ModelReply


class LateModel:
    """Implements `Model` by one that is being opened: whoever asks earlier waits for it."""

    def __init__(self, opening: Coroutine[Any, Any, Model]) -> None:
        self._opening = asyncio.create_task(opening, name="model")

    async def opened(self) -> Model:
        """The model itself. Raises what its opening has raised."""
        return await asyncio.shield(self._opening)

    async def ask(self, request: ModelRequest, emit: Emit) -> ModelReply:
        """See `Model.ask`."""
        model = self._opening.result() if self._opening.done() else await self.opened()
        return await model.ask(request, emit)

    async def close(self) -> None:
        """Close it if it is there; if not, it does not come any more."""
        if not self._opening.cancel() and not self._opening.exception():
            await self._opening.result().close()
