"""Export all data of a person as one zip file, written piece by piece."""

from __future__ import annotations

import asyncio
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from types import TracebackType
from typing import Any, Final

import msgspec
import structlog

from bot.accounts.personal_ids import PersonalIds, find_personal_ids
from bot.contracts.storage import Database, Row, Transaction
from bot.errors import NotFound
from bot.files.store import EXPORT, FileStore
from bot.gateway.people.erasure import TurnName, find_lanes, find_turns
from bot.gateway.people.personal_data import (
    PERSONAL,
    ROWS_OF,
    ErasedBy,
    Owner,
    PersonalTable,
)
from bot.i18n import say
from bot.learning.exercises import Exercise, read_ended
from bot.learning.quiz import read_answered
from bot.messages.channels import WEB
from bot.messages.incoming import Person
from bot.messages.transcript import Media, ModelReply, Part, Text, UserMessage
from bot.messages.value import decode


class ZipWriter:
    """A zip file: `async with` it, and add; it is complete if the context ends without an error.

    Files have to be added one after another, as only one thread at a time may write.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._taken: set[str] = set()

    async def __aenter__(self) -> ZipWriter:
        self._zip = await asyncio.to_thread(zipfile.ZipFile, self._path, "w", zipfile.ZIP_DEFLATED)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self._zip.close)

    async def add_text(self, name: str, text: str) -> None:
        await asyncio.to_thread(self._zip.writestr, name, text)

    async def add_json(self, name: str, value: object) -> None:
        """Add a JSON file, indented so that people can read it as well."""
        encoded = msgspec.json.format(msgspec.json.encode(value), indent=2)
        await asyncio.to_thread(self._zip.writestr, name, encoded)

    async def add_list(self, name: str, pages: AsyncIterator[Sequence[object]]) -> None:
        """Add a JSON array of all items of all pages, written as the pages are read."""
        with self._zip.open(name, "w", force_zip64=True) as target:
            write: Callable[[bytes], int] = target.write
            await asyncio.to_thread(write, b"[")
            separator = b"\n"
            async for page in pages:
                lines = [msgspec.json.encode(item) for item in page]
                if lines:
                    await asyncio.to_thread(write, separator + b",\n".join(lines))
                    separator = b",\n"
            await asyncio.to_thread(write, b"\n]\n")

    async def add_file(self, folder: str, name: str, content: bytes) -> None:
        """Add a file under its name, or a numbered one if that is taken; it is not compressed, as
        most kinds are already."""
        path = f"{folder}/{self._free(name)}"
        await asyncio.to_thread(self._zip.writestr, path, content, zipfile.ZIP_STORED)

    def _free(self, name: str) -> str:
        """Return the name, numbered if it was used before, in whatever case."""
        stem, suffix = PurePosixPath(name).stem, PurePosixPath(name).suffix
        number, free = 1, name
        while free.casefold() in self._taken:
            number += 1
            free = f"{stem} ({number}){suffix}"
        self._taken.add(free.casefold())
        return free


_PAGE = 500
"""Rows of the journal that are read at a time."""
_MOST_FILES = 100_000
_NAMES: Mapping[str, str] = {"fr": "LISEZMOI.txt"}
_PROFILE = ("phone", "user_id", "email", "name", "mode", "language", "grade", "country", "timezone")
_TASK = ("title", "priority", "zone", "remind_by", "state")
_TASK_TIMES = ("due_at", "reminded_at", "created_at", "done_at")
log = structlog.get_logger()


class DataExport:
    """Writes exports."""

    def __init__(self, database: Database, files: FileStore) -> None:
        self._database = database
        self._files = files

    async def write(self, person: Person, path: Path) -> None:
        """Write a person's data to `path`, as a zip; a guest has profile, messages and records."""
        personal = await self._database.write(lambda tx: find_personal_ids(tx, person))
        async with ZipWriter(path) as archive:
            await self._write_readme(archive, person)
            await archive.add_json("profile.json", await self._profile(person, personal))
            await archive.add_list("messages.json", self._messages(personal))
            if personal.accounts:
                await self._write_possessions(archive, personal)
                await archive.add_json("credits.json", await self._credits(personal))
            await archive.add_json("records.json", await self._records(personal))

    async def _write_readme(self, archive: ZipWriter, person: Person) -> None:
        words = say(
            person.language,
            "This is all that Griot keeps of you, as it was when you asked for it.\n\n"
            "profile.json: who you are to Griot\n"
            "messages.json: what you wrote and what Griot answered\n"
            "memory.json: what Griot remembers of you\n"
            "tasks.json: your tasks\n"
            "results.json: your exercises and quizzes\n"
            "credits.json: your credits, entry by entry\n"
            "records.json: all else, as it is stored: messages sent to you, e-mails, reported "
            "faults, purchases, codes\n"
            "files: your files\n\n"
            "Times are in UTC. A guest has a profile, messages and records only.\n",
        )
        await archive.add_text(_NAMES.get(person.language, "README.txt"), words)

    async def _profile(self, person: Person, personal: PersonalIds) -> dict[str, object]:
        async def work(tx: Transaction) -> dict[str, object]:
            accounts = [_account(row) for row in await read_rows(tx, "account", personal)]
            known, *joined = accounts or [{"name": person.name, "language": person.language}]
            identities = [_identity(row) for row in await read_rows(tx, "identity", personal)]
            return {**known, "identities": identities, **({"joined": joined} if joined else {})}

        return await self._database.read(work)

    async def _messages(self, personal: PersonalIds) -> AsyncIterator[list[object]]:
        """Yield the messages of all conversations, one after another, then those in groups.

        Messages of another person, who used the same phone under another account, are left out.
        """
        lanes = await self._database.write(lambda tx: find_lanes(tx, personal.lanes))
        for lane in lanes:
            async for page in self._pages(lane, personal.accounts[0] if personal.accounts else 0):
                yield page
        for account in personal.accounts:
            for name in await self._database.read(lambda tx, one=account: find_turns(tx, one)):
                if name.lane not in lanes:
                    yield await self._turn(name)

    async def _pages(self, lane: str, account: int) -> AsyncIterator[list[object]]:
        turn = step = -1
        while True:
            values = {
                "lane": lane, "account": account, "turn": turn, "step": step, "most": _PAGE
            }  # fmt: skip
            rows = await self._fetch(_NEXT_PAGE, values)
            yield [_message(lane, row) for row in rows]
            if len(rows) < _PAGE:
                return
            turn, step = rows[-1]["turn"], rows[-1]["step"]

    async def _turn(self, name: TurnName) -> list[object]:
        rows = await self._fetch(_ONE_TURN, {"lane": name.lane, "turn": name.turn})
        return [_message(name.lane, row) for row in rows]

    async def _fetch(self, sql: str, values: Mapping[str, object]) -> list[Row]:
        return await self._database.read(lambda tx: tx.fetch(sql, **values))

    async def _records(self, personal: PersonalIds) -> dict[str, object]:
        """Return all rows of the person, table by table."""
        lanes = await self._database.write(lambda tx: find_lanes(tx, personal.lanes))
        found = read_records(self._database, personal, lanes)
        return {name: rows async for name, rows in found if rows}

    async def _write_possessions(self, archive: ZipWriter, personal: PersonalIds) -> None:
        account = personal.accounts[0]

        async def work(tx: Transaction) -> dict[str, object]:
            facts = await _sorted_rows(tx, "memory", personal, "id")
            tasks = await _sorted_rows(tx, "task", personal, "id")
            results = await _sorted_rows(tx, "result", personal, "at")
            return {
                "memory.json": [
                    {"fact": row["fact"], "since": _moment(row["created_at"])} for row in facts
                ],
                "tasks.json": [_task(row) for row in tasks],
                "results.json": {
                    "exercises": [_result(row) for row in results],
                    "quizzes": [_quiz(row) for row in await read_answered(tx, account)],
                    "practice": [_exercise(each) for each in await read_ended(tx, account)],
                },
            }

        for name, value in (await self._database.read(work)).items():
            await archive.add_json(name, value)
        await self._write_files(archive, account)

    async def _credits(self, personal: PersonalIds) -> dict[str, object]:
        """Return the balance and all entries, also those of accounts that were merged into this
        one."""

        async def work(tx: Transaction) -> dict[str, object]:
            entries = await _sorted_rows(tx, "ledger", personal, "at")
            accounts = await read_rows(tx, "account", personal)
            return {
                "balance": sum(row["balance"] for row in accounts),
                "entries": [
                    {"kind": row["kind"], "amount": row["amount"], "at": _moment(row["at"])}
                    for row in entries
                ],
            }

        return await self._database.read(work)

    async def _write_files(self, archive: ZipWriter, account: int) -> None:
        for file in await self._files.listing(account, _MOST_FILES):
            if file.source == EXPORT:
                continue
            try:
                content = await self._files.read(file.id)
            except NotFound:
                log.warning("file_not_exported", file=file.id)
                continue
            await archive.add_file("files", file.name, content)


