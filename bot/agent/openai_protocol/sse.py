"""Read server-sent events as their bytes arrive: takes pieces of any size, returns `data` payloads.

The rules are those of the HTML standard (section 9.2.6, "Interpreting an event stream"): lines end
with LF, CRLF or CR, a blank line ends an event, lines that begin with a colon are comments.
"""

from __future__ import annotations

from bot.errors import ModelError

MAX_EVENT = 1024 * 1024
"""Most bytes of one event; a chunk of a completion has a few hundred."""
MAX_STREAM = 32 * 1024 * 1024
"""Most bytes of a whole stream: 100,000 tokens, each in a chunk of its own."""


class BadStream(ModelError):
    """The endpoint sends no usable stream, or reports an error."""


class EventStream:
    """Cuts a stream into the payloads of its events, in time linear in its length."""

    def __init__(self) -> None:
        self._waiting = bytearray()
        self._received = 0
        self._ended_in_cr = False
        self._dropping = False
        self.dropped = 0
        """Events left out because they were larger than `MAX_EVENT`."""

    def feed(self, piece: bytes) -> list[bytes]:
        """Return the payloads that `piece` completes, stripped of white space; empty ones are left
        out.

        Raises:
            BadStream: the stream is larger than `MAX_STREAM`.
        """
        self._received += len(piece)
        if self._received > MAX_STREAM:
            raise BadStream(f"the stream is longer than {MAX_STREAM} bytes")
        if self._ended_in_cr or b"\r" in piece:
            # Line ends may be CR, LF or both, also cut between two pieces.
            if self._ended_in_cr and piece.startswith(b"\n"):
                piece = piece[1:]
                self._ended_in_cr = False
            self._ended_in_cr = piece.endswith(b"\r") or (self._ended_in_cr and not piece)
            piece = piece.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        waiting = self._waiting
        if not waiting and piece.endswith(b"\n\n"):
            return self._payloads(piece[:-2])  # whole events, as nearly always
        searched = max(0, len(waiting) - 1)  # the blank line may be split between two pieces
        waiting += piece
        if self._dropping:
            self._drop_on()
        end = waiting.rfind(b"\n\n", searched)
        if end < 0:
            if len(waiting) > MAX_EVENT:
                self._dropping = True
                self._drop_on()
            return []
        block = bytes(waiting[:end])
        del waiting[: end + 2]
        return self._payloads(block)

    def close(self) -> list[bytes]:
        """Return the payload of a last event that no blank line ended, as some servers send it."""
        block = bytes(self._waiting)
        self.dropped += self._dropping
        self._dropping = False
        self._waiting.clear()
        return self._payloads(block)

    def _drop_on(self) -> None:
        """Drop the bytes of an event that is too large, up to its end if that has arrived."""
        end = self._waiting.find(b"\n\n")
        if end < 0:
            del self._waiting[:-1]  # which may be the first half of the blank line
            return
        del self._waiting[: end + 2]
        self._dropping = False
        self.dropped += 1

    def _payloads(self, block: bytes) -> list[bytes]:
        """Return the payloads of events; `block` lacks the blank line after the last one."""
        lines = block.split(b"\n")
        found = [line[5:] for line in lines[::2] if line.startswith(b"data:")]
        if 2 * len(found) != len(lines) + 1 or any(lines[1::2]):
            found = [_joined_data(event) for event in block.split(b"\n\n")]
        # Otherwise all events have one line, as nearly always.
        if len(block) > MAX_EVENT:
            small = [event for event in found if len(event) <= MAX_EVENT]
            self.dropped += len(found) - len(small)
            found = small
        return [payload for long in found if (payload := long.strip())]


def _joined_data(event: bytes) -> bytes:
    lines = [line[5:].strip() for line in event.split(b"\n") if line.startswith(b"data:")]
    return b"\n".join(lines)
