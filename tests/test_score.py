"""Submissions are scored as stock nbgrader would, and their kernels do not outlive each other."""

import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import psutil
import pytest
from jupyter_client.manager import KernelManager
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from lockstep import ahead, runtime
from lockstep.grading import kernels
from lockstep.grading.score import Score, Submission, course_config, score_all
from tools import EXERCISES, ROOT

pytestmark = pytest.mark.exercises
ALL_MODULES = runtime.modules(runtime.FRAMEWORKS)
PATIENCE_S = 20

# What a test cell does, and the points of 2 that stock nbgrader gives.
RULES = {
    "tensorflow-runs": (
        "cpu = tf.config.list_physical_devices('CPU')[0]\n"
        "two = [tf.config.LogicalDeviceConfiguration()] * 2\n"
        "tf.config.set_logical_device_configuration(cpu, two)\n"
        "strategy = tf.distribute.MirroredStrategy(['CPU:0', 'CPU:1'])\n"
        "total = strategy.reduce('SUM', strategy.run(tf.function(lambda: tf.ones([]))), None)\n"
        "assert total == 2",
        2,
    ),
    # To standard output, as TensorFlow takes a kernel for a person at a prompt.
    "tensorflow-logs": ("tf.get_logger().warning('x')", 2),
    "tensorflow-prints": ("tf.print('x')", 2),
    "tensorflow-prints-in-a-graph": (
        "@tf.function\ndef show():\n    tf.print('x')\nshow()",
        2,
    ),
    "torch-runs": ("assert (torch.ones(300, 300) @ torch.ones(300, 300)).sum() == 300**3", 2),
    "passes": ("assert True", 2),
    "prints": ("print(1)", 2),
    "fails": ("assert False", 0),
    "raises": ("1 / 0", 0),
    "no-syntax": ("def", 0),
    "stderr": ("print('x', file=sys.stderr)", 0),
    "warns": ("warnings.warn('x')", 0),
    # A thread of the kernel reads descriptor 2: on a busy machine it may come after the cell's end.
    "descriptor-2": ("os.write(2, b'x')\ntime.sleep(1)", 0),
    "child-stderr": ("subprocess.run(['sh', '-c', 'echo x >&2'])\ntime.sleep(1)", 0),
    "logs": ("logging.warning('x')", 0),
    "half": ("0.5", 0.5),
    "zero": ("0.0", 0),
    "numpy-half": ("np.float64(0.5)", 2),
    "torch-half": ("torch.tensor(0.5)", 2),
    "nan": ("float('nan')", 2),
    "false": ("1 == 2", 2),
    "half-after-output": ("print(1)\n0.5", 0.5),
    "stderr-and-half": ("print('x', file=sys.stderr)\n0.5", 0),
    "figure": ("plt.plot([1, 2]);", 2),
    "figure-without-semicolon": ("plt.plot([1, 2])", 2),
    "random": ("assert (random.random(), np.random.random()) != (0, 0)", 2),
    "absl-logs": ("from absl import logging as absl_logging\nabsl_logging.warning('x')", 0),
    "torch-logs": ("logging.getLogger('torch').warning('x')", 0),
}
IMPORTS = """\
import logging, os, random, subprocess, sys, time, warnings
import matplotlib.pyplot as plt
import numpy as np
"""
WITH_FRAMEWORKS = f"""\
from lockstep.runtime import start
start("tensorflow", "torch")
{IMPORTS}
import tensorflow as tf
import torch
"""


def exam(sources: dict[str, str], imports: str = IMPORTS) -> NotebookNode:
    """Return a notebook with a cell of imports, and test cells of two points each."""
    cells = []
    for name, source in {"setup": imports, **sources}.items():
        flags = {"grade": name != "setup", "solution": False, "task": False, "locked": True}
        of_cell = {"grade_id": name, "schema_version": 3, "points": 2, **flags}
        cells.append(new_code_cell(source, id=name, metadata={"nbgrader": of_cell}))
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=cells, metadata={"kernelspec": kernel})


