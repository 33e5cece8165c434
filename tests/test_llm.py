"""The language model in process: real llama.cpp on tiny models, and files that are none."""

import threading
from collections.abc import Callable
from pathlib import Path

import llama_cpp
import pytest

import tiny
from glossbot.errors import (
    EngineError,
    GlossbotError,
    ModelCorruptError,
    ModelFormatError,
    ModelMemoryError,
    ModelMissingError,
    SettingsError,
)
from glossbot.gguf_file import GpuLayers
from glossbot.llm import Prompt, Usage
from glossbot.local_model import LocalModel
from glossbot.machine import memory_available
from glossbot.weights import check_gguf

PROMPT = Prompt(system="Be brief.", user="What does a KV cache keep?", start="A KV cache")
OTHER = Prompt(system="Be brief.", user="What is the prefill phase, and why does it take long?", start="Prefill")


class AfterCalls(threading.Event):
    """An event that is set by being asked a number of times: a cancellation at the same point in every run."""

    def __init__(self, calls: int) -> None:
        super().__init__()
        self.calls = calls

    def is_set(self) -> bool:
        self.calls -= 1
        if self.calls < 0:
            self.set()
        return super().is_set()


def write(model: LocalModel, prompt: Prompt = PROMPT, *, max_tokens: int = 12, stop: tuple[str, ...] = ()) -> str:
    return "".join(model.generate(prompt, max_tokens=max_tokens, stop=stop))


def fresh(path: Path, **more: int | float) -> LocalModel:
    return LocalModel(path, threads=1, **more)  # type: ignore[arg-type]


# ---------------------------------------------------------------- generation


def test_a_model_is_loaded_by_its_first_generation(tiny_gguf: Path) -> None:
    model = fresh(tiny_gguf)
    assert not model.is_loaded
    assert write(model)
    assert model.is_loaded


def test_a_model_can_be_loaded_ahead(tiny_gguf: Path) -> None:
    model = fresh(tiny_gguf)
    model.load()
    assert model.is_loaded


def test_no_more_tokens_are_written_than_asked_for(model: LocalModel) -> None:
    for most in (1, 2, 7):
        generation = model.generate(PROMPT, max_tokens=most)
        text = "".join(generation)
        assert len(text.split()) == most, "each token of the tiny model is a word"
        assert generation.usage.generated_tokens == most


def test_pieces_are_the_text_without_the_start(model: LocalModel) -> None:
    pieces = list(model.generate(PROMPT, max_tokens=5))
    assert len(pieces) > 1
    assert set("".join(pieces).split()) <= set(tiny.WORDS)


def test_what_is_asked_changes_what_is_written(model: LocalModel) -> None:
    texts = {write(model), write(model, OTHER), write(model, PROMPT.model_copy(update={"start": "It"}))}
    assert len(texts) == 3
    assert write(model, PROMPT.model_copy(update={"system": "Be long."})) not in texts


def test_the_same_question_has_the_same_answer_whatever_came_before(tiny_gguf: Path) -> None:
    cold = write(fresh(tiny_gguf), max_tokens=40)
    warm = fresh(tiny_gguf)
    for before in (PROMPT, OTHER, PROMPT.model_copy(update={"system": "x"})):
        write(warm, before, max_tokens=30)
        assert write(warm, max_tokens=40) == cold


def test_sampling_with_a_seed_is_repeatable(tiny_gguf: Path) -> None:
    def sampled(seed: int) -> str:
        return write(fresh(tiny_gguf, temperature=1.5, seed=seed), max_tokens=30)

    assert sampled(1) == sampled(1)
    assert sampled(1) != sampled(2)
    again = fresh(tiny_gguf, temperature=1.5, seed=1)
    write(again, OTHER)
    assert write(again, max_tokens=30) == sampled(1)


def test_generation_ends_before_a_stop_text(model: LocalModel) -> None:
    whole = write(model, max_tokens=30)
    words = whole.split()
    stop = next(word for word in words[3:] if f" {word}" not in whole[: whole.index(words[3])])
    stopped = write(model, max_tokens=30, stop=(f" {stop}", "never written"))
    assert stopped == whole[: whole.index(f" {stop}")]


