"""Render a model's chat template, in a process of its own.

A GGUF file brings its template along: a program in Jinja that anybody may have written. The sandbox keeps it from
touching anything, but not from running without end or filling the memory; so it runs apart, with limits on both.
"""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import date
from itertools import product
from typing import Any

from jinja2 import nodes
from jinja2.ext import Extension, loopcontrols
from jinja2.parser import Parser
from jinja2.sandbox import ImmutableSandboxedEnvironment

from glossbot.errors import ModelFormatError

_SECONDS = 10
_MEMORY = 1 << 30  # bytes of address space
_LONGEST = 1 << 18  # characters of a template, and of what it makes of two short messages
_DAY = date(2025, 1, 1)  # told to templates that ask for the date: an answer must not depend on the day


def render(template: str, *, bos: str, eos: str, system: str, user: str) -> str | None:
    """Return a conversation of a system's and a user's message as a chat template renders it.

    Args:
        template: the Jinja source from the model file.
        bos: the text of the token that begins a sequence.
        eos: the text of the token that ends one.
        system: standing instructions; they begin the user's message where the template has no place of their own.
        user: what is asked.

    Returns:
        The text, with both messages in it in this order and the answer's turn begun; None if the template makes no
        such text.

    Raises:
        ModelFormatError: the template takes too long, too much memory, or makes too much text.
    """
    if len(template) > _LONGEST:
        raise ModelFormatError(f"its chat template has {len(template)} characters, which no honest one has")
    asked = json.dumps({"template": template, "bos": bos, "eos": eos, "system": system, "user": user})
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


class _Generation(Extension):
    """Reads over the tags that mark, for training, what the assistant says."""

    tags = {"generation"}  # noqa: RUF012 - jinja2 declares it so

    def parse(self, parser: Parser) -> list[nodes.Node]:
        """Return what stands between the tags."""
        parser.stream.skip(1)
        return parser.parse_statements(("name:endgeneration",), drop_needle=True)


def _render_here(asked: dict[str, str]) -> str | None:
    """Render as transformers does (and llama.cpp after it): the same options, names and helpers at hand."""
    environment = ImmutableSandboxedEnvironment(
        trim_blocks=True, lstrip_blocks=True, extensions=[loopcontrols, _Generation]
    )
    environment.filters["tojson"] = lambda value, **how: json.dumps(value, ensure_ascii=False, indent=how.get("indent"))
    environment.globals["raise_exception"] = _refuse
    environment.globals["strftime_now"] = _DAY.strftime
    template = environment.from_string(asked["template"])
    for form in _forms(asked["system"], asked["user"]):
        try:
            rendered = template.render(
                **form,
                bos_token=asked["bos"],
                eos_token=asked["eos"],
                add_generation_prompt=True,
                enable_thinking=False,  # as the templates of most models that can think call it
                thinking=False,  # as others do
            )
        except MemoryError:
            raise
        except Exception:  # a template is a foreign program: whatever it raises, the next form is tried
            continue
        if asked["user"] in rendered.partition(asked["system"])[2]:
            return rendered
    return None


def _forms(system: str, user: str) -> Iterator[dict[str, Any]]:
    """Yield the same conversation in forms of which a template may know but one.

    Some know no system role; some want a message's content as text, some in parts; some take tools that are None for
    none, some only those that are not there at all.
    """
    two_turns = [("system", system), ("user", user)]
    one_turn = [("user", f"{system}\n\n{user}")]
    for in_parts, turns, nothing in product((False, True), (two_turns, one_turn), ({"tools": None}, {})):
        messages = [
            {"role": role, "content": [{"type": "text", "text": text}] if in_parts else text} for role, text in turns
        ]
        yield {"messages": messages, **nothing}


def _refuse(message: str) -> None:
    raise ValueError(message)


def _limit_memory() -> None:
    if sys.platform != "win32":
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


if __name__ == "__main__":
    _limit_memory()
    print(json.dumps(_render_here(json.load(sys.stdin))))
