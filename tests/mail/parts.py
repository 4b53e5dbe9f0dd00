"""A post office over a real database and a real mail server."""

from __future__ import annotations

from typing import Any

from bot.contracts.storage import Database, Transaction
from bot.files.store import FileStore
from bot.mail.emails import EmailBody, NewEmail, StoredEmail, store_email
from bot.mail.message import parse_sender
from bot.mail.sender import EmailSender, SmtpConfig
from bot.mail.smtp import parse_smtp_url
from bot.observability import Metrics
from bot.settings import Settings
from bot.storage.blobs import open_blobs
from tests.standins.mail import MailServer
from tests.support.queries import FromNow, change_rows, read_row, read_seconds_until

AWA, KOFI, IDA = "awa@example.org", "kofi@example.org", "ida@example.org"


class Told:
    """Whoever hears of letters that came to nothing."""

    def __init__(self) -> None:
        self.of: list[tuple[str, tuple[str, ...]]] = []

    async def __call__(
        self, tx: Transaction, letter: StoredEmail, refused: tuple[str, ...]
    ) -> None:
        self.of.append((letter.key, refused))


class Office:
    """A post, what it counts, and whom it tells."""

    def __init__(self, database: Database, settings: Settings, server: MailServer) -> None:
        self.database = database
        self.settings = settings
        self.server = server
        self.files = FileStore(database, open_blobs(settings))
        self.told = Told()
        self.metrics = Metrics()
        self.post = self.another()

    def another(self) -> EmailSender:
        """The post of another process."""
        return EmailSender(
            self.database,
            self.files,
            SmtpConfig(
                parse_smtp_url(self.server.url),
                parse_sender("Griot <griot@example.org>"),
                self.server.trusted,
            ),
            self.told,
            self.metrics,
            jitter=lambda: 1.0,
        )

    async def keep(self, key: str, *to: str, account: int | None = 7, **body: Any) -> None:
        letter = NewEmail(
            key, account, "telegram:1", "Bonjour", EmailBody(to or (AWA,), "Bonjour", **body)
        )

        async def work(tx: Transaction) -> None:
            await store_email(tx, letter)

        await self.database.write(work)

    async def row(self) -> dict[str, Any]:
        """The one e-mail, with the seconds that it still waits."""
        [wait] = await read_seconds_until(self.database, "email", "due_at")
        return await read_row(self.database, "email") | {"wait": wait}

    async def make_due(self) -> None:
        await change_rows(self.database, "email", {"due_at": FromNow(-1)})

    def counted(self) -> dict[str, int]:
        """Letters by outcome."""
        lines = self.metrics.render().decode().splitlines()
        counts = [line.split() for line in lines if line.startswith("griot_letters_total{")]
        return {label.split('"')[1]: int(float(number)) for label, number in counts}
