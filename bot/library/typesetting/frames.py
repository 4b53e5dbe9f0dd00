"""How requests and pictures pass between Griot and the process that makes the pictures.

Frames of four bytes, the length in network order, and as many bytes: a JSON list of formulas, or
the JSON object of a chart one way, a PNG the other; no bytes if nothing could be shown.
"""

from __future__ import annotations

import struct
from typing import Final

LENGTH: Final = struct.Struct("!I")
READY: Final = b"ready\n"
"""What the process says when its fonts are loaded and its limits are set."""
