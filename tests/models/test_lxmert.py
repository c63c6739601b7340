"""LXMERT gives what the class of transformers gives for a question and its regions, and nothing is made up."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
import torch
from transformers import BertTokenizer, LxmertConfig, LxmertForPreTraining, LxmertForQuestionAnswering

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.region_models.feature_files import FeatureFile
from pytest_vqamt.models.region_models.lxmert import ANSWERS as LISTS
from pytest_vqamt.models.region_models.lxmert import check, load
from tests.models.conftest import Written
from tests.models.small import region_models
from tests.models.small.damage import without_weights
from tests.models.small.inputs import QUESTIONS, SIZES, asked, mixed
from tests.models.small.region_models import ANSWERS, COUNTS

VOCABULARIES = Path(__file__).parents[2] / "../shared/data/vocab"


@pytest.fixture(scope="module")
def folder(written: Written) -> Path:
    return written(region_models.lxmert)


@pytest.fixture(scope="module")
def options(written: Written) -> ModelOptions:
    return ModelOptions(device="cpu", settings={"features": str(written(region_models.features_of_inputs))})


@pytest.fixture
def checkpoint(folder: Path, tmp_path: Path) -> Path:
    """A copy of the checkpoint, to be damaged."""
    return Path(shutil.copytree(folder, tmp_path / "checkpoint"))


def test_the_class_itself_gives_the_same_without_padding_and_masks(folder: Path, options: ModelOptions) -> None:
    """A question's own tokens and a picture's real regions alone: what is filled up changes nothing."""
    inputs = [asked(name, QUESTIONS[(place + more) % 4]) for place, name in enumerate(SIZES) for more in (0, 1)]
    answers = load(str(folder), options).answer(inputs)
    plain = LxmertForQuestionAnswering.from_pretrained(folder).train(False)
    tokenizer = BertTokenizer.from_pretrained(folder)
    features = FeatureFile(Path(options.settings["features"]))
    for one, said in zip(inputs, answers, strict=True):
        picture = one.query.picture
        regions = features.find(picture)
        assert regions is not None
        real = slice(COUNTS.get(picture.photo.id, 36))
        tokens = tokenizer([one.text], return_tensors="pt")
        with torch.inference_mode():
            scores = plain(
                **tokens,
                visual_feats=torch.from_numpy(regions.features[None, real]),
                visual_pos=torch.from_numpy(regions.boxes[None, real]),
            ).question_answering_score[0, 1:]
        best = scores.argsort(descending=True)[:5].tolist()
        assert said.text == ANSWERS[1 + best[0]]
        expected = {ANSWERS[1 + place]: scores.softmax(0)[place].item() for place in best}
        assert dict(said.scores or ()) == pytest.approx(expected, abs=1.1e-3)


def test_a_question_of_more_than_18_tokens_is_cut_and_says_so(folder: Path, options: ModelOptions) -> None:
    """20 with [CLS] and [SEP]; each of these words is one token."""
    model = load(str(folder), options)
    short, long, longer = (" ".join(["red"] * 17 + more) for more in (["dog"], ["dog", "cat"], ["dog", "tree"]))
    said = model.answer([asked("wide", text) for text in (short, long, longer)])
    assert [answer.truncated for answer in said] == [False, True, True]
    assert said[0].scores == said[1].scores == said[2].scores


def test_without_tokenizer_files_it_is_said_where_they_are(checkpoint: Path, options: ModelOptions) -> None:
    for name in ("vocab.txt", "tokenizer.json", "tokenizer_config.json"):
        (checkpoint / name).unlink()
    with pytest.raises(ModelError, match=r"Copy tokenizer\.json, .*vocab\.txt of google-bert/bert-base-uncased there"):
        load(str(checkpoint), options)


def test_a_vocabulary_alone_will_do(checkpoint: Path, folder: Path, options: ModelOptions) -> None:
    """As LXMERT's first checkpoints had it."""
    for name in ("tokenizer.json", "tokenizer_config.json"):
        (checkpoint / name).unlink()
    assert load(str(checkpoint), options).answer(mixed()) == load(str(folder), options).answer(mixed())


def test_a_missing_head_is_refused(checkpoint: Path, options: ModelOptions) -> None:
    without_weights("answer_head")(checkpoint)
    with pytest.raises(ModelError, match=r"missing_keys=\['answer_head\.logit_fc\.0\.bias'"):
        load(str(checkpoint), options)


def test_the_pretrained_model_without_a_list_of_its_9500_answers_is_refused(
    tmp_path: Path, folder: Path, options: ModelOptions
) -> None:
    """unc-nlp/lxmert-base-uncased has a head, but nobody published what it says."""
    Path(shutil.copytree(folder, tmp_path / "base", ignore=shutil.ignore_patterns("*.json", "*.safetensors")))
    (tmp_path / "base" / "tokenizer.json").write_bytes((folder / "tokenizer.json").read_bytes())
    config = LxmertConfig.from_pretrained(folder)
    config.num_qa_labels = 9500
    LxmertForPreTraining(config).save_pretrained(tmp_path / "base")
    with pytest.raises(ModelError, match="Expected a list of the 9500 answers"):
        load(str(tmp_path / "base"), options)


