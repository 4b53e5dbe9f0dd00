"""Answer practice and review without a model: their commands, and answers to exercises.

The message that ends an exercise asks the next of its series, as each message costs on phones.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from msgspec.structs import replace

from bot.contracts.services import ToolContext
from bot.contracts.storage import Database, Transaction
from bot.errors import NotFound, PersonError, ToolFailed
from bot.formulas.line_text import replace_formulas
from bot.gateway.commands.level import LevelCommands, PlacementStep
from bot.gateway.commands.reply import CommandRequest, Reply, offer_another, takes_more
from bot.gateway.commands.review_days import choose_days, describe_rest
from bot.gateway.lanes import note_open_exercise
from bot.gateway.open_questions import forget_question
from bot.learning import exercises
from bot.learning.exercises import Exercise
from bot.learning.grading.answer_feedback import (
    StepLeft,
    describe_step_left,
    find_feedback,
    find_step_left,
)
from bot.learning.grading.named_options import name_option
from bot.learning.new_exercise import NewExercise
from bot.learning.quiet_hours import QuietHours
from bot.learning.reviews.next_review import draw_review
from bot.learning.skills.learner_model import read_learner_model
from bot.learning.skills.placement import estimate_level, find_placed_guest
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
from bot.messages.incoming import Attempt, Person
from bot.messages.outgoing import AskExercise, Button, Outgoing, Say
from bot.practice.catalogue import find_generator
from bot.practice.generator import LEVELS
from bot.render.renderer import escape_markdown
from bot.typography import to_one_line

SERIES: Final = 10
"""Exercises of one `/practice`."""
_MOST_READ: Final = 200
"""Most characters of a person's words for a skill."""
_MOST_QUOTED: Final = 60
"""Most characters of a person's words that are repeated to them."""


