"""Call payment providers within limits of time and size; read their answers and callbacks."""

from __future__ import annotations

import hmac
import re
import secrets
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

import msgspec
from aiohttp import ClientError, ClientSession, ClientTimeout, DummyCookieJar
from yarl import URL

from bot.contracts.channels import Finding, Webhook
from bot.contracts.payments import Payment, PaymentPage, PaymentProvider, PaymentState
from bot.errors import BadRequest, PersonError, TooLarge
from bot.net import NOT_JSON, decode_json, get_fields, read_within

Amount = str | int | float
"""An amount in an answer: providers write `"500"` or `500`, some differently from one page of their
documentation to the next."""
Link = Annotated[str, msgspec.Meta(pattern=r"^https?://[^\s/]\S*\Z", max_length=4_000)]
"""An address that a browser opens."""
Form = TypeVar("Form")
_AMOUNT = re.compile(r"\d{1,12}(\.\d{1,6})?", re.ASCII)


def read_answer(answer: Any, form: type[Form]) -> Form:
    """Convert an answer to the form that the provider has published.

    Raises:
        ConnectionError: the answer has another form.
    """
    try:
        return msgspec.convert(answer, form)
    except msgspec.ValidationError as error:
        raise ConnectionError(f"not the published answer: {error}") from None


def whole(amount: Amount) -> int:
    """Return an amount in whole units; decimals are cut off, never rounded up.

    Raises:
        ConnectionError: `amount` is not one.
    """
    text = str(amount)
    if not _AMOUNT.fullmatch(text):
        raise ConnectionError("not the published answer: an amount")
    return int(text.partition(".")[0])


Event = TypeVar("Event")


def sign(secret: str, content: bytes, by: str = "sha256") -> bytes:
    """Return the HMAC of `content`."""
    return hmac.new(secret.encode(), content, by).digest()


def read_event(body: bytes, form: type[Event]) -> Event:
    """Decode the body of an authentic callback.

    Raises:
        BadRequest: the body has not the published form; the message says where.
    """
    try:
        return msgspec.json.decode(body, type=form)
    except NOT_JSON as error:
        raise BadRequest(f"not an event as published: {error}") from None


_MAX_FIELDS = 20


def read_query(webhook: Webhook) -> Mapping[str, str]:
    """Return the fields of a callback's address, the first of each name; none if there are more
    than `_MAX_FIELDS`."""
    try:
        query = parse_qs(urlsplit(webhook.path).query, max_num_fields=_MAX_FIELDS)
    except ValueError:
        return {}
    return {name: values[0] for name, values in query.items()}


_FOR_GOOD = frozenset({400, 402, 404, 422})


def refusal_of(provider: str, reason: str) -> PersonError:
    """Return the error for the operator who asked for a refund that the provider refuses."""
    return PersonError(
        f"{provider} does not give the money back ({reason}). Look at the payment in {provider}'s "
        "dashboard and give it back there."
    )


def explain_refusal(provider: str, declined: Declined) -> PersonError | Declined:
    """Return the error to raise for a refused refund: `declined` itself where a retry can help."""
    if declined.status not in _FOR_GOOD:
        return declined
    said = [*codes_of(declined.answer), declined.reason]
    words = ", ".join(each for each in dict.fromkeys(said) if each)
    return refusal_of(provider, words or f"status {declined.status}")


async def check_keys(provider: PaymentProvider) -> Sequence[Finding]:
    """Check our keys of a provider by looking up an order that does not exist.

    Raises `ConnectionError`: the answer says nothing about the keys.
    """
    try:
        await provider.look_up(secrets.token_hex(12), "")
    except Declined as declined:
        if declined.status in {401, 403}:
            advice = f"copy the keys of {provider.title} again: live ones, or all of its sandbox"
            return [Finding("error", provider.title, f"refuses our keys: {declined}", advice)]
        if declined.status != 404:
            raise
    return [Finding("ok", provider.title, "takes our keys")]


PAGES = 3
"""The most pages that one order can have, one after another: an answer with the page's address may
be lost, and the provider then refuses the same reference."""
AFTER_REFUSAL: Payment = "waiting"
"""The state of a payment whose last attempt was refused. Paystack's and Flutterwave's status is
`failed`; but on the same page people try again, with another card or number, under the same
reference. With `failed` here, a payment that succeeds at the second attempt would not be
credited."""
_ORDER = re.compile(r"[0-9a-f]{24}")
_REFERENCE = re.compile(rf"({_ORDER.pattern})(?:-[2-{PAGES}])?")


def is_order(text: str) -> bool:
    """Return whether a text has the form of our orders' ids."""
    return _ORDER.fullmatch(text) is not None


def references_of(order: str) -> Sequence[str]:
    """Return all references that the order can have, in the order in which they are taken."""
    return (order, *(f"{order}-{number}" for number in range(2, PAGES + 1)))


def order_of(reference: str) -> str:
    """Return the id of a reference's order; empty: the reference is none of ours."""
    found = _REFERENCE.fullmatch(reference)
    return found[1] if found else ""


async def open_first_page(
    title: str, order: str, open_page: Callable[[str], Awaitable[PaymentPage]]
) -> PaymentPage:
    """Open a page under the order's first reference that the provider takes, as it takes each only
    once: where the address of an opened page was lost, another page follows.

    Raises:
        Declined: the provider refuses the page for another reason.
        ConnectionError: it has taken all references of the order.
    """
    for reference in references_of(order):
        try:
            return await open_page(reference)
        except Declined as declined:
            if "duplicate" not in declined.reason.lower():
                raise
    raise ConnectionError(f"the order has all the pages at {title} that it can have")


