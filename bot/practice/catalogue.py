"""Find the generator of a skill, and draw several different items from one."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from random import Random
from typing import Final

from bot.practice.generator import GENERATORS, Generator, Item

_FOLDER: Final = Path(__file__).parent
for _texts in sorted(_FOLDER.glob("*.toml")):  # a module of generators has its texts beside it
    if _texts.with_suffix(".py").exists():
        import_module(f"bot.practice.{_texts.stem}")

_ATTEMPTS: Final = 50
"""Seeds that are tried for a new item before an item may be repeated."""


def all_generators() -> list[Generator]:
    """Return every generator, in order of registration."""
    return list(GENERATORS.values())


def find_generator(skill: str) -> Generator | None:
    """Return the generator of the skill with this id; None: there is none.

    `bot.learning.skills.skill_matching` finds skills by names and words.
    """
    return GENERATORS.get(skill)


def draw_items(
    generator: Generator, count: int, *, seed: int, difficulty: int = 2, language: str = "fr"
) -> list[Item]:
    """Draw items whose statements differ, as far as the generator has enough of them.

    The same seed gives the same items; in another language they have the same numbers.
    """
    random = Random(seed)  # noqa: S311 (not a secret)
    asked: set[str] = set()
    made: list[Item] = []
    for _ in range(count):
        for attempt in range(_ATTEMPTS):
            chosen = random.getrandbits(32)
            french, english = (
                generator.make(chosen, difficulty=difficulty, language=each)
                for each in ("fr", "en")
            )
            is_new = french.statement not in asked and english.statement not in asked
            if is_new or attempt == _ATTEMPTS - 1:
                asked |= {french.statement, english.statement}
                made.append(french if language == "fr" else english)
                break
    return made
