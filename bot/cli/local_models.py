"""Model servers that run on this machine, found on their usual ports."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from bot.checks.providers.asking import Unanswered, ask
from bot.checks.providers.models import names_in

USUAL_PORTS: Final[Mapping[str, int]] = {
    "Ollama": 11434,
    "LM Studio": 1234,
    "llama-server": 8080,
    "vLLM": 8000,
}
"""All four speak OpenAI's API below /v1, without a key."""
_SECONDS: Final = 0.7
_OURSELVES: Final = "griot"
"""The model of a Griot that runs here, on one of these ports."""
_NO_CHAT: Final = ("embed", "rerank", "whisper")
"""In the names of models that do not answer in words."""


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server that answers, and the models it has."""

    name: str
    base_url: str
    models: Sequence[str]


async def find_local_servers(ports: Mapping[str, int] = USUAL_PORTS) -> list[LocalServer]:
    """The servers that answer within a moment and have a model; only this machine is asked."""
    found = await asyncio.gather(*(_look(name, port) for name, port in ports.items()))
    return [server for server in found if server is not None]


async def _look(name: str, port: int) -> LocalServer | None:
    base_url = f"http://127.0.0.1:{port}/v1"
    try:
        async with asyncio.timeout(_SECONDS):
            listed = await ask(f"{base_url}/models")
    except (Unanswered, TimeoutError):
        return None
    if not listed.is_good:
        return None
    models = [
        model
        for model in names_in(listed) or ()
        if model and model != _OURSELVES and not any(word in model.lower() for word in _NO_CHAT)
    ]
    return LocalServer(name, base_url, models) if models else None
