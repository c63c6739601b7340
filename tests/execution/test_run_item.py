"""From the cases of an item to its result, and what listeners hear on the way."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from pytest_vqamt.core.case import Outcome
from pytest_vqamt.core.errors import ModelError
from pytest_vqamt.core.events import Answered, Event, Finished, Judged, Planned, Stopped
from pytest_vqamt.core.query import Query
from pytest_vqamt.core.report_json import case_from_row
from pytest_vqamt.core.results import Gate, ModelUse, RelationResult, ViolationPreview
from pytest_vqamt.core.tallies import Tally
from pytest_vqamt.execution import plan_ahead
from pytest_vqamt.execution.answer_cache import AnswerStores
from pytest_vqamt.execution.plan import Job, RunOptions, Sampling
from pytest_vqamt.execution.run_item import run_item
from pytest_vqamt.sampling.chooser import Sampler
from pytest_vqamt.stats.thresholds import Threshold
from tests.execution.worlds import Model, Rule, Scenes, loaded, never

SAMPLING = Sampling(max_cases=10, sampler=Sampler.RANDOM)


def result_of(
    model: object,
    *,
    rule: Rule | None = None,
    terms: RunOptions | None = None,
    stores: AnswerStores | None = None,
    heard: list[Event] | None = None,
    scenes: int = 5,
) -> RelationResult:
    job = Job(relation=rule or Rule(), variant="", model=loaded(model), source=Scenes(scenes), position=3)
    kept = stores or AnswerStores(None)
    try:
        return run_item(
            job, terms or RunOptions(sampling=SAMPLING, shrink=0), kept, heard.append if heard is not None else _silent
        )
    finally:
        if stores is None:
            kept.close()


def _silent(event: Event) -> None:
    """Listens to nothing."""


def even_differs(text: str) -> str:
    """The same to the two questions of a case with an odd number, other answers where it is even."""
    word, _, number = text.partition(" ")
    return word if int(number) % 2 == 0 else "same"


def test_a_model_that_obeys() -> None:
    result = result_of(Model(), terms=RunOptions(sampling=SAMPLING, thresholds=(Threshold.parse("0.5"),)))
    assert (result.item, result.position, result.claim, result.version) == ("ours.rule", 3, "All is one.", 1)
    assert result.tally == Tally(cases=10, holds=10)
    assert result.pass_rate == 1
    assert result.gate == Gate(kind="fail-under", threshold=0.5, on="point", met=True)
    assert result.readings == {"same": 20}
    assert (result.model.queries_asked, result.model.queries_cached) == (20, 0)
    assert (result.data.spec, result.data.scenes, result.data.digest) == ("made:5", 5, "digest of 5")
    assert result.violation is None
    assert result.error == ""


def test_a_model_that_does_not() -> None:
    heard: list[Event] = []
    result = result_of(Model(reply=even_differs), heard=heard)
    even = [each for each in judged(heard) if int(each.case.queries[0].text.split()[1]) % 2 == 0]
    assert 0 < len(even) < 10
    assert result.tally == Tally(cases=10, holds=10 - len(even), violated=len(even))
    assert all(each.verdict.outcome is Outcome.VIOLATED for each in even)


def test_listeners_hear_of_every_step() -> None:
    heard: list[Event] = []
    result = result_of(Model(), heard=heard)
    assert heard[0] == Planned(item="ours.rule", cases=10, queries=20, cached=0)
    assert [event.queries for event in heard if isinstance(event, Answered)] == [4] * 5
    assert len({each.case.id for each in judged(heard)}) == 10
    assert {(each.model, each.data, each.waived) for each in judged(heard)} == {("made", "made:5", False)}
    assert isinstance(heard[-1], Finished)
    assert (heard[-1].result, len(heard[-1].queries or ())) == (result, 20)


def test_a_long_run_is_made_in_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan_ahead, "WINDOW", 4)
    heard: list[Event] = []
    result = result_of(Model(batch_size=100), heard=heard)
    assert [event.cases for event in heard if isinstance(event, Planned)] == [4, 4, 2]
    assert result.tally.cases == 10
    whole = result_of(Model(batch_size=100))
    assert whole.tally == result.tally


def test_the_simplest_of_the_violations_is_shown() -> None:
    heard: list[Event] = []
    result = result_of(Model(reply=even_differs), heard=heard)
    violated = [each.case for each in judged(heard) if each.verdict.violates]
    fewest = min(len(case.queries[0].picture.scene.objects) for case in violated)
    assert result.violation is not None
    (shown,) = [case for case in violated if case.id == result.violation.id]
    assert len(shown.queries[0].picture.scene.objects) == fewest
    assert [query.text for query in result.violation.queries] == [query.text for query in shown.queries]
    assert [query.answer for query in result.violation.queries] == ["first", "second"]
    assert result.violation.reason == "all answers must be the same, but got first, second"


def test_it_is_simplified_within_the_budget() -> None:
    terms = RunOptions(sampling=Sampling(max_cases=10, sampler=Sampler.HYPOTHESIS), shrink=200)
    model = Model(reply=even_differs)
    result = result_of(model, terms=terms)
    assert result.violation is not None
    # The scene with one dog, and the smallest even number.
    assert [query.text for query in result.violation.queries] == ["first 0", "second 0"]
    assert result.violation.scene == "scene 0"
    assert result.tally.cases == 10, "what was tried on the way is no case of the run"
    assert len(model.asked) <= 20 + 200


def large_differs(text: str) -> str:
    """Other answers to the two questions of a case with a number from 1000 up."""
    word, _, number = text.partition(" ")
    return word if int(number) >= 1000 else "same"


@pytest.mark.parametrize("shrink", [0, 1, 2, 7, 30])
def test_the_budget_is_kept(shrink: int) -> None:
    model = Model(reply=large_differs)
    result = result_of(model, terms=RunOptions(sampling=Sampling(max_cases=10), shrink=shrink))
    # Every try at a simpler case asks two questions; there is always one more to be tried.
    assert len(model.asked) == 20 + shrink - shrink % 2
    assert result.violation is not None


def test_a_shown_case_can_be_read_back() -> None:
    stores = AnswerStores(None)
    result = result_of(Model(reply=even_differs), stores=stores)
    assert result.violation is not None
    (line,) = stores.of_shown_cases.cases(result.violation.id).values()
    stores.close()
    scenes = {f"scene {index}.png": Scenes(5).scene(index) for index in range(5)}
    assert case_from_row(json.loads(line), scenes.__getitem__).id == result.violation.id


def test_a_query_without_an_answer_makes_its_case_an_error() -> None:
    heard: list[Event] = []
    first: list[str] = []

    def reply(text: str) -> str:
        first.append(text)
        if text == first[0]:
            raise RuntimeError("out of memory")
        return "same"

    result = result_of(Model(reply=reply, batch_size=1), heard=heard)
    assert result.tally == Tally(cases=10, holds=9, errors=1)
    assert result.error == "RuntimeError: out of memory"
    assert [each.verdict.reason for each in judged(heard) if each.verdict.outcome is Outcome.ERROR] == [result.error]
    assert result.violation is None


def test_what_fails_while_a_violation_is_simplified_is_no_error_of_the_run() -> None:
    asked = 0

    def reply(text: str) -> str:
        nonlocal asked
        asked += 1
        if asked > 20:
            raise RuntimeError("too late")
        return text

    result = result_of(Model(reply=reply), terms=RunOptions(sampling=SAMPLING, shrink=30))
    assert asked > 20
    assert result.tally == Tally(cases=10, violated=10)
    assert result.error == ""


def test_a_waived_case_counts_as_waived_and_is_not_shown() -> None:
    heard: list[Event] = []
    first = result_of(Model(reply=lambda text: text), heard=heard)
    assert first.violation is not None
    waived = {first.violation.id: "cut off"}
    again = result_of(Model(reply=lambda text: text), terms=RunOptions(sampling=SAMPLING, shrink=0, waived=waived))
    assert again.tally == Tally(cases=10, violated=9, waived=1)
    assert again.violation is not None
    assert again.violation.id != first.violation.id


def test_a_waived_case_is_not_what_a_violation_is_simplified_to() -> None:
    def result(waived: dict[str, str]) -> RelationResult:
        terms = RunOptions(sampling=Sampling(max_cases=10), shrink=300, waived=waived)
        return result_of(Model(reply=lambda text: text), terms=terms)

    simplest = result({}).violation
    assert simplest is not None
    assert [query.text for query in simplest.queries] == ["first 0", "second 0"]
    next_best = result({simplest.id: "cut off"}).violation
    assert next_best is not None
    assert next_best.id != simplest.id


def test_a_failure_of_a_waived_case_is_not_the_error_of_the_item() -> None:
    heard: list[Event] = []
    result_of(Model(), heard=heard)
    waived = judged(heard)[0].case

    def reply(text: str) -> str:
        if text == waived.queries[0].text:
            raise RuntimeError("out of memory")
        return "same"

    terms = RunOptions(sampling=SAMPLING, shrink=0, waived={waived.id: "cut off"})
    result = result_of(Model(reply=reply), terms=terms)
    assert result.tally == Tally(cases=10, holds=9, waived=1)
    assert result.error == ""


def test_a_second_item_asks_only_what_the_first_did_not(tmp_path: Path) -> None:
    model = Model(fingerprint="F")
    with closing(AnswerStores(tmp_path)) as stores:
        result_of(model, stores=stores)
        fifteen = RunOptions(sampling=Sampling(max_cases=15, sampler=Sampler.RANDOM), shrink=0)
        more = result_of(model, stores=stores, terms=fifteen).model
    assert len(model.asked) == len(set(model.asked)) == 30
    assert (more.queries_needed, more.queries_asked, more.queries_cached, more.queries_saved) == (30, 10, 0, 20)
    with closing(AnswerStores(tmp_path)) as stores:
        twenty = RunOptions(sampling=Sampling(max_cases=20, sampler=Sampler.RANDOM), shrink=0)
        later = result_of(model, stores=stores, terms=twenty).model
    assert (later.queries_needed, later.queries_asked, later.queries_cached, later.queries_saved) == (40, 10, 30, 0)


def test_a_model_that_answers_nothing_more_keeps_its_cached_answers(tmp_path: Path) -> None:
    def fail(text: str) -> str:
        raise RuntimeError(f"out of memory at {text}")

    fifteen = RunOptions(sampling=Sampling(max_cases=15, sampler=Sampler.RANDOM), shrink=0)
    with closing(AnswerStores(tmp_path)) as stores:
        result_of(Model(fingerprint="F"), stores=stores)
        result = result_of(Model(reply=fail, fingerprint="F"), stores=stores, terms=fifteen)
    assert result.tally == Tally(cases=15, holds=10, errors=5)
    assert result.error.startswith("RuntimeError: out of memory at ")


def test_what_others_have_asked_before_changes_neither_the_violation_nor_what_it_is_said_to_need() -> None:
    def terms(shrink: int) -> RunOptions:
        return RunOptions(sampling=Sampling(max_cases=10), shrink=shrink)

    alone = result_of(Model(reply=large_differs), terms=terms(6))
    with closing(AnswerStores(None)) as stores:
        further = result_of(Model(reply=large_differs), stores=stores, terms=terms(300))
        after = result_of(Model(reply=large_differs), stores=stores, terms=terms(6))
    assert further.violation != alone.violation, "or it could not have been shown"
    assert after.violation == alone.violation
    uses = [(use.queries_needed, use.queries_asked, use.queries_saved) for use in (alone.model, after.model)]
    assert uses == [(26, 26, 0), (26, 0, 26)]


def test_what_failed_while_a_violation_is_made_simpler_is_asked_once_and_paid_for_once() -> None:
    def reply(text: str) -> str:
        if len(model.calls) > 5:
            raise RuntimeError("too late")
        return text

    model = Model(reply=reply)
    use = result_of(model, terms=RunOptions(sampling=SAMPLING, shrink=30)).model
    assert use.queries_asked == len(set(model.asked)) > 20
    assert (use.queries_needed, use.queries_saved) == (use.queries_asked, 0)


def test_what_simplifying_asks_is_needed_but_nothing_is_saved_by_it() -> None:
    model = Model(reply=large_differs)
    use = result_of(model, terms=RunOptions(sampling=Sampling(max_cases=10), shrink=7)).model
    # Ten cases of two queries, and three tries at two more each; there is no room for a fourth. Others are known.
    assert len(model.asked) == 26
    assert (use.queries_needed, use.queries_asked, use.queries_cached) == (26, 26, 0)


def test_the_same_run_with_its_answers_at_hand_comes_to_the_same_violation_and_asks_nothing(tmp_path: Path) -> None:
    def run() -> tuple[ModelUse, ViolationPreview | None, int]:
        model = Model(reply=large_differs, fingerprint="F")
        with closing(AnswerStores(tmp_path)) as stores:
            result = result_of(model, stores=stores, terms=RunOptions(sampling=Sampling(max_cases=10), shrink=30))
        return result.model, result.violation, len(model.asked)

    first, shown, asked = run()
    second, shown_again, asked_again = run()
    assert shown == shown_again
    assert (asked, asked_again) == (50, 0)
    assert (first.queries_needed, first.queries_asked, first.queries_cached) == (50, 50, 0)
    assert (second.queries_needed, second.queries_asked, second.queries_cached) == (50, 0, 50)


def test_the_time_of_an_item_has_that_of_its_model_in_it() -> None:
    def slow(text: str) -> str:
        time.sleep(0.002)
        return text

    use = result_of(Model(reply=slow)).model
    assert 20 * 0.002 <= use.busy_s <= use.items_s


def test_what_an_item_took_that_has_no_result_is_told(tmp_path: Path) -> None:
    heard: list[Event] = []
    model = Model(fingerprint="F")
    with closing(AnswerStores(tmp_path)) as stores:
        result_of(
            model, stores=stores, terms=RunOptions(sampling=Sampling(max_cases=3, sampler=Sampler.RANDOM), shrink=0)
        )
    asked = 0

    def reply(text: str) -> str:
        nonlocal asked
        asked += 1
        if asked > 8:
            raise ModelError("no more")
        return text

    with closing(AnswerStores(tmp_path)) as stores, pytest.raises(ModelError, match="no more"):
        result_of(Model(reply=reply, fingerprint="F"), stores=stores, heard=heard)
    (stopped,) = [event for event in heard if isinstance(event, Stopped)]
    use = stopped.use
    # Ten cases, three of them known, and two batches of four before the one that failed: no more was ever answered.
    assert (use.queries_needed, use.queries_asked, use.queries_cached, use.queries_saved) == (14, 8, 6, 0)


@pytest.fixture
def time_limit() -> Iterator[Callable[[], None]]:
    """What sends a signal whose handler fails the test, as pytest-timeout's does, wherever the program is."""

    def handler(*_: object) -> None:
        pytest.fail("Timeout >1.0s")

    before = signal.signal(signal.SIGUSR1, handler)
    yield lambda: signal.raise_signal(signal.SIGUSR1)
    signal.signal(signal.SIGUSR1, before)


