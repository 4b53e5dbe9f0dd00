"""The picture of progress: small, sharp, and of whatever names there are."""

from __future__ import annotations

import asyncio
import io
from collections.abc import AsyncIterator
from datetime import date, timedelta

import pytest
from PIL import Image

from bot.documents.document_request import Chart
from bot.documents.typesetter import Typesetter
from bot.gateway.commands.progress import MOST_SUBJECTS, name_on_chart, to_chart
from bot.learning.progress import DAYS, Day, Progress, SubjectScore, make_overview
from bot.learning.skills.skill_progress import SkillLine, SkillOverview

TODAY = date(2026, 11, 21)
RIGHT, WRONG = (0x1D, 0x6B, 0x46), (0xE0, 0xA0, 0x30)
HOSTILE = '#eval("1") $x$ *b* \\ "] /* // @a <b> '
NAMES = (
    "maths",
    "une matière au nom aussi long que possible",
    "العربية",
    "数学",
    "𞤆𞤵𞤤𞤢𞤪",
    "🔥",
    HOSTILE,
    '"); panic("',
    "x" * 200,
)


def chart(
    *subjects: SubjectScore,
    name: str = "Awa",
    language: str = "fr",
    day: tuple[int, int] = (4, 3),
    skill: str = "",
) -> Chart:
    days = tuple(Day(TODAY - timedelta(days=ago), *day) for ago in reversed(range(DAYS)))
    progress = Progress(30, days, subjects)
    lines = (SkillLine("maths.a", skill, "3e", "learning", "en cours", 60),) if skill else ()
    overview = make_overview(language, progress, name, most=MOST_SUBJECTS)
    return to_chart(overview, SkillOverview(lines, "1 en cours", "", ()))


@pytest.fixture(scope="module")
def drawn() -> dict[str, bytes]:
    """Pictures by what is on them, made by one child."""

    async def draw() -> dict[str, bytes]:
        typesetter = Typesetter()
        try:
            return {name: await typesetter.chart(each) or b"" for name, each in CHARTS.items()}
        finally:
            await typesetter.close()

    return asyncio.run(draw())


def _many() -> list[SubjectScore]:
    return [SubjectScore(f"matière numéro {n}", 50 - n, n) for n in range(20)]


CHARTS = {
    "one": chart(SubjectScore("maths", 8, 6)),
    "two": chart(SubjectScore("maths", 8, 6), SubjectScore("french", 8, 6)),
    "none right": chart(SubjectScore("maths", 8, 0), day=(4, 0)),
    "all right": chart(SubjectScore("maths", 8, 8), day=(4, 4)),
    "nothing": chart(day=(0, 0)),
    "hostile": chart(*(SubjectScore(name, 9, 5) for name in NAMES), name=HOSTILE),
    "many": chart(*_many(), day=(3000, 1500)),
    "long name": chart(SubjectScore("maths", 10_000, 9_999), name="Bartholomew" * 20),
    "short skill": chart(SubjectScore("maths", 8, 6), skill="Fractions"),
    "long skill": chart(
        SubjectScore("maths", 8, 6),
        skill="Développer et factoriser une expression littérale par les identités remarquables",
    ),
    "english": chart(SubjectScore("maths", 8, 6), language="en"),
}


def open_picture(picture: bytes) -> Image.Image:
    return Image.open(io.BytesIO(picture))


@pytest.mark.parametrize("name", list(CHARTS))
def test_a_chart_is_a_picture_for_a_phone(drawn: dict[str, bytes], name: str) -> None:
    picture = open_picture(drawn[name])
    assert (picture.format, picture.width) == ("PNG", 900)
    assert 500 <= picture.height <= 2000
    assert len(drawn[name]) <= 60_000


def near(picture: bytes, colour: tuple[int, int, int]) -> int:
    """How many pixels have about this colour."""
    shown = open_picture(picture).convert("RGB")
    pixels = shown.getcolors(shown.width * shown.height) or []
    return sum(
        count
        for count, pixel in pixels
        if isinstance(pixel, tuple)
        and all(abs(a - b) < 12 for a, b in zip(pixel, colour, strict=True))
    )


def test_right_and_wrong_have_their_colours(drawn: dict[str, bytes]) -> None:
    assert near(drawn["one"], RIGHT) > 2 * near(drawn["one"], WRONG) > 10_000
    assert near(drawn["none right"], RIGHT) < 2_000 < near(drawn["none right"], WRONG)
    assert near(drawn["all right"], WRONG) < 2_000 < near(drawn["all right"], RIGHT)


def test_each_subject_makes_it_taller(drawn: dict[str, bytes]) -> None:
    assert open_picture(drawn["two"]).height > open_picture(drawn["one"]).height + 50


def test_a_name_that_is_too_long_for_a_line_takes_two(drawn: dict[str, bytes]) -> None:
    lines = [open_picture(drawn[name]).height for name in ("short skill", "long skill")]
    assert lines[1] > lines[0] + 20


def test_subjects_without_letters_to_show_them_are_named_by_their_place() -> None:
    names = [row.name for row in CHARTS["hostile"].subjects]
    assert names[2] == "العربية"
    assert names[3:6] == ["Matière 4", "Matière 5", "Matière 6"]
    assert names[6].startswith('#eval("1") $x$ *b*')


@pytest.mark.parametrize(
    ("name", "shown"),
    [("Awa Koné", "Awa"), ("🔥 Awa", "Awa"), ("数学", ""), ("", ""), ("A\u202ewa", "Awa")],
)
def test_a_name_is_shown_as_far_as_it_can_be(name: str, shown: str) -> None:
    assert name_on_chart(name) == shown


@pytest.fixture
async def typesetter() -> AsyncIterator[Typesetter]:
    typesetter = Typesetter()
    yield typesetter
    await typesetter.close()


async def test_charts_and_formulas_come_from_the_same_child(
    typesetter: Typesetter, drawn: dict[str, bytes]
) -> None:
    formula = await typesetter.picture([r"\frac{a}{b}"])
    child = typesetter._child
    assert await typesetter.chart(CHARTS["one"]) == drawn["one"]
    assert await typesetter.picture([r"\frac{a}{b}"]) == formula
    assert typesetter._child is child
