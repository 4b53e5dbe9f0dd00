from __future__ import annotations

from bot.learning.progress import SubjectScore, summarise_progress
from tests.support.progress import make_progress

SCORES = (SubjectScore("maths", 8, 6), SubjectScore("philosophy", 5, 5), SubjectScore("", 2, 1))


def brief(most: int, *scores: SubjectScore) -> str:
    shown = make_progress(*(scores or SCORES), streak=5, today=(4, 3))
    return summarise_progress("fr", shown, lambda text: len(text) <= most)


def test_as_many_subjects_are_told_as_fit() -> None:
    head = "Progrès : 5 jours de suite, 75 % justes en 30 jours."
    assert brief(1000) == (
        f"{head}\nMaths 75 % (6 sur 8)\nPhilosophie 100 % (5 sur 5)\nExercices 50 % (1 sur 2)"
    )
    assert brief(75) == f"{head}\nMaths 75 % (6 sur 8)"
    assert brief(10) == head


def test_a_subject_that_is_too_long_is_left_out_and_a_shorter_one_told() -> None:
    assert "Philo" not in brief(98)
    assert brief(98).endswith("\nExercices 50 % (1 sur 2)")


def test_names_are_spelled_as_asked() -> None:
    shown = make_progress(SubjectScore("*x*", 1, 1))
    assert "<*x*>" in summarise_progress("en", shown, lambda _: True, lambda name: f"<{name}>")


def test_who_has_answered_nothing_is_told_how_to_begin() -> None:
    assert "un quiz" in summarise_progress("fr", make_progress(), lambda _: True)
