"""What all adapters of SMS say of themselves."""

from __future__ import annotations

import pytest

from adapters.africastalking import AfricasTalkingSms
from adapters.orange import OrangeSms
from adapters.twilio.adapter import TwilioSms
from bot.contracts.channels import Adapter
from bot.settings import Settings


def open_all(**values: object) -> list[Adapter]:
    settings = Settings.model_validate(values)
    return [TwilioSms(settings), OrangeSms(settings), AfricasTalkingSms(settings)]


@pytest.mark.parametrize("sender", ["+15005550006", "38000", "MG" + "0a" * 16])
async def test_a_number_can_be_answered_where_the_country_allows(sender: str) -> None:
    twilio, orange, _ = open_all(twilio_sms_from=sender)
    assert twilio.capabilities.answers == "by_country"
    assert orange.capabilities.answers == "by_country"
    [*_, africastalking] = open_all(africastalking_sender="20880")
    assert africastalking.capabilities.answers == "by_country"


async def test_a_name_cannot_be_answered() -> None:
    named = open_all(
        twilio_sms_from="GRIOT", orange_sender_name="Griot", africastalking_sender="GRIOT"
    )
    assert {each.capabilities.answers for each in named} == {"never"}
    assert open_all()[2].capabilities.answers == "never"  # the provider's own name
