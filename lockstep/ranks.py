"""The process that ranks are forked from, and what makes a fork look like `python script`.

`python ranks.py LISTENER SETTINGS` is a server (`lockstep.forkserver`), started by
`lockstep.ahead`: each request is a job of `lockstep.launch`, for which it forks a supervisor, which
forks the ranks. A job with other environment variables than the server's is refused, since a module
may have read them when it was imported.

A script finds what it would find otherwise: its arguments, environment, working folder, `__main__`
and `__file__`, standard streams, signal handlers, random numbers of its own; and at its end files
are written and exit functions called. What it can notice: modules are there already, sets of
strings have the order that they have in the server, what a module prints when it is imported is not
shown, and the end is quicker, as modules are not taken apart.
"""

import atexit
import builtins
import contextlib
import ctypes
import fnmatch
import gc
import io
import json
import os
import resource
import shutil
import signal
import socket
import sys
import tempfile
import threading
import types
from collections.abc import Iterator
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

from lockstep import forkserver
from lockstep.imports import INSTALLED, PACKAGES
from lockstep.supervisor import (
    PR_SET_CHILD_SUBREAPER,
    die_with,
    prctl,
    read_job,
    report,
    supervise,
)

COMMAND_BYTES = 1000  # of a rank's command line, which `ps` shows


class Imported(NamedTuple):
    """What must be now as it was when the server imported its modules."""

    environment: dict[str, str]
    may_vary: list[str]  # patterns of variables that nobody imported reads
    files: dict[str, int]  # which somebody may edit or replace, and when they were written


def files_that_change() -> Iterator[str]:
    """Yield the files of modules that are imported and not installed."""
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and not file.startswith(INSTALLED) and Path(file).exists():
            yield file


def hidden(folder: Path) -> Iterator[str]:
    """Yield names beside a script that it would import, if they were not other modules already."""
    beside = [path.stem for path in folder.glob("*.py")]
    beside += [path.parent.name for path in folder.glob("*/__init__.py")]
    for name in set(beside) & set(sys.modules) - {"__main__", *sys.builtin_module_names}:
        file = getattr(sys.modules[name], "__file__", None)
        if not (isinstance(file, str) and Path(file).is_relative_to(folder)):
            yield name


def refusal(job: dict[str, Any], imported: Imported) -> str:
    """Import what a job needs; return why its ranks cannot be forked from here, or ""."""
    names = {*job["environment"], *imported.environment}
    for name in sorted(names.difference(*job["variables"])):
        if job["environment"].get(name) != imported.environment.get(name) and not any(
            fnmatch.fnmatchcase(name, pattern) for pattern in imported.may_vary
        ):
            return f"environment: {name}"
    for file, written in imported.files.items():
        if not os.path.exists(file) or os.stat(file).st_mtime_ns != written:
            return f"changed: {file}"
    if threaded := forkserver.import_all(job["modules"]):
        return f"threads: {threaded}"
    for file in files_that_change():
        imported.files.setdefault(file, os.stat(file).st_mtime_ns)
    there = {name for name in job["later"] if name in sys.modules} - {*sys.builtin_module_names}
    for name in [*hidden(script_folder(job)), *there]:
        return f"hidden: {name}"
    return ""


def script_folder(job: dict[str, Any]) -> Path:
    """Return the folder that Python looks for modules in first."""
    return Path(job["cwd"], job["script"]).resolve().parent


def fork_rank(job: dict[str, Any], index: int) -> int:
    """Fork a process of the job; return its id, and 0 in itself, which `job["index"]` names."""
    supervisor = os.getpid()
    if pid := os.fork():
        return pid
    os.setsid()
    die_with(supervisor)
    job["index"] = index
    return 0


def become_rank(job: dict[str, Any], descriptors: list[int], imported: Imported) -> None:
    """Make this process what `python script` is when the script begins."""
    null = os.open(os.devnull, os.O_RDONLY)
    log = job["logs"][job["index"]]
    for descriptor, number in ((null, 0), (log, 1), (log, 2)):
        os.dup2(descriptor, number)
    for descriptor in {null, *descriptors}:
        os.close(descriptor)
    variables = job["variables"][job["index"]]
    # What imports have set they would set again; in the temporary folder of this run.
    ours = str(job["folder"])
    theirs = tempfile.gettempdir()
    set_by_imports = {
        name: f"{ours}{value.removeprefix(theirs)}" if value.startswith(theirs) else value
        for name, value in os.environ.items()
        if imported.environment.get(name) != value
    }
    os.environ.clear()
    os.environ.update(job["environment"] | set_by_imports | variables)
    tempfile.tempdir = None  # found anew, as TMPDIR says
    threading.main_thread()._set_native_id()  # type: ignore[attr-defined]
    forkserver.draw_own_random_numbers()
    if processes := sys.modules.get("multiprocessing.process"):
        processes.current_process().authkey = os.urandom(32)
    if not sys.flags.safe_path:
        sys.path.insert(0, str(script_folder(job)))
    sys.argv = [job["script"], *job["args"]]
    sys.orig_argv = [sys.executable, *sys.argv]
    show_command(sys.orig_argv)


