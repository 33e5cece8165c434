"""One question of a conversation, from the events of the pipeline to what the page shows."""

import logging
import secrets
import threading
from collections.abc import Callable, Iterator, Sequence

from glossbot.answer import (
    Answer,
    ErrorEvent,
    Event,
    EvidenceEvent,
    ProgressEvent,
    QuestionEvent,
    Sentence,
    SentenceEvent,
    Status,
)
from glossbot.bot import Glossbot
from glossbot.entry import Frozen
from glossbot.errors import GlossbotError, QuestionError
from glossbot.server import markup

_LOG = logging.getLogger(__name__)
_LOOKING = "Looking it up …"
_LOADING = "Loading the model …"
_WRITING = "Writing …"
_BROKEN = "Something went wrong inside glossbot. The terminal that it runs in shows what; please ask again."
_STOPPED = "Stopped."


class View(Frozen):
    """What the page shows of a turn so far: HTML, but for `turn`, `running` and `refused`."""

    turn: str
    question: str
    note: str = ""
    status: str = ""
    cards: str = ""
    sentences: tuple[str, ...] = ()
    progress: str = ""
    end: str = ""
    running: bool = True
    refused: bool = False


class Turn:
    """Folds the events of one question into views.

    Args:
        question: what the reader asked.
        model_ready: whether the model is loaded, to say so where a reader has to wait for it.
    """

    def __init__(self, question: str, *, model_ready: Callable[[], bool] = lambda: True) -> None:
        self.answer: Answer | None = None
        self._question = question
        self._model_ready = model_ready
        self._terms: tuple[str, ...] = ()
        self._last: Sentence | None = None
        asked = markup.text(question.strip()) if question.strip() else ""
        self.view = View(turn=secrets.token_hex(4), question=asked, progress=_LOOKING)

    def run(self, bot: Glossbot, history: Sequence[Answer], *, cancel: threading.Event) -> Iterator[View]:
        """Yield the view after each event; the last one is no longer `running`. Nothing is raised.

        Args:
            bot: what answers.
            history: earlier answers, oldest first.
            cancel: ends the answer where it stands.
        """
        yield self.view
        failed = ""
        refused = False
        events: Iterator[Event] = iter(())
        try:
            events = bot.stream(self._question, history, cancel=cancel)
            for event in events:
                self._fold(event)
                if self.answer is None:
                    yield self.view
        except GlossbotError as error:
            failed = markup.error(str(error))
            refused = isinstance(error, QuestionError)
        except Exception:
            _LOG.exception("a question failed")
            failed = markup.error(_BROKEN)
        finally:
            cancel.set()
            if close := getattr(events, "close", None):
                close()  # frees the model, also when the reader has gone
        end = self.view.end + failed
        if self.answer:
            end += markup.summary(self.answer)
        elif not failed:
            end += markup.note(_STOPPED)
        self._show(end=end, progress="", running=False, refused=refused)
        yield self.view

    def _fold(self, event: Event) -> None:
        if isinstance(event, QuestionEvent):
            if event.rewritten:
                self._show(note=markup.rewritten(event.rewritten))
        elif isinstance(event, ProgressEvent):
            self._show(progress=event.message)
        elif isinstance(event, EvidenceEvent):
            self._terms = tuple(card.term for card in event.cards)
            waits = event.status is not Status.NOT_COVERED
            self._show(
                status=markup.status(event),
                cards=markup.cards(event, turn=self.view.turn),
                progress=self._writing() if waits else "",
            )
        elif isinstance(event, SentenceEvent):
            shown = markup.sentence(event.sentence, turn=self.view.turn, terms=self._terms, after=self._last)
            self._last = event.sentence
            self._show(sentences=(*self.view.sentences, shown), progress=self._writing())
        elif isinstance(event, ErrorEvent):
            self._show(end=self.view.end + markup.error(event.message))
        else:
            self.answer = event.answer

    def _writing(self) -> str:
        return _WRITING if self._model_ready() else _LOADING

    def _show(self, **changed: object) -> None:
        self.view = self.view.model_copy(update=changed)
