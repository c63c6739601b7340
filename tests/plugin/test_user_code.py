"""Exceptions of a user's own code are shown as pytest shows them, with the frames of that code alone."""

from __future__ import annotations

import pytest

from tests.plugin.conftest import Run

CONFTEST = """
    import pytest_vqamt as vqamt

    def names(scene):
        return scene.objects[0].nmae

    @vqamt.relation("ours.derives", expect=vqamt.same_answer)
    def derives(scene, corpus, choose):
        return vqamt.case(scene.picture, names(scene), follow_up=scene.picture)

    @vqamt.relation("ours.asks", expect=vqamt.same_answer)
    def asks(scene, corpus, choose):
        return vqamt.case(scene.picture, vqamt.ask.count("water"), follow_up=scene.picture)

    @vqamt.expectation
    def judges(first, second):
        return {}[first]

    @vqamt.relation("ours.judges", expect=judges)
    def judged(scene, corpus, choose):
        return vqamt.case(scene.picture, "Is there a dog?", follow_up="Is there a cat?")

    @vqamt.relation("ours.misfits", expect=vqamt.opposite_answer)
    def misfits(scene, corpus, choose):
        return vqamt.case(scene.picture, "How many dogs are there?", follow_up="How many cats are there?")
"""
MODELS = """
    class Half:
        batch_size = 4

        def answer(self, batch):
            return [self.network(each) for each in batch]

        def network(self, each):
            if each.query.picture.edits:
                raise ValueError("too dark")
            return "yes"

    def load():
        return weights()

    def weights():
        raise FileNotFoundError("weights.pt")

    def read(question, answer):
        return answer.strp()
"""
WORKERS = [(), pytest.param(("-n", "2"), marks=pytest.mark.full)]


@pytest.fixture(autouse=True)
def _code(pytester: pytest.Pytester) -> None:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(own=MODELS)


def frames(result: pytest.RunResult) -> list[str]:
    """The lines of code that the output shows, and where they stand."""
    lines = result.stdout.str().splitlines()
    return [line for line in lines if line.startswith(">") or ".py:" in line.partition(" ")[0]]


@pytest.mark.parametrize("workers", WORKERS)
def test_a_relation_that_raises(run: Run, workers: tuple[str, ...]) -> None:
    result = run("--vqamt-relations=ours.derives,ours.asks,ours.judges", *workers)
    result.assert_outcomes(errors=3)
    assert sorted(frames(result)) == sorted(
        [
            ">       return vqamt.case(scene.picture, names(scene), follow_up=scene.picture)",
            "conftest.py:8: ",
            ">       return scene.objects[0].nmae",
            "conftest.py:4: AttributeError",
            '>       return vqamt.case(scene.picture, vqamt.ask.count("water"), follow_up=scene.picture)',
            "conftest.py:12: VqamtError",
            ">       return {}[first]",
            "conftest.py:16: KeyError",
        ]
    )
    result.stdout.fnmatch_lines_random(
        [
            "E       AttributeError: 'Thing' object has no attribute 'nmae'*",
            "E       in relation 'ours.derives', scene 'pictures-*' of pictures:20",
            "E       *VqamtError: Expected a noun that can be counted, but got name='water': ask whether there is any",
            "E       in relation 'ours.asks', scene 'pictures-*' of pictures:20",
            "E       KeyError: *",
            "E       in the expectation of relation 'ours.judges', case *, with the answers '*', '*'",
        ]
    )


@pytest.mark.parametrize(
    ("style", "shown"),
    [
        ("short", ["conftest.py:16: in judges", "    return {}[first]"]),
        pytest.param("line", ["conftest.py:16: in judges", "E   KeyError: *"], marks=pytest.mark.full),
        pytest.param("native", ['  File "*conftest.py", line 16, in judges', "KeyError: *"], marks=pytest.mark.full),
    ],
)
def test_it_is_shown_in_the_style_of_tb(run: Run, style: str, shown: list[str]) -> None:
    result = run("--vqamt-relations=ours.judges", f"--tb={style}")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(shown)
    assert "judging.py" not in result.stdout.str()


@pytest.mark.full
def test_all_frames_are_there_if_they_are_asked_for(run: Run) -> None:
    result = run("--vqamt-relations=ours.judges", "--full-trace")
    result.stdout.fnmatch_lines(["*judging.py:*", "conftest.py:16: KeyError"])
    quiet = run("--vqamt-relations=ours.judges", "--tb=no")
    assert "conftest.py:16" not in quiet.stdout.str()


TEST = """
    import pytest_vqamt as vqamt

    def checked(model):
        return vqamt.run(model, data="pictures:5", relations="ours.derives", max_cases=1)

    def test_mine():
        checked("oracle")
"""


