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
from bot.contracts.library import (
    FileHit,
    FileHits,
    FileStore,
    FileText,
    Library,
    MemoryStore,
    StoredFile,
)
from bot.contracts.mail import (
    Letter,
    Severity,
)
from bot.contracts.models import (
    Model,
    ModelRequest,
)
from bot.contracts.payments import (
    Order,
    Payment,
    PaymentPage,
    PaymentProvider,
    PaymentState,
    StarDesk,
)
from bot.contracts.programs import (
    Outcome,
    Sandbox,
    Stopped,
    Workshop,
)
from bot.contracts.services import (
    ApprovalDesk,
    Bonus,
    BonusDesk,
    Budget,
    Courier,
    ExerciseBook,
    ExerciseScore,
    MailRoom,
    NewTask,
    Priority,
    Quiz,
    QuizBoard,
    RemindBy,
    ReportDesk,
    Services,
    Shop,
    TaskBoard,
    ToolContext,
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
from bot.contracts.verification import CodeService

__all__ = [
    "TOOL_NAME",
    "Adapter",
    "AnyArguments",
    "ApprovalDesk",
    "Blobs",
    "Bonus",
    "BonusDesk",
    "Budget",
    "Capabilities",
    "Clock",
    "CodeService",
    "Courier",
    "Database",
    "Effect",
    "ExerciseBook",
    "ExerciseScore",
    "FileHit",
    "FileHits",
    "FileStore",
    "FileText",
    "Finished",
    "Journal",
    "Letter",
    "Library",
    "Listener",
    "MailRoom",
    "MemoryStore",
    "Model",
    "ModelRequest",
    "Momentary",
    "NewTask",
    "Order",
    "Outcome",
    "Pace",
    "Payment",
    "PaymentPage",
    "PaymentProvider",
    "PaymentState",
    "Priority",
    "Quiz",
    "QuizBoard",
    "RemindBy",
    "ReportDesk",
    "Row",
    "Sandbox",
    "Services",
    "Severity",
    "Shop",
    "Spent",
    "StarDesk",
    "Stopped",
    "StoredFile",
    "TaskBoard",
    "Tool",
    "ToolContext",
    "ToolSource",
    "ToolSpec",
    "Transaction",
    "Webhook",
    "Workshop",
    "mark_untrusted",
]
