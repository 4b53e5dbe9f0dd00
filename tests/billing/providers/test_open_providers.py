from __future__ import annotations

from typing import Any

import pytest

from bot.billing.providers import PROVIDERS, open_providers
from bot.billing.providers.cinetpay import CinetPay, CinetPayV1
from bot.settings import Settings
from tests.support.payment_methods import TILLS


def test_nothing_is_opened_whose_settings_are_not_set() -> None:
    assert open_providers(Settings()) == {}


@pytest.mark.parametrize("entry", PROVIDERS, ids=lambda entry: entry.module)
def test_a_provider_that_is_half_set_up_is_not_opened(entry: Any) -> None:
    needed = entry.needed
    for left_out in needed:
        values = {name: "x" for name in needed if name != left_out}
        assert open_providers(Settings.model_validate(values)) == {}


@pytest.mark.parametrize("entry", PROVIDERS, ids=lambda entry: entry.module)
def test_a_provider_is_opened_under_its_own_name(entry: Any) -> None:
    module, needed = entry.module, entry.needed
    values = dict.fromkeys(needed, "x") | {"secret_key": "a secret for tests only"}
    [(name, provider)] = open_providers(Settings.model_validate(values)).items()
    assert name == provider.name
    assert module in {name, f"{name}_v1"}
    assert provider.title
    assert {"XOF", "XAF"} & set(provider.currencies)


def test_the_flows_of_payments_run_through_each_provider() -> None:
    tried = sorted(name.removesuffix("_v1") for name in TILLS)  # of two APIs of one provider
    assert tried == sorted(entry.module for entry in PROVIDERS), "tests/support/payment_methods.py"


def test_a_password_chooses_the_newer_api_of_cinetpay() -> None:
    older = dict.fromkeys(("cinetpay_api_key", "cinetpay_site_id", "cinetpay_secret_key"), "x")
    for password, kind in (("", CinetPay), ("x", CinetPayV1)):
        values = older | {"cinetpay_api_password": password}
        [provider] = open_providers(Settings.model_validate(values)).values()
        assert isinstance(provider, kind)


def test_only_who_may_have_asked_the_person_already_is_asked_again() -> None:
    values = {name: "x" for entry in PROVIDERS for name in entry.needed} | {"secret_key": "x"}
    providers = open_providers(Settings.model_validate(values))
    assert [name for name, each in providers.items() if each.reopens] == ["mtn_momo"]
