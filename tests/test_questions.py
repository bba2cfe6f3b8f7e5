"""The bank is read strictly, and an answer in it stands only as long as a cell measures it."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import docutils.core  # type: ignore[import-untyped]
import docutils.nodes  # type: ignore[import-untyped]
import nbformat
import numpy as np
import proofs
import pytest
import yaml
from myst_parser.parsers.docutils_ import Parser
from nbclient import NotebookClient
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from lockstep import questions

BANK = Path(__file__).parent / "bank"
CHOICE: dict[str, Any] = {
    "id": "what-is-averaged",
    "stem": "What is averaged?",
    "options": [
        {"key": "gradients", "text": "Gradients", "right": True, "feedback": "Yes."},
        {"key": "weights", "text": "Weights", "right": False, "feedback": "No."},
    ],
    "proof": "gradients-or-weights",
    "claims": ["Q1a"],
}
NUMBER: dict[str, Any] = {
    "id": "bytes-sent",
    "stem": "How many?",
    "answer": 6.0,
    "unit": "MB",
    "tolerance": 0.05,
    "feedback": "Yes.",
    "wrong": [{"value": 12.0, "feedback": "Both ranks."}],
    "otherwise": "No.",
    "proof": "count-the-bytes",
}


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Write bank files and read the bank from them."""

    def write(**files: str | list[dict[str, Any]]) -> None:
        folder = tmp_path / f"bank{len(list(tmp_path.iterdir()))}"
        folder.mkdir()
        for name, content in files.items():
            text = content if isinstance(content, str) else yaml.safe_dump(content)
            (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
        monkeypatch.setattr(questions, "BANK", folder)

    return write


# Reading


def test_a_good_bank_is_read_whole(write: Any) -> None:
    write(sample=[CHOICE, NUMBER])
    choice, number = questions.load("sample")
    assert isinstance(choice, questions.Choice) and isinstance(number, questions.Number)
    assert [(o.key, o.right) for o in choice.options] == [("gradients", True), ("weights", False)]
    assert (choice.chapter, choice.section) == ("sample", "gradients-or-weights")
    assert choice.claims == ("Q1a",) and number.claims == ()
    assert (number.answer, number.unit, number.tolerance) == (6.0, "MB", 0.05)
    assert number.wrong == (questions.WrongNumber(12.0, "Both ranks."),)


def changed(entry: dict[str, Any], **changes: Any) -> dict[str, Any]:
    """A copy of an entry with keys set, or, where the value is None, left out."""
    new = copy.deepcopy(entry) | changes
    return {key: value for key, value in new.items() if value is not None}


def with_option(**changes: Any) -> dict[str, Any]:
    entry = copy.deepcopy(CHOICE)
    entry["options"][1] = changed(entry["options"][1], **changes)
    return entry


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (changed(CHOICE, stemm="?"), "question 'what-is-averaged': unknown key 'stemm' .*'stem'"),
        (changed(CHOICE, stem=None), "'stem' is missing"),
        (changed(CHOICE, stem=" "), "'stem' must be text"),
        (changed(CHOICE, proof=None), "'proof' is missing"),
        (changed(CHOICE, proof="sample#s"), "proof 'sample#s' must be lower-case words"),
        (changed(CHOICE, id="What"), "id 'What' must be lower-case words"),
        (changed(CHOICE, claims="Q1a"), "'claims' must be a list"),
        (changed(CHOICE, answer=1.0), "either 'options' .* or 'answer'"),
        (changed(CHOICE, options=None), "either 'options' .* or 'answer'"),
        (changed(CHOICE, options="weights"), "'options' must be a list"),
        (with_option(right=True), "at least one right and one wrong"),
        (with_option(right="no"), "option 'weights': 'right' must be true or false"),
        (with_option(right=None), "option 'weights': 'right' is missing"),
        (with_option(feedback=None), "option 'weights': 'feedback' is missing"),
        (with_option(feedback=""), "option 'weights': 'feedback' must be text"),
        (with_option(fedback="?"), "option 'weights': unknown key 'fedback' .*'feedback'"),
        (with_option(key="gradients"), "2 options have the key 'gradients'"),
        (with_option(key="Weights!"), "key 'Weights!' must be lower-case words"),
        (changed(CHOICE, options=CHOICE["options"][:1]), "at least one right and one wrong"),
        (changed(NUMBER, answer="1e6"), "'answer' must be a finite number.*1.0e\\+6"),
        (changed(NUMBER, answer=True), "'answer' must be a finite number"),
        (changed(NUMBER, answer=float("nan")), "'answer' must be a finite number"),
        (changed(NUMBER, tolerance=5), "from 0 to below 0.5"),
        (changed(NUMBER, otherwise=None), "'otherwise' is missing"),
        (changed(NUMBER, feedback=None), "'feedback' is missing"),
        (changed(NUMBER, origin="typed"), "'origin' is 'typed'. Write measured"),
        (changed(NUMBER, wrong=[{"value": 3.0}]), "wrong number 3.0: 'feedback' is missing"),
        (
            changed(NUMBER, wrong=[{"value": 6.1, "feedback": "?"}]),
            "6 and 6.1 are the same number within the tolerance",
        ),
    ],
)
def test_a_mistake_in_the_bank_is_named(write: Any, entry: dict[str, Any], message: str) -> None:
    write(sample=[entry])
    with pytest.raises(ValueError, match=message) as error:
        questions.load("sample")
    assert str(error.value).startswith("bank/sample.yaml, question ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "must be a list of questions"),
        ("id: a", "must be a list of questions"),
        ("- just text", "entry 1: must be a mapping"),
        ("- id: [", "not valid YAML"),
        ("- id: a\n  stem: one\n  stem: two", "the key 'stem' is there twice"),
    ],
)
def test_a_file_that_is_no_bank_is_named(write: Any, text: str, message: str) -> None:
    write(sample=text)
    with pytest.raises(ValueError, match=message) as error:
        questions.load("sample")
    assert str(error.value).startswith("bank/sample.yaml")


