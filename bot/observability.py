"""Log without secrets, phone numbers or addresses, measure, and trace, for operators."""

from __future__ import annotations

import logging
import math
import os
import re
import sys
import time
import traceback
from collections.abc import Callable, Mapping, MutableMapping
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeVar, cast

import msgspec
import structlog
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from structlog.typing import ExcInfo, Processor

from bot.errors import DatabaseUnavailable, SettingsError

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

Level = Literal["debug", "info", "warning", "error"]


def configure_logging(level: Level, json: bool) -> None:
    """Send all logs of this process to stderr: as JSON lines, or readable for a terminal.

    A line holds `timestamp` (UTC), `level`, `event`, and the values given to `bind` and to the log
    call, all redacted; a traceback is its field `exception`. Libraries that log through `logging`
    are logged from WARNING on.
    """
    renderer: Processor = (
        structlog.processors.JSONRenderer(_encode)
        if json
        else structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty())
    )
    shared: list[Processor] = [
        OutageSummary(),
        structlog.contextvars.merge_contextvars,
        structlog.processors.ExceptionRenderer(format_exception),
        redact,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    structlog.configure(
        processors=[*shared, renderer],
        wrapper_class=structlog.make_filtering_bound_logger(level),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=False,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            processors=[
                _name_logger,
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                *shared,
                renderer,
            ]
        )
    )
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)


_OUTAGE_EVENTS: Final = frozenset(
    {"lanes_lock_not_back", "postgres_listen_lost", "postgres_retry", "request_unavailable"}
)
"""Events that an outage repeats, besides those with a `DatabaseUnavailable`."""
_OUTAGE_SECONDS: Final = 60.0
_MOST_OUTAGES: Final = 200


class OutageSummary:
    """A structlog processor that logs what an outage repeats once a minute, without tracebacks; the
    next line has the number of those left out as `not_logged`."""

    def __init__(self) -> None:
        self._logged: dict[tuple[str, str], tuple[float, int]] = {}
        """By event and reason: when it was logged last, and how many were left out since."""

    def __call__(
        self, _: object, __: str, event: MutableMapping[str, Any]
    ) -> MutableMapping[str, Any]:
        error = _get_error(event.get("exc_info"))
        if isinstance(error, DatabaseUnavailable):
            del event["exc_info"]
            event["reason"] = str(error)
        elif event["event"] not in _OUTAGE_EVENTS:
            return event
        reason = event.get("reason") or event.get("error", "")
        key, now = (str(event["event"]), str(reason)), time.monotonic()
        at, left_out = self._logged.get(key, (-math.inf, 0))
        if now - at < _OUTAGE_SECONDS:
            self._logged[key] = at, left_out + 1
            raise structlog.DropEvent
        if len(self._logged) >= _MOST_OUTAGES:
            self._logged.clear()
        self._logged[key] = now, 0
        return {**event, "not_logged": left_out} if left_out else event


def _get_error(exc_info: object) -> object:
    """Return the error that a log call is about: itself, a triple of `sys.exc_info`, or True."""
    if isinstance(exc_info, tuple):
        return cast("ExcInfo", exc_info)[1]
    return sys.exc_info()[1] if exc_info is True else exc_info


