"""Other plugins that write reports write theirs, and ours is what it is without them."""

from __future__ import annotations

import json
from importlib.util import find_spec

import pytest

from tests.plugin.conftest import Run

TWO = "--vqamt-relations=metavqa.partition"
OTHERS = {
    "pytest-html": ("pytest_html", ("pytest_metadata.plugin", "pytest_html.plugin"), ("--html=theirs.html",)),
    "pytest-cov": ("pytest_cov", ("pytest_cov.plugin",), ("--cov=own", "--cov-report=xml:theirs.xml")),
}


@pytest.mark.parametrize(
    ("names", "shared"),
    [
        pytest.param(("pytest-html",), (), id="pytest-html"),
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
    report = json.loads((pytester.path / "out" / "report.json").read_text(encoding="utf-8"))
    assert [each["cases"] for each in report["relations"]] == [4, 4]
    assert (pytester.path / "out" / "report.html").is_file()
    if "pytest-html" in names:
        theirs = (pytester.path / "theirs.html").read_text(encoding="utf-8")
        assert "metavqa.partition[object]" in theirs
    if "pytest-cov" in names:
        theirs = (pytester.path / "theirs.xml").read_text(encoding="utf-8")
        assert 'filename="own.py"' in theirs
        assert 'hits="1"' in theirs
