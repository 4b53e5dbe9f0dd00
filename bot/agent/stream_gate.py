"""Show the model's text while it streams, as far as it has passed the guardrail."""

from __future__ import annotations

import asyncio
import re
from typing import Final

from bot.asyncio_tasks import cancel_tasks
from bot.contracts.turn import Guardrail
from bot.events import Content, Emit, Event, Thinking, ToolProgress

INSPECTION_PAUSE: Final = 0.5
"""Least seconds between two inspections: each reads the whole reply from its beginning."""
_FIRST_PAUSE: Final = 0.05
"""Seconds before the first one: a reply that arrives at once is inspected once."""
_PAUSE_SHARE: Final = 10
"""How many times as long as an inspection took is waited for the next: a long reply full of
mathematics, or a busy machine, gets fewer of them."""
_LONGEST_WORD: Final = 24
"""Characters of a word that may have arrived in pieces."""


_DISPLAY: Final = re.compile(r"^ {0,3}(?:```|~~~)|\$\$|\\\[|\\\]|\\begin\{|\\end\{", re.MULTILINE)
"""Signs that open or close a formula or a code block over several lines."""
_GOES_ON: Final = re.compile(r"\s*(?:[=≈<>≤≥]|\\(?:approx|le|ge|iff|Rightarrow)\b)")
_SENTENCE_END: Final = re.compile(r"[.!?;:]")
_PLAIN_SENTENCES: Final = re.compile(r"(?:[^0-9=<>≤≥≈$\\`|\n]*?[.!?…]\s)*+")
"""Sentences without figures, signs and formulas, which no later one completes."""
_ESCAPE: Final = re.compile(r"\\(?:u([0-9a-fA-F]{4})|([^u]))")
"""An escape within a text of JSON."""
_ESCAPE_BEGUN: Final = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)\Z")
_ESCAPED: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


def find_whole_lines(text: str) -> int:
    """Return the end of the last line after which no formula over several lines is open, and no
    statement may go on."""
    end = text.rfind("\n") + 1
    opened = _find_open_formula(text[:end])
    if opened is not None:
        end = text.rfind("\n", 0, opened) + 1
    while end:
        start = text.rfind("\n", 0, end - 1) + 1
        is_last = not text[end:].strip()
        if not (is_last and _is_unfinished(text[start:end])) and not _GOES_ON.match(text, end):
            break
        end = start
    return end


def find_plain_sentences(text: str, start: int) -> int:
    """Return the end of the sentences from `start` on that have neither figures nor formulas."""
    found = _PLAIN_SENTENCES.match(text, start)
    return found.end() if found else start


def _is_unfinished(line: str) -> bool:
    """Return whether a number comes after a line's last sentence: the next line may go on with
    `= 42`."""
    return any(map(str.isdigit, _SENTENCE_END.split(line)[-1]))


def _find_open_formula(text: str) -> int | None:
    """Return the place at which a formula begins that is not closed; None: there is none."""
    places: list[int] = []
    is_code = False
    for found in _DISPLAY.finditer(text):
        sign = found[0].strip()
        if sign in ("```", "~~~"):
            is_code = not is_code
        elif is_code:
            continue
        elif places and (sign.startswith(("\\]", "\\end")) or (sign == "$$" and len(places) == 1)):
            places.pop()
        elif sign not in ("\\]", "\\end{"):
            places.append(found.start())
    return places[0] if places else None


def _close_code_block(text: str) -> str:
    """Return the line that ends the code block in which a text breaks off; if in none, nothing."""
    fence = ""
    for found in _DISPLAY.finditer(text):
        sign = found[0].strip()
        if sign in ("```", "~~~") and fence in ("", sign):
            fence = "" if fence else sign
    if not fence:
        return ""
    return fence if text.endswith("\n") else f"\n{fence}"


def _decode_escapes(text: str) -> tuple[str, str]:
    """Return a piece of JSON without escapes, as the backslash of a new line is no sign of a
    formula; and the escape that has only begun at its end."""
    found = _ESCAPE_BEGUN.search(text)
    end = found.start(1) if found else len(text)
    return _ESCAPE.sub(_decode_escape, text[:end]), text[end:]


def _decode_escape(found: re.Match[str]) -> str:
    code, sign = found.groups()
    return chr(int(code, 16)) if code else _ESCAPED.get(sign, sign)


