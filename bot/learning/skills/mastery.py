"""Estimate how well a pupil masters each skill, from all answers, and choose what to practise next.

Bayesian knowledge tracing (Corbett & Anderson 1995): a skill is known or not; `p` is the chance
that it is. An answer, at the first try and without a hint, is evidence, weaker where guessing is
easy; and each exercise may teach the skill.

The chance for a skill without an answer comes from the pupil's level in the subject and from the
skill's prerequisites. A level is a place on the scale of grades: at 4.0 half of the skills of CM2
(rank 4) are known, nearly all of CM1 and hardly any of 6e. The placement finds it; each answer
moves it a little, as in the rating of chess players (Pelánek 2016).
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Final, Literal

from bot.learning.skills.skill_map import Skill, SkillMap
from bot.practice.generator import LEVELS
from bot.practice.grades import GRADES, RANKS, Grade

State = Literal["new", "learning", "mastered"]
MASTERED: Final = 0.95
READY: Final = 0.6
"""The chance from which a prerequisite counts as known well enough to practise a skill."""
TRANSITION: Final = 0.15
"""The chance that an exercise, with its hints and worked steps, teaches an unknown skill."""
SLOPE: Final = 2.2
"""Slope of the logistic curve of known skills: 10 % one grade above the level, 90 % below."""
WANTED: Final = (0.70, 0.85)
"""Least and most predicted success of a proposed exercise."""
USUAL_OPTIONS: Final = 4
LEVEL_STEP: Final = 0.3
"""Grades by which a wholly surprising answer moves a level that is well known."""
_FIRST_STEP: Final = 1.6
"""The same for the first answer in a subject, in which only the class is known."""
_SPREAD_OF_CLASS: Final = 1.5
"""Standard deviation, in grades, of the levels of a class."""
_LEAST, _MOST = 0.001, 0.999
_FIRST = (0.015, 0.985)
"""Bounds of the chance for a skill without an answer."""
_BELOW: Final = 0.5
"""Grades by which the usual pupil's level is below the class, whose year is not over."""
_LATER: Final = (-0.1, 0.2, 0.4)
"""By depth within the grade: grades by which a skill is learnt after the grade's middle."""
_LESSON: Final = 1.0
"""Log odds that are added for a new skill if all its prerequisites are mastered."""
_REACH: Final = 4
"""Grades below the level from which exercises are still chosen."""


@dataclass(frozen=True, slots=True)
class Noise:
    """The chances with which an answer misleads about the skill."""

    guess: float
    """The chance of a right answer without the skill."""
    slip: float
    """The chance of a wrong answer with the skill."""


_TYPED: Final[Mapping[str, Noise]] = {
    "number": Noise(0.10, 0.10),
    "expression": Noise(0.05, 0.15),
    "set": Noise(0.05, 0.15),
    "text": Noise(0.10, 0.15),
}
_SLIPS: Final = (0.5, 1.0, 1.8)
"""By difficulty: the factor by which a pupil with the skill slips more often than usual."""
_HALF_KNOWN: Final = (0.2, 0.0, 0.0)
"""By difficulty: the chance to succeed without the skill and without guessing."""
_EXAMPLE: Final = 0.25
"""The chance that a worked example adds to `_HALF_KNOWN`."""
EXAMPLE_BELOW: Final = 0.6
"""Predicted success below which a worked example comes first."""


def item_noise(
    kind: str, *, options: int = USUAL_OPTIONS, difficulty: int = 2, example: bool = False
) -> Noise:
    """Return the chances of a guess and a slip in an exercise.

    Args:
        kind: choice, number, expression, set or text; any other counts as a number.
        options: the number of options of a choice.
        difficulty: one of `LEVELS`.
        example: a worked example was shown first.
    """
    usual = _TYPED.get(kind, _TYPED["number"])
    if kind == "choice":
        usual = Noise(1 / max(2, options), 0.10)
    half_known = _HALF_KNOWN[difficulty - 1] + (_EXAMPLE if example else 0.0)
    guess = usual.guess + (1 - usual.guess) * half_known
    return Noise(guess, usual.slip * _SLIPS[difficulty - 1])


