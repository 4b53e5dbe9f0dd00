"""What is sent of a conversation that is larger than the model's window. Pure and stateless.

The order of what goes: old notes, long tool results and then whole turns, oldest first. The first
system message, the newest `RECENT` messages and the current message stay as long as it can be.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from bot.agent.context.cuts import Count, shorten_result
from bot.agent.context.draft import Draft
from bot.agent.context.squeeze import squeeze
from bot.messages import Message, ToolResult

RECENT = 10
"""The newest messages, which stay as they are if at all possible."""
LOW = 0.7
"""Share of the limit down to which is cut at once, so that the next requests need no cut."""
LEAST_LIMIT = 300
"""Tokens that any conversation can be brought down to."""
GRAINS = 32
"""Parts of the limit by which notes are measured: they come and go, and shall not move the cut."""


def fit(messages: Sequence[Message], limit: int, count: Count) -> list[Message]:
    """The messages themselves if they count at most `limit`; else what is left of them.

    Whatever the limit from `LEAST_LIMIT` on, what is left counts at most `limit`, is in order, has
    no tool result without its call and no call without its result, and the current message (the
    newest `UserMessage`) is there, its middle cut if that alone is too much.

    The same conversation, longer by some messages, is mostly cut at the same place, so that the
    beginning stays the same to the byte and prompt caches hit. That holds as long as `limit` and
    the first message stay the same.

    Args:
        messages: each call's results follow it at once. A summary stands second.
        limit: as `Meter.room` gives it.
        count: `Meter.count`, or like it.
    """
    sizes = list(map(count, messages))
    if sum(sizes) <= limit:
        return list(messages)
    draft = Draft(messages, sizes, count)
    for note in _old_notes(draft):
        draft.drop(note)
    if draft.total > limit:
        _replay(draft, limit)
    if draft.total > limit:
        squeeze(draft, limit)
    return draft.left


def _old_notes(draft: Draft) -> list[int]:
    """All but those among the newest messages and those that belong to the current one."""
    newest = len(draft.messages) - RECENT
    return [note for note in draft.notes if note < newest and note not in draft.notes_of_current]


def _replay(draft: Draft, limit: int) -> None:
    """Cut as it would have been cut while the conversation grew, message by message.

    Each overflow is answered by a cut down to `LOW`, which then holds for a while: so requests
    agree about the cuts without a state that would have to be kept.
    """
    beside = _measure_beside(draft, limit)
    room, low = limit - beside, int(limit * LOW) - beside
    body, starts = draft.body, draft.starts
    size = shortened = dropped = 0
    for place, position in enumerate(body):
        size += draft.sizes[position]
        if size <= room:
            continue
        recent = place - RECENT + 1
        while size > low and shortened < recent:
            size -= _shorten(draft, body[shortened])
            shortened += 1
        if size <= room:
            continue
        while size > low and dropped + 1 < len(starts) and starts[dropped + 1] <= recent:
            size -= draft.drop_all(body[starts[dropped] : starts[dropped + 1]])
            dropped += 1


def _measure_beside(draft: Draft, limit: int) -> int:
    """Tokens of all that is not the body, notes rounded up."""
    grain = max(1, limit // GRAINS)
    notes = sum(draft.sizes[note] for note in draft.notes)
    return sum(draft.sizes[at] for at in draft.head) + math.ceil(notes / grain) * grain


def _shorten(draft: Draft, position: int) -> int:
    message = draft.messages[position]
    return draft.put(position, shorten_result(message)) if isinstance(message, ToolResult) else 0
