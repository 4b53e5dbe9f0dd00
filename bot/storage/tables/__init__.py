"""The tables as SQLModel classes, from which migrations are made; not used at run time.

A table is named as its class, in lower case. Times are Unix seconds; bodies are JSON text of
`bot/messages` values.

Every hot table carries the key by which it can be divided among several databases: a lane, or an
account. A lane lies with the account of its person, a guest's or a group's by itself; a
transaction touches the keys of one owner (`tests/support/touched_keys.py`). docs/scaling.md says
what dividing them takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.storage.tables.conversations import (
    Approval,
    Background,
    Button,
    Cost,
    Inbox,
    Journal,
    Lane,
    Outbox,
    Quota,
    Receipt,
    Report,
    Rest,
    Restriction,
    Session,
    Spending,
    Tally,
    Turn,
    Unreadable,
    Worker,
)
from bot.storage.tables.learning import (
    Card,
    Exercise,
    Level,
    Mastery,
    Placement,
    Quiz,
    Result,
    Review,
)
from bot.storage.tables.people import (
    Account,
    Alias,
    Allowance,
    Chunk,
    Code,
    Embedding,
    File,
    Identity,
    Ledger,
    Memory,
    Purchase,
    Reading,
    Task,
)

__all__ = [
    "Account",
    "Alias",
    "Allowance",
    "Approval",
    "Background",
    "Button",
    "Card",
    "Chunk",
    "Code",
    "Cost",
    "Embedding",
    "Exercise",
    "File",
    "Identity",
    "Inbox",
    "Journal",
    "Lane",
    "Ledger",
    "Level",
    "Mastery",
    "Memory",
    "Outbox",
    "Placement",
    "Purchase",
    "Quiz",
    "Quota",
    "Reading",
    "Receipt",
    "Report",
    "Rest",
    "Restriction",
    "Result",
    "Review",
    "Session",
    "Spending",
    "Tally",
    "Task",
    "Turn",
    "Unreadable",
    "Worker",
]

LANE_COLUMNS: Final[Mapping[str, str]] = {
    "lane": "id",
    "approval": "lane",
    "background": "lane",
    "button": "lane",
    "cost": "lane",
    "inbox": "lane",
    "journal": "lane",
    "outbox": "lane",
    "rest": "lane",
    "shortlink": "lane",
    "spending": "lane",
    "turn": "lane",
}
"""Tables that are divided by lane, each with the column that holds it."""

ACCOUNT_COLUMNS: Final[Mapping[str, str]] = {
    "account": "id",
    "card": "account",
    "chunk": "account",
    "embedding": "account",
    "exercise": "account",
    "file": "account",
    "ledger": "account",
    "level": "account",
    "mastery": "account",
    "memory": "account",
    "placement": "account",
    "purchase": "account",
    "quiz": "account",
    "reading": "account",
    "report": "account",
    "result": "account",
    "review": "account",
    "task": "account",
}
"""Tables that are divided by account, each with the column that holds it. A guest's rows in `card`,
`exercise`, `quiz` and `result` have account 0 and are stored with the lane that they name."""

UNDIVIDED: Final[Mapping[str, str]] = {
    "alias": "read to find out whose a message is, before its account is known",
    "allowance": "a guest's messages of a day: by address, one row each",
    "code": "counted by number, address and calling code, across accounts",
    "identity": "read to find out whose a message is, before its account is known",
    "quota": "one count a month of each sender's free messages, whoever they went to",
    "restriction": "our numbers that a provider has restricted, whoever is written to by them",
    "receipt": "a report whose delivery is not known yet",
    "session": "read to find out whose a conversation on the web is",
    "tally": "hourly counts over all lanes",
    "unreadable": "nobody's: its sender could not be read",
    "worker": "processes, not people",
}
"""Tables that stay in one database, each with the reason."""
