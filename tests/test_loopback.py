"""The counter of the loopback grows by what is sent there, and by little more."""

import socket
from types import SimpleNamespace

import psutil
import pytest

from lockstep.loopback import sent_bytes

CHUNK, CHUNKS = 16_000, 64  # a chunk fits into one packet: they carry up to 16 KB on macOS
# Ethernet, and IPv4 and TCP with all their options.
HEADERS = 14 + 60 + 60
# For each chunk one packet, one that acknowledges it, and one that says the buffer is free again.
MOST = CHUNKS * (CHUNK + 3 * HEADERS)
TRIES = 100


def counted_while_sending(sender: socket.socket, receiver: socket.socket) -> int:
    before = sent_bytes()
    for _ in range(CHUNKS):
        sender.sendall(bytes(CHUNK))
        assert len(receiver.recv(CHUNK, socket.MSG_WAITALL)) == CHUNK
    return sent_bytes() - before


def test_what_is_sent_is_counted() -> None:
    """Other programs can only add to a count, so the smallest of some is compared."""
    counts: list[int] = []
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as sender,
    ):
        receiver, _ = server.accept()
        with receiver:
            while len(counts) < TRIES and min(counts, default=MOST + 1) > MOST:
                counts.append(counted_while_sending(sender, receiver))
    assert CHUNK * CHUNKS <= min(counts) <= MOST


@pytest.mark.parametrize("name", ["lo", "lo0"])
def test_the_interface_has_another_name_on_macos(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counters = {"eth0": SimpleNamespace(bytes_sent=5), name: SimpleNamespace(bytes_sent=7)}
    monkeypatch.setattr(psutil, "net_io_counters", lambda pernic: counters)
    assert sent_bytes() == 7


@pytest.mark.parametrize(
    ("names", "said"), [(["wlan0", "eth0"], "It has eth0, wlan0."), ([], "It has none.")]
)
def test_a_machine_without_one_is_told_so(
    names: list[str], said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    counters = {name: SimpleNamespace(bytes_sent=5) for name in names}
    monkeypatch.setattr(psutil, "net_io_counters", lambda pernic: counters)
    with pytest.raises(RuntimeError, match=f"no loopback interface named lo or lo0, .*{said}"):
        sent_bytes()
