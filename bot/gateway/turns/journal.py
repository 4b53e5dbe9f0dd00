"""Write the journal of a turn row by row, and read it back as messages."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from bot.contracts.storage import Database, Row, Transaction
from bot.contracts.turn import Correction, Finished
from bot.errors import LeaseLost
from bot.gateway.inbound.bursts import MAX_JOINED, belong_together
from bot.gateway.inbound.inbox import Pending
from bot.gateway.inbox_rows import join_turn
from bot.gateway.lanes import Claim, lock_lane
from bot.gateway.turns.model_message import to_model_message
from bot.learning.quiz import hide_solution
from bot.messages.incoming import Said, Update
from bot.messages.transcript import (
    AssistantMessage,
    Message,
    ModelReply,
    SystemMessage,
    Text,
    ToolResult,
    UserMessage,
)
from bot.messages.value import decode, encode

_PLAIN_AT_MOST = 8_000
_NOT_PLAIN = ("$", "\\", "```", "~~~")
"""Marks of formulas and of blocks of code."""


class TurnJournal:
    """Implements `bot.contracts.turn.Journal` for one turn, under the fence of one claim."""

    def __init__(
        self,
        database: Database,
        claim: Claim,
        pending: Pending,
        record: TurnRecord,
        *,
        steers: bool = False,
        holds_back: bool = False,
    ) -> None:
        """Go on after the rows of `record`.

        Args:
            steers: messages that the person sends meanwhile join the running turn.
            holds_back: a plain answer ends the turn at once, so it may be written with its end.
        """
        self._database = database
        self._claim = claim
        self._turn = pending.seq
        self._pending = pending
        self._step = record.rows
        self._intents = record.intents
        self._steers = steers
        self._may_hold_back = holds_back
        self._held_back: list[tuple[str, str]] = []
        """The last reply, until the turn is closed."""
        replies = [step for step in record.steps if isinstance(step, ModelReply)]
        self._last_reply = replies[-1] if replies else None
        self.members = list(pending.members)
        """Numbers of all updates of the turn but the first."""

    async def replied(self, reply: ModelReply) -> None:
        self._last_reply = reply
        rows = [("reply", encode(reply))]
        if self._may_hold_back and is_plain_answer(reply):
            self._held_back = rows
        else:
            await self._append(rows)

    async def corrected(self, correction: Correction) -> None:
        """Store a correction, and the reply with the text that was sent instead.

        The replies that follow are stored at once, so that after a crash the model is not asked for
        them again.
        """
        self._may_hold_back = False
        reply = self._last_reply
        if reply is None:
            raise ValueError("There is no reply to correct.")
        message = msgspec.structs.replace(reply.message, text=correction.text)
        body = encode(msgspec.structs.replace(reply, message=message))
        await self._append([])

        async def work(tx: Transaction) -> None:
            await lock_lane(tx, self._claim)
            await tx.execute(_CORRECT, lane=self._claim.lane, turn=self._turn, body=body)
            rows = [("correction", encode(correction))]
            await append_rows(tx, self._claim.lane, self._turn, self._step, rows)

        await self._database.write(work)
        self._step += 1

    @property
    def has_rest(self) -> bool:
        return bool(self._held_back)

    async def write_rest(self, tx: Transaction) -> None:
        """Write a reply that was held back, within a transaction that has locked the lane."""
        await append_rows(tx, self._claim.lane, self._turn, self._step, self._held_back)

    async def intends(self, key: str, name: str) -> bool:
        if key in self._intents:
            return False
        self._intents.add(key)
        await self._append([("intent", encode({"key": key, "name": name}))])
        return True

    async def finished(self, results: Sequence[Finished]) -> None:
        await self._append([("result", encode(finished)) for finished in results])

    async def stopped(self, *, is_unsent: bool) -> None:
        """Note for the model's next turns that the person stopped this one.

        Args:
            is_unsent: its tools had made something that is not sent any more.

        Raises:
            LeaseLost: the turn belongs to another process by now.
        """
        note = _STOPPED_UNSENT if is_unsent else _STOPPED
        await self._append([("user", encode(UserMessage((Text(note),))))])

    async def arrived(self, message: UserMessage) -> None:
        """Store the turn's first message with its attachments. Raises `LeaseLost`."""

        async def work(tx: Transaction) -> None:
            await lock_lane(tx, self._claim)
            body = encode(message)
            await tx.execute(_ARRIVED, lane=self._claim.lane, turn=self._turn, body=body)

        await self._database.write(work)

    async def overheard(self) -> list[UserMessage]:
        if not self._steers:
            return []
        await self._append([])
        first = self._step

        async def work(tx: Transaction) -> list[SteeringMessage]:
            heard = await take_steering_messages(tx, self._claim, self._pending, self.members)
            rows = [("user", encode(message)) for _, message in heard]
            await append_rows(tx, self._claim.lane, self._turn, first, rows)
            return heard

        heard = await self._database.write(work)
        self._step += len(heard)
        self.members += [seq for seq, _ in heard]
        return [message for _, message in heard]

    async def _append(self, rows: Sequence[tuple[str, str]]) -> None:
        held_back, self._held_back = self._held_back, []
        for kind, body in (*held_back, *rows):
            written = await self._database.run(
                _APPEND_FENCED,
                lane=self._claim.lane,
                fence=self._claim.fence,
                owner=self._claim.owner,
                turn=self._turn,
                step=self._step,
                kind=kind,
                body=body,
            )
            if not written:
                raise LeaseLost(self._claim.lane)
            self._step += 1


