"""People's files are listed, read and searched, each by its owner only."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from structlog.testing import capture_logs

from bot.contracts.services import FileHits
from bot.contracts.storage import Database
from bot.contracts.turn import Spent
from bot.files.library import FileLibrary, fuse_rankings
from bot.files.store import GUESTS, FileStore
from bot.settings import Settings
from tests.files.embedding_endpoint import FakeEmbeddings, embed, embeddings, status
from tests.files.sample_files import make_pdf
from tests.support.fakes import FakeModel, reply
from tests.support.file_fakes import UnisolatedWorker
from tests.support.media import PNG
from tests.support.queries import change_rows, count_rows, delete_rows, read_row

Open = Callable[..., AbstractAsyncContextManager[FileLibrary]]
_keys = itertools.count()
on_one_database = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)


@pytest.fixture
def opened(
    files: FileStore, database: Database, settings: Settings, isolated_worker: UnisolatedWorker
) -> Open:
    @asynccontextmanager
    async def open_library(
        endpoint: FakeEmbeddings | None = None, model: FakeModel | None = None
    ) -> AsyncIterator[FileLibrary]:
        more = {"openai_base_url": endpoint.url, "embed_model": "m"} if endpoint else {}
        library = FileLibrary(
            files,
            database,
            settings.model_copy(update=more),
            isolated_worker=isolated_worker,
            model=model,
        )
        try:
            yield library
        finally:
            await library.close()

    return open_library


async def add(
    library: FileLibrary, content: bytes | str, name: str = "notes.txt", account: int = 1
) -> str:
    held = content.encode() if isinstance(content, str) else content
    mime_type = "image/png" if name.endswith(".png") else "application/octet-stream"
    key = f"key-{next(_keys)}"
    kept = await library.save(account, name, held, mime_type=mime_type, source="s", key=key)
    return kept.file_id


def nothing(_: Spent) -> None: ...


async def search(library: FileLibrary, query: str, account: int = 1, limit: int = 5) -> FileHits:
    return await library.search(account, query, limit, nothing)


def names(found: FileHits) -> list[str]:
    return [hit.filename for hit in found.hits]


@on_one_database
async def test_files_are_listed_by_kind_newest_first(opened: Open) -> None:
    async with opened() as library:
        for name in ("a.pdf", "b.txt", "photo.png", "c.pdf", "d.xlsx"):
            await add(library, name, name)
        await add(library, "other", "other.pdf", account=2)
        await add(library, "guest", "guest.png", account=GUESTS)
        listed = await library.listing(1, "", 3)
        assert [file.filename for file in listed] == ["d.xlsx", "c.pdf", "photo.png"]
        assert (listed[0].kind, listed[0].size) == ("spreadsheet", 6)
        assert [file.filename for file in await library.listing(1, "pdf", 9)] == ["c.pdf", "a.pdf"]
        assert [file.filename for file in await library.listing(1, "pdf", 1)] == ["c.pdf"]
        assert await library.listing(GUESTS, "", 9) == []
        assert await library.read(listed[0].file_id) == b"d.xlsx"


async def test_a_search_says_where_it_stands(opened: Open) -> None:
    lesson = make_pdf("Les fractions", f"{'Un sujet. ' * 40} La photosynthèse des plantes vertes.")
    async with opened() as library:
        file_id = await add(library, lesson, "svt.pdf")
        await add(library, "Une recette de riz au gras.", "riz.txt")
        await add(library, "La photosynthèse des autres", account=2)
        found = await search(library, "la photosynthese")
        [hit] = found.hits
        assert (hit.file_id, hit.filename, hit.place, hit.part) == (file_id, "svt.pdf", "page 2", 1)
        assert "photosynthèse des plantes" in hit.snippet
        assert found.unsearched == 0
        assert names(await search(library, "fractions")) == ["svt.pdf"]
        assert names(await search(library, "riz")) == ["riz.txt"]
        assert names(await search(library, "svt")) == ["svt.pdf"]
        assert (await search(library, "🙂")).hits == ()


@on_one_database
async def test_the_part_that_is_named_holds_the_hit(opened: Open) -> None:
    text = "".join(f"Ligne {number} sur autre chose. " for number in range(900))
    async with opened() as library:
        file_id = await add(library, f"{text}Le baobab sacré. {text}")
        [hit] = (await search(library, "baobab")).hits
        assert hit.part > 1
        assert "baobab" in (await library.text(1, file_id, hit.part, nothing)).text


@on_one_database
async def test_neighbours_of_a_hit_are_not_shown_beside_it(opened: Open) -> None:
    async with opened() as library:
        await add(library, "Le baobab est un arbre. " * 200)
        found = await search(library, "baobab")
        assert len(found.hits) == 3  # of six
        assert all("baobab" in hit.snippet for hit in found.hits)


@on_one_database
async def test_a_search_reads_some_files_and_says_how_many_are_left(
    opened: Open, isolated_worker: UnisolatedWorker
) -> None:
    async with opened() as library:
        for number in range(7):
            await add(library, f"Un baobab numéro {number}.")
        first = await search(library, "baobab", limit=9)
        assert (len(first.hits), first.unsearched, isolated_worker.runs) == (5, 2, 5)
        second = await search(library, "baobab", limit=9)
        assert (len(second.hits), second.unsearched, isolated_worker.runs) == (7, 0, 7)


@on_one_database
async def test_nothing_of_guests_is_searched(opened: Open) -> None:
    async with opened() as library:
        await add(library, "Le secret d’un autre.", account=GUESTS)
        assert await search(library, "secret", account=GUESTS) == FileHits((), 0)


@on_one_database
async def test_a_picture_that_was_read_is_found(opened: Open) -> None:
    async with opened(model=FakeModel(reply("Un tableau sur la photosynthèse"))) as library:
        file_id = await add(library, PNG, "photo.png")
        assert await search(library, "photosynthèse") == FileHits((), 0)
        await library.text(1, file_id, 1, nothing)
        assert names(await search(library, "photosynthèse")) == ["photo.png"]


# By meaning --------------------------------------------------------------------------------------


async def test_with_a_model_other_words_of_the_same_meaning_are_found(opened: Open) -> None:
    spent: list[Spent] = []
    async with opened() as library:
        await add(library, "Une vache.", "autrui.txt", account=2)
        assert names(await search(library, "vache", account=2)) == ["autrui.txt"]
    async with embeddings() as endpoint, opened(endpoint) as library:
        await add(library, "Le chien.", "animaux.txt")
        await add(library, "La lune.", "ciel.txt")
        found = await library.search(1, "chat", 1, spent.append)
        assert names(found) == ["animaux.txt"]
        assert names(await search(library, "étoile", limit=1)) == ["ciel.txt"]
        assert sorted(endpoint.texts) == sorted(["Le chien.", "La lune.", "chat", "étoile"])
    assert [(each.kind, each.name, each.usage.input_tokens) for each in spent] == [
        ("model", "m", 20),
        ("model", "m", 10),
    ]


async def test_a_chunk_gets_its_vector_anew_when_the_model_changes(
    opened: Open, database: Database
) -> None:
    async with embeddings() as endpoint, opened(endpoint) as library:
        await add(library, "Le chien.")
        await search(library, "chat")
        await change_rows(database, "embedding", {"model": "older"})
        await search(library, "chat")
        assert endpoint.texts.count("Le chien.") == 2
        row = await read_row(database, "embedding")
        assert (row["account"], row["model"]) == (1, "m")
        await delete_rows(database, "file")
        assert await count_rows(database, "embedding") == 0


@on_one_database
async def test_many_chunks_get_their_vectors_in_several_requests(opened: Open) -> None:
    async with embeddings() as endpoint, opened(endpoint) as library:
        await add(library, "".join(f"Ligne {number} du texte. " for number in range(3_000)))
        await search(library, "texte")
        sizes = [len(body["input"]) for body in endpoint.bodies]
        assert len(sizes) == 3
        assert sizes[0] == 64
        assert sizes[-1] == 1


@on_one_database
async def test_when_the_endpoint_fails_words_alone_are_searched_and_a_log_says_so(
    opened: Open,
) -> None:
    async with embeddings(status(500), embed) as endpoint, opened(endpoint) as library:
        await add(library, "Le chien.", "animaux.txt")
        with capture_logs() as logs:
            assert names(await search(library, "chien")) == ["animaux.txt"]
            assert names(await search(library, "chat")) == []
        assert [log["event"] for log in logs] == ["embedding_failed"]
        assert len(endpoint.bodies) == 1


def test_what_both_ways_find_comes_before_what_one_finds_first() -> None:
    assert fuse_rankings([1, 2, 3], [4, 2]) == [2, 1, 4, 3]
    assert fuse_rankings([3, 1], []) == [3, 1]
    assert fuse_rankings([], []) == []
