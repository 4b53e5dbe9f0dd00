"""Play dialogues with a model through the real gateway, in a database of their own."""

from __future__ import annotations

import asyncio
import secrets
import tempfile
from collections import Counter, defaultdict
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from adapters.console import Console
from bot.agent.prompts.system_prompt import use_prompts
from bot.app import App, open_app, open_worker
from bot.contracts.models import Model
from bot.contracts.storage import Transaction
from bot.evals.dialogues import Dialogue, find_text
from bot.gateway.admin import show_turn
from bot.gateway.commands.preferences import ASKED_ALL
from bot.gateway.conversation_history import read_conversation_events
from bot.learning.open_items import Secret, read_open_items
from bot.messages.channels import CONSOLE
from bot.messages.incoming import Said, Sender, Update
from bot.messages.outgoing import Body, Delivery, FileBody, Sent, TextBody
from bot.settings import Settings
from bot.storage.accounts import set_grade, set_greeted

_AT_ONCE: Final = 4
"""Dialogues that are played at the same time."""
_LOOK_EVERY: Final = 0.02
"""Seconds between two checks whether a turn has ended."""
_PATIENCE: Final = 60.0
"""Seconds that a turn may take beyond `TURN_TIMEOUT`."""
_TUTOR_SETTINGS = """
openai_api_key openai_base_url model utility_model vision_model answer_model embed_model
model_capabilities debug_mock_responses tavily_api_key tavily_url searxng_url jina_url jina_api_key
advisors max_iterations tool_timeout turn_timeout max_turn_usd max_person_day_usd max_tool_calls
disabled_tools planner_mode verify two_phase curriculum check_maths leak_guard log_level
"""
_KEPT: Final = _TUTOR_SETTINGS.split()
"""The operator's settings that define the tutor. No channel, payment, mail or store is among them,
and no fallback: one model is evaluated."""


@dataclass(frozen=True, slots=True)
class Exchange:
    """A message of the pupil with all its results."""

    pupil: str
    texts: tuple[str, ...]
    """The tutor's texts, without quizzes and exercises."""
    asked: tuple[str, ...]
    """Quizzes and exercises as the pupil saw them, each after `[quiz]` or `[exercise]`."""
    messages: int
    usd: float
    secrets: tuple[Secret, ...] = ()
    """Solutions of the quizzes and exercises that are open afterwards."""
    stopped: tuple[tuple[str, str], ...] = ()
    """Texts that the guardrails stopped: `check` or `leak`, and the words."""
    failure: str = ""
    """The reason why there is no answer; empty if there is one."""

    @property
    def shown(self) -> str:
        return "\n\n".join([*self.texts, *self.asked])


@dataclass(frozen=True, slots=True)
class Variant:
    """The model and prompts to evaluate.

    Args:
        settings: the operator's settings, of which only those of the tutor are used.
        prompts: a folder of prompt files that replace ours.
        model: a model to ask instead of the one that the settings name.
    """

    settings: Settings
    prompts: Path | None = None
    model: Model | None = None


async def play_dialogues(
    variant: Variant,
    dialogues: Sequence[Dialogue],
    judge: Callable[[Dialogue, Sequence[Exchange]], Awaitable[None]],
) -> None:
    """Play dialogues, several at a time, and hand each to `judge` when it has ended.

    A scripted model answers in a fixed order, so with one they are played one after another.

    Raises:
        SettingsError: the settings name no model that can be asked.
    """
    scripted = variant.settings.debug_mock_responses is not None
    places = asyncio.Semaphore(1 if scripted else _AT_ONCE)
    async with _open_stage(variant) as stage:

        async def play(number: int, dialogue: Dialogue) -> None:
            async with places:
                await judge(dialogue, await stage.play(number, dialogue))

        async with asyncio.TaskGroup() as tasks:
            for number, dialogue in enumerate(dialogues, 1):
                tasks.create_task(play(number, dialogue))


@asynccontextmanager
async def _open_stage(variant: Variant) -> AsyncGenerator[_Stage]:
    """Open an app and a worker on a new database, in a folder that is deleted at the end."""
    async with AsyncExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="griot-eval-"))
        if variant.prompts:
            stack.enter_context(use_prompts(variant.prompts))
        phones = _Phones()
        app = await stack.enter_async_context(
            open_app(_isolate(variant.settings, folder), [phones])
        )
        await stack.enter_async_context(open_worker(app, model=variant.model))
        yield _Stage(app, phones)


def _isolate(settings: Settings, folder: str) -> Settings:
    """Return the settings of the evaluation: those of the operator's tutor, and defaults."""
    kept = {name: getattr(settings, name) for name in _KEPT}
    own = {
        "database_url": f"sqlite:///{folder}/griot.db",
        "blob_url": f"file:{folder}/files",
        "secret_key": secrets.token_hex(32),
        "welcome_credits": 1_000_000,
        "rate_limit_per_minute": 0,
        "burst_seconds": 0,
    }
    return Settings().model_copy(update=kept | own)


