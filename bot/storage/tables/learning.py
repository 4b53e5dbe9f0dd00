"""Define the tables of what people learn: results, exercises, cards, levels, quizzes."""

from __future__ import annotations

from sqlalchemy import (
    Column,
    Double,
    Index,
)
from sqlalchemy import text as where
from sqlmodel import Field, SQLModel

from bot.storage.tables.columns import CLUSTERED, number, text, time


class Result(SQLModel, table=True):
    """The result of one exercise or quiz."""

    __table_args__ = (
        Index("result_account", "account", "at", "correct"),
        Index("result_subject", "account", "subject", "correct"),
        Index(
            "result_guest",
            "lane",
            postgresql_where=where("lane <> ''"),
            sqlite_where=where("lane <> ''"),
        ),
        CLUSTERED,
    )
    key: str = Field(sa_column=text(key=True))
    account: int = Field(sa_column=number())
    """0: a guest's."""
    lane: str = Field(sa_column=text(default=""))
    """A guest's conversation; empty for an account."""
    subject: str = Field(sa_column=text())
    """One of the known subjects, or a few words; empty for a quiz, which names none."""
    topic: str = Field(sa_column=text())
    correct: int = Field(sa_column=number())
    skill: str = Field(sa_column=text(default=""))
    """Id in the map of skills; empty: none is known."""
    source: str = Field(sa_column=text())
    """exercise, quiz, practice, review."""
    at: float = Field(sa_column=time())


class Exercise(SQLModel, table=True):
    """An exercise with its solution, which leaves this table only once the exercise is over."""

    __table_args__ = (
        Index("exercise_account", "account", "state"),
        Index("exercise_lane", "lane", "state"),
    )
    id: str = Field(sa_column=text(key=True))
    lane: str = Field(sa_column=text())
    account: int = Field(sa_column=number())
    """0: a guest's."""
    skill: str = Field(sa_column=text())
    difficulty: int = Field(sa_column=number())
    kind: str = Field(sa_column=text())
    """number, expression, set, text, choice."""
    statement: str = Field(sa_column=text())
    body: str = Field(sa_column=text())
    """Solutions, options, hints and steps, as JSON (`bot.learning.new_exercise.Body`)."""
    tries: str = Field(sa_column=text(default="[]"))
    """The wrong answers so far, a JSON list."""
    hints_shown: int = Field(sa_column=number(default=0))
    left_after: int = Field(sa_column=number(default=0))
    """How many exercises of its series come after it."""
    state: str = Field(sa_column=text(default="open"))
    """open, right, wrong (in a placement), shown (the solution), dropped."""
    expires_at: float = Field(sa_column=time())
    ended_at: float | None = Field(sa_column=time(null=True))


class Card(SQLModel, table=True):
    """A question that a person was asked and is to be asked again, with their memory of it."""

    __table_args__ = (
        Index("card_due", "account", "lane", "due_at", "lapses", "reviewed_at", "stability"),
        Index("card_reviewed", "account", "lane", "reviewed_at"),
        CLUSTERED,
    )
    account: int = Field(sa_column=number(key=True))
    """0: a guest's."""
    lane: str = Field(sa_column=text(key=True))
    """A guest's conversation; empty for an account."""
    key: str = Field(sa_column=text(key=True))
    """The skill whose generator makes a new question, or a hash of the question."""
    skill: str = Field(sa_column=text())
    kind: str = Field(sa_column=text())
    statement: str = Field(sa_column=text())
    level: int = Field(sa_column=number())
    """Its difficulty, as `exercise.difficulty`."""
    body: str = Field(sa_column=text())
    """As `exercise.body`."""
    stability: float = Field(sa_column=time())
    """This and the columns below are as in `bot.learning.reviews.memory_model.Card`."""
    difficulty: float = Field(sa_column=time())
    reviewed_at: float = Field(sa_column=time())
    due_at: float = Field(sa_column=time())
    reviews: int = Field(sa_column=number())
    lapses: int = Field(sa_column=number())


class Review(SQLModel, table=True):
    """When a person wants to be reminded to review, and the reminders so far."""

    __table_args__ = (
        Index(
            "review_due",
            "nudge_at",
            postgresql_where=where("nudge_at IS NOT NULL"),
            sqlite_where=where("nudge_at IS NOT NULL"),
        ),
        CLUSTERED,
    )
    account: int = Field(sa_column=number(key=True))
    days: str = Field(sa_column=text())
    """Days of mon … sun, separated by spaces; empty: no reminders."""
    hour: int = Field(sa_column=number())
    zone: str = Field(sa_column=text())
    channel: str = Field(sa_column=text())
    """The channel on which they asked for it."""
    nudge_at: float | None = Field(sa_column=time(null=True))
    nudged_at: float | None = Field(sa_column=time(null=True))
    ignored: int = Field(sa_column=number(default=0))
    """How many reminders in a row before the last one got no answer; -1: the person has chosen days
    since the last one."""


class Mastery(SQLModel, table=True):
    """How well an account knows a skill, by all its answers."""

    __table_args__ = (Index("mastery_skill", "skill"), CLUSTERED)
    account: int = Field(sa_column=number(key=True))
    skill: str = Field(sa_column=text(key=True))
    """Id in the map of skills, perhaps of an older one."""
    p: float = Field(sa_column=Column(Double, nullable=False))
    """The probability that the skill is known."""
    answers: int = Field(sa_column=number())
    changed_at: float = Field(sa_column=time())


class Level(SQLModel, table=True):
    """The level of an account in a subject, on the scale of grades (`skills/mastery.py`)."""

    __table_args__ = CLUSTERED
    account: int = Field(sa_column=number(key=True))
    subject: str = Field(sa_column=text(key=True))
    place: float = Field(sa_column=Column(Double, nullable=False))
    answers: int = Field(sa_column=number())
    """How many answers it is based on, those of a placement included."""
    changed_at: float = Field(sa_column=time())


class Placement(SQLModel, table=True):
    """The last placement of an account or a guest, under way or over."""

    __table_args__ = CLUSTERED
    account: int = Field(sa_column=number(key=True))
    """0: a guest's."""
    lane: str = Field(sa_column=text(key=True))
    """A guest's conversation; empty for an account."""
    grade: str = Field(sa_column=text())
    """One of `GRADES`."""
    seed: int = Field(sa_column=number())
    answers: str = Field(sa_column=text(default="[]"))
    """JSON (`bot.learning.skills.placement.PlacementAnswer`)."""
    former: str = Field(sa_column=text(default="[]"))  # of the placement before, until it is over
    exercise: str = Field(sa_column=text())
    """The exercise that waits for an answer; empty: the placement is over."""
    begun_at: float = Field(sa_column=time())


class Quiz(SQLModel, table=True):
    """A quiz with its answer, which never leaves this table before the person has answered."""

    __table_args__ = (Index("quiz_account", "account", "answered_at"),)
    id: str = Field(sa_column=text(key=True))
    lane: str = Field(sa_column=text())
    account: int = Field(sa_column=number())
    kind: str = Field(sa_column=text())
    question: str = Field(sa_column=text())
    options: str = Field(sa_column=text())
    correct_index: int = Field(sa_column=number())
    explanation: str = Field(sa_column=text())
    skill: str = Field(sa_column=text(default=""))
    """Id in the map of skills; empty: none is known."""
    topic: str = Field(sa_column=text(default=""))
    """The model's name for its skill, if the map has no similar one."""
    expires_at: float = Field(sa_column=time())
    answered_index: int | None = Field(sa_column=number(null=True))
    answered_at: float | None = Field(sa_column=time(null=True))