def show_command(command: list[str]) -> None:
    """Show a command line in `ps` in place of the server's, which has room for it."""
    fields = Path("/proc/self/stat").read_bytes().rpartition(b")")[2].split()
    start, end = int(fields[45]), int(fields[46])  # arg_start and arg_end, from proc(5)
    text = os.fsencode(" ".join(command))[: end - start - 2]
    if start:
        # A last byte that is not 0 tells Linux that this is one text, up to its first 0.
        ctypes.memmove(start, text.ljust(end - start - 1, b"\0") + b"\1", end - start)


def run_script(script: str) -> int:
    """Run a script as `__main__`; return the exit code, negative for a signal to end with."""
    path = os.path.join(os.getcwd(), script)
    main = types.ModuleType("__main__")
    main.__dict__.update(
        __annotations__={},
        __builtins__=builtins,
        __cached__=None,
        __file__=path,
        __loader__=SourceFileLoader("__main__", path),
    )
    sys.modules["__main__"] = main
    try:
        code = compile(Path(path).read_bytes(), path, "exec", dont_inherit=True)
        exec(code, main.__dict__)
    except SystemExit as stop:
        if stop.code is None or isinstance(stop.code, int):
            number = stop.code or 0
            return number & 0xFF if abs(number) < 2**63 else 0xFF
        print(stop.code, file=sys.stderr)
        return 1
    except BaseException as error:
        frames = error.__traceback__ and error.__traceback__.tb_next  # without this function's
        sys.excepthook(type(error), error.with_traceback(frames), frames)
        return -signal.SIGINT if isinstance(error, KeyboardInterrupt) else 1
    return 0


def leave(code: int, folder: Path) -> None:
    """End this process as the interpreter would, but leave the modules that it shares whole.

    Taking them apart would copy their memory: half a second for torch.
    """
    threading._shutdown()  # type: ignore[attr-defined]  # waits for threads
    atexit._run_exitfuncs()
    flush_files()  # before the collector finds them, in any order
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if name == "__main__" or (isinstance(file, str) and Path(file).is_relative_to(folder)):
            del sys.modules[name]
    del module
    gc.collect()  # what the script has made is finalized: nothing else refers to it
    flush_files()
    ctypes.CDLL(None).fflush(None)
    if code < 0:
        signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def flush_files() -> None:
    """Write what open files hold back."""
    for thing in gc.get_objects():
        if type(thing) in (io.TextIOWrapper, io.BufferedWriter, io.BufferedRandom):
            with contextlib.suppress(ValueError, OSError):  # it is closed
                thing.flush()


def supervise_forked(request: forkserver.Request, imported: Imported) -> None:
    """Be the supervisor of a job, or one of the processes that it forks."""
    job = read_job(request.descriptors)
    show_command([sys.executable, f"[supervisor of {job['script']}]"])
    os.dup2(request.client.fileno(), 2)  # for an error of the supervisor itself
    os.chdir(job["cwd"])
    os.umask(job["umask"])
    os.sched_setaffinity(0, job["affinity"])
    for name, limits in job["limits"].items():
        resource.setrlimit(int(name), limits)
    request.client.send(json.dumps({"started": os.getpid()}).encode())
    exits = supervise(job, request.client, fork_rank)
    if exits is None:
        become_rank(job, [*request.descriptors, request.client.detach()], imported)
        leave(run_script(job["script"]), script_folder(job))
    else:
        report(exits, request.client)
        os._exit(0)  # nothing of what was imported was used here


def main() -> None:
    """Be the server: LISTENER is the descriptor of the socket to listen on.

    SETTINGS has the modules to import at once, and patterns of the environment variables that may
    differ between the server and a job.
    """
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder of this file, which a script does not have
    listener = socket.socket(fileno=int(sys.argv[1]))
    settings = json.loads(sys.argv[2])
    # What pip installs or takes away changes the folder that it lies in.
    folders = {path: os.stat(path).st_mtime_ns for path in filter(os.path.isdir, PACKAGES)}
    imported = Imported(dict(os.environ), settings["may vary"], folders)
    os.environ["TMPDIR"] = settings["folder"]
    tempfile.tempdir = None
    doomed = [settings["folder"]]  # and that of a launch, until its supervisor is there

    def finish() -> None:
        listener.setblocking(False)
        with contextlib.suppress(OSError):  # nobody waits, or no more
            while waiting := forkserver.receive(listener):
                doomed.append(read_job(waiting.descriptors)["folder"])
        for folder in doomed:
            shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)  # the frameworks have nothing to finish

    def refuse(request: forkserver.Request) -> str:
        job = read_job(request.descriptors)
        doomed[1:] = [job["folder"]]
        reason = threaded and f"threads from the start: {threaded}"
        reason = reason or refusal(job, imported)
        del doomed[1:]
        return reason

    prctl(PR_SET_CHILD_SUBREAPER, 1)
    owner = forkserver.end_with_owner(finish)
    threaded = forkserver.import_all(settings["modules"])
    request = forkserver.serve(owner, listener, refuse)
    if request is None:
        finish()
    else:
        supervise_forked(request, imported)


if __name__ == "__main__":
    main()
