"""What people send by SMS and WhatsApp, and what became of our messages, in the app's words."""

from __future__ import annotations

from typing import Any

import pytest

from adapters.twilio.parse import read_message, read_status
from bot.errors import BadRequest
from bot.messages.incoming import (
    Attachment,
    OptedOut,
    Receipt,
    Said,
    Sender,
    SharedLocation,
    Tapped,
    Unreadable,
    Update,
)
from tests.adapters.twilio_parts import AWA, SID, SMS_NUMBER, WHATSAPP_NUMBER

TOKEN = "0123456789abcdef" * 2
MEDIA = "https://api.twilio.com/2010-04-01/Accounts/AC1/Messages/MM1/Media/ME1"


def sms(body: str = "", **fields: str) -> Update | Unreadable:
    told = {"MessageSid": SID, "From": AWA, "To": SMS_NUMBER, "Body": body, "NumMedia": "0"}
    return read_message(told | fields)


def whatsapp(body: str = "", **fields: str) -> Update | Unreadable:
    told = {
        "MessageSid": SID,
        "From": f"whatsapp:{AWA}",
        "To": f"whatsapp:{WHATSAPP_NUMBER}",
        "ProfileName": "Awa",
        "WaId": AWA[1:],
        "Body": body,
    }
    return read_message(told | fields)


def content(update: Update | Unreadable) -> Any:
    assert isinstance(update, Update)
    return update.content


def reason(kept: Update | Unreadable) -> str:
    assert isinstance(kept, Unreadable)
    return kept.reason


def media(mime_type: str, place: int = 0, url: str = MEDIA) -> dict[str, str]:
    return {f"MediaUrl{place}": url, f"MediaContentType{place}": mime_type}


def test_a_text_by_sms() -> None:
    assert sms("Bonjour") == Update(
        channel="sms",
        via="twilio_sms",
        conversation=AWA,
        sender=Sender(AWA),
        delivery_key=SID,
        message_key=SID,
        content=Said("Bonjour"),
    )


def test_a_text_by_whatsapp() -> None:
    assert whatsapp("Bonjour") == Update(
        channel="whatsapp",
        via="twilio_whatsapp",
        conversation=AWA,
        sender=Sender(AWA, "Awa"),
        delivery_key=SID,
        message_key=SID,
        content=Said("Bonjour"),
    )


@pytest.mark.parametrize(
    "sender", ["", "MTN", "98100", "+0123456789", f"{AWA}x", f"whatsapp:whatsapp:{AWA}", "\n" + AWA]
)
def test_what_comes_from_no_phone_number_is_kept_for_operators(sender: str) -> None:
    assert reason(sms("Votre solde est de 100 F", From=sender)) == "sender"


@pytest.mark.parametrize("field", ["ExternalUserId", "ExternalUserIdentifier"])
def test_a_user_id_comes_beside_the_number(field: str) -> None:
    update = whatsapp("Bonjour", **{field: "whatsapp:CI.134"})
    assert isinstance(update, Update)
    assert update.sender == Sender(AWA, "Awa", user_id="CI.134")


def test_a_hidden_number_leaves_the_user_id() -> None:
    update = whatsapp("Bonjour", From="whatsapp:CI.134")
    assert isinstance(update, Update)
    assert update.sender == Sender("CI.134", "Awa", user_id="CI.134")


@pytest.mark.parametrize("body", ["", " \n"])
def test_a_message_that_says_nothing_is_kept_for_operators(body: str) -> None:
    assert reason(whatsapp(body, MessageType="unsupported")) == "shape"
    assert reason(sms(body)) == "shape"


# Files


def test_a_voice_note_of_whatsapp_is_a_voice() -> None:
    assert content(whatsapp(**media("audio/ogg; codecs=opus"))) == Said(
        attachments=(Attachment("audio", MEDIA, mime_type="audio/ogg", voice=True),)
    )


def test_a_sound_by_mms_is_a_file() -> None:
    [sound] = content(sms(**media("audio/amr"))).attachments
    assert sound == Attachment("audio", MEDIA, mime_type="audio/amr")