def _name_logger(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    event["logger"] = event["_record"].name
    event["event"] = _REPEATED_ERROR.sub(r"exception=\1", str(event["event"]))
    return event


def _encode(event: Mapping[str, Any], **_: object) -> str:
    return msgspec.json.encode(event).decode()


_ABOUT_CODE = frozenset(
    {AttributeError, ImportError, ModuleNotFoundError, NameError, RuntimeError, TypeError}
)
"""Errors whose message is about the program, not about the data that it worked on."""
_MOST_IN_CHAIN = 8
_REPEATED_ERROR = re.compile(r"exception=([\w.]{1,80})\([^\n]*")
"""An error in the form of asyncio's own log lines."""


def format_exception(exc_info: ExcInfo) -> str:
    """Return the traceback, without the messages of errors that may quote a person or a provider.

    The places and the kinds of errors always stay. The message stays for our own errors that are
    `loggable`, the operating system's, and those about the program.
    """
    chain: list[str] = []
    error: BaseException | None = exc_info[1]
    while error is not None and len(chain) < _MOST_IN_CHAIN:
        chain.insert(0, _format_one(error))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    return "\n\nThis led to:\n\n".join(chain)


def _format_one(error: BaseException) -> str:
    frames = "".join(traceback.format_tb(error.__traceback__))
    head = f"Traceback (most recent call last):\n{frames}" if frames else ""
    kind = type(error)
    name = (
        kind.__qualname__
        if kind.__module__ == "builtins"
        else f"{kind.__module__}.{kind.__qualname__}"
    )
    words = _words_of(error)
    lines = [f"{head}{name}: {words}" if words else f"{head}{name}"]
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        lines += [f"with {_format_one(inner)}" for inner in group.exceptions[:_MOST_IN_CHAIN]]
    return "\n".join(lines)


def _words_of(error: BaseException) -> str:
    """Return the part of an error that may be logged: its message, or the code that a database
    gives it."""
    is_ours = bool(getattr(error, "loggable", False))
    if is_ours or type(error) in _ABOUT_CODE:
        return str(error)
    if isinstance(error, OSError):
        is_plain = type(error).__module__ == "builtins" and error.errno is None
        return str(error) if is_plain else error.strerror or ""
    return str(getattr(error, "sqlstate", "") or getattr(error, "sqlite_errorname", "") or "")


MAX_TEXT = 20_000
"""The most characters of one logged value; the end is kept, which says most in a traceback."""
HIDDEN = "[redacted]"
_SECRET_NAME = re.compile(r"secret|token|password|api_?key|authorization|cookie", re.IGNORECASE)
_PLAIN = (bool, int, float, type(None))
"""Types that are never secret: fields such as `input_tokens` are counts."""
_SUSPICIOUS = re.compile(r"[\d:=\s@]")
"""Characters without which a text is not searched: most logged values are one plain word."""
_PHONE = re.compile(
    r"(?:(\+|%2B)|(?<=whatsapp:)|(?<=sms:)|\A(?=\d{11,15}\Z))\d(?:[ .-]?\d){7,14}(?!\d)"
)
"""A number with a plus sign, as a lane's address, or bare (Meta's form) as the whole value."""
_EMAIL = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@([a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63}){1,4})", re.I)
"""An e-mail address: the part that names the person is removed, the host is kept."""
_SECRETS = tuple(
    (re.compile(pattern, re.IGNORECASE), replacement)
    for pattern, replacement in (
        (r"(?<!\d)\d{5,15}:AA[\w-]{6,}", HIDDEN),  # a Telegram bot's token
        (r"\b(bearer|basic)\s{1,3}[\w.~+/=-]{6,}", rf"\1 {HIDDEN}"),
        (r"\b[sr]k[-_][\w-]{12,}", HIDDEN),  # OpenAI's and Stripe's keys
        (r"(?<=://)[^\s/@:]{0,100}:[^\s/@]{1,200}(?=@)", HIDDEN),  # user:password in a URL
        (
            r"((?:secret|token|password|api_?key|signature)[\w-]{0,20}[\"']?\s?[=:]\s?[\"']?)"
            r"[^\s\"'&,;]{4,}",
            rf"\1{HIDDEN}",
        ),
    )
)


