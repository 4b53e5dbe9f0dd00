"""What Telegram tells us, as `Update`s: pure, from JSON to the vocabulary."""

from __future__ import annotations

import msgspec
import structlog

from adapters._json import replace_half_pairs
from adapters.telegram_content import read_content, read_edit
from adapters.telegram_groups import is_for_us
from adapters.telegram_schema import (
    CallbackQuery,
    Chat,
    Event,
    MembershipChange,
    Message,
    MessageReaction,
    PreCheckoutQuery,
    User,
)
from bot.errors import BadRequest
from bot.messages import (
    Checkout,
    Migrated,
    Paid,
    Reachable,
    Reacted,
    Sender,
    Tapped,
    Update,
    UpdateContent,
)

KINDS = (
    "message",
    "edited_message",
    "callback_query",
    "pre_checkout_query",
    "message_reaction",
    "my_chat_member",
)
"""The kinds of update that are understood, and so the ones asked for."""

log = structlog.get_logger()
_UNREADABLE = (msgspec.DecodeError, UnicodeDecodeError, RecursionError)
_decode_event = msgspec.json.Decoder(Event).decode
_decode_fields = msgspec.json.Decoder(dict[str, msgspec.Raw]).decode


def parse_update(body: bytes | msgspec.Raw, me: User | None) -> list[Update]:
    """What one Update of the Bot API holds for us: one `Update`, or none if it is not for us.

    `me` is the bot itself: in groups it hears commands, and, once it knows itself, mentions and
    replies.

    Raises:
        BadRequest: not JSON, or not of the form that the Bot API gives.
    """
    try:
        return _parse(body, me)
    except _UNREADABLE:
        whole = replace_half_pairs(bytes(body))  # a name cut in the middle of an emoji
    try:
        return _parse(whole, me)
    except _UNREADABLE:
        raise BadRequest("not an Update of the Telegram Bot API") from None


def _parse(body: bytes | msgspec.Raw, me: User | None) -> list[Update]:
    event = _decode_event(body)
    update = _read_event(event, me)
    if update is not None:
        return [update]
    kinds = sorted(_decode_fields(body).keys() - {"update_id"})
    log.debug("telegram_update_ignored", update_id=event.update_id, kinds=kinds)
    return []


def _read_event(event: Event, me: User | None) -> Update | None:
    update: Update | None = None
    match event:
        case Event(message=Message() as message):
            update = _read_migration(event, message) or _read_message(event, message, me)
        case Event(edited_message=Message() as message):
            update = _read_edit(event, message, me)
        case Event(callback_query=CallbackQuery() as query):
            update = _read_tap(event, query)
        case Event(pre_checkout_query=PreCheckoutQuery() as query):
            update = _read_checkout(event, query)
        case Event(message_reaction=MessageReaction() as reaction):
            update = _read_reaction(event, reaction)
        case Event(my_chat_member=MembershipChange() as change):
            update = _read_membership(event, change)
        case _:
            pass
    return update


def _read_migration(event: Event, message: Message) -> Update | None:
    """A group became a supergroup: both are told, each in a message of its own; it is one thing."""
    match message:
        case Message(migrate_to_chat_id=int() as new, chat=Chat(id=old)):
            pass
        case Message(migrate_from_chat_id=int() as old, chat=Chat(id=new)):
            pass
        case _:
            return None
    return _update(
        event,
        message.chat,
        User(old),  # of the two messages' senders one is a person, the other a stand-in for nobody
        Migrated(str(new)),
        conversation=str(old),
        message_key=f"migrated:{old}:{new}",
        at=message.date,
    )


def _read_message(event: Event, message: Message, me: User | None) -> Update | None:
    sender = _person(message)
    if sender is None:
        return None
    key = f"{message.chat.id}:{message.message_id}"
    if paid := message.successful_payment:
        charge = paid.telegram_payment_charge_id
        content = Paid(charge, paid.invoice_payload, paid.total_amount, paid.currency)
        key = f"paid:{charge}"
    else:
        content = read_content(message, me) if is_for_us(message, me) else None
    if content is None:
        return None
    return _update(
        event,
        message.chat,
        sender,
        content,
        conversation=message.conversation,
        message_key=key,
        at=message.date,
    )


def _read_edit(event: Event, message: Message, me: User | None) -> Update | None:
    sender = _person(message)
    content = read_edit(message, me) if sender is not None and is_for_us(message, me) else None
    if sender is None or content is None:
        return None
    return _update(
        event,
        message.chat,
        sender,
        content,
        conversation=message.conversation,
        message_key=f"edit:{message.chat.id}:{message.message_id}:{message.edit_date}",
        at=message.edit_date,
    )


def _person(message: Message) -> User | None:
    """Who wrote it; None if that was a bot or a channel, also one whose posts come by themselves
    into the group that discusses them."""
    if message.chat.is_channel or message.is_automatic_forward:
        return None
    return message.sender if message.sender and not message.sender.is_bot else None


def _read_tap(event: Event, query: CallbackQuery) -> Update:
    """Without a message or without a token (a game, inline mode) it is no button of ours, but
    Telegram shows the person a spinner until it is answered."""
    message = query.message
    accessible = message is not None and message.date != 0
    return _update(
        event,
        message.chat if message else Chat(query.sender.id, "private"),
        query.sender,
        Tapped(query.data, query.id, str(message.message_id) if message and accessible else ""),
        conversation=message.conversation if message else "",
        message_key=f"callback:{query.id}",
    )


def _read_checkout(event: Event, query: PreCheckoutQuery) -> Update:
    """It names no chat: the person's own is meant."""
    return _update(
        event,
        Chat(query.sender.id, "private"),
        query.sender,
        Checkout(query.id, query.invoice_payload, query.total_amount, query.currency),
        message_key=f"checkout:{query.id}",
    )


def _read_reaction(event: Event, reaction: MessageReaction) -> Update | None:
    if reaction.user is None:  # an anonymous administrator
        return None
    emoji = next((each.emoji for each in reaction.new_reaction), "")
    return _update(event, reaction.chat, reaction.user, Reacted(emoji), at=reaction.date)


def _read_membership(event: Event, change: MembershipChange) -> Update | None:
    if change.chat.is_channel:
        return None
    now = change.new_chat_member
    reachable = now.status not in {"kicked", "left"} and now.is_member and now.can_send_messages
    return _update(event, change.chat, change.sender, Reachable(reachable), at=change.date)


def _update(
    event: Event,
    chat: Chat,
    user: User,
    content: UpdateContent,
    *,
    conversation: str = "",
    message_key: str = "",
    at: float = 0.0,
) -> Update:
    return Update(
        channel="telegram",
        via="telegram",
        conversation=conversation or str(chat.id),
        sender=Sender(
            address=str(user.id),
            name=f"{user.first_name} {user.last_name}".strip(),
            language=user.language_code,
        ),
        delivery_key=str(event.update_id),
        message_key=message_key or f"update:{event.update_id}",
        content=content,
        at=at,
        group=chat.type != "private",
    )
