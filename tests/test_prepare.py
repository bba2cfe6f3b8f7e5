"""What assignments do first: nothing reaches stderr, and every test ends with a word."""

from collections.abc import Iterator

import pytest
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbformat.v4 import new_code_cell, new_notebook

BEGIN = """
import logging, sys, time, warnings
from lockstep import assignment
assignment.LIMIT_S, assignment.AGAIN_S = 0.5, 0.05
assignment.prepare()
"""
WAITS = """def wait():
    while True:
        pass

assert wait()"""
CATCHES_ALL = """def train(step):
    done = 0
    while done < 3:
        try:
            step()
            done += 1
        except Exception:
            continue"""


@pytest.fixture(scope="module")
def client() -> Iterator[NotebookClient]:
    """A kernel in which an assignment has begun."""
    client = NotebookClient(new_notebook(cells=[new_code_cell(BEGIN)]), timeout=60)
    with client.setup_kernel():
        client.execute_cell(client.nb.cells[0], 0)
        client.execute_cell(new_code_cell(CATCHES_ALL), 0)
        yield client


def said(client: NotebookClient, code: str) -> str:
    """Execute a cell; return the message with which it ended."""
    with pytest.raises(CellExecutionError) as raised:
        client.execute_cell(new_code_cell(code), 0)
    assert raised.value.ename == "AssertionError"
    return raised.value.evalue


def test_what_goes_to_stderr_costs_nothing(client: NotebookClient) -> None:
    noise = "warnings.warn('old'); logging.warning('odd'); print('loud', file=sys.stderr)"
    cell = client.execute_cell(new_code_cell(noise), 0)
    assert {output.name for output in cell.outputs} == {"stdout"}
    text = "".join(output.text for output in cell.outputs)
    assert "old" in text and "odd" in text and "loud" in text


def test_a_loop_that_never_ends_is_named(client: NotebookClient) -> None:
    begin, called, *loop = said(client, WAITS).splitlines()
    assert begin == "Not done after 0.5 s. It was here:"
    assert called == "the cell, line 5: assert wait()"
    assert loop in (["wait, line 2: while True:"], ["wait, line 3: pass"])


def test_a_loop_that_catches_everything_is_ended_too(client: NotebookClient) -> None:
    step = "begun = time.monotonic()\n"
    step += "def step():\n    time.sleep(max(0, begun + 0.8 - time.monotonic()))\n    1 / 0\n\n"
    _, called, *_ = said(
        client, f"{step}train(step)  # takes the first for its own\nassert True"
    ).splitlines()
    assert called == "the cell, line 6: train(step)  # takes the first for its own"
    done = client.execute_cell(new_code_cell("time.sleep(0.3)\nassert True\nprint('on')"), 0)
    assert done.outputs[0].text == "on\n"


def test_a_cell_without_an_assertion_may_take_its_time(client: NotebookClient) -> None:
    client.execute_cell(new_code_cell("time.sleep(0.8)"), 0)