def scored(
    *notebooks: NotebookNode, folder: Path, modules: list[str] | None = None, limit_s: int = 120
) -> list[Score]:
    config = course_config(EXERCISES)
    config.Execute.timeout = limit_s
    submissions = [Submission(f"number {i}", one, folder) for i, one in enumerate(notebooks)]
    return score_all(submissions, modules or [], config)


def kinds(notebook: NotebookNode) -> dict[str, set[tuple[str, ...]]]:
    """Return the kinds of the outputs of each cell."""
    return {
        c.id: {(o.output_type, o.get("name", ""), *sorted(o.get("data", {}))) for o in c.outputs}
        for c in notebook.cells
    }


def test_forked_and_ordinary_kernels_score_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Where it is set, an ordinary ipykernel does not capture file descriptor 2.
    monkeypatch.delenv("PYTEST_CURRENT_TEST")
    notebook = exam({name: source for name, (source, _) in RULES.items()}, WITH_FRAMEWORKS)
    (forked,) = scored(notebook, folder=tmp_path, modules=ALL_MODULES)
    monkeypatch.setenv(ahead.SWITCH, "0")  # as on a system that cannot do it
    (ordinary,) = scored(notebook, folder=tmp_path)

    assert ordinary.points == forked.points
    assert forked.points == {name: points for name, (_, points) in RULES.items()}
    assert kinds(forked.notebook) == kinds(ordinary.notebook)
    assert ("display_data", "", "image/png", "text/plain") in kinds(forked.notebook)["figure"]


def test_forks_do_not_share_random_numbers(tmp_path: Path) -> None:
    show = "print(random.random(), np.random.random(), __import__('uuid').uuid4())"
    two = scored(*[exam({"show": show})] * 2, folder=tmp_path, modules=["numpy.random"])
    numbers = [result.notebook.cells[1].outputs[0].text.split() for result in two]
    assert len({*numbers[0], *numbers[1]}) == 6


def test_an_endless_loop_loses_its_cell_only(tmp_path: Path) -> None:
    notebook = exam({"endless": "while True:\n    time.sleep(0.01)", "next": "assert True"})
    (result,) = scored(notebook, folder=tmp_path, limit_s=3)
    assert result.points == {"endless": 0, "next": 2}


def test_what_nbgrader_cannot_grade_is_not_zero_and_costs_nobody_else(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "data.txt").write_text("beside")
    half = "assert open('data.txt').read() == 'beside'\n\nassert False"
    sources = ["os._exit(1)", "os.kill(os.getpid(), 9)", "3.0", half]
    notebooks = [exam({"ends": source, "next": "assert True"}) for source in sources]
    *dead, alive = scored(*notebooks, folder=tmp_path)
    assert [result.points for result in dead] == [None] * 3
    assert all(result.problem for result in dead)
    assert (alive.points, alive.failed_at) == ({"ends": 0, "next": 2}, {"ends": 3})
    told = capsys.readouterr().out
    assert "[ 4/4]" in told and "number 3: 2 of 4 points" in told
    assert "number 0: could not be graded: " in told


def processes(marker: str) -> set[int]:
    """Return the processes whose command line, environment or folder has this text."""
    found = set()
    for process in psutil.process_iter():
        try:
            texts = [*process.cmdline(), *process.environ().values(), process.cwd()]
        except psutil.Error:
            continue
        if any(marker in text for text in texts):
            found.add(process.pid)
    return found


def wait_until(done: Callable[[], object], what: str) -> None:
    end = time.monotonic() + PATIENCE_S
    while not done():
        assert time.monotonic() < end, f"not yet: {what}"
        time.sleep(0.05)


def ended(pid: int) -> bool:
    return not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


