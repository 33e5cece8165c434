"""How a glossary of many entries is indexed: time, memory, and what bringing it up to date costs.

Run it in a checkout in which ``make test`` has run: ``.venv/bin/python benchmarks/scale.py [--entries N] [--json]``.
The entries are made up: a headword and a definition of one short sentence, so that each is two texts to embed. The
embedder is the one that the settings name. 100,000 entries take five to ten minutes on two processors.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import NamedTuple

from glossbot.settings import Settings
from glossbot.weights import locate

WORDS = (
    "amber anvil apple arrow badge barrel basin beacon birch bridge candle canvas cedar chalk cliff cloud copper coral "
    "crane delta ember falcon fern flint forest garden glacier grove harbour hollow island ivory jetty kettle ladder "
    "lantern marble meadow needle orchard otter pebble pillar quarry ribbon saddle slate thorn tunnel willow"
).split()
_CHANGED = 100  # one entry of so many is changed before the second run


class Run(NamedTuple):
    """One run of the command: seconds, and the most memory that it held."""

    seconds: float
    peak_mb: int


def main() -> None:
    """Index, change one entry in a hundred, index again; print what each took."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--entries", type=int, default=100_000)
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    arguments = parser.parse_args()
    settings = Settings.load()
    os.environ["GLOSSBOT_EMBEDDER"] = str(locate(settings.embedder, kind="embedder", models_dir=settings.models_dir))
    with tempfile.TemporaryDirectory() as folder:
        os.environ["GLOSSBOT_HOME"] = folder
        runs = measure(Path(folder), entries=arguments.entries)
        size_mb = Settings.load().index_file.stat().st_size >> 20
    start, first, again = runs["start"], runs["first"], runs["again"]
    share = max(0.0, again.seconds - start.seconds) / first.seconds
    if arguments.json:
        print(json.dumps({name: run._asdict() for name, run in runs.items()} | {"share": share}))
        return
    for name, run in runs.items():
        print(f"{name:<10} {run.seconds:8.1f} s  {run.peak_mb:6} MB at the most")
    print(f"index      {size_mb:8} MB on the disk")
    print(f"bringing it up to date took {share:.1%} of the first time, and the start")


def measure(folder: Path, *, entries: int) -> dict[str, Run]:
    """Return the runs: of one entry (the start), of all, of all with some changed, and of all with none changed."""
    glossary = folder / "glossary.csv"
    write(glossary, entries=1)
    runs = {"start": index(glossary)}
    write(glossary, entries=entries)
    runs["first"] = index(glossary)
    write(glossary, entries=entries, changed=True)
    runs["again"] = index(glossary)
    runs["unchanged"] = index(glossary)
    return runs


def write(file: Path, *, entries: int, changed: bool = False) -> None:
    """Write a glossary of made-up entries."""
    names = itertools.islice(itertools.product(WORDS, WORDS, WORDS), entries)
    with file.open("w", encoding="utf-8") as out:
        out.write("term,definition\n")
        for number, (one, two, three) in enumerate(names):
            verb = "Replaces" if changed and number % _CHANGED == 0 else "Holds"
            out.write(f"{one} {two} {three},{verb} the {three} of a {WORDS[number % 47]}.\n")


def index(glossary: Path) -> Run:
    """Index in a process of its own."""
    begun = time.perf_counter()
    child = subprocess.Popen(
        [sys.executable, "-m", "glossbot", "index", str(glossary)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    _, status, usage = os.wait4(child.pid, 0)
    seconds = time.perf_counter() - begun
    assert child.stderr
    if status:
        raise SystemExit(child.stderr.read().decode())
    child.stderr.close()
    child.returncode = 0  # waited for already
    return Run(seconds=seconds, peak_mb=usage.ru_maxrss >> (20 if sys.platform == "darwin" else 10))


if __name__ == "__main__":
    main()