class StreamGate:
    """Passes on a turn's events, and the model's text line by line, each line once it was
    inspected.

    Text that the guardrail finds harmless passes as it arrives. After an objection the rest of the
    reply is held until `release` or `drop`.
    """

    def __init__(
        self, emit: Emit, guardrail: Guardrail | None, *, pause: float = INSPECTION_PAUSE
    ) -> None:
        """
        Args:
            guardrail: None if the person does not see the text before the turn ends.
        """
        self._pause = pause
        self._timer: asyncio.TimerHandle | None = None
        self._emit = emit
        self._guardrail = guardrail
        self._text = ""
        """The reply so far."""
        self._shown = 0
        """Number of its characters that were shown."""
        self._inspected = 0
        """Number of its characters that were inspected."""
        self._needs_inspection = False
        """Whether the text after what was shown is known to need one; more text changes nothing."""
        self._has_waited = False
        self._separator = ""
        self._before = ""
        """The unfinished sentence before the reply, which is inspected with it."""
        self._shown_before = ""
        """The part of a dropped reply that was shown: the same beginning is not shown again."""
        self._is_stopped = False
        self._arguments: dict[str, str | None] = {}
        """The newest characters of each call's arguments, without escapes but for one that has
        only begun; None once they need inspection."""
        self._inspecting: asyncio.Task[None] | None = None

    @property
    def text(self) -> str:
        """The model's text in this reply, shown or not."""
        return self._text

    @property
    def shown(self) -> str:
        """The part of the model's text in this reply that was shown."""
        return self._text[: self._shown]

    def begin(self, separator: str, before: str = "") -> None:
        """Begin a reply; `separator` is put between it and earlier text, which ends with the
        unfinished sentence `before`."""
        self._text, self._shown, self._separator, self._before = "", 0, separator, before
        self._is_stopped, self._inspected, self._has_waited = False, 0, False
        self._needs_inspection = False

    def __call__(self, event: Event) -> None:
        if isinstance(event, Thinking) and event.replaces_content:
            event = self._take_back(event)
        if not isinstance(event, Content):
            if not self._is_secret(event):
                self._emit(event)
            return
        self._text += event.text
        if self._guardrail is None and not self._shown_before:
            self._show(len(self._text))
            return
        before = self._shown
        if self._inspecting is None:
            self._advance()
        if self._shown == before:
            self._emit(Content(""))  # a sign of life

    def _take_back(self, thought: Thinking) -> Thinking:
        """Drop the text so far, which was a thought; return the event for those who saw it."""
        if self._shown:
            self._separator = "\n\n"
        event = Thinking(thought.text, replaces_content=self._shown > 0)
        self._text, self._shown, self._inspected = "", 0, 0
        self._is_stopped = self._needs_inspection = False
        return event

    def _is_secret(self, event: Event) -> bool:
        """Return whether an event may show what is not inspected yet: a thought, or a piece of
        arguments, which are inspected only once they are complete."""
        if self._guardrail is None:
            return False
        if isinstance(event, ToolProgress) and event.delta is not None:
            return self._guardrail.keeps_secrets or self._has_maths(self._guardrail, event)
        return isinstance(event, Thinking) and self._guardrail.keeps_secrets

    def _has_maths(self, guardrail: Guardrail, event: ToolProgress) -> bool:
        """Return whether the arguments of a call, as far as they came, need inspection: from there
        on no more of them is shown."""
        known = self._arguments.get(event.id, "")
        if known is not None:
            arguments, begun = _decode_escapes(known + (event.delta or ""))
            is_harmless = guardrail.is_harmless(arguments)
            known = arguments[-_LONGEST_WORD:] + begun if is_harmless else None
            self._arguments[event.id] = known
        return known is None

    async def release(self) -> None:
        """Show the rest of the reply, which is accepted."""
        await self._finish()
        self._skip_shown_before(is_whole=True)
        self._show(len(self._text))

    async def drop(self, instead: str = "") -> None:
        """Withhold the rest of the reply, which is rejected; show the text `instead`, except a
        beginning that is shown already."""
        await self._finish()
        self._shown_before = self._shown_before or self._text[: self._shown]
        self._text, self._shown = instead, 0
        if instead:
            await self.release()

    async def close(self) -> None:
        """Cancel the inspection that is running."""
        self._stop_timer()
        if self._inspecting is not None:
            await cancel_tasks([self._inspecting])

    async def _finish(self) -> None:
        """Wait for the inspection that is running, and start no other."""
        self._is_stopped = True
        self._stop_timer()
        if self._inspecting is not None:
            await self._inspecting

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _advance(self) -> None:
        """Show harmless text, and start an inspection of the lines after it."""
        is_waiting = self._timer is not None and self._needs_inspection
        if self._is_stopped or self._guardrail is None or is_waiting:
            return
        if not self._skip_shown_before(is_whole=False):
            return
        line = self._text.rfind("\n", 0, self._shown) + 1
        # Earlier text is known to be harmless, or was inspected.
        start = max(line, self._shown - _LONGEST_WORD, min(self._inspected, self._shown))
        before = "" if start else self._before
        if self._guardrail.is_harmless(before + self._text[start:]):
            self._show(len(self._text))
            return
        self._needs_inspection = True
        if self._timer is not None:
            return
        has_line = self._text.rfind("\n") >= self._shown
        end = find_whole_lines(self._text) if has_line else 0
        if not self._guardrail.keeps_secrets:
            end = max(end, find_plain_sentences(self._text, self._shown))
        if end > self._shown and self._pause and not self._has_waited:
            self._has_waited = True
            self._timer = asyncio.get_running_loop().call_later(_FIRST_PAUSE, self._go_on)
        elif end > self._shown:
            self._inspecting = asyncio.create_task(self._inspect(self._guardrail, end))

    async def _inspect(self, guardrail: Guardrail, end: int) -> None:
        loop = asyncio.get_running_loop()
        started = loop.time()
        inspected = self._text[:end]
        objections = await guardrail.inspect(self._before + inspected)
        if not self._text.startswith(inspected):
            pass  # it was taken back meanwhile
        elif objections:
            self._is_stopped = True
        else:
            self._inspected = end
            self._show(end)
        self._inspecting = None
        if self._pause and not self._is_stopped:
            pause = max(self._pause, _PAUSE_SHARE * (loop.time() - started))
            self._timer = loop.call_later(pause, self._go_on)
        else:
            self._advance()

    def _go_on(self) -> None:
        self._timer = None
        self._advance()

    def _skip_shown_before(self, *, is_whole: bool) -> bool:
        """Skip the part of this reply that was shown as part of a dropped one, if both begin alike.
        Return whether that is decided by now."""
        if not self._shown_before:
            return True
        if self._text.startswith(self._shown_before):
            self._shown = len(self._shown_before)
        elif not is_whole and self._shown_before.startswith(self._text):
            return False
        else:
            self._separator = _close_code_block(self._shown_before) + "\n\n"
        self._shown_before = ""
        return True

    def _show(self, end: int) -> None:
        if end > self._shown:
            separator = "" if self._shown else self._separator
            self._emit(Content(separator + self._text[self._shown : end]))
            self._shown, self._needs_inspection = end, False
