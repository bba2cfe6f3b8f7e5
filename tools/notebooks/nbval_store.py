"""pytest plugin: stores the outputs that nbval sees, notebook by notebook, and shows progress.

A notebook runs in a temporary folder and home of its own. When its kernel has ended, no process
that it started may be alive, and nothing may lie in that folder or beside the notebook: otherwise
its outputs are not stored. Loaded by `tools.notebooks.execute`.
"""

import json
import os
import shutil
import tempfile
import time
from collections.abc import Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psutil
import pytest
from nbval.plugin import IPyNbCell, IPyNbFile, NbCellError
from xdist.scheduler import LoadScopeScheduling

from lockstep.grading.kernels import MARK
from lockstep.launch import WAITING
from tools import CACHE, ROOT
from tools.notebooks import execute, files, keys, servers

GRACE_S = 3.0  # launch promises that nothing lives 2 s after its kernel
PROGRESS_S = 10.0
# What Jupyter and the frameworks themselves write into a home, in every program that uses them.
HOME_MAY_HOLD = {".cache", ".config", ".ipython", ".keras", ".local"}
# What TensorFlow (autograph) and torch (inductor) leave in the temporary folder, likewise.
FRAMEWORKS_LEAVE = ("__autograph_generated_file", "torchinductor_")


@dataclass
class Execution:
    """One notebook on its way through nbval."""

    notebook: Path
    store_at: Path
    scratch: Path
    beside: set[Path]
    environment: dict[str, str]
    started: float = field(default_factory=time.monotonic)
    outputs: list[list[Any]] = field(default_factory=list)
    failed: bool = False
    seconds: float = 0.0


EXECUTION = pytest.StashKey[Execution]()


def begin(notebook: Path, sources: list[str]) -> Execution:
    """Give a notebook a temporary folder and a home of its own."""
    scratch = Path(tempfile.mkdtemp(dir=os.environ["LOCKSTEP_SCRATCH"]))
    store_at = keys.stored_at(notebook, sources)
    execution = Execution(notebook, store_at, scratch, files_beside(notebook), dict(os.environ))
    for name in ("tmp", "home"):
        (scratch / name).mkdir()
    fonts = CACHE / "matplotlib"
    fonts.mkdir(parents=True, exist_ok=True)
    os.environ |= {
        MARK: str(scratch),
        "TMPDIR": str(scratch / "tmp"),
        "HOME": str(scratch / "home"),
        "MPLCONFIGDIR": str(fonts),
        **servers.kernel_for(files.begins_with(notebook)[0]),
    }
    return execution


def files_beside(notebook: Path) -> set[Path]:
    """Return the files in the notebook's folder."""
    return {path for path in notebook.parent.rglob("*") if path.is_file()}


def processes_of(execution: Execution) -> list[psutil.Process]:
    """Return the processes that a notebook started and that are alive."""
    alive = []
    for process in psutil.process_iter():
        try:
            # What is forked has the environment of its server, but works in the notebook's folder.
            marked = process.environ().get(MARK) == str(execution.scratch)
            if marked or process.cwd().startswith(str(execution.scratch)):
                alive.append(process)
        except psutil.Error:  # ended meanwhile, or somebody else's
            continue
    return [process for process in alive if process.pid != os.getpid()]


def describe(process: psutil.Process) -> str:
    """Name a process, its command and the ports that it listens on."""
    try:
        ports = [
            str(connection.laddr.port)
            for connection in process.net_connections("inet")
            if connection.status == psutil.CONN_LISTEN
        ]
        listening = f", listening on port {', '.join(ports)}" if ports else ""
        return f"process {process.pid}{listening}: {' '.join(process.cmdline())[:200]}"
    except psutil.Error:
        return f"process {process.pid}"


def left_behind(execution: Execution) -> list[str]:
    """Return a line for each thing that a notebook left behind, and end its processes.

    A port is held by a process, so looking for processes covers it.
    """
    deadline = time.monotonic() + GRACE_S
    while (alive := processes_of(execution)) and time.monotonic() < deadline:
        time.sleep(0.1)
    found = [describe(process) for process in alive]
    for process in alive:
        process.kill()
    home = execution.scratch / "home"
    files = [path for path in home.iterdir() if path.name not in HOME_MAY_HOLD]
    temporary = (execution.scratch / "tmp").iterdir()
    files += [path for path in temporary if not path.name.startswith(FRAMEWORKS_LEAVE)]
    found += [f"in the temporary folder: {path.relative_to(execution.scratch)}" for path in files]
    new = files_beside(execution.notebook) - execution.beside
    return found + [f"beside the notebook: {path.name}" for path in sorted(new)]


