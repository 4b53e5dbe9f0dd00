"""Store the faults that people report, and tell operators of them by e-mail and WhatsApp."""

from __future__ import annotations

from typing import Final

import structlog

from bot.contracts.services import Priority, Reporter
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.gateway.delivery.notify import Notifier
from bot.i18n import DEFAULT_LANGUAGE, say
from bot.messages.channels import OPERATOR_CHANNEL
from bot.messages.outgoing import Say
from bot.observability import redact_text
from bot.settings import Settings
from bot.storage.accounts import lock_account

log = structlog.get_logger()
MOST_REPORTS_A_DAY: Final = 5
"""Reports of one account within 24 hours."""
_LONGEST_REPORT: Final = 4_000
"""Characters of a report."""


class FaultReports:
    """Stores the faults that people report, and tells the operators by e-mail and WhatsApp.

    Implements `bot.contracts.services.ReportService`.
    """

    def __init__(self, database: Database, notifier: Notifier, settings: Settings) -> None:
        self._database = database
        self._notifier = notifier
        self._settings = settings

    async def file(self, description: str, severity: Priority, context: Reporter) -> None:
        """Store a report as `store` does, in a transaction of its own."""
        await self._database.write(lambda tx: self.store(tx, description, severity, context))

    async def store(
        self, tx: Transaction, description: str, severity: Priority, context: Reporter
    ) -> None:
        """Store a report, with the messages about it to the operators, once a `context.key`.

        The messages name the turn; phone numbers are masked as in logs.

        Raises:
            ToolFailed: the person has reported `MOST_REPORTS_A_DAY` times today.
        """
        if await tx.fetch_one("SELECT key FROM report WHERE key = :key", key=context.key):
            return
        await _check_report_limit(tx, context.account)
        description = description[:_LONGEST_REPORT]
        await tx.execute(
            _KEEP_REPORT,
            key=context.key,
            account=context.account,
            lane=context.lane,
            turn=context.turn,
            severity=severity,
            description=description,
        )
        words = _describe_reporter(description, severity, context)
        subject = say(
            DEFAULT_LANGUAGE,
            "Griot: fault reported ({severity}), turn {turn}",
            severity=severity,
            turn=context.turn,
        )
        await self._notifier.email_operators(tx, subject, words, f"report:{context.key}")
        await self._notify(tx, words, context)
        log.warning("fault_reported", severity=severity, turn=context.turn, lane=context.lane)

    async def _notify(self, tx: Transaction, words: str, context: Reporter) -> None:
        numbers = {each.strip() for each in self._settings.operator_whatsapp.split(",")}
        for number in sorted(numbers - {""}):
            try:
                place = await self._notifier.find_by_number(tx, OPERATOR_CHANNEL, number)
                await self._notifier.hand_over(tx, place, [Say(words)], key=f"report:{context.key}")
            except ToolFailed:
                log.warning("operator_unreachable", number=number)


def _describe_reporter(description: str, severity: Priority, context: Reporter) -> str:
    """Write the message to operators: the turn, the account and the fault, without markup."""
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
    quoted = redact_text(description).replace("`", "'")
    return f"{head}\n\n```\n{quoted}\n```"


async def _check_report_limit(tx: Transaction, account: int) -> None:
    await lock_account(tx, account)
    row = await tx.fetch_one(_REPORTED_LATELY, account=account)
    if row and row["number"] >= MOST_REPORTS_A_DAY:
        raise ToolFailed(
            f"The person has reported {MOST_REPORTS_A_DAY} faults today, which is the most. "
            "Thank them, and say that the operators have them."
        )


_REPORTED_LATELY = """
SELECT count(*) AS number FROM report WHERE account = :account AND created_at >= {now} - 86400
"""

_KEEP_REPORT = """
INSERT INTO report (key, account, lane, turn, severity, description, created_at)
VALUES (:key, :account, :lane, :turn, :severity, :description, {now})
ON CONFLICT (key) DO NOTHING
"""
