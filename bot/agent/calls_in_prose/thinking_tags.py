"""Find the tags between which models think, and keep thoughts and answer apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from bot.agent.calls_in_prose.markup_bounds import UNDECIDED, MarkupStart, MaybeStart

_OPENINGS = (
    "<think>",
    "<thinking>",
    "<seed:think>",
    "<mm:think>",
    "[THINK]",
    "<|START_THINKING|>",
)
_CLOSINGS = (
    "</think>",
    "</thinking>",
    "</seed:think>",
    "</mm:think>",
    "[/THINK]",
    "<|END_THINKING|>",
    "<channel|>",
)
_LONGEST_TAG = max(map(len, (*_OPENINGS, *_CLOSINGS)))
_CHANNEL = "<|channel>thought\n"
_CHANNEL_WORD = re.compile(r"thought(?:\n|(?=<))")
"""What Gemma writes at the beginning of a thought."""
_HEADER = re.compile(
    r"(?:<\|(?:start|channel|constrain)\|>[^<>]{0,80}){1,5}<\|message\|>|<\|(?:end|return|call)\|>"
)
"""What stands between the messages of an answer in the Harmony format (gpt-oss)."""
_HEADER_CUT = re.compile(
    r"(?:<\|(?:start|channel|constrain)\|>[^<>]{0,80}){0,5}(?:<(?:\|(?:\w{1,10}\|?)?)?)?\Z"
)
_RECIPIENT = re.compile(r"\bto=functions\.([\w.-]{1,80})")
_END_OF_MESSAGE = re.compile(r"<\|(?:end|return|call|start|channel)\|>")


def find_thinking_tag(text: str, at: int, *, is_thinking: bool, final: bool) -> MaybeStart:
    """Return the tag that begins at `at` and opens or closes a thought.

    A closing tag counts outside of a thought too: many templates open the thought in the prompt.
    """
    if text.startswith("<|", at) and (header := _find_header(text, at, is_thinking, final=final)):
        return header
    if text.startswith("<|channel>", at):
        return _find_channel(text, at, final=final)
    tags = _CLOSINGS if is_thinking else (*_CLOSINGS, *_OPENINGS)
    if tag := next((tag for tag in tags if text.startswith(tag, at)), ""):
        return MarkupStart("answer" if tag in _CLOSINGS else "thought", at + len(tag))
    rest = text[at : at + _LONGEST_TAG]
    return UNDECIDED if not final and any(tag.startswith(rest) for tag in tags) else None


def _find_channel(text: str, at: int, *, final: bool) -> MaybeStart:
    if not final and _CHANNEL.startswith(text[at:]):
        return UNDECIDED
    end = at + len("<|channel>")
    word = _CHANNEL_WORD.match(text, end)
    return MarkupStart("thought", word.end() if word else end)


def _find_header(text: str, at: int, is_thinking: bool, *, final: bool) -> MaybeStart:
    if not (header := _HEADER.match(text, at)):
        return UNDECIDED if not final and _HEADER_CUT.match(text, at) else None
    if recipient := _RECIPIENT.search(header[0]):
        is_object = text.startswith("{", header.end())
        if header.end() == len(text) and not final:
            return UNDECIDED
        return MarkupStart(
            "message", header.end(), _END_OF_MESSAGE, braces=is_object, name=recipient[1]
        )
    if "<|channel|>analysis" in header[0]:
        return MarkupStart("thought", header.end())
    return MarkupStart("answer" if is_thinking else "stray", header.end())


@lru_cache(maxsize=64)
def add_thought_closings(closing: re.Pattern[str] | None) -> re.Pattern[str]:
    """Return what ends call markup within a thought: also the end of the thought, before it."""
    tags = "|".join(map(re.escape, _CLOSINGS))
    return re.compile(f"{closing.pattern}|(?={tags})" if closing else f"(?={tags})", re.IGNORECASE)


@dataclass(slots=True)
class OpenThought:
    """A thought that is not closed yet."""

    opening: str
    """Its tag, if it stands after text and may only be mentioned there; else empty."""
    pieces: list[str] = field(default_factory=list[str])
    """What stands in it, if it may turn out to be text after all."""
    held: list[str] | None = None
    """What was written since the first call in it: part of the thought once that is closed."""
    calls_before: tuple[int, ...] = ()
    """How many calls there were before it."""


class SortedText:
    """Answer and thoughts of one text."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.written: list[str] | None = []
        """All so far, markup included, as long as a closing tag may make a thought of it."""
        self.thinking: list[str] = []
        """Thoughts that were not asked for yet."""
        self.thought: OpenThought | None = None
        self._mentions = 0
        """Opening tags within the answer that are not closed yet."""

    @property
    def is_blank(self) -> bool:
        """Whether nothing was said yet."""
        return not any(piece.strip() for piece in self.said)

    def say(self, piece: str, written: str) -> None:
        self.said.append(piece)
        if self.written is not None:
            self.written.append(written)

    def think(self, piece: str) -> None:
        """Add to the open thought."""
        thought = self.thought
        if thought and thought.held is not None:
            thought.held.append(piece)
        elif thought and piece:
            self.thinking.append(piece)
            if thought.opening:
                thought.pieces.append(piece)

    def take_markup(self, written: str, calls: tuple[int, ...]) -> None:
        """Note the markup of a call; `calls` were there before it. In a thought it ends that."""
        if self.thought:
            if self.thought.held is None:
                self.thought.held = []
                self.thought.calls_before = calls
            self.thought.held.append(written)
        elif self.written is not None:
            self.written.append(written)

    def is_mention(self, tag: str, *, opens: bool) -> bool:
        """Return whether the tag stands within the answer, where it is text. A closing one is,
        where such an opening one stands before it."""
        if not opens:
            self._mentions -= (is_mention := self._mentions > 0)
            return is_mention
        is_plain = tag.startswith("<") and not tag.startswith("<|")
        is_mention = is_plain and not self.is_blank
        self._mentions += is_mention
        return is_mention

    def begin_thought(self, opening: str) -> None:
        is_first = self.is_blank
        if is_first:
            self.said.clear()
        self.thought = OpenThought("" if is_first else opening)
        self.written = None

    def end_thought(self) -> tuple[int, ...] | None:
        """End the thought, or make one of all that was written so far. Return how many calls were
        there before it: later ones are part of it. None: all count."""
        thought, self.thought = self.thought, None
        written, self.written = self.written, None
        if thought:
            self.thinking += thought.held or ()
            return thought.calls_before if thought.held is not None else None
        if written is None:
            return None
        self.thinking += written
        self.said.clear()
        return ()

    def close(self) -> str:
        """End the text; return an opening tag that was only mentioned, and what followed it."""
        thought, self.thought = self.thought, None
        if not thought or not thought.opening or thought.held is not None:
            return ""
        mentioned = "".join([thought.opening, *thought.pieces])
        self.said.append(mentioned)
        return mentioned
