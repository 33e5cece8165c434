"""Where files lie: in a checkout, outside one, and where the environment says."""

from pathlib import Path

import platformdirs
import pytest

from glossbot import paths

ROOT = Path(__file__).resolve().parents[1]


def test_a_checkout_is_its_own_home(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLOSSBOT_HOME")
    assert paths.checkout() == paths.home() == ROOT
    assert paths.shipped_corpus() == ROOT / "corpus"
    assert paths.shipped_manifest() == ROOT / "models" / "manifest.toml"


def test_an_installed_package_uses_the_users_folders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLOSSBOT_HOME")
    monkeypatch.setattr(paths, "__file__", "/usr/lib/python3/site-packages/glossbot/paths.py")
    assert paths.checkout() is None
    assert paths.home() == Path(platformdirs.user_data_dir("glossbot", appauthor=False))
    assert paths.shipped_corpus().parts[-3:] == ("glossbot", "data", "corpus")
    assert paths.shipped_manifest().parts[-3:] == ("glossbot", "data", "manifest.toml")


def test_the_home_can_be_moved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert paths.home() == tmp_path / "home"
    assert paths.config_file() == tmp_path / "home" / "glossbot.toml"
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("GLOSSBOT_HOME", "here")
    assert paths.home() == tmp_path / "here"
    monkeypatch.setenv("GLOSSBOT_HOME", "~/there")
    assert paths.home() == Path.home() / "there"
    monkeypatch.setenv("GLOSSBOT_CONFIG", "x.toml")
    assert paths.config_file() == tmp_path / "x.toml"


def test_settings_outside_a_home_lie_with_the_users_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GLOSSBOT_HOME")
    assert paths.config_file() == Path(platformdirs.user_config_dir("glossbot", appauthor=False)) / "glossbot.toml"
