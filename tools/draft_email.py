"""Draft an e-mail to other people; it is sent once the person has agreed."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, Field, StringConstraints

from bot.contracts.services import Email, ToolContext
from bot.contracts.tools import Tool

_Line = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
_Address = Annotated[str, StringConstraints(max_length=320)]
_FileId = Annotated[str, StringConstraints(max_length=64)]


class DraftEmail(BaseModel):
    """Write an e-mail to others in the person's name. They see the whole of it, and send it, have
    it changed, or cancel it; your turn ends here, and goes on when they have decided. Use it when
    they ask you to write to somebody. Never make an address up: ask for it. Never repeat the
    e-mail in your text. For an e-mail to themselves there is send_email_to_user."""

    to: list[_Address] = Field(
        description="The addresses alone, like name@example.org.", min_length=1, max_length=20
    )
    subject: _Line = Field(description="What it is about, in one line.", max_length=200)
    text: _Line = Field(
        description="The whole e-mail with greeting and signature, in Markdown. Short enough to be "
        "read on a phone before it goes.",
        max_length=10_000,
    )
    attachments: list[_FileId] = Field(
        default=[],
        description="Ids of files of the person's to send along, as the tools that make or list "
        "files give them; 15 MB in all.",
        max_length=10,
    )


async def draft_email(args: DraftEmail, context: ToolContext) -> str:
    email = Email(args.subject, args.text, attachments=tuple(args.attachments))
    context.deliver(await context.services.mail.draft(email, args.to, context))
    return "The draft is shown to the person, and waits for their decision. Nothing is sent yet."


TOOL = Tool(
    DraftEmail,
    draft_email,
    modes={"pro"},
    effect="repeatable",
    is_private=True,
    timeout=10,
    speaks=True,
    label="Drafting an e-mail…",
)
