"""Keep what is known of a learner from every answer: mastery by skill and level by subject.

The numbers are those of `mastery.py`. An answer is entered in the transaction that keeps its
result, so that each counts once.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from bot.contracts.storage import Row, Transaction
from bot.learning.skills.mastery import (
    MASTERED,
    Learner,
    Noise,
    State,
    adjust_level,
    estimate_mastery,
    name_state,
    predict_success,
    update_mastery,
    weigh_answer,
)
from bot.learning.skills.placement import (
    PLACED_SUBJECT,
    PLACEMENT_NOISE,
    Placement,
    estimate_level,
    list_placed_accounts,
    list_placed_skills,
)
from bot.learning.skills.skill_map import Skill, SkillMap, installed_skills
from bot.practice.grades import GRADES, RANKS, Grade, find_grade
from bot.storage.accounts import set_grade

_ACCOUNTS_AT_ONCE: Final = 1000
"""Accounts whose placements are counted at once."""


@dataclass(frozen=True, slots=True)
class KnownSkill:
    """A skill that the person answered, or that the placement asked about."""

    skill: Skill
    p: float
    """The chance that the person knows it; without results, estimated from the level and, if the
    placement's exercise was missed, from that."""
    answers: int
    """Results, and the answer in a placement."""

    @property
    def state(self) -> State:
        return name_state(self.p, self.answers)


@dataclass(frozen=True, slots=True)
class LearnerModel:
    skills: SkillMap
    learner: Learner | None
    """None if neither a class nor a level is known."""
    known: tuple[KnownSkill, ...] = ()
    """Sorted by grade, as in the map; skills that the map no longer has are left out."""


async def record_answer(
    tx: Transaction, account: int, skill_id: str, noise: Noise, *, correct: bool
) -> None:
    """Update mastery and level from an answer; a skill that the map does not have is ignored.

    The caller has locked the account's row, and makes sure that an answer is entered once.

    Args:
        correct: at the first try, without a hint.
    """
    skills = installed_skills()
    skill = skills.by_id.get(skill_id)
    subject = skill.subject if skill else ""
    row = await tx.fetch_one(_BEFORE, account=account, skill=skill_id, subject=subject)
    if skill is None or row is None:
        return
    is_placed = row["place"] is not None
    learner = Learner(
        find_grade(row["grade"]) or skill.grade,
        levels={skill.subject: row["place"]} if is_placed else {},
        evidence={skill.subject: row["evidence"]} if is_placed else {},
    )
    before = row["p"]
    if before is None:
        before = await _estimate(tx, account, skills, learner, skill)
    success = predict_success(before, noise)
    await tx.execute(
        _ENTER,
        account=account,
        skill=skill.id,
        p=update_mastery(before, noise, correct=correct),
    )
    level, answers = learner.level(skill.subject), row["answers"] or 0
    evidence = row["evidence"] or 0
    place = adjust_level(level, success, correct=correct, answers=answers, evidence=evidence)
    await tx.execute(_MOVE, account=account, subject=skill.subject, place=place, answers=1)


async def _estimate(
    tx: Transaction, account: int, skills: SkillMap, learner: Learner, skill: Skill
) -> float:
    """Return the chance of a skill before its first answer, by level and prerequisites."""
    rows = await tx.fetch(_MASTERY, account=account) if skill.prerequisites else []
    mastery = {row["skill"]: row["p"] for row in rows}
    return estimate_mastery(skills, replace(learner, mastery=mastery), skill)


async def set_level(
    tx: Transaction, account: int, subject: str, place: float, *, answers: int
) -> None:
    """Set the level that a placement found from so many answers."""
    values = {"account": account, "subject": subject}
    await tx.execute("DELETE FROM level WHERE account = :account AND subject = :subject", **values)
    await tx.execute(_MOVE, **values, place=place, answers=answers)


async def limit_levels(tx: Transaction, account: int, before: str, chosen: str) -> None:
    """Lower the levels of a person who chose a class to what is usual in it, unless it is the class
    before or a higher one.

    Args:
        before: the class until now, as it was written; empty: none.
    """
    grade, former = find_grade(chosen), find_grade(before)
    if grade is None or (former is not None and RANKS[former] <= RANKS[grade]):
        return
    await tx.execute(
        "UPDATE level SET place = :most, changed_at = {now}"
        " WHERE account = :account AND place > :most",
        account=account,
        most=Learner(grade).level(""),
    )


async def enter_placement(tx: Transaction, account: int, placement: Placement) -> None:
    """Set the level that a guest's placement found for an account that now has it, and the class
    that the guest chose if the account has none. A level from more answers stays."""
    if placement.answers:
        await tx.execute(
            _ENTER_LEVEL,
            account=account,
            subject=PLACED_SUBJECT,
            place=estimate_level(placement).place,
            answers=len(placement.answers),
        )
    row = await tx.fetch_one("SELECT grade FROM account WHERE id = :account", account=account)
    if row is not None and not row["grade"]:
        await set_grade(tx, account, placement.grade)


