"""Who is spoken to in a group, and what is said without the bot's name in it."""

from __future__ import annotations

import re

from adapters.telegram_schema import Message, Span, User

_COMMAND = re.compile(r"(/\w{1,32})@(\w+)(?!\S)", re.ASCII)


def is_for_us(message: Message, me: User | None) -> bool:
    """In a group: a command unless it names another bot, a mention of us, or a reply to us."""
    if message.chat.type == "private":
        return True
    text = message.text or message.caption
    if addressed := _COMMAND.match(text):
        return me is not None and addressed[2].lower() == me.username.lower()
    if text.startswith("/") or _find_mentions(message, me):
        return True
    original = message.reply_to_message
    # In a topic, what answers nobody "replies" to the message that opened the topic.
    if original is None or original.message_id == message.message_thread_id:
        return False
    return me is not None and original.sender is not None and original.sender.id == me.id


def strip_name(message: Message, me: User | None) -> str:
    """Text or caption, without our name in it: `@griot_bot what is 2+2?`, `/start@griot_bot`."""
    text = message.text or message.caption
    addressed = _COMMAND.match(text)
    if addressed and me is not None and addressed[2].lower() == me.username.lower():
        return addressed[1] + text[addressed.end() :]
    mentions = _find_mentions(message, me)
    if not mentions:
        return text
    units = text.encode("utf-16-le")
    for span in reversed(mentions):
        rest = units[2 * (span.offset + span.length) :].removeprefix(b" \0")
        units = units[: 2 * span.offset] + rest
    return units.decode("utf-16-le", "ignore").strip()


def _find_mentions(message: Message, me: User | None) -> list[Span]:
    """Where the text names the bot, by its username or by a link to it."""
    if me is None:
        return []
    units = (message.text or message.caption).encode("utf-16-le")
    spans = message.entities if message.text else message.caption_entities
    name = f"@{me.username}".lower().encode("utf-16-le")

    def is_ours(span: Span) -> bool:
        if span.user is not None:
            return span.user.id == me.id
        named = units[2 * span.offset : 2 * (span.offset + span.length)]
        return span.type == "mention" and named.lower() == name

    return [span for span in spans if is_ours(span)]
