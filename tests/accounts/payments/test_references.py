from __future__ import annotations

import pytest

from bot.accounts.payments._references import PAGES, is_order, mail_of, order_of, references
from tests.accounts.payments.parts import ORDER


def test_each_reference_of_an_order_leads_back_to_it() -> None:
    names = references(ORDER.id)
    assert names[0] == ORDER.id
    assert len(set(names)) == PAGES
    assert {order_of(name) for name in names} == {ORDER.id}


@pytest.mark.parametrize(
    "reference",
    [
        *("", "17", ORDER.id[:-1], ORDER.id + "0", ORDER.id.upper(), f"{ORDER.id}-1"),
        *(f"{ORDER.id}-4", f"{ORDER.id}-", f"{ORDER.id}\n", f" {ORDER.id}"),
    ],
)
def test_any_other_leads_nowhere(reference: str) -> None:
    assert order_of(reference) == ""


def test_the_address_tells_nothing_of_the_person() -> None:
    assert mail_of(ORDER.id) == f"{ORDER.id}@example.com"


@pytest.mark.parametrize("text", ["", "a" * 23, "a" * 25, "A" * 24, "g" * 24, "a" * 24 + "\n"])
def test_an_order_has_one_form(text: str) -> None:
    assert is_order("0123456789abcdef01234567")
    assert not is_order(text)
