"""Take call markup and thoughts out of a text while it streams, and read the markup as calls."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from bot.agent.calls_in_prose import MarkupSpan, WrittenCall, find_known_name
from bot.agent.calls_in_prose.call_formats import FORMATS, make_tool_call, read_final_answer
from bot.agent.calls_in_prose.json_call_starts import (
    FENCE_RUNS,
    RELEASED,
    SHORTEST_FENCE,
    ShownCodeBlock,
    find_action,
    find_code_end,
    find_fence,
    find_listed,
    find_object,
    is_call,
    opens_in_line,
    opens_line,
)
from bot.agent.calls_in_prose.lenient_xml import ends_in_value
from bot.agent.calls_in_prose.markup_bounds import (
    NAMING,
    ArgumentsEnd,
    MarkupEnd,
    MarkupStart,
    MaybeStart,
    Undecided,
    find_tag,
    find_word,
)
from bot.agent.calls_in_prose.thinking_tags import (
    SortedText,
    add_thought_closings,
    find_thinking_tag,
)
from bot.messages.transcript import ToolCall

MOST_HELD = 64 * 1024
"""Characters of one span; a longer one is taken out of the text and not run."""
_SLICE = 4 * 1024
"""Characters looked at together, so that removing from the front costs little."""
_SLACK = 512
"""Characters beyond `MOST_HELD`, so that every end within it is found first."""
_TRIGGER = re.compile(
    r"`|<(?=[/A-Za-z|｜‖]|\Z)|\{(?=\s{0,20}(?:[\"'“”]|\Z))"
    r"|\[(?=[/TtEe]|\s{0,20}(?:\{\s{0,20}(?:[\"'“”]|\Z)|\Z))|~(?:\Z|~(?:\Z|~))"
    r"|A(?:\Z|c(?:\Z|t(?:\Z|i(?:\Z|o(?:\Z|n(?:\Z|:))))))"
)
"""All that may begin markup or code, also when cut off; `Action:` included."""
_THOUGHT_TRIGGER = re.compile(r"<|\[")


class ToolCallFilter:
    """Lets ordinary text through and holds back what may become call markup, until it is known.

    What it shows is never taken back, holds no call markup outside of code, and does not depend on
    how the text was cut into pieces. Of the white space around markup, what follows it is
    dropped where nothing, a line break or the like stands before it. Never raises.
    """

    def __init__(self, known: Collection[str], *, native: bool) -> None:
        """
        Args:
            known: names of the tools that may be called.
            native: the model has native tool calls, so that what stands in code is an illustration,
                and within a line only JSON that begins with `tool_calls` is a call.
        """
        self.calls: tuple[ToolCall, ...] = ()
        """The calls, once it is closed."""
        self._known = frozenset(known)
        self._native = native
        self._found = FoundCalls(self._known)
        self._shown = ShownText()
        self._sorted = SortedText()
        self._out: list[str] = []
        self._text = ""
        self._at = 0
        self._calm = True
        """Ordinary text is expected, nothing is held, and nothing hangs on what comes next."""
        self._step: Callable[[ToolCallFilter, bool], bool] = ToolCallFilter._in_text
        """Goes on by one thing; False if more text is needed. A bound method would be a cycle."""
        self._ticks = 0
        """Backticks that opened the inline code we are in."""
        self._block: ShownCodeBlock | None = None
        self._plain_until = 0
        """Up to there JSON is no call."""
        self._opening = MarkupStart("stray", 0)
        """Of the span we are in; its `end` is counted from the start of the span."""
        self._ending: MarkupEnd | ArgumentsEnd | None = None
        self._size: int | None = None
        """Characters of the span, once its end is known."""
        self._dropped = 0
        """Characters of the span that were thrown away already."""

    def feed(self, piece: str) -> str:
        """Take a piece of text; return what may be shown now."""
        if self._calm and not _TRIGGER.search(piece):
            self._shown.pieces.append(piece)
            self._sorted.say(piece, piece)
            return piece
        if len(piece) <= _SLICE:
            return self._take(piece)
        cuts = range(0, len(piece), _SLICE)
        return "".join([self._take(piece[at : at + _SLICE]) for at in cuts])

    @property
    def text(self) -> str:
        """All that was shown, without what has turned out to be a thought since."""
        return "".join(self._sorted.said)

    def take_thinking(self) -> str:
        """Return what was found to be a thought since this was asked last."""
        found = self._sorted.thinking
        if not found:
            return ""
        thinking = "".join(found)
        found.clear()
        return thinking

    def close(self) -> str:
        """End the text; return what was held back and is ordinary. The calls are known now."""
        rest = self._take("", final=True)
        rest += self._sorted.close()
        self.calls = self._found.chosen()
        return rest

    def _take(self, piece: str, *, final: bool = False) -> str:
        self._plain_until = max(0, self._plain_until - self._at)
        self._text = self._text[self._at :] + piece
        self._at = 0
        self._out = []
        while self._at < len(self._text) and self._step(self, final):
            pass
        is_held = self._at < len(self._text)
        is_in_code = self._ticks or self._block
        is_open = self._ending or self._sorted.thought
        self._calm = not (is_held or is_in_code or is_open or self._shown.after_markup)
        return "".join(self._out)

    def _in_text(self, final: bool) -> bool:
        trigger = _TRIGGER.search(self._text, self._at)
        self._show(trigger.start() if trigger else len(self._text))
        if not trigger:
            return False
        char = trigger[0][0]
        if char in FENCE_RUNS:
            return self._pass_run(char, final=final)
        sight = None
        if char in "<[":
            sight = find_thinking_tag(self._text, self._at, is_thinking=False, final=final)
        return self._pass_markup(sight or self._look(char, final=final), final=final)

    def _in_thought(self, final: bool) -> bool:
        """Go on within a thought: a closing tag ends it, and so does a call that follows."""
        trigger = _THOUGHT_TRIGGER.search(self._text, self._at)
        self._think(trigger.start() if trigger else len(self._text))
        if not trigger:
            return False
        sight = find_thinking_tag(self._text, self._at, is_thinking=True, final=final)
        if sight is None:
            find = find_tag if trigger[0] == "<" else find_word
            sight = find(self._text, self._at, final=final)
        if isinstance(sight, Undecided):
            return False
        if sight is None or sight.kind == "stray":
            self._think(sight.end if sight else self._at + 1)
        elif sight.kind in ("thought", "answer"):
            self._pass_tag(sight)
        else:
            self._open(replace(sight, closing=add_thought_closings(sight.closing)))
        return True

    def _think(self, end: int) -> None:
        self._sorted.think(self._text[self._at : end])
        self._at = end

    def _end_thought(self) -> None:
        counts = self._sorted.end_thought()
        if counts == ():
            self._found = FoundCalls(self._known)
            self._shown = ShownText()
        elif counts is not None:
            self._found.forget_after(counts)

    def _pass_markup(self, sight: MaybeStart, *, final: bool) -> bool:
        if isinstance(sight, Undecided):
            return False
        if sight is None:
            self._show(self._at + 1)
            return True
        code = (
            find_code_end(self._text, self._at, self._ticks, final=final) if self._ticks else None
        )
        if isinstance(code, Undecided):
            return False
        if code is not None:
            self._show(code)
            return True
        self._ticks = 0
        self._open(sight)
        return True

    def _look(self, char: str, *, final: bool) -> MaybeStart:
        """Return the markup that begins here."""
        if char == "<":
            return find_tag(self._text, self._at, final=final)
        if char == "[" and (word := find_word(self._text, self._at, final=final)):
            return word
        if self._at < self._plain_until or self._ticks:
            return None
        starts_line = opens_line(self._shown.line())
        if char == "A":
            return find_action(self._text, self._at, final=final) if starts_line else None
        if self._native and not starts_line:
            return find_listed(self._text, self._at, final=final)
        return find_object(self._text, self._at, self._known, fenced=False, final=final)

    def _show(self, end: int) -> None:
        written = self._text[self._at : end]
        piece = self._shown.add(written)
        self._at = end
        self._out.append(piece)
        self._sorted.say(piece, written)
        if "\n" in piece:
            self._ticks = 0
            if self._block:
                self._block.in_first_line = False

    def _pass_run(self, char: str, *, final: bool) -> bool:
        """Step over backticks or tildes, which may begin or end code."""
        end = self._run_end(char, final=final)
        if end is None:
            return False
        size = end - self._at
        is_block: bool | Undecided = False
        if size >= SHORTEST_FENCE and not self._ticks:
            is_block = opens_line(self._shown.line())
            if char == "`" and not is_block:
                is_block = opens_in_line(self._text, end, final=final)
        if isinstance(is_block, Undecided):
            return False
        if is_block:
            return self._open_block(end, final=final)
        if char == "`":
            self._ticks = 0 if self._ticks == size else self._ticks or size
        self._show(end)
        return True

    def _open_block(self, end: int, *, final: bool) -> bool:
        if not self._native:
            before = self._shown.end()
            sight = find_fence(self._text, self._at, end, before, self._known, final=final)
            if isinstance(sight, Undecided):
                return False
            if sight:
                self._open(sight)
                return True
        self._enter_block(end)
        return True

    def _enter_block(self, end: int) -> None:
        self._block = ShownCodeBlock(self._text[self._at], end - self._at)
        self._show(end)
        self._step = ToolCallFilter._in_block

    def _in_block(self, final: bool) -> bool:
        block = self._block
        if block is None:
            return False
        start = self._text.find(block.mark, self._at)
        self._show(start if start >= 0 else len(self._text))
        end = self._run_end(block.mark, final=final) if start >= 0 else None
        if end is None:
            return False
        is_over = block.ends(self._text, start, end, self._shown.line(), final=final)
        if isinstance(is_over, Undecided):
            return False
        self._show(end)
        if is_over:
            self._block = None
            self._step = ToolCallFilter._in_text
        return True

    def _run_end(self, char: str, *, final: bool) -> int | None:
        run = FENCE_RUNS[char].match(self._text, self._at)
        end = run.end() if run else self._at + 1
        return None if end == len(self._text) and not final else end

    def _open(self, opening: MarkupStart) -> None:
        if opening.kind in ("stray", "thought", "answer"):
            self._pass_tag(opening)
            return
        self._opening = opening.from_start(self._at)
        self._ending = MarkupEnd(self._opening, single=opening.kind in RELEASED)
        self._size = None
        self._dropped = 0
        self._step = ToolCallFilter._in_span

    def _pass_tag(self, opening: MarkupStart) -> None:
        tag = self._text[self._at : opening.end]
        is_thought = opening.kind != "stray" and not self._sorted.thought
        if is_thought and self._sorted.is_mention(tag, opens=opening.kind == "thought"):
            self._show(opening.end)
            return
        if opening.kind == "thought":
            self._sorted.begin_thought(tag)
        elif opening.kind == "answer":
            self._end_thought()
        self._leave(opening.end)

    def _in_span(self, final: bool) -> bool:
        ending = self._ending
        if ending is None:
            return False
        if self._size is None:
            self._size = ending.find(self._text, self._at, final=final)
            if self._size and isinstance(ending, MarkupEnd) and self._is_name(self._size):
                self._ending = ArgumentsEnd(self._size)
                self._size = None
                return True
        if self._size is None:
            self._drop(ending)
            return False
        if self._dropped + self._size > MOST_HELD:
            self._leave(self._at + self._size)
            return True
        self._finish(self._at + self._size, is_cut=ending.is_cut)
        return True

    def _is_name(self, size: int) -> bool:
        """Return whether the span, `size` long, only names a tool: its arguments may follow it."""
        if self._opening.kind not in ("tool", "call") or self._dropped:
            return False
        return NAMING.fullmatch(self._text, self._at, self._at + size) is not None

    def _drop(self, ending: MarkupEnd | ArgumentsEnd) -> None:
        if self._dropped or len(self._text) - self._at > MOST_HELD + _SLACK:
            size = ending.forget()
            self._dropped += size
            self._at += size

    def _finish(self, end: int, *, is_cut: bool) -> None:
        """Read the span that ends at `end`; if the text broke off in it, perhaps in a value."""
        opening = self._opening
        span = MarkupSpan(opening.kind, self._text[self._at : end], opening.end, opening.name)
        order, written = read_span(span)
        if is_cut and ends_in_value(span.text):
            written = [WrittenCall(call.name, "") for call in written]
        if not is_call(span, written, self._known):
            self._release(end)
            return
        self._sorted.take_markup(span.text, self._found.count())
        self._found.add(order, written, span)
        if answer := read_final_answer(span):
            self._text = self._text[:end] + answer + self._text[end:]
        self._leave(end)

    def _leave(self, end: int) -> None:
        """Leave the markup and take it out."""
        self._at = end
        self._shown.after_markup = True
        self._ending = None
        is_thinking = self._sorted.thought is not None
        self._step = ToolCallFilter._in_thought if is_thinking else ToolCallFilter._in_text

    def _release(self, end: int) -> None:
        """Show the span as ordinary text after all; tags in it are markup all the same."""
        self._ending = None
        self._step = ToolCallFilter._in_text
        self._plain_until = end
        if self._opening.kind == "object_fence":
            run = FENCE_RUNS[self._text[self._at]].match(self._text, self._at)
            self._enter_block(run.end() if run else self._at)


MOST_CALLS = 32
"""In one text; the rest is taken out of it and not run."""


class FoundCalls:
    """Collects calls of known tools by format."""

    def __init__(self, known: Collection[str]) -> None:
        self._known = known
        self._by_format: list[list[tuple[str, WrittenCall, str]]] = [[] for _ in FORMATS]

    def add(self, order: int, written: Sequence[WrittenCall], span: MarkupSpan) -> None:
        """Add what was `written` in `span`, in the format number `order`."""
        found = self._by_format[order]
        for call in written:
            name = find_known_name(call.name, self._known)
            if name and len(found) < MOST_CALLS:
                found.append((name, call, span.text))

    def count(self) -> tuple[int, ...]:
        """Return how many there are by format."""
        return tuple(map(len, self._by_format))

    def forget_after(self, counts: Sequence[int]) -> None:
        """Forget all that came after there were so many."""
        for found, count in zip(self._by_format, counts, strict=True):
            del found[count:]

    def chosen(self) -> tuple[ToolCall, ...]:
        """Return the calls of the first format with a readable one, else of the first at all."""
        chosen = next(filter(_has_readable, self._by_format), None)
        if chosen is None:
            chosen = next((found for found in self._by_format if found), ())
        return tuple(make_tool_call(name, call.arguments, span) for name, call, span in chosen)


def read_span(span: MarkupSpan) -> tuple[int, list[WrittenCall]]:
    """Return the number of the first format that finds calls in `span`, and the calls."""
    for order, markup_format in enumerate(FORMATS):
        if span.kind in markup_format.kinds and (written := markup_format.read(span)):
            return order, written
    return 0, []


def _has_readable(found: list[tuple[str, WrittenCall, str]]) -> bool:
    return any(isinstance(call.arguments, dict) for _, call, _ in found)


LONGEST = 400
"""Characters of it that are kept."""


class ShownText:
    """The end of the text shown so far."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        """What was shown last, at least `LONGEST` characters if there are as many."""
        self.after_markup = False
        """Markup was taken out and nothing was shown since."""

    def add(self, piece: str) -> str:
        """Note that `piece` is shown; return it without white space that is there already."""
        if self.after_markup:
            before = self.end()
            if not before or before[-1] == "\n":
                piece = piece.lstrip()
            elif before[-1].isspace():
                piece = piece.lstrip(" \t")
            self.after_markup = not piece
        self.pieces.append(piece)
        return piece

    def end(self) -> str:
        """Return its last characters, `LONGEST` at most."""
        end = "".join(self.pieces)[-LONGEST:]
        self.pieces = [end]
        return end

    def line(self) -> str:
        """Return what was shown of the current line, or the end of that."""
        return self.end().rpartition("\n")[2]
