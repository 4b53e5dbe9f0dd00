"""Issue and check one-time codes: six digits that prove who owns a number or an e-mail address."""

from __future__ import annotations

import hmac
import re
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final

from bot.accounts.personal_ids import pseudonymise
from bot.contracts.storage import Row, Transaction
from bot.errors import PersonError
from bot.i18n import DEFAULT_LANGUAGE, say
from bot.messages.channels import WEB, Channel
from bot.settings import Settings

CODE_SECONDS: Final = 300.0
"""Seconds for which a code is valid."""
TRIES: Final = 5
PAUSE: Final = 60.0
"""Seconds until the same person may ask for another code for the same number."""
PER_TARGET: Final = 5
PER_ASKER: Final = 20
PER_PREFIX: Final = 500
"""The most codes an hour for one number, by one asker, and to one country: they bound what a fraud
costs that floods numbers on which it earns money. Numbers with an account have a limit a country of
their own, so that such a fraud does not lock everybody out."""
PLACE: Final = "000000"
"""Stands for the code in a stored text: it is as long, and costs the same to send."""
_HOUR: Final = 3600.0
_DIGITS: Final = re.compile(r"[0-9]{4,10}")
_OURS: Final = re.compile(r"[0-9]{6}")
GUESSES_PER_DAY: Final = 100
"""The most wrong guesses by one asker, or at one number, before a code can be tried only once."""


class CodeRefused(PersonError):
    """No code is sent: it is too soon, there were too many, or the country is not served."""

    code = "too_many_codes"


class CountryNotServed(CodeRefused):
    """`OTP_COUNTRIES` does not name the number's country."""

    code = "country_not_served"


class NumberOptedOut(CodeRefused):
    """The number wants no messages from Griot, which has to be lifted from that number."""

    code = "opted_out"


@dataclass(frozen=True, slots=True)
class Issued:
    """A new code, to be sent."""

    id: str
    again: bool
    """Another code was sent to the same number within the hour, and not used."""


@dataclass(frozen=True, slots=True)
class Tried:
    """The codes that a person may have typed; each has lost a try."""

    targets: Mapping[str, str]
    """The number or address that each code would prove, by the code's id; without the codes that
    this asker may not try any more."""
    can_retry: bool = False
    """One of them can be tried again."""


@dataclass(frozen=True, slots=True)
class Asker:
    """The person who wants a code, and must type it: an identity; over HTTP, their network."""

    channel: Channel
    address: str
    language: str = "fr"


