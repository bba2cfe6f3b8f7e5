"""What a script finds when it begins, as JSON in FILE: `surroundings.py FILE`."""

import builtins
import gc
import json
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import threading
import warnings
from pathlib import Path

main = sys.modules["__main__"]
names = ("__name__", "__doc__", "__package__", "__spec__", "__annotations__", "__cached__")
streams = (sys.stdin, sys.stdout, sys.stderr)
limits = [name for name in dir(resource) if name.startswith("RLIMIT_")]
thread = threading.main_thread()
found = {
    "command": [sys.argv, sys.orig_argv, sys.executable],
    "modules are found in": sys.path,
    "main": [sorted(vars(main)), [repr(getattr(main, name)) for name in names]],
    "builtins": __builtins__ is builtins,
    "loader": [type(__loader__).__name__, __loader__.path],
    "file": [__file__, os.getcwd()],
    "signals": {s.name: str(signal.getsignal(s)) for s in signal.Signals},
    "blocked": list(map(str, signal.pthread_sigmask(signal.SIG_BLOCK, []))),
    "descriptors": sorted(map(int, os.listdir("/proc/self/fd"))),
    "stdin": [os.readlink("/proc/self/fd/0"), sys.stdin.read()],
    "streams": [(s.name, s.mode, s.encoding, s.errors, s.isatty()) for s in streams],
    "buffers": [(s.line_buffering, s.write_through) for s in streams],
    "one log": os.path.samestat(os.fstat(1), os.fstat(2)),
    "session": [os.getsid(0) == os.getpid(), os.getpgid(0) == os.getpid()],
    "threads": [thread.native_id == os.getpid(), threading.active_count(), thread.name],
    "environment": dict(os.environ),
    "cores": sorted(os.sched_getaffinity(0)),
    "limits": {name: resource.getrlimit(getattr(resource, name)) for name in limits},
    "umask and niceness": [os.umask(0o22), os.nice(0)],
    "multiprocessing": [multiprocessing.current_process().name, multiprocessing.parent_process()],
    "children": multiprocessing.active_children(),
    "collector": [gc.isenabled(), gc.get_threshold()],
    "flags": [str(sys.flags), sys._xoptions, sys.dont_write_bytecode, hasattr(sys, "ps1")],
    "excepthook": str(sys.excepthook),
    "warnings": len(warnings.filters),
    "temporary folder": tempfile.gettempdir() == os.environ["TMPDIR"],
    "ps": Path("/proc/self/cmdline").read_text().replace("\0", " ").strip(),
}
Path(sys.argv[1]).write_text(json.dumps(found))
