"""`griot init`: ask for the settings of a bot, try each key, write `.env`.

Answers come from a person, or from flags and the environment.
"""

from __future__ import annotations

import difflib
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Final, NoReturn

import typer

from bot import settings as environment
from bot.cli.cli_runtime import ENV_FILE, one_line, phrase, run, warn
from bot.errors import GriotError
from bot.observability import configure_logging
from bot.settings import Settings
from bot.settings.loading import read_env_file, write_env_file

if TYPE_CHECKING:
    from bot.contracts.channels import Finding

ASKED: Final = (
    "Models",
    "Telegram",
    "WhatsApp and SMS through Twilio",
    "WhatsApp through Meta",
    "SMS through Orange or Africa's Talking",
)
"""The sections of settings that are asked for; values of these in the environment are written
too."""
_ALSO_ASKED: Final = ("PUBLIC_URL", "SECRET_KEY")
ANY_SETTING: Final = {"allow_extra_args": True, "ignore_unknown_options": True}
Yes = Annotated[
    bool,
    typer.Option("--yes", "-y", help="Ask nothing; take values from flags and the environment."),
]
Replace = Annotated[
    bool,
    typer.Option("--replace", help="With --yes: let flags replace values that .env already has."),
]


def init(context: typer.Context, *, yes: Yes = False, replace: Replace = False) -> None:
    """Set up a bot: ask for settings, test each key, write .env.

    Every setting can be given as a flag: --telegram-bot-token …, --openai-api-key …, --model …,
    --public-url …; secrets are safer in the environment, under the same names in capitals.

    With --yes, exit code 2 means that a value is missing, 1 that a check failed; nothing is written
    in either case.
    """
    set_up(_read_flags(context.args), yes=yes, replace=replace)


def set_up(
    flags: Mapping[str, str] | None = None, *, yes: bool = False, replace: bool = False
) -> None:
    """Set up a bot as `init` does, also from other commands.

    Args:
        flags: values by the names of the settings.
    """
    from bot.cli.diagnostics import (
        explain_finding,
        list_failures,
        make_missing_secrets,
        try_settings,
    )

    configure_logging("error", json=False)
    held = read_env_file(ENV_FILE)
    if not yes and not (sys.stdin.isatty() and sys.stdout.isatty()):
        _refuse_use(phrase("There is no terminal to ask on. Use: griot init --yes"))
    answers = _choose(held, flags or {}, replace=replace or not yes)
    if not yes:
        from bot.cli.init_questions import ask_everything

        answers = ask_everything({**held, **answers}, answers)
    answers |= make_missing_secrets(load_as_written(held, answers))
    settings = load_as_written(held, answers)
    if yes:
        errors = _find_errors(settings)
        if missing := [item for item in errors if item.missing]:
            _tell_missing(missing)
        failed = errors or list_failures(try_settings(settings))
        for item in failed:
            warn(explain_finding(item))
        if failed:
            raise typer.Exit(1)
    else:
        _tell_errors(settings)
    _finish(settings, {name: text for name, text in answers.items() if held.get(name) != text})


def load_as_written(held: Mapping[str, str], answers: Mapping[str, str]) -> Settings:
    """Return the settings as they will be with the answers in `.env`.

    Raises:
        SettingsError: names each invalid value.
    """
    return environment.load({**os.environ, **held, **answers})


def _read_flags(arguments: Sequence[str]) -> dict[str, str]:
    """Return values by the names of settings; exit with code 2 at a wrong flag."""
    known = {f"--{name.replace('_', '-')}": name.upper() for name in Settings.model_fields}
    flags: dict[str, str] = {}
    words = list(arguments)
    while words:
        flag, has_value, value = words.pop(0).partition("=")
        if flag not in known:
            near = difflib.get_close_matches(flag, known, n=1)
            hint = f"; did you mean {near[0]}?" if near else ""
            _refuse_use(f"{flag}: no such option{hint}")
        if not has_value:
            if not words:
                _refuse_use(f"{flag}: its value is missing")
            value = words.pop(0)
        flags[known[flag]] = value
    return flags


def _asked_of_environment() -> dict[str, str]:
    from bot.settings.reference import sections

    asked = {each.name for title in ASKED for each in sections()[title]} | {*_ALSO_ASKED}
    return {name: os.environ[name] for name in sorted(asked) if os.environ.get(name)}


def _choose(held: Mapping[str, str], flags: Mapping[str, str], *, replace: bool) -> dict[str, str]:
    """Return the answers; values in .env stay, unless a flag may replace them."""
    at_odds = [name for name, value in flags.items() if held.get(name, value) != value]
    if at_odds and not replace:
        _refuse_use(
            phrase(
                "{file} has another {names} already. Add --replace to change it.",
                file=ENV_FILE,
                names=", ".join(at_odds),
            )
        )
    found = _asked_of_environment()
    answers = {name: value for name, value in found.items() if name not in held} | dict(flags)
    for name, value in {**held, **answers}.items():
        if os.environ.get(name, value) != value:
            warn(
                phrase(
                    "{name}: the environment has another value than {file}, and goes before it.",
                    name=name,
                    file=ENV_FILE,
                )
            )
    return answers


