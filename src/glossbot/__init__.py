"""glossbot answers questions about a glossary, on the reader's own machine.

from glossbot import Glossbot

answer = Glossbot.load().ask("difference between GQA and MQA")
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

__all__ = ["Answer", "Entry", "Event", "Evidence", "Glossary", "Glossbot", "GlossbotError", "Settings", "__version__"]

if TYPE_CHECKING:
    from glossbot.answer import Answer, Event
    from glossbot.bot import Glossbot
    from glossbot.entry import Entry, Glossary
    from glossbot.errors import GlossbotError
    from glossbot.retrieve import Evidence
    from glossbot.settings import Settings

_HOMES = {
    "Answer": "answer",
    "Entry": "entry",
    "Event": "answer",
    "Evidence": "retrieve",
    "Glossary": "entry",
    "Glossbot": "bot",
    "GlossbotError": "errors",
    "Settings": "settings",
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used, so that ``import glossbot`` and the command line start at once."""
    if name in _HOMES:
        from importlib import import_module

        return getattr(import_module(f"glossbot.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'glossbot' has no attribute {name!r}")
