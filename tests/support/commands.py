"""Send commands as a person does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import msgspec

from bot.gateway.commands.reply import CommandRequest, Reply
from bot.gateway.inbound.command_parser import parse_command
from bot.gateway.lanes import wake_lane
from bot.messages.channels import Channel
from bot.messages.incoming import Command, Person, Said, Sender, Update
from bot.messages.outgoing import Say
from tests.support.app import TestApp, update


@dataclass
class CommandDesk:
    """Someone who sends commands, on one channel."""

    app: TestApp
    channel: Channel = "telegram"

    def update(self, text: str) -> Update:
        return msgspec.structs.replace(update(text), channel=self.channel)

    async def person(self) -> Person:
        async def work(tx: Any) -> Person:
            sender = Sender("1", "Awa", "en")
            return await self.app.app.people.recognise(tx, self.channel, sender)

        return await self.app.database.write(work)

    async def send(self, text: str, *, seq: int = 5) -> Reply:
        sent = self.update(text)
        command = parse_command(self.channel, Said(text))
        assert isinstance(command, Command)
        person = await self.person()
        commands = self.app.app.commands

        async def work(tx: Any) -> Reply:
            await wake_lane(tx, sent.lane)
            request = CommandRequest(tx, person, sent, seq, command.argument)
            return await commands[command.name](request)

        return await self.app.database.write(work)

    async def ask(self, text: str) -> str:
        """Send a command; return its only text."""
        response = await self.send(text)
        [said] = response.outgoing
        assert isinstance(said, Say)
        return said.markdown
