"""Letters: kept in a table, written as e-mail, handed to a mail server once each.

`room.py` takes them in from tools, `letters.py` keeps them, `posting.py` sends what is due by
`message.py` (what a letter looks like) and `smtp.py` (what a server makes of it). Who may be
written to at all is in `addresses.py`.
"""

from __future__ import annotations

from bot.mail.posting import Line, Post
from bot.mail.reminding import ReminderLetters
from bot.mail.room import Room

__all__ = ["Line", "Post", "ReminderLetters", "Room"]
