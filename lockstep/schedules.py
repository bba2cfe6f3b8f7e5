"""Pipeline schedules as data, and a simulator that runs any of them.

A schedule is a list with a list for each rank: the operations that this rank does, in its order.
It says nothing about time. `simulate` finds out when each operation can run, from what operations
cost, and gives the events of `lockstep.trace`; `peak_activations` counts what is held meanwhile.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Integral
from typing import NamedTuple

from lockstep import arguments
from lockstep.trace import Event

FORWARD, RECOMPUTE, BACKWARD, INPUTS, WEIGHTS = "F", "R", "B", "I", "W"
NAMES = {
    FORWARD: "forward pass",
    RECOMPUTE: "recomputation",
    BACKWARD: "backward pass",
    INPUTS: "backward pass for inputs",
    WEIGHTS: "backward pass for weights",
}
FOLLOWS = {RECOMPUTE: FORWARD, BACKWARD: FORWARD, INPUTS: FORWARD, WEIGHTS: INPUTS}
KINDS = {
    FORWARD: "forward",
    RECOMPUTE: "recompute",
    BACKWARD: "backward",
    INPUTS: "backward",
    WEIGHTS: "weights",
}
WORK = tuple(dict.fromkeys(KINDS.values()))  # the kinds of events in which a rank computes


class Op(NamedTuple):
    """What a rank does with one micro-batch on one stage. As text: `2F0`, as torch writes it.

    `kind` is F (forward), B (backward), or a backward pass in two parts: I (for the inputs, which
    the stage before waits for) and W (for the weights, which nobody waits for). R is a forward pass
    done again before a backward pass, which needs no other stage.
    """

    stage: int
    kind: str
    micro_batch: int

    def __str__(self) -> str:
        return f"{self.stage}{self.kind}{self.micro_batch}"


Schedule = list[list[Op]]


class ImpossibleSchedule(ValueError):
    """A schedule that cannot run. The message says where it breaks, by stage, micro-batch and step.

    `events` are those before that, as far as `simulate` came: draw them to see the place.
    """

    events: list[Event]

    def __init__(self, message: str, place: tuple[int, int] | None = None) -> None:
        super().__init__(message)
        self.place = place  # rank and step of a bad operation


def parse(text: str) -> Schedule:
    """Read a schedule: a line for each rank, such as `0F0 0F1 0B0 0B1`.

    Raises:
        ValueError: a word is no operation, or there is no text.
    """
    if not isinstance(text, str):
        raise ValueError(f'text={text!r}: give one text, a line for each rank, such as "0F0 0B0"')
    schedule: Schedule = []
    for rank, line in enumerate(text.strip().splitlines()):
        schedule.append([])
        for word in line.split():
            if not (match := re.fullmatch(r"(\d+)([FRBIW])(\d+)", word)):
                raise ValueError(
                    f"rank {rank}: {word!r} is no operation. Write stage, kind and micro-batch, "
                    "such as 2F0; the kinds are F, R, B, I and W."
                )
            schedule[rank].append(Op(int(match[1]), match[2], int(match[3])))
    return schedule


# Schedules


def gpipe(stages: int, micro_batches: int) -> Schedule:
    """All forward passes, then all backward passes, a stage a rank.

    Huang et al., GPipe, NeurIPS 2019. The order of the backward passes is torch's.

    Raises:
        ValueError: a number is below 1.
    """
    return _pipeline(stages, micro_batches, lambda rank: micro_batches)


def one_f_one_b(stages: int, micro_batches: int) -> Schedule:
    """As few forward passes as keep the last stage busy, then one backward for one forward pass.

    PipeDream-Flush: Narayanan et al., Memory-Efficient Pipeline-Parallel DNN Training, ICML 2021.

    Raises:
        ValueError: a number is below 1.
    """
    return _pipeline(stages, micro_batches, lambda rank: stages - rank - 1)


def eager_one_f_one_b(stages: int, micro_batches: int) -> Schedule:
    """1F1B with twice the warm-up: a rank has work while messages travel, and holds up to twice.

    Zhuang et al., On Optimizing the Communication of Model Parallelism, MLSys 2023.

    Raises:
        ValueError: a number is below 1.
    """
    return _pipeline(stages, micro_batches, lambda rank: 2 * (stages - rank - 1))


def interleaved(ranks: int, micro_batches: int, chunks: int) -> Schedule:
    """1F1B with several stages on each rank: rank r has the stages r, r + ranks, and so on.

    Narayanan et al., Efficient Large-Scale Language Model Training on GPU Clusters, SC 2021.

    Args:
        ranks: number of ranks, at least 1.
        micro_batches: number of micro-batches, a multiple of `ranks`.
        chunks: number of stages on each rank, at least 1.

    Raises:
        ValueError: a number is out of its range.
    """
    ranks = arguments.count("ranks", ranks)
    micro_batches = arguments.count("micro_batches", micro_batches)
    chunks = arguments.count("chunks", chunks)
    if micro_batches % ranks:
        raise ValueError(
            f"micro_batches={micro_batches}: interleaved needs a multiple of the {ranks} ranks, "
            f"such as {-(-micro_batches // ranks) * ranks}"
        )
    total = micro_batches * chunks

    def op(rank: int, kind: str, index: int) -> Op:
        """A rank's operation number `index` of one kind."""
        group, index = divmod(index, ranks * chunks)
        chunk, micro_batch = divmod(index, ranks)
        if kind != FORWARD:
            chunk = chunks - 1 - chunk
        return Op(chunk * ranks + rank, kind, group * ranks + micro_batch)

    warm_ups = [min(total, (chunks - 1) * ranks + 2 * (ranks - 1 - rank)) for rank in range(ranks)]
    return [_in_turn(total, warm_up, partial(op, rank)) for rank, warm_up in enumerate(warm_ups)]