def test_tokens_are_counted_and_the_standing_part_is_reused(tiny_gguf: Path) -> None:
    model = fresh(tiny_gguf)
    first = model.generate(PROMPT, max_tokens=4)
    assert first.usage == Usage()
    list(first)
    assert first.usage.reused_tokens == 0
    second = model.generate(OTHER, max_tokens=4)
    list(second)
    assert 0 < second.usage.reused_tokens < second.usage.prompt_tokens
    assert second.usage.prompt_tokens > first.usage.prompt_tokens
    both = first.usage + second.usage
    assert both.prompt_tokens == first.usage.prompt_tokens + second.usage.prompt_tokens
    assert both.reused_tokens == second.usage.reused_tokens
    assert both.generated_tokens == 8
    drawn_last = 2  # of each generation the last token, which need not be computed
    assert both.evaluated_tokens == both.prompt_tokens - both.reused_tokens + both.generated_tokens - drawn_last


@pytest.mark.parametrize("text", ["<|im_start|>", "<|im_end|>", "</s>", "<s>", "<unk>", "<0x41>"])
@pytest.mark.parametrize("part", ["system", "user", "start"])
@pytest.mark.parametrize("template", [tiny.CHATML, None])
def test_no_text_is_read_as_a_control_token(text: str, part: str, template: str | None, tmp_path: Path) -> None:
    model = fresh(tiny.write_gguf(tmp_path / "tiny.gguf", template=template))

    def tokens(inserted: str) -> int:
        prompt = PROMPT.model_copy(update={part: f"before {inserted} after"})
        generation = model.generate(prompt, max_tokens=1)
        list(generation)
        return generation.usage.prompt_tokens

    assert tokens(text) == tokens("x" * len(text))


def test_text_of_any_script_reaches_the_model(model: LocalModel) -> None:
    assert write(model, Prompt(system="日本語", user="ما هو؟ 🤖 \u0301", start="\u200b"))


def test_a_prompt_that_does_not_fit_is_an_error_and_frees_the_model(tiny_gguf: Path) -> None:
    model = fresh(tiny_gguf, context_size=256)
    with pytest.raises(EngineError, match="the context 256; set a larger context_size"):
        write(model, Prompt(system="s", user="x" * 300))
    assert write(model, max_tokens=3)


def test_an_answer_ends_where_the_context_does(tiny_gguf: Path) -> None:
    model = fresh(tiny_gguf, context_size=256)
    generation = model.generate(Prompt(system="s", user="x" * 150), max_tokens=1000)
    list(generation)
    assert generation.usage.prompt_tokens + generation.usage.generated_tokens <= 256


# ---------------------------------------------------------------- cancellation and threads


@pytest.mark.parametrize("calls", [0, 1, 5, 50, 200, 1000])
def test_a_cancelled_generation_ends_and_frees_the_model(calls: int, tiny_gguf: Path) -> None:
    expected = write(fresh(tiny_gguf), max_tokens=20)
    model = fresh(tiny_gguf)
    long = Prompt(system="Be brief. " * 60, user="Why? " * 100)
    cancelled = model.generate(long, max_tokens=500, cancel=AfterCalls(calls))
    assert len("".join(cancelled).split()) < 500
    assert write(model, max_tokens=20) == expected
    write(model, long, max_tokens=2)
    assert write(model, max_tokens=20) == expected


def test_a_prompt_is_broken_off_while_it_is_processed(tiny_gguf: Path) -> None:
    model = fresh(tiny_gguf, context_size=4096)
    cancel = AfterCalls(40)
    generation = model.generate(Prompt(system="s", user="x" * 3000), max_tokens=5, cancel=cancel)
    assert list(generation) == []
    assert generation.usage.generated_tokens == 0
    assert cancel.is_set()


def test_a_generation_that_is_left_early_frees_the_model(model: LocalModel) -> None:
    expected = write(model)
    pieces = iter(model.generate(OTHER, max_tokens=100))
    next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    assert write(model) == expected


