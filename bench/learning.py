"""Simulated learners: recall by FSRS against a fixed ladder, mastery, placement, practice.

What the learners are is written here and differs from what Griot assumes: they forget along
exponential curves, not FSRS's power curve, with rates of their own for each learner and item; they
know skills along a steeper curve and seldom without what these need, and slip, guess and learn at
other rates.
"""

from __future__ import annotations

import math
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from bench.results import Result
from bot.learning.reviews.memory_model import DAY, Card, choose_reviews, review
from bot.learning.skills.mastery import (
    Learner,
    adjust_level,
    estimate_mastery,
    is_hard,
    item_noise,
    predict_success,
    propose_exercise,
    update_mastery,
)
from bot.learning.skills.placement import (
    Placement,
    answer_placement,
    estimate_level,
    propose_placement_item,
)
from bot.learning.skills.skill_map import Skill, load_skills
from bot.practice.grades import GRADES, RANKS, Grade

SEED = 19
DAYS = 30
LADDER = (1, 3, 7, 14, 30)
"""Days after the first lesson."""
LESSONS = 2
"""Items that a learner learns each day: the ladder asks ten a day, Griot's usual limit."""
FOLLOWED = range(20, 45)
"""Days on which lessons are followed."""
USUAL_DAYS, FAST_DAYS = 12.0, 6.0
"""Median days until recall falls to 1/e: FSRS's default corresponds to 22."""
GIVES_UP = 0.4
"""How often a pupil who does not know says so."""
AFTER_EXAMPLE = 0.6
"""The chance that a worked example carries a pupil who does not know through the next exercise."""
AFTER_STEPS = 0.85
"""The chance that a pupil repeats an exercise whose worked steps were just read."""
PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "recall.svg"
SKILLS = load_skills()
MATHS = [skill for skill in SKILLS.by_id.values() if skill.subject == "maths"]
IDS = frozenset(skill.id for skill in MATHS)


def measure(*, quick: bool) -> list[Result]:
    learners = 20 if quick else 300
    ladder, fsrs, fast_ladder, fast_fsrs = (
        simulate_memories(schedule, median, learners, SEED)
        for median in (USUAL_DAYS, FAST_DAYS)
        for schedule in ("ladder", "fsrs")
    )
    number = 60 if quick else 1500
    pupils = simulate_pupils(number, SEED)
    placed_error = math.sqrt(pupils.placed * (1 - pupils.placed) / number)
    if not quick:
        PICTURE.write_text(draw_recall(ladder.by_day, fsrs.by_day), encoding="utf-8")
    return [
        Result("learning.recall_30d_ladder", 100 * ladder.by_day[DAYS], "%"),
        Result("learning.recall_30d_fsrs", 100 * fsrs.by_day[DAYS], "%"),
        Result("learning.recall_30d_over_ladder", fsrs.by_day[DAYS] / ladder.by_day[DAYS], "ratio"),
        Result(
            "learning.fast_recall_30d_over_ladder",
            fast_fsrs.by_day[DAYS] / fast_ladder.by_day[DAYS],
            "ratio",
        ),
        Result("learning.reviews_ladder", ladder.reviews, "a day"),
        Result("learning.reviews_fsrs", fsrs.reviews, "a day"),
        Result("learning.auc", pupils.auc, "AUC"),
        Result("learning.auc_within_practice", pupils.auc_practice, "AUC"),
        Result(
            "learning.placed_within_half_a_grade",
            100 * pupils.placed,
            "%",
            margin=200 * placed_error,
        ),
        Result("learning.far_behind_placed_within_a_grade", 100 * place_far_behind(number), "%"),
        Result("learning.placement_items", pupils.items, "items"),
        Result("learning.least_success_of_ten", 100 * pupils.least_success, "%"),
        Result("learning.mean_success_of_ten", 100 * pupils.mean_success, "%"),
        Result("learning.right_at_first_try", 100 * pupils.first_tries, "%"),
        Result("learning.propose_us", pupils.propose_us, "us"),
        Result("learning.update_us", pupils.update_us, "us"),
    ]


# Memories ---------------------------------------------------------------------------------------


