"""The option that an answer in German, French or Spanish chooses by its letter or its name."""

from __future__ import annotations

import re

from pytest_vqamt.language.answers.foreign.forms import after_corrections, answer_proper
from pytest_vqamt.language.answers.foreign.gloss import Language, glossed
from pytest_vqamt.language.answers.text import Prepared, Unreadable, UnreadableAnswer


def read_choice(language: Language, answer: str | Prepared, options: tuple[str, ...]) -> str | UnreadableAnswer | None:
    """The one option that the answer affirms and does not deny; None if it names none, or several.

    >>> read_choice(Language.SPANISH, "No es ni A ni C; la respuesta correcta es la B.", ("arroz", "pescado", "fruta"))
    'pescado'
    >>> read_choice(Language.GERMAN, "Sie ist nicht leer, sondern voll.", ("leer", "voll"))
    'voll'
    """
    text = answer_proper(language, answer)
    if isinstance(text, UnreadableAnswer):
        return text if text.reason in _NO_ANSWER else None
    letters = {f"#{_FIRST + place}": place for place in range(min(len(options), len(_LETTERS)))}
    offered = ", ".join(options)
    by_letter = _affirmed(language, _LETTER.sub(_numbered, text), letters, offered)
    names = {name: place for place, option in enumerate(options) if (name := _name(language, option))}
    by_name = _affirmed(language, text, names, offered) if len(names) == len(options) else None
    if by_letter is not None and by_name not in (None, by_letter):
        return UnreadableAnswer(Unreadable.SEVERAL_OPTIONS)
    chosen = by_name if by_letter is None else by_letter
    return None if chosen is None else options[chosen]


_NO_ANSWER = (Unreadable.SEES_NOTHING, Unreadable.REFUSAL, Unreadable.UNSURE)
_LETTERS = "ABCDEFGH"
_LETTER = re.compile(r"(?<![\w'])\(?([A-H])(?:\)|(?![\w'-]| (?:la|el|los|las|un|una|mi|su|lo|simple)\b))")
"""No letter is the preposition of "A la derecha"."""
_FIRST = 9001
"""The number that stands for the first letter in a gloss."""


def _numbered(found: re.Match[str]) -> str:
    return f" {_FIRST + _LETTERS.index(found[1])} "


def _name(language: Language, option: str) -> str:
    """The only mark of the option that says something, "" if it has others."""
    marks = [
        mark for clause in glossed(language, option) for mark in clause.marks if not mark.isupper() and mark != "#1?"
    ]
    return marks[0] if len(marks) == 1 else ""


def _affirmed(language: Language, text: str, names: dict[str, int], offered: str) -> int | None:
    """The only option that a clause names and none denies; a doubt chooses none."""
    affirmed: set[int] = set()
    denied: set[int] = set()
    for clause in after_corrections(language, glossed(language, text, offered)):
        named = {names[mark] for mark in clause.marks if mark in names}
        if named and {"MAYBE", "IF", "OR"} & set(clause.marks):
            return None
        (denied if {"NOT", "NONE", "NO", "NEITHER"} & set(clause.marks) else affirmed).update(named)
    affirmed -= denied
    return affirmed.pop() if len(affirmed) == 1 else None
