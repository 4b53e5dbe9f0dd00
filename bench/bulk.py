"""Old conversations, written by SQL: many stored messages in little time.

Four messages make a turn (question, tool call, result, answer), and each turn its rows in the inbox
and the outbox. The lanes take turns, so that a lane's rows are spread over the whole table.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import asyncpg

from bot.contracts.turn import Finished
from bot.messages.incoming import Said, Sender, Update
from bot.messages.outgoing import TextBody
from bot.messages.transcript import (
    AssistantMessage,
    ModelReply,
    Text,
    ToolCall,
    ToolResult,
    Usage,
    UserMessage,
)
from bot.messages.value import encode
from bot.storage.sqlite import connect

SAID = "Why does it rain more in Abidjan than in Korhogo? Please explain it to me again. "
TURNS_A_LANE = 20
"""Enough that a turn starts with all the history it may have."""
MESSAGES_A_LANE = 4 * TURNS_A_LANE
_LONG_AGO = 1_700_000_000
"""When it all happened: not today, which has limits of its own."""
_BATCH = 25_000
_CALL = ToolCall("call_1", "lookup", '{"topic": "rain"}')
_ASKED = ModelReply(AssistantMessage("", (_CALL,)), Usage(200, 20), "gpt-4o-mini")
_ANSWERED = ModelReply(AssistantMessage(SAID * 5), Usage(300, 300), "gpt-4o-mini")
_UPDATE = Update(
    channel="telegram",
    via="telegram",
    conversation="1",
    sender=Sender("1", "P", "fr"),
    delivery_key="1",
    message_key="1:1",
    content=Said(SAID),
)
_STEPS = (
    ("user", encode(UserMessage((Text(SAID),)))),
    ("reply", encode(_ASKED)),
    ("result", encode(Finished(ToolResult(_CALL.id, _CALL.name, SAID)))),
    ("reply", encode(_ANSWERED)),
)


def load_sqlite(path: Path, first: int, end: int) -> None:
    """Fill the lanes `first` to `end` (which is none of them); each has a person of its own."""
    with closing(connect(path)) as connection:
        connection.execute("PRAGMA synchronous=OFF")
        newest = connection.execute(_NEWEST).fetchone()[0]
        connection.execute("BEGIN")
        for statement in _statements(first, end, newest):
            connection.execute(statement)
        connection.execute("COMMIT")
        connection.execute("ANALYZE")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def load_postgres(url: str, first: int, end: int) -> None:
    """The same on Postgres."""
    driver: Any = asyncpg  # it has no types of its own
    connection = await driver.connect(url)
    newest = await connection.fetchval(_NEWEST)
    for statement in _statements(first, end, newest):
        await connection.execute(statement)
    for table, column in (("inbox", "seq"), ("outbox", "id")):
        sequence = f"pg_get_serial_sequence('{table}', '{column}')"
        await connection.execute(f"SELECT setval({sequence}, (SELECT max({column}) FROM {table}))")
    await connection.execute("VACUUM (ANALYZE)")
    await connection.execute("CHECKPOINT")
    await connection.close()


def _statements(first: int, end: int, newest: int) -> list[str]:
    """What fills these lanes; turns are numbered after `newest`."""
    lanes = f"WITH RECURSIVE {_counted('lanes', 'n', first, end - 1)}"
    statements = [f"{lanes} {insert} FROM lanes" for insert in _PEOPLE]
    turns = (end - first) * TURNS_A_LANE
    for begin in range(newest + 1, newest + 1 + turns, _BATCH):
        last = min(begin + _BATCH - 1, newest + turns)
        numbers = _counted("numbers", "i", begin, last)
        lane = f"'telegram:' || ({first} + i % {end - first})"
        named = f"turns(i, lane) AS (SELECT i, {lane} FROM numbers)"
        statements += [f"WITH RECURSIVE {numbers}, {named} {insert} FROM turns" for insert in _TURN]
    return statements


def _counted(name: str, column: str, first: int, last: int) -> str:
    """A table of whole numbers, both ends included."""
    return (
        f"{name}({column}) AS (SELECT CAST({first} AS BIGINT) UNION ALL "
        f"SELECT {column} + 1 FROM {name} WHERE {column} < {last})"
    )


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


_NEWEST = "SELECT coalesce(max(seq), 0) FROM inbox"
_PEOPLE = (
    f"""INSERT INTO account (id, phone, balance, created_at)
        SELECT n + 1, '+22507' || (10000000 + n), 1000000, {_LONG_AGO}""",
    f"""INSERT INTO identity (channel, address, account, created_at)
        SELECT 'telegram', CAST(n AS TEXT), n + 1, {_LONG_AGO}""",
    """INSERT INTO lane (id, via, fence) SELECT 'telegram:' || n, 'telegram', 1""",
)
_TURN = (
    f"""INSERT INTO inbox
            (seq, lane, delivery_key, message_key, body, ready_at, turn, state, stored_at)
        SELECT i, lane, CAST(i AS TEXT), 'chat:' || i, {_quote(encode(_UPDATE))},
            {_LONG_AGO} + i, i, 'done', {_LONG_AGO} + i""",
    f"""INSERT INTO turn (lane, id, account, state, attempts, reserved, reason, input_tokens,
            output_tokens, usd, credits, started_at, ended_at)
        SELECT lane, i, CAST(substr(lane, 10) AS BIGINT) + 1, 'done', 1, 10, 'answered', 500,
            320, 0.0001, 1, {_LONG_AGO} + i, {_LONG_AGO} + i""",
    *(
        f"""INSERT INTO journal (lane, turn, step, kind, body, at)
            SELECT lane, i, {step}, '{kind}', {_quote(body)}, {_LONG_AGO} + i"""
        for step, (kind, body) in enumerate(_STEPS)
    ),
    f"""INSERT INTO outbox (lane, turn, part, body, state, attempts, due_at, provider_id,
            created_at, ended_at)
        SELECT lane, i, 0, {_quote(encode(TextBody(SAID * 5)))}, 'sent', 1, {_LONG_AGO} + i,
            'old' || i, {_LONG_AGO} + i, {_LONG_AGO} + i""",
    *(
        f"""INSERT INTO ledger (key, account, amount, kind, at)
            SELECT '{kind}:' || lane || '/' || i, CAST(substr(lane, 10) AS BIGINT) + 1, {amount},
                '{kind}', {_LONG_AGO} + i"""
        for kind, amount in (("reserve", -10), ("settle", 9))
    ),
    *(
        f"""INSERT INTO spending (lane, turn, kind, name, calls)
            SELECT lane, i, '{kind}', '{name}', {calls}"""
        for kind, name, calls in (("model", "gpt-4o-mini", 2), ("tool", "lookup", 1))
    ),
)
