"""The conversation that a person has on their phones, read and continued over HTTP.

Telegram, WhatsApp and SMS share the thread of the account (`threads.py`). Over HTTP it has a lane
of its own in that thread, `http:phone:…`, made when the person first writes there: its turns know
what was said on the phones, and the phones' turns know what was said here.

What is shown is what a turn may know: nothing of before /new, and nothing that was said on a phone
before it came to the account. Answers are shown as the model wrote them; what was sent to a phone
is in that phone's own form.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import Final, NamedTuple

import msgspec

from bot.contracts import Finished, Row, Transaction
from bot.events import Content, Event
from bot.gateway.jobs import is_job
from bot.gateway.lanes import make_due
from bot.gateway.render import escape
from bot.gateway.sending.posting import Posting
from bot.gateway.shown_turns import ShownTurn, add_said, describe, is_shown
from bot.gateway.threads import SHARING, join_thread, thread_of
from bot.gateway.turns.attachments import quote_voice_notes
from bot.messages import (
    AskApproval,
    Body,
    ModelReply,
    Notice,
    Say,
    Tapped,
    TextBody,
    Update,
    UserMessage,
    decode,
    decode_body,
)
from bot.storage.living import lock_holder
from bot.texts import best_language

_NAME: Final = "phone:"
_LANE: Final = f"http:{_NAME}"
_FINISHED: msgspec.json.Decoder[Finished] = msgspec.json.Decoder(Finished)


class Part(NamedTuple):
    """One conversation of the thread, from the first turn of it that may be shown."""

    lane: str
    since: int


def is_phone_session(session_id: str) -> bool:
    """Whether this session continues a phone's conversation; no client can choose such an id."""
    return session_id.startswith(_NAME)


async def open_phone_session(tx: Transaction, account: int) -> str:
    """The id of the session that continues the account's shared thread, made if there is none."""
    thread = thread_of(await lock_holder(tx, account))
    row = await tx.fetch_one(_FIND, thread=thread, begin=_LANE)
    if row is not None:
        return row["id"].partition(":")[2]
    session_id = f"{_NAME}{secrets.token_urlsafe(12)}"
    lane = f"http:{session_id}"
    await make_due(tx, lane, via="http")
    await join_thread(tx, lane, thread)
    return session_id


async def list_parts(tx: Transaction, account: int) -> list[Part]:
    """The conversations of the account's shared thread; jobs are told of where they report."""
    rows = await tx.fetch(_PARTS, thread=thread_of(account))
    return [Part(row["id"], row["since"]) for row in rows if not is_job(row["id"])]


async def has_written_on_phone(tx: Transaction, parts: Sequence[Part]) -> bool:
    """Whether any turn of a phone's conversation may be shown."""
    for part in parts:
        if part.lane.partition(":")[0] in SHARING and await tx.fetch_one(
            "SELECT id FROM turn WHERE lane = :lane AND id >= :since LIMIT 1",
            lane=part.lane,
            since=part.since,
        ):
            return True
    return False


async def shown_thread(
    tx: Transaction, posting: Posting, account: int, *, limit: int = 50
) -> list[ShownTurn]:
    """The newest turns of all conversations of the thread, in the order in which they began."""
    rows: list[Row] = []
    for part in await list_parts(tx, account):
        rows += await tx.fetch(_HEARD, lane=part.lane, since=part.since, limit=limit)
    turns: dict[int, ShownTurn] = {}
    for row in sorted(rows, key=lambda row: row["seq"])[-limit:]:
        update = decode(row["body"], Update)
        if isinstance(update.content, Tapped):
            continue  # what came of it is told with the quiz
        number: int = row["turn"]
        is_new = number not in turns
        turn = turns.setdefault(number, ShownTurn(str(number)))
        add_said(turn, update, is_pending=row["state"] == "pending")
        if is_new:
            events = await _events(tx, posting, row["lane"], number, update)
            turn.events = [await describe(tx, event) for event in events]
    return [turn for turn in turns.values() if is_shown(turn)]


async def _events(
    tx: Transaction, posting: Posting, lane: str, turn: int, update: Update
) -> list[Event]:
    """What was shown in a turn."""
    language = best_language(update.sender.language)
    if isinstance(update.content, Notice):
        return posting.events(update.content.outgoing, language)
    said, events = await _read_answer(tx, posting, lane, turn, language)
    if said and not lane.startswith(_LANE):
        return [Content(said), *events]
    bodies = [decode_body(row["body"]) for row in await tx.fetch(_SAID, lane=lane, turn=turn)]
    if lane.startswith(_LANE):
        return [event for body in bodies for event in posting.replay(body)]
    return [event for body in bodies for event in _read_body(posting, body)]


async def _read_answer(
    tx: Transaction, posting: Posting, lane: str, turn: int, language: str
) -> tuple[str, list[Event]]:
    """The answer of a turn that ended well, as the model wrote it (markdown), and what its tools
    showed; nothing where no model answered."""
    rows = await tx.fetch(_ANSWERED, lane=lane, turn=turn)
    heard = [decode(row["body"], UserMessage) for row in rows if row["kind"] == "user"]
    replies = [decode(row["body"], ModelReply) for row in rows if row["kind"] == "reply"]
    texts = [reply.message.text for reply in replies if reply.message.text]
    answer = "\n\n".join(part for part in (quote_voice_notes(heard), *texts) if part)
    outgoing = [
        item
        for row in rows
        if row["kind"] == "result"
        for item in _FINISHED.decode(row["body"]).outgoing
    ]
    asked = [Say(item.text) if isinstance(item, AskApproval) else item for item in outgoing]
    return (answer if texts else ""), posting.events(asked, language)


def _read_body(posting: Posting, body: Body) -> list[Event]:
    """What a delivery to a phone showed. What waits for consent is decided where it was asked."""
    match body:
        case TextBody(code_id="", text=text):
            return [Content("  \n".join(map(escape, text.splitlines())))]
        case TextBody():
            return []  # a one-time code
        case _:
            return posting.replay(body)


_FIND = """
SELECT id FROM lane
WHERE thread = :thread
    AND substr(id, 1, length(CAST(:begin AS TEXT))) = CAST(:begin AS TEXT)
ORDER BY id LIMIT 1
"""

_PARTS = """
SELECT lane.id, CASE
    WHEN lane.history_from > thread.history_from THEN lane.history_from ELSE thread.history_from
END AS since
FROM lane AS thread JOIN lane ON lane.thread = thread.id
WHERE thread.id = :thread ORDER BY lane.id
"""

_HEARD = """
SELECT lane, seq, coalesce(turn, seq) AS turn, body, state FROM inbox
WHERE lane = :lane AND coalesce(turn, seq) >= :since
ORDER BY seq DESC LIMIT :limit
"""

_SAID = """
SELECT body FROM outbox WHERE lane = :lane AND turn = :turn ORDER BY part
"""

_ANSWERED = """
SELECT journal.kind, journal.body FROM journal
JOIN turn ON turn.lane = journal.lane AND turn.id = journal.turn
WHERE journal.lane = :lane AND journal.turn = :turn AND journal.kind IN ('user', 'reply', 'result')
    AND turn.state = 'done' AND turn.reason <> 'failed'
ORDER BY journal.step
"""
