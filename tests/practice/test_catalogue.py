"""Finding generators, and drawing items that differ."""

from __future__ import annotations

import pytest

from bot.practice.catalogue import all_generators, draw_items, find_generator


@pytest.mark.parametrize("asked", ["", "unknown", "complex-numbers", "maths.complex", "maths"])
def test_only_an_id_finds_a_generator(asked: str) -> None:
    assert find_generator(asked) is None


def test_every_id_finds_itself() -> None:
    for generator in all_generators():
        assert find_generator(generator.skill) is generator


def test_drawn_items_differ_while_they_can() -> None:
    generator = find_generator("maths.complex-numbers")
    assert generator is not None
    many = draw_items(generator, 60, seed=4)
    assert len(many) == 60
    assert len({item.statement for item in many}) == 48, "six moduli, eight ways to sign each"