def test_a_photo_with_its_caption() -> None:
    said = content(whatsapp("Mon exercice", **media("image/jpeg")))
    assert said == Said("Mon exercice", (Attachment("image", MEDIA, mime_type="image/jpeg"),))


def test_several_files_of_one_message_come_in_their_order() -> None:
    fields = media("image/png") | media("video/mp4", 1, MEDIA + "b") | media("", 2, MEDIA + "c")
    found = content(sms("Voici", **fields)).attachments
    assert [(each.kind, each.reference) for each in found] == [
        ("image", MEDIA),
        ("document", MEDIA + "b"),
        ("document", MEDIA + "c"),
    ]


def test_no_more_files_are_read_than_a_message_holds() -> None:
    fields = {name: v for place in range(20) for name, v in media("image/png", place).items()}
    assert len(content(sms(**fields)).attachments) == 10


@pytest.mark.parametrize("name", ["devoir.pdf", "Mon cours (été).docx", " liste.final.xlsx "])
def test_a_document_of_whatsapp_is_named_by_the_text(name: str) -> None:
    said = content(whatsapp(name, **media("application/pdf")))
    assert said == Said(
        attachments=(Attachment("document", MEDIA, name.strip(), "application/pdf"),)
    )


@pytest.mark.parametrize("text", ["Corrige ça.", "voir\ncours.pdf", "../../cours.pdf", "Page 3"])
def test_other_words_beside_a_document_are_words(text: str) -> None:
    said = content(whatsapp(text, **media("application/pdf")))
    assert (said.text, said.attachments[0].filename) == (text, "")


@pytest.mark.parametrize("mime_type", ["text/vcard", "text/x-vcard"])
def test_a_shared_contact_is_a_document(mime_type: str) -> None:
    [card] = content(whatsapp(**media(mime_type))).attachments
    assert (card.kind, card.filename) == ("document", "contact.vcf")


def test_a_sticker_is_named() -> None:
    assert content(whatsapp(**media("image/webp"))) == Said("[sticker]")
    assert content(whatsapp("Regarde", **media("image/webp"))).attachments
    assert content(sms(**media("image/webp"))).attachments


@pytest.mark.parametrize("field", ["Forwarded", "FrequentlyForwarded"])
def test_forwarded_words_are_somebody_elses(field: str) -> None:
    assert content(whatsapp("À partager", **{field: "true"})).forwarded
    assert content(whatsapp("À voir", **media("image/jpeg"), **{field: "true"})).forwarded
    assert not content(whatsapp("À partager", **{field: "false"})).forwarded


# Choices


@pytest.mark.parametrize(
    "fields",
    [
        {"ButtonPayload": TOKEN, "ButtonText": "Paris"},
        {"ListId": TOKEN, "ListTitle": "Paris"},
    ],
)
def test_our_token_is_a_tap(fields: dict[str, str]) -> None:
    assert content(whatsapp("Paris", **fields)) == Tapped(TOKEN)


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"ButtonPayload": "YES", "ButtonText": "Oui"}, "Oui"),
        ({"ListId": "first", "ListTitle": "Paris"}, "Paris"),
        ({"ButtonPayload": TOKEN.upper()}, "Corps"),
        ({"ButtonPayload": f"{TOKEN}0"}, "Corps"),
    ],
)
def test_any_other_button_says_its_text(fields: dict[str, str], text: str) -> None:
    assert content(whatsapp("Corps", **fields)) == Said(text)


def test_a_list_reply_that_comes_as_text_only_is_text() -> None:
    assert content(whatsapp("Paris", MessageType="interactive")) == Said("Paris")


# Places


def test_a_shared_location() -> None:
    told = {"Latitude": "5.3364", "Longitude": "-4.0267", "Address": "Abidjan"}
    assert content(whatsapp(**told)) == SharedLocation(5.3364, -4.0267, "Abidjan")
    assert content(whatsapp(**told, Label="École")).title == "École"


@pytest.mark.parametrize(
    ("latitude", "longitude"), [("nan", "0"), ("0", "inf"), ("91", "0"), ("0", "-181"), ("a", "0")]
)
def test_a_location_off_the_earth_is_malformed(latitude: str, longitude: str) -> None:
    with pytest.raises(BadRequest):
        whatsapp(Latitude=latitude, Longitude=longitude)


