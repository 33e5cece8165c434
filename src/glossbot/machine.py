"""Facts about this machine: what its CPU can do and how much memory can still be had."""

import os
import platform
import subprocess
import sys
from pathlib import Path

import psutil

# What llama.cpp calls an instruction set, and what Linux and macOS call it.
INSTRUCTION_SETS = {
    "SSE3": ("pni", "sse3"),
    "SSSE3": ("ssse3",),
    "AVX": ("avx", "avx1.0"),
    "F16C": ("f16c",),
    "FMA": ("fma",),
    "AVX2": ("avx2",),
    "BMI2": ("bmi2",),
    "AVX_VNNI": ("avx_vnni",),
    "AVX512": ("avx512f",),
    "AVX512_VBMI": ("avx512_vbmi", "avx512vbmi"),
    "AVX512_VNNI": ("avx512_vnni", "avx512vnni"),
    "AVX512_BF16": ("avx512_bf16",),
    "AMX_INT8": ("amx_int8",),
    "NEON": ("asimd", "neon"),
    "DOTPROD": ("asimddp",),
    "MATMUL_INT8": ("i8mm",),
    "SVE": ("sve",),
}


def cpu_flags(cpuinfo: Path = Path("/proc/cpuinfo")) -> frozenset[str]:
    """Return the CPU's flags in lower case, as Linux or macOS name them; empty where the system does not tell."""
    if sys.platform == "darwin":
        names = ("machdep.cpu.features", "machdep.cpu.leaf7_features")
        asked = subprocess.run(["/usr/sbin/sysctl", "-n", *names], capture_output=True, text=True, check=False)
        # Apple's own CPUs have no such keys; all of them have NEON and the dot product.
        apple = "asimd asimddp" if platform.machine() == "arm64" else ""
        return frozenset(f"{asked.stdout} {apple}".lower().split())
    try:
        lines = cpuinfo.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return frozenset()
    found = (line.partition(":") for line in lines)
    return frozenset(
        next((value.lower().split() for key, _, value in found if key.strip() in ("flags", "Features")), [])
    )


def memory_available(cgroup: Path = Path("/sys/fs/cgroup"), membership: Path = Path("/proc/self/cgroup")) -> int:
    """Return the bytes of memory that this process can still get, the limits of its control groups counted in."""
    available = int(psutil.virtual_memory().available)
    groups = {"memory/", ""}
    try:
        lines = membership.read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory"):
            parts = [part for part in path.split("/") if part not in ("", "..")]
            prefix = f"{controllers}/" if controllers else ""
            groups |= {prefix + "/".join(parts[: depth + 1]) for depth in range(len(parts))}
    for group in groups:
        for limit_name, usage_name in (
            ("memory.max", "memory.current"),
            ("memory.limit_in_bytes", "memory.usage_in_bytes"),
        ):
            limit = _number(cgroup / group / limit_name)
            usage = _number(cgroup / group / usage_name)
            if limit is not None and usage is not None:
                available = min(available, max(limit - usage + _reclaimable(cgroup / group), 0))
    return available


def wait_politely() -> None:
    """Let OpenMP threads sleep while they wait for each other; to be called before anything loads OpenMP.

    By default they spin. On a machine that does other work too, a spinning thread keeps the one that it waits for off
    the processor: two threads on two busy cores then take ten times as long as one.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")


def _number(path: Path) -> int | None:
    try:
        text = path.read_text(encoding="ascii").strip()
    except (OSError, ValueError):
        return None
    return int(text) if text.isdigit() else None


def _reclaimable(group: Path) -> int:
    """Return the bytes of file cache that a control group would give back when memory runs short."""
    try:
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return 0
    return next(
        (int(line.split()[1]) for line in lines if line.startswith(("inactive_file ", "total_inactive_file "))), 0
    )
