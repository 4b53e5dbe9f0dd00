from __future__ import annotations

import re
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pytest
from babel.messages.extract import extract_from_dir
from babel.messages.pofile import read_po

from bot.agent.delegation import LABEL
from bot.documents.document_request import WORDS
from bot.gateway.inbound.command_parser import COMMANDS, parse_command
from bot.i18n import (
    LOCALE,
    best_language,
    detect_greeting,
    detect_language,
    fold,
    languages,
    say,
    say_count,
    write_day,
    write_moment,
    write_time,
)
from bot.messages.incoming import Said
from bot.typography import typeset
from tools import TOOLS

ROOT = LOCALE.parents[1]
KEYWORDS: dict[str, Any] = {
    "say": (2,),
    "reply": (1,),
    "phrase": (1,),
    "_polite": (3,),
    "say_count": (2, 3),
    "phrase_count": (1, 2),
}


FILES = [("practice/**", "ignore"), ("**.py", "python"), ("web/templates/**.html", "jinja2")]


def spoken() -> set[str]:
    """Every sentence that the code and the templates of pages say to people."""
    found: set[str] = set()
    options = {"**.html": {"silent": "false"}}
    for folder in ("bot", "adapters", "tools"):
        extracted = extract_from_dir(ROOT / folder, FILES, options, KEYWORDS)
        for _, _, messages, _, _ in extracted:
            found.update((messages,) if isinstance(messages, str) else messages)
    return found | {tool.label for tool in TOOLS} | {LABEL, *WORDS}


@pytest.mark.parametrize("path", sorted(LOCALE.glob("*/LC_MESSAGES/griot.po")), ids=str)
def test_a_catalogue_has_every_sentence_and_nothing_else(path: Path) -> None:
    with path.open("rb") as file:
        catalogue = {
            identifier: message.string
            for message in read_po(file)
            if message.id
            for identifier in ([message.id] if isinstance(message.id, str) else message.id)
        }
    said = spoken()
    assert not said - set(catalogue), f"write these sentences into {path.relative_to(ROOT)}"
    assert not set(catalogue) - said, (
        f"nobody says these: leave them out of {path.relative_to(ROOT)}"
    )
    for sentence, translated in catalogue.items():
        forms = [translated] if isinstance(translated, str) else list(translated)
        for form in forms:
            assert form, sentence
            names = set(re.findall(r"{\w+}", form))
            assert names == set(re.findall(r"{\w+}", sentence)), sentence


def french_forms() -> list[tuple[str, str]]:
    """Every sentence in English, with each of its forms in French."""
    with (LOCALE / "fr/LC_MESSAGES/griot.po").open("rb") as file:
        messages = [message for message in read_po(file) if message.id]
    forms: list[tuple[str, str]] = []
    for message in messages:
        english = message.id if isinstance(message.id, str) else message.id[0]
        said = (message.string,) if isinstance(message.string, str) else message.string or ()
        forms += [(english, form) for form in said]
    return forms


def test_french_texts_have_their_typography_and_say_tu() -> None:
    for english, form in french_forms():
        assert form == typeset(form, "fr")
        assert not re.search(r"\b(vous|votre|vos|[a-zéè]{3,}ez)\b", form, re.IGNORECASE), form
        assert not re.search(r"\w[;:!?](\s|$)|«\S|\S»", form), form
        assert "'" not in form
        assert ("—" in form) <= ("—" in english), form


_MASCULINE = re.compile(
    r"\b(?:tu (?:n['’])?(?:es|étais|seras)|t['’]es|sois|il faut être)"
    r"(?: (?:pas|déjà|encore|bien|ici))*"
    r" (?:[a-zéè]+é|parti|perdu|prêt|sûr|inscrit|seul|content|absent|premier)\b"
    r"|^connecté\b|\bun invité\b|\btoi seul\b",
    re.IGNORECASE,
)
"""What says to a person that they are a man or a boy."""


def test_french_texts_do_not_take_everybody_for_a_man() -> None:
    texts = [form for _, form in french_forms()]
    for pattern in ("web/pages/chat/words.js", "demo/**/*.js", "demo/*.toml", "practice/*.toml"):
        for path in sorted((ROOT / "bot").glob(pattern)):
            texts += re.findall(r"[\"'](.+?)[\"'](?=[,\s\]}])", path.read_text())
    assert [text for text in texts if _MASCULINE.search(text)] == []


ELSEWHERE = {"newbot", "readyz", "chat", "webhooks"}
"""Words after a slash that are commands of BotFather, or addresses."""


def test_french_names_the_commands_in_french() -> None:
    """Except for those that are the same word in both."""
    said = " ".join(form for _, form in french_forms())
    commands = set(re.findall(r"(?<![\w/])/([a-z]+)\b", said)) - ELSEWHERE
    assert commands
    for command in commands:
        assert parse_command("telegram", Said(f"/{command}")) is not None, command
    assert commands.isdisjoint(COMMANDS - {"mode", "job"})


