"""Parse and write phone numbers as E.164, by `phonenumbers`."""

from __future__ import annotations

import re
import unicodedata

import phonenumbers
from babel.core import get_global
from phonenumbers import PhoneNumber, PhoneNumberFormat, PhoneNumberType

from bot.errors import PersonError

_DEFAULT_ZONE = "Africa/Abidjan"
_MAIN_ZONES: frozenset[str] = frozenset(
    {
        *("Africa/Kinshasa", "America/Buenos_Aires", "America/Guayaquil", "America/Mexico_City"),
        *("America/New_York", "America/Santiago", "America/Sao_Paulo", "America/Toronto"),
        *("Asia/Almaty", "Asia/Gaza", "Asia/Jakarta", "Asia/Kuala_Lumpur", "Asia/Shanghai"),
        *("Asia/Tashkent", "Asia/Ulaanbaatar", "Australia/Sydney", "Europe/Berlin"),
        *("Europe/Kiev", "Europe/Lisbon", "Europe/Madrid", "Europe/Moscow", "Pacific/Auckland"),
        *("Pacific/Guam", "Pacific/Tahiti", "Pacific/Tarawa"),
    }
)
"""The zone of most people in countries that have several, by its name in CLDR."""
_REACHED: frozenset[int] = frozenset(
    {
        PhoneNumberType.MOBILE,
        PhoneNumberType.FIXED_LINE_OR_MOBILE,
        PhoneNumberType.VOIP,
        PhoneNumberType.PERSONAL_NUMBER,
        PhoneNumberType.UNKNOWN,
    }
)
"""The kinds of numbers that take messages at the usual price."""
_E164 = re.compile(r"\+[1-9][0-9]{7,14}")
"""ITU-T E.164: at most 15 digits; shorter than eight are short codes."""
_WRITTEN = re.compile(r"[+0-9 ().\-/]+")
"""The characters of a number that stands alone, once `normalise_digits` has read it."""
_GAP = re.compile(r"[ ().\-/]{5,}")


class InvalidNumber(PersonError):
    """The text is not a phone number that a person can have."""

    code = "invalid_number"


def normalise_digits(text: str) -> str:
    """Rewrite digits, spaces, dashes and the plus of any script in ASCII; drop invisible marks.

    People paste numbers with no-break spaces and direction marks (WhatsApp adds them), and type
    full-width or Arabic digits.
    """
    return "".join(map(_in_ascii, unicodedata.normalize("NFKC", text))).strip()


def is_written_number(text: str) -> bool:
    """Return whether a message is a phone number and nothing else, as people write one: with a `+`
    or `00` or neither, brackets around any part, and spaces, dots, dashes or slashes between
    digits."""
    written = normalise_digits(text)
    if not _WRITTEN.fullmatch(written) or _GAP.search(written) or "\n" in text.strip():
        return False
    digits = sum(sign.isdigit() for sign in written)
    return 7 <= digits <= 17 and _compact(written) is not None


def has_calling_code(text: str) -> bool:
    """Return whether a number is written with its country's calling code: after `+` or `00`."""
    return (_compact(normalise_digits(text)) or "").startswith(("+", "00"))


def parse_number(text: str) -> str:
    """Return a number that has its calling code as E.164 (`+2250701020304`).

    Raises:
        InvalidNumber: the text is no such number.
    """
    return phonenumbers.format_number(_parse(text, None), PhoneNumberFormat.E164)


def parse_mobile(text: str, country: str | None = None) -> str:
    """Return a number that takes messages, like `parse_number`. Numbers of unknown kind pass: they
    may have been given out after the tables of `phonenumbers` were made.

    Raises:
        InvalidNumber: also for numbers too long or too short for their country, and for fixed
            lines, toll-free and premium-rate numbers.
    """
    number = _parse(text, country)
    if not phonenumbers.is_possible_number(number):
        raise InvalidNumber("No such phone number; check the country code and the digits.")
    phone = phonenumbers.format_number(number, PhoneNumberFormat.E164)
    if phonenumbers.number_type(number) not in _REACHED or not has_country(phone):
        raise InvalidNumber("This kind of number takes no messages; give a mobile number.")
    return phone


