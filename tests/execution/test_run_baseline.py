"""A run from Python that is held against a baseline."""

from __future__ import annotations

from pathlib import Path

import pytest

import pytest_vqamt as vqamt
from pytest_vqamt.core.errors import OptionError
from pytest_vqamt.core.results import Gate, RelationResult, Report
from pytest_vqamt.reporting.blessing import bless
from tests.reporting.running import run_into, world


@pytest.fixture(scope="module")
def baseline(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The oracle, on the relations of two items."""
    folder = tmp_path_factory.mktemp("blessed")
    run_into(folder, model="oracle", relations=["metavqa.reversion[object]", "control.repeat"], max_cases=20)
    bless(folder, folder / "base.gz")
    return folder / "base.gz"


def run(baseline: Path, model: str = "fault:ignores-negation", relations: str = "", max_drop: float = 0.1) -> Report:
    wanted = relations or "metavqa.reversion[object],control.repeat"
    return vqamt.run(
        model=model,
        data=world("pictures:20"),
        relations=wanted,
        max_cases=3,
        sampler="random",
        shrink=0,
        baseline=baseline,
        max_drop=max_drop,
    )


def test_each_result_tells_what_became_of_it(baseline: Path) -> None:
    report = run(baseline)
    reversion, control = report.relations
    assert reversion.change is not None
    assert (reversion.change.paired.first_only, reversion.change.paired.shared) == (20, 20)
    assert reversion.change.gate == Gate(kind="max-drop", threshold=0.1, on="holm", met=False, dropped=True)
    assert control.change is not None
    assert (control.change.paired.both, control.change.gate) == (20, None)
    assert report.baseline is not None
    assert (report.baseline.file, report.baseline.models) == ("base.gz", (("oracle", "undeclared:oracle"),))
    (total,) = report.baseline.totals
    assert (total.change.gate, report.fails) == (None, True), "one relation alone has a gate of its own"
    assert (total.model, total.data) == ("fault:ignores-negation", "pictures:20")
    assert total.change.paired == reversion.change.paired, "a control is not in the total"


def test_what_is_missing_and_what_is_new(baseline: Path) -> None:
    wanted = "metavqa.reorder[object],control.repeat,control.reencode[spaces]"
    report = run(baseline, "oracle", wanted)
    assert report.baseline is not None
    assert report.baseline.missing == (), "no glob names metavqa.reversion"
    new = ("metavqa.reorder[object]-oracle-pictures:20", "control.reencode[spaces]-oracle-pictures:20")
    assert report.baseline.new == new
    assert [each.tally.cases for each in report.relations] == [3, 20, 3]


def test_a_blessed_relation_that_the_model_cannot_do_is_missing(baseline: Path) -> None:
    class Captions:
        def caption(self, batch: list[object]) -> list[str]:
            return ["a picture"] * len(batch)

    report = vqamt.run(
        model=Captions(), data=world("pictures:20"), max_cases=1, relations="m*", sampler="random", baseline=baseline
    )
    assert report.baseline is not None
    assert report.baseline.missing == ("metavqa.reversion[object]-oracle-pictures:20",)


@pytest.mark.parametrize("max_drop", [-0.1, 1.1, float("nan")])
def test_a_drop_that_is_no_rate_is_refused(baseline: Path, max_drop: float) -> None:
    with pytest.raises(OptionError, match=r"Expected the drop of a rate from 0 to 1, .*, but got max_drop="):
        run(baseline, max_drop=max_drop)


def test_a_baseline_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match=r"Expected baseline to name a file .*, but there is no '.*absent.gz'"):
        run(tmp_path / "absent.gz")


def test_without_one_nothing_is_compared() -> None:
    report = vqamt.run(model="oracle", data=world("pictures:20"), relations="control.repeat", max_cases=1)
    assert report.baseline is None
    assert [each.change for each in report.relations] == [None]


INSERTION = "metavqa.insertion[exists]"


def by_text(_image: object, text: str) -> str:
    return ("yes", "no")[len(text) % 2]


def blessed(folder: Path, contrast: float) -> Path:
    run_into(folder, model="oracle", relations=[INSERTION], max_cases=40, contrast=contrast)
    bless(folder, folder / "base.gz")
    return folder / "base.gz"


def against(file: Path, model: object, **options: object) -> RelationResult:
    given = {"data": world("pictures:20"), "relations": INSERTION, "shrink": 0, **options}
    return vqamt.run(model=model, baseline=file, **given).relations[0]  # type: ignore[arg-type]  # as given


def test_a_model_that_stops_looking_is_found_though_its_pass_rate_stays(tmp_path: Path) -> None:
    result = against(blessed(tmp_path, 1.0), by_text)
    assert result.change is not None
    assert result.change.gate is not None
    assert (result.pass_rate, result.change.gate.met) == (1, True)
    assert result.grounded is not None
    assert result.grounded.change is not None
    paired = result.grounded.change.paired
    assert (paired.first_only, paired.shared) == (paired.shared, result.grounded.cells.cases)
    assert result.grounded.change.gate == Gate(kind="max-drop", threshold=0.0, on="holm", met=False, dropped=True)
    assert result.drop_gates == (result.change.gate, result.grounded.change.gate)
    again = against(tmp_path / "base.gz", "oracle")
    assert again.grounded is not None
    assert again.grounded.change is not None
    assert (again.grounded.rate, again.grounded.change.paired.difference) == (1, 0)


def test_contrasts_are_those_of_the_baseline_whatever_the_share(tmp_path: Path) -> None:
    with_ = against(blessed(tmp_path / "with", 0.5), "oracle", contrast=0)
    assert with_.grounded is not None
    assert 0 < with_.grounded.cells.cases < 40
    without = against(blessed(tmp_path / "without", 0.0), "oracle", contrast=1.0)
    assert (without.tally.cases, without.grounded) == (40, None)
