"""Predictions: what is asked, and what a page says beside a measured value."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from browser import Opened, axe, chromium, pages
from playwright.sync_api import Browser, expect

from lockstep import predict as module
from lockstep.predict import measured, predict


@pytest.fixture(autouse=True)
def nothing_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_asked", {})


def asked() -> str:
    boxes = predict("sample", size=("How large is *it*?", "MB"), times=("How often?", ""))
    html: str = boxes._repr_html_()
    return html


def test_a_question_has_text_for_a_terminal() -> None:
    assert repr(predict("sample", size=("How large?", "MB"))) == "1. How large? (MB)"
    assert repr(predict("sample", times=("How often?", ""))) == "1. How often?"
    assert repr(measured("size", 8.4213)) == "Measured: 8.421 MB"
    assert repr(measured("times", 4)) == "Measured: 4"
    assert repr(measured("times", 4, "computed")) == "Computed: 4"
    assert "Computed: <b>4 " in measured("times", 4, "computed")._repr_html_()
    with pytest.raises(ValueError, match="origin='typed': give one of measured, computed"):
        measured("times", 4, "typed")


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (lambda: predict("", size=("How large?", "MB")), "chapter=''"),
        (lambda: predict(None, size=("How large?", "MB")), "chapter=None"),  # type: ignore[arg-type]
        (lambda: predict("sample"), "nothing to ask"),
        (lambda: predict("sample", size="How large?"), "size='How large"),  # type: ignore[arg-type]
        (lambda: predict("sample", size=("", "MB")), "give the question and its unit"),
        (lambda: predict("sample", size=("How large?", 4)), "give the question"),  # type: ignore[arg-type]
        (lambda: measured("size", 1.0), "nothing was asked as 'size'"),
    ],
)
def test_what_cannot_be_asked_is_named(given: Callable[[], object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        given()


@pytest.mark.parametrize("value", [float("nan"), float("inf"), "8", None])
def test_what_was_not_measured_is_named(value: float) -> None:
    predict("sample", size=("How large?", "MB"))
    with pytest.raises(ValueError, match="value"):
        measured("size", value)


def test_a_name_near_by_is_offered() -> None:
    predict("sample", weights=("How large?", "MB"))
    with pytest.raises(ValueError, match="did you mean 'weights'"):
        measured("weihgts", 1.0)


def test_chapters_do_not_share_names() -> None:
    assert 'data-prediction="sample/size"' in asked()
    assert 'data-prediction="sample/size"' in measured("size", 1)._repr_html_()


def test_html_is_escaped() -> None:
    html = predict("sample", size=("Is 1 < 2?", "<b>"))._repr_html_()
    assert "Is 1 &lt; 2?" in html and "<b>" not in html


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as running:
        yield running


@pytest.fixture
def open_page(browser: Browser, tmp_path: Path) -> Iterator[Callable[..., Opened]]:
    with pages(browser, tmp_path) as open_page:
        yield open_page


@pytest.mark.browser
@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("", "Measured: 8.421 MB"),
        ("4", "You said 4 MB. Measured: 8.421 MB, 2.11 times that"),
        ("4.2 MB", "You said 4.2 MB. Measured: 8.421 MB, 2.01 times that"),
        ("4,2", "You said 4.2 MB. Measured: 8.421 MB, 2.01 times that"),
        ("1e3", "You said 1000 MB. Measured: 8.421 MB, 0.00842 times that"),
        ("1,000", "You said “1,000”. Measured: 8.421 MB"),  # a thousand, or one
        ("0", "You said 0 MB. Measured: 8.421 MB"),
        ("quite a lot", "You said “quite a lot”. Measured: 8.421 MB"),
    ],
)
def test_what_was_said_is_beside_what_was_measured(
    open_page: Callable[..., Opened], written: str, said: str
) -> None:
    page, _ = open_page(asked() + measured("size", 8.4213)._repr_html_())
    page.get_by_label("How large").fill(written)
    expect(page.locator(".measured")).to_have_text(said)


@pytest.mark.browser
def test_the_browser_keeps_what_was_said(open_page: Callable[..., Opened]) -> None:
    page, _ = open_page(asked() + measured("size", 8.4213)._repr_html_())
    box = page.get_by_label("How large")
    box.fill("4")
    page.reload()
    expect(box).to_have_value("4")
    expect(page.locator(".measured")).to_contain_text("You said 4 MB")
    box.fill("")
    page.reload()
    expect(box).to_have_value("")
    expect(page.locator(".measured")).to_have_text("Measured: 8.421 MB")
    assert axe(page) == []


@pytest.mark.browser
def test_without_a_script_the_question_and_the_value_are_there(
    open_page: Callable[..., Opened],
) -> None:
    page, _ = open_page(asked() + measured("size", 8.4213)._repr_html_(), java_script_enabled=False)
    expect(page.locator(".lockstep-predict").first).to_contain_text("How large is *it*?")
    expect(page.locator(".measured")).to_have_text("Measured: 8.421 MB")
