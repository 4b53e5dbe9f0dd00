"""Keep exercises that the server has asked. Their solutions stay secret until the end.

    open → right | shown (the solution) | dropped (left for another, stopped, or skipped)
         → wrong (in a placement, where the first answer ends it and no result counts)

One result counts for an exercise: right at any try, or wrong when the solution was shown. An
exercise can be answered for 24 hours.
"""

from __future__ import annotations

import hmac
from dataclasses import dataclass, replace
from typing import Final, Literal

import msgspec

from bot.contracts.storage import Row, Transaction
from bot.errors import NotFound, PersonError
from bot.learning.grading.everyday_talk import asks_small_talk
from bot.learning.grading.exercise_grading import is_right, is_same_try
from bot.learning.grading.typed_words import is_about_accents
from bot.learning.new_exercise import Body, NewExercise
from bot.learning.results import keep_result
from bot.learning.reviews.cards import CardItem, keep_card, name_card
from bot.learning.skills.learner_model import record_answer
from bot.learning.skills.mastery import Noise, item_noise
from bot.learning.subjects import QUIZZES, fold_subject
from bot.messages.outgoing import AskExercise
from bot.messages.value import ExerciseKind, Value, decode, encode
from bot.storage.accounts import lock_current_account
from bot.storage.buttons import keep_buttons

EXERCISE_SECONDS: Final = 24 * 3600.0
"""Seconds in which an exercise can be answered."""
TRIES_BEFORE_SOLUTION: Final = 2
"""Wrong tries after which the solution may be shown although hints are left."""
MOST_TRIES: Final = 50
"""Tries that are kept of one exercise."""
_MOST_COMPARED: Final = 8
"""The latest tries that a new one is compared with by value."""
State = Literal["open", "right", "wrong", "shown", "dropped"]


class ExerciseOver(PersonError):
    code = "already_answered"


class ExerciseExpired(PersonError):
    code = "expired"


class NotTheirs(PersonError):
    """An answer from another person than the one who was asked."""

    code = "not_yours"


class TooEarly(PersonError):
    """The solution may not be shown yet."""

    code = "too_early"


@dataclass(frozen=True, slots=True)
class Exercise:
    """An exercise with its present state."""

    id: str
    lane: str
    account: int
    skill: str
    difficulty: int
    kind: ExerciseKind
    statement: str
    body: Body
    tries: tuple[str, ...]
    hints_shown: int
    left_after: int
    state: State
    expires_at: float
    is_expired: bool

    @property
    def hints_left(self) -> int:
        return len(self.body.hints) - self.hints_shown

    @property
    def is_unaided(self) -> bool:
        """Whether no try was wrong and no hint was seen."""
        return not self.tries and not self.hints_shown

    @property
    def talk_counts(self) -> bool:
        """Whether a solution is itself small talk, such as `oui`."""
        return asks_small_talk(self.body.solutions)

    @property
    def is_placing(self) -> bool:
        """Whether it belongs to a placement, which allows one answer and no help."""
        return self.body.placing

    @property
    def may_show_solution(self) -> bool:
        if self.is_placing:
            return False
        return len(self.tries) >= TRIES_BEFORE_SOLUTION or self.hints_left <= 0

    @property
    def keeps_letters(self) -> bool:
        """Whether texts about it keep the accents that SMS would leave out."""
        return is_about_accents(self.statement, self.body.options, self.body.solutions)

    @property
    def asked(self) -> NewExercise:
        """The exercise as it was before it was asked."""
        each = (self.kind, self.statement, self.body, self.skill, self.difficulty, self.left_after)
        return NewExercise(*each)

    @property
    def is_given_up(self) -> bool:
        """Whether it ended without a right answer, as its solution was shown or it was skipped."""
        return self.state in ("shown", "dropped")

    @property
    def solution(self) -> str:
        """The solution with its unit."""
        return self.body.solution


class OpenExercise(Value, frozen=True):
    """A conversation's record of its open exercise, by which it recognises an answer."""

    id: str
    kind: ExerciseKind
    options: tuple[str, ...]
    unit: str
    expires_at: float
    statement: str = ""
    talk_counts: bool = False
    """A solution is itself small talk, such as `oui`, so that such words are tries."""


