"""The HTTP client under the `openai` package, without the work that no request of ours needs."""

from __future__ import annotations

from typing import Any

import httpx2
import openai


class Connections(openai.DefaultAioHttpClient):
    """Connections to all endpoints; each request goes to a whole URL, with all its headers.

    The base class merges base URL, cookies, query and headers anew into every request; as nothing
    is set on this client to be merged, that is left out (a tenth of a turn's CPU).
    """

    def __init__(self, *, stall: float) -> None:
        """
        Args:
            stall: seconds without a byte after which a response counts as broken.
        """
        super().__init__(
            # Thousands of turns stream at once; the default of 1,000 would queue them.
            limits=httpx2.Limits(max_connections=10_000, keepalive_expiry=30.0),
            timeout=httpx2.Timeout(stall, connect=min(10.0, stall)),
        )
        self._extensions = {"timeout": self.timeout.as_dict()}
        self._urls: dict[str, httpx2.URL] = {}

    def build_request(  # pyright: ignore[reportIncompatibleMethodOverride]
        self,
        method: str,
        url: httpx2.URL | str,
        *,
        headers: Any = None,
        content: Any = None,
        **_: Any,
    ) -> httpx2.Request:
        """The request as it is given; the time-outs are this client's."""
        text = str(url)
        parsed = self._urls.get(text) or self._urls.setdefault(text, httpx2.URL(text))
        return httpx2.Request(
            method, parsed, headers=headers, content=content, extensions=self._extensions
        )
