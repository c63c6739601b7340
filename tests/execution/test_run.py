"""``vqamt.run``: a whole run from Python."""

from __future__ import annotations

import json
import runpy
from pathlib import Path
from typing import Any

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.codec import replace
from pytest_vqamt.core.errors import ModelError, OptionError
from pytest_vqamt.core.events import Event, Finished
from pytest_vqamt.core.report_json import report_row
from pytest_vqamt.core.results import RelationResult
from pytest_vqamt.core.spelling import option, setting
from pytest_vqamt.relations import catalogue
from pytest_vqamt.relations.base import PublishedRelation
from tests.execution.worlds import Model, Scenes

REVERSION = "metavqa.reversion[object]"


def says_yes(image: object, text: str) -> str:
    assert image is not None
    return "yes" if text else ""


def test_a_function_is_a_model() -> None:
    report = vqamt.run(model=says_yes, data="pictures:10", relations=REVERSION, max_cases=5, fail_under=0.5)
    (result,) = report.relations
    assert (result.item, result.model.name, result.model.tasks) == (REVERSION, "says_yes", ("vqa",))
    assert (result.tally.cases, result.tally.violated, result.pass_rate) == (5, 5, 0.0)
    assert result.gate is not None
    assert not result.gate.met
    assert result.violation is not None
    assert (report.seed, report.sampler, report.max_cases, report.shard) == (0, "hypothesis", 5, "1/1")


class Captioner:
    """Describes, and does nothing else."""

    def caption(self, batch: list[vqamt.ModelInput]) -> list[str]:
        return ["a dog"] * len(batch)


class Both(Captioner):
    """Describes, and says yes."""

    def answer(self, batch: list[vqamt.ModelInput]) -> list[str]:
        return ["yes"] * len(batch)


def test_a_variant_runs_where_the_model_does_all_of_its_tasks() -> None:
    asked = {"data": "pictures:10", "relations": "agree.form", "max_cases": 2, "contrast": 0, "shrink": 0}
    found = {
        type(model).__name__: [each.item for each in vqamt.run(model=model, **asked).relations]  # type: ignore[arg-type]  # of several types
        for model in (says_yes, Both())
    }
    every = [f"agree.form[{variant}]" for variant in catalogue.get("agree.form").info.variants]
    assert found == {"function": every[:2], "Both": every}


@pytest.mark.parametrize("model", [says_yes, Captioner()])
def test_without_one_of_the_tasks_nothing_is_left_to_run(model: object) -> None:
    with pytest.raises(OptionError, match="Expected a model that does vqa and captioning, as the relations chosen"):
        vqamt.run(model=model, data="pictures:10", relations="agree.form[caption*]")


def test_the_size_of_batches_makes_no_difference() -> None:
    relations = "metavqa.partition*,metavqa.reorder*"
    one, many = Model(reply=str.upper, batch_size=1), Model(reply=str.upper, batch_size=16)
    alone, together = (
        vqamt.run(model=model, data="pictures:20", relations=relations, max_cases=9, shrink=4) for model in (one, many)
    )
    assert sorted(many.asked) == sorted(one.asked)
    assert len(alone.relations) == 4
    assert max(map(len, many.calls)) == 16
    without_times = [
        replace(report, started="", duration_s=0.0, models=(), relations=tuple(map(_without_times, report.relations)))
        for report in (alone, together)
    ]
    assert without_times[0] == without_times[1]


def _without_times(result: RelationResult) -> RelationResult:
    return replace(result, model=replace(result.model, busy_s=0.0, items_s=0.0, calls=0))


def test_a_spec_is_a_model_and_runs_every_relation() -> None:
    report = vqamt.run(model="oracle", data="pictures:10", max_cases=3, sampler="random")
    every = [catalogue.get(name) for name in catalogue.TABLE]
    infos = [each.info for each in every if not isinstance(each, PublishedRelation)]  # of which pictures have none
    assert [result.item for result in report.relations] == [
        info.item(variant) for info in infos for variant in info.variants
    ]
    assert {result.pass_rate for result in report.relations} == {1.0}
    assert json.dumps(report_row(report))


