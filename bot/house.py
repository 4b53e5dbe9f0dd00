"""What one process is made of, put together in `bot/assembly.py`."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from bot.accounts.cashier import Cashier
from bot.accounts.codes import Codes
from bot.accounts.ordering import Ordering
from bot.accounts.people import People
from bot.accounts.shop import Shop
from bot.channels import Channels
from bot.contracts import Database
from bot.gateway.background import Background
from bot.gateway.joining import Joining
from bot.gateway.parts import Parts
from bot.gateway.proving import Proving
from bot.gateway.receiving.inbox import Inbox
from bot.gateway.replies.commands import Commands
from bot.gateway.replies.logins import Logins
from bot.gateway.replies.mailboxes import Mailboxes
from bot.gateway.sending.code_post import CodePost
from bot.gateway.sending.courier import Courier
from bot.library.files import Files
from bot.library.formulas import Typesetter
from bot.library.links import Links
from bot.settings import Settings


@dataclass(slots=True)
class House:
    """One process's parts, put together."""

    parts: Parts
    people: People
    files: Files
    links: Links
    typesetter: Typesetter
    inbox: Inbox
    channels: Channels
    codes: Codes
    courier: Courier
    code_post: CodePost
    joining: Joining
    cashier: Cashier
    shop: Shop
    proving: Proving | None
    """Set: a service makes the codes for numbers."""
    leaving: asyncio.Event = field(default_factory=asyncio.Event)
    """Set: the process drains, and wants no new visitors."""

    port: int = 0
    """Where the process listens, once it does."""

    @property
    def logins(self) -> Logins:
        return Logins(self.codes, self.code_post, self.joining)

    @property
    def background(self) -> Background:
        return Background(self.inbox, self.courier)

    @property
    def commands(self) -> Commands:
        return Commands(self.logins, Mailboxes(self.settings, self.codes), self.background)

    @property
    def ordering(self) -> Ordering:
        return Ordering(self.cashier, self.shop)

    @property
    def settings(self) -> Settings:
        return self.parts.settings

    @property
    def database(self) -> Database:
        return self.parts.database
