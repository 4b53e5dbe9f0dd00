from __future__ import annotations

import urllib.parse

import pytest
from babel.messages.pofile import read_po
from hypothesis import given
from hypothesis import strategies as st

from bench.sms import LESSON
from bot.i18n import LOCALE
from bot.render.sms import (
    BASIC,
    EXTENDED,
    Segments,
    count_cost,
    count_segments,
    count_septets,
    is_gsm7,
    to_gsm7,
)


def test_the_alphabet_has_its_128_places_and_ten_extensions() -> None:
    assert len(set(BASIC)) == 127  # and the escape
    assert len(set(EXTENDED)) == 10
    assert is_gsm7(BASIC + EXTENDED)
    assert not any(map(is_gsm7, "ç`ê\t\x1b’Á"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", Segments("GSM-7", 0, 0)),
        ("a" * 160, Segments("GSM-7", 160, 1)),
        ("a" * 161, Segments("GSM-7", 161, 2)),
        ("a" * 306, Segments("GSM-7", 306, 2)),
        ("a" * 307, Segments("GSM-7", 307, 3)),
        ("€" * 80, Segments("GSM-7", 160, 1)),
        ("€" * 153, Segments("GSM-7", 306, 3)),  # 76 in a segment, never half of one
        ("ê" * 70, Segments("UCS-2", 70, 1)),
        ("ê" * 71, Segments("UCS-2", 71, 2)),
        ("ê" * 134, Segments("UCS-2", 134, 2)),
        ("😀" * 67, Segments("UCS-2", 134, 3)),  # 33 in a segment
    ],
)
def test_segments_are_counted_as_they_are_paid(text: str, expected: Segments) -> None:
    assert count_segments(text) == expected


def test_a_text_outside_gsm_7_is_measured_by_the_segments_that_it_fills() -> None:
    assert (count_cost("a{" * 10), count_septets("a{" * 10)) == (30, 30)
    assert (count_cost("ê" * 70), count_cost("ê" * 700)) == (160, 1600)
    assert count_cost("😀") == 5


def test_a_french_lesson_has_no_ucs_2_segment() -> None:
    spelled = to_gsm7(LESSON.replace("$", ""))
    assert len(spelled) > 1000
    assert count_segments(spelled).encoding == "GSM-7"


@pytest.mark.parametrize(
    "text",
    ["forêt ∈ Côte", "où est le 🐱 ?", "Bonjour, être — مرحبا", "« Да »… ça", "l’école « ɛ »"],
)
def test_where_one_character_has_no_substitute_all_stay(text: str) -> None:
    assert to_gsm7(text) == text


@pytest.mark.parametrize(
    "text", ["On écrit forêt, pas foret.", "Pâle, pale ; tâche, tache.", "naître, naïtre"]
)
def test_words_told_apart_by_an_accent_keep_it(text: str) -> None:
    assert to_gsm7(text) == text


def test_short_words_may_meet_when_their_accents_go() -> None:
    assert to_gsm7("Il est sûr, sur ce mur.") == "Il est sur, sur ce mur."


def test_a_spelling_that_would_cost_more_is_not_taken() -> None:
    assert to_gsm7("∞" * 40) == "∞" * 40
    assert to_gsm7("∞") == "infini"


@pytest.mark.parametrize(
    ("text", "spelled"),
    [
        ("https://fr.example/Côte_(pays)…", "https://fr.example/C%C3%B4te_(pays)..."),
        ("(https://a.ci/é), ça", "(https://a.ci/é), ca"),
        ("https://côte.ci/?q=ê%20#ç", "https://xn--cte-kna.ci/?q=%C3%AA%20#%C3%A7"),
        ("« https://a.ci/x–y »", '"https://a.ci/x%E2%80%93y"'),
    ],
)
def test_links_stay_links(text: str, spelled: str) -> None:
    assert to_gsm7(text) == spelled


def test_a_link_whose_host_cannot_be_written_stays_with_everything_else() -> None:
    text = "ça https://ê..ci/ê"
    assert to_gsm7(text) == text


@given(st.text(alphabet="aé€{ê😀 \n", max_size=800))
def test_segments_hold_the_text_and_no_fewer_would(text: str) -> None:
    encoding, units, paid = count_segments(text)
    alone, joined = (160, 153) if encoding == "GSM-7" else (70, 67)
    assert paid == min(units, 1) or units > alone
    assert units <= max(paid * joined, alone)
    assert paid <= -(-units // (joined - 1))


@given(st.text(alphabet=BASIC + EXTENDED, max_size=200))
def test_gsm_7_text_is_left_alone(text: str) -> None:
    assert to_gsm7(text) == text


@given(st.text(max_size=200))
def test_any_text_is_spelled_in_gsm_7_or_left_alone(text: str) -> None:
    spelled = to_gsm7(text)
    assert spelled == text or is_gsm7(spelled)
    assert to_gsm7(spelled) == spelled


@given(st.text(alphabet="aéêç_-.(~%’", max_size=20))
def test_a_link_leads_where_it_led(path: str) -> None:
    shown = to_gsm7(f"https://a.ci/{path}x")
    assert urllib.parse.unquote(shown) == urllib.parse.unquote(f"https://a.ci/{path}x")


_NEVER_BY_SMS = ("(📎,",)


def test_no_sentence_of_ours_makes_a_message_cost_twice() -> None:
    """One character that GSM-7 lacks, and that nothing stands for, does."""
    for path in LOCALE.glob("*/LC_MESSAGES/griot.po"):
        with path.open("rb") as file:
            forms = [form for message in read_po(file) for form in (message.id, message.string)]
        for form in forms:
            for sentence in (form,) if isinstance(form, str) else form:
                if not any(part in sentence for part in _NEVER_BY_SMS):
                    assert is_gsm7(to_gsm7(sentence)), sentence


def test_words_with_a_slash_between_them_are_told_apart() -> None:
    for text in ("mûrs/murs", "côte/cote", "forêt/foret/forets"):
        assert to_gsm7(text) == text


def test_a_command_is_no_word_that_an_accent_tells_apart() -> None:
    assert to_gsm7("Vos tâches, ê (/taches fait 2)") == "Vos taches, e (/taches fait 2)"
