"""The one table of settings: environment, TOML file, command-line help and ``docs/settings.md`` all come from it.

A value is taken from the first of: the command line (or the Python caller), ``GLOSSBOT_<NAME>`` in the environment,
the TOML file (`paths.config_file`), the default below.
"""

import difflib
import os
from pathlib import Path
from typing import Annotated, Any, Literal, Self

from pydantic import Field, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict, TomlConfigSettingsSource

from glossbot import paths
from glossbot.errors import SettingsError

PREFIX = "GLOSSBOT_"
DEFAULT_NAME = "glossary"
# Read by `paths` before any setting is, since they say where the settings file lies.
PLACES = {
    "GLOSSBOT_HOME": "Folder under which everything is written (`index/`, `models/`, `cache/`), not the usual one.",
    "GLOSSBOT_CONFIG": "The TOML file to read settings from, instead of the usual one.",
}


class Settings(BaseSettings):
    """Everything that can be set."""

    model_config = SettingsConfigDict(env_prefix=PREFIX, extra="forbid", frozen=True, env_ignore_empty=True)

    model: str = Field(
        default="smollm2-135m-instruct",
        description="The language model: an id from `glossbot models list`, or the path of a GGUF file.",
    )
    embedder: str = Field(
        default="all-minilm-l6-v2",
        description="The embedder: an id from `glossbot models list`, or the path of a sentence-transformers folder.",
    )
    glossary: tuple[Path, ...] | None = Field(
        default=None,
        description="Glossary files or folders that `glossbot index` reads when it is given none "
        "(in the environment a JSON list); unset: those of the index that is there, else the shipped glossary.",
    )
    name: str = Field(
        default=DEFAULT_NAME,
        pattern=r"^\w[\w.-]{0,49}$",
        description="Which glossary is indexed and asked, where there are several: a name for each.",
    )
    gpu_layers: Annotated[int, Field(ge=0)] | Literal["auto", "all"] = Field(
        default=0,
        description="Layers of the model to put on the GPU: a number, `all`, or `auto` "
        "(all where llama.cpp was built for a GPU, else none).",
    )
    threads: int | None = Field(
        default=None, ge=1, le=1024, description="Threads for the models; unset: one for each physical core."
    )
    context_size: int = Field(
        default=2048, ge=256, description="Tokens of context that the language model is given memory for."
    )
    temperature: float = Field(
        default=0.0, ge=0.0, le=2.0, description="Sampling temperature; at 0 the same question has the same answer."
    )
    seed: int = Field(default=0, ge=0, description="Seed for sampling, where the temperature is above 0.")
    max_evidence: int = Field(default=5, ge=1, le=20, description="Most entries that an answer may rest on.")
    max_question_chars: int = Field(
        default=1000, ge=50, description="Longest question that is taken, in characters; a longer one is refused."
    )
    cache: bool = Field(
        default=True, description="Whether answers are kept, and given again to the same question in other words."
    )
    cache_mb: int = Field(
        default=100, ge=1, description="Most that the kept answers of a glossary may take, in MiB; the unused go first."
    )
    cache_days: float = Field(default=30, gt=0, description="How long an answer is kept, in days.")
    record_questions: bool | None = Field(
        default=None,
        description="Whether questions are remembered for `glossbot cache warm --recorded`; "
        "unset: on this machine yes, in `glossbot serve` no.",
    )
    title: str = Field(default="glossbot", description="Heading of the chat page.")
    host: str = Field(default="127.0.0.1", description="Address that the chat listens on.")
    port: int = Field(default=7860, ge=0, le=65535, description="Port that the chat listens on; 0 takes a free one.")

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 - the signature is pydantic's
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Put the sources in the order that the module's docstring states."""
        return init_settings, env_settings, TomlConfigSettingsSource(settings_cls, paths.config_file())

    @classmethod
    def load(cls, **given: Any) -> Self:
        """Return the settings in force.

        Args:
            given: values that win over environment and file, by field name; a None is as if not given.

        Raises:
            SettingsError: a name is unknown (also one in the environment), a value does not fit, or the file is broken.
        """
        refuse_unknown_variables()
        try:
            return cls(**{name: value for name, value in given.items() if value is not None})
        except ValidationError as error:
            raise SettingsError(_explain(error, given)) from error
        except (ValueError, RecursionError) as error:  # not TOML, not UTF-8, or nested without end
            raise SettingsError(f"{paths.config_file()}: not valid TOML: {error}") from error

    @property
    def index_file(self) -> Path:
        """The index that is searched."""
        return self.index_dir / f"{self.name}.index"

    @property
    def index_dir(self) -> Path:
        """The folder of all indexes."""
        return paths.home() / "index"

    @property
    def cache_file(self) -> Path:
        """Where answers are kept."""
        return paths.home() / "cache" / f"{self.name}.sqlite"

    @property
    def models_dir(self) -> Path:
        """The folder that model files are fetched into."""
        return paths.home() / "models"


def refuse_unknown_variables() -> None:
    """Raise `SettingsError` for an environment variable that looks like a setting and is none.

    pydantic-settings passes over such variables even with ``extra="forbid"``, so a typing error would go unseen.
    """
    known = {variable(name) for name in Settings.model_fields} | set(PLACES)
    for name in sorted(os.environ):
        if name.upper().startswith(PREFIX) and name.upper() not in known:
            raise SettingsError(f"{name} in the environment: there is no such setting.{_suggest(name.upper(), known)}")


def variable(name: str) -> str:
    """Return the environment variable of a setting."""
    return PREFIX + name.upper()


def table() -> str:
    """Return the Markdown table of all settings, as it stands in ``docs/settings.md``."""
    rows = ["| setting | environment | default | what it is |", "|---|---|---|---|"]
    for name, field in Settings.model_fields.items():
        default = "unset" if field.default is None else f"`{field.default}`"
        rows.append(f"| `{name}` | `{variable(name)}` | {default} | {field.description} |")
    rows += [f"| | `{name}` | unset | {description} |" for name, description in PLACES.items()]
    return "\n".join(rows)


def _explain(error: ValidationError, given: dict[str, Any]) -> str:
    """Say which setting is wrong, where it was set, and why."""
    first = error.errors()[0]
    name = str(first["loc"][0]) if first["loc"] else "?"
    if first["type"] == "extra_forbidden":
        where = "the call" if name in given else str(paths.config_file())
        return f"{name} in {where}: there is no such setting.{_suggest(name, set(Settings.model_fields))}"
    if given.get(name) is not None:
        where = f"--{name.replace('_', '-')}"
    elif variable(name) in os.environ:
        where = variable(name)
    else:
        where = f"{name} in {paths.config_file()}"
    problems = "; ".join(dict.fromkeys(detail["msg"] for detail in error.errors() if str(detail["loc"][0]) == name))
    return f"{where}: {first['input']!r} does not fit: {problems}."


def _suggest(name: str, known: set[str]) -> str:
    near = difflib.get_close_matches(name, known, n=1)
    return f" Did you mean {near[0]}?" if near else " `glossbot settings` lists them all."
