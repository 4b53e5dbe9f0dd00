"""Separate the parts of an answer: its text, its thoughts and its calls."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final, Literal

from bot.agent.tool_calls.families import FAMILIES
from bot.agent.tool_calls.read_calls import WrittenCall, make_tool_call
from bot.messages.transcript import ToolCall

MOST_CALLS = 32
"""Most calls in one text; further ones are taken out of it and not run."""
_LONGEST_END = 200
"""Characters at the end of the text that are looked at to classify what follows."""
_SENTENCE_ENDS = ".!?…。"
_AFTER_MENTION = " \t\u00a0\u202f\r,.;:!?…)]}>»\"'”’/`*_|&="
"""What stands after a tag that a sentence speaks of."""
_DIALECTS: Final = tuple(dict.fromkeys(family.dialect for family in FAMILIES))

Kind = Literal["text", "thought", "markup", "held"]
"""markup: taken out; held: stands after a call in an open thought, and becomes a part of the
thought once that is closed."""


@dataclass(slots=True)
class Part:
    """A part of an answer, and the calls of known tools in it. What follows may change its kind."""

    kind: Kind
    pieces: list[str]
    dialect: str = ""
    calls: Sequence[WrittenCall] = ()


class AnswerText:
    """The text, the thoughts and the calls of one answer."""

    def __init__(self) -> None:
        self.parts = [Part("text", [])]
        """All of the answer, in order; equal kinds side by side are one part."""
        self.thinking: list[str] = []
        """Thoughts that the caller has not taken yet."""
        self.is_blank = True
        """Whether the answer has no visible text yet."""
        self.after_markup = False
        """Whether markup was taken out and no text has followed."""
        self._opening: int | None = None
        """The part that opened the current thought; it is empty if that is certainly a thought."""
        self._may_be_thought = True
        """Whether a closing tag turns all so far into a thought."""
        self._mentions = 0
        """Number of opening tags within the answer that are not closed yet."""

    @property
    def text(self) -> str:
        """The text that was shown, but for parts that have since turned out to be thinking."""
        return "".join([piece for one in self.parts if one.kind == "text" for piece in one.pieces])

    @property
    def is_thinking(self) -> bool:
        """Whether a thought is open."""
        return self._opening is not None

    def say(self, written: str) -> str:
        """Add text to the answer; return the part to show, without doubled white space."""
        piece = written
        if self.after_markup:
            before = self.get_end()[-1:]
            if not before.strip():
                piece = written.lstrip(" \t" if before.strip("\n") else None)
                self._add("markup", written[: len(written) - len(piece)])
            self.after_markup = not piece
        self._add("text", piece)
        self.is_blank = self.is_blank and not piece.strip()
        return piece

    def get_end(self) -> str:
        """Return the last characters of the text."""
        return _get_end(self.parts)

    def think(self, piece: str) -> None:
        """Add text to the open thought. Markup before it is a part of the thought, too, unless that
        is a call."""
        last = self.parts[-1]
        if last.kind == "held" or (last.kind == "markup" and not piece.strip()):
            self._add(last.kind, piece)
            return
        if last.kind == "markup":
            self._turn_into_thought([last])
        self._add("thought", piece)
        self.thinking.append(piece)

    def take_out(
        self, markup: str, dialect: str = "", calls: Sequence[WrittenCall] | None = None
    ) -> None:
        """Record markup, which is not shown, with the calls of known tools if it is that of calls.
        Calls end an open thought, unless its closing tag still follows."""
        self.after_markup = True
        is_held = self.is_thinking and (calls is not None or self.parts[-1].kind == "held")
        kind = "held" if is_held else "markup"
        if calls:
            self.parts.append(Part(kind, [markup], dialect, calls))
        else:
            self._add(kind, markup)

    def enter_block(self) -> None:
        """Record that a code block opens: calls right between it and the block before it are an
        illustration whose blocks are nested wrongly."""
        between = list(takewhile(_is_invisible, reversed(self.parts)))
        if any(part.calls for part in between):
            before = _get_end(self.parts[: -len(between)]).rstrip()
            for part in between if before.endswith(("```", "~~~")) else ():
                part.calls = ()

    def is_mention(self, tag: str, following: str, *, opens: bool) -> bool:
        """Return whether the tag is text, because a sentence speaks of it: it opens no thought if a
        blank or a punctuation mark follows in mid-sentence, and closes none if the opening one
        before it was text."""
        if not opens:
            self._mentions -= (is_mention := self._mentions > 0)
            return is_mention
        is_mention = _is_element(tag) and not self.is_blank
        is_mention = is_mention and not (_is_content(following) or self._may_begin_thought())
        self._mentions += is_mention
        return is_mention

    def begin_thought(self, tag: str, following: str, *, needs_end: bool) -> None:
        """Begin a thought. One that `needs_end` counts only if it is closed; so does one within the
        answer, unless its content stands right at the tag, as it does where no sentence speaks of
        the tag: who reads then misses at most the end of an answer that broke off in a thought."""
        if self.is_blank:
            for part in takewhile(lambda part: part.kind != "thought", reversed(self.parts)):
                part.kind = "markup"
        is_certain = not needs_end and (
            self.is_blank
            or (
                _is_element(tag)
                and _is_content(following)
                and (following[0] != "\n" or self._may_begin_thought())
            )
        )
        self._opening = len(self.parts)
        self.parts += (Part("markup", ["" if is_certain else tag]), Part("thought", []))
        self._may_be_thought = False

    def _may_begin_thought(self) -> bool:
        """Return whether the text ends with a line, with a sentence or right after a word."""
        end = self.get_end()
        return (
            not end.rpartition("\n")[2].strip()
            or end.rstrip()[-1:] in _SENTENCE_ENDS
            or end[-1:].isalnum()
        )

    def end_thought(self) -> None:
        """End the thought, with the calls in it, or turn all text so far into a thought."""
        if self._opening is not None:
            has_rest = self.parts[-1].kind == "markup"
            self._turn_into_thought(self.parts[self._opening + 1 : -1 if has_rest else None])
        elif self._may_be_thought:
            self._turn_into_thought(self.parts)
            self.is_blank = True
        self._opening, self._may_be_thought = None, False
        self.after_markup = True

    def close(self) -> str:
        """End the text; return an opening tag that was only mentioned, with the text after it."""
        opening, self._opening = self._opening, None
        if opening is None or not self.parts[opening].pieces[0] or self.parts[-1].kind == "held":
            return ""
        for part in self.parts[opening:]:
            part.kind = "text"
        return "".join([piece for part in self.parts[opening:] for piece in part.pieces])

    def make_calls(self, schemas: Mapping[str, Mapping[str, Any]]) -> tuple[ToolCall, ...]:
        """Return the calls of the first dialect with a readable one, else of the first found."""
        found = [(part, call) for part in self.parts for call in part.calls]
        readable = [part.dialect for part, call in found if isinstance(call.arguments, dict)]
        dialects = readable or [part.dialect for part, _ in found]
        chosen = [one for one in found if one[0].dialect == min(dialects, key=_DIALECTS.index)]
        return tuple(
            make_tool_call(call, "".join(part.pieces), schemas.get(call.name, {}))
            for part, call in chosen[:MOST_CALLS]
        )

    def _add(self, kind: Kind, piece: str) -> None:
        last = self.parts[-1]
        if last.kind != kind or last.calls:
            self.parts.append(last := Part(kind, []))
        last.pieces.append(piece)

    def _turn_into_thought(self, parts: Sequence[Part]) -> None:
        for part in parts:
            if part.kind != "thought":
                part.kind, part.calls = "thought", ()
                self.thinking += part.pieces


def _is_element(tag: str) -> bool:
    """Return whether the tag is an XML tag, which sentences speak of, and no special token."""
    return tag.startswith("<") and not tag.startswith("<|")


def _is_content(following: str) -> bool:
    """Return whether the two characters after an opening tag are no blank, no punctuation mark and
    no closing tag."""
    return bool(following) and following[0] not in _AFTER_MENTION and following != "</"


def _is_invisible(part: Part) -> bool:
    return part.kind != "text" or not any(piece.strip() for piece in reversed(part.pieces))


def _get_end(parts: Sequence[Part]) -> str:
    end = ""
    for part in reversed(parts[-_LONGEST_END:]):
        if part.kind == "text":
            end = "".join(part.pieces[-_LONGEST_END:]) + end
            if len(end) >= _LONGEST_END:
                break
    return end[-_LONGEST_END:]
