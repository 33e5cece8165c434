"""Say what this machine, this build of llama.cpp and these files can do, as a list of findings.

Everything that runs native code of llama.cpp or torch is tried in a process of its own (`doctor_probe`), so a build
for another CPU, which dies of an illegal instruction, is a line of the report.
"""

import importlib.metadata
import json
import os
import platform
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Any

import psutil

from glossbot import paths, weights
from glossbot.entry import Frozen
from glossbot.errors import GlossbotError, IndexOutdatedError, SettingsError
from glossbot.machine import INSTRUCTION_SETS, cpu_flags, memory_available
from glossbot.manifest import Kind
from glossbot.settings import Settings
from glossbot.weights import State, megabytes

PROBE = (sys.executable, "-m", "glossbot.doctor_probe")
_PROBE_TIMEOUT_S = 180.0
_REBUILD = (
    "build llama-cpp-python for this CPU: "
    "CMAKE_ARGS='-DGGML_NATIVE=ON' pip install --force-reinstall --no-deps --no-cache-dir "
    "--no-binary llama-cpp-python llama-cpp-python "
    "(on a CPU without AVX add -DGGML_AVX=OFF -DGGML_AVX2=OFF -DGGML_FMA=OFF -DGGML_F16C=OFF to CMAKE_ARGS)"
)
_REBUILD_FOR_GPU = "build it for the GPU (`make chat GPU=cuda`, `metal` or `vulkan`), or set gpu_layers to 0"
_TORCH_NEEDS = 700_000_000  # bytes that torch and the embedder take when they are loaded, roughly
_DISK_NEEDS = 500_000_000


class Status(StrEnum):
    """How serious a finding is."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


class Finding(Frozen):
    """One line of the report."""

    name: str
    status: Status
    detail: str
    advice: str = ""


class Report(Frozen):
    """All findings, in the order in which one would look."""

    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing keeps glossbot from working (a warning does not)."""
        return all(finding.status is not Status.FAIL for finding in self.findings)


class _ProbeError(Exception):
    """A probe did not end as it should; the message says how it did."""

    def __init__(self, reason: str, *, illegal_instruction: bool = False) -> None:
        super().__init__(reason)
        self.illegal_instruction = illegal_instruction


def diagnose(
    settings: Settings, *, probe: Sequence[str] = PROBE, progress: Callable[[str], None] | None = None
) -> Report:
    """Look at everything that glossbot needs; it takes some seconds, since both models are loaded.

    Args:
        settings: the settings in force: which models, how many layers on the GPU.
        probe: the command that runs `doctor_probe`.
        progress: told what is looked at next.
    """
    tell = progress or (lambda _: None)
    findings = [python_finding(), cores_finding(settings), cpu_finding()]
    tell("llama.cpp")
    findings += build_findings(settings, probe)
    tell("model files")
    model, model_found = _locate(settings.model, Kind.LLM, settings)
    embedder, embedder_found = _locate(settings.embedder, Kind.EMBEDDER, settings)
    findings += [model_found, embedder_found, *other_models_findings(settings)]
    if model:
        tell("loading the language model")
        findings.append(load_finding(settings, model, probe))
    if embedder:
        tell("loading the embedder")
        findings.append(embed_finding(embedder, probe))
    tell("index, memory and disk")
    findings += [index_finding(settings, embedder), memory_finding(model), disk_finding()]
    return Report(findings=tuple(findings))


def python_finding() -> Finding:
    """Say which Python and which glossbot run on which system."""
    detail = (
        f"Python {platform.python_version()} ({platform.python_implementation()}), "
        f"glossbot {importlib.metadata.version('glossbot')}, {platform.platform()}, {platform.machine()}"
    )
    return Finding(name="python", status=Status.OK, detail=detail)


def cores_finding(settings: Settings) -> Finding:
    """Say how many cores there are, and warn of more threads than that."""
    logical = psutil.cpu_count() or 1
    physical = psutil.cpu_count(logical=False) or logical
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else logical
    detail = f"{physical} physical, {logical} logical" + (
        f", {usable} open to this process" if usable < logical else ""
    )
    if settings.threads and settings.threads > usable:
        advice = f"set threads to {min(physical, usable)}: more threads than cores make answers slower"
        return Finding(
            name="cores", status=Status.WARN, detail=f"{detail}; threads = {settings.threads}", advice=advice
        )
    return Finding(name="cores", status=Status.OK, detail=detail)


