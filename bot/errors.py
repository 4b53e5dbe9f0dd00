"""The tree of errors, by who can act on them.

GriotError
├── BadRequest            the client: wrong form (400), too large (413), not authentic (403)
├── SettingsError         the operator: a setting is missing or wrong
├── DeliveryError         the outbox: try again, give up, or stay in doubt
├── ModelError            the loop: no endpoint answered, or a stream broke
├── ToolFailed            the model: it reads the reason and does something else
├── PersonError           the person: out of credits, too fast, not found
└── LeaseLost             no one: another process owns the lane now, stop at once
"""

from __future__ import annotations

from types import TracebackType
from typing import Final

from bot.messages.outgoing import Body
from bot.messages.transcript import Usage

_NOTHING = Usage()


class GriotError(Exception):
    """Base of all errors that Griot raises on purpose.

    Attributes:
        loggable: whether the message may be logged, as it quotes no person and no provider.
    """

    loggable = False


# The client of a request -----------------------------------------------------------------------


class BadRequest(GriotError):
    """A request from outside is not accepted; the message may be shown to its sender."""

    status = 400
    loggable = True


class Refused(BadRequest):
    """The request is not authentic: signature, secret or token is wrong. It may not be stored."""

    status = 403


class TooLarge(BadRequest):
    status = 413


# The operator -----------------------------------------------------------------------------------


class SettingsError(GriotError):
    """A setting is missing or wrong; the message names the variable and what to do."""

    loggable = True


class DatabaseUnavailable(ConnectionError):
    """The database cannot be reached or written now. Its users wait or try again later.

    Args:
        reason: what is wrong, in a few words without an address.
        advice: what an operator does about it.
    """

    loggable = True

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"DATABASE_URL: {reason}: {advice}")
        self.reason = reason


class DatabaseInUse(SettingsError):
    """Another worker holds the database file, or shares the database without a shared Redis."""


# The outbox -------------------------------------------------------------------------------------


class DeliveryError(GriotError):
    """A delivery did not succeed, or may not have."""

    loggable = True


class RetryAt(DeliveryError):
    """The delivery surely did not arrive, and may be tried again.

    Args:
        reason: for logs and operators.
        after: seconds from now, as the provider asked; None leaves the pace to the outbox.
        body: the rest to deliver, where it differs from the delivery's body.
        only_file: its file could not be handed over; a text may arrive.
    """

    def __init__(
        self,
        reason: str,
        after: float | None = None,
        body: Body | None = None,
        *,
        only_file: bool = False,
    ) -> None:
        super().__init__(reason)
        self.after = after
        self.body = body
        self.only_file = only_file


class Undeliverable(DeliveryError):
    """The delivery was refused for good.

    Args:
        reason: for logs and operators.
        dead_target: nothing can be delivered to this conversation until the person comes back.
        opted_out: nothing may be sent there before the person consents anew.
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
    """The delivery surely did not arrive: the provider forbids our number to send."""


class WindowClosed(DeliveryError):
    """The delivery surely did not arrive: only templates may be sent until the person writes."""


class OutcomeUnknown(DeliveryError):
    """The request was sent and no answer came: it may have been delivered."""


# The loop ---------------------------------------------------------------------------------------


class ModelError(GriotError):
    """The model gave no usable answer."""

    loggable = True


class ModelUnavailable(ModelError):
    """No endpoint answered and nothing was shown, so the turn may be tried again later.

    Args:
        reason: for logs and operators.
        after: seconds for which no endpoint will answer; infinite where all refuse our key, the
            model or the address, which only an operator can change.
    """

    def __init__(self, reason: str, after: float = 0.0) -> None:
        super().__init__(reason)
        self.after = after


class ModelRefused(ModelError):
    """The endpoint refuses the request itself; a retry cannot help."""


class ContextTooLong(ModelRefused):
    """The request is longer than the model's context window; a shorter one may be answered."""


class StreamBroken(ModelError):
    """The stream broke after its first token: the shown text stays, and there is no retry.

    Args:
        reason: for logs.
        text: the content shown before the stream broke.
        usage: what the call consumed all the same, as reported or else estimated.
        model: the model, as the endpoint names it.
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
    """A tool failed; the message says what the model can do instead."""


# The person -------------------------------------------------------------------------------------


class PersonError(GriotError):
    """An error on which the person can act, with a stable `code` (snake_case) and a message for
    them.

    Args:
        after: seconds after which the person may try again, where that is known.
    """

    code = "refused"

    def __init__(self, words: str, *, after: float | None = None) -> None:
        super().__init__(words)
        self.after = after


class NotFound(PersonError):
    code = "not_found"


class OutOfCredits(PersonError):
    """The person has too few credits for what they ask.

    Args:
        can_buy: credits can be bought where they write.
    """

    code = "out_of_credits"

    def __init__(self, words: str, *, can_buy: bool = False) -> None:
        super().__init__(words)
        self.can_buy = can_buy


class AllowanceUsedUp(PersonError):
    """A guest's messages for today are used up."""

    code = "allowance_used_up"


class WalletUnknown(PersonError):
    """The person's number has no account to pay this way."""

    code = "wallet_unknown"


class NumberUnknown(WalletUnknown):
    """The provider asks people to pay on their phone, and the person's number is not known."""

    code = "number_unknown"


class CodeUnsent(GriotError):
    """A service refuses to send a code to this number.

    Args:
        reason: for logs and operators; it names no number.
        too_many: the number got too many codes; otherwise it can get none at all.
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
    """Another process has claimed the lane: all that this process holds of the turn is void."""

    loggable = True


# Errors of database drivers ------------------------------------------------------------------

_DATABASE_DRIVERS: Final = frozenset({"sqlite3", "asyncpg", "sqlalchemy"})


class DatabaseErrors:
    """While the context is open, errors of database drivers are raised as `SettingsError`.

    Drivers are recognised by the name of their package, so that none has to be imported for this.
    """

    def __enter__(self) -> None: ...

    def __exit__(
        self, _: type[BaseException] | None, error: BaseException | None, __: TracebackType | None
    ) -> None:
        if error is not None and type(error).__module__.partition(".")[0] in _DATABASE_DRIVERS:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise SettingsError(f"DATABASE_URL: the database says: {reason}") from error
