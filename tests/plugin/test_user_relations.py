"""A user's own relation, written in a conftest.py."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pytest_vqamt.relations import catalogue
from tests.plugin.conftest import Run
from tests.reporting.reported import report_in

MIRROR = """
    import pytest_vqamt as vqamt

    @vqamt.relation("ours.mirror", task="vqa", expect=vqamt.same_answer)
    def mirror(scene, corpus, choose):
        '''A mirrored picture shows the same things.'''
        thing = choose.one(scene.objects)
        question = vqamt.ask.exists(thing)
        return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))
"""
SEES_SIDES = """
    from PIL import ImageStat

    def model(image, text):
        grey = image.convert("L")
        left = grey.crop((0, 0, image.width // 2, image.height))
        return "yes" if ImageStat.Stat(left).mean > ImageStat.Stat(grey).mean else "no"
"""


def test_it_is_an_item_like_any_other(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(MIRROR)
    result = run("--vqamt-relations=ours.*,control.repeat", "-v")
    result.assert_outcomes(passed=2)
    result.stdout.fnmatch_lines(["vqamt::control.repeat-*PASSED*", "vqamt::ours.mirror-oracle-pictures:20 PASSED*"])


def test_it_finds_its_violations(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(MIRROR)
    pytester.makepyfile(sides=SEES_SIDES)
    result = run("--vqamt-relations=ours.mirror", "--vqamt-fail-under=0.9", model="python:sides:model", shrink=30)
    result.assert_outcomes(failed=1)
    shown = result.stdout.str()
    assert "  claim: A mirrored picture shows the same things.\n" in shown
    # One half is the brighter one, and after mirroring it is the other.
    assert "all answers must be the same, but got yes, no" in shown or "but got no, yes" in shown


def test_it_is_suggested_where_its_name_is_misspelt(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(MIRROR)
    result = run("--vqamt-relations=ours.miror")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    assert "'ours.miror' names none; did you mean 'ours.mirror'?" in result.stderr.str()


@pytest.mark.full
def test_the_relations_of_one_session_are_not_those_of_the_next(pytester: pytest.Pytester, run: Run) -> None:
    conftest = pytester.makeconftest(MIRROR)
    run("--collect-only", "-q").stdout.fnmatch_lines(["vqamt::ours.mirror-*"])
    conftest.unlink()
    result = pytester.runpytest_subprocess("--vqamt-model=oracle", "--collect-only", "-q")
    result.stdout.no_fnmatch_line("vqamt::ours.*")


@pytest.mark.parametrize(
    ("decorator", "line"),
    [
        (
            "@vqamt.relation('mirror', expect=vqamt.same_answer)",
            "Expected the name of a relation to look like 'ours.mirror', but got name='mirror'",
        ),
        (
            "@vqamt.relation('control.repeat', expect=vqamt.same_answer)",
            "Expected a name that no built-in relation has, but got name='control.repeat': choose another prefix",
        ),
        (
            "@vqamt.relation('ours.mirror', expect=vqamt.same_answer, task='vga')",
            "Expected a task, but got task='vga'; did you mean 'vqa'?",
        ),
    ],
)
def test_a_name_that_cannot_be_used(pytester: pytest.Pytester, run: Run, decorator: str, line: str) -> None:
    pytester.makeconftest(f"import pytest_vqamt as vqamt\n\n{decorator}\ndef wrong(scene, corpus, choose): ...\n")
    result = run()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    told = result.stdout.str() + result.stderr.str()
    assert line in told
    assert "conftest.py:3: in <module>" in told, "where it stands"


def test_one_that_returns_something_else(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(
        """
        import pytest_vqamt as vqamt

        @vqamt.relation("ours.odd", expect=vqamt.same_answer)
        def odd(scene, corpus, choose):
            return "a case"
        """
    )
    result = run("--vqamt-relations=ours.odd")
    result.assert_outcomes(errors=1)
    assert (
        "\nExpected relation 'ours.odd' (conftest.py:3) to return vqamt.case(...) or vqamt.NotApplicable(reason=...), "
        "but got 'a case'\n"
    ) in result.stdout.str()


def test_why_scenes_gave_no_case_is_counted(pytester: pytest.Pytester, run: Run) -> None:
    pytester.makeconftest(
        """
        import pytest_vqamt as vqamt

        @vqamt.relation("ours.picky", expect=vqamt.same_answer)
        def picky(scene, corpus, choose):
            number = int(scene.id.rpartition("-")[2])
            if number < 18:
                return vqamt.NotApplicable(reason="too early" if number < 12 else "too dark")
            question = vqamt.ask.exists(scene.objects[0])
            return vqamt.case(scene.picture, question, follow_up=(scene.picture.mirror(), question))
        """
    )
    run("--vqamt-relations=ours.picky", "--vqamt-report=out", max_cases=50).assert_outcomes(passed=1)
    (told,) = report_in(pytester.path / "out")["relations"]
    assert (told["cases"], told["scenes_not_applicable"]) == (2, 18)
    assert told["not_applicable"] == {"too dark": 6, "too early": 12}


# The example runs with its own settings and shows what the catalogue has.

EXAMPLE = Path(__file__).parents[2] / "example_project"


def paper(item: str) -> str:
    """What an item's name begins with."""
    return re.split(r"[.\[]", item)[0]


def test_it_has_something_of_every_paper_and_a_relation_of_its_own(pytester: pytest.Pytester, run: Run) -> None:
    gates = "--vqamt-fail-under=1", "--vqamt-grounded-under=1"
    result = run(str(EXAMPLE), "--vqamt-report=out", *gates, "-p", "no:cacheprovider", max_cases=1, contrast=1)
    relations = report_in(pytester.path / "out")["relations"]
    items = [each["id"] for each in relations]
    result.assert_outcomes(passed=len(items))
    assert {paper(item) for item in items} == {*map(paper, catalogue.TABLE), "ours"}
    assert {each["holds"] for each in relations} == {1}
