"""Keep results of exercises and quizzes, each once; a person's progress is read from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Literal

from bot.contracts.services import ExerciseScore, ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.i18n import find_zone
from bot.learning.new_exercise import make_skill_card
from bot.learning.progress import MAX_STREAK, Answers, Progress, SubjectScore, count_progress
from bot.learning.reviews.cards import keep_card
from bot.learning.skills.learner_model import record_answer
from bot.learning.skills.mastery import Noise, item_noise
from bot.learning.skills.skill_map import installed_skills
from bot.learning.skills.skill_matching import match_skill
from bot.learning.subjects import QUIZZES, fold_subject
from bot.messages.incoming import Person
from bot.practice.catalogue import find_generator
from bot.practice.generator import seed_of
from bot.practice.grades import find_grade
from bot.storage.accounts import lock_current_account
from bot.typography import to_one_line

MAX_TOPIC = 100
_JUDGED: Final = item_noise("text")
_DAY = 86_400.0
_REPORTED_AFTER = 600
"""Seconds in which a model may report once more what Griot graded itself."""
_QUARTER = 900
"""Seconds; the clocks of all zones differ by whole quarters of an hour. An answer in the last half
second of a quarter may count for the next: Postgres rounds where SQLite cuts."""


class Results:
    """The service `bot.contracts.services.ResultService`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def report(
        self, subject: str, *, correct: bool, topic: str, context: ToolContext
    ) -> ExerciseScore:
        """Keep the result of an exercise; return the score in its subject, with this result. A
        result in a skill that has a generator is also an answer to that skill's card.

        The same `context.key` keeps one result, the first. An exercise or quiz that Griot graded
        itself just now counts once, though the model reports it too.

        Raises:
            ToolFailed: the subject has no readable character, or the person was erased.
        """
        folded = fold_subject(subject)
        if not folded:
            raise ToolFailed("subject: name the school subject in words, for instance maths.")

        skill, kept_topic = match_topic(topic, context.person, subject=folded)
        if skill:  # physics is kept as physics and chemistry, as its exercises are
            folded = installed_skills().by_id[skill].subject

        async def work(tx: Transaction) -> ExerciseScore:
            if await _was_graded(tx, context, skill, kept_topic, correct=correct):
                return await _score(tx, context.account, folded)
            is_new = await keep_result(
                tx,
                key=f"exercise:{context.key}",
                account=context.account,
                lane=context.lane,
                subject=folded,
                topic=kept_topic,
                skill=skill,
                correct=correct,
                source="exercise",
            )
            if is_new:
                await _keep_skill_card(tx, skill, context, correct=correct)
            return await _score(tx, context.account, folded)

        return await self._database.write(work)


async def _was_graded(
    tx: Transaction, context: ToolContext, skill: str, topic: str, *, correct: bool
) -> bool:
    """Return whether Griot itself has graded such an answer in the last minutes."""
    row = await tx.fetch_one(
        _GRADED,
        account=context.account,
        lane="" if context.account else context.lane,
        skill=skill,
        topic=topic,
        correct=int(correct),
        seconds=_REPORTED_AFTER,
    )
    return row is not None


def match_topic(words: str, person: Person, *, subject: str = "") -> tuple[str, str]:
    """Return the id of the skill that a model's words mean (empty if none), and the words as a
    topic.

    Args:
        subject: a name from `fold_subject`: only its skills are searched; empty: all.
    """
    topic = to_one_line(words, MAX_TOPIC)
    if not topic:
        return "", ""
    grade = find_grade(person.grade) or ""
    skill = match_skill(installed_skills(), topic, person.language, subject=subject, grade=grade)
    return (skill.id if skill else ""), topic


async def keep_result(  # noqa: PLR0913 (columns of the table, and how sure it is)
    tx: Transaction,
    *,
    key: str,
    account: int,
    lane: str,
    correct: bool,
    source: Literal["exercise", "quiz", "practice", "review"],
    subject: str = QUIZZES,
    topic: str = "",
    skill: str = "",
    noise: Noise = _JUDGED,
    unaided: bool = True,
) -> bool:
    """Keep a result and update the estimate of its skill, within the caller's transaction. Return
    False, and change nothing, if a result with this `key` is kept already.

    Args:
        lane: the conversation, by which a guest's results are found.
        noise: how the answer may mislead; by default as a model's judgement may.
        unaided: the answer came at the first try and without a hint.

    Raises:
        ToolFailed: the account's person was erased.
    """
    holder = await lock_current_account(tx, account)
    kept = await tx.execute(
        _KEEP,
        key=key,
        account=holder,
        lane="" if holder else lane,
        subject=subject,
        topic=topic,
        skill=skill,
        correct=int(correct),
        source=source,
    )
    if kept and skill:
        await record_answer(tx, holder, skill, noise, correct=correct and unaided)
    return bool(kept)


