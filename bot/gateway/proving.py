"""Codes that a service makes, sends and checks: asked outside of any transaction.

Who may ask and how often one may try is decided before that, in transactions of our own.
"""

from __future__ import annotations

from typing import Final

import structlog

from bot.accounts.codes import CodeRefused, Codes, Issued, Tried
from bot.contracts import CodeService, Database
from bot.errors import CodeUnsent, PersonError
from bot.messages import Channel
from bot.texts import say

_NOBODY: Final = "none"
log = structlog.get_logger()


class NoAnswer(PersonError):
    """The service does not answer: nobody is to blame who asks."""

    code = "unavailable"


class Proving:
    def __init__(self, database: Database, codes: Codes, service: CodeService) -> None:
        self._database = database
        self._codes = codes
        self._service = service

    async def send(self, number: str, issued: Issued, language: str) -> Channel:
        """Have a code sent to a number (E.164); by which channel it went.

        Raises:
            CodeRefused, NoAnswer: none was sent, and none counts as asked for.
        """
        try:
            return await self._service.send(number, again=issued.again)
        except (CodeUnsent, ConnectionError) as error:
            await self._database.write(lambda tx: self._codes.withdraw(tx, issued.id))
            raise _explain(error, language) from None

    async def prove(self, tried: Tried, sealed: str, language: str, number: str = "") -> str:
        """What is proven by what was typed; empty: nothing. `Codes.use` is to follow.

        Args:
            tried: the codes that may be meant.
            sealed: what was typed, by `Codes.keep_typed`.
            number: asked about in any case, so that it shows nowhere whether it has a code.

        Raises:
            NoAnswer: nobody can tell now.
        """
        own = self._codes.match(_of_mailboxes(tried), sealed)
        typed = self._codes.read_typed(sealed)
        asked = {target for target in tried.targets.values() if "@" not in target}
        proven = ""
        for each in sorted(asked | {number} - {"", _NOBODY}):
            if typed and await self._check(each, typed, language) and each in asked:
                proven = each
        return own or proven

    async def _check(self, number: str, typed: str, language: str) -> bool:
        try:
            return await self._service.check(number, typed)
        except ConnectionError as error:
            log.warning("code_unchecked", reason=str(error))
            raise _explain(error, language) from None


def _of_mailboxes(tried: Tried) -> Tried:
    """Codes to e-mail addresses are our own."""
    kept = {code_id: target for code_id, target in tried.targets.items() if "@" in target}
    return Tried(kept)


def _explain(error: CodeUnsent | ConnectionError, language: str) -> PersonError:
    if isinstance(error, ConnectionError):
        return NoAnswer(
            say(language, "I cannot send codes right now. Please try again in a few minutes.")
        )
    if error.too_many:
        return CodeRefused(say(language, "You asked for many codes. Please try again in an hour."))
    return CodeRefused(say(language, "No code can be sent to this number. Try another one."))
