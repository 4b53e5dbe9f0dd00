"""Send an e-mail to the person's own confirmed address."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import Email, ToolContext
from bot.contracts.tools import Tool

_Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_FileId = Annotated[str, StringConstraints(max_length=64)]


class SendEmailToUser(BaseModel):
    """Send an e-mail to the person you are talking to, at the address that they have proven, with
    files of theirs if need be. Use it when they ask to have something by e-mail. Not for your
    answer itself, and never to anybody else: draft_email is for that."""

    subject: _Line = Field(description="What it is about, in one line.", max_length=200)
    text: _Line = Field(description="The whole e-mail, in Markdown.", max_length=50_000)
    html: str = Field(
        default="",
        description="The same as HTML, only where Markdown is not enough; without pictures, styles "
        "and scripts, which are taken out.",
        max_length=100_000,
    )
    attachments: list[_FileId] = Field(
        default=[],
        description="Ids of files of theirs to send along, as the tools that make or list files "
        "give them; 15 MB in all.",
        max_length=10,
    )


async def send_email_to_user(args: SendEmailToUser, context: ToolContext) -> str:
    email = Email(args.subject, args.text, args.html, tuple(args.attachments))
    await context.services.mail.send_to_person(email, context)
    return "The e-mail is on its way to their own address."


TOOL = Tool(
    SendEmailToUser,
    send_email_to_user,
    modes={"child", "pro"},
    effect="repeatable",
    is_private=True,
    timeout=10,
    speaks=True,
    label="Writing an e-mail…",
)
