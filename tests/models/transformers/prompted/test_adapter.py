"""What is wrong with a checkpoint is told in one line when it is loaded, and never made up for."""

from __future__ import annotations

import json
import math
import re
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
import transformers
from safetensors.torch import load_file, save_file

import pytest_vqamt as vqamt
from pytest_vqamt.core.conversation import Ability
from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.meaning import Choice, Count, Exists, Group
from pytest_vqamt.core.query import CANNOT_SWITCH, Answer, ModelInput, Task
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer
from pytest_vqamt.models import prompts
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, Prompts
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter, load
from pytest_vqamt.models.transformers.prompted.prompt_text import Completions, Prompt
from pytest_vqamt.models.transformers.runtime import Runtime
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.transformers.prompted.conftest import BRIEF, CPU, about, tiers
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded


CHATS = ("llava", "idefics3", "gemma3", "qwen2_vl", "vipllava")

SOME = tiers("llava", "git", "vipllava")


@pytest.fixture
def copy(checkpoint: Checkpoint, tmp_path: Path) -> Callable[[str], Path]:
    """A copy of a checkpoint, to be damaged."""
    return lambda kind: Path(shutil.copytree(checkpoint(kind), tmp_path / kind))


def refused(folder: Path, telling: str, options: ModelOptions = CPU) -> None:
    """The checkpoint is refused in one line, which says ``telling``."""
    with pytest.raises(ModelError, match=telling) as told:
        load(str(folder), options)
    assert "\n" not in str(told.value)


def changed(file: Path, **values: Any) -> None:
    held = json.loads(file.read_text())
    file.write_text(json.dumps({**held, **values}))


@pytest.mark.parametrize("kind", SOME)
def test_a_checkpoint_without_a_tokenizer(copy: Callable[[str], Path], kind: str) -> None:
    """Transformers would give one that knows five words, or none at all."""
    folder = copy(kind)
    for name in ("tokenizer.json", "vocab.txt"):
        (folder / name).unlink(missing_ok=True)
    refused(folder, "Expected a tokenizer beside the weights")


@pytest.mark.parametrize("kind", SOME)
def test_a_checkpoint_without_an_image_processor(copy: Callable[[str], Path], kind: str) -> None:
    folder = copy(kind)
    for name in ("preprocessor_config.json", "processor_config.json"):
        (folder / name).unlink(missing_ok=True)
    refused(folder, "Expected preprocessor_config.json beside the weights")


@pytest.mark.parametrize("kind", tiers("llava", "blip2_opt"))
def test_a_weight_that_is_missing(copy: Callable[[str], Path], kind: str) -> None:
    """Transformers would draw it at random. A table of words that serves twice is there once, and not missing."""
    folder = copy(kind)
    file = folder / "model.safetensors"
    weights = load_file(file)
    name = next(name for name in weights if "vision" in name or "visual" in name or "image_encoder" in name)
    del weights[name]
    save_file(weights, file, metadata={"format": "pt"})
    refused(folder, r"missing_keys=\['.*'\] \(1 in all\)")


@pytest.mark.parametrize("kind", tiers("llava", of=("llava", "blip2_opt", "vipllava")))
def test_weights_of_another_shape(copy: Callable[[str], Path], kind: str) -> None:
    folder = copy(kind)
    file = folder / "model.safetensors"
    weights = load_file(file)
    name = next(name for name in weights if name.endswith("bias"))
    weights[name] = torch.zeros(3)
    save_file(weights, file, metadata={"format": "pt"})
    refused(folder, re.escape(str(folder)))


@pytest.mark.parametrize("kind", tiers("llava", of=("llava", "blip2_opt", "vipllava")))
def test_damaged_weights(copy: Callable[[str], Path], kind: str) -> None:
    folder = copy(kind)
    (folder / "model.safetensors").write_bytes(b"\x08\0\0\0\0\0\0\0{}")
    refused(folder, "Expected a whole checkpoint of")


@pytest.mark.parametrize("kind", tiers("llava", "vipllava", of=CHATS))
def test_a_chat_without_a_template(copy: Callable[[str], Path], kind: str) -> None:
    folder = copy(kind)
    (folder / "chat_template.jinja").unlink()
    refused(folder, "chat template")


