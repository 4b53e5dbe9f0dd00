"""Read a conversation back: as the person saw it, also on phones, and as events of its journal."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple, cast

import msgspec

from bot.accounts.approvals import is_pending
from bot.contracts.storage import MAX_BIGINT, Database, Row, Transaction
from bot.contracts.turn import Correction, Finished
from bot.events import AwaitingApproval, Content, Event, QuizAsked, event_fields, event_name
from bot.events import Notice as NoticeEvent
from bot.gateway.delivery.compose import Composer
from bot.gateway.jobs import explain_stopped, is_job
from bot.gateway.lanes import join_thread, shares_thread, thread_of, wake_lane
from bot.gateway.outbox_rows import read_bodies
from bot.gateway.shown_exercises import read_series
from bot.gateway.turns.model_message import quote_voice_notes
from bot.i18n import best_language
from bot.learning.open_items import Secret, read_open_items
from bot.learning.quiz import asks, find_outcome, hide_answers
from bot.messages.channels import WEB
from bot.messages.incoming import Attempt, Decided, Notice, Said, Tapped, Update
from bot.messages.outgoing import AskApproval, Body, FileBody, Say, ShareFile, TextBody, decode_body
from bot.messages.transcript import ModelReply, SystemMessage, ToolCall, UserMessage
from bot.messages.value import MediaKind, decode
from bot.render.renderer import escape_markdown
from bot.storage.accounts import lock_current_account


class ShownAttachment(msgspec.Struct, frozen=True):
    """A file that the person sent."""

    kind: MediaKind
    filename: str
    """Empty where it has none."""
    size: int | None
    """Bytes; None where the channel did not say."""


class ShownTurn(msgspec.Struct):
    """One turn as the person saw it, oldest message first."""

    turn_id: str
    said: list[str] = msgspec.field(default_factory=list[str])
    """The person's messages, unchanged."""
    attachments: list[ShownAttachment] = msgspec.field(default_factory=list[ShownAttachment])
    """The files that they sent with these."""
    events: list[tuple[str, dict[str, Any]]] = msgspec.field(
        default_factory=list[tuple[str, dict[str, Any]]]
    )
    """Name and fields, as the stream of `/api/v1/chat` has them. A quiz that was answered has
    `outcome` (`{index, correct, correct_index, explanation}`) too, an exercise its `outcome` (see
    `ExerciseOutcome`), an approval `pending`. The exercises that answers over the API have asked
    follow the one that was answered."""
    by_model: bool = False
    """Whether a model answered, so that the same message may be worth asking again."""
    ended: bool = True


_EXERCISE: Final = "exercise"
"""Name of the event that shows an exercise."""
_MOST_UPDATES: Final = 50
"""Newest updates of a conversation that are shown."""


@dataclass(frozen=True, slots=True)
class Reader:
    """Who reads a conversation back, and what shows it."""

    composer: Composer
    language: str
    secret: str
    """`SECRET_KEY`, from which the ids of exercises are derived."""


async def read_shown_turns(tx: Transaction, reader: Reader, lane: str) -> list[ShownTurn]:
    """Return the newest turns, oldest first, with commands but without taps on quizzes."""
    turns: dict[int, ShownTurn] = {}
    for row in reversed(await tx.fetch(_UPDATES, lane=lane, limit=_MOST_UPDATES)):
        turn = turns.setdefault(row["turn"], ShownTurn(str(row["turn"])))
        add_said(turn, decode(row["body"], Update), is_pending=row["state"] == "pending")
    for row in await tx.fetch(_DELIVERIES, lane=lane, oldest=min(turns, default=0)):
        turn = turns.setdefault(row["turn"], ShownTurn(str(row["turn"])))
        for event in reader.composer.replay(decode_body(row["body"])):
            turn.events.append(await describe(tx, event))
    await _show_series(tx, turns.values(), reader)
    await _note_replies(tx, lane, turns)
    for row in await tx.fetch(_CANCELLED, lane=lane, oldest=min(turns, default=0)):
        if turn := turns.get(row["id"]):
            turn.events.append(_show_stopped(reader))
    return [turn for turn in turns.values() if is_shown(turn)]


