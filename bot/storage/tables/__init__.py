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
    Email,
    Inbox,
    Journal,
    Lane,
    Outbox,
    Receipt,
    Report,
    Rest,
    Session,
    Spending,
    Tally,
    Turn,
    Worker,
)
from bot.storage.tables.people import (
    Account,
    Allowance,
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
    Task,
)

__all__ = [
    "Account",
    "Allowance",
    "Approval",
    "Background",
    "Button",
    "Chunk",
    "Code",
    "Email",
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
    "Reading",
    "Receipt",
    "Report",
    "Rest",
    "Session",
    "Spending",
    "Tally",
    "Task",
    "Turn",
    "Worker",
]
