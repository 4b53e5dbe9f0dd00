from __future__ import annotations

import msgspec
import pytest

from bot.billing.providers.provider_client import read_event, sign
from bot.errors import BadRequest


class Event(msgspec.Struct):
    type: str


def test_a_signature_is_that_of_the_standard() -> None:
    # The second test case of RFC 4231.
    key, content = "Jefe", b"what do ya want for nothing?"
    assert sign(key, content).hex().startswith("5bdcc146bf60754e6a042426089575c7")
    assert sign(key, content, "sha512").hex().startswith("164b7a7bfcf819e2e395fbe73b56e0a3")


@pytest.mark.parametrize("body", [b'{"x": ' + b"[" * 100_000, b'{"type": "\xff"}', b'{"type": 1}'])
def test_an_event_of_another_form_is_a_bad_request(body: bytes) -> None:
    with pytest.raises(BadRequest):
        read_event(body, Event)


def test_what_an_event_holds_besides_does_not_matter() -> None:
    assert read_event(b'{"type": "x", "other": [{}]}', Event) == Event("x")
