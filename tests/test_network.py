"""Ranks of lockstep.network: what they can do, what is counted, and how a run ends that fails."""

import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from lockstep import network
from lockstep.network import Net, NetworkError, run

Function = Callable[..., Any]


def ring(x: np.ndarray, net: Net) -> np.ndarray:
    """Add up around a ring, the whole array in each step."""
    total = x
    for _ in range(net.world_size - 1):
        net.send(x, (net.rank + 1) % net.world_size)
        x = net.receive((net.rank - 1) % net.world_size)
        total = total + x
    return total


def star(x: np.ndarray, net: Net) -> np.ndarray:
    """Rank 0 sends to all others."""
    if net.rank:
        return net.receive(0)
    for other in range(1, net.world_size):
        net.send(x, other)
    return x


def inputs(world_size: int, length: int = 5) -> list[tuple[np.ndarray]]:
    return [(np.arange(length) * 10**rank,) for rank in range(world_size)]


@pytest.mark.parametrize("world_size", [1, 2, 5])
def test_a_ring_adds_up_and_is_counted(world_size: int) -> None:
    done = run(ring, inputs(world_size))
    expected = sum(x for (x,) in inputs(world_size))
    assert all(np.array_equal(result, expected) for result in done.results)
    assert done.messages == [world_size - 1] * world_size
    assert done.bytes == [5 * 8 * (world_size - 1)] * world_size
    assert done.seconds == world_size - 1


def test_the_clock_is_the_senders() -> None:
    assert run(star, inputs(5)).seconds == 4
    done = run(star, inputs(4), latency=2, bandwidth=20)
    assert done.seconds == 3 * (2 + 5 * 8 / 20)
    assert done.bytes == [120, 0, 0, 0]


def test_ranks_share_nothing() -> None:
    shared = np.zeros(3)

    def change(x: np.ndarray, net: Net) -> float:
        shared[:] = net.rank + 1
        x[:] = 7
        if net.rank:
            net.send(x, 0)
            return shared[0]
        received = net.receive(1)
        received += 1
        return shared[0]

    given = inputs(2)
    done = run(change, given)
    assert done.results == [1, 2] and not shared.any()
    assert np.array_equal(given[1][0], np.arange(5) * 10)
    assert np.array_equal(done.arguments[1][0], [7] * 5)


def test_a_rank_has_no_connection_but_its_own() -> None:
    done = run(lambda net: len(os.listdir("/dev/fd")), [(), (), ()])
    assert max(done.results) <= 5  # three standard streams, its own, and the one that lists them


def test_messages_of_a_pair_keep_their_order_and_what_is_sent_is_a_copy() -> None:
    numbered: Any = np.int64(1)

    def send_twice(net: Net) -> list[float]:
        if net.rank == 1:
            x = np.array([1.5])
            net.send(x, 0)
            x += 1
            net.send(x, 0)
            return []
        return [float(net.receive(1)[0]), float(net.receive(numbered)[0])]

    assert run(send_twice, [(), ()]).results[0] == [1.5, 2.5]


@pytest.mark.parametrize("x", [np.float32(3), np.ones((2, 0)), [[1, 2]], np.array(1j), True])
def test_any_array_of_numbers_arrives_as_it_is(x: Any) -> None:
    done = run(star, [(x,), (None,)])
    assert done.results[1].dtype == np.asarray(x).dtype
    assert np.array_equal(done.results[1], x) and done.results[1].shape == np.shape(x)


def test_without_buffers_a_send_waits_for_its_receiver() -> None:
    with pytest.raises(NetworkError) as error:
        run(ring, inputs(2), buffered=False)
    assert str(error.value) == (
        "Nobody can go on:\n  rank 0 waits to send to rank 1\n  rank 1 waits to send to rank 0"
    )

    def in_turns(x: np.ndarray, net: Net) -> np.ndarray:
        if net.rank == 0:
            net.send(x, 1)
            return net.receive(1)
        received = net.receive(0)
        net.send(x, 0)
        return received

    done = run(in_turns, inputs(2), buffered=False)
    assert np.array_equal(done.results[0], inputs(2)[1][0]) and done.seconds == 2


