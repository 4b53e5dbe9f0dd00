"""Show a running turn: events to the followers of a stream, typing and drafts in a chat."""

from __future__ import annotations

import asyncio
import contextlib
from itertools import groupby
from typing import Final, NamedTuple

from bot.agent.long_code_blocks import LongBlockExtractor
from bot.asyncio_tasks import cancel_tasks
from bot.contracts.channels import Adapter
from bot.contracts.storage import EphemeralStore
from bot.errors import RetryAt
from bot.events import (
    Content,
    Event,
    Notice,
    Progress,
    Thinking,
    ToolEnd,
    ToolProgress,
    ToolStart,
    decode_event,
    encode_event,
)
from bot.gateway.inbound.inbox import Pending
from bot.gateway.jobs import is_job
from bot.gateway.lanes import Claim
from bot.gateway.turns.model_message import announce_file
from bot.i18n import best_language, say
from bot.messages.outgoing import Draft, Typing
from bot.render.renderer import escape_markdown, render_preview
from bot.typography import StreamTypesetter

_FIRST: Final = 0.4
"""Seconds before anything is shown: a quick answer needs no preview."""
_EVERY: Final = 1.0
"""Seconds between two updates of the draft."""
_PULSE: Final = 2.0
"""Seconds after which a job publishes its last progress again."""
_DELAY: Final = 8.0
"""Seconds without output after which the person is notified that the answer takes longer."""
_GATHER: Final = 0.04
"""Seconds for which pieces of text are gathered before they go through a shared store."""
_WITHIN_TEXT = (Thinking, ToolProgress)
"""Events that may come in the middle of a text."""


def topic_of(lane: str) -> str:
    """Return the topic on which a lane's events are published."""
    return f"live:{lane}"


class Shown(NamedTuple):
    """An event for the followers of a turn."""

    turn: int
    said: int
    """Number of pieces of text that the turn had shown before: a follower who joins now missed
    these."""
    event: Event


def encode_live(shown: Shown) -> bytes:
    return b"%d %d " % shown[:2] + encode_event(shown.event)


def decode_live(payload: bytes) -> Shown:
    """Return the event that `encode_live` encoded."""
    turn, said, event = payload.split(b" ", 2)
    return Shown(int(turn), int(said), decode_event(event))