@dataclass(slots=True)
class Memory:
    """An item as a learner remembers it: recall is `exp(-days / stability)`."""

    stability: float
    growth: float
    """How much a recalled review strengthens it."""
    learnt: int
    """Day of the lesson."""
    last: int
    """Day of the last review."""
    card: Card

    def recall(self, day: int) -> float:
        return math.exp(-(day - self.last) / self.stability)

    def ask(self, day: int, random: Random) -> None:
        """Ask on this day: a late success strengthens most, a failure weakens and is relearnt."""
        chance = self.recall(day)
        is_right = random.random() < chance
        if is_right:
            self.stability *= 1 + self.growth * (1 - chance) ** 0.7
        else:
            self.stability = max(0.7, 0.5 * self.stability)
        self.last = day
        self.card = review(self.card, correct=is_right, first_try=True, at=day * DAY)


@dataclass(frozen=True, slots=True)
class Recall:
    """Mean recall by days since the lesson, and how many reviews a learner had each day."""

    by_day: Sequence[float]
    reviews: float


def simulate_memories(schedule: str, median: float, learners: int, seed: int) -> Recall:
    """Months with lessons each day; the lessons of `FOLLOWED` are followed for `DAYS`.

    A schedule by FSRS has at most as many reviews as the ladder would have had until that day, and
    spends them on cards of any age.

    Args:
        schedule: `ladder` or `fsrs`.
        median: days after which recall falls to 1/e, before the first review.
    """
    sums = [0.0] * (DAYS + 1)
    followed = reviews = 0
    for number in range(learners):
        random = Random(f"{seed}/{number}")
        strength = median * random.lognormvariate(0, 0.5)
        answers = Random(f"{seed}/{number}/{schedule}")
        memories: list[Memory] = []
        allowed = 0
        for day in range(FOLLOWED.stop + DAYS):
            for each in memories:
                if each.learnt in FOLLOWED and day - each.learnt <= DAYS:
                    sums[day - each.learnt] += each.recall(day)
            rungs = [each for each in memories if day - each.learnt in LADDER]
            allowed += len(rungs)
            asked = rungs if schedule == "ladder" else _choose(memories, day, allowed)
            allowed -= len(asked)
            reviews += len(asked)
            for each in asked:
                each.ask(day, answers)
            memories += [_learn(strength, day, random) for _ in range(LESSONS)]
        followed += sum(each.learnt in FOLLOWED for each in memories)
    days = learners * (FOLLOWED.stop + DAYS)
    return Recall([1.0, *(total / followed for total in sums[1:])], reviews / days)


def _learn(strength: float, day: int, random: Random) -> Memory:
    """Learn an item in a lesson; some are harder than others."""
    stability = strength * random.lognormvariate(0, 0.8)
    growth = random.lognormvariate(math.log(2.0), 0.4)
    card = review(None, correct=True, first_try=True, at=day * DAY)
    return Memory(stability, growth, day, day, card)


def _choose(memories: Sequence[Memory], day: int, limit: int) -> list[Memory]:
    """What `/review` asks on this day."""
    cards = {number: each.card for number, each in enumerate(memories)}
    return [memories[number] for number in choose_reviews(cards, day * DAY, limit)]


def draw_recall(ladder: Sequence[float], fsrs: Sequence[float]) -> str:
    """An SVG of recall by days since the lesson."""
    lines = "".join(
        f'<polyline points="{_points(values)}" fill="none" stroke="{colour}" stroke-width="2.5"/>'
        for values, colour in ((ladder, "#b45309"), (fsrs, "#0f766e"))
    )
    grid = "".join(
        f'<line x1="60" x2="600" y1="{_y(share)}" y2="{_y(share)}" stroke="#8884"/>'
        f'<text x="52" y="{_y(share) + 4}" text-anchor="end">{share:.0%}</text>'
        for share in (0.4, 0.6, 0.8, 1.0)
    )
    days = "".join(
        f'<text x="{_x(day)}" y="322" text-anchor="middle">{day}</text>' for day in (0, *LADDER)
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 360" role="img" '
        'font-family="sans-serif" font-size="13" fill="#777">'
        "<title>Recall by days since the lesson: FSRS and a fixed ladder</title>"
        f"{grid}{days}{lines}"
        f'<text x="608" y="{_y(fsrs[-1]) + 4}" fill="#0f766e">FSRS {fsrs[-1]:.0%}</text>'
        f'<text x="608" y="{_y(ladder[-1]) + 4}" fill="#b45309">ladder {ladder[-1]:.0%}</text>'
        '<text x="330" y="346" text-anchor="middle">days since the lesson</text>'
        "</svg>\n"
    )


