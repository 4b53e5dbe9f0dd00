"""Who a turn is for."""

from __future__ import annotations

from bot.messages.value import Channel, Mode, Value


class Person(Value, frozen=True):
    """Who a turn is for. `account` is None for a guest, who has no tools, files or memory."""

    channel: Channel
    address: str
    account: int | None = None
    name: str = ""
    mode: Mode = "child"
    language: str = "fr"
    grade: str = ""
    country: str = ""
    timezone: str = "Africa/Abidjan"
    is_new: bool = False
    """Their account is new: they were not asked yet how Griot is to speak with them."""

    @property
    def is_guest(self) -> bool:
        return self.account is None
