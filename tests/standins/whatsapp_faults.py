"""What a test has Meta do wrong, to the next calls that fit."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from tests.standins.whatsapp_errors import Refused

Place = Literal["messages", "media", "lookup", "download", "number"]


@dataclass
class Call:
    """A request that came, the right token beside it."""

    place: Place
    content: Any
    """The body of a message, the form of an upload, the query of a download, a media id."""
    phone: str = ""
    """Whom the message is for."""


@dataclass
class Fault:
    place: Place
    phone: str
    times: int
    act: Literal["answer", "hang", "reset"]
    accept: bool
    """Whether the call is carried out all the same."""
    status: int = 0
    answer: Any = None

    def meets(self, call: Call) -> bool:
        return self.times > 0 and self.place == call.place and self.phone in {"", call.phone}


class Faults:
    """Arranged by a test, taken by the server."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []

    def add_fault(self, fault: Fault) -> None:
        """Let the next calls that it meets fail as it says."""
        self._faults.append(fault)

    def fail_next(
        self,
        code: int,
        *,
        phone: str = "",
        place: Place = "messages",
        times: int = 1,
        status: int = 0,
    ) -> None:
        """Refuse the next calls with Meta's error `code`; `status` replaces the usual one."""
        refused = Refused(code, status=status)
        fault = Fault(place, phone, times, "answer", False, refused.status, refused.answer)
        self._faults.append(fault)

    def answer_next(
        self,
        status: int,
        answer: dict[str, Any] | str = "",
        *,
        accept: bool,
        phone: str = "",
        place: Place = "messages",
    ) -> None:
        """Answer the next call with this: a text is no JSON, as proxies in front of Meta send."""
        self._faults.append(Fault(place, phone, 1, "answer", accept, status, answer))

    def hang_next(self, *, accept: bool, phone: str = "", place: Place = "messages") -> None:
        """Never answer the next call."""
        self._faults.append(Fault(place, phone, 1, "hang", accept))

    def reset_next(self, *, accept: bool, phone: str = "", place: Place = "messages") -> None:
        """Cut the connection of the next call."""
        self._faults.append(Fault(place, phone, 1, "reset", accept))

    def take_fault(self, call: Call) -> Fault | None:
        fault = next((each for each in self._faults if each.meets(call)), None)
        if fault is not None:
            fault.times -= 1
        return fault
