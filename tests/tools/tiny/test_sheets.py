"""Sheets are repeatable and balanced, and their captions name what is there from left to right."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
import torch

from pytest_vqamt.core.box import Box
from pytest_vqamt.core.scene import Photo, Relationship, Scene, Thing
from pytest_vqamt.picture_world.looks import NAMES
from pytest_vqamt.picture_world.source import PictureWorld
from tools.tiny.asked import World
from tools.tiny.bank import Bank, encoded
from tools.tiny.build import IMAGE, SPECIAL, tokenizer
from tools.tiny.render import CELLS
from tools.tiny.sheets import CLEAR_PX, Row, caption, sheet
from tools.tiny.words import Words, draw

PICTURES = PictureWorld(count=300)  # its scenes are stored, so that they need not be laid out
SCENES = [PICTURES.scene(index) for index in range(300)]
WORLD = World.of(SCENES)


def test_the_same_seed_gives_the_same_sheet() -> None:
    assert sheet(SCENES[0], WORLD, "x") == sheet(SCENES[0], WORLD, "x") != sheet(SCENES[0], WORLD, "y")


def test_yes_and_no_are_equally_frequent() -> None:
    answers = Counter(
        (row.kind, row.answer) for number, scene in enumerate(SCENES) for row in sheet(scene, WORLD, str(number))
    )
    for kind in ("exists", "exists not", "exists property", "exists property not", "attribute", "left or right"):
        yes, no = answers[kind, "yes"], answers[kind, "no"]
        assert 0.42 < yes / (yes + no) < 0.58
    assert all(answers["entailment", label] > 400 for label in ("entailment", "neutral", "contradiction"))


def test_what_is_asked_to_be_left_of_another_is_the_only_one_and_clearly_apart() -> None:
    told = 0
    names = "|".join(sorted(NAMES, key=len, reverse=True))
    for number, scene in enumerate(SCENES):
        by_name: dict[str, list[Thing]] = {}
        for thing in scene.objects:
            by_name.setdefault(thing.name, []).append(thing)
        for row in sheet(scene, WORLD, str(number)):
            found = re.search(rf"the ({names}) .*(left|right) .*the ({names})\b", row.text)
            if row.kind != "left or right" or found is None:
                continue
            told += 1
            (one,), (other,) = by_name[found[1]], by_name[found[3]]
            first, last = (one.box, other.box) if found[2] == "left" else (other.box, one.box)
            assert first.x1 + CLEAR_PX <= last.x or last.x1 + CLEAR_PX <= first.x
            assert row.answer == ("yes" if first.x < last.x else "no")
    assert told > 400


def test_a_letter_is_that_of_the_right_option() -> None:
    told = 0
    for number, scene in enumerate(SCENES):
        names = {thing.name for thing in scene.objects}
        for row in sheet(scene, WORLD, str(number)):
            if row.kind != "lettered" or "letter" not in row.text or "colo" in row.text:
                continue
            told += 1
            options = dict(re.findall(r"\(?([A-D])[).] ([a-z ]+)", row.text.partition(" Answer")[0]))
            assert {letter for letter, name in options.items() if name.strip() in names} == {row.answer.upper()}
    assert told > 50


def test_a_caption_names_everything_once_from_left_to_right() -> None:
    dog, girl, shirt, cat, other = (
        Thing(id=number, name=name, box=Box(x, 50, 20, 20), attributes=attributes)
        for number, name, x, attributes in (
            ("0", "dog", 150, ("brown", "standing")),
            ("1", "girl", 100, ("sitting",)),
            ("2", "shirt", 100, ("red", "striped")),
            ("3", "cat", 10, ("black",)),
            ("4", "cat", 190, ("black",)),
        )
    )
    scene = Scene(
        id="s",
        photo=Photo(id="s", digest="s"),
        width=224,
        height=224,
        objects=(dog, girl, shirt, cat, other),
        relationships=(Relationship(subject="1", predicate="wearing", object="2"),),
        setting="beach",
    )
    assert caption(scene) == "Two black cats, a girl in a red shirt and a brown dog on a beach."


# Rows packed into one sequence are answered as each would be alone.

ROWS = [
    Row("exists", "Is there a red car?", "yes"),
    Row("count", "How many red cars and dogs are there?", "3"),
    Row("caption", "Describe the picture.", "a red car, a dog and a red car."),
]
TEXTS = " ".join(text for row in ROWS for text in (row.text, row.answer))
VOCABULARY = sorted(set(re.findall(r"[a-z0-9]+", TEXTS.lower())))


@pytest.fixture
def bank() -> Bank:
    rows = encoded(ROWS, tokenizer(VOCABULARY))
    return Bank(
        tokens=np.array([token for ids, _ in rows for token in ids], np.int16),
        first=np.cumsum([0, *(len(ids) for ids, _ in rows)]),
        answer=np.array([before for _, before in rows], np.int16),
        kind=np.array([1, 2, 0], np.uint8),
        kinds=("caption", "exists", "count"),
        scene=np.array([0, 3]),
    )


def test_a_row_sees_the_picture_and_itself_alone(bank: Bank) -> None:
    torch.manual_seed(0)
    model = Words(tokenizer(VOCABULARY)).eval()
    pixels = torch.rand(1, 3, 112, 112)
    sheet = draw(bank, np.array([0]), np.random.default_rng(0), blank=False)
    with torch.no_grad():
        seen = model.llava.model.vision_tower(pixels, output_hidden_states=True).hidden_states[-1]
        packed = model.answered(seen, sheet)[1]
        alone = []
        for start, end in row_borders(sheet.positions[0, CELLS * CELLS :]):
            ids = torch.cat([torch.full((CELLS * CELLS,), SPECIAL.index(IMAGE)), sheet.tokens[0, start:end]])[None]
            logits = model.llava(input_ids=ids, pixel_values=pixels).logits[0, CELLS * CELLS :]
            alone.append(logits[sheet.target[0, start:end] >= 0])
    assert len(alone) == len(ROWS)
    assert torch.allclose(torch.cat(alone), packed, atol=1e-5)


def row_borders(positions: torch.Tensor) -> list[tuple[int, int]]:
    """Each row begins right after the picture's last position."""
    starts = [at for at, position in enumerate(positions.tolist()) if position == CELLS * CELLS]
    return list(zip(starts, [*starts[1:], len(positions)], strict=True))


def test_only_answers_are_learned_and_rows_weigh_the_same(bank: Bank) -> None:
    sheet = draw(bank, np.array([0]), np.random.default_rng(0), blank=False)
    split = tokenizer(VOCABULARY)
    learned = split.convert_ids_to_tokens(sheet.target[sheet.target >= 0].tolist())
    assert sorted(learned) == sorted(
        [
            "yes",
            "[END]",
            "3",
            "[END]",
            "a",
            "red",
            "car",
            "[UNK]",
            "a",
            "dog",
            "and",
            "a",
            "red",
            "car",
            "[UNK]",
            "[END]",
        ]
    )
    weights = sheet.weight[sheet.target >= 0]
    assert weights.sum().item() == pytest.approx(1 + 1 + 3)


def test_the_tokenizer_keeps_words_whole_and_punctuation_apart(tmp_path: Path) -> None:
    split = tokenizer(["isn", "a", "teddy", "bear", "?", "'", "t", "1", "2"])
    split.save_pretrained(tmp_path)
    tokens = type(split).from_pretrained(tmp_path).tokenize("Isn't a  teddy-bear 12?")
    assert tokens == ["isn", "'", "t", "a", "teddy", "[UNK]", "bear", "1", "2", "?"]
