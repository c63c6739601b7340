"""The Tab key completes the command line."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

pytest.importorskip("argcomplete")


def completions(line: str, program: str = "from pytest_vqamt.cli import main; main()") -> list[str]:
    """What the shell is given for a line with the cursor at its end."""
    environment = {
        **os.environ,
        "_ARGCOMPLETE": "1",
        "_ARGCOMPLETE_IFS": "\n",
        "_ARGCOMPLETE_STDOUT_FILENAME": "/dev/stdout",
        "_ARGCOMPLETE_COMP_WORDBREAKS": " \t",
        "COMP_LINE": line,
        "COMP_POINT": str(len(line)),
        "COMP_TYPE": "9",
    }
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.stdout.split("\n")


@pytest.mark.skipif(sys.platform == "win32", reason="argcomplete is for shells of Unix")
@pytest.mark.parametrize(
    ("line", "among"),
    [
        ("vqamt re", ["replay", "report"]),
        ("vqamt describe view.re", ["view.recolour", "view.rescale"]),
        ("vqamt replay x --model fault:always-y", ["fault:always-yes"]),
        pytest.param("vqamt bless out --relations metavq", ["metavqa", "metavqa.cutting"], marks=pytest.mark.full),
        pytest.param("vqamt check-data sn", ["snli-ve:"], marks=pytest.mark.full),
        pytest.param("vqamt serve --mod", ["--model"], marks=pytest.mark.full),
        pytest.param("vqamt probe ora", ["oracle"], marks=pytest.mark.full),
        pytest.param("vqamt describe 'view.ji", [], marks=pytest.mark.full),
    ],
)
def test_the_words_that_fit_are_given(line: str, among: list[str]) -> None:
    found = [each.strip() for each in completions(line) if each.strip()]
    assert set(among) <= set(found)
    last = line.split()[-1].strip("'")
    assert all(each.strip("'").startswith(last) for each in found), found


@pytest.mark.skipif(sys.platform == "win32", reason="argcomplete is for shells of Unix")
@pytest.mark.skipif(int(pytest.__version__.partition(".")[0]) < 9, reason="pytest 8 makes its parser later")
@pytest.mark.parametrize(
    ("words", "among"),
    [
        ("--vqamt-preset to", ["today"]),
        pytest.param("--vqamt-preset qu", ["quick", "questions"], marks=pytest.mark.full),
        pytest.param("--vqamt-relations metavq", ["metavqa", "metavqa.cutting"], marks=pytest.mark.full),
        ("--vqamt-relations lead,metavqa.cu", ["lead,metavqa.cutting"]),
        pytest.param("--vqamt-relations al", ["all"], marks=pytest.mark.full),
        pytest.param("--vqamt-model fault:always-y", ["fault:always-yes"], marks=pytest.mark.full),
        ("--vqamt-data quest", ["questions:"]),
    ],
)
def test_the_values_of_options_of_pytest(words: str, among: list[str]) -> None:
    program = (
        "import os, pytest; os.environ['PYTEST_DISABLE_PLUGIN_AUTOLOAD'] = '1'; "
        "pytest.main(['-p', 'pytest_vqamt.plugin'])"
    )
    found = [each.strip() for each in completions(f"pytest {words}", program) if each.strip()]
    assert set(among) <= set(found)
    assert all(each.startswith(words.split()[-1]) for each in found), found
