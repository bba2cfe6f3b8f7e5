"""Formulas for what distributed training costs, each with its source.

Sizes are in bytes, times in seconds, bandwidths in bytes per second.
"""

from collections.abc import Sequence

from lockstep import arguments


def ring_all_reduce_bytes(world_size: int, size: float) -> float:
    """Bytes that each rank sends (and receives) in a ring all-reduce.

    The buffer is cut into `world_size` chunks. A reduce-scatter and an all-gather each take
    N - 1 steps, and in each step every rank sends one chunk: 2 (N - 1) / N * S in all, which
    no all-reduce among the ranks alone can beat (Patarasuk and Yuan, J. Parallel Distrib. Comput.
    69(2), 2009). Switches that add up on the way can: a rank then sends S.

    Args:
        world_size: number of ranks N, at least 1.
        size: bytes of the buffer that every rank holds, S.

    Raises:
        ValueError: if `world_size` is below 1 or `size` is negative.
    """
    world_size, size = _check(world_size, size)
    return 2 * (world_size - 1) / world_size * size


def ring_all_reduce_seconds(
    world_size: int, size: float, *, latency: float, bandwidth: float
) -> float:
    """Seconds of a ring all-reduce in the alpha-beta model.

    2 (N - 1) steps, each of which costs `latency` (alpha) and the time for one chunk of
    S / N bytes at `bandwidth` (1 / beta). Source as for `ring_all_reduce_bytes`.

    Args:
        world_size: number of ranks N, at least 1.
        size: bytes of the buffer that every rank holds, S.
        latency: seconds before the first byte of a message arrives.
        bandwidth: bytes per second of one link, in one direction; infinite if bytes take no time.

    Raises:
        ValueError: if an argument is out of its range.
    """
    world_size, size = _check(world_size, size)
    latency = arguments.number("latency", latency)
    bandwidth = arguments.above_zero("bandwidth", bandwidth)
    return 2 * (world_size - 1) * (latency + size / world_size / bandwidth)


def parameter_server_bytes(world_size: int, size: float) -> float:
    """Bytes through one central server a step: N gradients in, N copies of the weights out, 2 N S.

    Li et al., Scaling Distributed Machine Learning with the Parameter Server, OSDI 2014,
    with a single server and no filter.

    Args:
        world_size: number of workers N, at least 1.
        size: bytes of the gradient, and of the weights, S.

    Raises:
        ValueError: if `world_size` is below 1 or `size` is negative.
    """
    world_size, size = _check(world_size, size)
    return 2 * world_size * size


def pipeline_seconds(stages: int, micro_batches: int, seconds: float, chunks: int = 1) -> float:
    """Makespan of GPipe and 1F1B, and of interleaved 1F1B with so many `chunks` a rank.

    (M + (K - 1) / v) t. With one chunk: Huang et al., GPipe, NeurIPS 2019, section 2.3, where it
    stands as a bubble; with v chunks: Narayanan et al., Efficient Large-Scale Language Model
    Training on GPU Clusters, SC 2021, section 2.2. All ranks are equally slow, messages are free.

    Args:
        stages: number of ranks K, at least 1.
        micro_batches: M, at least 1.
        seconds: forward and backward pass of one micro-batch on all that a rank holds, t.
        chunks: parts of the model that each rank holds, v.

    Raises:
        ValueError: an argument is out of its range.
    """
    stages, micro_batches, chunks = _check_pipeline(stages, micro_batches, chunks)
    return (micro_batches + (stages - 1) / chunks) * arguments.number("seconds", seconds)


