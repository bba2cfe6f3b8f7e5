"""Headless Chromium for tests, and what every test of a page wants to know about it."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

# Chromium does nothing but load the page: no update, no sync, no probing of the network.
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 60_000  # on a busy machine JupyterLab takes long to load; what holds costs no time
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def chromium_path() -> str:
    """Chromium, or Chrome, on this machine: $CHROMIUM, or the first one found on PATH.

    Without one, the test is skipped with a line that says what to install.
    """
    if given := os.environ.get("CHROMIUM"):
        if not Path(given).is_file():
            pytest.skip(f"CHROMIUM={given} is not a file")
        return given
    for name in ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"):
        if path := shutil.which(name):
            return path
    pytest.skip("Chromium is missing: run 'apt-get install chromium', or set CHROMIUM to its path")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium with an empty profile. Nothing of it is left afterwards."""
    path = chromium_path()
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


def watch(page: Page) -> list[str]:
    """A list that fills with what the page should not do.

    Those are: messages in the console, uncaught exceptions, requests that fail, and requests to
    another host than 127.0.0.1 or localhost. Call it before the page is loaded.
    """
    seen: list[str] = []

    def request(request: Request) -> None:
        address = urlsplit(request.url)
        if address.scheme in ("http", "https", "ws", "wss") and address.hostname not in (
            "127.0.0.1",
            "localhost",
        ):
            seen.append(f"request to another host: {request.url}")

    page.on("console", lambda message: seen.append(f"console {message.type}: {message.text}"))
    page.on("pageerror", lambda error: seen.append(f"uncaught: {error}"))
    page.on("request", request)
    page.on("requestfailed", lambda request: seen.append(f"failed: {request.url}"))
    return seen


def axe(page: Page, context: Any = None) -> list[str]:
    """What axe finds wrong on the page (WCAG 2.2 A and AA, and best practices), one line each."""
    options = {"runOnly": AXE_RULES, "resultTypes": ["violations"]}
    results = Axe().run(page, context=context, options=options)
    return [
        f"{violation['id']}: {violation['help']}: {node['html']}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
