"""Ask the questions of `griot init` on a terminal: model, address, channels; each key is tried."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rich.console import Console
from rich.prompt import Confirm, IntPrompt, Prompt
from rich.text import Text

from bot import settings as environment
from bot.checks.providers import LocalServer, find_local_servers
from bot.cli.cli_runtime import phrase, printable, run
from bot.cli.diagnostics import explain_finding, list_failures, try_settings
from bot.errors import SettingsError
from bot.settings import Settings

if TYPE_CHECKING:
    from bot.contracts.channels import Finding

_OPENAI: Final = str(Settings.model_fields["openai_base_url"].default)
_MODEL: Final = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "MODEL")
_TELEGRAM: Final = ("TELEGRAM_BOT_TOKEN",)
_WHATSAPP: Final = ("WHATSAPP_TOKEN", "WHATSAPP_PHONE_NUMBER_ID", "WHATSAPP_APP_SECRET")
_TWILIO: Final = ("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN")
_TWILIO_NUMBERS: Final = ("TWILIO_WHATSAPP_FROM", "TWILIO_SMS_FROM")
_ORANGE: Final = ("ORANGE_CLIENT_ID", "ORANGE_CLIENT_SECRET")
_AFRICASTALKING: Final = ("AFRICASTALKING_USERNAME", "AFRICASTALKING_API_KEY")
_ADDRESSES: Final = (
    "TELEGRAM_API_URL",
    "WHATSAPP_API_URL",
    "TWILIO_API_URL",
    "ORANGE_API_URL",
    "AFRICASTALKING_API_URL",
)
_SECRET_WORDS: Final = ("KEY", "TOKEN", "SECRET")
_SHOWN: Final = 4
"""Characters of a secret that are shown at each end."""
_LISTED: Final = 12
"""Most models of a local server that are listed."""


def ask_everything(values: Mapping[str, str], answers: Mapping[str, str]) -> dict[str, str]:
    """Ask a person; return the values to write, by the names of the settings.

    Args:
        values: values that are set already, and stay unless the person changes them.
        answers: those of them that are not in `.env` yet.
    """
    return _Questions(values, answers).ask()


def mask(name: str, value: str) -> str:
    """Return a value for display; of a secret only the ends are shown."""
    if not any(word in name for word in _SECRET_WORDS) or not value:
        return value
    if len(value) < 4 * _SHOWN:
        return "…"
    return f"{value[:_SHOWN]}…{value[-_SHOWN:]}"


class _Confirm(Confirm):
    """A yes-or-no question with the letters of the terminal's language; y is accepted in all."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.choices = [phrase("y"), "n"]
        self.prompt_suffix = _suffix()
        words = phrase("Please answer with one of these.")
        self.validate_error_message = f"[prompt.invalid]{words}"
        super().__init__(*arguments, **options)

    def process_response(self, value: str) -> bool:
        return super().process_response(self.choices[0] if value.strip().lower() == "y" else value)


class _Prompt(Prompt):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.prompt_suffix = _suffix()
        super().__init__(*arguments, **options)


class _Choice(IntPrompt):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        self.prompt_suffix = _suffix()
        words = phrase("Please answer with one of these.")
        self.validate_error_message = f"[prompt.invalid]{words}"
        self.illegal_choice_message = f"[prompt.invalid.choice]{words}"
        super().__init__(*arguments, **options)


def _suffix() -> str:
    return phrase(": ")


def pick(options: Sequence[str], console: Console | None = None) -> int:
    """Ask for one of the options, counted from 0; the first is the default."""
    console = console or Console(highlight=False)
    for number, option in enumerate(options, 1):
        console.print(Text(f"  {number}) {printable(option)}"))
    numbers = [str(number) for number in range(1, len(options) + 1)]
    question = Text(phrase("Your choice"))
    return _Choice.ask(question, console=console, choices=numbers, default=1) - 1


