"""Draws the picture of README.md and the start page from a real run of the chapter's own script.

One for each theme: on GitHub and in the book the page says which it wants.

Usage: python -m experiments.picture
"""

import os
import tempfile
from pathlib import Path
from typing import Any

from matplotlib import rc_context

from lockstep import trace
from lockstep.launch import launch
from tools import ROOT
from tools.notebooks.files import find, script

ASSETS = ROOT / "book" / "assets"
SCRIPT = "buckets.py"


def main() -> None:
    """Run the script on two ranks and write the picture."""
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        Path(SCRIPT).write_text(script(find("ddp"), SCRIPT))
        launch(SCRIPT, world_size=2)
        timelines = {
            title: trace.load(f"{name}-0.json", f"{name}-1.json")
            for title, name in {
                "One bucket: the all-reduce starts when backward is over": "one",
                "A bucket a layer: each starts as soon as its gradient is there": "each",
            }.items()
        }
        os.chdir(ROOT)
    for theme, ink in {"light": "black", "dark": "white"}.items():
        style: Any = {"svg.fonttype": "none", "svg.hashsalt": "timeline"}
        style |= {"font.size": 9, "axes.edgecolor": ink, "axes.labelcolor": ink}
        style |= {f"{part}.color": ink for part in ("text", "xtick", "ytick")}
        with rc_context(style):
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