def is_plain_answer(reply: ModelReply) -> bool:
    """Return whether a reply is a short answer without formulas or blocks of code, so that nothing
    in it has to be drawn or stored as a file."""
    text = reply.message.text
    is_short = len(text) <= _PLAIN_AT_MOST
    return is_short and not reply.message.tool_calls and not any(map(text.__contains__, _NOT_PLAIN))


async def append_rows(
    tx: Transaction, lane: str, turn: int, first: int, rows: Sequence[tuple[str, str]]
) -> None:
    """Write rows (kind, body) of a turn, numbered from `first`; existing rows stay as they are."""
    for step, (kind, body) in enumerate(rows, first):
        await tx.execute(_APPEND, lane=lane, turn=turn, step=step, kind=kind, body=body)


HISTORY_ROWS = 600
"""Rows of earlier turns that a turn starts with at most; they are summarised long before that."""
HISTORY_CHARACTERS = 400_000
SUMMARY_STEP = 1_000_000
"""The step of a summary in the journal of the last turn that it covers."""
_STOPPED = "[I stopped your answer here.]"
_STOPPED_UNSENT = "[I stopped your answer here; nothing that your tools made in it was sent to me.]"
_INTERRUPTED = "Outcome unknown: this was interrupted."
_Numbered = tuple[int, Message]
Step = ModelReply | Finished | Correction | UserMessage
"""A step of a turn; a `UserMessage` was sent while the turn ran."""


@dataclass(slots=True)
class TurnRecord:
    """What the journal holds of one turn."""

    user: list[UserMessage] = field(default_factory=list[UserMessage])
    """The message that it began with."""
    steps: list[Step] = field(default_factory=list[Step])
    arriving: bool = False
    """The person's attachments have not been fetched yet."""
    intents: set[str] = field(default_factory=set[str])
    """Keys of the calls of effect `once` that were about to run."""
    rows: int = 0

    @property
    def messages(self) -> list[Message]:
        """All messages of the turn as the model sees them."""
        return [*self.user, *filter(_is_said, map(_as_message, self.steps))]


def _is_said(message: Message) -> bool:
    """Return whether a message has content: a corrected reply, or the note of a correction, may be
    empty."""
    match message:
        case AssistantMessage():
            return bool(message.text or message.tool_calls)
        case SystemMessage():
            return bool(message.text)
        case _:
            return True


