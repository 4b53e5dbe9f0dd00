"""What is sent of a conversation that is larger than the window."""

from __future__ import annotations

import itertools
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bot.agent.context_window import count_tokens
from bot.agent.openai_protocol.chunks import is_json_object
from bot.agent.trim_conversation import (
    HEAD,
    LEAST_LIMIT,
    LOW,
    RECENT,
    abridge_message,
    cut_middle,
    find_turns,
    is_summary,
    trim_conversation,
    truncate_result,
    truncate_system_message,
    truncate_user_message,
)
from bot.gateway.turns.compaction import make_summary_message
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
from tests.agent.conversations import (
    FRENCH,
    SYSTEM,
    check_pairs,
    conversations,
    current_of,
    lesson,
    make_window,
    said,
    stems_from,
    tool_round,
)


def total(messages: list[Message]) -> int:
    return sum(map(count_tokens, messages))


def pieces(messages: list[Message]) -> list[list[Message]]:
    starts = find_turns(messages)
    return [messages[a:b] for a, b in itertools.pairwise([*starts, len(messages)])]


_limits = st.one_of(st.integers(LEAST_LIMIT, 2_000), st.integers(2_000, 40_000))


@given(conversations(), _limits)
@example(
    [SystemMessage("x" * 50_000), said("漢" * 50_000), *tool_round(0, [20_000] * 4, 9_000)], 300
)
@example([said(FRENCH * 100)], 300)
def test_what_is_sent_is_within_the_limit_paired_in_order_and_has_the_current_message(
    messages: list[Message], limit: int
) -> None:
    sent = trim_conversation(messages, limit, count_tokens)
    assert total(sent) <= limit
    check_pairs(sent)
    rest = iter(messages)
    assert all(any(stems_from(kept, one) for one in rest) for kept in sent), "the order changed"
    assert stems_from(sent[0], messages[0])
    assert stems_from(current_of(sent), current_of(messages))


@given(conversations(), _limits)
def test_of_earlier_turns_all_or_nothing_is_sent(messages: list[Message], limit: int) -> None:
    numbered = [
        UserMessage((Text(f"turn {at} {'x' * len(m.text)}"),)) if isinstance(m, UserMessage) else m
        for at, m in enumerate(messages)
        if not isinstance(m, SystemMessage)
    ]
    turns = pieces(numbered)
    sent = pieces(trim_conversation(numbered, limit, count_tokens))
    for turn in sent[:-1]:
        origin = next(whole for whole in turns if stems_from(turn[0], whole[0]))
        assert len(turn) == len(origin)
    lengths = [len(turn) for turn in turns[:-1]]
    assert [len(turn) for turn in sent[:-1]] == lengths[len(lengths) - len(sent) + 1 :]


@given(conversations(), _limits)
def test_the_same_conversation_is_always_cut_the_same_and_what_fits_is_left_alone(
    messages: list[Message], limit: int
) -> None:
    sent = trim_conversation(messages, limit, count_tokens)
    assert sent == trim_conversation(tuple(messages), limit, make_window().count)
    if total(messages) <= limit:
        assert sent == messages
    assert trim_conversation(messages, total(messages), count_tokens) == messages


@given(conversations(), st.integers(-1_000, LEAST_LIMIT))
def test_a_limit_that_nothing_can_hold_raises_nothing(messages: list[Message], limit: int) -> None:
    check_pairs(trim_conversation(messages, limit, count_tokens))
    assert trim_conversation([], limit, count_tokens) == []


def test_old_notes_go_first_and_nothing_else_when_that_is_enough() -> None:
    messages = lesson(20, result=4_000)
    noted = [*messages[:5], SystemMessage("old note"), *messages[5:]]
    assert trim_conversation(noted, total(messages), count_tokens) == messages


