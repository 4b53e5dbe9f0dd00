"""Turn errors into answers: their status, code and shape.

`/v1/*` answers in the shape of OpenAI's API, which its clients understand; all other routes answer
with `{"error": {"code": "snake_case", "message": "…"}}`.
"""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import msgspec
import structlog
from aiohttp import web

from bot.accounts.approvals import AlreadyDecided
from bot.errors import BadRequest, Busy, NotFound, OutOfCredits, PersonError

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
OPENAI_ROUTES: Final = "/v1/"
_SOON: Final = 60.0
"""Seconds after which a refused client may ask again, where the error gives no time."""
log = structlog.get_logger()

_STATUS: Mapping[str, int] = {
    Busy.code: 409,
    NotFound.code: 404,
    OutOfCredits.code: 402,
    "allowance_used_up": 429,
    "too_fast": 429,
    "day_limit": 429,
    "too_many_codes": 429,
    "unavailable": 503,
    "already_answered": 409,
    AlreadyDecided.code: 409,
    "expired": 410,
    "link_expired": 410,
    "link_invalid": 403,
    "not_yours": 403,
    "unauthorized": 401,
    "turn_failed": 500,
    "stream_broken": 500,
    "internal": 500,
}
_CODES: Mapping[int, str] = {
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "request_timeout",
    413: "too_large",
    415: "unsupported_encoding",
}
_UNREAD: Final = frozenset({408, 413, 415})
"""Statuses that leave a body unread, so that the connection cannot be used again."""
_OPENAI_TYPES: Mapping[int, str] = {
    401: "authentication_error",
    403: "permission_error",
    409: "conflict_error",
    429: "rate_limit_error",
}
_QUOTA: Final = "insufficient_quota"
_USED_UP: Final = frozenset({OutOfCredits.code, "allowance_used_up", "day_limit"})
"""Codes for which a retry does not help; OpenAI's clients get them as a used-up quota."""


class Unauthorized(PersonError):
    code = "unauthorized"


class BadField(BadRequest):
    """A field of a request in OpenAI's form is not accepted.

    Args:
        param: the field's name.
    """

    def __init__(
        self, param: str, words: str, *, status: int = 400, code: str = "invalid_value"
    ) -> None:
        super().__init__(words)
        self.param = param
        self.status = status
        self.code = code


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error on its way to the client."""

    status: int
    code: str
    message: str
    after: float | None = None
    """Seconds after which the client may try again."""
    param: str | None = None
    """The field of a request in OpenAI's form that the error is about."""
    can_buy: bool | None = None
    """Whether the client's person can buy the credits that are missing."""

    def answer(self) -> web.Response:
        """Return the answer `{"error": {"code": "snake_case", "message": "…"}}`, with `can_buy` if
        credits are missing."""
        error: dict[str, Any] = {"code": self.code, "message": self.message}
        if self.can_buy is not None:
            error["can_buy"] = self.can_buy
        return self._answer(self.status, error)

    def openai_answer(self) -> web.Response:
        """Return the answer in OpenAI's shape. Its clients repeat a 409, 429 or 5xx by themselves
        unless a header forbids it (https://github.com/openai/openai-python, `_should_retry`)."""
        used_up = self.code in _USED_UP  # they do not know 402
        answer = self._answer(429 if used_up else self.status, self.openai_error())
        if used_up or self.status == 500:
            answer.headers["x-should-retry"] = "false"
        return answer

    def openai_error(self) -> dict[str, Any]:
        """Return `{message, type, param, code}`
        (https://platform.openai.com/docs/guides/error-codes)."""
        used_up = self.code in _USED_UP
        kind = "server_error" if self.status >= 500 else "invalid_request_error"
        return {
            "message": self.message,
            "type": _QUOTA if used_up else _OPENAI_TYPES.get(self.status, kind),
            "param": self.param,
            "code": _QUOTA if used_up else self.code,
        }

    def _answer(self, status: int, error: Mapping[str, Any]) -> web.Response:
        body = msgspec.json.encode({"error": error})
        answer = web.Response(status=status, body=body, content_type="application/json")
        if status == 429:
            answer.headers["Retry-After"] = str(math.ceil(max(self.after or _SOON, 1)))
        return answer


def explain_error(error: Exception, request: web.Request) -> web.Response:
    """Return the answer to a request that raised this error; log an error that is not known."""
    refusal = _refuse(error, request)
    is_openai = request.path.startswith(OPENAI_ROUTES)
    answer = refusal.openai_answer() if is_openai else refusal.answer()
    if isinstance(error, web.HTTPMethodNotAllowed):
        answer.headers["Allow"] = ", ".join(sorted(error.allowed_methods))
    if answer.status in _UNREAD:
        answer.force_close()
    return answer


def _refuse(error: Exception, request: web.Request) -> Refusal:
    match error:
        case BadField():
            return Refusal(error.status, error.code, str(error), param=error.param)
        case BadRequest():
            return Refusal(error.status, _code_of(error.status), str(error))
        case OutOfCredits():
            status = _STATUS[error.code]
            return Refusal(status, error.code, str(error), can_buy=error.can_buy)
        case PersonError():
            return refuse_person(error.code, str(error), error.after)
        case web.HTTPException():
            large = error.status == 413  # aiohttp's own words hold useless numbers
            words = "The request is larger than 1 MiB." if large else error.reason
            return Refusal(error.status, _code_of(error.status), words)
        case _:
            return _refuse_unforeseen(error, request)


def _refuse_unforeseen(error: Exception, request: web.Request) -> Refusal:
    if isinstance(error, ConnectionResetError):
        return Refusal(499, "reader_left", "Nobody is left to read this.")
    if isinstance(error, ConnectionError):
        log.warning("request_unavailable", route=_route(request), reason=str(error))
        return Refusal(503, "unavailable", "Griot is catching its breath. Try again.")
    log.error("request_failed", route=_route(request), exc_info=error)
    return Refusal(500, "internal", "Something went wrong on our side. Try again.")


def refuse_person(code: str, words: str, after: float | None = None) -> Refusal:
    """Return the refusal for a `PersonError` of this code."""
    return Refusal(_STATUS.get(code, 400), code, words, after)


def _route(request: web.Request) -> str:
    resource = request.match_info.route.resource
    return resource.canonical if resource else "unknown"


def _code_of(status: int) -> str:
    return _CODES.get(status, "bad_request")
