from __future__ import annotations

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.events import Content, End, Event, decode_event, encode_event, event_fields, event_name
from bot.messages.incoming import Attachment, Said, Sender, Tapped, Update, UpdateContent
from bot.messages.outgoing import (
    AskQuiz,
    Body,
    Entity,
    FileBody,
    Invoice,
    ShareFile,
    TextBody,
    decode_body,
)
from bot.messages.transcript import (
    Message,
    SystemMessage,
    Text,
    ToolResult,
    UserMessage,
)
from bot.messages.value import decode, encode

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(
    st.builds(Said, text=_texts, quoted=_texts, context=_texts) | st.builds(Tapped, token=_texts)
)
def test_an_update_is_read_back_as_it_was_stored(content: UpdateContent) -> None:
    update = Update("telegram", "telegram", "1", Sender("2", "Awa"), "d", "m", content)
    assert decode(encode(update), Update) == update


@given(
    st.builds(SystemMessage, text=_texts)
    | st.builds(ToolResult, call_id=_texts, name=_texts, text=_texts, is_error=st.booleans())
    | st.builds(UserMessage, parts=st.tuples(st.builds(Text, text=_texts)))
)
def test_a_message_is_read_back_as_it_was_stored(message: Message) -> None:
    assert decode(encode(message), type(message)) == message


@pytest.mark.parametrize(
    "body",
    [
        TextBody("hello", (Entity("link", 0, 5, url="https://a.example"),)),
        TextBody("?", quiz=AskQuiz("q", "interactive_quiz", "?", ("a",), ("t",), 1.5)),
        FileBody(ShareFile("f", "a.md", "text/markdown", 3)),
        Invoice("a1", "100 credits", "For your questions", 50, "XTR"),
    ],
)
def test_a_delivery_is_read_back_as_it_was_stored(body: Body) -> None:
    assert decode_body(encode(body)) == body


def test_what_is_unset_is_not_stored() -> None:
    assert encode(Attachment("image", "r")) == '{"kind":"image","reference":"r"}'


def test_a_value_does_not_change() -> None:
    with pytest.raises(AttributeError):
        Text("a").text = "b"  # type: ignore[misc]


def test_what_is_no_value_is_refused() -> None:
    with pytest.raises(msgspec.ValidationError):
        decode('{"channel": "pigeon"}', Update)


@pytest.mark.parametrize("event", [Content("hé"), End("answered")])
def test_an_event_is_shown_by_its_name_and_fields(event: Event) -> None:
    assert decode_event(encode_event(event)) == event
    assert event_name(event) in {"content", "end"}
    assert "event" not in event_fields(event)


def test_a_lane_is_channel_and_conversation() -> None:
    update = Update("telegram", "telegram", "-5/12", Sender("2"), "d", "m", Said("x"))
    assert update.lane == "telegram:-5/12"
