"""Fake channels beside the first one, and what was said there."""

from __future__ import annotations

import msgspec

from bot.contracts.channels import Capabilities
from bot.messages.channels import Channel
from bot.messages.incoming import Update, UpdateContent
from bot.messages.outgoing import TextBody
from tests.support.app import update
from tests.support.fakes import FakeChannel

AWA = "+2250701020304"


def make_sms() -> FakeChannel:
    """Make an SMS channel."""
    return FakeChannel("fake_sms", "sms", Capabilities(max_text=1600))


def make_whatsapp(name: str = "fake_whatsapp") -> FakeChannel:
    """Make a WhatsApp channel that takes files."""
    media = (("*/*", 2**20),)
    return FakeChannel(name, "whatsapp", Capabilities(max_text=4096, media=media))


def list_texts(channel: FakeChannel) -> list[tuple[str, str]]:
    """List the texts that were delivered, each after its conversation."""
    return [
        (delivery.conversation, delivery.body.text)
        for delivery in channel.delivered
        if isinstance(delivery.body, TextBody)
    ]


def make_update_elsewhere(content: UpdateContent, channel: Channel, via: str) -> Update:
    """Make an update: what Awa writes on another channel."""
    return msgspec.structs.replace(update(content, chat=AWA), channel=channel, via=via)
