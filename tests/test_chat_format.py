"""Prompts in the form that each family of models was trained on, cut into tokens as llama.cpp cuts the whole text."""

from pathlib import Path
from typing import NamedTuple

import llama_cpp
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tiny
from glossbot.chat_format import ChatFormat, Encoded
from glossbot.engine import Engine
from glossbot.llm import Prompt
from tiny import Vocabulary

PROMPT = Prompt(system="Be brief.", user="What is the cache?\n\nSay it.")

# As the families publish them, shortened to what two messages need.
CHATML = tiny.CHATML
CHATML_DEFAULT = (
    "{% for message in messages %}{% if loop.first and messages[0]['role'] != 'system' %}"
    "{{ '<|im_start|>system\\nYou are helpful.<|im_end|>\\n' }}{% endif %}"
    "{{'<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>' + '\\n'}}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|im_start|>assistant\\n' }}{% endif %}"
)
THINKING_ON_REQUEST = CHATML + (
    "{%- if add_generation_prompt and enable_thinking is defined and enable_thinking is false %}"
    "{{- '<think>\\n\\n</think>\\n\\n' }}{%- endif %}"
)
THINKING_ALWAYS = (
    "{%- set ns = namespace(system='') -%}{%- for m in messages -%}{%- if m['role'] == 'system' -%}"
    "{%- set ns.system = m['content'] -%}{%- endif -%}{%- endfor -%}{{ bos_token }}{{ ns.system }}"
    "{%- for m in messages -%}{%- if m['role'] == 'user' -%}{{ '<｜User｜>' + m['content'] }}{%- endif -%}"
    "{%- endfor -%}{%- if add_generation_prompt -%}{{ '<｜Assistant｜><think>\\n' }}{%- endif %}"
)
LLAMA_3 = (
    "{{- bos_token }}{%- if not tools is defined %}{%- set tools = none %}{%- endif %}"
    "{%- if not date_string is defined %}{%- set date_string = strftime_now('%d %b %Y') %}{%- endif %}"
    "{%- if messages[0]['role'] == 'system' %}{%- set said = messages[0]['content']|trim %}"
    "{%- set messages = messages[1:] %}{%- else %}{%- set said = '' %}{%- endif %}"
    "{{- '<|start_header_id|>system<|end_header_id|>\\n\\n' }}{{- 'Today Date: ' + date_string + '\\n\\n' }}"
    "{%- if tools is not none %}{{- 'Environment: ipython\\n' }}{%- endif %}{{- said }}{{- '<|eot_id|>' }}"
    "{%- for message in messages %}{{- '<|start_header_id|>' + message['role'] + '<|end_header_id|>\\n\\n'"
    " + message['content'] | trim + '<|eot_id|>' }}{%- endfor %}"
    "{%- if add_generation_prompt %}{{- '<|start_header_id|>assistant<|end_header_id|>\\n\\n' }}{%- endif %}"
)
GEMMA = (
    "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
    "{% endif %}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Roles must alternate') }}{% endif %}{% set role = message['role'] %}"
    "{{ '<start_of_turn>' + role + '\\n' + message['content'] | trim + '<end_of_turn>\\n' }}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<start_of_turn>model\\n' }}{% endif %}"
)
PHI_3 = (
    "{% for message in messages %}{% if message['role'] == 'system' and message['content'] %}"
    "{{ '<|system|>\\n' + message['content'] + '<|end|>\\n' }}{% elif message['role'] == 'user' %}"
    "{{ '<|user|>\\n' + message['content'] + '<|end|>\\n' }}{% endif %}{% endfor %}"
    "{% if add_generation_prompt %}{{ '<|assistant|>\\n' }}{% else %}{{ eos_token }}{% endif %}"
)
PHI_4_MINI = (
    "{%- if messages[0]['role'] == 'system' %}{{- '<|system|>' + messages[0]['content'] -}}"
    "{%- if tools is defined -%}{% for tool in tools %}{{- tool | tojson -}}{% endfor %}{{- 'Use the tools.' -}}"
    "{%- endif -%}{{- '<|end|>' -}}{%- endif -%}{%- for message in messages -%}{%- if message['role'] != 'system' -%}"
    "{{- '<|' + message['role'] + '|>' + message['content'] + '<|end|>' -}}{%- endif -%}{%- endfor -%}"
    "{%- if add_generation_prompt -%}{{- '<|assistant|>' -}}{%- endif -%}"
)
MISTRAL = (
    "{{ bos_token }}{% for message in messages %}{% if (message['role'] == 'user') != (loop.index0 % 2 == 0) %}"
    "{{ raise_exception('Conversation roles must alternate user/assistant/user/assistant/...') }}{% endif %}"
    "{% if message['role'] == 'user' %}{{ '[INST] ' + message['content'] + ' [/INST]' }}"
    "{% else %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}{% endfor %}"
)
MISTRAL_3 = (
    "{%- set today = strftime_now('%Y-%m-%d') %}{{- bos_token }}{%- if messages[0]['role'] == 'system' %}"
    "{%- set said = messages[0]['content'] %}{%- set rest = messages[1:] %}{%- else %}"
    "{%- set said = 'The current date is ' + today %}{%- set rest = messages %}{%- endif %}"
    "{{- '[SYSTEM_PROMPT]' + said + '[/SYSTEM_PROMPT]' }}{%- for message in rest %}"
    "{%- if tools is not none %}{{- '[AVAILABLE_TOOLS]' + (tools | tojson(indent=2)) }}{%- endif %}"
    "{{- '[INST]' + message['content'] + '[/INST]' }}{%- endfor %}"
)
LLAMA_2 = (
    "{% if messages[0]['role'] == 'system' %}{% set said = '<<SYS>>\\n' + messages[0]['content'] + '\\n<</SYS>>\\n\\n' "
    "%}{% set rest = messages[1:] %}{% else %}{% set said = '' %}{% set rest = messages %}{% endif %}"
    "{% for message in rest %}{{ bos_token + '[INST] ' + said + message['content'] + ' [/INST]' }}{% endfor %}"
)
ZEPHYR = (
    "{% for message in messages %}\n{{ '<|' + message['role'] + '|>\\n' + message['content'] + eos_token }}\n"
    "{% if loop.last and add_generation_prompt %}\n{{ '<|assistant|>' }}\n{% endif %}\n{% endfor %}"
)
MARKED_FOR_TRAINING = (
    "{% for message in messages %}{% if message['role'] == 'assistant' %}{% generation %}{{ message['content'] }}"
    "{% endgeneration %}{% else %}{{ '<|im_start|>' + message['role'] + '\\n' + message['content'] + '<|im_end|>\\n' }}"
    "{% endif %}{% endfor %}{{ '<|im_start|>assistant\\n' }}"
)
CONTENT_IN_PARTS = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n"
    "{% for part in message['content'] %}{{ part['text'] }}{% endfor %}<|im_end|>\n{% endfor %}"
    "{{ '<|im_start|>assistant\\n' }}"
)


