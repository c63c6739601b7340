"""How well units agree with others: objects by their last word, properties by their words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_vqamt.language.units import DescriptionUnit

_WORD = re.compile(r"[\w'-]+")
_ARTICLES = ("a", "an", "the")


@dataclass(frozen=True, slots=True, kw_only=True)
class Agreement:
    """Counts over all hypotheses together."""

    shared: int
    found: int
    wanted: int

    @property
    def precision(self) -> float:
        return self.shared / self.found

    @property
    def recall(self) -> float:
        return self.shared / self.wanted

    @property
    def f1(self) -> float:
        return 2 * self.shared / (self.found + self.wanted)

    def __str__(self) -> str:
        return f"precision {self.precision:.3f}, recall {self.recall:.3f}, F1 {self.f1:.3f}"


def of_objects(rows: Iterable[tuple[Sequence[DescriptionUnit], Sequence[str]]]) -> Agreement:
    """Units against wanted objects, each hypothesis a row: the multisets of their last words."""
    return _agreement(
        (Counter(_last(unit.object) for unit in units), Counter(map(_last, wanted))) for units, wanted in rows
    )


def of_properties(rows: Iterable[tuple[Sequence[DescriptionUnit], Sequence[str]]]) -> Agreement:
    """Units against wanted properties: the multisets of all their words."""
    return _agreement((_words(unit.property for unit in units), _words(wanted)) for units, wanted in rows)


def _last(name: str) -> str:
    return next((word for word in reversed(name.lower().split()) if word not in _ARTICLES), "")


def _words(texts: Iterable[str]) -> Counter[str]:
    return Counter(word for text in texts for word in _WORD.findall(text.lower()))


def _agreement(pairs: Iterable[tuple[Counter[str], Counter[str]]]) -> Agreement:
    counted = [((found & wanted).total(), found.total(), wanted.total()) for found, wanted in pairs]
    shared, found, wanted = map(sum, zip(*counted, strict=True))
    return Agreement(shared=shared, found=found, wanted=wanted)
