"""The flashcards of book/reference/flashcards.yaml: as a page, and as a deck for Anki."""

import re
from dataclasses import dataclass
from pathlib import Path

import genanki  # type: ignore[import-untyped]

from tools import ROOT
from tools.site import address, entries

PAGE = "book/reference/flashcards"
SOURCE = ROOT / f"{PAGE}.yaml"
DECK = "lockstep.apkg"
# Anki knows a deck, a model and a note again by these numbers and by the cards' ids.
DECK_ID, MODEL_ID = 1_733_905_241, 1_733_905_242


@dataclass(frozen=True)
class Card(entries.Entry):
    """One card. `back` may have `code` and *emphasis*; `proof` is CHAPTER#ANCHOR."""

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
    return entries.load(Card, source)


def by_topic(cards: list[Card]) -> dict[str, list[Card]]:
    """Return the cards of each topic, topics in the order of their first cards."""
    topics = dict.fromkeys(card.topic for card in cards)
    return {topic: [card for card in cards if card.topic == topic] for topic in topics}


def markdown(cards: list[Card]) -> str:
    """Return the page's cards: a fold each, which needs no script."""
    lines = []
    for topic, some in by_topic(cards).items():
        lines += [f"## {topic}", ""]
        for card in some:
            front, back = entries.marked(card.front), entries.marked(card.back)
            lines += [
                f'<details class="flashcard" id="{card.id}"><summary>{front}</summary>'
                f"<p>{back}</p><p>{entries.shown(card.proof)}</p></details>",
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
        front = entries.marked(card.front)
        back = f"<p>{entries.marked(card.back)}</p>"
        if address.is_set(ROOT):
            back += f"<p>{entries.shown(card.proof, book)}</p>"
        tags = [re.sub(r"\W+", "-", card.topic.lower()), *card.claims]
        note = genanki.Note(model, [front, back], tags=tags, guid=f"lockstep-{card.id}")
        deck.add_note(note)
    deck.write_to_file(file)
