"""What is said of an endpoint's error: its codes and known phrases, and nobody's words."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.observability import MOST_READ, summarize_error

WORDS = "Awa n'a rien compris aux fractions, aide-la"
OPENAI = {
    "error": {
        "message": f"This model's maximum context length is 8192 tokens. You wrote: {WORDS}",
        "type": "invalid_request_error",
        "param": "messages",
        "code": "context_length_exceeded",
    }
}


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (OPENAI, "invalid_request_error, context_length_exceeded, messages, context length"),
        (json.dumps(OPENAI).encode(), "invalid_request_error, context_length_exceeded, messages"),
        ({"error": {"message": WORDS, "type": "Bad", "code": 400}}, "Bad, 400"),
        ({"object": "error", "message": WORDS, "type": "BadRequestError"}, "BadRequestError"),
        ({"error": f"model not found for: {WORDS}"}, "not found"),
        ({"detail": [{"msg": "Field required", "input": WORDS}]}, "required"),
        (f"<html>502 Bad Gateway {WORDS}".encode(), "bad gateway"),
        ({"error": {"code": WORDS, "type": WORDS}}, "no known reason"),
        ({"error": {"code": "2250701020304", "type": True}}, "no known reason"),
        (b"\xff\xfe", "no known reason"),
        (None, "no known reason"),
        ("[" * 100_000, "no known reason"),
    ],
)
def test_codes_and_known_phrases_are_all_that_is_said(answer: object, said: str) -> None:
    told = summarize_error(answer)
    assert told.startswith(said)
    assert "Awa" not in told
    assert "2250701020304" not in told


def test_a_code_that_is_our_key_is_not_repeated() -> None:
    answer = {"error": {"code": "key-of-ours", "message": "Incorrect API key: key-of-ours"}}
    assert summarize_error(answer, secret="key-of-ours") == "api key"


@given(st.recursive(st.none() | st.text() | st.integers(), st.lists) | st.binary())
def test_it_takes_whatever_comes(answer: object) -> None:
    assert len(summarize_error(answer)) < 400


def test_a_huge_error_is_not_read_to_its_end() -> None:
    assert summarize_error(" " * MOST_READ + "quota") == "no known reason"
