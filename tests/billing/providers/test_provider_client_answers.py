from __future__ import annotations

from typing import Any

import msgspec
import pytest

from bot.billing.providers.provider_client import Link, read_answer, whole


class Page(msgspec.Struct):
    url: Link


@pytest.mark.parametrize(
    ("amount", "units"),
    [("500", 500), (500, 500), (500.0, 500), ("500.00", 500), ("499.99", 499), (0, 0)],
)
def test_an_amount_is_whole_units_however_it_is_written(amount: Any, units: int) -> None:
    assert whole(amount) == units


@pytest.mark.parametrize(
    "amount", ["", "-5", -5, "5e3", "1,000", "0x5", "NaN", True, "٥", "5" * 13, " 5", "5.", 1e300]
)
def test_what_is_no_amount_is_refused(amount: Any) -> None:
    with pytest.raises(ConnectionError):
        whole(amount)


@pytest.mark.parametrize(
    "url", ["", "pay.wave.com", "javascript:alert(1)", "https:///c", "ftp://a", "https://a\n"]
)
def test_a_page_is_an_address_for_a_browser(url: str) -> None:
    assert read_answer({"url": "https://pay.wave.com/c/1"}, Page).url == "https://pay.wave.com/c/1"
    with pytest.raises(ConnectionError):
        read_answer({"url": url}, Page)
