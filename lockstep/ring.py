"""A ring all-reduce to step through by hand: who sends which chunk to whom, and the bytes so far.

Every step is simulated here. Without a script all steps are on the page, one after the other; the
script shows one at a time.
"""

import html
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from lockstep import arguments

MOST_RANKS = 5  # that fit a phone
PHASES = ("reduce-scatter", "all-gather")


class Message(NamedTuple):
    """What one rank sends to its neighbour in one step."""

    sender: int
    receiver: int
    chunk: int
    numbers: int  # how many the chunk has


@dataclass(frozen=True)
class Frame:
    """One step: its messages, and what the ranks hold and have sent after it."""

    phase: str
    messages: tuple[Message, ...]
    held: tuple[tuple[int, ...], ...]  # by rank and chunk: each number of the chunk
    sent: tuple[int, ...]  # numbers that each rank has sent so far


def chunk_sizes(world_size: int, numbers: int) -> list[int]:
    """How many numbers each chunk has; the first ones take what does not divide."""
    return [numbers // world_size + (c < numbers % world_size) for c in range(world_size)]


def frames(world_size: int, numbers: int) -> list[Frame]:
    """Simulate a ring all-reduce; the first frame is the start.

    Args:
        world_size: number of ranks N, at least 2. Rank r begins with 10 to the power of r in every
            place, so that a sum's digits tell whose numbers are in it.
        numbers: how many numbers each rank holds; they need not divide by N.

    Raises:
        ValueError: an argument is out of its range.
    """
    n = arguments.count("world_size", world_size, least=2)
    sizes = chunk_sizes(n, arguments.count("numbers", numbers))
    held = [[10**rank] * n for rank in range(n)]
    sent = [0] * n
    found = [Frame("start", (), tuple(map(tuple, held)), tuple(sent))]
    for step in range(2 * (n - 1)):
        adds = step < n - 1
        messages = []
        for rank in range(n):
            chunk = (rank - step - 1 if adds else rank - (step - n + 1)) % n
            messages.append(Message(rank, (rank + 1) % n, chunk, sizes[chunk]))
        # All at once: what is sent is what was held before the step.
        before = [row.copy() for row in held]
        for sender, receiver, chunk, size in messages:
            old = before[receiver][chunk] if adds else 0
            held[receiver][chunk] = old + before[sender][chunk]
            sent[sender] += size
        now = tuple(map(tuple, held)), tuple(sent)
        found.append(Frame(PHASES[not adds], tuple(messages), *now))
    return found


@dataclass(frozen=True)
class Steps:
    """What `step_through` returns: a front end shows its frames."""

    frames: tuple[Frame, ...]
    sizes: tuple[int, ...]
    bytes_each: int

    def __repr__(self) -> str:
        return "\n".join(self._said(step) for step in range(len(self.frames)))

    def _said(self, step: int) -> str:
        frame = self.frames[step]
        n = len(frame.held)
        now = f"{self.bytes_each * sum(frame.sent):,}"
        so_far = f"{now} of {self.bytes_each * sum(self.frames[-1].sent):,} bytes sent"
        if not step:
            return f"Start: rank r holds {n} chunks of its own, {10}^r in each place. {so_far}."
        kind = "adds it to its own" if frame.phase == PHASES[0] else "puts it in its place"
        moved = f"every rank sends one chunk on, and the receiver {kind}"
        return f"Step {step} of {len(self.frames) - 1}, {frame.phase}: {moved}. {so_far}."

    def _table(self, step: int) -> str:
        frame = self.frames[step]
        done = sum(10**rank for rank in range(len(frame.held)))
        sends = {(m.sender, m.chunk) for m in frame.messages}
        gets = {(m.receiver, m.chunk) for m in frame.messages}
        heads = "".join(
            f'<th scope="col">chunk {chunk}<small>{size} number{"s" * (size != 1)}</small></th>'
            for chunk, size in enumerate(self.sizes)
        )
        rows = []
        for rank, row in enumerate(frame.held):
            cells = []
            for chunk, value in enumerate(row):
                at = (rank, chunk)
                marks = " ".join([*["got"] * (at in gets), *["done"] * (value == done)])
                arrow = "<i> sent ↓</i>" if at in sends else ""
                cells.append(f'<td class="{marks}"><b>{value}</b>{arrow}</td>')
            bytes_sent = f"<td>{self.bytes_each * frame.sent[rank]:,}</td>"
            rows.append(f'<tr><th scope="row">rank {rank}</th>{"".join(cells)}{bytes_sent}</tr>')
        return (
            f"<table><thead><tr><td></td>{heads}"
            f'<th scope="col">sent<small>bytes</small></th></tr></thead>'
            f"<tbody>{''.join(rows)}</tbody></table>"
        )

    def _repr_html_(self) -> str:
        folder = Path(__file__).parent
        style = (folder / "ring.css").read_text(encoding="utf-8")
        script = (folder / "ring.js").read_text(encoding="utf-8")
        items = "".join(
            f"<li><p>{html.escape(self._said(step))}</p>{self._table(step)}</li>"
            for step in range(len(self.frames))
        )
        return (
            f'<div class="lockstep-ring"><style>{style}</style><ol>{items}</ol>'
            f"<script>{script}</script></div>"
        )


def step_through(world_size: int = 4, numbers: int = 10, bytes_each: int = 4) -> Steps:
    """A ring all-reduce to step through on the page, forward and back.

    Args:
        world_size: number of ranks, from 2 to 5; rank r begins with 10 to the power of r.
        numbers: how many numbers each rank holds; they need not divide by `world_size`.
        bytes_each: of a number, 4 in float32.

    Raises:
        ValueError: an argument is out of its range.
    """
    arguments.one_of("world_size", world_size, range(2, MOST_RANKS + 1))
    world_size = int(arguments.plain(world_size))
    numbers = arguments.count("numbers", numbers)
    bytes_each = arguments.count("bytes_each", bytes_each)
    found = frames(world_size, numbers)
    return Steps(tuple(found), tuple(chunk_sizes(world_size, numbers)), bytes_each)
