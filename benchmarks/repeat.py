"""Run a notebook many times in a row, and stop at the first failure or the first thing left behind.

Usage: python -m benchmarks.repeat NAME [--times 20] [--again]

After each run it looks for what the run has left: processes, ports on which they listen, and
temporary files. Each good run is noted in .cache/repeat/, under a key that says what the notebook
and the package were, so that it can be stopped (Ctrl-C) and taken up again; --again forgets them.
The slowest run is named at the end.
"""

import argparse
import json
import os
import sys
import tempfile
import time
import uuid
from pathlib import Path

import nbformat
import psutil
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

from tools import notebooks

MARK = "LOCKSTEP_REPEAT"  # a variable that every process of a run inherits
PATIENCE_S = 10  # a kernel's helpers end a moment after it


def descendants(mark: str) -> list[psutil.Process]:
    """Return the processes that a run has started and that still run."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) == mark and process.status() != "zombie":
                found.append(process)
        except psutil.Error:  # it has ended, or belongs to somebody else
            continue
    return found


def left_behind(mark: str, folder: Path) -> list[str]:
    """Return a line for each thing that a run has left, once its helpers have had time to end."""
    end = time.monotonic() + PATIENCE_S
    while (descendants(mark) or any(folder.iterdir())) and time.monotonic() < end:
        time.sleep(0.1)
    found = [f"file {path}" for path in folder.iterdir()]
    for process in descendants(mark):
        found.append(f"process {process.pid}: {' '.join(process.cmdline())[:100]}")
        for connection in process.net_connections():
            if connection.status == psutil.CONN_LISTEN:
                found.append(f"port {connection.laddr.port} of process {process.pid}")
    return found


def run(notebook: Path) -> tuple[float, str]:
    """Execute a notebook; return its seconds, and what went wrong or ""."""
    mark = uuid.uuid4().hex
    with tempfile.TemporaryDirectory(prefix="repeat-", ignore_cleanup_errors=True) as folder:
        # As in tools.notebooks, the first folder of the path is the course's own.
        environment = {**os.environ, MARK: mark, "TMPDIR": folder}
        client = NotebookClient(
            nbformat.read(notebook, as_version=4),
            timeout=notebooks.CELL_LIMIT_S,
            resources={"metadata": {"path": str(notebook.parent)}},
        )
        started = time.monotonic()
        try:
            client.execute(env=environment)
            problem = ""
        except (CellExecutionError, CellTimeoutError, DeadKernelError) as error:
            problem = str(error)
        seconds = time.monotonic() - started
        if left := left_behind(mark, Path(folder)):
            problem += "\nIt left behind:\n  " + "\n  ".join(left)
    return seconds, problem.strip()


def main() -> None:
    """Run what is missing of the wanted number of runs."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.repeat")
    parser.add_argument("name")
    parser.add_argument("--times", type=int, default=20)
    parser.add_argument("--again", action="store_true")
    arguments = parser.parse_args()
    notebook = notebooks.find(arguments.name)
    key = notebooks.stored_at(notebook, notebooks.sources(notebook)).stem
    notes = notebooks.CACHE / "repeat" / f"{arguments.name.replace('/', '-')}-{key}.jsonl"
    notes.parent.mkdir(parents=True, exist_ok=True)
    if arguments.again:
        notes.unlink(missing_ok=True)
    done = [json.loads(line) for line in notes.read_text().splitlines()] if notes.exists() else []
    if done:
        print(f"{len(done)} runs were done before")
    while len(done) < arguments.times:
        try:
            seconds, problem = run(notebook)
        except KeyboardInterrupt:
            sys.exit(f"Stopped after {len(done)} runs. Start again to go on.")
        if problem:
            sys.exit(f"Run {len(done) + 1} failed after {seconds:.1f} s:\n{problem}")
        done.append(seconds)
        with notes.open("a") as file:
            file.write(f"{json.dumps(seconds)}\n")
        print(f"run {len(done):2} of {arguments.times}: {seconds:6.1f} s, nothing left", flush=True)
    middle = sorted(done)[len(done) // 2]
    print(
        f"{len(done)} runs of {arguments.name}: no failure, no process, port or file left; "
        f"slowest {max(done):.1f} s, middle {middle:.1f} s, fastest {min(done):.1f} s"
    )


if __name__ == "__main__":
    main()
