"""People: found by number or id, their accounts, and credits given by operators."""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from typing import Final

from aiohttp import web

from bot.accounts import ledger
from bot.accounts.ledger import Entry
from bot.accounts.people import Account, People, grant_credits, list_accounts
from bot.accounts.phone_numbers import InvalidNumber, mask
from bot.contracts.storage import MAX_BIGINT, Database, parse_whole_number
from bot.errors import BadRequest, NotFound
from bot.messages.channels import WEB, Channel
from bot.web.operator.operator_auth import PATH
from bot.web.operator.page_frame import (
    PAGE,
    PageFrame,
    View,
    answer_page,
    escape_text,
    log_action,
    mask_text,
    read_number,
    redirect_to,
    write_confirmation,
    write_facts,
    write_link,
    write_pager,
    write_row,
    write_rows,
    write_section,
)

MOST_CREDITS: Final = 1_000_000
"""Credits that are given at once."""


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
        older = {"before": found[PAGE - 1].id} if len(found) > PAGE else None
        head, label = view.phrase("People"), view.phrase("Number with + and country, or account id")
        main = (
            f"<h1>{head}</h1>{view.search('/people/find', label)}"
            f"{write_rows(view, [_write_line(view, each) for each in found[:PAGE]])}"
            f"{write_pager(view, '/people', {}, older, is_first='before' not in request.query)}"
        )
        return answer_page(view, head, main, here="/people")

    async def find(self, _: web.Request, __: View, fields: Mapping[str, str]) -> web.Response:
        """Redirect to the account. Not by GET: a number must not stand in logs of addresses."""
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
        identities = await self._people.identities(account.id)
        _, entries = await ledger.entries(self._database, account.id, newest=PAGE)
        name = view.phrase("Account {id}", id=account.id)
        done = write_confirmation(_describe_outcome(view, request.query.get("told", "")))
        main = (
            f"<h1>{name}</h1>{done if request.query.get('told') else ''}"
            f"{_write_facts(view, account, identities, has_number=has_number)}"
            f"{_write_grant(view, account)}{_write_entries(view, entries)}"
        )
        return answer_page(view, name, main, here="/people")

    async def grant(
        self, request: web.Request, view: View, fields: Mapping[str, str]
    ) -> web.Response:
        """Grant credits to an account that is in use; the same form sent twice grants them once."""
        amount = parse_whole_number(fields.get("amount", ""), MOST_CREDITS)
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
            log_action(view, "granted", account=account.id, amount=amount, balance=balance)
        return redirect_to(f"/people/{account.id}?told={'granted' if given else 'before'}")


def _describe_outcome(view: View, told_: str) -> str:
    if told_ == "granted":
        return view.phrase("The credits are booked.")
    return view.phrase("These credits were booked before; nothing was added.")


def _write_line(view: View, account: Account) -> str:
    top = write_link(f"/people/{account.id}", view.phrase("Account {id}", id=account.id))
    name = f" {escape_text(account.name)}" if account.name else ""
    return write_row(
        top + name,
        _mask_number(view, account),
        view.phrase_count("{number} credit", "{number} credits", account.balance),
        _name_mode(view, account.mode),
        _name_language(view, account.language),
        escape_text(account.grade) if account.grade else "",
        view.moment(account.created_at),
    )


def _mask_number(view: View, account: Account) -> str:
    return escape_text(mask(account.phone)) if account.phone else view.phrase("erased")


def _write_facts(
    view: View,
    account: Account,
    identities: Sequence[tuple[Channel, str]],
    *,
    has_number: bool,
) -> str:
    number = _mask_number(view, account)
    if account.phone and has_number:
        number = escape_text(account.phone)
    elif account.phone:
        path = f"/people/{account.id}"
        number += " " + write_link(path, view.phrase("Show the number"), {"number": 1})
    places = ", ".join(
        f"{escape_text(channel)} {_mask_address(channel, where)}" for channel, where in identities
    )
    facts = (
        (view.phrase("Number"), number),
        (view.phrase("Name"), escape_text(account.name or "–")),
        (view.phrase("Balance"), f"<b>{view.number(account.balance)}</b>"),
        (view.phrase("Mode"), _name_mode(view, account.mode)),
        (view.phrase("Language"), _name_language(view, account.language)),
        (view.phrase("Class"), escape_text(account.grade or "–")),
        (view.phrase("Since"), view.moment(account.created_at)),
        (view.phrase("Reached by"), places or "–"),
    )
    return write_facts(facts)


def _name_mode(view: View, mode: str) -> str:
    words = {"child": view.phrase("pupil"), "pro": view.phrase("professional")}
    return words.get(mode, escape_text(mode))


def _name_language(view: View, language: str) -> str:
    words = {"fr": view.phrase("French"), "en": view.phrase("English")}
    return words.get(language, escape_text(language))


def _name_entry(view: View, kind: str) -> str:
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
    return words.get(kind, escape_text(kind))


def _mask_address(channel: Channel, where: str) -> str:
    """Mask numbers; a web session's address is a hash and left out."""
    if channel == WEB:
        return ""
    return escape_text(mask(where) if where.startswith("+") else where)


def _write_grant(view: View, account: Account) -> str:
    if not account.phone:
        return ""
    label = view.phrase("Credits to give")
    field = (
        f'<input type="hidden" name="once" value="{secrets.token_hex(12)}">'
        f'<label>{label}<input name="amount" type="number" min="1" '
        f'max="{MOST_CREDITS}" required inputmode="numeric"></label>'
    )
    form = view.form(f"/people/{account.id}/grant", field, view.phrase("Give"), "find")
    words = view.phrase("It is booked at once, and logged. To erase a person: griot people erase.")
    return write_section(
        "grant", view.phrase("Give credits"), f'{form}<p class="facts">{words}</p>'
    )


def _write_entries(view: View, entries: Sequence[Entry]) -> str:
    lines = [
        write_row(
            f"<b>{each.amount:+}</b> {_name_entry(view, each.kind)}",
            view.moment(each.at),
            f"<code>{mask_text(each.key)}</code>",
        )
        for each in reversed(entries)
    ]
    return write_section("entries", view.phrase("The newest entries"), write_rows(view, lines))
