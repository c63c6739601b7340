"""The classes of a caption under either reading, and the class of a thing by its name."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache

from pytest_vqamt.language.captions.forms import Form
from pytest_vqamt.language.captions.mentions import mentions_of
from pytest_vqamt.language.captions.reading import named_in
from pytest_vqamt.language.captions.strict import published, strictly_named
from pytest_vqamt.language.captions.tables import class_rows
from pytest_vqamt.language.captions.words import words_of


class Reading(StrEnum):
    """How captions are read: as people mean them, or as MetaIC's published tool reads them, for comparison."""

    REFINED = "refined"
    STRICT = "strict"


def classes_in(caption: str, reading: Reading = Reading.REFINED) -> Mapping[str, Form]:
    """The classes that a caption names, in the order of first mention, each with its form.

    >>> for name, form in classes_in("a woman and two men with a parrot and a pair of scissors").items():
    ...     print(name, form)
    person plural
    bird singular
    scissors none
    >>> tuple(classes_in("a man and a hot dog", Reading.STRICT))
    ('hot dog', 'dog')
    """
    if reading is Reading.STRICT:
        return strictly_named(caption, _not_published(), apart=False)
    return named_in(caption).forms


@cache
def class_of(name: str, reading: Reading = Reading.REFINED) -> str | None:
    """The class that a thing of this name counts as; None for names of no class, such as clothes and sky.

    In the strict reading, the class that a caption names by this very word: none for "man", which that does not read.

    >>> class_of("man"), class_of("television"), class_of("stuffed bear"), class_of("train station"), class_of("hat")
    ('person', 'tv', 'teddy bear', None, None)
    >>> class_of("dog", Reading.STRICT), class_of("man", Reading.STRICT)
    ('dog', None)
    """
    if reading is Reading.STRICT:
        return name if name in class_rows() else None
    words = words_of(f"a {name}")
    last = next((each for each in reversed(mentions_of(f"a {name}")) if each.classes), None)
    return last.classes[0] if last is not None and last.end == len(words) else None


def super_category(name: str) -> str:
    """The super-category that COCO has a class in; "" for classes that it has not.

    >>> super_category("dog"), super_category("fork"), super_category("balloon")
    ('animal', 'kitchen', '')
    """
    return class_rows()[name].kind


@cache
def _not_published() -> tuple[str, ...]:
    return tuple(name for name, row in class_rows().items() if row.kind and name not in published())
