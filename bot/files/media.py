"""Detect the type of a file by its bytes, and whether a model may be shown it.

Only limited parts are read: the beginning of a text, the names in a zip (nothing is unpacked), the
headers of an image. Whether the rest of an image is intact is found out by decoding it, for which
this module runs as an isolated worker.
"""

from __future__ import annotations

import codecs
import io
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

from bot.errors import ToolFailed
from bot.messages.value import MediaKind

if TYPE_CHECKING:
    from bot.contracts.services import IsolatedWorker  # slow to load for the worker

PROGRAM = __name__
DECODE_SECONDS = 20.0
"""Time limit for decoding an image."""
MAX_SHOWN_BYTES = 5_000_000
"""Most bytes of an image that is shown to a model."""
MAX_SHOWN_PIXELS = 50_000_000
"""Most pixels of such an image: a few kilobytes can unpack to gigabytes."""
_DAMAGED = b"damaged"
_MAX_DECODED_WEBP = 20_000_000
"""Most pixels of a WebP that is decoded: each takes twelve bytes, thrice as many as elsewhere."""
_SAMPLE = 65_536
"""Bytes at the beginning that are checked for text."""
_MAX_NAMES = 2_000
"""Names in a zip that are read; the main part of an office document is among the first."""
_ZIP_TAIL = 22 + 65_535
"""Largest distance of a zip's last record from the end: its own size and that of its comment."""
_MAX_PLACES = 500
"""Most segments of a JPEG, or tracks of an MP4, that are read."""
_SMALLEST = 30
"""Least bytes of an image: every header that is read here is that long."""
_OCTETS = "application/octet-stream"
_OPENXML = "application/vnd.openxmlformats-officedocument"
_EPUB = "application/epub+zip"
_OPENDOCUMENT = "application/vnd.oasis.opendocument"
_SHOWN = frozenset({"image/jpeg", "image/png", "image/gif", "image/webp"})
"""Formats that models can see; any other image is a document."""
_ENDINGS: dict[str, tuple[str, ...]] = {
    "image/jpeg": (".jpg", ".jpeg"),
    "image/png": (".png",),
    "image/gif": (".gif",),
    "image/webp": (".webp",),
    "image/heic": (".heic", ".heif"),
    "audio/ogg": (".ogg", ".oga", ".opus"),
    "audio/mpeg": (".mp3",),
    "audio/mp4": (".m4a", ".m4b", ".3gp"),
    "audio/aac": (".aac",),
    "audio/amr": (".amr",),
    "audio/amr-wb": (".awb", ".amr"),
    "audio/flac": (".flac",),
    "audio/wav": (".wav",),
    "audio/webm": (".webm", ".weba"),
    "video/mp4": (".mp4", ".m4v"),
    "video/3gpp": (".3gp",),
    "video/quicktime": (".mov",),
    "video/webm": (".webm", ".mkv"),
    "application/pdf": (".pdf",),
    "application/rtf": (".rtf",),
    _EPUB: (".epub",),
    "application/zip": (".zip",),
    f"{_OPENXML}.wordprocessingml.document": (".docx",),
    f"{_OPENXML}.spreadsheetml.sheet": (".xlsx",),
    f"{_OPENXML}.presentationml.presentation": (".pptx",),
    f"{_OPENDOCUMENT}.text": (".odt",),
    f"{_OPENDOCUMENT}.spreadsheet": (".ods",),
    f"{_OPENDOCUMENT}.presentation": (".odp",),
    "text/plain": (".txt",),
    "text/csv": (".csv",),
    "text/tab-separated-values": (".tsv",),
    "text/markdown": (".md", ".markdown"),
    "text/vcard": (".vcf",),
    "application/json": (".json",),
}
_TEXTS = tuple(mime for mime in _ENDINGS if mime.startswith("text/") or mime.endswith("/json"))
_PAGES = frozenset({".html", ".htm", ".xhtml", ".xht", ".mhtml", ".mht", ".hta", ".svg", ".xml"})
"""Extensions of text that a browser would run."""
_TAKEN = _PAGES.union(*_ENDINGS.values())
"""Extensions that only a file of their own kind may have."""
_PROGRAMS = (b"MZ", b"\x7fELF", b"\xca\xfe\xba\xbe", b"\xcf\xfa\xed\xfe", b"dex\n")
_ENDING = re.compile(r"\.[a-z0-9]{1,10}$")
_MARKUP = re.compile(r"\s*<[!?a-z]", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")
"""Characters that no text has: https://mimesniff.spec.whatwg.org/#binary-data-byte."""


@dataclass(frozen=True, slots=True)
class Sniffed:
    """The detected type of a file."""

    kind: MediaKind
    """`image` only if models can see its format, `audio` only if it shows nothing."""
    mime_type: str
    """Lower case; `application/octet-stream` for files that are unknown or could be run."""
    extension: str
    """The extension that its name must have, with its dot: its own if that is right."""


def sniff(content: bytes, claimed: str, filename: str) -> Sniffed:
    """Detect the type of `content`.

    Args:
        content: only its form is looked at; it may still be broken.
        claimed: the MIME type that the sender named, or empty. Like the name, it only decides what
            the bytes leave open: the kind of text, or an extension that no known kind has.
        filename: the name that the sender gave the file, or empty.
    """
    found = _ENDING.search(filename.lower())
    ending = found[0] if found else ""
    if mime_type := _look(content):
        return _sniffed(mime_type, ending)
    if text := _read_text(content[:_SAMPLE]):
        return _sniff_text(text, claimed.partition(";")[0].strip().lower(), ending)
    is_free = ending not in _TAKEN and not content.startswith(_PROGRAMS)
    return Sniffed("document", _OCTETS, (is_free and ending) or ".bin")


def sniff_recording(content: bytes, claimed: str, filename: str) -> Sniffed:
    """Detect the type of what a provider calls a recording, like `sniff`. Bytes of no known form
    have the type that the provider names, so that they can at least be transcribed."""
    found = sniff(content, claimed, filename)
    claim = claimed.partition(";")[0].strip().lower()
    is_unknown = found.mime_type in (_OCTETS, "text/plain")
    if is_unknown and claim.startswith("audio/") and claim in _ENDINGS:
        return _sniffed(claim, found.extension)
    return found


def is_fit_for_vision(content: bytes) -> bool:
    """Return whether a model may be shown this image: a still one within both limits. A model
    refuses others, and with them the whole request
    (https://platform.openai.com/docs/guides/images-vision)."""
    if len(content) > MAX_SHOWN_BYTES or _is_animated(content):
        return False
    size = dimensions(content)
    return size is not None and size[0] * size[1] <= MAX_SHOWN_PIXELS


async def is_damaged(content: bytes, isolated_worker: IsolatedWorker) -> bool:
    """Return whether an image cannot be decoded to its end: a model refuses it, and with it the
    whole request. One that goes beyond the limits of a worker counts as intact."""
    try:
        answer = await isolated_worker.run(PROGRAM, content, seconds=DECODE_SECONDS)
    except ToolFailed:
        return False
    return answer == _DAMAGED


def serve(request: bytes) -> bytes:
    """Decode an image; return `_DAMAGED` if that fails, else nothing. A WebP that would take too
    much memory is not tried."""
    from PIL import Image  # imported here, so that only the worker loads it

    width, height = dimensions(request) or (0, 0)
    if request.startswith(b"RIFF") and width * height > _MAX_DECODED_WEBP:
        return b""
    try:
        with Image.open(io.BytesIO(request), formats=("JPEG", "PNG", "GIF", "WEBP")) as image:
            image.draft("L", (1, 1))  # a JPEG is read to its end, but at an eighth of its size
            image.load()
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return _DAMAGED
    return b""


def dimensions(content: bytes) -> tuple[int, int] | None:
    """Return width and height in pixels, more than 0, by the header of a JPEG, PNG, GIF or WebP.

    None for anything else, or if the header is cut off. Nothing is decoded. Sources: PNG
    (https://www.w3.org/TR/png/#11IHDR), GIF89a, 18.
    """
    if len(content) < _SMALLEST:
        return None
    size = None
    match _look(content):
        case "image/jpeg":
            size = _measure_jpeg(content)
        case "image/png" if content[12:16] == b"IHDR":
            size = struct.unpack_from(">LL", content, 16)
        case "image/gif":
            size = struct.unpack_from("<HH", content, 6)
        case "image/webp":
            size = _measure_webp(content)
        case _:
            pass
    return (size[0], size[1]) if size and all(size) else None


def _sniffed(mime_type: str, ending: str) -> Sniffed:
    kind: MediaKind = "audio" if mime_type.startswith("audio/") else "document"
    endings = _ENDINGS[mime_type]
    extension = ending if ending in endings else endings[0]
    return Sniffed("image" if mime_type in _SHOWN else kind, mime_type, extension)


def _read_text(sample: bytes) -> str:
    """Return the text in these bytes; empty if they are no text. Bytes that are no UTF are read as
    an eight-bit alphabet."""
    is_wide = sample.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    decoder = codecs.getincrementaldecoder("utf-16" if is_wide else "utf-8-sig")()
    try:
        text = decoder.decode(sample)
    except UnicodeDecodeError:
        text = "" if is_wide else sample.decode("latin-1")
    return "" if _CONTROL.search(text) else text


def _sniff_text(text: str, claim: str, ending: str) -> Sniffed:
    if _MARKUP.match(text) or ending in _PAGES or claim.endswith(("html", "xml")):
        guess = ".svg" if "<svg" in text else ".html"
        return Sniffed("document", _OCTETS, ending if ending in _PAGES else guess)
    for mime_type in _TEXTS:
        if ending in _ENDINGS[mime_type]:
            return _sniffed(mime_type, ending)
    if ending and ending not in _TAKEN:
        return Sniffed("document", "text/plain", ending)
    return _sniffed(claim if claim in _TEXTS else "text/plain", "")


def _look(content: bytes) -> str:
    """Return the type that the bytes show; empty if they show none."""
    for magic, mime_type in _MAGIC:
        if magic.match(content):
            return mime_type
    if content.startswith(b"PK\x03\x04"):
        return _look_into_zip(content)
    if content.startswith(b"\x1aE\xdf\xa3"):
        # By the names of codecs: https://www.matroska.org/technical/codec_specs.html
        found = set(re.findall(rb"A_OPUS|A_VORBIS|V_VP8|V_VP9|V_AV1|V_MPEG", content[:_SAMPLE]))
        return "audio/webm" if found and found <= {b"A_OPUS", b"A_VORBIS"} else "video/webm"
    return _look_into_mp4(content) if content[4:8] == b"ftyp" else ""


def _look_into_mp4(content: bytes) -> str:
    """Detect audio or video by brand and tracks: ISO/IEC 14496-12, 4.3 and 8.4.3."""
    brand = content[8:12]
    handlers = re.finditer(rb"hdlr.{8}(vide|soun)", content, re.DOTALL)
    tracks = {found[1] for found in islice(handlers, _MAX_PLACES)}
    if tracks == {b"soun"} or (not tracks and brand in (b"M4A ", b"M4B ")):
        return "audio/mp4"
    return "video/3gpp" if brand.startswith(b"3g") else "video/mp4"


def _look_into_zip(content: bytes) -> str:
    """Detect the type by the parts: OpenDocument 1.3, part 2, 3.3; ECMA-376, part 2; EPUB 3.3, 4.2.
    Empty for an office document with macros, which could be run."""
    if content[30:38] == b"mimetype":
        for mime_type in _ENDINGS:
            if content.startswith(f"{mime_type}PK".encode(), 38):
                return mime_type
    names = set(_names_in_zip(content))
    if any(name.endswith(b"vbaProject.bin") for name in names):
        return ""
    for main, mime_type in _OFFICE if b"[Content_Types].xml" in names else ():
        if any(name.startswith(main) and name.endswith(b".xml") for name in names):
            return mime_type
    return _EPUB if b"META-INF/container.xml" in names else "application/zip"


def _names_in_zip(content: bytes) -> Iterator[bytes]:
    """Yield the first names in the central directory; none if readers could disagree where it
    begins."""
    end = content.rfind(b"PK\x05\x06", max(0, len(content) - _ZIP_TAIL))
    if end < 0 or len(content) < end + 22:
        return
    count, size, at = struct.unpack_from("<HLL", content, end + 10)
    if at + size != end:
        return
    for _ in range(min(count, _MAX_NAMES)):
        if content[at : at + 4] != b"PK\x01\x02" or at + 46 > end:
            return
        name, extra, comment = struct.unpack_from("<HHH", content, at + 28)
        yield content[at + 46 : at + 46 + name]
        at += 46 + name + extra + comment


def _measure_jpeg(content: bytes) -> tuple[int, int] | None:
    """Read the size from the start of the frame: ITU-T T.81, B.2.2."""
    at = 2
    for _ in range(_MAX_PLACES):
        if len(content) < at + 9 or content[at] != 0xFF:
            return None
        marker = content[at + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack_from(">HH", content, at + 5)
            return width, height
        at += 2 + int.from_bytes(content[at + 2 : at + 4], "big")
    return None


def drop_metadata(content: bytes) -> bytes:
    """Return a JPEG without what the phone wrote beside it: the place, the device, remarks.

    Only how the picture is turned is kept. Other files, and a JPEG that is not read to its first
    scan, come back as they are. Sources: ITU-T T.81, B.1.1.4; Exif 2.32, 4.5 and 4.6.4.
    """
    if not content.startswith(b"\xff\xd8"):
        return content
    at, kept, orientation = 2, list[bytes](), 1
    for _ in range(_MAX_PLACES):
        marker, size = content[at + 1 : at + 2], int.from_bytes(content[at + 2 : at + 4], "big")
        if content[at : at + 1] != b"\xff" or size < 2 or len(content) < at + 2 + size:
            return content
        if marker == b"\xda":
            turned = _write_orientation(orientation) if orientation > 1 else b""
            return b"".join((b"\xff\xd8", turned, *kept, content[at:]))
        segment = content[at : at + 2 + size]
        if marker not in _METADATA:
            kept.append(segment)
        elif segment[4:10] == b"Exif\0\0":
            orientation = _read_orientation(segment[10:])
        at += 2 + size
    return content


_METADATA: Final = frozenset({b"\xe1", b"\xed", b"\xfe"})
"""Markers of segments with Exif or XMP, with IPTC, and with a remark."""
_ORIENTATION: Final = 0x0112


def _read_orientation(tiff: bytes) -> int:
    """Return how a picture is turned, 1 to 8, by its Exif; 1, not at all, if that is not said."""
    order = {b"II*\0": "<", b"MM\0*": ">"}.get(tiff[:4])
    if order is None or len(tiff) < 8:
        return 1
    (start,) = struct.unpack_from(f"{order}L", tiff, 4)
    entries = tiff[start + 2 : start + 2 + 12 * _MAX_ENTRIES]
    for at in range(0, len(entries) - 11, 12):
        tag, kind, _, value = struct.unpack_from(f"{order}HHLH", entries, at)
        if tag == _ORIENTATION:
            return value if kind == _SHORT and value in range(1, 9) else 1
    return 1


_MAX_ENTRIES: Final = 64
_SHORT: Final = 3


def _write_orientation(orientation: int) -> bytes:
    """Return a segment with Exif that says only how a picture is turned."""
    entry = struct.pack(">HHLHH", _ORIENTATION, _SHORT, 1, orientation, 0)
    tiff = b"MM\0*" + struct.pack(">LH", 8, 1) + entry + bytes(4)
    return struct.pack(">BBH", 0xFF, 0xE1, 8 + len(tiff)) + b"Exif\0\0" + tiff


def _measure_webp(content: bytes) -> tuple[int, int] | None:
    """Read the size: https://developers.google.com/speed/webp/docs/riff_container, and RFC 6386,
    9.1."""
    bits = int.from_bytes(content[21:30], "little")
    match content[12:16]:
        case b"VP8X":
            return (bits >> 24 & 0xFFFFFF) + 1, (bits >> 48) + 1
        case b"VP8L" if content[20] == 0x2F:
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8 " if content[23:26] == b"\x9d\x01\x2a":
            return bits >> 40 & 0x3FFF, bits >> 56 & 0x3FFF
        case _:
            return None


def _is_animated(content: bytes) -> bool:
    """Check the flag of a WebP, or the control blocks of a GIF, which has one for each picture."""
    if content.startswith(b"GIF8"):
        return len(re.findall(rb"\x21\xf9\x04.{4}\x00[\x21\x2c]", content, re.DOTALL)) > 1
    return content[12:16] == b"VP8X" and len(content) > 20 and bool(content[20] & 2)


_OFFICE = (
    (b"word/document", f"{_OPENXML}.wordprocessingml.document"),
    (b"xl/workbook", f"{_OPENXML}.spreadsheetml.sheet"),
    (b"ppt/presentation", f"{_OPENXML}.presentationml.presentation"),
)

_FORMS = (
    (rb"\xff\xd8\xff", "image/jpeg"),
    (rb"\x89PNG\r\n\x1a\n", "image/png"),
    (rb"GIF8[79]a", "image/gif"),
    (rb"RIFF.{4}WEBP", "image/webp"),
    (rb".{4}ftyp(hei[cxms]|hev[cx]|m[is]f1)", "image/heic"),
    (rb".{4}ftypqt  ", "video/quicktime"),
    (rb"OggS.{24}(OpusHead|\x01vorbis|Speex   |\x7fFLAC)", "audio/ogg"),  # RFC 3533, 6
    (rb"RIFF.{4}WAVE", "audio/wav"),
    (rb"ID3[\x02-\x04]", "audio/mpeg"),
    (rb"\xff[\xe2\xe3\xf2\xf3\xfa\xfb][\x10-\xef]", "audio/mpeg"),  # ISO/IEC 11172-3, layer III
    (rb"\xff[\xf0\xf1\xf8\xf9][^\x34-\x3f\x74-\x7f\xb4-\xbf\xf4-\xff]", "audio/aac"),  # ADTS
    (rb"fLaC", "audio/flac"),
    (rb"#!AMR\n", "audio/amr"),
    (rb"#!AMR-WB\n", "audio/amr-wb"),
    (rb"%PDF-", "application/pdf"),
    (rb"{\\rtf", "application/rtf"),
    (rb"PK\x05\x06", "application/zip"),
)

_MAGIC = tuple((re.compile(form, re.DOTALL), mime_type) for form, mime_type in _FORMS)
