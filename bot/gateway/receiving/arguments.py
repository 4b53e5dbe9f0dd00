"""The words that may follow a command, in both languages, folded: where they are recognised without
a slash, and where they are carried out."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from bot.messages import Mode

CONFIRM: Final = frozenset({"confirm", "confirmer"})
"""After `/delete`."""
REMOVE: Final = frozenset({"remove", "supprimer", "forget", "oublier"})
"""After `/email`."""
EVERYWHERE: Final = frozenset({"all", "tout", "tous", "partout"})
"""After `/logout`."""
FORGET: Final = re.compile(r"(?:forget|oublier|oublie) (?P<number>[0-9]{1,9})")
"""After `/memory`."""
BUY: Final = re.compile(
    r"(?P<price>[0-9]{1,3}(?: [0-9]{3})+|[0-9]{1,6})(?: ?(?:f|fr|francs?|f ?cfa|xof|xaf))?"
    r"(?: (?P<way>[a-z_]{2,20}))?"
)
"""After `/buy`: what a pack costs, as people write it, and how it is to be paid."""
DONE: Final = re.compile(r"(?:done|fait|faite) (?P<number>[0-9]{1,9})")
LATER: Final = re.compile(r"(?:later|plus tard) (?P<number>[0-9]{1,9})(?: (?P<until>.+))?")
"""After `/tasks`."""
LANGUAGES: Final[Mapping[str, str]] = {
    "fr": "fr",
    "francais": "fr",
    "french": "fr",
    "en": "en",
    "anglais": "en",
    "english": "en",
}
MODES: Final[Mapping[str, Mode]] = {
    "child": "child",
    "eleve": "child",
    "pupil": "child",
    "student": "child",
    "etudiant": "child",
    "pro": "pro",
    "professional": "pro",
    "professionnel": "pro",
}
