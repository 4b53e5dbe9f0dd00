"""Somebody who practises and reviews on one channel; the model is never asked."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from bot.contracts.channels import Capabilities
from bot.messages.incoming import Tapped
from bot.messages.outgoing import AskExercise, Button, TextBody
from tests.support.app import TestApp
from tests.support.queries import read_rows
from tests.support.waiting import until

PHONE = Capabilities(max_text=4096, markup="entities", max_buttons=8, max_button_label=40)
SMS = Capabilities(max_text=1600, text_unit="gsm7", markup="plain")
SKILL = "maths.add-to-100"
NUMBERS = re.compile(r"\d+")


@dataclass
class Pupil:
    app: TestApp

    async def send(self, text: str) -> TextBody:
        return await self._act(lambda: self.app.send(text))

    async def tap(self, button: Button) -> TextBody:
        return await self._act(lambda: self.app.send(Tapped(button.token)))

    async def _act(self, act: Callable[[], object]) -> TextBody:
        before = len(self.app.channel.delivered)
        await act()  # type: ignore[misc]

        async def answered() -> bool:
            return len(self.app.channel.delivered) > before and await self.app.settled()

        await until(answered)
        return self.last

    @property
    def last(self) -> TextBody:
        body = self.app.channel.delivered[-1].body
        assert isinstance(body, TextBody)
        return body

    @property
    def asked(self) -> AskExercise:
        """The exercise that was asked last."""
        [*_, asked] = [
            each.body.exercise
            for each in self.app.channel.delivered
            if isinstance(each.body, TextBody) and each.body.exercise
        ]
        return asked

    def right(self) -> Button:
        """The option that is right by the statement."""
        return self._option(right=True)

    def wrong(self) -> Button:
        return self._option(right=False)

    def _option(self, *, right: bool) -> Button:
        key = str(sum(map(int, NUMBERS.findall(self.asked.statement))))
        options = [each for each in self.last.choices if each.label.isdigit()]
        return next(each for each in options if (each.label == key) is right)

    async def results(self) -> list[tuple[str, int]]:
        rows = await read_rows(self.app.database, "result", order_by="at")
        return [(row["skill"], row["correct"]) for row in rows]
