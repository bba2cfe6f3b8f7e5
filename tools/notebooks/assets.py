"""Style sheets and scripts that the package puts into outputs: stored by name, shown as they are.

Otherwise every edit of one would mean to execute the notebooks again that show it.
"""

import hashlib
import json
from typing import Any

from tools.notebooks.keys import PACKAGE

Outputs = list[list[dict[str, Any]]]


def assets() -> dict[str, str]:
    """Return the text of each style sheet and script of the package, by its name in outputs."""
    paths = sorted([*PACKAGE.glob("*.css"), *PACKAGE.glob("*.js")])
    return {f"/* lockstep/{path.name} */": path.read_text(encoding="utf-8") for path in paths}


def digest() -> str:
    """Return a digest of them."""
    return hashlib.sha256(json.dumps(assets()).encode()).hexdigest()


def _replaced(outputs: Outputs, pairs: dict[str, str]) -> Outputs:
    for cell in outputs:
        for output in cell:
            page = output.get("data", {}).get("text/html")
            if page is not None:
                for old, new in pairs.items():
                    page = page.replace(old, new)
                output["data"]["text/html"] = page
    return outputs


def taken_out(outputs: Outputs) -> Outputs:
    """Put names in the place of the package's style sheets and scripts, in the outputs of cells."""
    return _replaced(outputs, {text: name for name, text in assets().items()})


def put_in(outputs: Outputs) -> Outputs:
    """Put the present style sheets and scripts in the place of their names."""
    return _replaced(outputs, assets())
