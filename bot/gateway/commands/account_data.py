"""Answer `/export`, `/delete`, `/files` and `/memory`, the commands about a person's data."""

from __future__ import annotations

import asyncio
from typing import Final

import msgspec
import structlog

from bot.accounts import ledger
from bot.contracts.storage import Database, EphemeralStore, Transaction
from bot.errors import NotFound
from bot.files.links import Links
from bot.files.store import EXPORT, GUESTS, QUOTA, File, FileStore, Usage
from bot.gateway.commands.reply import CommandRequest, Reply, ask_to_log_in
from bot.gateway.inbound import command_parser
from bot.gateway.inbound.command_parser import FORGET_PATTERN
from bot.gateway.people.erasure import Erasure, sends_last_message
from bot.gateway.people.export import DataExport
from bot.i18n import fold, say, say_count, write_moment
from bot.learning.remembered_facts import forget_fact, list_facts
from bot.messages.channels import CHANNELS
from bot.messages.incoming import Person, Update
from bot.messages.outgoing import Say, ShareFile
from bot.render.renderer import escape_markdown
from bot.storage.buttons import is_offered, offer_commands
from bot.temporary_folder import TemporaryFolder

PER_DAY: Final = 3
"""Exports of one person within 24 hours."""
_DAY: Final = 24 * 3600.0
log = structlog.get_logger()


class ExportCommand:
    """Answers `/export`."""

    def __init__(self, copies: DataExport, files: FileStore, momentary: EphemeralStore) -> None:
        self._copies = copies
        self._files = files
        self._momentary = momentary

    async def __call__(self, person: Person, update: Update, argument: str) -> Reply:  # noqa: ARG002 (the contract's)
        """Return the export as a file, made once an update; it replaces the person's last one."""
        language = person.language
        begin = f"{update.lane}/export/"
        key = f"{begin}{update.message_key}"
        made = await self._files.find_by_key(key)
        if made is None:
            if await self._has_had_enough(person):
                words = say(language, "You have had several exports today. Ask again tomorrow.")
                return Reply((Say(words),))
            made = await self._make(person, key, begin)
        return Reply((_captioned(made, person),))

    async def _make(self, person: Person, key: str, begin: str) -> ShareFile:
        folder = await asyncio.to_thread(TemporaryFolder)
        try:
            path = folder.path / "export.zip"
            await self._copies.write(person, path)
            account = person.account or GUESTS
            begin = begin if account == GUESTS else ""
            return await self._files.save_export(
                account, "griot-export.zip", path, key=key, begin=begin
            )
        finally:
            await asyncio.to_thread(folder.remove)

    async def _has_had_enough(self, person: Person) -> bool:
        """Count an export; return whether it is one too many. While the store is away none is."""
        whose = person.account or f"{person.channel}:{person.address}"
        try:
            return await self._momentary.count(f"exports:{whose}", _DAY) > PER_DAY
        except ConnectionError as error:
            log.warning("exports_uncounted", error=type(error).__name__)
            return False


def _captioned(made: ShareFile, person: Person) -> ShareFile:
    if person.account is None:
        words = say(
            person.language,
            "This is our conversation. I keep nothing else of guests; /delete erases it.",
        )
    else:
        words = say(person.language, "This is all I keep of you.")
    return msgspec.structs.replace(made, caption=words)


DELETE_CONFIRM = "/delete confirm"
CONFIRM_SECONDS = 24 * 3600.0
"""Seconds for which a `/delete` can be confirmed."""


class DeleteCommand:
    """Answers `/delete`."""

    def __init__(self, database: Database, erasure: Erasure) -> None:
        self._database = database
        self._erasure = erasure

    async def __call__(self, person: Person, update: Update, argument: str) -> Reply:
        """Erase all data of a person who confirms it; ask the others for that.

        A person who was not asked on this channel is asked first, even if they confirm. Run again
        after a crash, it erases again and gives the same answer.
        """
        language = person.language
        if fold(argument) not in command_parser.CONFIRM_WORDS:
            return await self._ask(person, update)
        if not await self._database.read(lambda tx: _is_confirmed(tx, update)):
            return await self._ask(person, update)
        await self._erasure.erase(person, update)
        words = say(
            language,
            "It is done: I have erased all I had of you. Should you write to me again, we begin "
            "anew. Farewell!",
        )
        return Reply((Say(words),), stop=True)

    async def _ask(self, person: Person, update: Update) -> Reply:
        language, address = person.language, update.sender.address
        choice = (say(language, "Erase everything"), DELETE_CONFIRM)

        async def work(tx: Transaction) -> Reply:
            [button] = await offer_commands(tx, update.lane, address, [choice], CONFIRM_SECONDS)
            button = msgspec.structs.replace(button, tap_only=True)
            return Reply((Say(await _warning(tx, person), (button,)),))

        return await self._database.write(work)


async def _is_confirmed(tx: Transaction, update: Update) -> bool:
    """Return whether the person was asked, also in another session, or was erased by this very
    update."""
    if await is_offered(tx, update.channel, update.sender.address, DELETE_CONFIRM):
        return True
    return await sends_last_message(tx, update.lane, update.delivery_key)


