"""The page of exam answers: each claim of book/reference/exam-answers.yaml beside what is true."""

import itertools
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tools import ROOT
from tools.site import entries

PAGE = "book/reference/exam-answers"
SOURCE = ROOT / f"{PAGE}.yaml"
VERDICTS = ("right", "right with a caveat", "misleading", "wrong", "outdated")
# The parts of the exam material, by the first letter of their claims' ids.
PARTS = {
    "Q": "Quiz: strategies of tf.distribute",
    "M": "Quiz: model parallelism and pipelines",
    "F": "Flashcards",
}


@dataclass(frozen=True)
class Claim(entries.Entry):
    """What an exam gives as an answer. As in a card, `proof` is CHAPTER#ANCHOR."""

    question: str
    given: str
    verdict: str
    statement: str
    proof: str


def load(source: Path = SOURCE) -> list[Claim]:
    """Return the claims, in order.

    Raises:
        ValueError: a claim lacks something or has too much, an id is there twice or of no part of
            the material, a verdict is none, or claims of one question are apart.
    """
    claims = entries.load(Claim, source)
    for claim in claims:
        if claim.id[0] not in PARTS:
            raise ValueError(
                f"{source.name}: the id {claim.id} must begin with one of {', '.join(PARTS)}."
            )
        if claim.verdict not in VERDICTS:
            raise ValueError(
                f"{source.name}, {claim.id}: the verdict {claim.verdict!r} is none. Choose one of: "
                f"{', '.join(VERDICTS)}."
            )
    questions = [part for part, _ in itertools.groupby(claims, _question)]
    for question, times in Counter(questions).items():
        if times > 1:
            raise ValueError(
                f"{source.name}: the claims of {question[1]!r} are apart. Put them together."
            )
    return claims


def _question(claim: Claim) -> tuple[str, str]:
    return claim.id[0], claim.question


def markdown(claims: list[Claim]) -> str:
    """Return the page's claims: a list of terms each, which is never wider than its text."""
    counts = Counter(claim.verdict for claim in claims)
    sums = [f"{counts[verdict]} {verdict}" for verdict in VERDICTS]
    lines = [f"Of {len(claims)} answers: {', '.join(sums)}.", ""]
    for (letter, question), some in itertools.groupby(claims, _question):
        if (part := f"## {PARTS[letter]}") not in lines:
            lines += [part, ""]
        lines += [f"### {question}", ""]
        for claim in some:
            lines += [
                f'<dl class="claim" id="{claim.id}">'
                f"<dt>The exam</dt><dd>{entries.marked(claim.given)}</dd>"
                f"<dt>{claim.verdict.capitalize()}</dt><dd>{entries.marked(claim.statement)} "
                f"{entries.shown(claim.proof)}</dd></dl>",
                "",
            ]
    return "\n".join(lines)
