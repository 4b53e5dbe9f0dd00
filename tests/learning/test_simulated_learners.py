"""What `bench/learning.py` shows at full size holds at a small one, too."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from bench.learning import (
    DAYS,
    SEED,
    USUAL_DAYS,
    draw_recall,
    measure,
    simulate_memories,
    simulate_pupils,
)
from bench.results import Result, table


def test_fsrs_keeps_more_than_the_ladder_with_no_more_reviews() -> None:
    ladder = simulate_memories("ladder", USUAL_DAYS, 12, SEED)
    fsrs = simulate_memories("fsrs", USUAL_DAYS, 12, SEED)

    assert fsrs.reviews <= ladder.reviews
    assert fsrs.by_day[DAYS] >= 1.05 * ladder.by_day[DAYS]
    assert ladder == simulate_memories("ladder", USUAL_DAYS, 12, SEED)


def test_pupils_are_placed_predicted_and_kept_going() -> None:
    outcome = simulate_pupils(200, SEED)

    assert outcome.placed >= 0.80
    assert outcome.auc >= 0.70
    assert outcome.least_success >= 0.5
    assert 0.7 <= outcome.first_tries <= 0.9


def test_the_plot_is_a_picture_of_both_curves() -> None:
    curve = [1 - 0.02 * day for day in range(DAYS + 1)]
    picture = ET.fromstring(draw_recall(curve, curve))

    assert len(picture.findall("{http://www.w3.org/2000/svg}polyline")) == 2


@pytest.mark.parametrize(
    ("share", "margin", "verdict"),
    [
        (75.0, 11.2, "sample too small to judge (± 11.2)"),
        (85.0, 9.2, "sample too small to judge (± 9.2)"),
        (75.0, 2.2, "MISSED"),
        (85.0, 1.8, "met"),
    ],
)
def test_a_share_of_few_pupils_is_not_judged(share: float, margin: float, verdict: str) -> None:
    result = Result("learning.placed_within_half_a_grade", share, "%", margin)
    assert table([result]).endswith(verdict)


def test_a_quick_run_knows_its_margin() -> None:
    measured = {each.name: each for each in measure(quick=True)}
    assert measured["learning.placed_within_half_a_grade"].margin > 5
