"""What adapters that speak HTTP themselves share: limits, and when nothing was sent."""

from __future__ import annotations

import math
from collections.abc import Mapping

from aiohttp import ClientConnectorError, ConnectionTimeoutError, InvalidURL

CONNECT_SECONDS = 5.0
MAX_ANSWER = 2**20
"""Bytes of an answer that is not a file."""
MAX_WAIT = 3600.0
NO_CONNECTION = (ClientConnectorError, ConnectionTimeoutError, InvalidURL)
"""Raised before anything was sent."""


def read_retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait; None when there is no number of them in sight."""
    try:
        seconds = float(headers.get("Retry-After", ""))
    except ValueError:
        return None
    return min(max(seconds, 0.0), MAX_WAIT) if math.isfinite(seconds) else None
