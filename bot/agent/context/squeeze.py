"""The last resort of trimming: what of the newest messages goes when they alone are too much."""

from __future__ import annotations

import itertools
import math

from bot.agent.context.cuts import abridge, fit_system, fit_user, shorten_result
from bot.agent.context.draft import Draft
from bot.messages import AssistantMessage, SystemMessage, ToolResult, UserMessage

HEADS = (4_000, 1_000, 300)
"""Characters that stay of recent tool results: the fewest that are needed of these."""
STEP = 0.3
"""Share of the limit by which rounds of the current turn go: see `trim.LOW`."""


def squeeze(draft: Draft, limit: int) -> None:
    """Bring what is left of the conversation to `limit`, the least painful first."""
    steps = (
        _drop_notes,
        _shorten_recent,
        _drop_summary,
        _drop_earlier_turns,
        _drop_rounds,
        _abridge_newest,
        _drop_newest,
        _cut_middles,
    )
    for step in steps:
        if draft.total <= limit:
            return
        step(draft, limit)


def _drop_notes(draft: Draft, limit: int) -> None:
    for note in draft.notes:
        if draft.total > limit:
            draft.drop(note)


def _drop_summary(draft: Draft, _limit: int) -> None:
    draft.drop_all(draft.head[1:])


def _shorten_recent(draft: Draft, limit: int) -> None:
    """The largest first, all a little before one a lot."""
    results = [at for at in draft.body if isinstance(draft.messages[at], ToolResult)]
    for head in HEADS:
        for position in sorted(results, key=lambda at: -draft.sizes[at]):
            message = draft.messages[position]
            if draft.total > limit and isinstance(message, ToolResult):
                draft.put(position, shorten_result(message, head))


def _drop_earlier_turns(draft: Draft, limit: int) -> None:
    starts = draft.starts
    for start, end in itertools.pairwise(starts):
        if draft.total > limit:
            draft.drop_all(draft.body[start:end])


def _drop_rounds(draft: Draft, limit: int) -> None:
    """The oldest of the current turn, in steps, until only the newest is left."""
    step = max(1, int(limit * STEP))
    goal = draft.total - math.ceil((draft.total - limit) / step) * step
    for group in _groups_of_current(draft)[:-1]:
        if draft.total > goal:
            draft.drop_all(group)


def _abridge_newest(draft: Draft, _limit: int) -> None:
    for position in draft.body[draft.starts[-1] :]:
        message = draft.messages[position]
        if isinstance(message, AssistantMessage):
            draft.put(position, abridge(message))


def _drop_newest(draft: Draft, limit: int) -> None:
    """Unless it leaves half of the limit to the system message and the current message."""
    groups = _groups_of_current(draft)
    if sum(draft.sizes[at] for group in groups for at in group) > limit // 2:
        for group in groups:
            draft.drop_all(group)


def _cut_middles(draft: Draft, limit: int) -> None:
    """Of the system message down to half of the room, then of the current message."""
    user = draft.sizes[draft.current] if draft.current is not None else 0
    if draft.head:
        _cut_system(draft, draft.head[0], limit, user)
    if draft.current is not None and draft.total > limit:
        message = draft.messages[draft.current]
        if isinstance(message, UserMessage):
            room = limit - (draft.total - user)
            draft.put(draft.current, fit_user(message, room, draft.count))


def _cut_system(draft: Draft, position: int, limit: int, user: int) -> None:
    message = draft.messages[position]
    room = limit - (draft.total - draft.sizes[position] - user)
    tokens = max(room // 2, room - user)
    if isinstance(message, SystemMessage) and draft.sizes[position] > tokens:
        draft.put(position, fit_system(message, tokens, draft.count))


def _groups_of_current(draft: Draft) -> list[list[int]]:
    """What may go of the current turn: an assistant's message with the results of its calls, or
    an earlier message of the user; in order."""
    groups: list[list[int]] = []
    for position in draft.body[draft.starts[-1] :]:
        if position == draft.current:
            continue
        if not groups or not isinstance(draft.messages[position], ToolResult):
            groups.append([])
        groups[-1].append(position)
    return groups
