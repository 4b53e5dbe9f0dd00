"""Keep content resources: buttons, lists and templates that a message names by ContentSid.

Lengths are counted in characters, as JSON Schema counts them. A resource that a client creates may
be sent within the window only; `approve` makes a template that may be sent at any time. Sources:
the published OpenAPI of Content v1, Twilio's pages on quick-reply and list-picker in a session, and
Meta's rules for the parameters of a template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, cast

import msgspec

from bot.standins.twilio_errors import (
    BAD_CONTENT_SID,
    BAD_VARIABLES,
    CONTENT_RULES,
    INVALID,
    TwilioRefused,
)
from bot.standins.twilio_people import Option, new_sid

MAX_TEXT = 1600
MAX_BODY = 1024
MAX_BUTTONS, MAX_BUTTON_TITLE = 3, 20
MAX_ITEMS, MAX_ITEM, MAX_DESCRIPTION = 10, 24, 72
MAX_ID = 200
PLACEHOLDER = re.compile(r"\{\{(\w+)\}\}")
UNFIT = re.compile(r"[\n\t]| {5}")


@dataclass(frozen=True)
class Filled:
    """A content with its variables filled in, as the person sees it."""

    kind: str
    body: str
    options: list[Option]
    list_button: str
    is_template: bool


class Contents:
    """The account's Content resources, by sid."""

    def __init__(
        self, account: str, origin: Callable[[], str], validate: Callable[[Any], None]
    ) -> None:
        self.held: dict[str, dict[str, Any]] = {}
        self._approved: set[str] = set()
        self._account = account
        self._origin = origin
        self._validate = validate

    def create(self, body: Any) -> dict[str, Any]:
        """Return the new resource. Raises `Refused`."""
        self._validate(body)
        try:
            if len(body["types"]) != 1:
                raise TwilioRefused(INVALID, "a content of exactly one type is modelled")
            [(kind, content)] = body["types"].items()
            check_content(kind, content)
            return self._keep(body)
        except (AttributeError, LookupError, TypeError) as error:
            raise TwilioRefused(INVALID, f"the body is no content: {error!r}") from None

    def approve(self, body: str, *, variables: dict[str, str] | None = None) -> str:
        """Return the ContentSid of an approved template of text; `{{1}}` is a variable."""
        types = {"twilio/text": {"body": body}}
        kept = self._keep({"language": "fr", "types": types, "variables": variables or {}})
        self._approved.add(kept["sid"])
        return kept["sid"]

    def _keep(self, body: dict[str, Any]) -> dict[str, Any]:
        sid = new_sid("HX")
        url = f"{self._origin()}/v1/Content/{sid}"
        now = datetime.now(UTC).isoformat(timespec="seconds")
        links = {"approval_create": f"{url}/ApprovalRequests/whatsapp"}
        self.held[sid] = {
            "sid": sid,
            "account_sid": self._account,
            "friendly_name": body.get("friendly_name", ""),
            "language": body["language"],
            "variables": body.get("variables", {}),
            "types": body["types"],
            "url": url,
            "date_created": now,
            "date_updated": now,
            "links": {**links, "approval_fetch": f"{url}/ApprovalRequests"},
        }
        return self.held[sid]

    def fill(self, sid: str, variables: str | None) -> Filled:
        """Fill a resource with variables, a JSON object of texts. Raises `Refused`."""
        if sid not in self.held:
            raise TwilioRefused(BAD_CONTENT_SID, f"{sid} does not exist")
        resource, is_template = self.held[sid], sid in self._approved
        values = {**resource["variables"], **_read_variables(variables, is_template)}
        [(kind, content)] = resource["types"].items()
        content = _fill(content, values)
        check_content(kind, content, is_template=is_template)
        options = list(_options(content))
        return Filled(kind, content["body"], options, content.get("button", ""), is_template)


