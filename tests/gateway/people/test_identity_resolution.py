"""Whose conversation it is, where people have numbers and user ids, hide and change them."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from bot.accounts import ledger
from bot.accounts.people import KnownAddress
from bot.contracts.storage import Transaction
from bot.errors import ToolFailed
from bot.gateway.people.erasure import Erasure
from bot.messages.channels import Channel
from bot.messages.incoming import IdentityChanged, Said, Sender, Update, UpdateContent
from bot.messages.outgoing import Say, TextBody
from tests.adapters.conformance.stage import SlowModel
from tests.support.fakes import FakeModel, reply
from tests.support.phones import MakePhones, Phones, phones_of
from tests.support.queries import change_rows, read_rows
from tests.support.waiting import until

AWA, BINTA, NEW = "+2250701020304", "+2250701020305", "+2250701020399"
USER, OTHER, THIRD = "CI.13491208655302741918", "CI.99", "CI.77"
_KEYS = itertools.count()
_CLOCK = itertools.count(int(time.time()) - 10_000)


@pytest.fixture
async def phones(app: Callable[..., Any]) -> MakePhones:
    return phones_of(app)


def sent(
    content: str | UpdateContent,
    number: str = "",
    user_id: str = "",
    *,
    at: float | None = None,
    key: str = "",
) -> Update:
    """An update as an adapter makes it of what a provider tells."""
    address, key = number or user_id, key or f"k{next(_KEYS)}"
    return Update(
        "whatsapp",
        "wa",
        address,
        Sender(address, user_id=user_id),
        key,
        key,
        Said(content) if isinstance(content, str) else content,
        at=next(_CLOCK) if at is None else at,
    )


class Network:
    """WhatsApp, as it tells of people."""

    def __init__(self, phones: Phones, model: FakeModel) -> None:
        self.phones = phones
        self.model = model

    async def bring(self, *updates: Update) -> None:
        await self.phones.app.app.inbox.store(updates)
        await until(self.phones.app.settled)

    def answered(self) -> list[str]:
        """To which number or user id each answer went."""
        return [
            delivery.conversation
            for delivery in self.phones.whatsapp.delivered
            if isinstance(delivery.body, TextBody) and "Bien reçu" in delivery.body.text
        ]

    async def accounts(self) -> list[dict[str, Any]]:
        rows = await read_rows(self.phones.database, "account")
        return sorted((dict(row) for row in rows), key=lambda row: row["id"])

    async def addresses(self) -> list[KnownAddress]:
        [account] = [row for row in await self.accounts() if row["part_of"] is None]
        return await self.phones.app.app.people.list_addresses(account["id"])

    def known_to_model(self) -> str:
        """All that the last request told the model."""
        return str(self.model.requests[-1].messages)


@pytest.fixture
async def network(phones: MakePhones) -> Network:
    model = FakeModel(*[reply("Bien reçu.")] * 12)
    return Network(await phones(model, welcome_credits=50), model)


async def test_one_person_through_all_changes_of_ids(network: Network) -> None:
    await network.bring(sent("un", AWA, USER))
    await network.bring(sent("deux", "", USER))
    await network.bring(sent("trois", AWA, USER))
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER))
    await network.bring(sent("quatre", NEW, OTHER))
    await network.bring(sent(IdentityChanged("", THIRD), NEW, OTHER))
    await network.bring(sent("cinq", "", THIRD))
    [account] = await network.accounts()
    assert (account["phone"], account["user_id"]) == (None, THIRD)  # the next one is not told
    assert account["balance"] == 50 - 5
    assert all(word in network.known_to_model() for word in ("un", "deux", "trois", "quatre"))
    assert network.answered() == [AWA, AWA, AWA, NEW, THIRD]
    assert await network.addresses() == [KnownAddress("whatsapp", THIRD)]
    assert await ledger.check(network.phones.database) == []


async def list_addresses_of(network: Network, account: dict[str, Any]) -> set[str]:
    known = await network.phones.app.app.people.list_addresses(account["id"])
    return {each.address for each in known}


async def test_an_account_known_by_both_has_two_addresses(network: Network) -> None:
    await network.bring(sent("un", AWA, USER))
    assert await network.addresses() == [
        KnownAddress("whatsapp", AWA),
        KnownAddress("whatsapp", USER, AWA),
    ]


async def test_who_hides_the_number_from_the_first_message_on_has_an_account(
    network: Network,
) -> None:
    await network.bring(sent("un", "", USER))
    [account] = await network.accounts()
    assert (account["phone"], account["user_id"], account["country"]) == (None, USER, "CI")
    assert account["balance"] == 49
    assert network.answered() == [USER]
    assert await network.addresses() == [KnownAddress("whatsapp", USER)]


async def test_a_number_that_becomes_known_adds_no_credits(network: Network) -> None:
    await network.bring(sent("un", "", USER))
    await network.bring(sent("deux", AWA, USER))
    [account] = await network.accounts()
    assert (account["phone"], account["balance"]) == (AWA, 48)
    assert network.answered() == [USER, AWA]
    assert "un" in network.known_to_model()
    await network.phones.say("trois", "sms", AWA)
    assert [row["balance"] for row in await network.accounts()] == [47]


async def test_a_number_that_has_an_account_joins_it(network: Network) -> None:
    await network.phones.say("zéro", "sms", AWA)
    await network.bring(sent("un", "", USER))
    await network.bring(sent("deux", AWA, USER))
    [whole, part] = await network.accounts()
    assert part["part_of"] == whole["id"]
    assert (whole["balance"], part["balance"]) == (
        50 - 2,
        0,
    )  # welcomed once, but for what is spent
    assert "zéro" in network.known_to_model()
    assert "un" in network.known_to_model()


async def test_a_user_id_that_comes_later_belongs_to_the_number(network: Network) -> None:
    await network.bring(sent("un", AWA))
    await network.bring(sent("deux", AWA, USER))
    await network.bring(sent("trois", "", USER))
    [account] = await network.accounts()
    assert (account["phone"], account["user_id"], account["balance"]) == (AWA, USER, 47)
    assert network.answered() == [AWA, AWA, AWA]


@pytest.mark.parametrize("first", [True, False], ids=["with user id", "without"])
async def test_a_new_owner_of_a_number_sees_nothing_of_the_former(
    network: Network, *, first: bool
) -> None:
    await network.bring(sent("secret", AWA, USER if first else ""))
    await network.bring(sent("secret", AWA, USER))
    await network.phones.say("secret", "sms", AWA)
    await network.bring(sent("bonjour", AWA, OTHER))
    assert "secret" not in network.known_to_model()
    former, new = await network.accounts()
    assert (former["phone"], former["user_id"], former["balance"]) == (None, USER, 47)
    assert (new["phone"], new["user_id"], new["balance"]) == (AWA, OTHER, 49)
    await network.phones.say("bonjour", "sms", AWA)
    assert "secret" not in network.known_to_model()
    assert (await network.accounts())[1]["balance"] == 48
    await network.bring(sent("encore moi", "", USER))
    assert "secret" in network.known_to_model()
    assert network.answered()[-1] == USER


async def test_the_former_owner_keeps_what_was_said_by_sms(network: Network) -> None:
    await network.bring(sent("un", AWA, USER))
    await network.phones.say("par SMS", "sms", AWA)
    await network.bring(sent("bonjour", AWA, OTHER))
    await network.phones.say("ici Binta", "sms", AWA)
    await network.bring(sent("deux", "", USER))
    assert "par SMS" in network.known_to_model()
    assert "ici Binta" not in network.known_to_model()
    former, new = await network.accounts()
    assert await list_addresses_of(network, former) == {USER}
    assert await list_addresses_of(network, new) == {AWA, OTHER}
    app = network.phones.app.app
    await Erasure(app.database, app.files, app.settings).erase_account(former["id"])
    await network.phones.say("encore Binta", "sms", AWA)
    assert "ici Binta" in network.known_to_model()
    assert [one.conversation for one in network.phones.sms.delivered] == [AWA] * 3
    texts = str(await read_rows(network.phones.database, "inbox"))
    assert "par SMS" not in texts
    assert "ici Binta" in texts


async def test_what_was_sent_by_sms_stays_with_who_never_wrote_there(network: Network) -> None:
    await network.bring(sent("un", AWA, USER))
    await network.bring(sent("bonjour", AWA, OTHER))
    await network.phones.say("ici Binta", "sms", AWA)
    identities = await read_rows(network.phones.database, "identity", channel="sms")
    former, new = await network.accounts()
    owners = {row["address"]: row["account"] for row in identities}
    assert owners.pop(AWA) == former["id"]
    assert list(owners.values()) == [new["id"]]


async def test_no_notice_for_who_never_wrote_by_sms_reaches_the_new_owner(network: Network) -> None:
    await network.bring(sent("un", AWA, USER))
    await network.bring(sent("bonjour", AWA, OTHER))
    former, _ = await network.accounts()
    app = network.phones.app.app

    async def remind(tx: Transaction) -> None:
        await app.notifier.find(tx, "sms", account=former["id"], may_wait=False)

    async def tell(tx: Transaction) -> None:
        place = await app.notifier.find_at(tx, "sms", AWA)
        await app.notifier.hand_over(
            tx, place, [Say("Ton compte sert aussi ailleurs.")], key="told"
        )

    with pytest.raises(ToolFailed):
        await app.database.write(remind)
    await app.database.write(tell)
    await network.phones.say("bonjour", "sms", AWA)
    texts = [
        each.body.text for each in network.phones.sms.delivered if isinstance(each.body, TextBody)
    ]
    assert texts == ["Bien reçu."]


async def test_a_number_has_a_third_owner_and_its_first_again(network: Network) -> None:
    await network.bring(sent("un", AWA, USER))
    await network.phones.say("Zadio", "sms", AWA)
    await network.bring(sent("deux", AWA, OTHER))
    await network.phones.say("Yobou", "sms", AWA)
    await network.bring(sent("trois", AWA, THIRD))
    await network.phones.say("Kouassi", "sms", AWA)
    assert not any(word in network.known_to_model() for word in ("Zadio", "Yobou"))
    await network.bring(sent(IdentityChanged(AWA, "CI.11"), "", USER))
    await network.phones.say("me revoilà", "sms", AWA)
    assert "Zadio" in network.known_to_model()
    assert not any(word in network.known_to_model() for word in ("Yobou", "Kouassi"))


@pytest.mark.parametrize("new_number", [NEW, ""], ids=["told", "hidden"])
@pytest.mark.parametrize("is_late", [False, True], ids=["first", "after a message"])
async def test_a_number_that_was_changed_leaves_its_account_on_all_channels(
    network: Network, *, is_late: bool, new_number: str
) -> None:
    await network.bring(sent("secret", AWA, USER))
    await network.phones.say("secret", "sms", AWA)
    change = sent(IdentityChanged(new_number, OTHER), AWA, USER)
    if is_late:
        await network.bring(sent("secret", new_number, OTHER))
    await network.bring(change)
    await network.phones.say("bonjour", "sms", AWA)
    former, *_, new = await network.accounts()
    assert (former["phone"], former["user_id"]) == (new_number or None, OTHER)
    assert (new["phone"], new["balance"]) == (AWA, 0)  # the number was welcomed before
    assert await list_addresses_of(network, former) == {new_number or OTHER, OTHER}
    await network.bring(sent("encore moi", new_number, OTHER))
    assert "secret" in network.known_to_model()


async def test_a_number_that_was_left_is_free_for_whoever_comes_without_user_id(
    network: Network,
) -> None:
    await network.bring(sent("secret", AWA, USER))
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER))
    await network.bring(sent("bonjour", AWA))
    assert "secret" not in network.known_to_model()
    assert network.answered() == [AWA, AWA]
    await network.bring(sent("encore", AWA))
    assert "bonjour" in network.known_to_model()
    assert len(await network.accounts()) == 2
    await network.bring(sent("encore moi", NEW, OTHER))
    assert "secret" in network.known_to_model()


async def test_who_keeps_the_number_after_all_is_joined_without_a_second_welcome(
    network: Network,
) -> None:
    await network.bring(sent("un", AWA, USER, at=time.time()))
    await network.bring(sent(IdentityChanged("", OTHER), "", USER, at=time.time()))
    await network.bring(sent("deux", AWA, at=time.time()))
    await network.bring(sent("trois", AWA, OTHER, at=time.time()))
    accounts = await network.accounts()
    [whole] = [row for row in accounts if row["part_of"] is None]
    assert (whole["phone"], whole["balance"]) == (
        AWA,
        50 - 2,
    )  # welcomed once, but for what is spent
    assert all(word in network.known_to_model() for word in ("un", "deux"))
    assert await ledger.check(network.phones.database) == []


async def test_who_writes_before_the_change_is_told_is_joined_without_a_second_welcome(
    network: Network,
) -> None:
    await network.bring(sent("un", AWA, USER))
    await network.bring(sent("deux", NEW, OTHER))
    assert [row["balance"] for row in await network.accounts()] == [49, 49]
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER))
    await network.bring(sent("trois", NEW, OTHER))
    known, part = await network.accounts()
    assert part["part_of"] == known["id"]
    assert (known["phone"], known["user_id"]) == (NEW, OTHER)
    assert (known["balance"], part["balance"]) == (48, 0)
    assert all(word in network.known_to_model() for word in ("un", "deux"))
    assert network.answered() == [AWA, NEW, NEW]
    assert await ledger.check(network.phones.database) == []


async def test_who_writes_from_the_new_number_alone_before_its_change_is_joined(
    network: Network,
) -> None:
    await network.bring(sent("un", AWA, USER))
    await network.bring(sent("deux", NEW, at=time.time()))
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER, at=time.time()))
    await network.bring(sent("trois", NEW, OTHER, at=time.time()))
    known, part = await network.accounts()
    assert part["part_of"] == known["id"]
    assert (known["phone"], known["user_id"]) == (NEW, OTHER)
    assert (known["balance"], part["balance"]) == (48, 0)
    assert all(word in network.known_to_model() for word in ("un", "deux"))
    assert await ledger.check(network.phones.database) == []


@pytest.mark.parametrize(("channel", "age"), [("whatsapp", 86_400), ("sms", 0)])
async def test_an_account_of_the_new_number_may_be_another_persons(
    network: Network, channel: Channel, age: float
) -> None:
    if channel == "sms":
        await network.phones.say("secret", "sms", NEW)
    else:
        await network.bring(sent("secret", NEW))
    [other] = await network.accounts()
    opened = {"created_at": time.time() - age}
    await change_rows(network.phones.database, "account", opened, id=other["id"])
    await network.bring(sent("un", AWA, USER))
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER, at=time.time()))
    await network.bring(sent("deux", NEW, OTHER, at=time.time()))
    assert "secret" not in network.known_to_model()
    assert [row["part_of"] for row in await network.accounts()] == [None, None]


async def test_who_has_no_number_is_answered_at_the_new_user_id(network: Network) -> None:
    await network.bring(sent("un", "", USER))
    await network.bring(sent(IdentityChanged("", OTHER), "", USER))
    await network.bring(sent("deux", "", OTHER))
    [account] = await network.accounts()
    assert account["user_id"] == OTHER
    assert network.answered() == [USER, OTHER]


async def test_a_change_and_the_first_message_after_it_may_come_at_the_same_moment(
    network: Network,
) -> None:
    network.model.add(*[reply("Bien reçu.")] * 20)
    people = [
        (f"+22507020304{n:02d}", f"+22507020305{n:02d}", f"CI.{n}0", f"CI.{n}1") for n in range(8)
    ]
    for former, _, user_id, _ in people:
        await network.bring(sent("un", former, user_id))
    for former, new, user_id, other in people:
        change = sent(IdentityChanged(new, other), former, user_id)
        messages = [sent("deux", new, other), change, sent("trois", "", other)]
        await asyncio.gather(*(network.phones.app.app.inbox.store([each]) for each in messages))
    await until(network.phones.app.settled)
    for _, new, _, other in people:
        await network.bring(sent("quatre", new, other))
    accounts = await network.accounts()
    current = {row["id"]: row for row in accounts if row["part_of"] is None}
    assert len(current) == len(people)
    assert sorted(row["phone"] for row in current.values()) == sorted(
        new for _, new, _, _ in people
    )
    answers = network.answered()
    assert len(answers) == 4 * len(people)
    assert await ledger.check(network.phones.database) == []


async def test_who_is_joined_while_the_answer_to_the_number_alone_is_made_gets_it(
    phones: MakePhones,
) -> None:
    model = SlowModel(*[reply("Bien reçu.")] * 4, number=0)
    network = Network(await phones(model, welcome_credits=50), model)
    await network.phones.app.app.inbox.store([sent("un", AWA)])
    await model.begun.wait()
    await network.phones.app.app.inbox.store([sent("secret", "", USER), sent("trois", AWA, USER)])
    model.may_go_on.set()
    await until(network.phones.app.settled)
    assert sorted(network.answered()) == [AWA] * 3
    [account] = [row for row in await network.accounts() if row["part_of"] is None]
    assert (account["phone"], account["balance"]) == (AWA, 50 - 3)
    await network.bring(sent("bonjour", AWA, OTHER))
    assert "secret" not in network.known_to_model()


async def test_who_was_joined_by_number_gets_nothing_at_it_once_another_has_it(
    phones: MakePhones,
) -> None:
    model = SlowModel(*[reply("Bien reçu.")] * 4, number=0)
    network = Network(await phones(model, welcome_credits=50), model)
    await network.phones.app.app.inbox.store([sent("un", AWA)])
    await model.begun.wait()
    await network.phones.app.app.inbox.store([sent("secret", "", USER), sent("trois", AWA, USER)])
    await network.phones.app.app.inbox.store([sent("bonjour", AWA, OTHER)])
    model.may_go_on.set()
    await until(network.phones.app.settled)
    assert sorted(network.answered()) == sorted([AWA, USER, USER, USER])


async def test_first_messages_by_number_and_user_id_may_come_at_the_same_moment(
    network: Network,
) -> None:
    network.model.add(*[reply("Bien reçu.")] * 40)
    people = [(f"+22507020304{n:02d}", f"CI.{n}0") for n in range(8)]
    for number, user_id in people:
        ids = [(number, ""), ("", user_id), (number, user_id), (number, user_id)]
        messages = [sent(f"message {n}", *each) for n, each in enumerate(ids)]
        await asyncio.gather(*(network.phones.app.app.inbox.store([each]) for each in messages))
    await until(network.phones.app.settled)
    accounts = [row for row in await network.accounts() if row["part_of"] is None]
    assert sorted(row["phone"] for row in accounts) == sorted(number for number, _ in people)
    assert len(network.answered()) == 4 * len(people)
    assert await ledger.check(network.phones.database) == []


async def test_a_new_owner_who_wrote_by_sms_first_is_one_person(network: Network) -> None:
    await network.bring(sent("secret", AWA, USER))
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER))
    await network.phones.say("ici Binta", "sms", AWA)
    await network.bring(sent("bonjour", AWA, THIRD))
    former, new = await network.accounts()
    assert (former["phone"], former["user_id"]) == (NEW, OTHER)
    assert (new["phone"], new["user_id"]) == (AWA, THIRD)


async def test_a_new_owner_who_wrote_by_sms_first_is_one_person_by_number_too(
    network: Network,
) -> None:
    await network.bring(sent("secret", AWA, USER))
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER))
    await network.phones.say("ici Binta", "sms", AWA)
    await network.bring(sent("bonjour", AWA))
    _, new = await network.accounts()
    assert await list_addresses_of(network, new) == {AWA}


async def test_credits_that_a_running_turn_holds_are_taken_back_with_the_welcome(
    phones: MakePhones,
) -> None:
    model = SlowModel(*[reply("Bien reçu.")] * 2, number=1)
    network = Network(await phones(model, welcome_credits=50), model)
    await network.bring(sent("un", AWA, USER))
    await network.phones.app.app.inbox.store([sent("deux", NEW, OTHER)])
    await model.begun.wait()
    await network.phones.app.app.inbox.store([sent(IdentityChanged(NEW, OTHER), AWA, USER)])
    model.may_go_on.set()
    await until(network.phones.app.settled)
    known, part = await network.accounts()
    assert (known["balance"], part["balance"]) == (48, 0)
    assert await ledger.check(network.phones.database) == []


async def test_a_change_from_an_unknown_id_stores_the_new_one_only(network: Network) -> None:
    await network.bring(sent(IdentityChanged(NEW, OTHER), BINTA, USER))
    assert await network.accounts() == []
    await network.bring(sent("un", NEW, OTHER))
    [account] = await network.accounts()
    assert (account["phone"], account["user_id"]) == (NEW, OTHER)


async def test_changes_that_cross_lead_to_one_person(network: Network) -> None:
    await network.bring(sent("un", AWA, USER))
    first, second = next(_CLOCK), next(_CLOCK)
    await network.bring(sent(IdentityChanged(NEW, THIRD), BINTA, OTHER, at=second))
    await network.bring(sent(IdentityChanged(BINTA, OTHER), AWA, USER, at=first))
    await network.bring(sent("deux", NEW, THIRD))
    [account] = await network.accounts()
    assert (account["phone"], account["user_id"], account["balance"]) == (NEW, THIRD, 48)
    assert "un" in network.known_to_model()
    assert network.answered() == [AWA, NEW]


async def test_changes_of_user_ids_that_cross_lead_to_the_last_of_them(network: Network) -> None:
    await network.bring(sent("un", "", USER))
    first, second = next(_CLOCK), next(_CLOCK)
    await network.bring(sent(IdentityChanged("", THIRD), "", OTHER, at=second))
    await network.bring(sent(IdentityChanged("", OTHER), "", USER, at=first))
    await network.bring(sent("deux", "", THIRD))
    [account] = await network.accounts()
    assert (account["user_id"], account["balance"]) == (THIRD, 48)
    assert network.answered() == [USER, THIRD]
    assert await network.addresses() == [KnownAddress("whatsapp", THIRD)]


@pytest.mark.parametrize("times", [1, 2])
async def test_a_change_that_comes_again_changes_nothing(network: Network, times: int) -> None:
    await network.bring(sent("un", AWA, USER))
    change = sent(IdentityChanged(NEW, OTHER), AWA, USER)
    await network.bring(change)
    await network.bring(sent(IdentityChanged("", THIRD), NEW, OTHER))
    for _ in range(times):
        await network.bring(change)
    await network.bring(sent("deux", "", THIRD))
    [account] = await network.accounts()
    assert account["user_id"] == THIRD
    assert network.answered() == [AWA, THIRD]


async def test_what_comes_late_from_before_a_change_is_theirs_and_changes_nothing(
    network: Network,
) -> None:
    await network.bring(sent("un", AWA, USER))
    late = sent("deux", AWA, USER)
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER))
    await network.bring(sent("trois", AWA, THIRD))  # somebody new has the number
    await network.bring(late)
    former, new = await network.accounts()
    assert (former["phone"], new["phone"], new["user_id"]) == (NEW, AWA, THIRD)
    assert "un" in network.known_to_model()
    assert network.answered() == [AWA, AWA, NEW]


async def test_an_id_that_comes_back_after_a_join_is_theirs_again(network: Network) -> None:
    await network.bring(sent("secret", AWA, USER))
    await network.bring(sent("deux", NEW, OTHER))
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER))
    await network.bring(sent(IdentityChanged(AWA, USER), NEW, OTHER))
    await network.bring(sent("trois", "", USER))
    assert "secret" in network.known_to_model()
    await network.bring(sent("a stranger", AWA, THIRD))
    assert "secret" not in network.known_to_model()
    await network.bring(sent("quatre", "", USER))
    assert "secret" in network.known_to_model()
    current = [row for row in await network.accounts() if row["part_of"] is None]
    assert [(row["phone"], row["user_id"]) for row in current] == [(None, USER), (AWA, THIRD)]
    assert network.answered() == [AWA, NEW, AWA, AWA, USER]
    assert await ledger.check(network.phones.database) == []


async def test_user_ids_that_change_there_and_back_leave_nobody_unanswered(
    network: Network,
) -> None:
    await network.bring(sent("un", "", USER))
    await network.bring(sent("deux", "", OTHER))
    await network.bring(sent(IdentityChanged("", OTHER), "", USER))
    await network.bring(sent(IdentityChanged("", USER), "", OTHER))
    await network.bring(sent("trois", "", USER))
    await network.bring(sent("quatre", "", OTHER))
    [account] = [row for row in await network.accounts() if row["part_of"] is None]
    assert account["user_id"] == USER
    assert await network.addresses() == [KnownAddress("whatsapp", USER)]
    assert network.answered() == [USER, OTHER, USER, USER]
    assert await ledger.check(network.phones.database) == []


async def test_a_known_person_who_takes_over_a_number_keeps_their_own(network: Network) -> None:
    await network.bring(sent("secret", AWA, USER))
    await network.bring(sent("mine", BINTA, OTHER))
    await network.bring(sent("again", AWA, OTHER))
    assert "secret" not in network.known_to_model()
    assert "mine" in network.known_to_model()
    former, other = await network.accounts()
    assert (former["phone"], other["phone"]) == (None, AWA)
    assert network.answered() == [AWA, BINTA, AWA]


@pytest.mark.parametrize(
    "ids",
    [("", "ci.99"), ("", "CI.a b"), ("", "+225"), ("", "CI." + "9" * 129), ("", "")],
)
async def test_an_id_of_a_wrong_form_is_no_id(network: Network, ids: Sequence[str]) -> None:
    """Adapters refuse those; here nothing is stored under them."""
    number, user_id = ids
    await network.bring(sent("un", AWA, USER))
    update = sent(IdentityChanged(number, user_id), AWA, USER)
    await network.bring(update)
    [account] = await network.accounts()
    assert account["user_id"] == USER


async def test_all_that_leads_to_a_person_is_erased(network: Network) -> None:
    await network.bring(sent("un", AWA, USER))
    await network.bring(sent(IdentityChanged(NEW, OTHER), AWA, USER))
    [account] = await network.accounts()
    app = network.phones.app.app
    await Erasure(app.database, app.files, app.settings).erase_account(account["id"])
    assert await read_rows(network.phones.database, "alias") == []
    await network.bring(sent("deux", AWA, USER))
    erased, new = await network.accounts()
    assert (erased["erased"], erased["phone"], erased["user_id"]) == (1, None, None)
    assert (new["phone"], new["user_id"], new["balance"]) == (AWA, USER, 0)