def _points(values: Sequence[float]) -> str:
    return " ".join(f"{_x(day)},{_y(value)}" for day, value in enumerate(values))


def _x(day: float) -> float:
    return 60 + 18 * day


def _y(share: float) -> float:
    """From 30 % at the bottom to 100 % at the top."""
    return round(300 - 400 * (share - 0.3), 1)


# Skills -----------------------------------------------------------------------------------------


@dataclass(slots=True)
class Pupil:
    """A pupil who knows some skills and learns others by practising."""

    random: Random
    grade: Grade
    known: set[str] = field(default_factory=set[str])

    def learn_until_now(self, level: float) -> None:
        """Know skills by their grade and the pupil's level, seldom one without what it needs."""
        for skill in MATHS:
            chance = 1 / (1 + math.exp(-2.4 * (level - skill.rank)))
            if not self.known.issuperset(skill.prerequisites):
                chance *= 0.2
            if self.random.random() < chance:
                self.known.add(skill.id)

    @property
    def level(self) -> float:
        """The true place on the scale of grades: the shares of known skills, grade by grade."""
        shares = (
            [skill.id in self.known for skill in MATHS if skill.rank == rank]
            for rank in range(len(GRADES))
        )
        return sum(map(statistics.fmean, shares)) - 0.5

    def answer(self, skill: Skill, difficulty: int, *, example: bool = False) -> bool:
        """Answer a choice of four at the first try."""
        right = (0.96, 0.91, 0.80) if skill.id in self.known else (0.38, 0.25, 0.22)
        chance = right[difficulty - 1]
        return self.random.random() < (max(chance, AFTER_EXAMPLE) if example else chance)

    def repeat(self, skill: Skill) -> bool:
        """Answer an exercise once more after its worked steps, with a hint if that fails."""
        return self.random.random() < AFTER_STEPS or self.answer_again(skill)

    def gives_up(self, skill: Skill) -> bool:
        """Whether the pupil taps « Je ne sais pas », where there is such a row."""
        return skill.id not in self.known and self.random.random() < GIVES_UP

    def answer_again(self, skill: Skill) -> bool:
        """Answer after a hint, with one wrong option gone."""
        return self.random.random() < (0.9 if skill.id in self.known else 0.45)

    def practise(self, skill: Skill) -> None:
        """Perhaps learn from an exercise and its worked steps."""
        is_ready = self.known.issuperset(skill.prerequisites)
        if self.random.random() < (0.2 if is_ready else 0.05):
            self.known.add(skill.id)


@dataclass(frozen=True, slots=True)
class Outcome:
    auc: float
    auc_practice: float
    placed: float
    items: float
    least_success: float
    mean_success: float
    first_tries: float
    propose_us: float
    update_us: float


@dataclass(slots=True)
class Notes:
    """What is noted of all pupils."""

    mixed: list[tuple[float, bool]] = field(default_factory=list[tuple[float, bool]])
    practised: list[tuple[float, bool]] = field(default_factory=list[tuple[float, bool]])
    errors: list[float] = field(default_factory=list[float])
    items: list[int] = field(default_factory=list[int])
    series: list[float] = field(default_factory=list[float])
    proposing: list[float] = field(default_factory=list[float])
    updating: list[float] = field(default_factory=list[float])


def simulate_pupils(pupils: int, seed: int) -> Outcome:
    notes = Notes()
    for number in range(pupils):
        random = Random(f"{seed}/pupil/{number}")
        pupil = Pupil(random, random.choice(GRADES))
        pupil.learn_until_now(random.gauss(RANKS[pupil.grade] - 0.6, 1.1))
        tutor = Tutor(pupil, notes)
        tutor.place(number)
        for _ in range(3):
            tutor.practise_ten()
        tutor.ask_mixed()
    return Outcome(
        _auc(notes.mixed),
        _auc(notes.practised),
        statistics.fmean(error <= 0.5 for error in notes.errors),
        statistics.fmean(notes.items),
        min(notes.series),
        statistics.fmean(notes.series),
        statistics.fmean(right for _, right in notes.practised),
        1e6 * statistics.median(notes.proposing),
        1e6 * statistics.median(notes.updating),
    )


