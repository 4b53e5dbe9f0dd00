"""Reminders that go by e-mail."""

from __future__ import annotations

from email.headerregistry import Address
from typing import Final

from bot.accounts.profile import email_of
from bot.contracts import Transaction
from bot.errors import ToolFailed
from bot.mail.letters import Body, New, find_state, keep
from bot.mail.message import message_id, one_line

MOST_SUBJECT: Final = 200


class ReminderLetters:
    """Reminders by e-mail.

    Args:
        sender: whom they come from; None: no mail is set up.
    """

    def __init__(self, sender: Address | None) -> None:
        self._sender = sender

    async def keep(
        self, tx: Transaction, *, account: int, subject: str, text: str, key: str
    ) -> None:
        """Have this posted to the account's proven address, once a key.

        Raises:
            ToolFailed: it has none, no mail is set up, or it has had too many letters today.
        """
        address = await email_of(tx, account)
        if self._sender is None or not address:
            raise ToolFailed("There is no way to them by e-mail.")
        title = one_line(subject, MOST_SUBJECT)
        await keep(tx, New(key, account, "", title, Body((address,), text)))

    async def find_fate(self, tx: Transaction, key: str) -> tuple[str, str]:
        """What became of it: `pending`, `sent` (with its Message-ID), `refused` or `unknown`."""
        state = await find_state(tx, key)
        known = state if state in {"sent", "refused", "unknown"} else "pending"
        sent = known == "sent" and self._sender is not None
        return known, message_id(key, self._sender) if sent and self._sender else ""
