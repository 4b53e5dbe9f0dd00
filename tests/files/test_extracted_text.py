"""The text of a file is taken out once, kept in parts, and only for its own account."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Callable

import pytest

from bot.contracts.services import FileText
from bot.contracts.storage import Database
from bot.contracts.turn import Spent
from bot.errors import StreamBroken, ToolFailed
from bot.files.extracted_text import (
    MOST_READ,
    ExtractedTexts,
    Extraction,
    PictureReader,
    TextReader,
    TextStore,
)
from bot.files.media import is_fit_for_vision, sniff
from bot.files.pdf_pages import MOST_PAGES
from bot.files.store import GUESTS, FileStore
from bot.files.text_worker import Piece
from bot.messages.transcript import Usage
from tests.files.sample_files import make_pdf
from tests.support.fakes import FakeModel, reply
from tests.support.file_fakes import DictBlobs, UnisolatedWorker
from tests.support.media import make_photo
from tests.support.queries import count_rows, delete_rows, read_rows

PIXEL = (
    b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x00\x00\x00\x00:~\x9bU"
    b"\x00\x00\x00\nIDATx\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q\x00\x00\x00\x00IEND\xaeB`\x82"
)
LONG = "".join(f"Phrase {number} d'un long texte. " for number in range(1_200))
_keys = itertools.count()
on_one_database = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""For what the other tests' statements do already."""


@pytest.fixture
def kept(database: Database) -> TextStore:
    return TextStore(database, most=100)


@pytest.fixture
def make_texts(
    files: FileStore, kept: TextStore, isolated_worker: UnisolatedWorker
) -> Callable[..., ExtractedTexts]:
    def make(model: FakeModel | None = None) -> ExtractedTexts:
        return ExtractedTexts(
            files, kept, TextReader(isolated_worker), PictureReader(model, isolated_worker)
        )

    return make


@pytest.fixture
def texts(make_texts: Callable[..., ExtractedTexts]) -> ExtractedTexts:
    return make_texts()


async def add(
    files: FileStore,
    content: bytes | str,
    *,
    account: int = 1,
    name: str = "notes.txt",
    mime_type: str = "text/plain",
) -> str:
    held = content.encode() if isinstance(content, str) else content
    shared = await files.save(
        account, name, held, mime_type=mime_type, source="telegram", key=f"key-{next(_keys)}"
    )
    return shared.file_id


def nothing(_: Spent) -> None: ...


async def part(texts: ExtractedTexts, file_id: str, number: int = 1, account: int = 1) -> FileText:
    return await texts.part(account, file_id, number, nothing)


async def test_a_file_is_read_once_and_then_kept(
    texts: ExtractedTexts, files: FileStore, isolated_worker: UnisolatedWorker
) -> None:
    file_id = await add(files, "L’été\u202e arrive.")
    read = await part(texts, file_id)
    assert read == FileText("notes.txt", "L’été arrive.", 1, 1, is_cut=False)
    assert await part(texts, file_id) == read
    assert isolated_worker.runs == 1


@on_one_database
async def test_the_parts_of_a_long_file_are_its_text(
    texts: ExtractedTexts, files: FileStore
) -> None:
    file_id = await add(files, LONG)
    first = await part(texts, file_id)
    others = [await part(texts, file_id, number) for number in range(2, first.parts + 1)]
    assert first.parts > 3
    assert "".join(read.text for read in (first, *others)) == LONG.strip()
    assert all(len(read.text) <= 7_500 for read in (first, *others))
    with pytest.raises(ToolFailed, match=f"has {first.parts} parts"):
        await part(texts, file_id, first.parts + 1)


async def test_anothers_file_is_as_unknown_as_none(texts: ExtractedTexts, files: FileStore) -> None:
    file_id = await add(files, "secret", account=2)
    guests = await add(files, "secret", account=GUESTS)
    answers: list[str] = []
    for unknown, account in ((file_id, 1), ("no such", 1), (guests, GUESTS), ("\x00\ud800", 1)):
        with pytest.raises(ToolFailed) as refused:
            await part(texts, unknown, account=account)
        answers.append(str(refused.value))
    assert len(set(answers)) == 1