async def read_learner_model(tx: Transaction, account: int) -> LearnerModel:
    """Return the learner model of the account; an empty one for a guest (0)."""
    skills = installed_skills()
    stored = await tx.fetch(_LEARNER, account=account)
    rows = {each["name"]: each for each in stored if each["kind"] == "skill"}
    levels = [each for each in stored if each["kind"] == "level"]
    chosen = "".join(each["name"] for each in stored if each["kind"] == "grade")
    grade = find_grade(chosen) or _guess_grade(levels)
    if grade is None:
        return LearnerModel(skills, None)
    placed = await list_placed_skills(tx, account)
    learner = Learner(
        grade,
        {name: each["p"] for name, each in rows.items() if name in skills.by_id},
        {each["name"]: each["place"] for each in levels},
        {each["name"]: each["answers"] for each in levels},
        {skills.by_id[name].subject for name in placed if name in skills.by_id},
    )
    learner = _enter_missed(skills, learner, placed)
    answers = Counter({name: each["answers"] for name, each in rows.items()})
    answers.update(placed.keys())
    known = tuple(
        KnownSkill(skill, estimate_mastery(skills, learner, skill), answers[skill.id])
        for skill in skills.by_id.values()
        if skill.id in answers
    )
    return LearnerModel(skills, learner, known)


def _enter_missed(skills: SkillMap, learner: Learner, placed: Mapping[str, bool]) -> Learner:
    """Return the learner with the chances of skills that were missed in the placement and have no
    result since: by the level alone, one far below it would count as known."""
    missed = {
        name: weigh_answer(
            estimate_mastery(skills, learner, skills.by_id[name]), PLACEMENT_NOISE, correct=False
        )
        for name, is_right in placed.items()
        if not is_right and name in skills.by_id and name not in learner.mastery
    }
    return replace(learner, mastery={**missed, **learner.mastery})


def _guess_grade(levels: list[Row]) -> Grade | None:
    """Return the class for the level of the subject with most answers; None: there is no level."""
    best = max(levels, key=lambda row: row["answers"], default=None)
    if best is None:
        return None
    return GRADES[min(len(GRADES) - 1, max(0, round(best["place"] + 0.5)))]


async def count_by_skill(tx: Transaction) -> list[tuple[Skill, int, int]]:
    """Return each skill with an answer, also in a placement, how many people learn it, and how many
    master it, as `read_learner_model` tells each person."""
    by_id = installed_skills().by_id
    counts: Counter[tuple[str, State]] = Counter()
    for row in await tx.fetch(_BY_SKILL, mastered=MASTERED):
        counts[row["skill"], "learning"] = row["learning"]
        counts[row["skill"], "mastered"] = row["mastered"]
    counts += await _count_only_placed(tx)
    return [
        (skill, counts[name, "learning"], counts[name, "mastered"])
        for name, skill in by_id.items()
        if counts[name, "learning"] or counts[name, "mastered"]
    ]


async def _count_only_placed(tx: Transaction) -> Counter[tuple[str, State]]:
    """Return, for each skill and state, how many accounts were asked about it in a placement and
    have no result on it."""
    skills = installed_skills()
    counts: Counter[tuple[str, State]] = Counter()
    last = 0
    while placed := await list_placed_accounts(tx, last, _ACCOUNTS_AT_ONCE):
        first, last = min(placed), max(placed)
        for account, learner in (await _read_learners(tx, first, last)).items():
            asked = placed.get(account, {})
            estimated = _enter_missed(skills, learner, asked)
            for name in asked:
                if name in skills.by_id and name not in learner.mastery:
                    p = estimate_mastery(skills, estimated, skills.by_id[name])
                    counts[name, name_state(p, 1)] += 1
    return counts


async def _read_learners(tx: Transaction, first: int, last: int) -> dict[int, Learner]:
    """Return the learners with ids from `first` to `last` whose class or level is known."""
    between = {"first": first, "last": last}
    levels: defaultdict[int, list[Row]] = defaultdict(list)
    for row in await tx.fetch(_LEVELS_BETWEEN, **between):
        levels[row["account"]].append(row)
    mastery: defaultdict[int, dict[str, float]] = defaultdict(dict)
    for row in await tx.fetch(_MASTERY_BETWEEN, **between):
        mastery[row["account"]][row["skill"]] = row["p"]
    learners: dict[int, Learner] = {}
    for row in await tx.fetch(_GRADES_BETWEEN, **between):
        own = levels[row["id"]]
        grade = find_grade(row["grade"]) or _guess_grade(own)
        if grade is not None:
            places = {each["subject"]: each["place"] for each in own}
            evidence = {each["subject"]: each["answers"] for each in own}
            learners[row["id"]] = Learner(grade, mastery[row["id"]], places, evidence)
    return learners


