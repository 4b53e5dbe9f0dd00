"""What `bench/learning.py` shows at full size holds at a small one, too."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from bench.learning import (
    DAYS,
    SEED,
    USUAL_DAYS,
    draw_recall,
    simulate_memories,
    simulate_pupils,
)


def test_fsrs_keeps_more_than_the_ladder_with_no_more_reviews() -> None:
    ladder = simulate_memories("ladder", USUAL_DAYS, 12, SEED)
    fsrs = simulate_memories("fsrs", USUAL_DAYS, 12, SEED)

    assert fsrs.reviews <= ladder.reviews
    assert fsrs.by_day[DAYS] >= 1.05 * ladder.by_day[DAYS]
    assert ladder == simulate_memories("ladder", USUAL_DAYS, 12, SEED)


def test_pupils_are_placed_predicted_and_kept_going() -> None:
    outcome = simulate_pupils(60, SEED)

    assert outcome.placed >= 0.75
    assert outcome.auc >= 0.70
    assert outcome.least_success >= 0.5
    assert 0.7 <= outcome.first_tries <= 0.9


def test_the_plot_is_a_picture_of_both_curves() -> None:
    curve = [1 - 0.02 * day for day in range(DAYS + 1)]
    picture = ET.fromstring(draw_recall(curve, curve))

    assert len(picture.findall("{http://www.w3.org/2000/svg}polyline")) == 2
