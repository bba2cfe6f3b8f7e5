"""Starting processes: what is run, what is shown, what is said of a failure, and nothing left.

The deadlines hold on a busy machine as well. They are of processes that wait, count from the event
(a rank raises, a kernel is killed), and give ten times what it takes; where a framework computes
meanwhile, they add what it has needed in the same test.
"""

# Wrong arguments are given on purpose.
# mypy: disable-error-code="arg-type, list-item, dict-item"

import contextlib
import json
import os
import re
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from math import inf, nan
from pathlib import Path

import numpy as np
import psutil
import pytest
from jupyter_client import KernelManager
from jupyter_client.provisioning import LocalProvisioner

from lockstep import ahead, ranks
from lockstep import launch as module
from lockstep.launch import LaunchError, launch, launch_cluster

pytestmark = [pytest.mark.launch, pytest.mark.timeout(1200)]
SCRIPTS = Path(__file__).with_name("launch_scripts")
MARK = "LOCKSTEP_TEST"
linux_only = pytest.mark.skipif(
    sys.platform != "linux", reason="only Linux has subreapers and parent-death signals"
)
WAITING = f"{module.WAITING}\n"
# Seconds for what comes at once, or after the second of grace or of last words: ten times of them.
SOON_S = 10.0
LONG_S = 300.0  # for imports and the start of kernels, however busy the machine is


def needs(framework: str) -> None:
    pytest.importorskip(framework, reason=f"{framework} is not installed")


def is_server(process: psutil.Process) -> bool:
    """Whether ranks are forked from it: it ends with the kernel, and not with a launch."""
    return process.cmdline()[1:2] == [ranks.__file__]


def alive(servers: bool = False) -> set[psutil.Process]:
    """Every process that this test started, at any remove: they inherit its mark."""
    found = set()
    for process in psutil.process_iter():
        try:
            if process.environ().get(MARK) != os.environ[MARK] or process.pid == os.getpid():
                continue
            if servers or not is_server(process):
                found.add(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied):  # ended, or a zombie
            continue
    return found


def supervisor_of(pid: int) -> psutil.Process:
    """The supervisor of the one launch of a process."""
    descendants = psutil.Process(pid).children(recursive=True)
    (found,) = [p for p in descendants if "supervisor" in " ".join(p.cmdline())]
    return found


def wait(until: Callable[[], object], seconds: float = LONG_S) -> bool:
    """Whether it came true in that time."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if until():
            return True
        time.sleep(0.05)
    return False


def end_soon(*spared: int) -> None:
    """Assert that all processes but the spared ones end, servers where none is."""
    start = time.monotonic()
    servers = not spared
    gone = wait(lambda: not [p for p in alive(servers) if p.pid not in spared], SOON_S)
    left = [" ".join(p.cmdline()) for p in alive(servers) if p.pid not in spared]
    assert gone, f"alive after {SOON_S} s: {left}"
    print(f"nothing alive after {time.monotonic() - start:.2f} s")


def soon_after_the_failure(start: float) -> None:
    """Assert that all is over soon after what the failing process noted.

    It ends first, and a framework computes meanwhile: for no longer than on its way to the failure.
    """
    failed, now = float(Path("failed-at").read_text()), time.time()
    assert now - failed < SOON_S + 2 * (failed - start), f"{now - failed:.1f} s"
    assert wait(lambda: not alive(), SOON_S)
    print(f"over {now - failed:.2f} s after the failure")


@pytest.fixture(autouse=True, params=["forked", "fresh"])
def nothing_left(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Work in an empty folder; no process, port or temporary file is left behind.

    Every test runs twice: with ranks that are forked, and as where that is not possible.
    """
    monkeypatch.setenv(ahead.SWITCH, str(int(request.param == "forked")))
    if request.param == "forked" and not ahead.possible():
        pytest.skip("ranks are forked on Linux only")
    temporary, work = tmp_path / "temporary", tmp_path / "work"
    temporary.mkdir()
    work.mkdir()
    monkeypatch.chdir(work)
    monkeypatch.setenv(MARK, uuid.uuid4().hex)
    monkeypatch.setenv("TMPDIR", str(temporary))
    for name in ("PYTHONUNBUFFERED", "PYTHONFAULTHANDLER"):  # launch sets them by itself
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TF_CPP_MIN_LOG_LEVEL", "3")
    monkeypatch.setattr(tempfile, "tempdir", None)
    # Locks of this test's own: launches of other programs are not waited for.
    monkeypatch.setattr(module, "LOCK", str(temporary))
    monkeypatch.setattr(module, "GATE", str(work))
    # No test but those of the limit is about it.
    for function in (launch, launch_cluster):
        monkeypatch.setitem(function.__kwdefaults__, "timeout", LONG_S)
    me = psutil.Process()
    yield
    servers = [server.process for server in ahead._servers.values()]
    ahead.end_servers()
    for server in servers:  # which that does not wait for longer than a second
        server.wait(LONG_S)
    end_soon()
    assert not me.children(), "a child was not waited for"
    assert not [c for c in me.net_connections() if c.status == psutil.CONN_LISTEN]
    assert not list(temporary.iterdir())


