"""The chat page, a Gradio application.

Gradio carries the conversation (its queue, its text box, its state); one `gr.HTML` component shows it, since cards,
markers and their links need elements of their own. `chat.js` puts each view of a running turn where it belongs.
"""

import threading
from collections import defaultdict
from collections.abc import Callable, Iterator
from importlib import resources
from typing import TYPE_CHECKING, Any

from glossbot.answer import Answer
from glossbot.bot import Glossbot
from glossbot.server import markup
from glossbot.server.turn import Turn

if TYPE_CHECKING:
    import gradio as gr

REMEMBERED_ANSWERS = 6
_AT_ONCE = 32  # questions that show their cards side by side; the model then answers one after the other
_SESSION_SECONDS = 6 * 3600.0
# Gradio evaluates a template as code: it holds nothing but names of properties, whose values are inserted as they are.
_TEMPLATE = (
    '<section class="gb-welcome" aria-label="Example questions">${welcome}</section>'
    '<div class="gb-log" role="log" aria-label="Conversation"></div>'
)


class Running:
    """The questions under way, by session, so that a reader's stop, or leaving, ends them."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._cancels: defaultdict[str, set[threading.Event]] = defaultdict(set)

    def begin(self, session: str) -> threading.Event:
        """Return the event that cancels a question which begins now."""
        cancel = threading.Event()
        with self._lock:
            self._cancels[session].add(cancel)
        return cancel

    def end(self, session: str, cancel: threading.Event) -> None:
        """Forget a question that is answered."""
        with self._lock:
            self._cancels[session].discard(cancel)
            if not self._cancels[session]:
                del self._cancels[session]

    def stop(self, session: str) -> None:
        """Cancel the questions of one session."""
        with self._lock:
            cancels = list(self._cancels.get(session, ()))
        for cancel in cancels:
            cancel.set()

    def stop_all(self) -> None:
        """Cancel every question."""
        with self._lock:
            cancels = [cancel for session in self._cancels.values() for cancel in session]
        for cancel in cancels:
            cancel.set()


def static(name: str) -> str:
    """Return one of the page's own files."""
    return resources.files("glossbot.server").joinpath(name).read_text(encoding="utf-8")


def build_page(
    bot: Glossbot,
    *,
    running: Running,
    model_ready: Callable[[], bool],
    page_opened: Callable[[], None],
) -> "gr.Blocks":
    """Return the chat page; `server.app` has prepared the environment that Gradio is imported into.

    Args:
        bot: what answers.
        running: where the questions under way are kept.
        model_ready: whether the models are loaded.
        page_opened: called when a browser shows the page.
    """
    import gradio as gr

    def ask(
        typed: str, history: list[Answer], event: gr.EventData, request: gr.Request
    ) -> Iterator[tuple[Any, Any, Any]]:
        question = _clicked(event) or typed or ""
        session = str(request.session_hash)
        cancel = running.begin(session)
        turn = Turn(question, model_ready=model_ready)
        begun = gr.update(value="", submit_btn=False, stop_btn="Stop")
        try:
            for view in turn.run(bot, history, cancel=cancel):
                if view.running:
                    yield view.model_dump(), begun, gr.skip()
                    begun = gr.skip()
                else:
                    # A question that was refused is given back to be mended.
                    mend = {"value": typed} if view.refused and typed.strip() else {}
                    kept = [*history, turn.answer][-REMEMBERED_ANSWERS:] if turn.answer else history
                    yield view.model_dump(), gr.update(submit_btn="Ask", stop_btn=False, **mend), kept
        finally:
            cancel.set()
            running.end(session, cancel)

    def stop(request: gr.Request) -> None:
        running.stop(str(request.session_hash))

    hidden = {"show_progress": "hidden", "api_visibility": "private"}
    with gr.Blocks(title=bot.settings.title, analytics_enabled=False, fill_width=True) as page:
        gr.HTML(markup.heading(bot.settings.title, entries=len(bot.glossary)), apply_default_css=False, js_on_load=None)
        conversation = gr.HTML(
            None,
            html_template=_TEMPLATE,
            js_on_load=static("chat.js"),
            apply_default_css=False,
            elem_id="gb-conversation",
            welcome=markup.welcome(bot.glossary),
        )
        history = gr.State([], time_to_live=_SESSION_SECONDS)
        box = gr.Textbox(
            label="Your question",
            placeholder="Ask about a term, or compare two",
            show_label=False,
            container=False,
            lines=1,
            max_lines=5,
            submit_btn="Ask",
            autofocus=True,
            elem_id="gb-box",
            html_attributes=gr.InputHTMLAttributes(autocomplete="off", enterkeyhint="send"),
        )
        gr.on(
            [box.submit, conversation.submit],
            ask,
            [box, history],
            [conversation, box, history],
            concurrency_limit=_AT_ONCE,
            **hidden,
        )
        box.stop(stop, queue=False, **hidden)
        page.load(page_opened, queue=False, **hidden)
        page.unload(stop)
    page.queue(max_size=256, api_open=False)
    return page


def theme() -> "gr.themes.Base":
    """Return a theme that fetches nothing: the fonts are the reader's own."""
    import gradio as gr

    return gr.themes.Base(
        primary_hue=gr.themes.colors.teal,
        neutral_hue=gr.themes.colors.stone,
        font=[gr.themes.Font(name) for name in ("ui-sans-serif", "system-ui", "sans-serif")],
        font_mono=[gr.themes.Font(name) for name in ("ui-monospace", "Menlo", "Consolas", "monospace")],
    )


def _clicked(event: Any) -> str:
    """Return the question of a button in the conversation; what a browser sends is not to be trusted."""
    data = getattr(event, "_data", None)
    question = data.get("question") if isinstance(data, dict) else None
    return question if isinstance(question, str) else ""
