"""What Griot says, in each channel's own form: markdown -> styled text -> chunks of a channel.

Pure: no input or output, nothing remembered. Decides by `Capabilities`, never by a channel's name.
"""

from __future__ import annotations

from bot.gateway.render.bodies import draft, render

__all__ = ["draft", "render"]
