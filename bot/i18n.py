"""Translate Griot's own sentences, by gettext catalogues.

The message ids are the English sentences. `bot/locale/LANGUAGE/LC_MESSAGES/griot.po` holds a
translation; `docs/adding-other-things.md` says what else a language needs. Catalogues are compiled
in memory on first use, so there is no build step.
"""

from __future__ import annotations

import gettext
import io
import re
import unicodedata
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from functools import cache
from pathlib import Path
from typing import Final
from zoneinfo import ZoneInfo

_WORDS_OF_TEXT = re.compile(r"[^\W\d_]+")
_FRENCH_WORDS = """
je tu il elle nous vous ils est suis sont ai avez le la les un une des du de et mon ma mes ton ta
tes ce cette que qui quoi quel quelle comment pourquoi combien avec pour dans sur pas c d j l qu
explique bonjour bonsoir salut merci oui peux veux fais
"""
_ENGLISH_WORDS = """
i you he she we they is are am was the an and my your this that what which who how why with for in
of to not do does don can please explain hello hi thanks thank yes give want help
"""
_COMMON_WORDS: Mapping[str, frozenset[str]] = {
    "fr": frozenset(_FRENCH_WORDS.split()),
    "en": frozenset(_ENGLISH_WORDS.split()),
}
_GREETINGS: Mapping[str, re.Pattern[str]] = {
    "fr": re.compile(r"(?:bonjour|bonsoir|salut|coucou|bjr|bsr|slt)\b"),
    "en": re.compile(r"(?:hello|good (?:morning|afternoon|evening))\b"),
}
LOCALE = Path(__file__).parent / "locale"
DEFAULT_LANGUAGE = "fr"


@cache
def languages() -> tuple[str, ...]:
    """Return the languages that Griot has."""
    return ("en", *sorted(path.parent.parent.name for path in LOCALE.glob("*/LC_MESSAGES/*.po")))


def best_language(tag: str) -> str:
    """Return the language to use with a person whose channel reports `tag` (`en-GB`, `fr`,
    empty)."""
    language = tag.replace("_", "-").split("-")[0].lower()
    return language if language in languages() else DEFAULT_LANGUAGE


def detect_language(text: str) -> str:
    """Return the language of `text`, by its most frequent words; empty: it is not clear.

    Two words of one language and none of another decide.
    """
    words = set(_WORDS_OF_TEXT.findall(text.lower()))
    found = {language: len(words & common) for language, common in _COMMON_WORDS.items()}
    best, *others = sorted(found, key=lambda language: -found[language])
    return best if found[best] >= 2 and not any(found[other] for other in others) else ""


def detect_greeting(text: str) -> str:
    """Return the language of the greeting with which `text` begins; empty: it begins with none, or
    has frequent words of another language."""
    plain = text.lower().lstrip()
    words = set(_WORDS_OF_TEXT.findall(plain))
    common = {language for language, them in _COMMON_WORDS.items() if words & them}
    greeted = [each for each, greeting in _GREETINGS.items() if greeting.match(plain)]
    return greeted[0] if greeted and common <= {greeted[0]} else ""


def say(language: str, sentence: str, **values: object) -> str:
    """Return `sentence` in `language`, with its `{names}` filled in."""
    translated = _catalogue(language).gettext(sentence)
    return translated.format(**values) if values else translated


def say_count(language: str, one: str, many: str, number: int, **values: object) -> str:
    """Return `one` or `many` in `language`, by its plural rule, with `{number}` filled in."""
    translated = _catalogue(language).ngettext(one, many, number)
    return translated.format(number=group_digits(language, number), **values)


def group_digits(language: str, number: int) -> str:
    """Return a whole number as people read it: `9 990` with narrow no-break spaces, or `9,990`."""
    return f"{number:,}".replace(",", "\u202f" if language == "fr" else ",")


