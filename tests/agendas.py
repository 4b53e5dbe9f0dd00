"""Many people on Telegram who all have something to be reminded of."""

from __future__ import annotations

from bot.contracts.storage import Database, Transaction

FIRST_CHAT = 1001


async def fill_agendas(
    database: Database, people: int, tasks: int, *, begin: float, seconds: float
) -> list[str]:
    """Give these people, one in each chat from `FIRST_CHAT` on, these tasks in turn.

    They are due at even distances from `begin` seconds from now, for as many `seconds`.

    Returns:
        The titles; a person's language is English.
    """
    chats = [FIRST_CHAT + number for number in range(people)]
    titles = [f"task {number}" for number in range(tasks)]

    async def work(tx: Transaction) -> None:
        await tx.execute_many(
            _ACCOUNT, [{"id": chat, "phone": f"+22507010{chat:05d}"} for chat in chats]
        )
        await tx.execute_many(_IDENTITY, [{"id": chat, "chat": str(chat)} for chat in chats])
        rows = [
            {
                "title": title,
                "account": chats[number % people],
                "chat": str(chats[number % people]),
                "after": begin + seconds * number / tasks,
            }
            for number, title in enumerate(titles)
        ]
        await tx.execute_many(_TASK, rows)

    await database.write(work)
    return titles


_ACCOUNT = """
INSERT INTO account (id, phone, language, created_at) VALUES (:id, :phone, 'en', {now})
"""

_IDENTITY = """
INSERT INTO identity (channel, address, account, created_at)
VALUES ('telegram', :chat, :id, {now})
"""

_TASK = """
INSERT INTO task (key, account, channel, title, priority, due_at, wanted_at, remind_at, zone, tags,
    created_at)
VALUES (CAST(:title AS TEXT), :account, 'telegram', :title, 'normal', {now} + :after,
    {now} + :after, {now} + :after, 'Africa/Abidjan', '[]', {now})
"""
