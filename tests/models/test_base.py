"""Any object with one of the methods, or a function of image and text, becomes a model; what it returns is checked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING

import numpy as np
import pytest

from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import ModelError, OptionError, location
from pytest_vqamt.core.query import CANNOT_SWITCH, Answer, ModelInput, Query, Task
from pytest_vqamt.models.protocol import Deferred, ModelOptions, declared_size, declared_usage
from pytest_vqamt.models.wrapped import wrap_model
from tests.rows import each_row

if TYPE_CHECKING:
    from PIL.Image import Image

    from tests.models.conftest import Ask


DEFAULTS = ModelOptions()


def test_only_who_switches_its_reasoning_is_given_queries_that_say_how(ask: Ask) -> None:
    batch = [ask(reasoning=reasoning) for reasoning in (True, None, False)]
    declined = CANNOT_SWITCH.answer
    for switches in (True, False):
        wishes = Wishes(switches=switches)
        model = wrap_model("m", wishes, DEFAULTS)
        model.prepare(Task.VQA, batch)
        said = [Answer("with reasoning"), Answer("as usual"), Answer("without reasoning")]
        assert model.ask(Task.VQA, batch) == tuple(said if switches else (declined, said[1], declined))
        assert wishes.prepared == (batch if switches else batch[1:2])
    assert declined.declined == "the model cannot switch its reasoning"


class Echo:
    """Answers with the text it is asked."""

    fingerprint = "echo 1"
    batch_size = 7

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [Answer(asked.text) for asked in batch]


class Wishes:
    """Says how it is to answer; ``stream_answers`` does the same."""

    def __init__(self, *, switches: bool) -> None:
        self.switches_reasoning = switches
        self.prepared: list[ModelInput] = []

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return [asked.query.manner or "as usual" for asked in batch]

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        self.prepared.extend(batch)


class Labels:
    """Does two tasks, told apart by what it says."""

    def caption(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [Answer("a caption") for _ in batch]

    def entail(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [Answer("neutral") for _ in batch]


class Returns:
    """Returns one given value, whatever it is asked."""

    def __init__(self, value: object) -> None:
        self.value = value

    def answer(self, batch: Sequence[ModelInput]) -> object:
        return self.value


ANSWER = location(Returns.answer)
"""Where the method stands, as messages say it."""


def test_an_object_declares_what_it_is() -> None:
    model = wrap_model("mine", Echo(), DEFAULTS)
    assert (model.name, model.tasks, model.fingerprint) == ("mine", (Task.VQA,), "echo 1")
    assert (model.persistent, model.batch_size, model.deferred) == (True, 7, None)


def test_answers_come_in_the_order_of_the_inputs(ask: Ask) -> None:
    answers = wrap_model("mine", Echo(), DEFAULTS).ask(Task.VQA, [ask(text="one"), ask(text="two")])
    assert answers == (Answer("one"), Answer("two"))


def test_tasks_follow_from_the_methods_in_a_fixed_order(ask: Ask) -> None:
    model = wrap_model("mine", Labels(), DEFAULTS)
    assert model.tasks == (Task.ENTAILMENT, Task.CAPTIONING)
    assert model.ask(Task.ENTAILMENT, [ask()]) == (Answer("neutral"),)
    assert model.ask(Task.CAPTIONING, [ask()]) == (Answer("a caption"),)


def test_a_task_that_the_model_does_not_do_is_refused(ask: Ask) -> None:
    with pytest.raises(ModelError) as told:
        wrap_model("mine", Labels(), DEFAULTS).ask(Task.VQA, [ask()])
    assert str(told.value) == "Expected a task of model 'mine' (entailment, captioning), but got task='vqa'"


def test_a_model_without_a_fingerprint_is_not_persistent_and_keeps_its_own_name() -> None:
    first, second = wrap_model("one", Labels(), DEFAULTS), wrap_model("two", Labels(), DEFAULTS)
    assert not first.persistent
    assert first.fingerprint != second.fingerprint
    assert wrap_model("one", Labels(), DEFAULTS).fingerprint == first.fingerprint


@each_row("declared, asked_for, used", [(None, None, 32), (7, None, 7), (7, 3, 3), (None, 3, 3)])
def test_the_users_batch_size_wins_over_the_models(declared: int | None, asked_for: int | None, used: int) -> None:
    model = Echo()
    model.batch_size = declared  # type: ignore[assignment]  # a model may say None
    assert wrap_model("mine", model, ModelOptions(batch_size=asked_for)).batch_size == used


@each_row("size", [0, -1, True, "8"])
def test_a_batch_size_that_is_no_number_of_inputs_is_refused(size: object) -> None:
    model = Echo()
    model.batch_size = size  # type: ignore[assignment]  # that is what is tested
    with pytest.raises(ModelError, match=rf"batch_size of model 'mine' to be 1 or more, but got batch_size={size!r}"):
        wrap_model("mine", model, DEFAULTS)


def test_an_option_for_the_batch_size_is_at_least_one() -> None:
    with pytest.raises(OptionError, match="batch size of 1 or more, or auto, but got batch_size=0"):
        ModelOptions(batch_size=0)


def test_a_fingerprint_that_is_a_method_is_refused() -> None:
    class Model(Labels):
        def fingerprint(self) -> str:
            return "1"

    with pytest.raises(ModelError, match=r"fingerprint of model 'mine' to be a string .* but got .*\(method\)$"):
        wrap_model("mine", Model(), DEFAULTS)


def test_a_function_of_image_and_text_is_called_once_per_input(ask: Ask) -> None:
    seen: list[tuple[tuple[int, int], str]] = []

    def respond(image: Image, text: str) -> str:
        seen.append((image.size, text))
        return text.upper()

    model = wrap_model("mine", respond, DEFAULTS)
    assert (model.tasks, model.persistent) == ((Task.VQA,), False)
    assert model.ask(Task.VQA, [ask(text="a"), ask(text="b")]) == (Answer("A"), Answer("B"))
    assert seen == [((200, 100), "a"), ((200, 100), "b")]


def test_a_callable_object_is_a_function() -> None:
    class Respond:
        fingerprint = "v2"

        def __call__(self, image: Image, text: str, temperature: float = 0.0) -> str:
            return "yes"

    model = wrap_model("mine", Respond(), DEFAULTS)
    assert (model.tasks, model.fingerprint) == ((Task.VQA,), "v2")


def test_methods_win_over_being_callable(ask: Ask) -> None:
    class Both(Echo):
        def __call__(self, image: Image, text: str) -> str:
            return "called"

    assert wrap_model("mine", Both(), DEFAULTS).ask(Task.VQA, [ask(text="hi")]) == (Answer("hi"),)


class Answers:
    """Has an attribute of a method's name that is no method."""

    answer = "yes"


