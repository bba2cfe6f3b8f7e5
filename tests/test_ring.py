"""The ring to step through: what it says against an all-reduce, and what a browser makes of it."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from browser import Opened, axe
from playwright.sync_api import expect

from lockstep.costs import ring_all_reduce_bytes
from lockstep.ring import chunk_sizes, frames, step_through

SIZES = [(n, numbers) for n in (2, 3, 4, 7, 8, 16) for numbers in (1, 3, 10, 64)]


@pytest.mark.parametrize(("n", "numbers"), SIZES)
def test_messages_carried_out_are_an_all_reduce(n: int, numbers: int) -> None:
    data = np.random.default_rng(0).integers(100, size=(n, numbers))
    ranks = [np.array_split(row.copy(), n) for row in data]
    steps = frames(n, numbers)
    for frame in steps[1:]:
        carried = [(m, ranks[m.sender][m.chunk].copy()) for m in frame.messages]
        assert sorted(m.sender for m in frame.messages) == list(range(n))
        for message, chunk in carried:
            assert message.receiver == (message.sender + 1) % n
            assert message.numbers == len(chunk)
            if frame.phase == "reduce-scatter":
                chunk = chunk + ranks[message.receiver][message.chunk]
            ranks[message.receiver][message.chunk] = chunk
    for rank in ranks:
        assert np.concatenate(rank).tolist() == data.sum(axis=0).tolist()
    assert len(steps) == 1 + 2 * (n - 1)


@pytest.mark.parametrize(("n", "numbers"), SIZES)
def test_what_is_held_is_a_sum_and_bytes_are_those_of_the_formula(n: int, numbers: int) -> None:
    steps = frames(n, numbers)
    assert set(steps[-1].held) == {(int("1" * n),) * n}
    assert steps[0].held == tuple((10**rank,) * n for rank in range(n))
    assert sum(chunk_sizes(n, numbers)) == numbers
    assert sum(steps[-1].sent) == 2 * (n - 1) * numbers  # exactly, also where chunks are unequal
    for before, after in pairwise(steps):
        for message in after.messages:
            sent = after.sent[message.sender] - before.sent[message.sender]
            assert sent == message.numbers
    if numbers % n == 0:
        assert set(steps[-1].sent) == {ring_all_reduce_bytes(n, numbers)}


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"world_size": 1}, "world_size=1: give one of 2, 3"),
        ({"world_size": 6}, "world_size=6: give one of 2, 3"),
        ({"numbers": 0}, "numbers=0: give a whole number, 1 or more"),
        ({"numbers": 2.5}, "numbers=2.5: give a whole number"),
        ({"bytes_each": -4}, "bytes_each=-4: give a whole number, 1 or more"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        step_through(**given)


def test_a_simulated_ring_may_be_large_but_has_neighbours() -> None:
    with pytest.raises(ValueError, match="world_size=1: give a whole number, 2 or more"):
        frames(1, 10)
    assert len(frames(256, 1000)) == 511


def test_in_a_terminal_it_is_a_line_a_step() -> None:
    lines = repr(step_through(int(np.int64(3)), 9)).splitlines()
    assert lines[0] == (
        "Start: rank r holds 3 chunks of its own, 10^r in each place. 0 of 144 bytes sent."
    )
    assert [line.split(":")[0] for line in lines[1:]] == [
        "Step 1 of 4, reduce-scatter",
        "Step 2 of 4, reduce-scatter",
        "Step 3 of 4, all-gather",
        "Step 4 of 4, all-gather",
    ]
    assert lines[4].endswith(" 144 of 144 bytes sent.")


# In a page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 375])
def test_steps_by_keyboard(open_page: Callable[..., Opened], scheme: str, width: int) -> None:
    ring = step_through()
    content = ring._repr_html_() * 2
    viewport = {"width": width, "height": 800}
    page, _ = open_page(content, color_scheme=scheme, viewport=viewport)
    shown = page.locator(".lockstep-ring").first.locator("li:visible")
    step = page.get_by_role("button", name="Step").first
    page.keyboard.press("Tab")  # the link in the navigation
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Back").first).to_be_focused()
    page.keyboard.press("Enter")  # at the start there is no way back
    page.keyboard.press("Tab")
    expect(step).to_be_focused()
    for number, frame in enumerate(ring.frames):
        expect(shown).to_have_count(1)
        expect(shown).to_contain_text(f"{4 * sum(frame.sent)} of 240 bytes sent")
        cells = shown.locator("td b").all_text_contents()
        assert cells == [str(value) for row in frame.held for value in row]
        expect(shown.locator("td.got")).to_have_count(len(frame.messages))
        assert axe(page) == []
        assert page.evaluate("document.documentElement.scrollWidth") == width
        page.keyboard.press("Enter")
        assert number or step.get_attribute("aria-disabled") == "false"
    expect(step).to_have_attribute("aria-disabled", "true")
    page.get_by_role("button", name="Back").first.press("Enter")
    expect(shown).to_contain_text("Step 5 of 6, all-gather")
    # The other one has not moved.
    expect(page.locator("li:visible").last).to_contain_text("Start")


def test_without_a_script_all_steps_are_there(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(step_through(3, 7)._repr_html_(), java_script_enabled=False)
    expect(page.locator("li:visible")).to_have_count(5)
    expect(page.get_by_role("button")).to_have_count(0)
    expect(page.locator("li").last).to_contain_text("112 of 112 bytes sent")
