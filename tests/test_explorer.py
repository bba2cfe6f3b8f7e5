"""The schedule explorer: what it says against the simulator, and what a browser makes of it.

How it is in JupyterLab stands in test_jupyterlab.py.
"""

import dataclasses
import gzip
import html
import json
import math
import os
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from browser import Opened, axe
from playwright.sync_api import Locator, Page, expect

from lockstep import explorer as module
from lockstep import schedules, trace
from lockstep.explorer import COSTS, MESSAGES, MICRO_BATCHES, SCHEDULES, STAGES, Choice, explorer
from lockstep.schedules import WORK, peak_activations, simulate
from lockstep.trace import bubble, makespan, utilisation

MOST_BYTES = 150 * 1024
Bar = tuple[str, int, float, float]  # kind, rank, start, end
SAMPLE = [  # schedule, ranks, micro-batches, and what they are run with
    ("gpipe", 2, 1, Choice()),
    ("gpipe", 8, 32, Choice((2, 2, 1), 0.5, True)),
    ("1f1b", 4, 8, Choice()),
    ("1f1b", 6, 12, Choice((1, 1, 2), 0.5)),
    ("interleaved", 3, 6, Choice((2, 2, 1), recompute=True)),
    ("interleaved", 8, 16, Choice(message=0.5)),
    ("eager", 4, 16, Choice((2, 2, 1), 0.5)),
    ("zb-h1", 4, 16, Choice((1, 1, 2))),
    ("zb-h1", 3, 2, Choice((2, 2, 1), 0.5, True)),
    ("zb-h2", 8, 32, Choice()),
    ("zb-h2", 6, 6, Choice((2, 2, 1), recompute=True)),
]


def simulated(key: str, stages: int, micro_batches: int, choice: Choice) -> tuple[Any, Any]:
    """The schedule, and its events in which a rank computes."""
    _, make, chunks = SCHEDULES[key]
    schedule = make(stages, micro_batches)
    events = simulate(schedule, choice.simulated(chunks))
    return schedule, [event for event in events if event.kind in WORK]


def percent(share: float) -> str:
    return f"{100 * share:.1f}\u00a0%"


# What Python says


def test_its_numbers_are_those_of_the_simulator_and_of_a_trace() -> None:
    data = module._simulated(tuple(SCHEDULES), module.CHOICES)["schedules"]
    for key, k, m, choice in SAMPLE:
        chunks = SCHEDULES[key][2]
        schedule, events = simulated(key, k, m, choice)
        found = data[key]["at"][f"{k} {m}"]
        end, used, share, over, *_ = found["runs"][module.CHOICES.index(choice)]
        assert end / module.TICKS == makespan(events)
        assert used == percent(utilisation(events, *WORK))
        assert share == percent(bubble(events, *WORK))
        assert over == percent(1 / utilisation(events, *WORK) - 1)
        peaks = peak_activations(
            schedule,
            activation=1 / chunks,
            boundary=0.1 if choice.recompute else 1,
        )
        assert found["peaks"][choice.recompute] == pytest.approx(peaks)


def test_a_message_and_recomputation_cost_what_the_choice_says() -> None:
    costs = Choice((2, 2, 1), 0.5, True).simulated(chunks=2)
    assert (costs.forward, costs.inputs, costs.weights) == (1, 1, 0.5)
    assert (costs.recompute, costs.message, costs.latency) == (1, 1, 0)


def test_closed_forms_are_what_was_counted_wherever_they_are_given() -> None:
    data = module._simulated(tuple(SCHEDULES), module.CHOICES)
    given: dict[str, set[bool]] = {key: set() for key in SCHEDULES}
    for key, schedule in data["schedules"].items():
        for size, found in schedule["at"].items():
            k, m = map(int, size.split())
            if isinstance(found, str):
                assert key == "interleaved" and m % k
                continue
            for choice, (_, _, share, over, index, _) in zip(
                module.CHOICES, found["runs"], strict=True
            ):
                text = data["texts"][index]
                has = text.startswith("Closed form")
                given[key].add(has)
                if choice.message:
                    assert "counts messages as free" in text
                elif not key.startswith("zb"):
                    assert has and re.findall(r"= ([\d.]+\u00a0%)", text) == [share, over]
                elif has:
                    predicted = re.search(r"\) = ([\d.]*\d)", text)
                    counted = re.search(r"Counted: ([\d.]*\d)\.", text)
                    assert predicted and counted and predicted[1] == counted[1]
                else:
                    bound = {"zb-h1": k, "zb-h2": 2 * k - 1}[key]
                    assert choice.costs == (1, 1, 2) or m < bound
                    assert "holds where" in text
    assert all(has == {True, False} for has in given.values())


