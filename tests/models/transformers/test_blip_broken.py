"""A checkpoint of BLIP that is not whole, or not for a task of ours, is refused; one of an older form is not."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from safetensors.torch import load_file, save_file

from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.blip import BlipAnswers, load
from tests.models.conftest import Written
from tests.models.small.blip import blip_bare, blip_captions, blip_matches, blip_vqa
from tests.models.small.damage import DAMAGES, Damage, with_setting, without_weights
from tests.models.small.inputs import mixed

OPTIONS = ModelOptions(device="cpu")


def of_another_size(folder: Path) -> None:
    file = folder / "preprocessor_config.json"
    settings = json.loads(file.read_text())
    file.write_text(json.dumps({**settings, "size": {"height": 32, "width": 32}}))


OF_BLIP: dict[str, tuple[Damage, str]] = {
    "no decoder": (without_weights("text_decoder"), r"missing_keys=\['text_decoder\..*made up at random"),
    "no vision tower": (without_weights("vision_model"), r"missing_keys=\['vision_model\."),
    "no question encoder": (without_weights("text_encoder"), r"missing_keys=\['text_encoder\."),
    "another head": (with_setting("architectures", ["BlipForImageTextRetrieval"]), r"missing_keys=\['itm_head\.bias'"),
    "another processor": (of_another_size, "to resize pictures to 24 x 24"),
}


@pytest.fixture(scope="module")
def whole(written: Written) -> Path:
    return written(blip_vqa)


@pytest.mark.parametrize(
    "damage", [*(pytest.param(name, marks=pytest.mark.full) for name in DAMAGES), "no class", *OF_BLIP]
)
def test_a_broken_checkpoint_is_refused(whole: Path, tmp_path: Path, damage: str) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "broken"))
    inflict, told = {**DAMAGES, **OF_BLIP}[damage]
    inflict(folder)
    with pytest.raises(ModelError, match=told) as raised:
        load(str(folder), OPTIONS)
    assert str(folder) in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_checkpoint_without_a_head_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match="got architecture='BlipModel'"):
        load(str(blip_bare(tmp_path / "bare")), OPTIONS)


def test_missing_heads_of_the_others_are_refused_too(written: Written, tmp_path: Path) -> None:
    captions = Path(shutil.copytree(written(blip_captions), tmp_path / "captions"))
    matches = Path(shutil.copytree(written(blip_matches), tmp_path / "matches"))
    without_weights("text_decoder.cls")(captions)
    without_weights("itm_head")(matches)
    with pytest.raises(ModelError, match=r"missing_keys=\['text_decoder\.cls"):
        load(str(captions), OPTIONS)
    with pytest.raises(ModelError, match=r"missing_keys=\['itm_head\.bias', 'itm_head\.weight'\]"):
        load(str(matches), OPTIONS)


@pytest.mark.parametrize("write", [blip_vqa, blip_captions, blip_matches])
def test_weights_that_are_no_numbers_give_no_answer(
    written: Written, tmp_path: Path, write: Callable[[Path], Path]
) -> None:
    folder = Path(shutil.copytree(written(write), tmp_path / "blip"))
    weights = load_file(folder / "model.safetensors")
    weights["vision_model.post_layernorm.weight"].fill_(float("nan"))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model = load(str(folder), OPTIONS)
    (method,) = {"answer", "caption", "entail"} & set(dir(model))
    with pytest.raises(ArithmeticError, match="scores are not finite numbers"):
        getattr(model, method)(mixed()[:5])


def test_no_number_among_the_words_of_a_decoder_is_not_taken_for_another_version(whole: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(whole, tmp_path / "blip"))
    weights = load_file(folder / "model.safetensors")
    weights["text_decoder.bert.embeddings.word_embeddings.weight"].fill_(float("nan"))
    save_file(weights, folder / "model.safetensors", metadata={"format": "pt"})
    model = load(str(folder), OPTIONS)
    assert isinstance(model, BlipAnswers)
    with pytest.raises(ArithmeticError, match="scores are not finite numbers"):
        model.answer(mixed()[:5])


def test_a_setting_that_is_wrong_is_refused(whole: Path) -> None:
    with pytest.raises(OptionError, match="longest-answer='many'"):
        load(str(whole), ModelOptions(device="cpu", settings={"longest-answer": "many"}))


def test_a_configuration_of_2022_gives_the_same_answers(whole: Path, tmp_path: Path) -> None:
    """Settings of generation stood among the model's own then; the lengths and searches they name are not ours."""
    folder = Path(shutil.copytree(whole, tmp_path / "old"))
    file = folder / "config.json"
    config = json.loads(file.read_text())
    old: dict[str, object] = {
        "num_beams": 1, "max_length": 20, "min_length": 0, "do_sample": False, "temperature": 1.0, "top_k": 50,
        "top_p": 1.0, "repetition_penalty": 1.0, "length_penalty": 1.0, "no_repeat_ngram_size": 0, "pruned_heads": {},
        "num_return_sequences": 1, "early_stopping": False, "bad_words_ids": None, "torchscript": False,
        "use_bfloat16": False, "output_attentions": False, "return_dict": True, "tf_legacy_loss": False,
        "finetuning_task": None, "transformers_version": "4.26.0.dev0", "add_cross_attention": False,
    }  # fmt: skip
    config["text_config"] = {**config["text_config"], **old}
    config["vision_config"] = {**config["vision_config"], **old}
    file.write_text(
        json.dumps({**config, "text_config_dict": None, "vision_config_dict": None, "torch_dtype": "float32"})
    )
    was, now = load(str(whole), OPTIONS), load(str(folder), OPTIONS)
    assert isinstance(was, BlipAnswers)
    assert isinstance(now, BlipAnswers)
    assert now.answer(mixed()[::3]) == was.answer(mixed()[::3])
