"""Open, list and check sessions: conversations over HTTP, each with an owner."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, Literal

import msgspec

from bot.accounts.approvals import CHOICES, Choice, find_pending, labels_of
from bot.contracts.storage import Database, Row, Transaction
from bot.errors import BadRequest, NotFound
from bot.gateway.conversation_history import (
    PhonePart,
    has_written_on_phone,
    list_parts,
    open_phone_session,
)
from bot.gateway.inbound.inbox import decision_key
from bot.gateway.open_questions import OpenQuestion, read_answer
from bot.gateway.people.linking import adopt_answers
from bot.messages.channels import WEB, WebChannel
from bot.messages.incoming import Decided, Person, Said, Sender, Update, build_update
from bot.messages.outgoing import Button
from bot.messages.value import MediaKind, decode
from bot.web.requests import Guest

PHONE: Final = "phone"
"""Id of the session that stands for a person's conversation on their phones."""
COMPLETION: Final = "completion:"
"""Prefix of the ids of sessions of OpenAI's clients; no client can choose such an id."""
_ID = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MADE = re.compile(r"[A-Za-z0-9_-]{16}")
"""Form of an id made by `secrets.token_urlsafe(12)`."""
_INTERNAL: Final = "%:%"
"""Pattern of the ids of jobs, of completions, and of sessions that continue a phone's."""
_MOST_LISTED: Final = 50
_MOST_ADOPTED: Final = 20
_FIRST_TURNS: Final = 8
"""The first turns, in which the title is looked for."""
_LONGEST_TITLE: Final = 60
_SIGNS: Final[Mapping[MediaKind, str]] = {"image": "📷", "audio": "🎤", "document": "📎"}


class ShownSession(msgspec.Struct, frozen=True):
    """A conversation in a list."""

    id: str
    title: str
    """The first words that the person wrote."""
    channel: WebChannel | Literal["phone"]
    updated_at: str
    """ISO 8601, in UTC."""
    turns: int


class Sessions:
    def __init__(self, database: Database) -> None:
        self._database = database

    async def resolve(self, person: Person, session_id: str | None) -> str | None:
        """Return the id under which the session that a client names is stored; None: it names none.

        Raises:
            BadRequest: the id has other characters than letters, digits, `_` and `-`.
            NotFound: the client names the phones' conversation, and the person is a guest.
        """
        if session_id is None:
            return None
        if not _ID.fullmatch(session_id):
            raise BadRequest("session_id: use 1 to 64 letters, digits, _ or -.")
        if session_id != PHONE:
            return session_id
        account = require_account(person)

        async def work(tx: Transaction) -> str:
            kept = await open_phone_session(tx, account)
            await tx.execute(_OPEN, id=kept, account=account, address=person.address)
            return kept

        return await self._database.write(work)

    async def open(self, person: Person, session_id: str | None, *, prefix: str = "") -> str:
        """Open the person's session of this id, as `resolve` returns it, or a new one with this
        prefix if none is given; return its id. Raises `NotFound`: it is another person's."""
        wanted = session_id or f"{prefix}{secrets.token_urlsafe(12)}"

        async def work(tx: Transaction) -> None:
            await tx.execute(_OPEN, id=wanted, account=person.account, address=person.address)
            await _check_owner(tx, person, wanted)

        await self._database.write(work)
        return wanted

    async def open_job(self, tx: Transaction, person: Person, session_id: str) -> None:
        """Store the job's owner, within the caller's transaction."""
        await tx.execute(_OPEN, id=session_id, account=person.account, address=person.address)

    async def check(self, person: Person, session_id: str) -> None:
        """Raise `NotFound` unless the session is the person's."""
        await self._database.read(lambda tx: _check_owner(tx, person, session_id))

    async def listing(self, person: Person) -> list[ShownSession]:
        """List the person's chats over HTTP and their conversation on phones, the newest first,
        without jobs and sessions of OpenAI's clients."""

        async def work(tx: Transaction) -> list[ShownSession]:
            sql = _OF_GUEST if person.account is None else _OF_ACCOUNT
            whose = (
                {"address": person.address}
                if person.account is None
                else {"account": person.account}
            )
            rows = await tx.fetch(sql, most=_MOST_LISTED, internal=_INTERNAL, **whose)
            parts = [[PhonePart(f"http:{row['id']}", 0)] for row in rows]
            listed = [
                ShownSession(row["id"], await _title(tx, part), WEB, _moment(row), row["turns"])
                for row, part in zip(rows, parts, strict=True)
            ]
            phone = await _list_phone(tx, person)
            newest = sorted([*listed, *phone], key=lambda each: each.updated_at, reverse=True)
            return newest[:_MOST_LISTED]

        return await self._database.read(work)

    async def check_job(self, person: Person, session_id: str) -> None:
        """Raise `NotFound` unless the job is the person's."""
        try:
            await self.check(person, session_id)
        except NotFound:
            raise NotFound("There is no such job.") from None


def require_account(person: Person) -> int:
    """Return the person's account. Raises `NotFound`: a guest has no conversation on phones."""
    if person.account is None:
        raise NotFound("There is no such session.")
    return person.account


async def adopt_sessions(
    tx: Transaction, guest: Guest, session_ids: Sequence[str], account: int
) -> None:
    """Give the guest's sessions of these ids to the account, with the jobs begun in them and the
    results of questions asked there. Any other id is skipped.

    A guest without a cookie is known by a network that others share, so only an id that we made
    counts then, as it cannot be guessed.
    """
    for session_id in dict.fromkeys(session_ids[:_MOST_ADOPTED]):
        if not (_ID if guest.has_cookie else _MADE).fullmatch(session_id):
            continue
        owner = {"address": guest.address, "account": account}
        if not await tx.execute(_ADOPT, id=session_id, **owner):
            continue
        lane = f"http:{session_id}"
        for row in await tx.fetch(_IN_THREAD, thread=f"session:{lane}"):
            await tx.execute(_ADOPT, id=row["id"].partition(":")[2], **owner)
        await adopt_answers(tx, lane, account)