def test_in_a_terminal_it_is_a_table() -> None:
    assert repr(explorer(stages=4, micro_batches=6)).splitlines() == [
        "Schedule explorer (open it in a notebook to choose)",
        "4 ranks, 6 micro-batches, F : I : W = 1 : 1 : 1, messages: free, recomputation: none",
        "Schedule: Makespan, Bubble of all time, over the ideal time, Most held",
        "GPipe: 27, 33.3\u00a0%, 50.0\u00a0%, 6",
        "1F1B: 27, 33.3\u00a0%, 50.0\u00a0%, 4",
        "Eager 1F1B: 27, 33.3\u00a0%, 50.0\u00a0%, 6",
        "Interleaved 1F1B, not with 6: –, –, –, –",
        "ZB-H1: 21, 14.3\u00a0%, 16.7\u00a0%, 4",
        "ZB-H2: 21, 14.3\u00a0%, 16.7\u00a0%, 6",
    ]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"schedule": "1F1B"}, "schedule='1F1B': the explorer has 'gpipe', '1f1b'"),
        ({"schedule": None}, "schedule=None: the explorer has 'gpipe'"),
        ({"compare": "zb"}, "compare='zb': the explorer has .* None"),
        ({"stages": 5}, "stages=5: the explorer has 2, 3, 4, 6, 8. lockstep.schedules.simulate"),
        ({"micro_batches": 0}, "micro_batches=0: the explorer has 1, 2"),
        ({"costs": (1, 2)}, r"costs=\(1, 2\): the explorer has \(1, 1, 1\)"),
        ({"costs": 3}, "costs=3: the explorer has"),
        ({"costs": np.ones(2)}, r"costs=\(1.0, 1.0\): the explorer has"),
        ({"stages": math.nan}, "stages=nan: the explorer has 2, 3"),
        ({"message": 1}, "message=1: the explorer has 0, 0.5"),
        ({"recompute": "no"}, "recompute='no': the explorer has False, True"),
        (
            {"compare": "interleaved", "micro_batches": 6},
            "micro_batches=6: interleaved needs a multiple of the 4 ranks, such as 8",
        ),
    ],
)
def test_a_choice_that_it_has_not(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        explorer(**given)


def test_numbers_of_any_type_are_taken() -> None:
    same: dict[str, Any] = {"stages": 4.0, "costs": [1.0, 1.0, 1.0], "message": 0.0, "recompute": 0}
    assert explorer(**same)._repr_html_() == explorer()._repr_html_()
    same = {"stages": np.int64(4), "costs": np.ones(3), "message": np.float32(0)}
    assert explorer(**same)._repr_html_() == explorer()._repr_html_()


def test_it_is_the_same_every_time_and_names_nothing() -> None:
    code = "from lockstep.explorer import explorer; print(explorer()._repr_html_(), end='')"
    other_process = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": "7", "PYTHONIOENCODING": "utf-8"},
    )
    source = explorer()._repr_html_()
    assert other_process.stdout == source
    without_link = source.replace("https://ui.perfetto.dev", "")
    assert not re.search(r'\bid="|https?:|localStorage|cookie|eval\(|Function\(', without_link)


def test_it_is_light() -> None:
    source = explorer()._repr_html_().encode()
    size = len(gzip.compress(source))
    print(f"explorer: {size} bytes with gzip, {len(source)} without")
    assert size <= MOST_BYTES


def test_only_sizes_leaves_out_what_cannot_be_chosen() -> None:
    small = explorer("gpipe", None, only_sizes=True)
    assert repr(small).splitlines()[2:] == [
        "Schedule: Makespan, Bubble of all time, over the ideal time, Most held",
        "GPipe: 33, 27.3\u00a0%, 37.5\u00a0%, 8",
    ]
    assert len(gzip.compress(small._repr_html_().encode())) <= MOST_BYTES / 2
    again = explorer("1f1b", None, stages=6, micro_batches=32, costs=(2, 2, 1), recompute=True)
    every, few = (repr(dataclasses.replace(again, only_sizes=only)) for only in (False, True))
    assert few.splitlines()[-1] in every.splitlines()


