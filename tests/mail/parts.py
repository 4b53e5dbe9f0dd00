"""A post office over a real database and a real mail server."""

from __future__ import annotations

from typing import Any

from bot.contracts import Database, Transaction
from bot.library.files import Files
from bot.mail import Line, Post
from bot.mail.addresses import read_sender
from bot.mail.letters import Body, Kept, New, keep
from bot.mail.smtp import read_server
from bot.observe import Metrics
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from tests.gateway.conftest import execute, fetch
from tests.standins.mail import MailServer

AWA, KOFI, IDA = "awa@example.org", "kofi@example.org", "ida@example.org"


class Told:
    """Whoever hears of letters that came to nothing."""

    def __init__(self) -> None:
        self.of: list[tuple[str, tuple[str, ...]]] = []

    async def __call__(self, tx: Transaction, letter: Kept, refused: tuple[str, ...]) -> None:
        self.of.append((letter.key, refused))


class Office:
    """A post, what it counts, and whom it tells."""

    def __init__(self, database: Database, settings: Settings, server: MailServer) -> None:
        self.database = database
        self.settings = settings
        self.server = server
        self.files = Files(database, open_blobs(settings))
        self.told = Told()
        self.metrics = Metrics()
        self.post = self.another()

    def another(self) -> Post:
        """The post of another process."""
        return Post(
            self.database,
            self.files,
            Line(
                read_server(self.server.url),
                read_sender("Griot <griot@example.org>"),
                self.server.trusted,
            ),
            self.told,
            self.metrics,
            jitter=lambda: 1.0,
        )

    async def keep(self, key: str, *to: str, account: int | None = 7, **body: Any) -> None:
        letter = New(key, account, "telegram:1", "Bonjour", Body(to or (AWA,), "Bonjour", **body))

        async def work(tx: Transaction) -> None:
            await keep(tx, letter)

        await self.database.write(work)

    async def row(self) -> dict[str, Any]:
        [row] = await fetch(
            self.database,
            "SELECT state, recipients, refused, attempts, error, due_at - {now} AS wait,"
            " ended_at FROM letter",
        )
        return dict(row)

    async def make_due(self) -> None:
        await execute(self.database, "UPDATE letter SET due_at = {now} - 1")

    def counted(self) -> dict[str, int]:
        """Letters by outcome."""
        lines = self.metrics.render().decode().splitlines()
        counts = [line.split() for line in lines if line.startswith("griot_letters_total{")]
        return {label.split('"')[1]: int(float(number)) for label, number in counts}
