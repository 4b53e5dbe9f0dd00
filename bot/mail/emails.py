"""The table of e-mails: store them, claim the due ones, record each attempt.

    draft → pending → attempting → sent | refused | unknown

While an e-mail is attempted, `due_at` is the end of its lease. Once that has ended, its process is
gone and the server's answer is not known: the e-mail is `unknown`, and not sent again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import structlog

from bot.contracts.storage import Transaction
from bot.errors import ToolFailed

LEASE_SECONDS = 900.0
"""Seconds for which one attempt has its e-mail; more than any attempt takes."""
MAX_PER_DAY = 100
"""E-mails of one account within 24 hours, drafts with them."""
RETRY_SECONDS = 86_400.0
"""Seconds for which an e-mail is tried before it is given up."""
log = structlog.get_logger()
_NAMES: msgspec.json.Decoder[tuple[str, ...]] = msgspec.json.Decoder(tuple[str, ...])


class EmailBody(msgspec.Struct, frozen=True):
    """Content of an e-mail besides its subject."""

    to: tuple[str, ...]
    text: str
    html: str = ""
    attachments: tuple[str, ...] = ()
    """Ids of files."""
    reply_to: str = ""
    code_id: str = ""
    """The one-time code that is put into the text only when it is sent."""


_BODY: msgspec.json.Decoder[EmailBody] = msgspec.json.Decoder(EmailBody)


@dataclass(frozen=True, slots=True)
class NewEmail:
    """An e-mail to be kept."""

    key: str
    account: int | None
    """None: our own, which no limit counts."""
    lane: str
    subject: str
    body: EmailBody


@dataclass(frozen=True, slots=True)
class StoredEmail:
    """An e-mail as it is kept."""

    id: int
    key: str
    account: int | None
    lane: str
    subject: str
    body: EmailBody
    left: tuple[str, ...]
    """Recipients that it has not reached yet."""
    refused: tuple[str, ...]
    attempt: int
    age: float
    """Seconds since it could first be sent."""


@dataclass(frozen=True, slots=True)
class AttemptResult:
    """Outcome of an attempt. `pending`: tried again for those `left`, after some seconds."""

    state: Literal["pending", "sent", "refused", "unknown"]
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    """All who ever refused it."""
    error: str = ""
    after: float = 0.0


async def store_email(tx: Transaction, email: NewEmail, *, draft: bool = False) -> None:
    """Keep an e-mail within the caller's transaction; the same key keeps it once.

    Raises:
        ToolFailed: the account has sent `MAX_PER_DAY` e-mails today.
    """
    if await tx.fetch_one("SELECT id FROM email WHERE key = :key", key=email.key):
        return
    if email.account is not None:
        await tx.fetch_one(
            "SELECT id FROM account WHERE id = :account {for_update}", account=email.account
        )
        row = await tx.fetch_one(_COUNT_RECENT, account=email.account)
        if row and row["number"] >= MAX_PER_DAY:
            raise ToolFailed(
                f"The person has written {MAX_PER_DAY} e-mails today, which is the most. "
                "More can go tomorrow."
            )
    await tx.execute(
        _STORE,
        key=email.key,
        account=email.account,
        lane=email.lane,
        recipients=_encode_names(email.body.to),
        subject=email.subject,
        body=msgspec.json.encode(email.body).decode(),
        state="draft" if draft else "pending",
    )


async def dispatch_draft(tx: Transaction, approval: str) -> None:
    """The draft of this approval is to be sent as it is, from now on."""
    await tx.execute(_DISPATCH, key=make_draft_key(approval))


async def discard_draft(tx: Transaction, approval: str) -> None:
    """The draft of this approval is never to be sent."""
    await tx.execute(
        "DELETE FROM email WHERE key = :key AND state = 'draft'", key=make_draft_key(approval)
    )


def make_draft_key(approval: str) -> str:
    return f"draft:{approval}"


async def find_email_state(tx: Transaction, key: str) -> str:
    """The state of an e-mail; `refused` if there is none of this key."""
    row = await tx.fetch_one("SELECT state FROM email WHERE key = :key", key=key)
    return row["state"] if row else "refused"


async def count_due_emails(tx: Transaction) -> int:
    """Count the e-mails that are due, or whose process died while it sent them."""
    row = await tx.fetch_one(_COUNT_DUE)
    return row["due"] if row else 0


async def claim_due_email(tx: Transaction, lease: float = LEASE_SECONDS) -> StoredEmail | None:
    """The e-mail that is due longest, which is the caller's for `lease` seconds.

    One that this version cannot read is refused, and blocks nothing behind it."""
    while row := await tx.fetch_one(_CLAIM_DUE, lease=lease):
        try:
            return StoredEmail(
                id=row["id"],
                key=row["key"],
                account=row["account"],
                lane=row["lane"],
                subject=row["subject"],
                body=_BODY.decode(row["body"]),
                left=_NAMES.decode(row["recipients"]),
                refused=_NAMES.decode(row["refused"]),
                attempt=row["attempts"],
                age=row["age"],
            )
        except msgspec.DecodeError:
            log.exception("email_unreadable", email=row["id"])
            await tx.execute(_GIVE_UP, id=row["id"])
    return None


async def mark_lost_emails(tx: Transaction) -> list[int]:
    """The numbers of e-mails whose attempt was never ended: they are `unknown` from now on."""
    return [row["id"] for row in await tx.fetch(_MARK_LOST)]


async def record_attempt(tx: Transaction, email: StoredEmail, ending: AttemptResult) -> bool:
    """Store how an attempt ended; False: another knows that already.

    An attempt that was given up for lost, and ends after all, still counts: what it knows is
    better than nothing, and nobody has tried again since.
    """
    changed = await tx.execute(
        _RECORD_ATTEMPT,
        id=email.id,
        attempt=email.attempt,
        state=ending.state,
        recipients=_encode_names(ending.left),
        refused=_encode_names(ending.refused),
        error=ending.error.replace("\0", "")[:500],
        after=ending.after,
    )
    return changed > 0


async def delete_emails(tx: Transaction, account: int) -> None:
    """Delete all e-mails of the account, also those that are still to be sent."""
    await tx.execute("DELETE FROM email WHERE account = :account", account=account)


async def delete_emails_about(tx: Transaction, lane: str) -> None:
    """Delete our own e-mails about a conversation: codes, and what operators were written."""
    await tx.execute(_DELETE_ABOUT, lane=lane, begin=f"report:{lane}/")


def _encode_names(names: Sequence[str]) -> str:
    return msgspec.json.encode(names).decode()


_STORE = """
INSERT INTO email (key, account, lane, recipients, subject, body, state, due_at, created_at)
VALUES (:key, :account, :lane, :recipients, :subject, :body, :state, {now}, {now})
ON CONFLICT (key) DO NOTHING
"""

_COUNT_RECENT = """
SELECT count(*) AS number FROM email WHERE account = :account AND created_at >= {now} - 86400
"""

_DISPATCH = """
UPDATE email SET state = 'pending', due_at = {now}, created_at = {now}
WHERE key = :key AND state = 'draft'
"""

_COUNT_DUE = """
SELECT count(*) AS due FROM email
WHERE state IN ('pending', 'attempting') AND due_at <= {now}
"""

_CLAIM_DUE = """
UPDATE email SET state = 'attempting', attempts = attempts + 1, due_at = {now} + :lease
WHERE id = (
    SELECT id FROM email WHERE state = 'pending' AND due_at <= {now}
    ORDER BY due_at, id LIMIT 1 {skip_locked}
)
RETURNING *, {now} - created_at AS age
"""

_MARK_LOST = """
UPDATE email SET state = 'unknown', error = 'its process ended meanwhile', ended_at = {now}
WHERE state = 'attempting' AND due_at <= {now}
RETURNING id
"""

_GIVE_UP = """
UPDATE email SET state = 'refused', error = 'unreadable', ended_at = {now} WHERE id = :id
"""

_RECORD_ATTEMPT = """
UPDATE email SET state = :state, recipients = :recipients, refused = :refused, error = :error,
    due_at = {now} + :after, ended_at = CASE WHEN :state = 'pending' THEN NULL ELSE {now} END
WHERE id = :id AND attempts = :attempt
    AND (state = 'attempting' OR (state = 'unknown' AND :state <> 'unknown'))
"""

_DELETE_ABOUT = """
DELETE FROM email WHERE account IS NULL AND (
    lane = :lane OR substr(key, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
)
"""
