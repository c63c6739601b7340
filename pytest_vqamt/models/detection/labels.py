"""The labels of a checkpoint as names of ours."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.language.english.nouns import NUMBER_WORDS, is_plural, lacks_singular, singular
from pytest_vqamt.models.loading.config import config_of
from pytest_vqamt.models.transformers.checkpoint import Checkpoint

_LISTS = Path(__file__).with_name("labels.toml")
_UNNAMED = re.compile(r"label_\d+")
_ASIDE = re.compile(r"_?\([^)]*\)")
_NO_PART_OF_A_WORD = re.compile(r"[^\w\s'-]|_")
_ENOUGH_OF_A_LIST = 0.9


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """What a class of a detector stands for: things of a name, or a crowd of them."""

    name: str
    is_crowd: bool = False


def labels_of(checkpoint: Checkpoint) -> Mapping[int, Label]:
    """The labels of a checkpoint's classes by their numbers; classes that stand for nothing ("N/A") are left out.

    Raises:
        ModelError: its configuration does not name them, or names them ``LABEL_0`` and so on, as transformers does
            where nobody has.
    """
    texts = dict(_texts(config_of(checkpoint).get("id2label")))
    unnamed = [text for text in texts.values() if _UNNAMED.fullmatch(text.strip().lower())]
    if unnamed or not texts:
        got = f"{unnamed[0]!r}, which transformers makes up where there are none" if unnamed else "no id2label"
        raise ModelError(
            f"Expected the names of the classes in {checkpoint.folder / 'config.json'}, but got {got}: write id2label "
            "into it, as the checkpoint's makers have it"
        )
    amounts = _amounts(texts.values())
    found = {number: label_of(text, amounts) for number, text in texts.items()}
    return {number: label for number, label in found.items() if label is not None}


def _texts(id2label: object) -> Iterator[tuple[int, str]]:
    """The entries of id2label, whose keys JSON makes texts; what is of another form is no entry."""
    if isinstance(id2label, dict):
        for number, text in id2label.items():
            if str(number).isdecimal():
                yield int(number), str(text)


def label_of(text: str, amounts: frozenset[str] = frozenset()) -> Label | None:
    """What a label stands for: the first of its synonyms, in lower case; None where it stands for nothing.

    A plural stands for a group that is not told apart, and so does what ``amounts`` lists.

    >>> label_of("Cabinet/shelf"), label_of("trees,tree")
    (Label(name='cabinet', is_crowd=False), Label(name='tree', is_crowd=True))
    """
    name = _first(text)
    if not name or name in _lists().nothing:
        return None
    is_crowd = name in amounts
    if is_crowd and "tree-merged" in amounts:
        name = name.partition("-")[0]  # COCO's "wall-brick" and "sky-other-merged" say of what a wall, a sky is made up
    name = _lists().spelt.get(name, name)
    if name in _lists().singular:
        return Label(name=name, is_crowd=is_crowd)
    is_group = is_plural(name) and not lacks_singular(name)
    return Label(name=singular(name), is_crowd=is_crowd or is_group)


def names_in(text: str) -> tuple[str, ...]:
    """The names that a person lists, each once, in lines or with commas; what comes after a # is no name.

    >>> names_in("Dogs, a cat, two hot dogs, cup/mug  # all of them")
    ('dog', 'cat', 'hot dog', 'cup', 'mug')
    """
    labels = (label_of(_without_article(each)) for each in re.split(r"[,;/\n]", re.sub("#.*", "", text)))
    return tuple(dict.fromkeys(label.name for label in labels if label is not None))


def _without_article(text: str) -> str:
    """The noun alone of "a dog", "the dogs" and "two dogs"; a "one way sign" stays one."""
    first, _, noun = text.strip().lower().partition(" ")
    is_number = (first.isdecimal() or first in NUMBER_WORDS) and is_plural(noun)
    return noun if first in ("a", "an", "the") or is_number else text


@dataclass(frozen=True, slots=True, kw_only=True)
class _Lists:
    nothing: frozenset[str]
    singular: frozenset[str]
    spelt: Mapping[str, str]
    amounts: tuple[frozenset[str], ...]


@cache
def _lists() -> _Lists:
    table = tomllib.loads(_LISTS.read_text(encoding="utf-8"))
    amounts: dict[str, list[str]] = table["amounts"]
    return _Lists(
        nothing=frozenset(table["nothing"]),
        singular=frozenset(table["singular"]),
        spelt=table["spelt"],
        amounts=tuple(frozenset(each) for each in amounts.values()),
    )


def _amounts(labels: Iterable[str]) -> frozenset[str]:
    """Those labels that are of amounts, by the data set that the labels are from; none where it is not a known one."""
    known = frozenset(map(_first, labels))
    for amounts in _lists().amounts:
        if len(amounts & known) >= _ENOUGH_OF_A_LIST * len(amounts):
            return amounts
    return frozenset()


def _first(text: str) -> str:
    """The first of several synonyms, without what stands in brackets: "car" of "car, auto" and "monitor_(screen)"."""
    first = re.split("[,;/]", _ASIDE.sub("", text.lower()), maxsplit=1)[0]
    words = (word.strip("'-") for word in _NO_PART_OF_A_WORD.sub(" ", first).split())
    return " ".join(word for word in words if word)
