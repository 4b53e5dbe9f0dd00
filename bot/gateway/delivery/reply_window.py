"""The window in which a provider takes free messages: what comes too late waits for the person.

WhatsApp takes them within 24 hours of the person's last message, and a template at any time; see
`window` and `template` in `Capabilities`.
"""

from __future__ import annotations

from bot.contracts.channels import Capabilities
from bot.contracts.storage import Row, Transaction
from bot.gateway.lanes import close_window
from bot.gateway.outbox_rows import insert_template, refuse_delivery, wait_for_person
from bot.gateway.render.renderer import preview_text
from bot.messages.outgoing import Body, TemplateBody, TextBody


def is_outside_window(row: Row, body: Body, capabilities: Capabilities) -> bool:
    """Whether the window is closed for this delivery.

    Args:
        row: `silence` is for how many seconds the person has written nothing.
    """
    if not capabilities.window or isinstance(body, TemplateBody) or is_code_delivery(body):
        return False
    return row["silence"] > capabilities.window


async def wait_for_window(
    tx: Transaction, lane: str, delivery: int, body: Body, capabilities: Capabilities
) -> None:
    """Have a delivery wait until the person writes; ask for that, once, where a template is set.

    A template that is itself outside the window (it was refused) is given up.
    """
    if isinstance(body, TemplateBody):
        await refuse_delivery(tx, delivery, "the window is closed")
        return
    waiting = await wait_for_person(tx, delivery)
    is_news = await close_window(tx, lane)
    if waiting and is_news and capabilities.template:
        template = TemplateBody(preview_text(body, capabilities))
        await insert_template(tx, lane, waiting.turn, waiting.part, template)


def is_code_delivery(body: Body) -> bool:
    """Whether it carries a one-time code, which never waits."""
    return isinstance(body, TextBody | TemplateBody) and bool(body.code_id)