async def read_records(
    database: Database, personal: PersonalIds, lanes: Sequence[str]
) -> AsyncIterator[tuple[str, list[dict[str, object]]]]:
    """Yield each personal table's name, with the person's rows of it as they may be exported.

    Args:
        lanes: the person's conversations. Rows of another person there, who used the same phone
            under another account, are left out.
    """
    for name, table in PERSONAL.items():
        if not table.exported:
            continue

        async def work(tx: Transaction, name: str = name) -> list[Row]:
            return await read_rows(tx, name, personal, lanes)

        rows = await database.read(work)
        yield name, [_plain(table, row) for row in rows]


async def read_rows(
    tx: Transaction, name: str, personal: PersonalIds, lanes: Sequence[str] = ()
) -> list[Row]:
    """Return the exported columns of the person's rows in a table, as they are stored."""
    table = PERSONAL[name]
    sql = f"SELECT {', '.join(table.exported)} FROM {name} WHERE {_WHERE[table.owner]}"  # noqa: S608 (made of constants)
    sql = sql.replace("{turn}", _TURN_OF.get(name, f"{name}.turn")).replace("{table}", name)
    rows: list[Row] = []
    for values in _keys(table.owner, personal, lanes):
        rows += await tx.fetch(sql, **values)
    return rows


