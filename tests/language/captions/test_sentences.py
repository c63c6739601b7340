"""Captions by hand: kinds and synonyms, compounds, colours and verbs, numbers, second mentions, denials."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_vqamt.language.captions.number import NounForm
from pytest_vqamt.language.captions.reading import classes_in
from tests.rows import each_row

_SENTENCES = Path(__file__).with_name("sentences.txt")
_FORMS = {"s": NounForm.SINGULAR, "p": NounForm.PLURAL, "-": NounForm.NONE}


def _sentences() -> Iterator[tuple[str, str, dict[str, NounForm]]]:
    kind = ""
    for line in _SENTENCES.read_text(encoding="utf-8").splitlines():
        if line.startswith("## "):
            kind = line.removeprefix("## ")
        elif line and not line.startswith("#"):
            caption, _, expected = line.partition("|")
            yield kind, caption.strip(), _classes(expected)


def _classes(expected: str) -> dict[str, NounForm]:
    """Classes with forms as the file has them, "hot dog=s dog=p": a name may be of two words."""
    found: dict[str, NounForm] = {}
    name: list[str] = []
    for word in expected.split():
        last, equals, form = word.partition("=")
        name.append(last)
        if equals:
            found[" ".join(name)] = _FORMS[form]
            name = []
    return found


SENTENCES = tuple(_sentences())


@each_row(("kind", "caption", "expected"), SENTENCES)
def test_a_caption_names_what_a_reader_takes_from_it(kind: str, caption: str, expected: dict[str, NounForm]) -> None:
    assert dict(classes_in(caption)) == expected, kind


def test_there_are_many_of_every_kind() -> None:
    kinds = [kind for kind, _, _ in SENTENCES]
    assert len(SENTENCES) >= 150
    assert len({caption for _, caption, _ in SENTENCES}) == len(SENTENCES)
    assert {kind: kinds.count(kind) for kind in kinds if kinds.count(kind) < 5} == {}


@pytest.mark.parametrize("change", [str.upper, str.capitalize, lambda text: f"  {text}. ", lambda text: f'"{text}"'])
def test_capitals_and_marks_change_nothing(change: object) -> None:
    assert callable(change)
    for _, caption, expected in SENTENCES:
        assert dict(classes_in(change(caption))) == expected, caption
