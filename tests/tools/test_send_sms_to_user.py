from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from bot.messages.outgoing import Outgoing, Say
from tests.tools.fakes import FakeCourier
from tools.send_sms_to_user import SendSmsToUser, send_sms_to_user


async def test_the_text_goes_by_sms_and_not_into_the_conversation(
    context: ToolContext, notifier: FakeCourier, delivered: list[Outgoing]
) -> None:
    told = await send_sms_to_user(SendSmsToUser(text=" 12 rue 5 "), context)
    assert notifier.sent == [("sms", [Say("12 rue 5")], context.key)]
    assert delivered == []
    assert "on its way" in told


async def test_what_cannot_be_sent_is_told_to_the_model(
    context: ToolContext, notifier: FakeCourier
) -> None:
    notifier.refusal = ToolFailed("no number")
    with pytest.raises(ToolFailed, match="no number"):
        await send_sms_to_user(SendSmsToUser(text="hello"), context)


async def test_who_has_no_number_is_asked_for_it(
    context: ToolContext, notifier: FakeCourier, delivered: list[Outgoing]
) -> None:
    notifier.knows_number = False
    told = await send_sms_to_user(SendSmsToUser(text="12 rue 5"), context)
    assert notifier.sent == []
    assert [isinstance(said, Say) and said.asks_number for said in delivered] == [True]
    assert "not known" in told


@pytest.mark.parametrize("text", ["", "  ", "x" * 601])
def test_a_text_of_no_or_many_segments_is_refused(text: str) -> None:
    with pytest.raises(ValidationError):
        SendSmsToUser(text=text)