def test_an_id_taken_twice_is_named_with_both_files(write: Any) -> None:
    write(one=[CHOICE], two=[CHOICE])
    with pytest.raises(ValueError, match=r"bank/two.yaml, .*taken in bank/one.yaml"):
        questions.bank()


def test_unknown_names_come_with_near_ones(write: Any) -> None:
    write(sample=[CHOICE])
    with pytest.raises(ValueError, match=r"'samples' \(did you mean 'sample'\?\)"):
        questions.load("samples")
    with pytest.raises(
        ValueError, match=r"'what-is-averagd' \(did you mean 'what-is-averaged'\?\)"
    ):
        questions.prove("what-is-averagd", {"gradients": True, "weights": False})


@pytest.mark.parametrize("name", [None, 3, ["sample"]])
def test_what_is_no_name_is_refused_like_an_unknown_one(write: Any, name: Any) -> None:
    write(sample=[CHOICE])
    with pytest.raises(ValueError, match=r"no question bank is called .* There are: sample"):
        questions.load(name)
    with pytest.raises(ValueError, match=r"no question has the id .* are in lockstep/bank/"):
        questions.find(name)
    with pytest.raises(ValueError, match=r"question=.*: give a question .* as find\(\) returns"):
        questions.check(name, 3)


# Proving


@pytest.fixture
def sample(write: Any) -> None:
    none = changed(NUMBER, id="none-sent", answer=0.0, origin="computed")
    read = changed(NUMBER, id="said-to-be-sent", origin="read: RFC 9293, 3.1")
    write(sample=[CHOICE, NUMBER, none, read])


