"""Every further kind: what it computes is what plain transformers computes, one question at a time.

Each is a small checkpoint with random weights, made of the default configuration of its kind (``small/rows.py``).
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from importlib.util import find_spec
from inspect import signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest
import torch
import transformers
from PIL import Image
from transformers import CONFIG_MAPPING, AutoConfig, AutoImageProcessor, AutoTokenizer
from transformers.processing_utils import ProcessorMixin

import pytest_vqamt as vqamt
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.query import ModelInput
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer
from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter, load
from pytest_vqamt.models.transformers.prompted.processor_model import ProcessorModel
from pytest_vqamt.models.transformers.prompted.reused_encodings import NotJoinedError
from tests.models.transformers.prompted.conftest import BRIEF, batch, tiers
from tests.models.transformers.prompted.kinds_page import (
    EVERY,
    NO_TEMPLATE,
    PAGE,
    REFUSED,
    TRANSFORMERS,
    outcome,
    with_section,
)
from tests.models.transformers.prompted.small.kinds import build
from tests.models.transformers.prompted.small.rows import ROWS
from tests.models.transformers.prompted.test_reference import LONGEST, Said, Scores, module_of, one_message
from tests.models.transformers.prompted.test_shared_prefix import Run
from tests.rows import each_row

if TYPE_CHECKING:
    from _pytest.mark import ParameterSet

SOME = ("mllama", "gemma4", "qwen3_5")
"""One that reads more words than it says, layers that differ, and states in place of keys."""

KNOWN = [kind for kind, row in ROWS.items() if (row.model_type or kind) in CONFIG_MAPPING]
"""Kinds that the installed transformers has."""

AT_HAND = [kind for kind in KNOWN if not ROWS[kind].needs or find_spec(ROWS[kind].needs)]
"""Kinds whose packages are installed, too."""


def further(*kinds: str) -> list[ParameterSet]:
    return tiers(*kinds, of=AT_HAND)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return Folders(tmp_path_factory)


class Folders(dict[str, Path]):
    """The folder of the small checkpoint of each kind, written when it is first asked for."""

    def __init__(self, temporary: pytest.TempPathFactory) -> None:
        self._temporary = temporary

    def __missing__(self, kind: str) -> Path:
        self[kind] = build(kind, ROWS[kind], self._temporary.mktemp(kind))
        return self[kind]


@pytest.mark.parametrize("kind", further(*SOME))
def test_scores_and_answers_are_those_of_plain_transformers(folders: dict[str, Path], kind: str) -> None:
    """Those of a batch, its reverse and each question alone; and another picture gives other scores."""
    asked = batch()
    ours = load(str(folders[kind]), BRIEF)
    with Scores() as scores:
        answers = said(ours, asked)
    of_each = scores.first if len(scores.first) == len(asked) else scores_alone(ours, asked)
    assert said(ours, asked[::-1])[::-1] == answers
    assert [said(ours, [each])[0] for each in asked[::2]] == answers[::2]
    assert (of_each[0] - of_each[1]).abs().max() > 0.01, "the first question is about two pictures"
    assert of_each.std(0).max() > 0.01

    model = plain_model(folders[kind])
    tokenizer: Any = AutoTokenizer.from_pretrained(folders[kind])
    for place in range(0, len(asked), 2):
        inputs = plain_inputs(folders[kind], kind, [asked[place].image], one_message(asked[place].text))
        with Scores() as scores:
            generated = model.generate(**inputs, max_new_tokens=LONGEST, do_sample=False)
        repeated = 0 if model.config.is_encoder_decoder else inputs["input_ids"].shape[1]
        assert tokenizer.decode(generated[0, repeated:], skip_special_tokens=True).strip() == answers[place]
        torch.testing.assert_close(of_each[place], scores.first[0], rtol=1e-3, atol=1e-3)


TAKE_NO_ENCODINGS = frozenset({"mllama", "idefics", "t5gemma2"})

OWN_FAMILIES = frozenset({"pixtral", "mistral3", "mistral_large4"})


@pytest.mark.parametrize(
    "kind", tiers("gemma4", "ovis2", "mllama", of=[kind for kind in AT_HAND if kind not in OWN_FAMILIES])
)
def test_each_picture_is_encoded_once(folders: dict[str, Path], kind: str) -> None:
    """Nine questions about three pictures, twice."""
    ours = load(str(folders[kind]), BRIEF)
    family: Any = ours._family
    assert isinstance(family, ProcessorModel)
    assert (family._reused is None) == (kind in TAKE_NO_ENCODINGS)
    if family._reused is None:
        return
    encode, seen = family._reused._encode, list[object]()

    def counting(**given: object) -> object:
        seen.append(given)
        return encode(**given)

    family._reused = replace(family._reused, _encode=counting)
    network: Any = family.model
    network.base_model.get_image_features = None  # a call that is not counted fails
    assert said(ours, batch()) == said(ours, batch()[::-1])[::-1]
    assert len(seen) == 3


def test_encodings_that_cannot_be_joined_are_made_from_all_pixels(folders: dict[str, Path]) -> None:
    """As where a processor pads pictures of other shapes than those of the trial."""
    ours = load(str(folders["internvl"]), BRIEF)
    expected = said(ours, batch())
    family: Any = ours._family
    family.cache.release()

    def of_other_shapes(_parts: object) -> object:
        raise NotJoinedError

    family._reused = replace(family._reused, _joins={"pooler_output": of_other_shapes})
    assert said(ours, batch()) == expected


THINKING = "[assistant]<think>\n{% endif %}"


@pytest.mark.parametrize("kind", further("pixtral", "internvl"))
def test_a_thought_that_is_cut_off_is_no_answer(folders: dict[str, Path], kind: str) -> None:
    file = folders[kind] / "chat_template.jinja"
    usual = file.read_text()
    file.write_text(usual.replace("[assistant]{% endif %}", THINKING))
    try:
        thinking = load(str(folders[kind]), BRIEF)
    finally:
        file.write_text(usual)
    for answer in thinking.answer(batch()[:2]):
        assert answer.text.startswith("<think>")
        assert vqamt.read("Is there a dog?", answer) == UnreadableAnswer(Unreadable.CUT_OFF)


@pytest.mark.parametrize("kind", tiers("llama4", of=[kind for kind in KNOWN if kind not in AT_HAND]))
def test_a_kind_that_needs_a_package_says_which(tmp_path: Path, kind: str) -> None:
    """That of Perception LM needs two, and says the first."""
    package = "torchvision" if kind == "perception_lm" else ROWS[kind].needs
    with pytest.raises(ModelError, match=f"without {package}, which is not installed: pip install") as told:
        load(str(build(kind, ROWS[kind], tmp_path, empty=True)), BRIEF)
    assert "\n" not in str(told.value)


@each_row(
    "kind, family",
    [("pixtral", "PixtralChat"), ("mistral3", "Mistral3Chat"), ("mistral_large4", "MistralLarge4Chat")],
)
def test_pictures_of_pixtral_are_encoded_once(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, kind: str, family: str
) -> None:
    """Nine questions about three pictures, by a family that needs no processor."""
    ours = load(str(folders[kind]), BRIEF)
    assert type(ours._family).__name__ == family
    model = module_of(ours)
    encode, seen = model.get_image_features, list[int]()

    def counting(pixel_values: torch.Tensor, **given: Any) -> object:
        seen.append(len(pixel_values))
        return encode(pixel_values, **given)

    monkeypatch.setattr(model, "get_image_features", counting)
    ours.answer(batch())
    assert seen == [3]


@each_row("kind", ["pixtral", "mistral3"])
def test_answers_and_scores_of_pixtral_are_those_of_whole_prompts(
    folders: dict[str, Path], monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    ours = load(str(folders[kind]), BRIEF)
    shared, whole = Run(ours, batch(), monkeypatch, shares=True), Run(ours, batch(), monkeypatch, shares=False)
    assert shared.answers == whole.answers
    torch.testing.assert_close(shared.first, whole.first, rtol=1e-4, atol=1e-4)
    assert shared.tokens < whole.tokens


def test_a_tokenizer_with_more_words_than_the_model_reads(folders: dict[str, Path], tmp_path: Path) -> None:
    """Llama 3.2 Vision reads eight words more than it says, and no more."""
    folder = Path(shutil.copytree(folders["mllama"], tmp_path / "mllama"))
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    usual = len(tokenizer)
    read = json.loads((folder / "config.json").read_text())["text_config"]["vocab_size"] + 8
    tokenizer.add_tokens([f"<{number}>" for number in range(read + 1 - usual)])
    tokenizer.save_pretrained(folder)
    with pytest.raises(ModelError, match=f"a tokenizer for the {read} words .*, but got one of {read + 1}: tokenizer"):
        load(str(folder), BRIEF)


@each_row(
    "kind, name, value, told",
    [
        ("pixtral", "image_break_token", "[NO]", r"that end a row of patches and a picture, but it has no \[NO\]: its"),
        (
            "aria",
            "size_conversion",
            {"490": 3},
            r"the processor in .* to take a picture and a text, but: KeyError: 980",
        ),
    ],
)
def test_a_processor_of_another_model(
    folders: dict[str, Path], tmp_path: Path, kind: str, name: str, value: object, told: str
) -> None:
    """It is told when the checkpoint is loaded, and not in every answer."""
    folder = Path(shutil.copytree(folders[kind], tmp_path / kind))
    file = folder / "processor_config.json"
    file.write_text(json.dumps({**json.loads(file.read_text()), name: value}))
    with pytest.raises(ModelError, match=told) as refused:
        load(str(folder), BRIEF)
    assert "\n" not in str(refused.value)


def test_a_picture_of_another_size_than_the_model_makes_tokens_of(folders: dict[str, Path], tmp_path: Path) -> None:
    """Rows that are read from the wrong sizes would put every break into the wrong place."""
    family: Any = load(str(folders["pixtral"]), BRIEF)._family
    (pixels,) = family.pictures.each([Image.new("RGB", (40, 24))])
    assert (
        family.image_text(pixels.metadata, 15) == "[IMG][IMG][IMG][IMG][IMG][IMG_BREAK]" * 2 + "[IMG]" * 5 + "[IMG_END]"
    )
    with pytest.raises(ModelError, match="40 x 24 pixels to have 5 x 3 tokens, but the model makes 14 of it"):
        family.image_text(pixels.metadata, 14)


@each_row("kind", [*NO_TEMPLATE, *REFUSED, "blip"])
def test_a_kind_that_cannot_be_used_says_why(tmp_path: Path, kind: str) -> None:
    """Before anything else of the checkpoint is read."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
    why = (
        "has an adapter of its own" if kind == "blip" else WHY.get(kind, "has a chat template, but got .* without one$")
    )
    with pytest.raises(ModelError, match=why) as told:
        load(str(tmp_path), BRIEF)
    assert "\n" not in str(told.value)


