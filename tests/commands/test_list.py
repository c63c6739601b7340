"""``vqamt list`` shows what can be named, and loads nothing heavy for it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.models.reference.faults import FAULTS
from pytest_vqamt.relations import catalogue


def test_the_tables_name_all_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list"]) == 0
    lines = capsys.readouterr().out.splitlines()
    first = [line.split("  ")[0] for line in lines]
    for relation, variant in catalogue.select():
        assert relation.info.item(variant) in first
    for name in FAULTS:
        assert f"fault:{name}" in first
    assert {"tiny", "oracle", "answers:FILE", "python:module:factory", "pictures"} <= set(first)
    [repeat] = [line for line in lines if line.startswith("control.repeat ")]
    assert repeat.endswith("The same question on the same picture, asked twice, gets the same answer. (control)")


def test_the_columns_stand_below_each_other(capsys: pytest.CaptureFixture[str]) -> None:
    main(["list"])
    relations = capsys.readouterr().out.split("\n\n")[0].splitlines()
    at = relations[0].index("task")
    tasks = ("tas", "---", "vqa", "ent", "cap")
    assert all(line[at - 2 : at] == "  " and line[at : at + 3] in tasks for line in relations)


def test_json_has_the_same_and_more(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert list(told) == ["relations", "models", "data", "faults"]
    by_id = {relation["id"]: relation for relation in told["relations"]}
    assert by_id["metavqa.reversion[property]"] == {
        "id": "metavqa.reversion[property]",
        "version": catalogue.get("metavqa.reversion").info.version,
        "task": "vqa",
        "tags": [],
        "claim": "Asked whether there is any and whether there is none, a model says yes once and no once.",
        "source": "Yuan et al., CVPR 2021, section 4.1.3",
    }
    assert by_id["control.reencode"]["tags"] == ["control"]
    assert [fault["spec"] for fault in told["faults"]] == [f"fault:{name}" for name in FAULTS]
    assert "pictures" in [source["name"] for source in told["data"]]
    assert "oracle" in [model["spec"] for model in told["models"]]


def test_listing_loads_nothing_heavy() -> None:
    code = (
        "import sys; from pytest_vqamt.cli import main; main(['list']);"
        "print({'torch', 'transformers', 'numpy', 'PIL', 'hypothesis', 'nltk'} & set(sys.modules))"
    )
    finished = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert finished.stdout.splitlines()[-1] == "set()"
