"""Many people on Telegram who all have something to be reminded of."""

from __future__ import annotations

from bot.contracts.storage import Database, Transaction
from tests.support.queries import FromNow, add_rows

FIRST_CHAT = 1001


async def add_people_with_tasks(
    database: Database, people: int, tasks: int, *, begin: float, seconds: float
) -> list[str]:
    """Give these people, one in each chat from `FIRST_CHAT` on, these tasks in turn.

    They are due at even distances from `begin` seconds from now, for as many `seconds`.

    Returns:
        The titles; a person's language is English.
    """
    chats = [FIRST_CHAT + number for number in range(people)]
    titles = [f"task {number}" for number in range(tasks)]

    rows = [
        {
            "key": title,
            "title": title,
            "account": chats[number % people],
            "channel": "telegram",
            "priority": "normal",
            "zone": "Africa/Abidjan",
            "tags": "[]",
        }
        | dict.fromkeys(
            ("due_at", "wanted_at", "remind_at"), FromNow(begin + seconds * number / tasks)
        )
        for number, title in enumerate(titles)
    ]

    async def work(tx: Transaction) -> None:
        await add_rows(
            tx,
            "account",
            [{"id": chat, "phone": f"+22507010{chat:05d}", "language": "en"} for chat in chats],
        )
        await add_rows(
            tx,
            "identity",
            [{"channel": "telegram", "address": str(chat), "account": chat} for chat in chats],
        )
        await add_rows(tx, "task", rows)

    await database.write(work)
    return titles
