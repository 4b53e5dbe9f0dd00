"""Finding generators, and drawing items that differ."""

from __future__ import annotations

import pytest

from bot.practice.catalogue import all_generators, draw_items, find_generator, nearest_skills


@pytest.mark.parametrize(
    ("asked", "skill"),
    [
        ("maths.complex-numbers", "maths.complex-numbers"),
        ("complex-numbers", "maths.complex-numbers"),
        ("Complex numbers", "maths.complex-numbers"),
        ("binomial", "maths.binomial-law"),
        ("homophones a", "french.homophones-a"),
        ("english plurals", "english.plurals"),
        ("plurals", "english.plurals"),
    ],
)
def test_generators_are_found_by_words(asked: str, skill: str) -> None:
    found = find_generator(asked)
    assert found is not None
    assert found.skill == skill


@pytest.mark.parametrize("asked", ["", "…", "polynomial", "homophones", "present", "unknown"])
def test_nothing_is_guessed_where_several_or_none_are_meant(asked: str) -> None:
    assert find_generator(asked) is None


def test_every_id_finds_itself() -> None:
    for generator in all_generators():
        assert find_generator(generator.skill) is generator


def test_the_nearest_comes_first() -> None:
    assert nearest_skills("binomial low")[0] == "maths.binomial-law"
    assert nearest_skills("french.imperfekt")[0] == "french.imperfect"
    assert set(nearest_skills("polynomial")) >= {"maths.derivative-polynomial"}
    assert nearest_skills("") == []
    assert nearest_skills("zzzz") == []


def test_drawn_items_differ_while_they_can() -> None:
    generator = find_generator("maths.complex-numbers")
    assert generator is not None
    many = draw_items(generator, 60, seed=4)
    assert len(many) == 60
    assert len({item.statement for item in many}) == 48, "six moduli, eight ways to sign each"
