"""Logs say what happened without saying who or how to get in; metrics count it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import io
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import structlog
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client.parser import text_string_to_metric_families

from bot.errors import DatabaseUnavailable, GriotError, ToolFailed
from bot.observability import MAX_TEXT, Metrics, configure_logging, redact_text

Lines = Callable[[], list[dict[str, Any]]]
TELEGRAM_TOKEN = "123456789:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw1"


@pytest.fixture
def stderr() -> io.StringIO:
    return io.StringIO()


@pytest.fixture
def lines(stderr: io.StringIO) -> Iterator[Lines]:
    """Logging configured as in production; gives the lines logged so far."""
    root = logging.getLogger()
    handlers, level, kept = root.handlers[:], root.level, structlog.get_config()
    root.handlers.clear()
    with contextlib.redirect_stderr(stderr):
        configure_logging("info", json=True)
    yield lambda: [json.loads(line) for line in stderr.getvalue().splitlines()]
    structlog.configure(**kept)
    structlog.contextvars.clear_contextvars()
    root.handlers[:] = handlers
    root.setLevel(level)


def test_a_line_is_json_with_time_level_and_event(lines: Lines) -> None:
    structlog.get_logger().info("turn_ended", reason="answered", seconds=1.5)
    [line] = lines()
    assert line.pop("timestamp").endswith("Z")
    assert line == {"level": "info", "event": "turn_ended", "reason": "answered", "seconds": 1.5}


def test_lines_below_the_level_are_left_out(lines: Lines) -> None:
    structlog.get_logger().debug("detail")
    assert lines() == []


async def test_what_a_task_binds_stands_in_its_lines_only(lines: Lines) -> None:
    log = structlog.get_logger()

    async def work(turn: int) -> None:
        structlog.contextvars.bind_contextvars(turn=turn, lane="http:abc")
        await asyncio.sleep(0)
        log.info("worked")

    await asyncio.gather(asyncio.create_task(work(1)), asyncio.create_task(work(2)))
    log.info("done")
    assert [line.get("turn") for line in lines()] == [1, 2, None]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("+2250123456767", "+22501****67"),
        ("call +225 01 23 45 67 67 now", "call +22501****67 now"),
        ("whatsapp:+2250123456767", "whatsapp:+22501****67"),
        ("whatsapp:2250123456767", "whatsapp:22501****67"),
        ("2250123456767", "22501****67"),
        ("/Lookups/%2B2250123456767?x", "/Lookups/%2B22501****67?x"),
        ("+12345678", "+12****78"),
        (f"https://api.telegram.org/bot{TELEGRAM_TOKEN}/getMe", "https://api.telegram.org/bot[redacted]/getMe"),
        ("Authorization: Bearer abc.def-ghi", "Authorization: Bearer [redacted]"),
        ("sent bearer abc.def-ghi", "sent bearer [redacted]"),
        ("Incorrect API key: sk-proj-abcdefghijkl", "Incorrect API key: [redacted]"),
        ("550 <awa.k+x@example.org>: unknown", "550 <****@example.org>: unknown"),
        ("awa@example.org", "****@example.org"),
        ("postgresql://griot:hunter2@db/griot", "postgresql://[redacted]@db/griot"),
        ("redis://:hunter2@cache:6379", "redis://[redacted]@cache:6379"),
        ("GET /x?api_key=abcdef&page=2", "GET /x?api_key=[redacted]&page=2"),
        ('{"access_token": "abcdef", "page": 2}', '{"access_token": "[redacted]", "page": 2}'),
    ],
)  # fmt: skip
def test_phone_numbers_and_secrets_are_hidden_in_text(text: str, shown: str) -> None:
    assert redact_text(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "turn_ended",
        "telegram:-1001234567890/17",
        "2026-11-21T02:40:00.145391+00:00",
        "http://127.0.0.1:8080/healthz",
        "127.0.0.1:54321",
        "read 1500 tokens in 2 s",
        "3+4=7",
        "lane_waiting: 12345678 of 12345678",
    ],
)
def test_what_is_neither_stays(text: str) -> None:
    assert redact_text(text) == text


@given(st.from_regex(r"\+[1-9][0-9]{7,14}", fullmatch=True), st.text(max_size=20))
def test_no_number_is_ever_shown_whole(number: str, around: str) -> None:
    shown = redact_text(f"{around} {number}, {around}")
    assert number not in shown
    assert number[-6:] not in shown.replace(around, "")


@pytest.mark.parametrize(
    "name", ["secret_key", "TWILIO_AUTH_TOKEN", "password", "api_key", "apikey", "Authorization"]
)
def test_a_field_named_like_a_secret_is_hidden(lines: Lines, name: str) -> None:
    structlog.get_logger().info("event", **{name: "hunter2"}, inner=[{name: ["hunter2"]}])
    [line] = lines()
    assert (line[name], line["inner"]) == ("[redacted]", [{name: "[redacted]"}])


def test_counts_of_tokens_are_no_secrets(lines: Lines) -> None:
    structlog.get_logger().info("event", input_tokens=1500)
    assert lines()[0]["input_tokens"] == 1500


def test_values_of_any_kind_are_shown_redacted(lines: Lines) -> None:
    structlog.get_logger().info(
        "event",
        error=ValueError("no such number: +2250123456767"),
        pairs=({"to": "+2250123456767"},),
        nothing=None,
        raw=b"+2250123456767",
    )
    [line] = lines()
    assert line["error"] == "no such number: +22501****67"
    assert line["pairs"] == [{"to": "+22501****67"}]
    assert line["nothing"] is None
    assert line["raw"] == "b'+22501****67'"


def test_a_traceback_is_one_redacted_field(lines: Lines) -> None:
    def deliver() -> None:
        raise RuntimeError(f"https://api.telegram.org/bot{TELEGRAM_TOKEN}/sendMessage")

    try:
        deliver()
    except RuntimeError:
        structlog.get_logger().exception("delivery_failed")
    [line] = lines()
    assert line["event"] == "delivery_failed"
    assert line["exception"].startswith("Traceback")
    assert line["exception"].endswith(
        "RuntimeError: https://api.telegram.org/bot[redacted]/sendMessage"
    )


class Loggable(GriotError):
    loggable = True


WORDS = "je suis en panne de fractions"


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (ValueError(WORDS), "ValueError"),
        (KeyError(WORDS), "KeyError"),
        (ToolFailed(WORDS), "bot.errors.ToolFailed"),
        (Loggable("503: overloaded"), "Loggable: 503: overloaded"),
        (TypeError("not callable"), "TypeError: not callable"),
        (ConnectionError("the store is away"), "ConnectionError: the store is away"),
        (FileNotFoundError(2, "No such file or directory", WORDS), "No such file or directory"),
        (sqlite3.IntegrityError(WORDS), "sqlite3.IntegrityError"),
    ],
)
def test_a_traceback_tells_the_kind_of_an_error_and_nobodys_words(
    lines: Lines, error: Exception, shown: str
) -> None:
    def chained() -> None:
        error.add_note(WORDS)
        raise error from ValueError(WORDS)

    def grouped() -> None:
        raise ExceptionGroup(WORDS, [error])

    for fail, kind in ((chained, type(error)), (grouped, ExceptionGroup)):
        try:
            fail()
        except kind:
            structlog.get_logger().exception("turn_failed")
    for line in lines():
        assert WORDS not in line["exception"]
        assert line["exception"].endswith(shown)
        assert "in chained" in line["exception"]


async def test_a_task_whose_error_nobody_took_says_no_words(lines: Lines) -> None:
    async def fail() -> None:
        raise ValueError(WORDS)

    gc.collect()  # tasks of earlier tests
    before = len(lines())
    task = asyncio.create_task(fail())
    await asyncio.wait([task])
    del task
    gc.collect()
    [line] = lines()[before:]
    assert "exception=ValueError" in line["event"]
    assert WORDS not in json.dumps(line)


@pytest.mark.parametrize(
    "piece", ["x", "1", "+1 ", "secret", "a:", "://a:", "bearer ", "1:AA", "a@", "a.", "@a."]
)
def test_no_text_makes_redaction_slow(piece: str) -> None:
    started = time.process_time()
    redact_text(piece * MAX_TEXT)
    assert time.process_time() - started < 1  # a hundredth of that, mostly


def test_of_a_huge_value_the_end_is_kept() -> None:
    shown = redact_text("x" * 10 * MAX_TEXT + "the end")
    assert len(shown) == MAX_TEXT
    assert shown.endswith("the end")


def test_libraries_are_heard_from_warning_on_in_the_same_form(lines: Lines) -> None:
    structlog.contextvars.bind_contextvars(turn=7)
    logging.getLogger("httpx").info("HTTP Request: GET /bot%s/getMe", TELEGRAM_TOKEN)
    logging.getLogger("aiohttp.server").error(
        "Error handling %s", "+2250123456767", exc_info=ValueError("Bearer abcdefgh")
    )
    [line] = lines()
    assert line.pop("timestamp")
    assert line == {
        "level": "error",
        "event": "Error handling +22501****67",
        "logger": "aiohttp.server",
        "turn": 7,
        "exception": "ValueError",
    }


def test_for_a_terminal_lines_are_readable_and_redacted(lines: Lines, stderr: io.StringIO) -> None:
    with contextlib.redirect_stderr(stderr):
        configure_logging("debug", json=False)
    structlog.get_logger().debug("greeted", phone="+2250123456767")
    assert "phone=+22501****67" in stderr.getvalue()


# Metrics ----------------------------------------------------------------------------------------


def samples(metrics: Metrics) -> dict[str, float]:
    """Values by the line that names them, as Prometheus reads them: `name label=value …`."""
    return {
        " ".join(
            [sample.name, *(f"{key}={text}" for key, text in sorted(sample.labels.items()))]
        ): (sample.value)
        for family in text_string_to_metric_families(metrics.render().decode())
        for sample in family.samples
    }


def test_all_metrics_are_rendered() -> None:
    metrics = Metrics()
    metrics.turns("answered").inc()
    metrics.turn_seconds.observe(2)
    metrics.stage_seconds("model").observe(1.5)
    metrics.tool_calls("web_search", "ok").inc(2)
    metrics.model_calls("gpt-4o-mini", "ok").inc()
    metrics.tokens("gpt-4o-mini", "input").inc(1500)
    metrics.usd("gpt-4o-mini").inc(0.01)
    metrics.deliveries("telegram", "sent").inc()
    metrics.updates("telegram", "stored").inc()
    metrics.lanes_waiting.set(3)
    metrics.lanes_running.set(4)
    metrics.outbox("pending").set(5)
    metrics.dead_turns.set(6)
    found = samples(metrics)
    expected = {
        "griot_turns_total reason=answered": 1,
        "griot_turn_seconds_sum": 2,
        "griot_turn_seconds_bucket le=2.5": 1,
        "griot_stage_seconds_count stage=model": 1,
        "griot_tool_calls_total outcome=ok tool=web_search": 2,
        "griot_model_calls_total model=gpt-4o-mini outcome=ok": 1,
        "griot_tokens_total direction=input model=gpt-4o-mini": 1500,
        "griot_usd_total model=gpt-4o-mini": 0.01,
        "griot_deliveries_total outcome=sent via=telegram": 1,
        "griot_updates_total outcome=stored via=telegram": 1,
        "griot_lanes_waiting": 3,
        "griot_lanes_running": 4,
        "griot_outbox state=pending": 5,
        "griot_dead_turns": 6,
    }
    assert found | expected == found


def test_metrics_made_twice_do_not_share_anything() -> None:
    one, other = Metrics(), Metrics()
    one.turns("answered").inc()
    assert "griot_turns_total reason=answered" not in samples(other)


def test_names_from_outside_cannot_make_series_without_end() -> None:
    metrics = Metrics()
    for number in range(1000):
        metrics.model_calls(f"model-{number}", "ok").inc()
    counted = {
        name: value
        for name, value in samples(metrics).items()
        if name.startswith("griot_model_calls_total")
    }
    assert len(counted) == 201
    assert counted["griot_model_calls_total model=other outcome=other"] == 800


def test_an_outage_of_the_database_is_one_line_a_minute(
    lines: Lines, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = 1000.0
    monkeypatch.setattr(time, "monotonic", lambda: now)
    log = structlog.get_logger()

    def fail(reason: str) -> None:
        error = DatabaseUnavailable(reason, "free space")
        log.error("worker_loop_failed", loop="claim", exc_info=error)

    for _ in range(3):
        fail("disk is full")
    fail("cannot connect")
    now += 61
    fail("disk is full")
    found = [(line["reason"], line.get("not_logged")) for line in lines()]
    assert found == [
        ("DATABASE_URL: disk is full: free space", None),
        ("DATABASE_URL: cannot connect: free space", None),
        ("DATABASE_URL: disk is full: free space", 2),
    ]
    assert not any("exception" in line for line in lines())
