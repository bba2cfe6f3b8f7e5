"""What a run of the tests leaves out, so that sixteen assignments fit into it: the commit chooses.

Another commit chooses another sample, and the same commit always the same one. With LOCKSTEP_ALL=1,
as once a week, nothing is left out.
"""

import functools
import hashlib
import os
import subprocess
from collections.abc import Iterable

from tools.notebooks import ROOT

ANSWERS = 6  # of an assignment, beside its reference and its untouched release
STOCK = 1  # assignments that go through stock nbgrader,
STOCK_ANSWERS = 3  # each with so many of its answers, also when nothing is left out
NEWEST, OTHERS = 2, 1  # notebooks on Colab's versions: those changed last, and any others


def everything() -> bool:
    """Say whether nothing is to be left out."""
    return os.environ.get("LOCKSTEP_ALL") == "1"


def git(*arguments: str) -> str:
    return subprocess.run(
        ["git", *arguments], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout


@functools.cache
def commit() -> str:
    """Return the hash of the commit that is checked out."""
    return git("rev-parse", "HEAD").strip()


def choose(names: Iterable[str], size: int) -> list[str]:
    """Return so many of the names as the commit chooses, in the order that they are in."""
    names = list(names)
    by_commit = sorted(
        names, key=lambda name: hashlib.sha256(f"{commit()} {name}".encode()).digest()
    )
    return [name for name in names if name in by_commit[:size]]


def sample(names: Iterable[str], size: int) -> list[str]:
    """Return what `choose` does, or all of the names with LOCKSTEP_ALL=1."""
    return list(names) if everything() else choose(names, size)


def newest_and_others(notebooks: list[str]) -> list[str]:
    """Return the notebooks that the last commits changed, and a sample of the others.

    Args:
        notebooks: paths in the repository.
    """
    changed = git("log", "--format=", "--name-only", "--", "*.ipynb").splitlines()
    newest = [path for path in dict.fromkeys(changed) if path in notebooks][:NEWEST]
    others = sample([path for path in notebooks if path not in newest], OTHERS)
    return [path for path in notebooks if path in newest or path in others]