# In a page


def choose(page: Page, key: str, k: int, m: int, choice: Choice) -> None:
    """Set every control."""
    costs, message, recompute = choice
    page.get_by_role("combobox", name="Schedule").select_option(key)
    page.get_by_role("combobox", name="Compare with").select_option("")
    page.get_by_role("slider", name="Ranks, K").fill(str(STAGES.index(k)))
    page.get_by_role("slider", name="Micro-batches, M").fill(str(MICRO_BATCHES.index(m)))
    page.get_by_role("combobox", name="Costs").select_option(str(COSTS.index(costs)))
    page.get_by_role("combobox", name="Messages").select_option(str(list(MESSAGES).index(message)))
    page.get_by_role("combobox", name="Recomputation").select_option(str(int(recompute)))


def drawn(image: Locator) -> list[Bar]:
    """The bars of a timeline, read from their corners."""
    left, scale = (float(image.get_attribute(f"data-{name}") or 0) for name in ("left", "scale"))
    bars = []
    for path in image.locator("path[class]").all():
        kind, d = path.get_attribute("class"), path.get_attribute("d")
        for x, y, width in re.findall(r"M([\d.]+) ([\d.]+)h([\d.]+)v", d or ""):
            start, end = (float(x) - left) / scale, (float(x) + float(width) + 0.8 - left) / scale
            bars.append((str(kind), int(float(y) // 24), start, end))
    return bars


def in_order(bars: list[Bar]) -> list[tuple[str, int, int, int]]:
    """In fourths of a time unit, by rank and time."""
    rounded = [(kind, rank, round(4 * start), round(4 * end)) for kind, rank, start, end in bars]
    return sorted(rounded, key=lambda bar: bar[1:])


def test_it_draws_what_the_simulator_computed(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer()._repr_html_(), viewport={"width": 1000, "height": 900})
    image = page.locator("svg[role=img]")
    for key, k, m, choice in SAMPLE:
        choose(page, key, k, m, choice)
        schedule, events = simulated(key, k, m, choice)
        kinds = re.compile(r"[FBIW]")
        expected = [
            (kinds.findall(event.name)[0], event.rank, event.start, event.end) for event in events
        ]
        bars = drawn(image)
        assert in_order(bars) == in_order(expected), (key, k, m)
        # The names of operations, and the lines that tell kinds apart where there are no colours.
        words = page.locator("pre").text_content()
        assert schedules.parse(words or "") == schedule
        lines = image.locator("path[stroke='#fff']").get_attribute("d") or ""
        assert lines.count("M") == sum({"F": 0, "W": 2}.get(bar[0], 1) for bar in bars)


def test_the_second_chunk_is_lower_and_bars_have_names(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer("interleaved", None, stages=2, micro_batches=2)._repr_html_())
    image = page.get_by_role("img", name="Timeline of Interleaved 1F1B, 2 ranks")
    heights = re.findall(r"v(\d+)", image.locator("path.F").get_attribute("d") or "")
    assert heights == ["20", "20", "15", "15"] * 2
    expect(page.get_by_text("a lower bar: the rank's second chunk")).to_be_visible()
    names = image.locator(".white text").all_text_contents()
    assert sorted(names) == sorted(f"{kind}{i}" for kind in "FB" for i in (0, 0, 1, 1) * 2)


def test_only_sizes_can_be_chosen(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer("gpipe", None, only_sizes=True)._repr_html_())
    expect(page.get_by_role("combobox")).to_have_count(0)
    for hidden in ("table", ".facts", "details", "pre"):
        for node in page.locator(f".lockstep-explorer {hidden}").all():
            expect(node).to_be_hidden()
    page.get_by_role("slider", name="Ranks, K").fill(str(STAGES.index(8)))
    page.get_by_role("slider", name="Micro-batches, M").fill(str(MICRO_BATCHES.index(32)))
    _, events = simulated("gpipe", 8, 32, Choice())
    expected = [(event.name[1], event.rank, event.start, event.end) for event in events]
    assert in_order(drawn(page.locator("svg[role=img]"))) == in_order(expected)
    expect(page.get_by_role("status")).to_contain_text("8 ranks, 32 micro-batches: makespan 117,")


def test_two_schedules_share_a_time_axis(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer("zb-h1", "gpipe")._repr_html_())
    second, first = page.locator("svg[role=img]").all()
    assert first.get_attribute("data-scale") == second.get_attribute("data-scale")
    assert max(bar[3] for bar in drawn(first)) == pytest.approx(33, abs=0.05)
    assert max(bar[3] for bar in drawn(second)) == pytest.approx(27, abs=0.05)
    for image in (first, second):
        width = float(image.get_attribute("width") or 0)
        path = image.locator("path[class]").last.get_attribute("d") or ""
        assert max(map(float, re.findall(r"M([\d.]+)", path))) < width
    page.get_by_role("combobox", name="Schedule").select_option("gpipe")
    expect(page.locator("svg[role=img]")).to_have_count(1)  # nothing is drawn twice


def test_what_is_drawn_can_be_downloaded_as_a_trace(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer("zb-h1", "interleaved")._repr_html_())
    link = page.get_by_role("link", name="Download the events")
    for choice in (Choice(), Choice((2, 2, 1), 0.5)):
        choose(page, "zb-h1", 4, 16, choice)
        page.get_by_role("combobox", name="Compare with").select_option("interleaved")
        with page.expect_download() as download:
            link.click()
        rows = json.loads(download.value.path().read_text())["traceEvents"]
        both = {
            SCHEDULES[key][0]: simulated(key, 4, 16, choice)[1] for key in ("zb-h1", "interleaved")
        }
        expected = json.loads(trace.chrome_trace(both))["traceEvents"]
        for phase, fields in {"M": ("pid", "args"), "X": ("pid", "ts", "dur")}.items():
            found, right = (
                sorted(repr([row[name] for name in fields]) for row in table if row["ph"] == phase)
                for table in (
                    [row | {n: float(row[n]) for n in ("ts", "dur") if n in row} for row in rows],
                    expected,
                )
            )
            assert found == right


def test_by_keyboard_alone(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer()._repr_html_())
    status = page.get_by_role("status")
    expect(status).to_have_text(
        "GPipe, 4 ranks, 8 micro-batches: makespan 33, bubble 27.3 % of all time, at most 8 "
        "micro-batches held, on every rank. 1F1B, 4 ranks, 8 micro-batches: makespan 33, "
        "bubble 27.3 % of all time, at most 4 micro-batches held, on rank 0."
    )
    page.keyboard.press("Tab")  # the link in the navigation
    page.keyboard.press("Tab")
    expect(page.get_by_role("combobox", name="Schedule")).to_be_focused()
    page.keyboard.press("ArrowDown")  # 1F1B
    page.keyboard.press("Tab")
    expect(page.get_by_role("combobox", name="Compare with")).to_be_focused()
    page.keyboard.press("Home")
    page.keyboard.press("Tab")
    slider = page.get_by_role("slider", name="Ranks, K: 4")
    expect(slider).to_be_focused()
    outline = slider.evaluate("node => getComputedStyle(node).outlineWidth")
    assert outline == "2px"
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("slider", name="Ranks, K: 6")).to_have_attribute("aria-valuetext", "6")
    page.keyboard.press("Tab")
    page.keyboard.press("End")
    expect(status).to_have_text(
        "1F1B, 6 ranks, 32 micro-batches: makespan 111, bubble 13.5 % of all time, at most 6 "
        "micro-batches held, on rank 0."
    )
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("combobox", name="Costs")).to_have_value("1")
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowDown")
    expect(status).to_contain_text("makespan 259, bubble 13.5 % of all time, at most 1.5 micro-")
    page.keyboard.press("Tab")
    expect(page.get_by_role("group", name="Timelines")).to_be_focused()  # it can be scrolled
    for link in ("Download the events", "Perfetto"):
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name=link)).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.get_by_role("group", name="All schedules")).to_be_focused()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text("0F0 0F1 0F2")).to_be_visible()