async def _warning(tx: Transaction, person: Person) -> str:
    language = person.language
    if person.account is None:
        return say(
            language,
            "This erases our conversation for good. To go on, send /delete confirm.",
        )
    words = say(
        language,
        "This erases everything for good: conversations, files, tasks, results, and what I "
        "remember. /export gives you a copy.",
    )
    how = say(language, "To go on, send /delete confirm.")
    balance = await ledger.balance_of_snapshot(tx, person.account)
    if not balance:
        return f"{words}\n\n{how}"
    lost = say_count(
        language,
        "You lose your {number} credit too.",
        "You lose your {number} credits too.",
        balance,
    )
    return f"{words} {lost}\n\n{how}"


_MOST: Final = 10
_MOST_PAID: Final = 5
"""Files listed where each message costs money."""
_SHORT: Final = 24
"""Characters of a file's name there."""


class FilesCommand:
    """Answers `/files`."""

    def __init__(self, files: FileStore, links: Links) -> None:
        self._files = files
        self._links = links

    async def __call__(self, person: Person, update: Update, argument: str) -> Reply:  # noqa: ARG002 (the contract's)
        """List the newest files with their links, or the files themselves where no link works; say
        how many more there are, and how full the library is."""
        language = person.language
        if person.account is None:
            return ask_to_log_in(language)
        if update.group:
            return _say_files(say(language, "This is between us: write to me in private."))
        usage = await self._files.usage(person.account)
        most = _MOST_PAID if CHANNELS[person.channel].message_costs else _MOST
        found = await self._files.listing(person.account, most + 1)  # there is one export at most
        newest = [file for file in found if file.source != EXPORT][:most]
        if not newest:
            return _say_files(
                say(language, "You have no files yet. Send me one, or have me make one.")
            )
        names = [file.name for file in newest]
        lines = [self._line(file, person, names.count(file.name) > 1) for file in newest]
        head, rest = say(language, "Your files:"), _more_files(usage, newest, language)
        words = Say("\n".join([head, "", *lines, "", rest]))
        if CHANNELS[person.channel].opens_links:
            return Reply((words,))
        return Reply((words, *(file.shared for file in newest)))

    def _line(self, file: File, person: Person, shares_its_name: bool) -> str:
        """Return a file's name, link and day, with the time if others have the same name."""
        is_short = CHANNELS[person.channel].message_costs
        name = _cut(file.name) if is_short else file.name
        language, zone = person.language, person.timezone
        day = write_moment(language, zone, file.created_at, with_time=shares_its_name)
        shown = escape_markdown(name)
        if CHANNELS[person.channel].opens_links:
            shown = f"[{shown}]({self._links.make(file.id)})"
        return f"- {shown} · {day}"


def _cut(name: str) -> str:
    """Shorten a name to `_SHORT` characters; its ending stays if that is short."""
    stem, dot, ending = name.rpartition(".")
    if len(name) <= _SHORT:
        return name
    if not dot or len(ending) > _SHORT // 2:
        return name[:_SHORT]
    return f"{stem[: _SHORT - len(ending) - 1]}.{ending}"


def _more_files(usage: Usage, shown: list[File], language: str) -> str:
    """Say how many more files there are, and how much of the quota is used."""
    more = usage.number - len(shown)
    used = _write_megabytes(usage.used, language)
    words = say(language, "{used} of {quota} MB used.", used=used, quota=QUOTA // 1_000_000)
    if more <= 0:
        return words
    others = say_count(language, "And {number} older file.", "And {number} older files.", more)
    return f"{others} {words}"


def _write_megabytes(size: int, language: str) -> str:
    """Write a size in megabytes, rounded up; below ten with a decimal."""
    from babel.numbers import format_decimal  # imported on first use: babel is slow to load

    step = 100_000 if size < 10_000_000 else 1_000_000
    return format_decimal(-(-size // step) * step / 1_000_000, locale=language)


def _say_files(words: str) -> Reply:
    return Reply((Say(words),))


async def list_memory(request: CommandRequest, account: int) -> str:
    """Answer `/memory`, which lists the remembered facts, and `/memory forget N`."""
    tx, language, argument = request.tx, request.person.language, request.argument
    if argument:
        found = FORGET_PATTERN.fullmatch(fold(argument))
        try:
            fact = await forget_fact(tx, account, int(found["number"]) if found else 0)
        except NotFound:
            return say(language, "Send /memory to see the numbers, then /memory forget 2.")
        return say(language, "Forgotten: {fact}", fact=fact)
    facts = await list_facts(tx, account)
    if not facts:
        return say(language, "I remember nothing about you yet. Tell me what I should remember.")
    lines = [f"{number}. {fact}" for number, fact in facts]
    head = say(language, "What I remember of you:")
    if not request.is_one_way:
        head = say(language, "What I remember of you (/memory forget N forgets one):")
    return "\n".join([head, "", *lines])
