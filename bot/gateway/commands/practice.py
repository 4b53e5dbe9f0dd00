"""Answer practice, review and placement without a model: their commands, and answers to exercises.

The message that ends an exercise asks the next of its series, as each message costs on phones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace as with_changes
from typing import Final

from msgspec.structs import replace

from bot.contracts.storage import Transaction
from bot.errors import NotFound, PersonError
from bot.formulas.line_text import replace_formulas
from bot.gateway.commands.preferences import choose_grade
from bot.gateway.commands.reply import (
    CommandRequest,
    Reply,
    ask_to_log_in,
    offer_another,
    takes_more,
)
from bot.gateway.commands.review_days import choose_days, describe_rest
from bot.gateway.lanes import note_open_exercise
from bot.gateway.open_questions import forget_exercise
from bot.learning import exercises
from bot.learning.exercise_series import (
    ExerciseSeries,
    Graded,
    draw_placement,
    give_help,
    grade,
)
from bot.learning.exercises import Exercise
from bot.learning.grading.answer_feedback import (
    describe_step_left,
    find_feedback,
)
from bot.learning.quiet_hours import QuietHours
from bot.learning.skills.placement import Placement, find_chosen_grade, find_placement
from bot.learning.skills.practice_choice import (
    leave_request,
    suggest_near,
)
from bot.messages.incoming import Attempt, Person
from bot.messages.outgoing import AskExercise, Button, Outgoing, Say
from bot.practice.catalogue import find_generator
from bot.practice.grades import Grade, find_grade
from bot.render.renderer import escape_markdown
from bot.typography import to_one_line

_MOST_READ: Final = 200
"""Most characters of a person's words for a skill."""
_MOST_QUOTED: Final = 60
"""Most characters of a person's words that are repeated to them."""