@each_row(
    "model, got",
    [
        (3, "3 (int)"),
        (Answers(), " (Answers)"),
        (str.upper, " (method_descriptor)"),
        (str.replace, " (method_descriptor)"),
        (Echo, "the class <class "),
    ],
)
def test_what_is_no_model_is_refused(model: object, got: str) -> None:
    with pytest.raises(ModelError) as told:
        wrap_model("mine", model, DEFAULTS)
    wanted = (
        "Expected model 'mine' to be an object with a method answer, entail or caption, or a function f(image, text)"
    )
    assert str(told.value).startswith(f"{wanted}, but got ")
    assert got in str(told.value)


class OfOne:
    """Answers one question, where a batch is wanted."""

    def answer(self, image: Image, question: str) -> str:
        return f"{image} {question}"


class Async:
    async def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return ["yes" for _ in batch]

    async def one(self, image: Image, question: str) -> str:
        return f"{image} {question}"


class AsyncCall:
    async def __call__(self, image: Image, question: str) -> str:
        return f"{image} {question}"


def test_a_class_that_answers_one_question_is_told_of_batches() -> None:
    with pytest.raises(ModelError) as told:
        wrap_model("mine", OfOne(), DEFAULTS)
    wanted = f"Expected OfOne.answer() of model 'mine' ({location(OfOne.answer)}) to take one batch, "
    assert str(told.value).startswith(f"{wanted}answer(self, batch), but it takes (image")
    assert "question" in str(told.value)
    assert "function f(image, text)" in str(told.value)
    assert wrap_model("mine", OfOne().answer, DEFAULTS).tasks == (Task.VQA,)


