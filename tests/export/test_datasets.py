"""What is exported as imagefolder loads with Hugging Face's datasets, picture by picture, without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pytest_vqamt.export.export import Terms, export_report
from pytest_vqamt.imaging.render import render
from tests.export.made_report import SOURCE, captioning, entailment, erasing, negation, row, write

datasets = pytest.importorskip("datasets")

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


def test_an_export_loads_with_both_sides_and_all_columns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets.config, "HF_DATASETS_OFFLINE", True)
    cases = [made for index in range(12) for made in (negation(index), erasing(index))]
    cases += [captioning(0), captioning(1), entailment(2), entailment(3)]
    report = write(tmp_path / "report", *map(row, cases))
    exported = export_report(report, tmp_path / "set", Terms(split=0.6))
    loaded: Any = datasets.load_dataset("imagefolder", data_dir=str(tmp_path / "set"), cache_dir=str(tmp_path / "hf"))
    assert {name: len(side) for name, side in loaded.items()} == {
        name: side.rows for name, side in exported.sides.items()
    }
    assert {"image", "task", "text", "label", "cases", "relations", "said"} < set(loaded["train"].column_names)
    found = {each["query"]: each for side in loaded.values() for each in side}
    queries = {query.id: query for made in cases for query in made.queries}
    assert set(found) == set(queries)
    for name, query in queries.items():
        assert found[name]["text"] == query.text
        assert np.array_equal(np.asarray(found[name]["image"]), np.asarray(render(query.picture, SOURCE)))
    assert not {each["scene"] for each in loaded["train"]} & {each["scene"] for each in loaded["test"]}
