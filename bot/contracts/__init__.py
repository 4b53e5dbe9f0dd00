"""What Griot asks of its parts: a database, a momentary store, a channel, a model, a tool.

Only Protocols and the small values that cross them. Whoever implements one lives further up and is
put together with the rest in `bot/assembly.py`.
"""

from __future__ import annotations

from bot.contracts.channels import (
    Adapter,
    Capabilities,
    Pace,
    Webhook,
)
from bot.contracts.journal import (
    Finished,
    Journal,
    Spent,
)
from bot.contracts.models import (
    Model,
    ModelRequest,
)
from bot.contracts.services import (
    ApprovalDesk,
    Budget,
    FileStore,
    MemoryStore,
    Quiz,
    QuizBoard,
    Services,
    ToolContext,
    Workshop,
)
from bot.contracts.storage import (
    Blobs,
    Clock,
    Database,
    Listener,
    Momentary,
    Row,
    Transaction,
)
from bot.contracts.tools import (
    TOOL_NAME,
    AnyArguments,
    Effect,
    Tool,
    ToolSource,
    ToolSpec,
    mark_untrusted,
)

__all__ = [
    "TOOL_NAME",
    "Adapter",
    "AnyArguments",
    "ApprovalDesk",
    "Blobs",
    "Budget",
    "Capabilities",
    "Clock",
    "Database",
    "Effect",
    "FileStore",
    "Finished",
    "Journal",
    "Listener",
    "MemoryStore",
    "Model",
    "ModelRequest",
    "Momentary",
    "Pace",
    "Quiz",
    "QuizBoard",
    "Row",
    "Services",
    "Spent",
    "Tool",
    "ToolContext",
    "ToolSource",
    "ToolSpec",
    "Transaction",
    "Webhook",
    "Workshop",
    "mark_untrusted",
]
