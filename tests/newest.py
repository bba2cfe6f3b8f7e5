"""What `make test` takes of what grows with the course: that which the last commits changed.

With LOCKSTEP_ALL=1, as once a week, it takes everything.
"""

import os
import subprocess

from tools import ROOT


def everything() -> bool:
    """Say whether nothing is to be left out."""
    return os.environ.get("LOCKSTEP_ALL") == "1"


def history() -> list[str]:
    """Return the notebooks that commits changed, the newest first."""
    command = ["git", "log", "--format=", "--name-only", "--", "*.ipynb"]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.splitlines()


def newest(paths: list[str], most: int) -> list[str]:
    """Return those of some notebooks that were changed last, as paths in the repository."""
    if everything():
        return paths
    changed = [path for path in dict.fromkeys(history()) if path in paths]
    return (changed + [path for path in paths if path not in changed])[:most]
