"""All generators, found by the name or id of their skill."""

from __future__ import annotations

from bot.practice import arithmetic
from bot.practice.generator import GENERATORS, Generator

MODULES = (arithmetic,)
"""The modules that register generators."""


def all_generators() -> list[Generator]:
    """Every generator, in order of registration."""
    return list(GENERATORS.values())


def find_generator(skill: str) -> Generator | None:
    """The generator of the skill with this id; None: nobody wrote one."""
    return GENERATORS.get(skill)
