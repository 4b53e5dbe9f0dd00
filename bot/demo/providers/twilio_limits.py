"""What Twilio refuses: https://www.twilio.com/docs/api/errors, and the Content API's limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from bot.demo.providers.shown import Option

WHATSAPP: Final = "whatsapp:"
MAX_TEXT: Final = 1600
MAX_BODY: Final = 1024
MAX_MEDIA: Final = 16 * 2**20
MAX_IMAGE: Final = 5 * 2**20
STOP_WORDS: Final = frozenset({"STOP", "STOPALL", "UNSUBSCRIBE", "CANCEL", "END", "QUIT"})
START_WORDS: Final = frozenset({"START", "YES", "UNSTOP"})

_ERRORS: Final[dict[int, tuple[int, str]]] = {
    20001: (400, "Invalid parameter"),
    20003: (401, "Authenticate"),
    20404: (404, "The requested resource was not found"),
    20429: (429, "Too Many Requests"),
    21211: (400, "Invalid 'To' Phone Number"),
    21606: (400, "The 'From' phone number provided is not yours to send from"),
    21610: (400, "Attempt to send to unsubscribed recipient"),
    21612: (400, "Message cannot be sent with the current combination of 'To' and 'From'"),
    21617: (400, "The concatenated message body exceeds the 1600 character limit"),
    21619: (400, "A text message body or media urls must be specified"),
    21655: (400, "The ContentSid parameter is invalid"),
    63013: (400, "The content does not keep the channel's rules"),
    63016: (400, "Failed to send freeform message: outside the allowed window"),
}


class Refused(Exception):
    """An error as Twilio answers it."""

    def __init__(self, code: int, details: str = "") -> None:
        self.status, usual = _ERRORS[code]
        self.code = code
        message = f"{usual}: {details}" if details else usual
        super().__init__(f"{code} {message}")
        self.answer = {"code": code, "message": message, "status": self.status}


def check_body(body: str, media: str, *, whatsapp: bool) -> None:
    """Raise `Refused` for a text or a file that the channel does not take."""
    if not body.strip() and not media:
        raise Refused(21619)
    if len(body.encode("utf-16-le")) // 2 > MAX_TEXT:
        raise Refused(21617)
    if media and not whatsapp:  # MMS goes to the United States and Canada only
        raise Refused(21612)


def read_content(body: Mapping[str, Any]) -> tuple[str, list[list[Option]], str]:
    """Text, options and what opens them as a list (empty for buttons), of a content resource.

    Raises:
        Refused: over a limit of quick replies or list pickers sent within the window.
    """
    [(kind, content)] = body["types"].items()
    text = str(content.get("body", ""))
    if not text.strip() or len(text) > MAX_BODY:
        raise Refused(63013, f"body has {len(text)} characters of {MAX_BODY}")
    if kind == "twilio/quick-reply":
        return text, [[option] for option in _read_replies(content["actions"])], ""
    if kind == "twilio/list-picker":
        _check_titles([content["button"]], 20)
        return text, [[option] for option in _read_items(content["items"])], content["button"]
    raise Refused(63013, f"{kind} is not known here")


def _read_replies(actions: Sequence[Mapping[str, str]]) -> list[Option]:
    options = [Option(each["title"], each.get("id", each["title"])) for each in actions]
    _check(options, most=3, title=20)
    return options


def _read_items(items: Sequence[Mapping[str, str]]) -> list[Option]:
    options = [Option(each["item"], each["id"], each.get("description", "")) for each in items]
    _check(options, most=10, title=24)
    if any(len(each.description) > 72 for each in options):
        raise Refused(63013, "a description has more than 72 characters")
    return options


def _check(options: Sequence[Option], *, most: int, title: int) -> None:
    if not 1 <= len(options) <= most:
        raise Refused(63013, f"{len(options)} options of {most}")
    _check_titles([option.label for option in options], title)
    ids = [option.payload for option in options]
    if len(set(ids)) < len(ids) or any(not 1 <= len(each) <= 200 for each in ids):
        raise Refused(63013, "an id is too long, or not the only one")


def _check_titles(titles: Sequence[str], most: int) -> None:
    if any(not title.strip() or len(title) > most for title in titles):
        raise Refused(63013, f"a title has not 1 to {most} characters")
