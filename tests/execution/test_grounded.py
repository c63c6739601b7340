"""The grounded rate of an item: its cells, its chance, its gate, and its change since a baseline."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from hashlib import sha256

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.events import Event, Judged
from pytest_vqamt.core.query import Answer, ModelInput
from pytest_vqamt.core.results import Grounded, RelationResult
from pytest_vqamt.execution.judging import JudgedCase
from pytest_vqamt.execution.shrink import SimplestViolation
from pytest_vqamt.models.reference.oracle import answer_text, true_answer


class Replies:
    """A model that answers each query with a function of it."""

    batch_size = 16
    fingerprint = "replies"

    def __init__(self, reply: Callable[[ModelInput], str]) -> None:
        self._reply = reply

    def answer(self, batch: Sequence[ModelInput]) -> list[Answer]:
        return [Answer(self._reply(each)) for each in batch]


def truly(each: ModelInput) -> str:
    return answer_text(true_answer(each.query))


def by_text(each: ModelInput) -> str:
    return ("yes", "no")[sha256(each.text.encode()).digest()[0] % 2]


def result_of(
    reply: Callable[[ModelInput], str], relation: str = "metavqa.insertion[exists]", **options: object
) -> RelationResult:
    given = {"data": "pictures:60", "max_cases": 40, "sampler": "random", "contrast": 1.0, **options}
    return vqamt.run(model=Replies(reply), relations=relation, **given).relations[0]  # type: ignore[arg-type]  # as given


def grounded_of(result: RelationResult) -> Grounded:
    assert result.grounded is not None
    return result.grounded


def test_who_looks_is_grounded() -> None:
    found = grounded_of(result_of(truly))
    assert found.cells.consistent_changed == found.cells.cases > 30
    assert (found.rate, found.cells.errors, found.presumed) == (1, 0, None)
    assert found.chance.mean == pytest.approx(0.25)
    assert found.interval[1] == 1 > found.interval[0] > 0.8


def test_who_answers_by_the_text_alone_is_consistent_and_never_grounded() -> None:
    result = result_of(by_text)
    found = grounded_of(result)
    assert result.pass_rate == 1
    assert found.rate == 0
    assert found.cells.consistent_unchanged == found.cells.cases


def test_who_always_changes_is_not_grounded_where_the_relation_is_violated() -> None:
    pictures: dict[str, str] = {}

    def by_picture(each: ModelInput) -> str:
        number = len(pictures)
        return pictures.setdefault(each.query.picture.digest, ("yes", "no")[number % 2])

    cells = grounded_of(result_of(by_picture)).cells
    assert cells.inconsistent_changed > 0
    assert cells.cases == cells.consistent + cells.inconsistent_changed + cells.inconsistent_unchanged


def test_no_case_has_a_contrast_where_none_is_wanted() -> None:
    assert result_of(truly, contrast=0).grounded is None
    assert result_of(truly, contrast=None, preset="metavqa").grounded is None, "papers had none"
    half = grounded_of(result_of(truly, contrast=None))
    assert 10 < half.cells.cases < 30


def test_a_contrast_without_an_answer_is_an_error_and_its_case_is_not() -> None:
    heard: list[Event] = []
    result_of(truly, listen=heard.append)
    contrasts = {
        each.case.contrast.query.id for each in heard if isinstance(each, Judged) and each.case.contrast is not None
    }
    own = {query.id for each in heard if isinstance(each, Judged) for query in each.case.queries}
    [failing, *_] = sorted(contrasts - own)

    def fails(each: ModelInput) -> str:
        if each.query.id == failing:
            raise RuntimeError("no power")
        return truly(each)

    result = result_of(fails)
    cells = grounded_of(result).cells
    assert result.tally.errors == 0
    assert cells.errors >= 1
    assert cells.consistent_changed == cells.cases


@pytest.mark.parametrize(
    ("threshold", "met"), [("0.9", True), ("1", True), ("metavqa.*=0.9", True), ("carets.*=0.9", None)]
)
def test_gates_of_who_looks(threshold: str, met: bool | None) -> None:
    result = result_of(truly, grounded_under=threshold)
    held = grounded_of(result).gate
    assert (held.met if held else None) is met
    assert result.gates == ((held,) if held else ())


def test_who_does_not_look_misses_the_gate_on_the_grounded_rate_alone() -> None:
    result = result_of(by_text, grounded_under=0.1, fail_under=0.9)
    assert [(each.kind, each.met) for each in result.gates] == [("fail-under", True), ("grounded-under", False)]


def test_a_gate_that_names_an_item_without_contrasts_is_missed() -> None:
    result = result_of(truly, data="pictures:1", grounded_under="metavqa.*=0.5", max_cases=3)
    found = grounded_of(result)
    if found.cells.cases == 0:  # by edits of the one picture it may have some
        assert found.gate is not None
        assert not found.gate.met


def test_rates_that_are_none_are_refused() -> None:
    with pytest.raises(OptionError, match=r"Expected a grounded rate from 0 to 1.*but got grounded_under='2'"):
        result_of(truly, grounded_under="2")
    with pytest.raises(OptionError, match=r"from 0 to 1, but got contrast=1\.5"):
        result_of(truly, contrast=1.5)


def test_the_outcome_of_a_case_does_not_depend_on_its_contrast() -> None:
    with_, without = (result_of(by_text, contrast=share) for share in (1.0, 0))
    assert (with_.tally, with_.breakdown, with_.readings, with_.violation) == (
        without.tally,
        without.breakdown,
        without.readings,
        without.violation,
    )


def test_the_simplest_contrast_that_is_not_told_apart_is_of_a_case_that_holds() -> None:
    assert result_of(truly).ungrounded is None
    shown = result_of(by_text).ungrounded
    assert shown is not None
    own, other = shown.queries
    assert own.text == other.text
    assert own.answer == other.answer
    assert own.picture != other.picture
    assert other.edits
    assert "must be another" in shown.expected
    assert shown.reason == f"{shown.expected}, but got {other.answer}"

    def sees_half(each: ModelInput) -> str:
        """It breaks some relations, and sees no contrast of others."""
        return truly(each) if each.query.picture.digest[0] in "01234567" else "no"

    heard: list[Judged] = []
    result = result_of(sees_half, listen=lambda event: heard.append(event) if isinstance(event, Judged) else None)
    assert result.violation is not None
    assert result.ungrounded is not None
    (judged,) = (each for each in heard if each.case.id == result.ungrounded.id)
    assert judged.verdict.obeys
    assert judged.verdict.contrast is not None
    assert judged.verdict.contrast.violates
    misses = [each for each in heard if each.verdict.contrast and each.verdict.contrast.violates]
    assert any(not each.verdict.obeys for each in misses)
    objects = [len(each.case.queries[0].picture.scene.objects) for each in misses if each.verdict.obeys]
    assert len(judged.case.queries[0].picture.scene.objects) == min(objects)
    cases = [JudgedCase(case=each.case, answers=each.answers, verdict=each.verdict) for each in misses]
    simple = min((each for each in cases if not each.verdict.obeys), key=lambda each: each.complexity[2:])
    complicated = max((each for each in cases if each.verdict.obeys), key=lambda each: each.complexity[2:])
    assert simple.complexity[2:] < complicated.complexity[2:]
    for order in ((simple, complicated), (complicated, simple)):
        simplest = SimplestViolation(of_contrast=True)
        for each in order:
            simplest.consider(each, part=0, baseline=None)
        assert simplest.case is complicated, "a case that holds shows better that the model does not look"