def write(code: str) -> str:
    Path("script.py").write_text(f"import os, signal, subprocess, sys, time\n{code}\n")
    return "script.py"


def shown(capsys: pytest.CaptureFixture[str]) -> str:
    """What was printed, without the line about waiting: a launch of another test may be running."""
    return capsys.readouterr().out.replace(WAITING, "")


# For a script: wait for a condition, and return it.
POLL = (
    "def poll(until):\n"
    "    end = time.monotonic() + 300\n"
    "    while not until() and time.monotonic() < end: time.sleep(0.01)\n"
    "    return until()\n"
)


@contextlib.contextmanager
def launch_elsewhere(code: str, alone: bool = False) -> Iterator[subprocess.Popen]:
    """Launch a script from another process, wait until its rank has started; kill it at the end."""
    script = write(f"{code}\nopen('ready-0', 'w')\ntime.sleep(1000)")
    code = (
        "from lockstep import launch\n"
        f"launch.LOCK, launch.GATE = {module.LOCK!r}, {module.GATE!r}\n"
        f"launch.launch({script!r}, 1, timeout=1000, alone={alone})"
    )
    with subprocess.Popen([sys.executable, "-c", code]) as process:
        try:
            assert wait(Path("ready-0").exists)
            yield process
        finally:
            process.kill()


# What is run


def test_a_rank_finds_its_place_in_its_environment() -> None:
    names = ["RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE", "MASTER_ADDR"]
    names += ["OMP_NUM_THREADS", "COLOUR"]
    script = write(
        "import json\n"
        f"print(json.dumps([os.environ[n] for n in {names}] + sys.argv[1:]))\n"
        "print(os.environ['MASTER_PORT'])"
    )
    outputs = launch(script, 3, args=["--lr", 0.1], env={"COLOUR": "red"})
    ports = set()
    for rank, output in enumerate(outputs):
        first, port = output.splitlines()
        me = str(rank)
        assert json.loads(first) == [me, me, "3", "3", "127.0.0.1", "1", "red", "--lr", "0.1"]
        ports.add(port)
    assert len(ports) == 1 and 1024 < int(ports.pop()) < 65536


def test_a_task_finds_its_cluster_and_servers_end_with_the_chief() -> None:
    script = write(
        f"import json\n{POLL}"
        "config = json.loads(os.environ['TF_CONFIG'])\n"
        "print(json.dumps(config))\n"
        "open('told-{type}-{index}'.format(**config['task']), 'w').close()\n"
        "if config['task']['type'] != 'chief': time.sleep(1000)\n"
        "poll(lambda: sum(name.startswith('told-') for name in os.listdir()) == 4)"
    )
    outputs = launch_cluster(script, {"ps": 1, "worker": 2, "chief": 1})
    assert list(outputs) == ["chief 0", "worker 0", "worker 1", "ps 0"]
    configs = [json.loads(output) for output in outputs.values()]
    assert [f"{c['task']['type']} {c['task']['index']}" for c in configs] == list(outputs)
    cluster = configs[0]["cluster"]
    assert {job: len(addresses) for job, addresses in cluster.items()} == {
        "chief": 1,
        "worker": 2,
        "ps": 1,
    }
    assert len({address for addresses in cluster.values() for address in addresses}) == 4
    assert all(config["cluster"] == cluster for config in configs)
    assert "TF_CONFIG" not in os.environ


def test_torch_ranks_find_each_other() -> None:
    needs("torch")
    outputs = launch(SCRIPTS / "collective.py", 2, args=["train"])
    assert outputs == [f"rank {i} starts\nrank {i} counts 2 ranks\n" for i in range(2)]