def _find_errors(settings: Settings) -> list[Finding]:
    from bot.checks.settings import check_settings

    return [item for item in check_settings(settings) if item.level == "error"]


def _tell_errors(settings: Settings) -> None:
    """Warn of the errors that the person chose to leave."""
    for item in _find_errors(settings):
        warn(one_line(f"{item.name}: {item.message}; {item.advice}"))


def _tell_missing(findings: Sequence[Finding]) -> None:
    for item in findings:
        if item.name.lower() in Settings.model_fields and item.name not in item.missing:
            warn(one_line(f"{item.name}: {item.message}; {item.advice}"))
    names = list(dict.fromkeys(name for item in findings for name in item.missing))
    warn(phrase("Missing: {names}.", names=", ".join(names)))
    example = f"--{names[0].lower().replace('_', '-')} …"
    warn(phrase("Set it in the environment, or give it as a flag: {flag}", flag=example))
    if "OPENAI_API_KEY" in names:
        for line in suggest_local():
            warn(line)
    raise typer.Exit(2)


def suggest_local() -> list[str]:
    """Return, for each model server on this machine, how to use it instead of a key."""
    from bot.checks.providers import find_local_servers

    return [
        phrase(
            "{name} runs on this machine: OPENAI_BASE_URL={url} MODEL={model} needs no key.",
            name=server.name,
            url=server.base_url,
            model=server.models[0],
        )
        for server in run(find_local_servers())
    ]


def _finish(settings: Settings, answers: Mapping[str, str]) -> None:
    """Write `.env`, set the webhook, and print the bot's addresses and the next command."""
    if answers:
        write_env_file(ENV_FILE, answers)
        words = phrase(
            "Written to {file}, which only you can read: {names}.",
            file=ENV_FILE,
            names=", ".join(answers),
        )
    else:
        words = phrase("{file} has everything already.", file=ENV_FILE)
    typer.echo(words)
    is_well = _set_webhook(settings)
    run(_tell_addresses(settings))
    program = "griot"
    if not shutil.which(program):
        nearby = os.path.relpath(sys.argv[0])
        program = sys.argv[0] if nearby.startswith("..") else nearby
    typer.echo(phrase("Next: {command}", command=f"{program} serve"))
    if not is_well:
        raise typer.Exit(1)


def _set_webhook(settings: Settings) -> bool:
    if not (settings.telegram_bot_token and settings.public_url):
        return True
    from bot.cli.diagnostics import set_telegram_webhook

    try:
        run(set_telegram_webhook(settings))
    except GriotError as error:
        warn(
            phrase("Telegram: the webhook could not be set: {reason}", reason=one_line(str(error)))
        )
        return False
    typer.echo(phrase("Telegram sends messages to {address}.", address=settings.public_url))
    return True


async def _tell_addresses(settings: Settings) -> None:
    from bot.checks.providers import find_contacts
    from bot.checks.settings import GROUPS

    for group in GROUPS:
        values = [getattr(settings, name) for name in group.needed]
        if (address := group.find_address(settings)) and all(values):
            typer.echo(_say_where_to_paste(group.name, address, settings))
    if settings.sms_providers and settings.public_url is None:
        typer.echo(
            phrase(
                "Some people cannot answer our SMS (SMS_ONE_WAY). Set PUBLIC_URL: then SMS to "
                "them hold links to pages, for quizzes, long answers and to opt out."
            )
        )
    for contact in await find_contacts(settings):
        if contact.address:
            typer.echo(
                phrase(
                    "People write to it here: {address} ({channel})",
                    address=contact.address,
                    channel=contact.name,
                )
            )
    typer.echo(phrase("Web chat: {address}", address=f"{settings.base_url}/chat"))


def _say_where_to_paste(name: str, address: str, settings: Settings) -> str:
    match name:
        case "Twilio":
            return phrase(
                "Paste into Twilio’s console, at your number, as “A message comes in” (POST): "
                "{address}",
                address=address,
            )
        case "WhatsApp":
            is_visible = sys.stdout.isatty()
            token = settings.whatsapp_verify_token if is_visible else "WHATSAPP_VERIFY_TOKEN (.env)"
            return phrase(
                "Paste into Meta’s app, WhatsApp, Configuration: callback URL {address}, verify "
                "token {token}; then subscribe to “messages”.",
                address=address,
                token=token,
            )
        case "Orange":
            return phrase(
                "Tell Orange by its contact form, as “Real time SMS DR” and “SMS response”: "
                "{address}",
                address=address,
            )
        case "Africa's Talking":
            return phrase(
                "Paste into Africa’s Talking’s console, SMS, SMS Callback URLs, for all that you "
                "use: {address}",
                address=address,
            )
        case _:
            return phrase(
                "Paste into {name}’s console as webhook: {address}", name=name, address=address
            )


def _refuse_use(words: str) -> NoReturn:
    warn(words)
    sys.exit(2)
