"""The channels that rendering is tried on, as their adapters describe them."""

from __future__ import annotations

from bot.contracts.channels import Capabilities

TELEGRAM = Capabilities(
    max_text=4096,
    text_unit="utf16",
    markup="entities",
    max_caption=1024,
    max_buttons=100,
    max_button_label=64,
)
WHATSAPP = Capabilities(
    max_text=1600,
    text_unit="utf16",
    markup="markers",
    max_caption=1024,
    captioned=("image/",),
    max_buttons=10,
    max_button_label=20,
)
WHATSAPP_CLOUD = Capabilities(
    max_text=4096,
    text_unit="utf16",
    markup="markers",
    max_caption=1024,
    max_buttons=10,
    max_button_label=20,
)
FEW_BUTTONS = Capabilities(max_text=1600, markup="markers", max_buttons=3)
SMS = Capabilities(max_text=1600, text_unit="gsm7", markup="plain")
HTTP = Capabilities(max_text=0, markup="markdown", max_buttons=100, max_button_label=200)
