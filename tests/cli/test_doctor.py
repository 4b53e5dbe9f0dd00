from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Run


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
    examined = griot("doctor", "--offline", "--json", PUBLIC_URL="here", DATABASE_URL="mysql://x/y")

    found = [(item["level"], item["name"]) for item in json.loads(examined.stdout)]
    for name in ("PUBLIC_URL", "DATABASE_URL"):
        assert [level for level, named in found if named == name] == ["error"]


def test_a_sound_installation_passes(griot: Run) -> None:
    examined = griot("doctor", "--offline", OPENAI_API_KEY="key", SEARXNG_URL="http://127.0.0.1:1")

    assert (examined.returncode, examined.stderr) == (0, "")
    assert "ERROR" not in examined.stdout
    assert "OK BLOB_URL: writable" in examined.stdout
    assert "SEARXNG_URL" not in examined.stdout


def test_a_provider_that_gives_no_answer_is_no_error(griot: Run) -> None:
    nowhere = "http://127.0.0.1:1"

    examined = griot("doctor", OPENAI_BASE_URL=nowhere, SEARXNG_URL=nowhere)

    assert (examined.returncode, examined.stderr) == (0, "")
    assert "WARNING models: could not be asked: no connection" in examined.stdout
    assert "WARNING SearXNG: could not be asked: no connection" in examined.stdout
