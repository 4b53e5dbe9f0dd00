"""The client of Meta's Graph API, and the meaning of its refusals."""

from __future__ import annotations

import hashlib
import hmac
import re
from collections.abc import Mapping
from io import BytesIO

import msgspec
import structlog
from aiohttp import (
    ClientResponse,
    ClientTimeout,
    FormData,
)
from yarl import URL

from adapters.base import (
    CONNECT_SECONDS,
    MAX_ANSWER,
    MAX_WAIT,
    OPERATOR_SECONDS,
    HttpClient,
    convert_http_errors,
    explain_cause,
    find_own_url,
    read_retry_after,
)
from bot.errors import DeliveryError, NotFound, OutcomeUnknown, RetryAt, TooLarge, Undeliverable
from bot.messages.incoming import FailureCause
from bot.net import NOT_JSON, read_within

_CAUSES: dict[int, FailureCause] = {
    368: "restricted",  # blocked for a time, as the account broke a policy
    131031: "restricted",  # the account is locked
    131021: "dead",  # the recipient is the sender
    131026: "dead",  # not on WhatsApp, its terms not accepted, or a version too old
    131030: "dead",  # a number in development writes to allowed recipients only
    131047: "window",  # more than 24 hours since the person wrote
}
_PAIR_RATE = 131056
_TOO_FAST = {4, 80007, 130429}
"""Too many calls of the app or of the business account, or messages of the number; none was
taken."""
_TEMPORARY = {1, 2, 131000, 131016, 133004}
"""Meta's own fault, or a service that is down for a time, whatever the HTTP status."""
_INVALID = 100
_NO_SUCH_OBJECT = 33
"""Subcode of 100: no such object, or no permission to see it."""
_FORM = {_INVALID, 131008, 131009}
"""A parameter is unknown, missing, or has a value that is not valid."""
_ACCOUNT = {3, 10, 190, 131005, 131042, 131045, 131057, 133010}
"""Capability, permission, token, access, unpaid, certificate, maintenance, not registered."""
log = structlog.get_logger()


class Refusal(Exception):
    """The Cloud API answered with an error.

    Args:
        status: the HTTP status.
        code: Meta's error code; 0 when it gave none.
        subcode: narrows the code down; 0 when there is none.
        transient: by Meta's answer the same request may succeed later.
        retry_after: seconds to wait, as Meta asked.
        is_about_proof: whether the proof made with the app's secret is wrong.
    """

    def __init__(
        self,
        status: int,
        code: int = 0,
        subcode: int = 0,
        *,
        transient: bool = False,
        retry_after: float | None = None,
        is_about_proof: bool = False,
    ) -> None:
        shown = f"{code}/{subcode}" if subcode else f"{code}"
        super().__init__(f"WhatsApp error {shown} (HTTP {status})" if code else f"HTTP {status}")
        self.status = status
        self.code = code
        self.subcode = subcode
        self.transient = transient
        self.retry_after = retry_after
        self.is_about_proof = is_about_proof

    @property
    def is_too_fast(self) -> bool:
        return self.status == 429 or self.code in {*_TOO_FAST, _PAIR_RATE}

    @property
    def is_unknown_object(self) -> bool:
        """Whether the object in the URL does not exist, or not for us."""
        return self.status in {404, 410} or (self.code, self.subcode) == (_INVALID, _NO_SUCH_OBJECT)

    @property
    def is_for_operator(self) -> bool:
        """Whether the account, its token or a setting is wrong, and not this message."""
        if self.code in _CAUSES or self.is_too_fast:
            return False
        misdirected = self.is_unknown_object if self.code in {0, _INVALID} else False
        permission = self.code in _ACCOUNT or 200 <= self.code <= 299
        return permission or misdirected or self.status in {401, 403} or 300 <= self.status < 400

    @property
    def is_about_form(self) -> bool:
        """Whether this message cannot be sent in this form, but perhaps in another."""
        return self.code in _FORM and self.status < 500 and not self.is_for_operator

    @property
    def is_about_template(self) -> bool:
        """Whether WHATSAPP_TEMPLATE is wrong: missing, paused, or with other parameters."""
        return 132000 <= self.code <= 132999


def classify_code(code: int) -> FailureCause:
    """Return the cause of an error that is about the conversation or the sender; empty for an error
    about one message."""
    return _CAUSES.get(code, "")


def explain(refusal: Refusal, attempt: int = 1) -> DeliveryError:
    """Return the error that a refusal means for its delivery, in its `attempt`th attempt.

    A 5xx may come after Meta has acted: in doubt, unless by its code the message was not taken.
    """
    reason, cause = str(refusal), classify_code(refusal.code)
    if cause:
        return explain_cause(cause, reason)
    if refusal.is_too_fast:
        return RetryAt(reason, _wait(refusal, attempt))
    if refusal.is_for_operator:
        return RetryAt(reason, OPERATOR_SECONDS)
    if refusal.status >= 500:
        return OutcomeUnknown(reason)
    is_temporary = refusal.transient or refusal.code in _TEMPORARY
    return RetryAt(reason, refusal.retry_after) if is_temporary else Undeliverable(reason)