class LivePreview:
    """The preview of one turn: `async with` it while the turn runs, and `emit` into it."""

    def __init__(
        self,
        momentary: EphemeralStore,
        adapter: Adapter,
        claim: Claim,
        pending: Pending,
        notified: set[int] | None = None,
    ) -> None:
        """Begin with the language of the update's sender.

        Args:
            notified: turns whose followers this process has notified of a delay; it outlives the
                tries of a turn.
        """
        self._momentary = momentary
        self._adapter = adapter
        self._claim = claim
        self._turn = pending.seq
        self._about = pending.update.message_key
        self._topic = topic_of(claim.lane)
        self._watched = adapter.capabilities.streams
        self.speak(best_language(pending.update.sender.language))
        self._text: list[str] = []
        self._untypeset: list[str | None] = []
        """Text that no draft has shown yet; None: a piece of text ends here."""
        self._at_work: dict[str, str] = {}
        """By call id: what each running tool is doing."""
        self._showing: asyncio.Task[None] | None = None
        self._is_muted = False
        self._is_job = is_job(claim.lane)
        self._at: Progress | None = None
        self._pulse: asyncio.TimerHandle | None = None
        self._held: list[str] = []
        self._said = 0
        self._clock = asyncio.get_running_loop().time
        self._moved_at = self._clock()
        self._is_delayed = False
        self._notified = set[int]() if notified is None else notified
        self._delay: asyncio.TimerHandle | None = None

    async def __aenter__(self) -> LivePreview:
        if self._adapter.capabilities.typing and not self._is_job:
            self._showing = asyncio.create_task(self._show(), name=f"show {self._claim.lane}")
        if not self._is_job and (self._watched or self._adapter.capabilities.drafts):
            loop = asyncio.get_running_loop()
            self._delay = loop.call_later(_DELAY, self._note_delay)
        return self

    async def __aexit__(self, *_: object) -> None:
        for timer in (self._pulse, self._delay):
            if timer is not None:
                timer.cancel()
        if self._showing is not None:
            await cancel_tasks([self._showing])

    def resume(self, said: int) -> None:
        """Count from `said` pieces of text on, which earlier tries have shown."""
        self._said = said

    def mute(self) -> None:
        """Show nothing in the chat from now on, as our number there is restricted."""
        self._is_muted = True

    def speak(self, language: str) -> None:
        """Use a language from now on for typography, and for texts that are not the model's."""
        self._language = language
        # As `CodeFiles` does at the end of the answer:
        self._blocks = LongBlockExtractor(lambda filename: announce_file(language, filename))
        self._typesetter = StreamTypesetter(language)

    @property
    def is_visible(self) -> bool:
        """Whether the channel shows the answer while it is being written."""
        return self._watched or self._adapter.capabilities.drafts

    @property
    def silent_for(self) -> float:
        """Seconds since the agent showed a sign of life; 0 while a tool works."""
        return 0.0 if self._at_work else self._clock() - self._moved_at

    async def announce_delay(self) -> None:
        """Tell the person that the answer takes longer, where the channel has a stream or drafts.

        To be called once the preview of this try has ended. Jobs tell nothing.
        """
        if self._is_job:
            return
        self._note_delay()
        if self._adapter.capabilities.drafts:
            with contextlib.suppress(RetryAt):
                await self._adapter.show(self._draft(self._drafted()))

    def _note_delay(self) -> None:
        """Say that the answer takes longer, unless something was shown: once to the followers of a
        stream, and in the draft until there is something else to show."""
        if self._text or any(self._untypeset) or self._at_work or self._is_delayed:
            return
        self._is_delayed = True
        if self._watched and self._turn not in self._notified:
            self._notified.add(self._turn)
            self._publish(Notice(self._excuse()))

    def _excuse(self) -> str:
        return say(self._language, "This takes longer than usual. I am still on it.")

    def emit(self, event: Event) -> None:
        """Publish an event to the followers, and keep its text for the draft."""
        self._moved_at = self._clock()
        if isinstance(event, Content):
            self._untypeset.append(event.text)
        elif isinstance(event, Thinking) and event.replaces_content:
            self._text, self._untypeset = [], []
            self.speak(self._language)
        elif not isinstance(event, _WITHIN_TEXT):
            self._untypeset.append(None)
        if self._watched:
            self._typeset()
        if not isinstance(event, Content):
            self._show_event(event)

    def _show_event(self, event: Event) -> None:
        """Publish an event other than text, and note which tools are at work."""
        if isinstance(event, ToolStart):
            self._at_work[event.id] = event.detail
        elif isinstance(event, ToolEnd):
            self._at_work.pop(event.id, None)
        if self._watched:
            self._flush()
            self._publish(event)
            if self._is_job and isinstance(event, Progress):
                self._at = event
                self._beat()

    def _beat(self) -> None:
        """Publish the job's progress again after `_PULSE` seconds, until there is another."""
        if self._pulse is not None:
            self._pulse.cancel()
        self._pulse = asyncio.get_running_loop().call_later(_PULSE, self._say_again)

    def _say_again(self) -> None:
        if self._at is not None:
            self._publish(self._at)
            self._beat()

    def _typeset(self) -> None:
        """Typeset the text since the last time: a stream's at once, a draft's when the draft is
        shown, as few are."""
        untypeset, self._untypeset = self._untypeset, []
        for is_end, pieces in groupby(untypeset, key=lambda piece: piece is None):
            if is_end:
                rest = self._typesetter.feed(self._blocks.close())
                self._show_text(rest + self._typesetter.close())
            else:
                whole = "".join(filter(None, pieces))
                self._show_text(self._typesetter.feed(self._blocks.feed(whole)))

    def _show_text(self, text: str) -> None:
        if not text:
            return
        self._text.append(text)
        if not self._watched:
            return
        if self._momentary.shared:
            self._hold(text)
        else:
            self._publish(Content(text))

    def _hold(self, text: str) -> None:
        """Gather pieces for `_GATHER` seconds: a message through a shared store costs CPU on both
        ends."""
        if not self._held:
            asyncio.get_running_loop().call_later(_GATHER, self._flush)
        self._held.append(text)

    def _flush(self) -> None:
        if self._held:
            held, self._held = "".join(self._held), []
            self._publish(Content(held))

    def _publish(self, event: Event) -> None:
        shown = Shown(self._turn, self._said, event)
        self._momentary.publish(self._topic, encode_live(shown))
        self._said += isinstance(event, Content)

    async def _show(self) -> None:
        """Show the draft whenever it has changed, if the channel has drafts; else show typing.

        An empty draft is not shown, so that before there is text the last tool's line stays.
        """
        capabilities = self._adapter.capabilities
        loop = asyncio.get_running_loop()
        typed_until = 0.0
        shown = ""
        pause = _FIRST
        while True:
            await asyncio.sleep(pause)
            pause = _EVERY
            if self._is_muted:
                return
            try:
                if capabilities.drafts and (wanted := self._drafted()) not in {"", shown}:
                    shown = wanted
                    await self._adapter.show(self._draft(wanted))
                elif loop.time() >= typed_until:
                    typed_until = loop.time() + capabilities.typing - 1
                    await self._adapter.show(Typing(self._claim.conversation, self._about))
            except RetryAt as error:
                pause = max(_EVERY, error.after or 0.0)

    def _drafted(self) -> str:
        """Return the text so far, and under it what is being done: markdown."""
        self._typeset()
        doing = next(reversed(self._at_work.values()), "")
        if self._is_delayed and not (self._text or doing):
            doing = self._excuse()
        return "\n\n".join(filter(None, ["".join(self._text), escape_markdown(doing)]))

    def _draft(self, markdown: str) -> Draft:
        text, entities = render_preview(markdown, self._adapter.capabilities, self._language)
        return Draft(self._claim.conversation, self._turn, text, entities)