@each_row("model, name", [(Async(), "Async.answer"), (Async().one, "Async.one"), (AsyncCall(), "AsyncCall")])
def test_what_is_async_is_refused(model: object, name: str) -> None:
    with pytest.raises(ModelError) as told:
        wrap_model("mine", model, DEFAULTS)
    assert str(told.value).startswith(f"Expected {name}() of model 'mine'")
    assert str(told.value).endswith("but it is async: call it in a plain function, return asyncio.run(...)")


@pytest.mark.filterwarnings("error")
def test_a_coroutine_for_an_answer_is_refused_and_closed(ask: Ask) -> None:
    model = wrap_model("mine", lambda image, text: Async().one(image, text), DEFAULTS)
    with pytest.raises(ModelError, match=r"but it returns a coroutine: .*asyncio\.run"):
        model.ask(Task.VQA, [ask(), ask()])
    model = wrap_model("mine", Returns(Async().answer(())), DEFAULTS)
    with pytest.raises(ModelError, match=r"Expected Returns\.answer\(\).* but it returns a coroutine: "):
        model.ask(Task.VQA, [ask(), ask()])


@each_row("returned", [["yes", "no"], ("yes", "no"), np.array(["yes", "no"]), iter(["yes", "no"])])
def test_texts_stand_for_answers(ask: Ask, returned: object) -> None:
    answers = wrap_model("mine", Returns(returned), DEFAULTS).ask(Task.VQA, [ask(), ask()])
    assert answers == (Answer("yes"), Answer("no"))
    assert {type(answer.text) for answer in answers} == {str}


def test_answers_keep_their_scores(ask: Ask) -> None:
    scored = Answer("yes", scores=(("yes", 0.75), ("no", 0.25)))
    assert wrap_model("mine", Returns([scored]), DEFAULTS).ask(Task.VQA, [ask()]) == (scored,)


@each_row("returned, count", [(["yes"], 1), ([], 0), (["yes"] * 3, 3)])
def test_too_few_or_too_many_answers_are_refused(ask: Ask, returned: list[str], count: int) -> None:
    with pytest.raises(ModelError) as told:
        wrap_model("mine", Returns(returned), DEFAULTS).ask(Task.VQA, [ask(), ask()])
    assert str(told.value) == (
        f"Expected Returns.answer() of model 'mine' ({ANSWER}) to return 2 answers, one per input, but got {count}"
    )


@each_row(
    "returned, got",
    [
        (None, "None (NoneType)"),
        ("no", "'no' (str)"),
        (Answer("no"), "(Answer)"),
        ({0: "yes", 1: "no"}, "(dict)"),
        ({"yes", "no"}, "(set)"),
    ],
)
def test_what_is_no_sequence_of_answers_is_refused(ask: Ask, returned: object, got: str) -> None:
    with pytest.raises(ModelError) as told:
        wrap_model("mine", Returns(returned), DEFAULTS).ask(Task.VQA, [ask(), ask()])
    assert str(told.value).startswith(
        f"Expected Returns.answer() of model 'mine' ({ANSWER}) to return a sequence of answers, but got "
    )
    assert str(told.value).endswith(got)


