from __future__ import annotations

import pytest

from bot.billing.packs import PACKS, currencies_of, find_pack, packs_of
from bot.errors import SettingsError
from bot.settings import PackOffer, Settings, load


def test_a_pack_is_found_by_its_price_as_people_write_it() -> None:
    for name in ("1000", "1 000", "1 000 F CFA", "1.000 F"):
        found = find_pack(Settings(), name)
        assert found is not None
        assert found.credits == 220
    for name in ("", "wave", "999", "-", "١٠٠٠"):
        assert find_pack(Settings(), name) is None


def test_the_dearer_a_pack_the_more_credits_for_the_money() -> None:
    values = [pack.credits / pack.fcfa for pack in PACKS]
    assert values == sorted(values)
    assert [pack.fcfa for pack in PACKS] == sorted({pack.fcfa for pack in PACKS})


@pytest.mark.parametrize(
    ("country", "currency"),
    [("CI", "XOF"), ("SN", "XOF"), ("CM", "XAF"), ("GA", "XAF"), ("FR", "XOF"), ("", "XOF")],
)
def test_the_country_of_the_number_decides_on_the_currency(country: str, currency: str) -> None:
    assert currencies_of(country)[0] == currency
    assert set(currencies_of(country)) == {"XOF", "XAF"}


def test_the_packs_can_be_set() -> None:
    settings = load({"PACKS": '[{"fcfa": 300, "credits": 50}]'})
    assert packs_of(settings) == (PackOffer(fcfa=300, credits=50),)
    assert find_pack(settings, "500") is None


@pytest.mark.parametrize(
    "packs",
    [
        "500",
        '[{"fcfa": 500}]',
        '[{"fcfa": 0, "credits": 5}]',
        '[{"fcfa": 500, "credits": -1}]',
        '[{"fcfa": 500, "credits": 1, "stars": -1}]',
        '[{"fcfa": 500, "credits": 1, "euros": 1}]',
        '[{"fcfa": 500, "credits": 1}, {"fcfa": 500, "credits": 2}]',
    ],
)
def test_packs_that_make_no_sense_are_refused_by_name(packs: str) -> None:
    with pytest.raises(SettingsError, match=r"^PACKS: .*use a JSON list"):
        load({"PACKS": packs})