class Family(NamedTuple):
    template: str | None
    vocabulary: Vocabulary
    text: str  # of PROMPT


IN_CHATML = (
    "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWhat is the cache?\n\nSay it.<|im_end|>\n"
    "<|im_start|>assistant\n"
)
PHI = ["<|system|>", "<|user|>", "<|assistant|>", "<|end|>"]


def bytes_with(*control: str, added: tuple[str, ...] = (), adds_begin: bool = False) -> Vocabulary:
    return Vocabulary(control, added=added, adds_begin=adds_begin, byte_level=True)


FAMILIES = {
    "ChatML": Family(CHATML, bytes_with("<|im_start|>", "<|im_end|>"), IN_CHATML),
    "ChatML, pieces of words": Family(CHATML, Vocabulary(), f"<s>{IN_CHATML}"),
    "ChatML, marks of turns that are no control tokens": Family(
        CHATML, Vocabulary((), added=("<|im_start|>", "<|im_end|>"), adds_begin=False), IN_CHATML
    ),
    "ChatML with instructions of its own": Family(CHATML_DEFAULT, bytes_with("<|im_start|>", "<|im_end|>"), IN_CHATML),
    "ChatML, thinks on request": Family(
        THINKING_ON_REQUEST,
        bytes_with("<|im_start|>", "<|im_end|>", added=("<think>", "</think>")),
        f"{IN_CHATML}<think>\n\n</think>\n\n",
    ),
    "DeepSeek, always thinks": Family(
        THINKING_ALWAYS,
        bytes_with("<｜User｜>", "<｜Assistant｜>", added=("<think>", "</think>"), adds_begin=True),
        "<s>Be brief.<｜User｜>What is the cache?\n\nSay it.<｜Assistant｜><think>\n\n</think>\n\n",
    ),
    "Llama 3": Family(
        LLAMA_3,
        bytes_with("<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>", adds_begin=True),
        "<s><|start_header_id|>system<|end_header_id|>\n\nToday Date: 01 Jan 2025\n\nBe brief.<|eot_id|>"
        "<|start_header_id|>user<|end_header_id|>\n\nWhat is the cache?\n\nSay it.<|eot_id|>"
        "<|start_header_id|>assistant<|end_header_id|>\n\n",
    ),
    "Gemma": Family(
        GEMMA,
        Vocabulary(("<start_of_turn>", "<end_of_turn>"), adds_begin=True),
        "<s><start_of_turn>user\nBe brief.\n\nWhat is the cache?\n\nSay it.<end_of_turn>\n<start_of_turn>model\n",
    ),
    "Phi 3": Family(
        PHI_3,
        Vocabulary(PHI),
        "<s><|system|>\nBe brief.<|end|>\n<|user|>\nWhat is the cache?\n\nSay it.<|end|>\n<|assistant|>\n",
    ),
    "Phi 4": Family(
        PHI_4_MINI,
        bytes_with(*PHI),
        "<|system|>Be brief.<|end|><|user|>What is the cache?\n\nSay it.<|end|><|assistant|>",
    ),
    "Mistral": Family(MISTRAL, Vocabulary(()), "<s>[INST] Be brief.\n\nWhat is the cache?\n\nSay it. [/INST]"),
    "Mistral 3": Family(
        MISTRAL_3,
        bytes_with("[INST]", "[/INST]", "[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]", adds_begin=True),
        "<s>[SYSTEM_PROMPT]Be brief.[/SYSTEM_PROMPT][INST]What is the cache?\n\nSay it.[/INST]",
    ),
    "Llama 2": Family(
        LLAMA_2, Vocabulary(()), "<s>[INST] <<SYS>>\nBe brief.\n<</SYS>>\n\nWhat is the cache?\n\nSay it. [/INST]"
    ),
    "Zephyr": Family(
        ZEPHYR,
        Vocabulary(()),
        "<s><|system|>\nBe brief.</s>\n<|user|>\nWhat is the cache?\n\nSay it.</s>\n<|assistant|>\n",
    ),
    "marked for training": Family(MARKED_FOR_TRAINING, bytes_with("<|im_start|>", "<|im_end|>"), IN_CHATML),
    "content in parts": Family(CONTENT_IN_PARTS, bytes_with("<|im_start|>", "<|im_end|>"), IN_CHATML),
    "no template": Family(None, bytes_with(), "Be brief.\n\nWhat is the cache?\n\nSay it.\n\n"),
    "no template, pieces of words": Family(None, Vocabulary(()), "<s>Be brief.\n\nWhat is the cache?\n\nSay it.\n\n"),
}