def test_what_agrees_is_said_in_one_line(sample: None, capsys: pytest.CaptureFixture[str]) -> None:
    questions.prove("what-is-averaged", {"gradients": np.True_, "weights": False})
    questions.prove("bytes-sent", np.float64(6.2))
    questions.prove("none-sent", 0)
    questions.prove("said-to-be-sent", 6)
    assert capsys.readouterr().out.splitlines() == [
        "Measured here. This settles question 1 of the quiz.",
        "Measured here: 6.2 MB. This settles question 2 of the quiz.",
        "Computed here: 0 MB. This settles question 3 of the quiz.",
        "Read in RFC 9293, 3.1: 6 MB. This settles question 4 of the quiz.",
    ]


@pytest.mark.parametrize(
    ("question", "truth", "message"),
    [
        (
            "what-is-averaged",
            {"gradients": True, "weights": True},
            "option 'weights': the bank says wrong, this cell measured right",
        ),
        (
            "what-is-averaged",
            {"gradients": False, "weights": False},
            "option 'gradients': the bank says right, this cell measured wrong",
        ),
        ("bytes-sent", 6.31, "the bank says 6 MB within 5.00%, this cell measured 6.31"),
        ("bytes-sent", 5.69, "measured 5.69"),
        ("bytes-sent", float("nan"), "measured nan"),
        ("bytes-sent", float("inf"), "measured inf"),
        ("none-sent", 1e-9, "measured 1e-09"),
        ("none-sent", float("nan"), "measured nan"),
    ],
)
def test_what_disagrees_fails(sample: None, question: str, truth: Any, message: str) -> None:
    with pytest.raises(AssertionError, match=re.escape(message)) as error:
        questions.prove(question, truth)
    assert f"question {question!r}" in str(error.value)