@each_row(
    "value, got",
    [
        (None, "None (NoneType)"),
        (3, "3 (int)"),
        (("yes", 0.5), "('yes', 0.5) (tuple)"),
        (Answer(3), "(Answer)"),  # type: ignore[arg-type]  # that is what is tested
    ],
)
def test_a_value_that_is_no_answer_is_refused(ask: Ask, value: object, got: str) -> None:
    with pytest.raises(ModelError) as told:
        wrap_model("mine", Returns(["yes", value]), DEFAULTS).ask(Task.VQA, [ask(), ask(text="how many?")])
    assert str(told.value).startswith(
        f"Expected Returns.answer() of model 'mine' ({ANSWER}) to return an Answer(text, scores), a Declined or a "
        "str for each "
        "input, but got "
    )
    assert str(told.value).endswith(f"{got} for text='how many?'")


@each_row(
    "field, value",
    [
        ("scores", {"yes": 1.0}),
        ("scores", (("yes", "1"),)),
        ("scores", (("yes", float("nan")),)),
        ("scores", 7),
        ("cost", "1"),
        ("cost", float("nan")),
        ("tokens_in", -3),
        ("tokens_out", True),
    ],
)
def test_a_part_of_an_answer_that_cannot_be_used_is_named(ask: Ask, field: str, value: object) -> None:
    answer = replace(Answer("yes"), **{field: value})
    with pytest.raises(ModelError, match=rf"to return {field}.* but got {field}=.*\)$"):
        wrap_model("mine", Returns([answer]), DEFAULTS).ask(Task.VQA, [ask()])


def test_numbers_of_numpy_become_those_of_json(ask: Ask) -> None:
    numpy = pytest.importorskip("numpy")
    given = Answer("yes", [("yes", numpy.float64(0.75)), ("no", numpy.float32(0.25))], cost=numpy.float64(2))  # type: ignore[arg-type]  # a list
    (answer,) = wrap_model("mine", Returns([given]), DEFAULTS).ask(Task.VQA, [ask()])
    assert isinstance(answer, Answer)
    assert (answer.scores, answer.cost) == ((("yes", 0.75), ("no", 0.25)), 2.0)
    assert {type(number) for number in (*dict(answer.scores or ()).values(), answer.cost)} == {float}


def test_what_a_function_returns_is_checked_under_its_own_name(ask: Ask) -> None:
    def respond(image: Image, text: str) -> int:
        return 3

    with pytest.raises(
        ModelError,
        match=r"^Expected .*respond\(\) of model 'mine' \(.*py:\d+\) to return .* but got 3 ",
    ):
        wrap_model("mine", respond, DEFAULTS).ask(Task.VQA, [ask()])


def test_nothing_is_asked_of_an_empty_batch() -> None:
    assert wrap_model("mine", Returns(None), DEFAULTS).ask(Task.VQA, []) == ()


def test_what_the_model_raises_is_passed_on_unchanged(ask: Ask) -> None:
    class OutOfMemoryError(Exception):
        pass

    class Model:
        def answer(self, batch: Sequence[ModelInput]) -> Iterator[str]:
            yield "yes"
            raise OutOfMemoryError

    with pytest.raises(OutOfMemoryError):
        wrap_model("mine", Model(), DEFAULTS).ask(Task.VQA, [ask(), ask()])


def test_a_model_with_a_todo_list_says_so() -> None:
    class Later(Echo):
        todo_file = Path("todo.jsonl")

        def lacks(self, query: Query) -> bool:
            return True

        def todo(self, queries: Iterable[Query]) -> None: ...

        def prune(self) -> None: ...

    later = Later()
    assert wrap_model("mine", later, DEFAULTS).deferred is later
    assert isinstance(later, Deferred)


def test_an_answer_that_no_file_can_hold_is_made_writable(plain: ModelInput) -> None:
    model = wrap_model("mine", Returns(["yes \ud83d"]), DEFAULTS)
    (answer,) = model.ask(Task.VQA, [plain])
    assert answer == Answer("yes \\ud83d")