async def _note_replies(tx: Transaction, lane: str, turns: Mapping[int, ShownTurn]) -> None:
    for row in await tx.fetch(_REPLIED, lane=lane, oldest=min(turns, default=0)):
        if turn := turns.get(row["turn"]):
            turn.by_model = True


def _show_stopped(reader: Reader) -> tuple[str, dict[str, Any]]:
    """Return the event that says that the person stopped the answer."""
    stopped = NoticeEvent(explain_stopped(reader.language))
    return event_name(stopped), event_fields(stopped)


async def _show_series(tx: Transaction, turns: Collection[ShownTurn], reader: Reader) -> None:
    """Add to each exercise how it stands, and after it those that its answer has asked."""
    ids = {fields["id"] for turn in turns for name, fields in turn.events if name == _EXERCISE}
    for turn in turns:
        events: list[tuple[str, dict[str, Any]]] = []
        for event in turn.events:
            is_exercise = event[0] == _EXERCISE
            events += (
                await read_series(tx, event, ids, reader.language, reader.secret)
                if is_exercise
                else [event]
            )
        turn.events = events


def add_said(turn: ShownTurn, update: Update, *, is_pending: bool) -> None:
    """Add the text and attachments of an update to its turn."""
    turn.said += text_of(update)
    turn.attachments += _attachments(update)
    turn.ended = turn.ended and not is_pending


def is_shown(turn: ShownTurn) -> bool:
    """Return whether a turn has anything to show, or has not ended."""
    return bool(turn.said or turn.attachments or turn.events or not turn.ended)


def text_of(update: Update) -> list[str]:
    """Return the text that the person wrote, as a list of one, or empty."""
    match update.content:
        case Said(text=text) | Decided(text=text) | Attempt(text=text) if text:
            return [text]
        case _:
            return []


def _attachments(update: Update) -> list[ShownAttachment]:
    sent = update.content.attachments if isinstance(update.content, Said) else ()
    return [ShownAttachment(each.kind, each.filename, each.size) for each in sent]


async def describe(tx: Transaction, event: Event) -> tuple[str, dict[str, Any]]:
    """Return the name and fields of an event that was shown, with its present outcome."""
    fields = event_fields(event)
    match event:
        case QuizAsked(id=quiz_id) if outcome := await find_outcome(tx, quiz_id):
            fields["outcome"] = outcome
        case AwaitingApproval(id=approval_id):
            fields["pending"] = await is_pending(tx, approval_id)
        case _:
            pass
    return event_name(event), fields


_NAME: Final = "phone:"
_LANE: Final = f"http:{_NAME}"


class PhonePart(NamedTuple):
    """One conversation of the thread, and its first turn that may be shown."""

    lane: str
    since: int


def is_phone_session(session_id: str) -> bool:
    """Return whether this session continues a phone's conversation; no client can choose such an
    id."""
    return session_id.startswith(_NAME)


async def open_phone_session(tx: Transaction, account: int) -> str:
    """Return the id of the session that continues the account's shared thread; create it if there
    is none."""
    thread = thread_of(await lock_current_account(tx, account))
    row = await tx.fetch_one(_FIND, thread=thread, begin=_LANE)
    if row is not None:
        return row["id"].partition(":")[2]
    session_id = f"{_NAME}{secrets.token_urlsafe(12)}"
    lane = f"{WEB}:{session_id}"
    await wake_lane(tx, lane, via=WEB)
    await join_thread(tx, lane, thread)
    return session_id


async def list_parts(tx: Transaction, account: int) -> list[PhonePart]:
    """Return the conversations of the account's shared thread, but not jobs, whose results are
    shown in the conversation that receives them."""
    rows = await tx.fetch(_PARTS, thread=thread_of(account))
    return [PhonePart(row["id"], row["since"]) for row in rows if not is_job(row["id"])]