def is_number(address: str) -> bool:
    """Return whether an address from which a person has written is a number in E.164; a short code
    is not. No tables of numbers are used, as they are older than the newest numbers."""
    return _E164.fullmatch(address) is not None


def has_country(phone: str) -> bool:
    """Return whether a number in E.164 belongs to a country. Numbers of satellites, of worldwide
    services and Telegram's anonymous ones (+888) do not, and no message reaches them."""
    code = phonenumbers.region_code_for_country_code(_known(phone).country_code or 0)
    return code not in {"001", "ZZ"}


def country_of(phone: str) -> str:
    """Return the two-letter code of a number's country; empty where it has none."""
    code = phonenumbers.region_code_for_number(_known(phone)) or ""
    return code if code.isalpha() else ""  # 001 is no country


def calling_code_of(phone: str) -> str:
    """Return the country calling code of a number, such as `225`."""
    return str(_known(phone).country_code or "")


def zone_of(phone: str) -> str:
    """Return the time zone of a number; where it does not tell, its country's main zone."""
    return _find_zone(_known(phone), country_of(phone))


def zone_of_country(country: str) -> str:
    """Return the main time zone of a country, by its two-letter code."""
    number = phonenumbers.example_number_for_type(country, PhoneNumberType.MOBILE)
    return _DEFAULT_ZONE if number is None else _find_zone(number, country)


def _find_zone(number: PhoneNumber, country: str) -> str:
    """Return the zone that a number's prefix tells, if it is one of its country (CLDR).

    The tables of prefixes have one zone for all countries that kept the same time when they were
    made, by the name of any of them: Algeria's is `Europe/Paris`, Jamaica's `America/Adak`.
    """
    from phonenumbers.timezone import time_zones_for_number  # its tables are loaded when used

    aliases, territories = get_global("zone_aliases"), get_global("territory_zones")
    zones: list[str] = [aliases.get(each, each) for each in time_zones_for_number(number)]
    own: list[str] = territories.get(country, [])
    fitting = [each for each in zones if each in own] or own
    main = [each for each in fitting if each in _MAIN_ZONES]
    return next(iter(main or fitting), _DEFAULT_ZONE)


def mask(phone: str) -> str:
    """Return a number as it may be shown to other people: `+225••••••04`."""
    code = f"+{calling_code_of(phone)}"
    return f"{code}{'•' * (len(phone) - len(code) - 2)}{phone[-2:]}"


def _known(phone: str) -> PhoneNumber:
    """Parse a number in E.164; return an empty number where the tables know no such country."""
    try:
        return phonenumbers.parse(phone)
    except phonenumbers.NumberParseException:
        return PhoneNumber()


def _parse(text: str, country: str | None) -> PhoneNumber:
    compact = _compact(normalise_digits(text).removeprefix("tel:"))
    if compact is None:
        raise InvalidNumber("Not a phone number; write it like +225 07 01 02 03 04.")
    if compact.startswith("00"):
        compact = "+" + compact.removeprefix("00")
    elif country is None and not compact.startswith("+"):
        compact = "+" + compact
    try:
        number = phonenumbers.parse(compact, country)
    except phonenumbers.NumberParseException:
        raise InvalidNumber("Not a phone number; write it like +225 07 01 02 03 04.") from None
    if not is_number(phonenumbers.format_number(number, PhoneNumberFormat.E164)):
        raise InvalidNumber("No such phone number; check the country code and the digits.")
    return number


def _compact(written: str) -> str | None:
    """Return the digits, with the `+` before them if there is one; None where the text holds
    anything else, such as an extension or a word that spells a number."""
    kept = re.sub(r"[ ().\-/]", "", written)
    return kept if re.fullmatch(r"\+?[0-9]+", kept) else None


def _in_ascii(sign: str) -> str:
    if sign == "\u2212":  # the minus of mathematics, which is no dash to Unicode
        return "-"
    match unicodedata.category(sign):
        case "Nd":
            return str(unicodedata.decimal(sign))
        case "Zs":
            return " "
        case "Cf":
            return ""
        case "Pd":
            return "-"
        case _:
            return sign
