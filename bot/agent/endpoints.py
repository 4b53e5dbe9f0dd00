"""What can go wrong at an endpoint, and whether it is worth asking there again."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from bot.errors import ModelError
from bot.messages import ModelReply

REFUSALS = frozenset({400, 413, 422})
"""The request itself is wrong: no other endpoint is asked."""
_PASSING = frozenset({408, 409, 425, 429})
"""Worth a second try at the same endpoint, like 5xx; 401, 403, 404 and others stay as they are."""


class EndpointFailed(ModelError):
    """An endpoint gave no answer and nothing was shown.

    Args:
        reason: for logs.
        retry: whether the same endpoint may be asked again.
        after: seconds that it wants us to wait before; None: it did not say.
        empty: its answer, if the failure is that the answer was finished but empty.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry: bool = True,
        after: float | None = None,
        empty: ModelReply | None = None,
    ) -> None:
        super().__init__(reason)
        self.retry = retry
        self.after = after
        self.empty = empty


def failure_of_status(status: int, headers: Mapping[str, str], reason: str) -> EndpointFailed:
    """The failure that an HTTP status other than 200 (and not among `REFUSALS`) means."""
    return EndpointFailed(
        f"{status}: {reason}",
        retry=status in _PASSING or status >= 500,
        after=_retry_after(headers),
    )


def pause_before_retry(failure: EndpointFailed, attempt: int, first_pause: float) -> float:
    """Seconds to wait after failed attempt number `attempt` (from 1): what the endpoint asked
    for, else exponential with jitter, so that many turns don't come back at the same moment."""
    if failure.after is not None:
        return failure.after
    return first_pause * 2 ** (attempt - 1) * random.uniform(1.0, 1.5)  # noqa: S311 (no secret)


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds of `Retry-After` (RFC 9110, 10.2.3: seconds or a date), None if absent or absurd."""
    value = headers.get("retry-after", "")
    try:
        seconds = float(value)
    except ValueError:
        seconds = _seconds_until(value)
    return seconds if math.isfinite(seconds) and seconds >= 0 else None


def _seconds_until(date: str) -> float:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except (ValueError, OverflowError):
        return math.nan
