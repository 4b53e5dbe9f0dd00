"""Trim a conversation that is larger than the model's window. Pure and stateless.

Old notes are dropped first, then long tool results are shortened, then whole turns are dropped,
oldest first. The first system message, the newest `RECENT` messages and the current message stay as
long as possible. Last of all, single messages are cut in the middle, with a note of what was cut.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from functools import cached_property

from bot.messages.transcript import (
    AssistantMessage,
    Media,
    Message,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)

RECENT = 10
"""Number of newest messages that stay unchanged if at all possible."""
LOW = 0.7
"""Share of the limit down to which a cut goes at once, so that the next requests need none."""
LEAST_LIMIT = 300
"""Least number of tokens that any conversation can be reduced to."""
GRAINS = 32
"""Parts of the limit to which the size of notes is rounded: notes come and go, and must not move
the cut."""
Count = Callable[[Message], int]
"""Counts the tokens of a message. The count must grow with the bytes of its text, and depend on
nothing else."""


def trim_conversation(messages: Sequence[Message], limit: int, count: Count) -> list[Message]:
    """Return the messages if they count at most `limit`, otherwise a shortened conversation.

    For any limit from `LEAST_LIMIT` on, the result counts at most `limit`, is in order, has no tool
    result without its call and no call without its result, and includes the current message (the
    newest `UserMessage`), with its middle cut if that alone is too large.

    The same conversation, extended by some messages, is mostly cut at the same place, so that the
    beginning stays the same to the byte and prompt caches hit. That holds as long as `limit` and
    the first message stay the same.

    Args:
        messages: the results of each call follow it directly. A summary is the second message.
        limit: a result of `ContextWindow.find_limit`.
        count: `ContextWindow.count`, or a similar function.
    """
    sizes = list(map(count, messages))
    if sum(sizes) <= limit:
        return list(messages)
    trimmed = TrimmedConversation(messages, sizes, count)
    for note in _old_notes(trimmed):
        trimmed.drop(note)
    if trimmed.total > limit:
        _replay(trimmed, limit)
    if trimmed.total > limit:
        truncate_last_resort(trimmed, limit)
    return trimmed.remaining


def _old_notes(trimmed: TrimmedConversation) -> list[int]:
    """Return all notes except those among the newest messages and right before the current one."""
    newest = len(trimmed.messages) - RECENT
    return [
        note for note in trimmed.notes if note < newest and note not in trimmed.notes_of_current
    ]


def _replay(trimmed: TrimmedConversation, limit: int) -> None:
    """Cut the conversation where it would have been cut while it grew, message by message.

    Each overflow leads to a cut down to `LOW`, which then lasts for a while; so successive requests
    agree about the cuts without a stored state.
    """
    # Notes are rounded up.
    grain = max(1, limit // GRAINS)
    notes = sum(trimmed.sizes[note] for note in trimmed.notes)
    fixed = sum(trimmed.sizes[at] for at in trimmed.head) + math.ceil(notes / grain) * grain
    budget, low = limit - fixed, int(limit * LOW) - fixed
    body, starts = trimmed.body, trimmed.starts
    size = shortened = dropped = 0
    for place, position in enumerate(body):
        size += trimmed.sizes[position]
        if size <= budget:
            continue
        recent = place - RECENT + 1
        while size > low and shortened < recent:
            size -= _shorten(trimmed, body[shortened])
            shortened += 1
        if size <= budget:
            continue
        while size > low and dropped + 1 < len(starts) and starts[dropped + 1] <= recent:
            size -= trimmed.drop_all(body[starts[dropped] : starts[dropped + 1]])
            dropped += 1


def _shorten(trimmed: TrimmedConversation, position: int) -> int:
    message = trimmed.messages[position]
    return (
        trimmed.replace(position, truncate_result(message))
        if isinstance(message, ToolResult)
        else 0
    )


class TrimmedConversation:
    """A conversation while it is trimmed. Positions are those of the whole conversation; dropped
    messages leave gaps."""

    def __init__(self, messages: Sequence[Message], sizes: list[int], count: Count) -> None:
        self.messages = messages
        self.sizes = sizes
        """Tokens of what remains of each message; 0 if it was dropped."""
        self.total = sum(sizes)
        self.count = count
        self._left: list[Message | None] = list(messages)

    @property
    def remaining(self) -> list[Message]:
        return [message for message in self._left if message is not None]

    def replace(self, position: int, message: Message) -> int:
        """Replace a message by a shorter one; return how many tokens that saves.

        A replacement that is no shorter changes nothing, so a dropped message stays dropped.
        """
        size = self.count(message)
        saved = self.sizes[position] - size
        if saved <= 0:
            return 0
        self._left[position] = message
        self.sizes[position] = size
        self.total -= saved
        return saved

    def drop(self, position: int) -> int:
        """Drop a message; return how many tokens that saves."""
        saved = self.sizes[position]
        self._left[position] = None
        self.sizes[position] = 0
        self.total -= saved
        return saved

    def drop_all(self, positions: Iterable[int]) -> int:
        return sum(map(self.drop, positions))

    @cached_property
    def head(self) -> list[int]:
        """Positions of the first system message and of the summary after it."""
        first = next(iter(self._systems), None)
        if first is None:
            return []
        after = first + 1
        has_summary = after < len(self.messages) and is_summary(self.messages[after])
        return [first, after] if has_summary else [first]

    @cached_property
    def notes(self) -> list[int]:
        """Positions of all other system messages."""
        return self._systems[len(self.head) :]

    @cached_property
    def notes_of_current(self) -> set[int]:
        """Positions of the notes right before the current message."""
        found: set[int] = set()
        if self.current is not None:
            notes = set(self.notes)
            position = self.current - 1
            while position in notes:
                found.add(position)
                position -= 1
        return found

    @cached_property
    def body(self) -> list[int]:
        """Positions of all messages except system messages."""
        return [
            position
            for position, message in enumerate(self.messages)
            if not isinstance(message, SystemMessage)
        ]

    @cached_property
    def starts(self) -> list[int]:
        """The positions in `body` where turns begin; what precedes the first counts as one."""
        starts = find_turns([self.messages[position] for position in self.body])
        return starts if starts[:1] == [0] else [0, *starts]

    @cached_property
    def current(self) -> int | None:
        """Position of the user's newest message."""
        positions = range(len(self.messages) - 1, -1, -1)
        return next((at for at in positions if isinstance(self.messages[at], UserMessage)), None)

    @cached_property
    def _systems(self) -> list[int]:
        return [
            position
            for position, message in enumerate(self.messages)
            if isinstance(message, SystemMessage)
        ]


