"""`/progress`: in words everywhere, as a picture where there are pictures, and by a private link.

An errand: the picture is drawn by another process, which no transaction can wait for. Without it
the words go alone.
"""

from __future__ import annotations

import asyncio
import time
from typing import Final

import structlog

from bot.accounts.learners import mark_of
from bot.contracts import Adapter, Capabilities, Clock, Transaction
from bot.gateway.parts import Parts
from bot.gateway.render import escape
from bot.gateway.replies.charts import MOST_SUBJECTS, name_on_chart, to_chart
from bot.gateway.replies.response import Response
from bot.learning.brief import brief_progress
from bot.learning.exercises import read_progress
from bot.learning.overview import make_overview
from bot.learning.progress import Progress, describe_progress
from bot.library.files import PASSING, Files
from bot.library.formulas import Typesetter
from bot.library.links import Links
from bot.messages import Person, Say, ShareFile, TextBody, Update
from bot.texts import say

_FORM: Final = "image/png"
_PATIENCE = 5.0
"""Seconds that the words wait for their picture."""
_CLEAR_EVERY: Final = 3600.0
"""Seconds between two looks at pictures that are no longer needed."""
log = structlog.get_logger()


class ProgressErrand:
    """
    Args:
        links: to the page of an account.
    """

    def __init__(
        self,
        parts: Parts,
        files: Files,
        typesetter: Typesetter,
        links: Links,
        clock: Clock = time.time,
    ) -> None:
        self._parts = parts
        self._files = files
        self._typesetter = typesetter
        self._links = links
        self._clock = clock
        self._cleared_at = 0.0

    async def run(self, person: Person, update: Update, _: str) -> Response:
        """Answers `/progress`; an `Errand`."""
        language, account = person.language, person.account
        if account is None:
            words = say(language, "Log in with /login first: I keep nothing of guests.")
            return Response((Say(words),))
        progress, mark = await self._read(account, person.timezone)
        adapter = self._parts.adapter_of(update)
        link = self._link(mark, update, adapter.capabilities)
        if adapter.capabilities.text_unit == "gsm7":
            return Response((Say(self._brief(person, progress, adapter, link)),))
        words = describe_progress(language, progress, escape)
        if not progress.subjects:
            return Response((Say(words),))
        if link:
            label = say(language, "Your private page")
            words += f"\n\n[{label}]({link})"
        picture = await self._picture(person, progress, update, adapter.capabilities)
        return Response((Say(words), *picture))

    async def _read(self, account: int, zone: str) -> tuple[Progress, str]:
        async def work(tx: Transaction) -> tuple[Progress, str]:
            return await read_progress(tx, account, zone), await mark_of(tx, account)

        return await self._parts.database.read(work)

    def _link(self, mark: str, update: Update, capabilities: Capabilities) -> str:
        """Empty in groups, as whoever has it may open it later, too; and where nobody could."""
        can_open = self._parts.settings.public_url or capabilities.markup == "markdown"
        return self._links.make(mark) if can_open and not update.group else ""

    def _brief(self, person: Person, progress: Progress, adapter: Adapter, link: str) -> str:
        """As much as goes in the fewest segments."""

        def cost(text: str) -> int:
            bodies = self._parts.posting.compose((Say(text),), adapter, person.language).bodies
            return sum(body.segments for body in bodies if isinstance(body, TextBody))

        text = brief_progress(person.language, progress, lambda longer: cost(longer) <= 1, escape)
        longer = f"{text}\n{link}"
        return longer if link and progress.subjects and cost(longer) <= cost(text) else text

    async def _picture(
        self, person: Person, progress: Progress, update: Update, capabilities: Capabilities
    ) -> list[ShareFile]:
        """None or one."""
        if capabilities.markup == "markdown" or not capabilities.carries(_FORM, 1):
            return []
        try:
            async with asyncio.timeout(_PATIENCE):
                picture = await self._draw(person, progress, update)
        except (TimeoutError, ConnectionError) as error:
            log.warning("progress_not_drawn", error=type(error).__name__)
            return []
        await self._clear()
        return [picture] if picture else []

    async def _draw(self, person: Person, progress: Progress, update: Update) -> ShareFile | None:
        key = f"progress/{person.account}/{update.via}/{update.message_key}"
        if known := await self._files.find_by_key(key):
            return known
        name = name_on_chart(person.name)
        overview = make_overview(person.language, progress, name, most=MOST_SUBJECTS)
        picture = await self._typesetter.chart(to_chart(overview))
        if picture is None:
            return None
        filename = say(person.language, "progress") + ".png"
        return await self._files.save(
            person.account or 0,
            filename,
            picture,
            mime_type=_FORM,
            source=PASSING,
            key=key,
        )

    async def _clear(self) -> None:
        """Now and then, delete pictures that have long been delivered."""
        if self._clock() - self._cleared_at < _CLEAR_EVERY:
            return
        self._cleared_at = self._clock()
        try:
            async with asyncio.timeout(_PATIENCE):
                await self._files.clear_passing()
        except (TimeoutError, ConnectionError) as error:
            log.warning("passing_files_not_cleared", error=type(error).__name__)
