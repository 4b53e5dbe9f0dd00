"""Report errors as Twilio does: in an answer, or by their code in a status callback.

Codes and wordings: Twilio's error dictionary, shortened; the form of an answer: what the official
library reads (`code`, `message`, `more_info`, `status`).
"""

from __future__ import annotations

from typing import Any, Final

from bot.standins.refusals import Refused

_HREF: Final = "https://www.twilio.com/docs/errors/"

INVALID: Final = 20001
NO_AUTH: Final = 20003
NOT_FOUND: Final = 20404
TOO_FAST: Final = 20429
BROKEN: Final = 20500
MMS_KIND: Final = 12300
BAD_TO: Final = 21211
NO_FROM: Final = 21603
NO_TO: Final = 21604
NOT_OURS: Final = 21606
BAD_CALLBACK: Final = 21609
OPTED_OUT: Final = 21610
NO_ROUTE: Final = 21612
BODY_LONG: Final = 21617
EMPTY: Final = 21619
BAD_MEDIA_URL: Final = 21620
MEDIA_COUNT: Final = 21623
BAD_CONTENT_SID: Final = 21655
BAD_VARIABLES: Final = 21656
PAIR: Final = 21910
MMS_SIZE: Final = 30019
NO_CHANNEL: Final = 63007
CONTENT_RULES: Final = 63013
WINDOW: Final = 63016
MEDIA_LOST: Final = 63019
MEDIA_KIND: Final = 63021
DISABLED: Final = 63112
INVALID_VERIFY: Final = 60200
TOO_MANY_CHECKS: Final = 60202
TOO_MANY_SENDS: Final = 60203

ERRORS: Final[dict[int, tuple[int, str]]] = {
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


class TwilioRefused(Refused):
    """A request that Twilio refuses. `str` of it is `code message: details`.

    It is no breach where the client could not know better: a window, an opt-out or a pace that only
    Twilio knows of.
    """

    def __init__(self, code: int, details: str = "", *, is_breach: bool = True) -> None:
        status, usual = ERRORS[code]
        message = f"{usual}: {details}" if details else usual
        super().__init__(status, describe_error(code, message, status), is_breach=is_breach)
        self.code = code
        self.args = (f"{code} {message}",)


def describe_error(code: int, message: str, status: int) -> dict[str, Any]:
    """Return the body of an answer."""
    return {"code": code, "message": message, "more_info": f"{_HREF}{code}", "status": status}
