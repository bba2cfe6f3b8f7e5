"""Executes chapters in ordinary kernels, with an ordinary start of every process, and compares.

Usage: python -m experiments.ordinary [NAME...]   (none: all chapters)

The build forks kernels and ranks from processes that have done the imports. A reader's kernel is an
ordinary one, and on macOS so is every rank: it must show the same. Compared are the outputs of each
cell, their kinds and their words. Numbers are masked, since times are among them and every number
that matters is asserted in its cell. Left out is what is chance: the drawing of a measured
timeline, what follows the name of an error, and what ranks print, in whatever order.
"""

import os
import re
import subprocess
import sys
from typing import Any

from lockstep import ahead
from tools import ROOT
from tools.notebooks import execute, files

NUMBER = re.compile(r"[-+−]?\d[\d.,:]*(?:e[-+]?\d+)?%?")
SPACE = re.compile(r"[\s\-─|]+")
DRAWING = re.compile(r"<svg.*?</svg>", re.DOTALL)
ERROR = re.compile(r"(\w*(?:Error|Warning|WARNING)\b).*")
SPEAKER = re.compile(r"^--- .+ ---$", re.MULTILINE)


def words(text: str) -> str:
    """Return a text without numbers and what else is chance, with columns of any width."""
    text = ERROR.sub(r"\1", DRAWING.sub("", text))
    return SPACE.sub(" ", NUMBER.sub("#", text)).strip()


def shown(outputs: list[dict[str, Any]], streams: bool) -> list[str]:
    """Return the visible outputs of a cell: texts, and pictures by their kind."""
    found = []
    for output in outputs:
        if output["output_type"] == "stream" and streams:
            found.append(words(output["text"]))
        for kind, content in sorted(output.get("data", {}).items()):
            text = "".join(content) if kind.startswith("text/") else ""
            found.append(f"{kind}: {words(text)}")
    return found


def ranks_speak(outputs: list[dict[str, Any]]) -> bool:
    """Say whether a launch has shown what its processes print."""
    return any(SPEAKER.search(output.get("text", "")) for output in outputs)


def differences(forked: list[list[Any]], ordinary: list[list[Any]]) -> list[str]:
    """Say which code cells show something else."""
    found = []
    for number, cell in enumerate(zip(forked, ordinary, strict=True), start=1):
        streams = not any(map(ranks_speak, cell))
        one, other = (shown(outputs, streams) for outputs in cell)
        if one != other:
            found.append(f"code cell {number}:\n    forked   {one}\n    ordinary {other}")
    return found


def main(names: list[str]) -> int:
    """Execute chapters both ways; return the exit code."""
    if not ahead.possible():
        sys.exit(f"Nothing to compare: {ahead.SWITCH}=0, or this is not Linux.")
    chosen = [files.find(name) for name in names] or files.chapters()
    execute.execute(chosen)
    by_fork = {path: execute.stored(path) for path in chosen}
    again = [sys.executable, "-m", "tools.notebooks.execute"]
    found = 0
    for path in chosen:
        command = [*again, files.name(path)]
        code = subprocess.run(command, cwd=ROOT, env={**os.environ, ahead.SWITCH: "0"}).returncode
        forked, ordinary = by_fork[path], execute.stored(path)
        if code or forked is None or ordinary is None:
            print(f"{files.name(path)}: did not run with an ordinary start")
            found += 1
            continue
        seconds = f"{forked['seconds']} s forked, {ordinary['seconds']} s ordinary"
        differing = differences(forked["outputs"], ordinary["outputs"])
        print(f"{files.name(path)}: {seconds}, {len(differing)} cells differ", flush=True)
        for text in differing:
            print(f"  {text}")
        found += len(differing)
    return int(found > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
