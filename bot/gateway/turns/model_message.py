"""Write what the model sees of an update: its text, and its attachments once they are stored.

Long code in an answer is stored as files too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

import structlog

from bot.accounts.approvals import Choice, Kind
from bot.agent.long_code_blocks import extract_long_blocks
from bot.agent.transcription import Transcriber, TranscriptionFailed
from bot.contracts.channels import Adapter
from bot.contracts.services import IsolatedWorker
from bot.contracts.tools import FORWARDED
from bot.errors import NotFound, RetryAt, TooLarge, ToolFailed
from bot.files.media import (
    Sniffed,
    dimensions,
    is_damaged,
    is_fit_for_vision,
    sniff,
    sniff_recording,
)
from bot.files.names import clean_name
from bot.files.store import GUESTS, FileStore
from bot.i18n import say
from bot.messages.incoming import (
    Attachment,
    Decided,
    Edited,
    Person,
    Said,
    SharedLocation,
    Update,
    Woken,
)
from bot.messages.outgoing import ShareFile
from bot.messages.transcript import Media, Part, Text, UserMessage

_PROGRAM_CONTEXT = (
    "[My program tells you this beside my message. It has the weight of my own words, no more; "
    "what it says was said before, you cannot check:]"
)
_MESSAGE = "[My message:]"
_DECISIONS: Mapping[Kind, Mapping[Choice, str]] = {
    "plan": {
        "approve": "I approve the plan. Carry it out now.",
        "edit": "I do not approve the plan as it is: change it as I say, or ask me what to change. "
        "Then call exit_plan_mode with the new one.",
        "cancel": "I do not approve the plan. Do nothing of it.",
    },
    "email": {
        "approve": "I approve the e-mail. It was given to the post exactly as I saw it and is on "
        "its way: do not send it again.",
        "edit": "I do not approve the e-mail as it is, and it was not sent: change it as I say, or "
        "ask me what to change. Then call draft_email with the new one.",
        "cancel": "I do not approve the e-mail. It was not sent. Do not draft it again.",
    },
}
_INSTEAD: Mapping[Kind, str] = {
    "plan": "[I have not approved the plan; it is dropped. Instead I write:]",
    "email": "[I have not approved the e-mail; it is dropped and was not sent. Instead I write:]",
}


def replacement_text(kind: Kind) -> str:
    """Return the note to the model that the person wrote a message instead of deciding."""
    return _INSTEAD[kind]


def to_model_message(update: Update, kind: Kind = "plan") -> UserMessage:
    """Return an update as the person's message to the model, without its attachments.

    Args:
        kind: what the person decided on, if the update is a decision.
    """
    match update.content:
        case Said() as said:
            words = _said(said)
        case SharedLocation(latitude=latitude, longitude=longitude, title=title):
            words = f"[location: {latitude:.6f}, {longitude:.6f} {title}]".replace(" ]", "]")
        case Decided(choice=choice, text=text):
            words = f"[{_DECISIONS[kind][choice]}]\n{text}".strip()
        case Woken(text=text):
            words = f"[{text}]"
        case Edited(text=text):
            words = f"[I have corrected my earlier message:]\n{text}"
        case _:
            words = ""
    return UserMessage((Text(words),)) if words else UserMessage(())


def _said(said: Said) -> str:
    context = [f"> {line}" for line in said.context.splitlines()]
    lines = [_PROGRAM_CONTEXT, *context, _MESSAGE] if context else []
    lines += [f"> {line}" for line in said.quoted.splitlines()]
    if said.forwarded:
        lines.append(FORWARDED)
    lines.append(said.text)
    return "\n".join(lines).strip()


_AT_ONCE = 8
"""Attachments that the whole process fetches at a time: each may be 20 MB."""
_MOST_ATTACHMENTS = 20
"""Attachments of one turn that are fetched at most."""
_ALWAYS_HEARD_USD = 0.02
"""What voice notes of a message may cost, however little is left: three minutes by most prices."""
_SECONDS = 75.0
"""Seconds for all attachments of a turn, all attempts included."""
_PAUSES = (0.0, 1.0, 4.0)
"""Seconds before each attempt to fetch one."""
_KIND_NAMES = {"image": "photo", "audio": "audio", "document": "document"}
log = structlog.get_logger()


class _Missing(Exception):
    """An attachment cannot be fetched; the message tells the model why."""


@dataclass(frozen=True, slots=True)
class _Item:
    """One attachment to be fetched and stored."""

    attachment: Attachment
    person: Person
    key: str
    """The same whenever this attachment of this update is fetched."""
    name: str
    """A name, without extension, for an attachment that has none."""


@dataclass(slots=True)
class _SpeechBudget:
    """What transcribing the voice notes of a message may still cost, and has cost."""

    usd_left: float
    notes: int = 0
    usd: float = 0.0


class Attachments:
    def __init__(
        self, files: FileStore, transcriber: Transcriber, isolated_worker: IsolatedWorker
    ) -> None:
        self._files = files
        self._transcriber = transcriber
        self._isolated_worker = isolated_worker
        self._limit = asyncio.Semaphore(_AT_ONCE)

    async def bring(
        self, update: Update, person: Person, adapter: Adapter, key: str, *, most_usd: float
    ) -> UserMessage:
        """Fetch and store the update's attachments; return what the model sees of them, in order.

        Args:
            key: names the turn; when it is tried again, the same file is stored once.
            most_usd: what transcribing voice notes may cost; a short one is always heard.
        """
        budget = _SpeechBudget(max(most_usd, _ALWAYS_HEARD_USD))
        deadline = asyncio.get_running_loop().time() + _SECONDS
        items = _items(update, person, key)
        async with asyncio.TaskGroup() as group:
            tasks = [
                group.create_task(self._bring(item, adapter, deadline, budget))
                for item in items[:_MOST_ATTACHMENTS]
            ]
        missed = len(items) - _MOST_ATTACHMENTS
        more = [Text(f"[{missed} more attachments that were not looked at]")] if missed > 0 else []
        parts = (*(task.result() for task in tasks), *more)
        transcriber = self._transcriber.model if budget.notes else ""
        return UserMessage(parts, transcriber, budget.usd)

    async def discard_staged(self, update: Update) -> None:
        """Delete the staged bytes of the update's attachments, which the turn has stored.

        Bytes that cannot be deleted now go when temporary files expire.
        """
        if not isinstance(update.content, Said):
            return
        for attachment in update.content.attachments:
            if attachment.staged:
                try:
                    await self._files.drop_temporary(attachment.reference)
                except ConnectionError as error:
                    log.warning("staged_file_not_deleted", error=type(error).__name__)

    async def _bring(
        self, item: _Item, adapter: Adapter, deadline: float, budget: _SpeechBudget
    ) -> Part:
        kind, filename = item.attachment.kind, item.attachment.filename
        named = f"{kind} {clean_name(filename)}" if filename else kind
        try:
            async with asyncio.timeout_at(deadline), self._limit:
                content = await _fetch(item.attachment, adapter)
                return await self._keep(item, content, budget)
        except (_Missing, NotFound) as error:
            return Text(f"[{named} that could not be had: {error}]")
        except TooLarge as error:
            return Text(f"[{named} that is too large: {error}]")
        except TimeoutError:
            log.warning("attachment_late", via=adapter.name, kind=kind)
            return Text(f"[{named} that did not come in time; it can be sent again]")

    async def _keep(self, item: _Item, content: bytes, budget: _SpeechBudget) -> Part:
        attachment = item.attachment
        detect = sniff_recording if attachment.kind == "audio" else sniff
        found = detect(content, attachment.mime_type, attachment.filename)
        name = attachment.filename or f"{item.name}{found.extension}"
        if found.kind == "audio":
            return await self._listen(content, found, name, budget)
        shown = found.kind == "image" and is_fit_for_vision(content)
        damage = await self._describe_damage(content, found)
        if item.person.is_guest and not (shown and not damage):
            reason = damage or ": not kept, for guests have no library; see /login"
            return Text(f"[{found.kind} {clean_name(name)}{reason}]")
        try:
            file = await self._files.save(
                item.person.account or GUESTS,
                name,
                content,
                mime_type=found.mime_type,
                source=item.person.channel,
                key=item.key,
            )
        except ToolFailed:
            return Text(f"[{found.kind} {clean_name(name)}: not kept, the library is full]")
        if shown and not damage:
            return Media("image", file.file_id, file.filename, found.mime_type)
        kilobytes = -(-file.size // 1000)
        kind = "image" if damage else "document"
        return Text(f"[{kind} {file.filename}, {kilobytes} kB, file_id {file.file_id}{damage}]")

    async def _describe_damage(self, content: bytes, found: Sniffed) -> str:
        """Return what the model is told of a damaged image; empty for an intact one, and for one
        that it is not shown for another reason."""
        is_tried = is_fit_for_vision(content) or dimensions(content) is None
        if found.kind != "image" or not is_tried:
            return ""
        if not await is_damaged(content, self._isolated_worker):
            return ""
        log.info("image_damaged", kind=found.mime_type, size=len(content))
        return ": it came damaged and cannot be looked at; ask for it again"

    async def _listen(
        self, content: bytes, found: Sniffed, name: str, budget: _SpeechBudget
    ) -> Part:
        if not self._transcriber.available:
            return Text("[voice note; it cannot be listened to here, ask for it in writing]")
        estimated = self._transcriber.estimate_usd(content, found.mime_type)
        if estimated > budget.usd_left:
            return Text("[voice note that is too long to be heard; ask for a shorter one]")
        budget.usd_left -= estimated
        try:
            words, usd = await self._transcriber.transcribe(
                content, filename=name, mime_type=found.mime_type
            )
        except TranscriptionFailed as error:
            log.warning("transcription_failed", reason=str(error))
            return Text("[voice note; listening failed, ask for it again or in writing]")
        budget.notes += 1
        budget.usd += usd
        if not words:
            return Text("[voice note without a word in it]")
        return Media("audio", "", name, found.mime_type, transcript=words)


def quote_voice_notes(messages: Iterable[UserMessage]) -> str:
    """Return the transcripts of voice notes, quoted for the person: markdown, empty if there are
    none."""
    parts = [part for message in messages for part in message.parts]
    heard = [part.transcript for part in parts if isinstance(part, Media) and part.transcript]
    return "\n".join(f"> 🎤 {line}" for words in heard for line in words.splitlines())


def _items(update: Update, person: Person, key: str) -> list[_Item]:
    if not isinstance(update.content, Said):
        return []
    moment = datetime.fromtimestamp(update.at, UTC) if update.at else datetime.now(UTC)
    return [
        _Item(
            attachment,
            person,
            key=f"{key}/in/{index}",
            name=f"{_KIND_NAMES[attachment.kind]}-{moment:%Y-%m-%d-%H%M%S}-{index + 1}",
        )
        for index, attachment in enumerate(update.content.attachments)
    ]


async def _fetch(attachment: Attachment, adapter: Adapter) -> bytes:
    reason = ""
    for pause in _PAUSES:
        await asyncio.sleep(pause)
        try:
            return await adapter.fetch(attachment)
        except RetryAt as error:
            reason = str(error)
    log.warning("attachment_not_fetched", via=adapter.name, reason=reason)
    raise _Missing("the channel does not give it out just now; it can be sent again")


def announce_file(language: str, filename: str) -> str:
    """Return the line that takes the place of a long code block in an answer."""
    return say(language, "📎 The code follows in the file {filename}.", filename=f"`{filename}`")


@dataclass(frozen=True, slots=True)
class CodeFiles:
    files: FileStore

    async def take_out(self, answer: str, person: Person, key: str) -> tuple[str, list[ShareFile]]:
        """Return the answer without its long code blocks, and these as files of the person's
        library.

        If they cannot be stored, the answer stays as it is.

        Args:
            key: names the turn; with the same key the same files are stored once.
        """
        if "```" not in answer and "~~~" not in answer:
            return answer, []
        text, blocks = extract_long_blocks(
            answer, lambda filename: announce_file(person.language, filename)
        )
        kept: list[ShareFile] = []
        for number, block in enumerate(blocks, 1):
            try:
                kept.append(
                    await self.files.save(
                        person.account or GUESTS,
                        block.filename,
                        block.code.encode(errors="replace"),
                        mime_type="text/plain",
                        source="answer",
                        key=f"{key}/code/{number}",
                    )
                )
            except (ToolFailed, ConnectionError) as error:
                log.warning("code_not_kept", error=type(error).__name__)
                return answer, []
        return text, kept