def predict_success(p: float, noise: Noise) -> float:
    """Return the chance of a right answer from a pupil who knows the skill with chance `p`."""
    return p * (1 - noise.slip) + (1 - p) * noise.guess


def weigh_answer(p: float, noise: Noise, *, correct: bool) -> float:
    """Return the chance that the skill was known when it was answered so; `p` is the chance before.

    Args:
        correct: at the first try, without a hint.
    """
    known = p * (1 - noise.slip if correct else noise.slip)
    unknown = (1 - p) * (noise.guess if correct else 1 - noise.guess)
    return known / (known + unknown)


def update_mastery(p: float, noise: Noise, *, correct: bool) -> float:
    """Return the chance that the skill is known after an answer, which may have taught it; the
    arguments are those of `weigh_answer`."""
    after = weigh_answer(p, noise, correct=correct)
    return min(_MOST, max(_LEAST, after + (1 - after) * TRANSITION))


def adjust_level(
    level: float, success: float, *, correct: bool, answers: int = 0, evidence: int | None = None
) -> float:
    """Return the level after an answer whose predicted chance to be right was `success`.

    Args:
        answers: how many answers on the same skill came before. The level moves less after them:
            else a pupil who slips more often than usual would lose a little of the level with each
            answer.
        evidence: the number of answers on which the level rests; None: it is well known.
    """
    step = LEVEL_STEP
    if evidence is not None:
        step = max(step, _FIRST_STEP / (1 + evidence / 2))
    step /= (1 + answers) ** 2
    return min(len(GRADES), max(-1.0, level + step * (correct - success)))


def name_level(place: float) -> Grade:
    """Return the grade whose skills are half known at this level."""
    return GRADES[min(len(GRADES) - 1, max(0, round(place)))]


def name_state(p: float, answers: int) -> State:
    """Return a skill's state; without answers, also after a placement, it is new."""
    if not answers:
        return "new"
    return "mastered" if p >= MASTERED else "learning"


@dataclass(frozen=True, slots=True)
class Learner:
    """The class, mastery and levels of a pupil."""

    grade: Grade
    mastery: Mapping[str, float] = field(default_factory=dict[str, float])
    """The chance of each answered skill; ids that the map no longer has are ignored."""
    levels: Mapping[str, float] = field(default_factory=dict[str, float])
    """The level by subject; a subject without one has half a grade below the pupil's class."""
    evidence: Mapping[str, int] = field(default_factory=dict[str, int])
    """The numbers of answers on which the levels rest; one without is well known."""
    placed: Collection[str] = ()
    """Subjects of the placement, which are proposed before others."""

    @property
    def first_subjects(self) -> Collection[str]:
        """The subjects proposed before others: of a pupil about whom nothing is known, maths."""
        return self.placed or (() if self.mastery else ("maths",))

    def level(self, subject: str) -> float:
        return self.levels.get(subject, RANKS[self.grade] - _BELOW)

    def slope(self, subject: str) -> float:
        """Return the slope of the chances of skills over their grade: the flatter, the less is
        known of the level. The logistic curve is averaged over a normal distribution of levels
        (MacKay 1992, https://doi.org/10.1162/neco.1992.4.5.720)."""
        known = self.evidence.get(subject) if subject in self.levels else 0
        if known is None:
            return SLOPE
        variance = _SPREAD_OF_CLASS**2 / (1 + 2 * known)
        return SLOPE / math.sqrt(1 + math.pi / 8 * variance * SLOPE**2)


def place_skill(skills: SkillMap, skill: Skill) -> float:
    """Return the level at which half of the pupils know the skill."""
    return skill.rank + _LATER[min(skills.depth[skill.id], len(_LATER) - 1)]


