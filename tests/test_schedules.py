"""Pipeline schedules: torch's orders, the papers' closed forms, what is wrong with a bad one."""

# Wrong arguments are given on purpose.
# mypy: disable-error-code="arg-type, list-item"

from collections.abc import Callable
from itertools import product
from math import inf, nan
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch.distributed.pipelining.schedules as of_torch

from lockstep import trace
from lockstep.costs import (
    gpipe_activations,
    gpipe_seconds,
    pipeline_bubble,
    pipeline_bubble_over_ideal,
    pipeline_seconds,
    zero_bubble_seconds,
)
from lockstep.schedules import (
    WORK,
    Costs,
    ImpossibleSchedule,
    Op,
    Schedule,
    eager_one_f_one_b,
    gpipe,
    interleaved,
    one_f_one_b,
    parse,
    peak_activations,
    recomputed,
    simulate,
    zb_h1,
    zb_h2,
)
from lockstep.trace import Event, bubble, makespan

SIZES = [(1, 3), (2, 4), (3, 6), (4, 4), (4, 16), (8, 32), (8, 64)]


def words(schedule: Schedule) -> list[str]:
    return [" ".join(map(str, ops)) for ops in schedule]


def own_time(events: list[Event]) -> float:
    """The longest time of a rank from its own first start to its own last end."""
    ranks: dict[int, list[Event]] = {}
    for event in events:
        ranks.setdefault(event.rank, []).append(event)
    return max(makespan(mine) for mine in ranks.values())


# The schedules


def run_by_torch(name: str, stages: int, micro_batches: int) -> list[str]:
    """What each stage is told to do by a schedule of torch.distributed.pipelining.

    Its own loop runs; the stages only note what they are told, and send nothing.
    """
    orders = []
    for rank in range(stages):
        stage = mock.MagicMock(stage_index=rank)
        for ops in ("get_fwd_recv_ops", "get_fwd_send_ops", "get_bwd_recv_ops", "get_bwd_send_ops"):
            getattr(stage, ops).return_value = []
        schedule = mock.MagicMock(_stage=stage, _n_microbatches=micro_batches, _num_stages=stages)
        schedule._check_inputs.return_value = [[()] * micro_batches, [{}] * micro_batches]
        getattr(of_torch, name)._step_microbatches(schedule)
        kinds = {"forward_one_chunk": "F", "backward_one_chunk": "B"}
        told = [(kinds[call[0]], call.args[0]) for call in stage.mock_calls if call[0] in kinds]
        orders.append(" ".join(f"{rank}{kind}{index}" for kind, index in told))
    return orders


