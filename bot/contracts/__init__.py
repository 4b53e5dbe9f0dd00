"""What Griot asks of its parts: a database, a momentary store, a channel, a model, a tool.

Only Protocols and the small values that cross them. Whoever implements one lives further up and is
put together with the rest in `bot/assembly.py`.
"""

from __future__ import annotations

from bot.contracts.channels import (
    Adapter,
    Capabilities,
    Webhook,
)
from bot.contracts.journal import (
    Finished,
    Journal,
)
from bot.contracts.models import (
    Model,
    ModelRequest,
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
    Effect,
    FileStore,
    MemoryStore,
    Quiz,
    QuizBoard,
    Services,
    Tool,
    ToolContext,
    ToolSpec,
)

__all__ = [
    "TOOL_NAME",
    "Adapter",
    "Blobs",
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
    "Quiz",
    "QuizBoard",
    "Row",
    "Services",
    "Tool",
    "ToolContext",
    "ToolSpec",
    "Transaction",
    "Webhook",
]
