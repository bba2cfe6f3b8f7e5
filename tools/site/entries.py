"""What the pages made of a YAML file share: reading its entries, their text, links to proofs."""

import dataclasses
import html
import re
from pathlib import Path
from typing import Any, TypeVar

import yaml

from tools import ROOT
from tools.notebooks import files


@dataclasses.dataclass(frozen=True)
class Entry:
    """One entry of such a file."""

    id: str


Kind = TypeVar("Kind", bound=Entry)


def load(kind: type[Kind], source: Path) -> list[Kind]:
    """Return the entries of a file, in order; a list in an entry becomes a tuple.

    Raises:
        ValueError: an entry lacks something or has too much, or an id is there twice.
    """
    name = kind.__name__.lower()
    wanted = {field.name for field in dataclasses.fields(kind)}
    found: list[Kind] = []
    for number, entry in enumerate(yaml.safe_load(source.read_text(encoding="utf-8")), start=1):
        if set(entry) != wanted:
            raise ValueError(
                f"{source.name}, {name} {number}, {entry.get('id')}: has {', '.join(entry)}. Give "
                f"each {name} exactly {', '.join(sorted(wanted))}."
            )
        values: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        found.append(kind(**values))
        if found[-1].id in (other.id for other in found[:-1]):
            raise ValueError(
                f"{source.name}: the id {found[-1].id} is there twice. Choose another."
            )
    return found


def marked(text: str) -> str:
    """Return HTML of text with `code` and *emphasis*."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def chapter_pages() -> dict[str, str]:
    """Return the page of each chapter, without suffix, by its slug."""
    return {
        path.stem: path.relative_to(ROOT).with_suffix("").as_posix() for path in files.chapters()
    }


def shown(proof: str, book: str = "../../") -> str:
    """Return a link to CHAPTER#ANCHOR, from a page of the refresher or with the book's address."""
    chapter, _, anchor = proof.partition("#")
    return f'<a href="{book}{chapter_pages()[chapter]}.html#{anchor}">Where this is shown</a>'