def finish(execution: Execution) -> None:
    """Store the outputs of a notebook that is done, if nothing failed and nothing was left."""
    os.environ.clear()
    os.environ.update(execution.environment)
    execution.seconds = round(time.monotonic() - execution.started, 1)
    try:
        found = left_behind(execution)
    finally:
        shutil.rmtree(execution.scratch, ignore_errors=True)
    if found:
        lines = "\n  ".join(found)
        pytest.fail(f"{execution.notebook.name} left behind:\n  {lines}", pytrace=False)
    if not execution.failed:
        execute.store(execution.store_at, execution.seconds, execution.outputs)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Generator[None, None, None]:
    """Before the first cell, prepare; after a cell that failed, leave the others out."""
    notebook = item.parent
    assert isinstance(notebook, IPyNbFile)
    if EXECUTION not in notebook.stash:
        # As nbval read them, in case the file has changed since.
        sources = [cell.source for cell in notebook.nb.cells if cell.cell_type == "code"]
        notebook.stash[EXECUTION] = begin(notebook.path, sources)
    if notebook.stash[EXECUTION].failed:
        pytest.skip("an earlier cell failed")
    yield


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Take the outputs of a cell; say which cell failed, where and why."""
    report = yield
    assert isinstance(item, IPyNbCell) and item.parent is not None
    execution = item.parent.stash[EXECUTION]
    if report.failed and call.excinfo is not None:
        execution.failed = True
        if report.when != "teardown":
            report.longrepr = failure(execution.notebook, item, call.excinfo.value)
    elif report.when == "call":
        errors = [out for out in item.test_outputs if out["output_type"] == "error"]
        if errors:
            execution.failed = True
            report.outcome = "failed"
            report.longrepr = failure(execution.notebook, item, errors[0]["evalue"])
        execution.outputs.append(list(filter(is_of_notebook, item.test_outputs)))
    return report


def is_of_notebook(output: Any) -> bool:
    """Say whether an output is the notebook's own; and take out that it waited for another one."""
    if output["output_type"] == "stream" and f"{WAITING}\n" in output["text"]:
        output["text"] = output["text"].replace(f"{WAITING}\n", "")
        return bool(output["text"])
    return True


@pytest.hookimpl(wrapper=True)
def pytest_runtest_teardown(
    item: pytest.Item, nextitem: pytest.Item | None
) -> Generator[None, None, None]:
    """After the last cell, when pytest has ended the kernel, finish."""
    yield
    assert item.parent is not None
    if nextitem is None or nextitem.parent is not item.parent:
        finish(item.parent.stash[EXECUTION])


def failure(notebook: Path, item: IPyNbCell, error: object) -> str:
    """Say which cell failed; show it, what it printed and its traceback."""
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    code = [index for index, cell in enumerate(cells) if cell["cell_type"] == "code"]
    index = code[item.cell_num]
    traceback = error.inner_traceback if isinstance(error, NbCellError) else ""
    outputs = getattr(item, "test_outputs", [])
    printed = "".join(out["text"] for out in outputs if out["output_type"] == "stream")
    return (
        f"{notebook.relative_to(ROOT)}, cell {index + 1} of {len(cells)} "
        f"(id {cells[index].get('id', 'none')!r}): {error}\n\n"
        f"{item.cell.source}\n\n{printed}{traceback}"
    )


class Progress:
    """Says which notebook runs, how far it is, and what is done."""

    def __init__(self, config: pytest.Config) -> None:
        self.started: dict[str, float] = {}
        self.cells: dict[str, int] = {}
        self.failed: set[str] = set()
        self.said = time.monotonic()
        self.config = config

    def say(self, line: str) -> None:
        """Write a line at once."""
        reporter = self.config.pluginmanager.getplugin("terminalreporter")
        reporter.ensure_newline()
        reporter.write_line(line, flush=True)
        self.said = time.monotonic()

    @pytest.hookimpl
    def pytest_runtest_logstart(self, nodeid: str) -> None:
        """A cell starts."""
        path = nodeid.split("::")[0]
        if path not in self.started:
            self.started[path] = time.monotonic()
            self.cells[path] = len(files.sources(ROOT / path))
            self.say(f"  {path}: started, {self.cells[path]} code cells")

    @pytest.hookimpl
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """A cell, or a notebook, is done."""
        path, cell = report.nodeid.split("::")
        done = int(cell.split()[-1]) + 1
        if report.failed:
            self.failed.add(path)
        if report.when == "teardown" and done == self.cells[path]:
            outcome = "failed" if path in self.failed else "done"
            self.say(f"  {path}: {outcome} after {time.monotonic() - self.started[path]:.1f} s")
        elif report.when == "call" and time.monotonic() - self.said > PROGRESS_S:
            seconds = time.monotonic() - self.started[path]
            self.say(f"  {path}: {done} of {self.cells[path]} cells after {seconds:.0f} s")

    @pytest.hookimpl
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """No dot for each cell."""
        return (report.outcome, "", "") if report.when == "call" or report.skipped else None


class ByNotebook(LoadScopeScheduling):
    """Gives each worker one notebook at a time; those that keep all cores busy to one worker."""

    def _split_scope(self, nodeid: str) -> str:
        path = nodeid.split("::")[0]
        return "busy" if files.spins(ROOT / path) else path


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> ByNotebook:
    """Replace the scheduler of `--dist loadscope`."""
    return ByNotebook(config, log)


def pytest_configure(config: pytest.Config) -> None:
    """Show progress, in the one process that has the terminal."""
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Progress(config), "lockstep-progress")