@on_one_database
async def test_a_refusal_is_remembered(
    texts: ExtractedTexts, files: FileStore, isolated_worker: UnisolatedWorker
) -> None:
    file_id = await add(files, bytes(50), mime_type="application/octet-stream")
    for _ in range(2):
        with pytest.raises(ToolFailed, match="no text"):
            await part(texts, file_id)
    assert isolated_worker.runs == 1


@on_one_database
async def test_a_failure_is_tried_again_when_the_file_is_asked_for(
    texts: ExtractedTexts, files: FileStore, isolated_worker: UnisolatedWorker
) -> None:
    file_id = await add(files, "Bonjour")
    isolated_worker.failing = lambda _: True
    with pytest.raises(ToolFailed, match="20 seconds"):
        await part(texts, file_id)
    assert await texts.catch_up(1) == 1
    assert isolated_worker.runs == 1
    isolated_worker.failing = lambda _: False
    assert (await part(texts, file_id)).text == "Bonjour"
    assert await texts.catch_up(1) == 0


@on_one_database
async def test_a_late_failure_does_not_undo_a_reading(
    files: FileStore, kept: TextStore, texts: ExtractedTexts, isolated_worker: UnisolatedWorker
) -> None:
    file_id = await add(files, "Bonjour")
    await part(texts, file_id)
    await kept.keep(await files.find(file_id), Extraction("failed", "too slow"))
    assert (await part(texts, file_id)).text == "Bonjour"
    assert isolated_worker.runs == 1


async def test_two_who_read_at_once_keep_it_once(
    texts: ExtractedTexts, files: FileStore, database: Database
) -> None:
    file_id = await add(files, LONG)
    one, other = await asyncio.gather(part(texts, file_id), part(texts, file_id))
    assert one == other
    known = await read_rows(database, "reading")
    assert [row["chunks"] for row in known] == [await count_rows(database, "chunk")]


@on_one_database
async def test_the_bytes_that_are_gone_are_said_to_be_gone(
    texts: ExtractedTexts, files: FileStore, blobs: DictBlobs
) -> None:
    file_id = await add(files, "Bonjour")
    blobs.contents.clear()
    with pytest.raises(ToolFailed, match="not there any more"):
        await part(texts, file_id)


async def test_with_the_file_all_that_was_kept_of_it_goes(
    texts: ExtractedTexts, files: FileStore, database: Database
) -> None:
    file_id = await add(files, LONG)
    await part(texts, file_id)
    assert await count_rows(database, "chunk") > 10
    await delete_rows(database, "file", account=1)
    assert await count_rows(database, "chunk") == 0
    assert await count_rows(database, "reading") == 0


@on_one_database
async def test_what_is_deleted_while_it_is_read_leaves_nothing_behind(
    kept: TextStore, files: FileStore, database: Database
) -> None:
    file = await files.find(await add(files, "Bonjour"))
    await delete_rows(database, "file")
    await kept.keep(file, Extraction("kept", pieces=[Piece("Bonjour", 0, "", "bonjou")]))
    assert await count_rows(database, "chunk") == 0
    assert await count_rows(database, "reading") == 0


async def test_an_earlier_longer_reading_leaves_no_chunks_behind(
    kept: TextStore, files: FileStore, database: Database
) -> None:
    file = await files.find(await add(files, "Bonjour"))
    pieces = [Piece(f"{number}", 0, "", f"{number}") for number in range(60)]
    for _ in range(2):  # the room that the file takes itself is not taken from it
        assert (await kept.keep(file, Extraction("kept", pieces=pieces))).state == "kept"
    await kept.keep(file, Extraction("kept", pieces=[Piece("neu", 0, "", "neu")]))
    assert await count_rows(database, "chunk") == 1
    assert await kept.part(file.id, 1) == "neu"


