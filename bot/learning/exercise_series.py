"""Grade answers, and ask exercises one after another: in practice, reviews and placements.

What is asked next follows from the exercise that was just answered; words and buttons are those of
the channel (`gateway/commands/`, `web/`).
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as with_changes
from typing import Final, NamedTuple

from msgspec.structs import replace

from bot.contracts.services import ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import ToolFailed
from bot.i18n import say
from bot.learning import exercises
from bot.learning.exercises import Exercise
from bot.learning.grading.answer_feedback import StepLeft, find_step_left
from bot.learning.grading.named_options import name_option
from bot.learning.new_exercise import NewExercise, exercise_of_item
from bot.learning.reviews.next_review import draw_review
from bot.learning.skills.learner_model import read_learner_model, set_level
from bot.learning.skills.placement import (
    ENOUGH_ANSWERS,
    MAX_ITEMS,
    PLACED_SUBJECT,
    Level,
    Placement,
    answer_placement,
    estimate_level,
    find_guest_grade,
    find_placement,
    forget_former,
    make_placement_item,
    propose_placement_item,
    return_to_former,
    save_placement,
)
from bot.learning.skills.practice_choice import (
    draw,
    draw_again,
    draw_proposed,
    find_wanted,
    leave_request,
    propose_any,
    suggest_near,
)
from bot.learning.skills.skill_map import installed_skills
from bot.learning.skills.skill_matching import find_field
from bot.learning.skills.skill_progress import propose_practice
from bot.learning.subjects import name_subject
from bot.messages.incoming import Person
from bot.messages.outgoing import AskExercise
from bot.practice.catalogue import all_generators, find_generator
from bot.practice.generator import LEVELS, seed_of
from bot.practice.grades import Grade, find_grade
from bot.typography import to_one_line

SERIES: Final = 10
"""Exercises of one `/practice`."""
_MOST_NAMED: Final = 60
"""Most characters of a skill's name that are repeated in an error."""


@dataclass(frozen=True, slots=True)
class PlacementStep:
    """The reaction to an answer: words, and the next exercise."""

    words: str
    """Markdown before the next exercise, or at the end."""
    asked: AskExercise | None
    """The next exercise; None: the placement is over, or goes on elsewhere."""
    level: str = ""
    """The line that states the level, once it is found."""
    short_level: str = ""
    """The same without a command."""


class Graded(NamedTuple):
    """An exercise after an answer to it, and the verdict."""

    exercise: Exercise
    is_correct: bool
    step_left: StepLeft | None = None
    """What is left to do to an answer that has the right value or names no option: no try was
    counted."""
    is_again: bool = False
    """Whether the same wrong answer was given before: no try was counted."""

    @property
    def outcome(self) -> str:
        """The verdict, as the model reads it in the conversation."""
        if self.step_left == "choose":
            return "none of the options, no try is counted"
        if self.step_left:
            return f"the right value, no try is counted; left to do: {self.step_left}"
        if self.exercise.state == "dropped":
            return "skipped"
        return "right" if self.is_correct else "wrong"


class Help(NamedTuple):
    """What a person gets who asks for help."""

    exercise: Exercise
    hint: str = ""
    steps: tuple[str, ...] = ()
    """The way to the solution; with it the exercise is over."""
    refusal: str = ""
    """Why there is no help now."""

    @property
    def is_over(self) -> bool:
        """Whether the solution was shown."""
        return self.exercise.state == "shown"