async def count_learners(tx: Transaction) -> int:
    """Return how many accounts have answered an item with a skill, or in a placement."""
    row = await tx.fetch_one(_LEARNERS)
    return row["n"] if row else 0


async def adopt_mastery(tx: Transaction, account: int, into: int) -> None:
    """Give one account's mastery to another. Of a skill that both have, the estimates are averaged
    by their numbers of answers, so that all answers count."""
    await tx.execute(_ADOPT_MASTERY, account=account, into=into)
    await tx.execute("DELETE FROM mastery WHERE account = :account", account=account)


async def adopt_levels(tx: Transaction, account: int, into: int) -> None:
    """Give one account's levels to another, by subject in the same way."""
    await tx.execute(_ADOPT_LEVEL, account=account, into=into)
    await tx.execute("DELETE FROM level WHERE account = :account", account=account)


_BEFORE = """
SELECT account.grade, level.place, level.answers AS evidence, mastery.p, mastery.answers
FROM account
LEFT JOIN level ON level.account = account.id AND level.subject = :subject
LEFT JOIN mastery ON mastery.account = account.id AND mastery.skill = :skill
WHERE account.id = :account
"""

_ENTER = """
INSERT INTO mastery (account, skill, p, answers, changed_at)
VALUES (:account, :skill, :p, 1, {now})
ON CONFLICT (account, skill) DO UPDATE SET p = excluded.p, answers = mastery.answers + 1,
    changed_at = excluded.changed_at
"""

_MOVE = """
INSERT INTO level (account, subject, place, answers, changed_at)
VALUES (:account, :subject, :place, :answers, {now})
ON CONFLICT (account, subject) DO UPDATE SET place = excluded.place,
    answers = level.answers + excluded.answers, changed_at = excluded.changed_at
"""

_ENTER_LEVEL = """
INSERT INTO level (account, subject, place, answers, changed_at)
VALUES (:account, :subject, :place, :answers, {now})
ON CONFLICT (account, subject) DO UPDATE SET
    place = CASE WHEN excluded.answers > level.answers THEN excluded.place ELSE level.place END,
    answers = level.answers + excluded.answers, changed_at = {now}
"""

_MASTERY = """
SELECT skill, p, answers FROM mastery WHERE account = :account
"""

_LEARNER = """
SELECT 'grade' AS kind, grade AS name, 0.0 AS p, 0.0 AS place, 0 AS answers
FROM account WHERE id = :account
UNION ALL SELECT 'skill', skill, p, 0.0, answers FROM mastery WHERE account = :account
UNION ALL SELECT 'level', subject, 0.0, place, answers FROM level WHERE account = :account
ORDER BY kind, name
"""

_BY_SKILL = """
SELECT skill,
    CAST(sum(CASE WHEN p >= :mastered THEN 0 ELSE 1 END) AS BIGINT) AS learning,
    CAST(sum(CASE WHEN p >= :mastered THEN 1 ELSE 0 END) AS BIGINT) AS mastered
FROM mastery GROUP BY skill
"""

_GRADES_BETWEEN = """
SELECT id, grade FROM account WHERE id BETWEEN :first AND :last
"""

_LEVELS_BETWEEN = """
SELECT account, subject, place, answers FROM level WHERE account BETWEEN :first AND :last
"""

_MASTERY_BETWEEN = """
SELECT account, skill, p FROM mastery WHERE account BETWEEN :first AND :last
"""

_LEARNERS = """
SELECT count(*) AS n FROM (
    SELECT account FROM mastery
    UNION
    SELECT account FROM placement WHERE account > 0 AND (answers <> '[]' OR former <> '[]')
) AS learner
"""

_ADOPT_MASTERY = """
INSERT INTO mastery (account, skill, p, answers, changed_at)
SELECT CAST(:into AS BIGINT), skill, p, answers, changed_at
FROM mastery WHERE account = :account
ON CONFLICT (account, skill) DO UPDATE SET
    p = (mastery.p * mastery.answers + excluded.p * excluded.answers)
        / (mastery.answers + excluded.answers),
    answers = mastery.answers + excluded.answers, changed_at = {now}
"""

_ADOPT_LEVEL = """
INSERT INTO level (account, subject, place, answers, changed_at)
SELECT CAST(:into AS BIGINT), subject, place, answers, changed_at
FROM level WHERE account = :account
ON CONFLICT (account, subject) DO UPDATE SET
    place = coalesce(
        (level.place * level.answers + excluded.place * excluded.answers)
        / nullif(level.answers + excluded.answers, 0),
        level.place
    ),
    answers = level.answers + excluded.answers, changed_at = {now}
"""
