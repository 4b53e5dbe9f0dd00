"""Settings: environment variables, or a `.env` file, read once into a frozen object.

`load` names every invalid variable with a hint, `unknown` every variable that looks meant for Griot
but is none of its settings.
"""

from bot.settings.loading import explain_problem, load, unknown
from bot.settings.values import (
    MESSAGE_CATEGORIES,
    Advisor,
    Capability,
    Endpoint,
    McpServer,
    Money,
    PackOffer,
    RemoteAgent,
    ScriptedCall,
    ScriptedCalls,
    Seconds,
    SmsProvider,
)
from bot.settings.variables import NEEDED_FOR_SMS, Settings

__all__ = [
    "MESSAGE_CATEGORIES",
    "NEEDED_FOR_SMS",
    "Advisor",
    "Capability",
    "Endpoint",
    "McpServer",
    "Money",
    "PackOffer",
    "RemoteAgent",
    "ScriptedCall",
    "ScriptedCalls",
    "Seconds",
    "Settings",
    "SmsProvider",
    "explain_problem",
    "load",
    "unknown",
]