async def has_written_on_phone(tx: Transaction, parts: Sequence[PhonePart]) -> bool:
    """Return whether any turn of a phone's conversation may be shown."""
    for part in parts:
        if shares_thread(part.lane) and await tx.fetch_one(
            "SELECT id FROM turn WHERE lane = :lane AND id >= :since LIMIT 1",
            lane=part.lane,
            since=part.since,
        ):
            return True
    return False


async def read_phone_thread(tx: Transaction, reader: Reader, account: int) -> list[ShownTurn]:
    """Return the newest turns of all conversations of the thread, in the order in which they
    began."""
    rows: list[Row] = []
    for part in await list_parts(tx, account):
        rows += await tx.fetch(
            _PHONE_UPDATES, lane=part.lane, since=part.since, limit=_MOST_UPDATES
        )
    turns: dict[int, ShownTurn] = {}
    for row in sorted(rows, key=lambda row: row["seq"])[-_MOST_UPDATES:]:
        update = decode(row["body"], Update)
        if isinstance(update.content, Tapped):
            continue  # its outcome is shown with the quiz
        number: int = row["turn"]
        is_new = number not in turns
        turn = turns.setdefault(number, ShownTurn(str(number)))
        add_said(turn, update, is_pending=row["state"] == "pending")
        if is_new:
            events = await _events(tx, reader.composer, row["lane"], number, update)
            turn.events = [await describe(tx, event) for event in events]
    for lane in {row["lane"] for row in rows}:
        await _note_replies(tx, lane, turns)
    await _show_series(tx, turns.values(), reader)
    return [turn for turn in turns.values() if is_shown(turn)]


async def _events(
    tx: Transaction, composer: Composer, lane: str, turn: int, update: Update
) -> list[Event]:
    """Return the events that show a turn."""
    language = best_language(update.sender.language)
    if isinstance(update.content, Notice):
        return composer.events(update.content.outgoing, language)
    is_web = lane.startswith(_LANE)
    said, events = await _read_answer(tx, composer, lane, turn, language)
    if said and not is_web:
        return [Content(said), *events]
    bodies = await read_bodies(tx, lane, turn)
    if is_web:
        return [event for body in bodies for event in composer.replay(body)]
    return [event for body in bodies for event in _read_body(composer, body)]


async def _read_answer(
    tx: Transaction, composer: Composer, lane: str, turn: int, language: str
) -> tuple[str, list[Event]]:
    """Return the answer of a turn that ended well, as the model wrote it (markdown), and the events
    of its tools; the answer is empty if no model gave one."""
    rows = await tx.fetch(_ANSWERED, lane=lane, turn=turn)
    heard = [decode(row["body"], UserMessage) for row in rows if row["kind"] == "user"]
    replies = [decode(row["body"], ModelReply) for row in rows if row["kind"] == "reply"]
    texts = [reply.message.text for reply in replies if reply.message.text]
    answer = "\n\n".join(part for part in (quote_voice_notes(heard), *texts) if part)
    results = [decode(row["body"], Finished) for row in rows if row["kind"] == "result"]
    outgoing = [item for result in results for item in result.outgoing]
    asked = [Say(item.text) if isinstance(item, AskApproval) else item for item in outgoing]
    return (answer if texts else ""), composer.events(asked, language)


def _read_body(composer: Composer, body: Body) -> list[Event]:
    """Return the events that show a delivery to a phone. A request for consent is shown as text: it
    is decided where it was asked."""
    match body:
        case TextBody(code_id="", text=text, header=None):
            return [_show_text(text)]
        case TextBody(code_id="", text=text, header=ShareFile() as file):
            return [*composer.events([file], ""), _show_text(text)]
        case TextBody():
            return []  # a one-time code
        case FileBody(file=file) if file.caption:
            return [*composer.events([file], ""), _show_text(file.caption)]
        case _:
            return composer.replay(body)


def _show_text(text: str) -> Content:
    """Return the event of a phone's text, escaped, as its markup is not markdown."""
    return Content("  \n".join(map(escape_markdown, text.splitlines())))


