"""Write messages to people who cannot answer them: no options, but links to short pages.

A question and a reminder to review lead to `/q`, a long answer and other reminders to `/m`, which
shows all of it. Each costs no more segments than it would with options; the first message to a
number says how to opt out.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import msgspec

from bot.billing.packs import BUY_PAGE
from bot.contracts.channels import UNLIMITED, Capabilities
from bot.gateway.deliveries import Composed
from bot.gateway.inbound.command_parser import find_command
from bot.gateway.short_links import REVIEW, NewShortLink, OptOutOffer, ShortLinks
from bot.i18n import say
from bot.messages.outgoing import (
    AskApproval,
    AskExercise,
    AskQuiz,
    Body,
    Outgoing,
    Say,
    SendCode,
    TextBody,
    sum_segments,
)
from bot.render.renderer import render_outgoing
from bot.render.sms import count_segments, drop_emoji, to_gsm7
from bot.typography import to_ordinary_signs

LEAST_TEXT = 40
"""Characters of a text that are kept before its links, however many segments that takes."""
_SEGMENT = 160
_OPENING = re.compile(r"\s[\"«“(]\s*\Z")
"""A quote or bracket at the end that opens nothing any more."""
_COMMAND = re.compile(r"(?<![\w/.:])/([^\W\d_]{2,14})(?![\w/])")
_WORD = re.compile(
    r"\b(?i:reply|write|send|réponds|écris|envoie)(?: again| encore)? ([A-ZÀ-Ý]{4,14})(?!\w)"
)
"""A command without its slash, as phones show it in capitals."""
_SENTENCE_END = re.compile(r"(?<=[.!?…])\s+")
_EMPTY_LINES = re.compile(r"\n{3,}")
WritePages = Callable[[Outgoing], tuple[list[Body], list[TextBody]]]
"""Renders an item as for people who can answer: the bodies sent at once, the pages on request."""
Join = Callable[[Sequence[Body]], Sequence[Body]]
"""Joins bodies into as few messages as the channel can carry."""


@dataclass(frozen=True, slots=True)
class Message:
    """The message that is sent for one `Outgoing`.

    Args:
        bodies: all of it, without links; the links go under the last, if that is a text.
        link: to its page.
        line: says where the link leads.
        segments: the most that the message may take, to which its text is cut; 0: it is not cut.
        is_strict: it takes no more segments, with a link to opt out either, however little of its
            text is left: its page has all of it.
    """

    bodies: Sequence[Body]
    link: NewShortLink | None = None
    line: str = ""
    segments: int = 0
    is_strict: bool = False

    def write(self, opt_out: str = "") -> list[Body]:
        """Write the message with its link, and under that the opt-out line; a notice ends with its
        own link, and has the opt-out line above that if there is room for it."""
        if not self.bodies or not isinstance(last := self.bodies[-1], TextBody):
            return [*self.bodies]
        lines = [line for line in (self.line, opt_out) if line]
        if not lines:
            return [*self.bodies]
        if self.is_strict:
            text = _fit_notice(last.text, opt_out, self.line, self.segments)
        else:
            text = fit_text(last.text, lines, self.segments)
        paid = count_segments(text).paid
        return [*self.bodies[:-1], msgspec.structs.replace(last, text=text, segments=paid)]


def compose_one_way(
    outgoing: Sequence[Outgoing],
    capabilities: Capabilities,
    language: str,
    links: ShortLinks,
    write_pages: WritePages,
    join: Join,
) -> Composed:
    """Compose deliveries to a person who cannot answer; `join` is applied to them afterwards.

    If people cannot open our pages (no `PUBLIC_URL`), these are plain texts, and long answers are
    sent whole.
    """
    writer = _Writer(capabilities, language, links if links.are_reachable else None, write_pages)
    messages = [writer.make(item) for item in outgoing]
    plain = [body for message in messages for body in message.write()]
    kept = [message.link for message in messages if message.link]
    if not links.are_reachable:
        return Composed(plain)
    offer = _offer_opt_out(messages, links.make("stop"), language, join)
    if offer and any(isinstance(item, Say) and item.link == "stop" for item in outgoing):
        return Composed(offer.bodies, links=[*kept, offer.link])
    return Composed(plain, links=kept, opt_out=offer)


def _offer_opt_out(
    messages: Sequence[Message], link: NewShortLink, language: str, join: Join
) -> OptOutOffer | None:
    """Return the messages with an opt-out line at the end of the first SMS: in the last message
    that is joined to it, or else in the first that has room for the line, if any has."""
    line = _spell(say(language, "Stop SMS: {url}", url=link.url))
    offer: OptOutOffer | None = None
    for nth in reversed(range(len(messages))):
        said = messages[nth].write(line)
        if not _has_line(said[-1:], line):
            continue
        before = [body for each in messages[:nth] for body in each.write()]
        after = [body for each in messages[nth + 1 :] for body in each.write()]
        offer = OptOutOffer([*before, *said, *after], link)
        if _has_line(join(offer.bodies)[:1], line):
            return offer
    return offer


def _has_line(bodies: Sequence[Body], line: str) -> bool:
    return any(isinstance(body, TextBody) and line in body.text for body in bodies)


@dataclass(frozen=True, slots=True)
class _Writer:
    capabilities: Capabilities
    language: str
    links: ShortLinks | None
    """None: people cannot open our pages."""
    write_pages: WritePages

    def make(self, item: Outgoing) -> Message:
        match item:
            case Say():
                return self._say(item)
            case AskApproval():
                return self._say(Say(item.text))
            case AskQuiz():
                return self._ask(item, item.question, f"quiz:{item.id}")
            case AskExercise():
                words = "\n\n".join(filter(None, (item.lead, item.statement)))
                return self._ask(item, words, f"exercise:{item.id}")
            case SendCode():
                return Message(self.write_pages(item)[0])
            case _:
                return Message(render_outgoing(item, self.capabilities, self.language))

    def _say(self, item: Say) -> Message:
        is_notice = item.link in ("page", "review")
        if not is_notice:
            item = msgspec.structs.replace(item, markdown=drop_commands(item.markdown))
        bare = Say(item.markdown, keeps_letters=item.keeps_letters)
        if self.links is None:
            return Message(render_outgoing(bare, self.capabilities, self.language))
        at_once, later = self.write_pages(item)
        if item.link == "question":
            link = self.links.make("q", target=item.target)
            return self._lead_to(link, self._write_whole(bare), at_once)
        if not is_notice and not later and len(at_once) < 2:
            return Message(self._write_whole(bare))
        target = f"{self.language} {item.target}".strip()
        link = self.links.make("m", target=target, body=item.markdown)
        if item.link == "review":
            link = self.links.make("q", target=REVIEW)
        whole = self._write_whole(bare)
        if is_notice:
            return Message(whole, link, link.url, segments=1, is_strict=True)
        line = _spell(say(self.language, "Read it all: {url}", url=link.url))
        return Message(whole, link, line, sum_segments(at_once))

    def _ask(self, item: AskQuiz | AskExercise, words: str, target: str) -> Message:
        """Write a question, and under it the link to its page. A typed answer counts if it does
        reach us."""
        with_options = self.write_pages(item)[0]
        whole = self._write_whole(Say(words, keeps_letters=item.keeps_letters))
        asked = with_options[-1]
        if isinstance(asked, TextBody) and whole:
            choices = msgspec.structs.replace(
                whole[-1], choices=asked.choices, exercise=asked.exercise
            )
            whole = [*whole[:-1], choices]
        if self.links is None:
            return Message(whole)
        link = self.links.make("q", target=target)
        return self._lead_to(link, whole or [TextBody("")], with_options)

    def _lead_to(
        self, link: NewShortLink, whole: Sequence[TextBody], with_options: Sequence[Body]
    ) -> Message:
        """Put under a text the link to the page on which it is answered."""
        line = say(self.language, "Answer: {url}", url=link.url)
        if link.target == BUY_PAGE:
            line = say(self.language, "Buy: {url}", url=link.url)
        return Message(whole, link, _spell(line), sum_segments(with_options))

    def _write_whole(self, said: Say) -> list[TextBody]:
        """Render Markdown as one text, however long; none if it is blank."""
        unlimited = replace(self.capabilities, max_text=UNLIMITED, page=0)
        bodies = render_outgoing(said, unlimited, self.language)
        return [body for body in bodies if isinstance(body, TextBody)]


def drop_commands(markdown: str) -> str:
    """Leave out the sentences that name a command, as the person cannot send it.

    They stay where nothing else is said, and where code is shown. So do those about erasing, which
    goes on by a command only.
    """
    if "`" in markdown or not _names_command(markdown):
        return markdown
    kept: list[str] = []
    for line in markdown.split("\n"):
        said = " ".join(each for each in _SENTENCE_END.split(line) if not _names_command(each))
        if said or not line:
            kept.append(line if not _names_command(line) else said)
    text = _EMPTY_LINES.sub("\n\n", "\n".join(kept)).strip()
    return text or markdown


def _names_command(text: str) -> bool:
    found = (*_COMMAND.finditer(text), *_WORD.finditer(text))
    names = {find_command(each[1]) for each in found}
    return bool(names - {"", "delete"})


def fit_text(text: str, lines: Sequence[str], segments: int, *, least: int = LEAST_TEXT) -> str:
    """Put the lines under the text, cut at a word to fit the segments if needed; 0: it is not cut.

    At least `least` characters of the text are kept, even if that takes more segments.
    """
    whole = _join(text, lines)
    if not segments or count_segments(whole).paid <= segments:
        return whole
    most = segments
    while True:
        kept = _find_longest(text, lines, most)
        if kept >= min(len(text), least):
            return _cut(text, lines, kept)
        most += 1


def _fit_notice(text: str, opt_out: str, line: str, segments: int) -> str:
    """Put the lines under the text in no more than these segments: without emoji, if those are in
    the way, then cut.

    The opt-out line is left out where it would leave less than `LEAST_TEXT` of what fits without.
    """
    if count_segments(_join(text, [opt_out, line])).paid > segments:
        text = to_gsm7(drop_emoji(text))
    alone = _find_longest(text, [line], segments)
    if opt_out and _find_longest(text, [opt_out, line], segments) >= min(alone, LEAST_TEXT):
        return fit_text(text, [opt_out, line], segments, least=0)
    return fit_text(text, [line], segments, least=0)


def _find_longest(text: str, lines: Sequence[str], segments: int) -> int:
    """Return how many characters of the text fit above the lines; 0: none do."""
    low, high = 0, min(len(text), segments * _SEGMENT)
    while low < high:
        middle = (low + high + 1) // 2
        if count_segments(_cut(text, lines, middle)).paid <= segments:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(text: str, lines: Sequence[str], length: int) -> str:
    """Cut the text at the end of a word, and put the lines under it. What is left is converted to
    GSM-7 again, as the signs that prevented it may be cut off."""
    start = text[:length]
    if length < len(text):
        head, space, tail = start.rpartition(" ")
        start = head if space and len(tail) < LEAST_TEXT // 2 and len(head) > 0 else start
        start = f"{to_gsm7(_OPENING.sub('', start).rstrip())}..."
    return _join(start, lines)


def _join(text: str, lines: Sequence[str]) -> str:
    return "\n".join(filter(None, (text, *lines)))


def _spell(line: str) -> str:
    return to_gsm7(to_ordinary_signs(line))
