"""What `doctor` has to try out in a process of its own, since native code may kill the process that runs it.

``python -m glossbot.doctor_probe build | load MODEL GPU_LAYERS | embed FOLDER`` prints one line of JSON.
"""

import ctypes
import importlib.metadata
import json
import os
import re
import sys
from pathlib import Path

_OFFLOADED = re.compile(r"offloaded (\d+)/(\d+) layers to GPU")
_DEVICE = re.compile(r"using device (\S+ \(.*?\))")

Found = dict[str, str | int | bool | list[str]]


def main(arguments: list[str]) -> int:
    """Run one probe and print what it found; what native code prints goes to standard error."""
    result = os.dup(1)
    os.dup2(2, 1)
    match arguments:
        case ["build"]:
            found = build()
        case ["load", model, gpu_layers]:
            found = load(model, gpu_layers)
        case ["embed", folder]:
            found = embed(folder)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    with os.fdopen(result, "w", encoding="utf-8") as out:
        out.write(json.dumps(found) + "\n")
    return 0


def build() -> Found:
    """Say what llama.cpp was built for."""
    import llama_cpp

    return {
        "version": str(llama_cpp.__version__),
        "system": llama_cpp.llama_print_system_info().decode(errors="replace").strip(" |"),
        "offload": bool(llama_cpp.llama_supports_gpu_offload()),
    }


def load(model: str, gpu_layers: str) -> Found:
    """Load a model, run one token through it, and read from llama.cpp's log where its layers went."""
    import llama_cpp

    log: list[str] = []

    def record(_level: int, text: bytes, _data: ctypes.c_void_p) -> None:
        log.append(text.decode(errors="replace"))

    callback = llama_cpp.llama_log_callback(record)  # kept in a name: C holds no reference to it
    llama_cpp.llama_log_set(callback, ctypes.c_void_p(0))
    possible = bool(llama_cpp.llama_supports_gpu_offload())
    wanted = -1 if gpu_layers == "all" or (gpu_layers == "auto" and possible) else 0
    if gpu_layers not in ("all", "auto"):
        wanted = int(gpu_layers)
    try:
        engine = llama_cpp.Llama(model_path=model, n_ctx=64, n_batch=8, n_gpu_layers=wanted, verbose=False)
    except (ValueError, RuntimeError, OSError) as error:
        reason = next((line for line in "".join(log).splitlines() if "error" in line.lower()), str(error))
        return {"error": reason}
    engine.eval([max(engine.token_bos(), 0)])
    text = "".join(log)
    offloaded = _OFFLOADED.search(text)
    layers = int(llama_cpp.llama_model_n_layer(engine._model.model)) + 1  # llama.cpp counts the output layer too
    engine.close()
    return {
        "layers": int(offloaded[2]) if offloaded else layers,
        "offloaded": int(offloaded[1]) if offloaded else 0,
        "devices": sorted(set(_DEVICE.findall(text))),
    }


def embed(folder: str) -> Found:
    """Embed one text."""
    from glossbot.embed import Embedder
    from glossbot.errors import GlossbotError

    try:
        vectors = Embedder(Path(folder)).encode(["one"])
    except GlossbotError as error:
        return {"error": str(error)}
    return {
        "dimensions": int(vectors.shape[1]),
        "torch": importlib.metadata.version("torch"),
        "sentence_transformers": importlib.metadata.version("sentence-transformers"),
    }


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
