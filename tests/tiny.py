"""Tiny models, made on the spot: a llama that llama.cpp runs, an embedder that sentence-transformers loads.

Their weights are random, from a fixed seed: what they say means nothing, but all that surrounds them is the real thing.
"""

from collections.abc import Iterable
from pathlib import Path

import gguf
import numpy as np

from glossbot.names import tokenize

CHATML = (
    "{% for message in messages %}<|im_start|>{{ message['role'] }}\n{{ message['content'] }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
IM_START, IM_END = 3, 4
# Only whole words are ever written: their rows of the output matrix are the ones with large weights.
WORDS = (
    "the a cache model token head query key value layer batch prefill decode memory is of and keeps shares splits "
    "reads writes fast slow large small one two each every more less over under with from"
).split()
_BYTES = [f"<0x{byte:02X}>" for byte in range(256)]
TOKENS = ["<unk>", "<s>", "</s>", "<|im_start|>", "<|im_end|>", *_BYTES, *(f"▁{word}" for word in WORDS)]
_NORMAL, _UNKNOWN, _CONTROL, _BYTE = 1, 2, 3, 6


def write_gguf(
    path: Path,
    *,
    template: str | None = CHATML,
    context_length: int = 4096,
    architecture: str = "llama",
    layers: int = 2,
    seed: int = 7,
) -> Path:
    """Write a llama model with random weights.

    Args:
        path: the file to write.
        template: its chat template; None for a base model.
        context_length: the context that it claims to be trained for.
        architecture: what the file says that it is.
        layers: how many it has.
        seed: of the weights.
    """
    width, heads, feed = 32, 2, 64
    writer = gguf.GGUFWriter(path, architecture)
    writer.add_context_length(context_length)
    writer.add_embedding_length(width)
    writer.add_block_count(layers)
    writer.add_feed_forward_length(feed)
    writer.add_head_count(heads)
    writer.add_head_count_kv(heads)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(width // heads)
    writer.add_vocab_size(len(TOKENS))
    writer.add_tokenizer_model("llama")
    writer.add_token_list(TOKENS)
    writer.add_token_scores([0.0] * len(TOKENS))
    types = [_UNKNOWN, *[_CONTROL] * 4, *[_BYTE] * 256, *[_NORMAL] * len(WORDS)]
    writer.add_token_types(types)
    writer.add_bos_token_id(1)
    writer.add_eos_token_id(2)
    if template is not None:
        writer.add_chat_template(template)
    random = np.random.default_rng(seed)

    def add(name: str, *shape: int, deviation: float = 0.3) -> None:
        writer.add_tensor(name, random.normal(0, deviation, shape).astype(np.float32))

    add("token_embd.weight", len(TOKENS), width, deviation=1.0)
    output = random.normal(0, 1.0, (len(TOKENS), width)).astype(np.float32)
    output[: -len(WORDS)] *= 0.01
    writer.add_tensor("output.weight", output)
    writer.add_tensor("output_norm.weight", np.ones(width, dtype=np.float32))
    for block in range(layers):
        for name in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"blk.{block}.{name}.weight", width, width)
        for name in ("attn_norm", "ffn_norm"):
            writer.add_tensor(f"blk.{block}.{name}.weight", np.ones(width, dtype=np.float32))
        add(f"blk.{block}.ffn_gate.weight", feed, width)
        add(f"blk.{block}.ffn_up.weight", feed, width)
        add(f"blk.{block}.ffn_down.weight", width, feed)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


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
