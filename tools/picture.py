"""Draws the picture of README.md and the start page from a real run of the chapter's own script.

One for each theme: on GitHub and in the book the page says which it wants.

Usage: python -m tools.picture
"""

import json
import os
import tempfile
from pathlib import Path

from matplotlib import rc_context

from lockstep import trace
from lockstep.launch import launch

ROOT = Path(__file__).resolve().parent.parent
CHAPTER = ROOT / "book" / "data-parallelism" / "data-parallel.ipynb"
ASSETS = ROOT / "book" / "assets"
SCRIPT = "buckets.py"


def script() -> str:
    """The worker script as the chapter's `%%writefile` cells build it."""
    cells = json.loads(CHAPTER.read_text(encoding="utf-8"))["cells"]
    sources = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
    parts = [source.split("\n", 1) for source in sources if source.startswith("%%writefile")]
    return "".join(f"{body}\n" for magic, body in parts if magic.split()[-1] == SCRIPT)


def main() -> None:
    """Run the script on two ranks and write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path(SCRIPT).write_text(script())
        launch(SCRIPT, world_size=2)
        timelines = {
            title: trace.load(f"{name}-0.json", f"{name}-1.json")
            for title, name in {
                "One bucket: the all-reduce starts when backward is over": "one",
                "A bucket a layer: each starts as soon as its gradient is there": "each",
            }.items()
        }
        os.chdir(ROOT)
    style = {"svg.fonttype": "none", "svg.hashsalt": "timeline", "font.size": 9}
    for theme, ink in {"light": "black", "dark": "white"}.items():
        inks = {f"{part}.color": ink for part in ("text", "xtick", "ytick")}
        with rc_context({**style, **inks, "axes.edgecolor": ink, "axes.labelcolor": ink}):
            drawing = trace.draw(timelines, width=7.5)
            drawing.patch.set_alpha(0)
            for axes in drawing.axes:
                axes.patch.set_alpha(0)
            drawing.savefig(ASSETS / f"timeline-{theme}.svg", metadata={"Date": None})
    for title, events in timelines.items():
        print(f"{1e3 * trace.makespan(events):5.0f} ms  {title}")
    print(f"wrote timeline-light.svg and timeline-dark.svg in {ASSETS.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