def test_a_wrong_number_of_answers_is_refused(checkpoint: Path, options: ModelOptions) -> None:
    (checkpoint / "trainval_label2ans.json").write_text(json.dumps(ANSWERS[:-1]))
    with pytest.raises(
        ModelError, match=rf"Expected {len(ANSWERS)} answers.* but .*label2ans\.json has {len(ANSWERS) - 1}"
    ):
        load(str(checkpoint), options)


def test_labels_that_transformers_made_up_are_no_answers(checkpoint: Path, options: ModelOptions) -> None:
    """What ``config.id2label`` says of a checkpoint without one: two labels, whatever the head."""
    (checkpoint / "trainval_label2ans.json").unlink()
    assert LxmertConfig.from_pretrained(checkpoint).id2label == {0: "LABEL_0", 1: "LABEL_1"}
    with pytest.raises(ModelError, match=r"its config\.json has none: give --vqamt-option answers=FILE, or put"):
        load(str(checkpoint), options)
    for count in (2, len(ANSWERS)):
        config = json.loads((checkpoint / "config.json").read_text())
        config["id2label"] = {str(number): f"LABEL_{number}" for number in range(count)}
        (checkpoint / "config.json").write_text(json.dumps(config))
        with pytest.raises(ModelError, match=r"its config\.json has none"):
            load(str(checkpoint), options)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("visual_feat_dim", 1024, "Expected visual_feat_dim to be 2048, .* but got visual_feat_dim=1024"),
        ("visual_pos_dim", 5, "Expected visual_pos_dim to be 4"),
        ("num_qa_labels", "many", "Expected num_qa_labels to be a whole number"),
    ],
)
def test_models_of_other_regions_are_refused(
    checkpoint: Path, options: ModelOptions, name: str, value: object, message: str
) -> None:
    config = json.loads((checkpoint / "config.json").read_text())
    config[name] = value
    (checkpoint / "config.json").write_text(json.dumps(config))
    with pytest.raises(ModelError, match=message):
        load(str(checkpoint), options)


@pytest.mark.skipif(not VOCABULARIES.is_dir(), reason="the lists of ../shared/data are not here")
@pytest.mark.parametrize(
    ("file", "count", "yes"), [("vqa_label2ans.json", 3129, 425), ("gqa_label2ans.json", 1842, 1773)]
)
def test_the_published_lists_are_taken_in_their_order(
    tmp_path: Path, options: ModelOptions, file: str, count: int, yes: int
) -> None:
    """The places of "yes" are those of airsplay/lxmert, data/{vqa,gqa}/trainval_label2ans.json."""
    answers = tuple(json.loads((VOCABULARIES / file).read_text()))
    model = load(str(region_models.lxmert(tmp_path, answers=answers, outputs=count)), options)
    assert model._answers.index("yes") == yes
    assert {answer.text for answer in model.answer(mixed())} <= set(answers) - {""}
    assert answers[:4] == LISTS.published[count].begins


def test_a_list_in_another_order_than_the_published_one_is_refused(tmp_path: Path, options: ModelOptions) -> None:
    """ViLT's and VisualBERT's lists have 3,129 answers too."""
    other = ("<unk>", "0", "000", *map(str, range(3126)))
    folder = region_models.lxmert(tmp_path, answers=other, outputs=3129)
    with pytest.raises(ModelError, match=re.escape("which begin ('', 'woods', 'trash can', 'hanging')")):
        load(str(folder), options)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "a list of answers and a region detector for lxmert, but got neither list nor detector: give "),
        ({"answers": "list.json"}, ""),
        ({"detector": "download"}, ""),
    ],
    ids=["neither", "answers", "detector"],
)
def test_what_it_needs_is_listed_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, given: dict[str, str], told: str
) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.delenv("VQAMT_DETECTOR", raising=False)
    if not told:
        check("", ModelOptions(settings=given))
        return
    one_line = "--vqamt-model=lxmert --vqamt-option answers=download --vqamt-option detector=download"
    with pytest.raises(ModelError, match=f"{told}{one_line} to fetch all"):
        check("", ModelOptions(settings=given))


def test_what_lies_in_its_folder_is_not_missing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VQAMT_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("VQAMT_DETECTOR", raising=False)
    bare = region_models.lxmert(tmp_path / "bare", answers=None)
    with pytest.raises(ModelError, match=rf"give --vqamt-model=lxmert:{re.escape(str(bare))} "):
        check(str(bare), ModelOptions())
    (bare / "answers.json").write_text(json.dumps(ANSWERS))
    check(str(bare), ModelOptions())
