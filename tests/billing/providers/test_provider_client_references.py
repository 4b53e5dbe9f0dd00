from __future__ import annotations

import pytest

from bot.billing.providers.provider_client import (
    PAGES,
    is_order,
    mail_of,
    order_of,
    references_of,
    resolve_status,
)
from bot.contracts.payments import Payment, PaymentState
from tests.billing.providers.parts import ORDER


def test_each_reference_of_an_order_leads_back_to_it() -> None:
    names = references_of(ORDER.id)
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


class Pages:
    """The pages of `ORDER` at a provider; None: it knows nothing of that one."""

    def __init__(self, *states: Payment | None) -> None:
        self._states = dict(zip(references_of(ORDER.id), states, strict=True))
        self.asked = 0

    async def find(self, reference: str) -> PaymentState | None:
        self.asked += 1
        state = self._states[reference]
        return PaymentState(state) if state else None


@pytest.mark.parametrize(
    ("states", "whole"),
    [
        (("waiting", "paid", None), "paid"),
        (("failed", "failed", "paid"), "paid"),
        (("failed", "failed", None), "failed"),
        (("failed", "waiting", None), "waiting"),
        ((None, None, None), "waiting"),
    ],
)
@pytest.mark.parametrize("known_when_opened", [True, False])
async def test_an_order_is_paid_on_any_of_its_pages_and_over_on_all_of_them(
    states: tuple[Payment | None, ...], whole: Payment, known_when_opened: bool
) -> None:
    pages = Pages(*states)
    state = await resolve_status(ORDER.id, pages.find, known_when_opened=known_when_opened)
    assert state.state == whole


async def test_behind_an_unknown_page_there_are_others_only_where_pages_are_known_late() -> None:
    pages = Pages(None, "paid", None)
    assert (await resolve_status(ORDER.id, pages.find, known_when_opened=False)).state == "paid"
    unopened = Pages(None, None, None)
    assert (
        await resolve_status(ORDER.id, unopened.find, known_when_opened=True)
    ).state == "waiting"
    assert unopened.asked == 1