def test_the_closed_form_stands_beside_the_count(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer("1f1b", "zb-h1")._repr_html_())
    expect(page.locator(".facts p")).to_have_text(
        [
            "1F1B. Counted: utilisation 72.7 %, bubble 27.3 % of all time, 37.5 % over the ideal "
            "time. Closed form: (K − 1) / (M + K − 1) = 3/11 = 27.3 % of all time, (K − 1) / M = "
            "3/8 = 37.5 % over the ideal time.",
            "ZB-H1. Counted: utilisation 88.9 %, bubble 11.1 % of all time, 12.5 % over the ideal "
            "time. Closed form: from its first start to its last end, a rank idles for at most "
            "(K − 1) (F + I − W) = 3. Counted: 3.",
        ]
    )
    page.get_by_role("combobox", name="Costs").select_option("2")
    expect(page.locator(".facts p").nth(1)).to_contain_text(
        "No closed form here: it holds where W ≤ F."
    )
    page.get_by_role("combobox", name="Messages").select_option("1")
    expect(page.locator(".facts p").nth(0)).to_contain_text("it counts messages as free.")


def test_what_each_rank_holds(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer()._repr_html_())
    table = page.get_by_role("table", name="Most activations that a rank holds at once")
    rows = table.get_by_role("row").all_inner_texts()
    assert [row.split() for row in rows[1:]] == [
        ["rank", f"{rank}", "8", f"{4 - rank}"] for rank in range(4)
    ]
    widths = table.locator("i").evaluate_all(
        "bars => bars.map(bar => bar.getBoundingClientRect().width)"
    )
    shares = [share for rank in range(4) for share in (1, (4 - rank) / 8)]
    assert [width / widths[0] for width in widths] == pytest.approx(shares, abs=0.01)
    page.get_by_role("combobox", name="Compare with").select_option("zb-h1")
    expect(table).to_contain_text("a rank, held until its W is done.")


