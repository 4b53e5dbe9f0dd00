from __future__ import annotations

import pytest
from pydantic import ValidationError

from bot.contracts.services import ToolContext
from bot.errors import ToolFailed
from bot.messages.outgoing import Say
from tests.tools.fakes import FakeCourier, FakeFiles
from tools.send_whatsapp_to_user import SendWhatsappToUser, send_whatsapp_to_user


async def keep(files: FakeFiles, account: int) -> str:
    kept = await files.save(
        account, "a.pdf", b"%PDF", mime_type="application/pdf", source="generated", key="k"
    )
    return kept.file_id


async def test_text_and_own_files_go_by_whatsapp(
    context: ToolContext, notifier: FakeCourier, files: FakeFiles
) -> None:
    file_id = await keep(files, context.account)
    told = await send_whatsapp_to_user(
        SendWhatsappToUser(text="Your **lesson**", attachments=[file_id]), context
    )
    shared = await files.share(context.account, file_id)
    assert notifier.sent == [("whatsapp", [Say("Your **lesson**"), shared], context.key)]
    assert "on its way" in told


async def test_a_message_that_waits_is_not_said_to_be_on_its_way(
    context: ToolContext, notifier: FakeCourier
) -> None:
    notifier.waits = True
    told = await send_whatsapp_to_user(SendWhatsappToUser(text="hello"), context)
    assert len(notifier.sent) == 1
    assert "on its way" not in told
    assert "once they write" in told


async def test_with_a_file_of_somebody_else_nothing_is_sent(
    context: ToolContext, notifier: FakeCourier, files: FakeFiles
) -> None:
    file_id = await keep(files, context.account + 1)
    with pytest.raises(ToolFailed, match="no file"):
        await send_whatsapp_to_user(
            SendWhatsappToUser(text="hello", attachments=[file_id]), context
        )
    assert notifier.sent == []


def test_more_than_ten_files_are_refused() -> None:
    with pytest.raises(ValidationError):
        SendWhatsappToUser(text="hello", attachments=["1"] * 11)
