"""The page of exam answers: which claims there are, where they are asked, and how it shows them."""

from collections.abc import Mapping
from pathlib import Path

import nbformat
import pytest
import yaml
from browser import chromium
from playwright.sync_api import expect

from lockstep import questions
from tools import HTML, ROOT
from tools.notebooks import ids
from tools.site import entries, exam_answers, flashcards
from tools.site.serve import server

CLAIM = {"question": "q", "given": "g", "verdict": "right", "statement": "s", "proof": "gpipe#x"}


def unknown(claims_by_name: Mapping[str, tuple[str, ...]]) -> set[tuple[str, str]]:
    """Pairs of a claim that there is not and what names it."""
    known = {claim.id for claim in exam_answers.load()}
    return {
        (claim, name)
        for name, claims in claims_by_name.items()
        for claim in claims
        if claim not in known
    }


def test_questions_and_cards_name_claims_that_there_are() -> None:
    bank = {question.id: question.claims for question in questions.bank().values()}
    assert unknown(bank) == set()
    assert unknown({card.id: card.claims for card in flashcards.load()}) == set()
    assert unknown({"a-question": ("Q2", "M2")}) == {("M2", "a-question")}


def test_every_claim_is_asked() -> None:
    asked = {claim for question in questions.bank().values() for claim in question.claims}
    assert [claim.id for claim in exam_answers.load() if claim.id not in asked] == []


def test_the_proof_of_every_claim_is_in_a_chapter() -> None:
    sections = {
        f"{chapter}#{ids.anchor(heading)}"
        for chapter, page in entries.chapter_pages().items()
        for cell in nbformat.read(ROOT / f"{page}.ipynb", as_version=4).cells
        if cell.cell_type == "markdown"
        for heading in ids.HEADING.findall(cell.source)
    }
    assert [claim.id for claim in exam_answers.load() if claim.proof not in sections] == []


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "Q1"}, "the id Q1 is there twice"),
        ({"id": "X1"}, "the id X1 must begin with one of Q, M, F"),
        ({"hint": "none"}, "claim 3, Q3: has .*hint.* Give each claim exactly given"),
        ({"verdict": "true"}, "Q3: the verdict 'true' is none. Choose one of: right, right with"),
        ({"question": "p"}, "the claims of 'p' are apart"),
    ],
)
def test_a_wrong_claim_is_named(tmp_path: Path, change: dict[str, str], said: str) -> None:
    source = tmp_path / "claims.yaml"
    claims = [CLAIM | {"id": "Q1", "question": "p"}, CLAIM | {"id": "Q2"}]
    source.write_text(yaml.safe_dump([*claims, CLAIM | {"id": "Q3"} | change]))
    with pytest.raises(ValueError, match=said):
        exam_answers.load(source)


def test_claims_of_a_question_are_below_it_and_questions_below_their_part() -> None:
    some = [
        CLAIM | {"id": "Q1", "question": "What?", "given": "`a` < b"},
        CLAIM | {"id": "Q2", "question": "What?", "verdict": "wrong"},
        CLAIM | {"id": "F1", "question": "What?"},
    ]
    text = exam_answers.markdown([exam_answers.Claim(**claim) for claim in some])
    begins = ("## ", "### ", "<dl ")
    lines = [line for line in text.splitlines() if line.startswith(begins)]
    quiz, cards = exam_answers.PARTS["Q"], exam_answers.PARTS["F"]
    assert [line.partition(">")[0] for line in lines] == [
        f"## {quiz}",
        "### What?",
        '<dl class="claim" id="Q1"',
        '<dl class="claim" id="Q2"',
        f"## {cards}",
        "### What?",
        '<dl class="claim" id="F1"',
    ]
    assert "<dd><code>a</code> &lt; b</dd><dt>Right</dt>" in lines[2] and "gpipe.html#x" in lines[2]
    assert text.startswith("Of 3 answers: 2 right, 0 right with a caveat, 0 misleading, 1 wrong,")


@pytest.mark.browser
def test_claims_are_on_the_page_without_a_script() -> None:
    with chromium() as browser, server(HTML) as address:
        page = browser.new_page(java_script_enabled=False)
        page.goto(f"{address}{exam_answers.PAGE}.html")
        claims = page.locator("dl.claim")
        loaded = exam_answers.load()
        expect(claims).to_have_count(len(loaded))
        for claim in (loaded[0], loaded[-1]):
            shown = page.locator(f"dl.claim[id={claim.id}]")
            expect(shown.locator("dt").nth(1)).to_have_text(claim.verdict.capitalize())
            expect(shown.get_by_role("link")).to_have_count(1)
