"""The one error tree."""

from collections.abc import Iterator

from glossbot import errors
from glossbot.errors import GlossbotError


def classes(of: type[GlossbotError] = GlossbotError) -> Iterator[type[GlossbotError]]:
    yield of
    for below in of.__subclasses__():
        yield from classes(below)


def test_every_class_has_its_own_exit_code() -> None:
    codes = [error.exit_code for error in classes()]
    assert len(codes) == len(set(codes))
    assert all(0 < code < 126 and code != 2 for code in codes), (
        "2 is a wrong command line, 126 and above are the shell's"
    )
    assert all("exit_code" in vars(error) for error in classes())


def test_every_class_has_an_http_status_of_an_error() -> None:
    assert all(400 <= error.http_status < 600 for error in classes())


def test_every_class_lies_in_the_one_module() -> None:
    assert {error.__module__ for error in classes()} == {errors.__name__}
    assert all(error.__doc__ for error in classes())
