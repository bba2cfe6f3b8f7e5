"""The question bank, and the proof of every answer in it.

A bank file, ``bank/<chapter>.yaml``, holds the questions of a chapter. Each names the section of it
that settles the question. The cells of that section measure the truth and hand it to `prove`, which
compares it with the bank: turn an answer around, and the notebook fails.
"""

import difflib
import functools
import math
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, SupportsFloat, cast

import numpy as np
import yaml

BANK = Path(__file__).parent / "bank"
# Where in the metadata of a cell's output the record of `prove` is. (As a MIME type of its own, it
# would make the book's build warn.)
METADATA_KEY = "lockstep"

ON_PURPOSE = "If you have just made a mistake on purpose, this is where it shows."

# Where a number or an answer comes from: a run of the chapter; a formula, or the course's own
# simulator; or a source, whose place follows it: "read: GPipe, table 2".
ORIGINS = {"measured": "Measured here", "computed": "Computed here"}
READ = "read: "

Truth = Mapping[str, bool | np.bool_] | SupportsFloat


@dataclass(frozen=True)
class Option:
    """One answer to choose. `feedback` says why it is right, or what would happen if it were."""

    key: str
    text: str
    right: bool
    feedback: str


@dataclass(frozen=True)
class WrongNumber:
    """A number that people often arrive at, and what it means."""

    value: float
    feedback: str


@dataclass(frozen=True)
class Question:
    """What every question has. It is proved in `section`, the anchor of a heading in `chapter`."""

    id: str
    stem: str
    chapter: str
    section: str
    claims: tuple[str, ...]
    origin: str

    @property
    def told(self) -> str:
        """Where the truth comes from, in the words that readers see."""
        kind, _, place = self.origin.partition(": ")
        return f"Read in {place}" if place else ORIGINS[kind]


@dataclass(frozen=True)
class Choice(Question):
    """One or several of the options are right."""

    options: tuple[Option, ...]


@dataclass(frozen=True)
class Number(Question):
    """A number to enter, in `unit`. `tolerance` is relative to the value compared with."""

    answer: float
    unit: str
    tolerance: float
    feedback: str
    wrong: tuple[WrongNumber, ...]
    otherwise: str

    def matches(self, value: float, number: float) -> bool:
        """Whether `number` is `value` within the tolerance. NaN matches nothing."""
        return abs(number - value) <= self.tolerance * abs(value)


# Reading the bank


def load(chapter: str) -> tuple[Question, ...]:
    """The questions of one chapter, in the order of its bank file.

    Raises:
        ValueError: no bank file has this name, or the bank breaks a rule (the message says which).
    """
    banks = _read(BANK)
    if not isinstance(chapter, str) or chapter not in banks:
        raise ValueError(
            f"no question bank is called {chapter!r}{near(str(chapter), banks)}. "
            f"There are: {', '.join(sorted(banks)) or 'none'}."
        )
    return banks[chapter]


def bank() -> dict[str, Question]:
    """Every question of every chapter, by id."""
    return {question.id: question for chapter in _read(BANK).values() for question in chapter}


def find(question_id: str) -> Question:
    """The question with this id.

    Raises:
        ValueError: there is none; the message suggests ids that look like it.
    """
    questions = bank()
    if not isinstance(question_id, str) or question_id not in questions:
        raise ValueError(
            f"no question has the id {question_id!r}{near(str(question_id), questions)}. "
            "Questions are in lockstep/bank/."
        )
    return questions[question_id]


@functools.lru_cache
def _read(folder: Path) -> dict[str, tuple[Question, ...]]:
    banks = {path.stem: _read_file(path) for path in sorted(folder.glob("*.yaml"))}
    home: dict[str, str] = {}
    for chapter, questions in banks.items():
        for question in questions:
            if question.id in home:
                raise ValueError(
                    f"bank/{chapter}.yaml, question {question.id!r}: the id is taken in "
                    f"bank/{home[question.id]}.yaml. Ids are unique in the whole bank: rename one."
                )
            home[question.id] = chapter
    return banks


def _read_file(path: Path) -> tuple[Question, ...]:
    where = f"bank/{path.name}"
    try:
        entries = yaml.load(path.read_text(encoding="utf-8"), Loader=NoKeyTwice)
    except yaml.YAMLError as error:
        raise ValueError(f"{where}: not valid YAML: {error}") from None
    if not isinstance(entries, list) or not entries:
        raise ValueError(f"{where}: must be a list of questions, each starting with '- id: ...'.")
    questions = []
    for index, entry in enumerate(entries, start=1):
        if not isinstance(entry, dict):
            raise ValueError(f"{where}, entry {index}: must be a mapping with 'id', 'stem', ...")
        name = entry.get("id", f"number {index}")
        questions.append(_question(entry, path.stem, f"{where}, question {name!r}"))
    return tuple(questions)