async def test_beyond_what_an_account_may_keep_files_are_read_anew_each_time(
    texts: ExtractedTexts,
    files: FileStore,
    kept: TextStore,
    database: Database,
    isolated_worker: UnisolatedWorker,
) -> None:
    await part(texts, await add(files, LONG * 2))
    before = await count_rows(database, "chunk")
    assert before > 50
    second = await add(files, LONG * 2)
    for _ in range(2):
        assert (await part(texts, second, 2)).parts == (await part(texts, second)).parts
    assert isolated_worker.runs == 5
    assert await count_rows(database, "chunk") == before
    assert await kept.unsearched(1) == 1
    others = await add(files, LONG * 2, account=2)
    assert (await part(texts, others, account=2)).parts > 1
    assert await count_rows(database, "chunk") == 2 * before


async def test_catching_up_reads_the_newest_first_and_so_many_at_a_time(
    texts: ExtractedTexts, files: FileStore, isolated_worker: UnisolatedWorker, kept: TextStore
) -> None:
    ids = [await add(files, f"Texte {number}") for number in range(MOST_READ + 2)]
    await add(files, PIXEL, name="photo.png", mime_type="image/png")
    await add(files, "other", account=2)
    assert await texts.catch_up(1) == 2
    assert isolated_worker.runs == MOST_READ
    assert await kept.known(ids[0]) is None
    assert await texts.catch_up(1) == 0
    assert await texts.catch_up(1) == 0
    assert isolated_worker.runs == MOST_READ + 2


@on_one_database
async def test_catching_up_goes_on_another_time_when_the_bytes_cannot_be_reached(
    texts: ExtractedTexts, files: FileStore, blobs: DictBlobs
) -> None:
    await add(files, "Bonjour")
    blobs.broken = True
    assert await texts.catch_up(1) == 1
    blobs.broken = False
    assert await texts.catch_up(1) == 0


# Pictures ----------------------------------------------------------------------------------------


async def photo(files: FileStore) -> str:
    return await add(files, PIXEL, name="tableau.png", mime_type="image/png")


@on_one_database
async def test_a_picture_is_put_into_words_once_and_what_it_costs_is_counted(
    make_texts: Callable[..., ExtractedTexts], files: FileStore
) -> None:
    model = FakeModel(reply("Sur le tableau : $x^2 = 4$"))
    file_id = await photo(files)
    spent: list[Spent] = []
    texts = make_texts(model)
    for _ in range(2):
        read = await texts.part(1, file_id, 1, spent.append)
        assert read.text == "Sur le tableau : $x^2 = 4$"
    [request] = model.requests
    assert request.model == ""
    assert [each.file_id for each in request.messages[1].parts[:1]] == [file_id]
    assert spent == [Spent("model", "fake-model", 1, Usage(100, 10, usd=0.001))]


@on_one_database
@pytest.mark.parametrize(
    "step", [reply("NO PICTURE"), reply(""), TimeoutError()], ids=["blind", "silent", "late"]
)
async def test_a_picture_that_no_model_saw_may_be_shown_again(
    make_texts: Callable[..., ExtractedTexts], files: FileStore, step: object
) -> None:
    texts = make_texts(FakeModel(step, reply("Un arbre")))
    file_id = await photo(files)
    with pytest.raises(ToolFailed, match="send the picture again"):
        await part(texts, file_id)
    assert (await part(texts, file_id)).text == "Un arbre"


@on_one_database
async def test_a_look_that_was_interrupted_is_paid_for_all_the_same(
    make_texts: Callable[..., ExtractedTexts], files: FileStore
) -> None:
    broken = StreamBroken("cut off", "Un ta", Usage(100, 3, usd=0.002), "seeing-model")
    spent: list[Spent] = []
    with pytest.raises(ToolFailed, match="send the picture again"):
        await make_texts(FakeModel(broken)).part(1, await photo(files), 1, spent.append)
    assert spent == [Spent("model", "seeing-model", 1, Usage(100, 3, usd=0.002))]


@on_one_database
async def test_without_a_model_a_picture_is_not_guessed_at(
    texts: ExtractedTexts, files: FileStore
) -> None:
    with pytest.raises(ToolFailed, match="send the picture again"):
        await part(texts, await photo(files))


