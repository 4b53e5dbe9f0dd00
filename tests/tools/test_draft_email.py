from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.contracts.services import Email, ToolContext
from bot.messages.outgoing import AskApproval, Outgoing
from tests.tools.fakes import FakeMail
from tools.draft_email import TOOL, DraftEmail, draft_email


async def test_the_draft_is_shown_and_nothing_is_sent(
    context: ToolContext, mail: FakeMail, delivered: list[Outgoing]
) -> None:
    args = DraftEmail(to=["kofi@example.org"], subject="Facture", text="Payée.", attachments=["f"])
    told = await draft_email(args, context)
    letter = Email("Facture", "Payée.", attachments=("f",))
    assert mail.drafted == [(letter, ["kofi@example.org"], context.key)]
    assert [type(each) for each in delivered] == [AskApproval]
    assert mail.sent == []
    assert "Nothing is sent yet" in told


def test_it_is_for_professionals_only() -> None:
    assert TOOL.modes == {"pro"}


@pytest.mark.parametrize("to", [[], ["a@example.org"] * 21, "a@example.org"])
def test_it_takes_one_to_twenty_addresses(to: object) -> None:
    with pytest.raises(ValidationError):
        DraftEmail.model_validate({"to": to, "subject": "x", "text": "y"})