async def ask(
    tx: Transaction,
    exercise_id: str,
    new: NewExercise,
    *,
    lane: str,
    account: int,
    address: str,
    secret: str,
) -> AskExercise:
    """Keep an exercise and a button for each option, once for each id, and drop other open
    exercises of the conversation.

    Args:
        account: the account that is asked; 0 for a guest.
        address: the address of the person asked, to which the buttons are bound.
        secret: `SECRET_KEY`, from which the buttons' tokens are derived.

    Raises:
        ToolFailed: the account's person was erased.
    """
    holder = await lock_current_account(tx, account)
    await tx.execute(_DROP_OTHERS, lane=lane, id=exercise_id)
    await tx.execute(
        _INSERT,
        id=exercise_id,
        lane=lane,
        account=holder,
        skill=new.skill,
        difficulty=new.difficulty,
        kind=new.kind,
        statement=new.statement,
        body=encode(new.body),
        left_after=new.left_after,
        ttl=EXERCISE_SECONDS,
    )
    exercise = await read(tx, exercise_id)
    tokens = await offer_options(tx, exercise, address, secret)
    return describe(exercise, tuple(tokens.values()))


def describe(exercise: Exercise, tokens: tuple[str, ...] = ()) -> AskExercise:
    """Return an exercise in the form in which it is asked; `tokens` are of the buttons for its
    options."""
    return AskExercise(
        exercise.id,
        exercise.statement,
        exercise.kind,
        exercise.expires_at,
        options=exercise.body.options,
        tokens=tokens,
        unit=exercise.body.unit,
        skill=exercise.skill,
        hints_left=exercise.hints_left,
        tries=len(exercise.tries),
        keeps_letters=exercise.keeps_letters,
    )


async def offer_options(
    tx: Transaction, exercise: Exercise, address: str, secret: str
) -> dict[str, str]:
    """Keep a button for each option that was not tried yet; return their tokens by option."""
    tokens = {
        option: _derive_token(secret, f"{exercise.id}:{len(exercise.tries)}:{index}")
        for index, option in enumerate(exercise.body.options)
        if option not in exercise.tries
    }
    actions = {
        token: {"exercise": exercise.id, "index": exercise.body.options.index(option)}
        for option, token in tokens.items()
    }
    await keep_buttons(tx, exercise.lane, address, actions)
    return tokens


async def read(tx: Transaction, exercise_id: str) -> Exercise:
    """Return an exercise in its present state. Raises `NotFound`."""
    row = await tx.fetch_one(_READ, id=exercise_id)
    if row is None:
        raise NotFound("There is no such exercise.")
    return _read_row(row)


async def find(tx: Transaction, exercise_id: str) -> Exercise | None:
    """Return an exercise in its present state for readers, who do not lock it; None: there is
    none."""
    row = await tx.fetch_one(_FIND, id=exercise_id)
    return _read_row(row) if row else None


def is_solved_by(exercise: Exercise, answer: str) -> bool:
    """Return whether an answer in the person's words is right."""
    return is_right(
        answer,
        exercise.kind,
        exercise.body.solutions,
        options=exercise.body.options,
        unit=exercise.body.unit,
        tolerance=exercise.body.tolerance,
        skill=exercise.skill,
        statement=exercise.statement,
    )


async def find_open(tx: Transaction, lane: str, account: int) -> Exercise | None:
    """Return the open exercise of the account, or of a guest, in a conversation, if it can still be
    answered."""
    row = await tx.fetch_one(_FIND_OPEN, lane=lane, account=account)
    return _read_row(row) if row else None


def check_open(exercise: Exercise, account: int) -> None:
    """Check that the account may answer now. Raises `NotTheirs`, `ExerciseOver` or
    `ExerciseExpired`.

    A guest's exercise may be answered by anyone who knows its id: the guest, also after logging in.
    """
    if exercise.account not in (0, account):
        raise NotTheirs("This exercise was asked of someone else.")
    if exercise.state != "open":
        raise ExerciseOver("This exercise is over already.")
    if exercise.is_expired:
        raise ExerciseExpired("The time for this exercise is over.")


async def note_right(tx: Transaction, exercise: Exercise) -> None:
    """Note a right answer, and count the result. Raises `ExerciseOver`."""
    await _end(tx, exercise, "right")
    await _count(tx, exercise, correct=True)