def test_a_second_generation_waits_for_the_first(model: LocalModel) -> None:
    expected = write(model)
    pieces = iter(model.generate(OTHER, max_tokens=100))
    next(pieces)
    written: list[str] = []
    other = threading.Thread(target=lambda: written.append(write(model)))
    other.start()
    other.join(0.3)
    assert written == []
    assert next(pieces)
    pieces.close()  # type: ignore[attr-defined]
    other.join()
    assert written == [expected]


def test_many_threads_get_the_answers_of_one(tiny_gguf: Path) -> None:
    alone = fresh(tiny_gguf)
    prompts = [Prompt(system="Be brief.", user=f"Question {number}") for number in range(6)]
    expected = [write(alone, prompt) for prompt in prompts]
    shared = fresh(tiny_gguf)
    written = [""] * len(prompts)

    def run(number: int) -> None:
        written[number] = write(shared, prompts[number])

    threads = [threading.Thread(target=run, args=(number,)) for number in range(len(prompts))]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert written == expected


# ---------------------------------------------------------------- templates


def test_a_base_model_has_no_template(tmp_path: Path) -> None:
    model = fresh(tiny.write_gguf(tmp_path / "base.gguf", template=None))
    generation = model.generate(Prompt(system="xy", user="zx", start="y"), max_tokens=3)
    assert "".join(generation)
    word_mark = len("▁".encode())  # each byte is a token of the tiny model
    assert generation.usage.prompt_tokens == len("<s>xy\n\nzx\n\ny") - len("s>") + word_mark


def test_a_template_that_refuses_a_system_turn_gets_one_turn(tmp_path: Path) -> None:
    refusing = (
        "{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system role') }}{% endif %}" + tiny.CHATML
    )
    model = fresh(tiny.write_gguf(tmp_path / "user.gguf", template=refusing))
    one_turn = model.generate(PROMPT, max_tokens=3)
    assert "".join(one_turn)
    two_turns = fresh(tiny.write_gguf(tmp_path / "both.gguf")).generate(PROMPT, max_tokens=3)
    list(two_turns)
    assert 0 < one_turn.usage.prompt_tokens < two_turns.usage.prompt_tokens


@pytest.mark.parametrize(
    "template",
    [
        "{{ messages[7].content }}",
        "{{ 1 / 0 }}",
        "{{ ''.__class__.__mro__[1].__subclasses__() }}",
        "{% for i in range(1000000000) %}x{% endfor %}",
        "{% for message in messages %}{{ message.content | lower }}{% endfor %}",
        "{{ messages[1].content }}{{ messages[0].content }}",
        "says nothing of the messages",
        "",
    ],
)
def test_a_template_that_does_not_hold_the_messages_is_not_used(template: str, tmp_path: Path) -> None:
    model = fresh(tiny.write_gguf(tmp_path / "broken.gguf", template=template))
    base = fresh(tiny.write_gguf(tmp_path / "base.gguf", template=None))
    assert write(model) == write(base)


@pytest.mark.parametrize("template", ["{% if %}", "{{ unclosed", "{{ messages | no_such_filter }}"])
def test_a_template_that_is_none_is_an_error_of_ours(template: str, tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match=r"broken\.gguf: .*template"):
        write(fresh(tiny.write_gguf(tmp_path / "broken.gguf", template=template)))


# ---------------------------------------------------------------- files


def test_a_missing_file(tmp_path: Path) -> None:
    for use in (check_gguf, lambda path: fresh(path).load()):
        with pytest.raises(ModelMissingError, match=r"none\.gguf"):
            use(tmp_path / "none.gguf")


def test_a_folder_is_no_model(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError):
        check_gguf(tmp_path)


@pytest.mark.parametrize(
    "content", [b"", b"PK\x03\x04" + bytes(100), b"#!/bin/sh\n", b"gguf" + bytes(100), b"GGML" + bytes(99)]
)
def test_a_file_that_is_no_gguf(content: bytes, tmp_path: Path) -> None:
    file = tmp_path / "x.gguf"
    file.write_bytes(content)
    for use in (check_gguf, lambda path: fresh(path).load()):
        with pytest.raises(ModelFormatError, match=r"x\.gguf: not a GGUF file"):
            use(file)


