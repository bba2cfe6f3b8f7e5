"""Jupyter kernels that start in a moment: each is forked from a process with the imports done.

That process, started by `kernels`, imports and waits. A kernelspec named python3 starts a small
client instead of Python; the client asks the process for a fork and lives as long as it does. The
fork runs ipykernel as ever, so that what starts the kernel and talks to it (jupyter_client,
nbclient, nbgrader) needs to know nothing of this. Only on Linux, which can watch a process and pass
its end on; elsewhere the kernels are ordinary ones.

What an import finds is the same for all forks: the environment variables that a framework reads
when it is imported are those of `lockstep.runtime`. No operation of a framework may run before the
fork, because the threads of its runtime would be missing after it.
"""

import contextlib
import ctypes
import gc
import importlib
import json
import logging
import os
import random
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple
from unittest import mock

# What every kernel imports, and the course's package with it.
ALWAYS = ("ipykernel.kernelapp", "ipykernel.ipkernel", "numpy", "matplotlib", "lockstep.runtime")
INLINE = "module://matplotlib_inline.backend_inline"
LARGEST_REQUEST = 200_000  # bytes; a packet of this size fits Linux's default socket buffer

# Hands its arguments, environment, working folder and standard streams over, then waits for the
# end of file that comes when the kernel has ended.
CLIENT = """
import json, os, socket, sys
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as zygote:
    zygote.connect(sys.argv[1])
    request = {"argv": sys.argv[2:], "cwd": os.getcwd(), "env": dict(os.environ)}
    socket.send_fds(zygote, [json.dumps(request).encode()], [0, 1, 2])
    zygote.recv(1)
"""


class Kernel(NamedTuple):
    """A forked process, what tells of its end, and the connection to its client."""

    pid: int
    end: int
    client: socket.socket


@contextlib.contextmanager
def kernels(modules: Iterable[str] = ()) -> Iterator[dict[str, str]]:
    """Make forked kernels ready whose process has imported `modules`; end them all on leaving.

    Yields environment variables. Where they are set, the kernel python3 is a forked one. TMPDIR,
    one of them, is a folder that goes when the kernels do.

    Raises:
        RuntimeError: the process could not import them, and has printed why.
    """
    with tempfile.TemporaryDirectory(prefix="lockstep-", ignore_cleanup_errors=True) as name:
        if not hasattr(os, "pidfd_open"):
            yield {"TMPDIR": name}
            return
        folder = Path(name)
        client = [sys.executable, "-I", "-S", "-c", CLIENT, str(folder / "zygote")]
        spec = {
            "argv": [*client, "-f", "{connection_file}"],
            "display_name": "Python 3 (forked)",
            "language": "python",
            "interrupt_mode": "message",
        }
        (folder / "tmp").mkdir()
        (folder / "kernels/python3").mkdir(parents=True)
        (folder / "kernels/python3/kernel.json").write_text(json.dumps(spec))
        with subprocess.Popen(
            [sys.executable, __file__, name, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            start_new_session=True,
        ) as zygote:
            assert zygote.stdout is not None
            if zygote.stdout.readline() != b"ready\n":
                raise RuntimeError(
                    f"No kernels: {', '.join(modules)} could not be imported (above)"
                )
            yield {"JUPYTER_PATH": name, "TMPDIR": str(folder / "tmp")}


def preload(modules: list[str]) -> list[tuple[logging.StreamHandler, str]]:
    """Import modules as a kernel would; return the log handlers that write to standard streams."""
    from lockstep.runtime import ENVIRONMENT, _quiet

    # One thread each for torch's operations, as kernels are made to run beside each other.
    for key, value in (ENVIRONMENT | {"MPLBACKEND": INLINE, "OMP_NUM_THREADS": "1"}).items():
        os.environ.setdefault(key, value)
    # TensorFlow looks for these two when it is imported. In a kernel it finds them, and then prints
    # and logs to sys.stdout.
    sys.ps1 = "In : "
    with mock.patch("builtins.get_ipython", lambda: None, create=True), _quiet():
        for module in [*ALWAYS, *modules]:
            importlib.import_module(module)
    streams = {sys.stdout: "stdout", sys.stderr: "stderr"}
    handlers = [reference() for reference in logging._handlerList]  # type: ignore[attr-defined]
    return [
        (handler, streams[handler.stream])
        for handler in handlers
        if isinstance(handler, logging.StreamHandler) and handler.stream in streams
    ]


def end(kernel: Kernel) -> None:
    """End a kernel and what else is in its process group, and its client with it."""
    os.killpg(kernel.pid, signal.SIGKILL)
    os.waitpid(kernel.pid, 0)
    os.close(kernel.end)
    kernel.client.close()


def serve(listener: socket.socket) -> tuple[dict, list[int]] | None:
    """Fork for each request, until the end of standard input.

    Returns the request and its standard streams in each forked process, None in this one.
    """
    running: list[Kernel] = []
    while True:
        ends, clients = [kernel.end for kernel in running], [kernel.client for kernel in running]
        ready = select.select([sys.stdin, listener, *ends, *clients], [], [])[0]
        if sys.stdin in ready:
            for kernel in running:
                end(kernel)
            return None
        for kernel in list(running):
            if kernel.end in ready or kernel.client in ready:
                end(kernel)
                running.remove(kernel)
        if listener not in ready:
            continue
        client, _ = listener.accept()
        request, streams, _, _ = socket.recv_fds(client, LARGEST_REQUEST, 3)
        if not request:  # the client has ended already
            client.close()
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that numpy's idle threads are not forked
            pid = os.fork()
        if pid == 0:
            os.setpgid(0, 0)
            listener.close()
            client.close()
            for kernel in running:
                kernel.client.close()
                os.close(kernel.end)
            return json.loads(request), streams
        os.setpgid(pid, pid)  # here too: whoever comes first
        for descriptor in streams:
            os.close(descriptor)
        running.append(Kernel(pid, os.pidfd_open(pid), client))


def run_kernel(
    request: dict, streams: list[int], handlers: list[tuple[logging.StreamHandler, str]]
) -> None:
    """Be an ordinary kernel, with the surroundings of the client that asked for it."""
    import numpy
    from ipykernel.kernelapp import IPKernelApp

    from lockstep.supervisor import PR_SET_PDEATHSIG

    zygote = os.getppid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    os.chdir(request["cwd"])
    os.environ.clear()
    os.environ.update(request["env"])
    os.environ.pop("PYTEST_CURRENT_TEST", None)  # under which ipykernel misses file descriptor 2
    tempfile.tempdir = None  # found anew, as TMPDIR says
    random.seed()
    numpy.random.seed()
    sys.argv = ["ipykernel_launcher.py", *request["argv"]]
    app = IPKernelApp.instance(parent_handle=zygote, log_level=logging.ERROR)
    app.initialize()
    for handler, name in handlers:
        handler.setStream(getattr(sys, name))
    app.start()


def main(folder: Path, modules: list[str]) -> None:
    """Be the process that kernels are forked from."""
    if not sys.flags.safe_path:
        del sys.path[0]  # the folder of this file, which a kernel does not have
    handlers = preload(modules)
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as listener:
        listener.bind(str(folder / "zygote"))
        listener.listen()
        gc.collect()
        gc.freeze()  # what a collection does not touch stays shared between the forks
        print("ready", flush=True)
        forked = serve(listener)
    if forked is not None:
        run_kernel(*forked, handlers)
        return
    shutil.rmtree(folder, ignore_errors=True)  # in case who made it was killed
    os._exit(0)  # the frameworks have nothing to finish


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