class NoKeyTwice(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML's safe loader, except that a key given twice is an error, not silently the last one."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        keys = Counter(key.value for key, _ in node.value)
        twice = [key for key, count in keys.items() if count > 1]
        if twice:
            raise yaml.constructor.ConstructorError(
                None,
                None,
                f"the key {twice[0]!r} is there twice in one entry; is a '- ' missing?",
                node.start_mark,
            )
        return cast(dict[Any, Any], super().construct_mapping(node, deep))


def _question(entry: dict[str, Any], chapter: str, where: str) -> Question:
    if ("options" in entry) == ("answer" in entry):
        raise ValueError(
            f"{where}: needs either 'options' (answers to choose) or 'answer' (a number to enter)."
        )
    common = {"id", "stem", "proof"}
    if "options" in entry:
        _check_keys(entry, common | {"options"}, {"claims", "origin"}, where)
    else:
        needed = {"answer", "tolerance", "feedback", "otherwise"}
        _check_keys(entry, common | needed, {"claims", "origin", "unit", "wrong"}, where)

    claims = entry.get("claims", [])
    if not isinstance(claims, list) or not all(isinstance(claim, str) for claim in claims):
        raise ValueError(f"{where}: 'claims' must be a list of claim ids, such as [Q1a, F1].")
    origin = entry.get("origin", "measured")
    if origin not in ORIGINS and not (isinstance(origin, str) and origin.startswith(READ)):
        raise ValueError(
            f"{where}: 'origin' is {origin!r}. Write measured (by a run of the chapter), computed "
            '(from a formula, or by our simulator), or "read: " and the place in a source.'
        )
    shared: dict[str, Any] = {
        "id": _slug(entry, "id", where),
        "stem": _text(entry, "stem", where),
        "chapter": chapter,
        "section": _slug(entry, "proof", where),
        "claims": tuple(claims),
        "origin": origin,
    }
    return _choice(entry, shared, where) if "options" in entry else _number(entry, shared, where)


def _choice(entry: dict[str, Any], shared: dict[str, Any], where: str) -> Choice:
    options = []
    for index, given in enumerate(_list(entry, "options", where), start=1):
        key = given.get("key", f"number {index}")
        inside = f"{where}, option {key!r}"
        _check_keys(given, {"key", "text", "right", "feedback"}, set(), inside)
        if not isinstance(given["right"], bool):
            raise ValueError(f"{inside}: 'right' must be true or false, not {given['right']!r}.")
        options.append(
            Option(
                key=_slug(given, "key", inside),
                text=_text(given, "text", inside),
                right=given["right"],
                feedback=_text(given, "feedback", inside),
            )
        )
    for key, count in Counter(option.key for option in options).items():
        if count > 1:
            raise ValueError(f"{where}: {count} options have the key {key!r}. Rename all but one.")
    if len({option.right for option in options}) != 2:
        raise ValueError(f"{where}: needs at least one right and one wrong option.")
    return Choice(**shared, options=tuple(options))


def _number(entry: dict[str, Any], shared: dict[str, Any], where: str) -> Number:
    tolerance = _finite(entry, "tolerance", where)
    if not 0 <= tolerance < 0.5:
        raise ValueError(f"{where}: 'tolerance' is relative: from 0 to below 0.5, not {tolerance}.")
    wrong = []
    for given in _list(entry, "wrong", where):
        inside = f"{where}, wrong number {given.get('value')!r}"
        _check_keys(given, {"value", "feedback"}, set(), inside)
        wrong.append(WrongNumber(_finite(given, "value", inside), _text(given, "feedback", inside)))
    question = Number(
        **shared,
        answer=_finite(entry, "answer", where),
        unit=_text(entry, "unit", where) if "unit" in entry else "",
        tolerance=tolerance,
        feedback=_text(entry, "feedback", where),
        wrong=tuple(wrong),
        otherwise=_text(entry, "otherwise", where),
    )
    values = [question.answer, *(number.value for number in wrong)]
    for index, value in enumerate(values):
        for other in values[index + 1 :]:
            if question.matches(value, other) or question.matches(other, value):
                raise ValueError(
                    f"{where}: {value:g} and {other:g} are the same number within the tolerance. "
                    "Make the tolerance smaller, or drop the wrong number."
                )
    return question


def _check_keys(entry: dict[str, Any], required: set[str], optional: set[str], where: str) -> None:
    allowed = required | optional
    for key in entry:
        if key not in allowed:
            raise ValueError(
                f"{where}: unknown key {key!r}{near(str(key), allowed)}. "
                f"Known here: {', '.join(sorted(allowed))}."
            )
    missing = sorted(required - entry.keys())
    if missing:
        raise ValueError(f"{where}: {missing[0]!r} is missing. Add it.")


def _list(entry: dict[str, Any], key: str, where: str) -> list[dict[str, Any]]:
    given = entry.get(key, [])
    if not isinstance(given, list) or not all(isinstance(item, dict) for item in given):
        raise ValueError(f"{where}: {key!r} must be a list of mappings.")
    return given


def _text(entry: dict[str, Any], key: str, where: str) -> str:
    value = entry[key]
    if not isinstance(value, str) or not value.strip():
        raise ValueError(f"{where}: {key!r} must be text, not {value!r}. Write it out, in quotes.")
    return value.strip()


def _slug(entry: dict[str, Any], key: str, where: str) -> str:
    value = _text(entry, key, where)
    if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", value):
        raise ValueError(
            f"{where}: {key} {value!r} must be lower-case words, digits and single hyphens."
        )
    return value


def _finite(entry: dict[str, Any], key: str, where: str) -> float:
    value = entry[key]
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(
            f"{where}: {key!r} must be a finite number, not {value!r}. "
            "YAML reads 1e6 as text: write 1.0e+6."
        )
    return float(value)


def near(name: str, known: Iterable[str]) -> str:
    """A hint at what was meant, in brackets; empty if nothing known looks like the name."""
    matches = difflib.get_close_matches(name, known)
    return f" (did you mean {' or '.join(map(repr, matches))}?)" if matches else ""


# Proving an answer


def prove(question_id: str, truth: Truth) -> None:
    """Compare the bank's answer with what a cell found, and record that.

    The bank says where it comes from: measured, computed or read.

    Args:
        question_id: the question's id in the bank.
        truth: for options, whether each one is right, by its key; for a number, the number, in the
            question's unit.

    Raises:
        AssertionError: the bank says otherwise, or the number is NaN.
        ValueError: no such question, an option is missing or unknown, or a value is of the wrong
            type.
    """
    question = find(question_id)
    measured = check(question, truth)
    (quiz,) = (questions for questions in _read(BANK).values() if question in questions)
    number = quiz.index(question) + 1
    value = f": {measured:.4g} {question.unit}".rstrip() if isinstance(question, Number) else ""
    text = f"{question.told}{value}. This settles question {number} of the quiz."
    ipython = sys.modules.get("IPython")
    if ipython is None or ipython.get_ipython() is None:
        print(text)
        return
    record = {"question": question_id, "truth": measured}
    ipython.display.display({"text/plain": text}, metadata={METADATA_KEY: record}, raw=True)


def check(question: Question, truth: Truth) -> dict[str, bool] | float:
    """Raise as `prove` does; otherwise return the measurement as plain Python values."""
    if isinstance(question, Choice):
        return _check_choice(question, truth)
    if isinstance(question, Number):
        return _check_number(question, truth)
    raise ValueError(f"question={question!r}: give a question of the bank, as find() returns it.")


def _check_choice(question: Choice, truth: Truth) -> dict[str, bool]:
    where = f"question {question.id!r}"
    keys = [option.key for option in question.options]
    if not isinstance(truth, Mapping):
        raise ValueError(f"{where}: give a mapping with the keys {', '.join(keys)}.")
    for key in truth:
        if key not in keys:
            raise ValueError(
                f"{where} has no option {key!r}{near(str(key), keys)}. It has: {', '.join(keys)}."
            )
    for option in question.options:
        if option.key not in truth:
            raise ValueError(f"{where}: option {option.key!r} was not measured. Measure it, too.")
        value = truth[option.key]
        if not isinstance(value, bool | np.bool_):
            raise ValueError(
                f"{where}, option {option.key!r}: must be True or False, not {value!r}. "
                "Compare, or wrap it in bool()."
            )
        if value != option.right:
            words = {True: "right", False: "wrong"}
            raise AssertionError(
                f"{where}, option {option.key!r}: the bank says {words[option.right]}, "
                f"this cell measured {words[bool(value)]}. {ON_PURPOSE}"
            )
    return {key: bool(truth[key]) for key in keys}


def _check_number(question: Number, truth: Truth) -> float:
    where = f"question {question.id!r}"
    try:
        if isinstance(truth, bool | np.bool_ | str) or not isinstance(truth, SupportsFloat):
            raise TypeError
        measured = float(truth)
    except (TypeError, ValueError, RuntimeError):  # such as an array of several
        raise ValueError(f"{where}: give the measured number, not {truth!r}.") from None
    if not question.matches(question.answer, measured):
        raise AssertionError(
            f"{where}: the bank says {question.answer:g} {question.unit} within "
            f"{question.tolerance:.2%}, this cell measured {measured:g}. {ON_PURPOSE}"
        )
    return measured
