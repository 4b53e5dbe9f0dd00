"""Single messages made shorter."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from bot.agent.context_window import count_tokens
from bot.agent.openai_protocol.chunks import is_json_object
from bot.agent.truncate_message import (
    abridge_message,
    cut_middle,
    truncate_result,
    truncate_system_message,
    truncate_user_message,
)
from bot.messages.transcript import (
    AssistantMessage,
    Media,
    SystemMessage,
    Text,
    ToolCall,
    ToolResult,
    UserMessage,
)


def test_a_result_that_would_hardly_be_shorter_is_left_as_it_is() -> None:
    result = ToolResult("c", "look", "x" * 600)
    assert truncate_result(result) is result
    assert len(truncate_result(ToolResult("c", "look", "x" * 601)).text) < 400


def test_an_abridged_message_keeps_its_calls_and_has_valid_arguments() -> None:
    calls = (ToolCall("a", "write", "broken " * 999), ToolCall("b", "look", '{"q": 1}'))
    message = abridge_message(AssistantMessage("x" * 9_000, calls, "thought", "here"))
    assert [(call.id, call.name) for call in message.tool_calls] == [("a", "write"), ("b", "look")]
    assert is_json_object(message.tool_calls[0].arguments)
    assert message.tool_calls[1] == calls[1]
    assert len(message.text) < 700
    assert (message.reasoning, message.endpoint) == ("", "here")


@given(st.text(), st.integers(0, 50))
def test_a_cut_text_has_its_beginning_and_its_end(text: str, keep: int) -> None:
    cut = cut_middle(text, keep)
    if len(text) <= keep:
        assert cut == text
        return
    head, note, tail = cut[: keep * 2 // 3], "characters cut here]\n", keep - keep * 2 // 3
    assert text.startswith(head)
    assert cut.endswith(note + text[len(text) - tail :])
    assert f"[{len(text) - keep} of {len(text)} " in cut


@given(st.text(max_size=3_000), st.integers(30, 900))
def test_a_system_message_fits_and_is_left_alone_if_it_does_already(text: str, tokens: int) -> None:
    message = SystemMessage(text)
    fitted = truncate_system_message(message, tokens, count_tokens)
    assert count_tokens(fitted) <= tokens
    if count_tokens(message) <= tokens:
        assert fitted == message


def test_text_is_cut_where_bytes_are_spread_unevenly() -> None:
    text = "😀" * 4_000 + "x" * 40_000 + "😀" * 4_000
    fitted = truncate_system_message(SystemMessage(text), 3_000, count_tokens)
    assert 1_500 < count_tokens(fitted) <= 3_000


def test_the_newest_images_are_shown_the_others_named() -> None:
    images = [Media("image", f"f{number}", f"page{number}.jpg") for number in range(5)]
    fitted = truncate_user_message(UserMessage((Text("Read these."), *images)), 4_000, count_tokens)
    shown = [part.file_id for part in fitted.parts if isinstance(part, Media)]
    assert shown == ["f3", "f4"]
    text = fitted.parts[0]
    assert isinstance(text, Text)
    assert text.text.splitlines()[0] == "Read these."
    assert [f"page{n}.jpg" in text.text for n in range(5)] == [True, True, True, False, False]


def test_a_voice_note_stays_as_its_transcript() -> None:
    note = Media("audio", "", transcript="What is a root?")
    fitted = truncate_user_message(UserMessage((note,)), 100, count_tokens)
    assert "What is a root?" in fitted.text
    assert count_tokens(fitted) <= 100
