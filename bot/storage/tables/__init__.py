"""The tables, as SQLModel defines them: the source of the migrations, and of nothing at run time.

A table is named as its class, in lower case.

Every hot table carries its lane, and its keys are unique within the lane, so the same tables can be
distributed by lane. Times are Unix seconds; bodies are JSON text of `bot/messages.py` values.
"""

from __future__ import annotations

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
    Session,
    Spending,
    Tally,
    Turn,
    Unreadable,
    Worker,
)
from bot.storage.tables.people import (
    Account,
    Alias,
    Allowance,
    Card,
    Chunk,
    Code,
    Embedding,
    Exercise,
    File,
    Identity,
    Ledger,
    Memory,
    Purchase,
    Quiz,
    Reading,
    Result,
    Review,
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
    "Memory",
    "Outbox",
    "Purchase",
    "Quiz",
    "Quota",
    "Reading",
    "Receipt",
    "Report",
    "Rest",
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