def gpipe_seconds(
    micro_batches: int,
    forward: Sequence[float],
    backward: Sequence[float],
    *,
    message: float = 0,
    latency: float = 0,
) -> float:
    """Makespan of GPipe with unequal stages and messages.

    All forward passes, then all backward passes. Each half is a line of stations, the links among
    them, through which M pieces go: sum t + (M - 1) max t, and `latency` for each cut. Equal stages
    and free messages make it `pipeline_seconds`. For 1F1B it is no more than an upper limit, and
    that only while messages are free; simulate it.

    Args:
        micro_batches: M, at least 1.
        forward: seconds of a forward pass on each stage.
        backward: seconds of a backward pass on each stage, with its recomputation.
        message: seconds for which a message keeps a link busy, while its sender computes on.
        latency: seconds more until it has arrived.

    Raises:
        ValueError: an argument is out of its range, or the lists are not equally long.
    """
    micro_batches = arguments.count("micro_batches", micro_batches)
    message = arguments.number("message", message)
    latency = arguments.number("latency", latency)
    halves = [list(arguments.plain(forward)), list(arguments.plain(backward))]
    if not halves[0] or len(halves[0]) != len(halves[1]):
        raise ValueError(
            f"forward={halves[0]}, backward={halves[1]}: give two lists, a number a stage in each"
        )
    cuts = len(halves[0]) - 1
    total: float = 0
    for name, half in zip(("forward", "backward"), halves, strict=True):
        stations = [arguments.number(f"{name}[{i}]", seconds) for i, seconds in enumerate(half)]
        stations += [message] * cuts
        total += sum(stations) + cuts * latency + (micro_batches - 1) * max(stations)
    return total


def pipeline_bubble(stages: int, micro_batches: int, chunks: int = 1) -> float:
    """The bubble as a share of *all* time: (K - 1) / (v M + K - 1), from 0 to 1.

    GPipe's denominator. Sources, arguments and errors as for `pipeline_seconds`.
    """
    stages, micro_batches, chunks = _check_pipeline(stages, micro_batches, chunks)
    return (stages - 1) / (chunks * micro_batches + stages - 1)


def pipeline_bubble_over_ideal(stages: int, micro_batches: int, chunks: int = 1) -> float:
    """The bubble over the time of *work*: (K - 1) / (v M), which can be above 1.

    Megatron-LM's denominator. Sources, arguments and errors as for `pipeline_seconds`.
    """
    stages, micro_batches, chunks = _check_pipeline(stages, micro_batches, chunks)
    return (stages - 1) / (chunks * micro_batches)


def zero_bubble_seconds(
    schedule: str,
    stages: int,
    micro_batches: int,
    *,
    forward: float,
    inputs: float,
    weights: float,
) -> float:
    """Seconds that a rank idles in its own time, from its first start to its last end.

    1F1B: (p - 1) (F + B + W); ZB-H1: (p - 1) (F + B - W); ZB-H2: (p - 1) (F + B - 2 W).
    Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024, table 2. The paper names no domain. By
    simulation, the second holds where W <= F and M >= p, the third where also 2 W <= F + B and
    M >= 2 p - 1.

    Args:
        schedule: "1f1b", "zb-h1" or "zb-h2".
        stages: p, at least 1.
        micro_batches: M, at least 1.
        forward: seconds of F.
        inputs: seconds of the backward pass for inputs, B.
        weights: seconds of the backward pass for weights, W.

    Raises:
        ValueError: no such schedule, or a number is outside of what the formula holds for.
    """
    stages, micro_batches, _ = _check_pipeline(stages, micro_batches)
    forward = arguments.number("forward", forward)
    inputs = arguments.number("inputs", inputs)
    weights = arguments.number("weights", weights)
    times = {"1f1b": 1, "zb-h1": -1, "zb-h2": -2}
    arguments.one_of("schedule", schedule, times)
    domain = {
        "W <= F": schedule == "1f1b" or weights <= forward,
        "2 W <= F + B": schedule != "zb-h2" or 2 * weights <= forward + inputs,
        "M >= p": schedule != "zb-h1" or micro_batches >= stages,
        "M >= 2 p - 1": schedule != "zb-h2" or micro_batches >= 2 * stages - 1,
    }
    if broken := [condition for condition, holds in domain.items() if not holds]:
        raise ValueError(
            f"{schedule}: the formula holds where {' and '.join(broken)}; here p={stages}, "
            f"M={micro_batches}, F={forward}, B={inputs}, W={weights}. Simulate it instead."
        )
    return (stages - 1) * (forward + inputs + times[schedule] * weights)


