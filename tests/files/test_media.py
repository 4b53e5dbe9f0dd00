from __future__ import annotations

import io
import struct
import wave
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.files.media import (
    MAX_SHOWN_BYTES,
    MAX_SHOWN_PIXELS,
    Sniffed,
    dimensions,
    drop_metadata,
    is_damaged,
    is_fit_for_vision,
    sniff,
)
from bot.isolated_worker.worker import IsolatedWorker
from tests.support.file_fakes import UnisolatedWorker
from tests.support.media import make_photo

OCTETS = "application/octet-stream"
OFFICE = "application/vnd.openxmlformats-officedocument"
OPEN = "application/vnd.oasis.opendocument"


def jpeg(width: int = 640, height: int = 480, *, before: bytes = b"") -> bytes:
    """A JPEG up to its first scan, with `before` ahead of its frame."""
    exif = segment(0xE1, b"Exif\0\0" + bytes(40))
    frame = segment(0xC2, struct.pack(">BHHB", 8, height, width, 3) + bytes(9))
    return b"\xff\xd8" + exif + before + segment(0xC4, bytes(20)) + frame + b"\xff\xda\0\x0c"


def segment(marker: int, payload: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(payload) + 2) + payload


def png(width: int = 640, height: int = 480) -> bytes:
    header = struct.pack(">L4sLL5B", 13, b"IHDR", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + header + bytes(4)


def gif(width: int = 640, height: int = 480, pictures: int = 1) -> bytes:
    picture = b"\x21\xf9\x04\0\x0a\0\0\0\x2c" + bytes(8) + b"\0\x02\x02L\x01\0"
    return b"GIF89a" + struct.pack("<HH", width, height) + bytes(3) + picture * pictures + b";"


def webp(form: bytes, payload: bytes) -> bytes:
    chunk = form + struct.pack("<L", len(payload)) + payload
    return b"RIFF" + struct.pack("<L", len(chunk) + 4) + b"WEBP" + chunk


def webp_lossy(width: int = 640, height: int = 480) -> bytes:
    return webp(b"VP8 ", b"\x30\x01\x00\x9d\x01\x2a" + struct.pack("<HH", width, height) + bytes(9))


def webp_lossless(width: int = 640, height: int = 480) -> bytes:
    return webp(b"VP8L", b"\x2f" + struct.pack("<L", width - 1 | height - 1 << 14) + bytes(9))


def webp_extended(width: int = 640, height: int = 480, flags: int = 0x10) -> bytes:
    sides = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return webp(b"VP8X", bytes([flags, 0, 0, 0]) + sides)


def ogg(packet: bytes) -> bytes:
    return b"OggS\0\x02" + bytes(20) + b"\x01" + bytes([len(packet)]) + packet


def mp4(brand: bytes, *handlers: bytes) -> bytes:
    """An MP4 whose description stands at its end, as cameras write it."""
    tracks = b"".join(box(b"trak", box(b"hdlr", bytes(8) + each + bytes(13))) for each in handlers)
    return box(b"ftyp", brand + bytes(4)) + box(b"mdat", bytes(99)) + box(b"moov", tracks)


def box(kind: bytes, payload: bytes) -> bytes:
    return struct.pack(">L", len(payload) + 8) + kind + payload


def webm(*codecs: bytes) -> bytes:
    return b"\x1aE\xdf\xa3\x9f\x42\x82\x84webm" + b"".join(b"\x86\x85" + each for each in codecs)


def wav() -> bytes:
    written = io.BytesIO()
    with wave.open(written, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(bytes(100))
    return written.getvalue()


def zipped(*names: str, content: bytes = b"<x/>", **first: str) -> bytes:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as archive:
        for name, text in first.items():
            archive.writestr(name, text)
        for name in names:
            archive.writestr(name, content, zipfile.ZIP_DEFLATED)
    return written.getvalue()


def office(*names: str) -> bytes:
    return zipped("[Content_Types].xml", "_rels/.rels", *names)


PDF = b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n"
EXE = b"MZ\x90\0\x03\0\0\0" + bytes(100)


@pytest.mark.parametrize(
    ("content", "kind", "mime_type", "extension"),
    [
        (jpeg(), "image", "image/jpeg", ".jpg"),
        (png(), "image", "image/png", ".png"),
        (gif(), "image", "image/gif", ".gif"),
        (webp_lossy(), "image", "image/webp", ".webp"),
        (mp4(b"heic"), "document", "image/heic", ".heic"),
        (mp4(b"mif1"), "document", "image/heic", ".heic"),
        (ogg(b"OpusHead\x01"), "audio", "audio/ogg", ".ogg"),
        (ogg(b"\x01vorbis"), "audio", "audio/ogg", ".ogg"),
        (b"ID3\x04\0\0\0\0\0\0", "audio", "audio/mpeg", ".mp3"),
        (b"\xff\xfb\x90\x64" + bytes(9), "audio", "audio/mpeg", ".mp3"),
        (b"\xff\xf3\x40\xc4" + bytes(9), "audio", "audio/mpeg", ".mp3"),
        (b"\xff\xf1\x50\x80" + bytes(9), "audio", "audio/aac", ".aac"),
        (mp4(b"M4A "), "audio", "audio/mp4", ".m4a"),
        (mp4(b"isom", b"soun"), "audio", "audio/mp4", ".m4a"),
        (mp4(b"3gp4", b"soun"), "audio", "audio/mp4", ".m4a"),
        (wav(), "audio", "audio/wav", ".wav"),
        (b"fLaC\0\0\0\x22", "audio", "audio/flac", ".flac"),
        (b"#!AMR\n\x3c", "audio", "audio/amr", ".amr"),
        (b"#!AMR-WB\n\x3c", "audio", "audio/amr-wb", ".awb"),
        (webm(b"A_OPUS"), "audio", "audio/webm", ".webm"),
        (webm(b"A_OPUS", b"V_VP8"), "document", "video/webm", ".webm"),
        (webm(), "document", "video/webm", ".webm"),
        (mp4(b"isom", b"vide", b"soun"), "document", "video/mp4", ".mp4"),
        (mp4(b"M4A ", b"soun", b"vide"), "document", "video/mp4", ".mp4"),
        (mp4(b"isom"), "document", "video/mp4", ".mp4"),
        (mp4(b"3gp5", b"vide"), "document", "video/3gpp", ".3gp"),
        (mp4(b"qt  ", b"vide"), "document", "video/quicktime", ".mov"),
        (PDF, "document", "application/pdf", ".pdf"),
        (rb"{\rtf1\ansi Bonjour}", "document", "application/rtf", ".rtf"),
        (office("word/document.xml"), "document", f"{OFFICE}.wordprocessingml.document", ".docx"),
        (office("word/document2.xml"), "document", f"{OFFICE}.wordprocessingml.document", ".docx"),
        (office("xl/workbook.xml"), "document", f"{OFFICE}.spreadsheetml.sheet", ".xlsx"),
        (
            office("ppt/presentation.xml"),
            "document",
            f"{OFFICE}.presentationml.presentation",
            ".pptx",
        ),
        (zipped("a", mimetype=f"{OPEN}.text"), "document", f"{OPEN}.text", ".odt"),
        (zipped("a", mimetype=f"{OPEN}.spreadsheet"), "document", f"{OPEN}.spreadsheet", ".ods"),
        (zipped("a", mimetype=f"{OPEN}.text-master"), "document", "application/zip", ".zip"),
        (zipped("a.txt"), "document", "application/zip", ".zip"),
        (zipped(), "document", "application/zip", ".zip"),
        (b"Bonjour \xc3\xa0 tous", "document", "text/plain", ".txt"),
        (b"\xef\xbb\xbfBonjour", "document", "text/plain", ".txt"),
        ("Bonjour à tous".encode("cp1252"), "document", "text/plain", ".txt"),
        ("Bonjour à tous".encode("utf-16"), "document", "text/plain", ".txt"),
        (EXE, "document", OCTETS, ".bin"),
        (b"\x7fELF\x02\x01\x01\0", "document", OCTETS, ".bin"),
        (bytes(range(256)), "document", OCTETS, ".bin"),
        (b"\xff\xfb\xf0\0", "document", OCTETS, ".bin"),
        (b"\xff\xf1\x7c\0", "document", OCTETS, ".bin"),
        (b"ID3 est une \xc3\xa9tiquette.", "document", "text/plain", ".txt"),
        (zipped("word/document.xml"), "document", "application/zip", ".zip"),
        (b"", "document", OCTETS, ".bin"),
    ],
)
def test_a_file_without_a_name_is_known_by_its_bytes(
    content: bytes, kind: str, mime_type: str, extension: str
) -> None:
    assert sniff(content, "", "") == Sniffed(kind, mime_type, extension)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("content", "claimed", "filename", "mime_type", "extension"),
    [
        (PDF, "image/jpeg", "photo.jpg", "application/pdf", ".pdf"),
        (EXE, "image/png", "photo.png", OCTETS, ".bin"),
        (EXE, "application/x-msdownload", "setup.exe", OCTETS, ".bin"),
        (jpeg(), "audio/ogg", "voice.ogg", "image/jpeg", ".jpg"),
        (b"Bonjour", "audio/ogg", "voice.ogg", "text/plain", ".txt"),
        (bytes(99), "application/pdf", "cours.pdf", OCTETS, ".bin"),
        (bytes(99), "text/html", "page.html", OCTETS, ".bin"),
        (zipped("AndroidManifest.xml"), "image/png", "photo.apk", "application/zip", ".zip"),
        (zipped("x"), f"{OFFICE}.spreadsheetml.sheet", "x.xlsx", "application/zip", ".zip"),
        (ogg(b"\x80theora"), "audio/ogg", "voice.ogg", OCTETS, ".bin"),
    ],
)
def test_a_claim_that_contradicts_the_bytes_loses(
    content: bytes, claimed: str, filename: str, mime_type: str, extension: str
) -> None:
    sniffed = sniff(content, claimed, filename)
    assert (sniffed.mime_type, sniffed.extension) == (mime_type, extension)


@pytest.mark.parametrize(
    ("content", "claimed", "filename", "mime_type", "extension"),
    [
        (jpeg(), "", "IMG.JPEG", "image/jpeg", ".jpeg"),
        (ogg(b"OpusHead"), "", "PTT-1.opus", "audio/ogg", ".opus"),
        (b"a;b\n1;2\n", "text/plain", "notes.CSV", "text/csv", ".csv"),
        (b"a,b\n1,2\n", "text/csv; charset=utf-8", "", "text/csv", ".csv"),
        (b"BEGIN:VCARD\n", "text/vcard", "", "text/vcard", ".vcf"),
        (b"{}", "", "x.json", "application/json", ".json"),
        (b"# Titre", "", "cours.md", "text/markdown", ".md"),
        (b"print(1)", "text/x-python", "devoir.py", "text/plain", ".py"),
        (b"\0\1\2", "image/vnd.dwg", "plan.dwg", OCTETS, ".dwg"),
    ],
)
def test_a_claim_decides_what_the_bytes_leave_open(
    content: bytes, claimed: str, filename: str, mime_type: str, extension: str
) -> None:
    sniffed = sniff(content, claimed, filename)
    assert (sniffed.mime_type, sniffed.extension) == (mime_type, extension)


@pytest.mark.parametrize(
    ("content", "claimed", "filename", "extension"),
    [
        (b"<!DOCTYPE html><p>Bonjour", "text/html", "page.html", ".html"),
        (b"\n <HTML><script>1</script>", "text/plain", "notes.txt", ".html"),
        ("\ufeff<html>".encode(), "", "", ".html"),
        ("<html><script>".encode("utf-16"), "text/plain", "notes.txt", ".html"),
        (b"<!-- hello --><script>", "", "", ".html"),
        (b"<svg xmlns='http://www.w3.org/2000/svg'/>", "image/svg+xml", "", ".svg"),
        (b"<?xml version='1.0'?><svg onload='x()'/>", "image/png", "logo.png", ".svg"),
        (b"Bonjour <script>", "", "page.htm", ".htm"),
        (b"Bonjour <script>", "text/html", "page", ".html"),
        (b"Bonjour <script>", "application/xhtml+xml; charset=utf-8", "", ".html"),
        (b"Bonjour <script>", "image/svg+xml", "photo.jpg", ".html"),
    ],
)
def test_what_a_browser_would_run_is_only_bytes(
    content: bytes, claimed: str, filename: str, extension: str
) -> None:
    assert sniff(content, claimed, filename) == Sniffed("document", OCTETS, extension)


def test_an_office_document_with_macros_passes_for_nothing_else() -> None:
    with_macros = office("word/document.xml", "word/vbaProject.bin")
    assert sniff(with_macros, "", "lettre.docx") == Sniffed("document", OCTETS, ".bin")
    assert sniff(with_macros, "", "lettre.docm") == Sniffed("document", OCTETS, ".docm")


def test_a_zip_whose_readers_could_differ_is_only_a_zip() -> None:
    document = office("word/document.xml")
    behind_another = zipped("a.txt") + document
    with zipfile.ZipFile(io.BytesIO(behind_another)) as archive:
        assert "word/document.xml" in archive.namelist()
    assert sniff(behind_another, "", "").mime_type == "application/zip"


def test_a_zip_bomb_is_not_unpacked_nor_its_million_names_read() -> None:
    bomb = zipped("word/document.xml", "[Content_Types].xml", content=bytes(2_000_000))
    assert sniff(bomb, "", "").extension == ".docx"
    names = (f"{number}.txt" for number in range(3_000))
    assert (
        sniff(zipped(*names, "[Content_Types].xml", "xl/workbook.xml"), "", "").extension == ".zip"
    )


@pytest.mark.parametrize(
    "damage",
    [
        lambda whole: whole[:-23],
        lambda whole: whole[:-5],
        lambda whole: whole.replace(b"PK\x01\x02", b"PK\x01\x03"),
        lambda whole: whole[:-12] + struct.pack("<L", 2**32 - 1) + whole[-8:],
        lambda whole: whole[:-6] + struct.pack("<L", 2**32 - 1) + whole[-2:],
    ],
    ids=["no end", "half an end", "no directory", "endless", "elsewhere"],
)
def test_a_broken_zip_is_only_a_zip(damage: object) -> None:
    assert callable(damage)
    broken = damage(office("xl/workbook.xml"))
    assert sniff(broken, "", "x.xlsx") == Sniffed("document", "application/zip", ".zip")


def test_a_zip_that_ends_within_its_directory_is_only_a_zip() -> None:
    end = b"PK\x05\x06" + struct.pack("<HHHHLLH", 0, 0, 1, 1, 4, 34, 0)
    assert sniff(b"PK\x03\x04" + bytes(30) + b"PK\x01\x02" + end, "", "").extension == ".zip"


def test_what_comes_after_the_beginning_makes_it_nothing_else() -> None:
    assert sniff(jpeg() + office("word/document.xml"), "", "").mime_type == "image/jpeg"
    assert sniff(PDF + b"<html><script>", "text/html", "x.html").mime_type == "application/pdf"
    assert sniff(EXE + office("word/document.xml"), "", "x.docx").mime_type == OCTETS


def test_only_the_beginning_of_a_text_is_read_even_if_that_cuts_a_character() -> None:
    assert sniff(b"a" * 65_535 + "é".encode(), "", "").mime_type == "text/plain"
    assert sniff(b"a" * 65_535 + b"\0", "", "").mime_type == OCTETS
    assert sniff(b"a" * 65_536 + b"\0", "", "").mime_type == "text/plain"


MEASURED = [jpeg, png, gif, webp_lossy, webp_lossless, webp_extended]


@pytest.mark.parametrize("make", MEASURED)
def test_an_image_is_measured_by_its_header(make: object) -> None:
    assert callable(make)
    assert dimensions(make()) == (640, 480)
    assert dimensions(make(1, 16_383)) == (1, 16_383)
    assert is_fit_for_vision(make())


@pytest.mark.parametrize("make", MEASURED)
def test_an_image_that_is_cut_off_has_its_size_or_none(make: object) -> None:
    assert callable(make)
    whole = make()
    cut = [dimensions(whole[:length]) for length in range(len(whole) + 1)]
    assert set(cut) == {None, (640, 480)}
    assert cut[29] is None
    fits = [is_fit_for_vision(whole[:length]) for length in range(len(whole) + 1)]
    assert fits == [size is not None for size in cut]


@pytest.mark.parametrize(
    "content",
    [
        jpeg(0, 480),
        png(640, 0),
        gif(0, 0),
        jpeg(before=b"\0\xe2\0\x02"),
        jpeg(before=segment(0xE2, b"") * 600),
        jpeg(before=b"\xff\xe2\0\0"),
        png().replace(b"IHDR", b"IEND"),
        webp(b"VP8 ", b"\x01" * 20),
        webp(b"VP8L", bytes(20)),
        webp(b"ALPH", bytes(20)),
        wav(),
        PDF + bytes(99),
        mp4(b"heic"),
    ],
)
def test_what_has_no_plain_size_is_not_shown(content: bytes) -> None:
    assert dimensions(content) is None
    assert not is_fit_for_vision(content)


def test_a_picture_of_too_many_pixels_or_bytes_is_not_shown() -> None:
    assert is_fit_for_vision(png(MAX_SHOWN_PIXELS // 1_000, 1_000))
    assert not is_fit_for_vision(png(MAX_SHOWN_PIXELS // 1_000 + 1, 1_000))
    assert not is_fit_for_vision(png(2**32 - 1, 2**32 - 1))
    assert is_fit_for_vision(png().ljust(MAX_SHOWN_BYTES, b"\0"))
    assert not is_fit_for_vision(png().ljust(MAX_SHOWN_BYTES + 1, b"\0"))


def test_a_picture_that_moves_is_not_shown() -> None:
    assert not is_fit_for_vision(gif(pictures=2))
    assert not is_fit_for_vision(webp_extended(flags=0x12))


WHOLE = [jpeg(), png(), gif(), webp_extended(), mp4(b"isom", b"soun"), ogg(b"OpusHead"), wav(), PDF]


@given(
    st.sampled_from([*WHOLE, office("xl/workbook.xml"), webm(b"A_OPUS"), b"", b"<html>"]),
    st.integers(0, 400),
    st.binary(max_size=40),
    st.text(max_size=12),
    st.text(max_size=12),
)
def test_whatever_comes_in_it_is_something(
    start: bytes, cut: int, rest: bytes, claimed: str, filename: str
) -> None:
    content = start[:cut] + rest
    sniffed = sniff(content, claimed, filename)
    assert sniffed.kind in {"image", "audio", "document"}
    assert sniffed.extension.startswith(".")
    assert sniff(content, sniffed.mime_type, f"x{sniffed.extension}") == sniffed
    size = dimensions(content)
    assert size is None or min(size) > 0


# Damage ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "GIF"])
async def test_a_picture_of_which_a_part_is_missing_is_damaged(kind: str) -> None:
    content, worker = make_photo(kind), UnisolatedWorker()
    assert not await is_damaged(content, worker)
    for share in (0.01, 0.5, 0.95):
        cut = content[: max(40, int(len(content) * share))]
        assert await is_damaged(cut, worker)
        assert sniff(cut, "", "").kind == "image"


async def test_a_picture_is_decoded_in_a_process_of_its_own() -> None:
    assert not await is_damaged(make_photo(), IsolatedWorker())
    assert await is_damaged(make_photo()[:-500], IsolatedWorker())


async def test_a_picture_in_which_bytes_were_changed_is_damaged() -> None:
    content = bytearray(make_photo("PNG"))
    content[len(content) // 2] ^= 255
    assert await is_damaged(bytes(content), UnisolatedWorker())


async def test_a_picture_for_which_the_worker_has_no_time_is_taken_for_intact() -> None:
    worker = UnisolatedWorker()
    worker.failing = lambda _: True
    assert not await is_damaged(make_photo()[:-500], worker)


@pytest.mark.parametrize("orientation", [1, 3, 6, 8])
def test_a_photo_keeps_how_it_is_turned_and_no_place(orientation: int) -> None:
    from PIL import Image, ImageOps

    exif = Image.Exif()
    exif[0x0112], exif[0x010F] = orientation, "Tecno"
    exif.get_ifd(0x8825)[2] = (5.0, 20.0, 24.0)  # the latitude
    written = io.BytesIO()
    picture = Image.effect_noise((64, 40), 90)
    picture.save(written, "JPEG", exif=exif, comment=b"at home", icc_profile=b"profile")
    bare = drop_metadata(written.getvalue())
    assert b"Tecno" in written.getvalue()
    assert b"Tecno" not in bare
    assert b"at home" not in bare
    with Image.open(io.BytesIO(bare)) as shown, Image.open(written) as original:
        assert {*shown.getexif()} <= {0x0112}
        assert shown.info["icc_profile"] == b"profile"
        one, other = map(ImageOps.exif_transpose, (shown, original))
        assert one.tobytes() == other.tobytes()


@given(st.binary(max_size=200), st.integers(0, 250))
def test_what_is_no_whole_photo_comes_back_as_it_is(noise: bytes, at: int) -> None:
    cut = jpeg()[:at]
    assert drop_metadata(noise) == noise or noise.startswith(b"\xff\xd8")
    assert drop_metadata(b"\xff\xd8\xff\xe1" + noise)[:2] == b"\xff\xd8"
    assert dimensions(drop_metadata(cut + noise)) in (dimensions(cut + noise), None)