class OneTimeCodes:
    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._key = settings.secret_key.encode()
        self._countries = {code.lstrip("+") for code in settings.otp_countries}
        self._handed_on = bool(settings.twilio_verify_service_sid)

    async def issue(self, tx: Transaction, target: str, prefix: str, asker: Asker) -> Issued:
        """Store a new code.

        Args:
            target: the number (E.164) or e-mail address that it is to prove.
            prefix: the number's country calling code; empty for an e-mail address.

        Raises:
            CodeRefused: too soon, or too many.
            CountryNotServed: `OTP_COUNTRIES` does not name the country.
        """
        if prefix and self._countries and prefix not in self._countries:
            raise CountryNotServed(
                say(asker.language, "Numbers of this country are not served here.")
            )
        for locked in (f"target:{target}", f"asker:{asker.channel}:{asker.address}"):
            await self._count(tx, self._mac("lock", locked)[:32])
        row = await tx.fetch_one(
            _ASKED,
            target=target,
            hidden=pseudonymise(self._settings, target),
            prefix=prefix,
            channel=asker.channel,
            address=asker.address,
            hour=_HOUR,
            tries=TRIES,
        )
        if row is None:
            raise RuntimeError("a count gave no row")
        _check_limits(row, asker.language)
        code_id = secrets.token_hex(16)
        await tx.execute(
            _ISSUE,
            id=code_id,
            target=target,
            prefix=prefix,
            channel=asker.channel,
            address=asker.address,
            ttl=CODE_SECONDS,
            hidden=pseudonymise(self._settings, target),
            most=GUESSES_PER_DAY,
            last=TRIES - 1,
        )
        return Issued(code_id, again=row["unused"] > 0)

    async def withdraw(self, tx: Transaction, code_id: str) -> None:
        """Delete a code that cannot be sent, so that it counts towards no limit."""
        await tx.execute("DELETE FROM code WHERE id = :id", id=code_id)

    async def void(self, tx: Transaction, code_id: str) -> None:
        """Make a code worthless that is not sent; it still counts towards the limits on new codes,
        so that what a number wants is not asked about any faster."""
        await tx.execute("UPDATE code SET state = 'void' WHERE id = :id", id=code_id)

    async def find_asker(self, tx: Transaction, code_id: str) -> tuple[Asker, str] | None:
        """Return who asked for a code, and the number or address that it is to prove; None: the
        code is not open any more."""
        row = await tx.fetch_one(_ASKER, id=code_id)
        if row is None:
            return None
        language = row["language"] or DEFAULT_LANGUAGE
        return Asker(row["channel"], row["address"], language), row["target"]

    def reveal(self, code_id: str) -> str:
        """Return a code's six digits, which the caller sends and does not store."""
        return f"{int(self._mac('code', code_id), 16) % 1_000_000:06d}"

    def fill_in(self, text: str, code_id: str) -> str:
        """Return the text with the code in place of `PLACE`; the caller does not store it."""
        return text.replace(PLACE, self.reveal(code_id), 1)

    def seal(self, typed: str) -> str:
        """Return a keyed hash of what a person typed, which may be stored."""
        return self._mac("typed", typed)

    def is_one(self, typed: str) -> bool:
        """Return whether `typed` has the form of a code: six digits, or 4 to 10 where a service
        makes the codes."""
        form = _DIGITS if self._handed_on else _OURS
        return form.fullmatch(typed) is not None

    def keep_typed(self, typed: str) -> str:
        """Return the hash of `seal`; where a service checks codes, followed by the digits under a
        pad that is used once."""
        sealed = self.seal(typed)
        if not (self._handed_on and _DIGITS.fullmatch(typed)):
            return sealed
        nonce = secrets.token_hex(16)
        return f"{sealed}.{nonce}.{self._pad(typed, nonce, 1)}"

    def read_typed(self, sealed: str) -> str:
        """Return the digits in a result of `keep_typed`; empty if it holds none."""
        _, _, rest = sealed.partition(".")
        nonce, _, padded = rest.partition(".")
        return self._pad(padded, nonce, -1) if padded else ""

    async def redeem(
        self, tx: Transaction, sealed: str, asker: Asker, target: str = ""
    ) -> str | None:
        """Return the number or address that the code proves; None if the code is wrong, expired,
        used, tried too often, or was never asked for. Every code that could be meant loses a try,
        and the same work is done whether there is one or not.

        Args:
            sealed: the result of `seal` for what was typed.
            target: over HTTP, the number that is to be proven, whichever asker got its code.
        """
        tried = await self.take_tries(tx, asker, target)
        proven = self.match(tried, sealed)
        await self.use(tx, proven, asker)
        return proven or None

    async def take_tries(self, tx: Transaction, asker: Asker, target: str = "") -> Tried:
        """Take a try from each code that the asker may have typed, and return the codes: the first
        half of `redeem`."""
        guesses = await self._count(tx, self._guesser(asker))
        rows = (
            await tx.fetch(_TRY_TARGET, target=target, channel=WEB, tries=TRIES)
            if target
            else await tx.fetch(
                _TRY_ASKER, channel=asker.channel, address=asker.address, tries=TRIES
            )
        )
        most = TRIES if guesses <= GUESSES_PER_DAY else 1
        return Tried(
            {row["id"]: row["target"] for row in rows if row["tries"] <= most},
            can_retry=any(row["tries"] < most for row in rows),
        )

    def match(self, tried: Tried, sealed: str) -> str:
        """Return the number or address that one of our own codes proves; empty: none. The work is
        always the same."""
        targets, sealed = tried.targets, sealed.partition(".")[0]
        candidates = [*targets, *[""] * max(0, PER_TARGET - len(targets))]
        found = [each for each in candidates if self._fits(each, sealed)]
        match = next((each for each in found if each), "")
        return targets.get(match, "")

    async def use(self, tx: Transaction, proven: str, asker: Asker) -> None:
        """Mark all codes for the proven number or address as used, and count no wrong guess;
        do nothing if `proven` is empty."""
        await tx.execute(_USE, target=proven)
        if proven:
            key, day = self._guesser(asker), self._today()
            await tx.execute(_UNCOUNT, key=key, day=day)

    async def find_used(self, tx: Transaction, sealed: str, asker: Asker) -> str:
        """Return the number or address that this code has proven for the asker, while the code
        would be valid; empty: it has proven none."""
        rows = await tx.fetch(_USED_BY, channel=asker.channel, address=asker.address)
        return self.match(Tried({row["id"]: row["target"] for row in rows}), sealed)

    async def belongs_to(
        self, tx: Transaction, channel: Channel, address: str, typed: Sequence[str]
    ) -> bool:
        """Return whether some of these digits are a code of this person, open or just used: sent
        to this address or to the number of the account that the identity leads to, or asked for
        by an identity of that account.

        The answer helps only people who have the code already, so it costs no try. A service's
        codes are not known here: while one is open, any lone digits may be it.
        """
        rows = await tx.fetch(_CODES_OF, channel=channel, address=address)
        if self._handed_on and any(_is_open_at_service(row) for row in rows):
            return True
        codes = {self.seal(self.reveal(row["id"])) for row in rows}
        return any(self.seal(digits) in codes for digits in typed)

    def _guesser(self, asker: Asker) -> str:
        return self._mac("guess", f"{asker.channel}:{asker.address}")[:32]

    def _fits(self, code_id: str, sealed: str) -> bool:
        return hmac.compare_digest(self.seal(self.reveal(code_id)), sealed)

    def _pad(self, digits: str, nonce: str, sign: int) -> str:
        size = 10 ** len(digits)
        pad = int(self._mac("pad", nonce), 16) * sign
        return f"{(int(digits) + pad) % size:0{len(digits)}d}"

    async def _count(self, tx: Transaction, key: str) -> int:
        """Count one more use of the key today and return the count; lock the key until the
        transaction ends."""
        row = await tx.fetch_one(_COUNT, key=key, day=self._today())
        return int(row["used"]) if row else 0

    def _today(self) -> str:
        return datetime.fromtimestamp(time.time(), UTC).date().isoformat()

    def _mac(self, purpose: str, text: str) -> str:
        return hmac.new(self._key, f"otp:{purpose}:{text}".encode(), sha256).hexdigest()


