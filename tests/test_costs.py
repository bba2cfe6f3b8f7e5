# Wrong arguments are given on purpose.
# mypy: disable-error-code="arg-type, list-item"

from collections.abc import Callable
from math import inf, nan

import numpy as np
import pytest

from lockstep.costs import (
    gpipe_activations,
    input_pipeline_seconds,
    parameter_server_bytes,
    pipeline_bubble,
    pipeline_bubble_over_ideal,
    pipeline_seconds,
    ring_all_reduce_bytes,
    ring_all_reduce_seconds,
    zero_bubble_seconds,
    zero_bytes,
)


def bytes_sent_by_a_ring(world_size: int, length: int) -> list[int]:
    """A ring all-reduce over NumPy buffers that counts what each rank really sends."""
    buffers = [np.random.default_rng(rank).normal(size=length) for rank in range(world_size)]
    expected = sum(buffers)
    chunks = [np.array_split(buffer.copy(), world_size) for buffer in buffers]
    sent = [0] * world_size
    for first_chunk, adding in ((0, True), (1, False)):  # reduce-scatter, then all-gather
        for step in range(world_size - 1):
            indices = [(rank + first_chunk - step) % world_size for rank in range(world_size)]
            messages = [chunks[rank][index].copy() for rank, index in enumerate(indices)]
            for rank, (index, message) in enumerate(zip(indices, messages, strict=True)):
                sent[rank] += message.nbytes
                target = chunks[(rank + 1) % world_size]
                target[index] = target[index] + message if adding else message
    for rank in range(world_size):
        np.testing.assert_allclose(np.concatenate(chunks[rank]), expected, rtol=1e-12)
    return sent


@pytest.mark.parametrize("world_size", [1, 2, 3, 4, 8])
def test_ring_bytes_equal_those_of_a_ring_that_is_run(world_size: int) -> None:
    length = 24 * 7
    assert (
        bytes_sent_by_a_ring(world_size, length)
        == [pytest.approx(ring_all_reduce_bytes(world_size, 8 * length))] * world_size
    )


def test_seconds_have_a_latency_part_and_a_bandwidth_part() -> None:
    assert ring_all_reduce_seconds(4, 0, latency=0.5, bandwidth=1.0) == 3.0
    assert ring_all_reduce_seconds(4, 8.0, latency=0.0, bandwidth=2.0) == pytest.approx(
        ring_all_reduce_bytes(4, 8.0) / 2.0
    )
    assert ring_all_reduce_seconds(1, 8.0, latency=1.0, bandwidth=1.0) == 0


def test_a_server_carries_a_gradient_in_and_weights_out_for_each_worker() -> None:
    assert parameter_server_bytes(4, 10.0) == 80.0


def test_zero_shards_the_optimizer_then_gradients_then_weights() -> None:
    """ZeRO, figure 1: 7.5 billion parameters, 64 ranks, in GB."""
    held = [zero_bytes(7.5, 64, stage) for stage in range(4)]
    assert held == pytest.approx([120, 31.4, 16.6, 1.9], abs=0.05)
    assert zero_bytes(5, 1, 3, optimizer=4) == 5 * (4 + 4)


def test_an_input_pipeline_runs_at_the_pace_of_its_slowest_part() -> None:
    # One after another; two threads; with calls at a time; and with a pool that is too small.
    assert input_pipeline_seconds(12, [(0.16, 1)]) == pytest.approx(12 * 0.16)
    assert input_pipeline_seconds(12, [(0.13, 1), (0.03, 1)]) == pytest.approx(12 * 0.13 + 0.03)
    stages = [(0.04, 1), (0.09, 4), (0.03, 1)]
    assert input_pipeline_seconds(12, stages) == pytest.approx(0.16 + 11 * 0.04)
    assert input_pipeline_seconds(12, stages, pool=0.065) == pytest.approx(0.16 + 11 * 0.065)


def test_equal_stages_make_the_pipeline_of_gpipe() -> None:
    assert input_pipeline_seconds(8, [(3.0, 1)] * 4) == pipeline_seconds(4, 8, 3.0)


