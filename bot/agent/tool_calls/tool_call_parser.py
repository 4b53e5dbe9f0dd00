"""Separate call markup and thoughts from an answer's text while it streams, and read the calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

import regex

from bot.agent.tool_calls.answer_text import AnswerText, FoundCall
from bot.agent.tool_calls.call_markup import (
    UNDECIDED,
    Marker,
    MarkupEnd,
    Undecided,
    compile_growing,
    find_known_name,
    find_marker,
)
from bot.agent.tool_calls.families import END, Place
from bot.agent.tool_calls.read_calls import (
    ends_in_value,
    is_react,
    read_calls,
    read_final_answer,
)
from bot.messages.transcript import ToolCall

MOST_HELD = 64 * 1024
"""Most characters of one markup; a longer one is taken out of the text and not run."""
_SLICE = 4 * 1024
"""Characters that are processed together, so that removing from the front costs little."""
_SLACK = 512
"""Extra characters beyond `MOST_HELD`, so that every end within it is found first."""
_TRIGGER = re.compile(
    r"`|<(?=[/A-Za-z|｜‖]|\s?(?:[|｜‖]|\Z))|\{(?=\s{0,20}(?:[\"'“”]|\Z))|\](?=<|\Z)|◁"
    r"|\[(?=[/A-Za-z\"_]|\s{0,20}(?:\{\s{0,20}(?:[\"'“”]|\Z)|\Z))|~(?:\Z|~(?:\Z|~))"
    r"|A(?:\Z|c(?:\Z|t(?:\Z|i(?:\Z|o(?:\Z|n(?:\Z|:))))))"
)
"""Everything that may begin markup or code, also when cut off; `Action:` included."""
_find_trigger = _TRIGGER.search
_find_visible = re.compile(r"\S").search
_IN_THOUGHT = regex.compile(
    r"[<\[\]◁]|assistant(?:final|commentary|analysis)|call:|Here(?: i|')s my response:"
)
_THOUGHT_PLACES: Final[tuple[Place, ...]] = ("any", "thought")
_SENTENCE_ENDS = ".:!?…。"
_OPEN_JSON = ("[", "{", ",")
_LINE_BEGIN = re.compile(r"(?:[\s>*+-]|\d{1,3}[.)])*+\Z")
_ANNOUNCED = re.compile(r"([A-Za-z_][\w.-]{0,79})[*`_]{0,3}\s{0,4}:?[*`_]{0,3}\s*\Z")
_RUNS: Final = {"`": re.compile("`+"), "~": re.compile("~+")}
_SHORTEST_FENCE = 3
"""Number of backticks or tildes that make a code block."""
_FENCE_ON_LINE = regex.compile(r"(?:`{3,}(?=[^`\n]{0,400}\n)|~{3,}(?=[^\n]{0,400}\n))")
_FENCE_IN_LINE = regex.compile(r"`{3,}(?=[ \t]{0,8}[\w.+:-]{0,40}[ \t]{0,8}\r?\n)")
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
        self._known = frozenset(known)
        self._native = native
        self._schemas = schemas
        self._answer = AnswerText()
        self._said = self._answer.said.append
        self._wrote = self._answer.written.append
        self._out: list[str] = []
        self._text = ""
        """The text that is not processed yet, and the character before it."""
        self._at = 0
        self._calm = False
        """Whether ordinary text is expected: nothing is held back and no markup or code is open."""
        self._step: Callable[[ToolCallParser, bool], bool] = ToolCallParser._in_text
        """Processes one item; False if more text is needed. A bound method would be a cycle."""
        self._ticks = 0
        """Number of backticks that opened the current inline code."""
        self._block_end = ""
        """Pattern of the end of the current code block."""
        self._plain_until = 0
        """Position up to which JSON is no call."""
        self._marker: Marker | None = None
        """The marker of the current markup, which begins the text."""
        self._ending: MarkupEnd | None = None
        self._dropped = 0
        """Number of characters of the markup that were thrown away already."""

    def feed(self, piece: str) -> str:
        """Take a piece of text; return what may be shown now."""
        if self._calm and not _find_trigger(piece):
            self._said(piece)
            self._wrote(piece)
            return piece
        if len(piece) <= _SLICE:
            return self._take(piece)
        cuts = range(0, len(piece), _SLICE)
        return "".join([self._take(piece[at : at + _SLICE]) for at in cuts])

    @property
    def text(self) -> str:
        """All text that was shown, without parts that have since turned out to be thinking."""
        return "".join(self._answer.said)

    def take_thinking(self) -> str:
        """Return the thinking that was found since the last call."""
        thinking = "".join(self._answer.thinking)
        self._answer.thinking.clear()
        return thinking

    def close(self) -> str:
        """End the text; return the held ordinary text. The calls are known afterwards."""
        rest = self._take("", final=True) + self._answer.close()
        self.calls = self._answer.make_calls(self._schemas)
        return rest

    def _take(self, piece: str, *, final: bool = False) -> str:
        done = max(0, self._at - 1)
        self._plain_until = max(0, self._plain_until - done)
        self._text = self._text[done:] + piece
        self._at -= done
        self._out = []
        while self._at < len(self._text) and self._step(self, final):
            pass
        answer = self._answer
        is_open = self._ticks or self._block_end or self._ending or answer.thought
        is_held = self._at < len(self._text)
        self._calm = not (is_held or is_open or answer.after_markup or answer.is_blank)
        return "".join(self._out)

    def _show(self, end: int) -> None:
        piece = self._answer.say(self._text[self._at : end])
        self._at = end
        self._out.append(piece)
        if "\n" in piece:
            self._ticks = 0

    def _in_text(self, final: bool) -> bool:
        find = _find_visible if self._answer.is_blank else _find_trigger
        trigger = find(self._text, self._at)
        self._show(trigger.start() if trigger else len(self._text))
        if not trigger:
            return False
        if trigger[0][0] in _RUNS:
            return self._pass_run(trigger[0][0], final=final)
        sight = find_marker(self._text, self._at, self._places(), self._known, final=final)
        if isinstance(sight, Marker) and self._ticks:
            code_end = self._find_code_end(final=final)
            if isinstance(code_end, int):
                self._show(code_end)
                return True
            sight = code_end or sight
        if isinstance(sight, Undecided):
            return False
        if sight:
            self._ticks = 0
            self._open(sight)
        else:
            self._show(self._at + 1)
        return True

    def _places(self) -> list[Place]:
        """Return the places of markup that apply at this point of the text."""
        places: list[Place] = ["any", "start"] if self._answer.is_blank else ["any"]
        if self._at < self._plain_until or self._ticks:
            return places
        before = self._answer.end()
        last = before.rstrip()[-1:]
        is_line = self._opens_line() and last not in _OPEN_JSON
        places.append("json")
        if is_line or not self._native:
            places.append("line")
        if is_line or last in _SENTENCE_ENDS:
            places.append("list")
        return places

    def _opens_line(self) -> bool:
        return _LINE_BEGIN.match(self._answer.end().rpartition("\n")[2]) is not None

    def _find_code_end(self, *, final: bool) -> int | Undecided | None:
        """Return where the current inline code is closed; None if it is not closed on its line and
        therefore no code."""
        text, at = self._text, self._at
        line = text.find("\n", at, at + _LONGEST_CODE)
        limit = line if line >= 0 else at + _LONGEST_CODE
        end = text.find("`" * self._ticks, at, limit)
        if end >= 0:
            return end
        return UNDECIDED if line < 0 and len(text) < limit and not final else None

    def _pass_run(self, char: str, *, final: bool) -> bool:
        """Step over backticks or tildes, which may begin or end code."""
        run = _RUNS[char].match(self._text, self._at)
        end = run.end() if run else self._at + 1
        if end == len(self._text) and not final:
            return False
        size = end - self._at
        if size >= _SHORTEST_FENCE and not self._ticks:
            is_fence = self._pass_fence(end, final=final)
            if is_fence is not None:
                return is_fence
        if char == "`":
            self._ticks = 0 if self._ticks == size else self._ticks or size
        self._show(end)
        return True

    def _pass_fence(self, end: int, *, final: bool) -> bool | None:
        """Enter the code block that opens with the marks up to `end`, or the call in its form.
        Return whether that is done; None if there is no block."""
        opens_line = self._opens_line()
        pattern = _FENCE_ON_LINE if opens_line else _FENCE_IN_LINE
        fence = pattern.match(self._text, self._at, partial=True)
        if not self._native and (opens_line or (fence and (final or not fence.partial))):
            announced = _ANNOUNCED.search(self._answer.end()[-100:])
            name = find_known_name(announced[1], self._known) if announced else ""
            places: list[Place] = ["block", "announced"] if name else ["block"]
            sight = find_marker(self._text, self._at, places, self._known, final=final)
            if isinstance(sight, Undecided):
                return False
            if sight:
                self._open(replace(sight, name=sight.name or name))
                return True
        if fence and fence.partial and not final:
            return False
        if fence:
            self._enter_block(end)
        return True if fence else None

    def _enter_block(self, end: int) -> None:
        self._answer.enter_block()
        marks = f"{self._text[self._at]}{{{end - self._at},}}"
        rest = rf"[ \t]{{0,40}}(?:\r?(?=\n)|(?=</)|{END})"
        self._block_end = rf"(?<=\n)[ \t>]{{0,20}}{marks}{rest}"
        self._show(end)
        self._step = ToolCallParser._in_block

    def _in_block(self, final: bool) -> bool:
        pattern = compile_growing(self._block_end, final=final)
        found = pattern.search(self._text, self._at, partial=not final)
        self._show(found.start() if found else len(self._text))
        if not found or found.partial:
            return False
        self._show(found.end())
        self._block_end = ""
        self._step = ToolCallParser._in_text
        return True

    def _in_thought(self, final: bool) -> bool:
        """Process text within a thought, which ends at a closing tag or at a call."""
        trigger = _IN_THOUGHT.search(self._text, self._at, partial=not final)
        self._think(trigger.start() if trigger else len(self._text))
        if not trigger or trigger.partial:
            return False
        sight = find_marker(self._text, self._at, _THOUGHT_PLACES, self._known, final=final)
        if isinstance(sight, Marker):
            self._open(sight)
        elif sight is None:
            self._think(self._at + 1)
        return sight is not UNDECIDED

    def _think(self, end: int) -> None:
        self._answer.think(self._text[self._at : end])
        self._at = end

    def _open(self, marker: Marker) -> None:
        if marker.family.mark != "call":
            self._pass_tag(marker)
            return
        start = self._at
        self._plain_until = max(0, self._plain_until - start)
        self._text, self._at = self._text[start:], 0
        self._marker = replace(marker, end=marker.end - start, body=marker.body - start)
        self._ending = MarkupEnd(self._marker, in_thought=self._answer.thought is not None)
        self._dropped = 0
        self._step = ToolCallParser._in_markup

    def _pass_tag(self, marker: Marker) -> None:
        answer, mark = self._answer, marker.family.mark
        tag = self._text[self._at : marker.end]
        is_thinking = answer.thought is not None
        is_tag = mark in ("thought", "answer") and not is_thinking
        if is_tag and answer.is_mention(tag, opens=mark == "thought"):
            self._show(marker.end)
            return
        if mark == "answer" or (mark == "header" and is_thinking):
            answer.end_thought()
        elif mark == "thought" and not is_thinking:
            answer.begin_thought(tag, is_certain="last" not in marker.family.traits)
        else:
            answer.take_out(tag)
        self._leave(marker.end)

    def _leave(self, end: int) -> None:
        """Leave the markup, which is taken out of the text."""
        self._at = end
        self._answer.after_markup = True
        self._ending = None
        is_thinking = self._answer.thought is not None
        self._step = ToolCallParser._in_thought if is_thinking else ToolCallParser._in_text

    def _in_markup(self, final: bool) -> bool:
        ending, marker = self._ending, self._marker
        if ending is None or marker is None:
            return False
        end = ending.find(self._text, final=final)
        if end is None:
            if self._dropped or len(self._text) > MOST_HELD + _SLACK:
                size = ending.forget()
                self._dropped += size
                self._text = self._text[size:]
            return False
        if self._dropped + end > MOST_HELD:
            self._leave(end)
            return True
        is_last = "last" in marker.family.traits
        if is_last and not final and not self._text[end:].strip():
            return False
        if is_last and self._text[end:].strip():
            self._release(end)
        else:
            self._finish(marker, end, is_cut=ending.is_cut)
        return True

    def _finish(self, marker: Marker, end: int, *, is_cut: bool) -> None:
        """Read the markup up to `end`; `is_cut` says that the text broke off in it, perhaps within
        a value."""
        markup = self._text[:end]
        body = markup[marker.body :]
        written = read_calls(marker, markup, self._known)
        if written is None:
            self._release(end)
            return
        if is_cut and (ends_in_value(markup) or not body.strip()):
            written = [replace(call, arguments="") for call in written]
        dialect = "react" if marker.family.signs and is_react(body) else marker.family.dialect
        named = [(find_known_name(call.name, self._known), call) for call in written]
        calls = [FoundCall(dialect, name, call, markup) for name, call in named if name]
        self._answer.take_out_calls(markup, calls)
        if dialect == "react" and (answer := read_final_answer(body)):
            self._text = self._text[:end] + answer + self._text[end:]
        self._leave(end)

    def _release(self, end: int) -> None:
        """Show the markup as ordinary text after all; tags within it remain markup."""
        self._ending = None
        self._step = ToolCallParser._in_text
        self._plain_until = end
        run = _RUNS[self._text[0]].match(self._text) if self._text[0] in _RUNS else None
        if run:
            self._enter_block(run.end())
        else:
            self._show(1)
