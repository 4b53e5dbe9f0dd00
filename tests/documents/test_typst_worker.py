from __future__ import annotations

import struct
import zlib

import pytest

from bot.documents.typst_worker import write_grey_png


@pytest.mark.parametrize(
    ("greys", "width", "stride", "rows"),
    [
        (bytes([0x00, 0xFF, 0x80, 0x7F]), 2, 2, bytes([0, 0x0F, 0, 0x87])),
        (bytes([0x10, 0x20, 0xFF, 9, 9, 0x30, 0x40, 0x50, 9, 9]), 3, 5,
         bytes([0, 0x12, 0xF0, 0, 0x34, 0x50])),
    ],
)  # fmt: skip
def test_two_pixels_share_a_byte_and_what_pads_a_row_is_left_out(
    greys: bytes, width: int, stride: int, rows: bytes
) -> None:
    picture = write_grey_png(greys, width, 2, stride)
    start = picture.index(b"IDAT") + 4
    (length,) = struct.unpack("!I", picture[start - 8 : start - 4])
    assert zlib.decompress(picture[start : start + length]) == rows
    assert picture[16:29] == struct.pack("!IIBBBBB", width, 2, 4, 0, 0, 0, 0)
    assert picture.endswith(b"IEND\xaeB`\x82")