@on_one_database
async def test_a_file_that_cannot_be_read_is_named(
    texts: ExtractedTexts, files: FileStore, isolated_worker: UnisolatedWorker
) -> None:
    broken = await add(files, b"%PDF-1.7 nothing", name="bilan.pdf")
    for _ in range(2):  # read now, and known from then on
        with pytest.raises(ToolFailed, match=r"^bilan\.pdf: The PDF is damaged"):
            await part(texts, broken)
    slow = await add(files, "Du texte.", name="lent.txt")
    isolated_worker.failing = lambda _: True
    with pytest.raises(ToolFailed, match=r"^lent\.txt: This was not done"):
        await part(texts, slow)


@on_one_database
async def test_a_model_is_not_asked_of_a_damaged_picture(
    make_texts: Callable[..., ExtractedTexts], files: FileStore
) -> None:
    model = FakeModel(reply("Un tableau"))
    file_id = await add(files, make_photo()[:-500], name="a.jpg", mime_type="image/jpeg")
    with pytest.raises(ToolFailed, match="damaged"):
        await part(make_texts(model), file_id)
    assert model.requests == []


@on_one_database
async def test_a_picture_that_would_unfold_to_gigabytes_is_shown_to_nobody(
    make_texts: Callable[..., ExtractedTexts], files: FileStore
) -> None:
    bomb = PIXEL.replace(
        b"\x00\x00\x00\x01\x00\x00\x00\x01", b"\x00\x01\x00\x00\x00\x01\x00\x00", 1
    )
    file_id = await add(files, bomb, name="a.png", mime_type="image/png")
    with pytest.raises(ToolFailed, match="too large"):
        await part(make_texts(FakeModel()), file_id)


# Scanned pages -----------------------------------------------------------------------------------


async def scan(files: FileStore, pages: int = 2) -> str:
    content = make_pdf(*["#rect()"] * pages)
    return await add(files, content, name="devoir.pdf", mime_type="application/pdf")


async def test_scanned_pages_are_written_down_once(
    make_texts: Callable[..., ExtractedTexts], files: FileStore
) -> None:
    model = FakeModel(reply("[page 1]\nExercice 1 : $2x = 6$\n\n[page 2]\nBonne chance !"))
    texts, file_id, spent = make_texts(model), await scan(files), list[Spent]()
    for _ in range(2):
        read = await texts.part(1, file_id, 1, spent.append)
        assert "Exercice 1 : $2x = 6$" in read.text
        assert not read.is_cut
    [request] = model.requests
    shown = [each.file_id for each in request.messages[1].parts[:-1]]
    assert shown == list(request.images)
    assert [sniff(each, "", "").mime_type for each in request.images.values()] == ["image/jpeg"] * 2
    assert all(is_fit_for_vision(each) for each in request.images.values())
    assert len(spent) == 1


@on_one_database
async def test_of_a_long_scan_the_first_pages_are_read(
    make_texts: Callable[..., ExtractedTexts], files: FileStore
) -> None:
    model = FakeModel(reply("[page 1]\nChapitre I"))
    read = await part(make_texts(model), await scan(files, MOST_PAGES + 1))
    assert read.is_cut
    assert len(model.requests[0].images) == MOST_PAGES


@on_one_database
async def test_the_cut_end_of_what_is_written_down_is_told(
    make_texts: Callable[..., ExtractedTexts], files: FileStore
) -> None:
    texts = make_texts(FakeModel(reply("[page 1]\n" + "Une ligne. " * 3_000)))
    file_id = await scan(files)
    first = await part(texts, file_id)
    last = await part(texts, file_id, first.parts)
    assert last.is_cut


@on_one_database
@pytest.mark.parametrize("step", [reply("NO PICTURE"), TimeoutError(), None])
async def test_a_scan_that_no_model_saw_may_be_read_again(
    make_texts: Callable[..., ExtractedTexts], files: FileStore, step: object
) -> None:
    file_id = await scan(files)
    with pytest.raises(ToolFailed, match="photo of the page"):
        await part(make_texts(FakeModel(step) if step else None), file_id)
    assert "Un" in (await part(make_texts(FakeModel(reply("Un arbre"))), file_id)).text


@on_one_database
async def test_a_search_asks_no_model_about_a_scan(
    make_texts: Callable[..., ExtractedTexts], files: FileStore
) -> None:
    model = FakeModel()
    await scan(files)
    assert await make_texts(model).catch_up(1) == 1
    assert model.requests == []
