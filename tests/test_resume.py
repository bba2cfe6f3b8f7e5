"""A run that is killed anywhere and started again ends where an unbroken one does, in every bit.

The scripts are those of the chapter saving. Half of the kills come at any moment of the
run, half in the first milliseconds after a step that saves.
"""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from newest import everything

from tools.notebooks.files import find, script

KILLS = 20 if everything() else 2
SAVING_S = 0.03  # about as long as a save
LIMIT_S = 600  # of a run, however busy the machine is


def start(name: int) -> subprocess.Popen[bytes]:
    # The script reads its number from it; nothing connects.
    task = {"type": "worker", "index": name}
    config = {"cluster": {"worker": ["localhost:1"] * (name + 1)}, "task": task}
    quiet = {"TF_CPP_MIN_LOG_LEVEL": "3", "TF_ENABLE_ONEDNN_OPTS": "0"}
    environment = {**os.environ, **quiet, "TF_CONFIG": json.dumps(config)}
    return subprocess.Popen([sys.executable, "train.py"], env=environment)


def lines(name: int) -> list[str]:
    log = Path(f"run-{name}/log.txt")
    return log.read_text().splitlines() if log.exists() else []


def wait_for(name: int, line: str, process: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + LIMIT_S
    while True:
        running = (
            process.poll() is None
        )  # before the log is read: its last lines come before the end
        if line in lines(name):
            return
        assert running and time.monotonic() < end, lines(name)
        time.sleep(0.002)


def is_killed(name: int, step: int, delay: float) -> bool:
    """Start a run and kill it so long after a step, unless it has ended by then."""
    with start(name) as process:
        try:
            wait_for(name, f"step {step}", process)
            time.sleep(delay)
        finally:
            process.kill()
    assert process.returncode in (0, -signal.SIGKILL)
    return process.returncode != 0


def run_to_the_end(name: int) -> str:
    with start(name) as process:
        try:
            assert process.wait(LIMIT_S) == 0
        finally:
            process.kill()
    return lines(name)[-1]


@pytest.mark.launch
@pytest.mark.timeout((KILLS + 1) * LIMIT_S)
def test_killed_at_any_moment_it_ends_where_an_unbroken_run_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("problem.py", "train.py"):
        Path(name).write_text(script(find("saving"), name))
    unbroken = run_to_the_end(0)
    assert unbroken.startswith("final 0x")
    seed = random.randrange(2**32)
    dice = random.Random(seed)
    said = [f"unbroken: {unbroken}; kills drawn with the seed {seed}"]
    in_a_save = 0
    for kill in range(1, KILLS + 1):
        killed = False
        while not killed:  # on a busy machine one may end before this process comes to its kill
            shutil.rmtree(f"run-{kill}", ignore_errors=True)
            if kill % 2:
                step, delay = dice.choice((6, 12, 18)), dice.uniform(0, SAVING_S)
            else:
                step, delay = dice.randint(1, 23), dice.uniform(0, 0.1)
            killed = is_killed(kill, step, delay)
        before = lines(kill)
        saved = list(Path(f"run-{kill}/saved").glob("ckpt-*.index"))
        unfinished = kill % 2 and before[-1] == f"step {step}"
        in_a_save += bool(unfinished)
        assert run_to_the_end(kill) == unbroken
        steps = [line for line in lines(kill)[len(before) :] if line.startswith("step")]
        first = steps[0] if steps else "no step"
        where = "in a save" if unfinished else f"with {len(saved)} checkpoints"
        said.append(
            f"kill {kill}: {1000 * delay:.0f} ms after step {step}, last line "
            f"{before[-1]!r}, {where}; resumed with {first!r}: same final loss"
        )
    said.append(f"{KILLS} kills, {in_a_save} of them in a save")
    with capsys.disabled():
        print("", *said, sep="\n")
