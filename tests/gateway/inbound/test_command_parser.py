"""Which words are commands, and which are something to talk about."""

from __future__ import annotations

from typing import get_args

import pytest

from bot.gateway.inbound.command_parser import COMMANDS, Command, parse_command, read_choice
from bot.messages.channels import EMAIL, Channel
from bot.messages.incoming import Attachment, Said

BARE: tuple[Channel, ...] = ("sms", "whatsapp")
TYPED: tuple[Channel, ...] = ("telegram", "http", "console")
FRENCH = {
    "aide": "help",
    "connexion": "login",
    "classe": "grade",
    "langue": "language",
    "solde": "balance",
    "acheter": "buy",
    "fichiers": "files",
    "progres": "progress",
    "progrès": "progress",
    "taches": "tasks",
    "tâches": "tasks",
    "memoire": "memory",
    "mémoire": "memory",
    "nouveau": "new",
    "arret": "stop",
    "arrêt": "stop",
    "suite": "more",
    "reviser": "review",
    "réviser": "review",
    "révisions": "review",
    "exercice": "practice",
    "exercices": "practice",
    "entraînement": "practice",
    "pratique": "practice",
    "crédits": "balance",
}
"""As people are told of them, and with the accents that a good keyboard has."""


def test_the_channels_are_those_named_here() -> None:
    assert {*BARE, *TYPED, EMAIL} == {*get_args(Channel)}


@pytest.mark.parametrize("channel", [*BARE, *TYPED])
def test_with_a_slash_every_word_is_a_command_everywhere(channel: Channel) -> None:
    for name in sorted(COMMANDS):
        assert parse_command(channel, Said(f"/{name}")) == Command(name)
        assert parse_command(channel, Said(f" /{name.upper()} ")) == Command(name)


@pytest.mark.parametrize("channel", BARE)
@pytest.mark.parametrize("words", ["job", "Job", "job pour demain"])
def test_a_word_of_every_day_is_a_command_with_its_slash_only(channel: Channel, words: str) -> None:
    assert parse_command(channel, Said(words)) is None
    assert parse_command(channel, Said(f"/{words}")) == Command("job", words[4:])


@pytest.mark.parametrize("channel", BARE)
def test_days_of_reviews_are_chosen_with_bare_words(channel: Channel) -> None:
    for words in ("18h lun mer ven", "6pm Monday", "off"):
        assert parse_command(channel, Said(f"Réviser {words}")) == Command("review", words)
    for words in ("réviser les fractions", "review my essay", "review it on Monday"):
        assert parse_command(channel, Said(words)) is None


def test_more_is_asked_for_by_sms_with_a_bare_word_and_elsewhere_of_the_tutor() -> None:
    for word in ("more", "Suite", "SUITE !"):
        assert parse_command("sms", Said(word)) == Command("more")
        assert parse_command("whatsapp", Said(word)) is None
        assert parse_command("whatsapp", Said(f"/{word}")) is not None


@pytest.mark.parametrize("channel", BARE)
def test_where_people_type_by_thumb_the_bare_word_is_one_too(channel: Channel) -> None:
    for name in sorted(COMMANDS - {"job", "more"}):
        assert parse_command(channel, Said(name)) == Command(name)
        assert parse_command(channel, Said(f" {name.title()}\n")) == Command(name)


@pytest.mark.parametrize("channel", TYPED)
def test_elsewhere_a_bare_word_is_talk(channel: Channel) -> None:
    for name in (*sorted(COMMANDS), "mode pro", "aide"):
        assert parse_command(channel, Said(name)) is None


@pytest.mark.parametrize(("word", "name"), FRENCH.items())
def test_french_words_are_commands(word: str, name: str) -> None:
    assert parse_command("telegram", Said(f"/{word}")) == Command(name)
    assert parse_command("sms", Said(word)) == Command(name)
    bare = None if name == "more" else Command(name)
    assert parse_command("whatsapp", Said(word.upper())) == bare


