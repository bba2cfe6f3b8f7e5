"""Where the notebooks prove the bank's answers, and whether they prove anything.

It reads notebooks and executes nothing.
"""

import ast
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lockstep.questions import METADATA_KEY, READ, bank, near
from tools.notebooks.ids import anchor

Notebook = Mapping[str, Any]


@dataclass(frozen=True)
class Proof:
    """What an executed notebook measured for a question, and the section it did so in."""

    question: str
    truth: Mapping[str, bool] | float
    section: str


def _sections(notebook: Notebook) -> Iterator[tuple[str, Mapping[str, Any] | None]]:
    """Pairs of a section's anchor and a code cell in it; a heading gives a pair without a cell."""
    section = ""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            yield section, cell
        elif cell["cell_type"] == "markdown":
            fenced = False
            for line in _source(cell).splitlines():
                if re.match(r" {0,3}(```|~~~)", line):
                    fenced = not fenced
                heading = re.match(r" {0,3}#{1,6}\s+(.*?)(\s#+)?\s*$", line)
                if heading and not fenced:
                    section = anchor(heading[1])
                    yield section, None


def _source(cell: Mapping[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def proofs(notebook: Notebook) -> list[Proof]:
    """What the cells of an executed notebook (as nbformat or json reads it) handed to `prove`."""
    return [
        Proof(record["question"], record["truth"], section)
        for section, cell in _sections(notebook)
        if cell
        for output in cell["outputs"]
        if (record := output.get("metadata", {}).get(METADATA_KEY))
    ]


def problems(notebooks: Mapping[str, Notebook]) -> list[str]:
    """What is wrong with the proofs of the bank's questions, without executing anything.

    Args:
        notebooks: every chapter by its slug, executed or not.

    Returns:
        A sentence for each question whose section does not exist in its chapter, is not unique, or
        does not call `prove` for it; for each call of `prove` that is given constants, which
        measure nothing; and for each chapter that proves or shows another one's questions, as it
        would not be executed again when they change.
    """
    found = []
    for chapter in sorted({question.chapter for question in bank().values()} - set(notebooks)):
        found.append(f"bank/{chapter}.yaml: no chapter has this name{near(chapter, notebooks)}.")
    for chapter, notebook in notebooks.items():
        own = {name: one for name, one in bank().items() if one.chapter == chapter}
        assigned = _assigned(notebook)
        proved: dict[str, list[str]] = {}
        for section, cell in _sections(notebook):
            where = f"{chapter}#{section}"
            for call in calls(cell, "prove") if cell else ():
                arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
                name = arguments[0] if arguments else None
                if len(arguments) != 2 or not isinstance(name, ast.Constant):
                    found.append(f"{where}: prove() needs the id in quotes, and the measurement.")
                    continue
                question_id = str(name.value)
                proved.setdefault(question_id, []).append(section)
                read = question_id in own and own[question_id].origin.startswith(READ)
                found += [
                    f"{where}: prove({question_id!r}) is given the constant {what}. "
                    "Give it what the cells measured."
                    for what in ([] if read else _constants(arguments[1], assigned))
                ]
                if question_id not in own:
                    meant = near(question_id, own)
                    found.append(f"{where}: {chapter} has no question {question_id!r}{meant}.")
            for call in calls(cell, "quiz") if cell else ():
                if not (call.args and ast.unparse(call.args[0]) == repr(chapter)):
                    found.append(f"{where}: a chapter shows its own questions, quiz({chapter!r}).")
        anchors = Counter(section for section, cell in _sections(notebook) if cell is None)
        for question in own.values():
            where = f"question {question.id!r}: its proof {question.section!r}"
            sections = proved.get(question.id, [])
            if question.section not in anchors:
                meant = near(question.section, anchors)
                found.append(f"{where} is no section of the chapter {chapter}{meant}.")
            elif anchors[question.section] > 1:
                found.append(f"{where} names a heading that the chapter has twice. Rename one.")
            elif question.section not in sections:
                instead = f"; it is called in {', '.join(sections)}" if sections else ""
                found.append(f"{where} does not call prove() for it{instead}.")
    return found


def tree(cell: Mapping[str, Any]) -> ast.Module:
    from IPython.core.inputtransformer2 import TransformerManager  # magics are not Python

    return ast.parse(TransformerManager().transform_cell(_source(cell)))


def calls(cell: Mapping[str, Any], function: str) -> Iterator[ast.Call]:
    for node in ast.walk(tree(cell)):
        if isinstance(node, ast.Call) and function in (
            getattr(node.func, "id", None),
            getattr(node.func, "attr", None),
        ):
            yield node


# Functions that make a constant of constants.
_PURE = {"abs", "all", "any", "bool", "dict", "float", "int", "len", "max", "min", "round", "sum"}
_TYPES = {"array", "bool_", "float32", "float64", "int32", "int64"}

_Assigned = Mapping[str, list[ast.expr]]


def _assigned(notebook: Notebook) -> _Assigned:
    """What is assigned to each name that nothing but assignments can change.

    A loop, a branch, a function's argument or a method called on it can give a name a value that
    comes from a run, so names bound or used in these ways are left out.
    """
    values: dict[str, list[ast.expr]] = {}
    changed: set[str] = set()
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        plain: set[ast.AST] = set()
        stored: list[ast.Name] = []
        for node in ast.walk(tree(cell)):
            targets: list[ast.expr] = []
            value: ast.expr | None = None
            if isinstance(node, ast.Assign):
                targets, value = node.targets, node.value
            elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
                targets, value = [node.target], node.value
            elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                stored.append(node)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                changed.add(node.value.id)
            elif isinstance(node, ast.If | ast.For | ast.While | ast.Try | ast.Match):
                changed |= {
                    name.id
                    for name in ast.walk(node)
                    if isinstance(name, ast.Name) and isinstance(name.ctx, ast.Store)
                }
            for target in targets:
                name = target.value if isinstance(target, ast.Subscript) else target
                if isinstance(name, ast.Name) and value is not None:
                    plain.add(name)
                    values.setdefault(name.id, []).append(value)
        changed |= {name.id for name in stored if name not in plain}
    return {name: value for name, value in values.items() if name not in changed}


def _constant(expression: ast.expr, assigned: _Assigned, seen: frozenset[str]) -> bool:
    return all(
        name in _PURE
        or name in seen
        or (
            name in assigned
            and all(_constant(value, assigned, seen | {name}) for value in assigned[name])
        )
        for name in _names(expression)
    )


def _names(expression: ast.AST) -> Iterator[str]:
    """The names that a value can come from: not NumPy's of a type, nor what is multiplied by 0."""
    match expression:
        case ast.Name():
            yield expression.id
        case ast.BinOp(op=ast.Mult(), right=ast.Constant(value=0)):
            return
        case ast.BinOp(op=ast.Mult(), left=ast.Constant(value=0)):
            return
        case ast.Attribute(value=ast.Name(id="np"), attr=attribute) if attribute in _TYPES:
            return
        case _:
            for child in ast.iter_child_nodes(expression):
                yield from _names(child)


def _constants(
    truth: ast.expr, assigned: _Assigned, seen: frozenset[str] = frozenset()
) -> list[str]:
    """The parts of an argument of `prove` that are constant, also by way of a name."""
    if isinstance(truth, ast.Name) and truth.id in assigned and truth.id not in seen:
        values = assigned[truth.id]
        return [part for v in values for part in _constants(v, assigned, seen | {truth.id})]
    parts = [("the measurement", truth)]
    if isinstance(truth, ast.Dict):
        keys = [ast.unparse(key) if key else "**" for key in truth.keys]
        parts = list(zip(keys, truth.values, strict=True))
    elif isinstance(truth, ast.Call) and getattr(truth.func, "id", "") == "dict":
        parts = [(keyword.arg or "**", keyword.value) for keyword in truth.keywords]
    return [
        f"{ast.unparse(value)} for {key}"
        for key, value in parts
        if _constant(value, assigned, seen)
    ]