@pytest.mark.parametrize("path", sorted(LOCALE.glob("*/LC_MESSAGES/griot.po")), ids=str)
def test_no_sentence_is_translated_twice(path: Path) -> None:
    """The second translation would be the only one that is heard."""
    sentences = re.findall(r'^msgid (".*"(?:\n".*")*)', path.read_text(), re.MULTILINE)
    assert len(sentences) == len(set(sentences))


def test_numbers_and_times_are_written_as_people_read_them() -> None:
    one, many = "You have {number} credit.", "You have {number} credits."
    assert say_count("fr", one, many, 9990) == "Tu as 9\u202f990 crédits."
    assert say_count("en", one, many, 9990) == "You have 9,990 credits."
    assert write_time("fr", 18) == "18\u00a0h"
    assert write_time("fr", 7, 5) == "7\u00a0h\u00a005"
    assert write_time("en", 18) == "18:00"
    assert write_time("en", 7, 5) == "7:05"


def test_french_and_english_are_spoken() -> None:
    assert {"fr", "en"} <= set(languages())


@pytest.mark.parametrize(
    ("tag", "language"),
    [("fr", "fr"), ("en-GB", "en"), ("en_US", "en"), ("", "fr"), ("xx", "fr"), ("FR-ci", "fr")],
)
def test_the_best_language_for_what_a_channel_reports(tag: str, language: str) -> None:
    assert best_language(tag) == language


def test_a_sentence_is_said_in_each_language() -> None:
    assert say("en", "Stopped.") == "Stopped."
    assert say("fr", "Stopped.") == "C’est arrêté."
    assert say("xx", "Stopped.") == "Stopped."


def test_numbers_follow_the_plural_of_the_language() -> None:
    one, many = "You have {number} credit.", "You have {number} credits."
    assert say_count("en", one, many, 0) == "You have 0 credits."
    assert say_count("fr", one, many, 0) == "Tu as 0 crédit."
    assert say_count("fr", one, many, 2) == "Tu as 2 crédits."


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Explique-moi les fractions", "fr"),
        ("c'est quoi la photosynthèse ?", "fr"),
        ("How do I add two fractions?", "en"),
        ("please explain this to me", "en"),
        ("Kwame Nkrumah", ""),
        ("2+2", ""),
        ("What is le passé composé ?", ""),
        ("", ""),
    ],
)
def test_a_language_is_known_by_its_most_frequent_words(text: str, language: str) -> None:
    assert detect_language(text) == language


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Bonjour", "fr"),
        (" bonsoir Griot !", "fr"),
        ("slt", "fr"),
        ("Hello!", "en"),
        ("Good morning", "en"),
        ("Bonjour, what is this?", ""),
        ("Hello, explique", ""),
        ("helloworld", ""),
        ("good", ""),
        ("", ""),
    ],
)
def test_a_greeting_tells_the_language_of_a_first_message(text: str, language: str) -> None:
    assert detect_greeting(text) == language


def test_folded_letters_are_those_of_a_small_keyboard() -> None:
    assert fold(" Le CŒUR d'Élève, æquo ") == "le coeur d'eleve, aequo"
    assert fold("3 ≠ 4") == "3 ≠ 4"
    assert fold("L’été, j‘ai") == "l'ete, j'ai"


def test_a_day_has_one_form_in_each_language() -> None:
    day, first = date(2026, 11, 21), date(2026, 11, 1)
    assert [write_day("en", each) for each in (day, first)] == ["21 Nov", "1 Nov"]
    assert [write_day("fr", each) for each in (day, first)] == ["21 nov.", "1er nov."]
    assert write_day("en", day, whole=True, with_year=True) == "21 November 2026"
    assert write_day("fr", first, whole=True, with_year=True) == "1er novembre 2026"
    assert write_day("en", day, weekday=True) == "Sat 21 Nov"


@pytest.mark.parametrize(
    ("day", "written"),
    [
        ("2026-12-30", "mer. 30 déc., 8\u00a0h"),
        ("2026-01-02", "ven. 2 janv. 2026, 8\u00a0h"),  # more than 300 days ago
        ("2025-12-30", "mar. 30 déc. 2025, 8\u00a0h"),
        ("2027-11-29", "lun. 29 nov. 2027, 8\u00a0h"),
        ("2027-01-02", "sam. 2 janv. 2027, 8\u00a0h"),
    ],
)
def test_a_day_of_another_year_is_written_with_it(day: str, written: str) -> None:
    at = datetime.fromisoformat(f"{day}T08:00Z").timestamp()
    now = datetime.fromisoformat("2026-11-29T08:00Z").timestamp()
    assert write_moment("fr", "Africa/Bamako", at, weekday=True, now=now) == written


def test_the_year_is_that_of_the_persons_zone() -> None:
    now = datetime.fromisoformat("2026-12-31T23:30Z").timestamp()
    written = write_moment("fr", "Africa/Bamako", now + 3600, now=now)
    assert written == "1er janv. 2027, 0\u00a0h\u00a030"
    assert write_moment("fr", "Europe/Paris", now + 3600, now=now) == "1er janv., 1\u00a0h\u00a030"