def zb_h1(stages: int, micro_batches: int) -> Schedule:
    """1F1B whose backward passes for weights wait, and fill the bubble at the end.

    Qi et al., Zero Bubble Pipeline Parallelism, ICLR 2024: the memory of 1F1B. Rank r is r
    micro-batches late with its weights, so every rank holds as much as rank 0.

    Raises:
        ValueError: a number is below 1.
    """
    return _pipeline(stages, micro_batches, lambda rank: stages - rank - 1, lambda rank: rank)


def zb_h2(stages: int, micro_batches: int) -> Schedule:
    """ZB-H1 with twice the warm-up: twice the memory, and a bubble smaller by as much again.

    Source as for `zb_h1`. Ranks begin and end one after the other, so that the next step can
    begin where this one has left off: the paper's bubble is that of each rank's own time.

    Raises:
        ValueError: a number is below 1.
    """
    return _pipeline(
        stages, micro_batches, lambda rank: 2 * (stages - rank - 1), lambda rank: 2 * rank
    )


def recomputed(schedule: Schedule) -> Schedule:
    """Return a schedule in which ranks recompute before each backward pass, as an operation R.

    R waits for no gradient, so a rank does it in time that it would have idled away, as GPipe does
    (Huang et al., NeurIPS 2019, section 2.3). Without it, `Costs.recompute` is part of the backward
    pass, and so begins when the gradient is there; torch.utils.checkpoint does that.
    """
    return [
        [
            one
            for op in ops
            for one in (
                (op._replace(kind=RECOMPUTE), op) if op.kind in (BACKWARD, INPUTS) else (op,)
            )
        ]
        for ops in schedule
    ]


def _pipeline(
    stages: int,
    micro_batches: int,
    warm_up: Callable[[int], int],
    late: Callable[[int], int] | None = None,
) -> Schedule:
    """A stage a rank, with so many forward passes first; `late`: backward passes are in two."""
    stages = arguments.count("stages", stages)
    micro_batches = arguments.count("micro_batches", micro_batches)
    return [
        _in_turn(
            micro_batches,
            min(micro_batches, warm_up(rank)),
            partial(Op, rank),
            None if late is None else late(rank),
        )
        for rank in range(stages)
    ]


def _in_turn(
    total: int, warm_up: int, op: Callable[[str, int], Op], late: int | None = None
) -> list[Op]:
    """Forward passes to warm up, then forward and backward in turn, then what is left.

    `late`: how many backward passes for inputs come before the first one for weights; None if
    the backward passes are whole.
    """
    ops = [op(FORWARD, index) for index in range(warm_up)]
    for index in range(total):
        if warm_up + index < total:
            ops.append(op(FORWARD, warm_up + index))
        ops.append(op(BACKWARD if late is None else INPUTS, index))
        if late is not None and index >= late:
            ops.append(op(WEIGHTS, index - late))
    if late is not None:
        ops += [op(WEIGHTS, index) for index in range(max(0, total - late), total)]
    return ops


# What a schedule costs


