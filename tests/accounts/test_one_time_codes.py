"""One-time codes: what they prove, to whom, how often, and what is kept of them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from bot.accounts.one_time_codes import (
    CODE_SECONDS,
    GUESSES_PER_DAY,
    PAUSE,
    PER_ASKER,
    PER_PREFIX,
    PER_TARGET,
    TRIES,
    Asker,
    CodeRefused,
    Issued,
    OneTimeCodes,
)
from bot.contracts.storage import Database
from bot.settings import Settings
from tests.support.queries import (
    FromNow,
    Plus,
    add_row,
    change_rows,
    read_row,
    read_rows,
    read_values,
)

AWA = "+2250701020304"
TELEGRAM = Asker("telegram", "1", "en")
WEB = Asker("http", "network", "en")
ANOTHER = Asker("telegram", "another", "en")
MakeSettings = Callable[..., Settings]


class Desk:
    def __init__(self, database: Database, codes: OneTimeCodes) -> None:
        self.database = database
        self.codes = codes

    async def issue(
        self, target: str = AWA, asker: Asker = TELEGRAM, prefix: str = "225"
    ) -> Issued:
        return await self.database.write(lambda tx: self.codes.issue(tx, target, prefix, asker))

    async def give(self, code: str, asker: Asker = TELEGRAM, target: str = "") -> str | None:
        sealed = self.codes.seal(code)
        return await self.database.write(lambda tx: self.codes.redeem(tx, sealed, asker, target))

    async def pass_time(self, seconds: float) -> None:
        await change_rows(
            self.database, "code", {"created_at": Plus(-seconds), "expires_at": Plus(-seconds)}
        )


@pytest.fixture
def desk(database: Database, settings: Settings) -> Desk:
    return Desk(database, OneTimeCodes(settings))


counted = pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
"""Many tries on one engine; a few of each kind are made on both."""


def wrong(right: str) -> str:
    return f"{(int(right) + 1) % 1_000_000:06d}"


async def test_the_code_proves_the_number_it_was_sent_to_once(desk: Desk) -> None:
    code = desk.codes.reveal((await desk.issue()).id)
    assert len(code) == 6
    assert code.isdecimal()
    assert await desk.give(wrong(code)) is None
    assert await desk.give(code) == AWA
    assert await desk.give(code) is None


async def test_whoever_did_not_ask_cannot_use_it(desk: Desk) -> None:
    code = desk.codes.reveal((await desk.issue()).id)
    assert await desk.give(code, Asker("telegram", "2")) is None
    assert await desk.give(code, Asker("whatsapp", "1")) is None
    assert await desk.give(code) == AWA


async def test_over_http_the_number_is_named_and_a_chats_code_does_not_count(desk: Desk) -> None:
    chats = desk.codes.reveal((await desk.issue()).id)
    webs = desk.codes.reveal((await desk.issue(asker=WEB)).id)
    elsewhere = Asker("http", "another network")
    assert await desk.give(chats, elsewhere, AWA) is None
    assert await desk.give(webs, elsewhere, "+2250701020305") is None
    assert await desk.give(webs, elsewhere, AWA) == AWA


async def test_after_five_tries_even_the_right_one_is_refused(desk: Desk) -> None:
    code = desk.codes.reveal((await desk.issue()).id)
    for _ in range(TRIES):
        assert await desk.give(wrong(code)) is None
    assert await desk.give(code) is None


async def test_tries_at_the_same_moment_are_counted_each(desk: Desk) -> None:
    code = desk.codes.reveal((await desk.issue()).id)
    await asyncio.gather(*(desk.give(wrong(code)) for _ in range(20)))
    row = await read_row(desk.database, "code")
    assert row["tries"] == TRIES
    assert await desk.give(code) is None


async def test_it_expires(desk: Desk) -> None:
    code = desk.codes.reveal((await desk.issue()).id)
    await desk.pass_time(CODE_SECONDS + 1)
    assert await desk.give(code) is None


async def test_the_older_of_two_still_counts_and_then_neither(desk: Desk) -> None:
    """Messages arrive late, and in any order."""
    first = desk.codes.reveal((await desk.issue()).id)
    await desk.pass_time(PAUSE + 1)
    again = await desk.issue()
    assert again.again
    assert await desk.give(first) == AWA
    assert await desk.give(desk.codes.reveal(again.id)) is None


async def test_another_comes_after_a_minute_only(desk: Desk) -> None:
    assert not (await desk.issue()).again
    with pytest.raises(CodeRefused, match="on its way"):
        await desk.issue()
    await desk.pass_time(PAUSE + 1)
    await desk.issue()


async def test_after_one_was_used_another_comes_at_once_and_the_first_way(desk: Desk) -> None:
    assert await desk.give(desk.codes.reveal((await desk.issue()).id)) == AWA
    assert not (await desk.issue()).again


async def test_a_number_is_sent_five_an_hour_whoever_asks(desk: Desk) -> None:
    for each in range(PER_TARGET):
        await desk.issue(asker=Asker("telegram", str(each)))
    with pytest.raises(CodeRefused, match="an hour"):
        await desk.issue(asker=ANOTHER)
    await desk.issue(target="+2250701020305")
    await desk.pass_time(3601)
    await desk.issue(asker=ANOTHER)


async def test_a_flood_at_the_same_moment_is_held_to_the_same_limit(desk: Desk) -> None:
    asked = (desk.issue(asker=Asker("telegram", str(each), "en")) for each in range(30))
    results = await asyncio.gather(*asked, return_exceptions=True)
    assert sum(isinstance(result, Issued) for result in results) == PER_TARGET


async def test_one_asker_is_served_twenty_an_hour(desk: Desk) -> None:
    for each in range(PER_ASKER):
        await desk.issue(target=f"+22507010203{each:02d}")
    with pytest.raises(CodeRefused, match="an hour"):
        await desk.issue(target="+2250701020399")


async def test_a_country_is_sent_no_flood(desk: Desk) -> None:
    async def fill(tx: Any) -> None:
        for name in (f"x{n}" for n in range(PER_PREFIX)):
            await add_row(
                tx, "code", id=name, target=name, prefix="225", channel="http", address=name
            )

    await desk.database.write(fill)
    with pytest.raises(CodeRefused):
        await desk.issue()
    await desk.issue(target="+221770000000", prefix="221")


async def test_a_flood_of_unknown_numbers_does_not_lock_out_accounts(desk: Desk) -> None:
    known, other, unknown = AWA, "+2250701020305", "+2250701020306"

    async def fill(tx: Any, target: str) -> None:
        for n in range(PER_PREFIX):
            name = f"{target}/{n}"
            await add_row(
                tx, "code", id=name, target=target, prefix="225", channel="http", address=name
            )

    for id_, phone in ((1, known), (2, other)):
        await add_row(desk.database, "account", id=id_, phone=phone)
    await desk.database.write(lambda tx: fill(tx, "+2250999999999"))
    await desk.issue(target=known)
    with pytest.raises(CodeRefused):
        await desk.issue(target=unknown)
    await desk.database.write(lambda tx: fill(tx, other))
    with pytest.raises(CodeRefused):
        await desk.issue(target=known, asker=ANOTHER)


async def test_only_countries_that_are_served_get_codes(
    database: Database, make_settings: MakeSettings
) -> None:
    desk = Desk(database, OneTimeCodes(make_settings(otp_countries="+225,221")))
    await desk.issue()
    with pytest.raises(CodeRefused):
        await desk.issue(target="+33612345678", prefix="33")


@counted
async def test_ten_thousand_guesses_spread_over_identities_win_nothing(desk: Desk) -> None:
    """Whoever asks, a code falls to the arithmetic of five tries: 25 guesses an hour a number."""
    issued = [await desk.issue(asker=Asker("http", f"at {n}")) for n in range(PER_TARGET)]
    right = {desk.codes.reveal(each.id) for each in issued}
    guesses = [code for n in range(10_100) if (code := f"{n:06d}") not in right][:10_000]

    async def guess(tx: Any) -> int:
        won = 0
        for n, code in enumerate(guesses):
            asker = Asker("http", f"guesser {n % 500}")
            won += await desk.codes.redeem(tx, desk.codes.seal(code), asker, AWA) is not None
        return won

    assert await desk.database.write(guess) == 0
    tries = await read_rows(desk.database, "code")
    assert {row["tries"] for row in tries} == {TRIES}
    for code in right:
        assert await desk.give(code, Asker("http", "late"), AWA) is None


@counted
async def test_ten_thousand_guesses_spread_over_codes_are_five_a_code(desk: Desk) -> None:
    """Codes of many hours and identities, each guessed at by whoever asked for it, all day long."""
    rounds, guesses = 20, 100
    issued: dict[str, Asker] = {}
    for hour in range(rounds):
        for n in range(PER_TARGET):
            asker = Asker("telegram", f"{hour}:{n}")
            issued[(await desk.issue(asker=asker)).id] = asker
        await desk.pass_time(3601)
    await change_rows(desk.database, "code", {"expires_at": FromNow(300)})
    right = {desk.codes.reveal(each) for each in issued}
    wrongs = [code for n in range(guesses + 200) if (code := f"{n:06d}") not in right][:guesses]

    async def guess(tx: Any) -> list[str | None]:
        won: list[str | None] = []
        for code_id, asker in issued.items():
            tried = [*wrongs[:TRIES], desk.codes.reveal(code_id), *wrongs[TRIES:]]
            won += [await desk.codes.redeem(tx, desk.codes.seal(each), asker) for each in tried]
        return won

    assert set(await desk.database.write(guess)) == {None}
    tries = await read_values(desk.database, "code", "tries")
    assert len(tries) == rounds * PER_TARGET
    assert sum(tries) == TRIES * len(tries)


async def test_a_wrong_code_costs_the_same_work_whoever_it_is_for(
    database: Database, settings: Settings
) -> None:
    """Statements and hashes are counted, for a clock would tell of the machine."""
    codes = _Counted(settings)
    desk = Desk(database, codes)
    issued = await desk.issue(asker=WEB)
    typed = wrong(codes.reveal(issued.id))
    works = [await _work(desk, typed, number) for number in (AWA, "+2250701020399", "none")]
    assert works[0] == works[1] == works[2]
    assert works[0][1] > PER_TARGET
    other = Asker("telegram", "nobody who has asked")
    await desk.issue(asker=TELEGRAM, target="+2250701020398")
    assert await _work(desk, typed, "", TELEGRAM) == await _work(desk, typed, "", other)


class _Counted(OneTimeCodes):
    """Counts its hashes."""

    hashes = 0

    def _mac(self, purpose: str, text: str) -> str:
        self.hashes += 1
        return super()._mac(purpose, text)


class _Noted:
    """A transaction that notes its statements."""

    def __init__(self, tx: Any) -> None:
        self._tx = tx
        self.statements: list[str] = []

    def __getattr__(self, name: str) -> Any:
        async def note(sql: str, **values: Any) -> Any:
            self.statements.append(sql)
            return await getattr(self._tx, name)(sql, **values)

        return note


async def _work(desk: Desk, typed: str, number: str, asker: Asker = WEB) -> tuple[list[str], int]:
    """The statements and the number of hashes that a wrong code costs."""
    codes: Any = desk.codes

    async def give(tx: Any) -> tuple[list[str], int]:
        noted, before = _Noted(tx), codes.hashes
        found = await codes.redeem(noted, codes.seal(typed), asker, number)
        assert found is None
        return noted.statements, codes.hashes - before

    return await desk.database.write(give)


async def test_what_neighbours_guess_does_not_make_a_right_code_wrong(desk: Desk) -> None:
    """A school shares one address; only a second try of a code is refused there for the day."""
    for _ in range(GUESSES_PER_DAY + 1):
        await desk.give("123456", WEB, "+2250701020399")
    code = desk.codes.reveal((await desk.issue(asker=WEB)).id)
    assert await desk.give(code, WEB, AWA) == AWA
    code = desk.codes.reveal((await desk.issue(asker=WEB)).id)
    assert await desk.give(wrong(code), WEB, AWA) is None
    assert await desk.give(code, WEB, AWA) is None


async def test_right_codes_are_no_guesses(desk: Desk) -> None:
    for number in range(GUESSES_PER_DAY // PER_ASKER + 1):
        for n in range(PER_ASKER):
            target = f"+2250701{number:02d}{n:04d}"
            code = desk.codes.reveal((await desk.issue(target, WEB)).id)
            assert await desk.give(code, WEB, target) == target
        await desk.pass_time(3601)
    code = desk.codes.reveal((await desk.issue(asker=WEB)).id)
    assert await desk.give(wrong(code), WEB, AWA) is None
    assert await desk.give(code, WEB, AWA) == AWA


async def test_a_number_that_was_guessed_at_all_day_takes_one_try_a_code(desk: Desk) -> None:
    """From whatever addresses: the right code still counts, if it is the first that is tried."""
    for hour in range(GUESSES_PER_DAY // (TRIES * PER_TARGET)):
        for n in range(PER_TARGET):
            code = desk.codes.reveal((await desk.issue(asker=Asker("http", f"{hour}:{n}"))).id)
            for _ in range(TRIES):
                await desk.give(wrong(code), Asker("http", f"{hour}:{n}"), AWA)
        await desk.pass_time(3601)
    await change_rows(desk.database, "code", {"expires_at": FromNow(-1)})
    code = desk.codes.reveal((await desk.issue(asker=WEB)).id)
    assert await desk.give(code, WEB, AWA) == AWA
    code = desk.codes.reveal((await desk.issue(asker=ANOTHER)).id)
    assert await desk.give(wrong(code), ANOTHER) is None
    assert await desk.give(code, ANOTHER) is None


async def test_the_database_holds_no_code(desk: Desk) -> None:
    code = desk.codes.reveal((await desk.issue()).id)
    await desk.give(wrong(code))
    for table in ("code", "allowance"):
        rows = await read_rows(desk.database, table)
        assert code not in str(rows)


async def test_another_secret_makes_other_codes(
    database: Database, make_settings: MakeSettings
) -> None:
    one, other = (
        OneTimeCodes(make_settings(secret_key="a" * 32)),
        OneTimeCodes(make_settings(secret_key="b" * 32)),
    )
    ids = [f"{n:032x}" for n in range(20)]
    assert [one.reveal(i) for i in ids] == [one.reveal(i) for i in ids]
    assert [one.reveal(i) for i in ids] != [other.reveal(i) for i in ids]
    assert one.seal("123456") != other.seal("123456")
