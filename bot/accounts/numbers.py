"""Phone numbers, as E.164 by `phonenumbers`."""

from __future__ import annotations

import phonenumbers

from bot.errors import PersonError


class InvalidNumber(PersonError):
    """Not a phone number that someone can have."""

    code = "invalid_number"


def parse_number(text: str, country: str | None = None) -> str:
    """The number as E.164 (`+2250701020304`).

    Args:
        country: two-letter code for numbers without a `+`.

    Raises:
        InvalidNumber: it is no number, or none that can exist.
    """
    text = text.strip()
    if country is None and not text.startswith("+"):
        text = "+" + text.removeprefix("00")
    try:
        number = phonenumbers.parse(text, country)
    except phonenumbers.NumberParseException:
        raise InvalidNumber("Not a phone number; write it like +225 07 01 02 03 04.") from None
    if not phonenumbers.is_valid_number(number):
        raise InvalidNumber("No such phone number; check the country code and the digits.")
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
