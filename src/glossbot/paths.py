"""Where files lie: in a checkout beside the code, otherwise in the user's own folders.

In a checkout everything is written under ``index/`` and ``models/``. Elsewhere it goes to the user's data folder
(`platformdirs`), or to ``GLOSSBOT_HOME`` where that is set, in a checkout too.
"""

import os
from importlib import resources
from pathlib import Path

import platformdirs


def _given(named: str) -> Path:
    return Path(os.path.expanduser(named)).absolute()  # noqa: PTH111 - Path raises for an unknown user


def checkout() -> Path | None:
    """Return the root of the checkout that this package runs from, or None for an installed one."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / "corpus").is_dir() else None


def home() -> Path:
    """Return the folder under which glossbot writes; it need not exist yet."""
    if named := os.environ.get("GLOSSBOT_HOME"):
        return _given(named)
    return checkout() or Path(platformdirs.user_data_dir("glossbot", appauthor=False))


def config_file() -> Path:
    """Return where the settings file is looked for: ``GLOSSBOT_CONFIG``, the home, or the user's config folder."""
    if named := os.environ.get("GLOSSBOT_CONFIG"):
        return _given(named)
    if os.environ.get("GLOSSBOT_HOME"):
        return home() / "glossbot.toml"
    return Path(platformdirs.user_config_dir("glossbot", appauthor=False)) / "glossbot.toml"


def shipped_corpus() -> Path:
    """Return the folder of the glossary that glossbot ships."""
    root = checkout()
    return root / "corpus" if root else Path(str(resources.files("glossbot") / "data" / "corpus"))


def shipped_manifest() -> Path:
    """Return the file that lists the known models."""
    root = checkout()
    return (
        root / "models" / "manifest.toml" if root else Path(str(resources.files("glossbot") / "data" / "manifest.toml"))
    )
