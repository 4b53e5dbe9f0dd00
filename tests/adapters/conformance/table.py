"""What is asked of every adapter, and which adapter cannot be asked what, and why."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Any

import pytest

import adapters

QUESTIONS: Mapping[str, str] = {
    "1": "the same delivery comes many times at the same moment",
    "1b": "one tap comes many times at the same moment",
    "2": "the process dies between its 2xx and the work",
    "3": "a delivery that cannot be read",
    "3b": "a message whose turn can never succeed",
    "4": "a tap overtakes the message before it",
    "5": "one option is tapped twice",
    "5b": "a tap on a quiz that is over",
    "5c": "another person's tap",
    "5d": "another person's tap, in a group",
    "6": "a payload of 64 characters, but more bytes",
    "7": "the limit lies inside a surrogate pair, a grapheme, a style, a fence",
    "7b": "nothing of the answer is left when it is rendered",
    "7c": "formulas in the options of a quiz",
    "8": "the formatting is refused",
    "8b": "the message is refused in every form",
    "9": "the provider says that nothing was modified",
    "10": "429 in one chat",
    "11": "the person blocks us in mid-turn",
    "12": "the chat migrates in mid-turn",
    "13": "a payment is asked about while the loop is busy",
    "13b": "a payment is told twice",
    "14": "a tap that does not tell on which message",
    "15": "five photos sent at once",
    "16": "authentic deliveries behind a proxy, in odd forms",
    "16b": "forged deliveries",
    "17": "the provider accepted, and its answer was lost",
    "18": "a turn ends after 24 hours of silence",
    "18b": "the provider says that the window is closed, where we thought it open",
    "19": "STOP while a turn runs",
    "19b": "YES as the answer to a quiz",
    "19c": "END as the answer to a quiz",
    "19d": "the provider says that the person opted out, where we knew nothing",
    "20": "messages and statuses in one batch",
    "20b": "read is told before delivered",
    "20c": "media that can no longer be fetched",
    "20d": "a link to a file: tampered with, expired, fetched twice",
}
TELEGRAM, CLOUD, SMS = "telegram", "whatsapp_cloud", "twilio_sms"
WHATSAPP = "twilio_whatsapp"
HTTP, CONSOLE, EMAIL = "http", "console", "email"
ORANGE, AFRICASTALKING = "orange_sms", "africastalking_sms"
ALL_SMS = (SMS, ORANGE, AFRICASTALKING)
ALL = (TELEGRAM, WHATSAPP, CLOUD, *ALL_SMS)
"""The adapters that a provider stands behind."""

_NO_PROVIDER = (
    "no provider delivers to it or is delivered to: the client asks and reads the answer "
    "itself (tests/web/test_chat.py, tests/cli/test_chat.py)"
)
_NO_ANSWERS = "nobody writes by it, and no turn answers by it (tests/adapters/test_email.py)"
_ONE_A_REQUEST = "its webhook brings one update a request"
_NO_GROUPS = "it has no group chats that could move"
_NO_PAYMENTS = "nobody pays inside this channel"
_NO_EDITS = "what was sent is never edited here"
_NO_WINDOW = "it may be written to at any time"
_NO_MEDIA = "it brings words only"
_NO_OPT_OUTS = "its provider keeps no opt-outs by words"
_NO_TAPS = "nothing can be tapped: options are typed, and have no payload"
EXCUSED: Mapping[str, Mapping[str, str]] = {
    "5c": dict.fromkeys(ALL_SMS, _NO_TAPS),
    "5d": dict.fromkeys((WHATSAPP, CLOUD, *ALL_SMS), "it has no group chats"),
    "6": dict.fromkeys(ALL_SMS, _NO_TAPS),
    "8": dict.fromkeys(ALL_SMS, "it is plain text already"),
    "9": dict.fromkeys((WHATSAPP, CLOUD, *ALL_SMS), _NO_EDITS),
    "12": dict.fromkeys((WHATSAPP, CLOUD, *ALL_SMS), _NO_GROUPS),
    "13": dict.fromkeys((WHATSAPP, CLOUD, *ALL_SMS), _NO_PAYMENTS),
    "13b": dict.fromkeys((WHATSAPP, CLOUD, *ALL_SMS), _NO_PAYMENTS),
    "14": dict.fromkeys(ALL_SMS, _NO_TAPS),
    "15": dict.fromkeys((ORANGE, AFRICASTALKING), _NO_MEDIA),
    "18b": dict.fromkeys((TELEGRAM, *ALL_SMS), _NO_WINDOW),
    "19d": dict.fromkeys((TELEGRAM, WHATSAPP, CLOUD, ORANGE), _NO_OPT_OUTS),
    "20": dict.fromkeys((TELEGRAM, WHATSAPP, *ALL_SMS), _ONE_A_REQUEST),
    "20b": {TELEGRAM: "it does not tell what became of a message"},
    "20c": dict.fromkeys((ORANGE, AFRICASTALKING), _NO_MEDIA),
    "20d": dict.fromkeys((TELEGRAM, CLOUD), "files are uploaded, not linked"),
}
"""By question and adapter: the reason."""

_asked: dict[str, list[str]] = {}


def reason(question: str, adapter: str) -> str:
    """Why this adapter cannot be asked; empty: it can."""
    told = EXCUSED.get(question, {}).get(adapter, "")
    if adapter == EMAIL:
        return _NO_ANSWERS
    return told or (_NO_PROVIDER if adapter in (HTTP, CONSOLE) else "")


def asks(question: str) -> Callable[[Any], Any]:
    """A test that asks this of every adapter that is not excused: by the parameter `driver`."""
    names = [name for name in ALL if not reason(question, name)]
    _asked.setdefault(question, []).extend(names)
    return pytest.mark.parametrize("driver", names, indirect=True)


def asked() -> Mapping[str, list[str]]:
    """What tests ask, by question: the names of the adapters."""
    return _asked


def adapters_there_are() -> set[str]:
    """The name of every adapter in `adapters/`, listed anywhere or not."""
    names: set[str] = set()
    for found in pkgutil.walk_packages(adapters.__path__, "adapters."):
        module = importlib.import_module(found.name)
        for each in vars(module).values():
            is_own = isinstance(each, type) and each.__module__ == module.__name__
            is_base = getattr(each, "_is_protocol", False)
            if (
                is_own
                and not is_base
                and all(hasattr(each, part) for part in ("deliver", "show", "channel"))
            ):
                names.add(str(vars(each)["name"]))
    return names