def test_a_size_that_interleaving_cannot_have(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer("interleaved", "1f1b")._repr_html_())
    upper, lower = (page.get_by_role("combobox", name=name) for name in ("Schedule", "Compare"))
    expect(page.locator("option:disabled")).to_have_count(0)
    page.get_by_role("slider", name="Micro-batches").press("ArrowLeft")
    expect(page.get_by_role("status")).to_contain_text(
        "Interleaved 1F1B is not possible. M = 6: interleaved needs a multiple of the 4 ranks, "
        "such as 8. 1F1B, 4 ranks, 6 micro-batches: makespan 27"
    )
    expect(page.locator("svg[role=img]")).to_have_count(1)
    expect(page.get_by_role("row", name="Interleaved 1F1B, not with 6")).to_have_text(
        re.compile("––––$")
    )
    expect(lower.locator("option:disabled")).to_have_text("Interleaved 1F1B, not with 6")
    upper.select_option("gpipe")
    expect(upper.locator("option:disabled")).to_have_count(1)
    lower.select_option("")
    page.get_by_role("slider", name="Micro-batches").press("ArrowRight")
    expect(page.locator("option:disabled")).to_have_count(0)
    upper.select_option("interleaved")
    expect(page.get_by_role("status")).to_contain_text("Interleaved 1F1B, 4 ranks, 8 micro-")


def test_nothing_may_be_left_to_draw(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer("interleaved", None)._repr_html_())
    page.get_by_role("slider", name="Ranks").press("End")
    page.get_by_role("slider", name="Micro-batches").press("Home")
    expect(page.get_by_role("status")).to_contain_text("is not possible. M = 1")
    expect(page.locator("svg")).to_have_count(0)
    expect(page.locator(".held")).to_be_hidden()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 375])
def test_it_is_accessible_and_fits(
    open_page: Callable[..., Opened], scheme: str, width: int
) -> None:
    content = explorer()._repr_html_() + explorer("interleaved", "zb-h2")._repr_html_()
    viewport = {"width": width, "height": 800}
    page, _ = open_page(content, color_scheme=scheme, viewport=viewport)
    page.locator("summary").first.click()
    assert axe(page) == []
    for slider in page.get_by_role("slider").all():
        slider.press("End")
    page.get_by_role("combobox", name="Recomputation").first.select_option("1")
    assert axe(page) == []
    assert page.evaluate("document.documentElement.scrollWidth") == width
    timelines = page.locator(".drawing").first
    scrolls = "node => node.scrollWidth > node.clientWidth"
    assert timelines.evaluate(scrolls) == (width == 375)


