"""SearXNG: whether it answers in JSON, which is off when it is installed.

https://docs.searxng.org/dev/search_api.html
"""

from __future__ import annotations

from collections.abc import Sequence

from bot.checks.findings import Finding
from bot.checks.providers.asking import ask


async def examine(searxng_url: str) -> Sequence[Finding]:
    """Raises `Unanswered`."""
    told = await ask(f"{searxng_url.rstrip('/')}/search?q=griot&format=json")
    if told.status == 403:
        advice = "add json to search.formats in its settings.yml, or let our address through"
        return [Finding("error", "SEARXNG_URL", "it gives us no JSON", advice)]
    if not told.is_good or "results" not in told.fields:
        raise told.unexpected()
    return [Finding("ok", "SEARXNG_URL", "answers")]
