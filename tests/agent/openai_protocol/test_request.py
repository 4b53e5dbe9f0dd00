"""The body of a chat completion request."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from bot.agent.openai_protocol.request import encode_request, find_images, fold_system_messages
from bot.contracts.models import ModelRequest
from bot.contracts.tools import ToolSpec
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

TOOL = ToolSpec("look", "Look at it.", {"type": "object", "properties": {"a": {"type": "integer"}}})
PHOTO = Media("image", "f1", "chat.png", "image/png")


def body(
    *messages: Message,
    images: dict[str, bytes] | None = None,
    with_tools: bool = True,
    **fields: Any,
) -> dict[str, Any]:
    encoded = encode_request(
        ModelRequest(messages, **fields),
        model="m",
        endpoint="here",
        images=images or {},
        with_tools=with_tools,
    )
    return json.loads(encoded)


def said(text: str) -> UserMessage:
    return UserMessage((Text(text),))


def test_a_plain_request_streams_and_asks_for_usage() -> None:
    assert body(SystemMessage("Be kind."), said("Salut"), AssistantMessage("Bonjour")) == {
        "model": "m",
        "messages": [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Salut"},
            {"role": "assistant", "content": "Bonjour"},
        ],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


def test_calls_and_results_are_paired_by_id() -> None:
    call = ToolCall("c1", "look", '{"a": 1}')
    messages = body(AssistantMessage("", (call,)), ToolResult("c1", "look", "seen"))["messages"]
    function = {"name": "look", "arguments": '{"a": 1}'}
    assert messages == [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        {"role": "tool", "tool_call_id": "c1", "content": "seen"},
    ]


def test_text_beside_calls_is_kept() -> None:
    assert (
        body(AssistantMessage("I look.", (ToolCall("c1", "look"),)))["messages"][0]["content"]
        == "I look."
    )


@pytest.mark.parametrize("arguments", ["{oh", "", "[1]", "null"])
def test_broken_arguments_are_not_sent_back_to_an_endpoint_that_parses_them(arguments: str) -> None:
    message = body(AssistantMessage("", (ToolCall("c1", "look", arguments),)))["messages"][0]
    assert message["tool_calls"][0]["function"]["arguments"] == "{}"


@pytest.mark.parametrize(
    ("name", "sent"),
    [("a b:0", "a_b_0"), ("", "unknown"), ("é" * 80, "_" * 64), ("fine-1", "fine-1")],
)
def test_an_invented_name_is_sent_back_in_an_acceptable_form(name: str, sent: str) -> None:
    message = body(AssistantMessage("", (ToolCall("c1", name),)))["messages"][0]
    assert message["tool_calls"][0]["function"]["name"] == sent


def test_tools_are_sent_as_they_were_encoded() -> None:
    sent = body(said("hi"), tools=(TOOL,))
    assert sent["tools"] == [json.loads(TOOL.encoded)]
    assert "tool_choice" not in sent


def test_a_closing_request_keeps_the_tools_but_forbids_them() -> None:
    sent = body(said("hi"), tools=(TOOL,), tool_choice="none")
    assert (len(sent["tools"]), sent["tool_choice"]) == (1, "none")


def test_tools_can_be_withheld() -> None:
    sent = body(said("hi"), tools=(TOOL,), tool_choice="none", with_tools=False)
    assert "tools" not in sent
    assert "tool_choice" not in sent


def test_a_closing_request_without_tools_names_no_choice() -> None:
    assert "tool_choice" not in body(said("hi"), tool_choice="none")


def test_reasoning_goes_back_to_the_endpoint_that_sent_it_within_the_turn_only() -> None:
    ours = AssistantMessage("", (ToolCall("c1", "look"),), "hm", "here")
    theirs = AssistantMessage("", (ToolCall("c2", "look"),), "hm", "elsewhere")
    messages = body(said("before"), ours, said("now"), ours, theirs)["messages"]
    assert [message.get("reasoning_content") for message in messages] == [
        None,
        None,
        None,
        "hm",
        None,
    ]


def test_an_image_is_sent_as_a_data_url_beside_the_text() -> None:
    content = body(UserMessage((Text("What?"), PHOTO)), images={"f1": b"png"})["messages"][0][
        "content"
    ]
    url = "data:image/png;base64," + base64.b64encode(b"png").decode()
    assert content == [
        {"type": "text", "text": "What?"},
        {"type": "image_url", "image_url": {"url": url}},
    ]


def test_what_cannot_be_shown_is_named() -> None:
    document = Media("document", "f2", "cours.pdf")
    assert body(UserMessage((Text("Look"), PHOTO, document)))["messages"][0]["content"] == (
        "Look\n[image, not shown to you: chat.png]\n[document, not shown to you: cours.pdf]"
    )
    mixed = body(UserMessage((PHOTO, document)), images={"f1": b"png"})["messages"][0]["content"]
    assert mixed[1] == {"type": "text", "text": "[document, not shown to you: cours.pdf]"}


def test_the_images_of_all_messages_are_found() -> None:
    document = Media("document", "f2")
    assert find_images([SystemMessage("s"), UserMessage((PHOTO, document)), said("a")]) == [PHOTO]


def test_notes_in_mid_conversation_are_no_system_messages_for_many_templates_refuse_them() -> None:
    said = UserMessage((Text("Bonjour"),))
    folded = fold_system_messages(
        [
            SystemMessage("You are Griot."),
            SystemMessage("Summary: Awa learns fractions."),
            said,
            AssistantMessage("Bonjour !"),
            SystemMessage("It is Monday."),
            said,
            AssistantMessage("Oui"),
            SystemMessage("Something is missing."),
        ]
    )
    assert folded == [
        SystemMessage("You are Griot.\n\nSummary: Awa learns fractions."),
        said,
        AssistantMessage("Bonjour !"),
        UserMessage((Text("It is Monday.\n"), Text("Bonjour"))),
        AssistantMessage("Oui"),
        UserMessage((Text("Something is missing."),)),
    ]