async def _list_phone(tx: Transaction, person: Person) -> list[ShownSession]:
    """List the phones' conversation, if the person has written there."""
    if person.account is None:
        return []
    parts = await list_parts(tx, person.account)
    if not await has_written_on_phone(tx, parts):
        return []
    rows = [await tx.fetch_one(_OF_PART, lane=part.lane, since=part.since) for part in parts]
    known = [row for row in rows if row is not None and row["turns"]]
    newest = max(known, key=lambda row: row["at"])
    turns = sum(row["turns"] for row in known)
    return [ShownSession(PHONE, await _title(tx, parts), PHONE, _moment(newest), turns)]


async def _title(tx: Transaction, parts: Sequence[PhonePart]) -> str:
    """Return the person's first words; a command only where there are no others."""
    rows: list[Row] = []
    for part in parts:
        rows += await tx.fetch(_FIRST, lane=part.lane, since=part.since, most=_FIRST_TURNS)
    updates = [decode(row["body"], Update) for row in sorted(rows, key=lambda row: row["seq"])]
    titles = [(words, update) for update in updates if (words := _first_words(update))]
    chosen = next((words for words, update in titles if not _is_command(update)), "")
    return chosen or next((words for words, _ in titles), "")


def _first_words(update: Update) -> str:
    said = update.content
    if not isinstance(said, Said | Decided):
        return ""
    words = " ".join(said.text.split())
    if not words and isinstance(said, Said):
        names = [f"{_SIGNS[each.kind]} {each.filename}".strip() for each in said.attachments]
        return shorten_title(next(iter(names), ""))
    return shorten_title(words)


def shorten_title(words: str) -> str:
    """Cut a title to `_LONGEST_TITLE` characters and an ellipsis, between words where possible."""
    if len(words) <= _LONGEST_TITLE:
        return words
    cut = words[:_LONGEST_TITLE]
    return f"{cut.rpartition(' ')[0] or cut}…"


def _is_command(update: Update) -> bool:
    said = update.content
    return isinstance(said, Said) and said.command is not None


def _moment(row: Row) -> str:
    return datetime.fromtimestamp(row["at"], UTC).isoformat(timespec="milliseconds")


async def _check_owner(tx: Transaction, person: Person, session_id: str) -> None:
    row = await tx.fetch_one("SELECT account, address FROM session WHERE id = :id", id=session_id)
    if row is not None:
        same_account = person.account is not None and row["account"] == person.account
        same_guest = row["account"] is None and row["address"] == person.address
        if same_account or same_guest:
            return
    raise NotFound("There is no such session.")


def make_update(session_id: str, person: Person, content: Said | Decided) -> Update:
    """Make the update for a message or a decision in a session; a decision is stored once."""
    unique = secrets.token_hex(12)
    if isinstance(content, Decided):
        unique = decision_key(content.approval_id)
    sender = Sender(person.address, person.name, person.language)
    return build_update(f"{WEB}:{session_id}", WEB, sender, unique, content)


async def read_decision(
    database: Database, person: Person, lane: str, said: Said
) -> Said | Decided:
    """Return the decision that a letter or a word means (other channels have buttons for it); the
    message itself, if no approval waits or it means none."""
    waiting = await database.read(lambda tx: find_pending(tx, lane))
    if waiting is None:
        return said
    approval, kind = waiting
    labels = labels_of(kind, person.language, person.channel)
    offered: dict[str, Choice] = {f"{number}": choice for number, choice in enumerate(CHOICES)}
    buttons = tuple(Button(labels[choice], token) for token, choice in offered.items())
    question = msgspec.json.encode(OpenQuestion(buttons, numbered=False)).decode()
    choice = offered.get(read_answer(said, question))
    return said if choice is None else Decided(approval, choice)


_OF_ACCOUNT = """
SELECT session.id, count(*) AS turns, max(coalesce(turn.ended_at, turn.started_at)) AS at
FROM session JOIN turn ON turn.lane = 'http:' || session.id
WHERE session.account = :account AND session.id NOT LIKE CAST(:internal AS TEXT)
GROUP BY session.id ORDER BY at DESC, session.id LIMIT :most
"""

_OF_GUEST = """
SELECT session.id, count(*) AS turns, max(coalesce(turn.ended_at, turn.started_at)) AS at
FROM session JOIN turn ON turn.lane = 'http:' || session.id
WHERE session.account IS NULL AND session.address = :address
    AND session.id NOT LIKE CAST(:internal AS TEXT)
GROUP BY session.id ORDER BY at DESC, session.id LIMIT :most
"""

_OF_PART = """
SELECT count(*) AS turns, max(coalesce(ended_at, started_at)) AS at FROM turn
WHERE lane = :lane AND id >= :since
"""

_FIRST = """
SELECT inbox.seq, inbox.body FROM turn JOIN inbox ON inbox.seq = turn.id
WHERE turn.lane = :lane AND turn.id >= :since ORDER BY turn.id LIMIT :most
"""

_ADOPT = """
UPDATE session SET account = :account
WHERE id = :id AND account IS NULL AND address = :address
"""

_IN_THREAD = """
SELECT id FROM lane WHERE thread = :thread
"""

_OPEN = """
INSERT INTO session (id, account, address, created_at)
VALUES (:id, :account, :address, {now}) ON CONFLICT (id) DO NOTHING
"""
