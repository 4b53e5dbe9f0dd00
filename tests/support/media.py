"""Files of each kind, as small as they can be."""

from __future__ import annotations

import io

from PIL import Image

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de"
    "0000000c49444154789c63f8cfc0000003010100c9fe92ef0000000049454e44ae426082"
)

OGG = b"OggS\0\x02" + bytes(22) + b"OpusHead\x01\x01" + bytes(40)

PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n"


def make_photo(kind: str = "JPEG") -> bytes:
    """A picture of noise, which has many bytes: PNG, JPEG, GIF or WEBP."""
    held = io.BytesIO()
    Image.effect_noise((200, 150), 90).save(held, kind)
    return held.getvalue()
