"""`griot credits`: the ledger."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Annotated, Any

import typer

from bot.cli.desk import consult
from bot.cli.output import Json, day_time, print_json, print_table
from bot.cli.people import Person, find_known, new_number

if TYPE_CHECKING:
    from bot.accounts.ledger import Entry, Mismatch
    from bot.accounts.people import People
    from bot.contracts import Database, Transaction
    from bot.settings import Settings

app = typer.Typer(help="Balances and the entries behind them.", no_args_is_help=True)


@app.command()
def show(person: Person, as_json: Json = False) -> None:
    """The balance and every entry behind it, oldest first."""
    from bot.accounts import ledger
    from bot.accounts.people import People

    async def work(settings: Settings, database: Database) -> tuple[int, list[Entry]]:
        account = await People(database, settings).find(person)
        return await ledger.entries(database, account.id)

    balance, entries = consult(work)
    if as_json:
        print_json({"balance": balance, "entries": entries})
        return
    rows = [(day_time(entry.at), f"{entry.amount:+}", entry.kind, entry.key) for entry in entries]
    print_table(("at", "amount", "kind", "key"), rows)
    typer.echo(f"balance {balance}")


@app.command()
def grant(
    person: Person,
    amount: Annotated[int, typer.Argument(min=1, max=1_000_000_000)],
    key: Annotated[str, typer.Option(help="Book it once only under this key.")] = "",
) -> None:
    """Give credits; an unknown number gets an account."""
    unique = key or f"grant:{secrets.token_hex(8)}"
    booked, balance = consult(
        lambda settings, database: _grant(settings, database, person, amount, unique)
    )
    typer.echo(f"+{amount}, balance {balance}" if booked else f"booked before, balance {balance}")


async def _grant(
    settings: Settings, database: Database, person: str, amount: int, key: str
) -> tuple[bool, int]:
    """Whether it was booked now, and the balance after it."""
    from bot.accounts import ledger
    from bot.accounts.people import People
    from bot.assembly import with_secret

    known = await find_known(People(database, settings), person)
    if known is None:  # its welcome is booked under a key made with the secret
        settings = with_secret(settings, required=True)
    people, phone = People(database, settings), "" if known else new_number(person)

    async def work(tx: Transaction) -> tuple[bool, int]:
        account = known.id if known else await _open_account(tx, people, phone)
        booked = await ledger.book(tx, account=account, amount=amount, kind="grant", key=key)
        return booked, await ledger.balance_of(tx, account)

    return await database.write(work)


async def _open_account(tx: Transaction, people: People, phone: str) -> int:
    """A new account, reached by its number itself, which is what an SMS proves."""
    from bot.messages import Sender

    return (await people.log_in(tx, "sms", Sender(phone), phone)).account or 0


@app.command()
def check(
    person: Annotated[str, typer.Argument(metavar="[PERSON]", help="Everybody if left out.")] = "",
    as_json: Json = False,
) -> None:
    """Whether every balance is the sum of its entries: exit code 1 if not."""
    from bot.accounts import ledger
    from bot.accounts.people import People

    async def work(settings: Settings, database: Database) -> list[Mismatch]:
        only = (await People(database, settings).find(person)).id if person else None
        return [item for item in await ledger.check(database) if only in {None, item.account}]

    wrong = consult(work)
    if as_json:
        print_json(wrong)
    elif wrong:
        rows: list[tuple[Any, ...]] = [(item.account, item.balance, item.total) for item in wrong]
        print_table(("account", "balance", "sum of entries"), rows)
    else:
        typer.echo("every balance is the sum of its entries")
    if wrong:
        raise typer.Exit(1)