def test_a_note_that_belongs_to_the_current_message_stays_while_old_turns_can_go() -> None:
    situation = SystemMessage("It is Monday.")
    messages = lesson(40)
    asked: list[Message] = [*messages, situation, said("And now?")]
    for number in range(8):
        asked.extend(tool_round(number, [200, 200]))
    sent = trim_conversation(asked, total(asked) - 50, count_tokens)
    assert situation in sent
    assert len(sent) < len(asked) - 1


def test_a_note_among_the_newest_messages_stays_while_older_ones_can_go() -> None:
    messages = lesson(40)
    messages.insert(-3, SystemMessage("A quiz was answered."))
    sent = trim_conversation(messages, total(messages) - 50, count_tokens)
    assert sent[-RECENT:] == messages[-RECENT:]
    assert len(sent) < len(messages)


def test_results_are_shortened_in_one_big_step() -> None:
    messages = lesson(30, result=8_000)
    limit = total(messages) - 1
    sent = trim_conversation(messages, limit, count_tokens)
    assert len(sent) == len(messages)
    assert 0.6 * limit < total(sent) <= LOW * limit


def test_of_results_the_tenth_newest_message_is_the_first_to_stay() -> None:
    rounds = [*tool_round(1, [1_500]), *tool_round(2, [8_000]), *tool_round(3, [50])]
    answers = [*[AssistantMessage("so")] * 6, AssistantMessage("x" * 400)]
    messages = [SYSTEM, said("?"), *rounds, *answers]
    assert messages[-RECENT] == rounds[3]
    sent = trim_conversation(messages, total(messages) - 10, count_tokens)
    changed = [at for at, (a, b) in enumerate(zip(messages, sent, strict=True)) if a != b]
    assert changed == [3]


def test_long_results_older_than_the_newest_messages_are_shortened_before_a_turn_goes() -> None:
    messages = lesson(12, result=8_000)
    sent = trim_conversation(messages, total(messages) - 1_000, count_tokens)
    assert len(sent) == len(messages)
    changed = [at for at, (a, b) in enumerate(zip(messages, sent, strict=True)) if a != b]
    assert changed
    assert changed[-1] < len(messages) - RECENT
    for at in changed:
        before, after = messages[at], sent[at]
        assert isinstance(before, ToolResult)
        assert isinstance(after, ToolResult)
        assert after.text == (
            before.text[:HEAD] + "\n[truncated: 300 of 8000 characters; "
            "call the tool again if you need the rest]"
        )
        assert (after.call_id, after.name) == (before.call_id, before.name)


def test_a_shortened_failure_is_still_a_failure() -> None:
    messages = lesson(12)
    failed = ToolResult("c", "look", "x" * 9_000, is_error=True)
    messages[1:1] = [said("?"), AssistantMessage("", (ToolCall("c", "look"),)), failed]
    sent = trim_conversation(messages, total(messages) - 100, count_tokens)
    assert [m.is_error for m in sent if isinstance(m, ToolResult)] == [True]


