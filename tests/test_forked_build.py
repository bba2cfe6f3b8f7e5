"""What a run of many notebooks does about kernels and launches: forks, order, and comparison."""

import json
import os
from pathlib import Path
from unittest import mock

import nbformat
import pytest
from jupyter_client.manager import start_new_kernel
from nbformat.v4 import new_code_cell, new_notebook

from experiments import ordinary
from lockstep import ahead
from tools.notebooks import files, servers
from tools.notebooks.nbval_store import is_of_notebook


def notebook(folder: Path, *cells: str) -> Path:
    path = folder / "small.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in cells]), path)
    return path


def test_what_a_notebook_begins_with_and_launches(tmp_path: Path) -> None:
    both = 'start("tensorflow", "torch", launches="torch, tensorflow", course="0.1")'
    assert files.begins_with(notebook(tmp_path, both)) == (
        ["tensorflow", "torch"],
        ["", "torch", "tensorflow"],
    )
    assert files.begins_with(notebook(tmp_path, 'start(course="0.1")')) == ([], [])
    assert files.begins_with(notebook(tmp_path, "print('no set-up cell')")) == ([], [])


@pytest.mark.parametrize(
    ("cell", "busy"),
    [
        ("tf.distribute.MirroredStrategy(devices)", True),
        ("tf.distribute.CentralStorageStrategy()", True),
        ("%%writefile x.py\ntf.distribute.MirroredStrategy(devices)", False),
        ("tf.distribute.MultiWorkerMirroredStrategy()", False),
    ],
)
def test_what_keeps_all_cores_busy(tmp_path: Path, cell: str, busy: bool) -> None:
    assert files.spins(notebook(tmp_path, "import json", cell)) is busy


def stream(text: str) -> dict[str, str]:
    return {"output_type": "stream", "name": "stdout", "text": text}


def test_that_a_launch_waited_is_not_stored() -> None:
    waiting = "[launch] Waiting for another launch on this machine to end.\n"
    assert not is_of_notebook(stream(waiting))
    mixed = stream(f"before\n{waiting}--- rank 0 ---\n")
    assert is_of_notebook(mixed)
    assert mixed["text"] == "before\n--- rank 0 ---\n"


def test_outputs_are_compared_by_their_words() -> None:
    one = [[stream("took 1.25 s\nsame: 3e-16\n")], []]
    assert ordinary.differences(one, [[stream("took  0.9 s\nsame: 0\n")], []]) == []
    other = [[stream("took 1.25 s\ndiffers: 3e-16\n")], []]
    assert "code cell 1" in ordinary.differences(one, other)[0]
    table = [
        [],
        [{"output_type": "display_data", "data": {"text/html": "<b>3</b>", "image/svg+xml": "a"}}],
    ]
    assert len(ordinary.differences([[], []], table)) == 1
    redrawn = [
        [],
        [{"output_type": "display_data", "data": {"text/html": "<b>4</b>", "image/svg+xml": "b"}}],
    ]
    assert ordinary.differences(table, redrawn) == []


@pytest.mark.skipif(not ahead.possible(), reason="kernels are forked on Linux only")
@pytest.mark.parametrize("framework", ["", "torch", "tensorflow"])
def test_a_kernel_and_what_it_launches_are_forked_from_shared_servers(framework: str) -> None:
    """Else each notebook would import anew: right, and slow, and nobody would see it."""
    names, imported = ([framework], framework) if framework else ([], "numpy")
    code = (
        "import json, os, sys\n"
        f"there = {imported!r} in sys.modules\n"
        "from lockstep.runtime import start\n"
        f"start(*{names}, launches={framework!r})\n"
        "from lockstep import ahead\n"
        "from lockstep.launch import launch\n"
        f"open('s.py', 'w').write('import {imported}')\n"
        "launch('s.py', 2)\n"
        "print(json.dumps([there, ahead.refusals, list(ahead._servers)]))"
    )
    told: list[str] = []
    with (
        servers.shared([names], [["", *names]]) as variables,
        mock.patch.dict(os.environ, variables),
        mock.patch.dict(os.environ),
    ):
        os.environ |= servers.kernel_for(names)
        manager, client = start_new_kernel(kernel_name="python3")
        try:
            reply = client.execute_interactive(
                code,
                timeout=250,
                output_hook=lambda message: told.append(message["content"].get("text", "")),
            )
        finally:
            client.stop_channels()
            manager.shutdown_kernel(now=True)
    assert reply["content"]["status"] == "ok", reply["content"]
    assert json.loads("".join(told).splitlines()[-1]) == [True, [], []]
