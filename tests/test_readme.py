"""The README's commands run as they stand, all but those that it marks, each with its reason."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(?:<!-- not run: (?P<reason>[^>]+) -->\n)?```(?P<language>sh|python)\n(?P<code>.*?)```", re.DOTALL)
ALLOWED_REASONS = ("set-up", "network", "model hub", "GPU")


def blocks(*, marked: bool) -> list[re.Match[str]]:
    found = list(BLOCK.finditer((ROOT / "README.md").read_text(encoding="utf-8")))
    return [block for block in found if bool(block["reason"]) is marked]


def test_only_set_up_network_and_gpu_commands_are_not_run() -> None:
    for block in blocks(marked=True):
        assert any(reason in block["reason"] for reason in ALLOWED_REASONS), block["reason"]
    assert len(blocks(marked=False)) >= 4


@pytest.mark.models
def test_the_commands_run(tmp_path: Path, real_models: None) -> None:
    environment = os.environ | {
        "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}",
        "NO_COLOR": "1",
    }
    subprocess.run(["glossbot", "index"], env=environment, cwd=tmp_path, check=True, capture_output=True)
    for block in blocks(marked=False):
        program = ["bash", "-euo", "pipefail", "-c"] if block["language"] == "sh" else [sys.executable, "-c"]
        done = subprocess.run(
            [*program, block["code"]], env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block['code']}\n{done.stdout}\n{done.stderr}"
        assert done.stdout.strip()


@pytest.mark.models
def test_the_example_at_the_top_is_what_is_printed(tmp_path: Path, real_models: None) -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"```text\n\$ glossbot ask \"([^\"]+)\"\n(.*?)…", readme, re.DOTALL)
    assert match
    glossbot = Path(sys.executable).parent / "glossbot"
    subprocess.run([glossbot, "index"], check=True, capture_output=True)
    done = subprocess.run([glossbot, "ask", match[1]], capture_output=True, text=True, check=True)
    assert " ".join(match[2].split()) in " ".join(done.stdout.split())


def test_files_that_the_documents_link_to_are_there() -> None:
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").glob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            assert (document.parent / target).exists(), f"{document.name} links to {target}"
