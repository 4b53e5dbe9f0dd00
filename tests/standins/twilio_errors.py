"""Errors as Twilio tells them: in an answer, or by their code in a status callback.

Codes and wordings: Twilio's error dictionary, shortened; the form of an answer: what the official
library reads (`code`, `message`, `more_info`, `status`).
"""

from __future__ import annotations

from typing import Any

HREF = "https://www.twilio.com/docs/errors/"

INVALID = 20001
NO_AUTH = 20003
NOT_FOUND = 20404
TOO_FAST = 20429
BROKEN = 20500
MMS_KIND = 12300
BAD_TO = 21211
NO_FROM = 21603
NO_TO = 21604
NOT_OURS = 21606
BAD_CALLBACK = 21609
OPTED_OUT = 21610
NO_ROUTE = 21612
BODY_LONG = 21617
EMPTY = 21619
BAD_MEDIA_URL = 21620
MEDIA_COUNT = 21623
BAD_CONTENT_SID = 21655
BAD_VARIABLES = 21656
PAIR = 21910
MMS_SIZE = 30019
NO_CHANNEL = 63007
CONTENT_RULES = 63013
WINDOW = 63016
MEDIA_LOST = 63019
MEDIA_KIND = 63021
DISABLED = 63112
INVALID_VERIFY = 60200
TOO_MANY_CHECKS = 60202
TOO_MANY_SENDS = 60203

ERRORS: dict[int, tuple[int, str]] = {
    INVALID: (400, "Invalid parameter"),
    NO_AUTH: (401, "Authenticate"),
    NOT_FOUND: (404, "The requested resource was not found"),
    TOO_FAST: (429, "Too Many Requests"),
    BROKEN: (500, "Internal Server Error"),
    MMS_KIND: (400, "Invalid Content-Type of a media file"),
    BAD_TO: (400, "Invalid 'To' Phone Number"),
    NO_FROM: (400, "A 'From' phone number is required"),
    NO_TO: (400, "A 'To' phone number is required"),
    NOT_OURS: (400, "The 'From' phone number provided is not yours to send from"),
    BAD_CALLBACK: (400, "The 'StatusCallback' URL is not a valid URL"),
    OPTED_OUT: (400, "Attempt to send to unsubscribed recipient"),
    NO_ROUTE: (400, "Message cannot be sent with the current combination of 'To' and 'From'"),
    BODY_LONG: (400, "The concatenated message body exceeds the 1600 character limit"),
    EMPTY: (400, "A text message body or media urls must be specified"),
    BAD_MEDIA_URL: (400, "Invalid media URL(s)"),
    MEDIA_COUNT: (400, "Number of media files exceeds allowed limit"),
    BAD_CONTENT_SID: (400, "The ContentSid parameter is invalid"),
    BAD_VARIABLES: (400, "The ContentVariables parameter is invalid"),
    PAIR: (400, "Invalid 'From' and 'To' pair: both must be of the same channel"),
    MMS_SIZE: (400, "The content size exceeds the carrier's limit"),
    NO_CHANNEL: (400, "Twilio could not find a Channel with the specified From address"),
    CONTENT_RULES: (400, "The content does not keep the channel's rules"),
    WINDOW: (400, "Failed to send freeform message: outside the allowed window"),
    MEDIA_LOST: (400, "Media failed to download"),
    DISABLED: (400, "The accounts connected to this Sender were disabled by Meta"),
    MEDIA_KIND: (400, "Channel invalid content error"),
    INVALID_VERIFY: (400, "Invalid parameter"),
    TOO_MANY_CHECKS: (429, "Max check attempts reached"),
    TOO_MANY_SENDS: (429, "Max send attempts reached"),
}


class Refused(Exception):
    """A request that Twilio would refuse. `str` of it is `code message: details`.

    `is_breach` is false where the client could not know better: a window, an opt-out or a pace
    that only Twilio knows of.
    """

    def __init__(self, code: int, details: str = "", *, is_breach: bool = True) -> None:
        self.status, usual = ERRORS[code]
        self.code = code
        self.message = f"{usual}: {details}" if details else usual
        self.is_breach = is_breach
        super().__init__(f"{code} {self.message}")

    @property
    def answer(self) -> dict[str, Any]:
        """The body of the answer."""
        return told_error(self.code, self.message, self.status)


def told_error(code: int, message: str, status: int) -> dict[str, Any]:
    told = {"code": code, "message": message, "more_info": f"{HREF}{code}"}
    return {**told, "status": status}
