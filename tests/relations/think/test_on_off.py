"""With and without reasoning a question has one answer."""

from __future__ import annotations

from pytest_vqamt import run
from pytest_vqamt.core.case import Case, Outcome
from pytest_vqamt.relations.control import OnOff
from tests.making import answers_of, scene_of
from tests.relations.deriving import cases_of
from tests.rows import each_row

ON_OFF = OnOff()
YARD = scene_of("dog", "dog", "car")


def cases() -> list[Case]:
    return cases_of(ON_OFF, YARD, draws=30)


def test_one_text_is_asked_without_reasoning_and_with_it() -> None:
    for case in cases():
        without, wanted = case.queries
        assert (without.reasoning, wanted.reasoning) == (False, True)
        assert (without.text, without.meaning, without.picture) == (wanted.text, wanted.meaning, wanted.picture)
        assert without.id != wanted.id


@each_row(
    ("texts", "outcome"),
    [
        (("yes", "<think>There is a dog.</think>Yes."), Outcome.HOLDS),
        (("yes", "<think>Yes? There is none.</think>No."), Outcome.VIOLATED),
        (("yes", "<think>There is a dog, so yes"), Outcome.UNPARSED),
    ],
)
def test_the_verdict(texts: tuple[str, str], outcome: Outcome) -> None:
    asked = next(case for case in cases() if not case.queries[0].text.startswith(("How", "What")))
    assert ON_OFF.judge(asked, answers_of(*texts)).outcome is outcome


def test_a_model_that_cannot_switch_declines_every_case() -> None:
    report = run(model=lambda image, text: "yes", data="pictures:10", relations="think.on_off", max_cases=4)  # noqa: ARG005
    (result,) = report.relations
    assert (result.tally.declined, result.tally.judged) == (4, 0)


def test_the_violation_that_is_shown_tells_the_two_queries_apart() -> None:
    report = run(model="fault:thinks-itself-wrong", data="pictures:10", relations="think.on_off", max_cases=4, shrink=0)
    violation = report.relations[0].violation
    assert violation is not None
    notes = [query.asked.rpartition(" [")[2] for query in violation.queries]
    assert notes == ["without reasoning]", "with reasoning]"]