def place_far_behind(pupils: int) -> float:
    """Return the share placed within a grade of pupils who are 3 to 7 grades behind their class."""
    notes = Notes()
    for number in range(pupils // 5):
        random = Random(f"{SEED}/far behind/{number}")
        pupil = Pupil(random, random.choice(GRADES[6:]))
        pupil.learn_until_now(RANKS[pupil.grade] - random.uniform(3, 7))
        Tutor(pupil, notes).place(number)
    return statistics.fmean(error <= 1 for error in notes.errors)


class Tutor:
    """Griot with one pupil; what comes of it goes to the notes."""

    def __init__(self, pupil: Pupil, notes: Notes) -> None:
        self._pupil = pupil
        self._notes = notes
        self._mastery: dict[str, float] = {}
        self._answers: Counter[str] = Counter()
        self._levels: dict[str, float] = {}
        self._evidence: Counter[str] = Counter()
        self._learner = Learner(pupil.grade, self._mastery, self._levels, self._evidence)

    def place(self, seed: int) -> None:
        placement = Placement(self._pupil.grade, seed)
        while item := propose_placement_item(SKILLS, placement, IDS):
            is_right = not self._pupil.gives_up(item.skill) and self._pupil.answer(item.skill, 2)
            placement = answer_placement(placement, item, correct=is_right)
        self._levels["maths"] = estimate_level(placement).place
        self._evidence["maths"] = len(placement.answers)
        self._notes.errors.append(abs(self._levels["maths"] - self._pupil.level))
        self._notes.items.append(len(placement.answers))

    def practise_ten(self) -> None:
        recent: list[bool] = []
        successes = 0
        last: tuple[str, ...] = ()
        lost: Skill | None = None
        for _ in range(10):
            if lost and is_hard(recent):
                successes += self._pupil.repeat(lost)
                lost = None
                continue
            started = time.perf_counter()
            item = propose_exercise(SKILLS, self._learner, IDS, recent=recent, avoid=last)
            self._notes.proposing.append(time.perf_counter() - started)
            if item is None:
                raise RuntimeError("Nothing was proposed.")
            is_right = self._pupil.answer(item.skill, item.difficulty, example=item.example)
            succeeds = is_right or self._pupil.answer_again(item.skill)
            successes += succeeds
            lost = None if succeeds else item.skill
            recent.append(is_right)
            self._notes.practised.append((item.success, is_right))
            self._note_answer(item.skill, item.difficulty, is_right, example=item.example)
            self._pupil.practise(item.skill)
            last = (*last[-1:], item.skill.id) if is_right else ()
        self._notes.series.append(successes / 10)

    def ask_mixed(self) -> None:
        """Twenty exercises on whatever comes up around the class, as in quizzes of a lesson."""
        rank = RANKS[self._pupil.grade]
        near = [skill for skill in MATHS if abs(skill.rank - rank) <= 2]
        for _ in range(20):
            skill = self._pupil.random.choice(near)
            difficulty = self._pupil.random.choice((1, 2, 3))
            is_right = self._pupil.answer(skill, difficulty)
            self._notes.mixed.append((self._note_answer(skill, difficulty, is_right), is_right))

    def _note_answer(
        self, skill: Skill, difficulty: int, is_right: bool, *, example: bool = False
    ) -> float:
        """Take note of an answer; the success that was predicted before it."""
        started = time.perf_counter()
        p = estimate_mastery(SKILLS, self._learner, skill)
        noise = item_noise("choice", difficulty=difficulty, example=example)
        success = predict_success(p, noise)
        level = self._learner.level(skill.subject)
        before = self._answers[skill.id]
        evidence = self._evidence[skill.subject]
        self._levels[skill.subject] = adjust_level(
            level, success, correct=is_right, answers=before, evidence=evidence
        )
        self._evidence[skill.subject] += 1
        self._answers[skill.id] += 1
        self._mastery[skill.id] = update_mastery(p, noise, correct=is_right)
        self._notes.updating.append(time.perf_counter() - started)
        return success


def _auc(pairs: Sequence[tuple[float, bool]]) -> float:
    """The chance that a right answer was predicted higher than a wrong one; ties count half."""
    ranked = sorted(pairs)
    wins = ties = below = 0.0
    start = 0
    while start < len(ranked):
        end = start
        while end < len(ranked) and ranked[end][0] == ranked[start][0]:
            end += 1
        right = sum(is_right for _, is_right in ranked[start:end])
        wins += right * below
        ties += right * (end - start - right)
        below += end - start - right
        start = end
    rights = sum(is_right for _, is_right in pairs)
    return (wins + ties / 2) / (rights * (len(pairs) - rights))
