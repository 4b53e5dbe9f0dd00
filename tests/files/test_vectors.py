from __future__ import annotations

import math
import random

import pytest

from bot.files.embeddings import find_nearest, pack_vector


def vectors(count: int, size: int, seed: int) -> list[list[float]]:
    """Vectors around a few topics, as those of texts are."""
    chance = random.Random(seed)
    topics = [[chance.gauss(0, 1) for _ in range(size)] for _ in range(10)]
    return [
        [number + chance.gauss(0, 0.7) for number in chance.choice(topics)] for _ in range(count)
    ]


def cosine(one: list[float], other: list[float]) -> float:
    dot = sum(a * b for a, b in zip(one, other, strict=True))
    return dot / math.hypot(*one) / math.hypot(*other)


@pytest.mark.parametrize("size", [3, 20, 64, 256])
def test_the_nearest_are_nearly_those_by_the_whole_vectors(size: int) -> None:
    kept = vectors(600, size, seed=size)
    asked = vectors(1, size, seed=size)[0]
    packed = [(key, pack_vector(vector)) for key, vector in enumerate(kept)]
    found = find_nearest(pack_vector(asked), packed, 20)
    truly = sorted(range(600), key=lambda key: -cosine(asked, kept[key]))
    assert len(set(found) & set(truly[:20])) >= 16
    assert found[0] in truly[:3]


def test_the_best_comes_first_whatever_its_length() -> None:
    kept = [
        (1, pack_vector([1.0, 0.2, 0.0])),
        (2, pack_vector([-5.0, 0.0, 0.0])),
        (3, pack_vector([0.001, 0.0, 0.0])),
    ]
    assert find_nearest(pack_vector([9.0, 0.0, 0.0]), kept, 3) == [3, 1, 2]
    assert find_nearest(pack_vector([9.0, 0.0, 0.0]), kept, 1) == [3]


def test_vectors_of_another_model_are_left_out() -> None:
    kept = [(1, pack_vector([1.0] * 8)), (2, pack_vector([1.0] * 16))]
    assert find_nearest(pack_vector([1.0] * 16), kept, 5) == [2]
    assert find_nearest(pack_vector([1.0] * 24), kept, 5) == []


def test_a_vector_of_nothing_is_near_to_nothing_and_breaks_nothing() -> None:
    kept = [(1, pack_vector([0.0] * 8)), (2, pack_vector([1.0] * 8))]
    assert find_nearest(pack_vector([1.0] * 8), kept, 2) == [2, 1]
    assert len(find_nearest(pack_vector([0.0] * 8), kept, 2)) == 2


def test_a_number_takes_a_byte_and_a_bit() -> None:
    assert len(pack_vector([0.5] * 256)) == 256 + 32
