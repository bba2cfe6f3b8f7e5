"""What the notebooks measured when they were last executed settles every question of the bank.

Nothing is executed here: the outputs are those that nbval handed on (tools.notebooks.execute).
"""

import dataclasses
import json
import math
from collections.abc import Iterator
from typing import Any

import proofs
import pytest

from lockstep import questions
from tools.notebooks import execute, files

pytestmark = pytest.mark.proofs


def executed() -> dict[str, Any]:
    """Every notebook, with the outputs of its last execution."""
    chapters = {}
    for path in files.chapters():
        run = execute.stored(path)
        if run is None:
            pytest.skip(f"{path.stem} has not been executed as it is now: run 'make book' first")
        chapter = json.loads(path.read_text(encoding="utf-8"))
        code = [cell for cell in chapter["cells"] if cell["cell_type"] == "code"]
        for cell, outputs in zip(code, run["outputs"], strict=True):
            cell["outputs"] = outputs
        chapters[path.stem] = chapter
    return chapters


def turned(question: questions.Question) -> Iterator[questions.Question]:
    """The question with its answer turned around, in every way."""
    if isinstance(question, questions.Choice):
        for i, option in enumerate(question.options):
            options = list(question.options)
            options[i] = dataclasses.replace(option, right=not option.right)
            yield dataclasses.replace(question, options=tuple(options))
    if isinstance(question, questions.Number):
        away = math.copysign(1, question.answer)
        others = (10 * question.answer + away, -question.answer - away)
        for answer in (*others, *(number.value for number in question.wrong)):
            yield dataclasses.replace(question, answer=answer)


def mistakes(chapters: dict[str, Any]) -> list[str]:
    """A line for each question that was not settled where it says."""
    found = []
    for question in questions.bank().values():
        records = [
            proof
            for proof in proofs.proofs(chapters[question.chapter])
            if (proof.question, proof.section) == (question.id, question.section)
        ]
        if not records:
            found.append(f"{question.id}: nothing was measured in #{question.section}")
        for record in records:
            questions.check(question, record.truth)
            for wrong in turned(question):
                try:
                    questions.check(wrong, record.truth)
                except AssertionError:
                    continue
                found.append(f"{question.id}: what was measured also fits {wrong}")
    return found


def test_every_answer_was_measured_and_no_other_fits() -> None:
    assert mistakes(executed()) == []


def test_an_answer_that_was_not_measured_is_found() -> None:
    chapters = executed()
    victim = next(iter(questions.bank().values()))
    for cell in chapters[victim.chapter]["cells"]:
        for output in cell.get("outputs", []):
            if output.get("metadata", {}).get("lockstep", {}).get("question") == victim.id:
                output["metadata"] = {}
    assert mistakes(chapters) == [f"{victim.id}: nothing was measured in #{victim.section}"]
