"""What a test needs of a channel to play the people on it, and their provider's bad days."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Literal, Protocol

import pytest

from bot.messages.channels import Channel

AWA, BINTA = "+2250701020304", "+2250701020305"
"""People: by their number on every channel, whatever their address there is."""
PUBLIC = "https://griot.example"
"""Where providers believe Griot to be; a proxy stands before it."""
PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)
Status = Literal["sent", "delivered", "read", "failed"]
Parcel = Any
"""What a provider is about to deliver to a webhook; posted twice, it is the same delivery."""


EXCUSE: Final = "drive it, or excuse the question in conformance/table.py with the reason"


class Driver(Protocol):
    """One channel by one provider, with a stand-in for the provider. Drivers inherit it.

    Faults are of the provider, and concern the next call that fits, once.
    """

    name: str
    """Of the adapter."""
    channel: Channel
    page: int
    """Characters of a long answer of which more than one message is made."""

    @property
    def settings(self) -> Mapping[str, object]:
        """Griot's, to speak with the stand-in."""
        ...

    @property
    def violations(self) -> Sequence[str]:
        """What the provider would not have Griot do."""
        ...

    async def reach(self, url: str) -> None:
        """Griot listens at this origin."""
        ...

    def address(self, person: str) -> str:
        """Of the person, as Griot knows it; also of the conversation with them."""
        ...

    # What people send

    def text(self, text: str, person: str = AWA) -> Parcel: ...

    def photos(self, count: int, person: str = AWA) -> list[Parcel]:
        """Photos that are sent at once."""
        pytest.fail(EXCUSE)

    def document(self, content: bytes, filename: str, mime_type: str) -> Parcel:
        pytest.fail(EXCUSE)

    def voice(self, content: bytes) -> Parcel:
        pytest.fail(EXCUSE)

    def press(self, token: str, person: str = AWA, *, locate: bool = True) -> Parcel:
        """A tap whose payload is `token`; without `locate`, it does not tell on which message."""
        pytest.fail(EXCUSE)

    def choose(self, title: str, person: str = AWA) -> Parcel:
        """The newest option of this title that Awa was shown is tapped, or typed by number."""
        ...

    def poison(self) -> Parcel:
        """An authentic delivery in which there is something that nobody can read."""
        ...

    def mix(self, text: str) -> Parcel:
        """One delivery with this text, an item that nobody can read, the report that Awa has read
        the first message, and an item of a kind that nobody knows yet."""
        pytest.fail(EXCUSE)

    def odd(self, text: str) -> list[Parcel]:
        """This text in the provider's various forms, beside fields that nobody knows yet."""
        ...

    async def post(self, parcel: Parcel, headers: Mapping[str, str] | None = None) -> int:
        """Deliver it; the status of the answer."""
        ...

    async def forge(self, parcel: Parcel) -> list[int]:
        """Deliver it in ways in which only a forger would; the statuses of the answers."""
        ...

    # What people see

    def shown(self, person: str = AWA) -> list[str]:
        """The texts of the messages, oldest first."""
        ...

    def toasts(self) -> list[str]:
        """What answers a tap, wherever the channel shows that."""
        ...

    def options(self, person: str = AWA) -> list[tuple[str, str]]:
        """Titles and payloads that the newest message with options offers to be tapped."""
        ...

    def tries(self, person: str = AWA) -> int:
        """How often Griot tried to send them something."""
        ...

    # The provider's bad days

    def throttle(self, person: str) -> None:
        """429: slower, in this chat."""
        ...

    def lose_answer(self, person: str) -> None:
        """The message is taken, and the connection cut before that is said."""
        ...

    def refuse_form(self) -> None:
        """The formatting is refused."""
        pytest.fail(EXCUSE)

    def refuse_messages(self, person: str, times: int) -> None:
        """Messages are refused for good."""
        ...

    def block(self, person: str) -> None:
        """The person cannot be written to any more; only the next attempt tells."""
        ...

    def come_back(self) -> Parcel:
        """What Awa writes who blocked Griot, to hear from it again."""
        ...

    def lose_media(self) -> None:
        """What people have sent so far can no longer be fetched."""
        pytest.fail(EXCUSE)

    def close_window(self) -> None:
        """As the provider sees it, Awa wrote last too long ago for the next message."""
        pytest.fail(EXCUSE)

    async def report(self, status: Status) -> None:
        """Tell what became of the newest message to Awa."""
        pytest.fail(EXCUSE)
