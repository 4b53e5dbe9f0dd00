"""OpenTelemetry, where it is wanted: `pip install griot[otel]` and `OTEL_EXPORTER_OTLP_ENDPOINT`.

A turn is a span, its model calls and tools are its children; a delivery, which may leave much later
and from another process, is a span of its own with the turn's id. Attributes are names, ids and
numbers of ours: nothing that a person wrote, no number, no address.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Final

from bot.errors import SettingsError

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

ENDPOINT: Final = "OTEL_EXPORTER_OTLP_ENDPOINT"
"""OpenTelemetry's own variable; its others (headers, sampling) count as well."""
_NOTHING: Final = nullcontext()
_tracers: list[Tracer] = []


def span(name: str, **attributes: str | int) -> AbstractContextManager[object]:
    """What happens while the context is open, and how long it took; nothing where tracing is off.

    An error that leaves it is recorded by the name of its kind only: its words may be a person's.
    """
    if not _tracers:
        return _NOTHING
    named = {f"griot.{key}": value for key, value in attributes.items()}
    return _tracers[0].start_as_current_span(
        f"griot.{name}", attributes=named, record_exception=False, set_status_on_exception=False
    )


def start_tracing() -> Callable[[], None]:
    """Trace from now on, if `OTEL_EXPORTER_OTLP_ENDPOINT` is set; what to call at the end.

    Raises:
        SettingsError: it is set, and the packages are missing.
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
    """Have `span` use this tracer until what is returned is called."""
    _tracers.insert(0, tracer)

    def end() -> None:
        _tracers.remove(tracer)
        close()

    return end


def _do_nothing() -> None: ...
