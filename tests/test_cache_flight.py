"""One generation for all who ask the same at once."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from glossbot.cache.flight import Flights


def test_ten_readers_cost_one_generation_and_each_sees_all_of_it() -> None:
    flights: Flights[int] = Flights()
    begun: list[int] = []
    everyone = threading.Barrier(10)

    def generate(cancel: threading.Event) -> Iterator[int]:
        begun.append(1)
        for number in range(20):
            time.sleep(0.005)
            yield number

    def read(_: int) -> list[int]:
        everyone.wait()
        return list(flights.join("q", generate))

    with ThreadPoolExecutor(10) as readers:
        assert list(readers.map(read, range(10))) == [list(range(20))] * 10
    assert begun == [1]
    assert list(flights.join("q", generate)) == list(range(20))
    assert begun == [1, 1], "a later reader starts another one"


def test_other_questions_are_generated_by_themselves() -> None:
    flights: Flights[str] = Flights()
    one, other = flights.join("a", lambda _: iter("aa")), flights.join("b", lambda _: iter("bb"))
    assert [next(one), next(other), next(one), next(other)] == ["a", "b", "a", "b"]


def test_the_one_who_asked_first_may_leave() -> None:
    flights: Flights[int] = Flights()
    closed: list[bool] = []

    def generate(cancel: threading.Event) -> Iterator[int]:
        try:
            yield from range(5)
        finally:
            closed.append(cancel.is_set())

    first_cancel = threading.Event()
    first, second = flights.join("q", generate, cancel=first_cancel), flights.join("q", generate)
    assert [next(first), next(second)] == [0, 0]
    first_cancel.set()
    assert list(first) == []
    assert list(second) == [1, 2, 3, 4]
    assert closed == [False]


def test_a_generation_that_nobody_waits_for_ends() -> None:
    flights: Flights[int] = Flights()
    seen: list[bool] = []

    def generate(cancel: threading.Event) -> Iterator[int]:
        try:
            while not cancel.is_set():
                yield 1
        finally:
            seen.append(True)

    cancels = [threading.Event(), threading.Event()]
    streams = [flights.join("q", generate, cancel=cancel) for cancel in cancels]
    for stream in streams:
        next(stream)
    for cancel in cancels:
        cancel.set()
    assert [list(stream) for stream in streams] == [[], []]
    assert seen == [True]
    abandoned = flights.join("q", generate)
    next(abandoned)
    abandoned.close()  # type: ignore[attr-defined]
    assert seen == [True, True]


def test_a_failure_is_told_to_everyone() -> None:
    flights: Flights[int] = Flights()

    def generate(cancel: threading.Event) -> Iterator[int]:
        yield 1
        raise ValueError("broken")

    streams = [flights.join("q", generate) for _ in range(3)]
    assert [next(stream) for stream in streams] == [1, 1, 1]
    for stream in streams:
        with pytest.raises(ValueError, match="broken"):
            next(stream)