def _is_open_at_service(code: Row) -> bool:
    return code["state"] == "open" and "@" not in code["target"]


async def withdraw_codes_to(tx: Transaction, target: str) -> None:
    """Invalidate all codes that were sent to this number or address before now."""
    await tx.execute(_WITHDRAW_TO, target=target)


def _check_limits(row: Row, language: str) -> None:
    """Check the limits on new codes. Raises `CodeRefused`."""
    if row["since"] is not None and row["since"] < PAUSE:
        words = (
            say(language, "A code is on its way. If it does not come, ask again in a minute.")
            if row["valid"]
            else say(language, "You can ask for a new code in a minute.")
        )
        raise CodeRefused(words, after=PAUSE - row["since"])
    if row["to_target"] >= PER_TARGET or row["by_asker"] >= PER_ASKER:
        raise CodeRefused(
            say(language, "You asked for many codes. Please try again in an hour."), after=_HOUR
        )
    if row["to_prefix"] >= PER_PREFIX:
        raise CodeRefused(
            say(language, "Too many codes are asked for just now. Try again later."),
            after=_HOUR / 6,
        )


_ASKED = """
SELECT
    (SELECT count(*) FROM code
        WHERE target IN (:target, :hidden) AND created_at > {now} - :hour) AS to_target,
    (SELECT count(*) FROM code WHERE channel = :channel AND address = :address
        AND created_at > {now} - :hour) AS by_asker,
    (SELECT count(*) FROM code
        WHERE prefix = :prefix AND prefix <> '' AND created_at > {now} - :hour
            AND EXISTS (SELECT 1 FROM account WHERE phone = code.target)
                = EXISTS (SELECT 1 FROM account WHERE phone = :target)) AS to_prefix,
    (SELECT count(*) FROM code WHERE target = :target AND state = 'open'
        AND created_at > {now} - :hour) AS unused,
    (SELECT {now} - max(created_at) FROM code WHERE target = :target AND state = 'open'
        AND channel = :channel AND address = :address) AS since,
    (SELECT count(*) FROM code WHERE target = :target AND state = 'open' AND tries < :tries
        AND channel = :channel AND address = :address AND expires_at > {now}) AS valid
"""