WHY = {
    "diffusion_gemma": "not token by token",
    "phi4_multimodal": "an adapter beside its weights",
    "shieldgemma2": "sorts pictures by policies",
}


@pytest.mark.skipif(not transformers.__version__.startswith(f"{TRANSFORMERS}."), reason="the page is of one version")
def test_every_kind_of_transformers_has_its_place_in_the_page() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert with_section(text) == text, "run: python -m tests.models.transformers.prompted.kinds_page"
    unknown = set(ROWS) - set(EVERY) - {"pixtral"}
    assert not unknown
    assert sum(outcome(kind)[0] == "works" for kind in EVERY) >= 60


def scores_alone(model: GenerativeAdapter, asked: list[ModelInput]) -> torch.Tensor:
    """The scores of a kind that is given one question at a time anyway."""
    found = []
    for each in asked:
        with Scores() as scores:
            model.answer([each])
        found.append(scores.first)
    return torch.cat(found)


def said(model: GenerativeAdapter, asked: list[ModelInput]) -> list[str]:
    return [answer.text for answer in model.answer(asked)]


def plain_model(folder: Path) -> Any:
    """The class that transformers lists for the kind."""
    config = AutoConfig.from_pretrained(folder)
    images = transformers.models.auto.modeling_auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES
    kind = config.model_type if config.model_type in images else config.thinker_config.model_type
    return getattr(transformers, images[kind]).from_pretrained(folder, dtype="float32").eval()


