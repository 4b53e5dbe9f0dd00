"""From what a turn wants said to deliveries in the channel's own form."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bot.contracts import Adapter
from bot.events import Content, Event, FileMade, QuizAsked
from bot.gateway.render import render
from bot.library.links import Links
from bot.messages import AskQuiz, Body, FileBody, Outgoing, Say, ShareFile


@dataclass(frozen=True, slots=True)
class Posting:
    """Puts words into a channel's form."""

    links: Links

    def compose(self, outgoing: Sequence[Outgoing], adapter: Adapter) -> list[Body]:
        """The deliveries, in order, each within the channel's limits."""
        bodies = [body for item in outgoing for body in render(item, adapter.capabilities)]
        return [self._linked(body, adapter) for body in bodies]

    def _linked(self, body: Body, adapter: Adapter) -> Body:
        """A file that the channel cannot carry goes as a signed link."""
        if isinstance(body, FileBody) and body.file.size > adapter.capabilities.max_file:
            return FileBody(body.file, body.entities, link=self.links.make(body.file.file_id))
        return body

    def events(self, outgoing: Sequence[Outgoing]) -> list[Event]:
        """What a live stream shows of it."""
        events: list[Event] = []
        for item in outgoing:
            match item:
                case Say(markdown=markdown, shown=False):
                    events.append(Content(markdown))
                case AskQuiz():
                    events.append(
                        QuizAsked(item.id, item.kind, item.question, item.options, item.expires_at)
                    )
                case ShareFile():
                    url = self.links.make(item.file_id)
                    events.append(FileMade(item.file_id, item.filename, url, item.size))
                case _:
                    pass
        return events