def cpu_finding() -> Finding:
    """Name the instruction sets that matter to llama.cpp and that the CPU has."""
    flags = cpu_flags()
    if not flags:
        return Finding(name="cpu", status=Status.OK, detail="this system does not tell its instruction sets")
    known = [name for name, spellings in INSTRUCTION_SETS.items() if flags.intersection(spellings)]
    return Finding(name="cpu", status=Status.OK, detail=" ".join(known) or "none of the instruction sets that matter")


def build_findings(settings: Settings, probe: Sequence[str] = PROBE) -> list[Finding]:
    """Say what llama.cpp was built for, and whether that fits the CPU and the settings."""
    try:
        found = _run_probe(probe, "build")
    except _ProbeError as error:
        return [_crash("llama.cpp", error, "reinstall llama-cpp-python")]
    features = [part.split("=")[0].strip() for part in found["system"].replace(":", "|").split("|") if "= 1" in part]
    detail = f"llama-cpp-python {found['version']}, built with {' '.join(features) or 'no instruction sets'}"
    flags = cpu_flags()
    lacking = [name for name in features if flags and not flags.intersection(INSTRUCTION_SETS.get(name, flags))]
    if lacking:
        problem = f"{detail}; this CPU lacks {', '.join(lacking)}"
        findings = [Finding(name="llama.cpp", status=Status.FAIL, detail=problem, advice=_REBUILD)]
    elif "avx2" in flags and "AVX2" not in features:
        problem = f"{detail}; this CPU's AVX2 is not used"
        findings = [Finding(name="llama.cpp", status=Status.WARN, detail=problem, advice=_REBUILD)]
    else:
        findings = [Finding(name="llama.cpp", status=Status.OK, detail=detail)]
    if found["offload"]:
        return [*findings, Finding(name="gpu build", status=Status.OK, detail="compiled in")]
    if settings.gpu_layers in (0, "auto"):
        return [*findings, Finding(name="gpu build", status=Status.OK, detail="not compiled in: all runs on the CPU")]
    detail = f"not compiled in, but gpu_layers = {settings.gpu_layers}"
    return [*findings, Finding(name="gpu build", status=Status.WARN, detail=detail, advice=_REBUILD_FOR_GPU)]


def load_finding(settings: Settings, model: Path, probe: Sequence[str] = PROBE) -> Finding:
    """Load the model and say how many of its layers really went to the GPU."""
    name = "model loads"
    try:
        found = _run_probe(probe, "load", str(model), str(settings.gpu_layers))
    except _ProbeError as error:
        return _crash(name, error, "the model may need more memory than there is: try a smaller one")
    if "error" in found:
        advice = "llama.cpp cannot read this file: pull it again, or take another GGUF"
        return Finding(name=name, status=Status.FAIL, detail=found["error"], advice=advice)
    offloaded, layers = found["offloaded"], found["layers"]
    where = f" ({', '.join(found['devices'])})" if found["devices"] else ""
    detail = f"one token computed; {offloaded} of {layers} layers on the GPU{where}"
    if not offloaded and settings.gpu_layers not in (0, "auto"):
        detail = f"{detail}, though gpu_layers = {settings.gpu_layers}"
        return Finding(name=name, status=Status.WARN, detail=detail, advice=_REBUILD_FOR_GPU)
    return Finding(name=name, status=Status.OK, detail=detail)


def embed_finding(embedder: Path, probe: Sequence[str] = PROBE) -> Finding:
    """Embed a text."""
    name = "embedder loads"
    try:
        found = _run_probe(probe, "embed", str(embedder))
    except _ProbeError as error:
        return _crash(name, error, "reinstall torch and sentence-transformers")
    if "error" in found:
        return Finding(name=name, status=Status.FAIL, detail=found["error"])
    versions = f"torch {found['torch']}, sentence-transformers {found['sentence_transformers']}"
    return Finding(name=name, status=Status.OK, detail=f"{found['dimensions']} dimensions; {versions}")


