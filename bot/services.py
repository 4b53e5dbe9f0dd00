"""What tools may touch, put together for one worker."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import AsyncExitStack, asynccontextmanager
from email.headerregistry import Address
from pathlib import Path
from typing import Final

from bot.accounts.approvals import Approvals
from bot.accounts.bonuses import Bonuses
from bot.contracts import Model, Services
from bot.gateway.reminders import Reminders
from bot.gateway.reports import Reports
from bot.gateway.undelivered import Undelivered
from bot.gateway.waking import Waking
from bot.house import House
from bot.learning.exercises import Exercises
from bot.learning.quiet import QuietHours
from bot.learning.quiz import Quizzes
from bot.learning.tasks import Tasks
from bot.library.memory import Memory
from bot.library.search.library import FileLibrary
from bot.library.workshop import Workshop
from bot.mail import Line, Post, ReminderLetters, Room
from bot.mail.addresses import read_sender
from bot.mail.smtp import read_server
from bot.rounds import stop_all
from bot.sandbox import Sandbox
from bot.settings import Settings
from bot.storage.database import sqlite_path

_LAST_LETTERS: Final = 8.0
"""Seconds in which letters that are on their way may arrive when the process ends."""


@asynccontextmanager
async def open_services(house: House, model: Model) -> AsyncGenerator[Services]:
    """The services, while they run; people are reminded of what is due meanwhile, and letters go.

    Raises:
        SettingsError: the mail server's URL or the sender is wrong.
    """
    settings, database, files, courier = house.settings, house.database, house.files, house.courier
    metrics = house.parts.metrics
    workshop = Workshop()
    library = FileLibrary(files, database, settings, workshop=workshop, model=model)
    tasks = Tasks(database)
    waking = Waking(database, house.inbox)
    sandbox = Sandbox(waking.note_start, waking.tell_end, hidden=_hidden(settings))
    quiet = QuietHours.read(settings.quiet_hours)
    sender = read_sender(settings.mail_from) if settings.smtp_url and settings.mail_from else None
    reminders = Reminders(database, courier, metrics, quiet, ReminderLetters(sender))
    post = _open_post(house, sender)
    async with AsyncExitStack() as stack:
        stack.push_async_callback(library.close)
        stack.push_async_callback(waking.rounds.stop)
        stack.push_async_callback(sandbox.close)
        if post:
            post.start()
            stack.push_async_callback(post.stop, _LAST_LETTERS)
        for rounds in (*reminders.rounds, waking.rounds):
            rounds.start()
        stack.push_async_callback(stop_all, reminders.rounds)
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
            shop=house.ordering,
            sandbox=sandbox,
            mail=Room(database, library, settings),
            reports=Reports(database, courier, settings),
        )


def _open_post(house: House, sender: Address | None) -> Post | None:
    """What sends letters; None: no mail is set up."""
    if sender is None:
        return None
    line = Line(read_server(house.settings.smtp_url), sender)
    return Post(
        house.database,
        house.files,
        line,
        Undelivered(house.courier).tell,
        house.parts.metrics,
        fill_in=house.codes.fill_in,
    )


def _hidden(settings: Settings) -> list[Path]:
    """Folders of ours that no command may see, wherever they are."""
    hidden = [sqlite_path(settings).resolve().parent] if settings.is_sqlite else []
    if settings.blob_url.startswith("file:"):
        hidden.append(Path(settings.blob_url.removeprefix("file:")).resolve())
    return hidden
