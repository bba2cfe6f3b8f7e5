"""The machinery that executes and builds, on small books that are thrown away.

Each test copies a tree of its own, changes something, and runs what `make book` runs. The notebooks
write an `x` to $EXECUTED each time they are executed.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psutil
import pytest
from browser import chromium
from nbformat import write
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from test_book import problems as problems_in_browser

from tools import ROOT
from tools.environment.install import PINS
from tools.notebooks.keys import installed
from tools.site.build import problems
from tools.site.outputs import filled
from tools.site.serve import server
from tools.site.start_page import PLACE_OF_PDF

pytestmark = pytest.mark.machinery
COUNT = "import os\n\nwith open(os.environ['EXECUTED'], 'a') as file:\n    file.write('x')"
VALUE = "from lockstep.small import VALUE\n\nprint('the value is', VALUE)"
TOC = "format: jb-book\nroot: book/index\nchapters:\n"
DEADLINE_S = 120


class Book:
    """A copy of the course's machinery with small notebooks of its own."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.environment = {
            **os.environ,
            "PYTHONPATH": str(root),  # the copied lockstep and tools, not the installed ones
            "EXECUTED": str(root / "executed"),
        }
        self.html = root / "_build" / "html"

    def write(self, slug: str, *cells: str | tuple[str, dict[str, Any]], prose: str = "") -> None:
        """Write a notebook with code cells, or (code, metadata) pairs, after a Markdown cell."""
        notebook = new_notebook(
            metadata={
                "kernelspec": {"name": "python3", "display_name": "Python 3"},
                "language_info": {"name": "python"},
            },
            cells=[new_markdown_cell(f"# Chapter {slug}\n\nSome words. {prose}", id="title")],
        )
        for number, cell in enumerate([COUNT, *cells]):
            source, metadata = (cell, {}) if isinstance(cell, str) else cell
            notebook.cells.append(new_code_cell(source, id=f"code-{number}", metadata=metadata))
        write(notebook, self.root / "book" / f"{slug}.ipynb")
        slugs = sorted(path.stem for path in (self.root / "book").glob("*.ipynb"))
        toc = TOC + "".join(f"  - file: book/{slug}\n" for slug in slugs)
        (self.root / "_toc.yml").write_text(toc)

    def run(self, *command: str) -> subprocess.CompletedProcess[str]:
        """Run a module of the tools, as make does; the output and errors are in stdout."""
        return subprocess.run(
            [sys.executable, "-m", *(command or ["tools.site.build"])],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=DEADLINE_S,
        )

    def build(self) -> str:
        """Build, which must work; return what was said."""
        done = self.run()
        assert done.returncode == 0, done.stdout
        return done.stdout

    def fail(self) -> str:
        """Build, which must fail and leave no HTML; return what was said."""
        done = self.run()
        assert done.returncode != 0, done.stdout
        assert not self.html.exists()
        return done.stdout

    def executions(self) -> int:
        """Return how many notebooks have been executed so far."""
        counted = self.root / "executed"
        return len(counted.read_text()) if counted.exists() else 0

    def page(self, slug: str = "small") -> str:
        return (self.html / "book" / f"{slug}.html").read_text()


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small book that has been built."""
    root = tmp_path_factory.mktemp("course")
    ignore = shutil.ignore_patterns("__pycache__")
    for folder in ("tools", "lockstep", "book/assets"):
        shutil.copytree(ROOT / folder, root / folder, ignore=ignore)
    for file in ("_config.yml", "pyproject.toml", *PINS):
        shutil.copy(ROOT / file, root / file)
    (root / "lockstep" / "small.py").write_text("VALUE = 1\n")
    (root / "book" / "index.md").write_text("# Small\n\nA book that is thrown away.\n")
    book = Book(root)
    book.write("small", VALUE, prose="$x^2$")
    book.build()
    return root


@pytest.fixture
def book(built: Path, tmp_path: Path) -> Book:
    """A copy of it, with what is cached."""
    shutil.copytree(built, tmp_path / "course")
    return Book(tmp_path / "course")


def test_an_unchanged_book_executes_and_writes_nothing(book: Book) -> None:
    said = book.build()
    assert "executed earlier, nothing changed" in said
    assert book.executions() == 1
    page = book.root / ".cache" / "site" / "html" / "book" / "small.html"
    written = page.stat().st_mtime_ns
    book.build()
    assert page.stat().st_mtime_ns == written
    assert "the value is 1" in book.page()


def test_what_needs_the_address_is_there_when_it_is_set(book: Book) -> None:
    assert "OWNER-NOT-SET" not in re.sub(r"(?s)<pre>.*?</pre>", "", book.page())
    config = book.root / "_config.yml"
    config.write_text(config.read_text().replace("OWNER-NOT-SET", "ada"))
    book.build()
    colab = "https://colab.research.google.com/github/ada/lockstep/blob/main/book/small.ipynb"
    assert f'href="{colab}"' in book.page()
    assert 'href="https://github.com/ada/lockstep"' in book.page()
    assert (
        'property="og:url" content="https://ada.github.io/lockstep/book/small.html"' in book.page()
    )


def test_the_book_is_printed_into_one_file(book: Book) -> None:
    index = book.root / "book/index.md"
    index.write_text(f"{index.read_text()}\n{PLACE_OF_PDF} [The chapter](small.ipynb).\n")
    book.build()
    done = book.run("tools.site.pdf")
    assert done.returncode == 0, done.stdout
    printed = (book.html / "lockstep.pdf").read_bytes()
    assert printed.startswith(b"%PDF") and b"book-small" in printed  # where the link leads
    assert 'href="../lockstep.pdf"' in book.page("index")


def test_words_are_shown_without_executing(book: Book) -> None:
    book.write("small", VALUE, prose="Other words.")
    book.build()
    assert book.executions() == 1
    assert "Other words." in book.page()
    assert "the value is 1" in book.page()


def test_code_is_executed_again(book: Book) -> None:
    book.write("small", VALUE + "\nprint('and more')")
    book.build()
    assert book.executions() == 2
    assert "and more" in book.page()


def test_the_package_is_in_the_key(book: Book) -> None:
    book.build()  # in this folder, so that Sphinx has no other reason to read the page again
    (book.root / "lockstep" / "small.py").write_text("VALUE = 2\n")
    book.build()
    assert book.executions() == 2
    assert "the value is 2" in book.page(), "the page was not made again from the new outputs"
    (book.root / "lockstep" / "small.py").write_text("raise ImportError('broken on purpose')\n")
    assert "broken on purpose" in book.fail()


@pytest.mark.parametrize(
    ("path", "text"),
    [("constraints.txt", "not-installed==1.0\n"), ("package.json", "\n"), ("book/data.csv", "1")],
)
def test_pins_and_data_beside_it_are_in_the_key(book: Book, path: str, text: str) -> None:
    with (book.root / path).open("a") as file:
        file.write(text)
    book.build()
    assert book.executions() == 2


@pytest.mark.parametrize(
    "path", ["lockstep/costs.py", "lockstep/bank/gpipe.yaml", "tools/testing.py"]
)
def test_what_a_notebook_does_not_use_is_not_in_the_key(book: Book, path: str) -> None:
    with (book.root / path).open("a") as file:
        file.write("# edited\n")
    book.build()
    assert book.executions() == 1


def test_the_page_is_built_with_the_present_style_and_script(book: Book) -> None:
    shutil.rmtree(book.root / "lockstep/bank")  # the sample has ids that the course has too
    (book.root / "lockstep/bank").mkdir()
    shutil.copy(ROOT / "tests/bank/sample.yaml", book.root / "lockstep/bank/small.yaml")
    book.write("small", "from lockstep.show import quiz\n\nquiz('small')")
    book.build()
    for name in ("quiz.css", "quiz.js"):
        with (book.root / "lockstep" / name).open("a") as file:
            file.write(f"/* a new {name} */\n")
    book.build()
    assert book.executions() == 2
    assert "/* a new quiz.css */" in book.page() and "/* a new quiz.js */" in book.page()

    bank = book.root / "lockstep/bank/small.yaml"
    bank.write_text(bank.read_text().replace("That is what all-reduce means.", "Another text."))
    book.build()
    assert book.executions() == 3
    assert "Another text." in book.page()


def test_versions_and_run_times_are_those_of_the_build(book: Book) -> None:
    shutil.copy(ROOT / "book" / "versions.md", book.root / "book")
    shutil.copytree(ROOT / "tests" / "colab", book.root / "tests" / "colab")
    with (book.root / "_toc.yml").open("a") as toc:
        toc.write("  - file: book/versions\n")
    book.build()
    (run,) = (book.root / ".cache" / "executed" / "small").glob("*.json")
    told = json.loads(run.read_text())
    words = re.sub(r"<[^>]*>|\s+", " ", book.page("versions"))
    assert re.sub(" +", " ", words).count(f" numpy {installed('numpy')} ") == 1
    row = f" Chapter small 2 {told['seconds']:.0f} {told['cores']} {told['date']} "
    assert row in re.sub(" +", " ", words)
    run.write_text(json.dumps(told | {"date": "1999-12-31"}))
    book.build()
    assert "1999-12-31" in book.page("versions"), "the page shows an execution that is gone"
    assert book.executions() == 1


def test_a_cell_that_raises_is_named(book: Book) -> None:
    assert book.html.exists()
    book.write(
        "small",
        VALUE,
        "numerator = 3\nprint('said before')\nnumerator / 0",
        "print('never reached')",
    )
    said = book.fail()
    assert "book/small.ipynb, cell 4 of 5 (id 'code-2')" in said
    assert "numerator / 0\n\nsaid before" in said
    assert "ZeroDivisionError" in said
    assert "[31mZeroDivisionError" in said or "Traceback" in said, "there is no traceback"
    assert "ZeroDivisionError" in book.fail(), "the outputs of the run that failed were kept"
    assert book.executions() == 3


@pytest.mark.parametrize(
    "cell",
    [("1 / 0", {"tags": ["raises-exception"]}), "# NBVAL_RAISES_EXCEPTION\n1 / 0"],
    ids=["tag", "comment"],
)
def test_a_cell_that_is_allowed_to_raise_fails_all_the_same(
    book: Book, cell: str | tuple[str, dict[str, Any]]
) -> None:
    book.write("small", cell)
    assert "division by zero" in book.fail()


def test_a_cell_has_a_time_limit(book: Book) -> None:
    limits = book.root / "tools" / "notebooks" / "execute.py"
    limits.write_text(limits.read_text().replace("CELL_LIMIT_S = 240", "CELL_LIMIT_S = 2"))
    book.write("small", "import time\n\ntime.sleep(100)")
    assert "Timeout of 2 seconds exceeded" in book.fail()


def test_a_process_that_is_left_behind_is_named_and_ended(book: Book) -> None:
    book.write(
        "small",
        "import subprocess, sys\n\n"
        "code = \"import socket, time; s = socket.socket(); s.bind(('127.0.0.1', 0)); "
        's.listen(); time.sleep(300)"\n'
        "left = subprocess.Popen([sys.executable, '-c', code], start_new_session=True)\n"
        "with open(os.environ['EXECUTED'] + '-pid', 'w') as file:\n    file.write(str(left.pid))\n"
        "import time\n\ntime.sleep(1)",
    )
    said = book.fail()
    pid = int((book.root / "executed-pid").read_text())
    assert f"process {pid}, listening on port" in said
    assert not psutil.pid_exists(pid) or psutil.Process(pid).status() == psutil.STATUS_ZOMBIE


@pytest.mark.parametrize(
    ("code", "named"),
    [
        (
            "import tempfile\n\ntempfile.mkdtemp(prefix='left-')",
            "in the temporary folder: tmp/left-",
        ),
        ("import pathlib\n\n(pathlib.Path.home() / 'left').touch()", "home/left"),
        ("import pathlib\n\npathlib.Path('left.txt').touch()", "beside the notebook: left.txt"),
    ],
    ids=["temporary", "home", "beside"],
)
def test_a_file_that_is_left_behind_is_named(book: Book, code: str, named: str) -> None:
    book.write("small", code)
    assert named in book.fail()


def test_an_interrupted_build_goes_on_where_it_was(book: Book) -> None:
    slow = "import time\n\ntime.sleep(float(os.environ.get('SLOW', 0)))"
    book.write("small", "print('the quick one')")
    book.write("slow", slow)
    temporary = book.root / "temporary"
    temporary.mkdir()
    build = subprocess.Popen(
        [sys.executable, "-m", "tools.site.build"],
        cwd=book.root,
        env={**book.environment, "SLOW": "300", "TMPDIR": str(temporary)},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
        text=True,
    )
    executed = book.root / ".cache" / "executed" / "small"
    wait_for(lambda: len(list(executed.glob("*.json"))) == 2 and book.executions() == 3)
    started = [child.pid for child in psutil.Process(build.pid).children(recursive=True)]
    os.killpg(build.pid, signal.SIGINT)  # what Ctrl-C does
    said, _ = build.communicate(timeout=30)
    assert build.returncode != 0
    assert "Notebooks that were done are not executed again" in said
    assert not book.html.exists()
    wait_for(lambda: not any(psutil.pid_exists(pid) for pid in started))
    assert list(temporary.glob("lockstep-*")) == []

    said = book.build()
    assert book.executions() == 4, "the notebook that was done was executed again"
    assert "Executing 1 of 2 notebooks: slow" in said
    assert "the quick one" in book.page()


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something holds."""
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline, "this never came to hold"
        time.sleep(0.05)


