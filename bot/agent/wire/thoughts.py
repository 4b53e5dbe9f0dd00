"""The leading `<think>…</think>` of an answer, told from the answer while it streams."""

from __future__ import annotations

OPENING = "<think>"
CLOSING = "</think>"


class LeadingThought:
    """Sorts content into thought and answer. Only a block at the very beginning is thought."""

    def __init__(self) -> None:
        self._held = ""
        self._step = LeadingThought._before  # a bound method would be a cycle
        self.is_over = False
        """Whatever comes now is answer, and need not be fed."""

    def feed(self, piece: str) -> tuple[str, str]:
        """Thought and answer in `piece` and what was held back: a tag may come in pieces."""
        self._held += piece
        return self._step(self)

    def close(self) -> tuple[str, str]:
        """What is still held back when the stream ends."""
        held, self._held = self._held, ""
        return (held, "") if self._step is LeadingThought._inside else ("", held)

    def _before(self) -> tuple[str, str]:
        start = self._held.lstrip()
        if start.startswith(OPENING):
            self._held = start[len(OPENING) :]
            self._step = LeadingThought._inside
            return self._inside()
        if OPENING.startswith(start):
            return "", ""
        return "", self._release()

    def _inside(self) -> tuple[str, str]:
        thought, closing, rest = self._held.partition(CLOSING)
        if not closing:
            keep = _overlap(thought, CLOSING)
            self._held = thought[len(thought) - keep :]
            return thought[: len(thought) - keep], ""
        self._held = rest
        self._step = LeadingThought._after
        return thought, self._after()[1]

    def _after(self) -> tuple[str, str]:
        self._held = self._held.lstrip()  # the blank lines between thought and answer
        return "", self._release() if self._held else ""

    def _release(self) -> str:
        answer, self._held = self._held, ""
        self.is_over = True
        return answer


def _overlap(text: str, tag: str) -> int:
    """How many characters at the end of `text` may be the beginning of `tag`."""
    return next((size for size in range(len(tag) - 1, 0, -1) if text.endswith(tag[:size])), 0)
