"""Send the person an SMS, at their own number."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import ToolContext
from bot.contracts.tools import Tool
from bot.i18n import say
from bot.messages.outgoing import Say


class SendSmsToUser(BaseModel):
    """Send a short SMS to the person you are talking to, at their own number. Use it when they ask
    to have something by SMS: an address, a code, a summary to keep without internet. Not for your
    answer itself, never to anybody else, and not for long texts: each 150 characters cost money."""

    text: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="The whole SMS in plain words, best below 150 characters.", max_length=600
    )


async def send_sms_to_user(args: SendSmsToUser, context: ToolContext) -> str:
    if not await context.services.notifier.is_number_known(context.account):
        words = say(
            context.person.language,
            "To write to you by SMS I need your number. Share it here, or send /login.",
        )
        context.deliver(Say(words, asks_number=True))
        return "Their number is not known: they are asked for it now. Tell them here meanwhile."
    await context.services.notifier.send("sms", [Say(args.text)], context)
    return "The SMS is on its way to their own number."


TOOL = Tool(
    SendSmsToUser,
    send_sms_to_user,
    modes={"child", "pro"},
    effect="repeatable",
    is_private=True,
    timeout=10,
    speaks=True,
    label="Sending an SMS…",
)
