"""Writes constraints.txt: a version for every package that comes along with what is pinned.

Usage: python -m tools.environment.constraints

It holds for Python 3.11 to 3.13, on Linux and macOS; where these need different versions, a line
says for which it is. Not in it are torch, of which a range works, and what its builds with CUDA
bring along.
"""

import re
import subprocess
import sys

from tools import ROOT

FILE = ROOT / "constraints.txt"
HEAD = """\
# Written by `make constraints`, never edited: a version for every package that comes along with
# requirements.txt. Without this file, pip takes the newest ones.
"""
OF_TORCH = re.compile(r"(torch|triton|nvidia-.*|cuda-.*)$")


def is_of_torch(name: str) -> bool:
    """Say whether a package is torch, or comes along with its builds with CUDA."""
    return OF_TORCH.match(name) is not None


def resolve() -> list[str]:
    """Return a line for each package, as uv resolves the requirements for all machines at once."""
    command = [sys.executable, "-m", "uv", "pip", "compile", "requirements.txt", "--universal"]
    command += ["--python-version", "3.11", "--upgrade", "--quiet"]
    command += ["--no-header", "--no-annotate", "--no-emit-index-url", "--no-emit-find-links"]
    done = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit("uv could not resolve the requirements; it says why above.")
    pins = [line for line in done.stdout.splitlines() if "==" in line]
    return [line for line in pins if not is_of_torch(line.partition("==")[0])]


if __name__ == "__main__":
    lines = resolve()
    FILE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{FILE.name}: {len(lines)} lines. `make env` installs them; look at the diff.")
