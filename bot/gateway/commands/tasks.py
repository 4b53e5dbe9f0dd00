"""Answer `/tasks`: list tasks, finish one, put its reminder off."""

from __future__ import annotations

import time
from collections.abc import Iterator

from bot.contracts.storage import Transaction
from bot.errors import NotFound
from bot.gateway.commands.reply import CommandRequest
from bot.gateway.inbound.command_parser import DONE_PATTERN, LATER_PATTERN
from bot.i18n import fold, say, write_moment
from bot.learning.tasks import MAX_AHEAD, Task, finish_task, list_open, parse_snooze, snooze_task
from bot.messages.incoming import Person
from bot.render.renderer import escape_markdown


async def answer_tasks(request: CommandRequest, account: int) -> str:
    """Answer `/tasks`, which lists the open tasks, `/tasks done N`, which finishes one, and `/tasks
    later N 1h`, which has the person reminded of one again."""
    tx, person, words = request.tx, request.person, fold(request.argument)
    try:
        if found := DONE_PATTERN.fullmatch(words):
            return await finish(tx, account, person, int(found["number"]))
        if found := LATER_PATTERN.fullmatch(words):
            return await put_off(tx, account, person, int(found["number"]), found["until"] or "")
    except NotFound:
        pass
    if words:
        return say(person.language, "Send /tasks to see the numbers, then /tasks done 2.")
    return await _list(tx, account, person, with_commands=not request.is_one_way)


async def finish(tx: Transaction, account: int, person: Person, number: int) -> str:
    """Finish a task; return the words that say so. Raises `NotFound`."""
    task = await finish_task(tx, account, number)
    return say(person.language, "Done: {title}", title=escape_markdown(task.title))


async def put_off(tx: Transaction, account: int, person: Person, number: int, until: str) -> str:
    """Have the person reminded of a task again, `1h` or `tomorrow`; return the words that say so.
    Raises `NotFound`: it is done, or there is none."""
    now = time.time()
    at = parse_snooze(until, person.timezone, now)
    if at is None or at > now + MAX_AHEAD:
        return say(person.language, "Send /tasks later 2 1h, or /tasks later 2 tomorrow.")
    task = await snooze_task(tx, account, number, at)
    moment = _show_moment(at, person)
    return say(
        person.language,
        "Put off until {moment}: {title}",
        moment=moment,
        title=escape_markdown(task.title),
    )


async def _list(tx: Transaction, account: int, person: Person, *, with_commands: bool) -> str:
    tasks = await list_open(tx, account)
    if not tasks:
        return say(person.language, "No tasks. Tell me what to remind you of, and when.")
    head = say(person.language, "Your tasks:")
    if with_commands:
        head = say(
            person.language,
            "Your tasks (/tasks done N ticks one off, /tasks later N 1h reminds you later):",
        )
    lines = [
        say(person.language, "{number}: {title}", number=task.id, title=_describe(task, person))
        for task in tasks
    ]
    return "\n".join([head, "", *(f"- {line}" for line in lines)])


def _describe(task: Task, person: Person) -> str:
    notes = ", ".join(_notes(task, person))
    title = escape_markdown(task.title)
    return f"{title} ({notes})" if notes else title


def _notes(task: Task, person: Person) -> Iterator[str]:
    """Yield when a task is due, until when it was put off, and how its reminder failed."""
    if task.due_at is not None:
        yield _show_moment(task.due_at, person)
    if task.wanted_at is not None and task.wanted_at != task.due_at:
        moment = _show_moment(task.wanted_at, person)
        yield say(person.language, "put off until {moment}", moment=moment)
    if task.reminder_state == "failed":
        yield say(person.language, "the reminder could not be delivered")
    if task.reminder_state == "unknown":
        yield say(person.language, "the reminder may not have arrived")


def _show_moment(at: float, person: Person) -> str:
    return write_moment(person.language, person.timezone, at, weekday=True)