@pytest.mark.parametrize("kept", [4, 23, 24, 100, 2000, 5000, 20_000, 100_000, -1])
def test_a_truncated_file(kept: int, tiny_gguf: Path, tmp_path: Path) -> None:
    file = tmp_path / "cut.gguf"
    file.write_bytes(tiny_gguf.read_bytes()[:kept])
    with pytest.raises(ModelCorruptError, match=r"cut\.gguf"):
        fresh(file).load()


def test_an_architecture_that_nobody_knows(tmp_path: Path) -> None:
    with pytest.raises(ModelFormatError, match=r"not a model that this llama\.cpp reads"):
        fresh(tiny.write_gguf(tmp_path / "x.gguf", architecture="nonesuch")).load()


def test_a_failed_load_can_be_tried_again(tiny_gguf: Path, tmp_path: Path) -> None:
    file = tmp_path / "late.gguf"
    model = fresh(file)
    with pytest.raises(ModelMissingError):
        write(model)
    file.write_bytes(tiny_gguf.read_bytes()[:5000])
    with pytest.raises(ModelCorruptError):
        write(model)
    file.write_bytes(tiny_gguf.read_bytes())
    assert write(model)


def test_a_model_larger_than_memory(tiny_gguf: Path, tmp_path: Path) -> None:
    file = tmp_path / "huge.gguf"
    file.write_bytes(tiny_gguf.read_bytes())
    with file.open("r+b") as sparse:
        sparse.truncate(memory_available() + (1 << 36))
    with pytest.raises(ModelMemoryError, match=r"huge\.gguf: needs about .* GiB of memory .* is free"):
        fresh(file).load()


def test_a_context_larger_than_memory(tmp_path: Path) -> None:
    model = tiny.write_gguf(tmp_path / "long.gguf", context_length=1 << 30, layers=8)
    with pytest.raises(ModelMemoryError, match="smaller context_size"):
        fresh(model, context_size=1 << 30).load()


@pytest.mark.parametrize("context_length", [1 << 31, (1 << 32) - 1])
def test_an_absurd_trained_context_is_an_error_of_ours(context_length: int, tmp_path: Path) -> None:
    model = fresh(tiny.write_gguf(tmp_path / "absurd.gguf", context_length=context_length), context_size=512)
    with pytest.raises(GlossbotError, match=r"absurd\.gguf"):
        write(model)


def test_a_context_beyond_the_trained_one_is_cut(tmp_path: Path) -> None:
    model = fresh(tiny.write_gguf(tmp_path / "short.gguf", context_length=300), context_size=1 << 30)
    with pytest.raises(EngineError, match="the context "):
        write(model, Prompt(system="s", user="x" * 600))


@pytest.mark.parametrize("layers", ["all", 1, -1])
def test_layers_for_a_gpu_that_this_build_has_not(layers: GpuLayers, tiny_gguf: Path) -> None:
    model = LocalModel(tiny_gguf, threads=1, gpu_layers=layers)
    if llama_cpp.llama_supports_gpu_offload():
        assert write(model)
        return
    with pytest.raises(SettingsError, match=f"gpu_layers is {layers}, but this llama.cpp was built for the CPU only"):
        model.load()


def test_auto_layers_work_on_any_build(tiny_gguf: Path) -> None:
    assert write(LocalModel(tiny_gguf, threads=1, gpu_layers="auto"))


def test_fingerprint_follows_the_file_and_the_sampling(tmp_path: Path) -> None:
    file = tiny.write_gguf(tmp_path / "a.gguf")
    other = tiny.write_gguf(tmp_path / "b.gguf", context_length=512)
    makers: list[Callable[[], LocalModel]] = [
        lambda: fresh(file),
        lambda: fresh(other),
        lambda: fresh(file, temperature=0.5),
        lambda: fresh(file, seed=1),
        lambda: fresh(file, context_size=512),
    ]
    assert len({make().fingerprint for make in makers}) == len(makers)
    assert [make().fingerprint for make in makers] == [make().fingerprint for make in makers]


def test_the_fingerprint_of_a_missing_file_is_an_error_of_ours(tmp_path: Path) -> None:
    with pytest.raises(GlossbotError):
        _ = fresh(tmp_path / "none.gguf").fingerprint


def test_memory_is_a_number_of_bytes() -> None:
    assert memory_available() > 1 << 20
