"""Send the person a WhatsApp message, at their own number."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.messages.outgoing import Outgoing, Say


class SendWhatsappToUser(BaseModel):
    """Send a WhatsApp message to the person you are talking to, at their own number, with files of
    theirs if need be. Use it when they are on another channel and ask to have something on
    WhatsApp. Not for your answer itself, and never to anybody else. Who has not written there for
    a day gets it once they do."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="The message, in Markdown.", max_length=4_000
    )
    attachments: list[Annotated[str, StringConstraints(max_length=64)]] = Field(
        default=[],
        description="Ids of files of theirs to send along, as the tools that make or list files "
        "give them.",
        max_length=10,
    )


async def send_whatsapp_to_user(args: SendWhatsappToUser, context: ToolContext) -> str:
    services = context.services
    files: list[Outgoing] = [
        await services.files.share(context.account, file_id) for file_id in args.attachments
    ]
    if await services.notifier.send("whatsapp", [Say(args.text), *files], context):
        return (
            "It waits: they have not written to you on WhatsApp for a day, and WhatsApp brings it "
            "once they write there. Tell them so."
        )
    return "The message is on its way to their own number on WhatsApp."


TOOL = Tool(
    SendWhatsappToUser,
    send_whatsapp_to_user,
    modes={"child", "pro"},
    effect="repeatable",
    is_private=True,
    timeout=10,
    speaks=True,
    label="Writing on WhatsApp…",
)