class Prepares:
    """Leaves a note on each input ahead, and answers with it."""

    batches_at_once = 3

    def __init__(self, fails: Exception | None = None) -> None:
        self.fails = fails
        self.last: object = None

    def prepare(self, task: Task, batch: Sequence[ModelInput]) -> None:
        for asked in batch:
            asked.prepared = f"{task} {asked.text}"
            if self.fails:
                raise self.fails

    def answer(self, batch: Sequence[ModelInput]) -> list[str]:
        return [str(asked.prepared) for asked in batch]


def test_what_was_prepared_is_there_for_the_answer_and_let_go_after_it(ask: Ask) -> None:
    model, batch = wrap_model("mine", Prepares(), DEFAULTS), [ask(text="one"), ask(text="two")]
    model.prepare(Task.VQA, batch)
    assert model.ask(Task.VQA, batch) == (Answer("vqa one"), Answer("vqa two"))
    assert [asked.prepared for asked in batch] == [None, None]
    assert model.ask(Task.VQA, batch) == (Answer("None"), Answer("None"))


def test_what_preparing_raises_is_passed_over_and_nothing_is_left_half_prepared(ask: Ask) -> None:
    model, batch = wrap_model("mine", Prepares(ValueError("no such picture")), DEFAULTS), [ask(), ask()]
    model.prepare(Task.VQA, batch)
    assert [asked.prepared for asked in batch] == [None, None]
    assert model.ask(Task.VQA, batch) == (Answer("None"), Answer("None"))


def test_what_was_prepared_is_let_go_where_the_model_raises(ask: Ask) -> None:
    class Fails(Prepares):
        def answer(self, batch: Sequence[ModelInput]) -> list[str]:
            raise RuntimeError

    model, batch = wrap_model("mine", Fails(), DEFAULTS), [ask()]
    model.prepare(Task.VQA, batch)
    with pytest.raises(RuntimeError):
        model.ask(Task.VQA, batch)
    assert batch[0].prepared is None


def test_a_method_of_that_name_for_other_purposes_is_left_alone(ask: Ask) -> None:
    class Other(Echo):
        def prepare(self, folder: str) -> None:
            raise AssertionError(folder)

    model, batch = wrap_model("mine", Other(), DEFAULTS), [ask(text="one")]
    model.prepare(Task.VQA, batch)
    assert model.ask(Task.VQA, batch) == (Answer("one"),)


def test_a_model_may_say_from_how_many_threads_it_may_be_asked() -> None:
    assert wrap_model("mine", Prepares(), DEFAULTS).batches_at_once == 3
    assert wrap_model("mine", Echo(), DEFAULTS).batches_at_once == 1


def test_a_number_of_batches_at_once_that_is_none_is_refused() -> None:
    model = Prepares()
    model.batches_at_once = 0
    with pytest.raises(ModelError, match="batches_at_once of model 'mine' to be 1 or more, but got batches_at_once=0"):
        wrap_model("mine", model, DEFAULTS)


def test_what_is_not_declared_has_its_default() -> None:
    assert declared_size("m", object(), "batch_size", 32) == 32
    assert declared_usage("m", object()) == {}


def test_what_is_declared_is_taken() -> None:
    model = SimpleNamespace(largest_batch=9, usage={"tokens in": 3, "cost": 0.5})
    assert declared_size("m", model, "largest_batch", 32) == 9
    assert declared_usage("m", model) == {"tokens in": 3, "cost": 0.5}


@each_row("size", [0, -1, True, "8", 2.0])
def test_a_size_that_is_none_is_refused(size: object) -> None:
    with pytest.raises(ModelError, match="Expected the largest_batch of model 'm' to be 1 or more"):
        declared_size("m", SimpleNamespace(largest_batch=size), "largest_batch", 32)


@each_row("usage", [[], {"tokens": "3"}, {3: 3}, {"tokens": float("nan")}, "much"])
def test_usage_that_is_none_is_refused(usage: object) -> None:
    with pytest.raises(ModelError, match="Expected the usage of model 'm' to map names to numbers"):
        declared_usage("m", SimpleNamespace(usage=usage))