def test_tensorflow_workers_find_each_other() -> None:
    needs("tensorflow")
    outputs = launch_cluster(SCRIPTS / "cluster.py", {"worker": 2}, args=["train"])
    assert [text.splitlines()[-1] for text in outputs.values()] == [
        f"worker {i} counts 2 workers" for i in range(2)
    ]


# Failures


def test_a_torch_rank_that_raises_ends_the_others() -> None:
    needs("torch")
    start = time.time()
    with pytest.raises(LaunchError) as caught:
        launch(SCRIPTS / "collective.py", 3, args=["raise"])
    soon_after_the_failure(start)
    message = str(caught.value)
    # The code is not asserted: torch, ending after an exception, now and then aborts instead.
    assert message.startswith("collective.py failed: rank 1 (")
    assert ". Ended because of it: rank 2." in message or ": rank 0, rank 2." in message
    assert "ValueError: this rank breaks" in message.split("Last lines of rank 1:")[1]


def test_a_tensorflow_worker_that_raises_ends_the_others() -> None:
    needs("tensorflow")
    start = time.time()
    with pytest.raises(LaunchError) as caught:
        launch_cluster(SCRIPTS / "cluster.py", {"worker": 2}, args=["raise"])
    soon_after_the_failure(start)
    assert str(caught.value).startswith("cluster.py failed: worker 1 (exit code 1)")
    assert "ValueError: this worker breaks" in str(caught.value)


def test_a_torch_rank_that_hangs_ends_at_the_limit_and_says_where() -> None:
    needs("torch")
    start = time.monotonic()
    launch(SCRIPTS / "collective.py", 2, args=["train"])
    limit = 2 + 3 * (time.monotonic() - start)  # enough to get there
    start = time.monotonic()
    with pytest.raises(LaunchError) as caught:
        launch(SCRIPTS / "collective.py", 2, args=["hang"], timeout=limit)
    assert time.monotonic() - start >= limit
    # From when it hung, not from the call: that one may have waited for another launch.
    assert time.time() - float(Path("hanging-at").read_text()) < limit + SOON_S
    message = str(caught.value)
    assert "Not finished: rank 0, rank 1." in message
    hanging = (SCRIPTS / "collective.py").read_text().splitlines().index("    time.sleep(1000)") + 1
    assert f'collective.py", line {hanging}' in message.split("Last lines of rank 1:")[1]
    assert "in all_reduce" in message.split("Last lines of rank 0:")[1]


def test_a_rank_that_ignores_every_signal_ends_at_the_limit() -> None:
    script = write(
        "for name in (signal.SIGINT, signal.SIGTERM, signal.SIGABRT):\n"
        "    signal.signal(name, signal.SIG_IGN)\n"
        "if os.environ['RANK'] == '0': sys.exit()\n"
        "print('started at', time.time())\n"
        "while True: time.sleep(1)"
    )
    with pytest.raises(LaunchError) as caught:
        launch(script, 2, timeout=4)
    ended = time.time()
    started = re.search(r"Last lines of rank 1:\n    started at ([\d.]+)", str(caught.value))
    assert started and ended - float(started[1]) < 4 + SOON_S
    assert "was ended after 4 s. Not finished: rank 1." in str(caught.value)


def test_a_rank_ended_by_a_signal_is_named_with_it() -> None:
    script = write(
        "if os.environ['RANK'] == '1':\n"
        "    print('last words', end='')\n"
        "    print(time.time(), file=open('failed-at', 'w'), flush=True)\n"
        "    os.kill(os.getpid(), signal.SIGKILL)\n"
        "time.sleep(1000)"
    )
    start = time.time()
    with pytest.raises(LaunchError) as caught:
        launch(script, 3)
    soon_after_the_failure(start)
    message = str(caught.value)
    assert "rank 1 (signal 9, Killed" in message
    assert "Ended because of it: rank 0, rank 2." in message
    assert message.endswith("Last lines of rank 1:\n    last words")