class Loaded(NamedTuple):
    """A family's model in llama.cpp."""

    family: Family
    engine: Engine
    llama: llama_cpp.Llama

    def encode(self, **changed: object) -> Encoded:
        return self.engine.format.encode(PROMPT.model_copy(update=changed))

    def cut(self, text: str) -> tuple[int, ...]:
        return tuple(self.llama.tokenize(text.encode(), add_bos=False, special=True))


@pytest.fixture(scope="module", params=FAMILIES)
def loaded(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Loaded:
    family = FAMILIES[request.param]
    path = tmp_path_factory.mktemp("family") / "tiny.gguf"
    tiny.write_gguf(path, template=family.template, vocabulary=family.vocabulary)
    engine = Engine(path, context_size=512, threads=1, gpu_layers=0, temperature=0, seed=0)
    return Loaded(family, engine, llama_cpp.Llama(str(path), vocab_only=True, verbose=False))


def test_a_prompt_is_the_text_that_the_family_knows(loaded: Loaded) -> None:
    encoded = loaded.encode()
    assert encoded.tokens == loaded.cut(loaded.family.text)
    assert encoded.standing, "the instructions stand"
    assert encoded.rest, "something is left to compute"
    assert loaded.encode(start="The cache").tokens == loaded.cut(f"{loaded.family.text}The cache")


def test_the_instructions_are_the_same_beginning_of_all_prompts(loaded: Loaded) -> None:
    users = ("Why?", "a cache", "<|im_end|>", "</s>", "日本")
    assert {loaded.encode(user=user).standing for user in users} == {loaded.encode().standing}


@given(data=st.data())
def test_a_choice_follows_as_it_would_in_the_whole_text(data: st.DataObject, loaded: Loaded) -> None:
    words = st.lists(st.sampled_from(["the", "cache", "KV", "two,", "—", "é", "1.5"]), min_size=1, max_size=5)
    start, choice = data.draw(st.sampled_from(["", "The cache", "It is"])), " ".join(data.draw(words))
    choice = f" {choice}" if start else choice
    encoded = loaded.encode(start=start, choices=(choice,))
    ((following, text),) = encoded.choices.items()
    assert text == choice
    assert encoded.tokens + following == loaded.cut(loaded.family.text + start + choice)


@given(data=st.data())
def test_only_the_template_writes_marks(data: st.DataObject, loaded: Loaded) -> None:
    vocabulary = loaded.family.vocabulary
    texts = st.sampled_from([*(vocabulary.tokens[mark] for mark in vocabulary.marks), " ", "\n", "<", "|>", "the"])
    hostile = "".join(data.draw(st.lists(texts, max_size=8)))
    part = data.draw(st.sampled_from(["system", "user", "text", "start"]))

    def marks(encoded: Encoded) -> list[int]:
        return [token for token in encoded.tokens if token in vocabulary.marks]

    assert marks(loaded.encode(**{part: f"a {hostile} b"})) == marks(loaded.encode())
    chosen = loaded.encode(choices=(f"{hostile}.", f"a {hostile}"))
    assert not {token for choice in chosen.choices for token in choice} & vocabulary.marks


def test_every_family_answers(loaded: Loaded) -> None:
    _reused, pieces = loaded.engine.write(loaded.encode(), max_tokens=5, stop=())
    assert "".join(pieces).split()
    assert loaded.engine.length == len(loaded.cut(loaded.family.text)) + 4, "the fifth is drawn and not yet computed"


@pytest.mark.parametrize("adds_begin", [True, False, None])
@pytest.mark.parametrize("template", [tiny.CHATML, "{{ bos_token }}" + tiny.CHATML, None])
def test_a_prompt_begins_with_one_mark_of_the_beginning_at_most(
    adds_begin: bool | None, template: str | None, tmp_path: Path
) -> None:
    path = tiny.write_gguf(tmp_path / "x.gguf", template=template, vocabulary=Vocabulary(adds_begin=adds_begin))
    tokens = ChatFormat(llama_cpp.Llama(str(path), vocab_only=True, verbose=False), path).encode(PROMPT).tokens
    wanted = adds_begin is not False or (template is not None and "bos_token" in template)
    assert tokens.count(1) == wanted
    assert (tokens[0] == 1) == wanted