def plain_inputs(folder: Path, kind: str, shown: Sequence[Image.Image], said: Said) -> dict[str, Any]:
    """What a user gives ``generate``, from the processor of transformers."""
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    images: Any = cast(Any, AutoImageProcessor).from_pretrained(folder, backend="pil")
    prompt = tokenizer.apply_chat_template(said, tokenize=False, add_generation_prompt=True)
    begun = tokenizer.bos_token is not None and prompt.startswith(tokenizer.bos_token)
    settings = json.loads((folder / "processor_config.json").read_text())
    if settings["processor_class"] == "PixtralProcessor":  # it cannot be imported without torchvision
        return pixtral_inputs(tokenizer, images, settings, shown, prompt)
    processor = plain_processor(settings, tokenizer, images)
    nested = shown[0] if kind == "got_ocr2" else list(shown)
    further = {"return_mm_token_type_ids": True} if kind == "cosmos3_edge" else {}
    found = processor(text=[prompt], images=[nested], return_tensors="pt", add_special_tokens=not begun, **further)
    return dict(found.to(torch.float32))  # that of Llama 4 gives pictures in 16 bits, whatever the model's are


class NoFilms:
    """In place of what a processor has for films and sounds."""

    valid_kwargs = slice_mode = downsample_mode = None


def plain_processor(settings: dict[str, Any], tokenizer: Any, images: Any) -> Any:
    """The processor of transformers, by its own constructor."""
    name = settings.pop("processor_class")
    cls = getattr(transformers, name)
    given = {part: NoFilms() for part in cls.get_attributes()} | {"tokenizer": tokenizer, "image_processor": images}
    taken = signature(cls.__init__).parameters
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ProcessorMixin, "check_argument_for_proper_class", lambda *_given: None)
        return cls(**given, **{name: value for name, value in settings.items() if name in taken})


def pixtral_inputs(
    tokenizer: Any, images: Any, settings: dict[str, Any], shown: Sequence[Image.Image], prompt: str
) -> dict[str, Any]:
    """As processing_pixtral.py has it: a row of tokens for each row of squares, a break after each but the last."""
    square = settings["patch_size"] * settings.get("spatial_merge_size", 1)
    pixels = images(images=list(shown), patch_size=square, return_tensors="pt")
    text, *others = prompt.split("[IMG]")
    for (height, width), other in zip(pixels["image_sizes"].tolist(), others, strict=True):
        row = [*["[IMG]"] * (width // square), "[IMG_BREAK]"]
        tokens = row * (height // square)
        tokens[-1] = "[IMG_END]"
        text += "".join(tokens) + other
    return {**tokenizer([text], add_special_tokens=False, return_tensors="pt"), **pixels}
