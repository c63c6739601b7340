"""What the catalogue asks is taught: no word of it is unknown to the model, and no text tells its answer; labels."""

from __future__ import annotations

from collections import Counter, defaultdict
from random import Random

import pytest

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.meaning import Group, Label, Unit, truth
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.core.scene import Photo, Scene, Thing
from pytest_vqamt.models.transformers.tiny import WEIGHTS
from pytest_vqamt.picture_world.looks import CATEGORY_OF, EXHAUSTIVE, NAMES
from pytest_vqamt.picture_world.source import PictureWorld
from pytest_vqamt.relations.catalogue import get
from pytest_vqamt.sampling.chooser import RandomChooser
from tools.tiny.build import known_words, tokenizer
from tools.tiny.cases import Asked, elsewhere, items, queries
from tools.tiny.hypotheses import hypothesis, unseen_of

WORLD = PictureWorld(count=120)  # its scenes are stored, so that they need not be laid out
SCENES = [WORLD.scene(index) for index in range(120)]


def asked(item: str, query: Query) -> Asked:
    return Asked(
        item=item, scene=WORLD.place(query.picture.photo.id), picture=None, task=query.task, text=query.text,
        meaning=query.meaning,
    )  # fmt: skip


def test_the_model_knows_every_word_that_the_catalogue_asks() -> None:
    words = tokenizer(known_words(WEIGHTS))
    # It was taught no conversations.
    taught = [item for item in items() if not get(item.partition("[")[0]).info.needs]
    texts = {query.text for item in taught for query in queries(WORLD, item, 4)}
    unknown = {text: words.unk_token for text in texts if words.unk_token in words.tokenize(text)}
    assert len(texts) > 300
    assert len(unknown) < 0.02 * len(texts), unknown


def test_the_same_text_has_another_right_answer_elsewhere() -> None:
    having: defaultdict[str, list[int]] = defaultdict(list)
    for index, scene in enumerate(SCENES):
        for name in {thing.name for thing in scene.objects}:
            having[name].append(index)
    found = tried = 0
    for item in (
        "carets.rephrase",
        "metavqa.partition[object]",
        "veglue.corruption[zoom-object]",
    ):
        for query in queries(WORLD, item, 20):
            if query.picture.edits or query.task is Task.CAPTIONING:
                continue
            each = asked(item, query)
            other = elsewhere(each, SCENES, having, Random(query.id))
            tried += 1
            if other is not None:
                found += 1
                assert truth(each.meaning, SCENES[other]) not in (truth(each.meaning, SCENES[each.scene]), None)
                assert each.row(SCENES[other]).text == each.row(SCENES[each.scene]).text
                assert each.row(SCENES[other]).answer != each.row(SCENES[each.scene]).answer
    assert found > tried / 2 > 0


# Hypotheses have the label that they were asked for.


def written(scene: Scene, label: Label, times: int = 300) -> dict[str, tuple[Unit, ...]]:
    """Every hypothesis that so many draws bring, by its text."""
    found = {}
    for seed in range(times):
        each = hypothesis(scene, RandomChooser(Random(seed)), label)
        if each is not None:
            found[each[0]] = each[1].units
    return found


@pytest.fixture
def pen() -> Scene:
    """A white pig that stands, and nothing else."""
    return Scene(
        id="pen",
        photo=Photo(id="pen", digest="0"),
        width=100,
        height=100,
        objects=(Thing(id="0", name="pig", box=Box(0, 0, 50, 50), attributes=("white", "standing")),),
        exhaustive=EXHAUSTIVE,
    )


@pytest.mark.parametrize("label", list(Label))
def test_the_label_is_the_truth(label: Label) -> None:
    world = PictureWorld(60, seed=31)
    given = 0
    for index in range(60):
        for seed in range(3):
            each = hypothesis(world.scene(index), RandomChooser(Random(index * 10 + seed)), label)
            if each is not None:
                given += 1
                assert truth(each[1], world.scene(index)) is label, each
                assert each[0][0].isupper()
                assert each[0].endswith(".")
    assert given > 0.98 * 180


def test_what_is_true_of_a_pig_is_said_of_it(pen: Scene) -> None:
    assert set(written(pen, Label.ENTAILMENT)) == {
        "There is a pig.",
        "There is a white pig.",
        "There is an animal.",
        "A pig is white.",
        "A pig is standing.",
    }


def test_a_contradiction_is_an_absent_name_or_an_excluded_word(pen: Scene) -> None:
    texts = written(pen, Label.CONTRADICTION, 3000)
    assert {"There is a cow.", "A pig is lying.", "There is a brown pig."} <= set(texts)
    for text, units in texts.items():
        wrong = [unit.group for unit in units if unit.group.name != "pig"]
        excluded = [
            word for unit in units for word in unit.group.attributes if word not in ("white", "standing")
        ]  # fmt: skip
        assert wrong or excluded, text
        assert not any(unit.unseen for unit in units)
        for word in excluded:
            assert wrong or CATEGORY_OF[word] in ("colour", "posture"), text


def test_a_neutral_hypothesis_says_what_cannot_be_seen(pen: Scene) -> None:
    texts = written(pen, Label.NEUTRAL)
    assert "A pig is hungry." in texts
    assert texts["A pig is hungry."] == (Unit(group=Group(name="pig"), unseen="is hungry"),)
    said = Counter(unit.unseen for units in texts.values() for unit in units if unit.unseen)
    assert set(said) <= set(unseen_of("pig"))
    assert len(said) > 8


def test_twenty_unseen_properties_and_more_for_every_name() -> None:
    assert len({unseen for name in NAMES for unseen in unseen_of(name)}) >= 50
    for name in NAMES:
        assert len(unseen_of(name)) >= 7
        assert len(set(unseen_of(name))) == len(unseen_of(name))


def test_a_scene_of_nothing_has_no_hypothesis() -> None:
    empty = Scene(id="e", photo=Photo(id="e", digest="0"), width=10, height=10, exhaustive=EXHAUSTIVE)
    assert hypothesis(empty, RandomChooser(Random(0)), Label.ENTAILMENT) is None