# The carrier's words


@pytest.mark.parametrize(
    "word",
    ["STOP", "stop", " Stop\n", "Stop.", "STOP\u202f!", "STOPALL", "UNSUBSCRIBE", "cancel", "END"],
)
def test_a_word_of_opting_out_by_sms(word: str) -> None:
    assert content(sms(word)) == OptedOut()


@pytest.mark.parametrize("word", ["START", "start ", "Start.", "UNSTOP", "Yes"])
def test_a_word_of_consent_by_sms(word: str) -> None:
    assert content(sms(word)) == Said(word, consents=True)


@pytest.mark.parametrize("text", ["HELP", "INFO", "stop?", "stop it", "the end", "yes please"])
def test_other_words_by_sms_are_text(text: str) -> None:
    assert content(sms(text)) == Said(text)


def test_words_that_the_operator_chose_count_by_what_twilio_made_of_them() -> None:
    assert content(sms("ARRETEZ", OptOutType="STOP")) == OptedOut()
    assert content(sms("REPRENDRE", OptOutType="START")) == Said("REPRENDRE", consents=True)
    assert content(sms("AIDE", OptOutType="HELP")) == Said("AIDE")
    assert content(whatsapp("ARRETEZ", OptOutType="STOP")) == OptedOut()


@pytest.mark.parametrize("word", ["STOP", "end", "YES", "START", "Cancel"])
def test_on_whatsapp_these_words_are_words(word: str) -> None:
    assert content(whatsapp(word)) == Said(word)


# What became of ours


def status(state: str, **fields: str) -> Receipt | None:
    form = {"MessageSid": SID, "From": SMS_NUMBER, "MessageStatus": state} | fields
    return read_status(form, "twilio_sms")


@pytest.mark.parametrize("state", ["sent", "delivered", "read", "failed"])
def test_a_receipt(state: Any) -> None:
    assert status(state) == Receipt("twilio_sms", SID, state, sender=SMS_NUMBER)
    both = {"From": f"whatsapp:{WHATSAPP_NUMBER}", "To": "whatsapp:+2250701020304"}
    assert status(state, **both) == Receipt(
        "twilio_whatsapp", SID, state, recipients=("+2250701020304",), sender=WHATSAPP_NUMBER
    )
    assert status(state, To="whatsapp:CI.1349", From="Griot\0") == Receipt(
        "twilio_sms", SID, state, recipients=("CI.1349",)
    )


def test_a_receipt_without_a_sender_goes_by_its_recipient_else_by_the_default() -> None:
    form = {"MessageSid": SID, "MessageStatus": "delivered"}
    receipts = [
        read_status(form | {"To": "whatsapp:+2250701020304"}, "twilio_sms"),
        read_status(form | {"To": "+2250701020304"}, "twilio_whatsapp"),
        read_status(form, "twilio_whatsapp"),
    ]
    named = [receipt.via if receipt else "" for receipt in receipts]
    assert named == ["twilio_whatsapp", "twilio_sms", "twilio_whatsapp"]


def test_undelivered_is_failed() -> None:
    expected = Receipt("twilio_sms", SID, "failed", "30003", sender=SMS_NUMBER)
    assert status("undelivered", ErrorCode="30003") == expected


@pytest.mark.parametrize("state", ["", "queued", "accepted", "sending", "canceled", "received"])
def test_a_message_on_its_way_has_no_receipt(state: str) -> None:
    assert status(state) is None


@pytest.mark.parametrize(
    ("code", "cause"),
    [
        ("63016", "window"),
        ("21610", "opted_out"),
        ("30005", "dead"),
        ("30003", ""),
        ("", ""),
        ("x", ""),
        ("²", ""),
        ("9" * 5000, ""),
    ],
)
def test_what_a_failure_means_for_the_conversation(code: str, cause: str) -> None:
    receipt = status("failed", ErrorCode=code)
    assert receipt is not None
    assert (receipt.error, receipt.cause) == (code, cause)


def test_a_message_that_arrived_has_no_error() -> None:
    expected = Receipt("twilio_sms", SID, "delivered", sender=SMS_NUMBER)
    assert status("delivered", ErrorCode="63016") == expected
