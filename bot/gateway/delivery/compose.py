"""Compose deliveries in the form of a channel, and the events that show them in a live stream.

On channels where each message is paid, bodies that fit one message are joined: a text and the
question after it, a text and its picture or document, a picture over buttons. The content stays the
same, and parts that are too long for one message stay apart.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from msgspec.structs import replace as change

from bot.contracts.channels import Capabilities
from bot.events import AwaitingApproval, Content, Event, ExerciseAsked, FileMade, QuizAsked
from bot.files.links import Links
from bot.gateway.deliveries import Composed, more_hint
from bot.gateway.delivery.one_way import compose_one_way
from bot.gateway.short_links import REVIEW, NewShortLink, ShortLinks
from bot.messages.outgoing import (
    AskApproval,
    AskExercise,
    AskQuiz,
    Body,
    Button,
    FileBody,
    Outgoing,
    Say,
    ShareFile,
    TextBody,
)
from bot.render.renderer import (
    MAX_ABOVE_BUTTONS,
    append_footer,
    escape_markdown,
    render_outgoing,
    reserve_footer,
    typeset_outgoing,
)
from bot.render.rich_messages import render_rich
from bot.render.sms import count_cost, count_segments
from bot.render.styled_text import count_utf16

_WITH_CAPTION = ("image/", "video/", "application/", "text/")
"""Beginnings of the types of files under which a channel shows a caption."""
_WITH_BUTTONS = ("image/", "application/pdf")
"""The same of files that can be shown above buttons."""
_SHORT = 100
"""Characters of a short question."""


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
            join = partial(join_bodies, capabilities=capabilities)
            said = compose_one_way(items, capabilities, language, self.short_links, pages, join)
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
        """Append a question to what is said, in the same message if possible, which then ends with
        the link to opt out."""
        if followup.opt_out:
            moved = _join_all(replace(said, opt_out=None).followed_by(followup), capabilities)
            if moved.opt_out and len(moved.opt_out.bodies) == 1:
                return moved
        return _join_all(said.followed_by(followup), capabilities)

    def _add_review_links(
        self, outgoing: Sequence[Outgoing]
    ) -> tuple[Sequence[Outgoing], list[NewShortLink]]:
        """Put under each item that leads to a review a link to it, if others can open links.

        Returns the items, and the links that were made.
        """
        leads = any(isinstance(item, Say) and item.link == "review" for item in outgoing)
        if not (leads and self.short_links.are_reachable):
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
                    events += [Content(item.caption)] if item.caption else []
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
                return self.events([file], "")
            case _:
                return []


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


# Joining bodies -------------------------------------------------------------------------------


def join_bodies(bodies: Sequence[Body], capabilities: Capabilities) -> list[Body]:
    """Return the same bodies in as few messages as the channel can carry, in the same order."""
    if not capabilities.joins:
        return list(bodies)
    joined: list[Body] = []
    for body in bodies:
        joined.append(body)
        while len(joined) > 1 and (one := _join(joined[-2], joined[-1], capabilities)) is not None:
            joined[-2:] = [one]
    return joined


def _join_all(composed: Composed, capabilities: Capabilities) -> Composed:
    """Join the bodies, and those that would say how to opt out too."""
    offer = composed.opt_out
    if offer:
        offer = replace(offer, bodies=join_bodies(offer.bodies, capabilities))
    bodies = join_bodies(composed.bodies, capabilities)
    return replace(composed, bodies=bodies, opt_out=offer)


def can_add_buttons(bodies: Sequence[Body], capabilities: Capabilities) -> bool:
    """Return whether a short question with buttons after these bodies costs no message more, where
    messages are paid."""
    if not capabilities.joins:
        return True
    button = Button("", "token")
    question = TextBody("?" * _SHORT, buttons=((button,),), choices=(button,))
    return len(join_bodies([*bodies, question], capabilities)) <= max(len(bodies), 1)


def _join(first: Body, second: Body, capabilities: Capabilities) -> Body | None:
    if isinstance(first, TextBody) and first.asks_number:
        return None
    match first, second:
        case TextBody(choices=(), code_id="", exercise=None), TextBody(code_id=""):
            text = _join_texts(first, second, capabilities)
            segments = count_segments(text).paid if second.segments else 0
            return change(second, text=text, segments=segments) if text else None
        case TextBody(choices=(), code_id="", exercise=None), FileBody(file=ShareFile(caption="")):
            file = second.file
            fits = count_utf16(first.text) <= capabilities.find_max_caption(file.mime_type)
            if not fits or not file.mime_type.startswith(_WITH_CAPTION):
                return None
            return FileBody(change(file, caption=first.text))
        case FileBody(), TextBody(code_id="", header=None):
            return _put_above(first.file, second, capabilities)
        case _:
            return None


def _join_texts(first: TextBody, second: TextBody, capabilities: Capabilities) -> str:
    """Join two texts; empty if they are too long for one message, or would cost more segments."""
    if capabilities.text_unit == "gsm7":
        text = f"{first.text}\n\n{second.text}"
        apart = count_segments(first.text).paid + count_segments(second.text).paid
        fits = count_cost(text) <= capabilities.page and count_segments(text).paid <= apart
        return text if fits else ""
    has_buttons = second.choices or second.asks_number
    limit = MAX_ABOVE_BUTTONS if has_buttons else capabilities.max_text
    return _put_together(first.text, second.text, limit)


def _put_above(file: ShareFile, body: TextBody, capabilities: Capabilities) -> TextBody | None:
    """Return the text with its buttons under a file, whose caption goes before the text."""
    labels = {button.label for row in body.buttons for button in row}
    buttons = sum(map(len, body.buttons))
    if not 0 < buttons <= capabilities.header_buttons or len(labels) < buttons:
        return None
    text = _put_together(file.caption, body.text, MAX_ABOVE_BUTTONS)
    if not text or not file.mime_type.startswith(_WITH_BUTTONS):
        return None
    return change(body, text=text, header=change(file, caption=""))


def _put_together(first: str, second: str, limit: int) -> str:
    """Join two texts; empty if they are too long for one message."""
    text = f"{first}\n\n{second}".strip()
    return text if count_utf16(text) <= limit else ""
