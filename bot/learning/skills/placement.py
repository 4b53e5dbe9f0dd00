"""Find a pupil's level in a placement of at most ten exercises, each chosen by the answers before.

An account has one placement, which goes on after any pause and in any conversation. A guest's
belongs to the conversation, and goes to the account at login.

The level is a place on the scale of grades (`mastery.py`). The estimate is a chance for each of
`_LEVELS`; each answer is weighed by how likely it is at each of these.
"""

from __future__ import annotations

import math
from collections.abc import Collection
from dataclasses import dataclass, replace
from operator import mul
from random import Random
from typing import Final

import msgspec

from bot.contracts.storage import Row, Transaction
from bot.learning.skills.mastery import (
    SLOPE,
    Learner,
    Noise,
    name_level,
    place_skill,
)
from bot.learning.skills.skill_map import Skill, SkillMap
from bot.practice.grades import GRADES, Grade
from bot.storage.accounts import lock_current_account

PLACED_SUBJECT: Final = "maths"
"""The subject of the exercises: no other has enough of them in each grade."""
MAX_ITEMS: Final = 10
ENOUGH_ANSWERS: Final = 3
"""Answers from which a placement takes the place of the one before."""
_STEPS: Final = 5
"""Levels in one grade."""
_LEVELS: Final = tuple(number / _STEPS for number in range(-_STEPS, _STEPS * len(GRADES) + 1))
_SPREAD: Final = 1.2
"""Standard deviation, in grades, of levels in a class before the first answer."""
_BEHIND: Final = 0.5
_BEHIND_BY: Final = 3.0
"""Some pupils are many grades behind their class: a level so many grades below the usual one is at
least as likely as `_BEHIND` of the usual one, a level at twice the distance as e times less."""
_STEP_DOWN: Final = 1.0
"""Most grades by which an exercise is easier than the easiest before it."""
_SURE: Final = 0.25
"""Standard deviation below which no more is asked."""
_FIRST_GRADE: Final = 0.5
"""The level below which all are of the first grade: once it is sure, no more is asked."""
_HALF: Final = _STEPS // 2
"""Levels in half a grade."""
_GUEST: Final = 0
"""The account id that stands for a guest."""
PLACEMENT_NOISE: Final = Noise(guess=0.15, slip=0.10)
"""For a choice of four with a fifth row « Je ne sais pas », which many pupils choose who do not
know."""


@dataclass(frozen=True, slots=True)
class PlacementAnswer:
    place: float
    """The skill's place on the scale of grades."""
    noise: Noise
    correct: bool


@dataclass(frozen=True, slots=True)
class Placement:
    """A placement that is under way."""

    grade: Grade
    """The class that the pupil chose."""
    seed: int
    """Decides between exercises that are equally useful."""
    asked: tuple[str, ...] = ()
    """Ids of the skills that were asked."""
    answers: tuple[PlacementAnswer, ...] = ()


@dataclass(frozen=True, slots=True)
class PlacementItem:
    """The next exercise: a choice of four of usual difficulty, with a row « Je ne sais pas ».

    That row counts as a wrong answer. Without it one pupil in ten more is placed wrongly.
    """

    skill: Skill
    place: float
    noise: Noise = PLACEMENT_NOISE


@dataclass(frozen=True, slots=True)
class Level:
    place: float
    """The middle of the one-grade-wide range that most likely holds the level."""
    mean: float
    deviation: float
    """Standard deviation of the level."""

    @property
    def grade(self) -> Grade:
        """The grade whose skills are half known at this level."""
        return name_level(self.place)


def answer_placement(placement: Placement, asked: PlacementItem, *, correct: bool) -> Placement:
    """Return the placement with the answer to an exercise."""
    answer = PlacementAnswer(asked.place, asked.noise, correct)
    return replace(
        placement,
        asked=(*placement.asked, asked.skill.id),
        answers=(*placement.answers, answer),
    )


def estimate_level(placement: Placement) -> Level:
    """Return the level by the answers so far; without any, the usual level of the class."""
    usual = Learner(placement.grade).level("")
    chances = [_expect(level - usual) for level in _LEVELS]
    for answer in placement.answers:
        for number, level in enumerate(_LEVELS):
            right = _success(level - answer.place, answer.noise)
            chances[number] *= right if answer.correct else 1 - right
    total = sum(chances)
    mean = sum(map(mul, _LEVELS, chances)) / total
    squares = ((level - mean) ** 2 for level in _LEVELS)
    deviation = math.sqrt(sum(map(mul, squares, chances)) / total)
    widths = (sum(chances[max(0, at - _HALF) : at + _HALF + 1]) for at in range(len(_LEVELS)))
    _, place = max(zip(widths, _LEVELS, strict=True))
    return Level(place, mean, deviation)


