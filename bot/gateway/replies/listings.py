"""What commands list of a person's own: facts, tasks, progress. For a guest there is nothing."""

from __future__ import annotations

from bot.contracts import Transaction
from bot.errors import NotFound
from bot.learning.exercises import read_progress
from bot.learning.progress import describe_progress
from bot.learning.tasks import Task, finish, list_open
from bot.learning.zones import find_zone
from bot.library.memory import forget_fact, list_facts
from bot.messages import Person
from bot.texts import say

_FORGET = ("forget", "oublier", "oublie")
_DONE = ("done", "fait", "faite")


async def tell_memory(tx: Transaction, account: int, person: Person, argument: str) -> str:
    """`/memory` lists the facts that are remembered, `/memory forget N` forgets one."""
    language = person.language
    if argument:
        number = _number_after(argument, _FORGET)
        try:
            fact = await forget_fact(tx, account, number)
        except NotFound:
            return say(language, "Send /memory to see the numbers, then /memory forget 2.")
        return say(language, "Forgotten: {fact}", fact=fact)
    facts = await list_facts(tx, account)
    if not facts:
        return say(language, "I remember nothing about you yet. Tell me what I should remember.")
    lines = [f"{number}. {fact}" for number, fact in facts]
    head = say(language, "What I remember of you (/memory forget N forgets one):")
    return "\n".join([head, "", *lines])


async def tell_tasks(tx: Transaction, account: int, person: Person, argument: str) -> str:
    """`/tasks` lists what is to be done, `/tasks done N` ticks one off."""
    language = person.language
    open_tasks = await list_open(tx, account)
    if argument:
        number = _number_after(argument, _DONE)
        if number not in {task.id for task in open_tasks}:
            return say(language, "Send /tasks to see the numbers, then /tasks done 2.")
        task = await finish(tx, account, number)
        return say(language, "Done: {title}", title=task.title)
    if not open_tasks:
        return say(language, "No tasks. Tell me what to remind you of, and when.")
    head = say(language, "Your tasks (/tasks done N ticks one off):")
    lines = [f"- {task.id}: {_describe(task, person)}" for task in open_tasks]
    return "\n".join([head, "", *lines])


async def tell_progress(tx: Transaction, account: int, person: Person, _: str) -> str:
    """`/progress`: subjects, streak, the last 30 days."""
    return describe_progress(person.language, await read_progress(tx, account, person.timezone))


def _number_after(argument: str, words: tuple[str, ...]) -> int:
    """The number after one of these words; 0 if it is not there."""
    word, _, number = argument.casefold().partition(" ")
    known = word in words and number.strip().isascii() and number.strip().isdigit()
    return int(number) if known and len(number) < 10 else 0


def _describe(task: Task, person: Person) -> str:
    if task.due_at is None:
        return task.title
    from babel.dates import format_datetime  # imported on first use: babel is slow to load

    moment = format_datetime(
        task.due_at, "EEE d MMM, HH:mm", tzinfo=find_zone(person.timezone), locale=person.language
    )
    return f"{task.title} ({moment})"