_ISSUE = """
INSERT INTO code (id, target, prefix, channel, address, tries, expires_at, created_at)
SELECT :id, :target, :prefix, :channel, :address,
    CASE WHEN coalesce(sum(tries), 0) >= :most THEN CAST(:last AS BIGINT) ELSE 0 END,
    {now} + :ttl, {now}
FROM code WHERE target IN (:target, :hidden) AND created_at > {now} - 86400
"""

_ASKER = """
SELECT code.channel, code.address, code.target,
    coalesce(account.language, identity.language) AS language
FROM code
LEFT JOIN identity ON identity.channel = code.channel AND identity.address = code.address
LEFT JOIN account ON account.id = identity.account
WHERE code.id = :id AND code.state = 'open'
"""

_UNCOUNT = """
UPDATE allowance SET used = used - 1
WHERE channel = 'code' AND address = :key AND day = :day AND used > 0
"""

_CODES_OF = """
SELECT id, target, state FROM code WHERE state IN ('open', 'used') AND expires_at > {now} AND (
    target = :address OR (channel = :channel AND address = :address)
    OR target IN (
        SELECT account.phone FROM identity
        JOIN account ON identity.account IN (account.id, account.part_of)
        WHERE identity.channel = :channel AND identity.address = :address
    )
    OR EXISTS (
        SELECT 1 FROM identity AS theirs
        JOIN identity AS mine ON mine.account = theirs.account
        WHERE theirs.channel = code.channel AND theirs.address = code.address
            AND mine.channel = :channel AND mine.address = :address
    )
)
"""

_COUNT = """
INSERT INTO allowance (channel, address, day, used) VALUES ('code', :key, :day, 1)
ON CONFLICT (channel, address, day) DO UPDATE SET used = allowance.used + 1
RETURNING used
"""

_TRY_TARGET = """
UPDATE code SET tries = tries + 1
WHERE target = :target AND channel = :channel AND state = 'open' AND expires_at > {now}
    AND tries < :tries
RETURNING id, target, tries
"""

_TRY_ASKER = """
UPDATE code SET tries = tries + 1
WHERE channel = :channel AND address = :address AND state = 'open' AND expires_at > {now}
    AND tries < :tries
RETURNING id, target, tries
"""

_WITHDRAW_TO = """
UPDATE code SET state = 'replaced' WHERE target = :target AND state = 'open'
"""

_USED_BY = """
SELECT id, target FROM code WHERE channel = :channel AND address = :address AND state = 'used'
    AND expires_at > {now}
"""

_USE = """
UPDATE code SET state = 'used' WHERE target = :target AND state = 'open'
"""
