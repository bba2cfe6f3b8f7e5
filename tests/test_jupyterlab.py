"""What learners see, in a real JupyterLab: executed there, and stored and not trusted."""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError

import nbformat
import psutil
import pytest
from browser import watch
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from playwright.sync_api import Browser, Locator, Page, expect

from tools.assignments import releases

BANK = Path(__file__).parent / "bank"
QUIZ = f"""\
from pathlib import Path
from lockstep import questions, show
questions.BANK = Path({str(BANK)!r})
show.quiz("sample")"""
PROOF = 'questions.prove("bytes-of-all-reduce", 6.1)'
FIGURE = """\
import matplotlib.pyplot as plt
fig, ax = plt.subplots()
ax.set_xlabel("steps")
show.figure(fig, alt="An empty chart")"""
EXPLORER = """\
from lockstep.explorer import explorer
explorer()"""
START_S = 60
# A student's answers to a task of the assignment `batches`: a wrong one, and the mended one.
FORGETS_TO_FALL = """\
    return min(peak, peak * (step + 1) / warm_up)
"""
RIGHT = """\
    if step < warm_up:
        return peak * (step + 1) / warm_up
    return peak * (steps - step) / (steps - warm_up)
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Notebooks: live.ipynb to be executed, stored.ipynb with outputs that nobody signed."""
    folder = tmp_path_factory.mktemp("notebooks")
    filler = [new_markdown_cell("text\n\n" * 20) for _ in range(3)]
    code = [new_code_cell(source) for source in (QUIZ, PROOF, FIGURE, EXPLORER)]
    headings = [new_markdown_cell("# Sample"), new_markdown_cell("## Gradients or weights?")]
    last = new_markdown_cell("The end")  # or Shift+Enter would add a cell
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook = new_notebook(
        cells=[*headings, *filler, *code, last], metadata={"kernelspec": kernel}
    )
    nbformat.write(notebook, folder / "live.ipynb")
    NotebookClient(notebook, kernel_name="python3").execute()
    nbformat.write(notebook, folder / "stored.ipynb")
    shutil.copy(releases.release("batches"), folder)
    return folder


