"""What the commands of the Makefile call. CONTRIBUTING.md has the map of its rooms."""

from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CACHE = ROOT / ".cache"
HTML = ROOT / "_build" / "html"
EXERCISES = ROOT / "exercises"
PARALLEL = 2  # notebooks, answers or tests at a time