class PracticeCommands:
    """Answers `/practice`, `/review`, `/hint` and `/solution`, and answers to exercises.

    Args:
        secret: `SECRET_KEY`, from which the tokens of buttons are derived.
        quiet: hours in which no person is reminded to review.
    """

    def __init__(
        self, secret: str, series: ExerciseSeries, quiet: QuietHours | None = None
    ) -> None:
        self._secret = secret
        self._series = series
        self._quiet = quiet or QuietHours()

    async def practice(self, request: CommandRequest) -> Reply:
        """Answer `/practice [SKILL]`: the first exercise of a series."""
        wanted = leave_request(to_one_line(request.argument, _MOST_READ))
        lane = request.update.lane
        asked = await self._series.start(
            request.tx, f"{lane}/{request.seq}", lane, request.person, wanted
        )
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

    async def review(self, request: CommandRequest) -> Reply:
        """Answer `/review`: ask the first of the exercises that are due. With days and an hour,
        `/review 18h lun mer ven`: set when to remind of them."""
        if request.argument.strip():
            return await choose_days(request, self._quiet)
        person, lane = request.person, request.update.lane
        asked = await self._series.ask_review(request.tx, f"{lane}/{request.seq}", lane, person)
        if asked is None:
            return Reply((Say(await self._describe_rest(request.tx, person, lane)),))
        return Reply((asked,))

    async def hint(self, request: CommandRequest) -> Reply:
        """Answer `/hint`: the next hint to the open exercise."""
        return await self._help(request, "hint")

    async def solution(self, request: CommandRequest) -> Reply:
        """Answer `/solution`: the worked solution, once it was tried honestly."""
        return await self._help(request, "solution")

    async def _help(self, request: CommandRequest, wanted: str) -> Reply:
        account, language = request.person.account or 0, request.person.language
        exercise = await exercises.find_open(request.tx, request.update.lane, account)
        if exercise is None:
            return _nothing_open(request)
        given = await give_help(request.tx, exercise, wanted, language)
        if not given.is_over:
            words = f"💡 {given.hint}" if given.hint else given.refusal
            return await self._encourage(request, given.exercise, words)
        solution = exercise.body.write_solution(exercise.kind, language)
        head = request.phrase("The solution: {solution}", solution=solution)
        lines = "\n".join(f"- {step}" for step in given.steps)
        words = f"{head}\n\n{lines}".strip()
        return await self._go_on(request, given.exercise, words, "I asked for its solution")

    async def skip(self, request: CommandRequest) -> Reply:
        """Go on with the next exercise of the series, as the person does not want this one."""
        account = request.person.account or 0
        exercise = await exercises.find_open(request.tx, request.update.lane, account)
        if exercise is None:
            return _nothing_open(request)
        exercise = await exercises.skip(request.tx, exercise)
        return await self._go_on(request, exercise, request.phrase("Skipped."), "I skipped it")

    async def answer_attempt(self, request: CommandRequest, attempt: Attempt) -> Reply:
        """Grade a text that was typed or spoken while the exercise was open, and reply to it."""
        reply = await self._answer(request, attempt.exercise, attempt.text)
        return _quote(attempt.text, reply) if attempt.spoken else reply

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
            return await self._say_wrong(request, graded, answer)
        right = exercise.body.write_solution(exercise.kind, request.person.language)
        words = request.phrase("✅ Correct: {right}", right=right)
        return await self._go_on(request, exercise, words, f"I answered {answer} (right)")

    async def _go_on_placing(self, request: CommandRequest, exercise: Exercise) -> Reply:
        await forget_exercise(request.tx, request.update.lane)
        step = await self._series.advance_placement(request.tx, exercise, request.person)
        if step.asked is not None:
            return Reply((replace(step.asked, lead=step.words),))
        note = f"[Placement: {step.level}]" if step.level else ""
        return Reply((Say(step.words),), note=note)

    async def _say_wrong(self, request: CommandRequest, graded: Graded, answer: str) -> Reply:
        exercise = graded.exercise
        feedback = find_feedback(answer, exercise)
        words = request.phrase("❌ Not quite: try again.")
        if graded.is_again:
            words = request.phrase("❌ You gave that answer before: look for another one.")
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
        able, with_all = request.capabilities, _say_about(exercise, words, buttons)
        if request.is_one_way:
            target = f"exercise:{exercise.id}"
            return Reply((replace(with_all, link="question", target=target),))
        if able and (able.streams or not (able.max_buttons or buttons[:-2])):
            words = f"{words}\n\n{_name_words(request, offers)}".strip()
            shown = with_all.buttons if able.streams else ()
            return Reply((replace(with_all, markdown=words, buttons=shown),))
        if able is None or able.max_buttons:
            return Reply((with_all,))
        how = _say_how_to_answer(request, [label.upper() for label, _ in offers])
        short = _say_about(exercise, f"{words} {how}", buttons[: len(buttons) - len(offers)])
        return Reply((with_all if takes_more(short, with_all, request) else short,))

    async def _go_on(
        self, request: CommandRequest, exercise: Exercise, words: str, done: str
    ) -> Reply:
        """Return the reply that ends an exercise, with the next of its series if there is one."""
        await forget_exercise(request.tx, request.update.lane)
        note = describe_exercise_answer(exercise, done)
        asked = await self._series.ask_next(request.tx, exercise, request.person)
        if asked is None:
            return Reply((await self._offer_more(request, exercise, words),), note=note)
        keeps_letters = asked.keeps_letters or exercise.keeps_letters
        return Reply((replace(asked, lead=words, keeps_letters=keeps_letters),), note=note)

    async def _describe_rest(self, tx: Transaction, person: Person, lane: str) -> str:
        """Return the message for when there is no exercise to review (any more)."""
        return await describe_rest(tx, person, lane, self._series.reviews_a_day)

    async def _offer_more(
        self, request: CommandRequest, exercise: Exercise, words: str
    ) -> Outgoing:
        if exercise.body.card:
            rest = await self._describe_rest(request.tx, request.person, exercise.lane)
            return _say_about(exercise, f"{words}\n\n{rest}")
        if not find_generator(exercise.skill):
            label = request.phrase("Another exercise")
            hint = request.phrase("Another exercise? Reply AGAIN.")
            keeps_letters = exercise.keeps_letters
            return await offer_another(request, words, label, hint, keeps_letters=keeps_letters)
        is_bound = exercise.body.recent is None
        named = exercise.body.within or (exercise.skill if is_bound else "")
        command = f"/practice {named}".strip()
        label = request.phrase("Another series")
        return _say_about(exercise, words, await request.offer([(label, command)]))


