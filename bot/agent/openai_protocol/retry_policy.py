"""Decide whether and when an endpoint that failed (429, 5xx, time-out) is asked again."""

from __future__ import annotations

import math
import random
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime

from bot.contracts.models import ModelRequest
from bot.errors import ContextTooLong, ModelError, ModelRefused
from bot.messages.transcript import ModelReply, SystemMessage

REFUSALS = frozenset({400, 413, 422})
"""Statuses that blame the request itself: no other endpoint is asked."""
_TOO_LONG = re.compile(
    r"context[ _](?:length|window|size)|prompt is too long|too many tokens", re.I
)
"""How OpenAI, vLLM, llama.cpp, Mistral and Anthropic name a request that the window cannot hold."""
_PASSING = frozenset({408, 409, 425, 429})
"""Worth a second try at the same endpoint, like 5xx; 401, 403, 404 and others are not."""
REFUSED_SECONDS = 90.0
"""Seconds for which a refusal holds: longer than a failed turn is retried (81 seconds)."""
PROBE_EVERY = 30.0
"""Seconds between two requests to an endpoint that asked for a very long pause."""
MOST_REST = 600.0
"""Most seconds of pause that an endpoint is granted, however long it asks for."""


class EndpointFailed(ModelError):
    """An endpoint gave no answer and nothing was shown.

    Args:
        reason: for logs.
        retry: whether the same endpoint may be asked again.
        after: seconds that the endpoint asks us to wait before; None: it did not say.
        empty: its answer, if the failure is that the answer was finished but empty.
        status: the HTTP status, if that was the failure.
        asked: False: the endpoint was not asked, because of a pause or an earlier refusal.
        believed: an earlier refusal of the same request is taken to hold still.
    """

    def __init__(
        self,
        reason: str,
        *,
        retry: bool = True,
        after: float | None = None,
        empty: ModelReply | None = None,
        status: int = 0,
        asked: bool = True,
        believed: bool = False,
    ) -> None:
        super().__init__(reason)
        self.status = status
        self.asked = asked
        self.believed = believed
        self.retry = retry
        self.after = after
        self.empty = empty

    @property
    def useless_for(self) -> float:
        """Seconds during which asking again cannot help."""
        if self.believed or (self.status and not self.retry):
            return math.inf
        return self.after or 0.0


def failure_of_status(status: int, headers: Mapping[str, str], reason: str) -> EndpointFailed:
    """Make the failure for an HTTP status other than 200 (and not among `REFUSALS`)."""
    return EndpointFailed(
        f"{status}: {reason}",
        retry=status in _PASSING or status >= 500,
        after=_retry_after(headers),
        status=status,
    )


def refusal_of_status(status: int, answered: object, reason: str) -> ModelRefused:
    """Make the error for a status among `REFUSALS`.

    Args:
        answered: the body of the answer, or its text.
        reason: for logs.
    """
    too_long = status == 413 or _TOO_LONG.search(str(answered)) is not None
    return (ContextTooLong if too_long else ModelRefused)(f"{status}: {reason}")


class EndpointHealth:
    """Remembers, from an endpoint's own answers, whether and when it may be asked. It outlives the
    call, because a failed turn is retried as a new one. Times are seconds of the caller's clock."""

    def __init__(self) -> None:
        self._opens = -math.inf
        self._paused = -math.inf
        """When the endpoint last asked for a pause."""
        self._probed = -math.inf
        self._refusals: dict[int, tuple[float, str]] = {}
        """When each refusal came and its text, by what was refused, oldest first."""

    def check_refusals(self, request: ModelRequest, model: str, now: float) -> None:
        """Do nothing if the request may be asked.

        Raises:
            EndpointFailed: it refused this request, or our key, less than `REFUSED_SECONDS` ago.
        """
        if self._refusals:
            for key in (_EVERYTHING, _key(request, model)):
                since, reason = self._refusals.get(key, (-math.inf, ""))
                if now < since + REFUSED_SECONDS:
                    raise EndpointFailed(
                        f"still refused: {reason}", retry=False, asked=False, believed=True
                    )

    def seconds_to_wait(self, now: float) -> float:
        """Return the seconds that are left of the pause that the endpoint asked for, with jitter so
        that requests do not all come back at once."""
        rest = max(0.0, self._opens - now)
        return rest * random.uniform(1.0, 1.1)  # noqa: S311 (no secret)

    def may_probe(self, now: float) -> bool:
        """Return whether to ask during a pause that the endpoint asked for: every `PROBE_EVERY`
        seconds, for a caller that has no other endpoint and cannot wait. True counts as asked."""
        if now < self._probed + PROBE_EVERY:
            return False
        self._probed = now
        return True

    def record_failure(
        self, failure: EndpointFailed, request: ModelRequest, model: str, now: float
    ) -> None:
        """Record the pause or refusal of an endpoint that failed to answer `request`."""
        if failure.after is not None:
            self._probed = self._paused = now
            self._opens = max(self._opens, now + min(failure.after, MOST_REST))
        if failure.status and not failure.retry:
            # A wrong key fails every request; other refusals may concern the text of one person.
            key = _EVERYTHING if failure.status == 401 else _key(request, model)
            self._forget(now)
            self._refusals.pop(key, None)
            self._refusals[key] = (now, str(failure))

    def record_success(self, request: ModelRequest, model: str, sent: float) -> None:
        """Forget the pause, and the refusals of our key and of `request`, that came before an
        answered request was sent."""
        if self._paused < sent:
            self._opens = -math.inf
        if self._refusals:
            for key in (_EVERYTHING, _key(request, model)):
                since, _ = self._refusals.get(key, (math.inf, ""))
                if since < sent:
                    del self._refusals[key]

    def _forget(self, now: float) -> None:
        while self._refusals:
            oldest = next(iter(self._refusals))
            if now < self._refusals[oldest][0] + REFUSED_SECONDS:
                return
            del self._refusals[oldest]


def pause_before_retry(failure: EndpointFailed, attempt: int, first_pause: float) -> float:
    """Return the seconds to wait after failed attempt number `attempt` (from 1): the pause that the
    endpoint asked for, else an exponential one with jitter, so that many turns do not come back at
    the same moment."""
    if failure.after is not None:
        return failure.after
    return first_pause * 2 ** (attempt - 1) * random.uniform(1.0, 1.5)  # noqa: S311 (no secret)


_EVERYTHING = 0
"""The key of a refusal that holds for all requests, as of a wrong API key."""


def _key(request: ModelRequest, model: str) -> int:
    """Hash the request without our own notes, which may differ when the request is repeated."""
    said = tuple(each for each in request.messages if not isinstance(each, SystemMessage))
    return hash((model, said))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Read the seconds of `Retry-After` (RFC 9110, 10.2.3: seconds or a date); None if absent or
    not a finite, non-negative number."""
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
