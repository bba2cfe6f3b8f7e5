"""Executes and scores notebooks as `nbgrader autograde` does, without its database, and faster.

nbgrader's own preprocessors do the work. Their kernels are forked (`lockstep.grading.kernels`).
"""

import copy
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path
from typing import NamedTuple
from unittest import mock

from nbformat import NotebookNode
from nbgrader.preprocessors import Execute, IgnorePattern, LimitOutput
from nbgrader.utils import determine_grade, is_grade, is_solution
from traitlets.config import Config
from traitlets.config.loader import PyFileConfigLoader

from lockstep.grading import kernels

AT_ONCE = 2
ANSI = re.compile(r"\x1b\[[0-9;]*m")
# The other preprocessors of `nbgrader autograde` write to its database.
PREPROCESSORS = (Execute, IgnorePattern, LimitOutput)


class Submission(NamedTuple):
    """A notebook with somebody's solutions and all tests."""

    label: str
    notebook: NotebookNode
    folder: Path  # the notebook is executed in a copy of it


class Score(NamedTuple):
    """The result of a submission. Without `points` it could not be graded, which is not zero."""

    points: dict[str, float] | None  # by test cell
    failed_at: dict[str, int]  # test cell: its line, from 1, that was executed when it failed
    problem: str  # why there are no points
    seconds: float
    notebook: NotebookNode  # with outputs


def course_config(course: Path) -> Config:
    """Return nbgrader's configuration in a course folder."""
    return PyFileConfigLoader("nbgrader_config.py", str(course)).load_config()


def autograded(notebook: NotebookNode) -> dict[str, NotebookNode]:
    """Return the cells of a notebook that are graded by their outcome, by grade_id."""
    return {
        cell.metadata.nbgrader.grade_id: cell
        for cell in notebook.cells
        if cell.cell_type == "code" and is_grade(cell) and not is_solution(cell)
    }


def failing_line(cell: NotebookNode) -> int | None:
    """Return the line of a cell that was executed when it raised, None if it did not raise."""
    for output in cell.outputs:
        if output.output_type == "error":
            trace = ANSI.sub("", "\n".join(output.traceback))
            found = re.search(rf"Cell In\[{cell.execution_count}\], line (\d+)", trace)
            return int(found[1]) if found else None
    return None


def score(submission: Submission, config: Config) -> Score:
    """Execute and score a submission with the kernel python3, as `nbgrader autograde` does."""
    started = time.monotonic()
    scratch = tempfile.mkdtemp(dir=os.environ.get("TMPDIR"))  # goes when the kernels do
    config = copy.deepcopy(config)
    config.Execute.shutdown_kernel = "immediate"
    config.KernelManager.transport = "ipc"  # two kernels that start at once cannot want one port
    config.KernelManager.connection_file = f"{scratch}/kernel.json"
    notebook = copy.deepcopy(submission.notebook)
    resources = {"metadata": {"path": shutil.copytree(submission.folder, f"{scratch}/work")}}
    points: dict[str, float] | None = None
    failed_at: dict[str, int] = {}
    problem = ""
    try:
        for preprocessor in PREPROCESSORS:
            notebook, resources = preprocessor(config=config)(notebook, resources)
        tests = autograded(notebook)
        points = {name: determine_grade(cell)[0] for name, cell in tests.items()}
        failed_at = {name: line for name, cell in tests.items() if (line := failing_line(cell))}
    except Exception as error:  # whatever it is, stock nbgrader would not grade this either
        problem = f"{type(error).__name__}: {error}"
    return Score(points, failed_at, problem, time.monotonic() - started, notebook)


def summary(submission: Submission, result: Score) -> str:
    """Return the points of a submission in words."""
    if result.points is None:
        return f"could not be graded: {result.problem}"
    most = sum(cell.metadata.nbgrader.points for cell in autograded(submission.notebook).values())
    return f"{sum(result.points.values()):g} of {most:g} points"


def score_all(
    submissions: Sequence[Submission],
    modules: Sequence[str],
    config: Config,
    tell: Callable[[Submission, Score], str] = summary,
) -> list[Score]:
    """Score submissions, two at a time, and print a line when each is done.

    Args:
        submissions: what to score.
        modules: what their set-up cell imports; it is imported once for all.
        config: nbgrader's.
        tell: what the line says of a submission.

    Returns:
        The scores, in the order of the submissions.

    Raises:
        RuntimeError: a module cannot be imported.
    """
    done: dict[int, Score] = {}
    print(f"Importing {' and '.join(modules) or 'no framework'}, once", flush=True)
    with (
        ThreadPoolExecutor(AT_ONCE) as pool,
        kernels.kernels(modules) as variables,
        mock.patch.dict(os.environ, variables),
    ):
        try:
            futures = {pool.submit(score, one, config): i for i, one in enumerate(submissions)}
            for future in as_completed(futures):
                index, result = futures[future], future.result()
                done[index] = result
                told = tell(submissions[index], result)
                print(
                    f"[{len(done):2}/{len(submissions)}] {result.seconds:5.1f} s  "
                    f"{submissions[index].label}: {told}",
                    flush=True,
                )
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return [done[index] for index in sorted(done)]
