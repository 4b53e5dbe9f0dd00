"""The payment providers, a module each; those that the settings name are opened here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Final

from bot.contracts.payments import PaymentProvider
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class _Entry:
    """A provider's module and class, and all settings that it needs."""

    module: str
    name: str
    needed: tuple[str, ...]


PROVIDERS: Final = (
    _Entry("wave", "Wave", ("wave_api_key", "wave_webhook_secret")),
    _Entry("mtn_momo", "MtnMomo", ("mtn_momo_user", "mtn_momo_key", "mtn_momo_subscription_key")),
    _Entry("cinetpay", "CinetPayV1", ("cinetpay_api_key", "cinetpay_api_password")),
    _Entry("cinetpay", "CinetPay", ("cinetpay_api_key", "cinetpay_site_id", "cinetpay_secret_key")),
    _Entry("paystack", "Paystack", ("paystack_secret_key",)),
    _Entry("flutterwave", "Flutterwave", ("flutterwave_secret_key", "flutterwave_hash")),
    _Entry("stripe", "Stripe", ("stripe_secret_key", "stripe_webhook_secret")),
)
"""All providers in the order in which people see them; of two with one name the first counts."""


def open_providers(settings: Settings) -> Mapping[str, PaymentProvider]:
    """Return the providers whose settings are all set, by name; only these are imported."""
    opened: dict[str, PaymentProvider] = {}
    for entry in PROVIDERS:
        if all(getattr(settings, name) for name in entry.needed):
            provider = _open(entry, settings)
            opened.setdefault(provider.name, provider)
    return opened


def _open(entry: _Entry, settings: Settings) -> PaymentProvider:
    module = import_module(f"bot.billing.providers.{entry.module}")
    return getattr(module, entry.name)(settings)
