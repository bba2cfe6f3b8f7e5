"""Measures the tables of the book: runs every cell, each in a process or a cluster of its own.

Usage: python -m experiments.tables [TABLE...] [--into FOLDER]

Writes lockstep/measured/TABLE.yaml, shows what changed in it, and fails if a cell did. It takes 20
minutes on two cores. A cell that was run with the same versions is not run again, so an
interrupted run goes on where it stopped: the outcome of each cell is kept in .cache/tables.
"""

import argparse
import contextlib
import difflib
import hashlib
import io
import itertools
import json
import os
import platform
import re
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import yaml

from lockstep import tables
from lockstep.launch import LaunchError, launch_cluster
from lockstep.runtime import ENVIRONMENT
from tools import CACHE
from tools.notebooks.keys import installed

PROGRAM = Path(__file__).with_name("table_cell.py")
LIMIT_S = 240  # a cell takes 5 to 20 s; one that has not ended after this hangs
CLUSTERS = {
    "MultiWorkerMirrored": {"worker": 2},
    "ParameterServer": {"chief": 1, "worker": 2, "ps": 1},
}
MESSAGE_LENGTH = 200
PLACES = ("inside", "outside")
AXES: dict[str, dict[str, tuple[str, ...]]] = {
    "scope": {
        "create": PLACES,
        "compile": PLACES,
        "fit": PLACES,
        "keras": ("Keras 3", "tf_keras"),
        "with": ("SGD()", "Adam()", '"adam"', "SGD(), metric"),
    },
    "catalogue": {
        "strategy": (
            "Default",
            "OneDevice",
            "Mirrored",
            "CentralStorage",
            "MultiWorkerMirrored",
            "ParameterServer",
            "TPU",
        ),
        "way": (
            "Keras 3 fit",
            "tf_keras fit",
            "loop, graph",
            "loop, eager",
            "a worker is killed",
        ),
    },
    "options": {
        "option": (
            "none",
            "clipnorm",
            "weight_decay",
            "Dropout",
            "BatchNormalization",
            "use_ema",
            "ema_overwrite_frequency",
            "gradient_accumulation_steps",
        ),
        "strategy": ("Mirrored", "CentralStorage", "MultiWorkerMirrored", "ParameterServer"),
    },
}
ROWS = {"scope": ["create", "compile", "fit"], "catalogue": ["strategy"], "options": ["option"]}
ABOUT = {
    "scope": (
        "MirroredStrategy on two logical CPUs. Each cell creates, compiles and fits a model inside "
        "or outside of the strategy's scope; compile gets the optimizer, and a metric, as written. "
        "The message of a failed cell is the first line of its error."
    ),
    "catalogue": (
        "Each cell trains a dense layer with Adam for six steps, and its weights are compared with "
        "NumPy's, nothing else: the loss that Keras 3's fit shows under CentralStorage is wrong. "
        "MultiWorkerMirrored is two processes; ParameterServer is a chief, two workers and a "
        "server, and the chief waits after each step. The loops use a Keras 3 model. In the last "
        "column the loop is in a graph, and a worker, or the only process, is killed with SIGKILL "
        "after three steps. Not run (–) is what there is no device for; the message is that of "
        "trying."
    ),
    "options": (
        "Each cell trains a dense layer of Keras 3 with SGD and an option, in a loop in a "
        "graph, for six steps, and its weights are compared with those of the same training on "
        "one device. Mirrored and CentralStorage have two replicas, MultiWorkerMirrored is two "
        "processes. ParameterServer is a chief, two workers and a server; a step is one "
        "worker's, with the whole batch."
    ),
}


def cells(table: str) -> list[dict[str, str]]:
    """Return the settings of every cell of a table, in the table's order."""
    axes = AXES[table]
    return [dict(zip(axes, values, strict=True)) for values in itertools.product(*axes.values())]


def first_line(error: str) -> str:
    """Return the first line of an error, without what differs from one run to the next.

    Of an error "in user code", which AutoGraph wraps, that is the first line of the one inside.
    """
    lines = [line.strip() for line in error.splitlines() if line.strip()] or [""]
    inside = [line for line in lines[1:] if re.match(r"\w+Error: ", line)]
    line = inside[0] if inside and lines[0].endswith("in user code:") else lines[0]
    line = re.sub(r"<[\w.]*?(\w+) object at 0x[0-9a-f]+>", r"<\1>", line)
    line = re.sub(r"0x[0-9a-f]{6,}", "0x...", line)
    line = re.sub(r"(127\.0\.0\.1|localhost|\[::1?\]):\d+", r"\1:PORT", line)
    line = re.sub(r"(?<![\w/])/(?:[\w.@+-]+/)+", "", line)
    if len(line) > MESSAGE_LENGTH:
        line = line[:MESSAGE_LENGTH].rpartition(" ")[0] + " ..."
    return line if re.search(r"\w: .", line) else f"{line.rstrip(': ')} (with no message)"


def run(table: str, cell: dict[str, str]) -> dict[str, Any]:
    """Run one cell with a hard limit; return its outcome."""
    text = json.dumps({"table": table, **cell})
    with tempfile.TemporaryDirectory(prefix="lockstep-") as folder:
        result = Path(folder) / "result"
        if cluster := CLUSTERS.get(cell.get("strategy", "")):
            problem = run_cluster(cluster, [str(result), text], cell.get("way", ""))
        else:
            problem = run_alone([str(result), text], folder)
        parts = [json.loads(path.read_text()) for path in sorted(result.parent.glob("result.?"))]
    if not parts:
        return {"outcome": "error", "error": problem}
    # Of the processes of a cluster, the one that did worst.
    order = ("equals", "alone", "differs", "error")
    return max(parts, key=lambda part: order.index(part["outcome"]))