def propose_placement_item(
    skills: SkillMap, placement: Placement, practicable: Collection[str]
) -> PlacementItem | None:
    """Return the next exercise, of the skill whose place is nearest to the estimated level; None:
    the placement is over."""
    level = estimate_level(placement)
    is_sure = level.deviation < _SURE or level.mean + 2 * level.deviation < _FIRST_GRADE
    if len(placement.answers) >= MAX_ITEMS or (placement.answers and is_sure):
        return None
    easiest = min((answer.place for answer in placement.answers), default=level.mean)
    wanted = max(level.mean, easiest - _STEP_DOWN)
    random = Random(f"{placement.seed}/{len(placement.answers)}")  # noqa: S311 (not a secret)
    found = [
        (abs(place_skill(skills, skill) - wanted), random.random(), skill)
        for skill in skills.by_id.values()
        if skill.subject == PLACED_SUBJECT
        and skill.id in practicable
        and skill.id not in placement.asked
    ]
    if not found:
        return None
    _, _, skill = min(found, key=lambda each: each[:2])
    return make_placement_item(skills, skill)


def make_placement_item(skills: SkillMap, skill: Skill) -> PlacementItem:
    """Return an exercise of the skill, with its place."""
    return PlacementItem(skill, place_skill(skills, skill))


def _expect(above: float) -> float:
    """Return how likely a level is before the first answer, so many grades above the class's usual
    one, which counts 1."""
    usual = math.exp(-((above / _SPREAD) ** 2) / 2)
    return usual if above >= 0 else max(usual, _BEHIND * math.exp(above / _BEHIND_BY))


def _success(above: float, noise: Noise) -> float:
    """Return the chance of a right answer to an exercise so many grades below the level."""
    known = 1 / (1 + math.exp(-SLOPE * above))
    return noise.guess + (1 - noise.slip - noise.guess) * known


async def save_placement(
    tx: Transaction, account: int, placement: Placement, exercise: str, *, lane: str = ""
) -> None:
    """Keep the progress of a placement, in place of the account's earlier one.

    Args:
        account: 0 for a guest, whose placement belongs to the conversation `lane`; this holds for
            all functions here.
        exercise: id of the exercise that waits for an answer; empty: the placement is over.
    """
    answered = list(zip(placement.asked, placement.answers, strict=True))
    await tx.execute(
        _SAVE,
        account=account,
        lane=_lane_of(account, lane),
        grade=placement.grade,
        seed=placement.seed,
        answers=msgspec.json.encode(answered).decode(),
        exercise=exercise,
    )


async def find_placement(
    tx: Transaction, account: int, exercise: str = "", *, lane: str = ""
) -> Placement | None:
    """Return the account's placement that is under way, and lock the account until the transaction
    ends.

    Args:
        exercise: return it only if this exercise waits for an answer; empty: any.

    Raises:
        ToolFailed: the account's person was erased.
    """
    holder = await lock_current_account(tx, account)
    row = await tx.fetch_one(_RUNNING, account=holder, lane=_lane_of(holder, lane))
    if row is None or exercise not in ("", row["exercise"]):
        return None
    return _read_row(row)


async def find_guest_grade(tx: Transaction, lane: str) -> Grade | None:
    """Return the grade of the level that a guest's placement found in a conversation; the class
    that they chose while there are no answers; None: they chose none."""
    placement = await _find_last_of_guest(tx, lane)
    if placement is None:
        return None
    return estimate_level(placement).grade if placement.answers else placement.grade


async def find_chosen_grade(tx: Transaction, lane: str) -> Grade | None:
    """Return the class that a guest chose in a conversation; None: they chose none."""
    placement = await _find_last_of_guest(tx, lane)
    return placement.grade if placement else None


async def _find_last_of_guest(tx: Transaction, lane: str) -> Placement | None:
    """Return the guest's last placement; while it has too few answers, with those before it."""
    row = await tx.fetch_one(_LAST, account=_GUEST, lane=lane)
    if row is None:
        return None
    placement = _read_row(row)
    if row["exercise"] and len(placement.answers) < ENOUGH_ANSWERS:
        return _read_row({**row, "answers": row["former"]})
    return placement


async def list_placed_skills(tx: Transaction, account: int) -> dict[str, bool]:
    """Return whether the answer was right for each skill, by id, that the account's last placement
    asked about; while that placement is under way also for those of the one before."""
    row = await tx.fetch_one(
        "SELECT answers, former FROM placement WHERE account = :id AND lane = ''", id=account
    )
    return _read_skills(row) if row is not None else {}