def test_others_have_time_to_say_what_they_saw() -> None:
    # Rank 0 waits until rank 1 is gone, which it is when the launch has noticed.
    script = write(
        f"{POLL}"
        "def is_gone(pid):\n"
        "    try: os.kill(pid, 0)\n"
        "    except ProcessLookupError: return True\n"
        "rank = int(os.environ['RANK'])\n"
        "if rank == 0:\n"
        "    pid = int(poll(lambda: os.path.exists('pid') and open('pid').read()))\n"
        "    open('waits', 'w').close()\n"
        "    poll(lambda: is_gone(pid))\n"
        "if rank == 1:\n"
        "    print(os.getpid(), end='', file=open('new', 'w'), flush=True)\n"
        "    os.rename('new', 'pid')\n"
        "    poll(lambda: os.path.exists('waits'))\n"
        "if rank == 2: time.sleep(1000)\n"
        "sys.exit(f'rank {rank} complains')"
    )
    with pytest.raises(LaunchError) as caught:
        launch(script, 3)
    what, first, second = str(caught.value).split("\n\n")
    assert what.endswith(
        "rank 1 (exit code 1), then rank 0 (exit code 1). Ended because of it: rank 2."
    )
    assert first.endswith("rank 1 complains") and second.endswith("rank 0 complains")


BREAKS = (
    "task = json.loads(os.environ['TF_CONFIG'])['task']\n"
    "if task == {'type': 'worker', 'index': 1}:\n"
    "    open('broken', 'w')\n"
    "    os.kill(os.getpid(), signal.SIGKILL)\n"
    "while not os.path.exists('broken'): time.sleep(0.01)\n"
)


