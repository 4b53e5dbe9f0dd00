"""What we ask of a service that makes one-time codes, sends them and checks what was typed."""

from __future__ import annotations

from typing import Protocol

from bot.messages import Channel


class CodeService(Protocol):
    """Codes of its own for phone numbers, of which we never learn one before it is typed.

    Its calls take as long as the network: they belong outside of any transaction.
    """

    async def send(self, number: str, *, again: bool) -> Channel:
        """Send a code to the number (E.164); by which channel it went.

        Args:
            again: the person may not have seen the last one, so the other way is tried first.

        Raises:
            CodeUnsent: nothing was sent; what it says is for the person.
            ConnectionError: the service cannot be reached, or does not work for us.
        """
        ...

    async def check(self, number: str, typed: str) -> bool:
        """Whether this is the code; False too if it is too old, used, or tried too often.

        Raises:
            ConnectionError: nobody can tell now.
        """
        ...

    async def close(self) -> None: ...