def redact(_: object, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    """Redact a log line, as a structlog processor: secrets become `[redacted]`, phone numbers
    `+22501****67`, e-mail addresses `****@example.org`.

    A secret is known by its field's name or by its form. Mappings and sequences are redacted
    inside; any other value that is not a number is logged as text.
    """
    return {name: _redact_field(name, value) for name, value in event.items()}


def _redact_field(name: str, value: object) -> object:
    is_secret = _SECRET_NAME.search(name) and not isinstance(value, _PLAIN)
    return HIDDEN if is_secret else _redact_value(value)


def _redact_value(value: object) -> object:
    if isinstance(value, _PLAIN):
        return value
    if isinstance(value, Mapping):
        mapping = cast("Mapping[object, object]", value)
        return {str(key): _redact_field(str(key), item) for key, item in mapping.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [_redact_value(item) for item in cast("list[object]", value)]
    return redact_text(str(value))


def redact_text(text: str) -> str:
    """Return the text without the secrets, phone numbers and e-mail addresses that are recognised
    by their form."""
    text = text[-MAX_TEXT:]
    if not _SUSPICIOUS.search(text):
        return text
    for pattern, replacement in _SECRETS:
        text = pattern.sub(replacement, text)
    text = _EMAIL.sub(r"****@\1", text)
    return _PHONE.sub(_mask_phone, text)


def _mask_phone(match: re.Match[str]) -> str:
    """Mask a number: keep country, operator and the last two digits, and hide at least four."""
    digits = re.sub(r"\D", "", match[0].removeprefix("%2B"))
    return f"{match[1] or ''}{digits[: min(5, len(digits) - 6)]}****{digits[-2:]}"


M = TypeVar("M", Counter, Gauge, Histogram)
MAX_CHILDREN = 200
SECONDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 180, 600, 1800)


class Family(Generic[M]):
    """A metric by its label values: `metrics.turns("answered").inc()`.

    The children are kept, which costs less than to look them up in the library. There are at most
    200; beyond that, further names from outside (models) are counted together as `other`.
    """

    def __init__(self, metric: M, labels: int) -> None:
        self._metric = metric
        self._children: dict[tuple[str, ...], M] = {}
        self._others = ("other",) * labels

    def __call__(self, *values: str) -> M:
        child = self._children.get(values)
        return self._open(values) if child is None else child

    def _open(self, values: tuple[str, ...]) -> M:
        if len(self._children) >= MAX_CHILDREN:
            values = self._others
        child = self._children[values] = self._metric.labels(*values)
        return child


class Metrics:
    """The metrics of this process, made once and given to the parts that count.

    Attributes:
        turns: (reason), as in `bot.events.EndReason`.
        turn_seconds: from claim to commit.
        stage_seconds: (stage): ack (of a webhook), queue (until a turn begins), prepare, model (all
            calls of a turn), tool (each call), commit, deliver (each delivery).
        tool_calls: (tool, outcome). model_calls: (model, outcome).
        tokens: (model, direction): input, cached, output. usd: (model).
        compactions: (outcome): done, failed.
        deliveries: (via, outcome): sent, retry, refused, unknown.
        purchases: (provider, outcome): begun, paid, wrong, failed, expired, again, refunded,
            unreachable; of callbacks: refused, malformed.
        receipts: (via, state): sent, delivered, read, failed.
        messages, message_usd: (channel, category), of delivered messages that are paid for.
        segments: (via), SMS segments.
        updates: (via, outcome): stored, duplicate, refused, malformed.
        leaks_stopped: answers that would have given away the solution of an open exercise.
        answers_corrected: (kind): maths, leak; replies that the model had to correct or shorten.
        unreadable: (channel, reason): sender, kind, shape, recipient.
        reminders: (outcome): handed, held (quiet hours), sent, unknown, refused, failed;
            nudged (to review).
        reminder_seconds: how late reminders were handed over.
        outbox: (state), how many deliveries are in this state.
        sender_restricted: (via), 1 while the provider forbids our number to send.
        ready: (part), 1 while the database, or Redis, can be used by this process.
        lanes_waiting, lanes_running, dead_turns: how many there are.
        oldest_wait_seconds: how long the lane that has waited longest is due; 0: none waits.
    """

    def __init__(self) -> None:
        disable_created_metrics()  # a second series for each counter, which is not used
        self._registry = CollectorRegistry()
        self.turns = self._counters("turns", "Turns ended", "reason")
        self.turn_retries = self._counters("turn_retries", "Turns to be tried again", "error")
        self.turn_seconds = self._seconds("turn_seconds", "Time of a turn")
        self.stage_seconds = Family(
            self._seconds("stage_seconds", "Time of a stage of a turn", "stage"), 1
        )
        self.tool_calls = self._counters("tool_calls", "Tool calls", "tool", "outcome")
        self.model_calls = self._counters("model_calls", "Model calls", "model", "outcome")
        self.tokens = self._counters("tokens", "Tokens", "model", "direction")
        self.compactions = self._counters("compactions", "Conversations summarised", "outcome")
        self.usd = self._counters("usd", "US dollars spent on models", "model")
        self.deliveries = self._counters("deliveries", "Deliveries tried", "via", "outcome")
        self.receipts = self._counters("receipts", "What providers reported", "via", "state")
        self.messages = self._counters(
            "messages", "Messages delivered that are paid for", "channel", "category"
        )
        self.message_usd = self._counters(
            "message_usd", "US dollars spent on messages", "channel", "category"
        )
        self.purchases = self._counters("purchases", "Purchases", "provider", "outcome")
        self.segments = self._counters("sms_segments", "SMS segments sent, each paid", "via")
        self.updates = self._counters("updates", "Updates received", "via", "outcome")
        self.unreadable = self._counters(
            "unreadable", "Messages that could not be read", "channel", "reason"
        )
        self.answers_corrected = self._counters(
            "answers_corrected", "Replies of a model that were not said as they were", "kind"
        )
        self.leaks_stopped = Counter(
            "griot_leaks_stopped_total",
            "Answers that would have given away the solution of an open exercise",
            registry=self._registry,
        )
        self.reminders = self._counters("reminders", "What became of reminders", "outcome")
        self.reminder_seconds = self._seconds(
            "reminder_seconds", "How late reminders were handed over"
        )
        self.ready = Family(self._gauge("ready", "Whether a part can be used", "part"), 1)
        self.lanes_waiting = self._gauge("lanes_waiting", "Lanes with work that nobody has")
        self.oldest_wait_seconds = self._gauge("oldest_wait_seconds", "Since the oldest was due")
        self.lanes_running = self._gauge("lanes_running", "Lanes that this process works on")
        self.dead_turns = self._gauge("dead_turns", "Turns given up, for an operator to replay")
        self.outbox = Family(self._gauge("outbox", "Deliveries by state", "state"), 1)
        self.sender_restricted = Family(
            self._gauge("sender_restricted", "Whether our number may not send", "via"), 1
        )

    def render(self) -> bytes:
        """Return all metrics in Prometheus' text exposition format 0.0.4."""
        return generate_latest(self._registry)

    def _counters(self, name: str, text: str, *labels: str) -> Family[Counter]:
        counter = Counter(f"griot_{name}_total", text, labels, registry=self._registry)
        return Family(counter, len(labels))

    def _gauge(self, name: str, text: str, *labels: str) -> Gauge:
        return Gauge(f"griot_{name}", text, labels, registry=self._registry)

    def _seconds(self, name: str, text: str, *labels: str) -> Histogram:
        return Histogram(f"griot_{name}", text, labels, buckets=SECONDS, registry=self._registry)


ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""OpenTelemetry's own variable; its other ones (headers, sampling) work as well."""
_NOTHING: Final = nullcontext()
_tracers: list[Tracer] = []


def span(name: str, **attributes: str | int) -> AbstractContextManager[object]:
    """Return a context that is traced as a span of this name; one that does nothing where tracing
    is off.

    Errors that leave it are not recorded, as their messages may quote a person.
    """
    if not _tracers:
        return _NOTHING
    named = {f"griot.{key}": value for key, value in attributes.items()}
    return _tracers[0].start_as_current_span(
        f"griot.{name}", attributes=named, record_exception=False, set_status_on_exception=False
    )


def start_tracing() -> Callable[[], None]:
    """Trace from now on, if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; return the function to call at
    the end.

    Raises:
        SettingsError: the variable is set, and the packages are missing.
    """
    if not os.environ.get(ENDPOINT):
        return _do_nothing
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.export import BatchSpanProcessor
    except ImportError:
        raise SettingsError(f"{ENDPOINT}: install griot[otel], or leave it out") from None
    provider = TracerProvider(
        resource=Resource.create({"service.name": os.environ.get("OTEL_SERVICE_NAME", "griot")})
    )
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter()))
    return trace_by(provider.get_tracer("griot"), provider.shutdown)