@pytest.mark.parametrize("cluster", [{"worker": 2}, {"chief": 1, "worker": 2, "ps": 1}])
def test_a_task_that_may_fail_ends_no_other(
    cluster: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    # The others go on for longer than the second that they would have after a failure, and the
    # chief, with which a run with servers ends, for longest.
    wait = (
        "time.sleep(1000 if task['type'] == 'ps' else module.GRACE + 1)\n"
        "if task['type'] == 'chief': poll(lambda: os.path.exists('worker-done'))\n"
        "print('done')\n"
        "open('worker-done', 'w').close()"
    )
    script = write(f"import json, lockstep.supervisor as module\n{POLL}{BREAKS}{wait}")
    outputs = launch_cluster(script, cluster, may_fail=["worker 1"])
    broken_and_server = {"worker 1": "", "ps 0": ""}
    assert outputs == {name: broken_and_server.get(name, "done\n") for name in outputs}
    assert shown(capsys).count("[launch] worker 1 may fail, and did: signal 9, Killed") == 1


def test_a_task_that_may_fail_excuses_no_other() -> None:
    script = write(f"import json\n{BREAKS}sys.exit('and I too')")
    with pytest.raises(LaunchError) as caught:
        launch_cluster(script, {"worker": 2}, may_fail=["worker 1"])
    assert str(caught.value).startswith("script.py failed: worker 0 (exit code 1).")
    assert "Last lines of worker 1" not in str(caught.value)


def test_a_task_that_waits_for_one_that_may_fail_ends_at_the_limit_and_says_where() -> None:
    script = write(f"import json\n{BREAKS}time.sleep(1000)")
    with pytest.raises(LaunchError, match=r"after 5 s. Not finished: worker 0\.") as caught:
        launch_cluster(script, {"worker": 2}, may_fail=["worker 1"], timeout=5)
    assert 'script.py", line 8 in <module>' in str(caught.value)


@linux_only
def test_a_process_left_by_a_rank_that_succeeds_ends() -> None:
    script = write("subprocess.Popen(['sleep', '1000'], start_new_session=True); print('done')")
    assert launch(script, 1) == ["done\n"]
    assert wait(lambda: not alive(), SOON_S)


@linux_only
def test_ranks_die_with_the_supervisor() -> None:
    script = write("open('ready-' + os.environ['RANK'], 'w'); time.sleep(1000)")
    killed = []

    def kill() -> None:
        if wait(lambda: Path("ready-0").exists() and Path("ready-1").exists()):
            supervisor = supervisor_of(os.getpid())
            supervisor.kill()
            killed.append(supervisor.pid)

    thread = threading.Thread(target=kill)
    thread.start()
    with pytest.raises(LaunchError, match=r"supervisor of this launch ended with signal 9"):
        launch(script, 2)
    end_soon(os.getpid())
    thread.join()
    assert killed


def test_a_launch_keeps_no_descriptor() -> None:
    launch(write("print('fine')"), 2)
    count = psutil.Process().num_fds()
    launch(write("print('fine')"), 2)
    with pytest.raises(LaunchError):
        launch(write("sys.exit(1)"), 2)
    assert psutil.Process().num_fds() == count


# A kernel that is interrupted or killed


@pytest.fixture
def kernel() -> Iterator[KernelManager]:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    yield manager
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


class Notebook:
    """A real kernel and what it answers."""

    def __init__(self, manager: KernelManager) -> None:
        assert isinstance(manager.provisioner, LocalProvisioner) and manager.provisioner.pid
        self.manager, self.pid = manager, manager.provisioner.pid
        self.client = manager.client()
        self.client.start_channels()
        self.client.wait_for_ready(timeout=LONG_S)

    def start(self, cell: str) -> str:
        code = f"from lockstep.launch import launch, launch_cluster\n{cell}"
        # stop_on_error: an older ipykernel may drop the cell that follows one that failed.
        return self.client.execute(code, stop_on_error=False)

    def reply(self, message: str) -> dict:
        while True:
            answer = self.client.get_shell_msg(timeout=LONG_S)
            if answer["parent_header"]["msg_id"] == message:
                return answer["content"]


@pytest.fixture
def notebook() -> Iterator[Notebook]:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    notebook = Notebook(manager)
    yield notebook
    notebook.client.stop_channels()
    manager.shutdown_kernel(now=True)
    manager.cleanup_resources()


def test_a_notebook_shows_the_message_and_no_frames_of_launch(notebook: Notebook) -> None:
    script = write("sys.exit('enough')")
    reply = notebook.reply(notebook.start(f"launch({script!r}, 1)"))
    message = "script.py failed: rank 0 (exit code 1).\n\nLast lines of rank 0:\n    enough"
    assert (reply["ename"], reply["evalue"]) == ("LaunchError", message)
    assert "\n".join(reply["traceback"]) == f"LaunchError: {message}"


@pytest.mark.parametrize(
    ("framework", "cell", "ready"),
    [
        pytest.param(
            "sys", "launch('sessions.py', 1, timeout=1000)", 2, id="sessions", marks=linux_only
        ),
        pytest.param(
            "torch", "launch('collective.py', 2, args=['forever'], timeout=1000)", 2, id="torch"
        ),
        pytest.param(
            "torch", "launch('elastic.py', 1, timeout=1000)", 2, id="torchrun", marks=linux_only
        ),
        pytest.param(
            "tensorflow",
            "launch_cluster('cluster.py', {'worker': 2}, args=['forever'], timeout=1000)",
            2,
            id="tensorflow",
        ),
        pytest.param(
            "tensorflow", "launch('waiting.py', 1, timeout=1000)", 1, id="tensorflow-without-a-peer"
        ),
    ],
)
def test_nothing_outlives_the_kernel(
    notebook: Notebook, framework: str, cell: str, ready: int
) -> None:
    needs(framework)
    for script in SCRIPTS.glob("*.py"):
        Path(script.name).symlink_to(script)

    def start() -> str:
        for path in Path.cwd().glob("ready-*"):
            path.unlink()
        message = notebook.start(cell)
        assert wait(lambda: len(list(Path.cwd().glob("ready-*"))) == ready)
        return message

    message = start()
    notebook.manager.interrupt_kernel()
    end_soon(notebook.pid)
    assert notebook.reply(message)["ename"] == "KeyboardInterrupt"
    start()
    if "waiting" in cell:
        (rank,) = [p for p in alive() if p.cmdline()[-1] == "waiting.py"]
        rank.terminate()
        time.sleep(0.5)
        assert rank.is_running(), "it took SIGTERM: not the stubborn process that this is about"
    os.killpg(notebook.pid, signal.SIGKILL)  # the kernel's whole group, as Jupyter does
    end_soon()


# Ports


def test_a_port_taken_before_rank_0_gets_it_is_no_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    needs("torch")
    choose = module._free_ports
    held: list[socket.socket] = []

    def choose_and_lose(count: int) -> list[int]:
        ports = choose(count)
        if not held:
            held.append(socket.create_server(("127.0.0.1", ports[0])))
        return ports

    monkeypatch.setattr(module, "_free_ports", choose_and_lose)
    outputs = launch(SCRIPTS / "collective.py", 2, args=["train"])
    port = held[0].getsockname()[1]
    held[0].close()
    assert outputs[1] == "rank 1 starts\nrank 1 counts 2 ranks\n"
    said = f"[launch] Another program took port {port} before collective.py could. Starting again"
    assert shown(capsys).count(said) == 1


def test_a_port_that_is_always_taken_ends_in_an_error(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    script = write(
        "import socket\nsocket.create_server(('127.0.0.1', int(os.environ['MASTER_PORT'])))"
    )
    with socket.create_server(("127.0.0.1", 0)) as held:
        monkeypatch.setattr(module, "_free_ports", lambda count: [held.getsockname()[1]])
        with pytest.raises(LaunchError, match="Address already in use"):
            launch(script, 1)
    assert shown(capsys).count("Starting again") == 2


# Output


def test_output_is_in_rank_order_and_whole(capsys: pytest.CaptureFixture[str]) -> None:
    script = write(
        "rank = int(os.environ['RANK'])\n"
        "time.sleep(0.4 - 0.2 * rank)\n"
        "print('out', rank)\n"
        "print('err', rank, file=sys.stderr)\n"
        "os.write(1, b'\\xe2\\x82\\xac \\xff' if rank < 2 else b'')"
    )
    expected = [f"out {rank}\nerr {rank}\n" for rank in range(3)]
    expected = [expected[0] + "€ \\xff", expected[1] + "€ \\xff", expected[2]]
    assert launch(script, 3) == expected
    assert shown(capsys) == (
        f"--- rank 0 ---\n{expected[0]}\n"
        f"--- rank 1 ---\n{expected[1]}\n"
        f"--- rank 2 ---\n{expected[2]}"
    )


def test_rank_0_is_shown_while_it_runs() -> None:
    # The rank goes on only once it has been seen, character by character: half a "€" too.
    code = (
        "import sys, launch_script\n"
        "class Screen:\n"
        "    def write(self, text):\n"
        "        if 'half' in text: open('seen', 'w')\n"
        "        return sys.__stdout__.write(text)\n"
        "    def flush(self): sys.__stdout__.flush()\n"
        "sys.stdout = Screen()\n"
        "launch_script.run()"
    )
    script = write(
        "os.write(1, b'half \\xe2\\x82')\n"
        f"{POLL}"
        "os.write(1, b'\\xac, seen: %d' % poll(lambda: os.path.exists('seen')))"
    )
    Path("launch_script.py").write_text(
        f"from lockstep.launch import launch\ndef run(): launch({script!r}, 1)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert done.stdout.decode().replace(WAITING, "") == "--- rank 0 ---\nhalf €, seen: 1\n"


def test_after_two_seconds_all_ranks_are_shown_while_they_run() -> None:
    """Whole lines of each, under its name; each rank goes on once what comes before is seen."""
    code = (
        "import sys, launch_script\n"
        "class Screen:\n"
        "    def write(self, text):\n"
        "        with open('seen', 'a') as file: file.write(text)\n"
        "        return sys.__stdout__.write(text)\n"
        "    def flush(self): sys.__stdout__.flush()\n"
        "sys.stdout = Screen()\n"
        "launch_script.run()"
    )
    script = write(
        f"{POLL}"
        "open('seen', 'a').close()\n"
        "def when(text): return poll(lambda: text in open('seen').read())\n"
        "rank = int(os.environ['RANK'])\n"
        "if rank: when(['', 'not yet', 'one\\n'][rank]), print(['', 'one', 'two'][rank])\n"
        "print('not yet a line', end='')\n"
        "print(': seen', when(['two\\n', ': seen True\\n', 'a line: seen True\\n'][rank]))"
    )
    Path("launch_script.py").write_text(
        f"from lockstep.launch import launch\ndef run(): print(launch({script!r}, 3))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    end = "not yet a line: seen True\n"
    texts = [end, f"one\n{end}", f"two\n{end}"]
    assert done.stdout.replace(WAITING, "") == (
        "--- rank 0 ---\nnot yet a line\n--- rank 1 ---\none\n--- rank 2 ---\ntwo\n"
        f"--- rank 0 ---\n: seen True\n--- rank 1 ---\n{end}--- rank 2 ---\n{end}"
        f"{texts!r}\n"
    )


def test_what_tensorflow_logs_about_itself_is_left_out() -> None:
    noise = (
        "WARNING: All log messages before absl::InitializeLog() is called are written to STDERR\n"
        "I0000 00:00:1795274214.535533   17883 cudart_stub.cc:31] Could not find cuda drivers\n"
    )
    pieces = ["In", " all\n", noise[:50], noise[50:], "E0000 00:00: an error\n", "I"]
    script = write(
        f"for piece in {pieces!r}:\n"
        "    os.write(1, piece.encode())\n"
        "    time.sleep(0.2)"  # read piece by piece
    )
    assert launch(script, 1) == ["In all\nE0000 00:00: an error\nI"]
    imported = launch(write("import tensorflow; print('imported')"), 1)
    assert imported == ["imported\n"]


@pytest.mark.parametrize("rank", [0, 1])
def test_a_huge_output_shows_its_ends_and_keeps_the_rest(
    rank: int, capsys: pytest.CaptureFixture[str]
) -> None:
    script = write(
        f"if os.environ['RANK'] == '{rank}':\n"
        "    print('first')\n"
        "    for _ in range(100): sys.stdout.write('x' * 999_999 + '\\n')\n"
        "    print('last')"
    )
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    text = launch(script, 2)[rank]
    grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
    assert grown * (1 if sys.platform == "darwin" else 1024) < 20e6
    assert len(text) < 201_000
    kept = Path(f"script-rank-{rank}.log")
    notice = f"[launch] 100,000,011 bytes in all, see {kept}."
    assert text.startswith("first\nxxx") and notice in text and text.endswith("xxx\nlast\n")
    assert kept.stat().st_size == 100_000_011
    assert shown(capsys) == f"--- rank {rank} ---\n{text}"
    assert [path.name for path in Path.cwd().glob("*.log")] == [kept.name]


# One at a time


def test_a_launch_waits_until_nothing_of_another_is_alive(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("quick.py").write_text("print('at last')")
    resumed = []
    with launch_elsewhere("") as other:
        supervisor = supervisor_of(other.pid)
        supervisor.suspend()
        other.kill()
        other.wait()

        def resume() -> None:
            time.sleep(4)
            resumed.append(len(alive()))
            supervisor.resume()

        thread = threading.Thread(target=resume)
        thread.start()
        # The wait is not part of the limit.
        assert launch("quick.py", 1, timeout=3, alone=True) == ["at last\n"]
        assert resumed == [2]  # the suspended supervisor and its rank: the launch had not begun
        thread.join()
    assert capsys.readouterr().out == f"{WAITING}--- rank 0 ---\nat last\n"


def test_launches_run_beside_each_other() -> None:
    with launch_elsewhere("") as other:
        Path("quick.py").write_text("print('at once')")
        assert launch("quick.py", 1) == ["at once\n"]
        assert other.poll() is None


@pytest.mark.parametrize("alone", [(True, False), (False, True), (True, True)])
def test_a_launch_that_is_to_be_alone_waits_and_is_waited_for_up_to_a_limit(
    alone: tuple[bool, bool], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with launch_elsewhere("", alone[0]):
        monkeypatch.setattr(module, "WAIT_S", 0.5)
        Path("quick.py").write_text("print('never')")
        with pytest.raises(LaunchError, match=r"waited for 0.5 s .* `alone=True`. Interrupt the"):
            launch("quick.py", 1, alone=alone[1])
    assert capsys.readouterr().out == f"{WAITING}"


def test_nobody_passes_one_that_waits_to_be_alone(capsys: pytest.CaptureFixture[str]) -> None:
    """Others would keep it waiting for ever, one after the other."""
    order: list[str] = []

    def run(name: str, alone: bool) -> None:
        launch("quick.py", 1, alone=alone)
        order.append(name)

    Path("quick.py").write_text("print('fine')")
    with launch_elsewhere("") as other:
        threads = [
            threading.Thread(target=run, args=[str(alone), alone]) for alone in (True, False)
        ]
        said = ""
        for number, thread in enumerate(threads, start=1):
            thread.start()
            end = time.monotonic() + LONG_S
            while said.count(WAITING) < number and time.monotonic() < end:
                said += capsys.readouterr().out
                time.sleep(0.05)
        assert order == []
        other.kill()
        for thread in threads:
            thread.join()
    assert sorted(order) == ["False", "True"]


def test_a_wait_can_be_interrupted() -> None:
    with launch_elsewhere(""):
        threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
        with pytest.raises(KeyboardInterrupt):
            launch("script.py", 1, alone=True)


# Inputs


def test_what_numpy_counts_is_accepted() -> None:
    script = write("print(sys.argv[1:])")
    outputs = launch(script, np.int64(2), args=np.array([1, 2]), timeout=np.float32(60))
    assert outputs == ["['1', '2']\n"] * 2
    assert (
        len(launch_cluster(script, {"worker": np.int64(2)}, may_fail=np.array(["worker 1"]))) == 2
    )


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: launch("nowhere.py", 2), FileNotFoundError, "script is 'nowhere.py'.*%%writefile"),
        (lambda: launch(".", 2), FileNotFoundError, "no such file"),
        (lambda: launch("s.py", 0), ValueError, "world_size is 0, but must be an int, 1 or more"),
        (lambda: launch("s.py", 2.0), ValueError, "world_size is 2.0, but must be an int"),
        (lambda: launch("s.py", 1, args="--lr 1"), TypeError, "args is '--lr 1', but must be a li"),
        (lambda: launch("s.py", 1, args=3), TypeError, r'args is 3, .*args=\["--steps", 10\]'),
        (lambda: launch("s.py", 1, timeout=0), ValueError, "timeout is 0, but must be a finite nu"),
        (lambda: launch("s.py", 1, timeout=nan), ValueError, "nan, .* seconds above 0: timeout=60"),
        (lambda: launch("s.py", 1, timeout=inf), ValueError, "timeout is inf, .* timeout=60"),
        (lambda: launch("s.py", 1, timeout="5"), ValueError, "timeout is '5', .* timeout=60"),
        (lambda: launch("s.py", 1, timeout=None), ValueError, "timeout is None, .* timeout=60"),
        (
            lambda: launch("s.py", nan),
            ValueError,
            "world_size is nan, but must be an int, 1 or more",
        ),
        (
            lambda: launch(["s.py"], 1),
            TypeError,
            r"script is \['s.py'\], .* path of a file: \"trai",
        ),
        (
            lambda: launch("s.py", 1, env=["A=1"]),
            TypeError,
            r"env is \['A=1'\], .* env={\"COLOUR\":",
        ),
        (lambda: launch("s.py", 1, env={"A": None}), ValueError, "env has 'A': None, .* Leave out"),
        (
            lambda: launch("s.py", 1, env={"A=B": 1}),
            ValueError,
            "'A=B': 1, .* without \"=\", .* env=",
        ),
        (lambda: launch("s.py", 1, env={3: 1}), ValueError, "env has 3: 1, .* must be text"),
        (lambda: launch_cluster("s.py", 2), ValueError, 'cluster is 2, .*: {"worker": 2}'),
        (lambda: launch_cluster("s.py", ["worker"]), ValueError, r'cluster is \[.*: {"worker": 2}'),
        (
            lambda: launch_cluster("s.py", {"worker": 2}, may_fail=None),
            ValueError,
            r"may_fail is None, .*: may_fail=\[\"worker 1\"\]",
        ),
        (lambda: launch_cluster("s.py", {}), ValueError, "cluster is {}, but must give .*worker"),
        (lambda: launch_cluster("s.py", {"worker": 0}), ValueError, "1 or more, of one or more"),
        (lambda: launch_cluster("s.py", {"boss": 1}), ValueError, "of the jobs chief, worker, ps"),
        (lambda: launch_cluster("s.py", {"chief": 2}), ValueError, "at most one chief"),
        (lambda: launch_cluster("s.py", {"ps": 1, "worker": 1}), ValueError, "one where there is"),
        (
            lambda: launch_cluster("s.py", {"worker": 2}, may_fail=["worker 2"]),
            ValueError,
            r"may_fail is \['worker 2'\], but must be a list .*, which are worker 0, worker 1: may",
        ),
        (
            lambda: launch_cluster("s.py", {"worker": 2}, may_fail="worker 1"),
            ValueError,
            r"may_fail is 'worker 1', but .*: may_fail=\[\"worker 1\"\]",
        ),
    ],
)
def test_a_wrong_input_is_named_with_the_rule_and_the_way_out(
    call: Callable[[], object], error: type[Exception], message: str
) -> None:
    Path("s.py").touch()
    with pytest.raises(error, match=message):
        call()
