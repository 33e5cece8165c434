"""Tiny models, made on the spot: a llama that llama.cpp runs, an embedder that sentence-transformers loads.

Their weights are random, from a fixed seed: what they say means nothing, but all that surrounds them is the real thing.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

import gguf
import numpy as np
import numpy.typing as npt

from glossbot.names import tokenize

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# Only whole words are ever written: their rows of the output matrix are the ones with large weights.
WORDS = (
    "the a cache model token head query key value layer batch prefill decode memory is of and keeps shares splits "
    "reads writes fast slow large small one two each every more less over under with from"
).split()
WIDTH, HEADS, FEED = 32, 2, 64
INNER, STATES, RANK, CONVOLVED = 64, 8, 4, 4  # of a mamba
_NORMAL, _UNKNOWN, _CONTROL, _ADDED, _BYTE = 1, 2, 3, 4, 6

Tensors = dict[str, npt.NDArray[np.float64]]


class Vocabulary:
    """The tokens of a tiny model: those with a meaning of their own, one for each byte, and whole words.

    Args:
        control: control tokens, beside the usual three.
        added: tokens that the maker added and did not call control tokens.
        end: the token that the file says ends a text.
        adds_begin: whether the file says that each text begins with ``<s>``; None: it does not say.
        byte_level: whether text is cut as GPT-2 does, and not as SentencePiece does.
    """

    def __init__(
        self,
        control: Sequence[str] = ("<|im_start|>", "<|im_end|>"),
        *,
        added: Sequence[str] = (),
        end: str = "</s>",
        adds_begin: bool | None = None,
        byte_level: bool = False,
    ) -> None:
        special = ["<unk>", "<s>", "</s>", *control, *added]
        self.types = [_UNKNOWN, *[_CONTROL] * (len(special) - 1 - len(added)), *[_ADDED] * len(added)]
        self.merges: list[str] = []
        if byte_level:
            self.words = [_byte_letters(f" {word}") for word in WORDS]
            pieces = dict.fromkeys(map(_byte_letter, range(256)))
            for word in (*self.words, _byte_letters("\n\n")):
                for length in range(1, len(word)):
                    self.merges.append(f"{word[:length]} {word[length]}")
                    pieces[word[: length + 1]] = None
            self.merges = list(dict.fromkeys(self.merges))
            plain = list(pieces)
            self.types += [_NORMAL] * len(plain)
        else:
            self.words = [f"▁{word}" for word in WORDS]
            plain = [f"<0x{byte:02X}>" for byte in range(256)] + self.words
            self.types += [_BYTE] * 256 + [_NORMAL] * len(WORDS)
        self.tokens = special + plain
        self.marks = frozenset(range(1, len(special)))  # what is no text
        self.end = self.tokens.index(end)
        self.adds_begin = adds_begin

    def write(self, writer: gguf.GGUFWriter) -> None:
        """Say in a file what the tokens are."""
        writer.add_tokenizer_model("gpt2" if self.merges else "llama")
        if self.merges:
            writer.add_tokenizer_pre("gpt-2")
            writer.add_token_merges(self.merges)
        writer.add_vocab_size(len(self.tokens))
        writer.add_token_list(self.tokens)
        writer.add_token_scores([0.0] * len(self.tokens))
        writer.add_token_types(self.types)
        writer.add_bos_token_id(1)
        writer.add_eos_token_id(self.end)
        if self.adds_begin is not None:
            writer.add_add_bos_token(self.adds_begin)


def write_gguf(
    path: Path,
    *,
    template: str | None = CHATML,
    vocabulary: Vocabulary | None = None,
    writes: Sequence[str] = (),
    context_length: int = 4096,
    architecture: str = "llama",
    layers: int = 2,
    seed: int = 7,
) -> Path:
    """Write a model with random weights.

    Args:
        path: the file to write.
        template: its chat template; None for a base model.
        vocabulary: its tokens.
        writes: the tokens that it writes one after the other, whatever it is asked; none: what its weights make of it.
        context_length: the context that it claims to be trained for.
        architecture: what the file says that it is; ``mamba`` is one that keeps a running state and no keys and values.
        layers: how many it has.
        seed: of the weights.
    """
    vocabulary = vocabulary or Vocabulary()
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(context_length)
    writer.add_embedding_length(WIDTH)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(FEED)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    writer.add_ssm_conv_kernel(CONVOLVED)
    writer.add_ssm_inner_size(INNER)
    writer.add_ssm_state_size(STATES)
    writer.add_ssm_time_step_rank(RANK)
    vocabulary.write(writer)
    if template is not None:
        writer.add_chat_template(template)
    random = np.random.default_rng(seed)
    tensors = _chain(vocabulary, writes) if writes else _words_only(vocabulary, random)
    for block in range(layers):
        layer = _mamba_layer(random) if architecture == "mamba" else _llama_layer(random, is_silent=bool(writes))
        tensors |= {f"blk.{block}.{name}": tensor for name, tensor in layer.items()}
    tensors["output_norm.weight"] = np.ones(WIDTH)
    for name, tensor in tensors.items():
        writer.add_tensor(name, tensor.astype(np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def _words_only(vocabulary: Vocabulary, random: np.random.Generator) -> Tensors:
    output = random.normal(0, 1.0, (len(vocabulary.tokens), WIDTH))
    output[[token not in vocabulary.words for token in vocabulary.tokens]] *= 0.01
    return {"token_embd.weight": random.normal(0, 1.0, output.shape), "output.weight": output}


def _chain(vocabulary: Vocabulary, writes: Sequence[str]) -> Tensors:
    """Return an embedding and an output in which each token of a chain calls for the next, and any other for the first.

    No token may come twice, and there are no more than the model is wide.
    """
    embedding = np.zeros((len(vocabulary.tokens), WIDTH))
    output = np.zeros_like(embedding)
    embedding[:, 0] = 1
    for place, token in enumerate(map(vocabulary.tokens.index, writes)):
        output[token, place] = 1
        embedding[token] = np.eye(WIDTH)[place + 1]
    return {"token_embd.weight": embedding, "output.weight": output}


def _llama_layer(random: np.random.Generator, *, is_silent: bool) -> Tensors:
    """Return a layer of attention and feed-forward; a silent one adds nothing to what it is given."""
    tensors = {f"{name}.weight": random.normal(0, 0.3, (WIDTH, WIDTH)) for name in ("attn_q", "attn_k", "attn_v")}
    added = 0.0 if is_silent else 0.3
    return tensors | {
        "attn_output.weight": random.normal(0, added, (WIDTH, WIDTH)),
        "attn_norm.weight": np.ones(WIDTH),
        "ffn_norm.weight": np.ones(WIDTH),
        "ffn_gate.weight": random.normal(0, 0.3, (FEED, WIDTH)),
        "ffn_up.weight": random.normal(0, 0.3, (FEED, WIDTH)),
        "ffn_down.weight": random.normal(0, added, (WIDTH, FEED)),
    }


def _mamba_layer(random: np.random.Generator) -> Tensors:
    """Return a layer that keeps a running state."""
    return {
        "attn_norm.weight": np.ones(WIDTH),
        "ssm_in.weight": random.normal(0, 0.3, (2 * INNER, WIDTH)),
        "ssm_conv1d.weight": random.normal(0, 0.3, (INNER, CONVOLVED)),
        "ssm_conv1d.bias": np.zeros(INNER),
        "ssm_x.weight": random.normal(0, 0.3, (RANK + 2 * STATES, INNER)),
        "ssm_dt.weight": random.normal(0, 0.3, (INNER, RANK)),
        "ssm_dt.bias": np.zeros(INNER),
        "ssm_a": -random.uniform(0.1, 1, (INNER, STATES)),
        "ssm_d": np.ones(INNER),
        "ssm_out.weight": random.normal(0, 0.3, (WIDTH, INNER)),
    }


def _byte_letters(text: str) -> str:
    return "".join(map(_byte_letter, text.encode()))


def _byte_letter(byte: int) -> str:
    """Return the printable letter by which GPT-2's vocabulary writes a byte."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    if byte in printable:
        return chr(byte)
    return chr(256 + [other for other in range(256) if other not in printable].index(byte))


def write_embedder(folder: Path, texts: Iterable[str], *, seed: int = 7) -> Path:
    """Write a sentence-transformers folder that gives each word of some texts a random vector, and averages them.

    Texts that share words are alike, texts that share none are not; a word that is not in the texts is its letters.
    """
    import torch
    from sentence_transformers import SentenceTransformer
    from sentence_transformers.sentence_transformer.modules import StaticEmbedding
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    words = sorted({token.key for text in texts for token in tokenize(text)} - set(letters))
    pieces = ["[UNK]", *letters, *(f"##{letter}" for letter in letters), *words]
    tokenizer = Tokenizer(models.WordPiece({piece: number for number, piece in enumerate(pieces)}, unk_token="[UNK]"))
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    vectors = np.random.default_rng(seed).normal(0, 1, (len(pieces), 48)).astype(np.float32)
    vectors[: 1 + 2 * len(letters)] *= 0.3
    static = StaticEmbedding(tokenizer, embedding_weights=torch.from_numpy(vectors))
    SentenceTransformer(modules=[static], device="cpu").save_pretrained(str(folder), create_model_card=False)
    return folder
