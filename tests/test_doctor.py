"""The doctor: findings about this machine, and probes that die."""

import json
import os
import sys
from pathlib import Path

import gguf
import numpy as np
import pytest

from glossbot import doctor, machine
from glossbot.doctor import Finding, Report, Status
from glossbot.settings import Settings


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in [name for name in os.environ if name.startswith("GLOSSBOT_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("GLOSSBOT_HOME", str(tmp_path / "home"))
    return tmp_path / "home"


def fake_probe(tmp_path: Path, code: str) -> tuple[str, ...]:
    """A probe that runs some Python instead; `kind` is what was asked for."""
    script = tmp_path / "probe.py"
    script.write_text(f"import json, os, signal, sys, time\nkind = sys.argv[1]\n{code}\n")
    return (sys.executable, str(script))


def answering(tmp_path: Path, **found: object) -> tuple[str, ...]:
    return fake_probe(tmp_path, f"print(json.dumps({found!r}))")


@pytest.fixture(scope="module")
def tiny_gguf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A llama model with random weights that llama.cpp really loads."""
    path = tmp_path_factory.mktemp("model") / "tiny.gguf"
    width, heads, feed, layers = 32, 2, 64, 2
    tokens = ["<unk>", "<s>", "</s>", *(f"<0x{byte:02X}>" for byte in range(256)), "▁a", "▁b"]
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_context_length(128)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(feed)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(tokens))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(tokens)
    writer.add_token_scores([0.0] * len(tokens))
    writer.add_token_types([2, 3, 3, *[6] * 256, 1, 1])
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    random = np.random.default_rng(0)

    def tensor(name: str, *shape: int) -> None:
        writer.add_tensor(name, random.normal(0, 0.05, shape).astype(np.float32))

    tensor("token_embd.weight", len(tokens), width)
    tensor("output.weight", len(tokens), width)
    tensor("output_norm.weight", width)
    for block in range(layers):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            tensor(f"blk.{block}.{name}.weight", width, width)
        tensor(f"blk.{block}.attn_norm.weight", width)
        tensor(f"blk.{block}.ffn_norm.weight", width)
        tensor(f"blk.{block}.ffn_gate.weight", feed, width)
        tensor(f"blk.{block}.ffn_up.weight", feed, width)
        tensor(f"blk.{block}.ffn_down.weight", width, feed)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_real_build_is_described() -> None:
    build, gpu = doctor.build_findings(Settings())
    assert build.name == "llama.cpp"
    assert "llama-cpp-python" in build.detail
    assert gpu.name == "gpu build"
    assert gpu.status is Status.OK


def test_real_model_is_loaded_and_its_layers_counted(tiny_gguf: Path) -> None:
    finding = doctor.load_finding(Settings(gpu_layers=0), tiny_gguf)
    assert finding.status is Status.OK, finding
    assert "0 of 3 layers on the GPU" in finding.detail


def test_file_that_llama_cpp_cannot_load_is_a_finding(tmp_path: Path, tiny_gguf: Path) -> None:
    broken = tmp_path / "broken.gguf"
    broken.write_bytes(tiny_gguf.read_bytes()[:20_000])
    finding = doctor.load_finding(Settings(), broken)
    assert finding.status is Status.FAIL
    assert finding.detail
    assert "pull it again" in finding.advice


@pytest.mark.parametrize("how", ["os.kill(os.getpid(), signal.SIGILL)", "sys.exit(128 + signal.SIGILL)"])
def test_illegal_instruction_is_a_finding_with_advice(tmp_path: Path, how: str) -> None:
    probe = fake_probe(tmp_path, how)
    (build,) = doctor.build_findings(Settings(), probe)
    load = doctor.load_finding(Settings(), tmp_path / "x.gguf", probe)
    embed = doctor.embed_finding(tmp_path, probe)
    for finding in (build, load):
        assert finding.status is Status.FAIL
        assert "illegal instruction" in finding.detail
        assert "-DGGML_AVX2=OFF" in finding.advice
    assert embed.status is Status.FAIL


def test_other_ends_of_a_probe_are_findings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def detail(code: str) -> str:
        return doctor.build_findings(Settings(), fake_probe(tmp_path, code))[0].detail

    assert "SIGKILL" in detail("os.kill(os.getpid(), signal.SIGKILL)")
    assert "No module named" in detail("import no_such_module")
    assert "nothing that can be read" in detail("print('hello')")
    assert "nothing that can be read" in detail("pass")
    assert "cannot be run" in doctor.build_findings(Settings(), (str(tmp_path / "no such program"),))[0].detail
    monkeypatch.setattr(doctor, "_PROBE_TIMEOUT_S", 0.2)
    assert "still not done" in detail("time.sleep(60)")


def test_build_for_another_cpu_is_seen_before_it_crashes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "cpu_flags", lambda: frozenset({"sse3", "avx2"}))
    system = "CPU : SSE3 = 1 | AVX2 = 1 | AVX512 = 1 | FMA = 0 | OPENMP = 1 | "
    build, _ = doctor.build_findings(Settings(), answering(tmp_path, version="1", system=system, offload=False))
    assert build.status is Status.FAIL
    assert build.detail.endswith("this CPU lacks AVX512")
    build, _ = doctor.build_findings(Settings(), answering(tmp_path, version="1", system="SSE3 = 1", offload=False))
    assert build.status is Status.WARN
    assert "AVX2 is not used" in build.detail


@pytest.mark.parametrize(("gpu_layers", "status"), [(0, "ok"), ("auto", "ok"), ("all", "warn"), (7, "warn")])
def test_offload_that_was_asked_for_and_is_not_there(tmp_path: Path, gpu_layers: object, status: str) -> None:
    settings = Settings.load(gpu_layers=gpu_layers)
    _, gpu = doctor.build_findings(settings, answering(tmp_path, version="1", system="", offload=False))
    assert gpu.status == status
    load = doctor.load_finding(settings, tmp_path / "x.gguf", answering(tmp_path, layers=31, offloaded=0, devices=[]))
    assert load.status == status


def test_offload_that_is_used_names_the_device(tmp_path: Path) -> None:
    probe = answering(tmp_path, layers=31, offloaded=31, devices=["CUDA0 (NVIDIA)"])
    finding = doctor.load_finding(Settings(gpu_layers="all"), tmp_path / "x.gguf", probe)
    assert finding.status is Status.OK
    assert "31 of 31 layers on the GPU (CUDA0 (NVIDIA))" in finding.detail


def test_report_of_an_empty_home(tmp_path: Path) -> None:
    probe = answering(tmp_path, version="1", system="SSE3 = 1 | AVX2 = 1", offload=True)
    told: list[str] = []
    report = doctor.diagnose(Settings(), probe=probe, progress=told.append)
    found = {finding.name: finding for finding in report.findings}
    assert not report.ok
    assert "glossbot models pull smollm2-135m-instruct" in found["model"].detail
    assert "glossbot models pull all-minilm-l6-v2" in found["embedder"].detail
    assert "glossbot index" in found["index"].detail
    assert found["python"].status is found["cores"].status is found["disk"].status is Status.OK
    assert "model loads" not in found
    assert told[0] == "llama.cpp"
    assert json.loads(report.model_dump_json())["findings"]
    assert not (tmp_path / "home").exists(), "looking writes nothing"


def test_models_of_the_user_are_loaded(tmp_path: Path, tiny_gguf: Path) -> None:
    folder = tmp_path / "embedder"
    folder.mkdir()
    (folder / "modules.json").write_text("[]")
    settings = Settings(model=str(tiny_gguf), embedder=str(folder))
    found: dict[str, object] = {
        "version": "1",
        "system": "",
        "offload": True,
        "layers": 3,
        "offloaded": 3,
        "devices": [],
    }
    found |= {"dimensions": 4, "torch": "1", "sentence_transformers": "1"}
    names = {
        finding.name: finding for finding in doctor.diagnose(settings, probe=answering(tmp_path, **found)).findings
    }
    assert names["model loads"].status is Status.OK
    assert names["embedder loads"].detail.startswith("4 dimensions")
    assert str(tiny_gguf) in names["model"].detail


def test_embedder_that_cannot_be_loaded_is_a_finding(tmp_path: Path) -> None:
    finding = doctor.embed_finding(tmp_path, answering(tmp_path, error="cannot load this folder"))
    assert finding == Finding(name="embedder loads", status=Status.FAIL, detail="cannot load this folder")


def test_damaged_index_is_a_finding(home: Path) -> None:
    (home / "index").mkdir(parents=True)
    (home / "index" / "glossary.index").write_bytes(b"no index")
    finding = doctor.index_finding(Settings(), None)
    assert finding.status is Status.FAIL
    assert "damaged" in finding.detail


def test_damaged_model_beside_the_ones_in_use_is_a_warning(home: Path) -> None:
    folder = home / "models" / "qwen3-4b"
    folder.mkdir(parents=True)
    (folder / "Qwen3-4B-Q4_K_M.gguf").write_bytes(b"GGUF")
    (finding,) = doctor.other_models_findings(Settings())
    assert finding.status is Status.WARN
    assert "glossbot models pull qwen3-4b" in finding.detail


def test_more_threads_than_cores_is_a_warning() -> None:
    assert doctor.cores_finding(Settings()).status is Status.OK
    assert doctor.cores_finding(Settings(threads=1024)).status is Status.WARN


def test_too_little_memory_and_disk(tmp_path: Path, tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "memory_available", lambda: 1000)
    assert doctor.memory_finding(tiny_gguf).status is Status.FAIL
    monkeypatch.setattr(doctor, "memory_available", lambda: 10_000_000)
    assert doctor.memory_finding(tiny_gguf).status is Status.WARN
    monkeypatch.setattr(doctor, "memory_available", lambda: 10_000_000_000)
    assert doctor.memory_finding(None).status is Status.OK
    monkeypatch.setattr(doctor, "_DISK_NEEDS", 1 << 62)
    assert doctor.disk_finding().status is Status.WARN


def test_warning_does_not_spoil_the_report() -> None:
    warning = Finding(name="a", status=Status.WARN, detail="x")
    assert Report(findings=(warning,)).ok
    assert not Report(findings=(warning, Finding(name="b", status=Status.FAIL, detail="x"))).ok


def test_cpu_flags_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    cpuinfo = tmp_path / "cpuinfo"
    cpuinfo.write_text("processor\t: 0\nvmx flags\t: vnmi\nflags\t\t: fpu sse3 AVX2\n\nprocessor : 1\nflags : other\n")
    assert machine.cpu_flags(cpuinfo) == {"fpu", "sse3", "avx2"}
    cpuinfo.write_text("Features\t: fp asimd i8mm\n")
    assert "i8mm" in machine.cpu_flags(cpuinfo)
    assert machine.cpu_flags(tmp_path / "none") == frozenset()


@pytest.mark.parametrize(
    ("group", "membership", "limit", "usage"),
    [
        ("a/b", "0::/a/b/c", "memory.max", "memory.current"),
        ("", "0::/", "memory.max", "memory.current"),
        ("memory/docker", "5:memory:/docker/x\n4:cpu,cpuacct:/y", "memory.limit_in_bytes", "memory.usage_in_bytes"),
    ],
)
def test_limit_of_a_control_group_counts(tmp_path: Path, group: str, membership: str, limit: str, usage: str) -> None:
    folder = tmp_path / "cgroup" / group
    folder.mkdir(parents=True)
    (tmp_path / "membership").write_text(membership)
    (folder / limit).write_text("5000\n")
    (folder / usage).write_text("4000\n")
    assert machine.memory_available(tmp_path / "cgroup", tmp_path / "membership") == 1000
    (folder / "memory.stat").write_text("anon 10\ninactive_file 500\ntotal_inactive_file 700\n")
    assert machine.memory_available(tmp_path / "cgroup", tmp_path / "membership") == 1500
    (folder / limit).write_text("max\n")
    assert machine.memory_available(tmp_path / "cgroup", tmp_path / "membership") > 5000
