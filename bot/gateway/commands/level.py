"""Answer `/level` and `/grade`, which begin the placement that finds out a pupil's level.

Each exercise of it is a choice with two more options: “I don't know”, and to skip the rest. The
first answer counts, and there is no help. `/level` continues it after any pause, in any
conversation of the account. A guest's belongs to the conversation until they log in.
"""

from __future__ import annotations

from dataclasses import replace as with_changes

from msgspec.structs import replace

from bot.gateway.commands import preferences
from bot.gateway.commands.reply import CommandRequest, Reply, ask_to_log_in
from bot.learning.exercise_series import ExerciseSeries, draw_placement
from bot.learning.skills.placement import Placement, find_chosen_grade, find_placement
from bot.messages.outgoing import Say
from bot.practice.grades import Grade, find_grade


class LevelCommands:
    """Answers `/level` and `/grade`."""

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
        grade = find_grade(request.person.grade)
        if grade is None and not account:
            grade = await find_chosen_grade(request.tx, request.update.lane)
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
        asked = await self._series.ask_placement(request.tx, placement, key, lane, request.person)
        if asked is None:
            return Reply((Say(lead or request.phrase("I have no exercises for this class yet.")),))
        return Reply((replace(asked, lead="\n\n".join(filter(None, (lead, asked.lead)))),))


def _start(request: CommandRequest, grade: Grade) -> Placement:
    return draw_placement(grade, _key(request))


def _key(request: CommandRequest) -> str:
    return f"{request.update.lane}/{request.seq}"
