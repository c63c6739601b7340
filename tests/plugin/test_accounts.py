"""What answers cost and which questions were cut stand in the report and in the summary, under any ``-n``."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import WORKERS, Run
from tests.reporting.reported import cases_in, report_in

pytestmark = pytest.mark.full


_SHORT = """
    class Model:
        fingerprint = "reads three words"
        batch_size = 4

        def __init__(self):
            self.words = 0
            self.pictures = 0

        @property
        def usage(self):
            return {"words": self.words, "cost": self.pictures / 8}

        def answer(self, batch):
            from pytest_vqamt.core.query import Answer
            self.words += sum(len(each.text.split()) for each in batch)
            self.pictures += len(batch)
            return [Answer("yes", truncated=len(each.text.split()) > 5) for each in batch]
"""


@pytest.fixture
def short(pytester: pytest.Pytester) -> str:
    pytester.makepyfile(short_model=_SHORT)
    return "python:short_model:Model"


RELATIONS = "--vqamt-relations=metavqa.reversion[object],carets.negation"


@pytest.mark.parametrize("workers", WORKERS)
def test_usage_and_cut_questions_are_reported(
    pytester: pytest.Pytester, run: Run, short: str, workers: tuple[str, ...]
) -> None:
    result = run(RELATIONS, *workers, "--vqamt-report=out", model=short)
    report = report_in(pytester.path / "out")
    rows = cases_in(pytester.path / "out")
    texts = {(query["picture"]["digest"], query["text"]) for row in rows for query in row["queries"]}
    (model,) = report["models"]
    assert model["usage"] == {"words": sum(len(text.split()) for _, text in texts), "cost": len(texts) / 8}
    for relation in report["relations"]:
        of_item = [row for row in rows if row["relation"] == relation["id"]]
        cut = [row for row in of_item if any(len(query["text"].split()) > 5 for query in row["queries"])]
        assert relation["truncated"] == len(cut) > 0
        for row in cut:
            assert row["truncated"] == [len(query["text"].split()) > 5 for query in row["queries"]]
        result.stdout.fnmatch_lines(
            [f"{relation['id']}: in {len(cut)} of {len(of_item)} cases the model read only the beginning of a question"]
        )
    result.stdout.fnmatch_lines([f"{short} usage: words {model['usage']['words']:,.0f}, cost *"])


def test_answers_of_an_earlier_run_are_still_known_to_be_cut_and_cost_nothing(
    pytester: pytest.Pytester, run: Run, short: str
) -> None:
    for folder in ("first", "second"):
        run(RELATIONS, f"--vqamt-report={folder}", "--vqamt-cache=kept", model=short)
    first, second = (report_in(pytester.path / name) for name in ("first", "second"))
    assert [each["truncated"] for each in first["relations"]] == [each["truncated"] for each in second["relations"]]
    assert second["models"][0]["usage"] == {"words": 0, "cost": 0}


def test_usage_that_is_no_account_is_told(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(odd="class Model:\n    usage = {'tokens': 'many'}\n    def answer(self, batch): return []")
    result = run("--vqamt-relations=control.repeat", model="python:odd:Model")
    assert "Expected the usage of model 'python:odd:Model' to map names to numbers" in result.stdout.str()
