"""What is cut off an answer before it is read."""

from __future__ import annotations

import pytest

from pytest_vqamt.core.meaning import Exists, Group
from pytest_vqamt.language.answers.answer_text import Unreadable, UnreadableAnswer, prepare
from pytest_vqamt.language.answers.choices import read_choice
from pytest_vqamt.language.answers.counts import read_count
from pytest_vqamt.language.answers.final import parse_tags, strip_traces
from pytest_vqamt.language.answers.yes_no import read_yes_no
from tests.rows import each_row
from tests.wrappers import WRAPPERS


@each_row(
    ("text", "rest"),
    [
        ("yes", "yes"),
        (" yes\n", "yes"),
        ("<think>a\nb</think>yes", "yes"),
        ("<THINK>a</THINK> Yes", "Yes"),
        ("<think>a</think><think>b</think>two", "two"),
        ("<thinking>a</thinking>two<reasoning>b</reasoning>", "two"),
        ("[think]a[/think]two", "two"),
        ("it was opened before</think>two", "two"),
        ("two<think>was it", ""),
        ("<think>was it", ""),
        ("<think></think>", ""),
        ("a < b", "a < b"),
        ("<thinker>", "<thinker>"),
    ],
)
def test_reasoning_is_cut_off(text: str, rest: str) -> None:
    assert strip_traces(text).text == rest


@each_row(
    ("text", "prepared"),
    [
        ("It's a DOG", "it is a dog"),
        ("There isn\u2019t one", "there is not one"),
        ("I can't", "i can not"),
        ("I cannot see it", "i can not see it"),
        ("They're there; we won't", "they are there; we will not"),
        ("**Two**  `dogs`", "two dogs"),
        ("yes</s><|im_end|>", "yes"),
        ("2\u20133", "2-3"),
        ("the dog's bowl", "the dog's bowl"),
        ("snake_case _this_", "snake_case this"),
        ("Two, as I see.\nFinal answer: 3", "3"),
        ("Answer:", "answer:"),
        (r"So \boxed{\text{Yes}}.", "yes"),
        ("<answer> no </answer> I said", "no"),
        ("I'm not able to determine that, but there are two", "there are two"),
    ],
)
def test_the_answer_proper_is_left(text: str, prepared: str) -> None:
    assert prepare(text).text == prepared


def test_no_more_than_the_first_2400_characters_are_read_and_no_word_is_cut() -> None:
    numbers = [f" {number}" for number in range(10_000, 11_000)]  # 6 characters each, and 399 of them are 2,394
    assert prepare("x" + "".join(numbers)).text == "x" + "".join(numbers[:399])
    assert prepare("thinking. " * 1000 + "Answer: x" + "".join(numbers)).text == "x" + "".join(numbers[:399])


def test_a_loop_is_read_as_a_few_turns() -> None:
    assert prepare("dog " * 2000).text == " ".join(["dog"] * 8)


@each_row(
    "repeated",
    ["word ", "dog ", "no dog, ", "<think>", "_", "many and ", "\n", "not ", "9", "3 dogs there is ", "total 3 and "],
    sample=4,
)
def test_answers_without_end_are_read(repeated: str) -> None:
    """They end, which a reader that takes the cube of a length would not."""
    endless, long = (f"a{repeated * times}b" for times in (8000, 80))
    assert read_count(endless) == read_count(long)
    assert read_yes_no(endless, Exists(group=Group(name="dog"))) == read_yes_no(long, Exists(group=Group(name="dog")))
    assert read_choice(endless, ("red", "blue")) == read_choice(long, ("red", "blue"))


@each_row(
    ("text", "cause"),
    [
        ("I'm sorry, but I can't assist with that.", Unreadable.REFUSAL),
        ("I must respectfully decline.", Unreadable.REFUSAL),
        ("I won't answer that; it goes against my guidelines.", Unreadable.REFUSAL),
        ("I cannot determine this, but I cannot see the image either.", Unreadable.SEES_NOTHING),
        ("I do not have access to the picture.", Unreadable.SEES_NOTHING),
        ("No image has been provided.", Unreadable.SEES_NOTHING),
        ("It looks like the image didn't come through. Could you upload it again?", Unreadable.SEES_NOTHING),
        ("The image is completely black.", Unreadable.SEES_NOTHING),
        ("As a text-based AI, I can't view images.", Unreadable.SEES_NOTHING),
        ("It's impossible to tell from the picture.", Unreadable.UNSURE),
        ("Unanswerable", Unreadable.UNSURE),
        ("There is not enough information to say.", Unreadable.UNSURE),
        ("I can't see the picture clearly enough to tell.", Unreadable.UNSURE),
        ("<think>It might be two.", Unreadable.CUT_OFF),
        ("<think>It might be two.</think>", Unreadable.EMPTY),
    ],
)
def test_a_refusal_is_no_answer(text: str, cause: Unreadable) -> None:
    assert prepare(text).unreadable == UnreadableAnswer(cause)


@pytest.mark.parametrize(
    "text", ["I can't see a dog.", "I cannot identify any dogs.", "Sorry, no.", "As an AI, I see two."]
)
def test_an_answer_is_no_refusal(text: str) -> None:
    assert prepare(text).unreadable is None


@each_row("text", ["", " \n", "...", "?!", "<think>hm</think>", "**", "</s>"])
def test_nothing_said_is_an_empty_answer(text: str) -> None:
    assert prepare(text).unreadable == UnreadableAnswer(Unreadable.EMPTY)


# Reasoning traces of today's models are cut off, and nothing in them is an answer.


@pytest.mark.parametrize("wrap", WRAPPERS.values(), ids=list(WRAPPERS))
def test_the_answer_is_what_follows_the_trace(wrap: str) -> None:
    assert prepare(wrap.format(trace="maybe no, or 4", answer="Yes")).text == "yes"


@pytest.mark.parametrize(
    "text",
    [
        "<think>maybe no",
        "Yes. <think>maybe no",
        "<think>a <think>b</think> maybe no",
        "\u25c1think\u25b7maybe no",
        "<|channel|>analysis<|message|>maybe no<|end|>",
        "<|channel>thought\nmaybe no",
        "[THINK]maybe no",
        "<seed:think>maybe no",
    ],
)
def test_a_trace_without_an_end_leaves_nothing(text: str) -> None:
    assert (strip_traces(text).text, strip_traces(text).is_cut_off) == ("", True)


@pytest.mark.parametrize(
    "text", ["a < b", "<thinker> yes", "[Reasoning] It barks. Yes", "<think/>Yes", "Yes</details>"]
)
def test_other_texts_have_no_trace(text: str) -> None:
    assert not strip_traces(text).is_cut_off


def test_further_marks_are_names_or_pairs() -> None:
    more = parse_tags("plan, <<T>> <</T>>")

    assert strip_traces("<plan>no</plan> <<T>>4<</T>> Yes", more).text == "Yes"
    assert strip_traces("<plan>no", more).is_cut_off
    assert strip_traces("<plan>no</plan> Yes").text == "<plan>no</plan> Yes"
