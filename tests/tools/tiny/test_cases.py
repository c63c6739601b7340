"""What the catalogue asks is taught: no word of it is unknown to the model, and no text tells its answer."""

from __future__ import annotations

from collections import defaultdict
from random import Random

from pytest_vqamt.core.meaning import truth
from pytest_vqamt.core.query import Query, Task
from pytest_vqamt.models.transformers.tiny import WEIGHTS
from pytest_vqamt.picture_world.source import PictureWorld
from tools.tiny.build import known_words, tokenizer
from tools.tiny.cases import Asked, elsewhere, items, queries

WORLD = PictureWorld(count=120)  # its scenes are stored, so that they need not be laid out
SCENES = [WORLD.scene(index) for index in range(120)]


def asked(item: str, query: Query) -> Asked:
    return Asked(
        item=item, scene=WORLD.place(query.picture.photo.id), picture=None, task=query.task, text=query.text,
        meaning=query.meaning,
    )  # fmt: skip


def test_the_model_knows_every_word_that_the_catalogue_asks() -> None:
    words = tokenizer(known_words(WEIGHTS))
    texts = {query.text for item in items() for query in queries(WORLD, item, 4)}
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
        "carets.ontological[object_choice]",
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
