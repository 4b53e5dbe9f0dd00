"""How soon a webhook is acknowledged, and how soon its turn begins, while turns run."""

from __future__ import annotations

from bench.results import Result
from bench.stage import Stage, set_up

RATES = (20, 200)
PEOPLE = 400


def measure(*, quick: bool) -> list[Result]:
    seconds = 3 if quick else 10
    with set_up() as stage:
        stage.log_in(1, PEOPLE)
        return [result for rate in RATES for result in _latencies(stage, rate, seconds)]


def _latencies(stage: Stage, rate: int, seconds: int) -> list[Result]:
    stage.starts()
    sent = stage.send(rate * seconds, rate=rate, first=1, people=PEOPLE)
    stage.await_answers(120)
    starts, _ = stage.starts()
    waits = sorted((starts[number] - at) * 1000 for number, at in sent.at.items())
    return [
        Result(f"ack.p50_ms_at_{rate}", _quantile(sent.ack_ms, 0.5), "ms"),
        Result(f"ack.p99_ms_at_{rate}", _quantile(sent.ack_ms, 0.99), "ms"),
        Result(f"start.p50_ms_at_{rate}", _quantile(waits, 0.5), "ms"),
        Result(f"start.p99_ms_at_{rate}", _quantile(waits, 0.99), "ms"),
    ]


def _quantile(ascending: list[float], part: float) -> float:
    return ascending[min(len(ascending) - 1, int(len(ascending) * part))]
