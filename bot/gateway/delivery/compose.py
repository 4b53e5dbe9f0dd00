"""Compose deliveries in the form of a channel, and the events that show them in a live stream."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from msgspec.structs import replace as change

from bot.contracts.channels import Capabilities
from bot.events import AwaitingApproval, Content, Event, ExerciseAsked, FileMade, QuizAsked
from bot.files.links import Links
from bot.gateway.answer_pages import more_hint
from bot.gateway.deliveries import Composed
from bot.gateway.delivery.one_way import compose_one_way
from bot.gateway.render.joining import join_bodies
from bot.gateway.render.renderer import (
    append_footer,
    escape_markdown,
    render_outgoing,
    reserve_footer,
    typeset_outgoing,
)
from bot.gateway.render.rich_messages import render_rich
from bot.gateway.short_links import REVIEW, NewShortLink, ShortLinks
from bot.messages.outgoing import (
    AskApproval,
    AskExercise,
    AskQuiz,
    Body,
    FileBody,
    Outgoing,
    Say,
    ShareFile,
    TextBody,
)


@dataclass(frozen=True, slots=True)
class Composer:
    """Composes deliveries in a channel's form, and the events that show them."""

    links: Links
    short_links: ShortLinks

    def compose(
        self, outgoing: Sequence[Outgoing], capabilities: Capabilities, language: str
    ) -> Composed:
        """Return the deliveries, in order, each within the channel's limits.

        Where each message is paid, a long answer is cut into pages: the first is delivered and
        says in `language` how to get the others. A person who cannot answer gets a link to all of
        it instead.
        """
        if capabilities.one_way:
            items = [self._linked(item, capabilities) for item in outgoing]
            pages = partial(self._pages, capabilities=capabilities, language=language)
            said = compose_one_way(items, capabilities, language, self.short_links, pages)
            return _join_all(said, capabilities)
        outgoing, links = self._add_review_links(outgoing)
        if not capabilities.page:
            whole = [*self._bodies(outgoing, capabilities, language)]
            return Composed(join_bodies(whole, capabilities), links=links)
        bodies: list[Body] = []
        rest: list[TextBody] = []
        for item in outgoing:
            first, more = self._pages(item, capabilities, language)
            bodies += first
            rest += more
        return Composed(bodies if rest else join_bodies(bodies, capabilities), rest, links)

    def join(self, said: Composed, followup: Composed, capabilities: Capabilities) -> Composed:
        """Append a question to what is said, in the same message if possible."""
        return _join_all(said.followed_by(followup), capabilities)

    def _add_review_links(
        self, outgoing: Sequence[Outgoing]
    ) -> tuple[Sequence[Outgoing], list[NewShortLink]]:
        """Put under each item that leads to a review a link to it, if others can open links.

        Returns the items, and the links that were made.
        """
        if not self.short_links.are_reachable:
            return outgoing, []
        links: list[NewShortLink] = []
        items: list[Outgoing] = []
        for item in outgoing:
            if isinstance(item, Say) and item.link == "review":
                links.append(self.short_links.make("q", target=REVIEW))
                items.append(change(item, markdown=f"{item.markdown}\n\n{links[-1].url}"))
            else:
                items.append(item)
        return items, links

    def _bodies(
        self, outgoing: Sequence[Outgoing], capabilities: Capabilities, language: str
    ) -> Iterator[Body]:
        linked = [self._linked(item, capabilities) for item in outgoing]
        if capabilities.rich:
            yield from render_rich(linked, capabilities, language)
            return
        for item in linked:
            yield from render_outgoing(item, capabilities, language)

    def _pages(
        self, item: Outgoing, capabilities: Capabilities, language: str
    ) -> tuple[list[Body], list[TextBody]]:
        """Return the bodies that are sent now, and the pages that follow on request; an item with
        options is sent whole."""
        one_page = capabilities.with_max_text(capabilities.page or capabilities.max_text)
        whole = [*self._bodies([item], one_page, language)]
        if len(whole) <= 1 or not isinstance(item, Say) or item.buttons:
            return whole, []
        line = more_hint(language)
        pages = [
            body
            for body in self._bodies([item], reserve_footer(capabilities, line), language)
            if isinstance(body, TextBody)
        ]
        return [append_footer(pages[0], line)], pages[1:]

    def _linked(self, item: Outgoing, capabilities: Capabilities) -> Outgoing:
        """Replace a file that the channel cannot carry by a signed link to it."""
        if not isinstance(item, ShareFile) or capabilities.markup == "markdown":
            return item
        if capabilities.carries(item.mime_type, item.size):
            return item
        name = escape_markdown(" ".join(item.filename.split()))
        link = f"[{name}]({self.links.make(item.file_id)})"
        return Say(f"{item.caption}\n\n{link}" if item.caption else link)

    def events(self, outgoing: Sequence[Outgoing], language: str) -> list[Event]:
        """Return the events that show these in a live stream, in the typography of `language`."""
        events: list[Event] = []
        for item in (typeset_outgoing(each, language) for each in outgoing):
            match item:
                case Say(markdown=markdown, shown=False):
                    events.append(Content(markdown))
                case AskQuiz():
                    events.append(
                        QuizAsked(item.id, item.kind, item.question, item.options, item.expires_at)
                    )
                case AskExercise():
                    events += [Content(f"{item.lead}\n\n")] if item.lead else []
                    events.append(show_exercise(item))
                case AskApproval():
                    events.append(AwaitingApproval(item.id, item.kind, item.text))
                case ShareFile():
                    url = self.links.make(item.file_id)
                    events.append(FileMade(item.file_id, item.filename, url, item.size))
                case _:
                    pass
        return events

    def replay(self, body: Body) -> list[Event]:
        """Return the events with which a live stream would have shown a stored delivery."""
        match body:
            case (
                TextBody(quiz=AskQuiz() as asked)
                | TextBody(exercise=AskExercise() as asked)
                | TextBody(approval=AskApproval() as asked)
            ):
                return self.events([asked], "")  # it has its typography
            case TextBody(text=text, header=file):
                return [*self.events([file] if file else [], ""), Content(text)]
            case FileBody(file=file):
                said: list[Event] = [Content(file.caption)] if file.caption else []
                return [*said, *self.events([file], "")]
            case _:
                return []


def _join_all(composed: Composed, capabilities: Capabilities) -> Composed:
    """Join the bodies, and those that would say how to opt out too."""
    offer = composed.opt_out
    if offer:
        offer = replace(offer, bodies=join_bodies(offer.bodies, capabilities))
    bodies = join_bodies(composed.bodies, capabilities)
    return replace(composed, bodies=bodies, opt_out=offer)


def show_exercise(asked: AskExercise) -> ExerciseAsked:
    """Return the event that shows an exercise."""
    return ExerciseAsked(
        asked.id,
        asked.statement,
        asked.kind,
        asked.options,
        asked.unit,
        asked.skill,
        asked.hints_left,
        asked.tries,
        asked.expires_at,
    )
