"""Models that raise, that break their protocol, or that cannot be loaded."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.plugin.conftest import WORKERS, Run, asked
from tests.reporting.reported import cases_in, report_in

REVERSION = "--vqamt-relations=metavqa.reversion[object]"
WHO = "Expected Model.answer() of model 'python:own:Model' (own.py:3)"
BREAKS = {
    "too few answers": (
        "return ['yes'] * (len(batch) - 1)",
        f"{WHO} to return 8 answers, one per input, but got 7",
    ),
    "a number": (
        "return [3 for each in batch]",
        f"{WHO} to return an Answer(text, scores), a Declined or a str for each input, but got 3 (int) for text=",
    ),
    "nothing": (
        "return None",
        f"{WHO} to return a sequence of answers, but got None (NoneType)",
    ),
    "one text for all": (
        "return 'yes'",
        f"{WHO} to return a sequence of answers, but got 'yes' (str)",
    ),
}


def model(pytester: pytest.Pytester, *body: str) -> str:
    lines = "\n".join(f"        {line}" for line in body)
    pytester.makepyfile(own=f"class Model:\n    batch_size = 8\n    def answer(self, batch):\n{lines}\n")
    return "python:own:Model"


@pytest.mark.parametrize("broken", BREAKS)
def test_a_broken_protocol_is_an_error_in_one_line(pytester: pytest.Pytester, run: Run, broken: str) -> None:
    body, line = BREAKS[broken]
    result = run(REVERSION, "-rE", model=model(pytester, body))
    result.assert_outcomes(errors=1)
    assert f"\n{line}" in result.stdout.str()
    assert "own.py:3: " not in result.stdout.str(), "no traceback"
    result.stdout.fnmatch_lines(["ERROR vqamt::metavqa.reversion?object?-*"])


def test_what_was_answered_before_a_broken_batch_is_kept(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    pytester.makepyfile(
        breaks="""
        from counted import Model as Counted

        class Model(Counted):
            asked = 0
            def answer(self, batch):
                self.asked += 1
                return super().answer(batch)[self.asked // 3:]
        """
    )
    run(REVERSION, model="python:breaks:Model", max_cases=16).assert_outcomes(errors=1)
    first = asked(pytester)
    assert len(first) == 3 * 8
    # Another class of the same fingerprint.
    run(REVERSION, model=counted, max_cases=16).assert_outcomes(passed=1)
    second = asked(pytester)
    assert len(second) == 2 * 16 - 2 * 8
    assert not set(second) & set(first[:16])


def test_one_bad_query_costs_only_itself(pytester: pytest.Pytester, run: Run) -> None:
    # The first query of all raises, whatever batch it is in.
    spec = model(
        pytester,
        "self.bad = getattr(self, 'bad', None) or batch[0].query.id",
        "if any(each.query.id == self.bad for each in batch): raise RuntimeError('too bad:\\n  too dark')",
        "return ['yes' for each in batch]",
    )
    result = run(REVERSION, "--vqamt-max-error-rate=0.25", "--vqamt-report=out", model=spec, shrink=30)
    result.assert_outcomes(passed=1)
    (told,) = report_in(pytester.path / "out")["relations"]
    assert (told["cases"], told["errors"], told["violated"], told["pass_rate"]) == (4, 1, 3, 0.0)
    shown = result.stdout.str()
    assert "metavqa.reversion[object]: 1 of 4 cases had no answer; the first: RuntimeError: too bad: too dark" in shown
    row = next(row for row in _rows(pytester) if row["verdict"] == "error")
    assert row["answers"] == [None, "yes"]
    assert row["reason"] == "RuntimeError: too bad: too dark"


def test_more_errors_than_tolerated_fail(pytester: pytest.Pytester, run: Run) -> None:
    spec = model(
        pytester,
        "self.bad = getattr(self, 'bad', None) or batch[0].query.id",
        "if any(each.query.id == self.bad for each in batch): raise RuntimeError('too dark')",
        "return ['yes' for each in batch]",
    )
    result = run(REVERSION, "--vqamt-max-error-rate=0.24", model=spec)
    result.assert_outcomes(failed=1)
    assert (
        "\nE       metavqa.reversion[object] on python:own:Model: 1 of 4 cases had no answer, "
        "more than --vqamt-max-error-rate=0.24 allows; the first: RuntimeError: too dark\n"
    ) in result.stdout.str()


def test_a_dead_model_is_given_up_early(pytester: pytest.Pytester, run: Run) -> None:
    spec = model(
        pytester,
        "with open('calls.txt', 'a') as log: log.write('call\\n')",
        "raise ConnectionError('refused')",
    )
    result = run(REVERSION, model=spec, max_cases=100)
    result.assert_outcomes(errors=1)
    assert (
        "\nE       Expected model 'python:own:Model' to answer, but it failed on each of 32 queries: "
        "ConnectionError: refused\n"
    ) in result.stdout.str()
    # Four batches of eight, each split down to the single queries: 1 + 2 + 4 + 8 calls.
    assert len((pytester.path / "calls.txt").read_text().split()) == 4 * 15


@pytest.mark.parametrize("workers", WORKERS)
def test_the_summary_of_a_dead_model_says_that_nothing_was_judged_and_why(
    pytester: pytest.Pytester, run: Run, workers: tuple[str, ...]
) -> None:
    spec = model(pytester, "raise ConnectionError('refused')")
    named = "--vqamt-relations=metavqa.reorder,metavqa.reversion"
    result = run(named, *workers, "--vqamt-report=out", model=spec, summary=None)
    result.assert_outcomes(errors=4)
    told = "Expected model 'python:own:Model' to answer, but it failed on each of "
    assert "not complete" not in result.stdout.str()
    head = Path("out/report.html").read_text().partition("</title>")[0]
    assert "<title>No case was judged: Expected model &#39;python:own:Model&#39; to answer" in head
    assert f"## vqamt: No case was judged: {told}" in Path("out/summary.md").read_text().replace("&#58;", ":")
    assert json.loads(Path("out/report.json").read_text())["failure"].startswith(told)
    title = next(place for place, line in enumerate(result.outlines) if "vqamt: consistency" in line)
    assert re.fullmatch(
        r"NO CASE WAS JUDGED: 4 tests ended in an error, the first: Expected model 'python:own:Model' to answer, but "
        r"it failed on each of \d+ queries: ConnectionError: refused",
        result.outlines[title + 1],
    )


def test_what_failed_is_asked_again_in_the_next_run(pytester: pytest.Pytester, run: Run, counted: str) -> None:
    pytester.makepyfile(
        moody="""
        from pathlib import Path
        from counted import Model as Counted

        class Model(Counted):
            def answer(self, batch):
                answers = super().answer(batch)
                if not Path("well.txt").exists() and len(batch) < 8:
                    raise RuntimeError("unwell")
                return answers
        """
    )
    options = (REVERSION, "--vqamt-max-error-rate=1")
    run(*options, model="python:moody:Model", max_cases=6).assert_outcomes(passed=1)
    asked(pytester)
    (pytester.path / "well.txt").touch()
    run(*options, model="python:moody:Model", max_cases=6).assert_outcomes(passed=1)
    assert len(asked(pytester)) == 12 - 8


def test_a_model_that_cannot_be_loaded(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(own="def load(): raise ValueError('no weights')")
    result = run(REVERSION, model="python:own:load")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = result.stderr.str().strip().splitlines()
    assert told[0] == "ERROR: The factory of model='python:own:load' raised ValueError: no weights"
    assert told[1:] == [
        "own.py:1: in load",
        "    def load(): raise ValueError('no weights')",
        "                ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^",
        "E   ValueError: no weights",
        "E   in the factory of model='python:own:load'",
    ]


@pytest.mark.full
def test_a_model_that_cannot_be_loaded_on_a_worker(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(own="def load(): raise ValueError('no weights')")
    result = run("--vqamt-relations=metavqa.reversion", "-n", "2", model="python:own:load")
    result.assert_outcomes(errors=2)
    assert result.stdout.str().count("ValueError: no weights\n") >= 2
    assert result.stdout.str().count("\nown.py:1: ValueError\n") in (1, 2), "once in each worker that met it"


def test_a_model_for_which_there_is_no_relation(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(own="class Model:\n    def caption(self, batch): return []")
    result = run(REVERSION, model="python:own:Model")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert (
        "ERROR: Expected a model that does vqa, as the relations chosen need, but got 'python:own:Model' (captioning)"
    ) in result.stderr.str()


def _rows(pytester: pytest.Pytester) -> list[dict[str, object]]:
    return cases_in(pytester.path / "out")


_GONE = """
    from pathlib import Path

    class Model:
        fingerprint = "gone after a while"
        batch_size = 4

        def __init__(self):
            self.calls = 0

        @property
        def usage(self):
            return {"calls": self.calls}

        def answer(self, batch):
            from pytest_vqamt.core.errors import ModelError
            self.calls += 1
            with Path("calls.txt").open("a") as log:
                log.write("a call\\n")
            if self.calls > 3:
                raise ModelError("the server is gone")
            return ["yes" for each in batch]
"""


def test_a_model_that_says_it_cannot_be_used_is_asked_no_more_and_its_cost_is_reported(
    pytester: pytest.Pytester, run: Run
) -> None:
    pytester.makepyfile(gone=_GONE)
    result = run("--vqamt-relations=metavqa.*", "--vqamt-report=out", model="python:gone:Model", max_cases=20)
    assert len((pytester.path / "calls.txt").read_text().splitlines()) == 4
    told = result.stdout.str()
    assert told.count("\nthe server is gone") == 1
    assert "\nModel 'python:gone:Model' is disabled: the server is gone" in told
    result.stdout.fnmatch_lines(["python:gone:Model usage: calls 4"])


def test_a_long_error_of_a_model_that_is_given_up_is_shown_in_full_once(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(gone=_GONE.replace('"the server is gone"', '"the server is gone, " * 20 + "for good"'))
    told = run("--vqamt-relations=metavqa.*", model="python:gone:Model", max_cases=20).stdout.str()
    assert told.partition("short test summary")[0].count("for good") == 1, "pytest's own summary is uncut on CI"
    assert "\nModel 'python:gone:Model' is disabled: the server is gone, the server" in told
    assert "... (the whole error is that of vqamt::metavqa." in told


def test_one_that_fails_on_all_is_given_up_over_all_items_together(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        odd="""
        from pathlib import Path

        class Model:
            batch_size = 4
            def answer(self, batch):
                with Path("calls.txt").open("a") as log:
                    log.write("a call\\n")
                raise ValueError("no")
        """
    )
    run("--vqamt-relations=metavqa.*", model="python:odd:Model", max_cases=2)
    # Each item has 4 to 8 queries; 32 are asked one by one in the end, and their batches before.
    assert len((pytester.path / "calls.txt").read_text().splitlines()) < 2 * 32


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--vqamt-model=vilt:nowhere",), "Expected vilt:PATH with a checkpoint folder"),
        (("--vqamt-model=hf:empty",), "Expected a checkpoint folder, but 'empty' has no config.json"),
        (("--vqamt-model=blip:a/b", "--vqamt-dtype=flaot32"), "got --vqamt-dtype='flaot32'; did you mean 'float32'?"),
        (("--vqamt-model=hf:a/b", "--vqamt-option=prompt-count=How many?"), "Expected {text} in the prompt"),
        (("--vqamt-model=openai:m@http://h", "--vqamt-option=in-flight=none"), "in-flight"),
    ],
)
def test_what_cannot_be_is_told_before_any_worker_starts(
    pytester: pytest.Pytester, run: Run, arguments: tuple[str, ...], told: str
) -> None:
    pytester.mkdir("empty")
    result = run("-n2", *arguments, model=None)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert told in result.stderr.str()
    assert "workers [" not in result.stdout.str()


@pytest.mark.full
def test_a_model_that_a_worker_cannot_load_is_tried_once(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(
        heavy="""
        from pathlib import Path

        def load():
            with Path("loads.txt").open("a") as log:
                log.write("once\\n")
            raise ValueError("no room")
        """
    )
    result = run("-n1", "--vqamt-relations=metavqa.*", model="python:heavy:load")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert (pytester.path / "loads.txt").read_text().count("once") == 1


@pytest.mark.parametrize("workers", WORKERS)
@pytest.mark.parametrize(
    "ends", ["pytest.skip('no GPU')", "pytest.fail('no GPU')", "raise pytest.skip.Exception('no GPU')"]
)
def test_a_model_that_skips_the_test_has_failed(
    run: Run, pytester: pytest.Pytester, ends: str, workers: tuple[str, ...]
) -> None:
    """Were the test skipped, each gate would pass."""
    pytester.makepyfile(own=f"import pytest\ndef model(image, text): {ends}")
    result = run("--vqamt-relations=carets.negation", "--vqamt-fail-under=1", *workers, model="python:own:model")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    assert "skipped" not in result.parseoutcomes()
    assert "no GPU" in result.stdout.str()
    assert not any("another try" in line for line in result.outlines)


def test_a_module_that_skips_on_import_is_no_model(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        own="import pytest\npytest.importorskip('no_such_module')\ndef model(image, text): return 'yes'"
    )
    result = run("--vqamt-relations=carets.negation", model="python:own:model")
    assert result.ret == pytest.ExitCode.USAGE_ERROR


def test_an_exception_that_takes_no_notes(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        own="""
        def model(image, text):
            error = ValueError("broken")
            error.__notes__ = 5
            raise error
        """
    )
    result = run("--vqamt-relations=carets.negation", model="python:own:model")
    assert "ValueError: broken" in result.stdout.str()
    assert len(result.outlines) < 60


def test_calls_that_raise_are_counted_where_another_try_answers_all(run: Run, pytester: pytest.Pytester) -> None:
    """Each fifth call raises, whatever is in it; its queries are put to the model again, in halves."""
    pytester.makepyfile(
        own="""
        calls = 0

        class Model:
            batch_size = 2

            def answer(self, batch):
                global calls
                calls += 1
                if calls % 5 == 0:
                    raise ConnectionError("reset")
                return ["yes" for each in batch]
        """
    )
    result = run("--vqamt-relations=carets.negation", "--vqamt-report=out", model="python:own:Model", max_cases=10)
    result.assert_outcomes(passed=1)
    (model,) = report_in(pytester.path / "out")["models"]
    assert model["calls_raised"] == model["calls"] // 5 > 0
    of_calls = f"{model['calls_raised']} of {model['calls']} calls"
    told = f"python:own:Model raised in {of_calls}, as ConnectionError: reset; all answered on another try."
    assert told in result.stdout.str()
    assert told in (pytester.path / "out" / "report.html").read_text(encoding="utf-8")


def test_answers_that_run_on_are_told_with_an_example(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(own="def model(image, text): return 'Yes.\\nQuestion: Is it red?\\nAnswer: no'")
    result = run("--vqamt-relations=carets.negation", "--vqamt-report=out", model="python:own:model", max_cases=2)
    (model,) = report_in(pytester.path / "out")["models"]
    assert model["ran_on"] == model["queries_asked"]
    assert model["ran_on_example"] == "Yes.\\nQuestion: Is it red?\\nAnswer: no"
    told = f"{model['ran_on']} answers of python:own:model ran on into questions that nobody asked"
    assert told in result.stdout.str()
    assert told in (pytester.path / "out" / "report.html").read_text(encoding="utf-8")


def test_very_long_answers_are_told(run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(own="def model(image, text): return 'yes ' * 4_000")
    result = run("--vqamt-relations=carets.negation", "--vqamt-report=out", model="python:own:model", max_cases=2)
    (model,) = report_in(pytester.path / "out")["models"]
    assert model["answers_cut"] == model["queries_asked"]
    assert f"{model['answers_cut']} answers of python:own:model had more than 12,000 characters" in result.stdout.str()


ODD = """
    class Quits(BaseException): pass

    class Call:
        fingerprint = "x"
        def answer(self, batch): raise Quits("gone")

    class Generator(Call):
        def answer(self, batch): raise GeneratorExit

    class Meets(Call):
        def meet(self, sources): raise Quits("gone")

    class Prints(Call):
        @property
        def fingerprint(self): raise ValueError("gone")

    class Loads(Call):
        def __init__(self): raise Quits("gone")
"""


@pytest.mark.parametrize("name", ["Call", "Generator", "Meets", "Prints", "Loads"])
def test_a_session_tells_it_in_a_few_lines(name: str, run: Run, pytester: pytest.Pytester) -> None:
    pytester.makepyfile(odd=ODD)
    result = run("--vqamt-relations=carets.negation", model=f"python:odd:{name}")
    lines = result.outlines + result.errlines
    assert len(lines) < 60
    assert not any("INTERNALERROR" in line for line in lines)
    assert any("raised Quits" in line or "GeneratorExit" in line or "gone" in line for line in lines)
