"""`griot init`, against the stand-ins of the providers: what it asks, tries, writes and says."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from dotenv import dotenv_values

from bot.checks.providers import find_local_servers
from bot.settings import Settings
from tests.cli.terminal import GRIOT, Typist
from tests.standins.africastalking import AfricasTalkingStandIn
from tests.standins.model import ModelStandIn
from tests.standins.orange import OrangeStandIn
from tests.standins.sms_gateways import running_gateway
from tests.standins.telegram import TelegramStandIn
from tests.standins.twilio import running_twilio
from tests.standins.whatsapp import running_whatsapp
from tests.support import processes
from tests.support.ports import free_port

AWA = 42
NOWHERE = "http://127.0.0.1:1"
Init = Callable[..., Awaitable["subprocess.CompletedProcess[str]"]]


@pytest.fixture
async def telegram() -> AsyncIterator[TelegramStandIn]:
    async with TelegramStandIn() as standin:
        yield standin


@pytest.fixture
async def model() -> AsyncIterator[ModelStandIn]:
    async with ModelStandIn() as standin:
        yield standin


@pytest.fixture
def environment(environment: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A newcomer's: no setting at all, and no file."""
    (tmp_path / "console.db").unlink()
    kept = {"PATH", "HOME", "USER", "TMPDIR", "COVERAGE_PROCESS_START"}
    return {name: environment[name] for name in kept if name in environment}


@pytest.fixture
def init(environment: dict[str, str], tmp_path: Path) -> Init:
    """Run `griot init --yes`; the stand-ins live in this event loop, so it waits in a thread."""

    async def run(*flags: str, **values: str) -> subprocess.CompletedProcess[str]:
        surroundings = environment | values
        arguments = ("init", "--yes", *flags)
        return await asyncio.to_thread(processes.run, arguments, surroundings, tmp_path)

    return run


@pytest.fixture
def held(tmp_path: Path) -> Callable[[], dict[str, str | None]]:
    return lambda: dict(dotenv_values(tmp_path / ".env"))


def bot(telegram: TelegramStandIn, model: ModelStandIn) -> dict[str, str]:
    return {
        "TELEGRAM_BOT_TOKEN": telegram.token,
        "TELEGRAM_API_URL": telegram.url,
        "OPENAI_BASE_URL": model.url,
        "OPENAI_API_KEY": "a key of the stand-in",
    }


@pytest.mark.timeout(400)
async def test_a_newcomer_has_an_answer_on_telegram_at_once(
    init: Init,
    telegram: TelegramStandIn,
    model: ModelStandIn,
    environment: dict[str, str],
    tmp_path: Path,
) -> None:
    begun = time.monotonic()
    done = await init(**bot(telegram, model))
    assert (done.returncode, done.stderr) == (0, "")
    assert "https://t.me/griot_bot" in done.stdout
    assert done.stdout.rstrip().endswith("serve")

    telegram.enqueue(telegram.text_update(AWA, "Bonjour"))
    with (tmp_path / "said").open("wb") as said:
        serving = await asyncio.create_subprocess_exec(
            GRIOT, "serve", env=environment | {"PORT": str(free_port())}, cwd=tmp_path,
            stdin=subprocess.DEVNULL, stdout=said, stderr=said,
        )  # fmt: skip
    try:
        while "answer to Bonjour" not in [shown.text for shown in telegram.messages(AWA)]:
            assert serving.returncode is None, (tmp_path / "said").read_text()
            assert time.monotonic() - begun < 300, (tmp_path / "said").read_text()
            await asyncio.sleep(0.05)
    finally:
        serving.terminate()
        await serving.wait()
    assert telegram.violations == model.violations == []


async def test_what_it_writes_is_for_its_owner_only_and_has_a_secret(
    init: Init, telegram: TelegramStandIn, model: ModelStandIn, held, tmp_path: Path
) -> None:
    done = await init("--model", "stand-in", **bot(telegram, model))

    assert (tmp_path / ".env").stat().st_mode & 0o777 == 0o600
    values = held()
    assert {name: values[name] for name in bot(telegram, model)} == bot(telegram, model)
    assert values["MODEL"] == "stand-in"
    assert len(values["SECRET_KEY"] or "") > 30
    assert telegram.token not in done.stdout
    assert (values["SECRET_KEY"] or "") not in done.stdout