@dataclass(frozen=True)
class Costs:
    """What operations take, in seconds: one number for all stages, or a list with one a stage.

    `inputs` and `weights` are the two parts of a backward pass. `recompute` is the forward pass
    that is done again: what the operation R takes, or, where a schedule has none, the first part of
    a backward pass (see `recomputed`). Between ranks a message of `message` bytes travels for
    `latency` + bytes / `bandwidth`. If `overlapped`, the sender computes on meanwhile, and a link
    carries one message after the other. If not, the sender waits until it has arrived.
    `simulate` says what is out of its range.
    """

    forward: float | Sequence[float] = 1
    inputs: float | Sequence[float] = 1
    weights: float | Sequence[float] = 1
    recompute: float | Sequence[float] = 0
    message: float = 0
    latency: float = 0
    bandwidth: float = 1
    overlapped: bool = True


def simulate(schedule: Schedule, costs: Costs | None = None) -> list[Event]:
    """Run a schedule, each operation as early as it can, and return the events.

    An operation begins when its rank has done the one before it, and what it needs has arrived.
    Each operation is looked at twice at most; experiments/schedules.py measures what that costs.

    Args:
        schedule: the operations of each rank, in order.
        costs: what they take; by default 1 s for each of forward, inputs and weights.

    Returns:
        Events named like operations, of the kinds in `WORK`, and of
        "send to 1" while the link to rank 1 is busy.

    Raises:
        ImpossibleSchedule: an operation is missing or is there twice, or ranks wait for each
            other. It has the events until then.
        ValueError: a cost is out of its range, or something in the schedule is no operation.
    """
    costs = Costs() if costs is None else costs
    if not isinstance(costs, Costs):
        raise ValueError(
            f"costs={costs!r}: give Costs, such as Costs(forward=1, inputs=1, weights=1)"
        )
    try:
        check(schedule)
        events, step, waiting = _run(schedule, costs)
        if waiting:
            raise ImpossibleSchedule(_deadlock(schedule, step, waiting))
    except ImpossibleSchedule as error:
        error.events, *_ = _run(schedule, costs, error.place)
        raise
    return events


class Message(NamedTuple):
    """An "activation" or a "gradient" of a micro-batch, on its way to a stage."""

    what: str
    stage: int
    micro_batch: int


def _run(
    schedule: Schedule, costs: Costs, until: tuple[int, int] | None = None
) -> tuple[list[Event], list[int], dict[Message, int]]:
    """Run a schedule as far as it goes: the events, the step of each rank, and who waits.

    `until`: rank and step of an operation that is not done.
    """
    ranks = len(schedule)
    rank_of = {op.stage: rank for rank, ops in enumerate(schedule) for op in ops}
    stages = max(rank_of) + 1
    seconds = _seconds(costs, stages, _recomputing(schedule))
    events: list[Event] = []
    step = [0] * ranks  # how far each rank is
    free_at: list[float] = [0] * ranks
    link_free_at: dict[tuple[int, int], float] = defaultdict(int)
    arrived: dict[Message, float] = {}
    waiting: dict[Message, int] = {}  # what a rank waits for: the rank
    ready = list(range(ranks))
    while ready:
        rank = ready.pop()
        while step[rank] < len(schedule[rank]) and (rank, step[rank]) != until:
            op = schedule[rank][step[rank]]
            needed = needs(op, stages)
            given = gives(op, stages)
            if needed and needed not in arrived:
                waiting[needed] = rank
                break
            start = max(free_at[rank], arrived.pop(needed) if needed else 0)
            end = start + seconds[op.kind][op.stage]
            free_at[rank] = end
            events.append(Event(str(op), rank, start, end, KINDS[op.kind]))
            step[rank] += 1
            if not given:
                continue
            arrived[given] = end
            receiver = rank_of.get(given.stage, rank)
            if receiver != rank and (costs.message or costs.latency):
                sent = max(end, link_free_at[rank, receiver])
                through = sent + costs.message / costs.bandwidth
                link_free_at[rank, receiver] = through
                arrived[given] = through + costs.latency
                events.append(Event(str(op), rank, sent, through, f"send to {receiver}"))
                if not costs.overlapped:
                    free_at[rank] = arrived[given]
            if given in waiting:
                ready.append(waiting.pop(given))
    return sorted(events, key=lambda event: event.start), step, waiting


