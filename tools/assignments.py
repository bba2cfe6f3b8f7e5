"""The assignments in exercises/: where each stands."""

from pathlib import Path

from tools.notebooks import ROOT

EXERCISES = ROOT / "exercises"


def names() -> list[str]:
    """Return the name of every assignment."""
    return sorted(path.parent.name for path in EXERCISES.glob("source/*/*.ipynb"))


def source(name: str) -> Path:
    """Return the notebook in which an assignment is written."""
    return EXERCISES / "source" / name / f"{name}.ipynb"


def release(name: str) -> Path:
    """Return the notebook that students get."""
    return EXERCISES / "release" / name / f"{name}.ipynb"