async def resolve_status(
    order: str, find: Callable[[str], Awaitable[PaymentState | None]], *, known_when_opened: bool
) -> PaymentState:
    """Return an order's state: paid if one of its pages is, failed if all opened pages are.

    Args:
        find: returns the state of the page with a reference; None: the provider does not know it.
        known_when_opened: whether the provider knows a reference from the moment its page is
            opened (Paystack), so that after the first unknown one there are no more. Where it is
            known only once the person has tried to pay (Flutterwave), the second page may be paid
            and the first unknown, so all are looked up.
    """
    found: list[PaymentState] = []
    for reference in references_of(order):
        state = await find(reference)
        if state is None and known_when_opened:
            break
        if state is None:
            continue
        if state.state == "paid":
            return state
        found.append(state)
    is_over = bool(found) and all(state.state == "failed" for state in found)
    return PaymentState("failed" if is_over else "waiting")


def mail_of(order: str) -> str:
    """Return an e-mail address to give where a provider demands one: many people have none.

    The domain is reserved and takes no mail (https://www.rfc-editor.org/rfc/rfc2606#section-3), and
    the name says nothing about the person.
    """
    return f"{order}@example.com"


SECONDS = 10.0
"""Time-out of a whole exchange."""
MAX_ANSWER = 256 * 1024
"""The most bytes of an answer; providers send a thousandth of that."""
MAX_REASON = 200
"""The most characters of a provider's reason for a refusal."""
OpenSession = Callable[[], ClientSession]
_FORM = "application/x-www-form-urlencoded"
_JSON = "application/json"
_MIN_SECRET = 8
_CODE = re.compile(r"(?!.*\d{7})[\w.-]{1,60}", re.ASCII)
"""The form of error codes that may be repeated. Anything longer could name a person or a number."""
_SAID = (str, int)
_PERSONAL = re.compile(r"\+?\d[\d ().-]{5,}\d|\S{1,64}@\S{1,255}")
"""A phone number or an e-mail address."""


class Declined(ConnectionError):
    """The provider answered with a status other than 2xx.

    The message names the host, the status and the provider's codes, never its words: they may name
    the person who pays.

    Args:
        host: the provider's.
        status: 300 to 599.
        answer: the JSON of the answer, of any type; None where it has none.
        reason: in the provider's own words, cut, without our keys, numbers and addresses.
    """

    def __init__(self, host: str, status: int, answer: Any, reason: str) -> None:
        super().__init__(" ".join([f"{host} answered {status}", *codes_of(answer)]))
        self.status = status
        self.answer = answer
        self.reason = reason


def open_session() -> ClientSession:
    """Return a session for one exchange or a few; its time-out holds for each request."""
    return ClientSession(
        cookie_jar=DummyCookieJar(), timeout=ClientTimeout(total=SECONDS, sock_connect=5.0)
    )


async def ask(
    session: ClientSession,
    method: str,
    url: str,
    *,
    headers: Mapping[str, str],
    json: object = None,
    form: Mapping[str, str] | None = None,
) -> Any:
    """Return the JSON of the answer; None when it is empty. Redirects are not followed: they would
    carry our keys elsewhere.

    Raises:
        Declined: the status is not 2xx.
        ConnectionError: no answer within the session's time-out, a broken or too large one, or one
            that is no JSON. The message names nothing of the request but the host.
    """
    # CinetPay's front refuses clients that do not say who they are.
    sent = {"User-Agent": "Griot", "Accept": _JSON, **headers}
    body = None
    if form is not None:
        sent["Content-Type"], body = _FORM, urlencode(form).encode()
    elif json is not None:
        sent["Content-Type"], body = _JSON, msgspec.json.encode(json)
    target = URL(url, encoded=True)
    host = target.host or ""
    # `from None`: aiohttp's errors may hold the URL, and with it the order.
    try:
        async with session.request(
            method, target, headers=sent, data=body, allow_redirects=False
        ) as response:
            status, content = response.status, await read_within(response, MAX_ANSWER)
    except TooLarge:
        raise ConnectionError(f"{host} answered with more than {MAX_ANSWER} bytes") from None
    except (ClientError, OSError, ValueError) as error:
        raise ConnectionError(f"{host} gave no answer ({type(error).__name__})") from None
    answer = decode_json(content)
    if not 200 <= status < 300:
        raise Declined(host, status, answer, _reason(answer, sent))
    if answer is None and content.strip():
        raise ConnectionError(f"{host} answered something that is no JSON")
    return answer


def codes_of(answer: Any) -> list[str]:
    """Return the codes in an error answer, which may be repeated."""
    reported = get_fields(answer)
    error = get_fields(reported.get("error")) or reported
    said = [str(each) for each in (error.get("code"), error.get("message")) if type(each) in _SAID]
    return [text for text in said if _CODE.fullmatch(text)]


def _reason(answer: Any, headers: Mapping[str, str]) -> str:
    """Return the provider's reason without our keys and personal data, which some repeat in it."""
    reported = get_fields(answer)
    said = get_fields(reported.get("error")).get("message") or reported.get("message") or ""
    words = " ".join(str(said).split())
    for value in headers.values():
        for secret in value.split():
            if len(secret) >= _MIN_SECRET:
                words = words.replace(secret, "***")
    return _PERSONAL.sub("***", words)[:MAX_REASON]