def _read_variables(text: str | None, is_template: bool) -> dict[str, str]:
    try:
        values = msgspec.json.decode(text or "{}", type=dict[str, str])
    except msgspec.DecodeError as error:
        raise TwilioRefused(BAD_VARIABLES, f"no object of strings: {error}") from None
    if any(not each.strip() for each in values.values()):
        raise TwilioRefused(BAD_VARIABLES, "a value is empty")
    if is_template and any(UNFIT.search(each) for each in values.values()):
        raise TwilioRefused(BAD_VARIABLES, "new-line, tab or more than 4 consecutive spaces")
    return values


def _fill(node: Any, values: dict[str, str]) -> Any:
    if isinstance(node, dict):
        fields = cast("dict[str, Any]", node)
        return {name: _fill(value, values) for name, value in fields.items()}
    if isinstance(node, list):
        return [_fill(each, values) for each in cast("list[Any]", node)]
    if not isinstance(node, str):
        return node
    if missing := set(PLACEHOLDER.findall(node)) - set(values):
        raise TwilioRefused(BAD_VARIABLES, f"{sorted(missing)} are not given")
    return PLACEHOLDER.sub(lambda found: values[found[1]], node)


def _options(content: dict[str, Any]) -> Iterator[Option]:
    for action in content.get("actions", []):
        yield Option(action.get("id", action["title"]), action["title"])
    for item in content.get("items", []):
        yield Option(item["id"], item["item"], item.get("description", ""))


def check_content(kind: str, content: dict[str, Any], *, is_template: bool = False) -> None:
    """Raise `Refused` for the first limit that a content of a valid form is over."""
    rules = RULES.get(kind)
    if rules is None:
        raise TwilioRefused(CONTENT_RULES, f"{kind} is not modelled")
    mistakes = [*_body_mistakes(content["body"], _max_body(kind, is_template)), *rules(content)]
    for mistake in mistakes:
        raise TwilioRefused(CONTENT_RULES, f"{kind}: {mistake}")


def _max_body(kind: str, is_template: bool) -> int:
    return MAX_TEXT if kind == "twilio/text" and not is_template else MAX_BODY


def _body_mistakes(body: str, limit: int) -> Iterator[str]:
    if not body.strip():
        yield "body is empty"
    if len(body) > limit:
        yield f"body has {len(body)} characters of {limit}"


def _no_mistakes(_: dict[str, Any]) -> Iterator[str]:
    yield from ()


def _quick_reply_mistakes(content: dict[str, Any]) -> Iterator[str]:
    actions = content["actions"]
    if not 1 <= len(actions) <= MAX_BUTTONS:
        yield f"{len(actions)} actions of {MAX_BUTTONS}"
    titles = [action["title"] for action in actions]
    yield from _title_mistakes(titles, MAX_BUTTON_TITLE)
    if len(set(titles)) < len(titles):
        yield "two actions have the same title"
    yield from _id_mistakes([action.get("id", action["title"]) for action in actions])


def _list_mistakes(content: dict[str, Any]) -> Iterator[str]:
    items = content["items"]
    if not 1 <= len(items) <= MAX_ITEMS:
        yield f"{len(items)} items of {MAX_ITEMS}"
    yield from _title_mistakes([content["button"]], MAX_BUTTON_TITLE)
    yield from _title_mistakes([item["item"] for item in items], MAX_ITEM)
    yield from _id_mistakes([item["id"] for item in items])
    if any(len(item.get("description", "")) > MAX_DESCRIPTION for item in items):
        yield f"a description has more than {MAX_DESCRIPTION} characters"


def _title_mistakes(titles: list[str], limit: int) -> Iterator[str]:
    for title in titles:
        if not title.strip() or len(title) > limit:
            yield f"a title has {len(title)} characters of 1 to {limit}"


def _id_mistakes(ids: list[str]) -> Iterator[str]:
    if any(not 1 <= len(each) <= MAX_ID for each in ids):
        yield f"an id has not 1 to {MAX_ID} characters"
    if len(set(ids)) < len(ids):
        yield "two ids are the same"


RULES: dict[str, Callable[[dict[str, Any]], Iterator[str]]] = {
    "twilio/text": _no_mistakes,
    "twilio/quick-reply": _quick_reply_mistakes,
    "twilio/list-picker": _list_mistakes,
}