class _Phones(Console):
    """The pupils' phones: a console channel that records what each pupil was sent."""

    def __init__(self) -> None:
        super().__init__(self._ignore)
        self.received: dict[str, list[Body]] = defaultdict(list)
        """The bodies sent, by conversation."""

    async def _ignore(self, body: Body) -> None: ...

    async def deliver(self, delivery: Delivery) -> Sent:
        self.received[delivery.conversation].append(delivery.body)
        return await super().deliver(delivery)


class _Stage:
    def __init__(self, app: App, phones: _Phones) -> None:
        self._app = app
        self._phones = phones

    async def play(self, number: int, dialogue: Dialogue) -> list[Exchange]:
        """Play a dialogue until no turn is left, no rule matches, or a turn fails."""
        sender = Sender(f"pupil-{number}", language=dialogue.language)

        async def enrol(tx: Transaction) -> int:
            phone = f"+22501{number:08d}"
            person = await self._app.people.log_in(tx, CONSOLE, sender, phone)
            account = person.account or 0
            await set_grade(tx, account, dialogue.grade)
            await set_greeted(tx, account, ASKED_ALL)
            return account

        account = await self._app.database.write(enrol)
        exchanges: list[Exchange] = []
        uses: Counter[int] = Counter()
        words: str | None = dialogue.opening
        while words is not None and len(exchanges) < dialogue.turns:
            exchange = await self._exchange(sender, account, words)
            exchanges.append(exchange)
            words = None if exchange.failure else choose_words(dialogue, exchange.shown, uses)
        return exchanges

    async def _exchange(self, sender: Sender, account: int, words: str) -> Exchange:
        database, received = self._app.database, self._phones.received
        unique = secrets.token_hex(12)
        update = Update(CONSOLE, CONSOLE, sender.address, sender, unique, unique, Said(words))
        (turn,) = await self._app.inbox.store([update])
        if turn is None:
            raise RuntimeError("a new message was taken for one stored before")
        try:
            async with asyncio.timeout(self._app.settings.turn_timeout + _PATIENCE):
                record = await self._wait(turn)
        except TimeoutError:
            return Exchange(words, (), (), 0, 0.0, failure="the turn did not end")
        bodies = received.pop(sender.address, [])
        items = await database.read(lambda tx: read_open_items(tx, account, update.lane))
        events = await read_conversation_events(database, update.lane, turn=turn)
        texts = [text for body in bodies if (text := _read_prose(body))]
        asked = [text for body in bodies if (text := _read_question(body))]
        failure = _find_failure(record) or ("" if texts or asked else "silence: nothing was sent")
        return Exchange(
            words,
            tuple(texts),
            tuple(asked),
            len(bodies),
            sum(record["usd"].values()),
            tuple(item.secret for item in items),
            tuple(
                (event["event_type"], event["content"])
                for event in events
                if event["event_type"] in ("check", "leak")
            ),
            failure,
        )

    async def _wait(self, turn: int) -> dict[str, Any]:
        """Wait until a turn has ended and its messages are delivered, and return its record."""
        while True:
            record = await show_turn(self._app.database, turn)
            states = {item["state"] for item in record["deliveries"]}
            if record["state"] in ("done", "dead") and not states & {"pending", "attempting"}:
                return record
            await asyncio.sleep(_LOOK_EVERY)


def choose_words(dialogue: Dialogue, answer: str, uses: Counter[int]) -> str | None:
    """Return the pupil's next message and count it in `uses`; None: no rule matches.

    Args:
        uses: how often each rule was used.
    """
    matching = [place for place, rule in enumerate(dialogue.pupil) if find_text(rule.when, answer)]
    if not matching:
        return None
    chosen = min(matching, key=lambda place: uses[place])
    uses[chosen] += 1
    return dialogue.pupil[chosen].says


def _find_failure(record: dict[str, Any]) -> str:
    if record["state"] == "dead" or record["reason"] == "failed":
        return f"the turn failed: {record['error'] or 'no reason is known'}"
    if record["reason"] == "limit":
        return "the turn reached a limit"
    is_free = record["input_tokens"] and not record["credits"]  # only an apology costs nothing
    return "silence: the model gave no answer" if is_free else ""


def _read_prose(body: Body) -> str:
    match body:
        case TextBody(exercise=exercise) if exercise:
            return exercise.lead
        case TextBody(quiz=None, text=text):
            return text
        case FileBody(file=file):
            return f"{file.caption}\n[{file.filename}]".strip()
        case _:
            return ""


def _read_question(body: Body) -> str:
    match body:
        case TextBody(quiz=quiz, text=text) if quiz:
            return f"[quiz] {text}"
        case TextBody(exercise=exercise, text=text) if exercise:
            return f"[exercise] {text.removeprefix(exercise.lead).strip()}"
        case _:
            return ""
