"""Decide whether a delivery has to wait until the person writes, as on WhatsApp after 24 hours.

A channel may have a window for replies (`window` in `Capabilities`): WhatsApp takes free messages
within 24 hours of the person's last message, and a template at any time. A delivery outside the
window waits in the table `outbox` as `waiting_for_window` until the person writes
(`outbox_rows.py`); a template asks them to, once, where one is set.
"""

from __future__ import annotations

from bot.contracts.channels import Capabilities
from bot.messages.outgoing import Body, EmailBody, TemplateBody, TextBody


def is_window_closed(capabilities: Capabilities, silence: float) -> bool:
    """Return whether the provider refuses free messages to a person who last wrote so long ago.

    Args:
        silence: seconds since the person last wrote there.
    """
    return 0 < capabilities.window <= silence


def must_wait_for_reply(body: Body, capabilities: Capabilities, silence: float) -> bool:
    """Return whether a delivery has to wait until the person writes. One-time codes never wait, nor
    do templates, which ask the person to write."""
    is_free = not (isinstance(body, TemplateBody) or is_code_delivery(body))
    return is_free and is_window_closed(capabilities, silence)


def is_code_delivery(body: Body) -> bool:
    """Return whether a delivery carries a one-time code, which never waits."""
    return isinstance(body, TextBody | TemplateBody | EmailBody) and bool(body.code_id)
