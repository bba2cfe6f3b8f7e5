"""Executes a notebook many times in a row, as `make notebook` does, and stops at the first failure.

Usage: python -m experiments.repeat NAME [TIMES]   (20 times)

A process, a file or a port that a run leaves behind is a failure. The seconds of each good run are
noted in .cache/repeat, for the notebook and the package as they are, so that it can be stopped and
taken up again.
"""

import sys

from tools import CACHE
from tools.notebooks import execute, files, keys


def main(name: str, times: int) -> None:
    """Run what is missing of the wanted number of runs."""
    notebook = files.find(name)
    key = keys.stored_at(notebook, files.sources(notebook)).stem
    notes = CACHE / "repeat" / f"{name.replace('/', '-')}-{key}.txt"
    notes.parent.mkdir(parents=True, exist_ok=True)
    notes.touch()
    while len(done := sorted(map(float, notes.read_text().split()))) < times:
        (run,) = execute.execute([notebook], again=True)
        with notes.open("a") as file:
            file.write(f"{run.seconds}\n")
        print(f"run {len(done) + 1} of {times}: {run.seconds} s, nothing left behind", flush=True)
    print(
        f"{len(done)} runs of {name} without a failure: fastest {done[0]} s, "
        f"middle {done[len(done) // 2]} s, slowest {done[-1]} s"
    )


if __name__ == "__main__":
    if len(sys.argv) not in {2, 3}:
        sys.exit("Usage: python -m experiments.repeat NAME [TIMES]")
    try:
        main(sys.argv[1], int((sys.argv[2:] or ["20"])[0]))
    except KeyboardInterrupt:
        sys.exit("Stopped. The runs that were done count.")