def gpipe_activations(
    batch: int, layers: int, stages: int, micro_batches: int, *, recompute: bool = True
) -> float:
    """Most activations that a GPipe stage holds, counted in activations of one layer and example.

    A stage holds its input and the outputs of its L / K layers: N (1 + L / K) for the whole batch.
    With recomputation it keeps the N inputs and has the outputs of one micro-batch only:
    N + L / K * N / M, which Huang et al., GPipe, NeurIPS 2019, section 2.3, give as an O(.).

    Args:
        batch: examples N.
        layers: L, all equally large.
        stages: K.
        micro_batches: M, all equally large.
        recompute: whether activations are recomputed before the backward pass.

    Raises:
        ValueError: a number is below 1.
    """
    stages, micro_batches, _ = _check_pipeline(stages, micro_batches)
    batch, layers = arguments.count("batch", batch), arguments.count("layers", layers)
    return batch + layers / stages * batch / (micro_batches if recompute else 1)


def input_pipeline_seconds(
    elements: int, groups: Sequence[tuple[float, int]], *, pool: float = 0.0
) -> float:
    """Seconds until the last element has left a pipeline whose stages work at the same time.

    The first element passes all stages, each further one adds what the slowest takes:
    sum t + (n - 1) max(t / c, pool). It is `pipeline_seconds` for stages that are unequal and take
    c elements at a time, which stay as long as before.

    Args:
        elements: n, at least 1.
        groups: for each group of stages that follow one another in one thread, the seconds t of an
            element, and how many elements are in it at a time, c.
        pool: the seconds that an element takes of a pool of threads, over its threads.

    Raises:
        ValueError: an argument is out of its range.
    """
    elements, pool = arguments.count("elements", elements), arguments.number("pool", pool)
    try:
        pairs = [(seconds, calls) for seconds, calls in arguments.plain(groups)]
    except (TypeError, ValueError):  # no list, or not of pairs
        pairs = []
    if not pairs:
        raise ValueError(
            f"groups={groups}: give a list of pairs, one or more, of the seconds of an element and "
            "how many elements are in the group at a time, such as groups=[(0.04, 1), (0.09, 4)]"
        )
    for index, (seconds, calls) in enumerate(pairs):
        arguments.number(f"groups[{index}][0]", seconds)
        arguments.number(f"groups[{index}][1]", calls, least=1)
    slowest = max(pool, *(seconds / calls for seconds, calls in pairs))
    return sum(seconds for seconds, _ in pairs) + (elements - 1) * slowest


def zero_bytes(parameters: float, world_size: int, stage: int, optimizer: float = 12) -> float:
    """Bytes of model state that each rank holds in mixed precision, under ZeRO.

    2 bytes a parameter for weights, 2 for gradients and K for the optimizer, of which stage 1
    shards the optimizer's over ranks, stage 2 also gradients, stage 3 also weights; stage 0 shards
    nothing. Rajbhandari et al., ZeRO, SC 2020, section 5 and figure 1.

    Args:
        parameters: number of parameters (of those that the rank would hold without ZeRO).
        world_size: number of data-parallel ranks, at least 1.
        stage: 0 to 3.
        optimizer: bytes of optimizer state a parameter, K; Adam with a float32 copy has 12.

    Raises:
        ValueError: an argument is out of its range.
    """
    world_size, parameters = _check(world_size, parameters, "parameters")
    stage = arguments.count("stage", stage, least=0)
    arguments.one_of("stage", stage, range(4))
    # In the order in which stages shard them.
    parts = (arguments.number("optimizer", optimizer), 2, 2)
    sharded, whole = sum(parts[:stage]), sum(parts[stage:])
    return parameters * (whole + sharded / world_size)


def _check_pipeline(stages: int, micro_batches: int, chunks: int = 1) -> tuple[int, int, int]:
    return (
        arguments.count("stages", stages),
        arguments.count("micro_batches", micro_batches),
        arguments.count("chunks", chunks),
    )


def _check(world_size: int, size: float, what: str = "size") -> tuple[int, float]:
    return arguments.count("world_size", world_size), arguments.number(what, size)
