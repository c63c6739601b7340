"""Conversations of several pictures and turns: what each kind computes is what plain transformers computes."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import torch
from PIL import Image
from transformers import AutoTokenizer

from pytest_vqamt.core.conversation import Role, Turn
from pytest_vqamt.core.errors import DataError
from pytest_vqamt.core.meaning import Describe
from pytest_vqamt.core.query import Answer, ModelInput, Query, Task
from pytest_vqamt.models.transformers.prompted.generative import GenerativeAdapter, load
from pytest_vqamt.models.wrapped import wrap_model
from tests.models.transformers.prompted.conftest import BRIEF, CPU, WORLD, batch, forget, shown, tiers
from tests.models.transformers.prompted.test_further_kinds import AT_HAND, plain_inputs, plain_model
from tests.models.transformers.prompted.test_reference import (
    LONGEST,
    Inputs,
    Said,
    Scores,
    asking,
    chat_inputs,
    module_of,
    qwen_inputs,
    smolvlm_inputs,
)
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.transformers.prompted.conftest import Checkpoint, Loaded

REFERENCES: Mapping[str, Callable[[Path, Sequence[Image.Image], Said], Inputs]] = {
    "llava": chat_inputs,
    "llava_next": chat_inputs,
    "idefics2": chat_inputs,
    "idefics3": chat_inputs,
    "smolvlm": smolvlm_inputs,
    "gemma3": chat_inputs,
    "qwen2_5_vl": qwen_inputs,
    "qwen3_vl": qwen_inputs,
}
"""What a user gives ``generate`` for a conversation."""

KINDS = (*REFERENCES, "mistral3", "pixtral", "internvl", "llava_onevision", "mllama")

FURTHER = [
    kind
    for kind in AT_HAND
    # Three take one picture; one makes more tokens of three than the small checkpoint has places for; in the last the
    # order of pictures moves the scores by little more than rounding.
    if kind not in {*KINDS, "got_ocr2", "idefics", "pp_chart2table", "deepseek_ocr2", "deepseek_vl_hybrid"}
]
"""Kinds that are used through their own processor."""

ALL = ("pictures", "turns", "interleaved", "system")


def conversation(numbers: Sequence[int], question: str, *, reply: str = "no", rule: str = "") -> ModelInput:
    """Three pictures of the world in a question, a reply and a question with a text before its pictures."""
    first, *others = (WORLD.scene(number).picture for number in numbers)
    turns = (
        Turn((first, "Is there a dog?")),
        Turn((reply,), Role.ASSISTANT),
        Turn(("And in the next ones?", *others, question)),
    )
    said = (Turn((rule,), Role.SYSTEM), *turns) if rule else turns
    return ModelInput(Query.of(*said, meaning=Describe()), shown)


def conversations() -> list[ModelInput]:
    return [
        conversation((0, 1, 2), "Is there a cat?"),
        conversation((2, 1, 0), "Is there a cat?"),
        conversation((2, 1, 0), "How many dogs are there?", rule="Say little."),
        conversation((0, 1, 2), "red?", reply="yes"),
    ]


def messages(item: ModelInput) -> Said:
    """The conversation as a user writes it down, with the form of answer that is wanted behind the last question."""
    said: Said = []
    for turn in item.turns:
        parts = ({"type": "text", "text": each} if isinstance(each, str) else {"type": "image"} for each in turn.parts)
        said.append({"role": turn.role, "content": list(parts)})
    said[-1]["content"][-1]["text"] = asking(item.text)
    return said


def texts(model: GenerativeAdapter, asked: Sequence[ModelInput]) -> list[str]:
    return [answer.text for answer in model.answer(asked)]


def first_scores(model: GenerativeAdapter, item: ModelInput) -> torch.Tensor:
    forget(model)
    with Scores() as scores:
        model.answer([item])
    return scores.first[0]


def plain(folder: Path, kind: str, item: ModelInput) -> Inputs:
    if kind in REFERENCES:
        return REFERENCES[kind](folder, item.images, messages(item))
    return plain_inputs(folder, kind, item.images, messages(item))


@pytest.mark.parametrize("kind", tiers("llava_next", "qwen3_vl", "internvl", of=[*KINDS, *FURTHER]))
def test_scores_and_answers_are_those_of_plain_transformers(checkpoint: Checkpoint, loaded: Loaded, kind: str) -> None:
    folder, asked, ours = checkpoint(kind), conversations(), loaded(kind)
    assert ours.takes == ALL
    assert len({image.size for image in asked[0].images}) == 3
    answers = texts(ours, asked)
    model = plain_model(folder)
    tokenizer: Any = AutoTokenizer.from_pretrained(folder)
    repeats = not model.config.is_encoder_decoder
    first = []
    for item, answer in zip(asked, answers, strict=True):
        inputs = plain(folder, kind, item)
        with Scores() as scores:
            generated = model.generate(**inputs, max_new_tokens=LONGEST, do_sample=False)
        reply = generated[0, inputs["input_ids"].shape[1] if repeats else 0 :]
        assert tokenizer.decode(reply, skip_special_tokens=True).strip() == answer
        torch.testing.assert_close(first_scores(ours, item), scores.first[0], rtol=1e-3, atol=1e-3)
        first.append(scores.first[0])
    assert (first[0] - first[1]).abs().max() > 0.005, "the order of the pictures matters"
    assert (first[0] - first[3]).abs().max() > 0.01, "what was said before matters"


@pytest.mark.parametrize("kind", tiers("llava", "qwen3_vl", "internvl", of=KINDS))
def test_answers_do_not_depend_on_the_batch(loaded: Loaded, kind: str) -> None:
    """Conversations of three and of two pictures among questions about one."""
    ours, one = loaded(kind), batch()[:4]
    pictures = [WORLD.scene(number).picture for number in (1, 2)]
    two = [
        ModelInput(Query.of(Turn((*some, "Are they alike?")), meaning=Describe()), shown)
        for some in (pictures, pictures[::-1])
    ]
    asked = [item for pair in zip(one, [*conversations()[:2], *two], strict=True) for item in pair]
    alone = []
    for item in asked:
        forget(ours)
        alone += texts(ours, [item])
    forget(ours)
    assert texts(ours, asked) == alone
    assert texts(ours, asked[::-1]) == alone[::-1], "with pictures that were kept"
    assert len(set(alone[1::2])) > 1


@pytest.mark.parametrize("kind", tiers("llava", "gemma3", of=["llava", "llava_next", "idefics3", "gemma3", "qwen3_vl"]))
def test_each_picture_is_encoded_once(loaded: Loaded, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """In conversations, in another order and in questions about one."""
    ours, seen = loaded(kind), list[int]()
    encode = ours._family.encoder._encode  # type: ignore[attr-defined]  # of a family that reads pictures as tokens

    def counting(ready: Sequence[object]) -> object:
        seen.append(len(ready))
        return encode(ready)

    monkeypatch.setattr(ours._family.encoder.cache, "_encode", counting)  # type: ignore[attr-defined]  # as above
    ours.answer([*conversations(), *batch()])
    assert sum(seen) == 3


@pytest.mark.parametrize("kind", tiers("qwen3_vl", of=["llava", "llava_next", "idefics3", "qwen2_5_vl", "qwen3_vl"]))
def test_what_was_said_before_the_last_picture_is_computed_once(loaded: Loaded, kind: str) -> None:
    """Two questions about the same pictures in the same order, behind the same words."""
    ours = loaded(kind)
    asked = [conversation((0, 1, 2), question) for question in ("Is there a cat?", "How many dogs are there?")]
    rows = list[int]()
    hook = module_of(ours).register_forward_hook(
        lambda _module, _given, named, _returned: rows.append(len(named["input_ids"])), with_kwargs=True
    )
    try:
        together = texts(ours, asked)
    finally:
        hook.remove()
    kept = ours._family._prefixes._kept  # type: ignore[attr-defined]  # of a family that shares beginnings
    assert len(kept) == 1
    assert rows[:2] == [1, 2], "one beginning, then two ends"
    assert texts(ours, [conversation((2, 1, 0), "Is there a cat?")])
    assert len(kept) == 2, "in another order they are another beginning"
    forget(ours)
    assert [texts(ours, [each])[0] for each in asked] == together


TURN = "{% for m in messages %}[{{ m['role'] }}] "
PART = "{% if c['type'] == 'image' %}<image>{% else %}{{ c['text'] }}{% endif %}"
PARTS = "{% for c in m['content'] %}" + PART + "{% endfor %}"
PICTURES_FIRST = (
    "{% for c in m['content'] if c['type'] == 'image' %}<image>{% endfor %}"
    "{% for c in m['content'] if c['type'] == 'text' %}{{ c['text'] }}{% endfor %}"
)
END = "</s>{% endfor %}[assistant]"
"""Pieces of templates."""


@each_row(
    "template, takes",
    [
        (TURN + PARTS + END, ALL),
        # As LLaVA-Interleave's, which renders the pictures of a message before its texts.
        (TURN + PICTURES_FIRST + END, ("pictures", "turns", "system")),
        # Of one picture, and of one message.
        (TURN + PARTS.replace("<image>", "{% if loop.first %}<image>{% endif %}") + END, ("turns", "system")),
        (PARTS.replace("m[", "messages[-1]["), ("pictures", "interleaved")),
        # One that moves all pictures to the last message, as mlx-vlm did.
        (
            "{% set seen = namespace(n='') %}" + TURN + "{% for c in m['content'] if c['type'] == 'image' %}"
            "{% set seen.n = seen.n + '<image>' %}{% endfor %}{% if loop.last %}{{ seen.n }}{% endif %}"
            "{% for c in m['content'] if c['type'] == 'text' %}{{ c['text'] }}{% endfor %}" + END,
            ("pictures", "system"),
        ),
        ("{% if messages[0]['role'] == 'system' %}{{ raise_exception('no system') }}{% endif %}" + TURN + PARTS + END,
         ("pictures", "turns", "interleaved")),
        # As Pixtral's: the system's and the assistant's contents are added to a text, and fail as lists.
        (
            TURN + "{% if m['role'] == 'user' %}" + PARTS + "{% else %}{{ m['content'] + '</s>' }}{% endif %}" + END,
            ALL,
        ),
        # The same, and a list is written as it is.
        (TURN + "{% if m['role'] == 'user' %}" + PARTS + "{% else %}{{ m['content'] }}{% endif %}" + END, ALL),
    ],
)  # fmt: skip
def test_a_trial_shows_what_a_template_takes(
    checkpoint: Checkpoint, tmp_path: Path, template: str, takes: tuple[str, ...]
) -> None:
    model = load(str(with_template(checkpoint("llava"), tmp_path, template)), BRIEF)
    assert model.takes == takes
    (answer,) = wrap_model("hf", model, BRIEF).ask(Task.VQA, [conversations()[2]])
    assert isinstance(answer, Answer)
    assert answer.declined.startswith("the model does not take ") == (takes != ALL)
    if takes == ALL:
        written = written_by(model, conversations()[2])
        assert "Say little." in written
        assert "]no</s>" in written.replace("] ", "]")
        assert "'type'" not in written


def with_template(folder: Path, tmp_path: Path, template: str) -> Path:
    copied = Path(shutil.copytree(folder, tmp_path / "with_template"))
    (copied / "chat_template.jinja").write_text(template)
    return copied


def written_by(model: GenerativeAdapter, item: ModelInput) -> str:
    """The whole text that the model reads for a conversation, with a mark for each picture."""
    family: Any = model._family
    seen: list[str] = []
    template = family._template
    write = template.write

    def keeping(*given: Any) -> str:
        found: str = write(*given)
        if len(given) == 3 and given[2]:
            seen.append(found)
        return found

    template.write = keeping
    try:
        model.answer([item])
    finally:
        del template.write
    return seen[0]


def test_kinds_of_one_picture_take_no_conversation(loaded: Loaded) -> None:
    assert loaded("git").takes == loaded("blip2_opt").takes == ()
    (answer,) = wrap_model("hf", loaded("git"), CPU).ask(Task.VQA, [conversations()[0]])
    assert isinstance(answer, Answer)
    assert answer.declined.startswith("the model does not take ")


def test_the_system_message_of_a_conversation_replaces_that_of_the_settings(loaded: Loaded) -> None:
    ours = loaded("llava", system="Be kind.")
    with_rule, without = (written_by(ours, conversation((0, 1, 2), "red?", rule=rule)) for rule in ("Say little.", ""))
    assert with_rule.startswith("[system] Say little.</s>\n[user] <image>")
    assert "Be kind." not in with_rule
    assert without.startswith("[system] Be kind.</s>\n[user] <image>")
    assert without.endswith(
        "[user] And in the next ones?<image>\n<image>\nred?\nAnswer the question using a single word or phrase."
        "</s>\n[assistant]"
    )


@pytest.mark.parametrize("kind", tiers("llava", "internvl", of=["llava", "gemma3", "qwen3_vl", "internvl"]))
def test_only_the_last_question_is_cut(loaded: Loaded, kind: str) -> None:
    ours = loaded(kind)
    long = "dog " * 600
    (answer,) = ours.answer([conversation((0, 1, 2), long)])
    assert answer.truncated
    first, second = (ours.answer([conversation((0, 1, 2), long + end)])[0] for end in ("cat", "red"))
    assert first == second == answer
    with pytest.raises(DataError, match=r"Expected a picture and a prompt of at most .* with no question at all"):
        ours.answer([conversation((0, 1, 2), "red?", reply=long)])


def test_a_picture_may_come_last(checkpoint: Checkpoint, loaded: Loaded) -> None:
    """Then the question before it is the last text, which gets the form of answer."""
    (picture,) = (WORLD.scene(0).picture,)
    item = ModelInput(Query.of(Turn(("Is there a dog?", picture)), meaning=Describe()), shown)
    written = written_by(loaded("llava"), item)
    assert written == "[user] Is there a dog?\nAnswer with yes or no.<image>\n</s>\n[assistant]"


@each_row("text", ["What does <image> say?", "<image>"])
@pytest.mark.parametrize("kind", ["llava", "vipllava"])
def test_a_text_with_the_mark_of_a_picture_is_refused(loaded: Loaded, kind: str, text: str) -> None:
    """Behind it every picture would stand for another."""
    with pytest.raises(DataError, match="<image>"):
        loaded(kind).answer([conversation((0, 1, 2), "red?", reply=text)])


def test_a_conversation_that_the_template_refuses_says_why(checkpoint: Checkpoint, tmp_path: Path) -> None:
    """Gemma's wants the user and the model to take turns."""
    alternating = (
        "{% for m in messages %}{% if (m['role'] == 'user') != (loop.index0 % 2 == 0) %}"
        "{{ raise_exception('Conversation roles must alternate') }}{% endif %}{% endfor %}"
    )
    model = load(str(with_template(checkpoint("llava"), tmp_path, alternating + TURN + PARTS + END)), BRIEF)
    assert model.takes == ("pictures", "turns", "interleaved")
    twice = Query.of(Turn((WORLD.scene(0).picture, "Look.")), Turn(("red?",)), meaning=Describe())
    with pytest.raises(DataError, match=r"chat template renders, but: .*Conversation roles must alternate"):
        model.answer([ModelInput(twice, shown)])
