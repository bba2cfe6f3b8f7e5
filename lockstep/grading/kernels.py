"""Jupyter kernels that start in a moment: each is forked from a process with the imports done.

That process is a server (`lockstep.forkserver`); there is one for each set of frameworks. A
kernelspec named python3 starts a small client instead of Python; the client asks the server that
`LOCKSTEP_KERNELS` names for a fork, and lives as long as it does. The fork runs ipykernel as ever,
so what starts the kernel and talks to it (jupyter_client, nbclient, nbgrader, nbval) needs to know
nothing of this. Elsewhere than on Linux, and with LOCKSTEP_FORK=0, kernels are ordinary ones.

What an import finds is the same for all forks: the environment variables that a framework reads
when it is imported are those of `lockstep.runtime`.
"""

import contextlib
import importlib
import json
import logging
import os
import secrets
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from unittest import mock

from lockstep import ahead, forkserver, runtime
from lockstep.supervisor import die_with

# What every kernel imports, and the course's package with it.
ALWAYS = ("ipykernel.kernelapp", "ipykernel.ipkernel", "numpy", "matplotlib", "lockstep.runtime")
INLINE = "module://matplotlib_inline.backend_inline"
SERVER = "LOCKSTEP_KERNELS"
MARK = "LOCKSTEP_NOTEBOOK"  # a variable of every notebook that is executed for its outputs

# Hands its arguments, environment, working folder and standard streams over, then waits for the
# end of file that comes when the kernel has ended.
CLIENT = """
import json, os, socket, sys
request = {"argv": sys.argv[1:], "cwd": os.getcwd(), "env": dict(os.environ)}
file = os.memfd_create("request")
os.write(file, json.dumps(request).encode())
with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as server:
    server.connect("\\0" + os.environ["LOCKSTEP_KERNELS"])
    socket.send_fds(server, [b"fork"], [file, 0, 1, 2])
    server.recv(1)
"""


@contextlib.contextmanager
def kernelspec() -> Iterator[dict[str, str]]:
    """Yield environment variables under which the kernel python3 is a forked one.

    TMPDIR, one of them, is a folder that goes when this context does.
    """
    with tempfile.TemporaryDirectory(prefix="lockstep-", ignore_cleanup_errors=True) as name:
        if not ahead.possible():
            yield {"TMPDIR": name}
            return
        spec = {
            "argv": [sys.executable, "-I", "-S", "-c", CLIENT, "-f", "{connection_file}"],
            "display_name": "Python 3 (forked)",
            "language": "python",
            "interrupt_mode": "message",
        }
        (Path(name) / "tmp").mkdir()
        (Path(name) / "kernels/python3").mkdir(parents=True)
        (Path(name) / "kernels/python3/kernel.json").write_text(json.dumps(spec))
        yield {"JUPYTER_PATH": name, "TMPDIR": f"{name}/tmp"}


@contextlib.contextmanager
def server(modules: Sequence[str], address: str, folder: str) -> Iterator[subprocess.Popen[bytes]]:
    """Start a server of kernels with these modules, which says "ready" on its standard output.

    At its end it removes the folder, which nobody else does if this process is killed.
    """
    with (
        forkserver.listen(address) as listener,
        subprocess.Popen(
            [sys.executable, __file__, str(listener.fileno()), folder, *modules],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            pass_fds=[listener.fileno()],
            start_new_session=True,
        ) as process,
    ):
        listener.close()  # so that nobody waits for a server that has ended
        yield process


@contextlib.contextmanager
def kernels(modules: Iterable[str] = ()) -> Iterator[dict[str, str]]:
    """Make forked kernels ready whose process has imported `modules`; end them all on leaving.

    Yields environment variables. Where they are set, the kernel python3 is a forked one.

    Raises:
        RuntimeError: the process could not import them, and has printed why.
    """
    with contextlib.ExitStack() as stack:
        variables = stack.enter_context(kernelspec())
        if ahead.possible():
            variables[SERVER] = f"lockstep-{secrets.token_hex(16)}"
            process = stack.enter_context(
                server(list(modules), variables[SERVER], variables["JUPYTER_PATH"])
            )
            assert process.stdout is not None
            if process.stdout.readline() != b"ready\n":
                named = ", ".join(modules)
                raise RuntimeError(f"No kernels: {named} could not be imported (above)")
        yield variables