@pytest.fixture(scope="module")
def server(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a JupyterLab with settings and trust of its own, and no news to fetch."""
    home = tmp_path_factory.mktemp("jupyter")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    notification = home / "settings/@jupyterlab/apputils-extension/notification.jupyterlab-settings"
    notification.parent.mkdir(parents=True)
    notification.write_text(json.dumps({"fetchNews": "false", "checkForUpdates": False}))
    names = {
        "HOME": "home",
        "IPYTHONDIR": "ipython",
        "JUPYTER_CONFIG_DIR": "config",
        "JUPYTER_DATA_DIR": "data",
        "JUPYTER_RUNTIME_DIR": "runtime",
        "JUPYTERLAB_SETTINGS_DIR": "settings",
        "JUPYTERLAB_WORKSPACES_DIR": "workspaces",
    }
    command = [sys.executable, "-m", "jupyterlab", "--no-browser", "--allow-root"]
    command += [f"--port={port}", "--ServerApp.port_retries=0", "--IdentityProvider.token="]
    with (home / "log").open("w") as log:
        process = subprocess.Popen(
            [*command, f"--ServerApp.root_dir={folder}"],
            env=os.environ | {name: str(home / path) for name, path in names.items()},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
        address = f"http://127.0.0.1:{port}"
        try:
            wait_for(address, process, home / "log")
            yield address
        finally:
            stop(process)
    with socket.socket() as probe:
        assert probe.connect_ex(("127.0.0.1", port)) != 0, "JupyterLab is still listening"


def wait_for(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(f"{address}/api/status", timeout=5).close()
            return
        except URLError:
            time.sleep(0.1)
    pytest.fail(f"JupyterLab did not start within {START_S} s:\n{log.read_text()[-2000:]}")


def stop(process: subprocess.Popen[bytes]) -> None:
    """End the server and its kernels. The server does the latter; what it leaves is an error."""
    family = [process_.pid for process_ in psutil.Process(process.pid).children(recursive=True)]
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(20)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    left = [psutil.Process(pid) for pid in family if psutil.pid_exists(pid)]
    _, alive = psutil.wait_procs(left, timeout=5)
    for survivor in alive:
        survivor.kill()
    assert not alive, f"JupyterLab left kernels behind: {alive}"


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that must not complain. JupyterLab's own debugging messages are no complaint."""
    page = browser.new_page(viewport={"width": 1000, "height": 900})
    seen = watch(page)
    yield page
    page.close()
    assert [line for line in seen if not line.startswith("console debug")] == []


def test_executed_the_quiz_is_a_form_for_the_keyboard(page: Page, server: str) -> None:
    page.goto(f"{server}/doc/tree/live.ipynb")
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.get_by_text("show.quiz").click()
    for _ in range(4):
        page.keyboard.press("Shift+Enter")
    expect(page.locator(".lockstep-quiz form")).to_have_count(3)
    expect(page.get_by_text("Measured here: 6.1 MB. This settles question")).to_be_visible()
    expect(page.get_by_role("img", name="An empty chart")).to_be_visible()
    expect(page.get_by_text("Figure: An empty chart")).to_be_hidden()
    assert page.locator(".lockstep-figure svg[role=img]").count() == 1

    first = page.locator(".question").nth(0)
    first.get_by_role("radio").nth(0).focus()
    page.keyboard.press("ArrowDown")
    expect(first.get_by_role("radio", name="The weights")).to_be_checked()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(first.get_by_role("status")).to_contain_text("Wrong. Adam divides by")
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")  # try again
    page.keyboard.press("Space")
    page.keyboard.press("Enter")
    expect(first.get_by_role("status")).to_contain_text("Right. The optimizer then sees")

    second = page.locator(".question").nth(1)
    second.locator("summary.stem").focus()
    page.keyboard.press("Enter")  # opens the fold
    second.get_by_role("checkbox").nth(0).focus()
    for key in ("Space", "Tab", "Tab", "Space", "Tab", "Enter"):
        page.keyboard.press(key)
    expect(second.get_by_role("status")).to_contain_text("All right.")

    third = page.locator(".question").nth(2)
    third.locator("summary.stem").focus()
    page.keyboard.press("Enter")
    third.get_by_role("textbox").focus()
    page.keyboard.type("12")
    page.keyboard.press("Enter")
    expect(third.get_by_role("status")).to_contain_text("That is what both ranks send")

    explorer = page.locator(".lockstep-explorer")
    explorer.get_by_role("slider", name="Micro-batches").focus()
    for key in ("ArrowRight", "Tab", "ArrowDown", "Tab", "Tab", "Enter", "Tab", "ArrowDown"):
        page.keyboard.press(key)
    expect(explorer.get_by_role("status")).to_contain_text("GPipe, 4 ranks, 12 micro-batches")
    expect(explorer.get_by_role("img", name="Timeline of 1F1B")).to_be_visible()
    # No key reached the notebook: nothing was cut, inserted, or opened for editing.
    expect(page.locator(".jp-Notebook .jp-Cell")).to_have_count(10)
    assert page.locator(".jp-Notebook.jp-mod-editMode").count() == 0

    heading = page.get_by_role("heading", name="Gradients or weights?")
    expect(heading).not_to_be_in_viewport()
    first.get_by_role("link", name="section “Gradients or weights?”").click()
    expect(heading).to_be_in_viewport()


def test_stored_and_not_trusted_the_quiz_is_folds(page: Page, server: str) -> None:
    page.goto(f"{server}/doc/tree/stored.ipynb")
    folds = page.locator(".lockstep-quiz details")
    expect(folds).to_have_count(3 + 3 + 4)
    assert page.locator(".lockstep-quiz").locator("script, style, form, input").count() == 0
    feedback = page.get_by_text("Adam divides by")
    expect(feedback).to_be_hidden()
    page.get_by_text("The weights, after each").click()
    expect(feedback).to_be_visible()
    page.get_by_text("The gradients, before").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("The optimizer then sees")).to_be_visible()

    proof = page.locator(".lockstep-quiz .proof").first
    assert proof.inner_text() == "Measured here: section “gradients or weights”"
    expect(proof.get_by_role("link")).to_have_count(0)
    expect(page.get_by_text("Figure: An empty chart")).to_be_visible()
    letters = page.locator(".lockstep-figure > div")  # what is left of the chart without its SVG
    expect(letters).to_contain_text("steps")
    expect(letters).to_be_hidden()

    explorer = page.locator(".lockstep-explorer")
    table = explorer.get_by_role("table", name="All schedules: 4 ranks, 8 micro-batches")
    expect(table.get_by_role("row", name="Interleaved 1F1B 28.5 15.8 % 18.8 % 5.5")).to_be_visible()
    assert explorer.locator("script, style, select, svg").count() == 0
    assert "{" not in explorer.inner_text()  # neither script nor style nor data is left as text


def test_a_students_way_from_a_failing_test_to_a_passing_one(page: Page, server: str) -> None:
    page.goto(f"{server}/doc/tree/batches.ipynb")
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
    page.get_by_role("menuitem", name="Run", exact=True).click()
    page.get_by_role("menuitem", name="Run All Cells", exact=True).click()
    untouched = page.get_by_text("NotImplementedError: Write your code here, in place of")
    expect(untouched.first).to_be_visible()

    task, test = cell(page, "def learning_rate(step"), cell(page, "def check_rates(peak")
    write(page, task, "raise NotImplementedError", FORGETS_TO_FALL)
    run_both(page)
    expect(test.get_by_text("at step 11 expected 1, got 8.").last).to_be_visible()

    write(page, task, "return min(peak", RIGHT)
    run_both(page)
    expect(test.locator(".jp-OutputArea-output")).to_have_count(0)
    expect(test.locator(".jp-InputPrompt")).to_have_text(re.compile(r"\[\d+\]:"))


def cell(page: Page, text: str) -> Locator:
    """Scroll to the cell with this text, as only cells in view are in the document."""
    found = page.locator(".jp-Cell").filter(has_text=text)
    page.locator(".jp-Notebook").hover()
    for _ in range(60):
        if found.count():
            break
        page.mouse.wheel(0, 500)
        page.wait_for_timeout(50)
    found.scroll_into_view_if_needed()
    return found


def write(page: Page, task: Locator, line: str, answer: str) -> None:
    """Replace a line of a cell, as if by pasting."""
    task.locator(".cm-line").filter(has_text=line).click(click_count=3)
    page.keyboard.insert_text(answer)


def run_both(page: Page) -> None:
    """Run the cell that is being edited, and the test below it."""
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Shift+Enter")
    expect(page.get_by_text("Python 3 (ipykernel) | Idle")).to_be_visible()
