"""Answers of assignments: what they score, and that they score it as stock nbgrader would."""

import copy
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

import nbformat
import psutil
import pytest
from jupyter_client.manager import KernelManager
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell, new_notebook

from lockstep import ahead, runtime
from lockstep.grading import kernels
from tools import ROOT
from tools.assignments import answers, releases
from tools.assignments.answers import Graded

pytestmark = pytest.mark.exercises
TWO_POINTS = {"grade": True, "points": 2, "solution": False, "locked": True}
ASKED = {"grade": False, "solution": True, "locked": False}
GIVEN = {"grade": False, "solution": False, "locked": True}
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


def cell(name: str, source: str, **metadata: object) -> NotebookNode:
    nbgrader = {"grade_id": name, "schema_version": 3, "task": False, **metadata}
    return new_code_cell(source, id=name, metadata={"nbgrader": nbgrader})


def notebook_of(*cells: NotebookNode) -> NotebookNode:
    kernel = {"name": "python3", "display_name": "Python 3", "language": "python"}
    return new_notebook(cells=list(cells), metadata={"kernelspec": kernel})


def exam(sources: dict[str, str], imports: str = IMPORTS) -> NotebookNode:
    tests = [cell(name, source, **TWO_POINTS) for name, source in sources.items()]
    return notebook_of(cell("setup", imports, **GIVEN), *tests)


def graded(notebook: NotebookNode, folder: Path, modules: list[str], limit_s: int = 120) -> Graded:
    """Grade a notebook by itself."""
    config = answers.course_config()
    config.Execute.timeout = limit_s
    with (
        kernels.kernels(modules) as variables,
        mock.patch.dict(os.environ, variables),
        mock.patch.dict(os.environ),
    ):
        # Where it is set, an ordinary ipykernel does not capture file descriptor 2.
        os.environ.pop("PYTEST_CURRENT_TEST", None)
        return answers.grade("a notebook", notebook, frozenset(), folder, config)


def kinds(notebook: NotebookNode) -> dict[str, set[tuple[str, ...]]]:
    """Return of what kinds the outputs of each cell are."""
    return {
        c.id: {(o.output_type, o.get("name", ""), *sorted(o.get("data", {}))) for o in c.outputs}
        for c in notebook.cells
    }


