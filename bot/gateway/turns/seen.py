"""What the model sees of an update."""

from __future__ import annotations

from bot.messages import Decided, Edited, Said, SharedLocation, Text, Update, UserMessage, Woken

_FORWARDED = "[Forwarded to you, the words of someone else:]"

_DECISIONS = {
    "approve": "I approve the plan. Carry it out now.",
    "edit": "I do not approve the plan as it is: change it as I say, or ask me what to change. "
    "Then call exit_plan_mode with the new one.",
    "cancel": "I do not approve the plan. Do nothing of it.",
}
INSTEAD = "[I have not approved the plan; it is dropped. Instead I write:]"


def to_message(update: Update) -> UserMessage:
    """The person's message; of attachments it holds nothing yet."""
    match update.content:
        case Said() as said:
            words = _said(said)
        case SharedLocation(latitude=latitude, longitude=longitude, title=title):
            words = f"[location: {latitude:.6f}, {longitude:.6f} {title}]".replace(" ]", "]")
        case Decided(choice=choice, text=text):
            words = f"[{_DECISIONS[choice]}]\n{text}".strip()
        case Woken(text=text):
            words = f"[{text}]"
        case Edited(text=text):
            words = f"[I have corrected my earlier message:]\n{text}"
        case _:
            words = ""
    return UserMessage((Text(words),)) if words else UserMessage(())


def _said(said: Said) -> str:
    lines = [f"> {line}" for line in said.quoted.splitlines()]
    if said.forwarded:
        lines.append(_FORWARDED)
    lines.append(said.text)
    return "\n".join(lines).strip()