async def list_placed_accounts(
    tx: Transaction, after: int, limit: int
) -> dict[int, dict[str, bool]]:
    """Return, for the next accounts with an id greater than `after` that had a placement, what
    `list_placed_skills` gives."""
    rows = await tx.fetch(_PLACED, after=after, limit=limit)
    return {row["account"]: _read_skills(row) for row in rows}


def _read_skills(row: Row) -> dict[str, bool]:
    answered = (*_decode_answers(row["former"]), *_decode_answers(row["answers"]))
    return {skill: answer.correct for skill, answer in answered}


async def return_to_former(tx: Transaction, account: int, *, lane: str = "") -> bool:
    """End the account's placement and go back to the one before; return whether there was one.

    If there was none, nothing changes.
    """
    return bool(await tx.execute(_RETURN, account=account, lane=_lane_of(account, lane)))


async def forget_former(tx: Transaction, account: int, *, lane: str = "") -> None:
    """Forget the placement before, as the account's last one is over."""
    await tx.execute(_FORGET, account=account, lane=_lane_of(account, lane))


async def adopt_placement(tx: Transaction, account: int, into: int) -> None:
    """Give the placement of one account to another, unless that one has its own."""
    await _adopt(tx, account, "", into)


async def adopt_placement_from_guest(tx: Transaction, lane: str, into: int) -> Placement | None:
    """Give the placement of a conversation's guest to an account, in the same way.

    Returns:
        The placement that the account now has from the guest, with the answers of the last one that
        is over or has enough of them: none while the first has fewer. None: it has none from them.
    """
    placed = await _find_last_of_guest(tx, lane)
    return placed if await _adopt(tx, _GUEST, lane, into) else None


async def _adopt(tx: Transaction, account: int, lane: str, into: int) -> bool:
    """Move a placement to an account that has none with answers; return whether it was moved."""
    is_moved = await tx.execute(_ADOPT, account=account, lane=lane, into=into)
    await tx.execute(
        "DELETE FROM placement WHERE account = :account AND lane = :lane",
        account=account,
        lane=lane,
    )
    return bool(is_moved)


def _lane_of(account: int, lane: str) -> str:
    return lane if account == _GUEST else ""


def _read_row(row: Row) -> Placement:
    answered = _decode_answers(row["answers"])
    return Placement(
        row["grade"],
        row["seed"],
        tuple(skill for skill, _ in answered),
        tuple(answer for _, answer in answered),
    )


def _decode_answers(text: str) -> list[tuple[str, PlacementAnswer]]:
    return msgspec.json.decode(text, type=list[tuple[str, PlacementAnswer]])


_SAVE = """
INSERT INTO placement (account, lane, grade, seed, answers, exercise, begun_at)
VALUES (:account, :lane, :grade, :seed, :answers, :exercise, {now})
ON CONFLICT (account, lane) DO UPDATE SET grade = excluded.grade, seed = excluded.seed,
    answers = excluded.answers, exercise = excluded.exercise,
    former = CASE WHEN placement.seed = excluded.seed OR placement.exercise <> ''
        THEN placement.former ELSE placement.answers END,
    begun_at = CASE WHEN placement.seed = excluded.seed THEN placement.begun_at ELSE {now} END
"""

_RUNNING = """
SELECT grade, seed, answers, exercise FROM placement
WHERE account = :account AND lane = :lane AND exercise <> '' {for_update}
"""

_LAST = """
SELECT grade, seed, answers, former, exercise FROM placement
WHERE account = :account AND lane = :lane
"""

_FORGET = """
UPDATE placement SET former = '[]' WHERE account = :account AND lane = :lane
"""

_PLACED = """
SELECT account, answers, former FROM placement WHERE account > :after
ORDER BY account LIMIT :limit
"""

_RETURN = """
UPDATE placement SET answers = former, exercise = ''
WHERE account = :account AND lane = :lane AND former <> '[]'
"""

_ADOPT = """
INSERT INTO placement (account, lane, grade, seed, answers, former, exercise, begun_at)
SELECT CAST(:into AS BIGINT), '', grade, seed, answers, former, exercise, begun_at
FROM placement WHERE account = :account AND lane = :lane
ON CONFLICT (account, lane) DO UPDATE SET grade = excluded.grade, seed = excluded.seed,
    answers = excluded.answers, former = excluded.former, exercise = excluded.exercise,
    begun_at = excluded.begun_at
WHERE placement.answers = '[]' AND placement.former = '[]' AND placement.exercise = ''
"""