REENCODE = ("control.reencode", "control.reencode[spaces]")


@pytest.mark.parametrize(
    ("relations", "exclude", "items"),
    [
        ("metavqa.re*[object]", (), ["metavqa.reorder[object]", REVERSION]),
        (("control.*", "metavqa.reorder[object]"), "control.repeat", ["metavqa.reorder[object]", *REENCODE]),
        ("control.repeat, control.reencode,", "", ["control.repeat", *REENCODE]),
    ],
)
def test_globs_choose_relations(relations: str | tuple[str, ...], exclude: str, items: list[str]) -> None:
    report = vqamt.run(
        model="oracle", data="pictures:10", relations=relations, exclude=exclude, max_cases=1, sampler="random"
    )
    assert [result.item for result in report.relations] == items


def test_an_object_and_a_source_of_ones_own() -> None:
    model = Model()
    report = vqamt.run(model=model, data=Scenes(4), relations="control.repeat", max_cases=4, batch_size=3)
    (result,) = report.relations
    assert (result.model.name, result.data.spec) == ("Model", "made:4")
    assert max(len(call) for call in model.calls) == 3


def test_answers_are_kept_where_one_says_so(tmp_path: Path) -> None:
    model = Model(fingerprint="F")
    for _ in range(2):
        vqamt.run(
            model=model, data="pictures:10", relations=REVERSION, max_cases=5, contrast=0, cache=tmp_path / "kept"
        )
    assert len(model.asked) == len(set(model.asked))
    again = Model(fingerprint="F")
    vqamt.run(model=again, data="pictures:10", relations=REVERSION, max_cases=5, contrast=0)
    assert again.asked[:10] == model.asked[:10], "nothing is kept without a folder"


def test_listeners_hear_of_each_item() -> None:
    heard: list[Event] = []
    report = vqamt.run(model="oracle", data="pictures:10", relations="control.*", max_cases=2, listen=heard.append)
    assert [event.result for event in heard if isinstance(event, Finished)] == list(report.relations)


def test_several_gates() -> None:
    report = vqamt.run(
        model="oracle",
        data="pictures:10",
        relations="metavqa.re*[object]",
        max_cases=2,
        fail_under=["0.5", "metavqa.reversion=0.9"],
        gate="lower-bound",
    )
    # All of two hold: the interval begins at 2 / (2 + z^2) = 0.342.
    gates = [(result.gate.threshold, result.gate.met) for result in report.relations if result.gate]
    assert gates == [(0.5, False), (0.9, False)]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"max_cases": 0}, "Expected a whole number from 1 up, but got max_cases=0"),
        ({"sampler": "randon"}, "Expected one of hypothesis, random, but got sampler='randon'; did you mean 'random'?"),
        ({"gate": "lower"}, "Expected one of point, lower-bound, but got gate='lower'; did you mean 'lower-bound'?"),
        (
            {"fail_under": 80},
            "Expected a pass rate from 0 to 1, as RATE or GLOB=RATE, but got fail_under='80'; 80 % is 0.8",
        ),
        (
            {"grounded_under": {"carets.*": 2}},
            "Expected a grounded rate from 0 to 1, as RATE or GLOB=RATE, but got "
            "grounded_under='carets.*=2'; 2 % is 0.02",
        ),
        ({"relations": "ours.such"}, "Expected relations to name a relation or a glob of relations, but 'ours.such' "),
        ({"exclude": "*"}, "Expected a relation to be left, but exclude='*' excludes them all"),
        ({"batch_size": 0}, "Expected a whole number from 1 up, or auto, but got batch_size=0"),
        ({"model": "oracel"}, "Expected model to begin with a kind of model, but got 'oracel'; did you "),
        (
            {"data": "picture:3"},
            "Expected data to begin with its kind, as in questions:FILE, but got data='picture:3'; ",
        ),
        ({"data": "coco:"}, "Expected data=coco:"),
    ],
)
def test_a_wrong_argument(arguments: dict[str, object], line: str) -> None:
    given: dict[str, object] = {"model": "oracle", "data": "pictures:5", "max_cases": 1, **arguments}
    with pytest.raises(OptionError) as told:
        vqamt.run(**given)  # type: ignore[arg-type]  # wrong on purpose
    assert str(told.value).startswith(line)
    assert "--vqamt" not in str(told.value)