def planned_by_torch(name: str, ranks: int, micro_batches: int, chunks: int) -> list[str]:
    """The order that a schedule with several stages a rank computes, without its pauses."""
    rounds = max(1, micro_batches // ranks)
    schedule = mock.MagicMock(
        _n_microbatches=micro_batches,
        n_local_stages=chunks,
        pp_group_size=ranks,
        microbatches_per_round=micro_batches // rounds,
    )
    plan = getattr(of_torch, name)._calculate_single_rank_operations
    return [" ".join(str(op) for op in plan(schedule, rank) if op) for rank in range(ranks)]


@pytest.mark.parametrize(("ranks", "micro_batches"), SIZES)
def test_orders_are_those_of_torch(ranks: int, micro_batches: int) -> None:
    size = ranks, micro_batches
    assert words(gpipe(*size)) == run_by_torch("ScheduleGPipe", *size)
    assert words(one_f_one_b(*size)) == run_by_torch("Schedule1F1B", *size)
    assert words(zb_h1(*size)) == planned_by_torch("ScheduleInterleavedZeroBubble", *size, 1)
    for chunks in (1, 2, 3):
        mine = words(interleaved(*size, chunks))
        assert mine == planned_by_torch("ScheduleInterleaved1F1B", *size, chunks)


@pytest.mark.parametrize(("stages", "micro_batches"), [*SIZES, (3, 2), (4, 1)])
@pytest.mark.parametrize("make", [gpipe, one_f_one_b])
def test_the_bubble_of_gpipe_and_1f1b(
    make: Callable[[int, int], Schedule], stages: int, micro_batches: int
) -> None:
    """Whatever a backward pass costs."""
    events = simulate(make(stages, micro_batches), Costs(forward=2, inputs=3, weights=1))
    assert makespan(events) == pipeline_seconds(stages, micro_batches, 6)
    assert bubble(events, *WORK) == pytest.approx(pipeline_bubble(stages, micro_batches))
    over_ideal = makespan(events) / (6 * micro_batches) - 1
    assert over_ideal == pytest.approx(pipeline_bubble_over_ideal(stages, micro_batches))


@pytest.mark.parametrize(("ranks", "micro_batches"), SIZES)
@pytest.mark.parametrize("chunks", [1, 2, 4])
def test_the_bubble_of_interleaved(ranks: int, micro_batches: int, chunks: int) -> None:
    events = simulate(interleaved(ranks, micro_batches, chunks))
    assert makespan(events) == pipeline_seconds(ranks, micro_batches, 3 * chunks, chunks)
    assert bubble(events, *WORK) == pytest.approx(pipeline_bubble(ranks, micro_batches, chunks))
    over_ideal = makespan(events) / (3 * micro_batches * chunks) - 1
    assert over_ideal == pytest.approx(pipeline_bubble_over_ideal(ranks, micro_batches, chunks))


@pytest.mark.parametrize(("stages", "micro_batches"), [(2, 4), (4, 8), (8, 24)])
def test_the_bubbles_of_zero_bubble(stages: int, micro_batches: int) -> None:
    """The formulas hold, with whole numbers, exactly where they say that they do."""
    for name, make in {"1f1b": one_f_one_b, "zb-h1": zb_h1, "zb-h2": zb_h2}.items():
        for forward, inputs, weights in product(range(1, 6), range(6), range(6)):
            events = simulate(make(stages, micro_batches), Costs(forward, inputs, weights))
            idle = own_time(events) - micro_batches * (forward + inputs + weights)
            costs = {"forward": forward, "inputs": inputs, "weights": weights}
            try:
                formula = zero_bubble_seconds(name, stages, micro_batches, **costs)
            except ValueError:
                sign = {"zb-h1": 1, "zb-h2": 2}[name]
                assert idle != (stages - 1) * (forward + inputs - sign * weights)
            else:
                assert idle == formula, (name, costs)


def test_the_memory_of_zero_bubble() -> None:
    """Qi et al. 2024, table 2: p, p and 2p - 1 micro-batches."""
    for stages in (1, 2, 4, 8):
        size = stages, 2 * stages
        held = [max(peak_activations(make(*size))) for make in (one_f_one_b, zb_h1, zb_h2)]
        assert held == [stages, stages, 2 * stages - 1]


def test_peaks_of_activations() -> None:
    assert peak_activations(gpipe(4, 16)) == [16] * 4
    assert peak_activations(one_f_one_b(4, 16)) == [4, 3, 2, 1]
    assert peak_activations(interleaved(4, 16, 2)) == [11, 9, 7, 5]
    assert peak_activations(zb_h1(4, 16)) == [4, 4, 4, 4]


def test_peaks_with_sizes_recomputation_and_a_share_for_weights() -> None:
    two = parse("0F0 0F1 0I0 0W0 0I1 0W1\n1F0 1I0 1F1 1I1 1W0 1W1")
    assert peak_activations(two, activation=[8, 4]) == [16, 8]
    assert peak_activations(two, activation=8, kept_for_weights=0.25) == [16, 10]
    # 16 layers, of which a stage has 8: its input and their outputs, of which it keeps the input.
    held = peak_activations(gpipe(2, 4), activation=9, boundary=1 / 9)
    assert held == [pytest.approx(gpipe_activations(4, 16, stages=2, micro_batches=4))] * 2
    held = peak_activations(gpipe(2, 4), activation=9)
    assert held == [gpipe_activations(4, 16, 2, 4, recompute=False)] * 2


def test_a_recomputation_of_its_own_is_held_from_there_on() -> None:
    schedule = recomputed(gpipe(2, 2))
    assert words(schedule)[0] == "0F0 0F1 0R0 0B0 0R1 0B1"
    assert peak_activations(schedule, activation=10, boundary=0.1) == [11, 11]
    two = recomputed(parse("0F0 0I0 0W0"))
    assert words(two) == ["0F0 0R0 0I0 0W0"]
    assert peak_activations(two, activation=10, boundary=0.1, kept_for_weights=0.5) == [10]


def test_gpipe_with_unequal_stages_and_messages() -> None:
    """Huang et al. 2019 give the bubble of equal stages only; the simulator knows no formula."""
    draw = np.random.default_rng(0)
    for _ in range(100):
        stages, micro_batches = (int(n) for n in draw.integers(1, 7, size=2))
        forward, inputs, weights = draw.integers(0, 9, size=(3, stages)).tolist()
        message, latency = draw.integers(0, 9, size=2).tolist()
        costs = Costs(forward, inputs, weights, message=message, latency=latency)
        events = simulate(gpipe(stages, micro_batches), costs)
        backward = [i + w for i, w in zip(inputs, weights, strict=True)]
        size = micro_batches, forward, backward
        ends = max(event.end for event in events if event.kind in WORK)
        assert ends == gpipe_seconds(*size, message=message, latency=latency)
        free = simulate(one_f_one_b(stages, micro_batches), Costs(forward, inputs, weights))
        assert max(event.end for event in free) <= gpipe_seconds(*size)


def test_recomputation_early_and_late() -> None:
    """The ideal speedups of Huang et al. 2019, table 2, over 2 stages and 1 micro-batch.

    Computed by hand from an early recomputation: R needs no gradient.
    """

    def seconds(stages: int, micro_batches: int, early: bool) -> float:
        schedule = gpipe(stages, micro_batches)
        part = 1 / stages / micro_batches
        costs = Costs(part, part, part, recompute=part)
        return makespan(simulate(recomputed(schedule) if early else schedule, costs))

    by_hand = {(2, 1): 1, (4, 1): 1.077, (8, 1): 1.12, (2, 32): 1.71, (4, 32): 3.27, (8, 32): 6.01}
    for size, speedup in by_hand.items():
        assert seconds(2, 1, True) / seconds(*size, True) == pytest.approx(speedup, abs=0.006)
    assert seconds(4, 8, False) / seconds(4, 8, True) == pytest.approx(44 / 41)
    only_first = parse("0F0 0R0 0B0\n1F0 1B0")
    events = simulate(only_first, Costs(recompute=[1, 5]))
    again, *rest = [event for event in events if event.name != "0F0" and event.name != "1F0"]
    assert again == Event("0R0", 0, 1, 2, "recompute")
    assert shown(rest) == [("1B0", 2, 9), ("0B0", 9, 11)]


def test_a_second_warm_up_hides_messages() -> None:
    costs = Costs(message=0.5)
    size = 4, 64
    plain, eager, all_first = (
        makespan(simulate(make(*size), costs)) for make in (one_f_one_b, eager_one_f_one_b, gpipe)
    )
    assert eager == all_first < plain
    assert peak_activations(eager_one_f_one_b(*size)) == [7, 5, 3, 1]
    assert peak_activations(one_f_one_b(*size)) == [4, 3, 2, 1]
    for micro_batches in (1, 5):  # without messages it is nothing but more to hold
        free = [makespan(simulate(m(4, micro_batches))) for m in (one_f_one_b, eager_one_f_one_b)]
        assert free[0] == free[1]


# The simulator


def shown(events: list[Event]) -> list[tuple[str, float, float]]:
    return [(event.name, event.start, event.end) for event in events]


def test_an_operation_begins_when_it_can() -> None:
    events = simulate(gpipe(2, 1), Costs(forward=[1, 2], inputs=4, weights=8, recompute=[1, 2]))
    assert shown(events) == [("0F0", 0, 1), ("1F0", 1, 3), ("1B0", 3, 17), ("0B0", 17, 30)]
    assert [event.kind for event in events] == ["forward", "forward", "backward", "backward"]


def test_a_link_carries_one_message_after_the_other() -> None:
    costs = Costs(message=30, bandwidth=10, latency=0.5)
    events = simulate(parse("0F0 0F1 0B0 0B1\n1F0 1F1 1B0 1B1"), costs)
    sent = [event for event in events if event.kind == "send to 1"]
    assert shown(sent) == [("0F0", 1, 4), ("0F1", 4, 7)]
    forward = [event for event in events if event.rank == 1 and event.kind == "forward"]
    assert shown(forward) == [("1F0", 4.5, 5.5), ("1F1", 7.5, 8.5)]


def test_a_sender_that_does_not_overlap_waits() -> None:
    costs = Costs(message=30, bandwidth=10, latency=0.5, overlapped=False)
    events = simulate(parse("0F0 0F1 0B0 0B1\n1F0 1F1 1B0 1B1"), costs)
    assert ("0F1", 4.5, 5.5) in shown(events)


def test_messages_within_a_rank_are_free() -> None:
    events = simulate(parse("0F0 1F0 1B0 0B0"), Costs(message=1e9, latency=9))
    assert makespan(events) == 6 and {event.kind for event in events} == {"forward", "backward"}


def test_more_operations_do_not_cost_more_each() -> None:
    """Counted, not timed: how often the simulator looks at an operation."""

    class Counted(list):  # type: ignore[type-arg]
        looks = 0

        def __getitem__(self, key: Any) -> Any:
            Counted.looks += 1
            return super().__getitem__(key)

    for micro_batches in (10, 1000):
        schedule: Schedule = [Counted(ops) for ops in one_f_one_b(4, micro_batches)]
        Counted.looks = 0
        simulate(schedule)
        assert Counted.looks <= 2 * sum(map(len, schedule))


# What is wrong


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the schedule is empty"),
        ("0F0 0X0", r"rank 0: '0X0' is no operation.*such as 2F0"),
        ("0F0 0B0\n0F1", "rank 1, step 0, 0F1: stage 0 is on rank 0 already"),
        ("0F0 0F0", "rank 0, step 1, 0F0: the same is in step 0"),
        ("0B0 0F0", "rank 0, step 0, 0B0: stage 0 has not done the forward pass of micro-batch 0"),
        ("0F0 0W0 0I0", "stage 0 has not done the backward pass for inputs of micro-batch 0"),
        ("0F0 0B0 0I0", "has done a backward pass of micro-batch 0 before, in step 1"),
        ("0F0 0I0", "stage 0 never does the backward pass for weights of micro-batch 0"),
        ("0F0 0B0 0R0", "step 1, 0B0: 0R0 is not before it, and the stage recomputes for others"),
        ("0R0 0F0 0B0", "step 0, 0R0: stage 0 has not done the forward pass of micro-batch 0"),
        ("0F0 0B0 0F1", "stage 0 never does the backward pass of micro-batch 1"),
        ("0F0 0B0\n1F0", "stage 0 waits for the gradient of micro-batch 0, which stage 1 never"),
        ("0F0 0B0\n1F0 1F1 1B0 1B1", "stage 1 waits for the activation of micro-batch 1, which"),
        ("0F0 0B0\n2F0 2B0", "stage 2 waits for the activation of micro-batch 0, which stage 1"),
        (
            "0F0 0B0 0F1 0B1\n1F1 1B1 1F0 1B0",
            r"stage 0 \(rank 0, step 1, 0B0\) waits for the gradient of micro-batch 0, which stage "
            r"1 sends only later; stage 1 \(rank 1, step 0, 1F1\) waits for the activation",
        ),
    ],
)
def test_an_impossible_schedule_is_named(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simulate(parse(text))


@pytest.mark.parametrize(
    ("text", "until"),
    [
        ("0F0 0F1 0F0\n1F0 1F1", "0F0 0F1 1F0 1F1"),  # one twice: up to there
        ("0F0 0B0\n1F0", "0F0 1F0"),  # a gradient that is never sent
        ("0F0 0B0\n1B0 1F0", "0F0"),
        ("0F0 0B0\n2F0 2B0", "0F0"),  # no rank has stage 1
        ("0F0 0B0 0F1 0B1\n1F1 1B1 1F0 1B0", "0F0"),  # a circle
    ],
)
def test_an_impossible_schedule_has_the_events_until_it_breaks(text: str, until: str) -> None:
    with pytest.raises(ImpossibleSchedule) as caught:
        simulate(parse(text))
    assert " ".join(sorted(event.name for event in caught.value.events)) == until
    trace.draw({"until it breaks": caught.value.events}, lanes="rank")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda: gpipe(0, 4), "stages=0: give a whole number, 1 or more, such as stages=2"),
        (lambda: gpipe(2.5, 4), "stages=2.5: give a whole number, 1 or more"),
        (lambda: one_f_one_b(-1, 4), "stages=-1: give a whole number, 1 or more"),
        (lambda: zb_h1("2", 4), "stages='2': give a whole number, 1 or more"),
        (lambda: zb_h2(4, 0), "micro_batches=0: give a whole number, 1 or more"),
        (lambda: interleaved(nan, 4, 2), "ranks=nan: give a whole number, 1 or more"),
        (lambda: interleaved(2, 4, 1.5), "chunks=1.5: give a whole number, 1 or more"),
        (lambda: interleaved(4, 6, 2), "micro_batches=6: .* such as 8"),
        (lambda: interleaved(4, 3, 2), "micro_batches=3: .* such as 4"),
        (lambda: simulate(gpipe(2, 1), Costs(forward=[1, 2, 3])), "a list of 2, one for each"),
        (lambda: simulate(gpipe(2, 1), Costs(weights=-1)), "weights=-1: .* 0 or more"),
        (lambda: peak_activations(gpipe(2, 1), activation=[1]), r"activation=\[1\].* a list of 2"),
        (lambda: peak_activations(gpipe(2, 1), boundary=2), "boundary=2: .* from 0 to 1, such as"),
        (lambda: peak_activations(gpipe(2, 1), boundary=nan), "boundary=nan: .* from 0 to 1, such"),
        (lambda: peak_activations(gpipe(2, 1), activation=nan), "activation=nan: .* 0 or more"),
        (
            lambda: simulate(gpipe(2, 1), Costs(bandwidth=0)),
            "bandwidth=0: give a number above 0, s",
        ),
        (lambda: simulate(gpipe(2, 1), Costs(forward=nan)), "forward=nan: .* 0 or more, such as"),
        (lambda: simulate(gpipe(2, 1), Costs(inputs=[1, nan])), r"inputs\[1\]=nan: .* 0 or more"),
        (lambda: simulate(gpipe(2, 1), Costs(weights=inf)), "weights=inf: give a finite number"),
        (lambda: simulate(gpipe(2, 1), Costs(forward="12")), "forward='12': give a finite number"),
        (lambda: simulate(gpipe(2, 1), Costs(latency=nan)), "latency=nan: .* 0 or more"),
        (lambda: simulate(gpipe(2, 1), Costs(message=-1)), "message=-1: .* 0 or more"),
        (lambda: simulate(gpipe(2, 1), (1, 1, 1)), r"costs=\(1, 1, 1\): give Costs, such as Costs"),
        (lambda: parse(["0F0"]), r"text=\['0F0'\]: give one text, a line for each rank, such as"),
        (lambda: simulate("0F0 0B0"), r"step 0: '0' is no operation. .* parse\('0F0 0B0'\)"),
        (lambda: simulate([["0F0"]]), "step 0: '0F0' is no operation. A schedule has a list for"),
        (lambda: simulate([Op(0, "F", 0)]), "rank 0, step 0: 0 is no operation. A schedule has"),
        (
            lambda: simulate([[Op(0, "F", 0), Op(0, "X", 0)]]),
            "step 1: .*'X'.* kinds are F, R, B, I",
        ),
        (lambda: simulate([[Op(-1, "F", 0)]]), "no .*stage=-1.* from 0 on, .* as in Op"),
        (lambda: simulate([[Op(0, "F", 0.5)]]), "no .*micro_batch=0.5.* whole numbers from 0 on"),
        (lambda: peak_activations([[Op(0, "X", 0)]]), "no .*'X'.* kinds are F, R, B, I and W"),
    ],
)
def test_bad_input_is_refused_with_the_rule_and_the_way_out(
    wrong: Callable[[], object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        wrong()


def test_what_numpy_counts_and_measures_is_accepted() -> None:
    """As Python's numbers, so that operations and times print like others."""
    schedule = interleaved(np.int64(2), np.int64(2), np.int64(1))
    assert repr(schedule) == repr(interleaved(2, 2, 1))
    of_lists = simulate(gpipe(2, 2), Costs([1, 2], 3, weights=[0, 1]))
    of_arrays = simulate(gpipe(2, 2), Costs(np.array([1, 2]), np.int64(3), np.array([0, 1])))
    assert repr(of_arrays) == repr(of_lists)
    assert peak_activations(gpipe(2, 2), activation=np.array([8, 4])) == [16, 8]
