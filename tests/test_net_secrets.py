"""Secrets that came from outside, and JSON that is not what was asked for."""

from __future__ import annotations

import pytest

from bot.net import decode_json, get_fields, is_same_secret


@pytest.mark.parametrize("given", ["", "é", "x", "\udcff", "expecte", "Expected"])
def test_another_secret_or_an_unexpected_one_is_not_the_same(given: str) -> None:
    assert not is_same_secret(given, "")
    assert not is_same_secret(given, "expected")


@pytest.mark.parametrize("secret", ["expected", "clé"])
def test_the_expected_secret_is_the_same(secret: str) -> None:
    assert is_same_secret(secret, secret)


@pytest.mark.parametrize("content", [b"", b"[1]", b"null", b'"x"', b"\xff", b"[" * 10_000])
def test_what_is_no_json_object_has_no_fields(content: bytes) -> None:
    assert get_fields(decode_json(content)) == {}


def test_a_json_object_has_its_fields() -> None:
    assert get_fields(decode_json(b'{"a": {"b": 1}}'))["a"] == {"b": 1}
