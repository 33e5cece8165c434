"""Settings: where each value comes from, and what a wrong one is told."""

from pathlib import Path

import pytest

from glossbot import paths
from glossbot.errors import SettingsError
from glossbot.settings import PLACES, Settings, table, variable


def write_config(home: Path, text: str) -> Path:
    home.mkdir(parents=True, exist_ok=True)
    (home / "glossbot.toml").write_text(text, encoding="utf-8")
    return home / "glossbot.toml"


def test_each_source_wins_over_the_next(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert Settings.load().port == 7860
    write_config(home, "port = 1\ntitle = 'from the file'")
    assert Settings.load().port == 1
    monkeypatch.setenv("GLOSSBOT_PORT", "2")
    assert Settings.load().port == 2
    assert Settings.load(port=3).port == 3
    assert Settings.load(port=None).port == 2
    assert Settings.load(port=0).port == 0
    assert Settings.load(port=3).title == "from the file"


def test_the_settings_file_can_be_elsewhere(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_config(home, "port = 1")
    (tmp_path / "other.toml").write_text("port = 2")
    monkeypatch.setenv("GLOSSBOT_CONFIG", str(tmp_path / "other.toml"))
    assert Settings.load().port == 2


def test_every_setting_can_be_set_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    values = {
        "model": "/m.gguf",
        "embedder": "/e",
        "glossary": '["/a", "/b.md"]',
        "name": "tea",
        "gpu_layers": "all",
        "threads": "3",
        "context_size": "4096",
        "temperature": "0.5",
        "seed": "9",
        "max_evidence": "2",
        "max_question_chars": "60",
        "cache": "false",
        "cache_mb": "7",
        "cache_days": "0.5",
        "record_questions": "true",
        "title": "mine",
        "host": "::1",
        "port": "0",
    }
    assert set(Settings.model_fields) <= set(values), "a new setting needs a value here"
    for name, value in values.items():
        monkeypatch.setenv(variable(name), value)
    loaded = Settings.load()
    assert loaded.glossary == (Path("/a"), Path("/b.md"))
    assert (loaded.gpu_layers, loaded.threads, loaded.temperature) == ("all", 3, 0.5)
    defaults = Settings.model_construct()
    assert [name for name in values if getattr(loaded, name) == getattr(defaults, name)] == []


@pytest.mark.parametrize(("value", "expected"), [("auto", "auto"), ("all", "all"), ("12", 12), ("0", 0)])
def test_gpu_layers_are_a_number_or_a_word(value: str, expected: object, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOSSBOT_GPU_LAYERS", value)
    assert Settings.load().gpu_layers == expected


def test_an_empty_variable_is_no_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOSSBOT_THREADS", "")
    assert Settings.load().threads is None


@pytest.mark.parametrize("name", ["GLOSSBOT_MODLE", "glossbot_modle"])
def test_an_unknown_variable_is_refused(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "x")
    with pytest.raises(SettingsError, match=rf"{name} in the environment: .* Did you mean GLOSSBOT_MODEL\?"):
        Settings.load()


def test_an_unknown_variable_unlike_any_setting_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOSSBOT_WWWWWWWWWWWWWWWWWW", "x")
    with pytest.raises(SettingsError, match="glossbot settings"):
        Settings.load()


def test_an_unknown_key_in_the_file_is_refused(home: Path) -> None:
    file = write_config(home, "prot = 1")
    with pytest.raises(SettingsError, match=r"prot in .*there is no such setting\. Did you mean port\?") as caught:
        Settings.load()
    assert str(file) in str(caught.value)


def test_an_unknown_argument_is_refused() -> None:
    with pytest.raises(SettingsError, match=r"modle in the call: .* Did you mean model\?"):
        Settings.load(modle="x")


def test_a_value_that_does_not_fit_says_where_it_was_set(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = write_config(home, "context_size = 'big'")
    with pytest.raises(SettingsError, match=r"context_size in .*'big' does not fit") as caught:
        Settings.load()
    assert str(file) in str(caught.value)
    with pytest.raises(SettingsError, match=r"--port: 70000 does not fit: .*less than or equal to 65535"):
        Settings.load(context_size=512, port=70000)
    monkeypatch.setenv("GLOSSBOT_PORT", "many")
    with pytest.raises(SettingsError, match="GLOSSBOT_PORT: 'many' does not fit"):
        Settings.load(context_size=512)


def test_a_list_that_is_no_json_says_where_it_was_set(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GLOSSBOT_GLOSSARY", "/a:/b")
    with pytest.raises(SettingsError, match=r"GLOSSBOT_GLOSSARY|glossary"):
        Settings.load()


@pytest.mark.parametrize("content", [b"port = = 1", b"title = '\xff'"])
def test_a_broken_file_is_named(home: Path, content: bytes) -> None:
    file = write_config(home, "")
    file.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        Settings.load()
    assert str(file) in str(caught.value)


def test_the_docs_hold_the_table_of_settings() -> None:
    root = paths.checkout()
    assert root
    assert table() in (root / "docs/settings.md").read_text(encoding="utf-8")


def test_the_table_has_every_setting_and_place() -> None:
    for name, field in Settings.model_fields.items():
        assert f"| `{name}` | `{variable(name)}` |" in table()
        assert field.description
    assert all(f"`{name}`" in table() for name in PLACES)


def test_what_is_written_lies_under_the_home(home: Path) -> None:
    settings = Settings.load()
    assert settings.index_file == home / "index" / "glossary.index"
    assert Settings.load(name="tea").index_file == home / "index" / "tea.index"
    assert settings.models_dir == home / "models"
    assert not home.exists(), "loading settings writes nothing"