def trace_by(tracer: Tracer, close: Callable[[], None]) -> Callable[[], None]:
    """Make `span` use this tracer until the returned function is called."""
    _tracers.insert(0, tracer)

    def end() -> None:
        _tracers.remove(tracer)
        close()

    return end


def _do_nothing() -> None: ...


MOST_READ: Final = 16_384
"""The most bytes of an error that are read."""
_CODE = re.compile(r"(?!.*\d{7})[A-Za-z][A-Za-z0-9]*(?:[_.-][A-Za-z0-9]+)*", re.ASCII)
"""A code such as `context_length_exceeded`; never a sentence, and never a phone number."""
_LONGEST_CODE = 60
_PHRASES: Final = (
    "api key", "authentication", "unauthorized", "permission", "forbidden",
    "quota", "billing", "insufficient", "rate limit", "too many requests", "overloaded", "busy",
    "slow down", "capacity",
    "context length", "context window", "too many tokens", "max_tokens", "max_completion_tokens",
    "maximum allowed", "too long", "too large", "too short", "timed out", "timeout",
    "does not exist", "not found", "no such model", "deprecated", "decommissioned",
    "not supported", "unsupported", "not available", "unknown parameter", "unrecognized",
    "tool_choice", "tool_calls", "tool calls", "tools", "function", "response_format",
    "stream_options", "temperature", "reasoning_content", "reasoning_effort", "dimensions",
    "encoding_format", "image_url", "image", "file format", "could not be decoded", "corrupt",
    "content policy", "content filter", "content management policy", "moderation", "guardrail",
    "invalid json", "json", "schema", "template", "role", "invalid", "missing", "required",
    "internal", "maintenance", "upstream", "bad gateway", "country", "region",
)  # fmt: skip
_MOST_PHRASES = 4


