"""Shorten single messages, with a note of what was cut. The same cut gives the same bytes."""

from __future__ import annotations

from collections.abc import Callable

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

HEAD = 300
"""Characters that are kept of a long tool result."""
LONGEST_ARGUMENTS = 600
"""Characters of a call's arguments, and of the text before it, that `abridge_message` keeps."""
Count = Callable[[Message], int]
"""Counts the tokens of a message. The count must grow with the bytes of its text, and depend on
nothing else."""


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