async def read_record(tx: Transaction, lane: str, turn: int) -> TurnRecord:
    """Return what the journal holds of a turn: nothing, unless it was begun before."""
    record = TurnRecord()
    rows = await tx.fetch(_TURN_ROWS, lane=lane, turn=turn)
    record.rows = len(rows)
    for row in rows:
        body = row["body"]
        match row["kind"]:
            case "user" if record.steps:
                record.steps.append(decode(body, UserMessage))
            case "user" | "arriving":
                record.user.append(decode(body, UserMessage))
                record.arriving |= row["kind"] == "arriving"
            case "reply":
                record.steps.append(decode(body, ModelReply))
            case "result":
                record.steps.append(decode(body, Finished))
            case "correction":
                record.steps.append(decode(body, Correction))
            case "intent":
                record.intents.add(msgspec.json.decode(body)["key"])
            case _:
                pass  # a summary: it is for the turns that follow
    return record


def _as_message(step: Step) -> Message:
    match step:
        case ModelReply():
            return step.message
        case Finished():
            return step.result
        case Correction():
            return SystemMessage(step.note)
        case UserMessage():
            return step


@dataclass(frozen=True, slots=True)
class History:
    """Earlier turns, fit to be sent to a model."""

    messages: list[Message]
    """Oldest first; the first may be a summary of earlier turns."""
    turns: list[int]
    """The turn of each message."""


async def read_history(tx: Transaction, lane: str, turn: int, thread: str) -> History:
    """Return the summary of the thread, if there is one, and the messages of the turns after it.

    Turns from `turn` on, turns that have not ended, and those that were given up are left out.

    Args:
        thread: the lane that keeps the thread, as `lock_lane` returns it: if that is not `lane`,
            the history includes the person's other conversations.
    """
    shared = thread != lane
    rows = await tx.fetch(
        _SHARED_HISTORY if shared else _HISTORY,
        lane=lane,
        turn=turn,
        limit=HISTORY_ROWS,
        **({"thread": thread} if shared else {}),
    )
    kept = _newest(rows)
    if len(kept) < len(rows) or len(rows) == HISTORY_ROWS:  # the summary is the oldest
        kept = [row for row in kept if row["kind"] != "summary"]
        kept += await tx.fetch(_SUMMARY, thread=thread)
    said = [(row["turn"], _message(row)) for row in reversed(kept)]
    paired = _paired([each for each in said if _is_said(each[1])])
    return History([message for _, message in paired], [number for number, _ in paired])


def _newest(rows: Sequence[Any]) -> list[Any]:
    """Return as many rows, newest first, as fit into `HISTORY_CHARACTERS`."""
    sizes = itertools.accumulate(len(row["body"]) for row in rows)
    return [row for row, size in zip(rows, sizes, strict=True) if size <= HISTORY_CHARACTERS]


def _message(row: Any) -> Message:
    match row["kind"]:
        case "user":
            return decode(row["body"], UserMessage)
        case "summary":
            return decode(row["body"], SystemMessage)
        case "reply":
            message = decode(row["body"], ModelReply).message
            return AssistantMessage(message.text, tuple(map(hide_solution, message.tool_calls)))
        case _:
            return decode(row["body"], Finished).result


def _paired(messages: Sequence[_Numbered]) -> list[_Numbered]:
    """Drop replies before the first user's message or summary, and results without a call; add a
    result to each call that has none."""
    paired: list[_Numbered] = []
    waiting: list[_Numbered] = []
    for turn, message in messages:
        if isinstance(message, ToolResult):
            known = [each for each in waiting if _call_id(each) == message.call_id]
            if known:
                paired.append((turn, message))
                waiting.remove(known[0])
            continue
        paired.extend(waiting)
        waiting = []
        if not paired and not isinstance(message, UserMessage | SystemMessage):
            continue
        paired.append((turn, message))
        if isinstance(message, AssistantMessage):
            waiting = [
                (turn, ToolResult(call.id, call.name, _INTERRUPTED, is_error=True))
                for call in message.tool_calls
            ]
    paired.extend(waiting)
    return paired


def _call_id(result: _Numbered) -> str:
    return result[1].call_id if isinstance(result[1], ToolResult) else ""


SteeringMessage = tuple[int, UserMessage]