def write_time(language: str, hour: int, minute: int = 0) -> str:
    """Return a time of day: `18 h`, `7 h 05`; in English `18:00`, `7:05`."""
    if language != "fr":
        return f"{hour}:{minute:02}"
    return f"{hour}\u00a0h\u00a0{minute:02}" if minute else f"{hour}\u00a0h"


FAR: Final = timedelta(days=300)
"""From then on a day without its year may be taken for one of the year before or after."""


def write_day(
    language: str, day: date, *, whole: bool = False, weekday: bool = False, with_year: bool = False
) -> str:
    """Return a day as all texts for people name it: `1er nov.`, `1 Nov`.

    Args:
        whole: the month is written out, as in a sentence: `1er novembre`, `1 November`.
        weekday: its name comes first: `dim. 1er nov.`, `Sun 1 Nov`.
    """
    from babel.dates import format_date  # imported on first use: babel is slow to load

    month = format_date(day, f"{'MMMM' if whole else 'MMM'}{' y' if with_year else ''}", language)
    number = "1er" if language == "fr" and day.day == 1 else day.day
    return f"{format_date(day, 'EEE ', language) if weekday else ''}{number} {month}"


def write_moment(
    language: str,
    zone: str,
    at: float,
    *,
    weekday: bool = False,
    with_time: bool = True,
    now: float | None = None,
) -> str:
    """Return a day and a time of day for people: `3 févr., 18 h`; with its year if it would be
    taken for one of this year.

    Args:
        at: Unix seconds, within the years that `datetime` knows.
        weekday: the name of the day comes first.
        now: Unix seconds; None: the present.
    """
    place = find_zone(zone)
    local = datetime.fromtimestamp(at, place)
    today = datetime.now(place) if now is None else datetime.fromtimestamp(now, place)
    needs_year = local.year != today.year or abs(local - today) > FAR
    day = write_day(language, local.date(), weekday=weekday, with_year=needs_year)
    return f"{day}, {write_time(language, local.hour, local.minute)}" if with_time else day


_STROKE = "\u0338"
"""What makes `≠` of `=`."""
_TYPED: Final = str.maketrans({"œ": "oe", "æ": "ae", "’": "'", "‘": "'", "ʼ": "'"})
"""What a small keyboard has in place of these."""


def fold(text: str) -> str:
    """Return `text` in lower case without accents and with straight apostrophes, as people type it
    on a small keyboard. Signs such as `≠` stay what they are."""
    plain = text.casefold().strip()
    if plain.isascii():
        return plain
    decomposed = unicodedata.normalize("NFKD", plain.translate(_TYPED))
    letters = (each for each in decomposed if each == _STROKE or not unicodedata.combining(each))
    return unicodedata.normalize("NFC", "".join(letters))


@cache
def _catalogue(language: str) -> gettext.NullTranslations:
    path = LOCALE / language / "LC_MESSAGES" / "griot.po"
    if not path.is_file():
        return gettext.NullTranslations()
    from babel.messages.mofile import write_mo  # imported on first use: babel is slow to load
    from babel.messages.pofile import read_po

    compiled = io.BytesIO()
    with path.open("rb") as file:
        write_mo(compiled, read_po(file, locale=language))
    compiled.seek(0)
    return gettext.GNUTranslations(compiled)


def find_zone(name: str) -> tzinfo:
    """Return the time zone of this name; UTC (Abidjan's zone since 1912) where there is none."""
    try:
        return ZoneInfo(name)
    except (LookupError, ValueError, OSError):  # unknown, not a name, a folder
        return UTC


def describe_moment(at: float, zone: str) -> str:
    """Return `Saturday 2026-11-28 08:00 (Africa/Abidjan)`, for models.

    Args:
        at: Unix seconds, within the years that `datetime` knows.
    """
    local = datetime.fromtimestamp(at, find_zone(zone))
    return f"{local:%A %Y-%m-%d %H:%M} ({local.tzinfo})"
