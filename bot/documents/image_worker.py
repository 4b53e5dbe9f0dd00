"""Find pictures in Markdown, and make small copies of pictures.

Runs as an isolated worker, because a malicious text or picture may cost minutes or gigabytes: a
picture is only decoded here.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import msgspec

from bot.documents.characters import clean_markdown
from bot.documents.document_request import DocumentImage, ImageReference
from bot.documents.markdown_blocks import parser
from bot.errors import ToolFailed

if TYPE_CHECKING:
    from PIL.Image import Image

PROGRAM: Final = "bot.documents.image_worker"
MAX_SIDE: Final = 1_600
"""Most pixels of a side of a copy: 200 dots per inch over the width of an A4 page."""
MAX_COPY: Final = 600_000
"""Most bytes of a copy."""
_MAX_PIXELS: Final = 40_000_000
"""Most pixels of the original."""
_FORMATS: Final = ("PNG", "JPEG", "WEBP", "GIF")
_QUALITIES: Final = (85, 75, 65)
_FEW_COLOURS: Final = 256


class FindImages(msgspec.Struct, frozen=True, tag=True):
    """A request for the pictures that a Markdown text names; the answer has `ImageReference`s."""

    text: str


class ShrinkImage(msgspec.Struct, frozen=True, tag=True):
    """A request for a small copy of a picture; answered by a `DocumentImage`."""

    content: bytes


def serve(request: bytes) -> bytes:
    """Answer a `FindImages` or a `ShrinkImage` in MessagePack."""
    asked = msgspec.msgpack.decode(request, type=FindImages | ShrinkImage)
    if isinstance(asked, FindImages):
        return msgspec.msgpack.encode(find_images(asked.text))
    return msgspec.msgpack.encode(shrink_image(asked.content))


def find_images(text: str) -> list[ImageReference]:
    """Return the pictures that a Markdown text shows, in order."""
    return [
        ImageReference(str(token.attrs.get("src", "")), token.content)
        for block in parser().parse(clean_markdown(text))
        for token in block.children or ()
        if token.type == "image"
    ]


def shrink_image(content: bytes) -> DocumentImage:
    """Return a copy of a PNG, JPEG, WebP or GIF (its first frame).

    Raises:
        ToolFailed: it is none of these, damaged or too large.
    """
    from PIL import Image, ImageOps  # imported on first use: most documents have no picture

    try:
        with Image.open(io.BytesIO(content), formats=_FORMATS) as original:
            if original.width * original.height > _MAX_PIXELS:
                raise ToolFailed("The picture has too many pixels.")
            is_photo = original.format == "JPEG"
            original.draft("RGB", (MAX_SIDE, MAX_SIDE))  # a JPEG is decoded no larger than needed
            copy = _put_on_white(ImageOps.exif_transpose(original))
    except (OSError, ValueError, SyntaxError, MemoryError, Image.DecompressionBombError):
        raise ToolFailed("The picture is damaged or of another kind.") from None
    copy.thumbnail((MAX_SIDE, MAX_SIDE), Image.Resampling.LANCZOS)
    return (None if is_photo else _write_png(copy)) or _write_jpeg(copy)


def _put_on_white(image: Image) -> Image:
    """Return the picture in grey or RGB, on a white background."""
    from PIL.Image import Resampling, frombytes, new

    if image.mode == "I;16":  # grey in little-endian pairs of bytes; the higher ones are enough
        return frombytes("L", image.size, image.tobytes()[1::2])
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        layer.thumbnail((MAX_SIDE, MAX_SIDE), Resampling.LANCZOS)
        paper = new("RGB", layer.size, "white")
        paper.paste(layer, mask=layer.getchannel("A"))
        return paper
    return image if image.mode == "L" else image.convert("RGB")


def _write_png(image: Image) -> DocumentImage | None:
    """Return the picture as PNG; None if that is too large, as for a photograph."""
    colours = image.getcolors(_FEW_COLOURS)
    small = image.quantize(_FEW_COLOURS) if colours and image.mode == "RGB" else image
    written = _encode(small, "PNG", optimize=True)
    if len(written) > MAX_COPY:
        return None
    return DocumentImage(written, "image/png", *image.size)


def _write_jpeg(image: Image) -> DocumentImage:
    while True:
        for quality in _QUALITIES:
            written = _encode(image, "JPEG", quality=quality, optimize=True)
            if len(written) <= MAX_COPY:
                return DocumentImage(written, "image/jpeg", *image.size)
        image = image.reduce(2)


def _encode(image: Image, kind: str, **options: int) -> bytes:
    image.info.clear()
    out = io.BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()