async def note_wrong(tx: Transaction, exercise: Exercise, answer: str) -> Exercise:
    """Note a wrong try; the same value or words again, in any spelling, change nothing. Raises
    `ExerciseOver`."""
    if is_tried(exercise, answer) or len(exercise.tries) >= MOST_TRIES:
        return exercise
    tries = (*exercise.tries, answer)
    before, after = encode(exercise.tries), encode(tries)
    if not await tx.execute(_TRY, id=exercise.id, before=before, after=after):
        raise ExerciseOver("This exercise was answered at the same moment.")
    return replace(exercise, tries=tries)


def is_tried(exercise: Exercise, answer: str) -> bool:
    """Return whether an answer has the value or words of a former wrong try."""
    if answer in exercise.tries:
        return True
    kind, unit, statement = exercise.kind, exercise.body.unit, exercise.statement
    latest = exercise.tries[-_MOST_COMPARED:]
    return any(is_same_try(answer, each, kind, unit, statement) for each in latest)


async def end_placing(tx: Transaction, exercise: Exercise, *, correct: bool) -> Exercise:
    """Note the answer to an exercise of a placement. Raises `ExerciseOver`."""
    state: State = "right" if correct else "wrong"
    await _end(tx, exercise, state)
    return replace(exercise, state=state)


async def show_hint(tx: Transaction, exercise: Exercise) -> tuple[Exercise, str]:
    """Return the exercise with one more hint shown, and that hint; empty: all have been shown."""
    if exercise.hints_left <= 0:
        return exercise, ""
    hint = exercise.body.hints[exercise.hints_shown]
    shown = exercise.hints_shown + 1
    await note_hints_shown(tx, exercise.id, shown)
    return replace(exercise, hints_shown=shown), hint


async def note_hints_shown(tx: Transaction, exercise_id: str, shown: int) -> None:
    """Note that so many hints have been seen, if the exercise is still open."""
    await tx.execute(_HINTS_SHOWN, id=exercise_id, shown=shown)


async def show_solution(tx: Transaction, exercise: Exercise) -> Exercise:
    """Note that the solution is shown, and count the result; return the exercise in its new state.

    Raises:
        TooEarly: neither enough tries were made nor all hints seen.
        ExerciseOver: the exercise was over already.
    """
    if not exercise.may_show_solution:
        raise TooEarly("Try twice, or see all hints, before the solution is shown.")
    return await _give_up(tx, exercise)


async def skip(tx: Transaction, exercise: Exercise) -> Exercise:
    """End an exercise that the person skips, and return it in its new state. In a review that
    counts as a miss, so that it comes back; in practice it is not counted. Raises `ExerciseOver`.
    """
    if exercise.body.card:
        return await _give_up(tx, exercise)
    await _end(tx, exercise, "dropped")
    return replace(exercise, state="dropped")


async def _give_up(tx: Transaction, exercise: Exercise) -> Exercise:
    """Note that the exercise ended without a right answer, and count the result."""
    await _end(tx, exercise, "shown")
    await _count(tx, exercise, correct=False)
    return replace(exercise, state="shown")


async def drop_in(tx: Transaction, lane: str) -> bool:
    """Drop the open exercise of a conversation and its series; return whether there was one."""
    return bool(await tx.execute(_DROP_OTHERS, lane=lane, id=""))


async def read_ended(tx: Transaction, account: int) -> list[Exercise]:
    """Return the exercises of an account that are over, the oldest first."""
    return [_read_row(row) for row in await tx.fetch(_ENDED, account=account)]


async def adopt_exercises_from_guest(tx: Transaction, lane: str, into: int) -> None:
    """Give the exercises and results of a conversation's guest to an account."""
    for row in await tx.fetch(_ADOPT_FROM_GUEST, lane=lane, into=into):
        exercise = _read_row(row)
        if await tx.execute(_ADOPT_RESULT, lane=lane, key=f"held:{exercise.id}", into=into):
            is_known = exercise.state == "right" and exercise.is_unaided
            await record_answer(tx, into, exercise.skill, _noise_of(exercise), correct=is_known)


async def _end(tx: Transaction, exercise: Exercise, state: State) -> None:
    if not await tx.execute(_END, id=exercise.id, state=state):
        raise ExerciseOver("This exercise is over already.")