def estimate_mastery(skills: SkillMap, learner: Learner, skill: Skill) -> float:
    """Return the chance that the pupil knows the skill: from answers, else from level and
    prerequisites.

    A skill without an answer is never expected to be known better than a prerequisite with one.
    """
    answered = learner.mastery.get(skill.id)
    if answered is not None:
        return answered
    above = learner.level(skill.subject) - place_skill(skills, skill)
    odds = learner.slope(skill.subject) * above
    before = [learner.mastery[each] for each in skill.prerequisites if each in learner.mastery]
    weakest = min(before, default=1.0)
    if before and len(before) == len(skill.prerequisites) and weakest >= MASTERED:
        odds += _LESSON
    least, most = _FIRST
    return max(least, min(most, weakest, 1 / (1 + math.exp(-odds))))


@dataclass(frozen=True, slots=True)
class Proposal:
    """An exercise to give next, as a choice of `USUAL_OPTIONS`."""

    skill: Skill
    difficulty: int
    success: float
    """The predicted chance of a right answer at the first try."""
    example: bool = False
    """Show the worked steps of another exercise of the skill first: even the easiest is hard."""


def propose_exercise(
    skills: SkillMap,
    learner: Learner,
    practicable: Collection[str],
    *,
    recent: Sequence[bool] = (),
    avoid: Collection[str] = (),
) -> Proposal | None:
    """Return the exercise to practise next, with an expected success of 70 to 85 %; prerequisites
    come first.

    The subject of a placement comes before others. After misses in the running series easier
    exercises are chosen, so that the series ends well.

    Args:
        practicable: ids of skills that have exercises.
        recent: results of the running series at the first try.
        avoid: skills not to choose if there are others: the last two, if they went well; a series
            that is too hard leaves a skill only after it went well twice in a row.

    Returns:
        None if no skill up to the pupil's grade or level has exercises.
    """
    found = _find_teachable(skills, learner, practicable)
    least, _ = wanted_success(recent)
    avoided = {each for each in avoid if not is_hard(recent) or [*avoid].count(each) > 1}
    fresh = [skill for skill in found if skill.id not in avoided] or found
    first = [skill for skill in found if skill.subject in learner.first_subjects]
    is_done = not any(_is_to_learn(skills, learner, skill) for skill in first)
    placed = [skill for skill in fresh if skill in first] or first
    proposals = _rank_proposals(skills, learner, fresh if is_done else placed, recent)
    if not proposals:
        return None
    ready = (each for each in proposals if _is_ready(skills, learner, each.skill))
    best = next(ready, proposals[0])
    enough = least if is_hard(recent) else EXAMPLE_BELOW
    return _add_example(best, skills, learner) if best.success < enough else best


def fit_exercise(skills: SkillMap, learner: Learner, skill: Skill) -> Proposal:
    """Return an exercise of this skill at the difficulty that fits best."""
    [proposal] = _rank_proposals(skills, learner, [skill], ())
    return _add_example(proposal, skills, learner) if proposal.success < EXAMPLE_BELOW else proposal


def propose_skills(
    skills: SkillMap,
    learner: Learner,
    *,
    practicable: Collection[str] = (),
    limit: int = 3,
) -> list[Skill]:
    """Return at most `limit` skills to learn next, the best first: none that is mastered, and none
    with a prerequisite not known well enough, unless all have one.

    Args:
        practicable: ids of skills that have exercises; if none of these is left to learn, others
            are proposed.
    """
    for allowed in (practicable, skills.by_id):
        found = _find_teachable(skills, learner, allowed)
        unknown = [skill for skill in found if _is_to_learn(skills, learner, skill)]
        following = _order_skills(skills, learner, unknown)
        if following:
            return following[:limit]
    return []


def _order_skills(skills: SkillMap, learner: Learner, unknown: Sequence[Skill]) -> list[Skill]:
    """Return the skills to learn in order: those of the placement's subject, ready ones alone if
    there are any, then ready ones of other subjects; if all that leaves none, every skill."""
    ranked = [each.skill for each in _rank_proposals(skills, learner, unknown, ())]
    ready = [skill for skill in ranked if _is_ready(skills, learner, skill)]
    placed, ready_placed = (
        [skill for skill in some if skill.subject in learner.first_subjects]
        for some in (ranked, ready)
    )
    others = [skill for skill in ready if skill.subject not in learner.first_subjects]
    return [*(ready_placed or placed), *others] or ranked


