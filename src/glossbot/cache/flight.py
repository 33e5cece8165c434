"""One generation for all who ask the same at the same time, each with a stream of its own."""

import threading
from collections.abc import Callable, Iterator
from typing import Generic, TypeVar

T = TypeVar("T")
_LOOK_UP_S = 0.2  # how soon a waiting reader notices that they have cancelled


class Flights(Generic[T]):
    """The generations that are under way in this process, by what they answer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._flights: dict[str, _Flight[T]] = {}

    def join(
        self, key: str, start: Callable[[threading.Event], Iterator[T]], *, cancel: threading.Event | None = None
    ) -> Iterator[T]:
        """Yield what a generation yields from its beginning; the first who asks for a key starts it.

        Args:
            key: what is generated.
            start: begins it; it ends early once the event that it is given is set: when all who wait have cancelled.
            cancel: ends this stream, and the generation where nobody else wants it.

        Raises:
            Exception: what the generation raises is raised for everyone.
        """
        mine = cancel or threading.Event()
        with self._lock:
            flight = self._flights.get(key)
            if flight is None or flight.is_over:
                flight = self._flights[key] = _Flight(start)
            flight.board(mine)
        try:
            yield from flight.events(mine)
        finally:
            with self._lock:
                if flight.leave(mine) and self._flights.get(key) is flight:
                    del self._flights[key]


class _Cancelled(threading.Event):
    """Set as soon as everyone who waits has cancelled."""

    def __init__(self) -> None:
        super().__init__()
        self.waiting: list[threading.Event] = []

    def is_set(self) -> bool:
        return all(event.is_set() for event in tuple(self.waiting))


class _Flight(Generic[T]):
    """One generation. Whoever needs the next event first fetches it for all, so that nobody depends on another."""

    def __init__(self, start: Callable[[threading.Event], Iterator[T]]) -> None:
        self._cancelled = _Cancelled()
        self._source = start(self._cancelled)
        self._told: list[T] = []
        self._changed = threading.Condition()
        self._is_fetching = False
        self._failure: BaseException | None = None
        self.is_over = False

    def board(self, cancel: threading.Event) -> None:
        self._cancelled.waiting.append(cancel)

    def leave(self, cancel: threading.Event) -> bool:
        """Stop waiting; tell whether nobody is left, in which case the generation is closed."""
        if len(self._cancelled.waiting) > 1:
            self._cancelled.waiting.remove(cancel)
            return False
        with self._changed:
            self.is_over = True
            if not self._is_fetching and (close := getattr(self._source, "close", None)):
                close()
        return True

    def events(self, cancel: threading.Event) -> Iterator[T]:
        place = 0
        while not cancel.is_set():
            with self._changed:
                while place >= len(self._told) and self._is_fetching and not cancel.is_set():
                    self._changed.wait(_LOOK_UP_S)
                if place < len(self._told):
                    event = self._told[place]
                elif self._failure:
                    raise self._failure
                elif self.is_over or cancel.is_set():
                    return
                else:
                    self._is_fetching = True
                    event = None
            if event is None:
                self._fetch()
            else:
                place += 1
                yield event

    def _fetch(self) -> None:
        fetched: list[T] = []
        failure: BaseException | None = None
        try:
            fetched = [next(self._source)]
        except StopIteration:
            pass
        except BaseException as error:
            failure = error
        with self._changed:
            self._told += fetched
            self._failure = failure
            self.is_over = not fetched
            self._is_fetching = False
            self._changed.notify_all()