@pytest.mark.parametrize("kind", tiers("llava", "vipllava", of=CHATS))
def test_a_chat_template_without_a_place_for_pictures(copy: Callable[[str], Path], kind: str) -> None:
    folder = copy(kind)
    texts = "{% for m in messages %}{% for c in m['content'] %}{{ c['text'] }}{% endfor %}{% endfor %}"
    (folder / "chat_template.jinja").write_text(texts)
    refused(folder, "Expected the chat template in .* one place for a text and one for a picture")


@pytest.mark.parametrize(
    "kind", tiers("llava", "gemma3", of=("llava", "idefics3", "gemma3", "qwen2_vl", "paligemma", "florence"))
)
def test_a_tokenizer_without_the_token_for_pictures(copy: Callable[[str], Path], kind: str) -> None:
    """Number 80 is a letter, and there is no number 100,000."""
    folder = copy(kind)
    held = json.loads((folder / "config.json").read_text())
    name = "image_token_index" if "image_token_index" in held else "image_token_id"
    for number in (80, 100_000):
        changed(folder / "config.json", **{name: number})
        refused(folder, f"the token that stands for a picture, number {number} in config.json")


def test_a_tokenizer_that_knows_too_few_words(copy: Callable[[str], Path]) -> None:
    folder = copy("llava")
    held = json.loads((folder / "tokenizer.json").read_text())
    words: dict[str, int] = held["model"]["vocab"]
    held["model"]["vocab"] = {word: number for word, number in words.items() if number < 40}
    held["model"]["merges"] = []
    (folder / "tokenizer.json").write_text(json.dumps(held))
    refused(folder, f"for the {len(words)} words .* but got one of 40")


def test_an_instructblip_without_the_tokenizer_of_its_qformer(copy: Callable[[str], Path]) -> None:
    """Transformers would take the language model's, which numbers words in another way."""
    folder = copy("instructblip")
    shutil.rmtree(folder / "qformer_tokenizer")
    refused(folder, "Expected a tokenizer beside the weights, but .*qformer_tokenizer")


def test_a_folder_that_is_no_checkpoint(tmp_path: Path) -> None:
    refused(tmp_path, r"has no config\.json")


def test_a_config_that_is_no_json(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{")
    refused(tmp_path, "Expected JSON in")


def test_a_folder_that_is_not_there() -> None:
    refused(Path("/no/such/folder"), "no such folder")


@each_row("kind, spec", [("vilt", "vilt"), ("blip", "blip"), ("lxmert", "lxmert"), ("visual_bert", "visualbert")])
def test_kinds_with_an_adapter_of_their_own(tmp_path: Path, kind: str, spec: str) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind}))
    refused(tmp_path, f"give --vqamt-model={spec}:{tmp_path}$")


@each_row("kind", ["resnet", "something_new", None, 3])
def test_kinds_that_are_not_known(tmp_path: Path, kind: object) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind} if kind else {}))
    refused(tmp_path, "known .llava, llava_next, .*git|in the layout of transformers")


def test_kinds_that_need_a_chat_template_and_have_none(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "kosmos-2"}))
    refused(tmp_path, "that has a chat template, but got model_type='kosmos-2' in .* without one$")


@pytest.mark.parametrize(
    ("kind", "advice"), [("internvl_chat", "Take a conversion"), ("florence2", "florence-community/Florence-2-")]
)
def test_the_code_that_a_checkpoint_brings_is_never_run(tmp_path: Path, kind: str, advice: str) -> None:
    """Neither is anybody asked whether it may."""
    (tmp_path / "config.json").write_text(json.dumps({"model_type": kind, "auto_map": {"AutoModel": "modeling.Model"}}))
    (tmp_path / "modeling.py").write_text("raise SystemExit('run')")
    refused(tmp_path, f"its own Python code, which is never run here. .*{re.escape(advice)}")