class PracticeCommands:
    """Answers `/practice`, `/review`, `/hint` and `/solution`, and answers to exercises.

    Args:
        secret: `SECRET_KEY`, from which the tokens of buttons are derived.
        reviews_a_day: exercises that a person is asked to review in a day at most.
        quiet: hours in which no person is reminded to review.
    """

    def __init__(
        self, secret: str, reviews_a_day: int = 10, quiet: QuietHours | None = None
    ) -> None:
        self._secret = secret
        self._reviews_a_day = reviews_a_day
        self._quiet = quiet or QuietHours()
        self.levels = LevelCommands(secret)

    async def practice(self, request: CommandRequest) -> Reply:
        """Answer `/practice [SKILL]`: the first exercise of a series."""
        wanted = leave_request(to_one_line(request.argument, _MOST_READ))
        lane = request.update.lane
        asked = await self.start(request.tx, f"{lane}/{request.seq}", lane, request.person, wanted)
        return Reply((asked or await self._offer_near(request, wanted),))

    async def _offer_near(self, request: CommandRequest, wanted: str) -> Say:
        """Say that there are no exercises on this skill, with buttons for skills near to it; on
        channels that stream, which show no buttons, with their commands."""
        person = request.person
        near = suggest_near(wanted, person)
        quoted = to_one_line(wanted, _MOST_QUOTED + 1)
        if len(quoted) > _MOST_QUOTED:
            quoted = f"{quoted[:_MOST_QUOTED].rstrip()}…"
        words = request.phrase(
            "I have no exercises on “{skill}”. How about this:", skill=escape_markdown(quoted)
        )
        if request.capabilities and request.capabilities.streams:
            names = [each.name(person.language) for each in near] or [""]
            commands = (request.phrase("/practice {skill}", skill=name).strip() for name in names)
            listed = "\n".join(f"- {command}" for command in commands)
            return Say(f"{words}\n\n{listed}")
        offers = [(each.name(person.language), f"/practice {each.id}") for each in near]
        offers = offers or [(request.phrase("What fits me"), "/practice")]
        return Say(words, await request.offer(offers))

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
        new = draw(generator, key, 1, count - 1, person.language)
        return await self.ask(tx, new, key, lane, person)

    async def review(self, request: CommandRequest) -> Reply:
        """Answer `/review`: ask the first of the exercises that are due. With days and an hour,
        `/review 18h lun mer ven`: set when to remind of them."""
        if request.argument.strip():
            return await choose_days(request, self._quiet)
        person, lane = request.person, request.update.lane
        asked = await self._ask_review(request.tx, f"{lane}/{request.seq}", lane, person)
        if asked is None:
            return Reply((Say(await self.describe_rest(request.tx, person, lane)),))
        return Reply((asked,))

    async def hint(self, request: CommandRequest) -> Reply:
        """Answer `/hint`: the next hint to the open exercise."""
        exercise = await self._find_for_help(request)
        if isinstance(exercise, Reply):
            return exercise
        exercise, hint = await exercises.show_hint(request.tx, exercise)
        if not hint:
            return await self._encourage(request, exercise, request.phrase("That was all I had."))
        return await self._encourage(request, exercise, f"💡 {hint}")

    async def solution(self, request: CommandRequest) -> Reply:
        """Answer `/solution`: the worked solution, once it was tried honestly."""
        exercise = await self._find_for_help(request)
        if isinstance(exercise, Reply):
            return exercise
        try:
            exercise = await exercises.show_solution(request.tx, exercise)
        except exercises.TooEarly:
            words = request.phrase("Try it first: two tries, or all hints. You can do it.")
            return await self._encourage(request, exercise, words)
        head = request.phrase("The solution: {solution}", solution=exercise.solution)
        lines = "\n".join(f"- {step}" for step in exercise.body.steps)
        words = f"{head}\n\n{lines}".strip()
        return await self._go_on(request, exercise, words, "I asked for its solution")

    async def skip(self, request: CommandRequest) -> Reply:
        """Go on with the next exercise of the series, as the person does not want this one."""
        account = request.person.account or 0
        exercise = await exercises.find_open(request.tx, request.update.lane, account)
        if exercise is None:
            return _nothing_open(request)
        exercise = await exercises.skip(request.tx, exercise)
        return await self._go_on(request, exercise, request.phrase("Skipped."), "I skipped it")

    async def _find_for_help(self, request: CommandRequest) -> Exercise | Reply:
        """Return the open exercise; else, or if it finds out a level, the reply that says so."""
        account = request.person.account or 0
        exercise = await exercises.find_open(request.tx, request.update.lane, account)
        if exercise is None:
            return _nothing_open(request)
        if exercise.is_placing:
            words = request.phrase("No help this time: choose “I don’t know” if that is so.")
            return await self._encourage(request, exercise, words)
        return exercise

    async def answer_attempt(self, request: CommandRequest, attempt: Attempt) -> Reply:
        """Grade a text that was typed while the exercise was open, and reply to it."""
        return await self._answer(request, attempt.exercise, attempt.text)

    async def answer_option(self, request: CommandRequest, exercise_id: str, index: int) -> Reply:
        """Grade a tap on an option, and reply to it."""
        exercise = await exercises.read(request.tx, exercise_id)
        return await self._answer(request, exercise_id, exercise.body.options[index])

    async def _answer(self, request: CommandRequest, exercise_id: str, answer: str) -> Reply:
        account = request.person.account or 0
        try:
            graded = await grade(request.tx, exercise_id, answer, account)
        except NotFound:
            return _nothing_open(request)
        except exercises.NotTheirs:  # they have logged out, or in as another, since it was asked
            await note_open_exercise(request.tx, request.update.lane, "")
            return request.reply("This one is for someone else.")
        except exercises.ExerciseExpired:
            await note_open_exercise(request.tx, request.update.lane, "")
            return request.reply("This exercise is over. Write /practice for another.")
        except PersonError:
            exercise = await exercises.read(request.tx, exercise_id)
            if exercise.state == "dropped":  # by `/stop`, or by another exercise
                return request.reply("This exercise is over. Write /practice for another.")
            return request.reply("You have answered this one already.")
        return await self._follow(request, graded, answer)

    async def _follow(self, request: CommandRequest, graded: Graded, answer: str) -> Reply:
        """Return the reply to an answer that was graded."""
        exercise = graded.exercise
        if exercise.is_placing and not graded.step_left:
            return await self._go_on_placing(request, exercise)
        if graded.step_left:
            language = request.person.language
            words = describe_step_left(graded.step_left, language, exercise.body)
            reply = await self._encourage(request, exercise, words)
            note = describe_exercise_answer(exercise, f"I answered {answer} ({graded.outcome})")
            return Reply(reply.outgoing, note=note)
        if not graded.is_correct:
            return await self._say_wrong(request, exercise, answer)
        words = request.phrase("✅ Correct: {right}", right=exercise.solution)
        return await self._go_on(request, exercise, words, f"I answered {answer} (right)")

    async def _go_on_placing(self, request: CommandRequest, exercise: Exercise) -> Reply:
        step = await self.advance_placement(
            request.tx, request.update.lane, exercise, request.person
        )
        if step.asked is not None:
            return Reply((replace(step.asked, lead=step.words),))
        note = f"[Placement: {step.level}]" if step.level else ""
        return Reply((Say(step.words),), note=note)

    async def advance_placement(
        self, tx: Transaction, lane: str, exercise: Exercise, person: Person
    ) -> PlacementStep:
        """Continue a placement after an exercise that was just answered or skipped."""
        await note_open_exercise(tx, lane, "")
        await forget_question(tx, lane)
        return await self.levels.advance(tx, exercise, person)

    async def _say_wrong(self, request: CommandRequest, exercise: Exercise, answer: str) -> Reply:
        feedback = find_feedback(answer, exercise)
        words = request.phrase("❌ Not quite: try again.")
        reply = await self._encourage(request, exercise, f"{words} {feedback}".strip())
        note = describe_exercise_answer(
            exercise, f"I answered {answer} (wrong, try {len(exercise.tries)})"
        )
        return Reply(reply.outgoing, note=note)

    async def _encourage(self, request: CommandRequest, exercise: Exercise, words: str) -> Reply:
        """Reply with words about an exercise that stays open, with its options and the buttons for
        a hint or the solution."""
        buttons: list[Button] = []
        if exercise.kind == "choice":
            tokens = await exercises.offer_options(
                request.tx, exercise, request.person.address, self._secret
            )
            buttons = [Button(replace_formulas(option), token) for option, token in tokens.items()]
        offers: list[tuple[str, str]] = []
        if exercise.hints_left > 0:
            offers.append((request.phrase("Hint"), "/hint"))
        if exercise.may_show_solution:
            offers.append((request.phrase("Solution"), "/solution"))
        buttons += await request.offer(offers)
        able = request.capabilities
        if request.is_one_way:
            target = f"exercise:{exercise.id}"
            return Reply((Say(words, tuple(buttons), link="question", target=target),))
        if able and (able.streams or not (able.max_buttons or buttons[:-2])):
            words = f"{words}\n\n{_name_words(request, offers)}".strip()
            return Reply((Say(words, tuple(buttons if able.streams else ())),))
        with_all = Say(words, tuple(buttons))
        if able is None or able.max_buttons:
            return Reply((with_all,))
        how = _say_how_to_answer(request, [label.upper() for label, _ in offers])
        short = Say(f"{words} {how}", tuple(buttons[: len(buttons) - len(offers)]))
        return Reply((with_all if takes_more(short, with_all, request) else short,))

    async def _go_on(
        self, request: CommandRequest, exercise: Exercise, words: str, done: str
    ) -> Reply:
        """Return the reply that ends an exercise, with the next of its series if there is one."""
        await note_open_exercise(request.tx, request.update.lane, "")
        await forget_question(request.tx, request.update.lane)
        note = describe_exercise_answer(exercise, done)
        asked = await self.ask_next(request.tx, exercise, request.person)
        if asked is None:
            return Reply((await self._offer_more(request, exercise, words),), note=note)
        return Reply((replace(asked, lead=words),), note=note)

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
            return await self._ask_review(tx, f"{exercise.id}/next", exercise.lane, person)
        if exercise.body.recent is not None:
            return await self._ask_fitting(tx, exercise, exercise.body.recent, person)
        generator = find_generator(exercise.skill)
        if generator is None:
            return None
        level = min(exercise.difficulty + (not exercise.tries), max(LEVELS))
        if exercise.is_given_up:
            level = min(LEVELS)
        left, drawn = exercise.left_after - 1, exercise.body.drawn
        new = draw(generator, exercise.id, level, left, person.language, drawn)
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
        avoid = {exercise.skill} if went_well else ()
        within, drawn = exercise.body.within, exercise.body.drawn
        field = find_field(installed_skills(), within)
        proposal = propose_practice(model, recent, avoid, field)
        if proposal is None:
            return None
        left = exercise.left_after - 1
        new = draw_proposed(proposal, exercise.id, left, language, drawn, recent, within)
        return await self.ask(tx, new, key, exercise.lane, person)

    async def _offer_more(
        self, request: CommandRequest, exercise: Exercise, words: str
    ) -> Outgoing:
        if exercise.body.card:
            rest = await self.describe_rest(request.tx, request.person, exercise.lane)
            return Say(f"{words}\n\n{rest}")
        if not find_generator(exercise.skill):
            label = request.phrase("Another exercise")
            hint = request.phrase("Another exercise? Reply AGAIN.")
            return await offer_another(request, words, label, hint)
        is_bound = exercise.body.recent is None
        named = exercise.skill if is_bound else exercise.body.within
        command = f"/practice {named}".strip()
        label = request.phrase("Another series")
        return Say(words, await request.offer([(label, command)]))

    async def draw_review(
        self, tx: Transaction, person: Person, lane: str, seed: str
    ) -> NewExercise | None:
        """Return the exercise that a review would ask now, without asking it; None: none."""
        return await draw_review(tx, person, lane, seed=seed, a_day=self._reviews_a_day)

    async def describe_rest(self, tx: Transaction, person: Person, lane: str) -> str:
        """Return the message for when there is no exercise to review (any more)."""
        return await describe_rest(tx, person, lane, self._reviews_a_day)

    async def _ask_review(
        self, tx: Transaction, key: str, lane: str, person: Person
    ) -> AskExercise | None:
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


