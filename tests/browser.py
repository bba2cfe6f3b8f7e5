"""Headless Chromium for tests, and what every test of a page wants to know about it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe  # type: ignore[import-untyped]
from playwright.sync_api import Browser, Page, Request, expect, sync_playwright

from tools.site import pdf

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
# A page that has content, and a dark theme.
PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>A chapter</title>
<link rel="icon" href="data:,">
<meta name="viewport" content="width=device-width">
<style>
  body {{ font-family: sans-serif; margin: 16px }}
  @media (prefers-color-scheme: dark) {{
    html {{ background: #121212; color: #ced6dd; color-scheme: dark }}
    a {{ color: #8cb4ff }}
  }}
</style></head>
<body><nav><a href="other.html">Another chapter</a></nav><main><h1>A chapter</h1>
<section id="gradients-or-weights"><h2>Gradients <em>or</em> weights?</h2></section>
{content}</main></body></html>
"""
AXE_RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def chromium_path() -> str:
    """Chromium, or Chrome, on this machine: $CHROMIUM, or the first one found on PATH.

    Without one, the test is skipped with a line that says what to install.
    """
    if (path := pdf.chromium()) is None:
        pytest.skip(pdf.NO_CHROMIUM)
    if not Path(path).is_file():
        pytest.skip(f"CHROMIUM={path} is not a file")
    return path


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


Opened = tuple[Page, list[str]]


@contextmanager
def pages(browser: Browser, folder: Path) -> Iterator[Callable[..., Opened]]:
    """Open pages with some content; at the end, none must have done what a page should not.

    What it did is also in the list that comes with it, for a test that expects something.
    """
    opened: list[Opened] = []

    def open_page(content: str, **options: object) -> Opened:
        (folder / "page.html").write_text(PAGE.format(content=content), encoding="utf-8")
        page = browser.new_page(**options)  # type: ignore[arg-type]
        opened.append((page, watch(page)))
        page.goto((folder / "page.html").as_uri())
        return opened[-1]

    yield open_page
    for page, seen in opened:
        page.close()
        assert seen == []


def axe(page: Page, context: Any = None) -> list[str]:
    """What axe finds wrong on the page (WCAG 2.2 A and AA, and best practices), one line each."""
    options = {"runOnly": AXE_RULES, "resultTypes": ["violations"]}
    results = Axe().run(page, context=context, options=options)
    return [
        f"{violation['id']}: {violation['help']}: {node['html']}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
