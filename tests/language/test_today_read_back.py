"""Texts with a statement before the question, with a list of options, or about what is written, read back."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import pairwise
from random import Random

import pytest

from pytest_vqamt.core.case import Case
from pytest_vqamt.core.meaning import NO_SUCH_THING, NONE_OF_THESE, Exists, Group, Property, WhichThere, Written, truth
from pytest_vqamt.language.questions import lettered, simple
from pytest_vqamt.language.questions.lettered import LAYOUTS, Labels
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.catalogue import get
from pytest_vqamt.sampling.chooser import RandomChooser
from tests.making import scene_of
from tests.reader.questions import Unreadable, read
from tests.reader.today import plain, read_text
from tests.reader.truths import answer
from tests.reader.vocabulary import COLOURS, LEXICON, NAMES
from tests.relations.deriving import derive
from tests.rows import each_row

FEW, MANY = 20, 2_000
ITEMS = [
    (name, variant)
    for name in (
        "lead.belief", "lead.authority", "absent.premise", "negation.scope", "choice.rotate", "choice.labels",
        "choice.none", "overlay.text", "overlay.question",
    )
    for variant in get(name).info.variants
]  # fmt: skip


@cache
def source(scenes: int) -> PictureWorld:
    return PictureWorld(scenes)


def cases(name: str, variant: str, n: int) -> Iterator[Case]:
    pictures = source(min(n, 300))
    for number in range(n):
        scene = pictures.scene(number % len(pictures))
        case = derive(get(name), scene, RandomChooser(Random(number)), variant, pictures.corpus)
        if isinstance(case, Case):
            yield case


@pytest.mark.parametrize(("name", "variant"), ITEMS, ids=[f"{name}[{variant}]" for name, variant in ITEMS])
@pytest.mark.parametrize("n", [pytest.param(FEW, id="few"), pytest.param(MANY, id="many", marks=pytest.mark.slow)])
def test_what_is_read_is_what_is_asked_and_its_answers_relate(name: str, variant: str, n: int) -> None:
    checked = 0
    for case in cases(name, variant, n):
        texts = [read_text(query.text, LEXICON, query.picture.scene) for query in case.queries]
        right = []
        for query, text in zip(case.queries, texts, strict=True):
            assert plain(text.asks) == plain(query.meaning), query.text
            right.append(answer(text.asks, query.picture.scene))
            assert right[-1] == truth(query.meaning, query.picture.scene), query.text
        match name.split("."):
            case "lead", _:
                first, second = (text.claimed for text in texts)
                assert first is None, case.queries[0].text
                assert second is not None, case.queries[1].text
                asked, claimed = second
                assert answer(asked, case.queries[1].picture.scene) is (not claimed), case.queries[1].text
                assert plain(asked) == plain(texts[1].asks), case.queries[1].text
                lengths = [len(query.text) for query in case.queries]
                assert max(lengths) - min(lengths) <= 25, lengths
            case "absent", _:
                assert right[0] not in (NO_SUCH_THING, False, None)
                assert right[1] == NO_SUCH_THING
            case "negation", _:
                assert None not in right
                assert right[0] != right[1]
            case "choice", "none":
                assert right[0] not in (None, NONE_OF_THESE)
                assert right[1] == NONE_OF_THESE
            case "overlay", which:
                assert right[0] == right[1] is not None
                assert right[2:] == ([True] if which == "text" else [True, False])
                assert not any(text.aside for text in texts[2:])
                assert all(text.aside for text in texts[:2]) is (which == "text")
            case _:
                assert right[0] is not None
                assert set(right) == {right[0]}
        checked += 1
    assert checked > n // 2


PAIRS = list(pairwise(NAMES))[::4]


@each_row("layout", range(LAYOUTS), sample=4)
def test_options_are_read_in_every_layout(layout: int) -> None:
    scene = scene_of("dog")
    for number, (one, other) in enumerate(PAIRS):
        groups = Group(name=one), Group(name=other)
        stem = lettered.which_there(groups, number % lettered.STEMS, or_none=number % 2 == 0)
        asked = lettered.lettered(stem, tuple(Labels)[number % 3 % 2], layout)
        assert read_text(asked.text, LEXICON, scene).asks == asked.meaning, asked.text


def test_names_are_read_in_every_wording() -> None:
    for number, (one, other) in enumerate(PAIRS):
        groups = Group(name=one), Group(name=other)
        for missing in (False, True):
            asked = simple.which_there(groups, number % simple.WHICH_THERE_WORDINGS, missing=missing)
            assert read(asked.text, LEXICON) == asked.meaning == WhichThere(groups=groups, missing=missing)
        of = simple.property_of(groups[0], "color", COLOURS, number % simple.PROPERTY_WORDINGS)
        assert read(of.text, LEXICON) == Property(group=groups[0], category="color", values=())
        there = simple.exists(groups[0], number % 8 + 1)
        if not there.text.startswith(("In ", "Looking ")):
            aside = simple.about_things(there, number % simple.LEAVING_ASIDE)
            assert read_text(aside.text, LEXICON, scene_of("dog")).asks == Exists(group=groups[0])
        word = simple.written(one.upper(), number % simple.WRITTEN_WORDINGS)
        assert read_text(word.text, LEXICON, scene_of("dog")).asks == Written(text=one.upper())


@each_row(
    "text",
    [
        "Which of these is in the picture, a dog or a dog?",
        "Which of these is in the picture, dog or kite?",
        "What color is a dog in the picture?",
        "I think the picture shows dog no. Is there a dog in the picture?",
        "Which of these is in the picture? (A) a dog (C) a kite",
        "Which of these is in the picture? (1) a dog (2) a kite\nAnswer with the letter.",
        "Apart from any writing is there a dog in the picture?",
    ],
)
def test_what_is_damaged_is_not_read(text: str) -> None:
    with pytest.raises(Unreadable):
        read_text(text, LEXICON, scene_of("dog"))
