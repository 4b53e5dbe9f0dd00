"""Say errors of database drivers as errors of the setting that names the database."""

from __future__ import annotations

from types import TracebackType
from typing import Final

from bot.errors import SettingsError

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
