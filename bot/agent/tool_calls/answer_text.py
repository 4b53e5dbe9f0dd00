"""Separate the parts of an answer: its text, its thoughts and its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from bot.agent.tool_calls.families import FAMILIES
from bot.agent.tool_calls.read_calls import WrittenCall, make_tool_call
from bot.messages.transcript import ToolCall

MOST_CALLS = 32
"""Most calls in one text; further ones are taken out of it and not run."""
_LONGEST_END = 400
"""Characters at the end of the text that are looked at to classify what follows."""
_DIALECTS: Final = tuple(dict.fromkeys(family.dialect for family in FAMILIES))


@dataclass(frozen=True, slots=True)
class FoundCall:
    """A call of the known tool `name`, and the markup that it was read in."""

    dialect: str
    name: str
    written: WrittenCall
    markup: str


@dataclass(slots=True)
class OpenThought:
    """A thought that is not closed yet."""

    opening: str
    """Its opening tag, if it may turn out to be text after all; otherwise empty."""
    pieces: list[str] = field(default_factory=list[str])
    """Its content, if it may turn out to be text after all."""
    pending: str = ""
    """Markup without a body: part of the thought, unless a call follows directly."""
    held: list[str] | None = None
    """The text since the first call in the thought: part of it once the thought is closed."""
    calls_before: int = 0


class AnswerText:
    """The text, the thoughts and the calls of one answer."""

    def __init__(self) -> None:
        self.said: list[str] = []
        self.written: list[str] = []
        """All text so far, markup included: a closing tag may turn it into a thought."""
        self.thinking: list[str] = []
        """Thoughts that the caller has not taken yet."""
        self.thought: OpenThought | None = None
        self.is_blank = True
        """Whether the answer has no visible text yet."""
        self.after_markup = False
        """Whether markup was taken out and no text has followed."""
        self._found: list[FoundCall] = []
        self._may_be_thought = True
        self._mentions = 0
        """Number of opening tags within the answer that are not closed yet."""
        self._calls_before: int | None = None
        """Number of calls before the last ones, if a code block may have ended right before
        these."""

    def say(self, written: str) -> str:
        """Add text to the answer; return the part to show, without doubled white space."""
        piece = written
        if self.after_markup:
            before = self.end()[-1:]
            if not before.strip():
                piece = written.lstrip(" \t" if before.strip("\n") else None)
            self.after_markup = not piece
        self.said.append(piece)
        self.written.append(written)
        if piece.strip():
            self.is_blank, self._calls_before = False, None
        return piece

    def end(self) -> str:
        """Return the last characters of the answer."""
        size = taken = 0
        for piece in reversed(self.said):
            size += len(piece)
            taken += 1
            if size >= _LONGEST_END:
                break
        end = "".join(self.said[len(self.said) - taken :])
        self.said[len(self.said) - taken :] = [end[:-_LONGEST_END], end[-_LONGEST_END:]]
        return self.said[-1]

    def think(self, piece: str) -> None:
        """Add text to the open thought."""
        thought = self.thought
        if not thought or not piece:
            return
        if thought.pending and not piece.strip():
            thought.pending += piece
            return
        piece, thought.pending = thought.pending + piece, ""
        (self.thinking if thought.held is None else thought.held).append(piece)
        if thought.opening:
            thought.pieces.append(piece)

    def take_out(self, markup: str) -> None:
        """Record markup without a body, which is not shown."""
        self.after_markup = True
        if self.thought:
            self.thought.pending += markup
        else:
            self.written.append(markup)

    def take_out_calls(self, markup: str, calls: Sequence[FoundCall]) -> None:
        """Record the markup of calls; `calls` are those of known tools. The calls end an open
        thought, unless its closing tag still follows."""
        self.after_markup = True
        if self._calls_before is None and self.end().rstrip().endswith(("```", "~~~")):
            self._calls_before = len(self._found)
        if thought := self.thought:
            if thought.held is None:
                thought.held, thought.calls_before = [], len(self._found)
            thought.held += (thought.pending, markup)
            thought.pending = ""
        else:
            self.written.append(markup)
        for call in calls:
            if sum(one.dialect == call.dialect for one in self._found) < MOST_CALLS:
                self._found.append(call)

    def enter_block(self) -> None:
        """Record that a code block opens: calls right between it and the block before it are an
        illustration whose blocks are nested wrongly."""
        if self._calls_before is not None:
            del self._found[self._calls_before :]

    def is_mention(self, tag: str, *, opens: bool) -> bool:
        """Return whether the tag is text because it stands within the answer. A closing tag is text
        if an opening one before it was."""
        if not opens:
            self._mentions -= (is_mention := self._mentions > 0)
            return is_mention
        is_plain = tag.startswith("<") and not tag.startswith("<|")
        is_mention = is_plain and not self.is_blank
        self._mentions += is_mention
        return is_mention

    def begin_thought(self, opening: str, *, is_certain: bool) -> None:
        """Begin a thought. If it is not certain, it counts as one only if it is closed."""
        if self.is_blank:
            self.said.clear()
        self.thought = OpenThought("" if self.is_blank and is_certain else opening)
        self._may_be_thought = False

    def end_thought(self) -> None:
        """End the thought, with the calls in it, or turn all text so far into a thought."""
        thought, self.thought = self.thought, None
        may_be, self._may_be_thought = self._may_be_thought, False
        self.after_markup = True
        if thought and thought.held is not None:
            self.thinking += thought.held
            del self._found[thought.calls_before :]
        elif may_be:
            self.thinking += self.written
            self.said.clear()
            self._found.clear()
            self.is_blank = True

    def close(self) -> str:
        """End the text; return an opening tag that was only mentioned, with the text after it."""
        thought, self.thought = self.thought, None
        if not thought or not thought.opening or thought.held is not None:
            return ""
        self.said.append("".join([thought.opening, *thought.pieces, thought.pending]))
        return self.said[-1]

    def make_calls(self, schemas: Mapping[str, Mapping[str, Any]]) -> tuple[ToolCall, ...]:
        """Return the calls of the first dialect with a readable one, else of the first found."""
        readable = {one.dialect for one in self._found if isinstance(one.written.arguments, dict)}
        dialects = readable or {one.dialect for one in self._found}
        chosen = next((dialect for dialect in _DIALECTS if dialect in dialects), "")
        return tuple(
            make_tool_call(one.name, one.written.arguments, one.markup, schemas.get(one.name, {}))
            for one in self._found
            if one.dialect == chosen
        )
