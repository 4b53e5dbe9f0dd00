from __future__ import annotations

import pytest

from bot.billing.purchase_service import confirm_payment, thank_payer
from bot.billing.purchases import Outcome, PaymentReceipt
from tests.support.purchases import PURCHASE


def test_thanks_say_what_was_added_and_what_there_is() -> None:
    assert thank_payer("en", 100, 101).markdown == (
        "Thank you! 100 credits have been added. You have 101 credits."
    )


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        ("wrong", "not the amount that was asked"),
        ("again", "paid twice, and credited once"),
        ("failed", "100 credits did not go through"),
    ],
)
def test_where_nothing_was_credited_the_payer_reads_what_to_do(
    outcome: Outcome, words: str
) -> None:
    said = confirm_payment(PaymentReceipt(outcome, PURCHASE), "en")
    assert said is not None
    assert words in said.markdown
    assert (PURCHASE.id in said.markdown) == (outcome != "failed")


def test_money_for_no_purchase_is_told_to_who_paid() -> None:
    said = confirm_payment(PaymentReceipt("unknown"), "en")
    assert said is not None
    assert "belongs to no purchase" in said.markdown


def test_a_receipts_own_language_comes_first() -> None:
    said = confirm_payment(PaymentReceipt("again", PURCHASE, language="fr"), "en")
    assert said is not None
    assert "payé deux fois" in said.markdown
