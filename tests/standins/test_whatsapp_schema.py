"""The mended specification still takes what Meta publishes."""

from __future__ import annotations

import json

import pytest

from tests.standins.whatsapp_errors import Refused
from tests.standins.whatsapp_schema import check_message
from tests.support.recorded_data import DATA

MODELLED = {"text", "image", "document", "audio", "video", "template", "reaction", None}
PUBLISHED = {
    example["name"]: example["payload"]
    for example in json.loads((DATA / "whatsapp" / "send_examples.json").read_bytes())
}
UNCHECKED = {
    "Send Catalog Template Message",
    "Send Flow Template Message",
    "Send Sample Issue Resolution Template",
    "Send Reply to List Message",
    "Send Text Message with Preview URL",
}
"""Examples that the published schema contradicts, beyond what is mended."""


@pytest.mark.parametrize(
    "name",
    [name for name, body in PUBLISHED.items() if body.get("type") in MODELLED]
    + ["Send Reply Button", "Send List Message"],
)
def test_the_published_examples_of_messages_are_taken(name: str) -> None:
    if name in UNCHECKED:
        with pytest.raises(Refused):
            check_message(PUBLISHED[name])
    else:
        check_message(PUBLISHED[name])