def preload(modules: list[str]) -> tuple[dict[str, str], list[tuple[logging.StreamHandler, str]]]:
    """Import modules as a kernel would.

    Returns the environment variables that the imports set, and the log handlers that write to
    standard streams, with which they do.
    """
    # One thread each for torch's operations, as kernels are made to run beside each other.
    for key, value in (
        runtime.ENVIRONMENT | {"MPLBACKEND": INLINE, "OMP_NUM_THREADS": "1"}
    ).items():
        os.environ.setdefault(key, value)
    before = dict(os.environ)
    # TensorFlow looks for these two when it is imported. In a kernel it finds them, and then prints
    # and logs to sys.stdout.
    sys.ps1 = "In : "
    with mock.patch("builtins.get_ipython", lambda: None, create=True), runtime._quiet():
        for module in [*ALWAYS, *modules]:
            importlib.import_module(module)
        for framework, *later in ahead.FRAMEWORKS.values():
            if framework in modules:
                forkserver.import_all(later)
    streams = {sys.stdout: "stdout", sys.stderr: "stderr"}
    handlers = [reference() for reference in logging._handlerList]  # type: ignore[attr-defined]
    changed = {name: value for name, value in os.environ.items() if before.get(name) != value}
    return changed, [
        (handler, streams[handler.stream])
        for handler in handlers
        if isinstance(handler, logging.StreamHandler) and handler.stream in streams
    ]


def run_kernel(
    request: forkserver.Request,
    set_by_imports: dict[str, str],
    handlers: list[tuple[logging.StreamHandler, str]],
) -> None:
    """Be an ordinary kernel, with the surroundings of the client that asked for it."""
    from ipykernel.kernelapp import IPKernelApp

    server = os.getppid()
    die_with(server)
    request_file, *streams = request.descriptors
    with os.fdopen(request_file, "rb") as file:
        file.seek(0)
        asked = json.loads(file.read())
    for number, descriptor in enumerate(streams):
        os.dup2(descriptor, number)
        os.close(descriptor)
    request.client.close()  # the server has it, and tells the client of the end
    os.chdir(asked["cwd"])
    os.environ.clear()
    os.environ.update(set_by_imports | asked["env"])
    if MARK not in os.environ:
        # Set, ipykernel does not show what native code writes to file descriptor 2: good for a
        # page, and not for grades, which anything on stderr costs.
        os.environ.pop("PYTEST_CURRENT_TEST", None)
    tempfile.tempdir = None  # found anew, as TMPDIR says
    forkserver.draw_own_random_numbers()
    sys.argv = ["ipykernel_launcher.py", *asked["argv"]]
    app = IPKernelApp.instance(parent_handle=server, log_level=logging.ERROR)
    app.initialize()
    for handler, name in handlers:
        handler.setStream(getattr(sys, name))
    app.start()


def main(listener: socket.socket, folder: str, modules: list[str]) -> None:
    """Be the process that kernels are forked from."""

    def finish() -> None:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)  # the frameworks have nothing to finish

    if not sys.flags.safe_path:
        del sys.path[0]  # the folder of this file, which a kernel does not have
    owner = forkserver.end_with_owner(finish)
    set_by_imports, handlers = preload(modules)
    print("ready", flush=True)
    request = forkserver.serve(owner, listener, kill_with_client=True)
    if request is None:
        finish()
    else:
        run_kernel(request, set_by_imports, handlers)


if __name__ == "__main__":
    main(socket.socket(fileno=int(sys.argv[1])), sys.argv[2], sys.argv[3:])
