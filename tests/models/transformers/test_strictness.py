"""What transformers would make up in silence is refused, in one line that says what to do."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import LlavaForConditionalGeneration

from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.checkpoint import (
    Checkpoint,
    check_model_type,
    check_torchvision,
    files_digest,
    first_architecture,
    load_weights,
    read_checkpoint_config,
)
from pytest_vqamt.models.transformers.inputs import load_image_processor, load_tokenizer
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.transformers.tiny import WEIGHTS
from tests.rows import each_row

RUNTIME = Runtime.of(ModelOptions(device="cpu"))


@pytest.fixture
def checkpoint(tmp_path: Path) -> Checkpoint:
    """A copy of the tiny checkpoint, to be damaged."""
    folder = Path(shutil.copytree(WEIGHTS, tmp_path / "checkpoint"))
    return Checkpoint(folder=folder, name=str(folder))


def loaded(checkpoint: Checkpoint, **ignored: tuple[str, ...]) -> LlavaForConditionalGeneration:
    return load_weights(LlavaForConditionalGeneration, checkpoint, RUNTIME, **ignored)


def change(checkpoint: Checkpoint, key: str, value: torch.Tensor | None) -> None:
    file = checkpoint.folder / "model.safetensors"
    weights = load_file(file)
    del weights[key]
    save_file(weights if value is None else {**weights, key: value}, file, metadata={"format": "pt"})


BIAS = "multi_modal_projector.linear_1.bias"


def test_a_whole_checkpoint_is_loaded_for_evaluation(checkpoint: Checkpoint) -> None:
    model = loaded(checkpoint)
    assert not model.training
    assert next(model.parameters()).dtype == torch.float32


def test_output_has_names_whatever_the_checkpoint_says(checkpoint: Checkpoint) -> None:
    file = checkpoint.folder / "config.json"
    held = json.loads(file.read_text())
    held["text_config"]["return_dict"] = held["vision_config"]["return_dict"] = held["return_dict"] = False
    file.write_text(json.dumps(held))
    configs = [getattr(module, "config", None) for module in loaded(checkpoint).modules()]
    assert {config.return_dict for config in configs if config is not None} == {True}


def test_a_missing_weight_is_refused_unless_the_class_computes_it(checkpoint: Checkpoint) -> None:
    change(checkpoint, BIAS, None)
    with pytest.raises(ModelError, match=r"missing_keys=\[.*linear_1\.bias'\] \(1 in all\), which would be made up"):
        loaded(checkpoint)
    assert loaded(checkpoint, ignored=(r"linear_1\.bias$",)) is not None


def test_a_weight_of_another_shape_is_refused(checkpoint: Checkpoint) -> None:
    change(checkpoint, BIAS, torch.zeros(3))
    with pytest.raises(ModelError, match=r"mismatched_keys=\[.*linear_1\.bias'\] \(1 in all\), which would be made up"):
        loaded(checkpoint)


def test_a_few_weights_may_be_left_over_and_half_a_model_may_not(checkpoint: Checkpoint) -> None:
    file = checkpoint.folder / "model.safetensors"
    weights = load_file(file)
    more = {f"head.{number}": torch.zeros(1) for number in range(len(weights) // 2)}
    save_file(weights | {"head.0": more["head.0"]}, file, metadata={"format": "pt"})
    assert loaded(checkpoint) is not None
    save_file(weights | more, file, metadata={"format": "pt"})
    with pytest.raises(ModelError, match=rf"weights of another model: .*\({len(more)} in all\)"):
        loaded(checkpoint)


def test_a_file_cut_short_is_refused(checkpoint: Checkpoint) -> None:
    file = checkpoint.folder / "model.safetensors"
    file.write_bytes(file.read_bytes()[:1000])
    with pytest.raises(ModelError) as told:
        loaded(checkpoint)
    assert str(told.value).startswith("Expected a whole checkpoint of LlavaForConditionalGeneration in ")
    assert "\n" not in str(told.value)


@each_row(
    "content, said",
    [
        (None, "has no config.json"),
        (b"{", "cannot be read"),
        (b"[]", "Expected a JSON object"),
        (b"\xff\xfe", "cannot be read"),
    ],
)
def test_a_configuration_that_is_none_is_refused(checkpoint: Checkpoint, content: bytes | None, said: str) -> None:
    file = checkpoint.folder / "config.json"
    if content is None:
        file.unlink()
    else:
        file.write_bytes(content)
    with pytest.raises(ModelError, match=said):
        read_checkpoint_config(checkpoint)


def test_a_checkpoint_of_another_kind_is_refused(checkpoint: Checkpoint) -> None:
    assert check_model_type(checkpoint, ("vilt", "llava")) == "llava"
    assert first_architecture(checkpoint) == "LlavaForConditionalGeneration"
    with pytest.raises(ModelError, match=r"Expected model_type 'vilt' in .* but got model_type='llava'; is it a check"):
        check_model_type(checkpoint, ("vilt",))


@each_row("found, adapter", [("visual_bert", "visualbert"), ("blip", "blip"), ("git", "hf")])
def test_a_checkpoint_of_another_kind_is_sent_where_it_is_taken(tmp_path: Path, found: str, adapter: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": found}))
    with pytest.raises(ModelError, match=rf" {adapter}:org/name$|={adapter}:org/name$"):
        check_model_type(Checkpoint(folder=tmp_path, name="org/name"), ("lxmert",))


def test_a_folder_without_tokenizer_files_is_refused(checkpoint: Checkpoint) -> None:
    """Transformers gives a tokenizer of five tokens there, and says nothing."""
    rows = read_checkpoint_config(checkpoint)["text_config"]["vocab_size"]  # type: ignore[index]  # the real file has it
    assert len(load_tokenizer(checkpoint, rows)) > 100
    with pytest.raises(ModelError, match=r"Expected a tokenizer for the 30522 words .* but got one of"):
        load_tokenizer(checkpoint, 30522)
    (checkpoint.folder / "tokenizer.json").unlink()
    with pytest.raises(ModelError, match=r"Expected a tokenizer beside the weights, .* every word would be unknown"):
        load_tokenizer(checkpoint, rows)


def test_a_tokenizer_that_cannot_be_read_is_refused(checkpoint: Checkpoint) -> None:
    (checkpoint.folder / "tokenizer.json").write_text("{")
    with pytest.raises(ModelError, match="Expected tokenizer files that can be read"):
        load_tokenizer(checkpoint, 300)


def test_a_folder_that_does_not_say_how_pictures_are_resized_is_refused(checkpoint: Checkpoint) -> None:
    assert type(load_image_processor(checkpoint)).__name__.endswith("Pil")
    for name in ("processor_config.json", "preprocessor_config.json"):
        (checkpoint.folder / name).unlink(missing_ok=True)
    with pytest.raises(ModelError, match=r"Expected preprocessor_config\.json beside the weights"):
        load_image_processor(checkpoint)


def test_a_processor_that_leaves_pictures_to_another_file_does_not_say_how(checkpoint: Checkpoint) -> None:
    """Older checkpoints have two files, of which the other may be forgotten."""
    old = {"processor_class": "LlavaProcessor", "patch_size": 14, "image_token": "<image>"}
    (checkpoint.folder / "preprocessor_config.json").unlink(missing_ok=True)
    (checkpoint.folder / "processor_config.json").write_text(json.dumps(old))
    with pytest.raises(ModelError, match=r"Expected preprocessor_config\.json beside the weights"):
        load_image_processor(checkpoint)
    (checkpoint.folder / "processor_config.json").write_text("{")
    with pytest.raises(ModelError, match=r"Expected an image processor that can be read"):
        load_image_processor(checkpoint)


def test_an_image_processor_that_cannot_be_read_is_refused(checkpoint: Checkpoint) -> None:
    (checkpoint.folder / "processor_config.json").unlink()
    (checkpoint.folder / "preprocessor_config.json").write_text(json.dumps({"image_processor_type": "NoSuchProcessor"}))
    with pytest.raises(ModelError, match="Expected an image processor that can be read"):
        load_image_processor(checkpoint)


def test_a_torchvision_made_for_another_torch_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('operator torchvision::nms does not exist')\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "torchvision", raising=False)
    with pytest.raises(ModelError, match=r"torchvision that belongs to torch .*nms does not exist\): uninstall torchv"):
        check_torchvision()


def test_a_torchvision_that_can_be_imported_is_fine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pytest_vqamt.models.transformers.checkpoint.find_spec", lambda _name: object())
    monkeypatch.setitem(sys.modules, "torchvision", ModuleType("torchvision"))
    check_torchvision()


def test_the_digest_names_what_the_files_hold(checkpoint: Checkpoint) -> None:
    before = files_digest(checkpoint.folder)
    (checkpoint.folder / "README.md").write_text("other words")
    assert files_digest(checkpoint.folder) == before
    (checkpoint.folder / "vocab.txt").write_text("a")
    one = files_digest(checkpoint.folder)
    (checkpoint.folder / "vocab.txt").write_text("bc")
    assert len({before, one, files_digest(checkpoint.folder)}) == 3
