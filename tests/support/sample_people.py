"""People with a row in every table, whichever tables there will be."""

from __future__ import annotations

import itertools
import time
from typing import Any

from sqlalchemy import Column, LargeBinary, Table

from bot.messages.incoming import Said, Sender, Update
from bot.messages.value import encode
from tests.support.app import TestApp
from tests.support.queries import TABLES, add_row

AWA, MOUSSA = "+2250701020304", "+22670123456"


class SamplePerson:
    """A person with a row in every table; each text of theirs holds `mark`."""

    def __init__(self, mark: str, number: int, phone: str) -> None:
        self.mark = mark
        self.account = number
        self.phone = phone
        self.chat = f"{number}{number}{number}"
        self.lane = f"telegram:{self.chat}"
        self.session = f"{mark}-session"
        self._numbers = itertools.count(number * 100_000)

    @property
    def traces(self) -> tuple[str, ...]:
        """Texts that an erasure has to remove everywhere."""
        return (self.mark, self.phone, self.lane)

    def row(self, table: Table) -> dict[str, object]:
        return {column.name: self._value(table, column) for column in table.columns}

    def _value(self, table: Table, column: Column[Any]) -> object:
        known: dict[str, object] = {
            "account": self.account,
            "account.id": self.account,
            "phone": self.phone,
            "part_of": None,
            "channel": "telegram",
            "address": self.chat,
            "lane": self.lane,
            "lane.id": self.lane,
            "session.id": self.session,
            "target": self.phone,
            "thread": f"account:{self.account}",
            "moved_to": None,
            "day": "2026-01-31",
            "file.id": f"{self.mark}-file",
            "file": f"{self.mark}-file",
            "chunk.id": self.account,
            "chunk": self.account,
            "turn": 10 + self.account,
            "turn.id": 10 + self.account,
            "seq": 10 + self.account,
            "provider_id": f"{self.mark}-provider",
            "account.mode": "pro",  # what says nothing of anybody is kept
            "language": "en",
            "ledger.kind": "settle",
            "balance": 7,
            "amount": 7,
            "ledger.key": f"settle:{self.lane}/{10 + self.account}",
            "erased": 0,
            "tally.kind": "model",
            "tally.name": f"m{self.account}",
            "quota.sender": f"adapter {self.account}",  # our own number
            "restriction.via": f"adapter {self.account}",
            "restriction.reason": "131031",
            "worker.owner": f"worker {self.account}",
            "code.created_at": time.time(),
            "code.id": f"{self.account:032x}",
            "prefix": "225",
            "code.state": "open",
            "purchase.id": f"{self.account:024x}",  # books are kept, of what was bought
            "pack": "500",
            "provider": "stars",
            "currency": "XTR",
            "purchase.state": "paid",
            "purchase.reason": "",
            "reference": "r1",
            "charge": "c1",
            "part": 0,
            "step": 0,
            "inbox.body": self._update(),
            "unreadable.digest": self.chat,
            "unreadable.payload": f'{{"from": "{self.phone[1:]}", "text": "{self.mark} payload"}}',
        }
        for name in (f"{table.name}.{column.name}", column.name):
            if name in known:
                return known[name]
        if isinstance(column.type, LargeBinary):
            return self.mark.encode()
        kind = column.type.python_type
        return f"{self.mark} {column.name}" if kind is str else next(self._numbers)

    def _update(self) -> str:
        sender = Sender(self.chat, self.mark)
        content = Said(f"{self.mark} said")
        return encode(Update("telegram", "fake", self.chat, sender, "d", "m", content))


async def add_sample_person(app: TestApp, person: SamplePerson) -> None:
    """Add a row of the person to every table."""

    async def work(tx: Any) -> None:
        for table in TABLES:
            await add_row(tx, table.name, **person.row(table))

    await app.database.write(work)