def _keys(owner: Owner, personal: PersonalIds, lanes: Sequence[str]) -> list[dict[str, object]]:
    """Return the parameters of the queries for a table, one set a query."""
    match owner:
        case "account" | "itself":
            return [{"account": account} for account in personal.accounts]
        case "address":
            return [{"channel": each, "address": address} for each, address in personal.addresses]
        case "session":
            return [{"session": session} for session in personal.sessions]
        case "turns":
            account = personal.accounts[0] if personal.accounts else 0
            return [{"lane": lane, "account": account} for lane in lanes]
        case _:
            return [{"lane": lane} for lane in lanes]


def _plain(table: PersonalTable, row: Row) -> dict[str, object]:
    """Return a row with times as ISO 8601, decoded JSON, and no hash of a session's token."""
    return _hide_session({name: _value(name, row[name]) for name in table.exported})


def _hide_session(shown: dict[str, object]) -> dict[str, object]:
    """Replace the address of a web session, which is the hash of its token."""
    if shown.get("channel") == WEB and "address" in shown:
        shown["address"] = "session"
    return shown


def _value(name: str, value: Any) -> object:
    if isinstance(value, int | float) and (name == "at" or name.endswith("_at")):
        return _moment(value)
    if isinstance(value, str) and value[:1] in {"{", "["}:
        try:
            return msgspec.json.decode(value)
        except msgspec.DecodeError:
            return value
    return value


