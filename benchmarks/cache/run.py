"""Which answers a cache serves to which questions: glossbot's, plain similarity, and GPTCache, in one run.

    python -m venv peers && peers/bin/pip install . -r benchmarks/cache/requirements.txt
    peers/bin/python benchmarks/cache/run.py [PAIRS.jsonl …]

Runs the question pairs of the package fow-cache (and files of pairs, as in evaluation/) through each cache: one
question of a pair is stored in an empty cache, the other looked up. GPTCache runs as it comes, with its distance
evaluation and threshold, on the vectors of the embedder that glossbot uses. Index the shipped glossary first.
"""

import atexit
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from fow_cache.data import load_questions
from gptcache import Cache
from gptcache.adapter.api import get, put
from gptcache.manager import CacheBase, VectorBase, get_data_manager
from gptcache.processor.pre import get_prompt
from gptcache.similarity_evaluation.distance import SearchDistanceEvaluation

from glossbot.bot import Glossbot
from glossbot.cache import trial
from glossbot.cache.trial import Pair
from glossbot.embed import Vectors
from glossbot.settings import Settings


def main() -> None:
    """Run all pairs."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)  # GPTCache writes once more when the program ends
    bot = Glossbot.load(Settings.load(cache=False))
    sets = {"fow-cache": _fow_pairs()} | {Path(file).stem: trial.read_pairs(Path(file)) for file in sys.argv[1:]}
    for name, pairs in sets.items():
        result = trial.summarise(list(trial.run(pairs, bot.retrieve, bot.embed, lexicon=bot.lexicon)))
        print(f"{name}: {len(pairs)} pairs")
        for rates in result.summary:
            _print(rates.method, rates.same_hits, rates.same, rates.false_hits, rates.different)
        served = [_gptcache_serves(pair, bot.embed, folder / f"{name}-{pair.id}") for pair in pairs]
        _print_served("GPTCache 0.1.44", pairs, served)


def _fow_pairs() -> list[Pair]:
    return [Pair(id=one["id"], a=one["a"], b=one["b"], same=one["same_answer"]) for one in load_questions()]


def _gptcache_serves(pair: Pair, embed: Callable[[str], Vectors], folder: Path) -> bool:
    """Tell whether GPTCache gives the answer to one question to the other."""
    folder.mkdir()
    cache = Cache()
    vectors = VectorBase("faiss", dimension=len(embed(pair.a)), index_path=f"{folder}/faiss.index")
    cache.init(
        pre_embedding_func=get_prompt,
        embedding_func=lambda text, **_: embed(text),
        data_manager=get_data_manager(CacheBase("sqlite", sql_url=f"sqlite:///{folder}/cache.db"), vectors),
        similarity_evaluation=SearchDistanceEvaluation(),
    )
    put(pair.a, "stored", cache_obj=cache)
    return get(pair.b, cache_obj=cache) is not None


def _print_served(method: str, pairs: Sequence[Pair], served: Iterable[bool]) -> None:
    hits = [pair for pair, is_served in zip(pairs, served, strict=True) if is_served]
    same = sum(pair.same for pair in pairs)
    right = sum(pair.same for pair in hits)
    _print(method, right, same, len(hits) - right, len(pairs) - same)


def _print(method: str, right: int, same: int, wrong: int, different: int) -> None:
    print(f"  {method:<20} same {right:>4} of {same:<4} ({right / max(same, 1):.0%})"
          f"   different {wrong:>4} of {different:<4} ({wrong / max(different, 1):.1%})")  # fmt: skip


if __name__ == "__main__":
    main()
