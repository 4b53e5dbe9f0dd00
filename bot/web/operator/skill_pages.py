"""The page of skills: how many people are new to each, learn it and master it, without names."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aiohttp import web

from bot.contracts.storage import Database, Transaction
from bot.learning.skills.learner_model import count_by_skill, count_learners
from bot.learning.skills.skill_map import Skill
from bot.practice.grades import GRADES
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import PageFrame, View, answer_page


@dataclass(frozen=True, slots=True)
class SkillCount:
    """The number of learners in each state of a skill."""

    name: str
    grade: str
    new: int
    """Learners without an answer on it."""
    learning: int
    mastered: int

    def share(self, number: int) -> float:
        """Return a number of learners in percent of all."""
        return 100 * number / (self.new + self.learning + self.mastered)


class SkillPages:
    def __init__(self, frame: PageFrame, database: Database) -> None:
        self._frame = frame
        self._database = database

    def routes(self) -> list[web.RouteDef]:
        return [web.get(f"{PATH}/skills", self._frame.show_page(self.listing))]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        """Show the skills that have answers; with `?grade=CM2` those of one grade."""
        grade = request.query.get("grade", "")
        grade = grade if grade in GRADES else ""

        async def work(tx: Transaction) -> tuple[int, list[tuple[Skill, int, int]]]:
            return await count_learners(tx), await count_by_skill(tx)

        learners, found = await self._database.read(work)
        return await answer_page(
            view,
            "skills.html",
            learners=learners,
            grade=grade,
            grades=[each for each in GRADES if any(skill.grade == each for skill, _, _ in found)],
            skills=_list_counts(view.language, learners, found, grade),
        )


def _list_counts(
    language: str, learners: int, found: Sequence[tuple[Skill, int, int]], grade: str
) -> list[SkillCount]:
    return [
        SkillCount(
            skill.name(language),
            skill.grade,
            learners - learning - mastered,
            learning,
            mastered,
        )
        for skill, learning, mastered in found
        if grade in ("", skill.grade)
    ]