def _find_teachable(skills: SkillMap, learner: Learner, allowed: Collection[str]) -> list[Skill]:
    """Return skills up to the pupil's grade or level, without those far below the level if
    possible; if all these are mastered, those of the next grades until one is left to learn.

    Args:
        allowed: ids of the skills to choose from.
    """
    own = [skill for skill in skills.by_id.values() if skill.id in allowed]
    unknown = {(skill.subject, skill.rank) for skill in own if _is_to_learn(skills, learner, skill)}
    highest = {skill.subject: _highest_rank(learner, skill.subject, unknown) for skill in own}
    found: list[Skill] = []
    for further in range(len(GRADES)):
        found = [skill for skill in own if skill.rank <= highest[skill.subject] + further]
        near = [skill for skill in found if skill.rank >= learner.level(skill.subject) - _REACH]
        found = near or found
        if not found or any(_is_to_learn(skills, learner, skill) for skill in found):
            break
    return found


def _highest_rank(learner: Learner, subject: str, unknown: Collection[tuple[str, int]]) -> int:
    """Return the rank of the highest grade to propose: the class; up to a level above it, the first
    grade with something to learn.

    Args:
        unknown: subjects and ranks in which a skill is left to learn.
    """
    own = RANKS[learner.grade]
    above = range(own, RANKS[name_level(learner.level(subject))])
    return next((rank for rank in above if (subject, rank) in unknown), max(own, above.stop))


def _is_to_learn(skills: SkillMap, learner: Learner, skill: Skill) -> bool:
    """Return whether a skill is not mastered; one of the pupil's class is only by its own answers,
    as the class is what they are examined in."""
    if skill.rank == RANKS[learner.grade] and skill.id not in learner.mastery:
        return True
    return estimate_mastery(skills, learner, skill) < MASTERED


def _rank_proposals(
    skills: SkillMap, learner: Learner, found: Sequence[Skill], recent: Sequence[bool]
) -> list[Proposal]:
    """Return each skill at the difficulty that fits best, the best proposal first."""
    least, most = wanted_success(recent)
    ranked: list[tuple[tuple[float, bool, float], Proposal]] = []
    for skill in found:
        p = estimate_mastery(skills, learner, skill)
        fits: list[tuple[float, float, int]] = []
        for difficulty, noise in _PRACTICE_NOISE:
            success = predict_success(p, noise)
            fits.append((max(least - success, success - most, 0.0), success, difficulty))
        outside, success, difficulty = min(fits, key=_FIRST_ITEM)
        distance = abs(skill.rank - learner.level(skill.subject))
        ranked.append(((outside, p >= MASTERED, distance), Proposal(skill, difficulty, success)))
    return [proposal for _, proposal in sorted(ranked, key=_FIRST_ITEM)]


def _add_example(proposal: Proposal, skills: SkillMap, learner: Learner) -> Proposal:
    noise = item_noise("choice", difficulty=proposal.difficulty, example=True)
    success = predict_success(estimate_mastery(skills, learner, proposal.skill), noise)
    return replace(proposal, success=success, example=True)


def wanted_success(recent: Sequence[bool]) -> tuple[float, float]:
    """Return the least and most success to aim at after these results of a series."""
    if recent[-_RUN:].count(False) >= 3:
        return 1.0, 1.0
    return (0.80, 0.92) if is_hard(recent) else WANTED


def is_hard(recent: Sequence[bool]) -> bool:
    """Return whether a series is too hard so far: then easier exercises come, and one whose
    solution had to be shown is asked once more."""
    return recent[-_RUN:].count(False) >= 2


_RUN: Final = 5
"""Exercises of a series by which it is judged: a pupil who recovers goes on as usual."""


_FIRST_ITEM: Final = itemgetter(0)
_PRACTICE_NOISE: Final = tuple(
    (difficulty, item_noise("choice", difficulty=difficulty)) for difficulty in LEVELS
)


def _is_ready(skills: SkillMap, learner: Learner, skill: Skill) -> bool:
    """Return whether all prerequisites are known well enough."""
    return all(
        estimate_mastery(skills, learner, skills.by_id[each]) >= READY
        for each in skill.prerequisites
    )
