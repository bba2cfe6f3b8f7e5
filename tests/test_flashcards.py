"""The flashcards: what they cover, how the page shows them, and what Anki makes of the deck."""

from pathlib import Path

import pytest
import yaml
from anki.collection import Collection, ImportAnkiPackageRequest
from browser import chromium
from playwright.sync_api import expect

from tools import HTML, ROOT
from tools.site import address, entries, exam_answers, flashcards
from tools.site.serve import server


def test_every_claim_of_the_exams_flashcards_has_a_card() -> None:
    asked = {claim for card in flashcards.load() for claim in card.claims}
    assert asked == {claim.id for claim in exam_answers.load() if claim.id.startswith("F")}


def test_anki_imports_the_deck_and_knows_its_cards_again(tmp_path: Path) -> None:
    cards = flashcards.load()
    deck = tmp_path / "cards.apkg"
    collection = Collection(str(tmp_path / "collection.anki2"))
    for _ in range(2):
        flashcards.write_deck(cards, deck)
        collection.import_anki_package(ImportAnkiPackageRequest(package_path=str(deck)))
    notes = [collection.get_note(note) for note in collection.find_notes("deck:Lockstep*")]
    assert sorted(note.fields[0] for note in notes) == sorted(
        entries.marked(card.front) for card in cards
    )
    for note in notes:
        assert ("Where this is shown" in note.fields[1]) == address.is_set(ROOT)
    collection.close()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"id": "all-reduce"}, "the id all-reduce is there twice"),
        ({"hint": "none"}, "card 2, synchronous: has .*hint.* Give each card exactly back"),
    ],
)
def test_a_wrong_card_is_named(tmp_path: Path, change: dict[str, str], said: str) -> None:
    card = {"topic": "t", "front": "f", "back": "b", "proof": "gpipe#x", "claims": []}
    source = tmp_path / "cards.yaml"
    source.write_text(
        yaml.safe_dump([{"id": "all-reduce"} | card, {"id": "synchronous"} | card | change])
    )
    with pytest.raises(ValueError, match=said):
        flashcards.load(source)


@pytest.mark.browser
def test_cards_open_without_a_script_and_the_deck_is_offered() -> None:
    with chromium() as browser, server(HTML) as address:
        page = browser.new_page(java_script_enabled=False)
        page.goto(f"{address}{flashcards.PAGE}.html")
        cards = page.locator("details.flashcard")
        expect(cards).to_have_count(len(flashcards.load()))
        answer = cards.first.locator("p").first
        expect(answer).not_to_be_visible()
        cards.first.locator("summary").focus()
        page.keyboard.press("Enter")
        expect(answer).to_be_visible()
        link = page.get_by_role("link", name=flashcards.DECK).get_attribute("href")
        found = page.request.get(f"{address}{flashcards.PAGE.rpartition('/')[0]}/{link}")
        assert found.ok and found.body()[:2] == b"PK"
