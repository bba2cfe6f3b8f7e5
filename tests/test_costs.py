from collections.abc import Callable

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


@pytest.mark.parametrize("bad", [(0, 1.0), (-1, 1.0), (2, -1.0)])
def test_bad_sizes_are_named(bad: tuple[int, float]) -> None:
    for formula in (ring_all_reduce_bytes, parameter_server_bytes):
        with pytest.raises(ValueError, match=f"world_size={bad[0]}, size={bad[1]}"):
            formula(*bad)


def test_a_bandwidth_of_zero_is_named() -> None:
    with pytest.raises(ValueError, match="bandwidth=0"):
        ring_all_reduce_seconds(2, 1.0, latency=0.0, bandwidth=0)


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


@pytest.mark.parametrize(
    ("elements", "groups", "pool"),
    [
        (0, [(1.0, 1)], 0.0),
        (1, [], 0.0),
        (1, [(-1.0, 1)], 0.0),
        (1, [(1.0, 0)], 0.0),
        (1, [(1.0, 1)], -1.0),
    ],
)
def test_a_bad_input_pipeline_is_named(
    elements: int, groups: list[tuple[float, int]], pool: float
) -> None:
    with pytest.raises(ValueError, match=f"elements={elements}, groups=.*, pool={pool}"):
        input_pipeline_seconds(elements, groups, pool=pool)


@pytest.mark.parametrize("formula", [pipeline_bubble, pipeline_bubble_over_ideal])
def test_a_pipeline_without_stages_is_named(formula: Callable[[int, int], float]) -> None:
    with pytest.raises(ValueError, match="stages=0, micro_batches=4, chunks=1"):
        formula(0, 4)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: pipeline_seconds(4, 8, 1.0, chunks=0), "chunks=0"),
        (lambda: gpipe_activations(0, 4, 2, 2), "batch=0, layers=4"),
        (lambda: zero_bytes(1, 4, 4), "stage=4"),
        (lambda: zero_bytes(1, 0, 1), "world_size=0"),
        (
            lambda: zero_bubble_seconds("gpipe", 4, 8, forward=1, inputs=1, weights=1),
            "schedule='gpipe': there are formulas for 1f1b, zb-h1, zb-h2",
        ),
        (
            lambda: zero_bubble_seconds("zb-h2", 4, 6, forward=1, inputs=1, weights=2),
            "holds where W <= F and 2 W <= F [+] B and M >= 2 p - 1; here p=4, M=6, F=1, B=1, W=2",
        ),
    ],
)
def test_a_number_out_of_its_range_is_named(wrong: Callable[[], float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()
