"""Where a server listens."""

from __future__ import annotations

import socket

import pytest

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.serving.config import allow_port_reuse, bind_socket, is_loopback, reachable_cluster
from tests.rows import each_row


@each_row("host", ["127.0.0.1", "127.0.0.2", "::1", "localhost"])
def test_this_machine_alone(host: str) -> None:
    assert is_loopback(host)


@each_row("host", ["0.0.0.0", "::", "10.0.0.1", "192.0.2.7", "no.such.host.invalid", ""])
def test_anything_else_may_be_reached_by_others(host: str) -> None:
    assert not is_loopback(host)


def test_a_free_port_is_found_and_nobody_can_connect_yet() -> None:
    with bind_socket("127.0.0.1", 0) as door:
        port = door.getsockname()[1]
        assert port > 0
        with socket.socket() as visitor, pytest.raises(ConnectionRefusedError):
            visitor.connect(("127.0.0.1", port))


def test_a_port_in_use_is_told_in_one_line() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        with pytest.raises(OptionError, match=rf"host='127.0.0.1', port={port} \(Address already in use\)"):
            bind_socket("127.0.0.1", port)


def test_two_servers_that_are_being_started_do_not_both_have_the_port() -> None:
    with bind_socket("127.0.0.1", 0) as door:  # which listens only when the model is loaded
        port = door.getsockname()[1]
        with pytest.raises(OptionError, match=r"\(Address already in use\): give --port=0"):
            bind_socket("127.0.0.1", port)


def test_the_next_server_has_the_port_at_once() -> None:
    with bind_socket("127.0.0.1", 0) as door:
        allow_port_reuse(door)
        door.listen()
        port = door.getsockname()[1]
        with socket.create_connection(("127.0.0.1", port)):
            door.accept()[0].close()  # ended by the server first: the system remembers the connection for a minute
    bind_socket("127.0.0.1", port).close()


@pytest.mark.parametrize("host", ["192.0.2.77", "no.such.host.invalid"])
def test_an_address_of_another_machine_is_told(host: str) -> None:
    with pytest.raises(OptionError, match=f"got host='{host}'"):
        bind_socket(host, 0)


@pytest.mark.parametrize("address", ["", "local"])
def test_no_cluster_is_none(address: str) -> None:
    assert reachable_cluster(address) == ""


@each_row("address", ["auto", "ray://127.0.0.1:10001", "http://127.0.0.1:8265", "head", "head:", ":6379"])
def test_a_cluster_is_named_by_host_and_port(address: str) -> None:
    with pytest.raises(OptionError, match="Expected RAY_ADDRESS to be HOST:PORT"):
        reachable_cluster(address)


@each_row("address", ["127.0.0.1:1", "127.0.0.1:99999", "no.such.host.invalid:6379"])
def test_a_cluster_that_is_not_there_is_told_at_once(address: str) -> None:
    with pytest.raises(OptionError, match=f"RAY_ADDRESS='{address}', but it cannot be reached"):
        reachable_cluster(address)


def test_a_cluster_where_something_answers_is_tried() -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"127.0.0.1:{other.getsockname()[1]}"
        assert reachable_cluster(address) == address
