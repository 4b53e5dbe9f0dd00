"""What choosing among many tools costs: per request, and once per set of tools."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable

from bench.results import Result
from bot.agent.tool_catalogue import LONGEST_REQUEST, ToolSelector
from bot.contracts.tools import ToolSpec

TOOLS = 200
VERBS = (
    "search",
    "create",
    "list",
    "update",
    "send",
    "convert",
    "plot",
    "translate",
    "find",
    "read",
)
THINGS = (
    *("invoice", "spreadsheet", "customer", "email", "reminder", "map", "picture", "lesson"),
    *("budget", "recipe", "match", "flight", "contract", "forecast", "video", "repository"),
    *("payment", "ticket", "song", "crop"),
)
REQUEST = (
    "Bonjour, peux-tu me préparer un tableau des ventes de mangues au marché d’Abobo, le traduire "
    "en anglais, l’envoyer par courriel à ma cousine et me rappeler demain de payer la facture ? "
)


def measure(*, quick: bool) -> list[Result]:
    rounds = 5 if quick else 50
    specs = [_make_spec(number) for number in range(TOOLS)]
    selector = ToolSelector(specs, ())
    longest = (REQUEST * (LONGEST_REQUEST // len(REQUEST) + 1))[:LONGEST_REQUEST]
    distinct = "".join(f"{number:03x}q " for number in range(LONGEST_REQUEST))
    return [
        Result("selection.ms_200_tools", _ms(lambda: selector.select(REQUEST), rounds), "ms"),
        Result("selection.ms_at_4000", _ms(lambda: selector.select(longest), rounds), "ms"),
        Result("selection.ms_hostile", _ms(lambda: selector.select(distinct), rounds), "ms"),
        Result("selection.index_ms", _ms(lambda: ToolSelector(specs, ()), rounds), "ms"),
    ]


def _make_spec(number: int) -> ToolSpec:
    verb, thing = VERBS[number % len(VERBS)], THINGS[number // len(VERBS)]
    properties = {
        "query": {"type": "string", "description": f"Which {thing}, in the person's own words."},
        "limit": {"type": "integer", "description": "How many results at most, 1 to 20."},
        "format": {"type": "string", "enum": ["short", "long", "table"]},
    }
    return ToolSpec(
        f"{verb}_{thing}",
        f"{verb.title()} a {thing} for the person. Use it when they want to {verb} one, or ask "
        f"what became of a {thing} that they had asked for before; not for anything else.",
        {"type": "object", "properties": properties, "required": ["query"]},
    )


def _ms(run: Callable[[], object], rounds: int) -> float:
    """CPU time of one run, the median."""
    times: list[float] = []
    for _ in range(rounds):
        started = time.process_time()
        run()
        times.append(time.process_time() - started)
    return statistics.median(times) * 1000
