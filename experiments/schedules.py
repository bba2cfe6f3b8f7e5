"""Microseconds that the simulator of pipeline schedules needs for an operation.

Usage: python -m experiments.schedules

A cost that grows linearly keeps the last column, the ratio to the smallest schedule, near 1.
Sizes take turns, five times, and the median counts.
"""

import statistics
import time

from lockstep.schedules import one_f_one_b, simulate

STAGES, ROUNDS = 8, 5
OPERATIONS = (10**3, 10**4, 10**5, 10**6)


def microseconds(operations: int) -> float:
    """Simulate a 1F1B schedule of so many operations; return microseconds for each of them."""
    schedule = one_f_one_b(STAGES, operations // (2 * STAGES))
    begin = time.perf_counter()
    simulate(schedule)
    return (time.perf_counter() - begin) * 1e6 / sum(map(len, schedule))


def main() -> None:
    """Print a table."""
    rounds = []
    for number in range(ROUNDS):
        rounds.append([microseconds(operations) for operations in OPERATIONS])
        print(f"round {number + 1} of {ROUNDS}", flush=True)
    medians = [statistics.median(column) for column in zip(*rounds, strict=True)]
    print("\noperations  microseconds each  ratio")
    for operations, each in zip(OPERATIONS, medians, strict=True):
        print(f"{operations:10}{each:19.2f}{each / medians[0]:7.2f}")


if __name__ == "__main__":
    main()
