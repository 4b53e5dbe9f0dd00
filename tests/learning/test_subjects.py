from __future__ import annotations

import pytest

from bot.learning.subjects import MAX_SUBJECT, QUIZZES, fold_subject, join_subject, name_subject


@pytest.mark.parametrize(
    ("written", "folded"),
    [
        ("maths", "maths"),
        ("Mathématiques", "maths"),
        ("MATHEMATIQUES", "maths"),
        (" Algèbre ", "maths"),
        ("Maths : fractions", "maths"),
        ("mathématiques (CM2)", "maths"),
        ("Maths - géométrie", "maths"),
        ("Physique-Chimie", "physics_chemistry"),
        ("Physique/Chimie", "physics_chemistry"),
        ("physique", "physics"),
        ("SVT", "biology"),
        ("Sciences de la vie et de la Terre", "biology"),
        ("Histoire-Géo", "history_geography"),
        ("histoire", "history"),
        ("Français", "french"),
        ("LV1 anglais", "english"),
        ("English", "english"),
        ("EPS", "sport"),
        ("physics_chemistry", "physics_chemistry"),
    ],
)
def test_the_ways_of_writing_a_subject_are_one(written: str, folded: str) -> None:
    assert fold_subject(written) == folded


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("Histoire de l'art", "histoire de l'art"),
        ("  Couture \n et  MODE", "couture et mode"),
        ("الرياضيات", "الرياضيات"),
        ("x" * 300, "x" * MAX_SUBJECT),
        ("\u202e\x00", ""),
        ("", ""),
    ],
    ids=["longer", "spaces", "arabic", "endless", "invisible", "empty"],
)
def test_another_subject_is_kept_as_it_was_said(written: str, kept: str) -> None:
    assert fold_subject(written) == kept


@pytest.mark.parametrize(
    ("subject", "known", "joint"),
    [
        ("physics", {"maths", "physics_chemistry"}, "physics_chemistry"),
        ("chemistry", {"physics_chemistry"}, "physics_chemistry"),
        ("physics", {"physics", "physics_chemistry"}, "physics"),
        ("physics", {"maths"}, "physics"),
        ("maths", {"physics_chemistry"}, "maths"),
    ],
)
def test_a_part_belongs_to_the_subject_that_has_exercises(
    subject: str, known: set[str], joint: str
) -> None:
    assert join_subject(subject, known) == joint


def test_a_subject_has_a_name_in_each_language() -> None:
    assert name_subject("fr", "history_geography") == "Histoire-géographie"
    assert name_subject("en", "history_geography") == "History and geography"
    assert name_subject("fr", QUIZZES) == "Exercices"
    assert name_subject("fr", "couture et mode") == "Couture et mode"


def test_every_subject_that_words_are_folded_to_has_a_name() -> None:
    from bot.learning import subjects

    assert set(subjects._names("fr")) == set(subjects._WORDS) | {QUIZZES}


def test_no_word_stands_for_two_subjects() -> None:
    from bot.learning import subjects

    words = [word for line in subjects._WORDS.values() for word in line.split()]
    assert len(set(words)) == len(words)
    assert not set(words) & set(subjects._WORDS)