def test_old_turns_go_whole_and_oldest_first() -> None:
    messages = lesson(60)
    sent = trim_conversation(messages, total(messages) // 2, count_tokens)
    assert sent[0] == SYSTEM
    assert isinstance(sent[1], UserMessage)
    assert sent[1:] == messages[-len(sent) + 1 :]


def test_turns_are_cut_in_one_big_step() -> None:
    messages = lesson(60)
    limit = total(messages) - 1
    sent = trim_conversation(messages, limit, count_tokens)
    assert 0.6 * limit < total(sent) <= LOW * limit


def test_the_newest_messages_stay_as_they_are_while_older_ones_can_go() -> None:
    messages = lesson(60, result=3_000)
    sent = trim_conversation(messages, 8_000, count_tokens)
    assert sent[-RECENT:] == messages[-RECENT:]


def test_a_turn_that_reaches_into_the_newest_messages_stays_whole() -> None:
    messages = [*lesson(30), said("long one")]
    for number in range(9):
        messages.extend(tool_round(number, [100, 100]))
    sent = trim_conversation(messages, total(messages) - 10, count_tokens)
    assert sent[-28:] == messages[-28:]


def test_the_summary_stays_while_old_turns_can_go_and_then_goes() -> None:
    summary = make_summary_message("They learn fractions. " * 100)
    messages = lesson(40)
    messages.insert(1, summary)
    assert summary in trim_conversation(messages, total(messages) // 2, count_tokens)
    newest = total([SYSTEM, *messages[-RECENT:]])
    assert trim_conversation(messages, newest, count_tokens) == [SYSTEM, *messages[-RECENT:]]


def test_a_summary_is_only_what_stands_right_after_the_system_message() -> None:
    messages = lesson(40)
    messages.insert(5, make_summary_message("late"))
    assert not any(map(is_summary, trim_conversation(messages, total(messages) // 2, count_tokens)))


def test_recent_results_are_shortened_the_largest_first_and_no_more_than_needed() -> None:
    messages: list[Message] = [SYSTEM, said("Look."), *tool_round(1, [9_000, 15_000, 900])]
    sent = trim_conversation(messages, total(messages) - 1_000, count_tokens)
    texts = [m.text for m in sent if isinstance(m, ToolResult)]
    assert texts[1].startswith(FRENCH)
    assert "[truncated: 4000 of 15000 characters;" in texts[1]
    assert [len(texts[0]), len(texts[2])] == [9_000, 900]


def test_earlier_turns_go_before_rounds_of_the_current_one() -> None:
    messages: list[Message] = [SYSTEM, said("first"), AssistantMessage("y" * 3_000)]
    current = [said("second"), *tool_round(1, [500])]
    sent = trim_conversation([*messages, *current], total([SYSTEM, *current]), count_tokens)
    assert sent == [SYSTEM, *current]


def test_the_oldest_rounds_of_the_current_turn_go_as_one_and_the_newest_stays() -> None:
    rounds = [tool_round(number, [500, 500], 2_000) for number in range(12)]
    messages: list[Message] = [SYSTEM, said("Look."), *(m for r in rounds for m in r)]
    sent = trim_conversation(messages, 8_000, count_tokens)
    assert sent[:2] == messages[:2]
    assert len(sent) > 8
    assert sent[2:] == messages[-(len(sent) - 2) :]
    check_pairs(sent)


def test_the_newest_round_is_abridged_rather_than_forgotten() -> None:
    messages: list[Message] = [SYSTEM, said("Write it."), *tool_round(1, [500], 90_000)]
    sent = trim_conversation(messages, 1_000, count_tokens)
    assert sent[:2] == messages[:2]
    assert isinstance(sent[2], AssistantMessage)
    assert sent[2].tool_calls == (
        ToolCall("call_1_0", "look", '{"truncated": "90008 characters"}'),
    )
    assert sent[3] == messages[3]


def test_the_middle_of_what_is_too_long_is_cut_and_said() -> None:
    long = "Begin. " + "x" * 100_000 + " End?"
    sent = trim_conversation([SYSTEM, said(long)], 2_000, count_tokens)
    assert sent[0] == SYSTEM
    text = current_of(sent).text
    assert text.startswith("Begin. ")
    assert text.endswith(" End?")
    assert "of 100012 characters cut here]" in text
    assert total(sent) > 1_800


def test_system_and_current_message_share_a_window_that_neither_fits() -> None:
    sent = trim_conversation([SystemMessage("s" * 90_000), said("u" * 90_000)], 4_000, count_tokens)
    system, user = map(count_tokens, sent)
    assert 1_500 < system <= 2_000
    assert 1_500 < user <= 2_500
    assert (
        total(trim_conversation([SystemMessage("s" * 90_000), said("?")], 4_000, count_tokens))
        > 3_500
    )


def test_an_image_of_the_current_message_is_shown_if_there_is_room_for_it() -> None:
    asked = UserMessage((Text("x" * 90_000), Media("image", "f1", "tree.jpg")))
    assert (
        Media("image", "f1", "tree.jpg")
        in current_of(trim_conversation([asked], 3_000, count_tokens)).parts
    )
    named = current_of(trim_conversation([asked], 1_000, count_tokens))
    assert not any(isinstance(part, Media) for part in named.parts)
    assert "tree.jpg" in named.text


def test_several_messages_of_one_turn_stay_together() -> None:
    messages = [*lesson(30), said("one more thing"), said("and another")]
    for number in range(10):
        messages.extend(tool_round(number, [100]))
    sent = trim_conversation(messages, total(messages) - 10, count_tokens)
    assert sent[-22:] == messages[-22:]


@pytest.mark.parametrize("result", [0, 2_000, 6_000])
def test_growing_requests_are_rarely_cut_elsewhere(result: int) -> None:
    """Of 50 requests that are all cut, the first kept turn changes in a few."""
    everything = lesson(400, result=result)
    limit = 16_000
    first = next(n for n in range(len(everything)) if total(everything[:n]) > 2 * limit)
    firsts = [
        trim_conversation(everything[:n], limit, count_tokens)[1] for n in range(first, first + 50)
    ]
    changes = sum(a != b for a, b in itertools.pairwise(firsts))
    assert 1 <= changes <= 5


def test_growing_requests_share_all_but_their_newest_messages() -> None:
    everything = lesson(400)
    sent = [trim_conversation(everything[:n], 16_000, count_tokens) for n in range(500, 600)]
    same = sum(b[: len(a)] == a for a, b in itertools.pairwise(sent))
    assert same >= 95


def test_the_time_in_a_note_does_not_move_the_cut() -> None:
    messages = lesson(200)

    def ask(minute: int) -> list[Message]:
        note = SystemMessage(f"It is Monday, {minute} o'clock" + "." * minute)
        return trim_conversation([*messages, note, said("?")], 16_000, count_tokens)

    assert len({ask(minute)[1] for minute in range(1, 60)}) == 1


@pytest.mark.parametrize(
    "text", ["x" * 1_000_000, "é" * 500_000, "x" * 500_000 + "😀" * 500_000, "\n" * 1_000_000]
)
def test_a_megabyte_takes_linear_time(text: str) -> None:
    messages = [*lesson(20), said(text), *tool_round(1, [900_000])]
    started = time.process_time()
    assert total(trim_conversation(messages, 4_000, count_tokens)) <= 4_000
    assert time.process_time() - started < 1


def test_a_hundred_thousand_small_messages_take_linear_time() -> None:
    messages: list[Message] = [SYSTEM]
    for _ in range(25_000):
        messages += [SystemMessage("note"), said("?"), AssistantMessage("!"), said("?")]
    started = time.process_time()
    assert total(trim_conversation(messages, 1_000, count_tokens)) <= 1_000
    assert time.process_time() - started < 3


def test_without_any_message_of_the_user_the_rest_is_trimmed_all_the_same() -> None:
    messages = [SYSTEM, *tool_round(0, [9_000]), *tool_round(1, [9_000])]
    sent = trim_conversation(messages, 1_000, count_tokens)
    assert total(sent) <= 1_000
    check_pairs(sent)


def test_a_turn_begins_with_the_first_of_several_messages_in_a_row() -> None:
    note, answer = SystemMessage("note"), AssistantMessage("yes")
    asked = said("?")
    assert find_turns([note, asked, answer, asked, note, asked, answer, asked]) == [1, 3, 7]


def test_tool_rounds_are_within_their_turn() -> None:
    assert find_turns([said("?"), *tool_round(1, [5, 5]), *tool_round(2, [5]), said("!")]) == [0, 6]


def test_nothing_has_no_turns() -> None:
    assert find_turns([]) == []
    assert find_turns([AssistantMessage("hello")]) == []


@given(conversations())
def test_every_turn_begins_with_a_message_of_the_user(messages: list[Message]) -> None:
    starts = find_turns(messages)
    assert starts == sorted(set(starts))
    assert all(isinstance(messages[start], UserMessage) for start in starts)


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