SUMMARY_HEAD = "Summary of the conversation so far"
"""The beginning of a summary message's text."""


def find_turns(messages: Sequence[Message]) -> list[int]:
    """Return the positions at which turns begin, in order.

    A turn begins with a user's message, or several in a row, and lasts until the next one. System
    messages are ignored.
    """
    starts: list[int] = []
    follows_user = False
    for position, message in enumerate(messages):
        if isinstance(message, SystemMessage):
            continue
        is_user = isinstance(message, UserMessage)
        if is_user and not follows_user:
            starts.append(position)
        follows_user = is_user
    return starts


def is_summary(message: Message) -> bool:
    """Return whether the message is a summary, with `SUMMARY_HEAD`."""
    return isinstance(message, SystemMessage) and message.text.startswith(SUMMARY_HEAD)


HEADS = (4_000, 1_000, 300)
"""Characters that are kept of recent tool results: these lengths are tried in order."""
STEP = 0.3
"""Share of the limit by which old replies of the current turn are dropped: see `LOW`."""


def truncate_last_resort(trimmed: TrimmedConversation, limit: int) -> None:
    """Reduce the rest of the conversation to `limit`, with the least harmful cuts first."""
    steps = (
        _drop_notes,
        _shorten_recent,
        _drop_summary,
        _drop_earlier_turns,
        _drop_old_replies,
        _abridge_newest,
        _drop_newest_reply,
        _cut_middles,
    )
    for step in steps:
        if trimmed.total <= limit:
            return
        step(trimmed, limit)


def _drop_notes(trimmed: TrimmedConversation, limit: int) -> None:
    for note in trimmed.notes:
        if trimmed.total > limit:
            trimmed.drop(note)


def _drop_summary(trimmed: TrimmedConversation, _limit: int) -> None:
    trimmed.drop_all(trimmed.head[1:])


def _shorten_recent(trimmed: TrimmedConversation, limit: int) -> None:
    """Shorten results, the largest first: all of them a little before one of them a lot."""
    results = [at for at in trimmed.body if isinstance(trimmed.messages[at], ToolResult)]
    for head in HEADS:
        for position in sorted(results, key=lambda at: -trimmed.sizes[at]):
            message = trimmed.messages[position]
            if trimmed.total > limit and isinstance(message, ToolResult):
                trimmed.replace(position, truncate_result(message, head))


def _drop_earlier_turns(trimmed: TrimmedConversation, limit: int) -> None:
    starts = trimmed.starts
    for start, end in itertools.pairwise(starts):
        if trimmed.total > limit:
            trimmed.drop_all(trimmed.body[start:end])


def _drop_old_replies(trimmed: TrimmedConversation, limit: int) -> None:
    """Drop the oldest replies of the current turn, in steps, except the newest reply."""
    step = max(1, int(limit * STEP))
    goal = trimmed.total - math.ceil((trimmed.total - limit) / step) * step
    for group in _groups_of_current(trimmed)[:-1]:
        if trimmed.total > goal:
            trimmed.drop_all(group)


def _abridge_newest(trimmed: TrimmedConversation, _limit: int) -> None:
    for position in trimmed.body[trimmed.starts[-1] :]:
        message = trimmed.messages[position]
        if isinstance(message, AssistantMessage):
            trimmed.replace(position, abridge_message(message))


