"""The table of letters: what is kept, what is due, what came of it.

    draft → pending → attempting → sent | refused | unknown

A letter that is attempted has a lease in `due_at`. Whoever finds one whose lease has ended knows
that its process is gone, and not what the server made of it: it is `unknown`, and not sent again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import msgspec
import structlog

from bot.contracts import Row, Transaction
from bot.errors import ToolFailed

LEASE = 900.0
"""Seconds for which one attempt has its letter; more than any attempt takes."""
MOST_A_DAY = 100
"""Letters of one account within 24 hours, drafts with them."""
KEPT_TRYING = 86_400.0
"""Seconds for which a letter is tried before it is given up."""
log = structlog.get_logger()
_NAMES: msgspec.json.Decoder[tuple[str, ...]] = msgspec.json.Decoder(tuple[str, ...])


class Body(msgspec.Struct, frozen=True):
    """What a letter holds besides its subject."""

    to: tuple[str, ...]
    text: str
    html: str = ""
    attachments: tuple[str, ...] = ()
    """Ids of files."""
    reply_to: str = ""
    code_id: str = ""
    """The one-time code that is put into the text only when it is sent."""


_BODY: msgspec.json.Decoder[Body] = msgspec.json.Decoder(Body)


@dataclass(frozen=True, slots=True)
class New:
    """A letter to be kept."""

    key: str
    account: int | None
    """None: our own, which no limit counts."""
    lane: str
    subject: str
    body: Body


@dataclass(frozen=True, slots=True)
class Kept:
    """A letter as it is kept."""

    id: int
    key: str
    account: int | None
    lane: str
    subject: str
    body: Body
    left: tuple[str, ...]
    """Those whom it has not reached yet."""
    refused: tuple[str, ...]
    attempt: int
    age: float
    """Seconds since it could first be sent."""


@dataclass(frozen=True, slots=True)
class Ending:
    """How an attempt ended. `pending` means: once more to those `left`, after some seconds."""

    state: Literal["pending", "sent", "refused", "unknown"]
    left: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    """All who ever refused it."""
    error: str = ""
    after: float = 0.0


async def keep(tx: Transaction, letter: New, *, draft: bool = False) -> None:
    """Keep a letter within the caller's transaction; the same key keeps it once.

    Raises:
        ToolFailed: the account has sent `MOST_A_DAY` letters today.
    """
    if await tx.fetch_one("SELECT id FROM letter WHERE key = :key", key=letter.key):
        return
    if letter.account is not None:
        await _check_room(tx, letter.account)
    await tx.execute(
        _KEEP,
        key=letter.key,
        account=letter.account,
        lane=letter.lane,
        recipients=_encode(letter.body.to),
        subject=letter.subject,
        body=msgspec.json.encode(letter.body).decode(),
        state="draft" if draft else "pending",
    )


async def dispatch_draft(tx: Transaction, approval: str) -> None:
    """The draft of this approval is to be sent as it is, from now on."""
    await tx.execute(_DISPATCH, key=draft_key(approval))


async def discard_draft(tx: Transaction, approval: str) -> None:
    """The draft of this approval is never to be sent."""
    await tx.execute(
        "DELETE FROM letter WHERE key = :key AND state = 'draft'", key=draft_key(approval)
    )


def draft_key(approval: str) -> str:
    return f"draft:{approval}"


async def find_state(tx: Transaction, key: str) -> str:
    """What became of a letter; `refused` if there is none of this key."""
    row = await tx.fetch_one("SELECT state FROM letter WHERE key = :key", key=key)
    return row["state"] if row else "refused"


async def count_due(tx: Transaction) -> int:
    """How many letters are to be sent now, or were lost while they were."""
    row = await tx.fetch_one(_COUNT_DUE)
    return row["due"] if row else 0


async def take(tx: Transaction, lease: float = LEASE) -> Kept | None:
    """The letter that is due longest, which is the caller's for `lease` seconds.

    One that this version cannot read is refused, and blocks nothing behind it."""
    while row := await tx.fetch_one(_TAKE, lease=lease):
        try:
            return _read(row)
        except msgspec.DecodeError:
            log.exception("letter_unreadable", letter=row["id"])
            await tx.execute(_GIVE_UP, id=row["id"])
    return None


async def take_lost(tx: Transaction) -> list[int]:
    """The numbers of letters whose attempt was never ended: they are `unknown` from now on."""
    return [row["id"] for row in await tx.fetch(_TAKE_LOST)]


async def end(tx: Transaction, letter: Kept, ending: Ending) -> bool:
    """Store how an attempt ended; False: another knows that already.

    An attempt that was given up for lost, and ends after all, still counts: what it knows is
    better than nothing, and nobody has tried again since.
    """
    changed = await tx.execute(
        _END,
        id=letter.id,
        attempt=letter.attempt,
        state=ending.state,
        recipients=_encode(ending.left),
        refused=_encode(ending.refused),
        error=ending.error.replace("\0", "")[:500],
        after=ending.after,
    )
    return changed > 0


async def forget_letters(tx: Transaction, account: int) -> None:
    """Delete all letters of the account, also those that are still to be sent."""
    await tx.execute("DELETE FROM letter WHERE account = :account", account=account)


async def forget_letters_about(tx: Transaction, lane: str) -> None:
    """Delete our own letters about a conversation: codes, and what operators were written."""
    await tx.execute(_FORGET_ABOUT, lane=lane, begin=f"report:{lane}/")


async def _check_room(tx: Transaction, account: int) -> None:
    await tx.fetch_one("SELECT id FROM account WHERE id = :account {for_update}", account=account)
    row = await tx.fetch_one(_LATELY, account=account)
    if row and row["number"] >= MOST_A_DAY:
        raise ToolFailed(
            f"The person has written {MOST_A_DAY} e-mails today, which is the most. "
            "More can go tomorrow."
        )


def _read(row: Row) -> Kept:
    return Kept(
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


def _encode(names: Sequence[str]) -> str:
    return msgspec.json.encode(names).decode()


_KEEP = """
INSERT INTO letter (key, account, lane, recipients, subject, body, state, due_at, created_at)
VALUES (:key, :account, :lane, :recipients, :subject, :body, :state, {now}, {now})
ON CONFLICT (key) DO NOTHING
"""

_LATELY = """
SELECT count(*) AS number FROM letter WHERE account = :account AND created_at >= {now} - 86400
"""

_DISPATCH = """
UPDATE letter SET state = 'pending', due_at = {now}, created_at = {now}
WHERE key = :key AND state = 'draft'
"""

_COUNT_DUE = """
SELECT count(*) AS due FROM letter
WHERE state IN ('pending', 'attempting') AND due_at <= {now}
"""

_TAKE = """
UPDATE letter SET state = 'attempting', attempts = attempts + 1, due_at = {now} + :lease
WHERE id = (
    SELECT id FROM letter WHERE state = 'pending' AND due_at <= {now}
    ORDER BY due_at, id LIMIT 1 {skip_locked}
)
RETURNING *, {now} - created_at AS age
"""

_TAKE_LOST = """
UPDATE letter SET state = 'unknown', error = 'its process ended meanwhile', ended_at = {now}
WHERE state = 'attempting' AND due_at <= {now}
RETURNING id
"""

_GIVE_UP = """
UPDATE letter SET state = 'refused', error = 'unreadable', ended_at = {now} WHERE id = :id
"""

_END = """
UPDATE letter SET state = :state, recipients = :recipients, refused = :refused, error = :error,
    due_at = {now} + :after, ended_at = CASE WHEN :state = 'pending' THEN NULL ELSE {now} END
WHERE id = :id AND attempts = :attempt
    AND (state = 'attempting' OR (state = 'unknown' AND :state <> 'unknown'))
"""

_FORGET_ABOUT = """
DELETE FROM letter WHERE account IS NULL AND (
    lane = :lane OR substr(key, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
)
"""
