"""What was measured: the table for people, `results.json` for programs."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FILE = Path(__file__).parent / "results.json"


@dataclass(frozen=True, slots=True)
class Result:
    name: str
    value: float
    unit: str
    margin: float = 0.0
    """How far chance may have moved the value: two standard errors of its sample. A target that is
    nearer is neither met nor missed."""


@dataclass(frozen=True, slots=True)
class Target:
    bound: float
    at_least: bool = False

    def __str__(self) -> str:
        return f"{'≥' if self.at_least else '≤'} {self.bound:g}"

    def is_met(self, value: float) -> bool:
        return value >= self.bound if self.at_least else value <= self.bound


TARGETS = {
    "loop.cpu_ms": Target(2.5),
    "loop.vs_raw_aiohttp": Target(2.5),
    "loop.vs_fastest_framework": Target(20, at_least=True),
    "loop.big_request_extra_ms": Target(1),
    "house.sqlite.cpu_ms": Target(6),
    "house.sqlite.vs_raw_aiohttp": Target(6),
    "house.postgres.cpu_ms": Target(9),
    "house.postgres.vs_raw_aiohttp": Target(9),
    "ack.p99_ms_at_200": Target(20),
    "concurrency.cost_2000_over_50": Target(1.2),
    "concurrency.rss_kb_per_turn": Target(100),
    "storage.flat_1m_over_10k": Target(1.2),
    "context.trim_ms_200_messages": Target(1),
    "context.first_trim_ms_200_messages": Target(1),
    "selection.ms_200_tools": Target(5),
    "rescue.extra_ms_per_320_chunks": Target(0.3),
    "sms.segments_saved": Target(50, at_least=True),
    "render.telegram.ms_at_16k": Target(15),
    "render.whatsapp_twilio.ms_at_16k": Target(15),
    "render.whatsapp_cloud.ms_at_16k": Target(15),
    "render.sms.ms_at_16k": Target(15),
    "formulas.p50_ms": Target(40),
    "progress.cpu_ms": Target(60),
    "progress.full_cpu_ms": Target(60),
    "progress.full_bytes": Target(60_000),
    "learning.recall_30d_over_ladder": Target(1, at_least=True),
    "learning.fast_recall_30d_over_ladder": Target(1, at_least=True),
    "learning.auc": Target(0.70, at_least=True),
    "learning.placed_within_half_a_grade": Target(80, at_least=True),
    "learning.least_success_of_ten": Target(50, at_least=True),
    "reviews.sqlite.due_30_of_10000_cpu_ms": Target(2),
    "reviews.sqlite.due_10000_of_10000_cpu_ms": Target(2),
    "reviews.sqlite.card_ms": Target(1),
    "reviews.postgres.card_ms": Target(1),
    "reviews.sqlite.nudge_s": Target(5),
    "reviews.postgres.nudge_s": Target(5),
    "deliveries.cpu_ms": Target(1),
    "deliveries.p99_delay_beside_429": Target(1.5),
    "start.ready_s": Target(1.5),
    "start.idle_rss_mb": Target(120),
    "workers.two_over_one": Target(1.8, at_least=True),
    "reminders.sqlite.in_a_minute.p99_ms": Target(1000),
    "reminders.postgres.in_a_minute.p99_ms": Target(1000),
    "reminders.sqlite.restarted.p99_ms": Target(1000),
    "reminders.postgres.restarted.p99_ms": Target(1000),
}


def table(results: Sequence[Result]) -> str:
    """One line a result: name, value, unit, target, verdict."""
    width = max(len(result.name) for result in results)
    return "\n".join(_line(result, width) for result in results)


def _line(result: Result, width: int) -> str:
    line = f"{result.name:<{width}}  {result.value:>10.2f} {result.unit:<10}"
    target = TARGETS.get(result.name)
    if target is None:
        return line.rstrip()
    if abs(result.value - target.bound) < result.margin:
        return f"{line}  {target!s:<7} sample too small to judge (± {result.margin:.1f})"
    return f"{line}  {target!s:<7} {'met' if target.is_met(result.value) else 'MISSED'}"


def write(results: Sequence[Result]) -> None:
    """Write them to `results.json`; what this run did not measure keeps its last value there."""
    known: list[dict[str, Any]] = json.loads(FILE.read_text()) if FILE.exists() else []
    merged = {entry["name"]: entry for entry in known}
    merged.update(
        {each.name: {"name": each.name, "value": each.value, "unit": each.unit} for each in results}
    )
    FILE.write_text(json.dumps(list(merged.values()), indent=2) + "\n")