def needs(op: Op, stages: int) -> Message | None:
    """What an operation needs from another stage."""
    if op.kind == FORWARD and op.stage > 0:
        return Message("activation", op.stage, op.micro_batch)
    if op.kind in (BACKWARD, INPUTS) and op.stage < stages - 1:
        return Message("gradient", op.stage, op.micro_batch)
    return None


def gives(op: Op, stages: int) -> Message | None:
    """What an operation gives to another stage."""
    if op.kind == FORWARD and op.stage < stages - 1:
        return Message("activation", op.stage + 1, op.micro_batch)
    if op.kind in (BACKWARD, INPUTS) and op.stage > 0:
        return Message("gradient", op.stage - 1, op.micro_batch)
    return None


def _per_stage(name: str, given: float | Sequence[float], stages: int) -> list[float]:
    """The value of each stage, of one number for all or of a list."""
    given = arguments.plain(given)
    if isinstance(given, str) or not isinstance(given, Sequence):
        return [arguments.number(name, given)] * stages
    if len(given) != stages:
        raise ValueError(
            f"{name}={given}: give a number, 0 or more, or a list of {stages}, one for each stage"
        )
    return [arguments.number(f"{name}[{stage}]", value) for stage, value in enumerate(given)]


def _recomputing(schedule: Schedule) -> set[int]:
    """Return the stages that recompute in an operation of its own."""
    return {op.stage for ops in schedule for op in ops if op.kind == RECOMPUTE}


def _seconds(costs: Costs, stages: int, recomputing: set[int]) -> dict[str, list[float]]:
    """Seconds of each kind of operation on each stage."""
    for name in ("message", "latency"):
        arguments.number(name, getattr(costs, name))
    arguments.above_zero("bandwidth", costs.bandwidth)
    forward, inputs, weights, recompute = (
        _per_stage(name, getattr(costs, name), stages)
        for name in ("forward", "inputs", "weights", "recompute")
    )
    for stage in set(range(stages)) - recomputing:
        inputs[stage] += recompute[stage]
    whole = [i + w for i, w in zip(inputs, weights, strict=True)]
    return {
        FORWARD: forward,
        RECOMPUTE: recompute,
        INPUTS: inputs,
        WEIGHTS: weights,
        BACKWARD: whole,
    }


def peak_activations(
    schedule: Schedule,
    *,
    activation: float | Sequence[float] = 1,
    kept_for_weights: float = 1,
    boundary: float = 1,
) -> list[float]:
    """The most that each rank holds at once for backward passes.

    A forward pass stores its activations, and the backward pass lets them go: a whole one all of
    them, one for inputs all but the share that the one for weights needs.

    Args:
        schedule: the operations of each rank, in order.
        activation: what one micro-batch needs on a stage, in any unit; or a list, one a stage.
        kept_for_weights: share of it, from 0 to 1, that W needs after I.
        boundary: share of it that is stored if the rest is recomputed, which is held from there on
            to the end of the backward pass; 1 if nothing is recomputed.

    Raises:
        ImpossibleSchedule: an operation is missing or is there twice.
        ValueError: a number is out of its range, or something in the schedule is no operation.
    """
    sizes = _per_stage("activation", activation, len(check(schedule)))
    kept_for_weights = arguments.number("kept_for_weights", kept_for_weights, most=1)
    boundary = arguments.number("boundary", boundary, most=1)
    peaks = []
    recomputing = _recomputing(schedule)
    for ops in schedule:
        held: float = 0
        peak: float = 0
        for op in ops:
            size = sizes[op.stage]
            if op.kind == FORWARD:
                held += size * boundary
            elif op.kind == RECOMPUTE or (
                op.kind in (BACKWARD, INPUTS) and op.stage not in recomputing
            ):
                held += size * (1 - boundary)
            peak = max(peak, held)
            if op.kind == BACKWARD:
                held -= size
            elif op.kind == INPUTS:
                held -= size * (1 - kept_for_weights)
            elif op.kind == WEIGHTS:
                held -= size * kept_for_weights
        peaks.append(peak)
    return peaks


# What is wrong with a schedule