def test_sphinx_never_executes(book: Book) -> None:
    shutil.rmtree(book.root / ".cache")
    program = Path(sys.executable).with_name("jupyter-book")
    done = subprocess.run(
        [str(program), "build", "."],
        cwd=book.root,
        env=book.environment,
        capture_output=True,
        text=True,
        timeout=DEADLINE_S,
    )
    assert done.returncode != 0
    assert "small.ipynb has not been executed as it is now" in done.stdout + done.stderr
    assert book.executions() == 1


def test_a_warning_of_sphinx_fails_the_build(book: Book) -> None:
    book.write("small", VALUE, prose="[nowhere](missing.md)")
    assert "missing.md" in book.fail()


def test_a_formula_that_cannot_be_drawn_fails_the_build(book: Book) -> None:
    book.write("small", VALUE, prose=r"$\frac{1}$")
    assert "KaTeX cannot draw a formula" in book.fail()


def test_the_page_of_a_removed_chapter_goes(book: Book) -> None:
    book.write("other", "print('soon gone')")
    book.build()
    (book.root / "book" / "other.ipynb").unlink()
    book.write("small", VALUE)
    book.build()
    assert [path.name for path in (book.html / "book").glob("*.html")] == [
        "index.html",
        "small.html",
    ]


PAGE = "<html><main><article>{}</article></main></html>"