def run_alone(arguments: list[str], folder: str) -> str:
    """Run a cell in one process; return how that ended."""
    command = [sys.executable, str(PROGRAM), *arguments]
    environment = {**os.environ, **ENVIRONMENT, "TMPDIR": folder, "CUDA_VISIBLE_DEVICES": "-1"}
    environment.pop("TF_CONFIG", None)
    try:
        done = subprocess.run(command, env=environment, capture_output=True, timeout=LIMIT_S)
    except subprocess.TimeoutExpired:
        return f"The process: did not end within {LIMIT_S} s"
    if done.returncode < 0:
        return f"The process: ended by {signal.Signals(-done.returncode).name}"
    return f"The process: exit code {done.returncode}, {done.stderr.decode()[-200:]}"


def run_cluster(cluster: dict[str, int], arguments: list[str], way: str) -> str:
    """Run a cell in a cluster; return how that ended."""
    may_fail = ["worker 1"] if way == "a worker is killed" else []
    environment = {**ENVIRONMENT, "CUDA_VISIBLE_DEVICES": "-1"}
    with contextlib.redirect_stdout(io.StringIO()):
        try:
            launch_cluster(
                PROGRAM,
                cluster,
                args=arguments,
                env=environment,
                timeout=LIMIT_S,
                may_fail=may_fail,
            )
        except LaunchError as error:
            return f"The cluster: {error}"
    return "The cluster: ended without a result"


def entry(cell: dict[str, str], result: dict[str, Any]) -> dict[str, Any]:
    """Return a cell as it is written into the table."""
    outcome = result["outcome"]
    if cell.get("strategy") == "TPU" and "TPUs not found" in result.get("error", ""):
        outcome = "not run"
    known: dict[str, Any] = {**cell, "outcome": outcome}
    if outcome == "differs":
        known["by"] = float(f"{result['difference']:.1e}")
    elif "error" in result:
        known["message"] = first_line(result["error"])
    return known


def versions() -> dict[str, str]:
    """Return the versions that the tables depend on."""
    found = {"Python": ".".join(platform.python_version_tuple()[:2])}
    names = {"TensorFlow": "tensorflow", "Keras": "keras", "tf_keras": "tf_keras"}
    return found | {title: installed(name) for title, name in names.items()}


def stored(table: str, cell: dict[str, str]) -> Path:
    """Return where the result of a cell is kept for the versions that are installed."""
    what = [json.dumps([table, cell, versions()]), PROGRAM.read_text()]
    return CACHE / "tables" / f"{hashlib.sha256(''.join(what).encode()).hexdigest()[:16]}.json"


def measure(table: str) -> list[dict[str, Any]]:
    """Return the result of every cell, running those that have none."""
    results = []
    every = cells(table)
    for number, cell in enumerate(every, start=1):
        path = stored(table, cell)
        if not path.exists():
            started = time.monotonic()
            result = run(table, cell)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(result))
            seconds = time.monotonic() - started
            words = ", ".join(f"{key} {value}" for key, value in cell.items())
            outcome = entry(cell, result)
            said = outcome.get("message", outcome.get("by", ""))
            print(f"{number}/{len(every)} {words}: {outcome['outcome']} {said} ({seconds:.0f} s)")
            sys.stdout.flush()
        results.append(json.loads(path.read_text()))
    return results


def written(table: str, results: list[dict[str, Any]]) -> str:
    """Return the file of a table, a line for each cell."""
    equal = [result for result in results if result["outcome"] == "equals"]
    head = {
        "about": ABOUT[table],
        "versions": versions(),
        "largest_difference": max((float(r["difference"]) for r in equal), default=0.0),
        "tolerance": max((float(r["tolerance"]) for r in equal), default=0.0),
        "rows": ROWS[table],
        "columns": [axis for axis in AXES[table] if axis not in ROWS[table]],
    }
    lines = ["# Written by `make tables`, which runs every cell: never edited."]
    lines += [yaml.safe_dump(head, sort_keys=False, allow_unicode=True, width=98).rstrip()]
    lines += ["cells:"]
    for cell, result in zip(cells(table), results, strict=True):
        lines.append(f"- {json.dumps(entry(cell, result), ensure_ascii=False)}")
    return "\n".join(lines) + "\n"


def changes(before: str, after: str) -> list[str]:
    """Return how the cells of a file differ from those of an older one, as a diff."""
    old, new = (
        [line for line in text.splitlines() if line.startswith("- {")] for text in (before, after)
    )
    return list(difflib.unified_diff(old, new, "committed", "measured", lineterm="", n=0))


def main(names: list[str], folder: Path) -> int:
    """Measure tables, write them, and return 1 if a cell of one has changed."""
    changed = False
    for table in names:
        path = folder / f"{table}.yaml"
        committed = tables.MEASURED / path.name
        before = committed.read_text(encoding="utf-8") if committed.exists() else ""
        after = written(table, measure(table))
        folder.mkdir(parents=True, exist_ok=True)
        path.write_text(after, encoding="utf-8")
        found = changes(before, after)
        print("\n".join([f"{table}: {len(cells(table))} cells, {path}", *found]))
        changed |= bool(found)
    return int(changed)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tables", nargs="*", metavar="TABLE", help=", ".join(AXES))
    parser.add_argument("--into", type=Path, default=tables.MEASURED, metavar="FOLDER")
    arguments = parser.parse_args()
    if unknown := set(arguments.tables) - set(AXES):
        sys.exit(f"There is no table {', '.join(unknown)}. Tables: {', '.join(AXES)}")
    sys.exit(main(arguments.tables or list(AXES), arguments.into))
