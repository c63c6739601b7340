"""What a chat is set to beside its prompts, and where the scores of an answer are found."""

from __future__ import annotations

from itertools import accumulate
from math import exp, log

import pytest
from PIL import Image

from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.models.chat_settings import ChatSettings, chat_settings, token_scores
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.relations.catalogue import split_settings
from tests.rows import each_row


def of(**settings: str) -> ChatSettings:
    return chat_settings(ModelOptions(settings={name.replace("__", "."): value for name, value in settings.items()}))


def test_fields_of_the_server_are_json() -> None:
    settings = of(body__top_k="1", body__chat_template_kwargs='{"enable_thinking": false}')
    assert settings.fields == {"top_k": 1, "chat_template_kwargs": {"enable_thinking": False}}


@each_row(
    "name, value, told",
    [
        ("body.effort", "low", r"a text stands in quotation marks \('body.effort=\"low\"'\)"),
        ("body.effort", "NaN", "Expected JSON"),
        ("body.a b", "1", "with the name of a field"),
        ("body.temperature", "1", r"has no option of its own, .* --vqamt-option temperature="),
        ("body.n", "2", r"Expected a field that can be set, .*: one answer to a query is read"),
        ("body.extra_body", "{}", r"body.NAME=JSON for each field in it"),
        ("logprobs", "21", "a whole number from 0 to 20"),
        ("logprob-steps", "3", "together with logprobs=K"),
        ("min-pixels", "0", "a whole number from 1 to"),
    ],
)
def test_what_cannot_be_sent_is_refused(name: str, value: str, told: str) -> None:
    with pytest.raises(OptionError, match=told) as error:
        chat_settings(ModelOptions(settings={name: value}))
    assert "\n" not in str(error.value)


@each_row(
    ("body", "with_reasoning", "without"),
    [
        (
            {"chat_template_kwargs": '{"enable_thinking": false, "lang": "en"}'},
            {"chat_template_kwargs": {"enable_thinking": True, "lang": "en"}},
            {"chat_template_kwargs": {"enable_thinking": False, "lang": "en"}},
        ),
        (
            {"chat_template_kwargs": '{"thinking": true}'},
            {"chat_template_kwargs": {"thinking": True}},
            {"chat_template_kwargs": {"thinking": False}},
        ),
        ({"reasoning_effort": '"high"'}, {"reasoning_effort": "high"}, {"reasoning_effort": "none"}),
        ({"reasoning_effort": '"minimal"'}, {"reasoning_effort": "medium"}, {"reasoning_effort": "minimal"}),
        ({"chat_template_kwargs": '{"lang": "en"}', "top_k": "1"}, {}, {}),
        ({}, {}, {}),
    ],
)
def test_reasoning_is_switched_by_the_fields_that_the_user_gave(
    body: dict[str, str], with_reasoning: dict[str, object], without: dict[str, object]
) -> None:
    settings = of(**{f"body__{name}": value for name, value in body.items()})
    assert (settings.reasoning(True), settings.reasoning(False)) == (with_reasoning, without)


def test_bounds_of_pixels_are_in_order() -> None:
    with pytest.raises(OptionError, match="min-pixels of at most max-pixels"):
        chat_settings(ModelOptions(settings={"min-pixels": "9", "max-pixels": "8"}))


def test_each_setting_changes_the_fingerprint() -> None:
    given = {"system": "Be brief.", "body.top_k": "1", "logprobs": "5", "min-pixels": "7", "max-pixels": "9"}
    fingerprints = {chat_settings(ModelOptions(settings={name: value})).fingerprint for name, value in given.items()}
    assert len(fingerprints | {""}) == 6
    assert chat_settings(ModelOptions(settings={"logprobs": "5", "logprob-steps": "3"})).fingerprint not in fingerprints
    assert of().fingerprint == "", "answers of before are still found"
    assert of(body__a="1 ").fingerprint == of(body__a="1").fingerprint


def test_any_name_may_follow_the_dot() -> None:
    assert split_settings({"body.top_k": "1"}, ("body.NAME",), "--vqamt-option")[1] == {"body.top_k": "1"}
    for name in ("body.", "body", "boody.top_k"):
        with pytest.raises(OptionError, match="Expected --vqamt-option to name a setting"):
            split_settings({name: "1"}, ("body.NAME",), "--vqamt-option")


@each_row(
    "size, bounds, wanted",
    [
        ((640, 480), (None, None), (640, 480)),
        ((640, 480), (1, 307_200), (640, 480)),
        ((640, 480), (None, 76_800), (320, 240)),
        ((640, 480), (1_228_800, None), (1280, 960)),
        ((1000, 3), (None, 1000), (577, 1)),
    ],
)
def test_pictures_keep_their_proportions_within_the_bounds(
    size: tuple[int, int], bounds: tuple[int | None, int | None], wanted: tuple[int, int]
) -> None:
    settings = ChatSettings(min_pixels=bounds[0], max_pixels=bounds[1])
    assert settings.resized(Image.new("RGB", size)).size == wanted


YES, NO = ("yes", log(0.7)), ("no", log(0.1))


def scored(tokens: list[str], at: int, *candidates: tuple[str, float]) -> dict[str, float] | None:
    """The probabilities that are found, where the token at ``at`` alone has candidates."""
    ends = [0, *accumulate(map(len, tokens))]
    found = token_scores(
        "".join(tokens), len(tokens), ends.__getitem__, lambda place: candidates if place == at else [("wrong", 0.0)]
    )
    return None if found is None else {label: round(exp(score), 6) for label, score in found}


@each_row(
    "tokens, at",
    [
        (["yes"], 0),
        ([" ", "Yes", "."], 1),
        (["<think>", "yes or no", "</think>", "\n\n", "yes"], 4),
        (['{"', "answer", '":', ' "', "yes", '"}'], 4),
        (['{"answer": ', '"yes', '"}'], 1),
    ],
)
def test_scores_are_of_the_first_token_of_the_answer(tokens: list[str], at: int) -> None:
    assert scored(tokens, at, YES, NO) == {"yes": 0.7, "no": 0.1}


def test_spellings_of_one_answer_are_added_up() -> None:
    assert scored(["Yes"], 0, ("Yes", log(0.5)), (" yes", log(0.2)), ("\n", log(0.2)), ("No", log(0.1))) == {
        "Yes": 0.7,
        "No": 0.1,
    }


def test_without_an_answer_there_are_no_scores() -> None:
    assert scored(["<think>", "yes"], 1, YES) is None
    assert scored([], 0, YES) is None