class ExerciseSeries:
    """Asks the first exercise of a series, and the next ones.

    Args:
        secret: `SECRET_KEY`, from which the tokens of buttons are derived.
        reviews_a_day: exercises that a person is asked to review in a day at most.
    """

    def __init__(self, secret: str, reviews_a_day: int = 10) -> None:
        self._secret = secret
        self.reviews_a_day = reviews_a_day

    async def start(
        self,
        tx: Transaction,
        key: str,
        lane: str,
        person: Person,
        wanted: str,
        count: int = SERIES,
    ) -> AskExercise | None:
        """Ask the first exercise of a series, once a `key`; None: there are none of this skill.

        Args:
            wanted: a skill's id or name; empty, or a subject or grade: for each exercise the skill
                (of these) that fits best.
        """
        field = find_field(installed_skills(), wanted)
        person = await _place_guest(tx, person, lane)
        if field or not wanted:
            model = await read_learner_model(tx, person.account or 0)
            if proposal := propose_practice(model, field=field):
                new = draw_proposed(proposal, key, count - 1, person.language, (), (), wanted)
                return await self.ask(tx, new, key, lane, person)
            generator = propose_any(person, key, field)
        else:
            generator = find_wanted(wanted, person)
        if generator is None:
            return None
        new = draw(generator, key, 1, count - 1, person.language, wanted=wanted)
        return await self.ask(tx, new, key, lane, person)

    async def ask_next(
        self, tx: Transaction, exercise: Exercise, person: Person
    ) -> AskExercise | None:
        """Ask the next exercise of the series of one that is over; None: that was the last.

        It is harder after one that was right at once, and easy after one whose solution was shown;
        a review goes on with the weakest that is left.
        """
        if not exercise.left_after:
            return None
        if exercise.body.card:
            return await self.ask_review(tx, f"{exercise.id}/next", exercise.lane, person)
        if exercise.body.recent is not None:
            return await self._ask_fitting(tx, exercise, exercise.body.recent, person)
        generator = find_generator(exercise.skill)
        if generator is None:
            return None
        level = min(exercise.difficulty + (not exercise.tries), max(LEVELS))
        if exercise.is_given_up:
            level = min(LEVELS)
        left, body = exercise.left_after - 1, exercise.body
        language, last = person.language, body.solution
        new = draw(generator, exercise.id, level, left, language, body.drawn, body.within, last)
        return await self.ask(tx, new, f"{exercise.id}/next", exercise.lane, person)

    async def _ask_fitting(
        self, tx: Transaction, exercise: Exercise, recent: tuple[bool, ...], person: Person
    ) -> AskExercise | None:
        """Ask the next exercise of a series without a fixed skill: of the skill that fits best."""
        went_well = not exercise.is_given_up and exercise.is_unaided
        recent = (*recent, went_well)
        key, language = f"{exercise.id}/next", person.language
        is_lost = exercise.state == "shown"
        if is_lost and (again := draw_again(exercise.asked, recent, language)):
            return await self.ask(tx, again, key, exercise.lane, person)
        model = await read_learner_model(tx, exercise.account)
        body = exercise.body
        before = (*body.before, exercise.skill) if went_well else ()
        field = find_field(installed_skills(), body.within)
        proposal = propose_practice(model, recent, before, field)
        if proposal is None:
            return None
        left = exercise.left_after - 1
        drawn, within, last = body.drawn, body.within, body.solution
        new = draw_proposed(proposal, exercise.id, left, language, drawn, recent, within, last)
        new = with_changes(new, body=replace(new.body, before=before[-1:]))
        return await self.ask(tx, new, key, exercise.lane, person)

    async def draw_review(
        self, tx: Transaction, person: Person, lane: str, seed: str
    ) -> NewExercise | None:
        """Return the exercise that a review would ask now, without asking it; None: none."""
        return await draw_review(tx, person, lane, seed=seed, a_day=self.reviews_a_day)

    async def ask_review(
        self, tx: Transaction, key: str, lane: str, person: Person
    ) -> AskExercise | None:
        """Ask the exercise that a review asks now, once a `key`; None: none is due."""
        new = await self.draw_review(tx, person, lane, key)
        return await self.ask(tx, new, key, lane, person) if new else None

    async def ask(
        self, tx: Transaction, new: NewExercise, key: str, lane: str, person: Person
    ) -> AskExercise:
        """Ask an exercise in a conversation, once a `key`."""
        return await exercises.ask(
            tx,
            exercises.name_exercise(key, self._secret),
            new,
            lane=lane,
            account=person.account or 0,
            address=person.address,
            secret=self._secret,
        )

    async def begin_placement(
        self, tx: Transaction, key: str, lane: str, person: Person, grade: str
    ) -> AskExercise | None:
        """Ask the first exercise of the placement for a class that the person has just chosen on a
        page, or the next one if that placement is under way; None: the class has no placement.

        Args:
            key: once for each choice.
        """
        chosen = find_grade(grade)
        if chosen is None or person.mode != "child":
            return None
        running = await find_placement(tx, person.account or 0, lane=lane)
        if running is None or running.grade != chosen:
            running = draw_placement(chosen, key)
        return await self.ask_placement(tx, running, key, lane, person)

    async def ask_placement(
        self, tx: Transaction, placement: Placement, key: str, lane: str, person: Person
    ) -> AskExercise | None:
        """Ask an exercise of a placement that begins or goes on, with words that lead to it."""
        asked = await self._ask_placing(tx, placement, key, lane, person)
        number = len(placement.answers) + 1
        if asked is None:
            return None
        if number > 1:
            words = say(person.language, "Let us go on: question {number}.", number=number)
        elif person.is_guest:
            words = say(
                person.language,
                "Let us see where you are, from {grade} on: {most} short questions at most. "
                "“I don’t know” is a good answer too.",
                grade=placement.grade,
                most=MAX_ITEMS,
            )
        else:
            words = say(
                person.language,
                "Let us see where you are: {most} short questions at most. "
                "“I don’t know” is a good answer too.",
                most=MAX_ITEMS,
            )
        return replace(asked, lead=words)

    async def advance_placement(
        self, tx: Transaction, exercise: Exercise, person: Person
    ) -> PlacementStep:
        """Continue after an exercise that was just answered; one that was skipped ends the
        placement."""
        language, account = person.language, person.account or 0
        placement = await find_placement(tx, account, exercise.id, lane=exercise.lane)
        if placement is None:
            over = say(language, "This question is over. /level goes on.")
            return PlacementStep(over, None)
        if exercise.state == "dropped":
            return await self._finish_placement(tx, placement, exercise.lane, person, "")
        is_right = exercise.state == "right"
        skills = installed_skills()
        if skill := skills.by_id.get(exercise.skill):  # a school may have taken its file away
            item = make_placement_item(skills, skill)
            placement = answer_placement(placement, item, correct=is_right)
        words = say(language, "The answer was: {answer}", answer=exercise.solution)
        words = "✅" if is_right else words
        key = f"{exercise.id}/next"
        asked = await self._ask_placing(tx, placement, key, exercise.lane, person)
        if asked is None:
            return await self._finish_placement(tx, placement, exercise.lane, person, words)
        if len(placement.answers) >= ENOUGH_ANSWERS:  # who leaves it here is placed all the same
            await self._set_level(tx, placement, account)
        return PlacementStep(words, asked)

    async def _finish_placement(
        self, tx: Transaction, placement: Placement, lane: str, person: Person, words: str
    ) -> PlacementStep:
        """End the placement, and set the level from its answers, however few they are."""
        language, account = person.language, person.account or 0
        is_short = len(placement.answers) < ENOUGH_ANSWERS
        if is_short and await return_to_former(tx, account, lane=lane):
            kept = say(
                language, "All right: nothing changes. /level begins again whenever you like."
            )
            return PlacementStep(kept, None)
        await save_placement(tx, account, placement, "", lane=lane)
        await forget_former(tx, account, lane=lane)
        if not placement.answers:
            later = say(language, "All right. /level finds your level whenever you like.")
            return PlacementStep(later, None)
        level = await self._set_level(tx, placement, account)
        line, short = _describe_level(language, placement, level.grade)
        return PlacementStep("\n\n".join(filter(None, (words, line))), None, line, short)

    async def _set_level(self, tx: Transaction, placement: Placement, account: int) -> Level:
        """Return the level by the answers so far, and store it for an account; a guest's is stored
        at login."""
        level = estimate_level(placement)
        if account:
            number = len(placement.answers)
            await set_level(tx, account, PLACED_SUBJECT, level.place, answers=number)
        return level

    async def _ask_placing(
        self, tx: Transaction, placement: Placement, key: str, lane: str, person: Person
    ) -> AskExercise | None:
        """Ask the exercise that shows most about the level; None: none is left."""
        new = _draw_placing(placement, key, person.language)
        if new is None:
            return None
        name = exercises.name_exercise(key, self._secret)
        await save_placement(tx, person.account or 0, placement, name, lane=lane)
        return await self.ask(tx, new, key, lane, person)


