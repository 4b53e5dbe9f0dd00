from __future__ import annotations

from zoneinfo import ZoneInfo

import phonenumbers
import pytest
from babel.core import get_global

from bot.accounts.phone_numbers import (
    InvalidNumber,
    calling_code_of,
    country_of,
    has_country,
    is_number,
    mask,
    parse_mobile,
    parse_number,
    zone_of,
    zone_of_country,
)

PHONE = "+2250701020304"


@pytest.mark.parametrize(
    ("text", "country", "number"),
    [
        ("+225 07 01 02 03 04", None, PHONE),
        ("2250701020304", None, PHONE),
        ("002250701020304", None, PHONE),
        ("07 01 02 03 04", "CI", PHONE),
        ("(0701) 020-304", "CI", PHONE),
        ("tel:+2250701020304", None, PHONE),
        ("(+225) 07 01 02 03 04", None, PHONE),
        ("(00225) 07.01.02.03.04", None, PHONE),
        ("00 225 07 01 02 03 04", "CI", PHONE),
        ("+225\u00a007\u202f01\u00a002\u00a003\u00a004", None, PHONE),
        ("\u202a+225 07 01 02 03 04\u202c", None, PHONE),
        ("+225\u201107\u201301\u201402\u221203-04", None, PHONE),
        ("\uff0b\uff12\uff12\uff15 07 01 02 03 04", None, PHONE),
        ("+225 \u0660\u0667 01 02 03 04", None, PHONE),
        ("07/01/02/03/04", "CI", PHONE),
    ],
)
def test_a_number_is_read_however_it_is_written(
    text: str, country: str | None, number: str
) -> None:
    assert parse_mobile(text, country) == number


@pytest.mark.parametrize(
    "text",
    [
        "",
        "abc",
        "+225",
        "+1",
        "+999123456789",
        "12",
        "+2250",
        "+" * 50,
        f"{PHONE}x",
        "+225 +07 01 02 03 04",
        "07+0102030405",
        "+225 07 01 02 03 04;5",
        f"{PHONE} ext 5",
    ],
)
def test_what_cannot_be_a_number_is_refused(text: str) -> None:
    with pytest.raises(InvalidNumber):
        parse_number(text)


@pytest.mark.parametrize(
    "number",
    ["+33142685300", "+33899701234", "+18005550199", "+442079460958"],
)
def test_lines_that_take_no_messages_are_told_apart(number: str) -> None:
    """Fixed, premium-rate, toll-free, fixed."""
    with pytest.raises(InvalidNumber):
        parse_mobile(number)
    assert parse_mobile(PHONE) == PHONE


@pytest.mark.parametrize("number", ["+15551234567", "+447700900123", "+2252720000000"])
def test_a_kind_of_number_that_is_newer_than_our_tables_takes_messages(number: str) -> None:
    assert parse_mobile(number) == number


@pytest.mark.parametrize("number", ["+88801234567", "+870773111632", "+97912345678"])
def test_what_is_of_no_country_takes_none(number: str) -> None:
    """Telegram's anonymous numbers, satellites, premium rates of all the world."""
    with pytest.raises(InvalidNumber):
        parse_mobile(number)
    assert (has_country(number), country_of(number)) == (False, "")
    assert has_country(PHONE)


@pytest.mark.parametrize("number", ["+22507010203", "+225070102030405", "+3361234567"])
def test_what_is_too_long_or_short_in_its_country_takes_none(number: str) -> None:
    with pytest.raises(InvalidNumber, match="check the country code and the digits"):
        parse_mobile(number)


def test_whoever_has_written_from_a_number_has_it() -> None:
    assert is_number(PHONE)
    assert is_number("+22507010203")
    assert not is_number("98101")
    assert not is_number("+98101")
    assert not is_number("+225 07 01 02 03 04")


def test_what_a_number_tells_of_where_it_is() -> None:
    assert (country_of(PHONE), calling_code_of(PHONE), zone_of(PHONE)) == (
        "CI",
        "225",
        "Africa/Abidjan",
    )
    assert zone_of("+33612345678") == "Europe/Paris"


@pytest.mark.parametrize(
    ("number", "zone"),
    [
        ("+212612345678", "Africa/Casablanca"),  # not the Canaries', an hour behind in winter
        ("+212528123456", "Africa/Casablanca"),  # a prefix of which no zone is known
        ("+213551234567", "Africa/Algiers"),  # which has no summer time
        ("+262692123456", "Indian/Reunion"),
        ("+262639012345", "Indian/Mayotte"),
        ("+218912345678", "Africa/Tripoli"),
        ("+18762101234", "America/Jamaica"),
        ("+34612345678", "Europe/Madrid"),
        ("+351912345678", "Europe/Lisbon"),
        ("+243812345678", "Africa/Kinshasa"),
        ("+447400123456", "Europe/London"),
        ("+61412345678", "Australia/Sydney"),
        ("+79123456789", "Europe/Moscow"),
        ("+12125550123", "America/New_York"),
        ("+13125550123", "America/Chicago"),
        ("+18005550123", "America/New_York"),
    ],
)
def test_the_zone_is_one_of_the_number_s_own_country(number: str, zone: str) -> None:
    assert zone_of(number) == zone


def test_every_country_has_a_zone_of_its_own_that_clocks_know() -> None:
    for country in phonenumbers.SUPPORTED_REGIONS:
        zone = zone_of_country(country)
        assert ZoneInfo(zone)
        own = get_global("territory_zones").get(country)
        assert not own or zone in own


def test_of_a_country_that_nobody_knows_nothing_is_told() -> None:
    unknown = "+99912345678"
    assert is_number(unknown)
    assert (country_of(unknown), calling_code_of(unknown)) == ("", "")
    assert zone_of(unknown) == "Africa/Abidjan"
    assert mask(unknown) == "+•••••••••78"


def test_a_number_is_shown_without_its_middle() -> None:
    assert mask(PHONE) == "+225••••••••04"
