"""What the model sees of an update."""

from __future__ import annotations

from collections.abc import Mapping

from bot.accounts.approvals import Choice, Kind
from bot.messages import Decided, Edited, Said, SharedLocation, Text, Update, UserMessage, Woken

_TOLD = (
    "[My program tells you this beside my message. It has the weight of my own words, no more; "
    "what it says was said before, you cannot check:]"
)
_MESSAGE = "[My message:]"
_FORWARDED = "[Forwarded to you, the words of someone else:]"

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


def instead_of(kind: Kind) -> str:
    """What the model is told where words came instead of a decision."""
    return _INSTEAD[kind]


def to_message(update: Update, kind: Kind = "plan") -> UserMessage:
    """The person's message; of attachments it holds nothing yet.

    Args:
        kind: what they have decided on, if they have.
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
    told = [f"> {line}" for line in said.told.splitlines()]
    lines = [_TOLD, *told, _MESSAGE] if told else []
    lines += [f"> {line}" for line in said.quoted.splitlines()]
    if said.forwarded:
        lines.append(_FORWARDED)
    lines.append(said.text)
    return "\n".join(lines).strip()