def test_forked_and_ordinary_kernels_score_alike(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sources = {name: source for name, (source, _) in RULES.items()}
    forked = exam(sources, WITH_FRAMEWORKS)
    ordinary = copy.deepcopy(forked)
    by_fork = graded(forked, tmp_path, ALL_MODULES)
    monkeypatch.setenv(ahead.SWITCH, "0")  # as on a system that cannot do it
    by_start = graded(ordinary, tmp_path, [])

    assert by_start.points == by_fork.points
    assert by_fork.points == {name: points for name, (_, points) in RULES.items()}
    assert kinds(forked) == kinds(ordinary)
    assert ("display_data", "", "image/png", "text/plain") in kinds(forked)["figure"]


def test_forks_do_not_share_random_numbers(tmp_path: Path) -> None:
    show = "print(random.random(), np.random.random(), __import__('uuid').uuid4())"
    one, other = exam({"show": show}), exam({"show": show})
    with (
        kernels.kernels(["numpy.random"]) as variables,
        mock.patch.dict(os.environ, variables),
    ):
        for notebook in (one, other):
            answers.grade("a", notebook, frozenset(), tmp_path, answers.course_config())
    numbers = [notebook.cells[1].outputs[0].text.split() for notebook in (one, other)]
    assert len({*numbers[0], *numbers[1]}) == 6


def test_an_endless_loop_loses_its_cell_only(tmp_path: Path) -> None:
    notebook = exam({"endless": "while True:\n    time.sleep(0.01)", "next": "assert True"})
    assert graded(notebook, tmp_path, [], limit_s=3).points == {"endless": 0, "next": 2}


@pytest.mark.parametrize("source", ["os._exit(1)", "os.kill(os.getpid(), 9)", "3.0"])
def test_what_nbgrader_cannot_grade_is_not_zero(tmp_path: Path, source: str) -> None:
    notebook = exam({"ends": source, "next": "assert True"})
    result = graded(notebook, tmp_path, [])
    assert result.points is None
    assert "could not be graded" in answers.differences(result, notebook)[0]
    assert "| ! " in answers.table(notebook, [result])


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


SMALL = {
    "add": (
        "def add(a, b):\n    ### BEGIN SOLUTION\n    return a + b\n    ### END SOLUTION",
        "assert add(1, 2) == 3, 'sum'\n"
        "### BEGIN HIDDEN TESTS\n"
        "for a in (0, 5):\n"
        "    assert add(a, 1) == a + 1\n"
        "assert add(-1, 0) == -1\n"
        "### END HIDDEN TESTS",
    ),
    "double": (
        "def double(a):\n    ### BEGIN SOLUTION\n    return 2 * a\n    ### END SOLUTION",
        "### BEGIN HIDDEN TESTS\n"
        "def add(a, b):\n"
        "    return a + b\n"
        "### END HIDDEN TESTS\n"
        "assert double(2) == 4\n"
        "### BEGIN HIDDEN TESTS\n"
        "close(double(add(1, 3)), 8)\n"
        "### END HIDDEN TESTS",
    ),
}
ALWAYS_THREE = '"""Three.\n\nLoses: add-test\n"""\n\n# %% add\ndef add(a, b):\n    return 3\n'
POSITIVE = ALWAYS_THREE.replace("return 3", "return abs(a) + b")
SQUARE = '"""Square.\n\nLoses: double-test\n"""\n\n# %% double\ndef double(a):\n    return a * a\n'
SUM = '"""A sum."""\n\n# %% double\ndef double(a):\n    return a + a\n'


def course_of(folder: Path, small: dict[str, tuple[str, str]], files: dict[str, str]) -> Path:
    """Make an exercises folder with the assignment "small"."""
    exercises = folder / "exercises"
    given = "def close(a, b):\n    assert abs(a - b) < 1e-9"
    cells = [cell("setup", "print('no framework')", **GIVEN), cell("given", given, **GIVEN)]
    for name, (solution, test) in small.items():
        cells += [cell(name, solution, **ASKED), cell(f"{name}-test", test, **TWO_POINTS)]
    notebook = releases.source("small", exercises)
    notebook.parent.mkdir(parents=True)
    nbformat.write(notebook_of(*cells), notebook)
    (exercises / "nbgrader_config.py").write_text("c = get_config()\n")
    for path, text in files.items():
        file = releases.answers("small", exercises) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    return exercises


GOOD = {
    "right/sum.py": SUM,
    "wrong/always-three.py": ALWAYS_THREE,
    "wrong/positive.py": POSITIVE,
    "wrong/square.py": SQUARE,
}


def test_a_good_assignment_has_nothing_amiss(
    tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    exercises = course_of(tmp_path, SMALL, GOOD)
    assert answers.main("small", [], exercises) == 0
    shown = capfd.readouterr().out
    assert "| wrong/always-three | [0] | 2      |" in shown
    assert "6 graded" in shown and "all as it should be" in shown

    kept = (releases.answers("small", exercises) / answers.TABLE).read_text()
    assert kept.startswith(answers.first_line("small", exercises) + "\n")
    (rows,) = [part for part in kept.split("\n\n") if part.startswith("| answer ")]
    assert rows.strip() in shown
    assert answers.mismatches(rows, kept) == []
    fewer = kept.replace("| right/sum          | 2   |", "| right/sum          | 1.5 |")
    assert answers.mismatches(rows, fewer) == ["right/sum: add is 2, and 1.5 in table.md"]
    gone = kept.replace("right/sum", "right/all")
    assert "right/sum: double is 2, and None in table.md" in answers.mismatches(rows, gone)


ADD, DOUBLE = SMALL["add"], SMALL["double"]


@pytest.mark.parametrize(
    ("small", "files", "said"),
    [
        pytest.param(
            SMALL,
            GOOD
            | {"wrong/positive.py": SUM.replace('"""A sum."""', '"""S.\n\nLoses: add-test\n"""')},
            ["wrong/positive: add-test is not lost: 2 of 2 points", "add-test, line 5: no wrong"],
            id="a wrong answer that passes",
        ),
        pytest.param(
            SMALL,
            GOOD | {"right/sum.py": SUM.replace("a + a", "a + 2")},
            ["right/sum: double-test is lost: 0 of 2 points, at line 7"],
            id="a right answer that fails",
        ),
        pytest.param(
            SMALL,
            {path: text for path, text in GOOD.items() if "square" not in path},
            [
                "double-test: no wrong answer is aimed at it",
                "double-test, line 7: no wrong answer fails it: close(double(add(1, 3)), 8)",
            ],
            id="a cell that nobody is aimed at",
        ),
        pytest.param(
            SMALL,
            {path: text for path, text in GOOD.items() if "three" not in path},
            ["add-test, line 3: no wrong answer fails it: for a in (0, 5):"],
            id="a hidden test that nobody fails",
        ),
        pytest.param(
            SMALL | {"add": (ADD[0], "warnings = __import__('warnings').warn('x')\n" + ADD[1])},
            GOOD,
            ["reference: add-test is lost: 0 of 2 points"],
            id="a test cell that warns",
        ),
        pytest.param(
            SMALL | {"double": (DOUBLE[0].replace("    ### ", "    # "), DOUBLE[1])},
            GOOD,
            [],
            id="a solution without a region is cleared as a whole",
        ),
        pytest.param(
            SMALL | {"free": ("def free():\n    ...", "assert True")},
            GOOD,
            ["untouched release: free-test gives 2 points", "free-test: no wrong answer"],
            id="points for nothing",
        ),
        pytest.param(
            SMALL
            | {"double": (DOUBLE[0], DOUBLE[1].replace("def add(a, b):", "def other(a, b):"))},
            GOOD,
            ["wrong/always-three: double-test is lost"],
            id="one mistake that costs two cells",
        ),
        pytest.param(
            SMALL | {"add": (ADD[0], ADD[1].replace("== a + 1", "== a + 1, 'no\\n' + 84 * '-'"))},
            GOOD,
            ["wrong/always-three: add-test: a line of its message is cut by nbgrader validate"],
            id="a message that is cut",
        ),
    ],
)
def test_what_is_amiss_is_said(
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    small: dict[str, tuple[str, str]],
    files: dict[str, str],
    said: list[str],
) -> None:
    exercises = course_of(tmp_path, small, files)
    code = answers.main("small", [], exercises)
    shown = capfd.readouterr().out
    assert code == int(bool(said)), shown
    assert (exercises / "answers" / "small" / answers.TABLE).exists() == (not said)
    for text in said:
        assert text in shown


def test_some_answers_only(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    exercises = course_of(tmp_path, SMALL, GOOD)
    assert answers.main("small", ["sum"], exercises) == 0
    assert "wrong/" not in capfd.readouterr().out
    with pytest.raises(SystemExit, match=r"no answer some, only: sum, always-three"):
        answers.main("small", ["some"], exercises)
    with pytest.raises(SystemExit, match=r"no assignment 'big', only: small"):
        answers.main("big", [], exercises)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("# %% add\n1 +\n", "line 2 is not Python"),
        ("# %% add\nx = 1\n", "must begin with a docstring"),
        ('"""Why.\n\nLoses: add-test\n"""\nx = 1\n', "must begin the text of each solution cell"),
        (ALWAYS_THREE.replace("# %%", "x = 1\n# %%"), "no code may stand before the first"),
        (ALWAYS_THREE + "\n\n# %% add\nx = 1\n", "`# %% add` stands there twice"),
        (SUM, "needs one line `Loses: ID`"),
        (ALWAYS_THREE.replace("add-test", ""), "needs one line `Loses: ID`"),
        (ALWAYS_THREE.replace("Loses", "Loses: a\nLoses"), "needs one line `Loses: ID`"),
        (ALWAYS_THREE, "a right answer loses nothing"),
    ],
)
def test_an_answer_that_breaks_a_rule_is_named(tmp_path: Path, text: str, rule: str) -> None:
    kind = "right" if rule.startswith("a right") else "wrong"
    path = tmp_path / kind / "this.py"
    path.parent.mkdir()
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"{kind}/this\.py: .*{re.escape(rule)}"):
        answers.read(path)


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (ALWAYS_THREE.replace("# %% add", "# %% ad"), "no solution cell 'ad', only add, double"),
        (
            ALWAYS_THREE.replace("add-test", "add"),
            "no autograded cell 'add' to lose, only add-test",
        ),
    ],
)
def test_an_answer_to_another_cell_is_named(tmp_path: Path, text: str, rule: str) -> None:
    exercises = course_of(tmp_path, SMALL, GOOD | {"wrong/always-three.py": text})
    with pytest.raises(SystemExit, match=f"wrong/always-three: the assignment has {rule}"):
        answers.main("small", [], exercises)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_when_the_grading_is_stopped(tmp_path: Path, number: int) -> None:
    endless = ADD[0].replace("return a + b", "print(flush=True)\n    while True: pass")
    exercises = course_of(tmp_path, {"add": (endless, ADD[1])}, {})
    marker = tempfile.mkdtemp(prefix="stop-")  # short, as the paths of sockets must be
    command = f"import pathlib; main('small', [], pathlib.Path({str(exercises)!r}))"
    with subprocess.Popen(
        [sys.executable, "-c", f"from tools.assignments.answers import main; {command}"],
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


@pytest.mark.parametrize("name", releases.names())
@pytest.mark.timeout(1200)
def test_answers_score_what_their_table_says(
    name: str, record_property: Callable[[str, object], None]
) -> None:
    path = releases.source(name)
    notebook = nbformat.read(path, as_version=4)
    given = {answers.label(answer): answer for answer in answers.answers(name)}
    chosen = list(given)[:6]
    graded = answers.grade_all(
        notebook, [given[label] for label in chosen], path.parent, answers.course_config()
    )
    shown = answers.table(notebook, graded)
    print(shown)
    left_out = len(given) - len(chosen)
    record_property("graded", f"{name}: {', '.join(answer.label for answer in graded)}")
    record_property("not graded", f"{name}: {left_out} other answers, taken from its table")
    kept = (releases.answers(name) / answers.TABLE).read_text(encoding="utf-8")
    found = answers.amiss(notebook, graded, whole=not left_out) + answers.mismatches(shown, kept)
    assert not found, "\n".join([*found, f"All of it: make answers NAME={name}"])
