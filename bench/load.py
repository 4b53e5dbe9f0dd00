"""The load: people who write to the bot, as Telegram would post it, on a fixed schedule.

    python -m bench.load URL SECRET contact|text --first N --people N --messages N --rate R

Message `i` is due `i / R` seconds after the start and is posted then, whether or not earlier ones
were acknowledged; person `first + i % people` writes it. Prints one line of JSON: `sent`, the
moment each numbered message was posted by the system's monotonic clock, and `ack_ms`, how long
until it was acknowledged.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import time
from typing import Any

import aiohttp

PREFIX = "+22507"
"""Of a number in Côte d'Ivoire; eight more digits follow."""


def update(kind: str, person: int, number: int) -> dict[str, Any]:
    """One Update of the Bot API: the person's own contact card, or a question."""
    user = {"id": person, "is_bot": False, "first_name": f"P{person}", "language_code": "fr"}
    message: dict[str, Any] = {
        "message_id": number,
        "date": int(time.time()),
        "chat": {"id": person, "type": "private", "first_name": user["first_name"]},
        "from": user,
    }
    if kind == "contact":
        phone = f"{PREFIX}{person:08d}"
        message["contact"] = {"phone_number": phone, "first_name": "P", "user_id": person}
    else:
        message["text"] = f"#{number} Why does it rain more in Abidjan than in Korhogo?"
    return {"update_id": number, "message": message}


async def send_all(arguments: argparse.Namespace) -> dict[str, Any]:
    sent: dict[int, float] = {}
    ack_ms: list[float] = []
    headers = {"X-Telegram-Bot-Api-Secret-Token": arguments.secret}
    connector = aiohttp.TCPConnector(limit=0)

    async def send(session: aiohttp.ClientSession, number: int, person: int) -> None:
        body = update(arguments.kind, person, number)
        sent[number] = time.monotonic()
        async with session.post(arguments.url, json=body) as response:
            if response.status != 200:
                raise RuntimeError(f"the webhook answered {response.status}")
        ack_ms.append((time.monotonic() - sent[number]) * 1000)

    async with (
        aiohttp.ClientSession(connector=connector, headers=headers) as session,
        asyncio.TaskGroup() as tasks,
    ):
        start = time.monotonic()
        for index in range(arguments.messages):
            await asyncio.sleep(max(0.0, start + index / arguments.rate - time.monotonic()))
            person = arguments.first + index % arguments.people
            tasks.create_task(send(session, arguments.first_number + index, person))
    return {"sent": sent, "ack_ms": sorted(ack_ms)}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("url")
    parser.add_argument("secret")
    parser.add_argument("kind", choices=["contact", "text"])
    parser.add_argument("--first", type=int, required=True, help="number of the first person")
    parser.add_argument("--people", type=int, required=True)
    parser.add_argument("--messages", type=int, required=True)
    parser.add_argument("--rate", type=float, required=True, help="messages a second")
    parser.add_argument("--first-number", type=int, default=1, help="of the first message")
    print(json.dumps(asyncio.run(send_all(parser.parse_args()))))


if __name__ == "__main__":
    main()