def test_errors_name_arguments_and_not_the_options_of_pytest() -> None:
    def refuse(event: Event) -> None:
        raise OptionError(
            f"{type(event).__name__}: give {setting('answers', 'FILE')}, {option('device', 'cpu')} or "
            f"{option('max-cost')}, not {option('plan')} or {option('option')}"
        )

    with pytest.raises(OptionError) as told:
        vqamt.run("oracle", data="pictures:5", relations="control.*", max_cases=1, listen=refuse)
    assert str(told.value).partition(": ")[2] == (
        "give settings={'answers': 'FILE'}, device='cpu' or max_cost, not --vqamt-plan or settings"
    )
    assert option("device", "cpu") == "--vqamt-device=cpu", "as before, after the run"


def test_the_model_may_be_given_alone_and_gates_as_a_dict() -> None:
    report = vqamt.run(
        says_yes,
        data="pictures:10",
        relations="metavqa.re*[object]",
        max_cases=2,
        fail_under={"*": 0.5, "metavqa.reversion": 0.25},
    )
    thresholds = {result.item: result.gate.threshold for result in report.relations if result.gate}
    assert thresholds["metavqa.reversion[object]"] == 0.25
    assert {rate for item, rate in thresholds.items() if "reversion" not in item} == {0.5}


def test_a_model_of_no_use() -> None:
    with pytest.raises(ModelError, match="to be an object with a method answer, entail or caption, or a function"):
        vqamt.run(model=object(), data="pictures:5")


def test_the_example_of_the_package_runs(tmp_path: Path) -> None:
    script = tmp_path / "notebook.py"
    script.write_text(
        "import pytest_vqamt as vqamt\n\n"
        "model = lambda image, text: 'yes'\n"
        "report = vqamt.run(model=model, data='pictures:5', relations='metavqa.re*[object]', max_cases=2)\n"
        "rates = {result.item: (result.pass_rate, result.interval) for result in report.relations}\n"
    )
    rates = runpy.run_path(str(script))["rates"]
    assert rates[REVERSION][0] == 0.0


def test_a_setting_that_nobody_takes_is_refused() -> None:
    with pytest.raises(OptionError, match="to name a setting, but got 'erse=mean'; did you mean 'erase'"):
        vqamt.run(model="oracle", data="pictures:5", settings={"erse": "mean"})


@pytest.mark.parametrize("arguments", [{"max_drop": 0.1}, {"undecided": "fail"}])
def test_a_gate_on_a_drop_needs_a_baseline(arguments: dict[str, Any]) -> None:
    (name,) = arguments
    with pytest.raises(OptionError, match=rf"^Expected baseline=FILE with {name}, but got {name} alone: name the"):
        vqamt.run("oracle", data="pictures:5", relations="control.repeat", **arguments)


def test_answers_that_cost_money_are_kept() -> None:
    with pytest.raises(OptionError, match=r"^Expected an answer cache with max_cost, or the answers that are paid for"):
        vqamt.run("openai:some@http://127.0.0.1:9", data="pictures:5", max_cost=1.0)


def test_the_costs_of_a_model_given_as_an_object_are_not_bounded() -> None:
    with pytest.raises(OptionError) as told:
        vqamt.run(says_yes, data="pictures:5", max_cost=1.0)
    assert str(told.value) == (
        "Expected the spec of a model that tells what its answers cost with max_cost, such as 'openai:MODEL@URL', but "
        "got the object model=says_yes: leave max_cost off"
    )
