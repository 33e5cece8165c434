"""The one error tree: every class carries the exit code of the command line and the HTTP status of the server.

A message says what was wrong, where, and what to do next; it is written to be shown to a reader as it is.
"""

from typing import ClassVar


class GlossbotError(Exception):
    """Whatever glossbot raises on purpose."""

    exit_code: ClassVar[int] = 1
    http_status: ClassVar[int] = 500


class SettingsError(GlossbotError):
    """A setting is unknown, or its value does not fit."""

    exit_code = 3


class QuestionError(GlossbotError):
    """The question cannot be asked: it is empty, or far too long."""

    exit_code = 4
    http_status = 422


class GlossaryError(GlossbotError):
    """A glossary file cannot be read; the message begins with ``path:line:``."""

    exit_code = 5


class UnknownTermError(GlossbotError):
    """A term was asked for by name and no entry has it."""

    exit_code = 6
    http_status = 404


class LintError(GlossbotError):
    """`glossbot lint` found what it counts as an error."""

    exit_code = 7


class IndexMissingError(GlossbotError):
    """No index has been built yet."""

    exit_code = 10
    http_status = 503


class IndexCorruptError(GlossbotError):
    """The index file is damaged: a checksum, a length or the format is wrong."""

    exit_code = 11
    http_status = 503


class IndexOutdatedError(GlossbotError):
    """The index does not fit the glossary, the embedder or this version any more."""

    exit_code = 12
    http_status = 503


class StorageError(GlossbotError):
    """A file of glossbot's own cannot be written."""

    exit_code = 13
    http_status = 507


class CacheError(GlossbotError):
    """Stored answers cannot be taken over: another version made them, or the file is none of glossbot's."""

    exit_code = 14
    http_status = 409


class ModelMissingError(GlossbotError):
    """A model file is not where it should be."""

    exit_code = 20
    http_status = 503


class ModelCorruptError(GlossbotError):
    """A model file is truncated, or not the file that the manifest describes."""

    exit_code = 21
    http_status = 503


class ModelFormatError(GlossbotError):
    """A file given as a model is not one that the engine can read."""

    exit_code = 22
    http_status = 503


class ModelMemoryError(GlossbotError):
    """A model needs more memory than this machine has to give."""

    exit_code = 23
    http_status = 503


class EngineError(GlossbotError):
    """llama.cpp or the embedder failed while it ran, or cannot run here at all."""

    exit_code = 24
    http_status = 503


class ContextTooSmallError(EngineError):
    """A prompt, or the answer to it, does not fit into the model's context."""

    exit_code = 25


class DownloadError(GlossbotError):
    """A model file could not be fetched."""

    exit_code = 30
    http_status = 502


class AddressError(GlossbotError):
    """The server cannot listen on the address that it was given."""

    exit_code = 40
