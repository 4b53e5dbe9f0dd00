"""The tables, as SQLModel defines them: the source of the migrations, and of nothing at run time.

A table is named as its class, in lower case.

Every hot table carries its lane, and its keys are unique within the lane, so the same tables can be
distributed by lane. Times are Unix seconds; bodies are JSON text of `bot/messages.py` values.
"""

from __future__ import annotations

from bot.storage.tables.conversations import (
    Approval,
    Button,
    Inbox,
    Journal,
    Lane,
    Outbox,
    Receipt,
    Rest,
    Session,
    Spending,
    Turn,
)
from bot.storage.tables.learning import Exercise, Task
from bot.storage.tables.library import Chunk, Embedding, File, Quiz, Reading
from bot.storage.tables.mail import Letter, Report
from bot.storage.tables.operations import Background, Tally, Worker
from bot.storage.tables.people import Account, Allowance, Code, Identity, Ledger, Memory
from bot.storage.tables.purchases import Purchase

__all__ = [
    "Account",
    "Allowance",
    "Approval",
    "Background",
    "Button",
    "Chunk",
    "Code",
    "Embedding",
    "Exercise",
    "File",
    "Identity",
    "Inbox",
    "Journal",
    "Lane",
    "Ledger",
    "Letter",
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