_DELEGATE = "delegate_to_"
_CALLS: Final = frozenset(
    (
        "tool_call",
        "tool_result",
        "tool_error",
        "delegation_request",
        "delegation_response",
        "delegation_error",
    )
)


async def read_conversation_events(
    database: Database,
    lane: str,
    *,
    turn: int | None = None,
    since: int = 0,
    limit: int = 500,
    reader: int | None = None,
) -> list[dict[str, Any]]:
    """Return the newest events of a conversation, oldest first.

    Args:
        turn: only those of this one.
        since: only those of turns from this one on.
        reader: the account of the person who reads them, 0 for a guest; None: an operator. A person
            sees neither corrections, nor texts of errors, nor what a call gives away of the
            solution of an exercise or quiz that is open.

    Each is `{"event_id", "timestamp", "event_type", "content", "metadata"}`; types are
    user_message, tool_call, tool_result, tool_error, delegation_request, delegation_response,
    delegation_error, compaction, approval, agent_response, error; operators also see check and
    leak.
    """

    async def work(tx: Transaction) -> tuple[list[dict[str, Any]], list[Secret]]:
        turns = {"first": turn or since, "last": turn or MAX_BIGINT}
        rows = await tx.fetch(_EVENT_ROWS, lane=lane, limit=limit, **turns)
        secrets: list[Secret] = []
        if reader is not None:
            rows = [row for row in rows if row["kind"] != "correction"]
            secrets = [item.secret for item in await read_open_items(tx, reader, lane)]
        events = [event for row in reversed(rows) for event in _events_of_row(row)]
        asked = await tx.fetch(_APPROVALS, lane=lane, limit=limit, **turns)
        events.extend(map(_approval_event, asked))
        failed = await tx.fetch(_FAILED_TURNS, lane=lane, **turns)
        events.extend(_event(row, "error", _error(row, reader), 0) for row in failed)
        return sorted(events, key=lambda event: event["timestamp"]), secrets

    events, secrets = await database.read(work)
    if secrets:  # long results of tools take milliseconds each
        await asyncio.to_thread(_hide_leaks, events, secrets)
    return events


def _error(row: Any, reader: int | None) -> str:
    return row["error"] if reader is None else "The turn failed."


def _hide_leaks(events: Sequence[dict[str, Any]], secrets: Sequence[Secret]) -> None:
    """Blank tool calls and results that contain the solution of an open exercise. What was said
    was inspected before it was sent."""
    from bot.learning.leaks.leak_guard import find_leak  # imported here: it takes 0.1 s

    for event in events:
        if event["event_type"] not in _CALLS:
            continue
        if event["event_type"] == "tool_call" and asks(event["metadata"]["name"]):
            texts, others = _read_asked(event["content"], secrets)
            is_leak = any(find_leak(f"= {each}.", others) for each in texts)
        else:
            is_leak = bool(find_leak(event["content"], secrets))
        if is_leak:
            event["content"] = ""


def _read_asked(
    arguments: str, secrets: Sequence[Secret]
) -> tuple[Sequence[str], Sequence[Secret]]:
    """Return the texts in the arguments of a question, which was perhaps refused, and the other
    open items: its own solution may stand in them."""
    texts: list[str] = []
    for value in msgspec.json.decode(arguments or "{}", type=dict[str, object]).values():
        parts = cast("list[object]", value) if isinstance(value, list) else [value]
        texts += [str(part).strip() for part in parts]
    return texts, [each for each in secrets if each.statement.strip() not in texts]


def _events_of_row(row: Any) -> list[dict[str, Any]]:
    match row["kind"]:
        case "user":
            return [_event(row, "user_message", decode(row["body"], UserMessage).text, 0)]
        case "reply":
            return _reply_events(row)
        case "summary":
            return [_event(row, "compaction", decode(row["body"], SystemMessage).text, 0)]
        case "correction":
            return [_correction_event(row)]
        case _:
            return [_result_event(row)]