def test_what_an_item_took_till_a_time_limit_was_up_is_told(time_limit: Callable[[], None]) -> None:
    def reply(text: str) -> str:
        replies.append(text)
        if len(replies) > 8:
            time_limit()
        return text

    replies: list[str] = []
    heard: list[Event] = []
    with pytest.raises(pytest.fail.Exception, match="Timeout"):
        result_of(Model(reply=reply), heard=heard)
    (use,) = [event.use for event in heard if isinstance(event, Stopped)]
    assert (use.queries_needed, use.queries_asked) == (8, 8)


def test_why_there_was_no_case() -> None:
    result = result_of(Model(), rule=Rule(applies=never))
    assert result.tally == Tally()
    assert result.pass_rate is None
    assert (result.scenes_not_applicable, result.not_applicable) == (5, {"nothing there": 5})


class Written(Model):
    """A model of written answers, which lacks some."""

    todo_file = Path("todo.jsonl")

    def __init__(self, lacks: int) -> None:
        super().__init__()
        self._lacks = lacks
        self.listed: list[str] = []
        self.in_words: list[str] = []
        self.known: list[str] = []

    def lacks(self, query: Query) -> bool:
        if query.text not in self.known and len(self.known) >= 20 - self._lacks:
            return True
        self.known.append(query.text)
        return False

    def todo(self, queries: Iterable[Query]) -> None:
        for query in queries:
            self.listed.append(query.text)
            self.in_words.append(f"{query.text!r} on {query.picture.photo.id}")

    def prune(self) -> None:
        """Has nothing to prune."""


def test_what_is_not_written_down_yet_is_listed_and_the_rest_is_kept(tmp_path: Path) -> None:
    model = Written(lacks=6)
    stores = AnswerStores(tmp_path)
    with pytest.raises(ModelError) as told:
        result_of(model, stores=stores)
    stores.close()
    assert str(told.value) == (
        "Expected model 'made' to hold an answer to every query, but it lacks 6 (the first: "
        f"{', '.join(model.in_words[:3])}): they are listed in todo.jsonl; add their answers and run again"
    )
    assert len(model.listed) == 6
    assert len(model.asked) == 14
    assert not set(model.asked) & set(model.listed)


def test_an_item_whose_answers_are_all_written_down() -> None:
    assert result_of(Written(lacks=0)).tally == Tally(cases=10, holds=10)


def judged(heard: list[Event]) -> list[Judged]:
    return [event for event in heard if isinstance(event, Judged)]
