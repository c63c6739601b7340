"""Answers in other languages, and statements that say the opposite of one another; readings worked out by hand."""

from __future__ import annotations

import pytest

from pytest_vqamt import read
from pytest_vqamt.language.answers.text import UnreadableAnswer

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
