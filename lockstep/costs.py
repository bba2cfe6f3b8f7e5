"""Formulas for what distributed training costs, each with its source.

Sizes are in bytes, times in seconds, bandwidths in bytes per second.
"""


def ring_all_reduce_bytes(world_size: int, size: float) -> float:
    """Bytes that each rank sends (and receives) in a ring all-reduce.

    The buffer is cut into `world_size` chunks. A reduce-scatter and an all-gather each take
    N - 1 steps, and in each step every rank sends one chunk: 2 (N - 1) / N * S in all, which
    no all-reduce can beat (Patarasuk and Yuan, J. Parallel Distrib. Comput. 69(2), 2009).

    Args:
        world_size: number of ranks N, at least 1.
        size: bytes of the buffer that every rank holds, S.

    Raises:
        ValueError: if `world_size` is below 1 or `size` is negative.
    """
    _check(world_size, size)
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
        bandwidth: bytes per second of one link, in one direction.

    Raises:
        ValueError: if an argument is out of its range.
    """
    _check(world_size, size)
    if latency < 0 or bandwidth <= 0:
        raise ValueError(
            f"latency={latency}, bandwidth={bandwidth}: a latency is 0 s or more and a bandwidth "
            "is above 0 bytes per second"
        )
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
    _check(world_size, size)
    return 2 * world_size * size


def _check(world_size: int, size: float) -> None:
    if world_size < 1 or size < 0:
        raise ValueError(
            f"world_size={world_size}, size={size}: a world has 1 rank or more and a buffer "
            "0 bytes or more"
        )
