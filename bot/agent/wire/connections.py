"""The HTTP client under the `openai` package, without the work that no request of ours needs."""

from __future__ import annotations

from typing import Any

import httpx2
import openai


class _Request(httpx2.Request):
    """A request whose body can be let go: an answer may take minutes, and the body is long."""

    def __init__(self, method: str, url: httpx2.URL, headers: Any, extensions: Any) -> None:
        super().__init__(
            method, url, headers=headers, stream=httpx2.ByteStream(b""), extensions=extensions
        )
        self.body = b""

    @property
    def content(self) -> bytes:
        return self.body


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
        request = _Request(method, parsed, headers, self._extensions)
        request.body = content
        return request

    async def send(self, request: httpx2.Request, **options: Any) -> httpx2.Response:
        """As the base class; once the answer has begun, the request has no body any more."""
        response = await super().send(request, **options)
        if isinstance(request, _Request):
            request.body = b""
        return response