def _drop_newest_reply(trimmed: TrimmedConversation, limit: int) -> None:
    """Drop the newest reply if it takes more than half of the limit."""
    groups = _groups_of_current(trimmed)
    if sum(trimmed.sizes[at] for group in groups for at in group) > limit // 2:
        for group in groups:
            trimmed.drop_all(group)


def _cut_middles(trimmed: TrimmedConversation, limit: int) -> None:
    """Cut the system message down to half of the room, then the current message."""
    user = trimmed.sizes[trimmed.current] if trimmed.current is not None else 0
    if trimmed.head:
        _cut_system(trimmed, trimmed.head[0], limit, user)
    if trimmed.current is not None and trimmed.total > limit:
        message = trimmed.messages[trimmed.current]
        if isinstance(message, UserMessage):
            budget = limit - (trimmed.total - user)
            trimmed.replace(trimmed.current, truncate_user_message(message, budget, trimmed.count))


def _cut_system(trimmed: TrimmedConversation, position: int, limit: int, user: int) -> None:
    message = trimmed.messages[position]
    budget = limit - (trimmed.total - trimmed.sizes[position] - user)
    tokens = max(budget // 2, budget - user)
    if isinstance(message, SystemMessage) and trimmed.sizes[position] > tokens:
        trimmed.replace(position, truncate_system_message(message, tokens, trimmed.count))


def _groups_of_current(trimmed: TrimmedConversation) -> list[list[int]]:
    """Group the messages of the current turn that may be dropped, in order: an assistant's message
    with the results of its calls, or an earlier message of the user."""
    groups: list[list[int]] = []
    for position in trimmed.body[trimmed.starts[-1] :]:
        if position == trimmed.current:
            continue
        if not groups or not isinstance(trimmed.messages[position], ToolResult):
            groups.append([])
        groups[-1].append(position)
    return groups


HEAD = 300
"""Characters that are kept of a long tool result."""
LONGEST_ARGUMENTS = 600
"""Characters of a call's arguments, and of the text before it, that `abridge_message` keeps."""


def truncate_result(result: ToolResult, head: int = HEAD) -> ToolResult:
    """Keep the first `head` characters of a result longer than twice that; others stay."""
    length = len(result.text)
    if length <= 2 * head:
        return result
    note = f"[truncated: {head} of {length} characters; call the tool again if you need the rest]"
    return ToolResult(
        result.call_id, result.name, f"{result.text[:head]}\n{note}", is_error=result.is_error
    )


def abridge_message(message: AssistantMessage) -> AssistantMessage:
    """Drop reasoning, cut long texts, and replace long arguments by their size."""
    calls = tuple(_abridge_call(call) for call in message.tool_calls)
    text = cut_middle(message.text, LONGEST_ARGUMENTS)
    return AssistantMessage(text, calls, endpoint=message.endpoint)


def _abridge_call(call: ToolCall) -> ToolCall:
    length = len(call.arguments)
    if length <= LONGEST_ARGUMENTS:
        return call
    return ToolCall(call.id, call.name, f'{{"truncated": "{length} characters"}}')


def cut_middle(text: str, keep: int) -> str:
    """Keep `keep` characters from the beginning and the end of `text`, with a note between them."""
    length = len(text)
    if length <= keep:
        return text
    head = keep * 2 // 3
    note = f"[{length - keep} of {length} characters cut here]"
    return f"{text[:head]}\n{note}\n{text[length - keep + head :]}"


def truncate_system_message(message: SystemMessage, tokens: int, count: Count) -> SystemMessage:
    """Cut the middle of the message until it counts at most `tokens`, if possible."""
    return SystemMessage(_cut_to_fit(message.text, tokens, lambda text: count(SystemMessage(text))))


def truncate_user_message(message: UserMessage, tokens: int, count: Count) -> UserMessage:
    """Cut the middle of a user's message in the same way. Images that take more than half of
    `tokens` together, oldest first, are only mentioned."""
    pictures: list[Media] = []
    words: list[str] = []
    budget = tokens // 2
    for part in reversed(message.parts):
        if isinstance(part, Text):
            words.append(part.text)
        elif part.kind == "image" and (size := count(UserMessage((part,)))) <= budget:
            pictures.append(part)
            budget -= size
        else:
            words.append(part.mention)
    shown = tuple(reversed(pictures))

    def build(text: str) -> UserMessage:
        return UserMessage((Text(text), *shown))

    text = _cut_to_fit("\n".join(reversed(words)), tokens, lambda text: count(build(text)))
    return build(text)


def _cut_to_fit(text: str, tokens: int, count: Callable[[str], int]) -> str:
    """Cut in proportion, then by a tenth at a time, since the bytes may be spread unevenly."""
    keep = len(text)
    cut = text
    while keep and (size := count(cut)) > tokens:
        keep = max(0, min(keep * tokens // size, keep * 9 // 10))
        cut = cut_middle(text, keep)
    return cut