def _approval_event(row: Any) -> dict[str, Any]:
    return _event(row, "approval", row["text"], 0, state=row["state"], id=row["id"])


def _correction_event(row: Any) -> dict[str, Any]:
    """Return the event of an answer that was corrected: `check` if it was wrong, `leak` if it gave
    a solution away."""
    correction = decode(row["body"], Correction)
    if correction.kind == "leak":
        return _event(row, "leak", correction.quote, 0)
    return _event(row, "check", correction.quote, 0, verdict="wrong")


def _result_event(row: Any) -> dict[str, Any]:
    result = decode(row["body"], Finished).result
    done, failed = ("tool_result", "tool_error")
    if result.name.startswith(_DELEGATE):
        done, failed = ("delegation_response", "delegation_error")
    kind = failed if result.is_error else done
    return _event(row, kind, result.text, 0, name=result.name, call_id=result.call_id)


def _reply_events(row: Any) -> list[dict[str, Any]]:
    reply = decode(row["body"], ModelReply)
    events = [
        _event(row, _kind_of(call), hide_answers(call), index, name=call.name, call_id=call.id)
        for index, call in enumerate(reply.message.tool_calls, 1)
    ]
    if reply.message.text:
        usage = msgspec.to_builtins(reply.usage)
        text = reply.message.text
        events.insert(0, _event(row, "agent_response", text, 0, model=reply.model, usage=usage))
    return events


def _kind_of(call: ToolCall) -> str:
    return "delegation_request" if call.name.startswith(_DELEGATE) else "tool_call"


def _event(row: Any, kind: str, content: str, index: int, **metadata: object) -> dict[str, Any]:
    return {
        "event_id": f"{row['turn']}.{row['step']}.{index}",
        "timestamp": datetime.fromtimestamp(row["at"], UTC).isoformat(timespec="milliseconds"),
        "event_type": kind,
        "content": content,
        "metadata": {"turn_id": str(row["turn"]), **metadata},
    }


_UPDATES = """
SELECT coalesce(turn, seq) AS turn, body, state FROM inbox WHERE lane = :lane
ORDER BY seq DESC LIMIT :limit
"""

_REPLIED = """
SELECT DISTINCT turn FROM journal WHERE lane = :lane AND turn >= :oldest AND kind = 'reply'
"""

_CANCELLED = """
SELECT id FROM turn WHERE lane = :lane AND id >= :oldest AND state = 'done'
    AND reason = 'cancelled'
"""

_DELIVERIES = """
SELECT turn, body FROM outbox WHERE lane = :lane AND turn >= :oldest ORDER BY turn, part
"""

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

_PHONE_UPDATES = """
SELECT lane, seq, coalesce(turn, seq) AS turn, body, state FROM inbox
WHERE lane = :lane AND coalesce(turn, seq) >= :since
ORDER BY seq DESC LIMIT :limit
"""

_ANSWERED = """
SELECT journal.kind, journal.body FROM journal
JOIN turn ON turn.lane = journal.lane AND turn.id = journal.turn
WHERE journal.lane = :lane AND journal.turn = :turn AND journal.kind IN ('user', 'reply', 'result')
    AND turn.state = 'done' AND turn.reason <> 'failed'
ORDER BY journal.step
"""

_EVENT_ROWS = """
SELECT turn, step, kind, body, at FROM journal
WHERE lane = :lane AND turn BETWEEN :first AND :last
    AND kind IN ('user', 'reply', 'result', 'summary', 'correction')
ORDER BY turn DESC, step DESC LIMIT :limit
"""

_APPROVALS = """
SELECT turn, 9998 AS step, id, state, text, coalesce(decided_at, created_at) AS at FROM approval
WHERE lane = :lane AND turn BETWEEN :first AND :last AND state <> 'planning'
ORDER BY created_at DESC LIMIT :limit
"""

_FAILED_TURNS = """
SELECT id AS turn, 9999 AS step, error, coalesce(ended_at, started_at) AS at FROM turn
WHERE lane = :lane AND id BETWEEN :first AND :last AND error <> ''
"""
