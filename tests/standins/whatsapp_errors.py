"""Errors as Meta tells them: in an answer, in a failed status, in an unsupported message.

Codes, titles and details: Cloud API error codes; the form of the three: the published OpenAPI
v23.0 (GraphAPIError, StatusError, ErrorObject_2). The HTTP status of the three rate errors is
unsure (400 or 429 by the age of the documentation): `Refused` takes another one.
"""

from __future__ import annotations

from typing import Any

HREF = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/"

INVALID = 100
NO_TOKEN = 190
POLICY = 368
NOT_FOUND = 33
BUSINESS_RATE = 80007
TOO_FAST = 130429
BROKEN = 131000
BAD_VALUE = 131009
ABSENT = 131026
LOCKED = 131031
WINDOW = 131047
UNSUPPORTED = 131051
MEDIA = 131053
PAIR_RATE = 131056
TEMPLATE_COUNT = 132000
TEMPLATE_UNKNOWN = 132001
TEMPLATE_LONG = 132005
TEMPLATE_TEXT = 132018

ERRORS: dict[int, tuple[int, str, str]] = {
    INVALID: (400, "Invalid parameter", "One or more parameters are not supported or misspelled"),
    NO_TOKEN: (401, "Invalid OAuth access token", "The access token is missing or wrong"),
    POLICY: (403, "Temporarily blocked for policies violations", "The account broke a policy"),
    LOCKED: (403, "Business Account locked", "The account is restricted or disabled"),
    NOT_FOUND: (400, "Unsupported request", "Object does not exist or cannot be loaded"),
    BUSINESS_RATE: (429, "Rate limit issues", "The business account has reached its rate limit"),
    TOO_FAST: (429, "Rate limit hit", "Too many messages were sent from this phone number"),
    BROKEN: (500, "Something went wrong", "The message failed for an unknown reason"),
    BAD_VALUE: (400, "Parameter value is not valid", "A value is of the wrong type or form"),
    ABSENT: (400, "Message undeliverable", "The number is not a WhatsApp number"),
    WINDOW: (400, "Re-engagement message", "More than 24 hours have passed since the last reply"),
    UNSUPPORTED: (400, "Message type unknown", "Message type is currently not supported."),
    MEDIA: (400, "Media upload error", "The media could not be fetched or is of a wrong kind"),
    PAIR_RATE: (429, "(Business Account, Consumer Account) pair rate limit hit", "Too fast to one"),
    TEMPLATE_COUNT: (400, "Number of parameters does not match", "The template expects others"),
    TEMPLATE_UNKNOWN: (404, "Template name does not exist in the translation", "No such template"),
    TEMPLATE_LONG: (400, "Translated text too long", "The filled template is over its limit"),
    TEMPLATE_TEXT: (
        400,
        "There was an issue with the parameters in your template",
        "Param text cannot have new-line/tab characters or more than 4 consecutive spaces",
    ),
}


class Refused(Exception):
    """A request that Meta would refuse. `str` of it is `code details`.

    `status` replaces the HTTP status that goes with the code.
    """

    def __init__(self, code: int, details: str = "", *, status: int = 0) -> None:
        usual, self.title, usual_details = ERRORS[code]
        self.code = code
        self.details = details or usual_details
        self.status = status or usual
        super().__init__(f"{code} {self.details}")

    @property
    def answer(self) -> dict[str, Any]:
        """The body of the answer."""
        error: dict[str, Any] = {
            "message": f"(#{self.code}) {self.title}",
            "type": "OAuthException",
            "code": self.code,
            "fbtrace_id": "AXsgnV2Cm3ZMGF3dF_cfYIn",
        }
        if self.code == NOT_FOUND:
            error.update(code=INVALID, error_subcode=NOT_FOUND, type="GraphMethodException")
            error["message"] = f"{self.title}. {self.details}"
        elif self.code != NO_TOKEN:
            error["error_data"] = {"messaging_product": "whatsapp", "details": self.details}
        return {"error": error}


def told_error(code: int, details: str = "") -> dict[str, Any]:
    """The error as a webhook tells it."""
    _, title, usual_details = ERRORS[code]
    told = {"code": code, "title": title, "message": title, "href": HREF}
    return {**told, "error_data": {"details": details or usual_details}}