def draw_placement(grade: Grade, key: str) -> Placement:
    """Return a placement that begins, the same for the same key."""
    return Placement(grade, seed_of(key))


def _describe_level(language: str, placement: Placement, grade: Grade) -> tuple[str, str]:
    """Return the line that states the level, with the command that goes on, and without it. Who
    had none of several answers right hears where practice begins, and how to be asked again."""
    answers = placement.answers
    if len(answers) >= ENOUGH_ANSWERS and not any(each.correct for each in answers):
        return say(
            language,
            "These questions were still too hard, and that is fine: we begin with the basics, from "
            "{grade} on, step by step. /practice begins. Too easy? /level asks again.",
            grade=grade,
        ), say(
            language,
            "These questions were still too hard: we begin with the basics, from {grade} on.",
            grade=grade,
        )
    subject = name_subject(language, PLACED_SUBJECT).lower()
    return say(
        language,
        "Your level in {subject}: {grade}. /practice goes on from there.",
        subject=subject,
        grade=grade,
    ), say(language, "Your level in {subject}: {grade}.", subject=subject, grade=grade)


def _draw_placing(placement: Placement, key: str, language: str) -> NewExercise | None:
    """Return the next exercise, always a choice; None: none is left."""
    left = {each.skill for each in all_generators()}
    while item := propose_placement_item(installed_skills(), placement, left):
        left.discard(item.skill.id)
        generator = find_generator(item.skill.id)
        made = generator.make(seed_of(key), language=language) if generator else None
        if made is not None and made.kind == "choice":
            new = exercise_of_item(made, left_after=0)
            rows = say(language, "I don’t know"), say(language, "Skip")
            body = replace(new.body, options=(*made.options, *rows), hints=(), placing=True)
            return with_changes(new, body=body)
    return None


