"""The flashcards of book/refresher/flashcards.yaml: as a page, and as a deck for Anki."""

import html
import re
from dataclasses import dataclass
from pathlib import Path

import genanki  # type: ignore[import-untyped]
import yaml

from tools import ROOT
from tools.notebooks import files
from tools.site import address

PAGE = "book/refresher/flashcards"
SOURCE = ROOT / f"{PAGE}.yaml"
DECK = "lockstep.apkg"
# Anki knows a deck, a model and a note again by these numbers and by the cards' ids.
DECK_ID, MODEL_ID = 1_733_905_241, 1_733_905_242


@dataclass(frozen=True)
class Card:
    """One card. `back` may have `code` and *emphasis*; `proof` is CHAPTER#ANCHOR."""

    id: str
    topic: str
    front: str
    back: str
    proof: str
    claims: tuple[str, ...]


def load(source: Path = SOURCE) -> list[Card]:
    """Return the cards, in order.

    Raises:
        ValueError: a card lacks something or has too much, or an id is there twice.
    """
    cards: list[Card] = []
    for number, entry in enumerate(yaml.safe_load(source.read_text(encoding="utf-8")), start=1):
        wanted = set(Card.__dataclass_fields__)
        if set(entry) != wanted:
            raise ValueError(
                f"{source.name}, card {number}, {entry.get('id')}: has {', '.join(entry)}. Give "
                f"each card exactly {', '.join(sorted(wanted))}."
            )
        cards.append(Card(**entry | {"claims": tuple(entry["claims"])}))
        if cards[-1].id in (card.id for card in cards[:-1]):
            raise ValueError(
                f"{source.name}: the id {cards[-1].id} is there twice. Choose another."
            )
    return cards


def by_topic(cards: list[Card]) -> dict[str, list[Card]]:
    """Return the cards of each topic, topics in the order of their first cards."""
    topics = dict.fromkeys(card.topic for card in cards)
    return {topic: [card for card in cards if card.topic == topic] for topic in topics}


def marked(text: str) -> str:
    """Return HTML of text with `code` and *emphasis*."""
    text = re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))
    return re.sub(r"\*([^*]+)\*", r"<em>\1</em>", text)


def chapter_pages() -> dict[str, str]:
    """Return the page of each chapter, without suffix, by its slug."""
    return {
        path.stem: path.relative_to(ROOT).with_suffix("").as_posix() for path in files.chapters()
    }


def markdown(cards: list[Card]) -> str:
    """Return the page's cards: a fold each, which needs no script."""
    lines = []
    for topic, some in by_topic(cards).items():
        lines += [f"## {topic}", ""]
        for card in some:
            chapter, _, anchor = card.proof.partition("#")
            link = f"../../{chapter_pages()[chapter]}.html#{anchor}"
            shown = f'<a href="{link}">Where this is shown</a>'
            lines += [
                f'<details class="flashcard" id="{card.id}"><summary>{marked(card.front)}</summary>'
                f"<p>{marked(card.back)}</p><p>{shown}</p></details>",
                "",
            ]
    return "\n".join(lines)


def write_deck(cards: list[Card], file: Path) -> None:
    """Write the cards as a deck that Anki imports; cards known to it by their ids are updated."""
    style = ".card { font: 20px/1.45 sans-serif; max-width: 36em; margin: 1em auto; }"
    side = {"qfmt": "{{Front}}", "afmt": "{{FrontSide}}<hr id=answer>{{Back}}"}
    fields = [{"name": "Front"}, {"name": "Back"}]
    model = genanki.Model(MODEL_ID, "Lockstep", fields, [{"name": "Card", **side}], css=style)
    deck = genanki.Deck(DECK_ID, "Lockstep: distributed training")
    owner, name = address.current(ROOT).split("/")
    book = f"https://{owner.lower()}.github.io/{name}/"
    for card in cards:
        chapter, _, anchor = card.proof.partition("#")
        where = f'<a href="{book}{chapter_pages()[chapter]}.html#{anchor}">Where this is shown</a>'
        back = f"<p>{marked(card.back)}</p><p>{where}</p>"
        tags = [re.sub(r"\W+", "-", card.topic.lower()), *card.claims]
        note = genanki.Note(
            model, [marked(card.front), back], tags=tags, guid=f"lockstep-{card.id}"
        )
        deck.add_note(note)
    deck.write_to_file(file)
