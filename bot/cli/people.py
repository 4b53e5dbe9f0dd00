"""`griot people`: list, show and erase people, and print tokens."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.cli_runtime import (
    Json,
    Limit,
    day_time,
    print_fields,
    print_json,
    print_table,
    read_database,
    run_with_database,
    warn,
)
from bot.errors import NotFound

if TYPE_CHECKING:
    from bot.accounts.people import Account, People
    from bot.contracts.storage import Database
    from bot.settings import Settings

app = typer.Typer(help="List, show and erase people; print tokens.", no_args_is_help=True)
Person = Annotated[
    str, typer.Argument(metavar="PERSON", help="Phone number (+225…) or account id.")
]


@app.command("list")
def list_people(as_json: Json = False, limit: Limit = 1000) -> None:
    """List the people who have an account, newest first."""
    from bot.gateway.admin import list_accounts

    accounts = read_database(lambda _, database: list_accounts(database, limit=limit))
    if as_json:
        print_json(accounts)
        return
    print_table(
        ("id", "phone", "name", "mode", "language", "grade", "balance", "since"),
        [
            (*list(asdict(account).values())[:-2], day_time(account.created_at))
            for account in accounts
        ],
    )


@app.command()
def show(person: Person, as_json: Json = False) -> None:
    """Show a person and the addresses that belong to the account.

    Of an account that was joined into another, that other one is shown.
    """
    from bot.accounts.people import People

    async def work(settings: Settings, database: Database) -> dict[str, Any]:
        people = People(database, settings)
        account = await people.find(person)
        known = [asdict(each) for each in await people.list_addresses(account.id)]
        named = [{name: value for name, value in each.items() if value} for each in known]
        return {**asdict(account), "identities": named}

    found = read_database(work)
    if person.isdecimal() and int(person) != found["id"]:
        warn(f"account {int(person)} was joined into account {found['id']}, which is shown")
    if as_json:
        print_json(found)
        return
    identities = [f"{item['channel']}:{item['address']}" for item in found["identities"]]
    since = day_time(found["created_at"])
    print_fields(**found | {"identities": ", ".join(identities), "created_at": since})


@app.command()
def token(person: Person) -> None:
    """Print an API token; create an account if there is none."""

    async def work(settings: Settings, database: Database) -> str:
        from bot.accounts.people import People
        from bot.settings.loading import ensure_secret_key

        people = People(database, ensure_secret_key(settings, required=True))
        known = await find_known(people, person)
        if known:
            return await people.issue_token_of_account(known.id)
        return await people.issue_token(new_number(person))

    typer.echo(run_with_database(work))


@app.command()
def erase(
    person: Person,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
) -> None:
    """Erase a person and all their data; this cannot be undone.

    The ledger stays, without anything that names the person.
    """
    from bot.accounts.people import People

    account = read_database(lambda settings, database: People(database, settings).find(person))
    if not yes:
        whom = "nobody any more" if account.erased else account.phone or "number hidden"
        lost = f"{account.balance} credits" if account.balance else "no credits"
        warn(f"account {account.id} ({whom}, {lost}) will be erased for good")
        typer.confirm("Go on?", abort=True, err=True)

    async def work(settings: Settings, database: Database) -> None:
        from bot.files.store import FileStore
        from bot.gateway.people.erasure import Erasure
        from bot.settings.loading import ensure_secret_key
        from bot.storage.blobs import open_blobs

        secret = ensure_secret_key(settings, required=True)
        files = FileStore(database, open_blobs(settings))
        await Erasure(database, files, secret).erase_account(account.id)

    run_with_database(work)
    typer.echo(f"account {account.id} is erased; its ledger is kept")


async def find_known(people: People, person: str) -> Account | None:
    """Return the person's account; None for an E.164 number that has none yet.

    Raises:
        NotFound: there is no such account or user id, or its person was erased.
        InvalidNumber: it is neither an id nor a number.
    """
    try:
        account = await people.find(person)
    except NotFound:
        if person.startswith("+"):
            return None
        raise
    if account.erased:
        raise NotFound(f"The person of account {account.id} was erased.")
    return account


def new_number(person: str) -> str:
    """Return the number in E.164 form, and announce on stderr that it gets a new account."""
    from bot.accounts.phone_numbers import parse_mobile

    phone = parse_mobile(person)
    warn(f"new account for {phone}")
    return phone
