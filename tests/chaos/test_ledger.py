"""One purse and all that moves it, while the process is killed: not one credit too many or few.

Fifty conversations of one person spend at once, with hardly ever enough for all of them; callbacks
credit what was bought, refunds take it back, operators and the tutor give. Whatever dies when, the
balance is the sum of the entries, at every moment, and each thing is booked once.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest

from bot.accounts.ledger import MAX_BONUS_PER_DAY
from bot.accounts.people import People
from bot.contracts.storage import Database, Transaction
from bot.settings import Settings
from tests.chaos.evidence import CREDITS, until_quiet
from tests.chaos.load import Load, open_load
from tests.standins.model import ModelStandIn
from tests.standins.payments_wave import WaveStandIn
from tests.standins.telegram import TelegramStandIn
from tests.support import processes
from tests.support.cluster import Cluster, Node
from tests.support.payment_methods import Till, wave
from tests.support.queries import change_rows, count_rows, read_rows, read_values
from tests.support.redis_server import RedisServer
from tools import TOOLS

CHAT = 101
PHONE = f"+22507010{CHAT:05d}"
SESSIONS = 50
KILLS = 4
WELCOME = 200
GRANTS = {"a prize": 17}
"""By the key of each, booked by two operators at once."""
BOUGHT, REFUNDED = 3, 1
_TIMEOUT = aiohttp.ClientTimeout(total=8)

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(300)]


@pytest.fixture
async def till() -> AsyncIterator[Till]:
    async with WaveStandIn() as desk:
        yield wave(desk)
        assert desk.violations == []


@pytest.fixture
async def nodes(
    request: pytest.FixtureRequest,
    database_url: str,
    cluster: Cluster,
    model: ModelStandIn,
    till: Till,
) -> list[Node]:
    """The only process on SQLite, two that share Postgres and Redis."""
    model.pause = 0.03
    cluster.settings |= {name.upper(): value for name, value in till.settings.items()}
    unused = {tool.name for tool in TOOLS} - {"award_bonus_credits", "save_memory"}
    cluster.settings["DISABLED_TOOLS"] = ",".join(sorted(unused))
    cluster.settings["PUBLIC_URL"] = "https://griot.example"
    cluster.settings |= {"WELCOME_CREDITS": str(WELCOME), "MAX_PERSON_DAY_USD": "1000"}
    if database_url.startswith("sqlite"):
        return [await cluster.start("serve")]
    redis: RedisServer = request.getfixturevalue("redis")
    cluster.settings["REDIS_URL"] = redis.url
    return [await cluster.start("serve") for _ in range(2)]


@dataclass
class Purse:
    """One person's account, and everybody who puts in and takes out."""

    nodes: Sequence[Node]
    cluster: Cluster
    database: Database
    load: Load
    till: Till
    http: aiohttp.ClientSession
    token: str
    stopped: bool = False
    looks: int = 0

    async def spend(self, session: int) -> None:
        """Talk in one conversation until everybody stops; whatever is refused is said again."""
        for number in itertools.count(1):
            if self.stopped:
                return
            word = "bravo" if session % 10 == 0 else "m"
            body = {"message": f"{word}-{session}-{number}", "session_id": f"s{session}"}
            await self.call("POST", "/api/v1/chat", json=body)
            await asyncio.sleep(random.uniform(1.0, 4.0))

    async def call(self, method: str, path: str, **options: Any) -> int:
        """The status of one request to any node; 0 where it died, or the answer broke off."""
        headers = {"Authorization": f"Bearer {self.token}", **options.pop("headers", {})}
        url = random.choice(self.nodes).url + path
        try:
            async with self.http.request(method, url, headers=headers, **options) as answer:
                await answer.read()
                return answer.status
        except (aiohttp.ClientError, TimeoutError):
            return 0

    async def buy(self) -> str:
        """Open a page to pay on, pay, and have it called back about, more than once."""
        order = await self._order()
        self.till.pay(order, 500)
        webhook = self.till.callback(order)
        answers: list[int] = []
        while answers.count(200) < 2:
            headers = dict(webhook.headers)
            answers.append(
                await self.call(webhook.method, webhook.path, data=webhook.body, headers=headers)
            )
            await asyncio.sleep(0.1)
        await until(lambda: self._is_paid(order))
        return order

    async def purchases(self) -> list[Any]:
        return await read_rows(self.database, "purchase")

    async def command(self, *words: str) -> int:
        """The exit code of an operator's command."""
        done = await asyncio.to_thread(
            processes.run, words, self.cluster.environment, self.cluster.folder
        )
        return done.returncode

    async def watch(self) -> None:
        """Look again and again, each time at one moment, whether sum and balance agree."""
        while not self.stopped:
            balances, entries = await self.database.read(_read_books)
            assert sum(balances) == sum(entries)
            assert sum(balances) >= 0
            self.looks += 1
            await asyncio.sleep(0.02)

    async def _order(self) -> str:
        """A purchase that can be paid; a page that could not be opened is asked for again."""
        while True:
            await self.load.tell(CHAT, "/buy 500 wave")
            for _ in range(50):
                rows = await self.purchases()
                if found := [r["id"] for r in rows if r["state"] == "open" and r["reference"]]:
                    return found[0]
                await asyncio.sleep(0.1)

    async def has_spent(self) -> bool:
        """Whether as many turns are paid for as there are conversations."""
        return await count_rows(self.database, "ledger", kind="settle") >= SESSIONS

    async def _is_paid(self, order: str) -> bool:
        return any(row["id"] == order and row["state"] == "paid" for row in await self.purchases())


