"""The demo's gateway: web and worker, in a process that may be killed at any moment."""

from __future__ import annotations

import asyncio
import os
import signal
import traceback
from collections.abc import Mapping
from typing import NoReturn

from bot import settings as environment
from bot.accounts.people import People
from bot.accounts.profile import set_greeted
from bot.cli.desk import DatabaseErrors, run, warn
from bot.contracts import Transaction
from bot.demo import tutor
from bot.demo.page import DemoPage, DemoSession
from bot.demo.person import person_number
from bot.errors import GriotError
from bot.gateway.replies.preferences import ASKED_ALL
from bot.observe import configure_logging
from bot.serving import running
from bot.settings import Settings
from bot.storage.database import open_database


def live(values: Mapping[str, str], orders: int, news: int) -> NoReturn:
    """Be the gateway from now on; the exit code is 0 when it was asked to end.

    Args:
        values: its settings, by their names in the environment.
        orders: a file descriptor, at whose end it ends.
        news: another, which is told when it is up.
    """
    code = 1
    try:
        configure_logging("warning", json=False)
        with DatabaseErrors():
            run(_serve(environment.load(values), orders, news))
        code = 0
    except (GriotError, OSError) as error:
        warn(str(error))
    except BaseException:  # noqa: BLE001 (nothing of the nursery's may run on here)
        traceback.print_exc()
    finally:
        os._exit(code)


async def _introduce(tx: Transaction, account: int) -> None:
    """Have the person be asked nothing first: they learn, and the page chooses the language."""
    await set_greeted(tx, account, ASKED_ALL)


async def _serve(settings: Settings, orders: int, news: int) -> None:
    stop = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(number, stop.set)

    def end() -> None:
        loop.remove_reader(orders)
        stop.set()

    loop.add_reader(orders, end)
    async with open_database(settings) as database:
        people = People(database, settings)
        token = await people.issue_token(person_number())
        account = (await people.find(person_number())).id
        await database.write(lambda tx: _introduce(tx, account))
    session = DemoSession(token, settings.model, settings.model == tutor.MODEL)
    async with running(settings, pages=[DemoPage(session)]):
        os.write(news, f"up {os.getpid()}\n".encode())
        await stop.wait()
