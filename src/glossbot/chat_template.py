"""Render a model's chat template, in a process of its own.

A GGUF file brings its template along: a program in Jinja that anybody may have written. The sandbox keeps it from
touching anything, but not from running without end or filling the memory; so it runs apart, with limits on both.
"""

import json
import subprocess
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from jinja2.ext import loopcontrols
from jinja2.sandbox import ImmutableSandboxedEnvironment

from glossbot.errors import ModelFormatError

_SECONDS = 10
_MEMORY = 1 << 30  # bytes of address space
_LONGEST = 1 << 18  # characters of a template, and of what it makes of two short messages


def render(template: str, *, bos: str, eos: str, conversations: Sequence[Sequence[Mapping[str, str]]]) -> str | None:
    """Return the first of some conversations that a chat template can render, rendered, or None.

    Args:
        template: the Jinja source from the model file.
        bos: the text of the token that begins a sequence.
        eos: the text of the token that ends one.
        conversations: alternatives, since some templates know no system role; messages of role and content each.

    Raises:
        ModelFormatError: the template takes too long, too much memory, or makes too much text.
    """
    if len(template) > _LONGEST:
        raise ModelFormatError(f"its chat template has {len(template)} characters, which no honest one has")
    asked = json.dumps({"template": template, "bos": bos, "eos": eos, "conversations": conversations})
    try:
        done = subprocess.run(
            [sys.executable, "-m", "glossbot.chat_template"],
            input=asked,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ModelFormatError(f"its chat template did not come to an end within {_SECONDS} s") from error
    if done.returncode != 0 or len(done.stdout) > 4 * _LONGEST:
        raise ModelFormatError("its chat template breaks off, or takes more memory than a template should")
    rendered = json.loads(done.stdout)
    return str(rendered) if rendered is not None else None


def _render_here(asked: dict[str, Any]) -> str | None:
    """Render as transformers does (and llama.cpp after it): the same options, and the same helpers at hand."""
    environment = ImmutableSandboxedEnvironment(trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols])
    environment.filters["tojson"] = lambda value, **_: json.dumps(value, ensure_ascii=False)
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = lambda _format: ""  # an answer must not depend on the day
    template = environment.from_string(asked["template"])
    for messages in asked["conversations"]:
        try:
            rendered = template.render(
                messages=messages, bos_token=asked["bos"], eos_token=asked["eos"], add_generation_prompt=True
            )
        except MemoryError:
            raise
        except Exception:  # a template is a foreign program: whatever it raises, the next form is tried
            continue
        if all(message["content"] in rendered for message in messages):
            return rendered
    return None


def _refuse(message: str) -> None:
    raise ValueError(message)


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    _limit_memory()
    print(json.dumps(_render_here(json.load(sys.stdin))))