async def _keep_skill_card(
    tx: Transaction, skill: str, context: ToolContext, *, correct: bool
) -> None:
    """Enter an answer that the model judged into the card of its skill. A skill without a generator
    gets no card, since the exercise itself was not kept."""
    generator = find_generator(skill)
    if generator is None:
        return
    seed = seed_of(context.key)
    card = make_skill_card(generator, seed, context.person.language)
    account, lane = context.account, context.lane
    await keep_card(tx, card, account=account, lane=lane, correct=correct, first_try=True)


async def read_progress(tx: Transaction, account: int, zone: str) -> Progress:
    """Return progress by the days of the time zone `zone` (UTC if no zone has this name)."""
    row = await tx.fetch_one("SELECT {now} AS now")
    now: float = row["now"] if row else 0.0
    rows = await tx.fetch(
        _ANSWERS, account=account, since=now - (MAX_STREAK + 1) * _DAY, quarter=_QUARTER
    )
    answers = [Answers(row["slot"] * _QUARTER, row["answered"], row["correct"]) for row in rows]
    subjects = [
        SubjectScore(row["subject"], row["answered"], row["correct"])
        for row in await tx.fetch(_SUBJECTS, account=account)
    ]
    return count_progress(answers, subjects, now=now, zone=find_zone(zone))


async def _score(tx: Transaction, account: int, subject: str) -> ExerciseScore:
    [row] = await tx.fetch(_SCORE, account=account, subject=subject)
    return ExerciseScore(subject, row["answered"], row["correct"])


async def adopt_results_from_guest(
    tx: Transaction, lane: str, quizzes: Mapping[str, Noise], into: int
) -> None:
    """Give the results of a conversation's guest to an account, and update its skills from them.
    The caller has locked the account's row.

    Args:
        quizzes: by id, how the answers to quizzes may mislead.
    """
    rows = await tx.fetch(_ADOPT_FROM_GUEST, lane=lane, into=into)
    for row in sorted(rows, key=lambda each: each["at"]):
        noise = quizzes.get(row["key"].removeprefix("quiz:"), _JUDGED)
        await record_answer(tx, into, row["skill"], noise, correct=bool(row["correct"]))


_KEEP = """
INSERT INTO result (key, account, lane, subject, topic, skill, correct, source, at)
VALUES (:key, :account, :lane, :subject, :topic, :skill, :correct, :source, {now})
ON CONFLICT (key) DO NOTHING
"""

_GRADED = """
SELECT 1 AS found FROM result
WHERE account = :account AND lane = :lane AND at > {now} - :seconds AND correct = :correct
    AND substr(key, 1, 9) <> 'exercise:'
    AND ((skill <> '' AND skill = :skill) OR (skill = '' AND topic <> '' AND topic = :topic))
LIMIT 1
"""

_ANSWERS = """
SELECT CAST(at AS BIGINT) / CAST(:quarter AS BIGINT) AS slot, count(*) AS answered,
    CAST(sum(correct) AS BIGINT) AS correct
FROM result WHERE account = :account AND at >= :since
GROUP BY slot
"""

_SUBJECTS = """
SELECT subject, count(*) AS answered, CAST(sum(correct) AS BIGINT) AS correct
FROM result WHERE account = :account
GROUP BY subject ORDER BY answered DESC, subject LIMIT 200
"""

_SCORE = """
SELECT count(*) AS answered, CAST(coalesce(sum(correct), 0) AS BIGINT) AS correct
FROM result WHERE account = :account AND subject = :subject
"""

_ADOPT_FROM_GUEST = """
UPDATE result SET account = :into, lane = '' WHERE lane = :lane AND lane <> ''
RETURNING key, skill, correct, at
"""