async def take_steering_messages(
    tx: Transaction, claim: Claim, first: Pending, known: Collection[int]
) -> list[SteeringMessage]:
    """Return the messages that came after the turn began, by number, and add them to the turn.

    An update that does not belong to the turn's `first` one, is a command or has attachments waits,
    with all updates behind it. A turn takes `MAX_JOINED` at most.

    Raises:
        LeaseLost: the lane is another process's by now.
    """
    await lock_lane(tx, claim)
    rows = await tx.fetch(_WAITING, lane=claim.lane, turn=first.seq)
    free = max(0, MAX_JOINED - len(known))
    heard = _read_steering([row for row in rows if row["seq"] not in known], first.update)[:free]
    if heard:
        await join_turn(tx, claim.lane, first.seq, [seq for seq, _ in heard])
    return heard


def _read_steering(rows: Sequence[Row], first: Update) -> list[SteeringMessage]:
    heard: list[SteeringMessage] = []
    for row in rows:
        update = decode(row["body"], Update)
        said = update.content
        if not isinstance(said, Said) or said.attachments or said.command:
            break
        if not belong_together(first, update):
            break
        heard.append((row["seq"], to_model_message(update)))
    return heard


_APPEND = """
INSERT INTO journal (lane, turn, step, kind, body, at)
VALUES (:lane, :turn, :step, :kind, :body, {now})
ON CONFLICT (lane, turn, step) DO NOTHING
"""

_APPEND_FENCED = """
INSERT INTO journal (lane, turn, step, kind, body, at)
SELECT id, CAST(:turn AS BIGINT), CAST(:step AS BIGINT), CAST(:kind AS TEXT), CAST(:body AS TEXT),
    {now}
FROM lane WHERE id = :lane AND fence = :fence AND owner = :owner {for_update}
ON CONFLICT (lane, turn, step) DO UPDATE SET kind = excluded.kind
RETURNING step
"""

_CORRECT = """
UPDATE journal SET body = :body WHERE lane = :lane AND turn = :turn AND step = (
    SELECT max(step) FROM journal WHERE lane = :lane AND turn = :turn AND kind = 'reply'
)
"""

_ARRIVED = """
UPDATE journal SET kind = 'user', body = :body WHERE lane = :lane AND turn = :turn AND step = 0
"""

_TURN_ROWS = """
SELECT kind, body FROM journal WHERE lane = :lane AND turn = :turn ORDER BY step
"""

_SUMMARY = """
SELECT journal.turn, journal.kind, journal.body
FROM lane AS thread
JOIN lane ON lane.id = thread.id OR lane.thread = thread.id
JOIN journal ON journal.lane = lane.id AND journal.turn = thread.summarised
WHERE thread.id = :thread AND journal.kind = 'summary' AND thread.summarised >= thread.history_from
ORDER BY journal.at DESC LIMIT 1
"""

_HISTORY = """
SELECT turn, kind, body FROM journal
WHERE lane = :lane AND turn < :turn
    AND turn >= (
        SELECT CASE WHEN summarised > history_from THEN summarised ELSE history_from END
        FROM lane WHERE id = :lane
    )
    AND kind IN ('user', 'reply', 'result', 'summary')
    AND (kind = 'summary') = (turn = (SELECT summarised FROM lane WHERE id = :lane))
    AND turn NOT IN (SELECT id FROM turn WHERE lane = :lane AND state IN ('running', 'dead'))
ORDER BY turn DESC, step DESC LIMIT :limit
"""

_SHARED_HISTORY = """
SELECT journal.turn, journal.kind, journal.body
FROM lane AS thread
JOIN lane ON lane.thread = thread.id
JOIN journal ON journal.lane = lane.id
WHERE thread.id = :thread AND journal.turn < :turn
    AND journal.turn >= thread.history_from AND journal.turn >= thread.summarised
    AND journal.turn >= lane.history_from
    AND journal.kind IN ('user', 'reply', 'result', 'summary')
    AND (journal.kind = 'summary') = (journal.turn = thread.summarised)
    AND NOT EXISTS (
        SELECT 1 FROM turn WHERE turn.lane = journal.lane AND turn.id = journal.turn
            AND turn.state IN ('running', 'dead')
    )
ORDER BY journal.turn DESC, journal.step DESC LIMIT :limit
"""

_WAITING = """
SELECT seq, body FROM inbox
WHERE lane = :lane AND state = 'pending' AND bypass_queue = 0 AND seq > :turn
    AND (turn IS NULL OR turn = :turn)
ORDER BY seq LIMIT 50
"""
