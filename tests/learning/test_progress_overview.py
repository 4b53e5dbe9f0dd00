from __future__ import annotations

from bot.learning.progress import (
    Headline,
    Overview,
    Progress,
    SubjectScore,
    first_name,
    make_overview,
)
from tests.support.progress import make_progress


def show(shown: Progress, language: str = "fr", name: str = "", most: int = 3) -> Overview:
    return make_overview(language, shown, name, most=most)


def test_a_streak_comes_first_then_what_was_right_lately() -> None:
    one = show(make_progress(SubjectScore("maths", 9, 1), streak=1, today=(3, 2)))
    assert one.headlines == (
        Headline("1", "jour de suite"),
        Headline("67\u00a0%", "justes en 30 jours"),
    )
    many = show(make_progress(SubjectScore("maths", 9, 1), streak=12, today=(3, 2)), "en")
    assert many.headlines == (Headline("12", "days in a row"), Headline("67%", "right in 30 days"))
    assert (many.most, many.silence) == ("3 exercises", "")


def test_after_a_pause_everything_counts() -> None:
    old = show(make_progress(SubjectScore("maths", 8, 6), SubjectScore("french", 2, 2)))
    assert old.headlines == (
        Headline("10", "exercices en tout"),
        Headline("80\u00a0%", "justes en tout"),
    )
    assert old.silence == "Rien ces 30 derniers jours."


def test_who_has_answered_nothing_has_no_share() -> None:
    assert show(make_progress()).headlines[1].number == "–"
    assert show(make_progress()).subjects == ()


def test_subjects_beyond_the_most_are_told_in_one_line() -> None:
    scores = [SubjectScore(f"atelier {n}", 10, n) for n in range(5)]
    lines = show(make_progress(*scores)).subjects
    assert [line.name for line in lines] == [
        "Atelier 0",
        "Atelier 1",
        "Atelier 2",
        "Autres matières",
    ]
    assert (lines[-1].answered, lines[-1].correct) == (20, 7)
    assert (lines[-1].count, lines[-1].percent, lines[-1].share) == ("7 sur 20", "35\u00a0%", 35)
    assert len(show(make_progress(*scores), most=5).subjects) == 5


def test_the_title_names_the_person_if_there_is_a_name() -> None:
    assert show(make_progress()).title == "Tes progrès"
    assert show(make_progress(), name="Awa").title == "Awa, tes progrès"
    assert show(make_progress(), "en", "{Awa}").title == "Your progress, {Awa}"
    assert first_name("Awa Marie Koné") == "Awa"
