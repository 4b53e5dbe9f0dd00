"""Find a pupil's level by a placement: `/level`, and the exercises after the choice of a class.

Each exercise is a choice with two more options: “I don't know”, and to skip the rest. The first
answer counts, and there is no help. `/level` continues it after any pause, in any conversation of
the account. A guest's belongs to the conversation until they log in.
"""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import replace as with_changes
from hashlib import sha256

from msgspec.structs import replace

from bot.contracts.storage import Transaction
from bot.gateway.commands import preferences
from bot.gateway.commands.reply import CommandRequest, Reply, ask_to_log_in
from bot.i18n import say
from bot.learning import exercises
from bot.learning.exercises import Exercise
from bot.learning.new_exercise import NewExercise, exercise_of_item
from bot.learning.skills.learner_model import set_level
from bot.learning.skills.placement import (
    ENOUGH_ANSWERS,
    MAX_ITEMS,
    PLACED_SUBJECT,
    Level,
    Placement,
    answer_placement,
    estimate_level,
    find_placement,
    forget_former,
    make_placement_item,
    propose_placement_item,
    return_to_former,
    save_placement,
)
from bot.learning.skills.skill_map import installed_skills
from bot.learning.subjects import name_subject
from bot.messages.incoming import Person
from bot.messages.outgoing import AskExercise, Say
from bot.practice.catalogue import all_generators, find_generator
from bot.practice.grades import Grade, find_grade


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


class LevelCommands:
    """Answers `/level` and `/grade`, and goes on after each answer of a placement.

    Args:
        secret: `SECRET_KEY`, from which the tokens of buttons are derived.
    """

    def __init__(self, secret: str) -> None:
        self._secret = secret

    async def level(self, request: CommandRequest) -> Reply:
        """Answer `/level`: the placement, from where it was left or from the beginning."""
        account = request.person.account or 0
        if not account and request.update.group:  # a guest's would be everybody's there
            return ask_to_log_in(request.person.language)
        running = await find_placement(request.tx, account, lane=request.update.lane)
        if running is not None:
            return await self._begin(request, running, "")
        grade = find_grade(request.person.grade)
        if grade is None:  # the choice of one is followed by the placement
            return await preferences.choose_grade(with_changes(request, argument=""))
        return await self._begin(request, _start(request, grade), "")

    async def choose_grade(self, request: CommandRequest) -> Reply:
        """Answer `/grade NAME`: store the class, and begin the placement if it is a pupil. A
        guest's class is only that of the placement."""
        grade, person = find_grade(request.argument), request.person
        begins = grade is not None and person.mode == "child" and not request.update.group
        if grade is not None and begins and person.is_guest:
            return await self._begin(request, _start(request, grade), "")
        reply = await preferences.choose_grade(request)
        if grade is None or not begins:
            return reply
        noted = [each.markdown for each in reply.outgoing if isinstance(each, Say)]
        return await self._begin(request, _start(request, grade), "\n\n".join(noted))

    async def _begin(self, request: CommandRequest, placement: Placement, lead: str) -> Reply:
        key, lane = _key(request), request.update.lane
        asked = await self._ask_first(request.tx, placement, key, lane, request.person)
        if asked is None:
            return Reply((Say(lead or request.phrase("I have no exercises for this class yet.")),))
        return Reply((replace(asked, lead="\n\n".join(filter(None, (lead, asked.lead)))),))

    async def begin(
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
            running = Placement(chosen, _number(key))
        return await self._ask_first(tx, running, key, lane, person)

    async def _ask_first(
        self, tx: Transaction, placement: Placement, key: str, lane: str, person: Person
    ) -> AskExercise | None:
        """Ask an exercise of a placement that begins or goes on, with words that lead to it."""
        asked = await self._ask(tx, placement, key, lane, person)
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

    async def advance(self, tx: Transaction, exercise: Exercise, person: Person) -> PlacementStep:
        """Continue after an exercise that was just answered; one that was skipped ends the
        placement."""
        language, account = person.language, person.account or 0
        placement = await find_placement(tx, account, exercise.id, lane=exercise.lane)
        if placement is None:
            over = say(language, "This question is over. /level goes on.")
            return PlacementStep(over, None)
        if exercise.state == "dropped":
            return await self._finish(tx, placement, exercise.lane, person, "")
        is_right = exercise.state == "right"
        skills = installed_skills()
        if skill := skills.by_id.get(exercise.skill):  # a school may have taken its file away
            item = make_placement_item(skills, skill)
            placement = answer_placement(placement, item, correct=is_right)
        words = say(language, "The answer was: {answer}", answer=exercise.solution)
        words = "✅" if is_right else words
        key = f"{exercise.id}/next"
        asked = await self._ask(tx, placement, key, exercise.lane, person)
        if asked is None:
            return await self._finish(tx, placement, exercise.lane, person, words)
        if len(placement.answers) >= ENOUGH_ANSWERS:  # who leaves it here is placed all the same
            await self._set_level(tx, placement, account)
        return PlacementStep(words, asked)

    async def _finish(
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

    async def _ask(
        self, tx: Transaction, placement: Placement, key: str, lane: str, person: Person
    ) -> AskExercise | None:
        """Ask the exercise that shows most about the level; None: none is left."""
        new = _draw(placement, key, person.language)
        if new is None:
            return None
        account, name = person.account or 0, exercises.name_exercise(key, self._secret)
        await save_placement(tx, account, placement, name, lane=lane)
        return await exercises.ask(
            tx,
            name,
            new,
            lane=lane,
            account=account,
            address=person.address,
            secret=self._secret,
        )


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


def _start(request: CommandRequest, grade: Grade) -> Placement:
    return Placement(grade, _number(_key(request)))


def _key(request: CommandRequest) -> str:
    return f"{request.update.lane}/{request.seq}"


def _draw(placement: Placement, key: str, language: str) -> NewExercise | None:
    """Return the next exercise, always a choice; None: none is left."""
    left = {each.skill for each in all_generators()}
    while item := propose_placement_item(installed_skills(), placement, left):
        left.discard(item.skill.id)
        generator = find_generator(item.skill.id)
        made = generator.make(_number(key), language=language) if generator else None
        if made is not None and made.kind == "choice":
            new = exercise_of_item(made, left_after=0)
            rows = say(language, "I don’t know"), say(language, "Skip")
            body = replace(new.body, options=(*made.options, *rows), hints=(), placing=True)
            return with_changes(new, body=body)
    return None


def _number(text: str) -> int:
    return int.from_bytes(sha256(text.encode()).digest()[:4], "big")
