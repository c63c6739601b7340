"""``probe.json``: its schema, and how it is read again."""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from pytest_vqamt.core.errors import DataError
from pytest_vqamt.models.protocol import ModelOptions
from pytest_vqamt.models.wrapped import wrap_model
from pytest_vqamt.probing.against.comparison import AgainstResult, compare
from pytest_vqamt.probing.gate import ProbeBaseline, gate
from pytest_vqamt.probing.probe import probe
from pytest_vqamt.probing.probe_report import probe_row
from pytest_vqamt.probing.probe_rows import PROBE_SCHEMA, ProbeRow, against_row, read_probe, row_text
from tests.probing.direct import direct
from tests.probing.simulation import FlippingModel
from tests.reporting.test_report_schema import closed

Node = dict[str, Any]

SCHEMA: Node = json.loads(files("pytest_vqamt.probing").joinpath("probe.schema.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def row() -> ProbeRow:
    """Of a real probe with findings, of a model that gets pixels."""
    result = probe(wrap_model("flipping", FlippingModel(0.25, 1), ModelOptions()))
    assert result.findings
    assert result.skipped
    return probe_row(result, gate(result, {"exif": "none here"}))


def test_a_real_probe_has_the_fields_of_the_schema_and_no_others(row: ProbeRow) -> None:
    Draft202012Validator.check_schema(SCHEMA)
    Draft202012Validator(closed(SCHEMA)).validate(json.loads(row_text(row)))


@pytest.mark.full
@pytest.mark.parametrize("bug", [None, "exif-ignored", "image-dropped"])
def test_probes_of_the_faulty_server_have_them_too(bug: str | None) -> None:
    result = probe(direct(bug))
    Draft202012Validator(closed(SCHEMA)).validate(json.loads(row_text(probe_row(result, gate(result)))))


def flipped_comparison() -> AgainstResult:
    one, other = (wrap_model(f"flipping {seed}", FlippingModel(0.5, seed), ModelOptions()) for seed in (1, 2))
    return compare(one, other, limit=400)


def test_a_real_comparison_has_them_too() -> None:
    written = json.loads(row_text(against_row(flipped_comparison())))
    assert written["parted"]
    Draft202012Validator(closed(SCHEMA)).validate(written)


def test_every_field_is_described_and_required() -> None:
    objects = {name: each for name, each in SCHEMA["$defs"].items() if "properties" in each}
    assert [
        (kind, name)
        for kind, each in objects.items()
        for name, told in each["properties"].items()
        if not told.get("description", "").endswith(".")
    ] == []
    for kind, each in objects.items():
        assert set(each["required"]) | {"is_better_high"} >= set(each["properties"]), kind


@pytest.mark.parametrize(
    "change",
    [
        lambda row: row.update(schema=2),
        lambda row: row.update({"is": "report"}),
        lambda row: row.pop("log"),
        lambda row: row.update(read={"numbers": [18]}),
        lambda row: row["findings"][0].update(state="perhaps"),
        lambda row: row["findings"][0].update(p_value=2),
        lambda row: row["log"][0].update(number=0),
    ],
)
def test_a_wrong_value_is_refused(row: ProbeRow, change: Callable[[Node], object]) -> None:
    written = json.loads(row_text(row))
    change(written)
    assert not Draft202012Validator(SCHEMA).is_valid(written)


def test_it_is_read_as_it_was_written(row: ProbeRow, tmp_path: Path) -> None:
    file = tmp_path / "probe.json"
    file.write_text(row_text(row))
    assert read_probe(file) == row
    baseline = ProbeBaseline.of_file(file)
    assert baseline.kinds == {each.kind for each in row.findings}
    assert baseline.read == row.read


OLD = {"model": "m", "findings": [], "read": {}, "figures": {}, "log": []}
GOOD = {"is": "probe", "schema": PROBE_SCHEMA, **OLD}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ("", "it is empty"),
        ("[" * 9000, "nest"),
        ('{"is": "probe",', "no whole JSON"),
        ("\x00", "null bytes"),
        ("[]", "holds no object"),
        ("{}", "`vqamt probe` did not write"),
        ('{"schema": 1, "relations": []}', "`vqamt probe` did not write"),
        (json.dumps(OLD), "an earlier version of pytest-vqamt wrote without a schema: probe the deployment"),
        (json.dumps({"is": "against", "schema": 1}), "the comparison of two"),
        (json.dumps(GOOD | {"schema": 2}), "got schema=2"),
        (json.dumps(GOOD), "it has no is_by_scores"),
        (json.dumps(GOOD | {"findings": [1]}), "findings"),
    ],
)
def test_another_file_is_refused_in_one_line(tmp_path: Path, content: str, told: str) -> None:
    file = tmp_path / "probe.json"
    file.write_text(content)
    with pytest.raises(DataError, match=r"probe\.json") as error:
        ProbeBaseline.of_file(file)
    assert told in str(error.value)
    assert "`vqamt probe MODEL --out DIR`" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"none\.json"):
        ProbeBaseline.of_file(tmp_path / "none.json")
