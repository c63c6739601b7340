"""Nothing that was answered is asked again, unless the model may have changed or the user says so."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from pytest_vqamt.core.query import Task
from tests.plugin.conftest import EIGHT, WORKERS, Run, asked, every_item
from tests.reporting.reported import report_in

REVERSION = "--vqamt-relations=metavqa.reversion"


def test_within_a_run_each_distinct_query_is_asked_once(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    # The same question twice, in two relations: everything is asked of ten pictures only.
    pytester.makeconftest(
        """
        import pytest_vqamt as vqamt

        def again(scene, corpus, choose):
            question = vqamt.ask.exists(scene.objects[0])
            return vqamt.case(scene.picture, question, follow_up=(scene.picture, question))

        vqamt.relation("ours.first", expect=vqamt.same_answer)(again)
        vqamt.relation("ours.second", expect=vqamt.same_answer)(again)
        """
    )
    result = run("--vqamt-relations=ours.*", model=counted, data=("pictures:10",), max_cases=10)
    result.assert_outcomes(passed=2)
    assert len(asked(pytester)) == 10
    told = "queries: 10 sent, 0 cached, 30 deduplicated"
    assert told in result.stdout.str()


@pytest.mark.parametrize(
    ("relations", "items"),
    [(EIGHT, 8), pytest.param("--vqamt-relations=*", len(every_item((Task.VQA,))), marks=pytest.mark.full)],
)
def test_no_query_of_a_run_is_asked_twice(
    pytester: pytest.Pytester, run: Run, counted: str, relations: str, items: int
) -> None:
    run(relations, model=counted, max_cases=5, shrink=30).assert_outcomes(passed=items)
    ids = asked(pytester)
    assert len(ids) > items * 5
    assert len(set(ids)) == len(ids)


@pytest.mark.parametrize("also", [(), ("-n", "0"), ("--vqamt-batch-size=3", "--vqamt-fail-under=0.5")])
def test_the_next_run_asks_nothing(pytester: pytest.Pytester, run: Run, counted: str, also: tuple[str, ...]) -> None:
    first = run(REVERSION, "--vqamt-report=first", model=counted, shrink=30)
    assert len(asked(pytester)) >= 16
    second = run(REVERSION, "--vqamt-report=second", *also, model=counted, shrink=30)
    assert asked(pytester) == []
    assert "queries: 0 sent," in second.stdout.str()
    assert "queries: 0 sent," not in first.stdout.str()
    assert _cases(pytester, "first") == _cases(pytester, "second")


def test_another_run_asks_only_what_is_new(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    run("--vqamt-relations=metavqa.reversion[object]", model=counted)
    first = asked(pytester)
    run(REVERSION, model=counted)
    second = asked(pytester)
    assert (len(first), len(second)) == (8, 8)
    assert not set(first) & set(second)


def test_a_model_that_does_not_say_what_it_is_is_asked_again(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    undeclared = counted.replace(":Model", ":Undeclared")
    run(REVERSION, model=undeclared)
    first = asked(pytester)
    run(REVERSION, model=undeclared)
    assert asked(pytester) == first
    assert first


def test_another_fingerprint_is_another_model(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    run(REVERSION, model=counted)
    first = asked(pytester)
    pytester.makepyfile(later="from counted import Model\n\nclass Later(Model):\n    fingerprint = 'says yes, later'\n")
    run(REVERSION, model="python:later:Later")
    assert asked(pytester) == first


def test_no_cache_keeps_nothing_and_looks_nothing_up(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    run(REVERSION, model=counted)
    first = asked(pytester)
    result = run(REVERSION, "--vqamt-no-cache", model=counted)
    assert asked(pytester) == first
    assert "seed 0; no answers are kept" in result.stdout.str()


def test_a_cache_of_ones_own(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    kept = pytester.path / "kept" / "here"
    run(REVERSION, f"--vqamt-cache={kept}", model=counted)
    first = asked(pytester)
    assert (kept / "answers.sqlite").is_file()
    run(REVERSION, "--vqamt-cache=kept/here", "-p", "no:cacheprovider", model=counted)
    assert asked(pytester) == []
    run(REVERSION, model=counted)
    assert asked(pytester) == first, "that of pytest knows nothing of them"


def test_a_replaced_cache_of_pytest_asks_anew(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    run(REVERSION, model=counted)
    first = asked(pytester)
    run(REVERSION, "--cache-clear", model=counted)
    assert asked(pytester) == first


def garbage(file: Path) -> None:
    file.write_bytes(b"not a database, whatever its name says " * 100)


def a_folder(file: Path) -> None:
    file.mkdir()


@pytest.mark.parametrize("spoil", [garbage, a_folder])
@pytest.mark.parametrize("workers", WORKERS)
def test_a_cache_that_cannot_be_used(
    pytester: pytest.Pytester, run: Run, counted: str, workers: tuple[str, ...], spoil: Callable[[Path], None]
) -> None:
    pytester.mkdir("kept")
    file = pytester.path / "kept" / "answers.sqlite"
    spoil(file)
    result = run(REVERSION, "--vqamt-cache=kept", *workers, model=counted)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    line = result.stderr.str().strip()
    assert line.startswith(
        f"ERROR: Expected an answer cache that can be read and written, but got file={str(file)!r} ("
    )
    assert line.endswith("): delete it, name another with --vqamt-cache, or do without by --vqamt-no-cache")
    assert "\n" not in line
    assert asked(pytester) == []


def test_a_cache_that_cannot_be_used_by_a_test_with_the_fixture(pytester: pytest.Pytester, counted: str) -> None:
    pytester.makeini(f"[pytest]\nvqamt_model = {counted}\nvqamt_cache = kept\nvqamt_relations = control.repeat\n")
    pytester.makepyfile(test_own="def test_own(vqamt_consistency): vqamt_consistency.check()")
    pytester.mkdir("kept")
    garbage(pytester.path / "kept" / "answers.sqlite")
    result = pytester.runpytest_inprocess()
    result.assert_outcomes(failed=1)
    assert "\nExpected an answer cache that can be read and written, but got " in result.stdout.str()
    assert "answer_store.py" not in result.stdout.str()


def test_a_database_of_something_else(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    pytester.mkdir("kept")
    with closing(sqlite3.connect(pytester.path / "kept" / "answers.sqlite")) as db:
        db.execute("create table answers (question text)")
    result = run("--vqamt-relations=control.repeat", "--vqamt-cache=kept", model=counted)
    result.assert_outcomes(errors=1)
    assert "answers.sqlite' (no such column: key): delete it, name another" in result.stdout.str()
    assert asked(pytester) == []


def test_a_cache_that_may_not_be_written(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    if not Path("/proc/version").exists():
        pytest.skip("needs a file that nobody may write, whoever runs the tests")
    pytester.mkdir("kept")
    (pytester.path / "kept" / "answers.sqlite").symlink_to("/proc/version")
    result = run(REVERSION, "--vqamt-cache=kept", model=counted)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "ERROR: Expected an answer cache that can be read and written" in result.stderr.str()


def _cases(pytester: pytest.Pytester, folder: str) -> bytes:
    return (pytester.path / folder / "cases.jsonl").read_bytes()


# Other plugins that write reports write theirs, and ours is what it is without them.

TWO = "--vqamt-relations=metavqa.partition"
OTHERS = {
    "pytest-html": ("pytest_html", ("pytest_metadata.plugin", "pytest_html.plugin"), ("--html=theirs.html",)),
    "pytest-cov": ("pytest_cov", ("pytest_cov.plugin",), ("--cov=own", "--cov-report=xml:theirs.xml")),
}


@pytest.mark.parametrize(
    ("names", "shared"),
    [
        pytest.param(("pytest-html",), (), id="pytest-html", marks=pytest.mark.full),
        pytest.param(("pytest-cov",), (), id="pytest-cov", marks=pytest.mark.full),
        pytest.param(tuple(OTHERS), ("-n", "2"), id="both, -n 2", marks=pytest.mark.full),
    ],
)
def test_each_writes_its_own(
    pytester: pytest.Pytester,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
    names: tuple[str, ...],
    shared: tuple[str, ...],
) -> None:
    if missing := [name for name in names if find_spec(OTHERS[name][0]) is None]:
        pytest.skip(f"needs {', '.join(missing)}")
    pytester.makepyfile(
        own="""
        class Model:
            fingerprint = "says two"

            def answer(self, batch):
                return ["2" for each in batch]
        """
    )
    plugins = [plugin for name in names for plugin in OTHERS[name][1]]
    options = [option for name in names for option in OTHERS[name][2]]
    # A process of its own: coverage is measured for a whole process.
    monkeypatch.setenv("PYTEST_PLUGINS", ",".join(["xdist.plugin", *plugins, "pytest_vqamt.plugin"]))
    sampling = ("--vqamt-data=pictures:20", "--vqamt-max-cases=4", "--vqamt-sampler=random", "--vqamt-shrink=0")
    result = pytester.runpytest_subprocess(
        TWO, *sampling, "--vqamt-model=python:own:Model", "--vqamt-report=out", *options, *shared
    )
    result.assert_outcomes(passed=2)
    report = report_in(pytester.path / "out")
    assert [each["cases"] for each in report["relations"]] == [4, 4]
    assert (pytester.path / "out" / "report.html").is_file()
    if "pytest-html" in names:
        theirs = (pytester.path / "theirs.html").read_text(encoding="utf-8")
        assert "metavqa.partition[object]" in theirs
    if "pytest-cov" in names:
        theirs = (pytester.path / "theirs.xml").read_text(encoding="utf-8")
        assert 'filename="own.py"' in theirs
        assert 'hits="1"' in theirs