COUNT, AMOUNT = (
    "give a whole number, 1 or more, such as",
    "give a finite number, 0 or more, such as",
)
PHASES = {"forward": 1, "inputs": 1, "weights": 1}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: ring_all_reduce_bytes(0, 1.0), f"world_size=0: {COUNT} world_size=2"),
        (lambda: ring_all_reduce_bytes(-1, 1.0), f"world_size=-1: {COUNT}"),
        (lambda: ring_all_reduce_bytes(2.5, 1.0), f"world_size=2.5: {COUNT}"),
        (lambda: ring_all_reduce_bytes(nan, 1.0), f"world_size=nan: {COUNT}"),
        (lambda: ring_all_reduce_bytes("2", 1.0), f"world_size='2': {COUNT}"),
        (lambda: ring_all_reduce_bytes(2, -1.0), f"size=-1.0: {AMOUNT} size=1"),
        (lambda: ring_all_reduce_bytes(2, nan), f"size=nan: {AMOUNT}"),
        (lambda: ring_all_reduce_bytes(2, inf), f"size=inf: {AMOUNT}"),
        (lambda: ring_all_reduce_bytes(2, None), f"size=None: {AMOUNT}"),
        (lambda: ring_all_reduce_bytes(2, np.ones(2)), f"size=array.*: {AMOUNT}"),
        (lambda: parameter_server_bytes(0, 1.0), f"world_size=0: {COUNT}"),
        (lambda: parameter_server_bytes(2, nan), f"size=nan: {AMOUNT}"),
        (lambda: ring_all_reduce_seconds(2, 1, latency=nan, bandwidth=1), f"latency=nan: {AMOUNT}"),
        (lambda: ring_all_reduce_seconds(2, 1, latency=0, bandwidth=0), "bandwidth=0: .* above 0,"),
        (lambda: ring_all_reduce_seconds(2, 1, latency=0, bandwidth=nan), "bandwidth=nan: .* such"),
        (lambda: pipeline_seconds(4, 8, nan), f"seconds=nan: {AMOUNT}"),
        (lambda: pipeline_seconds(4, 8, -1.0), f"seconds=-1.0: {AMOUNT}"),
        (lambda: pipeline_seconds(4, 8, 1.0, chunks=0), f"chunks=0: {COUNT}"),
        (lambda: pipeline_bubble(0, 4), f"stages=0: {COUNT}"),
        (lambda: pipeline_bubble(4, 2.5), f"micro_batches=2.5: {COUNT}"),
        (lambda: pipeline_bubble_over_ideal(4, nan), f"micro_batches=nan: {COUNT}"),
        (lambda: gpipe_activations(0, 4, 2, 2), f"batch=0: {COUNT}"),
        (lambda: gpipe_activations(8, 4.5, 2, 2), f"layers=4.5: {COUNT}"),
        (lambda: zero_bytes(nan, 4, 1), f"parameters=nan: {AMOUNT}"),
        (lambda: zero_bytes(1, 0, 1), f"world_size=0: {COUNT}"),
        (lambda: zero_bytes(1, 4, 4), "stage=4: give one of 0, 1, 2, 3"),
        (lambda: zero_bytes(1, 4, 1.0), "stage=1.0: give a whole number, 0 or more, such as"),
        (lambda: zero_bytes(1, 4, 1, optimizer=-12), f"optimizer=-12: {AMOUNT}"),
        (
            lambda: zero_bubble_seconds("gpipe", 4, 8, **PHASES),
            "schedule='gpipe': .* one of '1f1b'",
        ),
        (
            lambda: zero_bubble_seconds("1f1b", 4, 8, **{**PHASES, "inputs": nan}),
            f"inputs=nan: {AMOUNT}",
        ),
        (
            lambda: zero_bubble_seconds("zb-h2", 4, 6, **{**PHASES, "weights": 2}),
            "holds where W <= F and 2 W <= F [+] B and M >= 2 p - 1; here p=4, M=6, F=1, B=1, W=2",
        ),
        (lambda: input_pipeline_seconds(0, [(1.0, 1)]), f"elements=0: {COUNT}"),
        (lambda: input_pipeline_seconds(1, [(1.0, 1)], pool=nan), f"pool=nan: {AMOUNT}"),
        (lambda: input_pipeline_seconds(1, []), r"groups=\[\]: give a list of pairs, .* such as"),
        (lambda: input_pipeline_seconds(1, [0.1]), r"groups=\[0.1\]: give a list of pairs"),
        (lambda: input_pipeline_seconds(1, 0.1), "groups=0.1: give a list of pairs"),
        (lambda: input_pipeline_seconds(1, [(1, 1), (nan, 1)]), rf"groups\[1\]\[0\]=nan: {AMOUNT}"),
        (lambda: input_pipeline_seconds(1, [(1.0, 0)]), r"groups\[0\]\[1\]=0: .* 1 or more, such"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_way_out(
    wrong: Callable[[], float], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()


def test_what_numpy_counts_and_measures_is_accepted() -> None:
    """As Python's numbers: NumPy's of 32 bits would overflow without a word."""
    assert parameter_server_bytes(np.int32(1000), np.int32(2**30)) == 2000 * 2**30
    assert pipeline_seconds(np.int64(4), np.int64(8), np.float32(0.5)) == 5.5
    groups = np.array([[0.04, 1], [0.09, 4]])
    assert input_pipeline_seconds(12, groups) == input_pipeline_seconds(12, groups.tolist())
    assert ring_all_reduce_seconds(2, 8, latency=1, bandwidth=inf) == 2