def other_models_findings(settings: Settings) -> list[Finding]:
    """Name the known models that are here beside the ones in use, and those that are damaged."""
    try:
        standings = weights.status(models_dir=settings.models_dir)
    except SettingsError as error:
        return [Finding(name="other models", status=Status.FAIL, detail=str(error))]
    others = [standing for standing in standings if standing.model.id not in (settings.model, settings.embedder)]
    findings = [
        Finding(name="other models", status=Status.WARN, detail=standing.detail)
        for standing in others
        if standing.state is State.DAMAGED
    ]
    installed = [standing.model.id for standing in others if standing.state is State.INSTALLED]
    if installed:
        findings.append(Finding(name="other models", status=Status.OK, detail=", ".join(installed)))
    return findings


def index_finding(settings: Settings, embedder: Path | None) -> Finding:
    """Open the index as a question would, and say whether it fits the glossary and the embedder."""
    from glossbot.embed import Embedder
    from glossbot.index import Index

    try:
        index = Index.open(settings.index_file, embedder=Embedder(embedder) if embedder else None)
    except IndexOutdatedError as error:
        return Finding(name="index", status=Status.WARN, detail=str(error))
    except GlossbotError as error:
        return Finding(name="index", status=Status.FAIL, detail=str(error))
    return Finding(name="index", status=Status.OK, detail=f"{len(index.glossary)} entries, up to date")


def memory_finding(model: Path | None) -> Finding:
    """Compare the memory that can be had with what the models need."""
    available, total = memory_available(), int(psutil.virtual_memory().total)
    detail = f"{megabytes(available)} available, {megabytes(total)} in the machine"
    needed = (model.stat().st_size if model else 0) + _TORCH_NEEDS
    if available >= needed:
        return Finding(name="memory", status=Status.OK, detail=detail)
    status = Status.FAIL if available < needed - _TORCH_NEEDS else Status.WARN
    advice = "close other programs, raise the container's limit, or take a smaller model"
    return Finding(name="memory", status=status, detail=f"{detail}; about {megabytes(needed)} needed", advice=advice)


def disk_finding() -> Finding:
    """Say how much can still be written where glossbot writes."""
    home = paths.home()
    place = next(folder for folder in (home, *home.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    detail = f"{megabytes(free)} free at {home}"
    if not os.access(place, os.W_OK):
        advice = "make the folder writable, or set GLOSSBOT_HOME to one that is"
        return Finding(name="disk", status=Status.WARN, detail=f"{place} cannot be written to", advice=advice)
    if free < _DISK_NEEDS:
        advice = "free some space, or set GLOSSBOT_HOME to a folder on another disk"
        return Finding(name="disk", status=Status.WARN, detail=detail, advice=advice)
    return Finding(name="disk", status=Status.OK, detail=detail)


def _locate(name: str, kind: Kind, settings: Settings) -> tuple[Path | None, Finding]:
    title = "model" if kind is Kind.LLM else "embedder"
    try:
        path = weights.locate(name, kind=kind, models_dir=settings.models_dir)
    except GlossbotError as error:
        return None, Finding(name=title, status=Status.FAIL, detail=str(error))
    return path, Finding(name=title, status=Status.OK, detail=f"{name}: found and intact, {path}")


def _run_probe(probe: Sequence[str], *arguments: str) -> dict[str, Any]:
    try:
        done = subprocess.run(
            [*probe, *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_PROBE_TIMEOUT_S,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise _ProbeError(f"still not done after {_PROBE_TIMEOUT_S:.0f} s") from error
    except OSError as error:
        raise _ProbeError(f"cannot be run: {error}") from error
    if done.returncode:
        raise _died(done.returncode, done.stderr)
    try:
        return dict(json.loads(done.stdout.splitlines()[-1]))
    except (IndexError, ValueError) as error:
        raise _ProbeError("the probe said nothing that can be read") from error


def _died(returncode: int, stderr: str) -> _ProbeError:
    """Say how a probe ended: a signal (a shell reports it as 128 + n), a Windows exception, or a Python error."""
    number = -returncode if returncode < 0 else returncode - 128
    if returncode == 0xC000001D or number == signal.SIGILL:
        return _ProbeError("killed by an illegal instruction: this build is for another CPU", illegal_instruction=True)
    if number in {member.value for member in signal.Signals}:
        return _ProbeError(f"killed by {signal.Signals(number).name}")
    last = next((line for line in reversed(stderr.splitlines()) if line.strip()), f"exit code {returncode}")
    return _ProbeError(last.strip())


def _crash(name: str, error: _ProbeError, advice: str) -> Finding:
    return Finding(
        name=name, status=Status.FAIL, detail=str(error), advice=_REBUILD if error.illegal_instruction else advice
    )