def check(schedule: Schedule) -> list[int]:
    """Check that nothing is missing, twice, or before what it follows on its own rank.

    Returns:
        The rank of each stage.

    Raises:
        ImpossibleSchedule: something is.
        ValueError: there is no operation at all, or something else than one.
    """
    _check_operations(schedule)
    seen: dict[Op, int] = {}
    rank_of: dict[int, int] = {}
    recomputing = _recomputing(schedule)
    for rank, ops in enumerate(schedule):
        for step, op in enumerate(ops):
            first = FOLLOWS.get(op.kind)
            other = {BACKWARD: INPUTS, INPUTS: BACKWARD}.get(op.kind)
            again = op._replace(kind=RECOMPUTE)
            problem = ""
            if rank_of.setdefault(op.stage, rank) != rank:
                problem = f"stage {op.stage} is on rank {rank_of[op.stage]} already"
            elif op in seen:
                problem = f"the same is in step {seen[op]}"
            elif first and op._replace(kind=first) not in seen:
                problem = (
                    f"stage {op.stage} has not done the {NAMES[first]} of micro-batch "
                    f"{op.micro_batch} yet"
                )
            elif other and op._replace(kind=other) in seen:
                problem = (
                    f"stage {op.stage} has done a backward pass of micro-batch {op.micro_batch} "
                    f"before, in step {seen[op._replace(kind=other)]}"
                )
            elif op.kind in (BACKWARD, INPUTS) and op.stage in recomputing and again not in seen:
                problem = f"{again} is not before it, and the stage recomputes for others"
            if problem:
                raise ImpossibleSchedule(f"rank {rank}, step {step}, {op}: {problem}", (rank, step))
            seen[op] = step
    if not seen:
        raise ValueError("the schedule is empty: give at least one operation, such as 0F0")
    stages = max(rank_of) + 1
    for micro_batch in sorted({op.micro_batch for op in seen}):
        for stage in range(stages):
            if missing := _missing(stage, micro_batch, stages, seen):
                raise ImpossibleSchedule(missing)
    return [rank_of[stage] for stage in range(stages)]


def _check_operations(schedule: Schedule) -> None:
    for rank, ops in enumerate(schedule):
        for step, op in enumerate(ops):
            if not isinstance(op, Op):
                raise ValueError(
                    f"rank {rank}, step {step}: {op!r} is no operation. A schedule has a list for "
                    "each rank, of operations such as Op(0, 'F', 0); parse('0F0 0B0') reads text."
                )
            if op.kind not in NAMES or not all(
                isinstance(number, Integral) and number >= 0
                for number in (op.stage, op.micro_batch)
            ):
                raise ValueError(
                    f"rank {rank}, step {step}: there is no {op!r}. Stage and micro-batch are "
                    "whole numbers from 0 on, the kinds are F, R, B, I and W, as in Op(0, 'F', 0)."
                )


def _missing(stage: int, micro_batch: int, stages: int, seen: dict[Op, int]) -> str:
    """What a stage does not do for a micro-batch, in words; empty if it does all."""

    def does(stage: int, *kinds: str) -> bool:
        return any(Op(stage, kind, micro_batch) in seen for kind in kinds)

    waits = "stage {} waits for the {} of micro-batch {}, which stage {} never sends"
    never = f"stage {stage} never does the {{}} of micro-batch {micro_batch}"
    if not does(stage, FORWARD):
        if stage < stages - 1 and does(stage + 1, FORWARD):
            return waits.format(stage + 1, "activation", micro_batch, stage)
        return never.format(NAMES[FORWARD])
    if not does(stage, BACKWARD, INPUTS):
        if stage and does(stage - 1, BACKWARD, INPUTS):
            return waits.format(stage - 1, "gradient", micro_batch, stage)
        return never.format(NAMES[BACKWARD])
    if does(stage, INPUTS) and not does(stage, WEIGHTS):
        return never.format(NAMES[WEIGHTS])
    return ""


def _deadlock(schedule: Schedule, step: list[int], waiting: dict[Message, int]) -> str:
    """Who waits for whom, from one rank that waits until a rank comes up again."""
    rank_of = {op.stage: rank for rank, ops in enumerate(schedule) for op in ops}
    waits_for = {rank: needed for needed, rank in waiting.items()}
    rank = min(waits_for)
    said = []
    seen: set[int] = set()
    while rank not in seen:
        seen.add(rank)
        what, stage, micro_batch = waits_for[rank]
        sender = stage - 1 if what == "activation" else stage + 1
        said.append(
            f"stage {stage} (rank {rank}, step {step[rank]}, {schedule[rank][step[rank]]}) waits "
            f"for the {what} of micro-batch {micro_batch}, which stage {sender} sends only later"
        )
        rank = rank_of[sender]
    return "ranks wait for each other: " + "; ".join(said)