def test_without_buffers_a_message_takes_both_ranks_time() -> None:
    def chain(x: np.ndarray, net: Net) -> None:
        if net.rank == 1:
            net.receive(0)
            net.receive(2)
        elif net.rank == 3:
            net.receive(2)
        else:
            net.send(x, 1)
        if net.rank == 2:
            net.send(x, 3)

    assert run(chain, inputs(4), buffered=False).seconds == 3
    assert run(chain, inputs(4)).seconds == 2


def test_a_deadlock_names_who_waits_for_whom() -> None:
    def missing(net: Net) -> None:
        if net.rank < 2:
            net.receive(1 - net.rank if net.rank else 2)

    with pytest.raises(NetworkError) as error:
        run(missing, [(), (), ()])
    assert str(error.value).splitlines() == [
        "Nobody can go on:",
        "  rank 0 waits to receive from rank 2",
        "  rank 1 waits to receive from rank 0",
        "  rank 2 has returned",
    ]


def fails(net: Net) -> None:
    raise KeyError("a name")


def to_nobody(net: Net) -> None:
    net.send(np.ones(1), 2)


def to_itself(net: Net) -> None:
    net.receive(net.rank)


def text(net: Net) -> None:
    net.send("some text", 1 - net.rank)


def leaves(net: Net) -> None:
    sys.exit("enough")


def ends(net: Net) -> None:
    os._exit(0)


def for_ever(net: Net) -> None:
    while True:
        pass


def sends_for_ever(net: Net) -> None:
    while True:
        net.send(np.ones(1), 1 - net.rank)


def prints_for_ever(net: Net) -> None:
    while True:
        print("again")


def not_sendable(net: Net) -> object:
    return lambda: 1


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (fails, "raised KeyError: 'a name' in line"),
        (to_nobody, "ValueError: to=2: the ranks other than"),
        (to_itself, "ValueError: source="),
        (text, "TypeError: send('some text', ...): give an array of numbers"),
        (leaves, "SystemExit: enough"),
        (ends, "ended before it returned"),
        (for_ever, "Each of ranks 0, 1 has not sent, received or returned for 0.3 s"),
        (prints_for_ever, "for 0.3 s"),
        (sends_for_ever, "More than 300 messages"),
        (not_sendable, "raised "),
    ],
)
def test_a_run_that_fails_says_why_and_leaves_no_process(
    function: Function, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(network, "MOST_MESSAGES", 300)
    started: list[int] = []
    fork = os.fork

    def noted() -> int:
        process = fork()
        started.append(process)
        return process

    monkeypatch.setattr(os, "fork", noted)
    begin = time.monotonic()
    with pytest.raises(NetworkError) as error:
        run(function, [(), ()], timeout=0.3)
    assert said in " ".join(str(error.value).split())
    assert max(map(len, str(error.value).splitlines())) <= 75
    assert time.monotonic() - begin < 60
    for process in started:
        with pytest.raises(ProcessLookupError):
            os.kill(process, 0)


def test_what_ranks_print_is_shown_on_standard_output(capfd: pytest.CaptureFixture[str]) -> None:
    def prints(net: Net) -> None:
        print("I am", net.rank)
        print("to standard error", file=sys.stderr)
        if net.rank:
            print("x" * 3000)

    run(prints, [(), ()])
    out, err = capfd.readouterr()
    assert err == ""
    assert out.startswith("rank 0: I am 0\nrank 0: to standard error\nrank 1: I am 1\n")
    assert out.endswith("x\nrank 1: ... and more\n") and len(out) < 2200


class Pretends(np.ndarray):
    def __eq__(self, other: object) -> Any:
        return np.array(True)


def test_a_result_cannot_pretend() -> None:
    done = run(lambda net: np.ones(2).view(Pretends), [()])
    assert type(done.results[0]) is np.ndarray


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"latency": -1}, "latency=-1"),
        ({"bandwidth": 0}, "bandwidth=0"),
        ({"timeout": math.nan}, "timeout=nan"),
    ],
)
def test_what_cannot_be_right_is_refused(wrong: dict[str, float], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        run(star, inputs(2), **wrong)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="arguments_by_rank is empty"):
        run(star, [])