def test_a_name_on_the_hub_without_a_network(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from huggingface_hub import constants

    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setattr(constants, "HF_HUB_OFFLINE", True)
    monkeypatch.setattr(constants, "HF_HUB_CACHE", str(tmp_path))
    with pytest.raises(ModelError, match="Expected model 'nobody/nothing' in the hub's cache"):
        load("nobody/nothing", CPU)


def test_a_torchvision_that_does_not_belong_to_torch(
    checkpoint: Checkpoint, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    package = tmp_path / "torchvision"
    package.mkdir()
    (package / "__init__.py").write_text("raise RuntimeError('operator torchvision::nms does not exist')")
    monkeypatch.syspath_prepend(str(tmp_path))
    refused(checkpoint("llava"), "Expected a torchvision that belongs to torch .*nms does not exist")


@pytest.mark.parametrize("settings", [{"prompt-question": "no place"}, {"longest-answer": "0"}])
def test_a_setting_that_cannot_be_is_told_before_anything_is_loaded(settings: dict[str, str]) -> None:
    with pytest.raises(OptionError):
        load("/no/such/folder", ModelOptions(device="cpu", settings=settings))


@pytest.mark.parametrize("kind", tiers("llava", of=("llava", "gemma3", "qwen2_vl")))
@pytest.mark.parametrize("holder", ["chat_template.json", "tokenizer_config.json", "processor_config.json"])
def test_where_older_versions_kept_the_chat_template(
    loaded: Loaded, copy: Callable[[str], Path], kind: str, holder: str
) -> None:
    folder = copy(kind)
    template = (folder / "chat_template.jinja").read_text()
    (folder / "chat_template.jinja").unlink()
    if not (folder / holder).exists():
        (folder / holder).write_text("{}")
    changed(folder / holder, chat_template=template)
    asked = [about(0, "Is there a dog?")]
    assert load(str(folder), BRIEF).answer(asked) == loaded(kind).answer(asked)


@pytest.mark.parametrize("kind", tiers("gemma3", of=("idefics3", "gemma3", "paligemma", "blip2_opt", "florence")))
def test_a_table_of_words_that_serves_twice_is_not_missing(checkpoint: Checkpoint, kind: str) -> None:
    assert not any(name.endswith("lm_head.weight") for name in load_file(checkpoint(kind) / "model.safetensors"))
    load(str(checkpoint(kind)), CPU)


DOG = Group(name="dog")


class Parrot:
    """Says what it is told to say, and keeps what was said to it."""

    prompts = INSTRUCTION_PROMPTS
    takes: frozenset[Ability] = frozenset()
    switches_reasoning = reasons = False

    def __init__(self, answer: str = "yes", *, cut: bool = False) -> None:
        self.answer, self.cut = answer, cut
        self.said: list[Prompt] = []
        self.longest = 0

    def preprocess(
        self, inputs: Sequence[ModelInput], prompts: Sequence[Prompt], max_tokens: int
    ) -> Callable[[], Completions]:
        self.said += prompts
        self.longest = max_tokens
        count = len(inputs)
        return lambda: Completions(
            texts=(self.answer,) * count, cut=(self.cut,) * count, ended=(len(self.answer) < max_tokens,) * count
        )

    def opening(self, reasoning: bool | None) -> str:
        return ""

    def release(self) -> bool:
        return False

    def halve(self) -> None:
        """Keeps nothing."""


def speaking(parrot: Parrot, prompts: Prompts = INSTRUCTION_PROMPTS) -> GenerativeAdapter:
    return GenerativeAdapter(parrot, Runtime.of(CPU), prompts, lambda: "a parrot")


def test_the_form_of_a_question_chooses_its_prompt() -> None:
    parrot = Parrot()
    speaking(parrot).answer(
        [
            about(0, "Is there a dog?", meaning=Exists(group=DOG)),
            about(0, "How many dogs?", meaning=Count(groups=(DOG,))),
            about(0, "Is it red or blue?", meaning=Choice(what=DOG, options=("red", "blue"))),
            about(0, "Where is it?"),
        ]
    )
    assert [each.prompt for each in parrot.said] == [
        "Is there a dog?\nAnswer with yes or no.",
        "How many dogs?\nAnswer with a number.",
        "Is it red or blue?\nAnswer with one of the options that the question names.",
        "Where is it?\nAnswer the question using a single word or phrase.",
    ]
    assert [each.question for each in parrot.said] == [
        "Is there a dog?",
        "How many dogs?",
        "Is it red or blue?",
        "Where is it?",
    ]
    assert parrot.longest == INSTRUCTION_PROMPTS.longest_answer


def test_hypotheses_and_descriptions_have_prompts_of_their_own() -> None:
    parrot = Parrot()
    speaker = speaking(parrot)
    speaker.entail([about(0, "A dog is there.", task=Task.ENTAILMENT)])
    speaker.caption([about(0, "", task=Task.CAPTIONING)])
    hypothesis, caption = parrot.said
    assert hypothesis.prompt.startswith("Hypothesis: A dog is there.\nDoes the picture entail")
    assert caption.prompt.startswith("Describe the picture")
    assert parrot.longest == INSTRUCTION_PROMPTS.longest_caption


@each_row("said", ["Entailment.", "The answer is: Neutral", "I don't see any contradiction.", "no"])
def test_what_is_said_to_a_hypothesis_is_kept_as_it_is(said: str) -> None:
    asked = [about(0, "A dog is there.", task=Task.ENTAILMENT)]
    assert speaking(Parrot(said, cut=True)).entail(asked) == (Answer(said, truncated=True),)


def test_a_question_is_cut_in_its_place() -> None:
    said = Prompt(prompt="Question: red or blue? Answer:", question="red or blue?")
    assert said.cut(6) == Prompt(prompt="Question: red or Answer:", question="red or")


def test_a_prompt_of_the_user_is_what_the_model_reads(loaded: Loaded) -> None:
    asked = [about(number, "Where is the dog?") for number in range(3)]
    usual, other = loaded("llava"), loaded("llava", prompt_question=r"Look!\n{text}")
    assert usual.fingerprint != other.fingerprint
    assert usual.answer(asked) != other.answer(asked)
    assert other._templates.text(asked[0]) == "Look!\nWhere is the dog?"


def test_the_fingerprint_names_files_and_packages(checkpoint: Checkpoint, loaded: Loaded, tmp_path: Path) -> None:
    usual = loaded("instructblip")
    folder = Path(shutil.copytree(checkpoint("instructblip"), tmp_path / "copy"))
    same = load(str(folder), BRIEF)
    assert same.fingerprint == usual.fingerprint
    assert f"torch=={torch.__version__} transformers=={transformers.__version__}" in usual.fingerprint
    asking = folder / "qformer_tokenizer" / "tokenizer_config.json"
    asking.write_text(asking.read_text().replace('"do_lower_case": true', '"do_lower_case": false') + " ")
    changed = same._fingerprint()
    assert changed != usual.fingerprint
    (folder / "generation_config.json").write_text('{"eos_token_id": [2, 3]}')
    assert same._fingerprint() not in (changed, usual.fingerprint)


def test_precision_is_part_of_it(checkpoint: Checkpoint, loaded: Loaded) -> None:
    halved = load(str(checkpoint("idefics3")), replace(BRIEF, dtype="bfloat16"))
    assert halved.fingerprint != loaded("idefics3").fingerprint
    assert len(halved.answer([about(0, "Is there a dog?")])) == 1


@pytest.mark.full
@pytest.mark.parametrize("kind", ["llava_next", "qwen3_vl", "florence", "blip2_opt", "instructblip", "git", "idefics2"])
def test_every_sort_of_kind_runs_in_half_precision(checkpoint: Checkpoint, kind: str) -> None:
    settings = {"prompt-question": "{text}", "longest-answer": "3"}
    halved = load(str(checkpoint(kind)), ModelOptions(device="cpu", dtype="bfloat16", settings=settings))
    assert len(halved.answer([about(0, "Is there a dog?"), about(1, "red?")])) == 2


@pytest.mark.parametrize("kind", tiers("llava", "blip2_opt", of=("llava", "qwen3_vl", "git", "blip2_opt", "florence")))
def test_scores_are_those_of_the_first_token(loaded: Loaded, kind: str) -> None:
    """Greedy decoding takes the likeliest token, so the answer begins with a candidate."""
    settings = {"prompt_question": "{text}"} if kind == "florence" else {}
    speaker, plain = loaded(kind, logprobs="5", **settings), loaded(kind, **settings)
    questions = [about(number, "Is there a dog?") for number in (0, 1, 2)]
    with_scores = [answer for answer in speaker.answer(questions) if answer.scores]
    assert [answer.text for answer in speaker.answer(questions)] == [each.text for each in plain.answer(questions)]
    assert with_scores, "a small model of random weights says something somewhere"
    for answer in with_scores:
        assert answer.scores is not None
        assert any(answer.text.casefold().startswith(label.casefold()) for label, _ in answer.scores)
        assert sum(math.exp(score) for _, score in answer.scores) <= 1 + 1e-5
        assert [score for _, score in answer.scores] == sorted((score for _, score in answer.scores), reverse=True)


@pytest.mark.parametrize("kind", tiers("llava", of=("llava", "qwen3_vl", "git", "blip2_opt", "florence")))
def test_steps_are_the_candidates_for_each_of_the_first_tokens(loaded: Loaded, kind: str) -> None:
    settings = {"prompt_question": "{text}"} if kind == "florence" else {}
    speaker = loaded(kind, logprobs="5", logprob_steps="3", **settings)
    questions = [about(number, "Is there a dog?") for number in (0, 1, 2)]
    together = speaker.answer(questions)
    for answer, alone in zip(together, (speaker.answer([each])[0] for each in questions), strict=True):
        assert answer.steps is not None
        assert 1 <= len(answer.steps) <= 3
        assert all(len(step) <= 5 for step in answer.steps)
        assert all([score for _, score in step] == sorted((s for _, s in step), reverse=True) for step in answer.steps)
        # Greedy decoding takes the likeliest token of each step; specials are no part of the text.
        said = "".join(step[0][0] for step in answer.steps if step)
        assert answer.text.startswith(said.strip()[:1]) or any(mark in said for mark in "<\ufffd")
        assert alone.steps is not None
        pairs = zip(answer.steps, alone.steps, strict=True)
        assert all(here[0][1] == pytest.approx(there[0][1], abs=1e-3) for here, there in pairs)


def test_a_system_message_stands_in_the_chat(checkpoint: Checkpoint, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(checkpoint("llava"), tmp_path / "llava"))
    (folder / "chat_template.jinja").write_text(
        "{% for m in messages %}{{ m.role }}: {% for c in m.content %}"
        "{% if c.type == 'image' %}<image>{% else %}{{ c.text }}{% endif %}{% endfor %}\n{% endfor %}"
        "{{ 'think' if thinking else '' }}"
    )
    given = {"system": "Be brief.", "body.chat_template_kwargs": '{"thinking": true}'}
    speaker = load(str(folder), ModelOptions(device="cpu", settings={**BRIEF.settings, **given}))
    assert speaker._family._template.write("what?") == "system: Be brief.user: <image>what?think"  # type: ignore[attr-defined]  # of this family
    assert speaker.fingerprint != load(str(folder), BRIEF).fingerprint


SWITCHED = (
    "{% for m in messages %}{{ m.role }}: {% for c in m.content %}"
    "{% if c.type == 'image' %}<image>{% else %}{{ c.text }}{% endif %}{% endfor %}\n{% endfor %}"
    "assistant: {% if enable_thinking is defined %}"
    "{% if enable_thinking %}<think>\n{% else %}<think></think>{% endif %}{% endif %}"
)
"""As Qwen3's templates switch reasoning; a reply goes on from the mark that begins it."""


@pytest.mark.parametrize("kind", tiers("llava", of=("llava", "vipllava")))
def test_a_chat_template_with_enable_thinking_switches_reasoning(
    checkpoint: Checkpoint, tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(prompts, "LONGEST_REASONING", 4)
    folder = Path(shutil.copytree(checkpoint(kind), tmp_path / kind))
    (folder / "chat_template.jinja").write_text(SWITCHED)
    speaker = load(str(folder), BRIEF)
    family: Any = speaker._family
    generate, asked = family.model.generate, list[tuple[int, list[str]]]()

    def watching(**inputs: Any) -> torch.Tensor:
        texts = [family.tokenizer.decode(row).partition("assistant")[2] for row in inputs["input_ids"]]
        asked.append((inputs["generation_config"].max_new_tokens, texts))
        found: torch.Tensor = generate(**inputs)
        return found

    monkeypatch.setattr(family.model, "generate", watching)
    model = wrap_model("m", speaker, ModelOptions())
    batch = [about(0, "red?", reasoning=reasoning) for reasoning in (True, None, False, True)]
    answers = model.ask(Task.VQA, batch)
    assert [(most, ["/" in text for text in texts], ["<" in text for text in texts]) for most, texts in asked] == [
        (10, [False, False], [True, True]),
        (6, [False], [False]),
        (6, [True], [True]),
    ]
    assert [answer.text.startswith("<think>") for answer in answers] == [True, False, False, True]
    for item, answer in zip(batch, answers, strict=True):
        assert model.ask(Task.VQA, [item]) == (answer,), "no answer depends on its batch"


WANTED = "enable_thinking is not defined or enable_thinking"


@pytest.mark.parametrize(
    ("ends_with", "arguments", "note"),
    [
        ("<think>\n", "{}", "give it room (--vqamt-option longest-answer=2048)"),
        (f"{{% if {WANTED} %}}<think>\n{{% endif %}}", "{}", "switch it off ("),
        (f"{{% if {WANTED} %}}{{% else %}}<think></think>{{% endif %}}", "{}", "switch it off ("),
        ("[THINK]", "{}", "give it room"),
        (f"{{% if {WANTED} %}}<think>{{% endif %}}", '{"enable_thinking": false}', ""),
        ("", "{}", ""),
    ],
    ids=["always", "by default", "of itself by default", "Mistral", "switched off by the user", "never"],
)
def test_a_model_that_reasons_by_itself_is_known_by_its_template(
    checkpoint: Checkpoint, tmp_path: Path, ends_with: str, arguments: str, note: str
) -> None:
    folder = Path(shutil.copytree(checkpoint("llava"), tmp_path / "llava"))
    (folder / "chat_template.jinja").write_text(SWITCHED.partition("{% if enable_thinking")[0] + ends_with)
    given = {**BRIEF.settings, "body.chat_template_kwargs": arguments}
    speaker = load(str(folder), ModelOptions(device="cpu", settings=given))
    item = about(0, "Is there a dog?")
    said = speaker.request_note([item])
    assert note in said
    assert bool(said) == bool(note)
    (answer,) = speaker.answer([item])
    if ends_with in ("<think>\n", "[THINK]"):  # it has no room to come to an end
        assert answer.text.startswith(ends_with.strip())
        assert vqamt.read("Is there a dog?", answer) == UnreadableAnswer(Unreadable.CUT_OFF)


def test_answers_that_are_cut_off_are_counted(loaded: Loaded) -> None:
    parrot = Parrot("a long answer that comes to no end")
    speaker = speaking(parrot)
    speaker.answer([about(0, "Is there a dog?"), about(1, "Is there a dog?")])
    assert speaker.usage == {"answers cut off": 2}
    assert speaking(Parrot("yes")).usage == {}


def test_a_template_without_it_declines_queries_that_want_it(loaded: Loaded) -> None:
    speaker = loaded("llava")
    assert not speaker.switches_reasoning
    first, second = wrap_model("m", speaker, ModelOptions()).ask(
        Task.VQA, [about(0, "red?", reasoning=False), about(0, "red?")]
    )
    assert first == CANNOT_SWITCH.answer
    assert second == speaker.answer([about(0, "red?")])[0]


def test_bounds_of_pixels_are_the_processors(loaded: Loaded) -> None:
    speaker = loaded("qwen2_vl", max_pixels="1200")
    pictures = speaker._family.pictures  # type: ignore[attr-defined]  # of this family
    (small,) = pictures.each([about(0, "?").image])
    (usual,) = loaded("qwen2_vl")._family.pictures.each([about(0, "?").image])  # type: ignore[attr-defined]
    assert 0 < len(small.tensors["pixel_values"]) < len(usual.tensors["pixel_values"])


@each_row(
    "kind, name, value, told",
    [
        (
            "llava",
            "max-pixels",
            "9000",
            r"bounds the number of pixels \(qwen2_vl, .*got max-pixels=9000 for",
        ),
        ("git", "system", "Be brief.", r"with a chat template, but got system for model_type='git'"),
        ("llava", "body.top_k", "1", r"Expected body.chat_template_kwargs, which is all that applies here"),
    ],
)
def test_a_setting_without_effect_is_refused(
    checkpoint: Checkpoint, kind: str, name: str, value: str, told: str
) -> None:
    with pytest.raises(OptionError, match=told):
        load(str(checkpoint(kind)), ModelOptions(device="cpu", settings={name: value}))
