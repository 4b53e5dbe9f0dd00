"""What tools may touch, put together for one worker."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from bot.accounts.approvals import Approvals
from bot.accounts.bonuses import Bonuses
from bot.contracts import Adapter, Database, Model, Services
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.reminders import Reminders
from bot.gateway.sending.courier import Courier
from bot.gateway.waking import Waking
from bot.learning.exercises import Exercises
from bot.learning.quiz import Quizzes
from bot.learning.tasks import Tasks
from bot.library.files import Files
from bot.library.memory import Memory
from bot.library.search.library import FileLibrary
from bot.library.workshop import Workshop
from bot.sandbox import Sandbox
from bot.settings import Settings
from bot.storage.database import sqlite_path


@asynccontextmanager
async def open_services(
    settings: Settings,
    database: Database,
    files: Files,
    inbox: Inbox,
    adapters: Mapping[str, Adapter],
    model: Model,
) -> AsyncGenerator[Services]:
    """The services, while they run; people are reminded of what is due meanwhile."""
    workshop = Workshop()
    library = FileLibrary(files, database, settings, workshop=workshop, model=model)
    courier = Courier(database, inbox, adapters)
    tasks = Tasks(database)
    sandbox = Sandbox(Waking(database, inbox).tell_end, hidden=_hidden(settings))
    reminders = Reminders(database, tasks, courier)
    reminders.start()
    try:
        yield Services(
            files=library,
            memory=Memory(database),
            quizzes=Quizzes(database),
            approvals=Approvals(database),
            workshop=workshop,
            courier=courier,
            exercises=Exercises(database),
            bonuses=Bonuses(database),
            tasks=tasks,
            sandbox=sandbox,
        )
    finally:
        await reminders.stop()
        await sandbox.close()
        await library.close()


def _hidden(settings: Settings) -> list[Path]:
    """Folders of ours that no command may see, wherever they are."""
    hidden = [sqlite_path(settings).resolve().parent] if settings.is_sqlite else []
    if settings.blob_url.startswith("file:"):
        hidden.append(Path(settings.blob_url.removeprefix("file:")).resolve())
    return hidden
