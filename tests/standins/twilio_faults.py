"""What goes wrong on demand: refusals, answers that are lost, late or never come."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal

from bot.standins.twilio_errors import BROKEN, ERRORS, TOO_FAST

Place = Literal["messages", "content", "typing", "media", "verify", "account", "*"]


@dataclass
class Fault:
    """One thing that goes wrong, `times` times, with calls of a place (and of a phone)."""

    place: Place
    phone: str
    act: Literal["answer", "hang", "reset"]
    times: int = 1
    accept: bool = False
    """Whether the call is carried out first: what a client cannot tell from a failure."""
    code: int = BROKEN
    status: int = 500
    retry_after: int | None = None
    seconds: float | None = None
    released: asyncio.Event = field(default_factory=asyncio.Event)

    def meets(self, place: Place, phone: str) -> bool:
        same_phone = not self.phone or self.phone == phone
        return self.times > 0 and self.place in {place, "*"} and same_phone

    async def wait(self) -> None:
        """Until the seconds are over, or somebody releases it."""
        if self.seconds is not None:
            asyncio.get_running_loop().call_later(self.seconds, self.released.set)
        await self.released.wait()


class Faults:
    """`phone` (empty: any) is the recipient in E.164; `place` is where the call goes."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def limit_rate(
        self, *, phone: str = "", times: int = 1, retry_after: int | None = None
    ) -> None:
        """Answer 429/20429, and process nothing."""
        status = ERRORS[TOO_FAST][0]
        fault = Fault("*" if not phone else "messages", phone, "answer", times)
        fault.code, fault.status, fault.retry_after = TOO_FAST, status, retry_after
        self._faults.append(fault)

    def fail_next(
        self,
        place: Place = "messages",
        *,
        accept: bool,
        status: int = 500,
        code: int = BROKEN,
        phone: str = "",
        times: int = 1,
    ) -> None:
        """Answer an error; with `accept`, the call is carried out all the same."""
        self._faults.append(Fault(place, phone, "answer", times, accept, code, status))

    def hang_next(
        self,
        place: Place = "messages",
        *,
        accept: bool,
        phone: str = "",
        seconds: float | None = None,
    ) -> asyncio.Event:
        """Answer only after `seconds`, or when the event is set, else never.

        With `accept` the call is carried out when it comes, else when it is answered.
        """
        fault = Fault(place, phone, "hang", accept=accept, seconds=seconds)
        self._faults.append(fault)
        return fault.released

    def reset_next(self, place: Place = "messages", *, accept: bool, phone: str = "") -> None:
        """Cut the connection; with `accept`, the call is carried out first."""
        self._faults.append(Fault(place, phone, "reset", accept=accept))

    def take(self, place: Place, phone: str) -> Fault | None:
        fault = next((each for each in self._faults if each.meets(place, phone)), None)
        if fault is not None:
            fault.times -= 1
        return fault

    def release_all(self) -> None:
        for fault in self._faults:
            fault.released.set()
