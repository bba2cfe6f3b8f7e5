"""Run a function as several ranks that can only send each other arrays, and count what they send.

Each rank is a process of its own, so ranks share no memory. Every message goes through the process
that called `run`, which notes who sends how much, so the count does not rest on what the function
says of itself. It also sees at once when nobody can go on, and says who waits for whom.

    def to_the_right(x, net):
        net.send(x, (net.rank + 1) % net.world_size)
        return net.receive((net.rank - 1) % net.world_size)

    done = run(to_the_right, [(np.arange(5),), (np.arange(9),)])
    done.results, done.messages, done.bytes

**The clock** is a model, not a measurement: a message takes `latency` seconds, and its bytes over
`bandwidth`, of its sender's time; receiving takes none. A rank sends one message after the other,
and all ranks at once. With the latency of 1 and infinite bandwidth that `run` has by itself,
`seconds` is the number of rounds. **Without buffers**, a message goes when its receiver asks for
it: `send` waits until then, as large messages of MPI and NCCL do, and takes the receiver's time
too.

What a rank prints is printed when the run is over, standard error with the rest. Linux and macOS.
"""

import gc
import math
import os
import signal
import sys
import textwrap
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, Pipe, wait
from typing import Any

import numpy as np

from lockstep import arguments, supervisor

MOST_MESSAGES = 20_000
PRINTED = 2_000  # characters of each rank that are shown
WIDTH = 70  # of lines in messages


class NetworkError(RuntimeError):
    """The ranks of a run have not all come to an end; says which, and what they wait for."""


@dataclass(frozen=True)
class Run:
    """What came of a run; all lists are by rank."""

    results: list[Any]
    arguments: list[tuple[Any, ...]]  # as the function left them
    messages: list[int]  # how many each rank sent
    bytes: list[int]  # of what it sent
    seconds: float  # of the model, until the last rank was done


class Net:
    """The network as one rank sees it: `rank`, `world_size`, `send` and `receive`."""

    def __init__(self, rank: int, world_size: int, channel: Connection) -> None:
        self.rank = rank
        self.world_size = world_size
        self._channel = channel

    def send(self, array: Any, to: int) -> None:
        """Send an array to another rank.

        Raises:
            TypeError: it has no numbers.
            ValueError: there is no such other rank.
        """
        message = np.array(array)
        if message.dtype.kind not in "biufc":
            raise TypeError(f"send({array!r:.40}, ...): give an array of numbers")
        self._request("send", self._other("to", to), message)

    def receive(self, source: int) -> np.ndarray:
        """Wait for the next array from another rank; each comes once, in the order of sending.

        Raises:
            ValueError: there is no such other rank.
        """
        return self._request("receive", self._other("source", source))

    def _other(self, name: str, rank: Any) -> int:
        others = [other for other in range(self.world_size) if other != self.rank]
        found = arguments.plain(rank)
        if isinstance(found, bool) or found not in others:
            known = ", ".join(map(str, others)) or "none"
            raise ValueError(f"{name}={rank!r}: the ranks other than {self.rank} are {known}")
        return int(found)

    def _request(self, *what: Any) -> Any:
        self._channel.send(what)
        return self._channel.recv()


def run(
    function: Callable[..., Any],
    arguments_by_rank: Sequence[Sequence[Any]],
    *,
    buffered: bool = True,
    latency: float = 1.0,
    bandwidth: float = math.inf,
    timeout: float = 10.0,
) -> Run:
    """Run `function(*arguments, net)` as one rank for each list of arguments.

    Args:
        function: what each rank calls, last with its `Net`.
        arguments_by_rank: for each rank the arguments before that.
        buffered: whether `send` returns at once; otherwise it waits for its receiver.
        latency: seconds that each message takes by the model's clock.
        bandwidth: bytes per second, which may be infinite.
        timeout: seconds, of the wall's clock, in which no rank does anything but compute.

    Raises:
        NetworkError: a rank raised, ended or never ends, or all wait for each other.
        ValueError: an argument is out of its range.
    """
    if not len(arguments_by_rank):
        raise ValueError("arguments_by_rank is empty: give a tuple for each rank, such as [(x,)]")
    latency = arguments.number("latency", latency)
    bandwidth = arguments.above_zero("bandwidth", bandwidth)
    timeout = arguments.above_zero("timeout", timeout)
    router = _Router(len(arguments_by_rank), buffered, latency, bandwidth)
    try:
        for rank, given in enumerate(arguments_by_rank):
            router.start(rank, function, tuple(given))
        return router.route(timeout)
    finally:
        router.end()


