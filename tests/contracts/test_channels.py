"""What carriers act on is offered to nobody who would be heard by one."""

from __future__ import annotations

import pytest

from bot.accounts.approvals import labels_of
from bot.messages.channels import Channel, is_reserved_word


@pytest.mark.parametrize(
    ("channel", "word", "taken"),
    [
        ("sms", "STOP", True),
        ("sms", " Cancel ", True),
        ("sms", "info", True),
        ("sms", "stop it", False),
        ("sms", "Arrêt", True),
        ("whatsapp", "stop", False),
    ],
)
def test_a_word_is_taken_where_a_carrier_hears_it_alone(
    channel: Channel, word: str, *, taken: bool
) -> None:
    assert is_reserved_word(channel, word) is taken


@pytest.mark.parametrize("language", ["en", "fr"])
@pytest.mark.parametrize("kind", ["email", "plan"])
def test_nobody_who_decides_by_sms_unsubscribes_thereby(kind: str, language: str) -> None:
    labels = labels_of(kind, language, "sms")
    assert not any(is_reserved_word("sms", label) for label in labels.values())


def test_elsewhere_it_is_called_what_it_is() -> None:
    assert list(labels_of("email", "en", "telegram").values()) == ["Send", "Edit", "Cancel"]