async def test_what_is_there_stays(
    init: Init, telegram: TelegramStandIn, model: ModelStandIn, held, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text(f"# mine\nSECRET_KEY={'k' * 40}\nMODEL=mine # good\n")

    done = await init(MODEL="another", **bot(telegram, model))
    again = await init(**bot(telegram, model))

    assert done.returncode == again.returncode == 0
    assert (
        (tmp_path / ".env")
        .read_text()
        .startswith(f"# mine\nSECRET_KEY={'k' * 40}\nMODEL=mine # good\n")
    )
    assert "MODEL: the environment has another value" in done.stderr
    assert ".env has everything already." in again.stdout


async def test_a_flag_replaces_what_is_there_only_when_told_to(
    init: Init, telegram: TelegramStandIn, model: ModelStandIn, held, tmp_path: Path
) -> None:
    (tmp_path / ".env").write_text("MODEL=mine\n")

    refused = await init("--model=other", **bot(telegram, model))
    assert (refused.returncode, "MODEL" in refused.stderr) == (2, True)
    assert held() == {"MODEL": "mine"}

    done = await init("--model=other", "--replace", **bot(telegram, model))
    assert (done.returncode, held()["MODEL"]) == (0, "other")


@pytest.mark.parametrize(
    ("values", "missing"),
    [
        ({}, "OPENAI_API_KEY"),
        ({"TWILIO_ACCOUNT_SID": "AC1", "OPENAI_API_KEY": "x"}, "TWILIO_AUTH_TOKEN"),
        (
            {
                "TWILIO_ACCOUNT_SID": "AC1",
                "TWILIO_AUTH_TOKEN": "x",
                "TWILIO_SMS_FROM": "+15005550006",
                "OPENAI_API_KEY": "x",
            },
            "PUBLIC_URL",
        ),
    ],
)
async def test_what_is_missing_is_named_and_nothing_written(
    init: Init, tmp_path: Path, values: dict[str, str], missing: str
) -> None:
    done = await init(**values)

    assert done.returncode == 2
    assert missing in done.stderr
    assert not (tmp_path / ".env").exists()


ORANGE_ID, ORANGE_SECRET = "ORANGE_CLIENT_ID", "ORANGE_CLIENT_SECRET"


@pytest.mark.parametrize(
    ("provider", "keys", "missing"),
    [
        ("orange", (), f"{ORANGE_ID}, {ORANGE_SECRET}"),
        ("orange", (ORANGE_ID,), ORANGE_SECRET),
        (
            "twilio",
            (ORANGE_ID, ORANGE_SECRET),
            "TWILIO_ACCOUNT_SID, TWILIO_AUTH_TOKEN, TWILIO_SMS_FROM",
        ),
    ],
)
async def test_a_route_of_sms_to_a_provider_without_keys_names_the_keys(
    init: Init, provider: str, keys: Sequence[str], missing: str
) -> None:
    values = dict.fromkeys((*keys, "OPENAI_API_KEY"), "x")
    done = await init(SMS_ROUTES=f'{{"225": "{provider}"}}', **values)

    assert done.returncode == 2
    assert f"SMS_ROUTES: sends +225 by {provider}, which is not set up" in done.stderr
    assert f"Missing: {missing}." in done.stderr


async def test_a_misspelt_flag_is_named_with_the_one_that_was_meant(init: Init) -> None:
    done = await init("--telegram-bot-tokn", "x")
    assert (done.returncode, "did you mean --telegram-bot-token?" in done.stderr) == (2, True)


@pytest.mark.parametrize(
    ("changes", "named"),
    [
        ({"TELEGRAM_BOT_TOKEN": "1:wrong"}, "TELEGRAM_BOT_TOKEN"),
        ({"TELEGRAM_API_URL": NOWHERE}, "Telegram"),
        ({"OPENAI_BASE_URL": NOWHERE}, "models"),
    ],
)
async def test_a_check_that_fails_is_named_and_nothing_written(
    init: Init,
    telegram: TelegramStandIn,
    model: ModelStandIn,
    tmp_path: Path,
    changes: dict[str, str],
    named: str,
) -> None:
    done = await init(**bot(telegram, model) | changes)

    assert done.returncode == 1
    assert done.stderr.startswith(f"griot: {named}")
    assert not (tmp_path / ".env").exists()


async def test_with_an_address_the_webhook_is_set_with_a_secret_of_its_own(
    init: Init, telegram: TelegramStandIn, model: ModelStandIn, held
) -> None:
    done = await init("--public-url", "https://griot.example", **bot(telegram, model))

    assert done.returncode == 0
    assert telegram.webhook["url"] == "https://griot.example/webhooks/telegram"
    assert telegram.webhook["secret_token"] == held()["TELEGRAM_WEBHOOK_SECRET"]
    assert "https://griot.example/chat" in done.stdout


async def test_for_other_channels_it_says_what_to_paste_and_where(
    init: Init, model: ModelStandIn, held
) -> None:
    async with running_whatsapp() as whatsapp, running_twilio() as twilio:
        own = {name: value for name, value in whatsapp.settings.items() if "VERIFY" not in name}
        theirs = {name.upper(): value for name, value in twilio.settings.items()}
        done = await init(
            PUBLIC_URL="https://griot.example", OPENAI_BASE_URL=model.url, **own, **theirs
        )

    assert (done.returncode, done.stderr) == (0, "")
    assert "https://griot.example/webhooks/twilio" in done.stdout
    assert "https://griot.example/webhooks/whatsapp" in done.stdout
    assert len(held()["WHATSAPP_VERIFY_TOKEN"] or "") > 30
    assert theirs["TWILIO_SMS_FROM"] in done.stdout
    assert "https://wa.me/" in done.stdout


async def test_it_speaks_the_language_of_the_terminal(init: Init) -> None:
    assert "Il manque" in (await init(LANG="fr_FR.UTF-8")).stderr
    assert "Missing" in (await init(LANG="fr_FR.UTF-8", LC_ALL="C")).stderr


async def test_without_a_terminal_it_asks_nothing(
    environment: dict[str, str], tmp_path: Path
) -> None:
    done = await asyncio.to_thread(processes.run, ["init"], environment, tmp_path)
    assert (done.returncode, "griot init --yes" in done.stderr) == (2, True)


# On a terminal ----------------------------------------------------------------------------------


async def test_a_person_is_asked_step_by_step(
    typist: Callable[..., Typist], telegram: TelegramStandIn, model: ModelStandIn, held
) -> None:
    terminal = typist("init", LANG="en_GB.UTF-8", TELEGRAM_API_URL=telegram.url)
    await terminal.see("1. The model that answers")
    options = await terminal.see("Your choice")
    terminal.type(f"{options.count(') ')}\n")  # the last one: another service
    await terminal.see("Its base URL")
    terminal.type(f"{model.url}\n")
    await terminal.see("API key")
    terminal.type("sk-hidden-key-of-mine\n")
    await terminal.see("Model")
    terminal.type("stand-in\n")
    shown = await terminal.see("It works.")
    assert "hidden" not in shown
    await terminal.see("Public address")
    terminal.type("\n")
    await terminal.see("Add Telegram?")
    terminal.type("\n")
    await terminal.see("Token")
    terminal.type("123:wrong\n")
    await terminal.see("Telegram does not know this token")
    await terminal.see("Your choice")
    terminal.type("1\n")
    await terminal.see("Token [")
    terminal.type(f"{telegram.token}\n")
    await terminal.see("It works.")
    await terminal.see("https://t.me/griot_bot")
    await terminal.see("Next:")

    assert await asyncio.to_thread(terminal.process.wait, 10) == 0
    assert held()["TELEGRAM_BOT_TOKEN"] == telegram.token
    assert held()["OPENAI_API_KEY"] == "sk-hidden-key-of-mine"


async def test_what_was_not_entered_does_not_work(
    typist: Callable[..., Typist], held, tmp_path: Path
) -> None:
    terminal = typist("init", LANG="en_GB.UTF-8")
    options = await terminal.see("Your choice")
    terminal.type(f"{options.count(') ') - 1}\n")  # OpenAI, with a key
    await terminal.see("API key")
    terminal.type("\n")
    await terminal.see("Model")
    terminal.type("\n")
    seen = await terminal.see("Nothing was entered: there is no model to ask.")
    await terminal.see("Go on without a model?")
    terminal.type("y\n")
    seen += await terminal.see("Public address")
    terminal.type("https://griot.example\n")
    seen += await terminal.see("Add Telegram?")
    terminal.type("y\n")
    await terminal.see("Token")
    terminal.type("\n")
    seen += await terminal.see("Nothing was entered: left out.")
    await terminal.see("Add WhatsApp")
    terminal.type("y\n")
    for question, answer in {"Permanent token": "EAAB", "Phone number": "", "secret": ""}.items():
        await terminal.see(question)
        terminal.type(f"{answer}\n")
    seen += await terminal.see("Missing: WHATSAPP_PHONE_NUMBER_ID, WHATSAPP_APP_SECRET.")
    await terminal.see("Your choice")
    terminal.type("3\n")
    for _ in range(3):
        await terminal.see("Add SMS")
        terminal.type("n\n")
    seen += await terminal.see("Next:")

    assert await asyncio.to_thread(terminal.process.wait, 10) == 0
    assert "It works." not in seen
    assert set(held()) == {"MODEL", "PUBLIC_URL", "SECRET_KEY"}


async def test_a_gateway_of_sms_is_asked_for_with_the_numbers_that_it_sends_to(
    typist: Callable[..., Typist], model: ModelStandIn, held, tmp_path: Path
) -> None:
    keys = {"OPENAI_BASE_URL": model.url, "OPENAI_API_KEY": "sk-x", "MODEL": "stand-in"}
    lines = [f"{name}='{value}'" for name, value in keys.items()]
    (tmp_path / ".env").write_text("\n".join([*lines, "PUBLIC_URL=https://griot.example", ""]))

    async with running_gateway(OrangeStandIn()) as orange:
        own = orange.settings
        terminal = typist("init", LANG="en_GB.UTF-8", ORANGE_API_URL=orange.url)
        answers = {
            "Keep it?": "",
            "Public address": "",
            "Add Telegram?": "n",
            "Add WhatsApp": "n",
            "Add SMS or WhatsApp": "n",
            "Add SMS, through Orange?": "y",
            "Client id": str(own["orange_client_id"]),
            "Client secret": str(own["orange_client_secret"]),
            "The country’s sender": "",
            "sender name": "",
            "It works.": None,
            "Calling codes": "",
            "Add SMS, through Africa’s Talking?": "n",
        }
        for question, answer in answers.items():
            await terminal.see(question)
            if answer is not None:
                terminal.type(f"{answer}\n")
        shown = await terminal.see("Next:")
        assert await asyncio.to_thread(terminal.process.wait, 10) == 0

    settings = Settings.model_validate({"secret_key": held()["SECRET_KEY"]})
    [key] = settings.list_webhook_keys("orange")
    assert f"https://griot.example/webhooks/orange/{key}" in shown
    assert held()["SMS_ROUTES"] == '{"225": "orange"}'
    assert held()["ORANGE_CLIENT_ID"] == own["orange_client_id"]


async def test_gateways_of_sms_come_from_the_environment_too(
    init: Init, model: ModelStandIn, held
) -> None:
    async with running_gateway(AfricasTalkingStandIn()) as provider:
        own = {name.upper(): str(value) for name, value in provider.settings.items()}
        done = await init(
            PUBLIC_URL="https://griot.example",
            OPENAI_BASE_URL=model.url,
            SMS_ROUTES='{"*": "africastalking"}',
            **own,
        )

    assert (done.returncode, done.stderr) == (0, "")
    assert "https://griot.example/webhooks/africastalking/" in done.stdout
    assert "People write to it here: 22384 (SMS)" in done.stdout
    assert held()["AFRICASTALKING_API_KEY"] == own["AFRICASTALKING_API_KEY"]


async def test_what_a_person_has_is_shown_masked_and_kept(
    typist: Callable[..., Typist], telegram: TelegramStandIn, model: ModelStandIn, tmp_path: Path
) -> None:
    lines = [f"{name}='{value}'" for name, value in bot(telegram, model).items()]
    (tmp_path / ".env").write_text("\n".join([*lines, f"SECRET_KEY={'k' * 40}", ""]))
    before = (tmp_path / ".env").read_text()

    terminal = typist("init", LANG="fr_FR.UTF-8")
    await terminal.see("1. Le modèle qui répond")
    shown = await terminal.see("Le garder")
    terminal.type("\n")
    await terminal.see("Adresse publique")
    terminal.type("\n")
    shown += await terminal.see("Le garder")
    terminal.type("\n")
    await terminal.see("Ensuite")

    assert await asyncio.to_thread(terminal.process.wait, 10) == 0
    assert telegram.token not in shown
    assert telegram.token[:4] in shown
    assert (tmp_path / ".env").read_text() == before


# Model servers of this machine ------------------------------------------------------------------


async def test_a_model_server_of_this_machine_is_found_by_its_port(model: ModelStandIn) -> None:
    port = int(model.url.split(":")[2].split("/")[0])

    found = await find_local_servers({"Ollama": port, "vLLM": 1})

    assert [(each.name, each.base_url, list(each.models)) for each in found] == [
        ("Ollama", model.url, ["stand-in"])
    ]


async def test_what_is_slow_or_no_model_server_is_not_waited_for() -> None:
    async def hold(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()  # until whoever asks gives up
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(hold, "127.0.0.1", 0)
    begun = time.monotonic()
    found = await find_local_servers({"LM Studio": server.sockets[0].getsockname()[1]})
    server.close()

    assert (found, time.monotonic() - begun < 4) == ([], True)