def summarize_error(answer: object, *, secret: str = "") -> str:
    """Return a summary of an endpoint's error: its codes, then the known phrases in its message.

    Args:
        answer: the body, as bytes, text or decoded JSON.
        secret: our key, which some endpoints repeat; codes that hold it are left out.
    """
    if isinstance(answer, bytes | str):
        answer = _decode(answer)
    said = str(answer)[:MOST_READ].lower()
    codes = [code for code in _codes(answer) if not secret or secret not in code]
    phrases = [phrase for phrase in _PHRASES if phrase in said]
    found = [*dict.fromkeys(codes), *phrases[:_MOST_PHRASES]]
    return ", ".join(found) or "no known reason"


def _decode(body: bytes | str) -> object:
    """Return the JSON of a body; the text itself where it is no JSON."""
    body = body[:MOST_READ]
    try:
        return msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        return body.decode(errors="replace") if isinstance(body, bytes) else body


def _codes(answer: object) -> list[str]:
    top = _fields(answer)
    error = _fields(top.get("error")) or top
    said = [error.get(key) for key in ("type", "code", "param")]
    return [
        str(code)
        for code in said
        if (isinstance(code, int) and not isinstance(code, bool) and 0 < code < 1_000_000)
        or (isinstance(code, str) and len(code) <= _LONGEST_CODE and _CODE.fullmatch(code))
    ]


def _fields(value: object) -> Mapping[str, Any]:
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
