"""Sphinx extension: puts the outputs that nbval stored into the notebooks that Sphinx reads, and
what is made of data and of this build into Markdown pages, in the place of `% generated: NAME`.

It is loaded by `_config.yml`, so it works in `make book` and in a plain `jupyter-book build .`.
A notebook without stored outputs is an error: nothing here executes one.
"""

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path

from sphinx.application import Sphinx
from sphinx.config import Config
from sphinx.environment import BuildEnvironment
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

from tools import ROOT
from tools.notebooks import assets, files, folds, keys
from tools.site import (
    address,
    assignments_page,
    exam_answers,
    flashcards,
    start_page,
    versions_page,
)
from tools.site.katex import render

GENERATED = {
    "assignments": assignments_page.markdown,
    "begin": start_page.begin,
    "chapters": start_page.chapters,
    "claims": lambda: exam_answers.markdown(exam_answers.load()),
    "flashcards": lambda: flashcards.markdown(flashcards.load()),
    "measured": start_page.measured,
    "versions": versions_page.tables,
}
PLACE = re.compile(r"^% generated: (\w+)$", re.MULTILINE)


def stored_file(env: BuildEnvironment, docname: str) -> Path | None:
    """Return where the outputs of a page must be stored; None if it is not a notebook."""
    path = Path(env.doc2path(docname))
    if path.suffix != ".ipynb" or not path.exists():
        return None
    return keys.stored_at(path, files.sources(path))


def with_outputs(text: str, outputs: assets.Outputs) -> str:
    """Return a notebook's JSON with outputs put into its code cells, in order.

    Cells with a title are folded, and the set-up cell, the same in every chapter. That a script was
    written is no news to a reader.
    """
    notebook = json.loads(text)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for number, (cell, cell_outputs) in enumerate(zip(code, outputs, strict=True), start=1):
        cell.update(outputs=cell_outputs, execution_count=number)
        if title := folds.title("".join(cell["source"])):
            cell["metadata"].setdefault("tags", []).append("hide-input")
            cell["metadata"]["mystnb"] = {"code_prompt_show": title, "code_prompt_hide": title}
            cell["source"] = folds.without_title("".join(cell["source"]))
        if "".join(cell["source"]).startswith("%%writefile "):
            cell["outputs"] = []
    return json.dumps(notebook)


def filled(text: str) -> str:
    """Return a page with what is generated for it.

    Raises:
        LookupError: a notebook that has not been executed as it is now, or nothing of this name.
    """

    def generated(place: re.Match[str]) -> str:
        if place[1] not in GENERATED:
            raise LookupError(f"`{place[0]}` is none of {', '.join(GENERATED)}. Mend the name.")
        return GENERATED[place[1]]()

    return PLACE.sub(generated, text)


def insert_outputs(app: Sphinx, docname: str, source: list[str]) -> None:
    """Give Sphinx the executed notebook instead of the one without outputs."""
    if PLACE.search(source[0]):
        try:
            source[0] = filled(source[0])
        except LookupError as error:
            raise ExtensionError(f"{docname}: {error}. Run: make book") from error
        app.env.metadata[docname]["lockstep_generated"] = source[0]
    path = stored_file(app.env, docname)
    if path is None:
        return
    if not path.exists():
        raise ExtensionError(f"{docname}.ipynb has not been executed as it is now. Run: make book")
    outputs = json.loads(path.read_text(encoding="utf-8"))["outputs"]
    source[0] = with_outputs(source[0], assets.put_in(outputs))
    app.env.metadata[docname]["lockstep_outputs"] = str(path)


def read_again(
    app: Sphinx, env: BuildEnvironment, added: set[str], changed: set[str], removed: set[str]
) -> Iterable[str]:
    """Name the pages whose outputs are not the ones that Sphinx read last time."""
    stale = set()
    for docname in env.found_docs:
        before, path = env.metadata[docname], stored_file(env, docname)
        text = Path(env.doc2path(docname)).read_text(encoding="utf-8")
        if path is not None and before.get("lockstep_outputs") != str(path):
            stale.add(docname)
        if path is None and PLACE.search(text) and before.get("lockstep_generated") != filled(text):
            stale.add(docname)
    return stale


def hide_what_needs_the_address(app: Sphinx, config: Config) -> None:
    """Leave out what would lead nowhere as long as the course has no public address."""
    if not address.is_set(ROOT):
        options = config.html_theme_options
        options["launch_buttons"] = {}
        options["use_repository_button"] = options["use_issues_button"] = False
        config.html_baseurl = config.ogp_site_url = ""


def use_machinery(app: Sphinx, config: Config) -> None:
    """Read everything again when this code or the assets change."""
    machinery = [*Path(__file__).parent.glob("*.py"), *ROOT.glob("book/assets/**/*")]
    digests = [*keys.digests(machinery), assets.digest()]
    config.lockstep_machinery = hashlib.sha256("\n".join(digests).encode()).hexdigest()
    if config.nb_execution_mode != "off":
        raise ExtensionError("execute_notebooks must be off in _config.yml: nbval executes.")


def setup(app: Sphinx) -> dict[str, bool]:
    """Register with Sphinx."""
    katex.render_latex = render
    app.add_config_value("lockstep_machinery", "", "env")
    app.connect("config-inited", use_machinery)
    app.connect("config-inited", hide_what_needs_the_address)
    app.connect("env-get-outdated", read_again)
    app.connect("source-read", insert_outputs)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
