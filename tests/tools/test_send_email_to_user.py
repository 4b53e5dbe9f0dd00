from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.contracts.services import Email, ToolContext
from bot.errors import ToolFailed
from tests.tools.fakes import FakeMail
from tools.send_email_to_user import SendEmailToUser, send_email_to_user


async def test_it_goes_to_the_person_and_nobody_else(context: ToolContext, mail: FakeMail) -> None:
    args = SendEmailToUser(
        subject=" Ton résumé ", text="Voici **tout**.", html="<p>Voici</p>", attachments=["f1"]
    )
    told = await send_email_to_user(args, context)
    letter = Email("Ton résumé", "Voici **tout**.", "<p>Voici</p>", ("f1",))
    assert mail.sent == [(letter, context.key)]
    assert "on its way" in told


async def test_what_the_mail_room_refuses_the_model_reads(
    context: ToolContext, mail: FakeMail
) -> None:
    mail.refusal = ToolFailed("no proven address")
    with pytest.raises(ToolFailed, match="no proven address"):
        await send_email_to_user(SendEmailToUser(subject="x", text="y"), context)


@pytest.mark.parametrize(
    "wrong",
    [{"subject": " "}, {"text": ""}, {"attachments": ["f"] * 11}, {"text": "x" * 50_001}],
)
def test_what_no_letter_can_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SendEmailToUser.model_validate({"subject": "x", "text": "y"} | wrong)
