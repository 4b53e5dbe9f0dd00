"""Both databases find the same chunks; no question breaks them."""

from __future__ import annotations

from bot.contracts.storage import Database, Transaction
from bot.files.library import FulltextSearch
from bot.files.search_terms import index_words, parse_terms
from bot.settings import Settings
from tests.support.queries import add_row, change_rows, check_fulltext_index, delete_rows, read_rows

HOSTILE = [
    '"', "'", "\\", "a\" OR account : 2", "NEAR(a b)", "-eau", "eau*", "*", "(((", "AND OR NOT",
    "words:eau", "eau' | 'x", "&|!<->:*", "$1 ; DROP TABLE chunk", ":account", "%s {now}",
    "\x00eau", "\ud800", "👍🏽", "مرحبا", "a" * 300, "^eau + eau", "eau\n\n;--", "½ ⅷ ² ㎏",
]  # fmt: skip


async def add(database: Database, *bodies: str, account: int = 1, name: str = "f") -> None:
    """A file of the account with these chunks."""

    async def work(tx: Transaction) -> None:
        file_id = f"{account}-{name}"
        await add_row(
            tx,
            "file",
            id=file_id,
            account=account,
            name="f",
            mime_type="text/plain",
            size=1,
            sha256="",
            source="",
            key=file_id,
            created_at=0,
        )
        for nth, body in enumerate(bodies):
            await add_row(
                tx,
                "chunk",
                file=file_id,
                nth=nth,
                account=account,
                body=body,
                words=index_words(body),
            )

    await database.write(work)


async def found(
    fulltext: FulltextSearch, database: Database, question: str, account: int = 1
) -> list[str]:
    ids = await fulltext.find(account, parse_terms(question), 10)
    bodies = {row["id"]: row["body"] for row in await read_rows(database, "chunk")}
    return [bodies[each] for each in ids]


async def test_the_right_chunks_are_found_and_the_best_comes_first(
    database: Database, settings: Settings
) -> None:
    fulltext = FulltextSearch(database, is_sqlite=settings.is_sqlite)
    water, equation, both, far = (
        "L’eau bout à cent degrés sous la pression normale.",
        "Une équation du second degré a deux solutions.",
        "Les équations de l’eau : un bilan des masses.",
        f"Une équation. {'Un autre sujet sans rapport. ' * 20} Et un peu d’eau.",
    )
    await add(database, water, equation, both, far, "Rien.")
    await add(database, "L’eau des autres.", account=2)

    assert (await found(fulltext, database, "équation de l'eau"))[0] == both
    assert set(await found(fulltext, database, "EAUX")) == {water, both, far}
    assert set(await found(fulltext, database, "equat")) == {equation, both, far}
    assert await found(fulltext, database, "solution") == [equation]
    assert await found(fulltext, database, "photosynthèse") == []
    assert await found(fulltext, database, "eau", account=2) == ["L’eau des autres."]
    assert await found(fulltext, database, "eau", account=3) == []
    assert await fulltext.find(1, [], 10) == []
    assert len(await fulltext.find(1, parse_terms("eau équation"), 2)) == 2


async def test_no_question_breaks_it_or_reaches_others(
    database: Database, settings: Settings
) -> None:
    fulltext = FulltextSearch(database, is_sqlite=settings.is_sqlite)
    await add(database, "Mon eau.")
    await add(database, "Leur eau, account 2, words.", account=2)
    for question in HOSTILE:
        assert set(await found(fulltext, database, question)) <= {"Mon eau."}
    assert await found(fulltext, database, "eau") == ["Mon eau."]


async def test_every_word_that_is_kept_is_found(database: Database, settings: Settings) -> None:
    """Each database takes words apart by itself: ours have to survive that."""
    fulltext = FulltextSearch(database, is_sqlite=settings.is_sqlite)
    words = [
        "été", "x²", "H2O", "1e5", "3,14", "2026-11-21", "user@example.com", "http://a.example/b?c",
        "C++", "vingt-et-un", "a_b", "١٢٣", "Ελλάδα", "Привет", "日本語", "ﬁn", "ĳ", "Straße", "İ",
        "i̇", "ǆ", "Ⅷ", "①", "ʼn", "ﷺ", "नमस्ते", "ไทย", "ß", "ª", "µ", "Ω", "꧁a꧂", "x" * 300,
    ]  # fmt: skip
    for number, word in enumerate(words):
        await add(database, word, name=str(number))
    missed = [word for word in words if word not in await found(fulltext, database, word)]
    assert missed == []


async def test_the_index_follows_what_is_changed_and_deleted(
    database: Database, settings: Settings
) -> None:
    fulltext = FulltextSearch(database, is_sqlite=settings.is_sqlite)
    await add(database, "chien", "chat")
    await change_rows(database, "chunk", {"words": "vach"}, body="chien")
    assert await found(fulltext, database, "chien") == []
    assert await found(fulltext, database, "vache") == ["chien"]
    await change_rows(database, "chunk", {"account": 2}, body="chat")
    assert await found(fulltext, database, "chat", account=2) == ["chat"]
    await delete_rows(database, "file")
    assert await found(fulltext, database, "vache") == []
    if settings.is_sqlite:
        await check_fulltext_index(database)