def _say_about(exercise: Exercise, words: str, buttons: Sequence[Button] = ()) -> Say:
    return Say(words, tuple(buttons), keeps_letters=exercise.keeps_letters)


def _nothing_open(request: CommandRequest) -> Reply:
    return request.reply("No exercise is open. Write /practice for one.")


def _quote(heard: str, reply: Reply) -> Reply:
    """Return a reply that begins with what was heard, as it may have been misheard."""
    first, *others = reply.outgoing
    line = f"> 🎤 {escape_markdown(to_one_line(heard, _MOST_QUOTED))}"
    if isinstance(first, Say):
        first = replace(first, markdown=f"{line}\n\n{first.markdown}")
    elif isinstance(first, AskExercise):
        first = replace(first, lead=f"{line}\n\n{first.lead}")
    return with_changes(reply, outgoing=(first, *others))


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


# Placement ----------------------------------------------------------------------------------------


class LevelCommands:
    """Answers `/level` and `/grade`, which begin the placement that finds out a pupil's level.

    Each exercise of it is a choice with two more options: “I don't know”, and to skip the rest. The
    first answer counts, and there is no help. `/level` continues it after any pause, in any
    conversation of the account. A guest's belongs to the conversation until they log in.
    """

    def __init__(self, series: ExerciseSeries) -> None:
        self._series = series

    async def level(self, request: CommandRequest) -> Reply:
        """Answer `/level`: the placement, from where it was left or from the beginning."""
        account = request.person.account or 0
        if not account and request.update.group:  # a guest's would be everybody's there
            return ask_to_log_in(request.person.language)
        running = await find_placement(request.tx, account, lane=request.update.lane)
        if running is not None:
            return await self._begin(request, running, "")
        chosen = find_grade(request.person.grade)
        if chosen is None and not account:
            chosen = await find_chosen_grade(request.tx, request.update.lane)
        if chosen is None:  # the choice of one is followed by the placement
            return await choose_grade(with_changes(request, argument=""))
        return await self._begin(request, _start(request, chosen), "")

    async def choose_grade(self, request: CommandRequest) -> Reply:
        """Answer `/grade NAME`: store the class, and begin the placement if it is a pupil. A
        guest's class is only that of the placement."""
        chosen, person = find_grade(request.argument), request.person
        begins = chosen is not None and person.mode == "child" and not request.update.group
        if chosen is not None and begins and person.is_guest:
            return await self._begin(request, _start(request, chosen), "")
        reply = await choose_grade(request)
        if chosen is None or not begins:
            return reply
        noted = [each.markdown for each in reply.outgoing if isinstance(each, Say)]
        return await self._begin(request, _start(request, chosen), "\n\n".join(noted))

    async def _begin(self, request: CommandRequest, placement: Placement, lead: str) -> Reply:
        key, lane = _key(request), request.update.lane
        asked = await self._series.ask_placement(request.tx, placement, key, lane, request.person)
        if asked is None:
            return Reply((Say(lead or request.phrase("I have no exercises for this class yet.")),))
        return Reply((replace(asked, lead="\n\n".join(filter(None, (lead, asked.lead)))),))


def _start(request: CommandRequest, chosen: Grade) -> Placement:
    return draw_placement(chosen, _key(request))


def _key(request: CommandRequest) -> str:
    return f"{request.update.lane}/{request.seq}"
