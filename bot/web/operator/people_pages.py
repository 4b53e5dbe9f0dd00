"""Pages of people: find them by number or id, show their accounts, grant credits; and how many are
new to each skill, learn it and master it, without names."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from bot.accounts import ledger
from bot.accounts.people import People
from bot.accounts.phone_numbers import InvalidNumber, mask
from bot.contracts.storage import MAX_BIGINT, Database, Transaction, parse_whole_number
from bot.errors import BadRequest, NotFound
from bot.gateway.admin import grant_credits, list_accounts
from bot.learning.skills.learner_model import count_by_skill, count_learners
from bot.learning.skills.skill_map import Skill
from bot.messages.channels import WEB, Channel
from bot.practice.grades import GRADES
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import (
    PAGE,
    PageFrame,
    View,
    answer_page,
    log_action,
    make_list_page,
    read_number,
    redirect_to,
)

MOST_CREDITS: Final = 1_000_000
"""The most credits that one form grants."""


class PeoplePages:
    def __init__(self, frame: PageFrame, database: Database, people: People) -> None:
        self._frame = frame
        self._database = database
        self._people = people

    def routes(self) -> list[web.RouteDef]:
        one = f"{PATH}/people/{{account:[0-9]{{1,18}}}}"
        return [
            web.get(f"{PATH}/people", self._frame.show_page(self.listing)),
            web.post(f"{PATH}/people/find", self._frame.handle_form(self.find)),
            web.get(one, self._frame.show_page(self.one)),
            web.post(f"{one}/grant", self._frame.handle_form(self.grant)),
        ]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        before = read_number(request, "before", MAX_BIGINT)
        found = await list_accounts(self._database, before=before, limit=PAGE + 1)
        people = make_list_page(request, found, lambda account: account.id)
        return await answer_page(view, "people.html", people=people, mask=mask)

    async def find(self, _: web.Request, __: View, fields: Mapping[str, str]) -> web.Response:
        """Redirect to the account. By POST, so that no number appears in logs of addresses."""
        wanted = fields.get("wanted", "").strip()[:40]
        try:
            account = await self._people.find(wanted)
        except InvalidNumber:
            raise NotFound("Nobody has this number.") from None
        return redirect_to(f"/people/{account.id}")

    async def one(self, request: web.Request, view: View) -> web.Response:
        account = await self._people.find(request.match_info["account"])
        has_number = request.query.get("number") == "1"
        if has_number:
            log_action(view, "read_number", account=account.id)
        known = await self._people.list_addresses(account.id)
        _, entries = await ledger.entries(self._database, account.id, newest=PAGE)
        return await answer_page(
            view,
            "account.html",
            account=account,
            identities=[
                (each.channel, _mask_address(each.channel, each.address)) for each in known
            ],
            entries=entries[::-1],
            has_number=has_number,
            mask=mask,
            most_credits=MOST_CREDITS,
            once=secrets.token_hex(12),
            outcome=request.query.get("told", ""),
        )

    async def grant(
        self, request: web.Request, view: View, fields: Mapping[str, str]
    ) -> web.Response:
        """Grant credits to an account that is in use; the same form sent twice grants them once."""
        amount = parse_whole_number(fields.get("amount", ""), MOST_CREDITS)
        once = fields.get("once", "")
        if not amount:
            raise BadRequest("Not a number of credits.")
        account = await self._people.find(request.match_info["account"])
        if account.erased or not 8 <= len(once) <= 64:
            raise NotFound("Nobody has this account.")
        given, balance = await grant_credits(
            self._database, self._people, account.id, amount, key=f"grant:operator:{once}"
        )
        if given:
            log_action(view, "granted", account=account.id, amount=amount, balance=balance)
        return redirect_to(f"/people/{account.id}?told={'granted' if given else 'before'}")


def _mask_address(channel: Channel, name: str) -> str:
    """Return an address with a number masked; empty for web sessions, which are not told apart."""
    if channel == WEB:
        return ""
    return mask(name) if name.startswith("+") else name


# Skills ------------------------------------------------------------------------------------------


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
