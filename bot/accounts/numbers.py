"""Phone numbers, as E.164 by `phonenumbers`."""

from __future__ import annotations

import phonenumbers
from phonenumbers import PhoneNumber, PhoneNumberFormat, PhoneNumberType

from bot.errors import PersonError

_DEFAULT_ZONE = "Africa/Abidjan"
_REACHED: frozenset[int] = frozenset(
    {
        PhoneNumberType.MOBILE,
        PhoneNumberType.FIXED_LINE_OR_MOBILE,
        PhoneNumberType.VOIP,
        PhoneNumberType.PERSONAL_NUMBER,
    }
)
"""Kinds of numbers that take messages, and cost what messages cost."""


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
    return phonenumbers.format_number(_parse(text, country), PhoneNumberFormat.E164)


def parse_mobile(text: str, country: str | None = None) -> str:
    """As `parse_number`, of a number that takes messages.

    Raises:
        InvalidNumber: also for fixed lines, toll-free and premium-rate numbers.
    """
    number = _parse(text, country)
    if phonenumbers.number_type(number) not in _REACHED:
        raise InvalidNumber("This kind of number takes no messages; give a mobile number.")
    return phonenumbers.format_number(number, PhoneNumberFormat.E164)


def is_number(address: str) -> bool:
    """Whether this is a person's number in E.164: a short code that writes to us is not."""
    try:
        return parse_number(address) == address
    except InvalidNumber:
        return False


def country_of(phone: str) -> str:
    """Two-letter code of a number's country; empty where it has none."""
    return phonenumbers.region_code_for_number(phonenumbers.parse(phone)) or ""


def calling_code_of(phone: str) -> str:
    """The country calling code of a number, such as `225`."""
    return str(phonenumbers.parse(phone).country_code or "")


def zone_of(phone: str) -> str:
    """The time zone of a number's country; of several, the first."""
    from phonenumbers.timezone import time_zones_for_number  # its tables are loaded when used

    zones = time_zones_for_number(phonenumbers.parse(phone))
    known = [zone for zone in zones if zone != "Etc/Unknown"]
    return known[0] if known else _DEFAULT_ZONE


def mask(phone: str) -> str:
    """A number as it may be shown where others read along: `+225••••••04`."""
    code = f"+{calling_code_of(phone)}"
    return f"{code}{'•' * (len(phone) - len(code) - 2)}{phone[-2:]}"


def _parse(text: str, country: str | None) -> PhoneNumber:
    text = text.strip().removeprefix("tel:")
    if any(sign.isalpha() for sign in text):  # an extension, or a word that spells a number
        raise InvalidNumber("Not a phone number; write it like +225 07 01 02 03 04.")
    if country is None and not text.startswith("+"):
        text = "+" + text.removeprefix("00")
    try:
        number = phonenumbers.parse(text, country)
    except phonenumbers.NumberParseException:
        raise InvalidNumber("Not a phone number; write it like +225 07 01 02 03 04.") from None
    if not phonenumbers.is_valid_number(number):
        raise InvalidNumber("No such phone number; check the country code and the digits.")
    return number