@pytest.mark.parametrize(
    ("question", "truth", "message"),
    [
        ("what-is-averaged", {"gradients": True}, "option 'weights' was not measured"),
        (
            "what-is-averaged",
            {"gradients": True, "weight": False},
            r"no option 'weight' \(did you mean 'weights'\?\)",
        ),
        ("what-is-averaged", {"gradients": 1, "weights": False}, "must be True or False, not 1"),
        ("what-is-averaged", {"gradients": None, "weights": False}, "not None"),
        ("what-is-averaged", 1.0, "give a mapping with the keys gradients, weights"),
        ("bytes-sent", True, "give the measured number, not True"),
        ("bytes-sent", "6", "give the measured number, not '6'"),
        ("bytes-sent", {"gradients": True}, "give the measured number"),
        ("bytes-sent", np.ones(2), r"give the measured number, not array\("),
    ],
)
def test_what_is_no_measurement_is_refused(
    sample: None, question: str, truth: Any, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        questions.prove(question, truth)


# In a notebook

SETUP = f"""\
from pathlib import Path
from lockstep import questions
questions.BANK = Path({str(BANK)!r})"""
AVERAGED = (
    'questions.prove("what-is-averaged", {"gradients": x > 0, "weights": x < 0, "losses": x < 0})'
)
SENT = 'questions.prove("bytes-of-all-reduce", 6.1 * x)'


def notebook(*cells: str) -> nbformat.NotebookNode:
    """A notebook; a cell that starts with '#' is Markdown."""
    made = [new_markdown_cell(c) if c.startswith("#") else new_code_cell(c) for c in cells]
    for index, cell in enumerate(made):
        cell.id = f"cell-{index}"
    return new_notebook(cells=made)


def chapter(*cells: str) -> nbformat.NotebookNode:
    return notebook("# Sample", SETUP, "x = len(str(questions))", *cells)


def test_records_are_read_from_an_executed_notebook() -> None:
    book = chapter("## Gradients or *weights*?", AVERAGED, "# Other\n\n## Count the bytes", SENT)
    book.cells[2].source = "x = 1.0"
    NotebookClient(book, kernel_name="python3").execute()
    expected = [
        proofs.Proof(
            "what-is-averaged",
            {"gradients": True, "weights": False, "losses": False},
            "gradients-or-weights",
        ),
        proofs.Proof("bytes-of-all-reduce", 6.1, "count-the-bytes"),
    ]
    assert proofs.proofs(book) == expected
    assert proofs.proofs(json.loads(nbformat.writes(book))) == expected
    assert book.cells[4].outputs[0]["data"] == {
        "text/plain": "Measured here. This settles question 1 of the quiz."
    }


def test_a_key_turned_around_makes_the_notebook_fail(tmp_path: Path) -> None:
    entries = yaml.safe_load((BANK / "sample.yaml").read_text(encoding="utf-8"))
    for option in entries[0]["options"]:
        if option["key"] in ("gradients", "weights"):
            option["right"] = not option["right"]
    (tmp_path / "bank").mkdir()
    (tmp_path / "bank" / "sample.yaml").write_text(yaml.safe_dump(entries), encoding="utf-8")
    right = chapter("## Gradients or weights", AVERAGED)
    turned = copy.deepcopy(right)
    turned.cells[1].source = SETUP.replace(str(BANK), str(tmp_path / "bank"))
    nbformat.write(right, tmp_path / "right.ipynb")
    nbformat.write(turned, tmp_path / "turned.ipynb")
    command = ["pytest", "--nbval-lax", "-p", "no:cacheprovider", "-p", "no:xdist", "-q", "-rA"]
    run = subprocess.run(
        [sys.executable, "-m", *command, "right.ipynb", "turned.ipynb"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 1
    assert re.findall(r"FAILED \S+", run.stdout) == ["FAILED turned.ipynb::Cell"]
    assert "option 'gradients': the bank says wrong, this cell measured right" in run.stdout


@pytest.mark.parametrize(
    "heading",
    [
        "Gradients or weights",
        "What `no_sync` can't do",
        "2. Buckets, *and* overlap?",
        "DDP: the **same** answer",
        r"Rate $\eta$ and $2(N-1)/N$",
        "See [the paper](https://example.org/a-b) & more",
        "Na\u00efve sums \u2013 4 \u00d7 2",
        "A -- b_c/d  (e)",
        "Trailing #",
    ],
)
def test_anchors_are_those_of_the_book(heading: str) -> None:
    source = f"# Title\n\ntext\n\n## {heading}\n\ntext\n"
    settings = {"myst_enable_extensions": ["dollarmath"], "report_level": 5}
    document = docutils.core.publish_doctree(source, parser=Parser(), settings_overrides=settings)
    *_, section = document.findall(docutils.nodes.section)
    page = notebook(source)
    assert [anchor for anchor, _ in proofs._sections(page)][1:] == [section["ids"][0]]


def test_headings_in_code_are_none() -> None:
    page = notebook("# A\n\n```python\n# no heading\n```\n\n## B ##\n\n~~~\n## no\n~~~")
    assert [anchor for anchor, _ in proofs._sections(page)] == ["a", "b"]


# Structure, before anything is executed


GOOD = ("## Gradients or weights", AVERAGED, "## Count the bytes", SENT)


def test_a_chapter_that_proves_everything_has_no_problems(write: Any) -> None:
    write(sample=[with_losses(), changed(NUMBER, id="bytes-of-all-reduce")])
    assert proofs.problems({"sample": chapter(*GOOD)}) == []


def with_losses() -> dict[str, Any]:
    entry = copy.deepcopy(CHOICE)
    entry["options"].append({"key": "losses", "text": "L", "right": False, "feedback": "No."})
    return entry


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (GOOD[2:], "proof 'gradients-or-weights' is no section of the chapter sample"),
        (("## Gradient or weights", *GOOD[1:]), r"did you mean 'gradient-or-weights'"),
        (("## Gradients or weights", *GOOD[2:]), "does not call prove"),
        (
            ("## Gradients or weights", "assert x > 0", "## Elsewhere", *GOOD[1:]),
            "does not call prove.. for it; it is called in elsewhere",
        ),
        ((*GOOD, "## Gradients or weights"), "names a heading that the chapter has twice"),
        (
            (*GOOD, SENT.replace("of", "off")),
            "sample has no question 'bytes-off-all-reduce' .did you mean",
        ),
        ((*GOOD, "questions.prove(name, x)"), "prove.. needs the id in quotes"),
        ((*GOOD, "quiz('other')"), "shows its own questions, quiz.'sample'"),
    ],
)
def test_a_proof_that_is_not_there_is_found(
    write: Any, cells: tuple[str, ...], message: str
) -> None:
    write(sample=[with_losses(), changed(NUMBER, id="bytes-of-all-reduce")])
    found = proofs.problems({"sample": chapter(*cells)})
    assert len(found) == 1 and re.search(message, found[0]), found


def test_a_proof_in_a_chapter_that_does_not_exist_is_found(write: Any) -> None:
    write(sampel=[CHOICE])
    (found,) = proofs.problems({"sample": chapter()})
    assert found == "bank/sampel.yaml: no chapter has this name (did you mean 'sample'?)."


MEASURED = "launched = run()\nbytes_sent = read(launched)"


@pytest.mark.parametrize(
    "cell",
    [
        'prove("sent", 6.0)',
        'prove("sent", truth=2 * (4 - 1) / 4 * 4)',
        'ranks = 4\nsize = 8e6\nprove("sent", 2 * (ranks - 1) / ranks * size)',
        'prove("sent", float(round(6)))',
        'prove("sent", np.float64(6))',
        'prove("sent", bytes_sent * 0 + 6)',
        'prove("sent", 6 + 0 * np.float64(bytes_sent))',
        'prove("sent", {"a": bytes_sent > 5, "b": False})',
        'prove("sent", dict(a=bytes_sent > 5, b=not True))',
        'truth = {"a": bytes_sent > 5, "b": False}\nprove("sent", truth)',
        'truth = {}\ntruth["a"] = bytes_sent > 5\ntruth["b"] = False\nprove("sent", truth)',
        'sure: bool = True\nprove("sent", {"a": bytes_sent > 5, "b": sure})',
        'lockstep.questions.prove("sent", 6.0)',
    ],
)
def test_constants_prove_nothing(write: Any, cell: str) -> None:
    write(sample=[changed(NUMBER, id="sent", proof="s")])
    found = proofs.problems({"sample": notebook("# S", MEASURED, cell)})
    assert len(found) == 1 and "is given the constant" in found[0], found
    write(sample=[changed(NUMBER, id="sent", proof="s", origin="read: RFC 9293, 3.1")])
    assert proofs.problems({"sample": notebook("# S", MEASURED, cell)}) == []


@pytest.mark.parametrize(
    "cell",
    [
        'prove("sent", bytes_sent)',
        'prove("sent", np.float64(bytes_sent) * 10)',
        '%matplotlib inline\nprove("sent", bytes_sent / 1e6)',
        'prove("sent", {"a": bytes_sent > 5, "b": not bytes_sent})',
        'truth = {"a": bytes_sent > 5}\ntruth["b"] = bytes_sent < 5\nprove("sent", truth)',
        'prove("sent", {name: value > 5 for name, value in launched.items()})',
        'seen = []\nseen.append(bytes_sent)\nprove("sent", max(seen))',
        'try:\n    run()\n    ok = True\nexcept OSError:\n    ok = False\nprove("sent", {"a": ok})',
        'count = 0\nfor event in launched:\n    count += 1\nprove("sent", count)',
        'sent = 0\nsent, total = launched\nprove("sent", sent)',
        'for size in (1, 2):\n    prove("sent", size)',
    ],
)
def test_measurements_are_not_taken_for_constants(write: Any, cell: str) -> None:
    write(sample=[changed(NUMBER, id="sent", proof="s")])
    assert proofs.problems({"sample": notebook("# S", MEASURED, cell)}) == []


# The course's own bank


def test_every_question_of_the_course_names_a_section_that_measures_it() -> None:
    book = Path(__file__).parent.parent / "book"
    chapters = {
        path.stem: nbformat.read(path, as_version=4)
        for path in book.rglob("*.ipynb")
        if ".ipynb_checkpoints" not in path.parts
    }
    assert questions.bank() and chapters
    assert proofs.problems(chapters) == []
