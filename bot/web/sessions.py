"""Sessions: conversations over HTTP, and whose they are."""

from __future__ import annotations

import re
import secrets

from bot.contracts import Database, Transaction
from bot.errors import BadRequest, NotFound
from bot.gateway.receiving.inbox import decision_key
from bot.messages import Decided, Person, Said, Sender, Update

_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")


class Sessions:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def open(self, person: Person, session_id: str | None) -> str:
        """The person's session of this id, made if it is new; a new id if none is given.

        Raises:
            BadRequest: the id has other characters than letters, digits, `_` and `-`.
            NotFound: it is someone else's.
        """
        if session_id is not None and not _ID.fullmatch(session_id):
            raise BadRequest("session_id: use 1 to 64 letters, digits, _ or -.")
        wanted = session_id or secrets.token_urlsafe(12)

        async def work(tx: Transaction) -> None:
            await tx.execute(_OPEN, id=wanted, account=person.account, address=person.address)
            await _check_owner(tx, person, wanted)

        await self._database.write(work)
        return wanted

    async def open_job(self, tx: Transaction, person: Person, session_id: str) -> None:
        """Note whose job this is, within the caller's transaction."""
        await tx.execute(_OPEN, id=session_id, account=person.account, address=person.address)

    async def check(self, person: Person, session_id: str) -> None:
        """Raises `NotFound` unless the session is the person's."""

        async def work(tx: Transaction) -> None:
            await _check_owner(tx, person, session_id)

        await self._database.read(work)

    async def check_job(self, person: Person, session_id: str) -> None:
        """Raises `NotFound` unless the job is the person's."""
        try:
            await self.check(person, session_id)
        except NotFound:
            raise NotFound("There is no such job.") from None


async def _check_owner(tx: Transaction, person: Person, session_id: str) -> None:
    row = await tx.fetch_one("SELECT account, address FROM session WHERE id = :id", id=session_id)
    if row is not None:
        same_account = person.account is not None and row["account"] == person.account
        same_guest = row["account"] is None and row["address"] == person.address
        if same_account or same_guest:
            return
    raise NotFound("There is no such session.")


def say_in(session_id: str, person: Person, content: Said | Decided) -> Update:
    """What the person says in their session, as an update; a decision is stored once."""
    unique = secrets.token_hex(12)
    if isinstance(content, Decided):
        unique = decision_key(content.approval_id)
    return Update(
        channel="http",
        via="http",
        conversation=session_id,
        sender=Sender(person.address, person.name, person.language),
        delivery_key=unique,
        message_key=unique,
        content=content,
    )


_OPEN = """
INSERT INTO session (id, account, address, created_at)
VALUES (:id, :account, :address, {now}) ON CONFLICT (id) DO NOTHING
"""
