"""`/files`: the newest files of a person's library, each with a link to it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.gateway.render import escape
from bot.gateway.replies.response import Response
from bot.library.file_rows import EXPORT, File, Usage
from bot.library.files import QUOTA, Files
from bot.library.links import Links
from bot.messages import Channel, Person, Say, Update
from bot.texts import say, say_count
from bot.zones import find_zone

_MOST: Final = 10
_FEWER: Mapping[Channel, int] = {"sms": 5}
"""Where each line is paid."""
_SHORT: Final = 24
"""Characters of a name there."""


class FileList:
    """The errand of `/files`."""

    def __init__(self, files: Files, links: Links) -> None:
        self._files = files
        self._links = links

    async def __call__(self, person: Person, update: Update, argument: str) -> Response:  # noqa: ARG002 (an errand)
        """Names and links of the newest, how many more there are, and how full the library is."""
        language = person.language
        if person.account is None:
            return _say(say(language, "Log in with /login first: I keep nothing of guests."))
        if update.group:
            return _say(say(language, "This is between us: write to me in private."))
        usage = await self._files.usage(person.account)
        most = _FEWER.get(person.channel, _MOST)
        found = await self._files.listing(person.account, most + 1)  # there is one export at most
        newest = [file for file in found if file.source != EXPORT][:most]
        if not newest:
            return _say(say(language, "You have no files yet. Send me one, or have me make one."))
        names = [file.name for file in newest]
        lines = [self._line(file, person, names.count(file.name) > 1) for file in newest]
        head, rest = say(language, "Your files:"), _rest(usage, newest, language)
        return _say("\n".join([head, "", *lines, "", rest]))

    def _line(self, file: File, person: Person, shares_its_name: bool) -> str:
        """The file's name, its link, and its day: also the time where others are called so."""
        name = _cut(file.name) if person.channel in _FEWER else file.name
        day = _show_day(file.created_at, person, with_time=shares_its_name)
        return f"- [{escape(name)}]({self._links.make(file.id)}) · {day}"


def _show_day(at: float, person: Person, *, with_time: bool) -> str:
    from babel.dates import format_datetime  # imported on first use: babel is slow to load

    form = "d MMM, HH:mm" if with_time else "d MMM"
    return format_datetime(at, form, tzinfo=find_zone(person.timezone), locale=person.language)


def _cut(name: str) -> str:
    """The name, short enough for its line; its ending stays."""
    stem, dot, ending = name.rpartition(".")
    if len(name) <= _SHORT:
        return name
    if not dot or len(ending) > _SHORT // 2:
        return name[:_SHORT]
    return f"{stem[: _SHORT - len(ending) - 1]}.{ending}"


def _rest(usage: Usage, shown: list[File], language: str) -> str:
    """How many others, and how much room is taken."""
    more = usage.number - len(shown)
    words = say(
        language,
        "{used} of {quota} MB used.",
        used=-(-usage.used // 1_000_000),
        quota=QUOTA // 1_000_000,
    )
    if more <= 0:
        return words
    others = say_count(language, "And {number} older file.", "And {number} older files.", more)
    return f"{others} {words}"


def _say(words: str) -> Response:
    return Response((Say(words),))
