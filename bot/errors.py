"""The tree of errors, by who can act on them.

GriotError
├── BadRequest            the sender: wrong form (400), too large (413), not authentic (403)
├── SettingsError         the operator: a setting is missing or wrong
├── DeliveryError         the outbox: try again, give up, or stay in doubt
├── ModelError            the loop: no endpoint answered, or a stream broke
├── ToolFailed            the model: it reads the reason and does something else
├── PersonError           the person: out of credits, too fast, not found
└── LeaseLost             nobody: another process owns the lane now, stop at once
"""

from __future__ import annotations

from bot.messages.outgoing import Body
from bot.messages.transcript import Usage

_NOTHING = Usage()


class GriotError(Exception):
    """Everything that Griot raises on purpose.

    Attributes:
        loggable: its message is for logs: it holds nothing that a person or a provider wrote.
    """

    loggable = False


# The sender of a request -----------------------------------------------------------------------


class BadRequest(GriotError):
    """What came from outside cannot be taken; the message may be shown to whoever sent it."""

    status = 400
    loggable = True


class Refused(BadRequest):
    """Not authentic: signature, secret or token is wrong. Nothing may be stored."""

    status = 403


class TooLarge(BadRequest):
    status = 413


# The operator -----------------------------------------------------------------------------------


class SettingsError(GriotError):
    """A setting is missing or wrong; the message names the variable and what to do."""

    loggable = True


class DatabaseInUse(SettingsError):
    """Another worker holds the database file, or shares the database without a shared Redis."""


# The outbox -------------------------------------------------------------------------------------


class DeliveryError(GriotError):
    """A delivery did not simply succeed."""

    loggable = True


class RetryAt(DeliveryError):
    """Surely not delivered; may be tried again.

    Args:
        reason: for logs and operators.
        after: seconds from now, as the provider asked; None leaves the pace to the outbox.
        body: what is still to be delivered, where some of several recipients have it.
    """

    def __init__(self, reason: str, after: float | None = None, body: Body | None = None) -> None:
        super().__init__(reason)
        self.after = after
        self.body = body


class Undeliverable(DeliveryError):
    """Refused for good.

    Args:
        reason: for logs and operators.
        dead_target: nothing can be delivered to this conversation until the person comes back.
        opted_out: nor may it be tried before the person consents anew.
        moved_to: the conversation's new id, when the provider names one.
    """

    def __init__(
        self,
        reason: str,
        *,
        dead_target: bool = False,
        opted_out: bool = False,
        moved_to: str = "",
    ) -> None:
        super().__init__(reason)
        self.dead_target = dead_target
        self.opted_out = opted_out
        self.moved_to = moved_to


class SenderRestricted(DeliveryError):
    """Surely not delivered: the provider has restricted our number, which may send nothing."""


class WindowClosed(DeliveryError):
    """Surely not delivered: only templates may be sent until the person writes again."""


class OutcomeUnknown(DeliveryError):
    """The request was sent and no answer came: it may have been delivered."""


# The loop ---------------------------------------------------------------------------------------


class ModelError(GriotError):
    """The model gave no usable answer."""

    loggable = True


class ModelUnavailable(ModelError):
    """No endpoint answered, nothing was shown: the turn may be tried again later.

    Args:
        reason: for logs and operators.
        after: seconds before which no endpoint will answer; infinite where all refuse our key, the
            model or the address, which only an operator can change.
    """

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


class ModelRefused(ModelError):
    """The endpoint says that the request itself is wrong; asking again cannot help."""


class StreamBroken(ModelError):
    """The stream broke after its first token: what was shown stays, it is not asked again.

    Args:
        reason: for logs.
        text: the content shown before it broke.
        usage: what the call consumed all the same, as reported or else estimated.
        model: which model it was, as the endpoint names it.
    """

    def __init__(self, reason: str, text: str, usage: Usage = _NOTHING, model: str = "") -> None:
        super().__init__(reason)
        self.text = text
        self.usage = usage
        self.model = model


class ScriptExhausted(ModelRefused):
    """The scripted model (`DEBUG_MOCK_RESPONSES`) has no entry left."""


# The model --------------------------------------------------------------------------------------


class ToolFailed(GriotError):
    """A tool could not do it; the message tells the model what it can do instead."""


# The person -------------------------------------------------------------------------------------


class PersonError(GriotError):
    """The person can act on it. `code` is stable (snake_case); the message is for people.

    Args:
        after: seconds after which it may be tried again, where that is known.
    """

    code = "refused"

    def __init__(self, words: str, *, after: float | None = None) -> None:
        super().__init__(words)
        self.after = after


class NotFound(PersonError):
    code = "not_found"


class OutOfCredits(PersonError):
    code = "out_of_credits"


class AllowanceUsedUp(PersonError):
    """A guest's messages for today are used up."""

    code = "allowance_used_up"


class WalletUnknown(PersonError):
    """The person's number has no account with which it could pay this way."""

    code = "wallet_unknown"


class NumberUnknown(WalletUnknown):
    """The person is asked to pay on their phone, whose number is not known."""

    code = "number_unknown"


class CodeUnsent(GriotError):
    """A service sends no code to this number.

    Args:
        reason: for logs and operators; it names no number.
        too_many: it was sent as many as it may be; else none can be sent there at all.
    """

    loggable = True

    def __init__(self, reason: str, *, too_many: bool = False) -> None:
        super().__init__(reason)
        self.too_many = too_many


class Busy(PersonError):
    """A turn is running in this session already."""

    code = "busy"


# Another process --------------------------------------------------------------------------------


class LeaseLost(GriotError):
    """The lane's fence has moved on: whatever this process still holds of the turn is void."""

    loggable = True