class Started:
    """A forked kernel, with its processes by name."""

    def __init__(self, folder: Path) -> None:
        place = tempfile.mkdtemp(dir=os.environ["TMPDIR"])
        self.manager = KernelManager(transport="ipc", connection_file=f"{place}/kernel.json")
        self.manager.start_kernel(cwd=str(folder))
        self.talk = self.manager.client()
        self.talk.start_channels()
        self.talk.wait_for_ready(timeout=PATIENCE_S)
        told: list[str] = []
        self.talk.execute_interactive(
            "import os; from lockstep.runtime import start; start()\n"
            "print('pids', os.getpid(), os.getppid(), os.getcwd())",
            output_hook=lambda message: told.append(message["content"].get("text", "")),
        )
        pids = "".join(told).split("pids")[1].split()
        self.kernel, self.zygote, self.scratch = int(pids[0]), int(pids[1]), Path(pids[2])
        assert self.manager.provisioner is not None
        self.client = int(getattr(self.manager.provisioner, "pid"))  # noqa: B009

    def close(self) -> None:
        self.talk.stop_channels()
        self.manager.shutdown_kernel(now=True)


@pytest.fixture
def started(tmp_path: Path) -> Iterator[Started]:
    with kernels.kernels() as variables, mock.patch.dict(os.environ, variables):
        kernel = Started(tmp_path)
        yield kernel
        kernel.close()


@pytest.mark.parametrize("victim", ["client", "kernel", "zygote"])
def test_client_kernel_and_zygote_do_not_outlive_each_other(started: Started, victim: str) -> None:
    assert started.scratch.exists()
    os.kill(getattr(started, victim), signal.SIGKILL)
    wait_until(lambda: ended(started.client) and ended(started.kernel), "both have ended")
    assert not started.manager.is_alive()
    wait_until(lambda: not started.scratch.exists(), "the kernel's scratch folder is removed")


def test_a_kernel_that_starts_while_another_ends(started: Started, tmp_path: Path) -> None:
    os.kill(started.zygote, signal.SIGSTOP)  # so that it hears of both at once
    os.kill(started.kernel, signal.SIGKILL)
    resume = threading.Timer(1, os.kill, (started.zygote, signal.SIGCONT))
    resume.start()
    other = Started(tmp_path)
    assert other.zygote == started.zygote
    other.close()


def test_an_interrupt_stops_a_cell_and_not_the_kernel(started: Started) -> None:
    request = started.talk.execute("import time\nprint('on', flush=True)\ntime.sleep(600)")
    while started.talk.get_iopub_msg(timeout=PATIENCE_S)["msg_type"] != "stream":
        pass
    started.manager.interrupt_kernel()
    reply = started.talk.get_shell_msg(timeout=PATIENCE_S)
    assert reply["parent_header"]["msg_id"] == request
    assert reply["content"]["ename"] == "KeyboardInterrupt"
    assert started.manager.is_alive()


def test_a_module_that_is_not_there_is_named() -> None:
    with (
        pytest.raises(RuntimeError, match="no_such_module"),
        kernels.kernels(["no_such_module"]),
    ):
        pass


STOPPED = """\
import sys
from pathlib import Path
sys.path.insert(0, {tests!r})
from test_score import exam, scored
scored(*[exam({{"endless": "while True: pass"}})] * 4, folder=Path({folder!r}))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_the_grading_is_stopped(tmp_path: Path, number: int) -> None:
    marker = tempfile.mkdtemp(prefix="stop-")  # short, as the paths of sockets must be
    command = STOPPED.format(tests=str(Path(__file__).parent), folder=str(tmp_path))
    with subprocess.Popen(
        [sys.executable, "-c", command],
        env={**os.environ, "TMPDIR": marker, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    ) as tool:
        pipes = Path(marker).glob
        wait_until(lambda: len([*pipes("*/tmp/*/kernel-ipc-*")]) >= 10, "two kernels have started")
        tool.send_signal(number)
        assert tool.wait(PATIENCE_S) != 0
    wait_until(lambda: not processes(marker), "no process is left")
    os.rmdir(marker)  # fails if anything is left in it
