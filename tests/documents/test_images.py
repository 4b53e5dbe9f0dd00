"""Pictures of documents: the person's own and those of the public web, and nothing else."""

from __future__ import annotations

import asyncio
import io
import itertools
import struct
import zlib
from collections.abc import AsyncIterator

import pytest
from aiohttp import web
from PIL import Image

from bot.contracts.storage import Database
from bot.documents.document_request import DocumentImage, ImageReference
from bot.documents.images import MAX_IMAGES, ImageLoader
from bot.files.library import FileLibrary
from bot.files.store import FileStore
from bot.isolated_worker.worker import IsolatedWorker
from bot.settings import Settings
from tests.support.file_fakes import DictBlobs
from tests.support.web_servers import Website, serve
from tools._web import WebFetcher

pytestmark = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
_keys = itertools.count()
RED, BLUE = (200, 30, 30), (30, 30, 200)


def draw(kind: str = "PNG", size: tuple[int, int] = (40, 30), mode: str = "RGB") -> bytes:
    """A red picture."""
    out = io.BytesIO()
    Image.new("RGB", size, RED).convert(mode).save(out, kind)
    return out.getvalue()


def make_bomb(side: int) -> bytes:
    """A PNG of a few kilobytes that would unfold to gigabytes."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return (
            struct.pack(">L", len(body)) + kind + body + struct.pack(">L", zlib.crc32(kind + body))
        )

    header = struct.pack(">LL5B", side, side, 8, 6, 0, 0, 0)
    rows = zlib.compress(bytes(4 * side + 1) * 50, 9)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", rows) + chunk(b"IEND", b"")
    )


async def answer(request: web.Request) -> web.StreamResponse:
    match request.path:
        case "/map.png":
            return web.Response(body=draw(), content_type="image/png")
        case "/untyped":
            return web.Response(body=draw("WEBP"), content_type="application/octet-stream")
        case "/page":
            return web.Response(text="<html><img src='x'></html>", content_type="image/png")
        case "/large":
            return web.Response(body=bytes(5_000_001), content_type="image/png")
        case "/slow":
            await asyncio.Event().wait()
        case _:
            pass
    return web.Response(status=404)


@pytest.fixture
async def site() -> AsyncIterator[Website]:
    async with serve(answer) as running:
        yield running


@pytest.fixture
def isolated_worker() -> IsolatedWorker:
    return IsolatedWorker()


@pytest.fixture
async def library(
    database: Database, settings: Settings, isolated_worker: IsolatedWorker
) -> AsyncIterator[FileLibrary]:
    opened = FileLibrary(
        FileStore(database, DictBlobs()), database, settings, isolated_worker=isolated_worker
    )
    yield opened
    await opened.close()


@pytest.fixture
def loader(library: FileLibrary, isolated_worker: IsolatedWorker, site: Website) -> ImageLoader:
    return ImageLoader(1, library, isolated_worker, WebFetcher(site.allow).fetch_file)


async def keep(library: FileLibrary, content: bytes, name: str, account: int = 1) -> str:
    key = f"key-{next(_keys)}"
    kept = await library.save(
        account, name, content, mime_type="image/png", source="telegram", key=key
    )
    return kept.file_id


def opened(copy: DocumentImage) -> Image.Image:
    image = Image.open(io.BytesIO(copy.content))
    assert image.get_format_mimetype() == copy.mime_type
    assert image.size == (copy.width, copy.height)
    return image


async def load(loader: ImageLoader, content: bytes) -> DocumentImage:
    """The copy of a picture that the person has."""
    file_id = await keep(loader.files, content, "image.png")  # type: ignore[arg-type]
    found = await loader.load([ImageReference(file_id)])
    assert found.notes == ()
    return found.copies[file_id]


def is_close(colour: object, wanted: tuple[int, int, int]) -> bool:
    return isinstance(colour, tuple) and all(
        abs(one - other) < 25 for one, other in zip(colour, wanted, strict=True)
    )


# Where pictures come from -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "named",
    ["file:{id}", "{id}", "file:carte du Mali.png", "carte du Mali.png", "file:Carte%20du%20mali"],
)
async def test_an_own_picture_is_named_by_id_or_by_name(
    named: str, loader: ImageLoader, library: FileLibrary
) -> None:
    file_id = await keep(library, draw(), "Carte du Mali.png")
    found = await loader.load_from_markdown(
        f"# Un\n\nTexte\n\n![Carte]({named.format(id=file_id)})"
    )
    assert found.notes == ()
    (copy,) = found.copies.values()
    assert (copy.width, copy.height) == (40, 30)


async def test_of_two_pictures_of_one_name_the_newer_is_meant(
    loader: ImageLoader, library: FileLibrary
) -> None:
    await keep(library, draw(size=(10, 10)), "image.png")
    await keep(library, draw(size=(20, 20)), "image.png")
    found = await loader.load([ImageReference("image.png")])
    assert found.copies["image.png"].width in {10, 20}


async def test_another_persons_picture_is_as_unknown_as_none(
    loader: ImageLoader, library: FileLibrary
) -> None:
    foreign = await keep(library, draw(), "secret.png", account=2)
    found = await loader.load_from_markdown(f"![Un](file:{foreign})\n\n![Deux](file:secret.png)")
    none = await loader.load_from_markdown("![Un](file:AAAAAAAAAAAAAAAA)")
    assert not found.copies
    assert [note.partition(": ")[2] for note in found.notes] == [
        none.notes[0].partition(": ")[2]
    ] * 2
    assert "list_user_files" in none.notes[0]


@pytest.mark.parametrize("path", ["/map.png", "/untyped"])
async def test_a_picture_of_the_web_is_fetched_whatever_its_type_is_called(
    path: str, loader: ImageLoader, site: Website
) -> None:
    url = site.url + path
    found = await loader.load_from_markdown(f"![Carte]({url})\n\nEncore : ![Carte]({url})")
    assert list(found.copies) == [url]
    assert len(site.requests) == 1


async def test_a_private_address_is_not_fetched(
    library: FileLibrary, isolated_worker: IsolatedWorker, site: Website
) -> None:
    loader = ImageLoader(1, library, isolated_worker, WebFetcher().fetch_file)
    found = await loader.load_from_markdown(f"![Carte]({site.url}/map.png)")
    assert not found.copies
    assert "not on the public internet" in found.notes[0]
    assert site.requests == []


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        ("{site}/page", "no PNG, JPEG, WebP or GIF picture"),
        ("{site}/large", "more than 5 MB"),
        ("{site}/missing", "status 404"),
        ("ftp://example.org/x.png", "can be shown"),
        ("file:///etc/passwd", ""),
        ("data:image/png;base64,iVBORw0KGgo=", "can be shown"),
        ("../secrets.png", "no such picture"),
    ],
)
async def test_what_cannot_be_had_is_told_with_its_reason(
    source: str, reason: str, loader: ImageLoader, site: Website
) -> None:
    found = await loader.load([ImageReference(source.format(site=site.url), "Carte")])
    assert not found.copies
    (note,) = found.notes
    assert note.startswith("The picture 'Carte' (")
    assert reason in note


async def test_what_does_not_come_in_time_holds_up_nothing_else(
    library: FileLibrary, isolated_worker: IsolatedWorker, site: Website
) -> None:
    loader = ImageLoader(1, library, isolated_worker, WebFetcher(site.allow).fetch_file, seconds=4)
    found = await loader.load(
        [ImageReference(f"{site.url}/slow", "Lente"), ImageReference(f"{site.url}/map.png")]
    )
    assert list(found.copies) == [f"{site.url}/map.png"]
    assert found.notes == (
        f"The picture 'Lente' ({site.url}/slow) is not shown, only its description: "
        "it was not there within 4 seconds.",
    )


async def test_a_document_shows_only_so_many(loader: ImageLoader, library: FileLibrary) -> None:
    ids = [await keep(library, draw(), f"{number}.png") for number in range(MAX_IMAGES + 2)]
    found = await loader.load([ImageReference(each) for each in ids])
    assert list(found.copies) == ids[:MAX_IMAGES]
    assert found.notes[0].startswith("A document shows at most 12 pictures: the last 2")


async def test_code_and_plain_text_name_no_pictures(loader: ImageLoader, site: Website) -> None:
    url = f"{site.url}/map.png"
    found = await loader.load_from_markdown(
        f"`![x]({url})`\n\n```\n![x]({url})\n```\n\n    ![x]({url})"
    )
    assert (found.copies, found.notes, site.requests) == ({}, (), [])


# What becomes of them ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "mode"),
    [
        *(("PNG", mode) for mode in ("1", "L", "LA", "P", "RGB", "RGBA", "I;16")),
        *(("JPEG", mode) for mode in ("L", "RGB", "CMYK")),
        *(("GIF", mode) for mode in ("L", "P")),
        *(("WEBP", mode) for mode in ("RGB", "RGBA")),
    ],
)
async def test_every_kind_of_picture_is_shown(kind: str, mode: str, loader: ImageLoader) -> None:
    copy = opened(await load(loader, draw(kind, mode=mode)))
    assert copy.mode in {"L", "RGB", "P"}
    if mode not in {"1", "L", "LA", "I;16"}:
        assert is_close(copy.convert("RGB").getpixel((20, 15)), RED)


async def test_a_large_picture_becomes_small(loader: ImageLoader) -> None:
    noise = Image.effect_noise((3_000, 2_000), 80).convert("RGB")
    out = io.BytesIO()
    noise.save(out, "JPEG", quality=85)
    copy = await load(loader, out.getvalue())
    assert (copy.width, copy.height) in {(1_600, 1_067), (800, 534)}
    assert len(copy.content) <= 600_000


async def test_a_photograph_stands_upright_and_says_nothing_of_where_it_was_taken(
    loader: ImageLoader,
) -> None:
    photo = Image.new("RGB", (60, 40), RED)
    photo.paste(BLUE, (0, 0, 30, 40))
    exif = Image.Exif()
    exif[0x0112] = 6  # the top of the picture is its right side
    exif.get_ifd(0x8825)[1] = "N"
    out = io.BytesIO()
    photo.save(out, "JPEG", exif=exif, comment=b"Abidjan", quality=95)
    copy = opened(await load(loader, out.getvalue()))
    assert copy.size == (40, 60)
    assert is_close(copy.convert("RGB").getpixel((20, 10)), BLUE)
    assert not copy.getexif()
    assert "comment" not in copy.info


async def test_what_is_transparent_is_white(loader: ImageLoader) -> None:
    out = io.BytesIO()
    Image.new("RGBA", (20, 20), (0, 0, 0, 0)).save(out, "PNG")
    copy = opened(await load(loader, out.getvalue()))
    assert copy.convert("RGB").getpixel((5, 5)) == (255, 255, 255)


async def test_sixteen_bits_of_grey_keep_their_tone(loader: ImageLoader) -> None:
    out = io.BytesIO()
    Image.frombytes("I;16", (2, 2), struct.pack("<4H", *[40_000] * 4)).save(out, "PNG")
    assert opened(await load(loader, out.getvalue())).convert("L").getpixel((0, 0)) == 156


async def test_of_a_moving_picture_the_first_is_shown(loader: ImageLoader) -> None:
    frames = [Image.new("RGB", (20, 20), colour) for colour in (RED, BLUE)]
    out = io.BytesIO()
    frames[0].save(out, "GIF", save_all=True, append_images=frames[1:], duration=100)
    copy = opened(await load(loader, out.getvalue()))
    assert is_close(copy.convert("RGB").getpixel((5, 5)), RED)


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(make_bomb(30_000), id="bomb"),
        pytest.param(make_bomb(6_000), id="more memory than there is data"),
        pytest.param(draw("JPEG", (400, 400))[:-400], id="cut off"),
        pytest.param(b"\x89PNG\r\n\x1a\n" + bytes(100), id="damaged"),
    ],
)
async def test_bombs_and_broken_pictures_are_refused(
    content: bytes, loader: ImageLoader, library: FileLibrary
) -> None:
    file_id = await keep(library, content, "x.png")
    found = await loader.load([ImageReference(file_id, "Carte"), ImageReference("absent")])
    assert not found.copies
    assert "damaged, or has too many pixels" in found.notes[0]
