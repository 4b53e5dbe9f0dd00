"""Settings that are of use only together: of a channel, of the mail, of a way to pay."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from bot.checks.findings import Finding
from bot.settings import Settings


@dataclass(frozen=True, slots=True)
class Group:
    """Settings that are of use only together."""

    name: str
    needed: Sequence[str]
    one_of: Sequence[str] = ()
    needs_address: bool = False
    """It works with `PUBLIC_URL` only."""
    webhook: str = ""
    """The path of the address that has to be entered at the provider."""
    other_use: str = ""
    """A setting that `needed` is also of use for, without any of `one_of` and without address."""


TWILIO: Final = Group(
    "Twilio",
    ("twilio_account_sid", "twilio_auth_token"),
    one_of=("twilio_sms_from", "twilio_whatsapp_from"),
    needs_address=True,  # its signatures hold the address, and its reports come there
    webhook="/webhooks/twilio",
    other_use="twilio_verify_service_sid",
)
WHATSAPP: Final = Group(
    "WhatsApp",
    (
        "whatsapp_token",
        "whatsapp_phone_number_id",
        "whatsapp_app_secret",
        "whatsapp_verify_token",
    ),
    webhook="/webhooks/whatsapp",
)
GROUPS: Final = (
    TWILIO,
    WHATSAPP,
    Group("mail", ("smtp_url", "mail_from")),
    Group(
        "Stripe",
        ("stripe_secret_key", "stripe_webhook_secret"),
        needs_address=True,
        webhook="/webhooks/payments/stripe",
    ),
    Group(
        "Paystack",
        ("paystack_secret_key",),
        needs_address=True,
        webhook="/webhooks/payments/paystack",
    ),
    Group(
        "CinetPay",
        ("cinetpay_api_key", "cinetpay_site_id", "cinetpay_secret_key"),
        needs_address=True,
    ),
    Group(
        "Flutterwave",
        ("flutterwave_secret_key", "flutterwave_hash"),
        needs_address=True,
        webhook="/webhooks/payments/flutterwave",
    ),
    Group(
        "Wave",
        ("wave_api_key", "wave_webhook_secret"),
        needs_address=True,
        webhook="/webhooks/payments/wave",
    ),
    Group(
        "MTN MoMo",
        ("mtn_momo_user", "mtn_momo_key", "mtn_momo_subscription_key"),
        needs_address=True,
    ),
    Group("S3 keys", ("aws_access_key_id", "aws_secret_access_key")),
)


def check_group(settings: Settings, group: Group) -> Iterator[Finding]:
    """Nothing for a group that is not used at all."""
    values = {name: getattr(settings, name) for name in (*group.needed, *group.one_of)}
    if not any(values.values()):
        return
    is_channel = any(values[name] for name in group.one_of)
    if group.other_use and getattr(settings, group.other_use) and not is_channel:
        return
    missing = [name.upper() for name in group.needed if not values[name]]
    if group.one_of and not is_channel:
        missing.append(" or ".join(name.upper() for name in group.one_of))
    if missing:
        left = ", ".join(name.upper() for name, value in values.items() if value)
        advice = f"set it, or leave out {left}"
        problem = f"half set up: {', '.join(missing)} missing"
        yield Finding("error", group.name, problem, advice, "missing")
    elif group.needs_address and settings.public_url is None:
        advice = "set PUBLIC_URL to the address that people reach"
        problem = "it calls us back, but PUBLIC_URL is not set"
        yield Finding("error", group.name, problem, advice, "missing")
    elif group.webhook and settings.public_url:
        yield Finding("ok", group.name, f"set up, to call {settings.public_url}{group.webhook}")
    else:
        yield Finding("ok", group.name, "set up")
