"""Each form of question has its prompt, and users may put others in their place."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.meaning import Absent, Annotated, Choice, Count, Describe, Exists, Group, Meaning
from pytest_vqamt.core.query import ModelInput, Query, Task
from pytest_vqamt.models.prompts import INSTRUCTION_PROMPTS, PLAIN_PROMPTS, PROMPT_SETTINGS, Prompts, prompts_from
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from tests.making import scene_of
from tests.rows import each_row

if TYPE_CHECKING:
    from tests.models.conftest import Ask


DOG = Group(name="dog")
FORMS = Prompts(question="Q {text}", yes_no="Y {text}", count="N {text}", choice="C {text}", entailment="E {text}",
                caption="Say.", longest_answer=3, longest_caption=30)  # fmt: skip


@each_row(
    "meaning, text, said",
    [
        (Exists(group=DOG), "Is there a dog?", "Y Is there a dog?"),
        (Absent(group=DOG), "Is there no dog?", "Y Is there no dog?"),
        (Count(groups=(DOG,)), "How many dogs?", "N How many dogs?"),
        (Choice(what=DOG, options=("red", "blue")), "Red or blue?", "C Red or blue?"),
        (Annotated(answers=(("yes", 1.0),), options=("yes", "no")), "Is it?", "Y Is it?"),
        (Annotated(answers=(("2", 1.0),)), "How many?", "N How many?"),
        (Annotated(answers=(("cat", 1.0),), options=("cat", "dog")), "Cat or dog?", "C Cat or dog?"),
        (Annotated(answers=(("red", 1.0),)), "What colour?", "Q What colour?"),
    ],
)
def test_a_question_has_the_prompt_of_its_form(ask: Ask, meaning: Meaning, text: str, said: str) -> None:
    assert FORMS.text(ask(meaning, text)) == said


TEXTS = ("Is there a dog?", "Is it red or blue?", "How many dogs?", "What colour?", "Is the dog or the cat black?")
MEANINGS: tuple[Meaning, ...] = (
    Exists(group=DOG),
    Absent(group=DOG),
    Count(groups=(DOG,)),
    Choice(what=DOG, options=("red", "blue")),
    Annotated(answers=(("yes", 1.0),), options=("yes", "no")),
    Annotated(answers=(("yes", 1.0),)),
    Describe(),
)


@given(
    text=st.text() | st.sampled_from(TEXTS),
    meanings=st.tuples(st.sampled_from(MEANINGS), st.sampled_from(MEANINGS)),
    task=st.sampled_from(Task),
)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])  # the fixture keeps nothing
def test_queries_of_one_id_have_one_prompt(ask: Ask, text: str, meanings: tuple[Meaning, Meaning], task: Task) -> None:
    first, second = (ask(meaning, text, task=task) for meaning in meanings)
    assert first.query.id == second.query.id
    assert FORMS.text(first) == FORMS.text(second)


def test_hypotheses_and_descriptions_have_theirs(ask: Ask) -> None:
    assert FORMS.text(ask(Describe(), "A dog sleeps.", task=Task.ENTAILMENT)) == "E A dog sleeps."
    assert FORMS.text(ask(Describe(), "", task=Task.CAPTIONING)) == "Say."
    assert (FORMS.longest(Task.VQA), FORMS.longest(Task.ENTAILMENT), FORMS.longest(Task.CAPTIONING)) == (3, 3, 30)


def test_without_a_form_of_its_own_it_is_that_of_questions(ask: Ask) -> None:
    assert PLAIN_PROMPTS.text(ask(Count(groups=(DOG,)), "How many dogs?")) == "How many dogs?"


def test_a_brace_in_a_question_stays(ask: Ask) -> None:
    assert FORMS.text(ask(Describe(), "What is {text}?")) == "Q What is {text}?"


def test_users_put_their_own_in_their_place() -> None:
    given = {"prompt-yes-no": "{text}\\nYes or no?", "longest-caption": "12", "prompt-caption": "Caption:"}
    changed = prompts_from(ModelOptions(settings=given))
    assert changed.yes_no == "{text}\nYes or no?"
    assert (changed.longest_caption, changed.caption) == (12, "Caption:")
    assert changed.count == INSTRUCTION_PROMPTS.count
    assert changed.digest != INSTRUCTION_PROMPTS.digest


@each_row("name", PROMPT_SETTINGS)
def test_each_setting_changes_the_digest(name: str) -> None:
    value = "7" if name.startswith("longest") else "Well?" if name == "prompt-caption" else "Well, {text}"
    assert prompts_from(ModelOptions(settings={name: value})).digest != INSTRUCTION_PROMPTS.digest


def test_a_prompt_without_a_place_for_its_text_is_refused() -> None:
    with pytest.raises(OptionError, match=r"Expected \{text\} in the prompt, .* got prompt-question='Well\?'"):
        prompts_from(ModelOptions(settings={"prompt-question": "Well?"}))


@pytest.mark.parametrize("name", ["prompt-question", "prompt-entailment"])
def test_an_empty_prompt_has_no_place_for_its_text(name: str) -> None:
    with pytest.raises(OptionError, match=rf"Expected \{{text\}} in the prompt, .* got {name}=''"):
        prompts_from(ModelOptions(settings={name: ""}))


@each_row("value", ["", "  ", "\\n"])
@each_row("form, text", [("yes-no", TEXTS[0]), ("choice", TEXTS[1]), ("count", TEXTS[2])])
def test_an_empty_prompt_of_a_form_is_that_of_questions(ask: Ask, form: str, text: str, value: str) -> None:
    changed = prompts_from(ModelOptions(settings={f"prompt-{form}": value}), FORMS)
    assert changed.text(ask(Describe(), text)) == f"Q {text}"


@each_row(
    "value, told",
    [
        ("", "a prompt that asks for a description, but got prompt-caption=''"),
        (" ", "a prompt that asks for a description, but got prompt-caption=' '"),
        ("{text}", r"a prompt without \{text\}, .* but got prompt-caption='\{text\}'"),
    ],
)
def test_a_prompt_for_descriptions_that_asks_for_none_is_refused(value: str, told: str) -> None:
    with pytest.raises(OptionError, match=told):
        prompts_from(ModelOptions(settings={"prompt-caption": value}))


def test_what_continues_a_text_may_begin_it_as_well() -> None:
    continuing = replace(INSTRUCTION_PROMPTS, caption="a picture of")
    assert prompts_from(ModelOptions(settings={"prompt-caption": ""}), continuing).caption == ""


@each_row("value", ["0", "-1", "many", "9" * 12, ""])
def test_a_length_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(OptionError, match=f"number of tokens from 1 up, but got longest-answer={value!r}"):
        prompts_from(ModelOptions(settings={"longest-answer": value}))


def test_a_length_has_no_ceiling_of_ours() -> None:
    assert prompts_from(ModelOptions(settings={"longest-answer": "131072"})).longest_answer == 131_072


def test_the_documentation_has_the_prompts_as_they_are() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "models" / "hf.md").read_text(encoding="utf-8")
    told = dict(re.findall(r"^\| `(prompt-[a-z-]+)` \| [^|]* \| `([^`]*)` \|$", page, re.MULTILINE))
    fields = ("question", "yes_no", "count", "choice", "entailment", "caption")
    names = [name for name in PROMPT_SETTINGS if name.startswith("prompt-")]
    assert told == {
        name: str(getattr(INSTRUCTION_PROMPTS, field)).replace("\n", "\\n")
        for name, field in zip(names, fields, strict=True)
    }


def test_a_model_of_the_users_may_take_the_prompt_of_each_input() -> None:
    class Model:
        fingerprint = "mine"

        def __init__(self) -> None:
            self.prompts: list[str] = []

        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            self.prompts += [each.prompt for each in batch]
            return ["yes" for _ in batch]

    query = Query(picture=scene_of("dog").picture, text="Is there a dog?", meaning=Exists(group=DOG))
    model = Model()
    plain = wrap_model("mine", model, ModelOptions())
    other = wrap_model("mine", model, ModelOptions(settings={"prompt-yes-no": r"{text}\nYes or no?"}))
    for each in (plain, other):
        each.ask(Task.VQA, [ModelInput(query, lambda _: pytest.fail("no pixels are needed"))])
    assert model.prompts == ["Is there a dog?\nAnswer with yes or no.", "Is there a dog?\nYes or no?"]
    assert plain.fingerprint == "mine"
    assert other.fingerprint.startswith("mine prompts ")