async def _place_guest(tx: Transaction, person: Person, lane: str) -> Person:
    """Return a guest with the grade by which to choose exercises for them in the conversation;
    anybody else as they are."""
    grade = await find_guest_grade(tx, lane) if person.is_guest else None
    return replace(person, grade=grade) if grade else person


async def grade(tx: Transaction, exercise_id: str, answer: str, account: int) -> Graded:
    """Grade an answer and store it.

    Raises:
        NotFound: there is no such exercise.
        NotTheirs, ExerciseOver, ExerciseExpired: it cannot be answered, or not by this account.
    """
    exercise = await exercises.read(tx, exercise_id)
    exercises.check_open(exercise, account)
    if step := find_step_left(answer, exercise):
        return Graded(exercise, is_correct=False, step_left=step)
    body = exercise.body
    if exercise.kind == "choice":
        answer = name_option(answer, body.options, exercise.statement)
    if exercise.is_placing and answer == body.options[-1]:  # Skip
        return Graded(await exercises.skip(tx, exercise), is_correct=False)
    if exercise.is_placing:
        is_correct = answer in body.solutions
        return Graded(await exercises.end_placing(tx, exercise, correct=is_correct), is_correct)
    if exercises.is_solved_by(exercise, answer):
        await exercises.note_right(tx, exercise)
        return Graded(exercise, is_correct=True)
    is_again = exercises.is_tried(exercise, answer)
    exercise = await exercises.note_wrong(tx, exercise, answer)
    return Graded(exercise, is_correct=False, is_again=is_again)


async def give_help(tx: Transaction, exercise: Exercise, wanted: str, language: str) -> Help:
    """Give the next hint, or the solution once it was tried honestly; else say why not.

    Args:
        wanted: `hint` or `solution`.

    Raises:
        ExerciseOver: the exercise is over.
    """
    if exercise.is_placing:
        words = say(language, "No help this time: choose “I don’t know” if that is so.")
        return Help(exercise, refusal=words)
    if wanted == "hint":
        exercise, hint = await exercises.show_hint(tx, exercise)
        return Help(exercise, hint, refusal="" if hint else say(language, "That was all I had."))
    try:
        exercise = await exercises.show_solution(tx, exercise)
    except exercises.TooEarly:
        words = say(language, "Try it first: two tries, or all hints. You can do it.")
        return Help(exercise, refusal=words)
    return Help(exercise, steps=exercise.body.steps)


class PracticeSeries:
    """Implements `bot.contracts.services.PracticeService`."""

    def __init__(self, database: Database, series: ExerciseSeries) -> None:
        self._database = database
        self._series = series

    async def start_series(self, skill: str, count: int, context: ToolContext) -> AskExercise:
        """Start a series as `PracticeService` says. Raises `ToolFailed`: there are no exercises."""
        wanted, person = leave_request(skill.strip()), context.person

        async def work(tx: Transaction) -> AskExercise | None:
            return await self._series.start(tx, context.key, context.lane, person, wanted, count)

        asked = await self._database.write(work)
        if asked is None:
            near = ", ".join(each.id for each in suggest_near(wanted, person)) or "nothing"
            named = to_one_line(wanted, _MOST_NAMED)
            raise ToolFailed(f"There are no exercises on {named!r}. Near to it: {near}.")
        return asked
