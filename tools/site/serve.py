"""Serves the built book, with gzip, as GitHub Pages does.

Usage: python -m tools.site.serve [PORT]
"""

import gzip
import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import BinaryIO

from tools import HTML

COMPRESSED = (".html", ".css", ".js", ".json", ".svg", ".txt")


class Handler(SimpleHTTPRequestHandler):
    """Serves a folder, its text gzipped, below a path of one part, such as /lockstep/."""

    below = "lockstep"

    def translate_path(self, path: str) -> str:
        """Take off the first part of the path, which must be the right one."""
        first, _, rest = path.lstrip("/").partition("/")
        return super().translate_path(f"/{rest}" if first == self.below else "/not-found")

    def do_GET(self) -> None:
        """Send visitors who leave out the path to the book."""
        if self.path == "/":
            self.send_response(302)
            self.send_header("Location", f"/{self.below}/")
            self.end_headers()
        else:
            super().do_GET()

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Compress text; leave the rest to the base class."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.endswith("/"):
            path /= "index.html"
        if not path.is_file() or path.suffix not in COMPRESSED:
            return super().send_head()
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Cache-Control", "no-cache")
        self.end_headers()
        return io.BytesIO(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing for each request."""


@contextmanager
def server(folder: Path, port: int = 0) -> Iterator[str]:
    """Serve a folder on this machine only; yield its address. Port 0 takes a free one."""
    handler = partial(Handler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", port), handler) as http:
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{http.server_port}/{Handler.below}/"
        finally:
            http.shutdown()
            thread.join()


def main(port: str) -> None:
    """Serve the book until somebody stops it."""
    if not (HTML / "index.html").exists():
        sys.exit("There is no book yet. Run: make book")
    if not (port.isdecimal() and int(port) < 65536):
        sys.exit(f"PORT is {port!r}, and must be a number below 65536: make serve PORT=8001")
    try:
        with server(HTML, int(port)) as address:
            print(f"The book is at {address} (Ctrl-C ends this)", flush=True)
            threading.Event().wait()
    except OSError as error:
        sys.exit(f"Cannot listen: {error}. Name another port: make serve PORT=8001")


if __name__ == "__main__":
    with suppress(KeyboardInterrupt):
        main((sys.argv[1:] or ["8000"])[0])
