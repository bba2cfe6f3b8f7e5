"""What holds for every test: in CI, a test that cannot run has failed."""

import os
import re
import signal
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from browser import Opened
    from playwright.sync_api import Browser

IN_CI = os.environ.get("CI", "").lower() in {"1", "true"}
# Reasons that hold for a whole machine, and that CI therefore accepts.
MAY_SKIP_IN_CI = (
    r"Python 3\.1\d was not found",
    "the newest versions are tested",
    "the course has no public address yet",
)

# A shell that runs the tests in the background has SIGINT ignored, and every process inherits that.
# Some tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the files without the mark that is asked for: importing them takes seconds."""
    mark = config.option.markexpr
    if mark.isidentifier() and collection_path.name.startswith("test_"):
        return f"pytest.mark.{mark}" not in collection_path.read_text(encoding="utf-8") or None
    return None


def refuse(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn a skip into a failure that keeps its reason, unless the reason is accepted."""
    if not (IN_CI and report.skipped) or hasattr(report, "wasxfail"):
        return
    reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
    if not any(re.search(accepted, reason) for accepted in MAY_SKIP_IN_CI):
        report.outcome = "failed"
        report.longrepr = f"In CI nothing may be left out, but this was. {reason}"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Look at each test."""
    report = yield
    refuse(report)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report() -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Look at each file that skips itself as a whole."""
    report = yield
    refuse(report)
    return report


@pytest.fixture(scope="module")  # two of them at once in a process fail
def browser() -> "Iterator[Browser]":
    """Chromium. Its library is imported only where a test wants it: that takes a second."""
    from browser import chromium

    with chromium() as running:
        yield running


@pytest.fixture
def open_page(browser: "Browser", tmp_path: Path) -> "Iterator[Callable[..., Opened]]":
    """Opens pages with some content, which must do nothing that a page should not do."""
    from browser import pages

    with pages(browser, tmp_path) as open_page:
        yield open_page