@pytest.mark.parametrize(
    ("html", "said"),
    [
        (None, "missing or empty"),
        ("", "missing or empty"),
        (PAGE.format("<section></section>"), "missing or empty"),
        (PAGE.format('Words and words and words <div class="output traceback">'), "a traceback"),
    ],
)
def test_a_page_that_is_not_finished_is_noticed(
    tmp_path: Path, html: str | None, said: str
) -> None:
    if html is not None:
        (tmp_path / "a.html").write_text(html)
    assert [said in problem for problem in problems(tmp_path, ["a"])] == [True]
    (tmp_path / "a.html").write_text(PAGE.format("Words and words and words."))
    assert problems(tmp_path, ["a"]) == []


def test_what_nothing_makes_is_named() -> None:
    with pytest.raises(LookupError, match=r"`% generated: flashcrads` is none of .*flashcards"):
        filled("# Cards\n\n% generated: flashcrads\n")


def test_a_script_from_another_host_is_noticed(book: Book) -> None:
    page = book.html / "book" / "small.html"
    with chromium() as browser, server(book.html) as base:
        address = f"{base}book/small.html"
        assert problems_in_browser(browser.new_page(), address) == []
        script = '<script src="https://example.org/counter.js"></script>'
        page.write_text(page.read_text().replace("</body>", f"{script}</body>"))
        found = problems_in_browser(browser.new_page(), address)
    assert "request to another host: https://example.org/counter.js" in found


def test_two_notebooks_of_the_same_name_are_refused(book: Book) -> None:
    (book.root / "book" / "part").mkdir()
    shutil.copy(book.root / "book" / "small.ipynb", book.root / "book" / "part" / "small.ipynb")
    assert "have the same file name" in book.fail()


def test_one_notebook_is_executed_on_demand(book: Book) -> None:
    assert book.run("tools.notebooks.execute", "small").returncode == 0
    assert book.executions() == 2
    assert not book.html.exists(), "the book shows other outputs than those that are stored"
    done = book.run("tools.notebooks.execute", "smal")
    assert done.returncode != 0
    assert "NAME can be one of: small" in done.stdout


def test_the_outputs_are_those_of_the_cells(book: Book) -> None:
    book.write("small", "print('first')", "2 + 2", "x = 1")
    book.build()
    file = max(
        (book.root / ".cache/executed/small").glob("*.json"), key=lambda f: f.stat().st_mtime
    )
    outputs = json.loads(file.read_text())["outputs"]
    assert [len(cell) for cell in outputs] == [0, 1, 1, 0]
    assert outputs[1][0]["text"] == "first\n"
    assert outputs[2][0]["data"] == {"text/plain": "4"}
