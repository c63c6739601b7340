"""A worker without any more items of its own asks queries of a long one that another runs."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from tests.costs import without_costs
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

# Its third batch waits until another process has been asked, too, where there is one.
MODEL = """
    import os
    import time
    from pathlib import Path

    class Model:
        fingerprint = "takes long"
        batch_size = 4
        calls = 0

        def answer(self, batch):
            self.calls += 1
            who = os.environ.get("PYTEST_XDIST_WORKER", "alone")
            with Path("asked.txt").open("a") as log:
                log.write("".join(f"{who} {each.query.id}\\n" for each in batch))
            ends = time.monotonic() + 60
            while who != "alone" and self.calls == 3 and time.monotonic() < ends:
                if len({line.split()[0] for line in Path("asked.txt").read_text().splitlines()}) > 1:
                    break
                time.sleep(0.05)
            return [("yes", "no", "1", "2")[len(each.text) % 4] for each in batch]
"""


def test_two_share_the_queries_of_one_item_and_the_report_is_the_same(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # this test's own worker
    pytester.makepyfile(long=MODEL)
    found = {}
    for folder, workers in (("alone", ()), ("two", ("-n2",))):
        arguments = ("--vqamt-relations=metavqa.partition[object]", "--vqamt-no-cache", f"--vqamt-report={folder}")
        run(*arguments, *workers, model="python:long:Model", max_cases=20).assert_outcomes(passed=1)
        lines = Path("asked.txt").read_text().split()
        Path("asked.txt").unlink()
        found[folder] = report_in(Path(folder)), Counter(lines[::2]), Counter(lines[1::2])
    (alone, _, queries), (two, workers_asked, again) = found.values()
    assert without_costs(two) == without_costs(alone)
    assert workers_asked.keys() == {"gw0", "gw1"}
    assert again == queries, "each once"
    counts = ("queries_needed", "queries_asked", "queries_cached", "queries_saved")
    assert [two["models"][0].get(name) for name in counts] == [alone["models"][0].get(name) for name in counts]


# The worker of the item raises at its second batch, when the other has begun to help.
RAISES = """
    import os
    import time
    from pathlib import Path

    from pytest_vqamt.core.errors import ModelError

    def wait_for(name):
        ends = time.monotonic() + 60
        while not Path(name).exists() and time.monotonic() < ends:
            time.sleep(0.05)

    class Model:
        fingerprint = "raises"
        batch_size = 4
        calls = 0

        def answer(self, batch):
            self.calls += 1
            who = os.environ["PYTEST_XDIST_WORKER"]
            with Path("calls.txt").open("a") as log:
                log.write(f"{who}\\n")
            if Path("calls.txt").read_text().split()[0] != who:
                Path("helps").touch()
                wait_for("ended")
            elif self.calls == 2:
                wait_for("helps")
                raise ModelError("it is broken")
            return ["yes" for _ in batch]
"""
TELLS = """
    from pathlib import Path

    def pytest_runtest_logfinish():
        Path("ended").touch()
"""


def test_who_helps_stops_when_the_item_ends_early(
    run: Run, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As after an error, or with -x: nobody needs its answers any more."""
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # this test's own worker
    pytester.makepyfile(raises=RAISES)
    pytester.makeconftest(TELLS)
    arguments = ("--vqamt-relations=metavqa.partition[object]", "--vqamt-no-cache", "-n2")
    result = run(*arguments, model="python:raises:Model", max_cases=20)
    result.assert_outcomes(errors=1)
    assert sorted(Counter(Path("calls.txt").read_text().split()).values()) == [1, 2]
    assert "8 sent, 0 cached, 0 deduplicated" in result.stdout.str(), "a batch each; the second has no answers"
