from __future__ import annotations

import asyncio
import json
from pathlib import Path

from dotenv import dotenv_values

from bot.settings import Settings
from tests.cli.terminal import Run
from tests.standins.telegram import TelegramStandIn


def test_everything_wrong_is_explained_at_once(griot: Run, tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("port=abc\nWELCOME_CREDITS=many\n")

    examined = griot(
        "doctor",
        "--json",
        SECRET_KEY="",
        DATABASE_URL="sqlite:////nowhere/griot.db",
        REDIS_URL="redis://127.0.0.1:1/0",
        BLOB_URL="file:/dev/null/files",
        TELEGRAM_BOT_TOKEN="hidden",
        TELEGRAM_API_URL="http://127.0.0.1:1",
        TELEGRAM_BOT_TOKN="x",
        TWILIO_ACCOUNT_SID="AC1",
    )

    assert examined.returncode == 1
    found = json.loads(examined.stdout)
    assert {item["name"] for item in found if item["level"] == "error"} == {
        "PORT",
        "WELCOME_CREDITS",
        "SECRET_KEY",
        "OPENAI_API_KEY",
        "DATABASE_URL",
        "REDIS_URL",
        "BLOB_URL",
        "Twilio",
    }
    assert "TELEGRAM_BOT_TOKN" in {item["name"] for item in found if item["level"] == "warning"}
    assert all(item["advice"] for item in found if item["level"] != "ok")
    assert "hidden" not in examined.stdout + examined.stderr


def test_what_is_wrong_is_not_called_sound_as_well(griot: Run) -> None:
    wrong = {"PUBLIC_URL": "here", "DATABASE_URL": "mysql://x/y", "WHATSAPP_PRICES": "cheap"}
    examined = griot("doctor", "--offline", "--json", **wrong, TWILIO_SMS_FROM="+15005550006")

    found = [(item["level"], item["name"]) for item in json.loads(examined.stdout)]
    for name in wrong:
        assert [level for level, named in found if name in named.split(", ")] == ["error"]


def test_what_is_wrong_is_not_called_missing_as_well(griot: Run) -> None:
    examined = griot(
        "doctor",
        "--offline",
        "--json",
        PUBLIC_URL="here",
        PAYSTACK_SECRET_KEY="k",
        OPENAI_API_KEY="k",
    )

    found = [item for item in json.loads(examined.stdout) if item["level"] == "error"]
    assert [item["name"] for item in found] == ["PUBLIC_URL"]


def test_a_sound_installation_passes(griot: Run, tmp_path: Path) -> None:
    (tmp_path / "files").mkdir()
    examined = griot("doctor", "--offline", OPENAI_API_KEY="key", SEARXNG_URL="http://127.0.0.1:1")

    assert (examined.returncode, examined.stderr) == (0, "")
    assert "ERROR" not in examined.stdout
    assert "OK BLOB_URL: writable" in examined.stdout
    assert "SEARXNG_URL" not in examined.stdout
    assert examined.stdout.splitlines()[-1].endswith(" fine, 1 warning, 0 missing")


def test_a_file_of_settings_that_everybody_can_read_is_a_warning(
    griot: Run, tmp_path: Path
) -> None:
    file = tmp_path / ".env"
    file.touch()
    for mode, is_open in ((0o644, True), (0o640, False), (0o600, False)):
        file.chmod(mode)
        examined = griot("doctor", "--offline", OPENAI_API_KEY="key")
        assert ("WARNING .env: everybody" in examined.stdout) == is_open
        assert ("chmod 600 .env" in examined.stdout) == is_open


def test_it_makes_no_folder(griot: Run, tmp_path: Path) -> None:
    examined = griot("doctor", "--offline", BLOB_URL=f"file:{tmp_path}/my/files")

    assert "OK BLOB_URL: its folder is made at the first start" in examined.stdout
    assert not (tmp_path / "my").exists()


def test_it_ends_with_how_much_is_fine_missing_and_wrong(griot: Run) -> None:
    examined = griot("doctor", "--offline", SECRET_KEY="", PORT="abc")

    last = examined.stdout.splitlines()[-1]
    assert last.endswith(" fine, 0 warnings, 2 missing, 1 wrong")


def test_the_addresses_to_enter_at_providers_are_named_without_asking_them(griot: Run) -> None:
    examined = griot(
        "doctor",
        "--offline",
        PUBLIC_URL="https://griot.example",
        TWILIO_ACCOUNT_SID="AC1",
        TWILIO_AUTH_TOKEN="x",
        TWILIO_SMS_FROM="+15005550006",
        PAYSTACK_SECRET_KEY="x",
        TELEGRAM_BOT_TOKEN=f"123456:{'a' * 35}",
        TELEGRAM_WEBHOOK_SECRET="telegram-secret",
    )

    for path in ("twilio", "payments/paystack", "telegram"):
        assert f"set up, to call https://griot.example/webhooks/{path}\n" in examined.stdout
    assert "telegram-secret" not in examined.stdout
    assert "a" * 35 not in examined.stdout


def test_addresses_that_hold_a_key_are_named_as_a_whole_offline(griot: Run) -> None:
    values = {
        "SECRET_KEY": "k" * 40,
        "ORANGE_CLIENT_ID": "i",
        "ORANGE_CLIENT_SECRET": "hidden",
        "AFRICASTALKING_USERNAME": "u",
        "AFRICASTALKING_API_KEY": "hidden",
        "SMS_ROUTES": '{"225": "orange", "*": "africastalking"}',
        "OPENAI_API_KEY": "key",
    }
    examined = griot("doctor", "--offline", PUBLIC_URL="https://griot.example", **values)

    settings = Settings.model_validate({"secret_key": "k" * 40})
    for provider in ("orange", "africastalking"):
        [key] = settings.list_webhook_keys(provider)
        assert f"https://griot.example/webhooks/{provider}/{key}" in examined.stdout
    assert (examined.returncode, "hidden" in examined.stdout + examined.stderr) == (0, False)


def test_a_route_that_leads_nowhere_is_an_error(griot: Run) -> None:
    examined = griot("doctor", "--offline", OPENAI_API_KEY="key", SMS_ROUTES='{"225": "orange"}')

    assert examined.returncode == 1
    assert "ERROR SMS_ROUTES: sends +225 by orange, which is not set up" in examined.stdout


async def test_fix_mends_what_can_be_mended(griot: Run, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/new.db"
    async with TelegramStandIn() as telegram:
        telegram.webhook = {"url": "https://elsewhere.example/webhooks/telegram"}
        lines = {
            "TELEGRAM_BOT_TOKEN": telegram.token,
            "TELEGRAM_API_URL": telegram.url,
            "PUBLIC_URL": "https://griot.example",
            "OPENAI_API_KEY": "key",
        }
        (tmp_path / ".env").write_text("".join(f"{name}={lines[name]}\n" for name in lines))

        def fix(*options: str) -> str:
            mended = griot(
                "doctor",
                "--fix",
                *options,
                DATABASE_URL=url,
                OPENAI_BASE_URL="http://127.0.0.1:1",
                without=["SECRET_KEY"],
            )
            assert mended.returncode == 0, mended.stdout
            return mended.stdout

        first = await asyncio.to_thread(fix)
        second = await asyncio.to_thread(fix)

    made = dotenv_values(tmp_path / ".env")
    assert len(made["SECRET_KEY"] or "") > 30
    assert telegram.webhook["url"] == "https://griot.example/webhooks/telegram"
    assert telegram.webhook["secret_token"] == made["TELEGRAM_WEBHOOK_SECRET"]
    status = await asyncio.to_thread(griot, "db", "status", "--json", DATABASE_URL=url)
    assert json.loads(status.stdout)["up_to_date"]
    names = [line.split()[1] for line in first.splitlines() if line.startswith("MENDED")]
    assert names == ["SECRET_KEY:", "TELEGRAM_WEBHOOK_SECRET:", "DATABASE_URL:", "Telegram:"]
    assert "MENDED" not in second


def test_a_provider_that_gives_no_answer_is_no_error(griot: Run) -> None:
    nowhere = "http://127.0.0.1:1"

    examined = griot("doctor", OPENAI_BASE_URL=nowhere, SEARXNG_URL=nowhere)

    assert (examined.returncode, examined.stderr) == (0, "")
    assert "WARNING models: could not be asked: no connection" in examined.stdout
    assert "WARNING SearXNG: could not be asked: no connection" in examined.stdout
