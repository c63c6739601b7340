"""OWL-ViT, OWLv2 and Grounding DINO: names and phrases are found where the network says."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import torch
from PIL import Image
from transformers import (
    AutoImageProcessor,
    AutoProcessor,
    AutoTokenizer,
    GroundingDinoForObjectDetection,
    Owlv2ForObjectDetection,
    OwlViTForObjectDetection,
)

from pytest_vqamt.annotation.detectors.detector import DetectedObject, Grounder
from pytest_vqamt.annotation.detectors.open_vocabulary import OpenVocabulary, load
from pytest_vqamt.core.box import Box
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from tests.annotation.detectors import small_detectors
from tests.rows import each_row

CPU = ModelOptions(device="cpu")
FAMILIES = ("owlvit", "owlv2", "grounding_dino")
NAMES = ("dog", "red car", "person")
PLANT = (0.3, 0.4, 0.2, 0.4)
"""Centre and size: from 0.2 to 0.4 of the width, from 0.2 to 0.6 of the height."""


@cache
def loaded(folder: Path, least_score: float = 0.0, names: tuple[str, ...] = ()) -> OpenVocabulary:
    """The detector of a checkpoint that does not change, loaded once."""
    return load(str(folder), CPU, least_score, names)


def opened(checkpoints: dict[str, Path], family: str) -> OpenVocabulary:
    return loaded(checkpoints[family], 0.02, NAMES)


def corners(found: DetectedObject) -> tuple[float, ...]:
    return found.box.x, found.box.y, found.box.x1, found.box.y1


# Where things are.


@each_row("size, side", [((200, 100), 200), ((100, 200), 200), ((64, 64), 64)])
def test_owlv2_is_shown_the_picture_in_the_corner_of_a_square(tmp_path: Path, size: tuple[int, int], side: int) -> None:
    detector = load(str(small_detectors.owlv2(tmp_path, plant=PLANT)), CPU, 0.5, ("dog",))
    expected = tuple(min(share * side, end) for share, end in zip((0.2, 0.2, 0.4, 0.6), size * 2, strict=True))
    found = detector.find(Image.new("RGB", size, "gray"))
    assert any(corners(each) == pytest.approx(expected, abs=0.01) for each in found)


def test_what_owlv2_sees_beside_the_picture_is_nothing(tmp_path: Path) -> None:
    below = (0.5, 0.8, 0.4, 0.2)  # from 0.7 to 0.9 of the square, of which the picture is the upper half
    detector = load(str(small_detectors.owlv2(tmp_path, plant=below)), CPU, 0.5, ("dog",))
    assert all(each.box.y1 <= 100 for each in detector.find(Image.new("RGB", (200, 100))))
    assert load(str(tmp_path), CPU, 0.5, ("dog",)).find(Image.new("RGB", (200, 200)))


# What the network says, read independently.


@each_row("family", ["owlvit", "owlv2"])
def test_owl_reads_what_the_library_does(
    family: str, checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]
) -> None:
    folder = checkpoints[family]
    network = (OwlViTForObjectDetection if family == "owlvit" else Owlv2ForObjectDetection).from_pretrained(folder)
    tokens = AutoTokenizer.from_pretrained(folder)(
        ["a photo of a dog", "a photo of a red car", "a photo of a person"],
        padding="max_length", max_length=32, return_tensors="pt",
    )  # fmt: skip
    processor = AutoImageProcessor.from_pretrained(folder, backend="pil")  # type: ignore[no-untyped-call]  # not annotated
    detector, count = opened(checkpoints, family), 0
    for image in pictures:
        with torch.inference_mode():
            outputs = network.train(False)(**tokens, **processor(images=[image], return_tensors="pt"))
        (read,) = processor.post_process_object_detection(
            outputs, threshold=0.02, target_sizes=[(image.height, image.width)]
        )
        expected = {
            (NAMES[label], round(score, 4)): box
            for label, score, box in zip(*(read[each].tolist() for each in ("labels", "scores", "boxes")), strict=True)
        }
        for found in detector.find(image):
            x0, y0, x1, y1 = expected[found.name, round(found.score, 4)]
            ends = (max(0, x0), max(0, y0), min(image.width, x1), min(image.height, y1))
            assert corners(found) == pytest.approx(ends, abs=0.01)
            count += 1
    assert count >= 6


def test_grounding_dino_scores_a_name_by_its_own_tokens(
    checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]
) -> None:
    folder = checkpoints["grounding_dino"]
    network = GroundingDinoForObjectDetection.from_pretrained(folder).train(False)
    processor = AutoImageProcessor.from_pretrained(folder, backend="pil")  # type: ignore[no-untyped-call]  # not annotated
    tokens = AutoTokenizer.from_pretrained(folder)("dog. red car. person.", return_tensors="pt")
    # [CLS] dog . red car . person . [SEP]
    assert tokens["input_ids"].shape == (1, 9)
    spans = {"dog": slice(1, 2), "red car": slice(3, 5), "person": slice(6, 7)}
    detector, count = opened(checkpoints, "grounding_dino"), 0
    for image in pictures:
        with torch.inference_mode():
            outputs = network(**tokens, **processor(images=[image], return_tensors="pt"))
        fits = outputs.logits[0].sigmoid()
        scores = {name: fits[:, span].mean(1).tolist() for name, span in spans.items()}
        best = [max(scores, key=lambda name: scores[name][place]) for place in range(len(fits))]
        boxes = {
            (name, round(scores[name][place], 4)): outputs.pred_boxes[0, place].tolist()
            for place, name in enumerate(best)
        }
        for found in detector.find(image):
            cx, cy, w, h = boxes[found.name, round(found.score, 4)]
            x0, y0, x1, y1 = (max(0.0, min(1.0, share)) for share in (cx - w / 2, cy - h / 2, cx + w / 2, cy + h / 2))
            ends = (x0 * image.width, y0 * image.height, x1 * image.width, y1 * image.height)
            assert corners(found) == pytest.approx(ends, abs=0.01)
            count += 1
    assert count >= 6


def test_names_beyond_what_one_text_holds_are_looked_for_in_several(
    checkpoints: dict[str, Path], tmp_path: Path
) -> None:
    small_detectors.grounding_dino(tmp_path, longest=8)
    detector = load(str(tmp_path), CPU, 0.0, ("dog", "person", "red car", "man"))
    # Two of the eight tokens begin and end the text, and each name has a stop: dog. person. | red car. man.
    assert [tuple(group) for group in detector._groups] == [("dog", "person"), ("red car", "man")]
    assert len({each.name for each in detector.find(Image.new("RGB", (40, 30), "red"))}) >= 1


# All of them.


@each_row("family", FAMILIES)
def test_boxes_lie_in_the_picture_and_bear_the_names_asked_for(
    family: str, checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]
) -> None:
    detector = opened(checkpoints, family)
    for image in pictures:
        for each in detector.find(image):
            assert each.name in NAMES
            assert each.by == "open-vocabulary"
            assert each.score > 0.02
            assert each.box.intersection(Box(0, 0, image.width, image.height)) == each.box


@each_row("family", FAMILIES)
def test_a_phrase_is_grounded(family: str, checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]) -> None:
    grounder: Grounder = loaded(checkpoints[family])
    image = pictures[0]
    one, other, again = grounder.ground(image, ["red dog", "a man", "red dog"])
    assert one == again
    assert {each.name for each in one} == {"red dog"}
    assert {each.name for each in other} == {"a man"}
    scores = [each.score for each in one]
    assert scores == sorted(scores, reverse=True)
    assert all(a is b or a.box.iou(b.box) < 0.7 for a in one for b in one)
    assert grounder.ground(image, []) == ()


@each_row("family", FAMILIES)
def test_phrases_do_not_disturb_each_other(
    family: str, checkpoints: dict[str, Path], pictures: tuple[Image.Image, ...]
) -> None:
    grounder = loaded(checkpoints[family])
    together = grounder.ground(pictures[1], ["a dog", "the red car"])
    (alone,) = grounder.ground(pictures[1], ["the red car"])
    assert [each.box for each in together[1]] == [each.box for each in alone]
    assert [each.score for each in together[1]] == pytest.approx([each.score for each in alone])


@each_row("family", FAMILIES)
@each_row("text", ["the " * 40, "  "])
def test_a_text_that_is_too_long_or_has_no_words(family: str, text: str, checkpoints: dict[str, Path]) -> None:
    grounder = loaded(checkpoints[family])
    with pytest.raises(ModelError, match=r"Expected a text of 1 to \d+ tokens, .*: say it in fewer words"):
        grounder.ground(Image.new("RGB", (20, 20)), [text])
    if text.strip():
        with pytest.raises(ModelError, match="Expected a text of 1 to"):
            load(str(checkpoints[family]), CPU, 0.0, (text,))


def test_stops_and_capitals_part_no_phrase(checkpoints: dict[str, Path]) -> None:
    grounder = loaded(checkpoints["grounding_dino"])
    image = Image.new("RGB", (40, 30), "red")
    plain, marked = grounder.ground(image, ["the red car"]), grounder.ground(image, ["The red. Car?"])
    assert [each.score for each in plain[0]] == [each.score for each in marked[0]]


def test_the_library_joins_phrases_as_we_do(checkpoints: dict[str, Path]) -> None:
    processor = AutoProcessor.from_pretrained(checkpoints["grounding_dino"], backend="pil")  # type: ignore[no-untyped-call]  # not annotated
    assert processor._preprocess_input_text(["Dog", "red car"]) == "dog. red car."


def test_a_tokenizer_with_other_numbers(tmp_path: Path) -> None:
    small_detectors.grounding_dino(tmp_path)
    file = tmp_path / "tokenizer.json"
    file.write_text(file.read_text().replace('"."', '"~"').replace('"[unused500]"', '"."'))
    with pytest.raises(ModelError, match="phrases would run into each other"):
        load(str(tmp_path), CPU, None, NAMES)


def test_the_fingerprint_names_what_is_looked_for(checkpoints: dict[str, Path]) -> None:
    one = opened(checkpoints, "owlv2").fingerprint
    assert one == load(str(checkpoints["owlv2"]), CPU, 0.02, NAMES).fingerprint
    assert one != load(str(checkpoints["owlv2"]), CPU, 0.02, ("dog",)).fingerprint
    assert one != load(str(checkpoints["owlv2"]), CPU, 0.03, NAMES).fingerprint


def test_a_checkpoint_of_another_kind(checkpoints: dict[str, Path]) -> None:
    with pytest.raises(ModelError, match="but got model_type='detr'; boxes= takes DETR and RT-DETR"):
        load(str(checkpoints["detr"]), CPU, None, NAMES)