class _Router:
    """The process between the ranks."""

    def __init__(self, ranks: int, buffered: bool, latency: float, bandwidth: float) -> None:
        self.ranks = ranks
        self.buffered = buffered
        self.latency = latency
        self.bandwidth = bandwidth
        self.processes: dict[Connection, int] = {}
        self.channels: list[Connection] = []
        self.waiting: dict[int, tuple[Any, ...]] = {}  # what each rank that waits has asked for
        self.sent: dict[tuple[int, int], deque[tuple[np.ndarray, float]]] = {}
        self.ends: dict[int, tuple[Any, tuple[Any, ...]]] = {}
        self.messages = [0] * ranks
        self.bytes = [0] * ranks
        self.clock = [0.0] * ranks
        self.printed = [""] * ranks

    def start(self, rank: int, function: Callable[..., Any], given: tuple[Any, ...]) -> None:
        """Fork the process of a rank."""
        ours, its = Pipe()
        parent = os.getpid()
        with warnings.catch_warnings():  # Python warns of threads, which Jupyter has
            warnings.simplefilter("ignore", DeprecationWarning)
            process = os.fork()
        if process == 0:
            _be(rank, self.ranks, function, given, its, parent)
        its.close()
        self.channels.append(ours)
        self.processes[ours] = process

    def end(self) -> None:
        """Leave no process, and show what the ranks printed."""
        for channel, process in self.processes.items():
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
            channel.close()
        for rank, text in enumerate(self.printed):
            for line in text[:PRINTED].splitlines():
                print(f"rank {rank}: {line}")
            if len(text) > PRINTED:
                print(f"rank {rank}: ... and more")

    def route(self, timeout: float) -> Run:
        """Answer the ranks until all have ended."""
        deadline = time.monotonic() + timeout
        while len(self.ends) < self.ranks:
            busy = [
                channel
                for rank, channel in enumerate(self.channels)
                if rank not in self.waiting and rank not in self.ends
            ]
            if not busy:
                raise NetworkError(self.deadlock())
            ready = wait(busy, max(0, deadline - time.monotonic()))
            heard = [self.hear(rank) for rank, one in enumerate(self.channels) if one in ready]
            if any(heard):
                deadline = time.monotonic() + timeout
            elif time.monotonic() >= deadline:
                names = _names([self.channels.index(channel) for channel in busy])
                raise NetworkError(
                    f"{names} has not sent, received or\nreturned for {timeout:g} s. Does a loop "
                    "never end?"
                )
            for rank in list(self.waiting):
                self.answer(rank)
        results, left = zip(*(self.ends[rank] for rank in range(self.ranks)), strict=True)
        return Run([*results], [*left], self.messages, self.bytes, max(self.clock))

    def hear(self, rank: int) -> bool:
        """Take what a rank says; return False if it only prints."""
        try:
            kind, *rest = self.channels[rank].recv()
        except (EOFError, ConnectionError):
            raise NetworkError(f"The process of rank {rank} ended before it returned.") from None
        if kind == "print":
            self.printed[rank] = (self.printed[rank] + rest[0])[: PRINTED + 1]
            return False
        if kind == "failed":
            raise NetworkError(rest[0])
        if kind == "returned":
            result, given = rest
            self.ends[rank] = _plain(result), tuple(map(_plain, given))
            return True
        self.waiting[rank] = (kind, *rest)
        if kind == "send":
            self.messages[rank] += 1
            self.bytes[rank] += rest[1].nbytes
            if sum(self.messages) > MOST_MESSAGES:
                raise NetworkError(
                    f"More than {MOST_MESSAGES:,} messages were sent. Does a loop never end?"
                )
        return True

    def answer(self, rank: int) -> None:
        """Let a rank go on that waits, if it can."""
        if rank not in self.waiting:
            return
        kind, other, *message = self.waiting[rank]
        if kind == "send":
            wanted = ("receive", rank)
            if not self.buffered and self.waiting.get(other) != wanted:
                return
            took = self.latency + message[0].nbytes / self.bandwidth
            begun = self.clock[rank] if self.buffered else max(self.clock[rank], self.clock[other])
            self.clock[rank] = begun + took
            queue = self.sent.setdefault((rank, other), deque())
            queue.append((message[0], self.clock[rank]))
            self.let_go(rank, None)
            self.answer(other)
        elif queue := self.sent.get((other, rank), deque()):
            array, arrived = queue.popleft()
            self.clock[rank] = max(self.clock[rank], arrived)
            self.let_go(rank, array)

    def let_go(self, rank: int, answer: np.ndarray | None) -> None:
        """Answer a rank."""
        del self.waiting[rank]
        with suppress(OSError):  # it has ended, and its channel says so next
            self.channels[rank].send(answer)

    def deadlock(self) -> str:
        """Say who waits for whom."""
        lines = ["Nobody can go on:"]
        for rank in range(self.ranks):
            if rank in self.ends:
                lines.append(f"  rank {rank} has returned")
                continue
            kind, other, *_ = self.waiting[rank]
            way = "receive from" if kind == "receive" else "send to"
            lines.append(f"  rank {rank} waits to {way} rank {other}")
        return "\n".join(lines)