def test_colours_follow_the_page(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer()._repr_html_(), color_scheme="dark")
    colour = "nodes => [...new Set(nodes.map(node => getComputedStyle(node).%s))]"
    ink = ["rgb(206, 214, 221)"]
    root = page.locator(".lockstep-explorer")
    for selector in ("svg > g:first-of-type text", ".axis text"):
        assert root.locator(selector).evaluate_all(colour % "fill") == ink
    assert root.locator("select, th, td, caption, pre").evaluate_all(colour % "color") == ink
    assert root.locator(".white text").evaluate_all(colour % "fill") == ["rgb(255, 255, 255)"]


def test_the_timeline_follows_the_width(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(explorer()._repr_html_(), viewport={"width": 900, "height": 800})
    image = page.locator("svg[role=img]").first
    for width in (600, 1000):
        page.set_viewport_size({"width": width, "height": 800})
        expect(image).to_have_attribute("width", str(min(width, 960 + 32) - 32))


def test_two_explorers_do_not_get_in_each_others_way(open_page: Callable[..., Opened]) -> None:
    source = explorer()._repr_html_()
    page, _ = open_page(source + source)
    first, second = page.locator(".lockstep-explorer").all()
    second.get_by_role("slider", name="Micro-batches").press("End")
    expect(first.get_by_role("status")).to_contain_text("GPipe, 4 ranks, 8 micro-batches")
    expect(second.get_by_role("status")).to_contain_text("GPipe, 4 ranks, 32 micro-batches")
    expect(page.locator(".choices")).to_have_count(2)
    assert page.evaluate("document.querySelectorAll('[id]').length") == 1  # the page's own section
    page.reload()  # nothing is remembered
    expect(second.get_by_role("status")).to_contain_text("GPipe, 4 ranks, 8 micro-batches")


def rows(page: Page) -> list[list[str]]:
    table = page.get_by_role("table", name="All schedules")
    return [row.locator("th, td").all_text_contents() for row in table.get_by_role("row").all()]


@pytest.mark.parametrize("key", ["1f1b", "zb-h2"])
def test_without_a_script_it_is_a_table_that_the_script_would_fill_alike(
    open_page: Callable[..., Opened], key: str
) -> None:
    source = explorer(
        key, None, stages=6, micro_batches=8, costs=(2, 2, 1), message=0.5, recompute=True
    )._repr_html_()
    page, _ = open_page(source, java_script_enabled=False)
    without = rows(page)
    title = page.locator("caption").all_text_contents()
    expect(page.locator("select, input, svg")).to_have_count(0)
    expect(page.get_by_text("Run this cell to choose")).to_be_visible()
    assert page.locator(".lockstep-explorer").inner_text().count("\n") < 10
    assert [row[0] for row in without] == [
        "Schedule",
        "GPipe",
        "1F1B",
        "Eager 1F1B",
        "Interleaved 1F1B, not with 8",
        "ZB-H1",
        "ZB-H2",
    ]
    page, _ = open_page(source)
    assert rows(page) == without
    expect(page.get_by_text("Run this cell to choose")).to_have_count(0)
    assert page.locator("caption").all_text_contents()[-1:] == title
    assert title == [
        "All schedules: 6 ranks, 8 micro-batches, F : I : W = 2 : 2 : 1, "
        "messages: half a forward pass, recomputation: all but a tenth"
    ]


def test_in_a_sandboxed_frame_without_a_network(open_page: Callable[..., Opened]) -> None:
    policy = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'"
    framed = html.escape(
        f'<!doctype html><meta http-equiv="Content-Security-Policy" content="{policy}">'
        f"<body>{explorer()._repr_html_()}</body>"
    )
    page, seen = open_page(
        f'<iframe title="output" sandbox="allow-scripts" srcdoc="{framed}" '
        'style="width: 100%; height: 1500px"></iframe>'
    )
    frame = page.frames[1]
    frame.get_by_role("slider", name="Ranks").focus()
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(frame.get_by_role("status")).to_contain_text("GPipe, 2 ranks, 8 micro-batches")
    expect(frame.get_by_role("img", name="Timeline of GPipe")).to_be_visible()
    assert seen == []
