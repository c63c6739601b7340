"""Answers in other languages, and statements that say the opposite of one another; readings worked out by hand.

``other_languages.jsonl`` has answers in German, French and Spanish by the one who wrote the reader:

- ``first``: 123 rows written before any of it. The reader of then had 35 as they should be, 69 unread, 13 wrong and 6
  read that say nothing.
- ``second``: 96 rows in other words, written when the first were read: 82 right, 12 unread and 2 wrong at first.
- ``third``: 60 rows written later still: 57 right, 3 unread and none wrong at first.
- ``kinds``: 27 rows of manners that a blind file had shown to be unread: 5 right and 22 unread at first.
- ``fourth``: 120 rows of the manners of chat models, 40 for each language: 84 right, 33 unread and 3 wrong at first.
- ``fifth``: 45 rows of the same manners, written when those were read: 39 right, 5 unread and 1 wrong at first.
- ``trap``: rows whose words are those of the question, and that say something else or the opposite.

All were then used to mend the reader.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from time import perf_counter
from typing import Any

import pytest

from pytest_vqamt import read
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer
from pytest_vqamt.language.answers.counts import Quantifier
from pytest_vqamt.language.answers.foreign.forms import language_of

UNREAD = "unread"


@pytest.mark.parametrize(
    ("question", "answer", "reading"),
    [
        ("Hat der Mann einen Hut?", "Nein, er hat keinen.", False),
        ("Gibt es keinen Hund?", "Doch, hier vorne.", False),
        ("Gibt es keinen Hund?", "Nein, da ist kein Hund.", True),
        ("Wie viele Boote gibt es?", "Es gibt zwei oder drei Boote.", UNREAD),
        ("Wie viele Boote gibt es?", "Es sind dreizehn Boote.", 13),
        ("Wie viele Boote gibt es?", "Es gibt nicht drei Boote.", UNREAD),
        ("Wie viele Boote gibt es?", "Ich sehe ein Boot.", 1),
        ("Wie viele Boote gibt es?", "Ich sehe ein Haus.", UNREAD),
        ("\u00bfCu\u00e1ntos perros hay?", "No hay ning\u00fan perro.", 0),
        ("Combien de chats y a-t-il ?", "Vingt-deux chats.", 22),
        ("\u56fe\u4e2d\u6709\u51e0\u53ea\u9e1f\uff1f", "\u5341\u4e8c\u53ea\u9e1f\u3002", UNREAD),
        ("Is the suitcase bigger than the backpack?", "The backpack is smaller than the suitcase.", True),
        ("Is the suitcase bigger than the backpack?", "The suitcase is smaller than the backpack.", False),
        ("Is the woman reading a book?", "She is reading a newspaper rather than a book.", False),
        ("Is the woman reading a book?", "She is reading a book rather than a newspaper.", True),
        ("Is the girl holding a balloon?", "The boy is not holding anything.", UNREAD),
        ("Are all the lights on?", "Every light is on except the one above the stairs.", False),
        ("Are all the lights on?", "All of them are on.", True),
        ("How many dogs are there?", "There are three dogs. The number of dogs is two.", UNREAD),
        ("How many dogs are there?", "4\n5", UNREAD),
        ("How many dogs are there?", "There are seven dogs, not eight.", 7),
    ],
)
def test_what_is_said_is_read_and_what_is_unsure_is_not(question: str, answer: str, reading: object) -> None:
    got = read(question, answer)
    assert (UNREAD if isinstance(got, UnreadableAnswer) else got) == reading


def test_german_french_and_spanish_answers_are_read_and_none_as_its_opposite() -> None:
    lines = Path(__file__).with_name("other_languages.jsonl").read_text("utf-8").splitlines()
    rows = [json.loads(line) for line in lines]
    counts = Counter((row["manner"].partition(":")[0], _outcome(row)) for row in rows)
    assert counts["first", "right"] >= 122, counts
    assert counts["second", "right"] >= 96, counts
    assert counts["third", "right"] >= 60, counts
    assert counts["kinds", "right"] >= 27, counts
    assert counts["fourth", "right"] >= 117, counts
    assert counts["fifth", "right"] >= 43, counts
    assert counts["trap", "right"] >= 441, counts
    assert {outcome for _, outcome in counts} == {"right", "unread"}, counts


def _outcome(row: dict[str, Any]) -> str:
    got = read(row["question"], row["answer"], row.get("options", ()))
    said = "unread" if isinstance(got, UnreadableAnswer) else "amount" if isinstance(got, Quantifier) else str(got)
    wanted = {"yes": "True", "no": "False"}.get(row["reading"], row["reading"])
    return (
        "right" if said == wanted or {said, wanted} == {"amount", "unread"} else said if said == "unread" else "wrong"
    )


@pytest.mark.parametrize(
    ("question", "answer", "reason"),
    [
        ("Wie viele Spieler sind auf dem Feld?", "Ich kann das Bild leider nicht sehen.", Unreadable.SEES_NOTHING),
        ("Combien de joueurs y a-t-il ?", "Aucune image n'a \u00e9t\u00e9 fournie.", Unreadable.SEES_NOTHING),
        ("\u00bfCu\u00e1ntos jugadores hay?", "Lo siento, no puedo ver la imagen.", Unreadable.SEES_NOTHING),
        ("Ist der Mann reich?", "Diese Frage kann ich nicht beantworten.", Unreadable.REFUSAL),
        ("L'homme est-il riche ?", "Je ne peux pas r\u00e9pondre \u00e0 cette question.", Unreadable.REFUSAL),
        ("\u00bfEs rico el hombre?", "No puedo ayudar con eso.", Unreadable.REFUSAL),
        ("Ist die Milch frisch?", "Das l\u00e4sst sich am Bild nicht entscheiden.", Unreadable.UNSURE),
        ("Le lait est-il frais ?", "Impossible \u00e0 dire.", Unreadable.UNSURE),
        ("\u00bfLa leche es fresca?", "No se puede saber.", Unreadable.UNSURE),
        ("Ist die Milch frisch?", "<think>Das Glas ist", Unreadable.CUT_OFF),
    ],
)
def test_reasons_in_other_languages_are_those_of_english(question: str, answer: str, reason: Unreadable) -> None:
    assert read(question, answer) == UnreadableAnswer(reason)


@pytest.mark.parametrize(
    "question", ["Dog on sofa?", "Man with hat?", "Is es a word?", "Heeft de man een hoed?", "La porta \u00e8 aperta?"]
)
def test_english_and_languages_without_a_table_are_not_taken_for_one_of_them(question: str) -> None:
    assert language_of(question) is None


@pytest.mark.full  # a time; that the patterns are linear is tested by their structure in test_linear_time.py
@pytest.mark.parametrize(
    ("question", "piece"),
    [
        ("Ist das Auto rot?", "ich kann das nicht "),
        ("La voiture est-elle rouge ?", "je ne peux pas "),
        ("\u00bfEl coche es rojo?", "no puedo "),
        ("Wie viele Autos gibt es?", "Antwort: "),
        ("Wie viele Autos gibt es?", "davon eins, Autos: 2, "),
        ("Gibt es sowohl eine Gabel als auch ein Messer?", "Gabel: ja, "),
    ],
)
def test_long_answers_take_no_longer_than_their_length(question: str, piece: str) -> None:
    read(question, piece)  # the tables are read now
    started = perf_counter()
    read(question, piece * 20_000)
    assert perf_counter() - started < 1