class PracticeSeries:
    """Implements `bot.contracts.services.PracticeService`."""

    def __init__(self, database: Database, commands: PracticeCommands) -> None:
        self._database = database
        self._commands = commands

    async def start_series(self, skill: str, count: int, context: ToolContext) -> AskExercise:
        """Start a series as `PracticeService` says. Raises `ToolFailed`: there are no exercises."""
        wanted, person = leave_request(skill.strip()), context.person

        async def work(tx: Transaction) -> AskExercise | None:
            return await self._commands.start(tx, context.key, context.lane, person, wanted, count)

        asked = await self._database.write(work)
        if asked is None:
            near = ", ".join(each.id for each in suggest_near(wanted, person)) or "nothing"
            named = to_one_line(wanted, _MOST_QUOTED)
            raise ToolFailed(f"There are no exercises on {named!r}. Near to it: {near}.")
        return asked


class Graded(NamedTuple):
    """An exercise after an answer to it, and the verdict."""

    exercise: Exercise
    is_correct: bool
    step_left: StepLeft | None = None
    """What is left to do to an answer that has the right value or names no option: no try was
    counted."""

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
    return Graded(await exercises.note_wrong(tx, exercise, answer), is_correct=False)


async def _place_guest(tx: Transaction, person: Person, lane: str) -> Person:
    """Return a guest with the grade of the level that their placement found in the conversation;
    anybody else as they are."""
    placed = await find_placed_guest(tx, lane) if person.is_guest else None
    return replace(person, grade=estimate_level(placed).grade) if placed else person


def _nothing_open(request: CommandRequest) -> Reply:
    return request.reply("No exercise is open. Write /practice for one.")


def describe_exercise_answer(exercise: Exercise, done: str) -> str:
    """Return the note about an exercise that the model reads in the conversation."""
    return f"[Exercise: {exercise.statement[:300]} {done}]"


def _say_how_to_answer(request: CommandRequest, words: Sequence[str]) -> str:
    """Return the line that says how to answer to numbered options, and by which words to ask for
    help."""
    match words:
        case (first, second):
            return request.phrase(
                "Reply with the number, {first} or {second}.", first=first, second=second
            )
        case (word,):
            return request.phrase("Reply with the number or {word}.", word=word)
        case _:
            return request.phrase("Reply with the number.")


def _name_words(request: CommandRequest, offers: list[tuple[str, str]]) -> str:
    """Return the line that says how to ask for a hint or the solution without buttons, which a
    live stream does not show."""
    words = " / ".join(label.upper() for label, _ in offers)
    return request.phrase("Help: reply {words}.", words=words) if words else ""
