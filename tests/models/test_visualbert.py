"""VisualBERT reads its answer off [MASK], as it was trained, and models of other regions are refused."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import torch
from transformers import BertTokenizer, VisualBertForQuestionAnswering

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.feature_files import FeatureFile
from pytest_vqamt.models.region_models.visualbert import load
from tests.models.conftest import Written
from tests.models.small import region_models
from tests.models.small.damage import without_weights
from tests.models.small.inputs import SIZES, asked, mixed
from tests.models.small.region_models import ANSWERS, COUNTS

VOCABULARIES = Path(__file__).parents[2] / "../shared/data/vocab"


@pytest.fixture(scope="module")
def folder(written: Written) -> Path:
    return written(region_models.visualbert)


@pytest.fixture(scope="module")
def options(written: Written) -> ModelOptions:
    return ModelOptions(device="cpu", settings={"features": str(written(region_models.features_of_inputs))})


@pytest.fixture
def checkpoint(folder: Path, tmp_path: Path) -> Path:
    """A copy of the checkpoint, to be damaged."""
    return Path(shutil.copytree(folder, tmp_path / "checkpoint"))


WRITTEN = {
    "Is there a dog?": "is there a dog ? [MASK]",
    "Is the man on the left, or on the right?": "is the man on the left or on the right ? [MASK]",
    "a red car": "a red car ? [MASK]",
}
"""Questions, and what the authors' ``vqa_dataset.py`` makes of them."""


def test_the_class_itself_gives_the_same_without_padding_and_masks(folder: Path, options: ModelOptions) -> None:
    """The tokens of the authors' text and a picture's real regions alone: what is filled up changes nothing."""
    inputs = [asked(name, text) for name in SIZES for text in WRITTEN]
    answers = load(str(folder), options).answer(inputs)
    plain = VisualBertForQuestionAnswering.from_pretrained(folder).train(False)
    tokenizer = BertTokenizer.from_pretrained(folder)
    file = FeatureFile(Path(options.settings["features"]))
    for one, said in zip(inputs, answers, strict=True):
        picture = one.query.picture
        regions = file.find(picture)
        assert regions is not None
        features = torch.from_numpy(regions.features[None, : COUNTS.get(picture.photo.id, 36)])
        tokens = tokenizer([WRITTEN[one.text]], return_tensors="pt")
        assert tokens["input_ids"][0, -2] == tokenizer.mask_token_id
        with torch.inference_mode():
            scores = plain(**tokens, visual_embeds=features).logits[0, 1:]
        best = scores.argsort(descending=True)[:5].tolist()
        assert said.text == ANSWERS[1 + best[0]]
        expected = {ANSWERS[1 + place]: scores.softmax(0)[place].item() for place in best}
        assert dict(said.scores or ()) == pytest.approx(expected, abs=1.1e-3)


def test_a_question_of_more_than_124_tokens_is_cut_before_the_mask(folder: Path, options: ModelOptions) -> None:
    """128 with [CLS], "?", [MASK] and [SEP]; each of these words is one token."""
    model = load(str(folder), options)
    short, long, longer = (" ".join(["red"] * 123 + more) for more in (["dog"], ["dog", "cat"], ["dog", "tree"]))
    said = model.answer([asked("wide", text) for text in (short, long, longer)])
    assert [answer.truncated for answer in said] == [False, True, True]
    assert said[0].scores == said[1].scores == said[2].scores


def test_a_missing_head_is_refused(checkpoint: Path, options: ModelOptions) -> None:
    without_weights("cls.")(checkpoint)
    with pytest.raises(ModelError, match=r"missing_keys=\['cls\.bias', 'cls\.weight'\]"):
        load(str(checkpoint), options)


def test_labels_that_transformers_made_up_are_no_answers(checkpoint: Path, options: ModelOptions) -> None:
    """VisualBERT's configuration has as many labels as its head has outputs, all of them made up."""
    (checkpoint / "answers.json").unlink()
    assert json.loads((checkpoint / "config.json").read_text())["id2label"]["16"] == "LABEL_16"
    with pytest.raises(ModelError, match=r"its config\.json has none: give --vqamt-option answers=FILE"):
        load(str(checkpoint), options)


def test_a_configuration_of_another_number_of_labels_is_refused(checkpoint: Path, options: ModelOptions) -> None:
    config = json.loads((checkpoint / "config.json").read_text())
    del config["id2label"], config["label2id"]
    (checkpoint / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=r"Expected 2 answers, .* has 17"):
        load(str(checkpoint), options)
    (checkpoint / "answers.json").write_text('["yes", "no"]')
    with pytest.raises(ModelError, match=r"mismatched_keys|Expected a whole checkpoint"):
        load(str(checkpoint), options)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("visual_embedding_dim", 512, "Expected visual_embedding_dim to be 2048, .* but got visual_embedding_dim=512"),
        ("visual_embedding_dim", 1024, "visual_embedding_dim=1024"),
        ("bypass_transformer", True, "bypass_transformer=True"),
    ],
)
def test_models_of_other_regions_are_refused(
    checkpoint: Path, options: ModelOptions, name: str, value: object, message: str
) -> None:
    """512 is the published checkpoint for VCR, 1024 that for NLVR2."""
    config = json.loads((checkpoint / "config.json").read_text())
    config[name] = value
    (checkpoint / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=message):
        load(str(checkpoint), options)


@pytest.mark.skipif(not VOCABULARIES.is_dir(), reason="the lists of ../shared/data are not here")
def test_the_list_of_lxmert_is_refused(tmp_path: Path, options: ModelOptions) -> None:
    """As many answers, in another order: every answer would be another's, and nothing would be said."""
    answers = json.loads((VOCABULARIES / "vqa_label2ans.json").read_text())
    folder = region_models.visualbert(tmp_path, answers=answers, outputs=3129)
    with pytest.raises(ModelError, match=re.escape("which begin ('<unk>', '0', '000', '1'), but those in")):
        load(str(folder), options)


def test_its_own_list_is_taken_from_lines(checkpoint: Path, folder: Path, options: ModelOptions) -> None:
    """As Pythia's answers_vqa.txt is written; the first answer, which says nothing, is an empty line here."""
    (checkpoint / "answers.json").unlink()
    (checkpoint / "answers_vqa.txt").write_text("".join(f"{answer}\n" for answer in ANSWERS))
    assert load(str(checkpoint), options).answer(mixed()) == load(str(folder), options).answer(mixed())
