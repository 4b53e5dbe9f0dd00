"""People: found by number or id, what they have, and credits that operators give."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Final

from aiohttp import web

from bot.accounts import ledger
from bot.accounts.directory import list_accounts
from bot.accounts.grants import grant_credits
from bot.accounts.ledger import Entry
from bot.accounts.numbers import InvalidNumber, mask
from bot.accounts.people import Account, People
from bot.contracts import Database
from bot.errors import BadRequest, NotFound
from bot.messages import Channel
from bot.web.operator.desk import Desk, answer_page, go, note, number_in
from bot.web.operator.door import PATH
from bot.web.operator.view import (
    PAGE,
    View,
    link,
    mask_all,
    pager,
    row,
    rows,
    section,
    show,
    told,
    write_facts,
)
from bot.whole_numbers import BIGGEST, read_whole_number

MOST: Final = 1_000_000
"""Credits that are given at once."""


class PeoplePages:
    def __init__(self, desk: Desk, database: Database, people: People) -> None:
        self._desk = desk
        self._database = database
        self._people = people

    def routes(self) -> list[web.RouteDef]:
        one = f"{PATH}/people/{{account:[0-9]{{1,18}}}}"
        return [
            web.get(f"{PATH}/people", self._desk.page(self.listing)),
            web.post(f"{PATH}/people/find", self._desk.form(self.find)),
            web.get(one, self._desk.page(self.one)),
            web.post(f"{one}/grant", self._desk.form(self.grant)),
        ]

    async def listing(self, request: web.Request, view: View) -> web.Response:
        before = number_in(request, "before", BIGGEST)
        found = await list_accounts(self._database, before=before, limit=PAGE + 1)
        older = {"before": found[PAGE - 1].id} if len(found) > PAGE else None
        head, label = view.phrase("People"), view.phrase("Number with + and country, or account id")
        main = (
            f"<h1>{head}</h1>{view.search('/people/find', label)}"
            f"{rows(view, [_write_line(view, each) for each in found[:PAGE]])}"
            f"{pager(view, '/people', {}, older, is_first='before' not in request.query)}"
        )
        return answer_page(view, head, main, here="/people")

    async def find(self, _: web.Request, __: View, fields: Mapping[str, str]) -> web.Response:
        """Not by GET: a number is to stand in no log of addresses."""
        wanted = fields.get("wanted", "").strip()[:40]
        try:
            account = await self._people.find(wanted)
        except InvalidNumber:
            raise NotFound("Nobody has this number.") from None
        return go(f"/people/{account.id}")

    async def one(self, request: web.Request, view: View) -> web.Response:
        account = await self._people.find(request.match_info["account"])
        has_number = request.query.get("number") == "1"
        if has_number:
            note(view, "read_number", account=account.id)
        identities = await self._people.identities(account.id)
        _, entries = await ledger.entries(self._database, account.id, newest=PAGE)
        name = view.phrase("Account {id}", id=account.id)
        done = told(_outcome(view, request.query.get("told", "")))
        main = (
            f"<h1>{name}</h1>{done if request.query.get('told') else ''}"
            f"{_write_facts(view, account, identities, has_number=has_number)}"
            f"{_write_grant(view, account)}{_write_entries(view, entries)}"
        )
        return answer_page(view, name, main, here="/people")

    async def grant(
        self, request: web.Request, view: View, fields: Mapping[str, str]
    ) -> web.Response:
        """Credits for an account that somebody has; the same form sent twice gives them once."""
        amount = read_whole_number(fields.get("amount", ""), MOST)
        once = fields.get("once", "")
        if not amount:
            raise BadRequest("Not a number of credits.")
        account = await self._people.find(request.match_info["account"])
        if not account.phone or not 8 <= len(once) <= 64:
            raise NotFound("Nobody has this account.")
        given, balance = await grant_credits(
            self._database, self._people, account.id, amount, key=f"grant:operator:{once}"
        )
        if given:
            note(view, "granted", account=account.id, amount=amount, balance=balance)
        return go(f"/people/{account.id}?told={'granted' if given else 'before'}")


def _outcome(view: View, told_: str) -> str:
    if told_ == "granted":
        return view.phrase("The credits are booked.")
    return view.phrase("These credits were booked before; nothing was added.")


def _write_line(view: View, account: Account) -> str:
    top = link(f"/people/{account.id}", view.phrase("Account {id}", id=account.id))
    name = f" {show(account.name)}" if account.name else ""
    return row(
        top + name,
        _number(view, account),
        view.phrase_count("{number} credit", "{number} credits", account.balance),
        _mode_word(view, account.mode),
        _language_word(view, account.language),
        show(account.grade) if account.grade else "",
        view.moment(account.created_at),
    )


def _number(view: View, account: Account) -> str:
    return show(mask(account.phone)) if account.phone else view.phrase("erased")


def _write_facts(
    view: View,
    account: Account,
    identities: Sequence[tuple[Channel, str]],
    *,
    has_number: bool,
) -> str:
    number = _number(view, account)
    if account.phone and has_number:
        number = show(account.phone)
    elif account.phone:
        path = f"/people/{account.id}"
        number += " " + link(path, view.phrase("Show the number"), {"number": 1})
    places = ", ".join(f"{show(channel)} {_place(channel, where)}" for channel, where in identities)
    facts = (
        (view.phrase("Number"), number),
        (view.phrase("Name"), show(account.name or "–")),
        (view.phrase("Balance"), f"<b>{view.number(account.balance)}</b>"),
        (view.phrase("Mode"), _mode_word(view, account.mode)),
        (view.phrase("Language"), _language_word(view, account.language)),
        (view.phrase("Class"), show(account.grade or "–")),
        (view.phrase("Since"), view.moment(account.created_at)),
        (view.phrase("Reached by"), places or "–"),
    )
    return write_facts(facts)


def _mode_word(view: View, mode: str) -> str:
    words = {"child": view.phrase("pupil"), "pro": view.phrase("professional")}
    return words.get(mode, show(mode))


def _language_word(view: View, language: str) -> str:
    words = {"fr": view.phrase("French"), "en": view.phrase("English")}
    return words.get(language, show(language))


def _entry_word(view: View, kind: str) -> str:
    words = {
        "bonus": view.phrase("bonus"),
        "grant": view.phrase("given by an operator"),
        "join": view.phrase("accounts joined"),
        "purchase": view.phrase("purchase"),
        "refund": view.phrase("given back"),
        "reserve": view.phrase("held for a turn"),
        "settle": view.phrase("left over from a turn"),
        "welcome": view.phrase("welcome credits"),
    }
    return words.get(kind, show(kind))


def _place(channel: Channel, where: str) -> str:
    """Numbers are masked; a web session's address is a hash that tells nobody anything."""
    if channel == "http":
        return ""
    return show(mask(where) if where.startswith("+") else where)


def _write_grant(view: View, account: Account) -> str:
    if not account.phone:
        return ""
    label = view.phrase("Credits to give")
    field = (
        f'<input type="hidden" name="once" value="{secrets.token_hex(12)}">'
        f'<label>{label}<input name="amount" type="number" min="1" '
        f'max="{MOST}" required inputmode="numeric"></label>'
    )
    form = view.form(f"/people/{account.id}/grant", field, view.phrase("Give"), "find")
    words = view.phrase("It is booked at once, and logged. To erase a person: griot people erase.")
    return section("grant", view.phrase("Give credits"), f'{form}<p class="facts">{words}</p>')


def _write_entries(view: View, entries: Sequence[Entry]) -> str:
    lines = [
        row(
            f"<b>{each.amount:+}</b> {_entry_word(view, each.kind)}",
            view.moment(each.at),
            f"<code>{mask_all(each.key)}</code>",
        )
        for each in reversed(entries)
    ]
    return section("entries", view.phrase("The newest entries"), rows(view, lines))