def test_a_test_that_runs_a_relation_shows_the_users_frames_alone(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(test_mine=TEST)
    result = pytester.runpytest_inprocess("test_mine.py", "-p", "no:cacheprovider")
    text = result.stdout.str()
    shown = text[text.index("=== FAILURES") : text.index("=== short test summary")].splitlines()
    places = [line.partition(": ")[0] for line in shown if ".py:" in line]
    assert places == ["conftest.py:8", "conftest.py:4", "test_mine.py:7", "test_mine.py:4"]
    assert len(shown) < 60
    assert "\nE       AttributeError: 'Thing' object has no attribute 'nmae'\n" in text
    every = pytester.runpytest_inprocess("test_mine.py", "--full-trace", "-p", "no:cacheprovider").stdout.str()
    assert "run_item.py:" in every


@pytest.mark.full
def test_a_mistake_in_the_use_of_an_expectation_names_the_relation(run: Run) -> None:
    result = run("--vqamt-relations=ours.misfits")
    result.assert_outcomes(errors=1)
    assert (
        "\nExpected a case of two yes/no questions in relation 'ours.misfits', but got Count, Count (conftest.py:22)\n"
    ) in result.stdout.str()


@pytest.mark.parametrize("workers", WORKERS)
def test_a_model_that_fails_on_some_queries(run: Run, workers: tuple[str, ...]) -> None:
    result = run("--vqamt-relations=veglue.vqa_mr1,control.repeat", *workers, model="python:own:Half")
    result.assert_outcomes(passed=1, failed=1)
    assert frames(result)[-2:] == ['>           raise ValueError("too dark")', "own.py:9: ValueError"]
    result.stdout.fnmatch_lines(
        [
            "E           ValueError: too dark",
            "E           in model 'python:own:Half', for '*' about photo 'pictures-*' with erase",
            "E           veglue.vqa_mr1 on python:own:Half: 4 of 4 cases had no answer, *",
        ]
    )


CHANGES_ITS_MIND = """
    class Model:
        batch_size = 4

        def answer(self, batch):
            return [self.network(each) for each in batch]

        def network(self, each):
            if each.text.startswith("How many"):
                raise KeyError(each.text)
            if each.query.picture.edits:
                raise ValueError(each.text)
            return "yes"
"""


def test_each_kind_of_exception_is_shown_once_and_then_named_in_one_line(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(twice=CHANGES_ITS_MIND)
    options = ("--vqamt-relations=metavqa.reorder[object],metavqa.removal_plus,veglue.vqa_mr1,veglue.vqa_mr2",)
    result = run(*options, model="python:twice:Model")
    result.assert_outcomes(failed=4)
    shown = result.stdout.str()
    # Every question of these items has another text, so another reason.
    raised = [line.strip("> ") for line in frames(result) if " raise " in line]
    assert sorted(raised) == ["raise KeyError(each.text)", "raise ValueError(each.text)"]
    second = [line for line in shown.splitlines() if "the traceback is that of vqamt::" in line]
    assert len(second) >= 2
    assert all(" at twice.py:" in line for line in second)


@pytest.mark.parametrize(("style", "times"), [("no", 0), ("short", 1), ("long", 1)])
def test_the_exceptions_of_a_model_obey_tb(pytester: pytest.Pytester, run: Run, style: str, times: int) -> None:
    pytester.makepyfile(twice=CHANGES_ITS_MIND)
    result = run(f"--tb={style}", "--vqamt-relations=veglue.vqa_mr1,veglue.vqa_mr2", model="python:twice:Model")
    assert result.stdout.str().count("raise ValueError(each.text)") == times


def test_in_a_test_of_the_users(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makepyfile(test_own="def test_ours(vqamt_consistency):\n    vqamt_consistency.check()\n")
    result = run("--vqamt-relations=ours.judges")
    result.assert_outcomes(failed=1)
    assert frames(result)[-2:] == [">       return {}[first]", "conftest.py:16: KeyError"]


@pytest.mark.parametrize("workers", WORKERS)
def test_a_factory_is_told_once_a_process(run: Run, workers: tuple[str, ...]) -> None:
    result = run("--vqamt-relations=metavqa.*", *workers, model="python:own:load")
    shown = result.stdout.str() + result.stderr.str()
    assert shown.count("E   FileNotFoundError: weights.pt") + shown.count("E       FileNotFoundError") in (
        (1, 2) if workers else (1,)
    )
    assert shown.count("in the factory of model='python:own:load'") in ((1, 2) if workers else (1,))


def test_a_reader(run: Run) -> None:
    result = run("--vqamt-relations=control.repeat", "--vqamt-option=reader=own:read")
    result.assert_outcomes(errors=1)
    assert frames(result) == [">       return answer.strp()", "own.py:19: AttributeError"]
    missing = run("--vqamt-option=reader=own:raed")
    assert missing.ret == pytest.ExitCode.USAGE_ERROR
    assert "did you mean 'read'?" in missing.stderr.str()
    assert "INTERNALERROR" not in missing.stderr.str() + missing.stdout.str()