async def _count(tx: Transaction, exercise: Exercise, *, correct: bool) -> None:
    if exercise.body.again:
        return
    is_eliminated = exercise.kind == "choice" and bool(exercise.tries)  # each miss leaves fewer
    is_counted = await keep_card(
        tx,
        _card_item(exercise),
        account=exercise.account,
        lane=exercise.lane,
        correct=correct and not is_eliminated,
        first_try=exercise.is_unaided,
    )
    if not is_counted:
        return
    subject, point, topic = exercise.skill.partition(".")
    skill = exercise.skill if point else ""
    await keep_result(
        tx,
        key=f"held:{exercise.id}",
        account=exercise.account,
        lane=exercise.lane,
        subject=(fold_subject(subject) if skill else "") or QUIZZES,
        topic=topic if skill else exercise.skill,
        skill=skill,
        correct=correct,
        source=exercise.body.source,
        noise=_noise_of(exercise),
        unaided=exercise.is_unaided,
    )


def _noise_of(exercise: Exercise) -> Noise:
    body, difficulty = exercise.body, exercise.difficulty
    return item_noise(
        exercise.kind, options=len(body.options), difficulty=difficulty, example=body.example
    )


def _card_item(exercise: Exercise) -> CardItem:
    """Return the card that asks this again: its skill's for a generated item, else its own."""
    body = exercise.body
    key = body.card or (exercise.skill if body.source == "practice" else "")
    return CardItem(
        key or name_card(exercise.kind, exercise.statement, body.solutions),
        exercise.skill,
        exercise.kind,
        exercise.statement,
        exercise.difficulty,
        encode(body),
        body.reviews if body.card else None,
    )


def name_exercise(key: str, secret: str) -> str:
    """Return the unguessable id of the exercise that is asked under an idempotency key."""
    return hmac.new(secret.encode(), f"exercise-id:{key}".encode(), "sha256").hexdigest()[:24]


def _derive_token(secret: str, text: str) -> str:
    return hmac.new(secret.encode(), f"exercise:{text}".encode(), "sha256").hexdigest()[:32]


def _read_row(row: Row) -> Exercise:
    return Exercise(
        row["id"],
        row["lane"],
        row["account"],
        row["skill"],
        row["difficulty"],
        row["kind"],
        row["statement"],
        decode(row["body"], Body),
        msgspec.json.decode(row["tries"], type=tuple[str, ...]),
        row["hints_shown"],
        row["left_after"],
        row["state"],
        row["expires_at"],
        bool(row["is_expired"]),
    )


_INSERT = """
INSERT INTO exercise (id, lane, account, skill, difficulty, kind, statement, body, left_after,
    expires_at)
VALUES (:id, :lane, :account, :skill, :difficulty, :kind, :statement, :body, :left_after,
    {now} + :ttl)
ON CONFLICT (id) DO NOTHING
"""

_READ = """
SELECT *, expires_at <= {now} AS is_expired FROM exercise WHERE id = :id {for_update}
"""

_FIND = """
SELECT *, expires_at <= {now} AS is_expired FROM exercise WHERE id = :id
"""

_FIND_OPEN = """
SELECT *, 0 AS is_expired FROM exercise
WHERE lane = :lane AND account IN (0, :account) AND state = 'open' AND expires_at > {now}
ORDER BY expires_at DESC LIMIT 1 {for_update}
"""

_DROP_OTHERS = """
UPDATE exercise SET state = 'dropped', ended_at = {now}
WHERE lane = :lane AND state = 'open' AND id <> :id
"""

_END = """
UPDATE exercise SET state = :state, ended_at = {now} WHERE id = :id AND state = 'open'
"""

_TRY = """
UPDATE exercise SET tries = :after WHERE id = :id AND state = 'open' AND tries = :before
"""

_HINTS_SHOWN = """
UPDATE exercise SET hints_shown = :shown
WHERE id = :id AND state = 'open' AND hints_shown < :shown
"""

_ENDED = """
SELECT *, 0 AS is_expired FROM exercise
WHERE account = :account AND ended_at IS NOT NULL ORDER BY ended_at, id
"""

_ADOPT_FROM_GUEST = """
UPDATE exercise SET account = :into WHERE lane = :lane AND account = 0
RETURNING *, 0 AS is_expired
"""

_ADOPT_RESULT = """
UPDATE result SET account = :into, lane = '' WHERE key = :key AND lane = :lane
"""
