"""The guard that keeps every other test off the network."""

import socket

import pytest

from conftest import NetworkBlockedError


@pytest.mark.parametrize("host", ["192.0.2.1", "2001:db8::1", "huggingface.co"])
def test_other_machines_cannot_be_reached(host: str, reached_out: list[str]) -> None:
    with pytest.raises(NetworkBlockedError, match=host):
        socket.create_connection((host, 443))
    assert reached_out == [host]
    reached_out.clear()


def test_datagrams_are_blocked_too(reached_out: list[str]) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as datagrams:
        with pytest.raises(NetworkBlockedError):
            datagrams.sendto(b"x", ("192.0.2.1", 53))
        with pytest.raises(NetworkBlockedError):
            datagrams.connect_ex(("192.0.2.1", 53))
    assert len(reached_out) == 2
    reached_out.clear()


def test_this_machine_can_be_reached() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as client:
        client.sendall(b"x")
    left, right = socket.socketpair()
    with left, right:
        left.sendall(b"x")
        assert right.recv(1) == b"x"
