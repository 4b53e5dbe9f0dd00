"""`griot credits`: balances, ledger entries, grants and refunds."""

from __future__ import annotations

import asyncio
import secrets
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from bot.cli.cli_runtime import (
    Json,
    day_time,
    print_json,
    print_table,
    read_database,
    run_with_database,
    warn,
)
from bot.cli.people import Person, find_known, new_number

if TYPE_CHECKING:
    from bot.accounts.ledger import Entry, Mismatch
    from bot.contracts.storage import Database
    from bot.settings import Settings

app = typer.Typer(help="Show, grant, refund and check credits.", no_args_is_help=True)


@app.command()
def show(person: Person, as_json: Json = False) -> None:
    """Show a balance and every ledger entry behind it, oldest first."""
    from bot.accounts import ledger
    from bot.accounts.people import People

    async def work(settings: Settings, database: Database) -> tuple[int, list[Entry]]:
        account = await People(database, settings).find(person)
        return await ledger.entries(database, account.id)

    balance, entries = read_database(work)
    if as_json:
        print_json({"balance": balance, "entries": entries})
        return
    rows = [(day_time(entry.at), f"{entry.amount:+}", entry.kind, entry.key) for entry in entries]
    print_table(("at", "amount", "kind", "key"), rows)
    typer.echo(f"balance {balance}")


_MOST_GRANTED: Final = 1_000_000_000


def _require_positive(amount: int) -> int:
    if not 1 <= amount <= _MOST_GRANTED:
        raise typer.BadParameter(f"the amount must be positive, from 1 to {_MOST_GRANTED}")
    return amount


@app.command(context_settings={"ignore_unknown_options": True})
def grant(
    person: Person,
    amount: Annotated[
        int,
        typer.Argument(help="Number of credits, from 1.", callback=_require_positive),
    ],
    key: Annotated[
        str, typer.Option(help="Book only once under this key, however often it is run.")
    ] = "",
) -> None:
    """Give credits; create an account for an unknown number."""
    unique = key or f"grant:{secrets.token_hex(8)}"
    booked, balance = run_with_database(
        lambda settings, database: _grant(settings, database, person, amount, unique)
    )
    typer.echo(f"+{amount}, balance {balance}" if booked else f"booked before, balance {balance}")


async def _grant(
    settings: Settings, database: Database, person: str, amount: int, key: str
) -> tuple[bool, int]:
    """Grant the credits; return whether they were booked now, and the balance afterwards."""
    from bot.accounts.people import People
    from bot.gateway.admin import grant_credits
    from bot.settings.loading import ensure_secret_key

    known = await find_known(People(database, settings), person)
    if known is None:  # an account's welcome is booked under a key made with the secret
        settings = ensure_secret_key(settings, required=True)
    people = People(database, settings)
    account, phone = (known.id, "") if known else (None, new_number(person))
    return await grant_credits(database, people, account, amount, key=key, phone=phone)


@app.command()
def refund(
    purchase: Annotated[
        str, typer.Argument(metavar="PURCHASE", help="Id of the purchase: 24 digits.")
    ],
    charge: Annotated[
        str,
        typer.Option(help="Second payment in Telegram Stars to refund, from the log."),
    ] = "",
) -> None:
    """Refund a payment and take back the credits that are left of it."""
    taken = run_with_database(
        lambda settings, database: _refund(settings, database, purchase, charge),
        makes_database=False,
    )
    typer.echo(f"refunded, {taken} credits taken back")


async def _refund(settings: Settings, database: Database, purchase: str, charge: str) -> int:
    from bot.billing.providers import open_providers
    from bot.billing.purchase_service import PurchaseService
    from bot.billing.refunds import CLAIM, Refunds, RefundUnfinished
    from bot.channel_registry import open_channels
    from bot.errors import SettingsError
    from bot.files.store import FileStore
    from bot.observability import Metrics
    from bot.storage.blobs import open_blobs

    async def tell(*_: object) -> None:
        """Send no message, since nothing is credited here."""

    files = FileStore(database, open_blobs(settings))
    channels = open_channels(settings, files.read)
    metrics = Metrics()
    service = PurchaseService(database, settings, metrics, open_providers(settings), tell)
    refunds = Refunds(database, service, metrics, channels.telegram)
    try:
        if charge:
            await refunds.refund_charge(purchase, charge)
            return 0
        return await refunds.refund(purchase)
    except RefundUnfinished as error:
        raise SettingsError(str(error)) from None
    except ConnectionError as error:
        raise SettingsError(f"{error}; nothing was changed, try again") from None
    except asyncio.CancelledError:
        warn(f"interrupted: it may have been given back. Ask again in {CLAIM / 60:.0f} minutes")
        raise
    finally:
        for adapter in channels.adapters:
            await adapter.close()


@app.command()
def check(
    person: Annotated[
        str,
        typer.Argument(
            metavar="[PERSON]", help="Phone number or account id; everybody if left out."
        ),
    ] = "",
    as_json: Json = False,
) -> None:
    """Check that balances are the sums of their entries; else exit 1."""
    from bot.accounts import ledger
    from bot.accounts.people import People
    from bot.storage.database import describe_database

    async def work(settings: Settings, database: Database) -> tuple[str, list[Mismatch]]:
        only = (await People(database, settings).find(person)).id if person else None
        found = [item for item in await ledger.check(database) if only in {None, item.account}]
        return describe_database(settings), found

    place, wrong = read_database(work)
    if as_json:
        print_json(wrong)
    elif wrong:
        rows: list[tuple[Any, ...]] = [(item.account, item.balance, item.total) for item in wrong]
        print_table(("account", "balance", "sum of entries"), rows)
    else:
        typer.echo(f"every balance in {place} is the sum of its entries")
    if wrong:
        warn(f"balances in {place} are not the sums of their entries")
        raise typer.Exit(1)
