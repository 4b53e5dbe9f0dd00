"""Separate call markup and thoughts from an answer's text while it streams, and read the calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from bot.agent.tool_calls.answer_text import AnswerText
from bot.agent.tool_calls.call_markup import (
    MOST_HELD,
    Growing,
    GrowingText,
    Marker,
    find_end,
    find_known_name,
    find_marker,
)
from bot.agent.tool_calls.families import Place
from bot.agent.tool_calls.read_calls import ends_in_value, is_react, read_calls, read_final_answer
from bot.messages.transcript import ToolCall

_SLICE = 4 * 1024
"""Characters that are processed together, so that removing from the front costs little."""
_TRIGGER = re.compile(
    r"`|<(?=[/A-Za-z|｜‖]|\s?(?:[|｜‖]|\Z))|\{(?=\s{0,20}(?:[\"'“”]|\Z))|\](?=<|\Z)|◁"
    r"|\[(?=[/A-Za-z\"_]|\s{0,20}(?:\{\s{0,20}(?:[\"'“”]|\Z)|\Z))|~(?:\Z|~(?:\Z|~))"
    r"|A(?:\Z|c(?:\Z|t(?:\Z|i(?:\Z|o(?:\Z|n(?:\Z|:))))))"
)
"""Everything that may begin markup or code, also when cut off; `Action:` included."""
_find_trigger = _TRIGGER.search
_find_visible = re.compile(r"\S").search
_IN_THOUGHT = (
    r"[<\[\]◁]|(?-i:assistant(?:final|commentary|analysis)|call:|Here(?: i|')s my response:)"
)
_SENTENCE_ENDS = ".:!?…。"
_OPEN_JSON = ("[", "{", ",")
_LINE_BEGIN = re.compile(r"(?:[\s>*+-]|\d{1,3}[.)])*+\Z")
_ANNOUNCED = re.compile(r"([A-Za-z_][\w.-]{0,79})[*`_]{0,3}\s{0,4}:?[*`_]{0,3}\s*\Z")
_SHORTEST_FENCE = 3
"""Number of backticks or tildes that make a code block."""
_LINE_END = r"(?:\n|¶)"
_FENCE_ON_LINE = rf"(?:`{{3,}}(?=[^`\n]{{0,400}}{_LINE_END})|~{{3,}}(?=[^\n]{{0,400}}{_LINE_END}))"
_FENCE_IN_LINE = rf"`{{3,}}(?=[ \t]{{0,8}}[\w.+:-]{{0,40}}[ \t]{{0,8}}\r?{_LINE_END})"
_LONGEST_CODE = 1_000
"""Characters within which inline code that holds markup must be closed."""


class ToolCallParser:
    """Lets ordinary text through, and holds back text that may become call markup until that is
    decided.

    Text that was shown is never taken back, holds no call markup outside of code, and does not
    depend on how the text was cut into pieces. White space after markup is dropped if none or only
    a blank or line break stands before it. Never raises.
    """

    def __init__(
        self,
        known: Collection[str],
        *,
        native: bool,
        schemas: Mapping[str, Mapping[str, Any]] = MappingProxyType({}),
    ) -> None:
        """
        Args:
            known: names of the tools that may be called.
            native: the model has native tool calls, so that text in code is an illustration, and
                within a line only JSON that begins with `tool_calls` is a call.
            schemas: JSON schemas of the arguments of these tools, where they are known.
        """
        self.calls: tuple[ToolCall, ...] = ()
        """The calls, once the parser is closed."""
        self.taken_back: int | None = None
        """Set once all text before some point has turned out to be thinking: how many characters of
        what `feed` or `close` returned then stand before it."""
        self._known = frozenset(known)
        self._is_native = native
        self._schemas = schemas
        self._answer = AnswerText()
        self._text = GrowingText()
        self._shown: list[str] = []
        """Ordinary text that the caller has not shown yet."""
        self._say: Callable[[str], None] | None = None
        """Adds ordinary text to the answer; None while text is held back, or markup or code is
        open."""
        self._ticks = 0
        """Number of backticks that opened the current inline code."""
        self._released = 0
        """Number of characters ahead that were no call after all: JSON in them is no call."""
        self._reading = self._read()

    def feed(self, piece: str) -> str:
        """Take a piece of text; return what may be shown now."""
        if self._say and not _find_trigger(piece):
            self._say(piece)
            return piece
        for at in range(0, len(piece), _SLICE):
            self._take(piece[at : at + _SLICE])
        return self._take_shown()

    @property
    def text(self) -> str:
        """All text that was shown, without parts that have since turned out to be thinking."""
        return self._answer.text

    def take_thinking(self) -> str:
        """Return the thinking that was found since the last call."""
        thinking = "".join(self._answer.thinking)
        self._answer.thinking.clear()
        return thinking

    def close(self) -> str:
        """End the text; return the held ordinary text. The calls are known afterwards."""
        self._text.is_whole = True
        self._take("")
        rest = self._take_shown() + self._answer.close()
        self._reading.close()  # it refers to the parser
        self.calls = self._answer.make_calls(self._schemas)
        return rest

    def _take(self, piece: str) -> None:
        self._text.add(piece)
        next(self._reading, None)

    def _take_shown(self) -> str:
        shown = "".join(self._shown)
        self._shown.clear()
        return shown

    def _read(self) -> Growing[None]:
        """Read the text to its end, and on: the parser always waits for more."""
        text, answer = self._text, self._answer
        while True:
            while text.at == len(text.text):
                is_open = self._ticks or answer.is_thinking or answer.after_markup
                is_calm = not is_open and not answer.is_blank
                self._say = answer.parts[-1].pieces.append if is_calm else None
                yield
            self._say = None
            yield from self._read_thought() if answer.is_thinking else self._read_text()

    def _pass(self, end: int) -> str:
        passed = self._text.text[self._text.at : end]
        self._text.at = end
        self._released = max(0, self._released - len(passed))
        return passed

    def _show(self, end: int) -> None:
        if end == self._text.at:
            return
        piece = self._answer.say(self._pass(end))
        self._shown.append(piece)
        if "\n" in piece:
            self._ticks = 0

    def _think(self, end: int) -> None:
        self._answer.think(self._pass(end))

    def _read_text(self) -> Growing[None]:
        """Show ordinary text up to what may be markup or code, and read that."""
        text = self._text
        find = _find_visible if self._answer.is_blank else _find_trigger
        trigger = find(text.text, text.at)
        self._show(trigger.start() if trigger else len(text.text))
        if not trigger:
            return
        if trigger[0][0] in "`~":
            yield from self._read_run(trigger[0][0])
            return
        marker = yield from find_marker(text, self._find_places(), self._known)
        if marker and self._ticks:
            closed = rf"[^\n]{{0,{_LONGEST_CODE}}}?(?=`{{{self._ticks}}})"
            if code := (yield from text.match(closed)):
                self._show(code.end())
                return
        if marker:
            self._ticks = 0
            yield from self._read_markup(marker)
        else:
            self._show(text.at + 1)

    def _find_places(self) -> list[Place]:
        """Return the places of markup that apply at this point of the text."""
        places: list[Place] = ["any", "start"] if self._answer.is_blank else ["any"]
        if self._released or self._ticks:
            return places
        end = self._answer.get_end()
        last = end.rstrip()[-1:]
        is_line = _opens_line(end) and last not in _OPEN_JSON
        places.append("json")
        if is_line or not self._is_native:
            places.append("line")
        if is_line or last in _SENTENCE_ENDS:
            places.append("list")
        return places

    def _read_run(self, char: str) -> Growing[None]:
        """Step over backticks or tildes, which may begin or end code."""
        run = yield from self._text.match(rf"{char}++(?=[\s\S]|¶)")
        size = run.end() - run.start() if run else 1
        if size >= _SHORTEST_FENCE and not self._ticks and (yield from self._read_fence(size)):
            return
        if char == "`":
            self._ticks = 0 if self._ticks == size else self._ticks or size
        self._show(self._text.at + size)

    def _read_fence(self, size: int) -> Growing[bool]:
        """Read the code block that opens with a run of `size` marks, or the call in its form.
        Return whether there is one."""
        end = self._answer.get_end()
        opens_line = _opens_line(end)
        fence = _FENCE_ON_LINE if opens_line else _FENCE_IN_LINE
        if not self._is_native and (opens_line or (yield from self._text.match(fence))):
            announced = _ANNOUNCED.search(end[-100:])
            name = find_known_name(announced[1], self._known) if announced else ""
            places: list[Place] = ["block", "announced"] if name else ["block"]
            if marker := (yield from find_marker(self._text, places, self._known)):
                yield from self._read_markup(replace(marker, name=marker.name or name))
                return True
        if not (yield from self._text.match(fence)):
            return False
        yield from self._read_block(size)
        return True

    def _read_block(self, size: int) -> Growing[None]:
        """Show the code block that opens with a run of `size` marks."""
        self._answer.enter_block()
        marks = f"{self._text.text[self._text.at]}{{{size},}}+"
        self._show(self._text.at + size)
        rest = r"[ \t]{0,40}(?:\r?(?=\n)|(?=</)|¶)"
        end = yield from self._text.search(rf"(?<=\n)[ \t>]{{0,20}}{marks}{rest}", self._show)
        if end:
            self._show(end.end())

    def _read_thought(self) -> Growing[None]:
        """Read a thought up to a closing tag or a call, and read that."""
        if not (yield from self._text.search(_IN_THOUGHT, self._think)):
            return
        marker = yield from find_marker(self._text, ("any", "thought"), self._known)
        if marker:
            yield from self._read_markup(marker)
        else:
            self._think(self._text.at + 1)

    def _read_markup(self, marker: Marker) -> Growing[None]:
        if marker.family.mark == "call":
            yield from self._read_call(marker)
            return
        answer, mark = self._answer, marker.family.mark
        end = self._text.at + marker.end
        tag, following = self._text.text[self._text.at : end], self._text.text[end : end + 2]
        is_thinking = answer.is_thinking
        is_tag = mark in ("thought", "answer") and not is_thinking
        if is_tag and answer.is_mention(tag, following, opens=mark == "thought"):
            self._show(end)
            return
        if mark == "answer" or (mark == "header" and is_thinking):
            answer.end_thought()
            if answer.is_blank and not is_thinking:
                self.taken_back = len("".join(self._shown))
        elif mark == "thought" and not is_thinking:
            answer.begin_thought(tag, following, needs_end="last" in marker.family.traits)
        else:
            answer.take_out(tag)
        self._pass(end)
        answer.after_markup = True

    def _read_call(self, marker: Marker) -> Growing[None]:
        text = self._text
        text.begin_markup()
        end = yield from find_end(text, marker, in_thought=self._answer.is_thinking)
        is_cut, end = end is None, len(text.text) if end is None else end
        if text.dropped + end > MOST_HELD:
            self._pass(end)
            self._answer.after_markup = True
            return
        if "last" in marker.family.traits:
            while not text.text[end:].strip() and not text.is_whole:
                yield
            if text.text[end:].strip():
                yield from self._release(end)
                return
        markup = text.text[:end]
        body = markup[marker.body :]
        written = read_calls(marker, markup, self._known)
        if written is None:
            yield from self._release(end)
            return
        if is_cut and (ends_in_value(markup) or not body.strip()):
            written = [replace(call, arguments="") for call in written]
        dialect = (
            "react" if marker.family.proof != "none" and is_react(body) else marker.family.dialect
        )
        named = [(find_known_name(call.name, self._known), call) for call in written]
        calls = [replace(call, name=name) for name, call in named if name]
        self._answer.take_out(markup, dialect, calls)
        self._pass(end)
        if dialect == "react":
            text.text = text.text[:end] + read_final_answer(body) + text.text[end:]

    def _release(self, end: int) -> Growing[None]:
        """Show the markup as ordinary text after all; tags within it remain markup."""
        self._released = end
        run = re.match("`+|~+", self._text.text)
        if run:
            yield from self._read_block(run.end())
        else:
            self._show(1)


def _opens_line(text: str) -> bool:
    """Return whether `text` ends where a line begins, or after the mark of a list or quotation."""
    return _LINE_BEGIN.match(text.rpartition("\n")[2]) is not None
