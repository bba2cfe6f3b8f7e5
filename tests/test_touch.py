"""Pictures that a reader changes: what can be chosen, and that the page shows what was drawn."""

from collections.abc import Callable

import matplotlib.pyplot as plt
import pytest
from browser import Opened, axe
from playwright.sync_api import Page, expect

from lockstep import show
from lockstep.touch import Touch, touch

STEPS = (0, 1, 2)
KINDS = ("ring", "tree")


def draw(step: int, kind: str = "tree") -> show.Drawing:
    figure, axes = plt.subplots(figsize=(2, 1))
    axes.bar([0], [step + 1])
    return show.figure(figure, f"{kind}, step {step}", "A *bar* grows.")


@pytest.fixture(scope="module")
def touched() -> Touch:
    return touch(draw, step=STEPS, kind=KINDS)


def test_every_combination_is_drawn_once_and_the_defaults_come_first(touched: Touch) -> None:
    drawn = [frame.alt for frame in touched.frames]
    assert drawn == [f"{kind}, step {step}" for step in STEPS for kind in KINDS]
    assert repr(touched) == "Figure: tree, step 0"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (lambda: touch(draw), "nothing to choose: give values, such as"),
        (lambda: touch(draw, step=[1]), r"step=\(1,\): give two values or more"),
        (
            lambda: touch(draw, step=STEPS, kind=("ring", "star")),
            "the default 'tree' of draw is none",
        ),
        (lambda: touch(draw, step=range(51), kind=KINDS), "102 pictures are more than 100"),
    ],
)
def test_what_cannot_be_chosen_is_named(wrong: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        wrong()


def shown(page: Page) -> str:
    pictures = page.get_by_role("img")
    expect(pictures).to_have_count(1)  # hidden ones are none for a reader
    return pictures.get_attribute("aria-label") or ""


@pytest.mark.browser
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_choice_shows_its_picture(
    touched: Touch, open_page: Callable[..., Opened], scheme: str
) -> None:
    page, _ = open_page(touched._repr_html_(), color_scheme=scheme)
    for kind in KINDS:
        page.get_by_role("combobox", name="Kind").select_option(kind)
        for step in STEPS:
            page.get_by_role("slider", name="Step").fill(str(step))
            assert shown(page) == f"{kind}, step {step}"
            expect(page.get_by_role("status")).to_have_text(f"{kind}, step {step}")
    assert axe(page) == []


@pytest.mark.browser
def test_it_is_used_by_keyboard_on_a_phone(
    touched: Touch, open_page: Callable[..., Opened]
) -> None:
    page, _ = open_page(touched._repr_html_(), viewport={"width": 360, "height": 700})
    slider = page.get_by_role("slider", name="Step")
    slider.focus()
    page.keyboard.press("ArrowRight")
    assert shown(page) == "tree, step 1"
    expect(slider).to_have_attribute("aria-valuetext", "1")
    page.keyboard.press("Tab")
    page.keyboard.press("ArrowUp")
    assert shown(page) == "ring, step 1"
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


@pytest.mark.browser
def test_without_a_script_it_is_a_picture(touched: Touch, open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(touched._repr_html_(), java_script_enabled=False)
    assert shown(page) == "tree, step 0"
    expect(page.get_by_role("slider")).to_have_count(0)
    expect(page.get_by_text("A bar grows.").locator("visible=true")).to_have_count(1)


@pytest.mark.browser
def test_two_in_a_page_do_not_disturb_each_other(
    touched: Touch, open_page: Callable[..., Opened]
) -> None:
    page, _ = open_page(touched._repr_html_() * 2)
    page.get_by_role("slider").nth(1).fill("2")
    labels = [node.get_attribute("aria-label") for node in page.get_by_role("img").all()]
    assert labels == ["tree, step 0", "tree, step 2"]