def _names(ranks: list[int]) -> str:
    return ("Rank " if len(ranks) == 1 else "Each of ranks ") + ", ".join(map(str, ranks))


def _plain(value: Any) -> Any:
    """An array without what a subclass of it could do."""
    return np.array(value) if isinstance(value, np.ndarray) else value


class _Stream:
    """Where a rank prints to."""

    encoding = "utf-8"

    def __init__(self, channel: Connection) -> None:
        self.channel = channel

    def write(self, text: str) -> int:
        self.channel.send(("print", str(text)))
        return len(text)

    def flush(self) -> None:
        pass

    def isatty(self) -> bool:
        return False


def _be(
    rank: int,
    world_size: int,
    function: Callable[..., Any],
    given: tuple[Any, ...],
    channel: Connection,
    parent: int,
) -> None:
    """Be a rank, in a process that was forked for it, and end."""
    try:
        gc.disable()  # nothing of the parent's is to be finished here
        if supervisor.LINUX:
            supervisor.die_with(parent)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends this
        _close_all_but(channel.fileno())
        sys.stdout = sys.stderr = _Stream(channel)  # type: ignore[assignment]
        try:
            result = function(*given, Net(rank, world_size, channel))
            channel.send(("returned", result, given))
        except BaseException as error:  # SystemExit, too
            channel.send(("failed", _said(rank, world_size, error)))
    finally:
        os._exit(0)


def _close_all_but(kept: int) -> None:
    """Close what a fork has of its parent: connections of other ranks, and of Jupyter."""
    with suppress(FileNotFoundError):  # a container without /dev/fd
        for name in os.listdir("/dev/fd"):
            if int(name) > 2 and int(name) != kept:
                with suppress(OSError):  # the one that this list was read from
                    os.close(int(name))


def _said(rank: int, world_size: int, error: BaseException) -> str:
    """An error of a rank in lines that are not too long, with its place."""
    text = f"rank {rank} of {world_size} raised {type(error).__name__}: {error}"
    lines = textwrap.wrap(text[:400], WIDTH, break_on_hyphens=False)
    frames = [
        frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__
    ]
    if frames:
        lines += textwrap.wrap(f"in line {frames[-1].lineno} of {frames[-1].name}:", WIDTH)
        lines.append(f"    {(frames[-1].line or '')[:WIDTH]}")
    return "\n".join(lines)