async def _sorted_rows(tx: Transaction, table: str, personal: PersonalIds, by: str) -> list[Row]:
    rows = await read_rows(tx, table, personal)
    return sorted(rows, key=lambda row: row[by])


def _message(lane: str, row: Row) -> dict[str, object]:
    if row["kind"] == "reply":
        speaker, text = "griot", decode(row["body"], ModelReply).message.text
    else:
        said = decode(row["body"], UserMessage)
        speaker, text = "you", "\n".join(map(_text_of, said.parts))
    return {"conversation": lane, "at": _moment(row["at"]), "from": speaker, "text": text}


def _text_of(part: Part) -> str:
    match part:
        case Text(text=text):
            return text
        case Media(transcript=transcript) if transcript:
            return transcript
        case Media(kind=kind, filename=name):
            return f"[{kind}: {name}]"


def _account(row: Row) -> dict[str, object]:
    return {**{name: row[name] for name in _PROFILE}, "since": _moment(row["created_at"])}


def _identity(row: Row) -> dict[str, object]:
    shown = {name: row[name] for name in ("channel", "address")}
    return _hide_session({**shown, "since": _moment(row["created_at"])})


def _task(row: Row) -> dict[str, object]:
    times = {name.removesuffix("_at"): _moment(row[name]) for name in _TASK_TIMES}
    tags = msgspec.json.decode(row["tags"], type=list[str])
    return {**{name: row[name] for name in _TASK}, "tags": tags, **times}


def _result(row: Row) -> dict[str, object]:
    known = {name: row[name] for name in ("subject", "topic", "skill", "source")}
    return {**known, "correct": bool(row["correct"]), "at": _moment(row["at"])}


def _exercise(exercise: Exercise) -> dict[str, object]:
    return {
        "skill": exercise.skill,
        "statement": exercise.statement,
        "wrong_answers": exercise.tries,
        "hints_shown": exercise.hints_shown,
        "outcome": exercise.state,
        "solution": exercise.solution,
    }


def _quiz(row: Row) -> dict[str, object]:
    options: list[str] = msgspec.json.decode(row["options"], type=list[str])
    return {
        "question": row["question"],
        "options": options,
        "answered": options[row["answered_index"]],
        "right": options[row["correct_index"]],
        "explanation": row["explanation"],
        "at": _moment(row["answered_at"]),
    }


def _moment(at: Any) -> str | None:
    """Write Unix seconds in the form of ISO 8601."""
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat(timespec="seconds")


_NOT_ANOTHERS: Final = """NOT EXISTS (
    SELECT 1 FROM turn AS whose
    WHERE whose.lane = {table}.lane AND whose.id = {turn} AND CAST(:account AS BIGINT) <>
        coalesce((SELECT part_of FROM account WHERE id = whose.account), whose.account)
)"""
"""SQL: a row belongs to no turn of another person, who used the same phone."""

_NEXT_PAGE = f"""
SELECT turn, step, kind, body, at FROM journal
WHERE lane = :lane AND kind IN ('user', 'arriving', 'reply')
    AND (turn > :turn OR (turn = :turn AND step > :step))
    AND {_NOT_ANOTHERS.format(table="journal", turn="journal.turn")}
ORDER BY turn, step LIMIT :most
"""  # noqa: S608 (made of constants)

_ONE_TURN = """
SELECT turn, step, kind, body, at FROM journal
WHERE lane = :lane AND turn = :turn AND kind IN ('user', 'arriving', 'reply') ORDER BY step
"""

_TURN_OF: Final = {"inbox": "coalesce(inbox.turn, inbox.seq)", "turn": "turn.id"}
"""SQL for the turn of a row, where that is not the column `turn` alone."""
_WHERE: Final[Mapping[ErasedBy, str]] = {
    **ROWS_OF,
    "turns": f"{{table}}.lane = :lane AND {_NOT_ANOTHERS}",
}
