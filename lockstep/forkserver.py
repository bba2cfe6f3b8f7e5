"""A process that has done the imports, and forks the processes that need them.

Importing TensorFlow or torch takes seconds; a fork of a process that has imported them takes
hundredths. `launch` has its ranks forked so (`lockstep.ahead` asks, `lockstep.ranks` is forked),
and the tools that execute notebooks their kernels. Linux only, which can watch a process and pass
its end on to another.

Here modules are imported, and no operation of a framework runs: the threads of its runtime would be
missing in a fork. A process with threads does not fork at all.

The server starts with a pipe from its owner as its standard input, on which nothing is ever
written; the owner's end is its own. A client connects to the listening socket and sends one packet
of descriptors. The connection lasts as long as what was forked, and whoever closes it first wants
that to end.
"""

import contextlib
import fcntl
import gc
import importlib
import json
import os
import random
import select
import signal
import socket
import struct
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import NamedTuple

from lockstep.supervisor import kill_descendants

MOST_DESCRIPTORS = 253  # in one packet, by Linux (SCM_MAX_FD)


class Request(NamedTuple):
    """The descriptors that a client sent, and the connection to it."""

    descriptors: list[int]
    client: socket.socket


class Forked(NamedTuple):
    """A process of this server, what tells of its end, and the connection to its client."""

    pid: int
    end: int
    client: socket.socket


def listen(address: str) -> socket.socket:
    """Return a socket that listens at a name, which is no file: it is gone with its listeners."""
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    listener.bind(f"\0{address}")
    listener.listen()
    return listener


def ask(address: str, descriptors: Sequence[int]) -> socket.socket:
    """Ask the server at this name for a fork, and return the connection.

    Raises:
        OSError: there is no such server.
    """
    client = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    try:
        client.connect(f"\0{address}")
        socket.send_fds(client, [b"fork"], descriptors)
    except BaseException:
        client.close()
        raise
    return client


def receive(listener: socket.socket) -> Request | None:
    """Accept a request; None if the client has ended already, or belongs to another user."""
    client, _ = listener.accept()
    size = struct.calcsize("3i")
    _, user, _ = struct.unpack("3i", client.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, size))
    packet, descriptors, _, _ = socket.recv_fds(client, 16, MOST_DESCRIPTORS)
    request = Request(descriptors, client)
    if packet and user == os.getuid():
        return request
    dismiss(request)
    return None


def dismiss(request: Request) -> None:
    """Close what came with a request."""
    for descriptor in request.descriptors:
        os.close(descriptor)
    request.client.close()


def end_with_owner(finish: Callable[[], None]) -> int:
    """Have `finish` called when the owner ends, in the middle of an import too.

    Returns the descriptor of the pipe from it. Standard input is empty from then on, for modules
    that read it. At the end of the pipe Linux sends SIGIO, which children do not inherit.
    """
    owner = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    signal.signal(signal.SIGIO, lambda number, frame: finish())
    fcntl.fcntl(owner, fcntl.F_SETOWN, os.getpid())
    fcntl.fcntl(owner, fcntl.F_SETFL, fcntl.fcntl(owner, fcntl.F_GETFL) | os.O_ASYNC)
    if select.select([owner], [], [], 0)[0]:  # it had ended before
        finish()
    return owner


def import_all(modules: Sequence[str]) -> str | None:
    """Import modules; return the first after which this process has threads.

    A module that cannot be imported is left out: who needs it will meet the error.
    """
    for name in modules:
        if name not in sys.modules:
            with contextlib.suppress(BaseException):  # whatever an import raises
                importlib.import_module(name)
            if len(os.listdir("/proc/self/task")) > 1:
                return name
    return None


def draw_own_random_numbers() -> None:
    """Seed the generators of a forked process anew: it would go on with the server's."""
    random.seed()
    if numpy := sys.modules.get("numpy.random"):
        numpy.seed()
    if torch := sys.modules.get("torch"):
        torch.default_generator.seed()


def serve(
    owner: int,
    listener: socket.socket,
    refuse: Callable[[Request], str] = lambda request: "",
    kill_with_client: bool = False,
) -> Request | None:
    """Fork for each request, until the owner ends.

    Returns the request in each forked process, None in this one.

    Args:
        owner: what `end_with_owner` returned.
        listener: what `listen` returned.
        refuse: gets ready for a request; returns why it cannot be served, or "".
        kill_with_client: end what was forked when its client ends; otherwise it does so itself.
    """
    running: list[Forked] = []
    finish = signal.getsignal(signal.SIGIO)
    while True:
        signal.signal(signal.SIGIO, signal.SIG_IGN)  # select sees the end of the pipe
        ends = [forked.end for forked in running]
        clients = [forked.client.fileno() for forked in running if kill_with_client]
        ready = set(select.select([owner, listener.fileno(), *ends, *clients], [], [])[0])
        signal.signal(signal.SIGIO, finish)  # an import may take long
        for forked in [f for f in running if {owner, f.end, f.client.fileno()} & ready]:
            running.remove(forked)
            if end(forked, kill_with_client):  # it may have left processes of its own
                kill_descendants(spared=[other.pid for other in running])
        if owner in ready:
            return None
        request = receive(listener) if listener.fileno() in ready else None
        if request is None:
            continue
        if reason := refuse(request):
            with contextlib.suppress(OSError):  # the client is gone
                request.client.send(json.dumps({"refused": reason}).encode())
            dismiss(request)
            continue
        gc.collect()
        gc.freeze()  # what a collection does not touch stays shared between the forks
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that threads are not forked: there are none
            pid = os.fork()
        if pid == 0:
            signal.signal(signal.SIGIO, signal.SIG_DFL)
            os.setpgid(0, 0)
            os.close(owner)
            listener.close()
            for forked in running:
                forked.client.close()
                os.close(forked.end)
            return request
        with contextlib.suppress(OSError):  # here too: whoever comes first
            os.setpgid(pid, pid)
        for descriptor in request.descriptors:
            os.close(descriptor)
        running.append(Forked(pid, os.pidfd_open(pid), request.client))


def end(forked: Forked, kill: bool) -> int:
    """Wait for the end of a process, killed with its group or not; tell its client how it ended."""
    if kill:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(forked.pid, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(forked.pid, 0)[1])
    os.close(forked.end)
    with contextlib.suppress(OSError):  # the client is gone
        if code and not kill:
            forked.client.send(f"{json.dumps({'ended': code})}\n".encode())
        # For all who hold the connection: what the process has left behind may.
        forked.client.shutdown(socket.SHUT_RDWR)
    forked.client.close()
    return code
