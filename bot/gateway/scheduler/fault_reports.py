"""Faults that people report: kept, then told to the operators by e-mail and WhatsApp."""

from __future__ import annotations

from typing import Final

import structlog

from bot.contracts.services import Severity, ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.gateway.delivery.notify import Notifier
from bot.i18n import DEFAULT_LANGUAGE, say
from bot.mail.emails import EmailBody, NewEmail, store_email
from bot.mail.message import parse_operators
from bot.messages.channels import OPERATOR_CHANNEL
from bot.messages.outgoing import Say
from bot.observability import redact_text
from bot.settings import Settings

MOST_A_DAY: Final = 5
"""Reports of one account within 24 hours."""
_MOST: Final = 4_000
"""Characters of one report."""
log = structlog.get_logger()


class FaultReports:
    """Implements `bot.contracts.services.ReportService`."""

    def __init__(self, database: Database, courier: Notifier, settings: Settings) -> None:
        self._database = database
        self._courier = courier
        self._settings = settings

    async def file(self, description: str, severity: Severity, context: ToolContext) -> None:
        """Keep a report, once a `context.key`, and with it what tells the operators.

        What they are told names the turn; phone numbers are masked as in logs.

        Raises:
            ToolFailed: the person has reported `MOST_A_DAY` times today.
        """
        description = description[:_MOST]

        async def work(tx: Transaction) -> bool:
            if await tx.fetch_one("SELECT key FROM report WHERE key = :key", key=context.key):
                return False
            await _check_limit(tx, context.account)
            await tx.execute(
                _KEEP,
                key=context.key,
                account=context.account,
                lane=context.lane,
                turn=context.turn,
                severity=severity,
                description=description,
            )
            words = _describe_reporter(description, severity, context)
            await self._write(tx, words, severity, context)
            await self._notify(tx, words, context)
            return True

        if await self._database.write(work):
            log.warning("fault_reported", severity=severity, turn=context.turn, lane=context.lane)

    async def _write(
        self, tx: Transaction, words: str, severity: Severity, context: ToolContext
    ) -> None:
        settings = self._settings
        if not (settings.operator_email and settings.smtp_url and settings.mail_from):
            return
        subject = say(
            DEFAULT_LANGUAGE,
            "Griot: fault reported ({severity}), turn {turn}",
            severity=severity,
            turn=context.turn,
        )
        body = EmailBody(parse_operators(settings.operator_email), words)
        await store_email(tx, NewEmail(f"report:{context.key}", None, "", subject, body))

    async def _notify(self, tx: Transaction, words: str, context: ToolContext) -> None:
        numbers = {each.strip() for each in self._settings.operator_whatsapp.split(",")}
        for number in sorted(numbers - {""}):
            try:
                place = await self._courier.find_at(tx, OPERATOR_CHANNEL, number)
                await self._courier.hand_over(tx, place, [Say(words)], key=f"report:{context.key}")
            except ToolFailed:
                log.warning("operator_unreachable", number=number)


def _describe_reporter(description: str, severity: Severity, context: ToolContext) -> str:
    """What operators read: which turn, whose, and what is wrong, of which no sign is markup."""
    person = context.person
    head = say(
        DEFAULT_LANGUAGE,
        "Fault reported ({severity}), turn {turn}, account {account}, {mode}, {channel}:",
        severity=severity,
        turn=f"`{redact_text(f'{context.lane}/{context.turn}')}`",
        account=context.account,
        mode=person.mode,
        channel=person.channel,
    )
    told = redact_text(description).replace("`", "'")
    return f"{head}\n\n```\n{told}\n```"


async def _check_limit(tx: Transaction, account: int) -> None:
    await tx.fetch_one("SELECT id FROM account WHERE id = :account {for_update}", account=account)
    row = await tx.fetch_one(_LATELY, account=account)
    if row and row["number"] >= MOST_A_DAY:
        raise ToolFailed(
            f"The person has reported {MOST_A_DAY} faults today, which is the most. "
            "Thank them, and say that the operators have them."
        )


_LATELY = """
SELECT count(*) AS number FROM report WHERE account = :account AND created_at >= {now} - 86400
"""

_KEEP = """
INSERT INTO report (key, account, lane, turn, severity, description, created_at)
VALUES (:key, :account, :lane, :turn, :severity, :description, {now})
ON CONFLICT (key) DO NOTHING
"""