async def until(condition: Callable[[], Awaitable[object]]) -> None:
    async with asyncio.timeout(60):
        while not await condition():
            await asyncio.sleep(0.05)


@pytest.fixture
async def purse(
    nodes: list[Node],
    cluster: Cluster,
    database: Database,
    telegram: TelegramStandIn,
    till: Till,
) -> AsyncIterator[Purse]:
    settings = Settings.model_validate(
        {"secret_key": cluster.settings["SECRET_KEY"], "welcome_credits": WELCOME}
    )
    token = await People(database, settings).issue_token(PHONE)
    async with (
        open_load(telegram, *nodes) as load,
        aiohttp.ClientSession(timeout=_TIMEOUT) as http,
    ):
        await load.log_in(CHAT)
        yield Purse(nodes, cluster, database, load, till, http, token)


@asynccontextmanager
async def spending(purse: Purse) -> AsyncGenerator[None]:
    """Everybody spends while the block runs."""
    async with asyncio.TaskGroup() as tasks:
        for session in range(SESSIONS):
            tasks.create_task(purse.spend(session))
        tasks.create_task(purse.watch())
        try:
            yield
        finally:
            purse.stopped = True


async def kill_at_random(nodes: Sequence[Node]) -> None:
    for _ in range(KILLS):
        await asyncio.sleep(random.uniform(0.3, 1.0))
        node = random.choice(nodes)
        node.kill()
        await node.restart()


async def trade(purse: Purse) -> list[str]:
    """Buy, and give some of it back, as two operators would at once; what was bought."""
    bought = [await purse.buy() for _ in range(BOUGHT)]
    for order in bought[:REFUNDED]:
        codes = await asyncio.gather(*(purse.command("credits", "refund", order) for _ in "ab"))
        assert 0 in codes
    return bought


async def grant(purse: Purse) -> None:
    for key, amount in GRANTS.items():
        words = ("credits", "grant", PHONE, str(amount), "--key", key)
        assert await asyncio.gather(*(purse.command(*words) for _ in "ab")) == [0, 0]


async def test_a_purse_agrees_with_its_entries_whatever_dies(purse: Purse) -> None:
    async with spending(purse):
        kills = kill_at_random(purse.nodes)
        _, bought, _ = await asyncio.gather(kills, trade(purse), grant(purse))
        await until(purse.has_spent)
    await until_quiet(purse.database, 60)
    assert await purse.command("credits", "check") == 0
    assert purse.looks > 50
    await check_entries(purse.database, bought)
    with pytest.raises(Exception, match="account_balance_never_negative"):
        await overdraw(purse.database)


async def check_entries(database: Database, bought: Sequence[str]) -> None:
    """Every key once, one of each kind for each thing that happened, and the sum of them all."""
    entries = await read_rows(database, "ledger")
    keys = {row["key"]: row["amount"] for row in entries}
    assert len(keys) == len(entries)

    def of_kind(kind: str) -> dict[str, int]:
        return {row["key"]: row["amount"] for row in entries if row["kind"] == kind}

    assert of_kind("purchase") == {f"purchase:{order}": 100 for order in bought}
    assert {key: keys[key] for key in GRANTS} == GRANTS == of_kind("grant")
    assert list(of_kind("welcome").values()) == [WELCOME]
    assert 0 < sum(of_kind("bonus").values()) <= MAX_BONUS_PER_DAY
    taken = of_kind("refund")
    assert {f"refund:{order}" for order in bought[:REFUNDED]} <= taken.keys()

    turns = await read_rows(database, "turn")
    charged = [row for row in turns if row["reserved"]]
    assert [dict(row) for row in turns if row["state"] != "done"] == []
    assert len(charged) >= SESSIONS
    names = {f"{row['lane']}/{row['id']}" for row in charged}
    assert {key.removeprefix("reserve:") for key in of_kind("reserve")} == names
    assert {key.removeprefix("settle:") for key in of_kind("settle")} == names
    assert {row["credits"] for row in charged} <= {1, CREDITS}
    assert sum(row["credits"] for row in turns) == -sum(
        row["amount"] for row in entries if row["kind"] in {"reserve", "settle"}
    )


async def overdraw(database: Database) -> None:
    async def work(tx: Any) -> None:
        await change_rows(tx, "account", {"balance": -1})

    await database.write(work)


async def _read_books(tx: Transaction) -> tuple[list[int], list[int]]:
    """Every balance, and every entry of the ledger."""
    entries = await read_values(tx, "ledger", "amount")
    return await read_values(tx, "account", "balance"), entries