@pytest.mark.parametrize(
    ("text", "command"),
    [
        ("mode pro", Command("mode", "pro")),
        ("MODE CHILD", Command("mode", "CHILD")),
        ("mode élève", Command("mode", "élève")),
        ("mode eleve", Command("mode", "eleve")),
        ("login +225 07 01 02 03 04", Command("login", "+225 07 01 02 03 04")),
        ("connexion 0701020304", Command("login", "0701020304")),
        ("langue fr", Command("language", "fr")),
        ("language EN", Command("language", "EN")),
        ("classe 6e", Command("grade", "6e")),
        ("grade Terminale S", Command("grade", "Terminale S")),
        ("memory forget 3", Command("memory", "forget 3")),
        ("buy 500", Command("buy", "500")),
        ("acheter 500 wave", Command("buy", "500 wave")),
        ("delete confirm", Command("delete", "confirm")),
        ("acheter 1 000", Command("buy", "1 000")),
        ("acheter 1\u202f000 F CFA", Command("buy", "1 000 F CFA")),
        ("buy 500F", Command("buy", "500F")),
        ("acheter 500 fcfa wave", Command("buy", "500 fcfa wave")),
        ("supprimer confirmer", Command("delete", "confirmer")),
        ("memoire oublier 2", Command("memory", "oublier 2")),
        ("mémoire oublie 2", Command("memory", "oublie 2")),
        ("courriel oublier", Command("email", "oublier")),
        ("email supprimer", Command("email", "supprimer")),
        ("mode professionnel", Command("mode", "professionnel")),
        ("Mode Étudiant", Command("mode", "Étudiant")),
        ("déconnexion tout", Command("logout", "tout")),
        ("langue Français", Command("language", "Français")),
        ("classe Première S", Command("grade", "Première S")),
        ("classe Tle D", Command("grade", "Tle D")),
        ("classe 2nde C", Command("grade", "2nde C")),
        ("classe 1re", Command("grade", "1re")),
        ("classe 3e B", Command("grade", "3e B")),
        ("taches fait 2", Command("tasks", "fait 2")),
        ("tâches plus tard 2 1h", Command("tasks", "plus tard 2 1h")),
        ("exercices fractions", Command("practice", "fractions")),
        ("exo fractions", Command("practice", "fractions")),
        ("révision 18h lun", Command("review", "18h lun")),
    ],
)
def test_a_bare_command_takes_the_argument_that_it_can_have(text: str, command: Command) -> None:
    assert parse_command("sms", Said(text)) == command
    assert parse_command("whatsapp", Said(f"  {text.replace(' ', '  ')} ")) == command


@pytest.mark.parametrize(
    "text",
    [
        "help me with this",
        "aide moi",
        "new words in English please",
        "mode of transport",
        "mode pro and child",
        "start with the first one",
        "stop it",
        "balance of payments",
        "solde des comptes 2024",
        "login is what?",
        "login 12",
        "language is hard",
        "langue française",
        "memory of water",
        "memory forget it",
        "delete the last line",
        "progress in maths",
        "more of this",
        "suite de Fibonacci",
        "exercices de la page 12",
        "pratique du sport",
        "révision de la guerre froide",
        "crédit à la consommation",
        "buy me a drink",
        "grade this essay for me",
        "helpful",
        "hello",
        "",
    ],
)
@pytest.mark.parametrize("channel", BARE)
def test_a_sentence_that_begins_with_such_a_word_is_talk(channel: Channel, text: str) -> None:
    assert parse_command(channel, Said(text)) is None


@pytest.mark.parametrize("channel", [*BARE, *TYPED])
def test_with_a_slash_whatever_follows_is_its_argument(channel: Channel) -> None:
    said = Said("/help me  with this")
    assert parse_command(channel, said) == Command("help", "me with this")
    assert parse_command(channel, Said("/mode of transport")) == Command("mode", "of transport")


@pytest.mark.parametrize(
    ("name", "text", "argument"),
    [
        ("grade", "Je suis en Tle D.", "Je suis en Tle D."),
        ("grade", "les fractions", ""),
        ("mode", "Je suis étudiante", "child"),
        ("mode", "je suis perdu", ""),
        ("language", "FR", "fr"),
        ("language", "en anglais", "en"),
        ("language", "anglais", ""),
        ("buy", "500", ""),
    ],
)
def test_a_preference_is_chosen_in_own_words(name: str, text: str, argument: str) -> None:
    assert read_choice(name, text) == argument


@pytest.mark.parametrize("text", ["/dance", "/", "//help", "/ help", "/helpme", "1/2", "see /help"])
@pytest.mark.parametrize("channel", [*BARE, *TYPED])
def test_what_is_no_command_is_talk(channel: Channel, text: str) -> None:
    assert parse_command(channel, Said(text)) is None


@pytest.mark.parametrize("channel", [*BARE, *TYPED])
@pytest.mark.parametrize("text", ["/delete confirm", "delete confirm", "/stop", "stop"])
def test_someone_elses_words_are_never_commands(channel: Channel, text: str) -> None:
    assert parse_command(channel, Said(text, forwarded=True)) is None


@pytest.mark.parametrize("channel", [*BARE, *TYPED])
def test_what_is_written_under_a_picture_is_no_command(channel: Channel) -> None:
    assert parse_command(channel, Said("/help", (Attachment("image", "p"),))) is None


def test_only_a_new_conversation_waits_its_turn() -> None:
    assert [name for name in sorted(COMMANDS) if not Command(name).bypasses_queue] == ["new"]


@pytest.mark.parametrize("text", ["Suite.", "SUITE !", "suite…", "Solde.", "AIDE !"])
def test_phones_end_a_bare_word_with_a_stop_of_their_own(text: str) -> None:
    assert parse_command("sms", Said(text)) is not None
    assert parse_command("telegram", Said(text)) is None


@pytest.mark.parametrize("channel", BARE)
def test_a_skill_is_named_with_bare_words(channel: Channel) -> None:
    for words in ("fractions", "tables de multiplication"):
        assert parse_command(channel, Said(f"Exercice {words}")) == Command("practice", words)
    for words in ("à rendre demain", "de physique sur les ondes et la lumière", "zzzz"):
        assert parse_command(channel, Said(f"Exercice {words}")) is None