class _Questions:
    def __init__(self, values: Mapping[str, str], answers: Mapping[str, str]) -> None:
        self._console = Console(highlight=False)
        self._values = dict(values)
        self._answers = dict(answers)

    def ask(self) -> dict[str, str]:
        self._say(phrase("Griot is set up in three steps. Enter takes what stands in brackets."))
        self._say(phrase("Keys are not shown as you type. Nothing is written before the end."))
        self._head(phrase("1. The model that answers"))
        self._ask_model()
        self._head(phrase("2. The address"))
        self._ask_address()
        self._head(phrase("3. Where people write"))
        self._ask_telegram()
        self._ask_whatsapp()
        self._ask_twilio()
        self._ask_orange()
        self._ask_africastalking()
        self._say("")
        return self._answers

    # The model

    def _ask_model(self) -> None:
        if self._has(("OPENAI_API_KEY",)) or self._has(("OPENAI_BASE_URL",)):
            self._show(_MODEL)
            if self._confirm(phrase("Keep it?")) and self._try(_MODEL):
                return
        while True:
            self._choose_model()
            if not self._has_model():
                self._complain(phrase("Nothing was entered: there is no model to ask."))
                if self._confirm(phrase("Go on without a model?"), default=False):
                    return
            elif self._try(_MODEL) or self._confirm(phrase("Keep it all the same?"), default=False):
                return

    def _choose_model(self) -> None:
        servers = run(find_local_servers())
        kinds = [
            *(
                phrase(
                    "{name} on this machine, no key: {models}",
                    name=server.name,
                    models=", ".join(server.models[:_LISTED]),
                )
                for server in servers
            ),
            phrase("OpenAI, with a key"),
            phrase("Another OpenAI-compatible service or server: Mistral, OpenRouter, Groq …"),
        ]
        chosen = pick(kinds, self._console)
        if chosen < len(servers):
            self._take_local(servers[chosen])
            return
        model = str(Settings.model_fields["model"].default)
        if chosen == len(servers):
            if self._values.get("OPENAI_BASE_URL", _OPENAI) != _OPENAI:
                self._set("OPENAI_BASE_URL", _OPENAI)
        else:
            self._ask("OPENAI_BASE_URL", phrase("Its base URL, often ending in /v1"))
            model = ""
        self._ask("OPENAI_API_KEY", phrase("API key"))
        self._ask("MODEL", phrase("Model"), default=model)

    def _has_model(self) -> bool:
        """Return whether there is a key, or a server that may want none."""
        return self._has(("OPENAI_API_KEY",)) or (
            self._values.get("OPENAI_BASE_URL", _OPENAI) != _OPENAI
        )

    def _take_local(self, server: LocalServer) -> None:
        models = server.models[:_LISTED]
        chosen = pick(models, self._console) if len(models) > 1 else 0
        self._set("OPENAI_BASE_URL", server.base_url)
        self._set("MODEL", models[chosen])

    # The address

    def _ask_address(self) -> None:
        self._say(
            phrase(
                "On a server: its https:// address, so that providers can call it. On your own "
                "computer leave it empty: Telegram and the web chat work all the same."
            )
        )
        while True:
            self._ask("PUBLIC_URL", phrase("Public address"))
            try:
                environment.load({"PUBLIC_URL": self._values.get("PUBLIC_URL", "")})
            except SettingsError as error:
                self._complain(str(error))
                self._values.pop("PUBLIC_URL", None)
            else:
                return

    # The channels

    def _ask_telegram(self) -> None:
        def ask() -> None:
            self._say(phrase("On Telegram, write /newbot to @BotFather and copy the token."))
            self._ask("TELEGRAM_BOT_TOKEN", phrase("Token"))

        self._ask_channel("Telegram", _TELEGRAM, ask, works_here=True)

    def _ask_whatsapp(self) -> None:
        def ask() -> None:
            self._say(phrase("All three are in Meta’s app: WhatsApp, API setup; App settings."))
            self._ask("WHATSAPP_TOKEN", phrase("Permanent token of a system user"))
            self._ask("WHATSAPP_PHONE_NUMBER_ID", phrase("Phone number’s id"))
            self._ask("WHATSAPP_APP_SECRET", phrase("The app’s secret"))

        self._ask_channel(phrase("WhatsApp, from Meta"), _WHATSAPP, ask)

    def _ask_twilio(self) -> None:
        def ask() -> None:
            self._say(phrase("Both are on the first page of Twilio’s console."))
            self._ask("TWILIO_ACCOUNT_SID", phrase("Account SID"))
            self._ask("TWILIO_AUTH_TOKEN", phrase("Auth token"))
            self._ask("TWILIO_WHATSAPP_FROM", phrase("WhatsApp number, +…; empty: none"))
            self._ask("TWILIO_SMS_FROM", phrase("SMS number, +…; empty: none"))

        title = phrase("SMS or WhatsApp, through Twilio")
        self._ask_channel(title, _TWILIO, ask, also=_TWILIO_NUMBERS)

    def _ask_orange(self) -> None:
        def ask() -> None:
            self._say(phrase("Both are on the page of your application at developer.orange.com."))
            self._ask("ORANGE_CLIENT_ID", phrase("Client id"))
            self._ask("ORANGE_CLIENT_SECRET", phrase("Client secret"))
            self._ask("ORANGE_SENDER", phrase("The country’s sender"), default="+2250000")
            self._ask("ORANGE_SENDER_NAME", phrase("Registered sender name; empty: none"))

        also = ("ORANGE_SENDER", "ORANGE_SENDER_NAME")
        self._ask_channel(phrase("SMS, through Orange"), _ORANGE, ask, also=also)
        if self._has(_ORANGE):
            sender = self._values.get("ORANGE_SENDER", "+2250000")
            self._ask_routes("orange", sender.removeprefix("+").removesuffix("0000"))

    def _ask_africastalking(self) -> None:
        def ask() -> None:
            self._say(phrase("Both are in the settings of your application at Africa’s Talking."))
            self._ask("AFRICASTALKING_USERNAME", phrase("Username"))
            self._ask("AFRICASTALKING_API_KEY", phrase("API key"))
            self._ask("AFRICASTALKING_SENDER", phrase("Short code or sender id; empty: none"))

        title, also = phrase("SMS, through Africa’s Talking"), ("AFRICASTALKING_SENDER",)
        self._ask_channel(title, _AFRICASTALKING, ask, also=also)
        if self._has(_AFRICASTALKING):
            self._ask_routes("africastalking", "254")

    def _ask_routes(self, provider: str, default: str) -> None:
        """Ask which numbers this provider sends to, and add them to `SMS_ROUTES`."""
        routes = self._read_routes()
        codes = [code for code, name in routes.items() if name == provider]
        label = phrase("Calling codes of the numbers that it sends to, with commas; * for all")
        shown = ",".join(codes) or default
        given = _Prompt.ask(
            Text(f"{label} [{shown}]"), console=self._console, default=shown, show_default=False
        )
        kept = {code: name for code, name in routes.items() if name != provider}
        wanted = [code.strip().removeprefix("+") for code in printable(given or "").split(",")]
        self._set("SMS_ROUTES", json.dumps(kept | dict.fromkeys(filter(None, wanted), provider)))

    def _read_routes(self) -> dict[str, str]:
        """Return the current routes, without Twilio's if Twilio sends no SMS."""
        values = {"SMS_ROUTES": self._values.get("SMS_ROUTES", "")}
        try:
            routes = environment.load(values).sms_routes
        except SettingsError:
            routes = environment.load({}).sms_routes
        has_twilio = self._has(("TWILIO_ACCOUNT_SID", "TWILIO_SMS_FROM"))
        return {code: name for code, name in routes.items() if has_twilio or name != "twilio"}

    def _ask_channel(
        self,
        title: str,
        needed: Sequence[str],
        ask: Callable[[], None],
        *,
        also: Sequence[str] = (),
        works_here: bool = False,
    ) -> None:
        """Ask for a channel's settings until they work, are kept all the same, or are left out.

        Args:
            needed: the settings without which it does not work.
            also: its other settings.
            works_here: whether the channel works without a public address.
        """
        names = (*needed, *also)
        if self._has(needed):
            self._say(title)
            self._show(names)
            if self._confirm(phrase("Keep it?")) and self._try(names):
                return
        elif not works_here and not self._values.get("PUBLIC_URL"):
            self._say(phrase("{channel}: needs a public address first.", channel=title))
            return
        elif not self._confirm(phrase("Add {channel}?", channel=title), default=works_here):
            return
        self._ask_until_settled(names, needed, ask)

    def _ask_until_settled(
        self, names: Sequence[str], needed: Sequence[str], ask: Callable[[], None]
    ) -> None:
        before = dict(self._values), dict(self._answers)
        again, keep, leave = phrase("Try again"), phrase("Keep it"), phrase("Leave it out")
        while True:
            ask()
            missing = [name for name in needed if not self._values.get(name)]
            if len(missing) == len(needed):
                self._say(phrase("Nothing was entered: left out."))
                self._values, self._answers = before
                return
            if missing:
                self._complain(phrase("Missing: {names}.", names=", ".join(missing)))
            elif self._try(names):
                return
            match pick([again, keep, leave], self._console):
                case 0:
                    continue
                case 1:
                    return
                case _:
                    self._values, self._answers = before
                    return

    # Trying

    def _try(self, names: Sequence[str]) -> bool:
        """Ask the provider about these settings alone; return whether all is well."""
        wanted = {*names, *_ADDRESSES, "PUBLIC_URL"}
        if names is not _MODEL:
            wanted -= {*_MODEL}
        values = {name: value for name, value in self._values.items() if name in wanted}
        try:
            settings = environment.load(values)
        except SettingsError as error:
            self._complain(str(error))
            return False
        with self._console.status(phrase("Trying it …")):
            findings = try_settings(settings)
        failed: Sequence[Finding] = list_failures(findings)
        for item in failed:
            self._complain(explain_finding(item))
        if not failed:
            works = phrase("It works.")
            self._console.print(Text(f"✓ {works}", style="green"))
        return not failed

    # Words and keys

    def _has(self, names: Sequence[str]) -> bool:
        return all(self._values.get(name) for name in names)

    def _show(self, names: Sequence[str]) -> None:
        for name in names:
            if value := self._values.get(name):
                self._say(f"  {name} = {mask(name, value)}")

    def _set(self, name: str, value: str) -> None:
        self._values[name] = self._answers[name] = value

    def _ask(self, name: str, label: str, default: str = "") -> None:
        """Ask for a value; Enter keeps the current one. An empty value is not stored."""
        current = self._values.get(name) or default
        shown = f" [{mask(name, current)}]" if current else ""
        is_secret = any(word in name for word in _SECRET_WORDS)
        given = _Prompt.ask(
            Text(f"{label}{shown}"), console=self._console, password=is_secret, default=current,
            show_default=False,
        )  # fmt: skip
        value = printable(given or "").strip()
        if value and value != self._values.get(name):
            self._set(name, value)

    def _confirm(self, question: str, *, default: bool = True) -> bool:
        return _Confirm.ask(Text(question), console=self._console, default=default)

    def _say(self, text: str) -> None:
        self._console.print(Text(text))

    def _head(self, text: str) -> None:
        self._console.print(Text(f"\n{text}", style="bold"))

    def _complain(self, text: str) -> None:
        self._console.print(Text(f"✗ {text}", style="red"))
