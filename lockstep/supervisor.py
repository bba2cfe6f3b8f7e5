"""The process that starts the processes of one launch, watches them, and leaves none alive.

It runs apart from the notebook's kernel, with the standard library alone. Its standard input is a
pipe from the kernel, on which nothing is ever written: end of file means that the kernel no longer
wants the run, or is dead. On Linux it is the "subreaper" of all its descendants: a process whose
parent dies becomes a child of the supervisor, however many sessions and forks lie between, so the
supervisor can end it. Elsewhere it ends the process group of each process that it started.
"""

import contextlib
import ctypes
import glob
import json
import os
import resource
import select
import shutil
import signal
import subprocess
import sys
import time

# Seconds that the other processes have, once one has failed, to report what they saw of it.
GRACE = 1.0
# Seconds from SIGABRT, at which Python prints where it is, to SIGKILL.
LAST_WORDS = 1.0
TICK = 0.02

LINUX = sys.platform == "linux"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36  # <linux/prctl.h>


def children() -> list[int]:
    """Process ids of this process's own children, from /proc."""
    found = []
    for path in glob.glob("/proc/[0-9]*/stat"):
        with contextlib.suppress(OSError), open(path, "rb") as file:
            # "pid (name) state parent ...", and the name may hold spaces and brackets.
            if int(file.read().rpartition(b")")[2].split()[1]) == os.getpid():
                found.append(int(path.split("/")[2]))
    return found


def kill_all(processes: list[subprocess.Popen]) -> None:
    """Kill every descendant (elsewhere than on Linux: every process group), and wait for it."""
    while LINUX:
        for pid in children():
            os.kill(pid, signal.SIGKILL)
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:  # no child is left, so no descendant is
            return
        time.sleep(TICK / 4)
    for process in processes:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def supervise(job: dict) -> dict[int, int]:
    """Run the job; return the exit codes of the processes that ended by themselves, first to last.

    `job`: "command"; "variables", the environment of each process; "logs", the file descriptor for
    the output of each; "needed", the indices of those that must end for the run to be over;
    "may_fail", the indices of those whose error ends no other; "timeout" in seconds; "folder", for
    temporary files, which goes with the processes.
    """
    libc = ctypes.CDLL(None)
    supervisor = os.getpid()

    def die_with_supervisor() -> None:
        libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != supervisor:  # it died before the line above
            os.kill(os.getpid(), signal.SIGKILL)

    if LINUX:
        libc.prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    _, most = resource.getrlimit(resource.RLIMIT_CORE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, most))  # SIGABRT below would write core files
    processes: list[subprocess.Popen] = []
    exits: dict[int, int] = {}

    def unfinished() -> bool:
        return any(index not in exits for index in job["needed"])

    def is_failure(index: int) -> bool:
        return bool(exits[index]) and index not in job["may_fail"]

    try:
        for variables, log in zip(job["variables"], job["logs"], strict=True):
            processes.append(
                subprocess.Popen(
                    job["command"],
                    env={**os.environ, **variables},
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                    start_new_session=True,
                    # Safe here, as this process has one thread.
                    preexec_fn=die_with_supervisor if LINUX else None,
                )
            )
        end = time.monotonic() + job["timeout"]
        while unfinished() and time.monotonic() < end:
            if select.select([0], [], [], TICK)[0]:
                return exits  # the kernel is gone, or was interrupted
            for index, process in enumerate(processes):
                if index not in exits and process.poll() is not None:
                    exits[index] = process.returncode
                    if is_failure(index):
                        end = min(end, time.monotonic() + GRACE)
        if unfinished() and not any(map(is_failure, exits)):
            hanging = [process for i, process in enumerate(processes) if i not in exits]
            for process in hanging:
                process.send_signal(signal.SIGABRT)
            end = time.monotonic() + LAST_WORDS
            while any(p.poll() is None for p in hanging) and time.monotonic() < end:
                time.sleep(TICK)
        return exits
    finally:
        kill_all(processes)
        shutil.rmtree(job["folder"], ignore_errors=True)


if __name__ == "__main__":
    print(json.dumps(list(supervise(json.loads(sys.argv[1])).items())))