def log_operator_error(refusal: Refusal) -> None:
    """Log a refusal that only the operator can mend."""
    if refusal.is_about_template:
        log.error("whatsapp_template_refused", status=refusal.status, code=refusal.code)
    elif refusal.is_for_operator:
        log.error("whatsapp_account_refused", status=refusal.status, code=refusal.code)


def _wait(refusal: Refusal, attempt: int) -> float | None:
    """Return the seconds to wait. After too many messages to one person: 4, then 16, 64 …, as Meta
    advises."""
    if refusal.code != _PAIR_RATE:
        return refusal.retry_after
    return max(min(4.0 ** min(attempt, 6), MAX_WAIT), refusal.retry_after or 0.0)


ANSWER_SECONDS = 20.0
TRANSFER_SECONDS = 300.0
"""Time-out of a request that carries a file, or fetches one: 100 MB at 350 KB/s."""


class _Error(msgspec.Struct):
    """Meta leaves out what it does not know; servers between it and us write null."""

    code: int | None = None
    error_subcode: int | None = None
    message: str | None = None
    is_transient: bool | None = None


class _Failure(msgspec.Struct):
    error: _Error


_decode_failure = msgspec.json.Decoder(_Failure, strict=False).decode


class Graph(HttpClient):
    """Calls Meta's API at `api_url`.

    Args:
        api_url: such as `https://graph.facebook.com/v25.0`, version included.
        token: goes into a header, and into no error or log.
        seconds: time-out for an answer to begin, and between its parts.

    Its methods raise `RetryAt` (no connection), `Refusal` or `OutcomeUnknown` (no usable answer).
    """

    def __init__(self, api_url: str, token: str, seconds: float = ANSWER_SECONDS) -> None:
        self.url = URL(api_url.rstrip("/"))
        self._token = token
        self._headers = {"Authorization": f"Bearer {token}", "Accept-Encoding": "identity"}
        self._seconds = seconds

    async def post(self, path: str, message: Mapping[str, object]) -> bytes:
        """Post `message` as JSON and return the answer."""
        return await self._ask("POST", path, msgspec.json.encode(message))

    async def post_form(self, path: str, form: FormData) -> bytes:
        """Post a form with a file in it and return the answer."""
        return await self._ask("POST", path, form)

    def sign_token(self, app_secret: str) -> str:
        """Return `appsecret_proof`, by which the app's secret proves that we own the token."""
        return hmac.new(app_secret.encode(), self._token.encode(), hashlib.sha256).hexdigest()

    async def get(self, path: str, query: Mapping[str, str] | None = None) -> bytes:
        return await self._ask("GET", path, None, query)

    async def download(self, url: URL, limit: int) -> bytes:
        """Return the file at `url`, whose server gets our token. Raises `TooLarge` beyond `limit`
        bytes."""
        return await self._exchange("GET", url, None, limit)

    async def _ask(
        self,
        verb: str,
        path: str,
        body: bytes | FormData | None,
        query: Mapping[str, str] | None = None,
    ) -> bytes:
        url = (self.url / path).with_query(query)
        try:
            return await self._exchange(verb, url, body, MAX_ANSWER)
        except TooLarge:
            raise OutcomeUnknown("an answer without end from WhatsApp") from None

    async def _exchange(
        self, verb: str, url: URL, body: bytes | FormData | None, limit: int
    ) -> bytes:
        headers = self._headers
        if isinstance(body, bytes):
            headers = headers | {"Content-Type": "application/json"}
        with convert_http_errors("WhatsApp"):
            async with self.session.request(
                verb,
                url,
                data=body,
                headers=headers,
                timeout=self._timeout(carries_file=not isinstance(body, bytes)),
                allow_redirects=False,
            ) as response:
                if 200 <= response.status < 300:
                    return await read_within(response, limit)
                raise await _read_refusal(response)

    def _timeout(self, *, carries_file: bool) -> ClientTimeout:
        total = TRANSFER_SECONDS if carries_file else self._seconds
        return ClientTimeout(total=total, connect=CONNECT_SECONDS, sock_read=self._seconds)


async def _read_refusal(response: ClientResponse) -> Refusal:
    try:
        failure = _decode_failure(await read_within(response, MAX_ANSWER)).error
    except (TooLarge, *NOT_JSON):
        failure = _Error()  # something before Meta's API answered
    return Refusal(
        response.status,
        failure.code or 0,
        failure.error_subcode or 0,
        transient=failure.is_transient or False,
        retry_after=read_retry_after(response.headers),
        is_about_proof="appsecret_proof" in (failure.message or ""),
    )


