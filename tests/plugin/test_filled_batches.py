"""A batch that would not be full is filled with what the next items need; nothing else comes out otherwise."""

from __future__ import annotations

from math import ceil
from pathlib import Path
from typing import Any

import pytest

from pytest_vqamt.cli import main
from pytest_vqamt.reporting.merging import merge_folders
from tests.costs import without_costs
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

pytestmark = pytest.mark.full

# Writes down each batch, a line of query ids; its answers hang on the question alone.
BATCHES = """
    import os
    from pathlib import Path
    from zlib import crc32

    class Model:
        fingerprint = "answers by the question"
        batch_size = 16

        def answer(self, batch):
            with Path(f"batches-{os.getpid()}.txt").open("a") as log:
                log.write(" ".join(each.query.id for each in batch) + "\\n")
            return [("yes", "no", "2", "1")[crc32(each.text.encode()) % 4] for each in batch]
"""
SIXTEEN = "python:batches:Model"
FOUR = "--vqamt-relations=metavqa.partition,metavqa.reorder"
"""Four items of one task."""


@pytest.fixture(autouse=True)
def _model(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(batches=BATCHES)


def batches(pytester: pytest.Pytester, model: str = "batches") -> list[list[str]]:
    """The batches that the model was asked since the last time, by all processes."""
    logs = sorted(pytester.path.glob(f"{model}-*.txt"))
    found = [line.split() for log in logs for line in log.read_text().splitlines()]
    for log in logs:
        log.unlink()
    return found


def report(pytester: pytest.Pytester, folder: str) -> dict[str, Any]:
    made: dict[str, Any] = report_in(pytester.path / folder)
    return made


def use(pytester: pytest.Pytester, folder: str) -> tuple[int, int, int, int]:
    """What was needed, asked, cached and saved; the sum is as it should be."""
    (model,) = report(pytester, folder)["models"]
    found = tuple(model[f"queries_{name}"] for name in ("needed", "asked", "cached", "saved"))
    assert found[0] == sum(found[1:])
    return found[0], found[1], found[2], found[3]


def new_queries(run: Run, *arguments: str) -> list[int]:
    """How many distinct queries each item has that none before it has."""
    planned = run(*arguments, "--vqamt-plan", model=SIXTEEN, max_cases=9).outlines
    return [int(line.split()[-1]) for line in planned if f"-{SIXTEEN}-" in line]


def test_partial_batches_are_filled_and_there_are_fewer(pytester: pytest.Pytester, run: Run) -> None:
    new = new_queries(run, FOUR)
    assert len(new) == 4
    assert sum(ceil(each / 16) for each in new) > ceil(sum(new) / 16), "or there is nothing to be filled"
    run(FOUR, model=SIXTEEN, max_cases=9, shrink=0).assert_outcomes(passed=4)
    asked = batches(pytester)
    assert [len(batch) for batch in asked[:-1]] == [16] * (ceil(sum(new) / 16) - 1)
    assert sum(map(len, asked)) == len({query for batch in asked for query in batch}) == sum(new)


@pytest.mark.full
def test_workers_fill_them_with_the_item_that_comes_next(pytester: pytest.Pytester, run: Run) -> None:
    eight = f"{FOUR},metavqa.reversion,control.repeat,control.reencode[spaces]"
    new = new_queries(run, eight)
    run(eight, "-n2", model=SIXTEEN, max_cases=9, shrink=0).assert_outcomes(passed=len(new))
    asked = batches(pytester)
    assert sum(map(len, asked)) == len({query for batch in asked for query in batch}) == sum(new)
    assert len(asked) < sum(ceil(each / 16) for each in new)


@pytest.mark.parametrize(
    "more",
    [
        (),
        *(pytest.param(each, marks=pytest.mark.full) for each in (("--vqamt-no-cache",), ("-n2",))),
        pytest.param(("--vqamt-no-cache", "-n2"), marks=pytest.mark.slow),
    ],
    ids=" ".join,
)
def test_the_report_is_what_it_is_without(pytester: pytest.Pytester, run: Run, more: tuple[str, ...]) -> None:
    # A batch of one is always full.
    run(FOUR, "--vqamt-report=one", "--vqamt-batch-size=1", "--vqamt-cache=one-cache", model=SIXTEEN, max_cases=9)
    assert {len(batch) for batch in batches(pytester)} == {1}
    run(FOUR, "--vqamt-report=filled", *more, model=SIXTEEN, max_cases=9)
    cases = [(pytester.path / folder / "cases.jsonl").read_bytes() for folder in ("one", "filled")]
    assert cases[0] == cases[1]
    assert use(pytester, "one") == use(pytester, "filled")
    assert without_costs(report(pytester, "one")) == without_costs(report(pytester, "filled"))


@pytest.mark.full
@pytest.mark.parametrize("shared", [True, False], ids=["one cache", "a cache each"])
def test_shards_need_as_much_together_and_ask_twice_what_both_need_only_without_a_cache_in_common(
    pytester: pytest.Pytester, run: Run, shared: bool
) -> None:
    run(FOUR, "--vqamt-report=whole", "--vqamt-cache=whole-cache", model=SIXTEEN, max_cases=9)
    batches(pytester)
    for number in (1, 2):
        cache = f"--vqamt-cache=cache-{0 if shared else number}"
        run(FOUR, f"--vqamt-shard={number}/2", f"--vqamt-report=part-{number}", cache, model=SIXTEEN, max_cases=9)
    asked = [query for batch in batches(pytester) for query in batch]
    merge_folders((Path("part-1"), Path("part-2")), Path("merged"))
    whole, merged = use(pytester, "whole"), use(pytester, "merged")
    assert merged[0] == whole[0]
    assert merged[1] == len(asked)
    twice = len(asked) - len(set(asked))
    if shared:
        assert twice == 0
        assert merged[1] == whole[1]
    else:
        assert merged[1] == whole[1] + twice
        assert merged[2] == 0


def test_a_violation_is_made_as_simple_as_without_and_no_batch_is_filled_meanwhile(
    pytester: pytest.Pytester, run: Run
) -> None:
    one = run(FOUR, "--vqamt-batch-size=1", "--vqamt-cache=one-cache", model=SIXTEEN, max_cases=9, shrink=30)
    batches(pytester)
    filled = run(FOUR, model=SIXTEEN, max_cases=9, shrink=30)
    shown = [[line for line in ran.outlines if line.startswith("simplest violation found")] for ran in (one, filled)]
    assert shown[0] == shown[1]
    assert len(shown[0]) == 4
    sizes = [len(batch) for batch in batches(pytester)]
    assert set(sizes) > {16, 2}, "full ones, and those of the two questions of a case that is tried"


def test_a_session_that_stops_has_lost_nothing_and_asks_nothing_twice(pytester: pytest.Pytester, run: Run) -> None:
    run(FOUR, "--vqamt-report=whole", "--vqamt-cache=whole-cache", model=SIXTEEN, max_cases=9)
    whole = {query for batch in batches(pytester) for query in batch}
    stopped = run(FOUR, "--vqamt-fail-under=1", "-x", model=SIXTEEN, max_cases=9)
    stopped.assert_outcomes(failed=1)
    first = [query for batch in batches(pytester) for query in batch]
    run(FOUR, "--vqamt-report=again", model=SIXTEEN, max_cases=9).assert_outcomes(passed=4)
    second = [query for batch in batches(pytester) for query in batch]
    assert len(first) % 16 == 0, "its last batch was filled with what comes next"
    assert len(first) + len(second) == len({*first, *second})
    assert {*first, *second} == whole
    needed, asked, cached, saved = use(pytester, "again")
    assert (asked, cached) == (len(second), len(first))
    assert (needed, saved) == (use(pytester, "whole")[0], use(pytester, "whole")[3])
    cases = [(pytester.path / folder / "cases.jsonl").read_bytes() for folder in ("whole", "again")]
    assert cases[0] == cases[1]


BROKEN = """
    import pytest_vqamt as vqamt

    def about(scene, word):
        question = vqamt.ask.exists(scene.objects[0])
        return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))

    vqamt.relation("ours.first", expect=vqamt.same_answer)(lambda scene, corpus, choose: about(scene, "a"))
    vqamt.relation("ours.third", expect=vqamt.same_answer)(lambda scene, corpus, choose: about(scene, "b"))

    @vqamt.relation("ours.second", expect=vqamt.same_answer)
    def second(scene, corpus, choose):
        if choose.chance(0.3):
            raise RuntimeError("half-way")
        return about(scene, "c")
"""


@pytest.mark.parametrize("workers", [(), pytest.param(("-n2",), marks=pytest.mark.slow)], ids=["alone", "two workers"])
def test_an_item_that_breaks_half_way_breaks_itself_alone(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    pytester.makeconftest(BROKEN)
    in_order = "--vqamt-relations=ours.first,ours.second,ours.third"
    broken = run(in_order, "--vqamt-report=broken", *workers, model=SIXTEEN, max_cases=9)
    broken.assert_outcomes(passed=2, errors=1)
    assert broken.stdout.str().count("E       in relation 'ours.second', scene 'pictures-") == 1
    run("--vqamt-relations=ours.first,ours.third", "--vqamt-report=sound", model=SIXTEEN, max_cases=9)
    rows = [(pytester.path / folder / "cases.jsonl").read_text().splitlines() for folder in ("broken", "sound")]
    assert rows[0] == rows[1]
    assert not report(pytester, "broken")["complete"]
    use(pytester, "broken")
    asked = [query for batch in batches(pytester) for query in batch]
    assert len(asked) == len(set(asked))


def test_tests_of_the_users_own_fill_them_too_but_not_with_what_is_skipped(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        """
        import pytest

        def test_other():
            pass

        def test_consistency(vqamt_consistency, request):
            if "reorder[property]" in vqamt_consistency.relation:
                pytest.skip("known by its name")
            vqamt_consistency.check()

        @pytest.mark.skip(reason="not now")
        def test_later(vqamt_consistency):
            vqamt_consistency.check()
        """
    )
    new = new_queries(run, FOUR)
    ran = run(FOUR, "--vqamt-report=out", model=SIXTEEN, max_cases=9)
    ran.assert_outcomes(passed=4, skipped=5)
    asked = batches(pytester)
    assert all(len(batch) == 16 for batch in asked[:-1])
    flat = [query for batch in asked for query in batch]
    assert len(flat) == len(set(flat)) <= sum(new)
    assert use(pytester, "out")[1] == sum(new[:3]) <= len(flat), "what nobody came to need is no part of the report"


def test_items_on_other_data_and_other_models_fill_nothing(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(others=BATCHES.replace('"answers by', '"others: answers by').replace("batches-", "others-"))
    data = ("pictures:20", "pictures:21")
    more = ("--vqamt-model=python:others:Model", "--vqamt-relations=metavqa.reorder[object]", "--vqamt-report=out")
    run(*more, model=SIXTEEN, data=data, max_cases=9).assert_outcomes(passed=4)
    # Nine cases of two queries on each data; the smaller data is part of the larger, so two cases are the same.
    assert [len(batch) for batch in batches(pytester)] == [16, 2, 14]
    assert [len(batch) for batch in batches(pytester, "others")] == [16, 2, 14]


def test_cases_of_a_baseline_fill_batches_too(pytester: pytest.Pytester, run: Run) -> None:
    run(FOUR, "--vqamt-report=then", "--vqamt-cache=then-cache", model=SIXTEEN, max_cases=9)
    batches(pytester)
    assert main(["bless", str(Path("then")), "-o", "baseline.jsonl.gz"]) == 0
    run(FOUR, "--vqamt-baseline=baseline.jsonl.gz", "--vqamt-report=now", model=SIXTEEN, max_cases=3)
    asked = batches(pytester)
    assert {len(batch) for batch in asked[:-1]} == {16}
    assert sum(map(len, asked)) == use(pytester, "now")[1] == use(pytester, "then")[1]
