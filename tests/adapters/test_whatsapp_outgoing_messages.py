"""Messages in the form of the Cloud API; the stand-in checks them against its specification."""

from __future__ import annotations

import pytest

from adapters.base import require_phone_number
from adapters.whatsapp.adapter import CARRIED, file_message, read_template
from bot.contracts.channels import Capabilities
from bot.errors import SettingsError, Undeliverable
from bot.messages.outgoing import ShareFile
from tests.standins.whatsapp_limits import MAX_SIZE, TYPES


def share(mime_type: str, caption: str = "") -> ShareFile:
    return ShareFile("1", "cours.x", mime_type, 8, caption)


@pytest.mark.parametrize("conversation", ["", "2250701020304", "+0225", "+225 07", "+2٢٥٠٧٠١٠٢"])
def test_only_a_phone_number_is_written_to(conversation: str) -> None:
    with pytest.raises(Undeliverable):
        require_phone_number(conversation)
    assert require_phone_number("+2250701020304") == "+2250701020304"


@pytest.mark.parametrize(
    ("mime_type", "kind"),
    [
        ("image/png", "image"),
        ("audio/ogg", "audio"),
        ("video/mp4", "video"),
        ("text/plain", "document"),
    ],
)
def test_a_file_goes_as_what_it_is(mime_type: str, kind: str) -> None:
    name = {"filename": "cours.x"} if kind == "document" else {}
    assert file_message(share(mime_type), "7") == {"type": kind, kind: {"id": "7", **name}}


def test_a_recording_with_words_under_it_goes_as_a_document_so_that_they_are_not_lost() -> None:
    assert file_message(share("audio/ogg", "Écoute"), "7") == {
        "type": "document",
        "document": {"id": "7", "caption": "Écoute", "filename": "cours.x"},
    }


def test_what_is_carried_is_what_meta_takes_up_to_its_size() -> None:
    facts = Capabilities(4096, media=CARRIED)
    for kind in ("image", "audio", "video", "document"):
        for mime_type in TYPES[kind]:
            assert facts.carries(mime_type, MAX_SIZE[kind])
            assert not facts.carries(mime_type, MAX_SIZE[kind] + 1)
    for other in ("image/webp", "image/gif", "text/html", "application/zip", ""):
        assert not facts.carries(other, 1)


@pytest.mark.parametrize(
    ("setting", "template"),
    [("", None), ("news:fr", ("news", "fr")), ("griot_1:en_US", ("griot_1", "en_US"))],
)
def test_the_template_is_named_with_its_language(
    setting: str, template: tuple[str, str] | None
) -> None:
    assert read_template(setting) == template


@pytest.mark.parametrize(
    "setting", ["news", "news:", ":fr", "news:fr:x", "news:français", "n ws:fr"]
)
def test_a_template_named_otherwise_is_the_operators_error(setting: str) -> None:
    with pytest.raises(SettingsError, match="WHATSAPP_TEMPLATE"):
        read_template(setting)