MAX_FILE_IN = 16 * 2**20
"""The most bytes of a person's file of any kind; WhatsApp itself allows documents of 100 MB."""
_META = ("facebook.com", "fbsbx.com", "whatsapp.net")
"""The domains, with their subdomains, from which Meta serves media."""
_MEDIA_ID = re.compile(r"[A-Za-z0-9_-]{1,128}")
_LINK_IS_OVER = {401, 403, 404, 410}
"""The statuses of an address after its five minutes; Meta does not document one status for that."""


class _Uploaded(msgspec.Struct):
    id: str


class _Described(msgspec.Struct):
    url: str
    file_size: int | str = 0
    """A string by Meta's specification, a number in practice."""

    @property
    def size(self) -> int:
        """The size in bytes; 0 where it is not given."""
        if isinstance(self.file_size, int):
            return self.file_size
        return int(self.file_size) if re.fullmatch(r"[0-9]{1,15}", self.file_size) else 0


_decode_uploaded = msgspec.json.Decoder(_Uploaded).decode
_decode_described = msgspec.json.Decoder(_Described).decode


class Media:
    """Uploads and downloads files at Meta.

    Args:
        graph: the client of Meta's API.
        number_id: the id of our number, to which uploads belong.
    """

    def __init__(self, graph: Graph, number_id: str) -> None:
        self._graph = graph
        self._number_id = number_id

    async def upload(self, content: bytes, mime_type: str) -> str:
        """Upload a file and return its media id; the file's name goes with the message.

        People see a file only once it is sent, so no outcome here is in doubt.

        Raises:
            Refusal: the API does not take the file.
            RetryAt: the file did not arrive, or no answer came.
        """
        form = FormData({"messaging_product": "whatsapp", "type": mime_type})
        form.add_field("file", BytesIO(content), filename="file", content_type=mime_type)
        try:
            return _decode_uploaded(
                await self._graph.post_form(f"{self._number_id}/media", form)
            ).id
        except Refusal as refusal:
            if refusal.status >= 500:
                reason = f"the upload failed: {refusal}"
                raise RetryAt(reason, refusal.retry_after, only_file=True) from None
            raise
        except OutcomeUnknown as error:
            raise RetryAt(f"the upload failed: {error}", only_file=True) from None
        except NOT_JSON:
            raise RetryAt("the upload's answer is not one of the API", only_file=True) from None

    async def fetch(self, reference: str) -> bytes:
        """Return the file, at most 16 MB; an expired address is looked up once more.

        Raises:
            NotFound: Meta no longer has the file, or `reference` is no media id.
            TooLarge: the file is larger, noticed at the latest while it streams.
            RetryAt: the file cannot be reached now.
        """
        if not _MEDIA_ID.fullmatch(reference):
            raise NotFound("not a media id of WhatsApp")
        try:
            return await self._download(await self._look_up(reference))
        except Refusal as refusal:
            if refusal.status not in _LINK_IS_OVER:
                raise _explain_missing(refusal) from None
        try:
            return await self._download(await self._look_up(reference))
        except Refusal as refusal:
            raise _explain_missing(refusal) from None

    async def _look_up(self, media_id: str) -> URL:
        """Return the file's address, which is valid for five minutes."""
        try:
            described = _decode_described(await self._graph.get(media_id))
        except Refusal as refusal:
            raise _explain_missing(refusal) from None
        except OutcomeUnknown as error:
            raise RetryAt(f"no address of the file: {error}") from None
        except NOT_JSON:
            raise RetryAt("the file's address is not one of the API") from None
        if described.size > MAX_FILE_IN:
            raise TooLarge(f"more than {MAX_FILE_IN} bytes")
        return self._own(described.url)

    async def _download(self, url: URL) -> bytes:
        try:
            return await self._graph.download(url, MAX_FILE_IN)
        except OutcomeUnknown as error:
            raise RetryAt(f"the file did not come: {error}") from None

    def _own(self, link: str) -> URL:
        """Return the address, if our token may be sent there: Meta's own, or `WHATSAPP_API_URL`'s.
        Raises `NotFound` for any other."""
        url = find_own_url(link, self._is_known)
        if url is None:
            raise NotFound("not a media address of WhatsApp")
        return url

    def _is_known(self, url: URL) -> bool:
        """Return whether an address is Meta's or the API's. Raises `ValueError` without a host."""
        if url.origin() == self._graph.url.origin():
            return True
        host = url.host or ""
        metas = any(host == each or host.endswith(f".{each}") for each in _META)
        return metas and url.scheme == "https" and url.port == 443


def _explain_missing(refusal: Refusal) -> DeliveryError | NotFound:
    """Return the error that a refusal means for the file that was requested."""
    if refusal.is_unknown_object:
        return NotFound("WhatsApp no longer has the file")
    log_operator_error(refusal)
    if refusal.is_for_operator:
        return RetryAt(f"WhatsApp does not give the file: {refusal}", OPERATOR_SECONDS)
    meant = explain(refusal)
    if isinstance(meant, Undeliverable):
        return NotFound(f"WhatsApp does not give the file: {refusal}")
    return RetryAt(f"no file from WhatsApp: {refusal}", refusal.retry_after)
